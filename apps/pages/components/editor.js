// An editor for SQL: highlights words, completes names of tables, columns and functions.
//
// data: sql, arrival (another text from the page comes with a new one), tables (name to columns)
// and functions. Ctrl+Enter or Run sends query: sql, arrival and the number of the request.
// The text area is the browser's own, transparent above the coloured copy of its text: undo,
// selection, and screen readers work as everywhere.
const STYLE = `
  .top { display: flex; justify-content: space-between; align-items: baseline;
    font: 14px var(--st-font); color: var(--st-text-color); margin-bottom: 4px; }
  .top small { font-size: 13px; opacity: .65; }
  .frame { position: relative; max-height: 60vh; overflow: auto; border-radius: 8px;
    background: var(--st-secondary-background-color); border: 1px solid var(--st-border-color); }
  .frame:focus-within { border-color: var(--st-primary-color); }
  .layers { display: grid; min-height: 150px; }
  pre, textarea { grid-area: 1 / 1; box-sizing: border-box; width: 100%; margin: 0; border: 0;
    padding: 10px 12px; font: 13px/1.5 var(--st-code-font, monospace); tab-size: 2;
    white-space: pre-wrap; overflow-wrap: anywhere; background: none; }
  pre { color: var(--st-text-color); pointer-events: none; }
  textarea { color: transparent; caret-color: var(--st-text-color); outline: none; resize: none;
    overflow: hidden; }
  textarea::selection { color: transparent; background: rgba(47, 134, 201, .35); }
  .keyword { color: light-dark(#8250df, #c4a1ff); font-weight: 600; }
  .string { color: light-dark(#0a6b3d, #7ee2a8); }
  .number { color: light-dark(#a04100, #ffb366); }
  .comment { opacity: .6; font-style: italic; }
  .table { color: light-dark(#0b5cad, #79b8ff); font-weight: 600; }
  .column { color: light-dark(#0b5cad, #79b8ff); }
  .function { color: light-dark(#8a5a00, #e5c07b); }
  ul { position: fixed; z-index: 1000; margin: 0; padding: 4px; list-style: none; display: none;
    max-height: 220px; overflow: auto; min-width: 200px; border-radius: 8px;
    font: 13px var(--st-code-font, monospace); color: var(--st-text-color);
    background: var(--st-background-color); border: 1px solid var(--st-border-color);
    box-shadow: 0 4px 16px rgba(0, 0, 0, .25); }
  li { padding: 3px 8px; border-radius: 5px; cursor: pointer; display: flex; gap: 16px;
    justify-content: space-between; }
  li[aria-selected=true] { background: var(--st-secondary-background-color); }
  li small { opacity: .65; font-family: var(--st-font); }
  .foot { display: flex; gap: 14px; align-items: center; margin-top: 10px; flex-wrap: wrap;
    font: 13px var(--st-font); color: var(--st-text-color); }
  .foot span { opacity: .65; }
  button { font: 14px var(--st-font); padding: 7px 18px; border: 0; border-radius: 8px;
    cursor: pointer; color: white; background: var(--st-primary-color); }
  button:focus-visible { outline: 2px solid var(--st-text-color); }`;

const KEYWORDS = `all and anti any as asc asof between by case cast cross cube current date desc
  describe distinct else end escape except exclude exists explain false filter first following
  from full group grouping having ignore ilike in inner intersect interval into is join last
  lateral left like limit not null nulls offset on or order outer over partition pivot positional
  preceding qualify range recursive replace respect right rollup row rows sample select semi sets
  show similar summarize table then timestamp true try_cast unbounded union unnest unpivot using
  values when where window with within`.split(/\s+/);
const KNOWN = new Set(KEYWORDS);
const FUNCTIONS = `abs any_value approx_quantile arg_max arg_min avg coalesce concat contains corr
  count date_diff date_trunc dense_rank exp first floor format geomean greatest histogram
  isfinite lag last lead least len length list ln log log10 lower max median min mode now nullif
  ntile percent_rank pow quantile_cont quantile_disc rank regexp_extract regexp_matches replace
  round row_number sqrt starts_with stddev_samp string_agg strftime sum trim upper
  var_samp`.split(/\s+/);
const TOKEN = new RegExp([
  "(?<comment>--[^\\n]*|/\\*[\\s\\S]*?(?:\\*/|$))",
  "(?<string>'(?:[^']|'')*(?:'|$)|\\$\\$[\\s\\S]*?(?:\\$\\$|$))",
  "(?<quoted>\"(?:[^\"]|\"\")*(?:\"|$))",
  "(?<number>(?<![\\p{L}_])\\d[\\d_]*(?:\\.\\d*)?(?:[eE][-+]?\\d+)?)",
  "(?<word>[\\p{L}_][\\p{L}\\p{N}_]*)",
  "(?<other>[^\\s])",
].join("|"), "gu");
const MOST = 40;
const LONGEST = 20000; // characters that are coloured and completed
const PLAIN = /^[a-z_][a-z0-9_]*$/;

const unquoted = (text) => (text[0] === '"' ? text.slice(1, -1).replaceAll('""', '"') : text);
const quoted = (name) => (
  PLAIN.test(name) && !KNOWN.has(name) ? name : `"${name.replaceAll('"', '""')}"`
);

function tokens(sql) {
  return Array.from(sql.matchAll(TOKEN), (found) => ({
    kind: Object.keys(found.groups).find((kind) => found.groups[kind] !== undefined),
    text: found[0],
    at: found.index,
  }));
}

const isName = (token) => token !== undefined
  && (token.kind === "quoted" || (token.kind === "word" && !KNOWN.has(token.text.toLowerCase())));

// The tables that a query names, by the names that it has for them.
function named(all, tables) {
  const found = new Map();
  for (const [i, token] of all.entries()) {
    const name = unquoted(token.text).toLowerCase();
    if (!isName(token) || !tables.has(name) || all[i - 1]?.text === ".") continue;
    const before = all[i - 1]?.text.toLowerCase();
    if (!["from", "join", ","].includes(before)) continue;
    found.set(name, name);
    const alias = all[i + 1]?.text.toLowerCase() === "as" ? all[i + 2] : all[i + 1];
    if (isName(alias)) found.set(unquoted(alias.text).toLowerCase(), name);
  }
  return found;
}

// Whether the next word of a query is one of the tables after FROM.
function inTables(before) {
  const last = before.at(-1)?.text.toLowerCase();
  if (["from", "join"].includes(last)) return true;
  if (last !== ",") return false;
  const clause = before.findLast(({ kind, text }) => kind === "word"
    && ["select", "from", "where", "by", "having"].includes(text.toLowerCase()));
  const open = before.findLast(({ text }) => text === "(");
  return clause?.text.toLowerCase() === "from" && (open?.at ?? -1) < clause.at;
}

class Editor {
  constructor(root) {
    make("style", root).textContent = STYLE;
    const top = make("div", root, "top");
    make("label", top).textContent = "SQL";
    make("small", top).textContent = "Tab completes, Ctrl+Space lists";
    this.frame = make("div", root, "frame");
    const layers = make("div", this.frame, "layers");
    this.copy = make("pre", layers);
    this.copy.setAttribute("aria-hidden", "true");
    this.text = make("textarea", layers);
    for (const [name, value] of Object.entries({
      "aria-label": "SQL", "aria-autocomplete": "list", "aria-controls": "completions",
      autocapitalize: "off", autocomplete: "off", spellcheck: "false", wrap: "soft",
    })) this.text.setAttribute(name, value);
    this.list = make("ul", root);
    this.list.id = "completions";
    this.list.setAttribute("role", "listbox");
    this.list.setAttribute("aria-label", "Completions");
    const foot = make("div", root, "foot");
    this.button = make("button", foot);
    this.button.textContent = "Run";
    this.note = make("span", foot);
    this.options = [];
    this.seq = 0;
    this.listen();
  }

  listen() {
    this.text.addEventListener("input", () => { this.draw(); this.complete(false); });
    this.text.addEventListener("blur", () => this.close());
    this.text.addEventListener("click", () => this.close());
    this.frame.addEventListener("scroll", () => this.close());
    window.addEventListener("scroll", () => this.close(), true);
    // A click must not take the focus from the text.
    this.list.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      const item = event.target.closest("li");
      if (item) this.accept(Number(item.dataset.place));
    });
    this.button.addEventListener("click", () => this.run());
    this.text.addEventListener("keydown", (event) => {
      // Streamlit has shortcuts of single letters, and cannot see that this is text.
      event.stopPropagation();
      this.key(event);
    });
  }

  key(event) {
    const held = event.ctrlKey || event.metaKey;
    const does = held
      ? { Enter: () => this.run(), " ": () => this.complete(true) }[event.key]
      : this.options.length && {
        ArrowDown: () => this.choose(this.chosen + 1),
        ArrowUp: () => this.choose(this.chosen - 1),
        Tab: () => this.accept(Math.max(this.chosen, 0)),
        Enter: this.chosen >= 0 && (() => this.accept(this.chosen)),
        Escape: () => this.close(),
      }[event.key];
    if (!does) {
      if (event.key === "Enter" || event.key.startsWith("Arrow")) this.close();
      return;
    }
    event.preventDefault();
    does();
  }

  run() {
    this.close();
    this.seq += 1;
    this.send("query", { sql: this.text.value, arrival: this.data.arrival, seq: this.seq });
  }

  draw() {
    const sql = this.text.value;
    // Thousands of coloured words take the browser longer than a key may.
    const all = sql.length > LONGEST ? [] : tokens(sql);
    const columns = new Set([...named(all, this.tables).values()].flatMap(
      (table) => this.tables.get(table).map((column) => column.toLowerCase())));
    const parts = [];
    let done = 0;
    for (const [i, token] of all.entries()) {
      const name = this.sort(token, all[i + 1], columns);
      if (!name) continue;
      const span = document.createElement("span");
      span.className = name;
      span.textContent = token.text;
      parts.push(sql.slice(done, token.at), span);
      done = token.at + token.text.length;
    }
    // A line that is empty at the end has a height only with something on it.
    this.copy.replaceChildren(...parts, `${sql.slice(done)}\u200b`);
  }

  sort({ kind, text }, next, columns) {
    if (kind !== "word" && kind !== "quoted") return kind === "other" ? "" : kind;
    const name = unquoted(text).toLowerCase();
    if (kind === "word" && KNOWN.has(name)) return "keyword";
    if (columns.has(name)) return "column";
    if (this.tables.has(name)) return "table";
    return next?.text === "(" ? "function" : "";
  }

  // What could follow at the caret; `asked` is by a key, and not while typing.
  complete(asked) {
    if (this.text.value.length > LONGEST) { this.close(); return; }
    const at = this.text.selectionStart, sql = this.text.value;
    const word = /[\p{L}_][\p{L}\p{N}_]*$/u.exec(sql.slice(0, at))?.[0] ?? "";
    const all = tokens(sql);
    const here = all.find(({ at: from, text }) => from < at && at <= from + text.length);
    const isText = here && ["comment", "string", "quoted", "number"].includes(here.kind);
    if (at !== this.text.selectionEnd || isText) { this.close(); return; }
    const before = all.filter(({ at: from }) => from < at - word.length);
    const isMember = before.at(-1)?.text === ".";
    if (!asked && !word && !isMember) { this.close(); return; }
    const options = this.candidates(all, before, isMember)
      .filter(({ name }) => name.toLowerCase().includes(word.toLowerCase()));
    const starts = ({ name }) => !name.toLowerCase().startsWith(word.toLowerCase());
    options.sort((a, b) => starts(a) - starts(b));
    const isWhole = options.some(({ name }) => name.toLowerCase() === word.toLowerCase());
    this.word = word;
    // While typing, Enter is the end of a line unless a completion was chosen.
    this.open(isWhole && options.length === 1 ? [] : options.slice(0, MOST));
  }

  candidates(all, before, isMember) {
    const of_query = named(all, this.tables);
    const columns = (table) => this.tables.get(table).map(
      (name) => ({ name, kind: `column of ${table}` }));
    if (isMember) {
      const table = of_query.get(unquoted(before.at(-2)?.text ?? "").toLowerCase());
      return table === undefined ? [] : columns(table);
    }
    const tables = [...this.tables.keys()].map((name) => ({ name, kind: "table or view" }))
      .sort((a, b) => a.name.length - b.name.length);
    if (inTables(before)) return tables;
    const used = [...new Set(of_query.values())];
    const own = used.flatMap(columns);
    const seen = new Set(own.map(({ name }) => name));
    const others = used.length ? [] : [...this.tables.keys()].flatMap(columns);
    const unique = [...own, ...others.filter(({ name }) => !seen.has(name) && seen.add(name))];
    const functions = [...this.data.functions, ...FUNCTIONS].map(
      (name) => ({ name, kind: "function" }));
    const keywords = KEYWORDS.map((name) => ({ name: name.toUpperCase(), kind: "" }));
    return [...unique, ...keywords, ...functions, ...tables];
  }

  open(options) {
    this.options = options;
    this.list.replaceChildren(...options.map(({ name, kind }, place) => {
      const item = document.createElement("li");
      item.id = `completion-${place}`;
      item.dataset.place = place;
      item.setAttribute("role", "option");
      item.append(name);
      make("small", item).textContent = kind;
      return item;
    }));
    if (!options.length) { this.close(); return; }
    const spot = this.spot(this.text.selectionStart - this.word.length);
    this.list.style.display = "block";
    const size = this.list.getBoundingClientRect();
    const left = Math.max(4, Math.min(spot.left, window.innerWidth - size.width - 8));
    const below = spot.bottom + 2 + size.height <= window.innerHeight;
    const top = below ? spot.bottom + 2 : Math.max(4, spot.top - size.height - 2);
    this.list.style.left = `${left}px`;
    this.list.style.top = `${top}px`;
    this.choose(-1);
  }

  // Where a place of the text is on the screen.
  spot(place) {
    const walker = document.createTreeWalker(this.copy, NodeFilter.SHOW_TEXT);
    let left = place, node = walker.nextNode();
    while (node && left > node.length) { left -= node.length; node = walker.nextNode(); }
    const range = document.createRange();
    range.setStart(node, left);
    range.setEnd(node, Math.min(left + 1, node.length));
    return range.getBoundingClientRect();
  }

  choose(place) {
    const count = this.options.length;
    this.chosen = place < -1 ? count - 1 : place >= count ? 0 : place;
    for (const [i, item] of [...this.list.children].entries()) {
      item.setAttribute("aria-selected", String(i === this.chosen));
      if (i === this.chosen) item.scrollIntoView({ block: "nearest" });
    }
    const active = this.chosen < 0 ? "" : `completion-${this.chosen}`;
    this.text.setAttribute("aria-activedescendant", active);
  }

  accept(place) {
    const { name, kind } = this.options[place];
    const end = this.text.selectionStart;
    this.text.setSelectionRange(end - this.word.length, end);
    this.close();
    // The one way to insert text that Ctrl+Z takes back.
    document.execCommand("insertText", false, kind === "" ? name : quoted(name));
    this.close();
  }

  close() {
    this.options = [];
    this.chosen = -1;
    this.list.style.display = "none";
  }

  show(data, send) {
    this.send = send;
    const isOther = this.data?.arrival !== data.arrival;
    this.data = data;
    this.tables = new Map(Object.entries(data.tables));
    this.note.textContent = data.note;
    if (isOther) this.text.value = data.sql;
    this.draw();
  }
}

export default function ({ data, parentElement, setStateValue }) {
  const editor = parentElement.pwhEditor
    || (parentElement.pwhEditor = new Editor(parentElement));
  editor.show(data, setStateValue);
}
