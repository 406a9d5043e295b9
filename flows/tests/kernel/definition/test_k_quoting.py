"""No text of a definition ends the generated source that it stands in, whatever quotes it has."""

from __future__ import annotations

import pytest

from flows import api
from flows.tests.kit import Kit

pytestmark = pytest.mark.kernel
# The dollar quotes of the kernel's own sources, and PostgreSQL's.
TAGS = ["$$", "$f$", "$g$", "$t$", "$q$", "$b$", "$m$", "$x$", "$_$", "$function$"]


@pytest.mark.parametrize("tag", TAGS)
def test_k34_every_text_of_a_definition_is_a_value(kit: Kit, tag: str) -> None:
    text = f"x{tag} language sql; create table wedsql.made_by_a_text(); --' {{flow:I}} %s %1$I \\ "
    condition = text.replace("'", "''").replace("\\", "")
    api.flows.publish(
        kit.name,
        {
            "attributes": [
                {"name": "a", "default": text, "label": text},
                {"name": "e", "type": "enum", "options": ["ok", text[:60]], "default": "ok"},
                {"name": "j", "type": "jsonb", "default": f'{{"k": "{tag}"}}'},
            ],
            "triggers": [
                {
                    "name": text,
                    "condition": text,
                    "label": text,
                    "transition": "tr_one",
                    "predicate": f"a = '{condition}' or e = 'ok'",
                },
                {"predicate": "e <> 'ok'", "final": True},
            ],
        },
        conn=kit.conn,
    )
    wid = kit.start()
    assert kit.state(wid)["a"] == text
    kit.run("tr_one", wid, a=text + "2")
    assert kit.state(wid)["a"] == text + "2"
    assert kit.one("select to_regclass('wedsql.made_by_a_text')") is None
