// The charts of the page as pictures to keep: each with its title, units and the names of its runs; and
// its query, on the page SQL.
//
// data: names, of what the page shows; queries, the SQL behind pictures by the beginnings of their titles. Charts state their title and names themselves; what is drawn on
// a canvas (window.pwhCanvases, as its aria-label says) gets them here, and its pwhLegend: names, fills.
// Names come from traces: they are only ever text.
const STYLE = `${FOCUS}
  .row { display: flex; gap: 8px; align-items: center; font: 13px var(--st-font); margin: 4px 0;
    color: var(--st-text-color); }
  .row span { flex: 1; }
  .row button { font: inherit; padding: 3px 10px; color: inherit; cursor: pointer;
    background: var(--st-secondary-background-color); border: 1px solid var(--st-border-color);
    border-radius: 6px; }`;
const SPACE = "http://www.w3.org/2000/svg";
const LINE = 20; // px
const FONT = "sans-serif";

function page() {
  const style = getComputedStyle(document.querySelector(".stApp"));
  return { ground: style.backgroundColor, ink: style.color };
}

function add(parent, kind, attributes, text) {
  const made = document.createElementNS(SPACE, kind);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  if (text) made.textContent = text;
  parent.append(made);
  return made;
}

function ofChart(svg) {
  const copy = svg.cloneNode(true);
  const { width, height } = svg.getBoundingClientRect();
  copy.setAttribute("xmlns", SPACE);
  copy.setAttribute("width", width);
  copy.setAttribute("height", height);
  copy.prepend(add(copy, "rect", { width: "100%", height: "100%", fill: page().ground }));
  return copy;
}

function drawn(keys, width, ink) {
  const canvas = document.createElement("canvas");
  canvas.width = width;
  canvas.height = LINE;
  const pen = canvas.getContext("2d");
  pen.font = `12px ${FONT}`;
  let x = 4;
  for (const [name, fill] of keys) {
    pen.fillStyle = fill;
    pen.fillRect(x, 4, 12, 12);
    pen.fillStyle = ink;
    pen.fillText(name, x + 17, 14);
    x += 31 + pen.measureText(name).width;
  }
  return canvas.toDataURL();
}

function ofCanvas(canvas, names) {
  const { width, height } = canvas.getBoundingClientRect();
  const { ground, ink } = page();
  const keys = canvas.pwhLegend || [];
  const head = (keys.length ? 3 : 2) * LINE + 4;
  const svg = document.createElementNS(SPACE, "svg");
  for (const [name, value] of [["xmlns", SPACE], ["width", width], ["height", height + head]]) {
    svg.setAttribute(name, value);
  }
  add(svg, "rect", { width: "100%", height: "100%", fill: ground });
  const text = { x: 4, fill: ink, "font-family": FONT };
  add(svg, "text", { ...text, y: 16, "font-size": 13 }, canvas.getAttribute("aria-label"));
  add(svg, "text", { ...text, y: 34, "font-size": 12 }, names);
  if (keys.length) {
    add(svg, "image", { y: 2 * LINE, width, height: LINE, href: drawn(keys, width, ink) });
  }
  add(svg, "image", { y: head, width, height, href: canvas.toDataURL() });
  return svg;
}

const address = (svg) =>
  `data:image/svg+xml;charset=utf-8,${encodeURIComponent(new XMLSerializer().serializeToString(svg))}`;

function save(href, title, kind) {
  const link = document.createElement("a");
  link.href = href;
  link.download = `${title.replace(/[^\w.-]+/g, "_").slice(0, 80)}.${kind}`;
  link.click();
}

async function png(svg) {
  const image = new Image();
  image.src = address(svg);
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = 2 * image.width;
  canvas.height = 2 * image.height;
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  return canvas.toDataURL();
}

export default function ({ data, parentElement }) {
  parentElement.replaceChildren();
  make("style", parentElement).textContent = STYLE;
  const charts = document.querySelectorAll("[data-testid=stVegaLiteChart], [data-testid=stGraphVizChart]");
  const found = [...charts].flatMap((one) => {
    const svg = one.querySelector("svg.marks, svg[viewBox][width]");
    const label = one.closest("[aria-label]") || one.querySelector("[aria-label]");
    const title = svg?.querySelector(".role-title-text text, g.graph > text")?.textContent;
    return svg ? [[title || label?.getAttribute("aria-label") || "chart", () => ofChart(svg)]] : [];
  });
  for (const canvas of window.pwhCanvases || []) {
    if (!canvas.isConnected) continue;
    found.push([canvas.getAttribute("aria-label"), () => ofCanvas(canvas, data.names)]);
  }
  if (!found.length) make("div", parentElement, "row").textContent = "This page has no charts.";
  for (const [title, draw] of found) {
    const row = make("div", parentElement, "row");
    make("span", row).textContent = title;
    const offer = (kind, does) => {
      const button = make("button", row);
      button.textContent = kind.toUpperCase();
      button.setAttribute("aria-label", `${title} as ${kind.toUpperCase()}`);
      button.addEventListener("click", does);
    };
    offer("png", async () => save(await png(draw()), title, "png"));
    offer("svg", () => save(address(draw()), title, "svg"));
    const [, query] = Object.entries(data.queries).find(([of]) => title.startsWith(of)) || [];
    if (query) offer("sql", () => window.open(`sql?sql=${encodeURIComponent(query)}`));
  }
}
