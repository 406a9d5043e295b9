"""What is typed into any form by POST is kept when the session has ended: by the site's script or its own."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

TEMPLATES = Path(__file__).parents[2] / "templates"
SCRIPT = Path(__file__).parents[1] / "static" / "pages" / "typed.js"
# The form of a template may be left to a draft of its own; each is named here with the reason.
OWN = {
    "admin/flows/designer/pdl.html": "the text is kept in the browser until it is published",
    "monitor/recovery/repair.html": "the values and the reason are kept as a draft of the case",
    "monitor/tasks/task.html": "the values are kept as a draft of the task",
    "site/account_menu.html": "logging out, which removes what is kept",
}
MARKS = {"data-draft", "data-own-draft", "data-log-out"}
# Pages without the script, which have no form by POST.
WITHOUT = {"monitor/offline/app.html": "the device keeps what is typed, encrypted"}


def text_of(name: str) -> str:
    return (TEMPLATES / name).read_text(encoding="utf-8")


def names() -> list[str]:
    return sorted(str(path.relative_to(TEMPLATES)) for path in TEMPLATES.rglob("*.html"))


def forms(name: str) -> list[str]:
    """Return the tags of the forms by POST of a template, which may have tags of the template in them."""
    found = []
    for begin in re.finditer(r"<form\b", text_of(name)):
        rest = text_of(name)[begin.start() :]
        tag = re.sub(r"\{[%{].*?[%}]\}", lambda one: one[0].replace(">", " "), rest[:2000], flags=re.DOTALL)
        found.append(tag[: tag.index(">") + 1])
    return [tag for tag in found if re.search(r'method="post"', tag, re.IGNORECASE)]


def test_the_walk_finds_the_forms() -> None:
    assert sum(len(forms(name)) for name in names()) > 90
    assert forms("admin/flows/designer/pdl.html") and len(forms("monitor/approvals/about.html")) == 4


def test_each_form_is_kept_by_the_script_or_named_with_its_reason() -> None:
    marked = {name for name in names() if any(mark in tag for tag in forms(name) for mark in MARKS)}
    assert marked == OWN.keys()


def test_the_script_leaves_out_the_named_forms_only() -> None:
    (selector,) = re.findall(
        r'^const FORMS = "form\[method=post i\]:not\((.*)\)";$', SCRIPT.read_text(), re.M
    )
    assert set(re.findall(r"\[([\w-]+)\]", selector)) == MARKS
    assert re.sub(r"\[[\w-]+\]|, ", "", selector) == ""


@pytest.mark.parametrize("name", [name for name in names() if "<html" in text_of(name)])
def test_each_page_has_the_script_and_its_note(name: str) -> None:
    page = text_of(name)
    if name in WITHOUT:
        assert forms(name) == []
        return
    assert re.search(r"pages/(frame|account)\.js", page)
    assert '{% include "pages/typed.html" %}' in page
    assert "data-user" in page + text_of("site/header.html")


def test_the_pages_of_the_admin_have_the_script_and_its_note() -> None:
    page = text_of("admin/base_site.html")
    assert "pages/frame.js" in page and '{% include "pages/typed.html" %}' in page
