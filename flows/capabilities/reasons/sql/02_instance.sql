-- Says why an instance is where it is: its rules with the value of each part of their conditions, its jobs
-- with what they wait for, and where the values come from.

-- Returns the conditions of a definition on a state, in their order; of each its parts as _explained has
-- them: [path, kind, position, length, reads, value, outline].
create or replace function wedsql._explained_rules(p_definition jsonb, p_state jsonb) returns jsonb
language sql stable set search_path = pg_catalog, pg_temp as $$
with c as materialized (
  select array(select t.j ->> 'predicate'
    from jsonb_array_elements(p_definition -> 'triggers') with ordinality t (j, n) order by t.n)
    as predicates),
x as materialized (
  select x.* from c
  cross join lateral wedsql._explained(c.predicates, wedsql._given_types(p_definition), p_state) x)
select coalesce(jsonb_agg(r.parts order by r.n), '[]')
from (select x.n, jsonb_agg(jsonb_build_array(x.path, x.kind, x."position", x.length, x.reads, x.value,
        x.outline)) as parts from x group by x.n) r
$$;

-- Returns the jobs of an instance with what each waits for, and the rules that wait for a time, unless it is
-- suspended.
create or replace function wedsql._explained_jobs(p_flow text, p_wid integer, p_silence interval)
  returns jsonb
language sql volatile set search_path = pg_catalog, pg_temp
set timezone = 'UTC' set datestyle = 'ISO, YMD' set intervalstyle = 'postgres' as $$
select jsonb_build_object(
  'jobs', (select coalesce(jsonb_agg(jsonb_build_object('id', j.id, 'trigger', j.tgid, 'transition', j.trname,
      'fired_at', j.fired_at, 'cause_seq', j.cause_seq, 'attempts', j.attempts, 'priority', j.priority,
      'late', j.late, 'error', j.last_error, 'waits', wedsql._waits_for(p_flow, j, p_silence))
      order by j.tgid), '[]')
    from wedsql.job_pool j where j.wid = p_wid),
  'timers', (select coalesce(jsonb_agg(jsonb_build_object('trigger', x.tgid,
        'due_at', wedsql._shown_time(x.due_at)) order by x.due_at), '[]')
    from wedsql.timer x where x.wid = p_wid and x.remaining is null))
$$;

-- Returns the jobs of an instance with what each waits for, and its timers: {"jobs", "timers"}, as in
-- explain_instance, without evaluating conditions.
-- Raises: WD104.
create or replace function wedsql.explain_jobs(p_wid integer, p_silence interval default '30 seconds')
  returns jsonb
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_flow text := (select f.name from wedsql.instance i join wedsql.flow f on f.id = i.flow_id
                  where i.wid = p_wid);
begin
  if v_flow is null then
    perform wedsql._raise('WD104', 'There is no instance {instance}.', null,
      jsonb_build_object('instance', p_wid));
  end if;
  return wedsql._explained_jobs(v_flow, p_wid, p_silence);
end $$;

-- Returns what each of these jobs waits for, by its number, as explain_jobs: of at most 1,000, and of none
-- that has ended. p_wids has the instance of each.
create or replace function wedsql.explain_waits(p_wids integer[], p_jobs bigint[],
  p_silence interval default '30 seconds') returns jsonb
language sql volatile security definer set search_path = pg_catalog, pg_temp
set timezone = 'UTC' set datestyle = 'ISO, YMD' set intervalstyle = 'postgres' as $$
select coalesce(jsonb_object_agg(j.id, wedsql._waits_for(f.name, j, p_silence)), '{}')
from (select * from unnest(p_wids, p_jobs) x (wid, id) limit 1000) x
join wedsql.job_pool j on j.wid = x.wid and j.id = x.id
join wedsql.flow f on f.id = j.flow_id
$$;

-- Explains why an instance is where it is, or was at a step of its history: {"wid", "flow", "status",
-- "reason", "seq", "at", "version", "now", "state", "written", "rules", "jobs", "timers", "definition"}. Jobs
-- and timers are those of now, so an earlier step has none; it is explained by the version that settled it.
-- Raises: WD104, WD409.
create or replace function wedsql.explain_instance(p_wid integer, p_seq integer default null,
  p_silence interval default '30 seconds') returns jsonb
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
set timezone = 'UTC' set datestyle = 'ISO, YMD' set intervalstyle = 'postgres' as $$
declare
  v_instance wedsql.instance;
  v_flow wedsql.flow;
  v_step wedsql.wed_trace;
  v_state jsonb;
  v_definition jsonb;
begin
  select * into v_instance from wedsql.instance i where i.wid = p_wid;
  select * into v_flow from wedsql.flow f where f.id = v_instance.flow_id;
  select * into v_step from wedsql.wed_trace t
  where t.wid = p_wid and t.seq = coalesce(p_seq, v_instance.seq) order by t.tstmp desc limit 1;
  if v_flow.id is null then
    perform wedsql._raise('WD104', 'There is no instance {instance}.', null,
      jsonb_build_object('instance', p_wid));
  elsif v_step.wid is null then
    perform wedsql._raise('WD104', 'Instance {wid} has no step {seq}.', 'Read its trace.',
      jsonb_build_object('wid', p_wid, 'seq', coalesce(p_seq, v_instance.seq)));
  end if;
  v_state := case when p_seq is null then wedsql._present_state(v_flow.name, p_wid) end;
  v_definition := case when v_state is null then wedsql.version_definition(v_flow.name, v_step.version)
                       else wedsql._running(v_flow.name) -> 'definition' end;
  v_state := coalesce(v_state, v_step.state);
  return jsonb_build_object('wid', p_wid, 'flow', v_flow.name, 'seq', v_step.seq, 'at', v_step.tstmp,
    'status', v_step.status, 'reason', v_step.reason, 'version', v_step.version, 'now', p_seq is null,
    'state', v_state, 'definition', v_definition, 'rules', wedsql._explained_rules(v_definition, v_state),
    'written', wedsql.last_writes(p_wid, v_step.seq, 2000), 'jobs', jsonb '[]', 'timers', jsonb '[]')
    || case when p_seq is null then wedsql._explained_jobs(v_flow.name, p_wid, p_silence)
         || jsonb_build_object('status', v_instance.status, 'reason', v_instance.reason,
              'version', v_flow.version) else '{}' end;
end $$;

grant execute on function wedsql.explain_instance(integer, integer, interval),
  wedsql.explain_jobs(integer, interval), wedsql.explain_waits(integer[], bigint[], interval) to wed_web;
