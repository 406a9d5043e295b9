-- Any condition over the living instances and over the history.

-- Returns the value of a condition, as a letter, on each state that these instances have had; it stops at
-- p_until.
create or replace function wedsql._past(p_condition wedsql.condition, p_types jsonb, p_wids integer[],
  p_until timestamptz) returns table (wid integer, seq integer, at timestamptz, status "char", value text)
language plpgsql stable set search_path = pg_catalog, pg_temp set jit = off as $$
declare
  v_columns text := wedsql._columns_read(array[p_condition], p_types);
  v_query text := format('select array_agg(x.wid), array_agg(x.seq), array_agg(x.tstmp),
      array_agg(x.status), jsonb_agg(x.state)
    from (select t.wid, t.seq, t.tstmp, t.status, (select coalesce(jsonb_object_agg(k, t.state -> k), ''{}'')
                                         from unnest(%L::text[]) k) as state
          from wedsql.wed_trace t where t.wid = any ($1) order by t.wid, t.seq) x', p_condition.reads);
  v_wids integer[];
  v_seqs integer[];
  v_times timestamptz[];
  v_statuses "char"[];
  v_states jsonb;
begin
  for v_from in 1..coalesce(cardinality(p_wids), 0) by 100 loop
    exit when clock_timestamp() > p_until;
    execute v_query into v_wids, v_seqs, v_times, v_statuses, v_states using p_wids[v_from:v_from + 99];
    continue when v_wids is null;
    return query select u.* from unnest(v_wids, v_seqs, v_times, v_statuses,
      wed_match.values_of(v_columns, array[p_condition.canonical], v_states)) u;
  end loop;
end $$;

-- Returns a plan by which _living evaluates one condition.
create or replace function wedsql._plan_of_one(p_flow wedsql.flow, p_condition wedsql.condition)
  returns wedsql.plan
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  v_plan wedsql.plan;
begin
  v_plan.flow := p_flow;
  v_plan.rules := '{}';
  v_plan.before := '{}';
  v_plan.after := array[p_condition];
  v_plan.types_before := wedsql._attr_types(p_flow.id);
  v_plan.types_after := v_plan.types_before;
  v_plan.sources := (select coalesce(jsonb_object_agg(a.aname, jsonb_build_object('from', a.aname)), '{}')
                     from wedsql.attr a where a.flow_id = p_flow.id);
  return v_plan;
end $$;

-- Returns on how many living instances a condition, which need not be that of a trigger, is true, unknown or
-- fails, with up to 20 of those on which it is true and since when it is on each of them; and, with
-- p_history, what it would have meant in the history, after p_since if that is given (_what_was). Above
-- p_limit instances every n-th is examined; after p_seconds it stops. Nothing is locked or changed.
-- Raises: WD001, WD005, WD006, 25006.
create or replace function wedsql.what_if(p_flow text, p_predicate text, p_history boolean default false,
  p_limit integer default 1000000, p_seconds double precision default 20,
  p_since timestamptz default null) returns jsonb
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
set timezone = 'UTC' set datestyle = 'ISO, YMD' set intervalstyle = 'postgres' as $$
declare
  v_until timestamptz := clock_timestamp() + make_interval(secs => p_seconds);
  v_flow wedsql.flow := wedsql._flow(p_flow);
  v_types jsonb := wedsql._attr_types(v_flow.id);
  v_one wedsql.condition;
  v_living bigint := (select count(*) from wedsql.instance i where i.flow_id = v_flow.id
    and i.status in ('R', 'E'));
  v_found jsonb;
  v_true integer[];
  v_past jsonb;
begin
  perform wedsql._need_writable();
  v_one := wedsql._compile_one(p_predicate, v_types, 1, 1);
  select jsonb_build_object('living', v_living, 'examined', count(*),
      'true', count(*) filter (where l.after = 't'), 'unknown', count(*) filter (where l.after = 'u'),
      'fails', count(*) filter (where l.after = 'e')),
    (array_agg(l.wid order by l.wid) filter (where l.after = 't'))[1:20]
  into v_found, v_true
  from wedsql._living(wedsql._plan_of_one(v_flow, v_one), greatest(1,
    ceil(v_living::numeric / p_limit)::integer),
    v_until, false, false) l;
  select coalesce(jsonb_object_agg(s.wid, s.since), '{}') into v_past from (
    select p.wid, min(p.at) filter (where p.seq > p.last_other) as since
    from (select h.*, coalesce(max(h.seq) filter (where h.value <> 't') over (partition by h.wid),
      0) as last_other
          from wedsql._past(v_one, v_types, v_true, v_until) h) p group by p.wid) s where s.since is not null;
  v_found := v_found || jsonb_build_object('sample', coalesce(to_jsonb(v_true), '[]'), 'since', v_past);
  if not p_history then
    return v_found;
  end if;
  return v_found || jsonb_build_object('history', wedsql._what_was(v_flow, v_one, v_types, p_since, p_limit,
    v_until));
end $$;

-- Returns what a condition would have meant in the history: how often it became true after p_since, in how
-- many instances more than once, and for how many of the exceptions that began it was true, so that a rule
-- with it would have had a job.
create or replace function wedsql._what_was(p_flow wedsql.flow, p_one wedsql.condition, p_types jsonb,
  p_since timestamptz, p_limit integer, p_until timestamptz) returns jsonb
language sql stable set search_path = pg_catalog, pg_temp set timezone = 'UTC' as $$
with chosen as materialized (
  select i.wid, ceil(count(*) over () / greatest(p_limit, 1)::numeric)::integer as one_of
  from wedsql.instance i where i.flow_id = p_flow.id and (p_since is null or i.changed_at >= p_since)),
past as materialized (
  select h.wid, h.seq, h.at, h.value, coalesce(h.at >= p_since, true) as counts,
    h.value = 't' and lag(h.value, 1, 'f') over w <> 't' as turned,
    h.status = 'E' and lag(h.status, 1, 'R') over w <> 'E' as stuck
  from wedsql._past(p_one, p_types, array(
    select c.wid from chosen c where c.wid % greatest(c.one_of, 1) = 0 order by c.wid), p_until) h
  window w as (partition by h.wid order by h.seq)),
often as (select p.wid, count(*) as n from past p where p.turned and p.counts group by p.wid)
select jsonb_build_object('instances', (select count(*) from chosen),
  'examined', count(distinct p.wid), 'steps', count(*) filter (where p.counts),
  'ever_true', count(distinct p.wid) filter (where p.value = 't' and p.counts),
  'became_true', count(*) filter (where p.turned and p.counts),
  'became_sample', wedsql._some((select array_agg(o.wid) from often o)),
  'fired_again', (select count(*) from often o where o.n > 1),
  'fired_again_sample', wedsql._some((select array_agg(o.wid) from often o where o.n > 1)),
  'exceptions', count(*) filter (where p.stuck and p.counts),
  'exceptions_fewer', count(*) filter (where p.stuck and p.counts and p.value = 't'),
  'exceptions_sample', wedsql._some(array_agg(distinct p.wid) filter (
    where p.stuck and p.counts and p.value = 't')),
  'by_month', (select jsonb_object_agg(m.month, m.n) from (
    select to_char(q.at, 'YYYY-MM') as month, count(*) as n from past q where q.turned and q.counts
    group by 1) m))
from past p
$$;

grant execute on function
  wedsql.what_if(text, text, boolean, integer, double precision, timestamptz)
to wed_web;
