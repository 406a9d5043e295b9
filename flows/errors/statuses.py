"""The HTTP status of each error of the kernel, for pages and the API alike."""

from __future__ import annotations

from flows import errors
from flows.errors.base import WedError
from pages.sqlstates import http_status

NOT_FOUND = (
    errors.UnknownFlow, errors.UnknownInstance, errors.UnknownView, errors.UnknownVersion,
    errors.UnknownSla, errors.UnknownCase, errors.UnknownProposal, errors.UnknownBulk, errors.UnknownFile,
)  # fmt: skip
CONFLICT = (
    errors.NotRunning, errors.InstanceFinal, errors.FinalPending, errors.NotOwner, errors.StaleJob,
    errors.WrongJobState, errors.AlreadyWritten, errors.AttributeInUse, errors.InstanceMoved,
    errors.ConditionGone, errors.CaseClaimed, errors.CaseClosed, errors.NeedsApprovals, errors.BadProposal,
    errors.BulkChanged, errors.BulkEnded, errors.OtherSignal, errors.AmbiguousKey, errors.SignalLimit,
    errors.NotWaitingForChildren,
)  # fmt: skip
FORBIDDEN = (errors.Forbidden, errors.WrongPerson, errors.NotApprover)
UNAVAILABLE = (errors.DiskFull, errors.NoNumbers)


def status_of(error: WedError) -> int:
    """Return the status for an error of the kernel, or of PostgreSQL as an error of the kernel."""
    kinds = ((NOT_FOUND, 404), (CONFLICT, 409), (FORBIDDEN, 403), (UNAVAILABLE, 503))
    for classes, status in kinds:
        if isinstance(error, classes):
            return status
    if error.transient:
        return 503
    # The kernel's own codes are about the input, and an error without a code is one that the site found.
    return 422 if error.code.startswith("WD") or not error.code else http_status(error.code)
