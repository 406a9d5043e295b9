"""The gallery: examples of flows from which a new one can be started.

An example is a folder `gallery/<name>/` of an installed app, with about.yaml (title, story, order, and what
it teaches), definition.yaml, scenarios.yaml and handlers.py. Its texts are English, translated by the app's
catalogue.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, cast

from django.apps import apps
from django.db import transaction
from django.utils.translation import pgettext

from flows import api
from flows.definition import Definition
from flows.definition.files import YAML
from flows.definition.scenario_files import read
from flows.definition.scenarios import Scenario
from flows.summaries import Summary
from flows.types import Draft

# What a rule of an example that starts children of its own flow has as their flow.
OWN_FLOW = "this_flow"
_DECORATED = re.compile(r'(@transition\(\s*"[^"]+"),')


def translated(text: str) -> str:
    """Return a text of an example in the active language; the context keeps it apart from those of pages."""
    return pgettext("gallery", text) if text else ""


@dataclass(frozen=True)
class Example:
    """One example; its texts are in the active language when they are read."""

    name: str
    order: int
    english_title: str
    english_story: str
    english_lesson: str
    definition: Mapping[str, Any]
    scenarios: Sequence[Scenario]
    handlers: str

    @property
    def title(self) -> str:
        return translated(self.english_title)

    @property
    def story(self) -> str:
        return translated(self.english_story)

    @property
    def lesson(self) -> str:
        """Return the lesson of the example in a sentence; "" for one without any."""
        return translated(self.english_lesson)

    @property
    def rules(self) -> int:
        """Return the number of rules, the final condition included."""
        return len(self.definition["triggers"])

    def localized(self) -> Definition:
        """Return the definition with its labels in the active language: they are the new flow's own."""
        lists = {
            part: [{**each, "label": translated(each.get("label", ""))} for each in self.definition[part]]
            for part in ("attributes", "triggers")
        }
        label = translated(self.definition["label"])
        return cast(Definition, {**self.definition, "label": label, **lists})

    def scenarios_of(self, flow: str) -> Iterator[Scenario]:
        """Return the scenarios for a flow, with names and stories in the active language."""
        for each in self.scenarios:
            yield replace(each, flow=flow, name=translated(each.name), story=translated(each.story))

    def handlers_of(self, flow: str) -> str:
        """Return the code of the handlers for one flow: it then takes precedence over the example's."""
        return _DECORATED.sub(rf'\1, flow="{flow}",', self.handlers) if flow else self.handlers


@cache
def examples() -> Mapping[str, Example]:
    """Return the examples of all installed apps by name, in their order."""
    folders = (path.parent for app in apps.get_app_configs() for path in _files(Path(app.path)))
    found = sorted((_example(folder) for folder in folders), key=lambda each: (each.order, each.name))
    return {each.name: each for each in found}


def _files(app: Path) -> Iterator[Path]:
    return app.glob("gallery/*/about.yaml")


def _example(folder: Path) -> Example:
    texts = {path.stem: path.read_text(encoding="utf-8") for path in folder.iterdir() if path.is_file()}
    about = YAML.content(texts["about"])
    return Example(
        folder.name,
        about["order"],
        about["title"],
        about["story"],
        about.get("teaches", ""),
        YAML.parse(texts["definition"]),
        read(texts["scenarios"]),
        texts["handlers"],
    )


def open_example(example: Example, flow: str, *, label: str = "", actor: str = "") -> Draft:
    """Open a draft of a new flow with the definition and the scenarios of an example; publish nothing.

    Raises DraftExists, BadName, DraftLimit, ScenarioLimit. Scenarios of these names that are there from an
    earlier draft are replaced.
    """
    definition = children_of(flow, example.localized())
    if label:
        definition["label"] = label
    title = Summary(example.english_title, context="gallery")
    summary = Summary("opened from the gallery: %(title)s", {"title": title})
    with transaction.atomic():
        draft = api.drafts.open(flow, definition=definition, summary=summary, actor=actor)
        known = {each.name: each.revision for each in api.trials.list_scenarios(flow)}
        for scenario in example.scenarios_of(flow):
            api.trials.save_scenario(replace(scenario, revision=known.get(scenario.name, 0)), actor=actor)
    return draft


def children_of(flow: str, definition: Mapping[str, Any]) -> Definition:
    """Return the definition with the name of its flow where a rule starts children of its own flow."""
    triggers = [
        {**each, "child": flow} if each.get("child") == OWN_FLOW else each for each in definition["triggers"]
    ]
    return cast(Definition, {**definition, "triggers": triggers})
