"""manage.py flow draft: drafts of definitions, and their publication."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from flows import api
from flows.definition.files import YAML
from flows.definition.merge import Merge
from flows.management.base import FlowCommand, Rejected, Usage
from flows.management.files import read_definition
from flows.management.values import moment, number
from flows.patterns import example_named
from flows.patterns.gallery import examples, open_example
from flows.summaries import Summary
from flows.types import Draft, DraftAt, DraftInfo, Publication, PublicationChoices
from flows.users import requesters

# For each action, what its argument is.
FLOW, NUMBER, ANY = "FLOW", "NUMBER", "[FLOW]"
ACTIONS = {
    "list": ANY,
    "open": FLOW,
    "show": FLOW,
    "save": FLOW,
    "merge": FLOW,
    "discard": FLOW,
    "publish": FLOW,
    "rollback": FLOW,
    "requests": ANY,
    "approve": NUMBER,
    "reject": NUMBER,
    "withdraw": NUMBER,
}
_KNOWN = f"{', '.join(examples())}, or a pattern, such as wcp1"
_EXAMPLES = f"open: an example of the gallery, with its scenarios: {_KNOWN}"
_DRAFTS = ("flow", "branch", "revision", "base_version", "running_version", "changed_by", "changed_at")
_REQUESTS = (
    "id",
    "flow",
    "status",
    "requested_by",
    "decided_by",
    "publish_at",
    "version",
    "reason",
    "message",
)


class Command(FlowCommand):
    help = "Opens, saves, merges, publishes and approves drafts of definitions."
    records_actor = True
    takes_tasks = True
    reads = {
        "list": "",
        "open": "branch file from_version reason",
        "open --from-gallery": "from_gallery",
        "show": "branch",
        "save": "branch file revision reason",
        "merge": "branch",
        "discard": "branch revision",
        "publish": "branch revision reason reopen_final at held",
        "rollback": "from_version reason reopen_final at held",
        "requests": "",
        "approve": "note held",
        "reject": "note",
        "withdraw": "note",
    }

    def arguments(self, parser: CommandParser) -> None:
        listed = ", ".join(f"{action} {target}" for action, target in ACTIONS.items())
        parser.add_argument("action", choices=ACTIONS, help=listed)
        parser.add_argument("target", nargs="?", default="", help="a flow, or the number of a publication")
        parser.add_argument("--branch", default="main", help="the name of the draft (default: main)")
        parser.add_argument("--file", type=Path, help="open, save: a definition as .json or .yaml")
        parser.add_argument("--from-gallery", metavar="EXAMPLE", help=_EXAMPLES)
        parser.add_argument("--from-version", type=number(1), help="open, rollback: an earlier version")
        parser.add_argument("--revision", type=number(1), help="save: the revision the file is made from")
        parser.add_argument("--reason", default="", help="publish, rollback: why; open, save: what")
        parser.add_argument("--at", type=_time, help="publish, rollback: when, such as 2030-01-31T22:00")
        parser.add_argument("--reopen-final", action="store_true", help="publish: re-match final instances")
        parser.add_argument("--note", default="", help="approve, reject, withdraw: a note for the requester")

    def mode(self, options: Mapping[str, Any]) -> str:
        """Return the action; an example of the gallery is opened with nothing else."""
        action = str(options["action"])
        return "open --from-gallery" if action == "open" and options["from_gallery"] else action

    def run(self, **options: Any) -> None:
        kind = ACTIONS[options["action"]]
        if kind == NUMBER and not options["target"].isdecimal():
            raise Usage(f"{options['action']} needs the number of a publication.")
        if kind == FLOW and not options["target"]:
            raise Usage(f"{options['action']} needs the name of a flow.")
        getattr(self, f"_{options['action']}")(options)

    # -- drafts
    def _list(self, options: dict[str, Any]) -> None:
        self._report(api.drafts.list(options["target"] or None), _DRAFTS, options, "There are no drafts.")

    def _open(self, options: dict[str, Any]) -> None:
        if options["from_gallery"]:
            example = example_named(options["from_gallery"])
            if example is None:
                raise Usage(f"The gallery has no example {options['from_gallery']}: {_KNOWN}.")
            self._report_draft(open_example(example, options["target"], actor=options["actor"]), options)
            return
        draft = api.drafts.open(
            options["target"],
            options["branch"],
            definition=read_definition(options["file"]) if options["file"] else None,
            version=options["from_version"],
            summary=options["reason"],
            actor=options["actor"],
        )
        self._report_draft(draft, options)

    def _show(self, options: dict[str, Any]) -> None:
        draft = _read(options)
        if options["json"]:
            self.write_json(asdict(draft))
        else:
            self.stdout.write(f"# {draft.flow}, draft {draft.branch}, revision {draft.revision}")
            self.stdout.write(YAML.write(draft.definition).rstrip("\n"))  # type: ignore[arg-type]

    def _save(self, options: dict[str, Any]) -> None:
        if options["file"] is None or options["revision"] is None:
            raise Usage("save needs --file, and --revision: the revision that the file was made from.")
        known = _read(options).definition
        definition = api.drafts.numbered(known, read_definition(options["file"]))
        at = DraftAt(options["target"], options["branch"], options["revision"])
        saved = api.drafts.save(at, definition, summary=options["reason"], actor=options["actor"])
        self._report_draft(saved, options)

    def _merge(self, options: dict[str, Any]) -> None:
        draft = _read(options)
        merged, version = api.drafts.merge_running(draft)
        _refuse_conflicts(merged)
        saved = api.drafts.save(
            draft.at,
            merged.definition,
            summary=Summary("merged with version %(version)s", {"version": version}),
            base_version=version,
            actor=options["actor"],
        )
        self._report_draft(saved, options)

    def _discard(self, options: dict[str, Any]) -> None:
        draft = _read(options)
        api.drafts.discard(_at(draft, options))
        self._report_draft(draft, options, " is discarded")

    def _report_draft(self, draft: DraftInfo, options: dict[str, Any], done: str = "") -> None:
        if options["json"]:
            self.write_json(asdict(draft))
            return
        state = done or f" is at revision {draft.revision}, made from version {draft.base_version}"
        self.stdout.write(f"Draft {draft.branch} of flow {draft.flow}{state}.")

    # -- publications
    def _publish(self, options: dict[str, Any]) -> None:
        at = _at(_read(options), options)
        done = api.publications.request(at, _choices(options), actor=options["actor"])
        self._report_publication(done, options)

    def _rollback(self, options: dict[str, Any]) -> None:
        if options["from_version"] is None:
            raise Usage("rollback needs --from-version.")
        flow, version = options["target"], options["from_version"]
        done = api.publications.request_rollback(flow, version, _choices(options), actor=options["actor"])
        self._report_publication(done, options)

    def _requests(self, options: dict[str, Any]) -> None:
        found = api.publications.list(options["target"] or None)
        self._report(found, _REQUESTS, options, "There are no publications.")

    def _approve(self, options: dict[str, Any]) -> None:
        self._decide(requesters.approve_publication, options)

    def _reject(self, options: dict[str, Any]) -> None:
        self._decide(api.publications.reject, options)

    def _withdraw(self, options: dict[str, Any]) -> None:
        self._decide(api.publications.withdraw, options)

    def _decide(self, decide: Any, options: dict[str, Any]) -> None:
        done = decide(int(options["target"]), note=options["note"], actor=options["actor"])
        self._report_publication(done, options)

    def _report_publication(self, done: Publication, options: dict[str, Any]) -> None:
        if options["json"]:
            self.write_json(asdict(done))
            return
        more = {
            "published": f" as version {done.version}",
            "requested": ": another person has to approve it",
            "approved": f" for {done.publish_at:%Y-%m-%d %H:%M %Z}" if done.publish_at else "",
        }.get(done.status, "")
        self.stdout.write(f"Publication {done.id} of flow {done.flow} is {done.status}{more}.")

    def _report(
        self, found: list[Any], columns: tuple[str, ...], options: dict[str, Any], empty: str
    ) -> None:
        if options["json"]:
            self.write_json([asdict(one) for one in found])
        else:
            rows = [[getattr(one, column) for column in columns] for one in found]
            self.write_table(columns, rows, empty)


def _read(options: dict[str, Any]) -> Draft:
    return api.drafts.read(options["target"], options["branch"])


def _at(draft: Draft, options: dict[str, Any]) -> DraftAt:
    """Return the revision that was named, else the present one."""
    given = options["revision"]
    return draft.at if given is None else draft.at._replace(revision=given)


def _choices(options: dict[str, Any]) -> PublicationChoices:
    return PublicationChoices(options["reason"], options["reopen_final"], options["at"])


def _refuse_conflicts(merged: Merge) -> None:
    if merged.conflicts:
        places = ", ".join("/".join(map(str, conflict.path)) for conflict in merged.conflicts)
        raise Rejected(f"Both changed: {places}. Nothing was saved; decide in the draft, or save a file.")


def _time(text: str) -> datetime:
    found = moment(text)
    return found if found.tzinfo else timezone.make_aware(found)
