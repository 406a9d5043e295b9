"""The control-flow patterns of workflows, as examples of the gallery that are run by tests.

The catalogue is that of van der Aalst, ter Hofstede, Kiepuszewski, Barros, Russell and Mulyar: 43 patterns in
eight groups. A pattern is a file `gallery/patterns/<group>/<number>_<name>.yaml` of an installed app. Besides
a definition and scenarios it has the results of its transitions, and the runs by which a test proves it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from django.apps import apps

from flows.definition.files import YAML
from flows.definition.scenario_files import scenarios_of
from flows.patterns import code
from flows.patterns.gallery import Example, examples, translated

_TRANSITION = re.compile(r"^ *transition: (\w+)$", re.MULTILINE)


@dataclass(frozen=True)
class Run:
    """One way to run a pattern, and what is expected of it in every order of the workers.

    `course` is a regular expression over the names of the rules that were performed, in order, with a space
    between them. `holds` is a condition over the last state, `times` how often each rule is performed.
    `children` is a regular expression over the letters of its children's last statuses, in their order in the
    alphabet; so many as `added` says are added when the first have started.
    """

    start: Mapping[str, Any]
    course: str
    holds: str = ""
    times: Mapping[str, int] = field(default_factory=dict)
    children: str = ""
    added: int = 0


@dataclass(frozen=True)
class Pattern(Example):
    """A pattern: its definition is the lesson of the example, and an example from life is its story."""

    number: int
    group: str
    how: str
    results: Mapping[str, Sequence[str]]
    runs: Sequence[Run]

    @property
    def group_title(self) -> str:
        return next((group.title for group in catalogue() if group.name == self.group), "")


@dataclass(frozen=True)
class Entry:
    """A line of the catalogue; `needs` says what is missing to run it, "" if it runs."""

    number: int
    english_title: str
    needs: str = ""

    @property
    def title(self) -> str:
        return translated(self.english_title)


@dataclass(frozen=True)
class Group:
    """A group of the catalogue with all of its patterns, also those that cannot be run yet."""

    name: str
    english_title: str
    entries: Sequence[Entry]

    @property
    def title(self) -> str:
        return translated(self.english_title)


@cache
def patterns() -> Mapping[str, Pattern]:
    """Return the patterns that can be run by the names of their examples, such as wcp16, by number."""
    found = sorted((_pattern(path) for path in _files()), key=lambda each: each.number)
    return {each.name: each for each in found}


@cache
def catalogue() -> Sequence[Group]:
    """Return the groups in the order of the catalogue."""
    return [
        Group(each["group"], each["title"], [Entry(*one) for one in each["patterns"]])
        for path in _folders("catalogue.yaml")
        for each in YAML.content(path.read_text(encoding="utf-8"))
    ]


def example_named(name: str) -> Example | None:
    """Return an example of the gallery by its name: a template or a pattern; None if there is none."""
    return examples().get(name) or patterns().get(name)


def transitions() -> Iterator[tuple[str, str]]:
    """Return the transitions of all patterns with the names of their patterns; reads no definition."""
    for path in _files():
        for transition in _TRANSITION.findall(path.read_text(encoding="utf-8")):
            yield transition, _name(path)


def results_of(pattern: str, transition: str) -> Sequence[str]:
    """Return the possible results of a transition of a pattern as SET strings, the usual one first."""
    found = patterns()[pattern]
    rules = {each.get("transition"): each["name"] for each in found.definition["triggers"]}
    return found.results[rules[transition]]


def _folders(name: str) -> Iterator[Path]:
    for app in apps.get_app_configs():
        yield from sorted(Path(app.path).glob(f"gallery/patterns/{name}"))


def _files() -> Iterator[Path]:
    return _folders("*/*.yaml")


def _name(path: Path) -> str:
    return f"wcp{int(path.stem.partition('_')[0])}"


def _pattern(path: Path) -> Pattern:
    content = YAML.content(path.read_text(encoding="utf-8"))
    definition = content["definition"]
    results = {
        name: [given] if isinstance(given, str) else given for name, given in content["results"].items()
    }
    return Pattern(
        name=_name(path),
        order=content["number"],
        english_title=content["title"],
        english_story=content["example"],
        english_lesson=content["meaning"],
        definition=definition,
        scenarios=scenarios_of(content["scenarios"]),
        handlers=code.handlers(content["title"], definition["triggers"], results),
        number=content["number"],
        group=path.parent.name,
        how=content["how"],
        results=results,
        runs=[Run(**each) for each in content["runs"]],
    )
