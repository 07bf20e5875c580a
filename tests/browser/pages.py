"""What all tests in a browser do with a page: open it, wait for it, take its picture."""

from __future__ import annotations

PATIENCE = 240_000  # ms, on a machine that is busy
OFTEN = 100  # ms; by default each frame is drawn to look again
SETTLED = """() => document.querySelector('[data-test-script-state=notRunning]')
  && !document.querySelector('[data-testid=stSkeleton]')
  && document.querySelector('h1')"""
CALM = """() => new Promise(resolve => {
  let last = setTimeout(resolve, 300);
  new MutationObserver(() => { clearTimeout(last); last = setTimeout(resolve, 300); })
    .observe(document, {subtree: true, childList: true, attributes: true, characterData: true});
})"""


IS_DARK = """() => getComputedStyle(document.querySelector('.stApp')).backgroundColor
  .match(/\\d+/g).slice(0, 3).reduce((sum, part) => sum + Number(part), 0) < 3 * 128"""


def new_tab(browser, **options):
    """Return a tab that shares nothing with others, and waits as long as a busy machine takes."""
    tab = browser.new_page(**options)
    tab.set_default_timeout(PATIENCE)
    return tab


def settle(tab):
    """Wait until the page has been computed, drawn, and left alone for some frames."""
    tab.wait_for_function(SETTLED, polling=OFTEN)
    tab.evaluate(CALM)
    # What was drawn first may have been the last answer, before the script ran again.
    tab.wait_for_function(SETTLED, polling=OFTEN)


def show_in(tab, theme):
    """Show a page in the light or dark theme, as where the system of its user changes it."""
    tab.emulate_media(color_scheme=theme)
    tab.wait_for_function(f"want => ({IS_DARK})() === want", arg=theme == "dark")
    settle(tab)


def visit(tab, served, where):
    """Open a page."""
    tab.goto(f"{served[1]}/{where}")
    settle(tab)


def appears(tab, text, *, exact=False):
    """Wait until a text is there; return it."""
    found = tab.get_by_text(text, exact=exact).first
    found.wait_for()
    return found


def opened(button, content):
    """Press a button that opens what overlays the page, until some content of it is there.

    Streamlit closes a popover again that it took more than 50 ms to draw, where the press was on
    the part of the button that it drew anew.
    """
    enabled(button)
    for _ in range(PATIENCE // 500):
        if button.get_attribute("aria-expanded") != "true":
            button.click()
        button.page.wait_for_timeout(500)
        if content.is_visible():
            return
    content.wait_for()


def enabled(button):
    """Wait until a button can be clicked."""
    from playwright.sync_api import expect

    expect(button).to_be_enabled(timeout=PATIENCE)


def has(field, value):
    """Wait until a field has a value."""
    from playwright.sync_api import expect

    expect(field).to_have_value(value, timeout=PATIENCE)


def keep(tab, folder, name):
    """Take a picture of the whole page, where there is a folder for it."""
    if folder is None:
        return
    height = tab.evaluate("document.querySelector('[data-testid=stMain]').scrollHeight")
    size = tab.viewport_size
    tab.set_viewport_size({"width": size["width"], "height": max(900, min(height + 20, 5000))})
    tab.evaluate(CALM)
    tab.screenshot(path=folder / name)
    tab.set_viewport_size(size)
