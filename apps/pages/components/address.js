// The browser's history: one entry for each view that a person has chosen.
//
// Streamlit makes an entry each time a page writes its address. The first write after arriving on
// a page only completes the address, so it replaces the entry; later ones follow a click or a key.
// Links in tables would open a new window: those into the app open in place, unless a key is held.
// A login comes back to the bare address: the one that somebody came with is kept over it.
const WANTED = "pwhWanted";

export default function ({data}) {
  if (data.isLogin) {
    sessionStorage.setItem(WANTED, window.location.pathname + window.location.search);
    return;
  }
  if (window.pwhAddress) return;
  window.pwhAddress = true;
  let touched = false;
  let held = false;
  const touch = (event) => {
    touched = true;
    held = event.ctrlKey || event.metaKey || event.shiftKey;
  };
  for (const kind of ["pointerdown", "keydown"]) document.addEventListener(kind, touch, true);
  document.addEventListener("keydown", (event) => {
    const box = document.querySelector('input[aria-label^="Find ("]');
    if (!box || event.key !== "k" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    box.focus();
  });
  window.addEventListener("popstate", () => { touched = false; }, true);

  const push = window.history.pushState.bind(window.history);
  window.history.pushState = (state, title, url) => {
    const target = new URL(url, window.location.href);
    if (target.pathname !== window.location.pathname) {
      touched = false;
      push(state, title, url);
    } else if (touched) {
      push(state, title, url);
    } else {
      window.history.replaceState(state, title, url);
    }
  };

  const open = window.open.bind(window);
  window.open = (url, ...rest) => {
    const target = new URL(url, document.baseURI);
    if (held || target.origin !== window.location.origin) return open(url, ...rest);
    goTo(target.href);
    return null;
  };

  const goTo = (url) => {
    push({}, "", url);
    window.dispatchEvent(new PopStateEvent("popstate"));
  };
  const wanted = sessionStorage.getItem(WANTED);
  sessionStorage.removeItem(WANTED);
  if (wanted) goTo(wanted);
}
