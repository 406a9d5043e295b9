"""Messages of the kernel: one English sentence in SQL, and the same in the language of the user."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import psycopg
import pytest
from django.core.cache import cache
from django.db import connection, transaction
from django.test import Client
from django.urls import reverse
from django.utils import translation

from flows import api, errors, kernel, messages
from flows.database_errors import error_for
from flows.tests.pages import unique

RAISING = re.compile(r"wedsql\.(?:_raise|_raise_busy|_why|_put_facts|refuse_sense)\(")
FACTS = "jsonb_build_object("


def calls() -> Iterator[str]:
    """Return the arguments of the calls that make a message, without the facts, which come last."""
    for path in kernel.files():
        source = re.sub(r"--[^\n]*", "", path.read_text())
        for found in RAISING.finditer(source):
            if source[: found.start()].endswith("function "):
                continue
            yield source[found.end() : source.index(";\n", found.end())].partition(FACTS)[0]


def test_what_the_kernel_raises_is_extracted() -> None:
    texts = [text for call in calls() for text in messages.literals(call) if " " in text and text[0] != "{"]

    assert len(texts) > 100
    assert [text for text in texts if text not in messages.sentences() and text.count(" ") > 1] == []


def test_people_read_of_conditions_and_not_of_predicates() -> None:
    texts = [text for text in messages.sentences() if "predicate" in text.lower()]

    assert texts == []


def test_pages_say_rules_and_options_in_both_languages() -> None:
    changed = {messages.in_page_words(text) for text in messages.sentences()} - messages.sentences()
    assert len(changed) > 15
    assert messages.in_page_words("A person wrote trigger.") == "A person wrote trigger."
    with messages.page_words(), translation.override("en"):
        english = {text: messages.translate(text) for text in messages.sentences()}
    assert changed <= set(english.values())
    with messages.page_words(), translation.override("pt-br"):
        portuguese = {text: messages.translate(text) for text in messages.sentences()}

    words = re.compile(r'(?<!["{])\b(trigger|enum|gatilho)s?\b(?![}"])', re.IGNORECASE)
    for shown in (english, portuguese):
        assert [text for text in shown.values() if words.search(text)] == []
    assert [text for text in changed if text in portuguese.values()] == [], "texts without Portuguese"


def test_programs_read_the_words_of_the_paper(alice: Client, flow: str) -> None:
    """The same error of a condition, as the public API and as a page have it."""
    predicate = "a1 = 'x' and age(a1::date) > interval '1 day'"
    with pytest.raises(errors.WedError) as caught, transaction.atomic():
        api.flows.check_predicate(flow, predicate)
    assert "timeout of the trigger" in caught.value.sentence

    answer = alice.post(
        reverse("admin:flows_flow_check_condition"),
        {"predicate": predicate, "types": {"a1": "text"}},
        content_type="application/json",
    )

    assert "timeout of the rule" in answer.content.decode()


def test_what_the_lexer_says_is_extracted(db: None) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "select sentence from wedsql.refusal union select hint from wedsql.refusal"
            " union select hint from wedsql.vocabulary union select hint from wedsql.excluded_function"
        )
        texts = {text for (text,) in cursor.fetchall() if text}

    assert len(texts) > 100
    assert texts - messages.sentences() == set()


def both(error: errors.WedError) -> tuple[str, str]:
    with translation.override("pt-br"):
        portuguese = error.sentence
    with translation.override("en"):
        return error.sentence, portuguese


@pytest.fixture(scope="module")
def standing_flow(standing: Callable[[Callable[[], str]], str]) -> str:
    return standing(made_flow)


@pytest.fixture
def flow(standing_flow: str, db: None) -> str:
    cache.clear()  # it has what other tests have done with the flow
    return standing_flow


def made_flow() -> str:
    name = unique()
    api.flows.create(name)
    api.flows.publish(
        name,
        {
            "attributes": [{"name": "a1"}, {"name": "kind", "type": "enum", "options": ["x", "y"]}],
            "triggers": [
                {"transition": "tr_x", "predicate": "a1 = 'r'"},
                {"final": True, "predicate": "a1 = 'f'"},
            ],
        },
    )
    return name


def test_an_error_reads_in_the_language_that_is_active_when_it_is_shown(db: None) -> None:
    with pytest.raises(errors.UnknownFlow) as caught, transaction.atomic():
        api.instances.start("nowhere", {})

    assert str(caught.value) == 'There is no flow "nowhere".'
    with translation.override("pt-br"):
        assert str(caught.value) == 'Não há fluxo "nowhere".'
        assert caught.value.hint.startswith("Liste os fluxos")
    assert caught.value.where == {"flow": "nowhere"}


def test_psql_shows_the_english_sentence(db: None) -> None:
    with pytest.raises(psycopg.Error) as caught, transaction.atomic(), connection.cursor() as cursor:
        cursor.connection.execute("select wedsql.start('nowhere')")

    assert caught.value.diag.message_primary == 'There is no flow "nowhere".'
    assert caught.value.diag.message_hint.startswith("List the flows with: select name")


@pytest.mark.parametrize(
    ("state", "english", "portuguese"),
    [
        (
            {"kind": "z"},
            '"z" is not one of the options of "kind". Options: x, y.',
            '"z" não é uma das opções de "kind". Opções: x, y.',
        ),
        ({"a1": "{attribute} 50 %s"}, "No condition of flow", "Nenhuma condição do fluxo"),
        (
            {"b1": 1},
            '"b1" is not an attribute of this flow. Did you mean a1? Attributes: a1, kind.',
            '"b1" não é um atributo deste fluxo. Você quis dizer a1? Atributos: a1, kind.',
        ),
        ({"kind": "{attribute} %s"}, '"{attribute} %s" is not', '"{attribute} %s" não é'),
    ],
)
def test_facts_are_in_both_sentences(flow: str, state: dict, english: str, portuguese: str) -> None:
    with pytest.raises(errors.WedError) as caught, transaction.atomic():
        api.instances.start(flow, state)
    in_english, in_portuguese = both(caught.value)

    assert in_english.startswith(english) and in_portuguese.startswith(portuguese)


@pytest.mark.parametrize(
    ("predicate", "portuguese"),
    [
        ("a1 = now()", "Uma condição não pode depender da hora"),
        ("a1 = 'x", "O texto que começa aqui não tem a aspa final."),
        ("lenght(a1) > 1", 'Não há função "lenght". Você quis dizer length?'),
        ("a1 > 1", "Tipos: a1 text."),
        ("a1 || 'x'", "Isto é do tipo text; uma condição precisa ser verdadeira ou falsa."),
        ("", "O texto está vazio."),
    ],
)
def test_the_lexer_speaks_portuguese(flow: str, predicate: str, portuguese: str) -> None:
    with pytest.raises(errors.WedError) as caught, transaction.atomic():
        api.flows.check_predicate(flow, predicate)

    assert portuguese in both(caught.value)[1]


def test_an_error_without_a_message_has_a_default_in_both_languages() -> None:
    for cls in (errors.WedError, *errors.WedError.__subclasses__()):
        if cls.__module__ == "flows.errors":
            english, portuguese = both(cls())
            assert english and portuguese and english != portuguese, cls


@pytest.mark.parametrize(
    ("text", "portuguese"),
    [
        ("The lease expired.", "A reserva expirou."),
        ("ATTEMPTS: The lease expired.", "ATTEMPTS: A reserva expirou."),
        (
            "The result of job 5 of instance 3 came too late (limit 00:00:05).",
            "O resultado da tarefa 5 da instância 3 chegou tarde demais (limite 00:00:05).",
        ),
        ("Instance 5 is not running.", "A instância 5 não está em execução."),
        (
            "The receiver cannot be reached: TimeoutError.",
            "O destinatário não pode ser alcançado: TimeoutError.",
        ),
        ("The message was not sent: ValueError.", "A mensagem não foi enviada: ValueError."),
        ("ValueError: Instance of nothing", "ValueError: Instance of nothing"),
        ("", ""),
    ],
)
def test_a_stored_message_is_recognized(text: str, portuguese: str) -> None:
    with translation.override("pt-br"):
        assert messages.stored(text) == portuguese
    with translation.override("en"):
        assert messages.stored(text) == text


def test_every_message_is_recognized_as_its_own_template() -> None:
    """No template takes the sentence of another one."""
    for template in messages.sentences():
        names = dict.fromkeys(re.findall(r"\{([a-z_]+)\}", template))
        facts = {name: f"v{n}" for n, name in enumerate(names)}
        with translation.override("pt-br"):
            shown = messages.stored(messages.put_facts(template, facts))
            assert shown == messages.put_facts(messages.translate(template), facts)


@pytest.mark.parametrize(
    "detail", ["", "[1]", "no JSON", '{"message_template": "There is no flow \\"{flow}\\"."}']
)
def test_a_detail_of_another_form_leaves_the_message(detail: str) -> None:
    error = error_for("WD001", 'There is no flow "x".', detail=detail)

    assert error.message in ('There is no flow "x".', 'There is no flow "{flow}".')
