// Workers by time on a canvas: wheel zooms, dragging pans, hovering over a wait draws whom it was for.
//
// data: span (s), from and to (% of it) that the pieces are of; lanes; pieces, waits, path and found
// as columns, times in s from the start; colour and texture by cause; by ("cause" or "type"); seq and arrival,
// which say what request of this component the pieces answer.
// Names come from traces: they are only ever drawn as text.
const LANE = 22;
const TOP = 26;
const GAP = 2;
const LEAST = 1e-7; // s, the narrowest window

const STYLE = `${FOCUS}
  .bar { display: flex; gap: 14px; align-items: center; flex-wrap: wrap; margin-bottom: 6px;
    font: 13px var(--st-font); color: var(--st-text-color); }
  .tip button { display: block; margin-top: 6px; }
  .bar button, .tip button { font: inherit; padding: 3px 10px; color: inherit; cursor: pointer;
    background: var(--st-secondary-background-color); border: 1px solid var(--st-border-color);
    border-radius: 6px; }
  .key { display: inline-flex; gap: 5px; align-items: center; }
  .key canvas { cursor: default; }
  canvas { display: block; cursor: grab; touch-action: none; }
  .tip { position: fixed; z-index: 1000; pointer-events: none; display: none; max-width: 460px;
    font: 12px var(--st-font); padding: 6px 8px; border-radius: 6px; white-space: pre-wrap;
    overflow-wrap: anywhere; color: var(--st-text-color); background: var(--st-background-color);
    border: 1px solid var(--st-border-color); box-shadow: 0 2px 8px rgba(0, 0, 0, .25); }`;

const STEPS = [[1, 1, "s"], [1e-3, 1e3, "ms"], [1e-6, 1e6, "µs"], [0, 1e9, "ns"]];
function seconds(value, digits = 3) {
  const [, factor, unit] = STEPS.find(([least]) => Math.abs(value) >= least);
  return `${Number((value * factor).toPrecision(digits))} ${unit}`;
}

function hue(text) {
  let hash = 2166136261;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 16777619);
  return (hash >>> 0) % 360;
}

// What tells causes apart beside their colours.
const TEXTURES = {
  stripes: (pen) => { for (const x of [-4, 0, 4]) { pen.moveTo(x, 8); pen.lineTo(x + 8, 0); } },
  dots: (pen) => { for (const [x, y] of [[2, 2], [6, 6]]) pen.rect(x, y, 1, 1); },
};

class Timeline {
  constructor(root) {
    make("style", root).textContent = STYLE;
    this.bar = make("div", root, "bar");
    this.keys = make("span", this.bar, "bar");
    this.reset = make("button", this.bar);
    this.reset.textContent = "Whole run";
    this.jump = make("span", this.bar, "bar");
    this.back = make("button", this.jump);
    this.back.textContent = "‹";
    this.back.setAttribute("aria-label", "Task found before");
    this.next = make("button", this.jump);
    this.next.textContent = "›";
    this.next.setAttribute("aria-label", "Next task found");
    this.count = make("span", this.jump);
    this.frame = make("div", root);
    this.canvas = make("canvas", this.frame);
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute("role", "img");
    (window.pwhCanvases ||= new Set()).add(this.canvas);
    this.canvas.setAttribute("aria-label", "Workers by time");
    this.tip = make("div", root, "tip");
    this.seq = 0;
    this.chosen = -1;
    this.listen();
  }

  listen() {
    this.canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      const sideways = event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY);
      const delta = sideways ? event.deltaX || event.deltaY : event.deltaY;
      if (sideways) this.pan(delta / this.wide * (this.b - this.a));
      else this.scale(Math.exp(delta * 0.0015), this.time(event));
    }, { passive: false });
    let from = null;
    this.canvas.addEventListener("pointerdown", (event) => {
      from = { x: event.clientX, a: this.a };
      this.canvas.setPointerCapture(event.pointerId);
      this.canvas.style.cursor = "grabbing";
    });
    this.canvas.addEventListener("pointermove", (event) => {
      if (!from) { if (!this.pinned) this.hover(event); return; }
      const moved = (from.x - event.clientX) / this.wide * (this.b - this.a);
      if (Math.abs(from.x - event.clientX) > 2) this.pan(from.a + moved - this.a);
    });
    const end = () => { from = null; this.canvas.style.cursor = "grab"; };
    this.canvas.addEventListener("pointerup", (event) => {
      const clicked = from && Math.abs(from.x - event.clientX) <= 2;
      end();
      if (clicked) this.pin(event);
    });
    this.canvas.addEventListener("pointercancel", end);
    this.canvas.addEventListener("pointerleave", () => {
      if (this.pinned) return;
      this.tip.style.display = "none";
      if (this.wait !== undefined) { this.wait = undefined; this.draw(); }
    });
    this.canvas.addEventListener("dblclick", () => this.whole());
    this.canvas.addEventListener("keydown", (event) => {
      const middle = (this.a + this.b) / 2, step = (this.b - this.a) / 5;
      const does = {
        w: () => this.scale(0.7, middle), s: () => this.scale(1.4, middle),
        a: () => this.pan(-step), d: () => this.pan(step),
        Escape: () => this.unpin(), ArrowLeft: () => this.pan(-step), ArrowRight: () => this.pan(step),
      }[event.key];
      if (does) { event.preventDefault(); does(); }
    });
    this.reset.addEventListener("click", () => this.whole());
    this.back.addEventListener("click", () => this.show_found(-1));
    this.next.addEventListener("click", () => this.show_found(1));
    new ResizeObserver(() => {
      if (this.data && this.frame.clientWidth !== this.drawnWidth) this.draw();
    }).observe(this.frame);
  }

  // What hovering shows stays, and its text can be copied, until a click elsewhere.
  pin(event) {
    this.hover(event);
    this.pinned = this.tip.style.display === "block";
    this.tip.style.pointerEvents = this.pinned ? "auto" : "none";
    if (!this.pinned || this.wait === undefined) return;
    const button = make("button", this.tip);
    button.textContent = "Show what it waited for";
    button.addEventListener("click", () => this.follow());
  }

  unpin() {
    this.pinned = false;
    this.tip.style.display = "none";
    this.tip.style.pointerEvents = "none";
  }

  whole() { this.move(0, this.data.span); }

  // From a wait to what it was for: both are in view, the wait's end with it.
  follow() {
    const { waits, span } = this.data;
    const i = this.wait;
    if (i === undefined || waits.blamed_lane[i] === null) return;
    const begin = Math.min(waits.p[i], waits.until[i]);
    const margin = Math.max((waits.q[i] - begin) / 2, LEAST);
    this.move(Math.max(0, begin - margin), Math.min(span, waits.q[i] + margin));
  }

  pan(by) {
    const size = this.b - this.a;
    const a = Math.min(Math.max(0, this.a + by), this.data.span - size);
    this.move(a, a + size);
  }

  scale(factor, at) {
    const size = Math.min(Math.max((this.b - this.a) * factor, LEAST), this.data.span);
    const share = (at - this.a) / (this.b - this.a);
    const a = Math.min(Math.max(0, at - share * size), this.data.span - size);
    this.move(a, a + size);
  }

  // Show another window: what is known of it at once, the rest when it has been asked for.
  move(a, b) {
    this.unpin();
    this.a = a;
    this.b = b;
    this.seq += 1;
    this.draw();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      const percent = (time) => 100 * time / this.data.span;
      const { arrival } = this.data;
      this.send("window", { from: percent(a), to: percent(b), seq: this.seq, arrival });
    }, 300);
  }

  show_found(step) {
    const { found, span } = this.data;
    const n = found.lane.length;
    this.chosen = (this.chosen + step + n) % n;
    const p = found.p[this.chosen], q = found.q[this.chosen];
    const size = Math.min(span, Math.max(20 * (q - p), LEAST));
    const a = Math.min(Math.max(0, (p + q - size) / 2), span - size);
    this.move(a, a + size);
  }

  show(data, send) {
    this.send = send;
    const arrived = !this.data || data.arrival !== this.data.arrival;
    // Of many pieces the waits are not known, and of a large run not the path.
    for (const [name, known] of [["waits", "p"], ["path", "lane"]]) data[name][known] ??= [];
    this.data = data;
    this.wait = undefined;
    this.unpin();
    if (arrived || data.seq === this.seq) {
      this.a = data.from * data.span / 100;
      this.b = data.to * data.span / 100;
      if (arrived) this.seq = data.seq;
    }
    const n = data.found ? data.found.lane.length : 0;
    this.jump.style.display = data.found ? "" : "none";
    this.back.disabled = this.next.disabled = n === 0;
    if (arrived || this.query !== data.query) this.chosen = -1;
    this.query = data.query;
    this.draw();
  }

  legend() {
    const { pieces, path } = this.data;
    this.keys.replaceChildren();
    this.canvas.pwhLegend = [];
    const add = (name, colour) => {
      this.canvas.pwhLegend.push([name, colour]);
      const key = make("span", this.keys, "key");
      const box = make("canvas", key);
      box.width = box.height = 12;
      const pen = box.getContext("2d");
      pen.fillStyle = colour;
      pen.fillRect(0, 0, 12, 12);
      make("span", key).textContent = name;
    };
    if (this.data.by === "type") {
      const sums = new Map();
      for (let i = 0; i < pieces.p.length; i++) {
        const what = pieces.what[i];
        if (what === null) continue;
        const time = (pieces.q[i] - pieces.p[i]) * (pieces.high[i] - pieces.low[i]);
        sums.set(what, (sums.get(what) || 0) + time);
      }
      const largest = [...sums].sort((x, y) => y[1] - x[1]).slice(0, 8);
      for (const [what] of largest) {
        const name = pieces.whats[what];
        add(shortened(name, 40), this.of_type(name));
      }
    } else {
      for (const cause of Object.keys(this.data.colours)) {
        if (pieces.causes.includes(cause)) add(cause, this.of_cause(cause));
      }
    }
    if (path.lane.length) add("critical path", this.ink);
  }

  // Of one lightness, at which dark text is readable, and the box on either page.
  of_type(name) {
    return name === "(other types)" ? "oklch(.64 0 0)" : `oklch(.64 .13 ${hue(name)})`;
  }

  of_cause(cause) {
    this.fills ??= new Map();
    if (!this.fills.has(cause)) {
      const [colour, texture] = this.data.colours[cause];
      const tile = make("canvas", document.createDocumentFragment());
      tile.width = tile.height = 8;
      const pen = tile.getContext("2d");
      pen.fillStyle = colour;
      pen.fillRect(0, 0, 8, 8);
      pen.strokeStyle = "#ffffff";
      pen.lineWidth = 1.5;
      TEXTURES[texture]?.(pen);
      pen.stroke();
      this.fills.set(cause, pen.createPattern(tile, "repeat"));
    }
    return this.fills.get(cause);
  }

  x(time) { return this.left + (time - this.a) / (this.b - this.a) * this.wide; }

  time(event) {
    const place = this.canvas.getBoundingClientRect();
    return this.a + (event.clientX - place.left - this.left) / this.wide * (this.b - this.a);
  }

  draw() {
    const width = this.frame.clientWidth;
    if (!width) return;
    this.drawnWidth = width;
    const { data } = this;
    const style = getComputedStyle(this.frame);
    this.dark = Number((style.color.match(/\d+/g) || [0])[0]) > 128;
    this.ink = this.dark ? "#f4f4f4" : "#1c1c1c";
    const height = TOP + LANE * data.lanes.length + 4;
    const ratio = window.devicePixelRatio || 1;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    this.canvas.style.width = `${width}px`;
    this.canvas.style.height = `${height}px`;
    const pen = this.canvas.getContext("2d");
    pen.scale(ratio, ratio);
    pen.font = `12px ${style.fontFamily}`;
    pen.textBaseline = "middle";
    const longest = Math.max(...data.lanes.map((one) => pen.measureText(one).width), 20);
    this.left = Math.min(longest + 10, 160, width / 4);
    this.wide = width - this.left - 4;
    this.legend();
    this.axis(pen, height);
    pen.save();
    pen.beginPath();
    pen.rect(this.left, 0, this.wide, height);
    pen.clip();
    this.boxes(pen);
    this.line(pen);
    this.arrow(pen);
    pen.restore();
    pen.fillStyle = this.ink;
    data.lanes.forEach((name, i) => {
      let shown = name;
      while (shown.length > 2 && pen.measureText(shown).width > this.left - 8) {
        shown = `…${shown.slice(shown.startsWith("…") ? 2 : 1)}`;
      }
      pen.fillText(shown, 2, TOP + LANE * (i + 0.5));
      if (name === data.worker) {
        pen.strokeStyle = this.ink;
        pen.lineWidth = 2;
        pen.strokeRect(1, TOP + LANE * i, width - 2, LANE);
        pen.lineWidth = 1;
      }
    });
    const n = data.found ? data.found.lane.length : 0;
    this.count.textContent = !data.found ? "" : n === 0 ? "no task found"
      : `${this.chosen < 0 ? "" : `${this.chosen + 1} of `}${data.total} found`;
    this.reset.disabled = this.a <= 0 && this.b >= data.span;
  }

  axis(pen, height) {
    const size = this.b - this.a;
    const rough = size / Math.max(2, this.wide / 110);
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = power * [1, 2, 5, 10].find((one) => one * power >= rough);
    const digits = Math.max(3, Math.ceil(Math.log10(Math.max(this.b, step) / step)) + 1);
    pen.strokeStyle = this.dark ? "#ffffff22" : "#00000018";
    pen.fillStyle = this.ink;
    for (let k = Math.ceil(this.a / step); k * step <= this.b; k++) {
      const x = this.x(k * step);
      pen.beginPath();
      pen.moveTo(x, TOP - 4);
      pen.lineTo(x, height);
      pen.stroke();
      const text = k === 0 ? "0" : seconds(k * step, digits);
      const at = Math.min(x - pen.measureText(text).width / 2,
        this.left + this.wide - pen.measureText(text).width);
      pen.fillText(text, Math.max(this.left, at), 10);
    }
  }

  boxes(pen) {
    const { pieces, by, found, binned } = this.data;
    for (let i = 0; i < pieces.p.length; i++) {
      if (pieces.q[i] < this.a || pieces.p[i] > this.b) continue;
      const what = pieces.what[i] === null ? null : pieces.whats[pieces.what[i]];
      const cause = pieces.causes[pieces.cause[i]];
      if (by === "type" && what === null) continue;
      const x = this.x(pieces.p[i]);
      const w = Math.max(this.x(pieces.q[i]) - x, 0.4);
      const y = TOP + LANE * pieces.lane[i] + GAP + (LANE - 2 * GAP) * pieces.low[i];
      const h = (LANE - 2 * GAP) * (pieces.high[i] - pieces.low[i]);
      pen.fillStyle = by === "type" && what !== null ? this.of_type(what) : this.of_cause(cause);
      pen.fillRect(x, y, w > 3 && !binned ? w - 0.5 : w, h);
      if (what !== null && pieces.task[i] !== null && w > 30) {
        const room = Math.floor((w - 6) / 6.2);
        pen.fillStyle = "#1c1c1c";
        pen.fillText(shortened(what, room), Math.max(x, this.left) + 3, y + h / 2);
      }
    }
    if (!found) return;
    pen.lineWidth = 2;
    for (let i = 0; i < found.lane.length; i++) {
      pen.strokeStyle = i === this.chosen ? "#d40078" : "#cc79a7";
      const x = this.x(found.p[i]);
      pen.strokeRect(x, TOP + LANE * found.lane[i] + 1,
        Math.max(this.x(found.q[i]) - x, 2), LANE - 2);
    }
    pen.lineWidth = 1;
  }

  line(pen) {
    const { path } = this.data;
    pen.strokeStyle = this.ink;
    pen.fillStyle = this.ink;
    let last = null;
    for (let i = 0; i < path.lane.length; i++) {
      const y = TOP + LANE * (path.lane[i] + 1) - 3;
      const x = this.x(path.p[i]), to = this.x(path.q[i]);
      pen.fillRect(x, y, Math.max(to - x, 0.5), 3);
      if (last && last.y !== y) {
        pen.beginPath();
        pen.moveTo(x, last.y + 1.5);
        pen.lineTo(x, y + 1.5);
        pen.stroke();
      }
      last = { y };
    }
  }

  arrow(pen) {
    const { waits } = this.data;
    const i = this.wait;
    if (i === undefined || waits.blamed_lane[i] === null) return;
    const from = { x: this.x(waits.until[i]), y: TOP + LANE * (waits.blamed_lane[i] + 0.5) };
    const to = { x: this.x(waits.q[i]), y: TOP + LANE * (waits.lane[i] + 0.5) };
    const angle = Math.atan2(to.y - from.y, to.x - from.x);
    pen.strokeStyle = pen.fillStyle = "#d40078";
    pen.lineWidth = 2;
    pen.beginPath();
    pen.moveTo(from.x, from.y);
    pen.lineTo(to.x, to.y);
    pen.stroke();
    pen.beginPath();
    pen.moveTo(to.x, to.y);
    for (const turn of [-0.4, 0.4]) {
      pen.lineTo(to.x - 9 * Math.cos(angle + turn), to.y - 9 * Math.sin(angle + turn));
    }
    pen.fill();
    pen.lineWidth = 1;
  }

  hover(event) {
    const place = this.canvas.getBoundingClientRect();
    const y = event.clientY - place.top;
    const lane = Math.floor((y - TOP) / LANE);
    const at = this.time(event);
    const { pieces, waits, lanes } = this.data;
    let lines = null, wait;
    if (y >= TOP && lane < lanes.length && at >= this.a && at <= this.b) {
      const high = (y - TOP - LANE * lane - GAP) / (LANE - 2 * GAP);
      let hit = -1;
      for (let i = 0; i < pieces.p.length; i++) {
        if (pieces.lane[i] === lane && pieces.p[i] <= at && at < pieces.q[i]
          && pieces.low[i] <= high && high <= pieces.high[i]) hit = i;
      }
      const busy = hit >= 0 && pieces.causes[pieces.cause[hit]] === "busy";
      if (!busy) {
        for (let i = 0; i < waits.p.length; i++) {
          if (waits.lane[i] === lane && waits.p[i] <= at && at < waits.q[i]) wait = i;
        }
      }
      if (hit >= 0) lines = this.told(hit, wait);
    }
    if (wait !== this.wait) { this.wait = wait; this.draw(); }
    if (!lines) { this.tip.style.display = "none"; return; }
    this.tip.textContent = lines.join("\n");
    this.tip.style.display = "block";
    const left = Math.min(event.clientX + 14, window.innerWidth - this.tip.offsetWidth - 8);
    const low = event.clientY + 18 + this.tip.offsetHeight > window.innerHeight;
    this.tip.style.left = `${Math.max(4, left)}px`;
    this.tip.style.top = `${low ? event.clientY - this.tip.offsetHeight - 12 : event.clientY + 18}px`;
  }

  told(i, wait) {
    const { pieces, waits, lanes, binned } = this.data;
    const cause = pieces.causes[pieces.cause[i]];
    const what = pieces.what[i] === null ? null : pieces.whats[pieces.what[i]];
    const lines = [lanes[pieces.lane[i]]];
    if (binned) {
      const share = Math.round(100 * (pieces.high[i] - pieces.low[i]));
      lines.push(`${what || cause}: ${share} % of ${seconds(pieces.q[i] - pieces.p[i])}`);
    } else {
      if (what) lines.push(what);
      if (pieces.task[i] !== null && pieces.task[i] !== what) lines.push(`task ${pieces.task[i]}`);
      if (!what) lines.push(cause);
      lines.push(`${seconds(pieces.q[i] - pieces.p[i])} from ${seconds(pieces.p[i], 6)} on`);
    }
    if (wait !== undefined) {
      const long = seconds(waits.q[wait] - waits.p[wait]);
      lines.push("", `waited ${long} until ${waits.type[wait] || waits.task[wait]} started` +
        (waits.type[wait] && waits.task[wait] !== waits.type[wait] ? ` (${waits.task[wait]})` : ""));
      if (waits.blamed[wait] !== null) {
        lines.push(`${seconds(waits.waited[wait])} of it for ${waits.blamed_type[wait] ||
          waits.blamed[wait]} on ${waits.blamed_worker[wait]}`);
      }
      for (const part of ["starvation", "latency", "overhead"]) {
        if (waits[part][wait] > 0) lines.push(`${part} ${seconds(waits[part][wait])}`);
      }
    }
    return lines;
  }
}

export default function ({ data, parentElement, setStateValue }) {
  const drawn = parentElement.pwhTimeline
    || (parentElement.pwhTimeline = new Timeline(parentElement));
  drawn.show(data, setStateValue);
}
