"""Run as a web process: print the figures of every page of a flow's definition."""

from __future__ import annotations

import django

from bench.probes.site import page_times


def main() -> None:
    """Print the figures of all pages."""
    django.setup()
    from bench.work.large import CHANGED, LARGE
    from flows.queries.definitions import flow_by_name

    flow = flow_by_name(LARGE)
    if flow is None:
        raise RuntimeError("the flow is not there")
    page_times.print_times(_pages(flow.id, CHANGED))


def _pages(flow: int, rule: int) -> dict[str, str]:
    base = f"/admin/flows/flow/{flow}/"
    return {
        "Rules": f"{base}design/",
        "Rules, one open": f"{base}design/?rule={rule + 1}",
        "Attributes": f"{base}design/attributes/",
        "Attributes, one open": f"{base}design/attributes/?attribute=7",
        "Picture": f"{base}picture/",
        "Try it": f"{base}try/",
        "Checks": f"{base}checks/",
        "Publish": f"{base}publish/",
        "Versions": f"{base}versions/",
        "Text": f"{base}design/text/",
        "Settings": f"{base}design/settings/",
        "Paste rows": f"{base}design/paste/?part=triggers",
    }


if __name__ == "__main__":
    main()
