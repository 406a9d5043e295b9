"""Who calls the API, and what the caller may do: by a token, or by the session of a browser."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from django.conf import settings
from django.http import Http404, HttpRequest
from ninja.utils import check_csrf

from flows.access import (
    Action,
    AnyUser,
    flow_or_404,
    flows_of,
    granting,
    instance_or_404,
    leave_out,
    may,
    may_on,
    may_see,
    note_list,
    rights,
    rights_for,
    shown_to,
    visible_flows,
)
from flows.api.approvals import read as read_proposal
from flows.api.bulk import read as read_bulk
from flows.capabilities.cases.rights import case_or_404
from flows.errors import UnknownBulk, UnknownProposal
from flows.queries.definitions import FlowInfo, flow_by_name
from flows.queries.instances import Instance, instance
from monitor.api import limits, tokens
from monitor.api.limits import Rate
from monitor.api.problems import Problem
from monitor.models import ApiToken
from pages.live.users import user_of

SCHEME = "bearer "
SAFE = ("GET", "HEAD", "OPTIONS")


@dataclass(frozen=True)
class Caller:
    """A user, with the token that restricts what may be done in the user's name, or the session's key."""

    user: AnyUser
    token: ApiToken | None = None
    session: str = ""

    @property
    def name(self) -> str:
        return str(self.user.get_username())

    @property
    def key(self) -> str:
        """Return the name under which requests are counted."""
        return f"token {self.token.pk}" if self.token else f"user {self.user.pk}"

    @property
    def flows(self) -> frozenset[str] | None:
        """Return the names of the flows that the caller sees; None means all of them."""
        visible = visible_flows(self.user)
        if self.token is None or not self.token.flows:
            return visible
        named = frozenset(self.token.flows)
        return named if visible is None else named & visible

    @property
    def listed(self) -> frozenset[str] | None:
        """Return `flows` for a list that shows values, which is recorded."""
        found = self.flows
        note_list(self.user, found)
        return found

    def flows_to(self, action: Action) -> frozenset[str] | None:
        """Return the flows in which the caller has a right; None means all of them."""
        if not self._granted(action):
            return frozenset()
        allowed, seen = flows_of(self.user, action), self.flows
        return seen if allowed is None else allowed if seen is None else allowed & seen

    def sees(self, flow: str) -> bool:
        return self._in_scope(flow) and may_see(self.user, flow)

    def may(self, action: Action, flow: str) -> bool:
        return self._in_scope(flow) and self._granted(action) and may(self.user, action, flow)

    def may_on(self, action: Action, flow: str, wid: int) -> bool:
        """Return whether the caller may do this with this instance of the flow."""
        return self._in_scope(flow) and self._granted(action) and may_on(self.user, action, flow, wid)

    def check(self, operation: str, flow: str, wid: int, arguments: Mapping[str, Any] | None = None) -> None:
        """Check that the caller may do this operation on this instance of the flow. Raises Problem."""
        enough = rights_for(operation, wid, arguments)
        if not any(self.may_on(each, flow, wid) for each in enough):
            raise forbidden(flow, enough[0])

    def rights(self, flow: str) -> list[str]:
        """Return the rights of the caller in a flow by the API."""
        found: Iterable[Action] = rights(self.user, flow) if self._in_scope(flow) else ()
        return sorted(each for each in found if each in ("see", *tokens.RIGHTS) and self._granted(each))

    def flow_or_404(self, name: str) -> FlowInfo:
        if "\x00" in name or not self._in_scope(name):
            raise Http404
        return flow_or_404(self.user, name)

    def instance_or_404(self, wid: int) -> tuple[Instance, FlowInfo]:
        found, flow = instance_or_404(self.user, min(wid, 2**31 - 1))
        if not self._in_scope(found.flow):
            raise Http404
        return found, flow

    def of_case_or_404(self, number: int) -> tuple[Instance | None, FlowInfo]:
        """Return the instance of a case, None if it was removed, and its flow."""
        found = case_or_404(self.user, number)
        flow = flow_by_name(found.flow) if self._in_scope(found.flow) else None
        if flow is None:
            raise Http404
        return instance(found.wid), shown_to(self.user, flow, found.wid)

    def of_proposal_or_404(self, number: int) -> tuple[Instance | None, FlowInfo]:
        """Return the instance of a proposal, None if it is about none or was removed, and its flow."""
        if number >= 2**63:
            raise Http404
        try:
            found = read_proposal(number)
        except UnknownProposal:
            raise Http404 from None
        if found.wid and self.may_on("see", found.flow, found.wid) and instance(found.wid):
            return self.instance_or_404(found.wid)
        return None, self.flow_or_404(found.flow)

    def flow_of_bulk_or_404(self, number: int) -> FlowInfo:
        """Return the first flow of an operation on many instances, all of whose flows the caller sees."""
        try:
            flows = read_bulk(number).flows if number < 2**63 else []
        except UnknownBulk:
            raise Http404 from None
        found = [self.flow_or_404(each) for each in flows]
        if not found:
            raise Http404
        return found[0]

    def renewed(self) -> Caller | None:
        """Return the caller as of now; None if the token, the session or the account has ended."""
        if self.token is not None:
            token = tokens.valid(self.token.pk)
            return Caller(token.user, token) if token else None
        engine = import_module(settings.SESSION_ENGINE)
        user = user_of(engine.SessionStore(self.session))
        return Caller(user, session=self.session) if user.is_authenticated else None

    def _in_scope(self, flow: str) -> bool:
        return self.token is None or not self.token.flows or flow in self.token.flows

    def _granted(self, action: Action) -> bool:
        if self.token is None or action == "see":
            return True
        return any(each in self.token.rights for each in granting(action))


@dataclass(frozen=True)
class Call:
    """One request that may be performed: its caller, and the flow and the instance of its address."""

    caller: Caller
    rate: Rate
    flow: FlowInfo | None = None
    instance: Instance | None = None


class Needs:
    """The authentication of an endpoint, which also checks the right to the flow or instance in its address.

    Every endpoint has one, so that none can forget the check: what the caller may not see is not found, and
    what may be seen but not done is forbidden, before the body is parsed.
    """

    def __init__(
        self, *actions: Action, masks: bool = False, most: Callable[[], int] = lambda: limits.MOST_BODY
    ) -> None:
        """Store the rights, of which the caller needs one, and whether concealed values are left out.

        `most` returns how many bytes the body may have.
        """
        self.actions, self.masks, self.most = actions, masks, most

    def __call__(self, request: HttpRequest) -> Call:
        caller = identify(request)
        if self.masks:
            leave_out(caller.user)
        rate = limits.use(caller.key)
        request.api_rate = rate  # type: ignore[attr-defined]  # for the headers of the response
        limits.check_body(request, self.most())
        given = request.resolver_match.kwargs if request.resolver_match else {}
        found, flow = self._subject(caller, given)
        if flow and not any(_may(caller, action, flow, found) for action in self.actions):
            raise forbidden(flow.name, self.actions[0])
        if not flow and all(each != "see" and caller.flows_to(each) == frozenset() for each in self.actions):
            raise Problem(403, f"You may not {self.actions[0]} instances.")
        return Call(caller, rate, flow, found)

    @staticmethod
    def _subject(caller: Caller, given: dict[str, Any]) -> tuple[Instance | None, FlowInfo | None]:
        if "wid" in given:
            return caller.instance_or_404(int(given["wid"]))
        if "case" in given:
            return caller.of_case_or_404(int(given["case"]))
        if "proposal" in given:
            return caller.of_proposal_or_404(int(given["proposal"]))
        if "bulk" in given:
            return None, caller.flow_of_bulk_or_404(int(given["bulk"]))
        return None, caller.flow_or_404(str(given["name"])) if "name" in given else None


def _may(caller: Caller, action: Action, flow: FlowInfo, found: Instance | None) -> bool:
    return caller.may_on(action, flow.name, found.wid) if found else caller.may(action, flow.name)


def forbidden(flow: str, action: str) -> Problem:
    """Return the error for a right that the caller does not have."""
    denied = {
        "design": "design it",
        "look": "look at its masked values",
        "audit": "see the looks at its masked values",
    }.get(action, f"{action} its instances")
    return Problem(403, f"You may see the flow {flow}, but not {denied}.")


def identify(request: HttpRequest) -> Caller:
    """Return the caller; a change by a session needs the CSRF token. Raises Problem."""
    header = request.headers.get("Authorization", "")
    if header:
        return _by_token(header)
    if not request.user.is_authenticated:
        raise _unauthorized("The request has neither a token nor a session.")
    if request.method not in SAFE and check_csrf(request) is not None:
        raise Problem(403, "The CSRF token is missing or wrong.", "Send it in the header X-CSRFToken.")
    return Caller(request.user, session=request.session.session_key or "")


def _by_token(header: str) -> Caller:
    found = tokens.find(header[len(SCHEME) :].strip()) if header.lower().startswith(SCHEME) else None
    if found is None:
        raise _unauthorized("The token is unknown, expired or revoked.")
    return Caller(found.user, found)


def _unauthorized(detail: str) -> Problem:
    hint = "Send “Authorization: Bearer TOKEN”; tokens are made on the page Tokens of your account."
    return Problem(401, detail, hint, WWW_Authenticate='Bearer realm="WED-SQL"')
