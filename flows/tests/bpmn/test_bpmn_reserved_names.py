"""Variables whose names no condition can have: order, user, status, and other words of SQL and the kernel."""

from __future__ import annotations

import re

import pytest
from django.db import DatabaseError, connection, transaction

from flows import api
from flows.languages.bpmn import compile_process, read
from flows.languages.bpmn.names import usable
from flows.loading.bpmn import prepare_bpmn
from flows.tests.bpmn.files.bpmn_files import file, flows, node

OF_THE_KERNEL = {"wid", "status", "seq", "flow_id", "tokens"}
SYSTEM = {"ctid", "xmin", "xmax", "cmin", "cmax", "tableoid"}


def is_usable(name: str) -> bool:
    """Return whether the kernel accepts an attribute of this name, and conditions with it."""
    conditions = (f"{name} is null", f"{name} = 'a' and {name} <> 'b'")
    if any(api.conditions.check({name: "text"}, each)[0] is not None for each in conditions):
        return False
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("select wedsql.check_name(%s, 'attribute')", [name])
    except DatabaseError:
        return False
    return True


@pytest.mark.django_db
def test_the_names_that_are_changed_are_those_that_the_kernel_does_not_accept() -> None:
    with connection.cursor() as cursor:
        cursor.execute("select word from pg_get_keywords()")
        words = {word for (word,) in cursor.fetchall() if re.fullmatch("[a-z][a-z0-9_]*", word)}
    words |= OF_THE_KERNEL | {
        "id",
        "error",
        "state",
        "new",
        "old",
        "ctid",
        "xmin",
        "xmax",
        "cmin",
        "cmax",
        "tableoid",
    }
    changed = {word for word in words if usable(word) != word} - {"tokens"}
    assert {word for word in words - {"tokens"} if not is_usable(word)} <= changed
    assert len(changed) > 80 and all(is_usable(usable(word)) for word in changed)


def choice(condition: str, *parts: str) -> bytes:
    return file(
        *parts, node("startEvent", "s"), node("userTask", "t"), node("exclusiveGateway", "g", default="g_a"),
        node("endEvent", "a"), node("endEvent", "b"), flows("s t", "t g", "g a", f"g b {condition}"),
    )  # fmt: skip


@pytest.mark.django_db
@pytest.mark.parametrize(
    "condition",
    [
        "= order = &quot;x&quot; and User = &quot;bob&quot;",
        "${status == 'ok' &amp;&amp; limit &gt; 3}",
        "${case.table == 'x'}",
        "= some x in check satisfies x &gt; 3",
        "= count(group[desc = &quot;a&quot;]) &gt; 1",
    ],
)
def test_a_process_may_use_such_a_variable(condition: str) -> None:
    assert prepare_bpmn("flow_of_tests", choice(condition))


def test_data_objects_forms_and_scripts_have_the_same_attribute() -> None:
    fields = (
        '<bpmn:extensionElements><camunda:formData><camunda:formField id="Order" type="long"/>'
        "</camunda:formData></bpmn:extensionElements>"
    )
    content = choice(
        "= order &gt; 3 and status = &quot;x&quot;",
        node("dataObject", "d"),
        node("dataObjectReference", "r", name="Status", dataObjectRef="d"),
    ).replace(b'<bpmn:userTask id="t" >', f'<bpmn:userTask id="t" >{fields}'.encode())
    definition = compile_process(read(content)[0]).compiled.definition
    names = {each["name"] for each in definition["attributes"]}
    assert {"order_", "status_"} <= names and not {"order", "status"} & names
    assert re.search(r"\border_ > 3\b.*\bstatus_ = 'x'", str(definition).replace("\\", ""))
