"""A file as modellers for people write it: pools, specifications of data, persons, artefacts, long ids."""

from __future__ import annotations

from pathlib import Path

import pytest

from flows.languages.bpmn import compile_process, read
from flows.tests.bpmn.files.bpmn_blanks import written
from flows.tests.bpmn.files.vendor_files import FOLDER, STARTED
from flows.tests.bpmn.test_bpmn_reading import ORDER

FILE = Path(__file__).parents[1] / "corpus" / "modeller.bpmn"


@pytest.mark.parametrize("process", ["", "claims-2.0"])
def test_the_executable_process_of_several_pools_becomes_the_flow(process: str) -> None:
    found, warnings = read(FILE.read_bytes(), process)
    definition = compile_process(found).compiled.definition
    assert (definition["label"], definition["start_by"]) == ("Insurance", ["claim_received"])
    names = [trigger.get("transition") for trigger in definition["triggers"]]
    assert names == ["sid_u", "g", "sid_pay", "e1", "e2", None]
    assert definition["attributes"][0]["name"] == "claim"
    said = [problem.message.partition(" has no effect.")[0] for problem in warnings]
    assert "is only drawn" in said[0]
    parts = (
        "ioSpecification",
        "dataInput",
        "inputSet",
        "outputSet",
        "dataInputAssociation",
    )
    task = definition["triggers"][0]
    assert (task["performer"], task["role"]) == ("person", "reviewers")
    assert said[1:] == [f"“{part}”" for part in parts]


def test_another_pool_is_imported_by_its_id() -> None:
    found, warnings = read(FILE.read_bytes(), "sid-34746A54-1D7D-46CA-B219-0C4CEAE51170")
    definition = compile_process(found).compiled.definition
    assert definition["label"] == "Clinic" and "start_by" not in definition
    assert definition["triggers"][0]["transition"] == "sid_t1"
    assert warnings[0].message.startswith("Process “claims-2.0” is only drawn")


@pytest.mark.parametrize("process", ["", "claims-2.0", "sid-34746A54-1D7D-46CA-B219-0C4CEAE51170", "order"])
def test_blanks_around_ids_references_and_truth_values_say_nothing(process: str) -> None:
    """XML Schema collapses them; bpmn-moddle 10.3.1 finds no element with such a reference."""
    content, name = (ORDER, "") if process == "order" else (FILE.read_bytes(), process)
    plain, padded = (read(written(content, padded=each), name) for each in (False, True))
    assert compile_process(padded[0]).compiled.definition == compile_process(plain[0]).compiled.definition
    assert [each.message for each in padded[1]] == [each.message for each in plain[1]]
    assert [shape.element for shape in padded[0].planes] == [shape.element for shape in plain[0].planes]


@pytest.mark.parametrize("name", STARTED)
def test_a_file_of_each_kind_of_modeller_is_accepted(name: str) -> None:
    content = (FOLDER / name).read_bytes()
    assert {path.name for path in FOLDER.iterdir()} == set(STARTED)
    process, warnings = read(content)
    assert compile_process(process).compiled.definition["triggers"]
    assert all(each.severity == "warning" for each in warnings)
