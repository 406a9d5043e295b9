"""Dates and times in Django's own pages."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from django.utils import formats, translation


@pytest.mark.parametrize("language", ["en", "pt-br"])
def test_times_of_the_admin_have_the_form_of_all_pages(language: str) -> None:
    with translation.override(language):
        at = datetime(2026, 11, 23, 15, 1, tzinfo=UTC)
        assert formats.date_format(at, "DATETIME_FORMAT") == "2026-11-23 15:01"
