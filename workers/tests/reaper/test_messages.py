"""What workers store with a job is shown in the language of its reader."""

from __future__ import annotations

import ast
import gettext
import re
from pathlib import Path

import pytest
from django.utils import translation

from flows.messages import stored
from workers import messages
from workers.client.wire import ForkedProcess
from workers.djangoq.broker import RefusedTask
from workers.jobs.outcome import BadResult, HandlerTimeout, Lost, describe, failed, read_result

CATALOGUE = Path(messages.__file__).parent / "locale/pt_BR/LC_MESSAGES"


def test_every_sentence_has_its_portuguese_with_the_same_slots() -> None:
    text = (CATALOGUE / "django.po").read_text()
    # Those with a context are of the gallery; others are of alerts.
    pairs = re.findall(r'\n\nmsgid (".+")\nmsgstr (".+")$', text, re.MULTILINE)
    written = {ast.literal_eval(english): ast.literal_eval(other) for english, other in pairs}
    assert set(messages.SENTENCES) - written.keys() == set()
    with (CATALOGUE / "django.mo").open("rb") as file:
        compiled = gettext.GNUTranslations(file)
    for english, portuguese in written.items():
        assert compiled.gettext(english) == portuguese != english
        assert re.findall(r"\{\w+\}", english) == re.findall(r"\{\w+\}", portuguese)


def raised(error: BaseException) -> BaseException:
    try:
        raise error
    except BaseException as caught:  # noqa: BLE001 - also what is not an Exception
        return caught


@pytest.mark.parametrize(
    ("error", "shown"),
    [
        (BadResult(messages.BAD_RESULT.format(type="int")), "este retornou int."),
        (HandlerTimeout(messages.TIMEOUT), "O handler excedeu o prazo da sua tarefa."),
        (ForkedProcess(), "Devolva o resultado ao processo pai"),
        (Lost(), "O processo trabalhador morreu enquanto executava o handler."),
    ],
)
def test_an_error_of_a_job_is_shown_in_portuguese(error: BaseException, shown: str) -> None:
    with translation.override("pt-br"):
        assert shown in stored(describe(raised(error)))
        assert shown in stored(failed(error).message)


def test_the_text_of_a_handler_stays_as_it_is() -> None:
    for text in ("ValueError: no such customer (shop.py:12 in pay)", "shop.Down: try again", "a (b)", ""):
        with translation.override("pt-br"):
            assert stored(text) == text


def test_what_is_stored_is_english_whatever_the_language_of_the_process() -> None:
    with translation.override("pt-br"), pytest.raises(BadResult, match="A handler must return a dict"):
        read_result(5)


def test_a_queued_task_is_refused_in_the_language_of_the_user() -> None:
    with translation.override("pt-br"):
        assert str(RefusedTask()).startswith("Este cluster só executa tarefas do pool.")
