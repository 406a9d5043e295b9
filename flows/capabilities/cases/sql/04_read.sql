-- What people read of cases. p_flows: the flows whose instances the caller may see; null for all.

-- Returns a case with its history, the last 500 entries, oldest first.
-- Raises: WD515.
create or replace function wedsql.read_case(p_number bigint, p_flows text[] default null) returns jsonb
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set timezone = 'UTC' as $$
declare
  v_found jsonb := (
    select wedsql._shown_case(c) || jsonb_build_object('history', (
      select coalesce(jsonb_agg(to_jsonb(e) - 'number' order by e.id), '[]')
      from (select v.* from wedsql.case_event v where v.number = c.number order by v.id desc limit 500) e))
    from wedsql.repair_case c join wedsql.flow f on f.id = c.flow_id
    where c.number = p_number and (p_flows is null or f.name = any (p_flows)));
begin
  if v_found is null then
    perform wedsql._raise('WD515', 'There is no case {case}.', 'It may belong to a flow that was dropped.',
      jsonb_build_object('case', p_number));
  end if;
  return v_found;
end $$;

-- Returns the conditions on cases c that {"state", "queue", "cause", "signature", "severity", "owner", "wid"}
-- select, each of which may be left out; in them $1 is p_where and $2 the present time. A signature may be
-- several that commas separate.
-- Raises: WD514.
create or replace function wedsql._case_conditions(p_where jsonb) returns text
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  v_known jsonb := jsonb_build_object('state', 'wedsql._shown_case_state(c, $2) = $1 ->> ''state''',
    'queue', 'c.queue = $1 ->> ''queue''', 'cause', 'c.cause = $1 ->> ''cause''',
    'signature', 'c.signature = any (wedsql._signature_list($1 ->> ''signature''))',
    'severity', 'c.severity = $1 ->> ''severity''',
    'owner', 'c.owner = $1 ->> ''owner'' and coalesce(c.lease_until, c.waits_until) > $2',
    'wid', 'c.wid = ($1 ->> ''wid'')::integer');
  v_unknown text := (select k from jsonb_object_keys(p_where) k where not v_known ? k limit 1);
begin
  if v_unknown is not null then
    perform wedsql._raise('WD514', 'Cases are not selected by "{name}".',
      'Use state, queue, cause, signature, severity, owner or wid.', jsonb_build_object('name', v_unknown));
  end if;
  return coalesce((select string_agg(' and ' || (v_known ->> k), '') from jsonb_object_keys(p_where) k), '');
end $$;

-- Returns cases, the most urgent first: highest priority, then oldest due time, then smallest number. With
-- p_closed those that are closed, newest first. p_after: the number of the last case of the page before.
-- p_where may have a "person" besides: open cases about which that one decides are among them, of any flow.
-- Raises: WD514.
create or replace function wedsql.list_cases(p_flows text[], p_where jsonb default '{}',
  p_closed boolean default false, p_after bigint default null, p_limit integer default 50)
  returns setof jsonb
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  v_flows integer[] := array(select f.id from wedsql.flow f where p_flows is null or f.name = any (p_flows));
  v_facts jsonb := jsonb_build_object('where', wedsql._case_conditions(p_where - 'person'))
    || case when p_closed then '{}' else jsonb_build_object('after', ' and ($4 is null or (- c.priority, '
             'c.due_at, c.number) > (select - a.priority, a.due_at, a.number from wedsql.repair_case a '
             'where a.number = $4))') end;
  v_decided integer[] := case when p_where ? 'person' and p_flows is not null and not p_closed
                              then wedsql._call_decided_by(p_where ->> 'person', 500) end;
begin
  if v_decided <> '{}' then
    return query execute wedsql._fill(wedsql._cases_of_flows_or_instances(), v_facts)
      using p_where, wedsql.now(), v_flows, p_after, least(greatest(p_limit, 0), 500), v_decided;
    return;
  end if;
  -- The sum keeps the planner from reading all open cases of the flows to sort them.
  return query execute wedsql._fill(case when p_closed then $q$
      select wedsql._shown_case(c) from wedsql.repair_case c join (
        select n.number from unnest($3) u (flow_id) cross join lateral (
          select c.number from wedsql.repair_case c
          where c.flow_id = u.flow_id and c.closed_at is not null and ($4 is null or c.number < $4){where}
          order by c.number desc limit $5) n
        order by n.number desc limit $5) l on l.number = c.number order by c.number desc $q$
    else $q$
      select wedsql._shown_case(c) from wedsql.repair_case c
      where c.closed_at is null and c.flow_id + 0 = any ($3){where}{after}
      order by - c.priority, c.due_at, c.number limit $5 $q$ end, v_facts)
    using p_where, wedsql.now(), v_flows, p_after, least(greatest(p_limit, 0), 500);
end $$;

-- Returns the query for open cases of flows, $3, or of instances, $6: the first $5 of each, and of these.
create or replace function wedsql._cases_of_flows_or_instances() returns text
language sql immutable set search_path = pg_catalog, pg_temp as $$
select $q$
  select wedsql._shown_case(o) from (
    (select c.* from wedsql.repair_case c
     where c.closed_at is null and $3 <> '{}' and c.flow_id + 0 = any ($3){where}{after}
     order by - c.priority, c.due_at, c.number limit $5)
    union all
    (select c.* from wedsql.repair_case c
     where c.closed_at is null and c.wid = any ($6) and c.flow_id + 0 <> all ($3){where}{after}
     order by - c.priority, c.due_at, c.number limit $5)) o
  order by - o.priority, o.due_at, o.number limit $5 $q$
$$;

-- Returns these cases in their order, those that there are, at most 501.
create or replace function wedsql.case_items(p_flows text[], p_numbers bigint[]) returns setof jsonb
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
select wedsql._shown_case(c)
from unnest(p_numbers) with ordinality u (number, place)
join wedsql.repair_case c on c.number = u.number
join wedsql.flow f on f.id = c.flow_id and (p_flows is null or f.name = any (p_flows))
order by u.place limit 501
$$;

-- Returns the state of a case as people read it, null where there is none.
create or replace function wedsql.case_state(p_number bigint) returns text
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
select wedsql._shown_case_state(c, wedsql.now()) from wedsql.repair_case c where c.number = p_number
$$;

-- Filters of lists, and of alerts, compare what cases have; not what the kernel keeps for itself.
grant select (number, flow_id, wid, cause, transition, signature, opened_at, owner, lease_until, waits_until,
  queue, severity, priority, due_at, closed_at) on wedsql.repair_case to wed_web, wed_reaper, wed_monitor;
grant execute on function wedsql.case_state(bigint) to wed_web, wed_reaper, wed_monitor;
grant execute on function wedsql.case_items(text[], bigint[]) to wed_web;

-- Returns the open cases of these flows by cause and signature: how many, since when, how many of them are
-- of the last day, and the newest; large groups first.
create or replace function wedsql.case_groups(p_flows text[] default null, p_limit integer default 100)
returns table (flow text, cause text, signature text, transition text, open bigint, last_day bigint,
  oldest_at timestamptz, newest bigint)
language sql stable security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
select f.name, g.cause, g.signature, c.transition, g.n, g.recent, g.oldest, g.newest
from (select o.flow_id, o.cause, o.signature, count(*) as n, min(o.opened_at) as oldest,
             max(o.number) as newest, count(*) filter (where o.opened_at > d.at) as recent
      from (select wedsql.now() - interval '1 day' as at) d cross join wedsql.repair_case o
      where o.closed_at is null and o.flow_id = any (array(
        select f.id from wedsql.flow f where p_flows is null or f.name = any (p_flows)))
      group by o.flow_id, o.cause, o.signature
      order by count(*) desc, min(o.opened_at) limit least(p_limit, 500)) g
join wedsql.flow f on f.id = g.flow_id
join wedsql.repair_case c on c.number = g.newest
order by g.n desc, g.oldest
$$;

grant execute on function wedsql.read_case(bigint, text[]),
  wedsql.list_cases(text[], jsonb, boolean, bigint, integer), wedsql.case_groups(text[], integer) to wed_web;
