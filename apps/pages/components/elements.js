// What all components make their elements with; it stands before each of them.

function make(kind, parent, name) {
  const made = document.createElement(kind);
  if (name) made.className = name;
  parent.appendChild(made);
  return made;
}

