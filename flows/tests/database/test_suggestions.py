"""The error for an unknown name suggests the nearest known one, if one is near."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import psycopg
import pytest

DESIGN = """
insert into wed_attr (aname) values ('customer'), ('total');
insert into wed_trig (trname, cpred) values ('tr_pay', 'total is null');
insert into wed_trig (cpred, cfinal) values ($$total = 'paid'$$, true);
"""


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("custommer", "Did you mean customer? Attributes: customer, total."),
        ("quite_another", "Attributes: customer, total."),
        ("", "Attributes: customer, total."),
    ],
)
def test_a_wrong_attribute_at_the_start(
    name: str, hint: str, loaded: Callable[[str], str], connect: Callable[..., psycopg.Connection[Any]]
) -> None:
    flow = loaded(DESIGN)
    with pytest.raises(psycopg.Error) as refused:
        connect().execute("select wedsql.start(%s, %s)", [flow, json.dumps({name: "x"})])
    assert refused.value.sqlstate == "WD002"
    assert refused.value.diag.message_hint == hint
