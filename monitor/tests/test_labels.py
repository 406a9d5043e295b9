"""Each kind of trouble that the reaper notes has a title on the page Health."""

from __future__ import annotations

import re

from django.conf import settings

from monitor.labels import TROUBLE


def test_each_kind_of_trouble_has_a_title() -> None:
    places = (settings.BASE_DIR / "flows" / each for each in ("sql", "capabilities"))
    sources = (source for place in places for source in place.rglob("*.sql"))
    noted = {
        kind
        for source in sources
        for kind in re.findall(r"_(?:may_try|note_trouble)\([^,]+, '(\w+)'", source.read_text())
    }
    assert len(noted) > 10 and noted <= {*TROUBLE}
