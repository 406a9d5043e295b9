"""The tab Text: the whole definition of the draft as YAML or JSON."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from flows.definition import places as located
from flows.definition.files import NotReadable
from flows.designer.draft import conflicts
from flows.designer.draft.content import Design, Seen, design_of, may_edit
from flows.designer.draft.edits import Definition, title
from flows.designer.draft.rewrites import Question, Rewriting, sign
from flows.designer.draft.submission import Conflicting, Forgotten, Saved, content, save
from flows.designer.draft.tabs import design_page
from flows.designer.editor.files import uploaded
from flows.designer.editor.lists import listed
from flows.errors import Refused
from pages.guard import page

FORMATS = ("yaml", "json")


@dataclass(frozen=True)
class Typed:
    """What the editor shows: the text, an error in it with its place, and what is asked about it.

    `seen` is what the text was made from, if it is not what the page shows.
    """

    format: str
    text: str
    error: str = ""
    place: tuple[int, int] = (0, 0)
    asked: dict[str, Any] = field(default_factory=dict)
    seen: str = ""
    saved: bool = False  # whether it is the text of what the page shows


@require_http_methods(["GET", "HEAD", "POST"])
@page
def text(request: HttpRequest, flow_id: int | None = None, name: str | None = None) -> HttpResponse:
    """Show the definition as a text, or save a changed text."""
    design = design_of(request, flow_id, name)
    if request.method == "POST":
        return _upload(request, design) if request.POST.get("do") == "upload" else _post(request, design)
    if name is not None and design.flow:
        return HttpResponseRedirect(design.address("text"))  # it was published meanwhile
    named = _format(request.GET.get("format"))
    return _show(request, design, Typed(named, located.write(design.definition, named), saved=True))


def _format(text: str | None) -> str:
    return text if text in FORMATS else FORMATS[0]


def _show(request: HttpRequest, design: Design, typed: Typed, status: int = 200) -> HttpResponse:
    context = design_page(request, design, "text") | {
        "typed": typed,
        "formats": FORMATS,
        "error": typed.error,
        "wsql_address": design.address("wsql"),
    }
    context |= {"found": _found(design, typed.text, typed.format) if typed.saved else []}
    context["marks"] = [
        [each["place"].start, each["place"].end] for each in context["found"] if each["place"]
    ]
    return render(request, "admin/flows/designer/text.html", context, status=status)


def _found(design: Design, text: str, named: str) -> list[dict[str, Any]]:
    """Return the problems of the draft with their places in its text, which is read only if there are any."""
    if not design.problems:
        return []
    try:
        read = located.read(text, named)
    except NotReadable:  # a draft may have what no text can say
        read = None
    return [
        {
            "problem": problem,
            "about": listed(design, problem).about,
            "place": read.place(problem.path, problem.position, problem.length) if read else None,
        }
        for problem in design.problems
    ]


def _post(request: HttpRequest, design: Design) -> HttpResponse:
    if not may_edit(request.user, design):
        raise Http404
    seen = Seen.read(request.POST.get("seen", ""))
    if seen is None or "text" not in request.POST:
        messages.error(request, _("The form was sent incompletely. Nothing was saved."))
        return HttpResponseRedirect(design.address("text"))
    named = _format(request.POST.get("format"))
    typed = request.POST["text"].replace("\r\n", "\n")
    try:
        return _save(request, design, seen, Typed(named, typed))
    except NotReadable as wrong:
        shown = Typed(named, typed, _unreadable(wrong), (wrong.line, wrong.column), seen=str(seen))
        return _show(request, design, shown)
    except Conflicting as found:
        return conflicts.ask(request, design, "text", found)
    except Forgotten:
        error = _(
            "The draft was discarded after you opened this page. Nothing was saved; your text is below, and"
            " saving puts it in the place of the present definition."
        )
    except Refused as refused:
        return _show(request, design, Typed(named, typed, refused.sentence, seen=str(seen)), 409)
    return _show(request, design_of(request, None, design.name), Typed(named, typed, error), 409)


def _upload(request: HttpRequest, design: Design) -> HttpResponse:
    """Show an uploaded definition in the editor; it is not saved yet."""
    if not may_edit(request.user, design):
        raise Http404
    file = request.FILES.get("file")
    if file is None:
        messages.error(request, _("Choose a file first."))
        return HttpResponseRedirect(design.address("text"))
    named, text = FORMATS[0], ""
    try:
        named, text = uploaded(file)
        located.read(text, named)
    except NotReadable as wrong:
        if not text:  # a script, or a file that has no text
            messages.error(request, _unreadable(wrong))
            return HttpResponseRedirect(design.address("text"))
        return _show(request, design, Typed(named, text, _unreadable(wrong), (wrong.line, wrong.column)))
    messages.info(request, _("The file is in the editor. It is not saved yet."))
    return _show(request, design, Typed(named, text))


def _save(request: HttpRequest, design: Design, seen: Seen, typed: Typed) -> HttpResponse:
    """Save the text, or ask which of its new items are renamed ones."""
    definition = located.read(typed.text, typed.format).definition
    base = content(seen, design.draft) if design.draft else design.definition
    questions = Rewriting(definition).questions(base)
    signed = sign(questions, base, definition)
    same = _answers(request, questions) if request.POST.get("asked") == signed else {}
    if same is None or any(each.key not in same for each in questions):
        shown = [_question(each, base, definition) for each in questions]
        asked = {"questions": shown, "sign": signed}
        return _show(request, design, Typed(typed.format, typed.text, asked=asked, seen=str(seen)))
    actor = request.user.get_username()
    saved = save(design, seen, Rewriting(definition, same), actor, conflicts.choices(request))
    return _saved(request, design, saved, typed.format)


def _answers(request: HttpRequest, questions: list[Question]) -> dict[tuple[str, int], int | None] | None:
    """Return the choices of the user; None if two items are to be the same earlier one."""
    found: dict[tuple[str, int], int | None] = {}
    for each in questions:
        chosen = request.POST.get(f"same-{each.part}-{each.place}", "")
        if chosen == "new":
            found[each.key] = None
        elif chosen in map(str, each.missing):
            found[each.key] = int(chosen)
    taken = [(part, old) for (part, _place), old in found.items() if old is not None]
    return found if len(taken) == len(set(taken)) else None


def _question(question: Question, base: Definition, typed: Definition) -> dict[str, Any]:
    part = question.part
    return {
        "name": f"same-{part}-{question.place}",
        "title": _named(part, typed[part][question.place]),
        "rule": part == "triggers",
        "missing": [(place, _named(part, base[part][place])) for place in question.missing],
    }


def _named(part: str, item: dict[str, Any]) -> str:
    return str(item.get("name") or "") or title(part, item)


def _unreadable(error: NotReadable) -> str:
    why = getattr(error.__cause__, "problem", None) or getattr(error.__cause__, "msg", None) or str(error)
    if not error.line:
        return _("The text cannot be read: %(why)s Nothing was saved.") % {"why": _sentence(why)}
    words = {"line": error.line, "column": max(error.column, 1), "why": _sentence(why)}
    return (
        _("The text cannot be read at line %(line)s, column %(column)s: %(why)s Nothing was saved.") % words
    )


def _sentence(text: str) -> str:
    return text if text.endswith(".") else f"{text}."


def _saved(request: HttpRequest, design: Design, saved: Saved, named: str) -> HttpResponse:
    text = _("Saved in the draft: %(summary)s.") % {"summary": saved.summary}
    if saved.with_whom:
        text += " " + _("It was merged with what %(who)s saved in the meantime.") % {"who": saved.with_whom}
    messages.success(request, text)
    return HttpResponseRedirect(design.address("text") + ("?format=json" if named == "json" else ""))
