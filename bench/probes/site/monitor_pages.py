"""Run as a web process: print the figures of the pages of the monitor."""

from __future__ import annotations

from urllib.parse import quote

import django

from bench.probes.site import page_times


def main() -> None:
    """Print the figures of all pages."""
    django.setup()
    from bench.work.definition import FLOW
    from flows.capabilities.figures.queries import WINDOWS
    from flows.queries.definitions import flow_by_name

    flow = flow_by_name(FLOW)
    if flow is None:
        raise RuntimeError("the flow is not there")
    trends = {f"Overview, {name}": f"/?trend={name}" for name in WINDOWS}
    page_times.print_times(trends | _lists(f"/flows/{FLOW}/") | _others(f"/flows/{FLOW}/"))


def _lists(flow: str) -> dict[str, str]:
    def chosen(text: str) -> str:
        return f"?q={quote(text)}"

    return {
        "Instances": flow,
        "Instances, final": flow + chosen("status:final"),
        "Instances, exceptions": flow + chosen("status:exception"),
        "Instances, oldest first": f"{flow}?sort=id",
        "Instances, indexed attribute, one in a thousand": flow + chosen('a2:"rare"'),
        "Instances, indexed attribute, none": flow + chosen('a2:"nothing like it"'),
        "Instances, running, attribute without an index": flow
        + chosen('status:running a3:"nothing like it"'),
        "Instances of all flows": "/instances/",
        "Instances of all flows, exceptions": "/instances/" + chosen("status:exception"),
    }


def _others(flow: str) -> dict[str, str]:
    return {
        "Instance, final": "/instances/1000/",
        "Instance, step": "/instances/1000/steps/5/",
        "Instance, running": f"/instances/{_newest('R')}/",
        "Why": f"/instances/{_newest('R')}/why/",
        "Why, exception": f"/instances/{_newest('E')}/why/",
        "Picture": f"{flow}picture/",
        "Analysis": f"{flow}analysis/",
        "Jobs": f"{flow}jobs/",
        "Exceptions": "/exceptions/",
        "Workers": "/workers/",
        "Health": "/health/",
        "Alerts": "/alerts/",
        "Views": "/views/",
        "Search, number": "/search/?q=1000",
        "Search, value": "/search/?q=rare",
    }


def _newest(status: str) -> int:
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(
            "select wid from wedsql.instance where status = %s order by wid desc limit 1", [status]
        )
        return int(cursor.fetchone()[0])


if __name__ == "__main__":
    main()
