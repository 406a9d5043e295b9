"""The walk over a page with the Tab key: each element that gets the focus is marked and not covered."""

from __future__ import annotations

from contextlib import suppress

from selenium import webdriver
from selenium.common.exceptions import TimeoutException
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement

from tests.browser.conftest import wait_in

FORWARD, BACK = 50, 10
MOMENT = 5  # seconds; an editor marks its focus later than the browser, by a timer
# The page records at the release of each Tab key what is wrong with the element that has the focus then: no
# ring, or all of it behind something else. One ring is enough: the parts of a date have marks of their own.
RECORD = """
const page = [null, document.documentElement, document.body];
const outlined = at => getComputedStyle(at).outlineStyle !== 'none'
  && parseFloat(getComputedStyle(at).outlineWidth) >= 2;
const within = (at, steps) => at && steps && (outlined(at) || within(at.parentElement, steps - 1));
const marked = e => {
  const box = e.querySelector('.node > .box');
  return box && parseFloat(getComputedStyle(box).strokeWidth) >= 3 || Boolean(within(e, 4));
};
const free = e => {
  const { left, right, top, bottom } = e.getBoundingClientRect(), seen = [];
  const x0 = Math.max(left, 0), x1 = Math.min(right, innerWidth);
  const y0 = Math.max(top, 0), y1 = Math.min(bottom, innerHeight);
  for (const x of [.1, .5, .9]) for (const y of [.15, .5, .85])
    seen.push(document.elementFromPoint(x0 + (x1 - x0) * x, y0 + (y1 - y0) * y));
  return seen.some(at => !page.includes(at) && (e.contains(at) || at.contains(e)));
};
const walked = new Map();
const look = () => {
  const e = document.activeElement;
  if (e === document.body || e.closest('#main') === e) return;
  const was = walked.get(e) ?? { marked: false, covered: false };
  walked.set(e, { marked: was.marked || marked(e), covered: was.covered || !free(e) });
};
addEventListener('keyup', ({ key }) => { if (key === 'Tab') look(); }, true);
window.walk = {
  elements: () => [...walked.keys()].map(e => e.outerHTML.slice(0, 200)),
  unmarked: () => [...walked.keys()].filter(e => !walked.get(e).marked),
  marks: e => { if (document.activeElement === e) look(); return walked.get(e).marked; },
  wrong: () => [...walked].filter(([, { marked, covered }]) => !marked || covered).map(
    ([e, { marked, covered }]) =>
      `${marked ? '' : 'no ring '}${covered ? 'covered ' : ''}${e.outerHTML.slice(0, 200)}`),
};"""


def wrong_with_focus(browser: webdriver.Chrome) -> list[str]:
    """Walk over the page that is open and return what is wrong with elements that had the focus."""
    walk(browser)
    for element in browser.execute_script("return walk.unmarked()"):
        _return_to(browser, element)
    return list(browser.execute_script("return walk.wrong()"))


def walk(browser: webdriver.Chrome) -> None:
    """Press Tab again and again, then Tab with Shift, and let the page record what it sees."""
    browser.execute_script(RECORD)
    keys = ActionChains(browser).send_keys(Keys.TAB * FORWARD)
    keys.key_down(Keys.SHIFT).send_keys(Keys.TAB * BACK).key_up(Keys.SHIFT).perform()


def _return_to(browser: webdriver.Chrome, element: WebElement) -> None:
    """Leave the element and come back to it, by keys, until it is marked or some time has passed."""
    browser.execute_script("arguments[0].focus()", element)
    keys = ActionChains(browser).key_down(Keys.SHIFT).send_keys(Keys.TAB).key_up(Keys.SHIFT)
    keys.send_keys(Keys.TAB).perform()
    with suppress(TimeoutException):
        wait_in(browser, lambda page: page.execute_script("return walk.marks(arguments[0])", element), MOMENT)
