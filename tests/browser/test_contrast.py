"""Text is readable on the pages as the browser draws them (WCAG 2.2, 1.4.3), in both themes."""

from __future__ import annotations

from tests.browser.pages import appears, new_tab, show_in, visit

PAGES = (
    "inbox",
    "overview",
    "run",
    "trends?app=stencil&why=stencil-1.23",
    "idle",
    "ingest",
    "boards",
)
# Contrast of each visible text with what is behind it; charts' own text with the page. Texts on
# marks have colours for these (tests/apps/output/test_colours.py); disabled widgets and icons are
# left out.
UNREADABLE = """() => {
  const pen = Object.assign(document.createElement("canvas"), {width: 1, height: 1})
    .getContext("2d", {willReadFrequently: true});
  const read = (colour) => {
    pen.clearRect(0, 0, 1, 1);
    pen.fillStyle = colour;
    pen.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = pen.getImageData(0, 0, 1, 1).data;
    return [[r, g, b], a / 255];
  };
  const over = ([front, alpha], back) => front.map((one, i) => alpha * one + (1 - alpha) * back[i]);
  const light = (rgb) => rgb.map((one) => one / 255)
    .map((one) => (one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4))
    .reduce((sum, one, i) => sum + one * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = (element) => {
    const layers = [];
    for (let up = element; up; up = up.parentElement) {
      layers.push(read(getComputedStyle(up).backgroundColor));
    }
    return layers.reverse().reduce((back, layer) => over(layer, back), [255, 255, 255]);
  };
  const found = [];
  const walk = document.createTreeWalker(document.querySelector(".stApp"), NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const element = walk.currentNode.parentElement;
    const style = getComputedStyle(element);
    const box = element.getBoundingClientRect();
    const text = walk.currentNode.textContent.trim();
    const drawn = element.closest("svg");
    if (!text || box.width < 2 || box.height < 2 || style.visibility === "hidden") continue;
    if (element.closest(":disabled, [aria-disabled=true], [aria-hidden=true], style")) continue;
    const own_text = "[class*=role-axis], [class*=role-legend], [class*=role-title]";
    if (drawn && !element.closest(own_text)) continue;
    let alpha = 1;
    for (let up = element; up; up = up.parentElement) alpha *= Number(getComputedStyle(up).opacity);
    if (alpha < 0.1) continue;
    const back = behind(element);
    const [colour, own] = read(drawn ? style.fill : style.color);
    const pair = [light(over([colour, own * alpha], back)), light(back)].sort((a, b) => b - a);
    const size = parseFloat(style.fontSize);
    const isLarge = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    const ratio = (pair[0] + 0.05) / (pair[1] + 0.05);
    if (ratio < (isLarge ? 3 : 4.5)) found.push(`${text.slice(0, 40)}: ${ratio.toFixed(2)}`);
  }
  return found;
}"""


def test_every_text_of_a_page_is_readable_also_after_the_theme_has_changed(tab, served):
    unreadable = {}
    for page in PAGES:
        visit(tab, served, page)
        if page == "inbox":
            appears(tab, "SQL behind this page").click()
        for theme in ("light", "dark"):
            show_in(tab, theme)
            if found := tab.evaluate(UNREADABLE):
                unreadable[page, theme] = sorted(set(found))
    assert not unreadable


def test_the_sidebar_is_folded_below_900_px_and_the_page_is_one_column(chromium, served):
    # A tab of its own: its sidebar stays folded.
    with new_tab(chromium, viewport={"width": 860, "height": 900}) as tab:
        visit(tab, served, "idle")
        assert tab.locator("[data-testid=stSidebar][data-collapsed=true]").count() == 1
        columns = tab.get_by_test_id("stColumn")
        places = columns.evaluate_all("all => all.map(one => one.getBoundingClientRect().x)")
    assert len(set(places)) == 1
