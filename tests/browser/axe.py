"""The rules of axe-core, at the sizes and in the themes in which a page can break them.

Themes differ in colours only (`moved_by_theme` finds anything else), and of the rules of axe-core 4.14.1 two
read colours: those of COLOURS. In the second theme they suffice. A size changes what is hidden, and nearly
every rule leaves out what is hidden; so all of them are applied at each size.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from selenium import webdriver

Browser = webdriver.Chrome

AXE = (Path(__file__).parents[1] / "vendor" / "axe-core-4.14.1" / "axe.min.js").read_text()
LAW = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa")
ALL = (*LAW, "best-practice")
COLOURS = ("color-contrast", "link-in-text-block")
THEMES = ("dark", "light")

# Only violations are read, so that axe need not describe each element that follows a rule.
RUN = """
const [type, values, done] = arguments;
const said = rule => rule.nodes.slice(0, 3)
  .map(node => `${rule.id}: ${node.target.join(' ')} ${node.html.slice(0, 160)}`);
const rules = type === 'tag' ? { 'target-size': { enabled: true } } : {};
axe.run(document, { runOnly: { type, values }, rules, resultTypes: ['violations'] })
  .then(({ violations }) => done(violations.flatMap(said)))"""
WIDE = """
const { scrollWidth, clientWidth } = document.documentElement;
return scrollWidth <= clientWidth ? [] : [...document.querySelectorAll('body *')]
  .filter(e => e.getBoundingClientRect().right > clientWidth + 1)
  .map(e => e.outerHTML.slice(0, 160)).slice(0, 4)"""
# Elements that are shown although they are hidden: a rule for their class wins over the attribute.
SHOWN_THOUGH_HIDDEN = """
return [...document.querySelectorAll('body [hidden]:not([hidden="until-found"])')]
  .filter(e => e.checkVisibility({ visibilityProperty: true }))
  .map(e => `shown though hidden: ${e.outerHTML.slice(0, 160)}`).slice(0, 4)"""
# Shows a theme. A colour that changes gradually, as in Django's admin, has its last value at once.
CHOOSE = """
const choose = theme => {
  document.documentElement.dataset.theme = theme;
  for (const each of document.getAnimations()) if (each instanceof CSSTransition) each.finish();
};"""
# The elements that have another box, or are shown otherwise, in the second theme.
MOVED = """
const all = [...document.querySelectorAll('body, body *')];
const boxes = theme => {
  choose(theme);
  return all.map(e => {
    const { left, top, width, height } = e.getBoundingClientRect();
    const { visibility, opacity, fontWeight, textDecorationLine } = getComputedStyle(e);
    return [left, top, width, height, visibility, opacity, fontWeight, textDecorationLine].join();
  });
};
const [first, second] = arguments[0].map(boxes);
return all.filter((e, n) => first[n] !== second[n]).slice(0, 4)
  .map(e => `moved: ${e.outerHTML.slice(0, 160)}`)"""


@pytest.fixture
def axe(browser: Browser) -> Iterator[None]:
    """Every page that is opened from now on has axe, which is sent to the browser once."""
    added = browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": AXE})
    yield
    browser.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", added)


def choose(browser: Browser, theme: str) -> None:
    """Show the page that is open in a theme, as the theme's button does."""
    browser.execute_script(f"{CHOOSE} choose(arguments[0])", theme)


def moved_by_theme(browser: Browser, themes: Sequence[str] = THEMES) -> list[str]:
    """Return what differs between two themes in more than colours; the second one is shown then."""
    return list(browser.execute_script(CHOOSE + MOVED, [*themes]))


def against_the_rules(browser: Browser, tags: tuple[str, ...] = ALL) -> list[str]:
    """Return what axe finds on the page that is open."""
    return _violations(browser, "tag", tags)


def against_the_rules_of_colours(browser: Browser) -> list[str]:
    """Return what axe finds that depends on colours."""
    return _violations(browser, "rule", COLOURS)


def _violations(browser: Browser, kind: str, values: tuple[str, ...]) -> list[str]:
    if not browser.execute_script("return 'axe' in window"):
        browser.execute_script(AXE)
    return list(browser.execute_async_script(RUN, kind, values))
