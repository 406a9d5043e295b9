-- Where a case goes when it opens: the rules of its flow decide on queue, severity, priority and due time.

-- Returns how cases of these instances begin: as the first rule says whose condition holds on the state, and
-- without one in the queue "default". A rule that reads an attribute which the flow no longer has is left
-- out. "rule" is the position of the rule, null without one.
create or replace function wedsql._routes(p_flow wedsql.flow, p_wids integer[], p_now timestamptz)
returns table (wid integer, queue text, severity text, priority integer, due_at timestamptz,
  rule integer)
language plpgsql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off
set timezone = 'UTC' set datestyle = 'ISO, YMD' set intervalstyle = 'postgres' as $$
#variable_conflict use_column
declare
  v_types jsonb;
  v_rules wedsql.case_rule[] := array(
    select r from wedsql.case_rule r where r.flow_id = p_flow.id order by r.position);
begin
  if v_rules = '{}' then
    return query
      select u, 'default', 'normal', 50, timestamptz 'infinity', null::integer from unnest(p_wids) u;
    return;
  end if;
  v_types := wedsql._attr_types(p_flow.id);
  v_rules := array(select r from unnest(v_rules) r where v_types ?& (r).reads order by (r).position);
  return query
    with i as materialized (
      select u.wid, u.n, coalesce(t.state, '{}') as state
      from unnest(p_wids) with ordinality u (wid, n)
      left join lateral (select h.state from wedsql.wed_trace h where h.wid = u.wid
                         order by h.seq desc limit 1) t on true),
    v as (
      select x.letters, x.n from unnest(wedsql._values(
        array(select row(g.n, null, g.compiled, g.reads, null)::wedsql.condition
              from (select o.compiled, o.reads, o.ordinality::integer as n
                    from unnest(v_rules) with ordinality o) g order by g.n),
        v_types, (select jsonb_agg(i.state order by i.n) from i))) with ordinality x (letters, n))
    select i.wid, coalesce(r.queue, 'default'), coalesce(r.severity, 'normal'), coalesce(r.priority, 50),
           coalesce(p_now + r.due_after, 'infinity'), r.position
    from i join v on v.n = i.n
    left join lateral (select o.* from unnest(v_rules) with ordinality o
                       where o.ordinality = strpos(v.letters, 't')) r on true;
end $$;

-- Rejects a queue in which there can be no case of these flows (null: of any): no rule names it, and no open
-- case is in it. Null is any queue.
-- Raises: WD514.
create or replace function wedsql._check_queue(p_queue text, p_flows text[]) returns void
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  v_flows integer[] := array(select f.id from wedsql.flow f where p_flows is null or f.name = any (p_flows));
  v_queues text[];
begin
  if coalesce(p_queue, 'default') = 'default'
     or exists (select from wedsql.case_rule r where r.flow_id = any (v_flows) and r.queue = p_queue)
     or exists (select from wedsql.repair_case c
                where c.closed_at is null and c.flow_id = any (v_flows) and c.queue = p_queue) then
    return;
  end if;
  v_queues := array(select distinct r.queue from wedsql.case_rule r where r.flow_id = any (v_flows)
                    union select 'default' order by 1 limit 20);
  perform wedsql._raise('WD514', 'There is no queue "{queue}".', 'Queues of rules are: {queues}.',
    jsonb_build_object('queue', left(p_queue, 80), 'queues', array_to_string(v_queues, ', ')));
end $$;
