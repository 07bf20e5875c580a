// A flame graph from the top down (icicle) on a canvas; that of a flat profile has one level.
//
// data: names, parent, name, own, before (or null) of the nodes of a tree, parents first; unit;
// flat; cut: whether small call paths are left out; function: the one that is marked, or null;
// view: {zoom, search, inverted, alphabetical, width} as the address has it.
// Names come from traces: they are only ever drawn as text.
const ROW = 18;
const LEAST = 0.5; // narrower boxes are not drawn, nor what is in them
const MOST_HEIGHT = 620;

const STYLE = `${FOCUS}
  .bar { display: flex; gap: 12px; align-items: center; flex-wrap: wrap; margin-bottom: 6px;
    font: 13px var(--st-font); color: var(--st-text-color); }
  .bar input[type=search] { font: inherit; padding: 4px 8px; width: 220px; color: inherit;
    background: var(--st-secondary-background-color); border: 1px solid var(--st-border-color);
    border-radius: 6px; }
  .bar button { font: inherit; padding: 4px 10px; color: inherit; cursor: pointer;
    background: var(--st-secondary-background-color); border: 1px solid var(--st-border-color);
    border-radius: 6px; }
  .bar label { display: flex; gap: 4px; align-items: center; cursor: pointer; }
  .bar .found { opacity: .75; }
  .frame { position: relative; overflow-y: auto; overflow-x: hidden; }
  canvas { display: block; cursor: pointer; }
  .tip { position: fixed; z-index: 1000; pointer-events: none; display: none; max-width: 520px;
    font: 12px var(--st-font); padding: 6px 8px; border-radius: 6px; white-space: pre-wrap;
    overflow-wrap: anywhere; color: var(--st-text-color); background: var(--st-background-color);
    border: 1px solid var(--st-border-color); box-shadow: 0 2px 8px rgba(0, 0, 0, .25); }`;

const SECONDS = [[1, 1, "s"], [1e-3, 1e3, "ms"], [1e-6, 1e6, "µs"], [0, 1e9, "ns"]];
const COUNTS = [[1e12, 1e-12, "T"], [1e9, 1e-9, "G"], [1e6, 1e-6, "M"], [1e4, 1e-3, "k"], [0, 1, ""]];

// A cost to three significant digits with its unit.
function amount(value, unit) {
  const size = Math.abs(value);
  const steps = unit === "s" ? SECONDS : COUNTS;
  const [, factor, name] = steps.find(([least]) => size >= least);
  const number = Number((value * factor).toPrecision(3));
  return unit === "s" ? `${number} ${name}` : `${number} ${name}${name ? " " : ""}${unit}`;
}

const percent = (part, whole) => (whole > 0 ? `${(100 * part / whole).toPrecision(3)} %` : "");

// A tree with, for each node, its cost with callees and its children in a compact form.
function complete(names, parent, name, own, before) {
  const n = parent.length;
  const value = Float64Array.from(own);
  const was = before ? Float64Array.from(before) : null;
  const first = new Int32Array(n + 1);
  for (let i = n - 1; i > 0; i--) {
    value[parent[i]] += value[i];
    if (was) was[parent[i]] += was[i];
    first[parent[i] + 1]++;
  }
  for (let i = 0; i < n; i++) first[i + 1] += first[i];
  const next = first.slice();
  const children = new Int32Array(Math.max(0, n - 1));
  for (let i = 1; i < n; i++) children[next[parent[i]]++] = i;
  return { names, parent, name, own, before, value, was, first, children, n };
}

// The same costs, merged from the functions that have them towards their callers.
function invert(tree) {
  const parent = [-1], name = [-1], own = [0], before = tree.before ? [0] : null;
  const known = new Map();
  const width = tree.names.length + 1;
  for (let i = 1; i < tree.n; i++) {
    const now = tree.own[i], then = tree.before ? tree.before[i] : 0;
    if (!now && !then) continue;
    let at = 0;
    for (let up = i; up > 0; up = tree.parent[up]) {
      const key = at * width + tree.name[up];
      let node = known.get(key);
      if (node === undefined) {
        node = parent.length;
        known.set(key, node);
        parent.push(at); name.push(tree.name[up]); own.push(0);
        if (before) before.push(0);
      }
      at = node;
    }
    own[at] += now;
    if (before) before[at] += then;
  }
  return complete(tree.names, parent, name, own, before);
}

function hue(text) {
  let hash = 2166136261;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 16777619);
  return (hash >>> 0) / 4294967296;
}

class Flame {
  constructor(root) {
    make("style", root).textContent = STYLE;
    this.bar = make("div", root, "bar");
    this.search = make("input", this.bar);
    this.search.type = "search";
    this.search.placeholder = "Search functions";
    this.search.setAttribute("aria-label", "Search functions");
    const box = (text) => {
      const label = make("label", this.bar);
      const input = make("input", label);
      input.type = "checkbox";
      make("span", label).textContent = text;
      return { label, input };
    };
    this.inverted = box("Inverted");
    this.alphabetical = box("By name");
    this.width = box("Widths of before");
    this.reset = make("button", this.bar);
    this.reset.textContent = "Whole profile";
    this.found = make("span", this.bar, "found");
    this.frame = make("div", root, "frame");
    this.canvas = make("canvas", this.frame);
    this.canvas.setAttribute("role", "img");
    (window.pwhCanvases ||= new Set()).add(this.canvas);
    this.tip = make("div", root, "tip");
    this.view = {};
    this.given = null;
    this.boxes = [];
    this.listen();
  }

  listen() {
    let timer;
    const report = () => {
      clearTimeout(timer);
      timer = setTimeout(() => this.send("view", this.view), 500);
    };
    this.report = report;
    this.search.addEventListener("input", () => {
      this.view.search = this.search.value;
      this.draw();
      report();
    });
    for (const key of ["inverted", "alphabetical", "width"]) {
      this[key].input.addEventListener("change", () => {
        this.view[key] = this[key].input.checked;
        if (key === "inverted") this.view.zoom = [];
        this.arrange();
        report();
      });
    }
    this.reset.addEventListener("click", () => this.zoom(0));
    this.canvas.addEventListener("mousemove", (event) => this.hover(event));
    this.canvas.addEventListener("mouseleave", () => { this.tip.style.display = "none"; });
    this.canvas.addEventListener("click", (event) => {
      const hit = this.at(event);
      if (hit) this.zoom(hit.node);
    });
    new ResizeObserver(() => {
      if (this.data && this.frame.clientWidth !== this.drawnWidth) this.draw();
    }).observe(this.frame);
  }

  show(data, send) {
    this.send = send;
    const same = this.data && this.data.parent === data.parent;
    this.data = data;
    if (!same) this.trees = [complete(data.names, data.parent, data.name, data.own, data.before)];
    const given = JSON.stringify(data.view || {});
    if (given !== this.given) {
      this.given = given;
      this.view = { zoom: [], search: "", ...data.view };
    }
    this.search.value = this.view.search || "";
    for (const key of ["inverted", "alphabetical", "width"]) {
      this[key].input.checked = Boolean(this.view[key]);
    }
    const flat = Boolean(data.flat);
    for (const one of [this.inverted, this.alphabetical]) one.label.style.display = flat ? "none" : "";
    this.width.label.style.display = data.before && !flat ? "" : "none";
    this.arrange();
  }

  arrange() {
    if (this.view.inverted && !this.trees[1]) this.trees[1] = invert(this.trees[0]);
    const tree = this.view.inverted && !this.data.flat ? this.trees[1] : this.trees[0];
    this.tree = tree;
    this.size = this.view.width && tree.was ? tree.was : tree.value;
    const { first, children, name, names } = tree;
    const by = this.view.alphabetical
      ? (a, b) => (names[name[a]] < names[name[b]] ? -1 : 1)
      : (a, b) => this.size[b] - this.size[a] || name[a] - name[b];
    for (let i = 0; i < tree.n; i++) {
      if (first[i + 1] - first[i] > 1) children.subarray(first[i], first[i + 1]).sort(by);
    }
    this.most = 0;
    if (tree.was) {
      for (let i = 1; i < tree.n; i++) {
        this.most = Math.max(this.most, Math.abs(tree.value[i] - tree.was[i]));
      }
    }
    this.root = this.named(this.view.zoom || []);
    this.draw();
  }

  // The node with these names from the root on; as far as there is one.
  named(path) {
    const { first, children, name, names } = this.tree;
    let at = 0;
    for (const one of path) {
      let next = -1;
      for (let c = first[at]; c < first[at + 1]; c++) {
        if (names[name[children[c]]] === one) next = children[c];
      }
      if (next < 0) break;
      at = next;
    }
    return at;
  }

  zoom(node) {
    const path = [];
    for (let up = node; up > 0; up = this.tree.parent[up]) path.unshift(this.text(up));
    this.view.zoom = path;
    this.root = node;
    this.frame.scrollTop = 0;
    this.draw();
    this.report();
  }

  text(node) { return node === 0 ? "all" : this.tree.names[this.tree.name[node]]; }

  colour(node, dim) {
    const { tree } = this;
    if (tree.was) {
      const change = this.most > 0 ? (tree.value[node] - tree.was[node]) / this.most : 0;
      // Callers add up the changes of what they call.
      const strength = Math.sqrt(Math.min(1, Math.abs(change)));
      const tone = change > 0 ? 50 : 250;
      return `oklch(.64 ${.01 + .16 * strength} ${tone} / ${dim ? .3 : 1})`;
    }
    if (node === 0) return "oklch(.64 0 0)";
    const h = hue(this.text(node));
    return `oklch(${.63 + .02 * h} .13 ${Math.round(40 + 50 * h)} / ${dim ? .3 : 1})`;
  }

  draw() {
    const width = this.frame.clientWidth;
    if (!width || !this.tree) return;
    this.drawnWidth = width;
    const style = getComputedStyle(this.frame);
    const query = (this.view.search || "").toLowerCase();
    const { tree } = this;
    const matches = query ? tree.names.map((one) => one.toLowerCase().includes(query)) : null;
    this.is = (node) => matches && node > 0 && matches[tree.name[node]];
    this.boxes = this.rows(width);
    const rows = this.boxes.reduce((most, box) => Math.max(most, box.y + box.h), ROW);
    this.frame.style.height = `${Math.min(rows + 2, MOST_HEIGHT)}px`;
    const ratio = window.devicePixelRatio || 1;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round((rows + 1) * ratio);
    this.canvas.style.width = `${width}px`;
    this.canvas.style.height = `${rows + 1}px`;
    const pen = this.canvas.getContext("2d");
    pen.scale(ratio, ratio);
    pen.font = `12px ${style.fontFamily}`;
    pen.textBaseline = "middle";
    const letter = pen.measureText("0").width;
    for (const { node, x, y, w, h } of this.boxes) {
      const hit = this.is(node);
      pen.fillStyle = hit ? "#cc79a7" : this.colour(node, Boolean(query));
      pen.fillRect(x, y, Math.max(w - (w > 2 ? 0.6 : 0), LEAST), h - 1);
      if (node > 0 && this.text(node) === this.data.function) {
        pen.strokeStyle = style.color;
        pen.lineWidth = 2;
        pen.strokeRect(x + 1, y + 1, Math.max(w - 2.6, LEAST), h - 3);
      }
      const room = Math.floor((w - 6) / letter);
      if (room < 2) continue;
      const name = this.text(node);
      const shown = name.length <= room ? name : shortened(lastPart(name), room);
      pen.fillStyle = "#1c1c1c";
      pen.save();
      pen.beginPath();
      pen.rect(x, y, w - 2, h);
      pen.clip();
      pen.fillText(shown, x + 3, y + Math.min(h, ROW) / 2);
      pen.restore();
    }
    const total = this.size[0];
    this.canvas.setAttribute("aria-label",
      `Flame graph of ${this.text(this.root)}: ${amount(this.size[this.root], this.data.unit)}`);
    this.found.textContent = query
      ? `found: ${this.data.cut ? "at least " : ""}${percent(this.foundIn(), total)} of ${amount(total, this.data.unit)}` : "";
    this.reset.disabled = this.root === 0;
  }

  // What the functions found take with callees, a function below another one counted once.
  foundIn() {
    const { tree } = this;
    const inside = new Uint8Array(tree.n);
    let sum = 0;
    for (let i = 1; i < tree.n; i++) {
      inside[i] = inside[tree.parent[i]];
      if (!inside[i] && this.is(i)) {
        inside[i] = 1;
        sum += this.size[i];
      }
    }
    return sum;
  }

  rows(width) {
    const { tree, size, root } = this;
    const found = [];
    let level = 0;
    const above = [];
    for (let up = root; up >= 0; up = tree.parent[up]) above.unshift(up);
    for (const node of above) found.push({ node, x: 0, y: ROW * level++, w: width, h: ROW });
    const scale = size[root] > 0 ? width / size[root] : 0;
    const open = [[root, 0, level]];
    while (open.length) {
      const [node, from, depth] = open.pop();
      let x = from;
      for (let c = tree.first[node]; c < tree.first[node + 1]; c++) {
        const child = tree.children[c];
        const w = size[child] * scale;
        if (w >= LEAST) {
          found.push({ node: child, x, y: ROW * depth, w, h: ROW });
          open.push([child, x, depth + 1]);
        }
        x += w;
      }
    }
    return found;
  }

  at(event) {
    const place = this.canvas.getBoundingClientRect();
    const x = event.clientX - place.left, y = event.clientY - place.top;
    return this.boxes.find((b) => x >= b.x && x < b.x + b.w && y >= b.y && y < b.y + b.h);
  }

  hover(event) {
    const hit = this.at(event);
    if (!hit) { this.tip.style.display = "none"; return; }
    const { tree, data } = this;
    const whole = tree.value[0];
    const lines = [this.text(hit.node)];
    if (data.flat) {
      lines.push(`own: ${amount(tree.own[hit.node], data.unit)}, ${percent(tree.own[hit.node], whole)}`);
    } else {
      const kind = this.view.inverted ? "own, called by those below" : "with callees";
      lines.push(`${kind}: ${amount(tree.value[hit.node], data.unit)}, ` +
        percent(tree.value[hit.node], whole));
      const own = data.cut ? "own, with callees too small to draw" : "own";
      if (!this.view.inverted) lines.push(`${own}: ${amount(tree.own[hit.node], data.unit)}`);
    }
    if (tree.was) {
      const change = tree.value[hit.node] - tree.was[hit.node];
      lines.push(`before: ${amount(tree.was[hit.node], data.unit)}, ` +
        `change ${change > 0 ? "+" : ""}${amount(change, data.unit)}`);
    }
    this.tip.textContent = lines.join("\n");
    this.tip.style.display = "block";
    const left = Math.min(event.clientX + 12, window.innerWidth - this.tip.offsetWidth - 8);
    const top = event.clientY + 16 + this.tip.offsetHeight > window.innerHeight
      ? event.clientY - this.tip.offsetHeight - 10 : event.clientY + 16;
    this.tip.style.left = `${Math.max(4, left)}px`;
    this.tip.style.top = `${top}px`;
  }
}

// The function of a qualified name: those of one class or namespace begin alike.
function lastPart(name) {
  let depth = 0;
  for (let i = name.length - 1; i > 0; i--) {
    if (">)".includes(name[i])) depth++;
    else if ("<(".includes(name[i])) depth--;
    else if (!depth && name[i] === ":" && name[i - 1] === ":") return name.slice(i + 1);
  }
  return name;
}

export default function ({ data, parentElement, setStateValue }) {
  const flame = parentElement.pwhFlame || (parentElement.pwhFlame = new Flame(parentElement));
  flame.show(data, setStateValue);
}
