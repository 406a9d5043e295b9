"""Problems of BPMN, PDL and graphs are said in the language of the user."""

from __future__ import annotations

import re

import pytest
from django.test import Client
from django.utils.translation import gettext, override

from flows.languages.bpmn import BadBpmn, compile_process, read
from flows.languages.bpmn_words import in_bpmn_words
from flows.languages.sentences import sentences, translated
from flows.tests.bpmn.files.bpmn_conformance import REFUSED, SUPPORTED
from flows.tests.bpmn.files.bpmn_files import ORDER
from flows.tests.imported.test_import_page import send
from flows.tests.pages import unique
from flows.tests.pdl.pdl_conformance import ERRORS, SPELLINGS, WARNINGS
from flows.tests.pdl.test_pdl_reader import problems
from flows.tests.publication.publish_page import text_of


def test_every_sentence_is_in_the_catalogue() -> None:
    assert len(sentences()) > 100
    with override("pt-br"):
        assert sorted(text for text in sentences() if gettext(text) == text) == []


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_refused_is_said_in_portuguese(what: str) -> None:
    with pytest.raises(BadBpmn) as error:
        compile_process(read(REFUSED[what])[0])
    for problem in error.value.problems:
        with override("pt-br"):
            assert translated(problem.message) != problem.message, problem.message
        assert translated(problem.message) == problem.message


@pytest.mark.parametrize("what", [*ERRORS, *WARNINGS, *SPELLINGS])
def test_what_pdl_rejects_or_tolerates_is_said_in_portuguese(what: str) -> None:
    spelling = SPELLINGS.get(what, ("", ""))[1]
    for problem in problems(ERRORS.get(what) or WARNINGS.get(what) or spelling):
        with override("pt-br"):
            said = translated(problem.message)
        assert said != problem.message and " is " not in said and "an id" not in said, problem.message
        assert translated(problem.message) == problem.message


def test_a_sentence_in_a_slot_is_translated_and_other_texts_are_left() -> None:
    with override("pt-br"):
        said = translated(
            "The expression is not in FEEL's simple subset, at character 3: “?” is not understood. "
            'If it is SQL, give it language="sql".'
        )
        assert said.endswith('caractere 3: “?” não foi entendido. Se for SQL, dê-lhe language="sql".')
        assert translated("Pay. It is late.") == "Pay. It is late."


@pytest.mark.django_db
def test_the_page_of_the_import_has_the_language_of_the_user(alice: Client) -> None:
    alice.cookies["django_language"] = "pt-br"
    wrong = ORDER.replace(b"PT2H", b"2 hours").replace(b"=amount &gt; 1000", b"=nothing &gt; 1000")
    text = text_of(send(alice, unique(), wrong))
    assert "O horário do evento “2 hours” não é aceito: dê uma duração como PT15M." in text
    assert "Atributos são declarados nos elementos de extensão do processo" in text
    assert "is not" not in text and "declared" not in text


@pytest.mark.parametrize("what", [*REFUSED, *SUPPORTED])
def test_what_is_said_of_a_process_has_the_words_of_bpmn(what: str) -> None:
    content = REFUSED.get(what) or SUPPORTED[what][0]
    try:
        process, found = read(content)
        found = [*found, *compile_process(process).warnings]
    except BadBpmn as error:
        found = [*error.problems]
    said = [re.sub(r"“[^”]*”", "", each.message) for each in found]
    assert [each for each in said if re.search(r"\b(nodes?|edges?|graph)\b", each, re.IGNORECASE)] == []


def test_the_checks_of_graphs_have_words_of_bpmn_for_all_their_own() -> None:
    said = "Node “edge” of type begin has the incoming edge “a node”."
    assert in_bpmn_words(said) == "Start event “edge” has the incoming sequence flow “a node”."
