"""The endpoint that reads the webhooks of a flow."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest

from flows import api as kernel
from monitor.api.routing import READ, call_of, flow_of, router
from monitor.webhooks.schemas import WebhooksOut


@router.get("/flows/{slug:name}/webhooks", response=WebhooksOut, auth=READ, summary="Webhooks")
def webhooks(request: HttpRequest, name: str) -> Any:
    """Return the webhooks of a flow; their addresses are returned to who may operate it."""
    flow_of(request)
    operates = "operate" in call_of(request).caller.rights(name)
    found = [vars(each) | {"url": each.url if operates else None} for each in kernel.webhooks.list([name])]
    return {"items": found}
