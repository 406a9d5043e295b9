"""Jobs, and the results of starting, completing and failing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from flows.errors import WedError


class ClaimedJob(NamedTuple):
    """A job that the caller holds: by locks (`claim` is None) or by a lease."""

    id: int
    flow: str
    wid: int
    tgid: int
    transition: str
    claim: int | None
    payload: dict[str, Any]
    state: dict[str, Any]
    matched: list[int]
    timeout: timedelta | None
    deadline: datetime | None
    attempts: int
    reads: list[str] | None
    writes: list[str] | None
    version: int
    mode: str


class Offer(NamedTuple):
    """A pending job that was read without a lock; another worker may hold it by the time it is taken."""

    id: int
    wid: int
    tgid: int
    transition: str


class NeverOffered(NamedTuple):
    """A name that a worker serves and never gets a job of, in words; `near` is what is perhaps meant.

    `flow` is None without a flow of that name, or where the name is served in any flow.
    """

    serves: str
    flow: str | None
    transition: str
    near: str | None
    message: str
    hint: str


@dataclass(frozen=True, slots=True)
class StartResult:
    """One result of start_many: instance number and status, or the error; `ord` counts the states from 1.

    `known`: the key named the instance already, so none was started. `differs`: the attributes of the given
    state that it was started with other values of.
    """

    ord: int
    wid: int | None
    status: str | None
    error: WedError | None = None
    known: bool = False
    differs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class StepResult:
    """One result of complete_many: number of the step, status and fired transitions, or the error."""

    job_id: int
    ok: bool
    seq: int | None
    status: str | None
    fired: list[str]
    error: WedError | None = None


@dataclass(frozen=True, slots=True)
class FailResult:
    """One result of fail_many: attempts so far, whether the job is parked, else when it is offered again."""

    job_id: int
    attempts: int
    parked: bool
    not_before: datetime | None


@dataclass(frozen=True, slots=True)
class Completion:
    """The result of a job: changed attributes, or the paper's SET string."""

    job: ClaimedJob
    changes: Mapping[str, Any] | None = None
    set_text: str | None = None


@dataclass(frozen=True, slots=True)
class Failure:
    """A failed attempt of a job."""

    job: ClaimedJob
    message: str
    sqlstate: str = ""
