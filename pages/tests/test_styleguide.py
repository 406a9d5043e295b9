"""The style page shows every component, and only in development."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

STYLES = Path(__file__).resolve().parents[1] / "static" / "pages"
# Visible only with the keyboard focus.
ELSEWHERE = {"skip"}


def classes_with_style() -> set[str]:
    """Return each class that a style of the pages names, outside of comments and values."""
    css = "".join(path.read_text() for path in STYLES.glob("*.css"))
    selectors = re.sub(r"/\*.*?\*/|\{[^{}]*\}", " ", css, flags=re.DOTALL)
    return set(re.findall(r"\.([a-zA-Z][\w-]*)", selectors))


@pytest.fixture
def shown(settings: Any, client: Client) -> str:
    settings.STYLEGUIDE = True
    return client.get("/styleguide/").content.decode()


@pytest.mark.django_db
def test_every_class_with_a_style_has_its_sample_in_both_themes(shown: str) -> None:
    _, light, dark = shown.split('<section class="sheet"')
    for theme, sheet in {"light": light, "dark": dark}.items():
        used = {name for found in re.findall(r'class="([^"]*)"', sheet) for name in found.split()}
        assert classes_with_style() - used - ELSEWHERE - {"sheet"} == set(), theme


@pytest.mark.django_db
def test_the_page_is_there_only_where_it_is_switched_on(client: Client, settings: Any) -> None:
    assert settings.STYLEGUIDE is False
    assert client.get("/styleguide/").status_code == 404
