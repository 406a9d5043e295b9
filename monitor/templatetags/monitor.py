"""Tags and filters of the monitor's pages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date, datetime, timedelta
from functools import lru_cache
from urllib.parse import quote, urlencode

from django import template
from django.conf import settings
from django.utils import formats, timezone
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from flows.access import may
from flows.capabilities.moves.api import Places, Stay
from flows.messages import stored
from flows.queries.counts import Count
from flows.queries.definitions import Attribute, FlowInfo
from flows.queries.history.trace import Step
from monitor import windows
from monitor.bulk.choices import ALL, RESULT_OF_ONE, STATE
from monitor.labels import AGAINST, COUNTED, HOLDER, START_RESULT, WAY, WINDOW, job_figure
from pages.addresses import address
from pages.clock import NOTHING, day
from pages.labels import SYSTEM_JOB, SYSTEM_STEP
from pages.markup import format_html, format_html_join
from pages.templatetags.wed import duration, number

register = template.Library()
# Keeps a number and its sign on one line.
SPACE = "\N{NO-BREAK SPACE}"


@register.filter
def figure(count: Count, state: str) -> SafeString:
    """Return how many jobs are in a state, as the text of a link."""
    return format_html(job_figure(state, count.n), n=number(count))


@register.filter
def stay_of(moved: Places | None, seq: int) -> Stay | None:
    """Return at which installation a step was made; None for an instance that was never elsewhere."""
    return moved.of_step(seq) if moved else None


@register.filter
def written_by(step: Step) -> str:
    """Return the writer of a step: the name of a transition, or a label for the kernel's own steps."""
    if step.written_by in SYSTEM_STEP:
        name = step.written_by
    else:
        name = step.written_by.partition(":")[0]
    jobless = SYSTEM_STEP.get(f"{name} without job") if step.job_id is None else None
    return str(jobless or SYSTEM_STEP.get(name, step.written_by))


@register.simple_tag(takes_context=True)
def step_title(context: template.Context, flow: FlowInfo, step: Step) -> SafeString:
    """Render what wrote a step: the label of its transition, or of the kernel's own step."""
    if flow.transition_titles.get(step.written_by):
        return firing_title(context, flow, step.written_by)
    word = written_by(step)
    if step.written_by.startswith("_COMP:"):
        name = step.written_by.removeprefix("_COMP:")
        return format_html("<b>{}:</b> {}", word, firing_title(context, flow, name))
    return format_html('<b class="mono">{}</b>' if word == step.written_by else "<b>{}</b>", word)


@register.simple_tag(takes_context=True)
def firing_title(context: template.Context, flow: FlowInfo, transition: str) -> SafeString:
    """Render a transition by its label, or a step of the kernel by its label; designers see the name, too."""
    return titled_firing(flow, transition, with_name=_designs(context, flow.name))


def titled_firing(flow: FlowInfo, transition: str, *, with_name: bool) -> SafeString:
    """Return a transition or a step of the kernel by its label as HTML, with its name for designers."""
    title = transition_title(flow, transition)
    css = SafeString(' class="mono"') if title == transition else ""
    name = _name_beside(transition) if with_name and title != transition else ""
    return format_html("<b{}>{}</b>{}", css, title, name)


@register.filter
def transition_title(flow: FlowInfo, name: str) -> str:
    """Return the title of a transition of a flow: its label, that of a step of the kernel, or its name."""
    known = SYSTEM_JOB.get(name) or SYSTEM_STEP.get(name) or SYSTEM_STEP.get(name.partition(":")[0])
    return flow.transition_titles.get(name) or str(known or name)


@register.simple_tag(takes_context=True)
def code_name(context: template.Context, flow: str, name: str, title: str = "") -> SafeString:
    """Render the name of a transition or attribute beside its title, for those who may design the flow."""
    shown = name != title and _designs(context, flow)
    return _name_beside(name) if shown else SafeString("")


def _designs(context: template.Context, flow: str) -> bool:
    user = context.get("user")
    return user is not None and may(user, "design", flow)


def _name_beside(name: str) -> SafeString:
    return format_html(' <span class="small dim mono">{}</span>', name)


@register.simple_tag
def path_title(flow: FlowInfo, transitions: list[str]) -> SafeString:
    """Render a path by the labels of its transitions, with their names as titles."""
    steps = [(name, flow.transition_titles.get(name) or name) for name in transitions]
    return format_html_join(mark_safe(" → "), '<span class="pill" title="{}">{}</span>', steps)


@register.simple_tag
def period(since: datetime, until: datetime) -> SafeString:
    """Render a window by the days and minutes of both ends."""
    local = [timezone.localtime(each) for each in (since, until)]
    ends = [(at.isoformat(), f"{day(at.date())} {at:%H:%M}") for at in local]
    return format_html_join(mark_safe(" \N{EN DASH} "), '<time class="nowrap" datetime="{}">{}</time>', ends)


@register.filter
def way(code: str) -> str:
    """Return how a user was shown values, in words."""
    return str(WAY.get(code, code))


@register.filter
def kernel_text(text: str | None) -> str:
    """Return a stored message of the kernel in the language of the user; any other text unchanged."""
    return stored(text or "")


@register.filter
def first_line(text: str) -> str:
    """Return the first line of a text, such as that of an error without its traceback."""
    return text.strip().partition("\n")[0]


@register.filter
def bulk_state(state: str) -> str:
    """Return the label of the state of a bulk operation."""
    return str(STATE.get(state, state))


@register.filter
def bulk_result(result: str) -> str:
    """Return the label of the result of an instance of a bulk operation."""
    return str(RESULT_OF_ONE.get(result, result))


@register.filter
def bulk_title(operation: str) -> str:
    """Return the title of an operation on many instances."""
    return str(ALL[operation].title) if operation in ALL else operation


@register.filter
def start_result(code: str) -> str:
    """Return the label of what became of a row of a file."""
    return str(START_RESULT[code])


@register.filter
def person(actor: str) -> str:
    """Return the name of who did something; "" for a process, whose name has its number after a colon."""
    return "" if ":" in (actor or "") else actor


@register.filter
def holder(kind: str) -> str:
    """Return the label of what keeps vacuum from removing rows."""
    return str(HOLDER.get(kind, kind))


@register.simple_tag
def querystring_of(**values: str) -> str:
    """Return a query string of these values, without empty ones."""
    return urlencode({name: value for name, value in values.items() if value})


@register.simple_tag
def field_options(fields: Iterable[Mapping[str, str]], chosen: str = "") -> SafeString:
    """Render the options of the fields of a filter (monitor.list_filters.choices); one may be chosen."""
    parts = ("name", "codes", "kind", "choices", "title")
    return _field_options(tuple(tuple(each[part] for part in parts) for each in fields), chosen)


@lru_cache(maxsize=256)
def _field_options(fields: tuple[tuple[str, ...], ...], chosen: str) -> SafeString:
    """Make the options once for a definition and a language: they are large and seldom change."""
    html = '<option value="{}" data-ops="{}" data-type="{}" data-options="{}"{}>{}</option>'
    marks = {chosen: SafeString(" selected")} if chosen else {}
    rows = ((*each[:4], marks.get(each[0], ""), each[4]) for each in fields)
    return format_html_join("\n", html, rows)


@register.filter
def words(text: str) -> list[str]:
    """Return the words of a text."""
    return text.split()


@register.filter
def types(attributes: Iterable[Attribute]) -> list[str]:
    """Return the types of attributes."""
    return [attribute.type for attribute in attributes]


@register.simple_tag
def log_address(flow: str, wid: int, job: int | str = "") -> str:
    """Return where the log system shows the lines of an instance or job, or "" without a setting."""
    found: str = settings.WEDSQL_LOG_URL
    for name, value in (("{flow}", flow), ("{wid}", wid), ("{jid}", job)):
        found = found.replace(name, quote(str(value), safe=""))
    return found


@register.simple_tag
def happened_link(what: str, since: datetime, until: datetime, flow: str = "") -> str:
    """Return the address of the list of the instances of a number of the overview in a window.

    `what` is started, finished or excepted, of one flow or of all.
    """
    place = address("monitor:flow", flow) if flow else address("monitor:instances")
    return f"{place}?{_happened(what, since, until)}"


@lru_cache(maxsize=4096)
def _happened(what: str, since: datetime, until: datetime) -> str:
    return urlencode({"q": windows.happened(what, since, until)})


@register.simple_tag
def steps_link(flow: str, of: str, transition: str, since: datetime, until: datetime) -> str:
    """Return the address of the list of steps (`of` done) or of failed attempts of a transition."""
    query = {"of": of, "transition": transition, "since": windows.written(since)}
    query["until"] = windows.written(until)
    return f"{address('monitor:analysis_steps', flow)}?{urlencode(query)}"


@register.filter
def percent(share: float) -> str:
    """Format a share of 0 to 1 in percent."""
    if 0 < share < 0.001:
        return f"<{SPACE}{formats.number_format(0.1, 1)}{SPACE}%"
    places = 0 if share >= 0.1 or not share else 1
    return f"{formats.number_format(round(share * 100, places), places)}{SPACE}%"


@register.filter
def change(share: float) -> str:
    """Format by which share a number grew, or became smaller, in percent."""
    sign = "+" if share >= 0.005 else "\N{MINUS SIGN}" if share <= -0.005 else "±"
    return f"{sign}{formats.number_format(round(abs(share) * 100), force_grouping=True)}{SPACE}%"


@register.filter
def against_title(name: str) -> str:
    """Return the title of the window that a window is compared with."""
    return str(AGAINST[name])


@register.simple_tag
def day_bars(days: list[tuple[date, int]]) -> SafeString:
    """Render a number of each day as bars, with the numbers in words for who does not see them."""
    most = max((n for _day, n in days), default=0) or 1
    bars = [
        ("" if n else "none", at * 6, 20 - (height := max(round(n / most * 20), 3 if n else 1)), height)
        for at, (_day, n) in enumerate(days)
    ]
    said = [f"{day(each)}: {number(n)}" for each, n in days if n]
    return format_html(
        '<svg class="day-bars" role="img" aria-label="{}" width="{}" height="20">{}</svg>',
        _("By day: %(days)s") % {"days": "; ".join(said) or _("none")},
        len(days) * 6,
        format_html_join("", '<rect class="{}" x="{}" y="{}" width="4" height="{}"/>', bars),
    )


@register.filter
def width(share: float) -> int:
    """Return the width of the bar of a share, of 100."""
    return round(share * 100)


@register.filter
def counted_title(kind: str) -> str:
    """Return the title of the list of what a number of the overview counts."""
    return str(COUNTED[kind])


@register.filter
def seconds(value: float | None) -> str:
    """Format a number of seconds as a duration."""
    if value is None:
        return NOTHING
    return duration(timedelta(seconds=round(float(value), 3 if value < 1 else 0)))


@register.simple_tag
def was_seconds(value: float | str | None) -> SafeString | str:
    """Render a duration of the earlier window below that of the present one; nothing without any.

    In a template what has no value is an empty text.
    """
    if not isinstance(value, float):
        return ""
    return format_html('<span class="was"><span class="sr">{}</span> {}</span>', _("before"), seconds(value))


@register.filter
def week_before(at: datetime) -> datetime:
    """Return the same time of last week."""
    return at - timedelta(days=7)


@register.filter
def window_title(name: str) -> str:
    """Return the title of a window of the trend."""
    return str(WINDOW[name])
