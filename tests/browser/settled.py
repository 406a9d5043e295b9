"""When a page is complete: its module has started, its parts are loaded, its conditions are checked."""

from __future__ import annotations

from selenium import webdriver

# The text area of a condition is checked when it comes near the window.
SETTLED = """
const done = arguments[0], { module } = document.body.dataset;
const area = 'textarea.wed-predicate[data-editor=waiting]';
let scrolled = false;
const complete = () => {
  const plain = document.querySelector(area);
  if (plain) { plain.scrollIntoView({ block: 'center' }); scrolled = true; }
  return !plain && !document.querySelector('[data-running], [aria-busy=true]');
};
const look = () => {
  if (!complete()) { requestAnimationFrame(look); return; }
  if (scrolled) scrollTo(0, 0);
  requestAnimationFrame(() => setTimeout(done));
};
(module ? import(module) : Promise.resolve()).then(look)"""


def settle(browser: webdriver.Chrome) -> None:
    """Return once the page that is open is complete."""
    browser.execute_async_script(SETTLED)
