"""Changed files of BPMN: each becomes a flow, or an error says what is wrong and at which line.

`WEDSQL_SEEDS=100` runs it with more files.
"""

from __future__ import annotations

import random
import xml.etree.ElementTree as ET
from collections import Counter

import pytest

from flows.languages.bpmn import compile_process, read
from flows.languages.graph import BadGraph
from flows.tests.bpmn.files.bpmn_conformance import REFUSED, SUPPORTED
from flows.tests.bpmn.files.bpmn_files import ORDER
from flows.tests.spread import seeds

SAMPLES = [ORDER, *(content for content, _becomes in SUPPORTED.values()), *REFUSED.values()]
STRANGE = ["", " ", "-1", "9" * 60, "true", "=", "=a >", "${", "R/P", "R-1/PT1S", "PT99999999999999H"]
STRANGE += ["a\u0301", "1e999", "\u2028", "null", "select 1", "x" * 5_000]
FILES = 250  # per seed


def changed(chance: random.Random, content: bytes) -> bytes:
    """Return a file with some elements removed, repeated or moved, and attributes of other values."""
    root = ET.fromstring(content)  # noqa: S314 - a sample of these tests
    for _change in range(chance.randint(1, 4)):
        parents = [each for each in root.iter() if len(each)]
        if not parents:
            break
        parent, other = chance.choice(parents), chance.choice(parents)
        child = chance.choice(list(parent))
        match chance.randrange(5):
            case 0:
                parent.remove(child)
            case 1 if child not in other.iter() and other not in child.iter():
                other.append(child)
            case 2:
                child.text = chance.choice(STRANGE)
            case _:
                change_attribute(chance, root, child)
    return ET.tostring(root)


def change_attribute(chance: random.Random, root: ET.Element, one: ET.Element) -> None:
    """Give an attribute another value: a strange one, one of another element, or none."""
    names = list(one.attrib) or ["id"]
    name, other = chance.choice(names), chance.choice(list(root.iter()))
    values = [*other.attrib.values(), chance.choice(STRANGE)]
    if chance.randrange(4):
        one.set(name, chance.choice(values))
    else:
        one.attrib.pop(name, None)


@pytest.mark.parametrize("seed", seeds(4))
def test_a_changed_file_is_a_flow_or_an_error_with_its_place(seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311 - the same changes each time
    ends: Counter[str] = Counter()
    for _file in range(FILES):
        content = changed(chance, chance.choice(SAMPLES))
        try:
            process, _warnings = read(content, "")
            compile_process(process, "f")
        except BadGraph as error:
            first = error.problems[0]
            assert first.message and 0 <= first.line <= content.count(b"\n") + 1, content
            ends["refused"] += 1
        else:
            ends["read"] += 1
    assert min(ends["refused"], ends["read"]) > FILES // 10, ends
