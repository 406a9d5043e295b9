"""Forms that create something: each has a token of its own, and creates one thing however often it is sent.

The tag `once` writes the token, the decorator `once` or the block `claimed` asks for it. A form is claimed
before it does anything: if the server stops in between, it is not sent again by itself.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from functools import wraps
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.utils import timezone
from django.utils.translation import gettext as _

from pages.models import SentForm

FIELD = "once"
KEPT = timedelta(days=2)
_TOKEN = re.compile(r"[0-9a-f]{32}")


def token_of(request: HttpRequest) -> str:
    """Return the token of the form: the one that was sent, if the form is shown again, or a new one."""
    given = request.POST.get(FIELD, "")
    return given if _TOKEN.fullmatch(given) else uuid.uuid4().hex


def once(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponseBase]:
    """Let a form that the view answers by a redirect act once; sent again, it leads to the same page."""

    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        sent = _claim(request)
        if sent is not None and sent[1]:
            return again(request, sent[0].address)
        if sent is None:
            return view(request, *args, **kwargs)
        try:
            answer = view(request, *args, **kwargs)
        except BaseException:
            sent[0].delete()
            raise
        if isinstance(answer, HttpResponseRedirect):
            SentForm.objects.filter(pk=sent[0].pk).update(address=answer.url[:2000])
        else:
            sent[0].delete()
        return answer

    return guarded


@contextmanager
def claimed(request: HttpRequest) -> Iterator[bool]:
    """Yield whether the form is sent for the first time; an error in the block lets it be sent again."""
    sent = _claim(request)
    try:
        yield sent is None or not sent[1]
    except BaseException:
        if sent is not None and not sent[1]:
            sent[0].delete()
        raise


@dataclass
class Request:
    """A request of a program: whether it was sent before, and its answer, "" while there is none."""

    again: bool
    answer: str = ""


@contextmanager
def once_as(user: Any, name: str) -> Iterator[Request]:
    """Let a request that a program has named act once; the block sets its answer, of 2,000 letters at most.

    Without an answer, and after an error, the same request acts again.
    """
    if not name:
        yield Request(False)
        return
    sent, is_new = _sent(f"{user.pk} api {name}")
    made = Request(not is_new, sent.address)
    try:
        yield made
    finally:
        if is_new and made.answer:
            SentForm.objects.filter(pk=sent.pk).update(address=made.answer)
        elif is_new:
            sent.delete()


def again(request: HttpRequest, address: str = "") -> HttpResponseRedirect:
    """Say that a form was sent before, and lead to the page that followed."""
    say_again(request)
    return HttpResponseRedirect(address or request.get_full_path())


def say_again(request: HttpRequest) -> None:
    """Add the message for a form that was sent before."""
    text = _("This form was sent before; nothing is done a second time. To do it again, open the form again.")
    messages.warning(request, text)


def _claim(request: HttpRequest) -> tuple[SentForm, bool] | None:
    """Return the form, and whether it was sent before; None if it has no token."""
    given = request.POST.get(FIELD, "") if request.method == "POST" else ""
    if not _TOKEN.fullmatch(given) or not request.user.is_authenticated:
        return None
    sent, is_new = _sent(f"{request.user.pk} {given}")
    return sent, not is_new


def _sent(token: str) -> tuple[SentForm, bool]:
    """Return the content sent with a token, and whether it is for the first time; delete old ones."""
    SentForm.objects.filter(at__lt=timezone.now() - KEPT).delete()
    return SentForm.objects.get_or_create(token=token)
