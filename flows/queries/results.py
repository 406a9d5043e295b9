"""What transitions wrote most often, for trials."""

from __future__ import annotations

from typing import Any

from flows.queries.base import rows

NEWEST = 500

# The newest results of the rule, by the values that each wrote.
_USUAL = """
with instances as materialized (
  select i.wid, i.started_at from wedsql.instance i
  where i.flow_id = %(flow)s order by i.wid desc limit %(newest)s
), newest as (
  select t.before, t.state from instances i
  cross join lateral (
    select t.before, t.state from wedsql.wed_trace t
    where t.wid = i.wid and t.tgid = %(tgid)s and t.tstmp >= i.started_at - interval '1 day' limit 1) t
)
select written as changes, count(*) as n from newest
cross join lateral (
  select jsonb_object_agg(key, newest.state -> key) as written from jsonb_object_keys(newest.before) as key
  where newest.state -> key is distinct from newest.before -> key) as result
where written is not null
group by written order by count(*) desc, written::text limit %(most)s
"""


def usual_results(flow_id: int, tgid: int, most: int = 3) -> list[dict[str, Any]]:
    """Return the changes that results of a rule had most often in the newest instances, the usual first."""
    found = rows(_USUAL, {"flow": flow_id, "tgid": tgid, "newest": NEWEST, "most": most})
    return [each["changes"] for each in found]


def usual_result(flow_id: int, tgid: int) -> dict[str, Any] | None:
    """Return the changes that the results of a rule had most often; None without a result."""
    return next(iter(usual_results(flow_id, tgid, 1)), None)
