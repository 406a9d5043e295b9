"""The page where a draft or an earlier version is published: changes, problems, impact, approval, time."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

from django.contrib import messages
from django.db import OperationalError, transaction
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils.dateformat import format as date_format
from django.utils.dateparse import parse_datetime
from django.utils.timezone import localtime
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from flows import api
from flows.access import may, rights
from flows.definition.sentences import order_sentences, sentences
from flows.designer.draft.content import Design, design_of
from flows.designer.draft.current import Shown, proposed_definition
from flows.designer.draft.sentences import reader
from flows.designer.draft.tabs import design_page
from flows.designer.editor.lists import Listed, about, listed
from flows.designer.publication.impact import examined, groups_of, impact_of
from flows.designer.publication.open_warnings import Unanswered, ask, confirm
from flows.designer.publication.outcome import Outcome, outcomes
from flows.designer.publication.progress import Progress, progress
from flows.designer.trial.path import limited
from flows.errors import BadDefinition, Refused, TooSlow, WedError
from flows.messages import stored
from flows.queries.base import snapshot
from flows.types import MAIN, DraftAt, Problem, Publication, PublicationChoices
from flows.users import requesters
from flows.users.groups import create_groups_of
from pages.guard import is_timeout, page
from pages.urlparams import number

SHOWN_REQUESTS = 10
LONGEST_REASON = 1_000
# A publication that is estimated to take longer than this many seconds is queued for the reaper: statements
# of pages end after five, with this SQLSTATE.
LONGEST_AT_ONCE = 2
NOT_IN_TIME = "57014"


@require_http_methods(["GET", "HEAD", "POST"])
@page
def publish(request: HttpRequest, flow_id: int | None = None, name: str | None = None) -> HttpResponse:
    """Return the page; a POST requests a publication, or decides about one.

    A flow that was never published has only a `name`.
    """
    question = None
    if request.method == "POST" and request.POST.get("do") != "examine":
        try:
            return _act(request, flow_id, name)
        except Unanswered as unanswered:
            question = unanswered
        except (Refused, TooSlow, OperationalError) as error:
            messages.error(request, _refusal(error))  # the page keeps what was typed
    with snapshot():
        design = design_of(request, flow_id, name)
        context = design_page(request, design, "publish") | {"flow": design.flow}
        version = number(request.POST.get("version") or request.GET.get("version"))
        proposed = proposed_definition(design.name, version)
        running = api.drafts.running_definition(design.name)[1]
        context |= {
            "proposed": proposed,
            "version": version,
            "requests": (requests := _requests(design.name)),
            "followed": any(each.progress for each in requests),
            # The instances are locked then, and what would be predicted is about to change.
            "publishing": any(each.progress and each.progress.phase == "publishing" for each in requests),
            "rights": (allowed := rights(request.user, design.name)),
            "waiting": (waiting := [each.publication for each in requests if each.waits]),
            "asked": (asked := _asked(waiting, proposed)),
            "offered": "publish" in allowed and not asked,
            "needs_approval": running.get("needs_approval", False),
            "user_name": request.user.get_username(),
            "question": question,
            "typed": request.POST,
            "chosen": groups_of(request.POST),
        }
    if request.GET.get("part") == "requests":
        return render(request, "admin/flows/designer/parts/requests.html", context)
    with limited():
        context["changes"] = _changes(running, proposed.definition)
        # What runs has none, and what has not changed in a draft is not checked again.
        found = (
            design.problems
            if version is None
            else api.conditions.check_definition(design.name, proposed.definition)
        )
    context["problems"] = _problems(design, proposed, found)
    if (request.POST.get("do") == "examine" or "examine" in request.GET) and not found and design.flow:
        reopen = "reopen_final" in request.POST
        context |= {"examined": True, "flow_id": design.flow.id}
        context |= examined(design.name, proposed.definition, reopen, context["chosen"])
    # The script of the page, or the button of one without scripts, asks what publishing would do.
    shown = not found and not context["publishing"] and not (proposed.draft and proposed.draft.stale)
    context["impact_comes"] = bool(design.flow and shown and not question and "examined" not in context)
    return render(request, "admin/flows/designer/publish.html", context)


def _changes(running: dict[str, Any], definition: dict[str, Any]) -> list[str] | None:
    """Return the changes of a publication, in sentences; None if a value of the draft cannot be read."""
    if definition == running:  # also without a draft
        return []
    try:
        with transaction.atomic():
            changes = sentences(api.flows.difference(running, definition), reader(running, definition))
            return changes + order_sentences(running, definition)
    except BadDefinition:
        return None


def _problems(design: Design, proposed: Shown, problems: Iterable[Problem]) -> list[Listed]:
    """Return the problems, each with what it is about; those of a draft with the address to mend them."""
    if proposed.draft:
        return [listed(design, problem) for problem in problems]
    return [Listed(problem, about(proposed.definition, problem), "") for problem in problems]


@dataclass(frozen=True)
class Request:
    """A publication as the page lists it: what it did, or how far it is."""

    publication: Publication
    outcome: Outcome | None
    progress: Progress | None

    @property
    def waits(self) -> bool:
        """Return whether it waits for its approval or for its time."""
        publishing = self.progress is not None and self.progress.phase == "publishing"
        return self.publication.status in ("requested", "approved") and not publishing

    @property
    def message(self) -> str:
        """Return why the last try failed, in the language of the user."""
        return stored(self.publication.message or "")


def _requests(flow: str) -> list[Request]:
    """Return the open requests and the newest others."""
    found = {each.id: each for each in api.publications.list(flow, only_open=True)}
    found |= {each.id: each for each in api.publications.list(flow, limit=SHOWN_REQUESTS)}
    done = outcomes(each.id for each in found.values() if each.status == "published")
    listed = sorted(found.values(), key=lambda each: -each.id)
    now = datetime.now(UTC)
    return [Request(each, done.get(each.id), progress(each, now)) for each in listed]


def _asked(waiting: Iterable[Publication], proposed: Shown) -> bool:
    """Return whether the publication of the draft as it is waits already: a second one could only fail."""
    draft = proposed.draft
    return draft is not None and any(
        (each.branch, each.revision, each.base_version) == (MAIN, draft.revision, draft.base_version)
        for each in waiting
    )


def _act(request: HttpRequest, flow_id: int | None, name: str | None) -> HttpResponse:
    """Do what the button says, and return to the page with the result as a message."""
    flow = design_of(request, flow_id, name).name
    kind, _colon, argument = request.POST.get("do", "").partition(":")
    if not may(request.user, "approve" if kind in ("approve", "reject") else "publish", flow):
        raise Http404
    publishes = kind == "publish"
    done = _request(request, flow) if publishes else _decide(request, flow, kind, number(argument))
    _tell(request, done)
    # A flow that was never published has another address after its first publication.
    return HttpResponseRedirect(design_of(request, None, flow).address("publish"))


def _refusal(error: WedError | OperationalError) -> str:
    """Return the message of an error for people. Raises the error if the database is unavailable."""
    if isinstance(error, OperationalError):
        if not is_timeout(error):
            raise error
    elif error.code != NOT_IN_TIME:
        return error.sentence
    return _(
        "The database is busy: nothing was published, and the publication could not be queued. Try again."
    )


def _request(request: HttpRequest, flow: str) -> Publication:
    """Request the publication of the draft or the version that the page showed."""
    version = number(request.POST.get("version"))
    answer = request.POST.get("confirmed", "")
    warnings = ask(flow, proposed_definition(flow, version).definition, answer)
    choices = PublicationChoices(
        reason=request.POST.get("reason", "")[:LONGEST_REASON],
        reopen_final="reopen_final" in request.POST,
        publish_at=_time(request.POST.get("publish_at", "")),
        groups=groups_of(request.POST),
    )
    choices = _predicted(flow, version, choices)
    return confirm(request, lambda: _request_in_time(request, flow, version, choices), warnings)


def _request_in_time(
    request: HttpRequest, flow: str, version: int | None, choices: PublicationChoices
) -> Publication:
    try:
        with transaction.atomic():
            return _request_now(request, flow, version, choices)
    except (Refused, TooSlow) as error:
        # The reaper has more time than a page.
        if error.code != NOT_IN_TIME or choices.publish_at is not None:
            raise
    return _request_now(request, flow, version, replace(choices, publish_at=_soon()))


def _request_now(
    request: HttpRequest, flow: str, version: int | None, choices: PublicationChoices
) -> Publication:
    actor = request.user.get_username()
    create_groups_of(flow)  # so that rights can be given to people before the first instance starts
    if version is not None:
        return api.publications.request_rollback(flow, version, choices, actor=actor)
    revision = number(request.POST.get("revision"))
    at = DraftAt(flow, MAIN, revision if revision is not None else -1)
    return api.publications.request(at, choices, actor=actor)


def _predicted(flow: str, version: int | None, choices: PublicationChoices) -> PublicationChoices:
    """Return the choices with what is expected, if that can be computed in time.

    A publication that is long is given a time, so that the reaper makes it.
    """
    try:
        definition = proposed_definition(flow, version).definition
        found = impact_of(flow, definition, choices.reopen_final, choices.groups)
    except (Refused, TooSlow, Http404):
        return choices
    soon = None
    if found.estimated_seconds > LONGEST_AT_ONCE:
        soon = _soon()
    return replace(choices, prediction=asdict(found), publish_at=choices.publish_at or soon)


def _soon() -> datetime:
    """Return the next time that the database still accepts when the request arrives."""
    return datetime.now(UTC) + timedelta(seconds=2)


def _time(text: str) -> datetime | None:
    """Return the time of the form, which is UTC; None for now. Raises WedError."""
    if not text.strip():
        return None
    try:
        found = parse_datetime(text.strip())
    except ValueError:
        found = None
    if found is None:
        raise Refused(
            _("“%(text)s” is not a time: write for example 2026-12-31 08:00.") % {"text": text[:40]}
        )
    return found.replace(tzinfo=UTC) if found.tzinfo is None else found


def _decide(request: HttpRequest, flow: str, kind: str, publication: int | None) -> Publication:
    decisions: dict[str, Callable[..., Publication]] = {
        "approve": requesters.approve_publication,
        "reject": api.publications.reject,
        "withdraw": api.publications.withdraw,
    }
    if kind not in decisions or publication is None:
        raise Refused(_("The page sent no action that is known."))
    if api.publications.read(publication).flow != flow:
        raise Http404
    note = request.POST.get("note", "")[:LONGEST_REASON]
    decide = partial(decisions[kind], publication, note=note, actor=request.user.get_username())
    return confirm(request, decide, publication=publication)


def _planned(at: datetime | None) -> str:
    """Return when an approved publication is made."""
    if at is None or at < datetime.now(UTC) + timedelta(seconds=5):
        return _("It is queued, because it takes longer than a page may take; below is how far it is.")
    return _("It will be published at %(at)s.") % {"at": date_format(localtime(at), "Y-m-d H:i")}


def _tell(request: HttpRequest, done: Publication) -> None:
    """Add the message that says what became of the request."""
    texts = {
        "requested": _("The publication is requested. Another person has to approve it."),
        "approved": _planned(done.publish_at),
        "published": _("Version %(v)s is published.") % {"v": done.version},
        "rejected": _("The request is rejected."),
        "withdrawn": _("The request is withdrawn."),
        "failed": _("It could not be published: %(why)s") % {"why": stored(done.message or "")},
    }
    add = messages.error if done.status == "failed" else messages.success
    add(request, texts[done.status])
