"""Conditions as modellers write them in the languages of other engines: read as FEEL, or left as they are."""

from __future__ import annotations

import random

import pytest

from flows.languages.bpmn import read
from flows.languages.bpmn.dialects import as_feel
from flows.languages.bpmn.expressions import is_unread, sql
from flows.languages.bpmn.model import Expression
from flows.loading.bpmn_files import check_processes
from flows.loading.inference import parts
from flows.tests.bpmn.files.bpmn_files import attribute, attributes, file, flows, node
from flows.tests.bpmn.test_bpmn_programs import way

JAVA = "http://www.java.com/java"
XPATH = "http://www.w3.org/1999/XPath"
TYPES = {"amount": "numeric", "approved": "boolean", "state": "text", "items": "jsonb", "note": "text",
         "order_": "jsonb"}  # fmt: skip
READ = [
    ("", "${empty note}", "(note is null or note = '')"),
    ("", "${not empty note && approved}", "not ((note is null or note = '')) and approved"),
    ("", "${!empty note}", "not ((note is null or note = ''))"),
    ("", "${!note.isEmpty()}", "not ((note is null or note = ''))"),
    ("", '${state.equals("ok")}', "(state = 'ok')"),
    ("", "#{'ok'.equals(state)}", "('ok' = state)"),
    ("", '${"OK".equalsIgnoreCase(state)}', "(lower('OK') = lower(state))"),
    ("", '${state.toLowerCase().equals("ok")}', "(lower(state) = 'ok')"),
    ("", '${order.state.equals("ok") || approved}', None),
    ("", '${state.startsWith("A")}', "starts_with(state, 'A')"),
    ("", "${state.length() > 3}", "char_length(state) > 3"),
    ("", "${amount > 100 ? true : false}",
     "((case when coalesce((amount > 100), false) then true else false end))"),
    ("", "${amount > 1000L}", "amount > 1000"),
    ("", "${amount % 2 == 0}", None),
    ("", "${approved == 'true'}", "approved = true"),
    ("", '${approved != "FALSE"}', "approved <> false"),
    ("", "${'100.5' <= amount}", "100.5 <= amount"),
    ("", "${state == '100'}", "state = '100'"),
    ("", '${note.contains("x")}', "(strpos(note, 'x') > 0)"),
    ("", '${items.contains("x") == true}', None),
    ("javascript", "items.includes('x')", None),
    ("", "${order['state'] == 'x' && order[\"a\"].b == 1}", None),
    ("http://www.mvel.org/2.0", "items.size == 1",
     "jsonb_array_length(jsonb_path_query_array(items, '$[*]')) = 1"),
    ("", "${order.items.length > 2}", None),
    ("javascript", "note !== undefined && approved", "note is not null and approved"),
    (JAVA, 'return ((Boolean) kcontext.getVariable("approved")).booleanValue();', "(approved)"),
    (JAVA, 'return (Integer) amount > 5 && "x".equals((String) state);', "amount > 5 and ('x' = state)"),
    ("", "${state == 'true' && approved}", "state = 'true' and approved"),
    ("", '${execution.hasVariable("note") && note != "x"}', "(note is not null) and note <> 'x'"),
    ("", "${execution.getVariableLocal('state') == 'yes'}", "state = 'yes'"),
    ("", "${variables:get(amount) > 100}", "amount > 100"),
    ("", '${var:eq(state, "ok")}', "(state = 'ok')"),
    ("", '${vars:notEmpty("note")}', "not ((note is null or note = ''))"),
    ("", "${variables:getOrDefault(amount, 0) >= 5}", "coalesce(amount, 0) >= 5"),
    ("", "this.amount <= 50", "amount <= 50"),
    ("", "${environment.variables.amount > 1}", "amount > 1"),
    ("javascript", "next(null, environment.variables.state === 'Sick')", "state = 'Sick'"),
    ("javascript", "next(null, this.environment.variables.amount>=0);", "amount >= 0"),
    (JAVA, 'return "yes".equals(state);', "('yes' = state)"),
    (JAVA, " return KieFunctions.isTrue(approved);", "(approved = true)"),
    (JAVA, ' return !KieFunctions.equalsTo(state, "ok");', "not ((state = 'ok'))"),
    (JAVA, ' return KieFunctions.greaterThan(amount, "100");', "(amount > 100)"),
    (JAVA, ' return KieFunctions.between(amount, "1", "9");', "(amount >= 1 and amount <= 9)"),
    (JAVA, ' return KieFunctions.isEmpty(note);', "(note is null or note = '')"),
    ("groovy", 'amount > 100 && state == "ok"', "amount > 100 and state = 'ok'"),
    ("python", "state is not None and not approved", "state is not null and not (approved)"),
    ("python", "approved == True or state is None", "approved = true or state is null"),
    ("", "len(items) > 0", "jsonb_array_length(jsonb_path_query_array(items, '$[*]')) > 0"),
    ("", "${items.size() > 0}", "jsonb_array_length(jsonb_path_query_array(items, '$[*]')) > 0"),
    (XPATH, "string-length(state) > 2 and starts-with(state, 'a')",
     "char_length(state) > 2 and starts_with(state, 'a')"),
    (XPATH, "number(amount) > 1", "(amount) > 1"),
    (XPATH, "amount > 1 and not(approved = true())",
     "amount > 1 and not (approved = true)"),
]  # fmt: skip
LEFT = [
    ("", "${bean.check(execution)}"), ("", '${S(customer).prop("a").numberValue() == 1}'),
    ("", "$(amount > 1)"),
    ("", "#{'Data complete'}"), ("", '${"a".equals(state, note)}'), ("", "${variables:containsAny(note, 1)}"),
    (JAVA, "boolean r = amount > 1; System.out.println(r); return r;"), (JAVA, ""),
    ("", 'stringEquals(state,"first")'), ("", "${var:eq(1 + 2, 3)}"),
]  # fmt: skip
AS_THEY_ARE = [
    "amount between 1 and 5", 'list contains(items, "a")', "if approved then amount else 0",
    "amount in [1..5]",
    "amount > 5 and state = \"a ? b : empty c\"", "note = \"x.equals(y)\"", "order.this.amount > 1",
    "a.b.size",
    "number of items > 3", "d < date(\"2026-01-01\")", "-amount < 3", "not(approved)",
    "", "?", "a ? b", "((a)",
]  # fmt: skip


def expression(text: str, language: str) -> Expression:
    return Expression(text, language, 1, 1)


@pytest.mark.parametrize(("language", "text", "wanted"), READ)
def test_an_idiom_of_another_language_is_read(language: str, text: str, wanted: str | None) -> None:
    given = expression(text, language)
    assert not is_unread(given, "", TYPES)
    found = sql(given, "", "x", TYPES)
    assert wanted is None or found == wanted


@pytest.mark.parametrize(("language", "text"), LEFT)
def test_what_only_a_program_computes_is_left(language: str, text: str) -> None:
    assert is_unread(expression(text, language), "", TYPES)


@pytest.mark.parametrize("text", AS_THEY_ARE)
def test_a_text_without_idioms_stays(text: str) -> None:
    assert as_feel(text, "") == text


def test_a_path_of_xpath_is_no_quotient() -> None:
    path = expression("getDataObject('order')/total > 100", XPATH)
    assert '"total"' in sql(path, "", "x", TYPES) and "nullif" not in sql(path, "", "x", TYPES)
    assert "nullif" in sql(expression("order / total > 100", "feel"), "", "x", {"order_": "numeric"})


@pytest.mark.parametrize(
    "text", ["getDataObject('order')/ns1:total > 100", "bpmn:getDataObject('order')/a:total/text() > 100"]
)
def test_prefixes_of_a_path_are_left_out(text: str) -> None:
    assert '"total"' in sql(expression(text, XPATH), "", "x", TYPES)


@pytest.mark.parametrize(
    ("text", "language", "at"),
    [
        ("${items[0] == 'x'}", "", 0), ("=items[1] = \"x\"", "", 0), ("items[1] = \"x\"", "feel", 0),
        ("items[2] = \"x\"", "", 1), ("items[1] == 'x'", "javascript", 1), ("items[0] == 'x'", "python", 0),
    ],
)  # fmt: skip
def test_items_are_counted_as_the_language_counts(text: str, language: str, at: int) -> None:
    assert f"items -> {at}" in sql(expression(text, language), "", "x", TYPES)


def test_a_marked_expression_of_feel_has_no_idioms() -> None:
    """What begins with = is FEEL, in which `empty` and `this` are names."""
    assert sql(expression("=this.amount > 1", ""), "", "x", {"this": "jsonb"}).count("amount") == 2


def test_any_text_is_read_or_stays() -> None:
    words = ["a", "empty", "not", "is", "None", ".equals(", ".size()", "(", ")", "[", "]", "?", ":", ",",
             "'t'", '"', "var:eq(", "next(null,", "this.", "/", "==", "&&", "-", "len(", "1L"]  # fmt: skip
    chance = random.Random(20261130)  # noqa: S311
    for _number in range(20_000):
        text = " ".join(chance.choice(words) for _word in range(chance.randint(1, 12)))
        for language in ("", "xpath"):
            assert isinstance(as_feel(text, language), str)
    assert as_feel("(" * 5_000, "") == "(" * 5_000 and as_feel("!" * 50_000, "") == "!" * 50_000


@pytest.mark.parametrize(
    ("condition", "wanted"),
    [
        ("(a = true) and (b <= 5 or (c = true and (d <= 2 or e = 'x and y')))",
         ["(a = true)", "b <= 5", "c = true", "d <= 2", "e = 'x and y'"]),
        ("not (a or b) and \"c and d\" > 1", ["a", "b", '"c and d" > 1']),
        ("f(a, b) > 1", ["f(a, b) > 1"]), ("(a", ["a"]), ("a)", ["a"]), ("", [""]),
    ],
)  # fmt: skip
def test_a_condition_has_parts(condition: str, wanted: list[str]) -> None:
    assert [*parts(condition)] == wanted


def drawn(condition: str, language: str = "", *given: str) -> bytes:
    return file(
        attributes(*given) if given else "",
        node("startEvent", "s"), node("exclusiveGateway", "g", default="no"),
        way("yes", condition, language),
        way("no", ""), node("userTask", "yes_t"), node("userTask", "no_t"), flows("s g"),
    )  # fmt: skip


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("condition", "types"),
    [
        ("${(a == true) &amp;&amp; (b &lt;= 5 || (c == true &amp;&amp; (d &lt;= 2 || e == 'x')))}",
         {"a": "boolean", "b": "numeric", "c": "boolean", "d": "numeric", "e": "text"}),
        ("#{'Data complete'}", {}),
    ],
)  # fmt: skip
def test_a_file_without_declarations_is_accepted(condition: str, types: dict[str, str]) -> None:
    """Also with more names in one condition than can be tried together, and where a text is the condition."""
    (found,) = check_processes(drawn(condition))
    assert found.accepted and found.made is not None, [each.message for each in found.problems]
    attributes = {each["name"]: each["type"] for each in found.made.made.compiled.definition["attributes"]}
    assert types.items() <= attributes.items()


@pytest.mark.django_db
def test_a_process_that_is_one_task_with_an_event_of_several_definitions_is_accepted() -> None:
    timer = (
        "<bpmn:timerEventDefinition><bpmn:timeDuration>PT5M</bpmn:timeDuration></bpmn:timerEventDefinition>"
    )
    inner = f"<bpmn:errorEventDefinition/>{timer}"
    event = f'<bpmn:boundaryEvent id="e" attachedToRef="t">{inner}</bpmn:boundaryEvent>'
    (found,) = check_processes(file("", node("userTask", "t"), event))
    assert found.accepted, [each.message for each in found.problems]


@pytest.mark.parametrize(
    ("text", "wanted"), [("eval(true);", "true"), ("eval( n &gt; 5 )", "n > 5"), ("Person(n == 1)", "")]
)
def test_a_rule_of_drools_is_what_it_evaluates(text: str, wanted: str) -> None:
    given = [attribute("n", type="integer")]
    process, _problems = read(drawn(text, "http://www.jboss.org/drools/rule", *given))
    read_as = process.flows["yes"].condition
    assert read_as is not None
    assert is_unread(read_as, "", {"n": "integer"}) == (not wanted)
    assert not wanted or sql(read_as, "", "x", {"n": "integer"}) == wanted
