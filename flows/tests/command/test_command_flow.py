"""manage.py flow VERB: each verb is the command that it replaces, whose old name prints the new one."""

from __future__ import annotations

import subprocess
import sys
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command, get_commands, load_command_class

from flows import api
from flows.errors import UnknownFlow
from flows.management import verbs
from flows.tests.commands import FIGURE_TWO, answer, refused, run
from flows.tests.pages import unique

CHECKOUT = Path(__file__).parents[3]


def test_no_command_about_definitions_has_a_name_of_its_own() -> None:
    ours = {name for name, app in get_commands().items() if app == "flows"}
    of_flows = {name for name in ours if "flow" in name or name.startswith(("import", "export"))}
    assert of_flows - {"flow"} == {*verbs.RENAMED}


def test_no_verb_begins_as_another_one() -> None:
    assert not {verb.split()[0] for verb in verbs.VERBS if " " in verb} & {*verbs.VERBS}


@pytest.mark.parametrize("old", verbs.RENAMED)
def test_an_old_name_takes_the_arguments_of_its_verb(old: str) -> None:
    verb = verbs.RENAMED[old]
    before, now = load_command_class("flows", old), verbs.command(verb)
    assert verbs.deprecated_by(before) == verb and verbs.deprecated_by(now) is None
    helps = [each.create_parser("manage.py", "x").format_help() for each in (before, now)]
    assert helps[0] == helps[1]


@pytest.mark.django_db
def test_an_old_name_prints_the_new_one_once_and_does_its_work() -> None:
    errors = StringIO()
    name = unique()
    call_command("createflow", name, stdout=StringIO(), stderr=errors)
    assert errors.getvalue() == "“manage.py createflow” is deprecated: use “manage.py flow create”.\n"
    assert name in run("flow", "list")
    errors = StringIO()
    call_command("flow", "show", name, stdout=StringIO(), stderr=errors)
    assert errors.getvalue() == ""


@pytest.mark.django_db
def test_a_flow_is_loaded_shown_edited_published_compared_and_dropped(tmp_path: Path) -> None:
    name = unique()
    run("flow", "load", str(FIGURE_TWO), "--flow", name)
    assert {"a1", "a2", "a3"} <= {each["name"] for each in answer("flow", "show", name)["attributes"]}
    assert answer("flow", "draft", "open", name)["flow"] == name
    assert answer("flow", "publish", name)["status"] == "published"
    assert answer("flow", "diff", name, f"{name}@1") == {"different": False, "changes": [], "order": []}
    api.instances.start(name)
    assert "has instances" in refused("flow", "drop", name)
    assert "add --confirm" in refused("flow", "drop", name, "--force", "--confirm", "x", code=2)
    assert run("flow", "drop", name, "--force", "--confirm", name) == f"Flow {name} is deleted.\n"
    assert f"There is no flow {name}" in refused("flow", "drop", name)
    with pytest.raises(UnknownFlow):
        api.flows.definition(name)


@pytest.mark.django_db
@pytest.mark.parametrize("words", [[], ["import"], ["import", "word"], ["flows"], ["Show", "x"]])
def test_what_is_no_verb_is_rejected_with_those_that_there_are(words: list[str]) -> None:
    said = refused("flow", *words, code=2)
    assert "is not a verb of “flow”" in said and "import bpmn" in said


@pytest.mark.django_db
def test_a_wrong_option_of_a_verb_is_an_error_of_its_command_line() -> None:
    assert "unrecognized arguments: --nonsense" in refused("flow", "list", "--nonsense")
    assert "does not read --note" in refused("flow", "publish", "x", "--note", "y", code=2)


@pytest.mark.parametrize(("words", "said"), [
    (["flow", "--help"], "import graph"),
    (["flow", "diff", "--help"], "usage: manage.py flow diff"),
    (["flow", "import", "bpmn", "--help"], "usage: manage.py flow import bpmn"),
    (["flow", "publish", "--help"], "usage: manage.py flow publish"),
])  # fmt: skip
def test_each_verb_has_a_help_of_its_own(words: list[str], said: str) -> None:
    command = [sys.executable, "manage.py", *words]
    result = subprocess.run(command, cwd=CHECKOUT, capture_output=True, text=True, check=True)
    assert said in result.stdout
