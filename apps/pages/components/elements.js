// What all components make their elements with; it stands before each of them.

// The page's own style of what has the focus does not reach into components.
const FOCUS = ":focus-visible { outline: 2px solid currentColor; outline-offset: -2px; }";

function make(kind, parent, name) {
  const made = document.createElement(kind);
  if (name) made.className = name;
  parent.appendChild(made);
  return made;
}

// As short_name in apps/output: names differ at their ends.
function shortened(name, room) {
  if (name.length <= room) return name;
  if (room < 8) return `${name.slice(0, Math.max(1, room - 1))}…`;
  const start = Math.floor((room - 1) / 3);
  return `${name.slice(0, start)}…${name.slice(start + 1 - room)}`;
}

