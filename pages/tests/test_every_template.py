"""Every template can be compiled: one that only an error shows is not met by the walks over pages."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.conf import settings
from django.template import TemplateSyntaxError
from django.template.engine import Engine
from django.template.loader import get_template

TOP = Path(settings.BASE_DIR) / "templates"


@pytest.mark.parametrize("folder", sorted(each.name for each in TOP.iterdir()))
def test_every_template_can_be_compiled(folder: str) -> None:
    top = TOP / folder
    found = [top] if top.is_file() else sorted(top.rglob("*.html"))
    for path in found:
        get_template(str(path.relative_to(TOP)))


def test_a_tag_whose_library_is_not_loaded_is_found() -> None:
    with pytest.raises(TemplateSyntaxError):
        Engine.get_default().from_string("{% crumbs 'x' %}{% endcrumbs %}")
