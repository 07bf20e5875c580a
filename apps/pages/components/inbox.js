// The keys of a list of events, and which of them the browser had seen before this visit.
//
// data: cookie, its name; newest: the largest number of an event. The cookie is what Python reads when
// a visit begins: BEFORE.SEEN.TIME, the newest event of the last visit, that of this one, and when this
// one was last looked at. A visit ends after half an hour. Events are containers with the key event_N.
const VISIT = 30 * 60 * 1000;

function remember({ cookie, newest }) {
  const [, text] = document.cookie.match(new RegExp(`(?:^|; )${cookie}=([^;]*)`)) || [];
  const now = Date.now();
  let [before, seen, at] = text ? text.split(".").map(Number) : [0, 0, now];
  if (now - at > VISIT) before = seen;
  const value = `${before}.${Math.max(seen, newest)}.${now}`;
  document.cookie = `${cookie}=${value}; path=/; max-age=31536000; samesite=strict`;
}

const cards = () => [...document.querySelectorAll("[class*='st-key-event_']")];

function go(card) {
  card.tabIndex = -1;
  card.focus();
}

function press(event) {
  const typing = event.target.closest("input, textarea, [contenteditable], [role=dialog]");
  if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
  const all = cards();
  const at = all.findIndex((card) => card.contains(document.activeElement));
  const does = {
    j: () => go(all[Math.min(at + 1, all.length - 1)]),
    k: () => go(all[Math.max(at - 1, 0)]),
    Enter: () => all[at].querySelector("a").click(),
    e: () => all[at].querySelector("[data-testid=stPopoverButton], [data-testid=stPopover] button").click(),
  }[event.key];
  if (!does || !all.length) return;
  const own = event.key === "Enter" && document.activeElement !== all[at];
  if (own || (at < 0 && "Enter e".includes(event.key))) return;
  event.preventDefault();
  does();
}

export default function ({ data }) {
  if (document.visibilityState === "visible") remember(data);
  if (window.pwhInbox) return;
  window.pwhInbox = true;
  document.addEventListener("keydown", press);
}
