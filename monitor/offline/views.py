"""The client for work without a connection: its page, its service worker, and what it asks of the site.

The page and the worker are the same for everybody and have no values, so that a browser may keep them. Who
opens the page sees what the device has for the person whose key it holds.
"""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.staticfiles import finders
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.shortcuts import render
from django.templatetags.static import static
from django.urls import reverse
from django.utils.translation import get_language, override
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from flows import api, json_text
from flows.access import masks, task_keys
from flows.capabilities.tasks.rights import task_or_404
from flows.errors import Refused
from monitor.offline import form_results, packages
from monitor.offline.answers import in_language_of_client, is_of_another, of_another, refusing
from monitor.offline.exchange import STATES, sent, shown, synchronized
from monitor.offline.texts import texts
from pages.guard import page

# The styles of the client in their order, which the page gets as one file: first those of every page.
STYLES = (
    "pages/tokens.css", "pages/elements.css", "pages/forms.css", "pages/frame.css", "pages/palette.css",
    "pages/panels.css", "pages/tabs.css", "pages/tables.css", "pages/labels.css", "pages/history.css",
    "pages/typed.css", "pages/motion.css", "monitor/operate.css", "monitor/task.css", "pages/task_form.css",
    "monitor/offline/offline.css",
)  # fmt: skip
FILES = (
    "wedsql_site/mark.svg", "pages/chosen-theme.js", "monitor/task.js",
    "monitor/conditions.js", "pages/device.js", "monitor/offline/app.js", "monitor/offline/store.js",
    "monitor/offline/sync.js", "monitor/offline/outbox.js", "monitor/offline/form.js",
    "monitor/offline/parts.js", "monitor/offline/file_fields.js", "monitor/offline/uploads.js",
    "monitor/offline/requests.js", "monitor/offline/chains.js", "monitor/offline/losses.js",
    "monitor/offline/away.js", "monitor/offline/clock.js", "monitor/offline/plan.js",
    "monitor/offline/tasks.js", "monitor/offline/transfer.js", "monitor/offline/package_files.js",
    "monitor/offline/files_page.js", "monitor/offline/device_facts.js", "monitor/patterns.js",
    "monitor/offline/result_page.js", "monitor/offline/early.js", "monitor/offline/pages.js",
    "monitor/form_requests.js",
    "monitor/form_drafts.js", "monitor/form_fields.js", "monitor/form_tables.js",
)  # fmt: skip
# The modules of the list, which the page names, so that a cold start does not look for one after the other.
MODULES = (
    "monitor/offline/app.js", "monitor/offline/store.js", "monitor/offline/tasks.js",
    "monitor/offline/parts.js",
    "monitor/offline/clock.js", "monitor/offline/losses.js", "monitor/offline/transfer.js",
    "monitor/offline/requests.js", "monitor/offline/device_facts.js", "monitor/form_fields.js",
    "monitor/form_requests.js", "pages/device.js",
)  # fmt: skip
MOST_RESULTS = 50
VERSION = re.compile(r"/([0-9a-f]{12})/")
REPORTED = {
    "free": "free_bytes", "energy": "energy", "unsent": "unsent", "name": "name", "kind": "kind",
    "bandwidth": "bandwidth",
}  # fmt: skip


def version() -> str:
    """Return a version that changes with every static file; "" if addresses have no version."""
    found = VERSION.search(static(FILES[0]))
    return found[1] if found else ""


@require_GET
def start(request: HttpRequest) -> HttpResponse:
    """Show the client in the language of the reader."""
    return HttpResponseRedirect(reverse("monitor:offline_app", args=[get_language() or "en"]))


@require_http_methods(["GET", "HEAD"])
def app(request: HttpRequest, language: str) -> HttpResponse:
    """Show the page of the client in a language; it is the same for everybody."""
    if language not in dict(settings.LANGUAGES):
        raise Http404
    with override(language):
        facts = {"language": language, "program": version(), "texts": texts(), "modules": MODULES}
        return render(None, "monitor/offline/app.html", facts)


@require_http_methods(["GET", "HEAD"])
def worker(request: HttpRequest) -> HttpResponse:
    """Return the service worker with the version and the addresses of what it keeps."""
    kept = [reverse("monitor:offline_app", args=[code]) for code, _name in settings.LANGUAGES]
    kept += [reverse("monitor:offline_styles"), reverse("monitor:offline_manifest")]
    kept += [static(name) for name in FILES]
    facts = {"version": version(), "pages": len(settings.LANGUAGES), "files": kept}
    facts["background"] = static("monitor/offline/background.js")
    return render(
        None,
        "monitor/offline/worker.js",
        {"facts": json.dumps(facts)},
        content_type="text/javascript; charset=utf-8",
    )


@require_http_methods(["GET", "HEAD"])
def styles(request: HttpRequest) -> HttpResponse:
    """Return the styles of the client as one file, so that a cold start does not read one after the other."""
    content = "\n".join(Path(str(finders.find(name))).read_text("utf-8") for name in STYLES)
    return HttpResponse(content, content_type="text/css; charset=utf-8")


@require_http_methods(["GET", "HEAD"])
def manifest(request: HttpRequest) -> HttpResponse:
    """Return the manifest with which a browser installs the client."""
    icon = {"src": static("wedsql_site/mark.svg"), "sizes": "any", "type": "image/svg+xml"}
    found = {
        "name": "WED-SQL", "short_name": "WED-SQL", "display": "standalone", "icons": [icon],
        "start_url": reverse("monitor:offline"), "scope": reverse("monitor:offline"),
    }  # fmt: skip
    return JsonResponse(found, content_type="application/manifest+json")


@require_GET
@page
@masks
@ensure_csrf_cookie
@in_language_of_client
def synchronize(request: HttpRequest) -> HttpResponse:
    """Return who is logged in, how it is with the device, and its tasks, or that none has changed."""
    person, key = request.user.get_username(), request.GET.get("device", "")
    report = {kernel: _number(request.GET[name]) for name, kernel in REPORTED.items() if name in request.GET}
    try:
        contact = api.offline.device_seen(person, key, report | {"program": version()})
        offers = task_keys(request.user) if request.GET.get("offers") == "1" else None
        tasks = (
            []
            if contact.state != "A"
            else [vars(one) for one in api.offline.device_tasks(person, key, offers)]
        )
        known = request.GET.get("known", "") if contact.state == "A" else ""
        found = synchronized(person, key, tasks, known, f"{get_language()} {version()}")
        if request.GET.get("named") == "1" and found["tasks"]:
            found["tasks"] = packages.named(found["tasks"], request.user)
    except Refused as refused:
        return refusing(refused)
    more = {"user": str(request.user.pk), "person": person, "state": STATES[contact.state]}
    return JsonResponse(found | more | {"settled": contact.settled, "now": datetime.now(UTC)})


def _number(text: str) -> Any:
    """Return a number that a device reports; the kernel rejects what is none."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 17 else text[:200]


@require_POST
@page
def unlock(request: HttpRequest) -> HttpResponse:
    """Return the secrets that encrypt what a device of the user stores, and what it saves as files."""
    try:
        contact = api.offline.device_seen(request.user.get_username(), request.POST.get("device", ""))
    except Refused as refused:
        return refusing(refused)
    return JsonResponse({"secret": contact.secret, "files": contact.files, "settled": contact.settled})


@require_GET
@page
@masks
@in_language_of_client
def package(request: HttpRequest, task: int) -> HttpResponse:
    """Return the package of a task: its form as the connected page shows it."""
    person, key = request.user.get_username(), request.GET.get("device", "")
    _sheet, flow = task_or_404(request.user, task)
    try:
        found = api.offline.prefetch_package(person, key, task, task_keys(request.user))
    except Refused as refused:
        return refusing(refused)
    chain = api.offline.chain(person, key, task, task_keys(request.user))
    made = packages.package_of(request, flow, found)
    return JsonResponse(made | {"chain": packages.chain_of(request, flow, found, chain)})


@require_http_methods(["GET", "POST"])
@page
@masks
@in_language_of_client
def results(request: HttpRequest) -> HttpResponse:
    """Keep results of the device, and return what became of each; a GET returns the last 200."""
    person = request.user.get_username()
    try:
        if request.method == "GET":
            device = api.offline.device_seen(person, request.GET.get("device", "")).device
            found = api.offline.results(device, person, limit=200)
            return JsonResponse({"results": [shown(one) for one in found]})
        given = json_text.decode(request.body)
        if is_of_another(request, given.get("user")):
            return of_another()
        key, sent_at, made = given["device"], given["sent_at"], given["results"][:MOST_RESULTS]
        flows, numbered = form_results.FlowsOfRequest(), []
        for one in made:
            content = form_results.content_of(request.user, one, sent_at, flows)
            numbered.append((_whole(one["number"]), content))
        return JsonResponse({"results": sent(person, str(key), numbered)})
    except Refused as refused:
        return refusing(refused)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return JsonResponse({"code": "", "message": "This is no list of results.", "hint": ""}, status=400)


def _whole(number: object) -> int:
    """Return the number of a result. Raises ValueError for what is no whole number that the kernel reads."""
    if type(number) is not int or not 0 <= number < 2**31:
        raise ValueError
    return number
