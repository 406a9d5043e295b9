"""What the client asks when its person goes offline, and what is given to the desk."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from flows import api, json_text
from flows.access import task_keys
from flows.database_errors import error_for
from flows.errors import Refused, WedError
from monitor.offline.answers import in_language_of_client, refusing
from monitor.offline.exchange import problem_of, shown
from pages.guard import page
from pages.urlparams import long_number

MB = 1_000_000
REPORTED = {"free": "free_bytes", "energy": "energy"}


def least() -> dict[str, int]:
    """Return the energy and the free space without which no task is locked on a device that reports them."""
    return {"energy": settings.WEDSQL_OFFLINE_ENERGY, "free_bytes": settings.WEDSQL_OFFLINE_SPACE_MB * MB}


def lock_on(request: HttpRequest, key: str, task: int) -> None:
    """Lock a task on the device of the user that has this key, with what the device reports of itself.

    Raises UnknownTask, TaskTaken, NotPermittedTask, BadDefinition, DeviceEnded, DeviceLimit, DeviceWeak.
    """
    person = request.user.get_username()
    report = {kernel: request.POST[name] for name, kernel in REPORTED.items() if name in request.POST}
    api.offline.device_seen(person, key, report)
    plan = {"lock": [task], "least": least()}
    (found,) = api.offline.go_offline(person, key, task_keys(request.user), plan)["tasks"]
    if given := found.get("problem"):
        raise _error(given)


@require_POST
@page
@in_language_of_client
def away(request: HttpRequest) -> HttpResponse:
    """Lock tasks for the device and give others back, in one request; note how long the person is away."""
    try:
        given = json_text.decode(request.body)
        plan = {name: given[name] for name in ("lock", "back", "minutes") if given.get(name) is not None}
        key = str(given["device"])
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return JsonResponse({"code": "", "message": _("This is no list of tasks."), "hint": ""}, status=400)
    person = request.user.get_username()
    try:
        found = api.offline.go_offline(person, key, task_keys(request.user), plan | {"least": least()})
    except Refused as refused:
        return refusing(refused)
    return JsonResponse(found | {"tasks": [_answered(one) for one in found["tasks"]]})


def _answered(one: dict[str, Any]) -> dict[str, Any]:
    """Return the outcome of a task, with its problem in the language of the reader."""
    given = one.get("problem")
    if given:
        one["problem"] = problem_of(_error(given))
    return one


def _error(given: dict[str, Any]) -> WedError:
    texts = {name: str(given.get(name) or "") for name in ("message", "hint", "detail")}
    return error_for(str(given["code"]), texts["message"], hint=texts["hint"], detail=texts["detail"])


@require_POST
@page
@in_language_of_client
def desk(request: HttpRequest) -> HttpResponse:
    """Give a refused result of the device to the desk, where people decide on it."""
    number = min(long_number(request.POST.get("number")) or 0, 2**31 - 1)
    try:
        found = api.offline.give_result(
            request.user.get_username(), request.POST.get("device", "").replace("\x00", ""), number
        )
    except Refused as refused:
        return refusing(refused)
    return JsonResponse({"result": shown(found)})
