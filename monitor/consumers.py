"""What the live connections of the monitor's pages watch: every flow, one flow, or one instance."""

from __future__ import annotations

from typing import Any

from flows.access import AnyUser, leave_out, may_on, may_see, visible_flows
from flows.queries.definitions import flow_by_name
from flows.queries.instances import instance
from flows.queries.overview import ids
from pages.live.consumers import LiveConsumer
from pages.live.hub import Topic


class FlowConsumer(LiveConsumer):
    """The live connection of the pages of flows and instances."""

    @staticmethod
    def topic_for(user: AnyUser, target: dict[str, Any]) -> Topic | None:
        """Return the topic that a URL watches for this user, or None if nothing is visible there."""
        leave_out(user)  # frames say what changed, not to which values
        if "wid" in target:
            found = instance(target["wid"])
            seen = found is not None and may_on(user, "see", found.flow, found.wid)
            return Topic("instance", found.flow_id, found.wid) if found and seen else None
        if "name" in target:
            flow = flow_by_name(target["name"]) if may_see(user, target["name"]) else None
            return Topic("flow", flow.id) if flow else None
        visible = visible_flows(user)
        return Topic("all", flows=None if visible is None else frozenset(ids(visible)))
