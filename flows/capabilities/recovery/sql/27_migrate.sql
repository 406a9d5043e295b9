-- Migrate: whether the past of an instance is what the present definition would have done, and a replay from
-- the last step up to which it is. Instances follow the published definition at once; what they did under an
-- earlier one stays until a person migrates them.

-- Returns the first step of an instance that the present definition does not explain, null where there is
-- none: no enabled rule of its transition holds on the state that fired it. Steps that were undone are left
-- out. Attributes that did not exist then have their defaults.
create or replace function wedsql._unexplained(p_flow wedsql.flow, p_wid integer) returns integer
language sql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off
set timezone = 'UTC' set datestyle = 'ISO, YMD' set intervalstyle = 'postgres' as $$
with defaults as (
  select coalesce(jsonb_object_agg(a.aname, a.adv) filter (where a.adv is not null), '{}') as adv
  from wedsql.attr a where a.flow_id = p_flow.id),
course as materialized (
  select o.seq, o.transition, d.adv || c.state as state, row_number() over (order by o.seq) as n
  from wedsql._recorded(p_wid, array(select h.seq from wedsql.wed_trace h where h.wid = p_wid), '{}',
                        2147483647) o
  join wedsql.wed_trace h on h.wid = p_wid and h.seq = o.seq
  join wedsql.wed_trace c on c.wid = p_wid and c.seq = h.cause_seq
  cross join defaults d),
rules as materialized (
  select t.trname, t.canonical, t.reads, row_number() over (order by t.tgid) as n
  from wedsql.trig t where t.flow_id = p_flow.id and t.enabled and not t.cfinal),
found as (
  select u.letters, u.n from unnest(wedsql._values(
    array(select row(r.n::integer, null, r.canonical, r.reads, null)::wedsql.condition from rules r
          order by r.n), wedsql._attr_types(p_flow.id),
    (select jsonb_agg(c.state order by c.n) from course c))) with ordinality u (letters, n)
  where exists (select 1 from course))
select min(c.seq) from course c join found f on f.n = c.n
where not exists (select 1 from rules r
                  where r.trname = c.transition and substr(f.letters, r.n::integer, 1) = 't')
$$;

-- Replays an instance for its migration, from step p_seq on. What approves the migration approves the replay.
-- Locks, raises: as _repair_replay.
create or replace function wedsql._replay_to_migrate(p_wid integer, p_seq integer, p_arguments jsonb,
  p_reason text, p_actor text) returns jsonb
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_facts jsonb;
begin
  update wedsql.applying a set operation = 'replay' where a.wid = p_wid and a.operation = 'migrate';
  v_facts := wedsql._repair_replay(p_wid, p_arguments - 'version' || jsonb_build_object('seq', p_seq),
                                   p_reason, p_actor);
  update wedsql.applying a set operation = 'migrate' where a.wid = p_wid and a.operation = 'replay';
  perform wedsql._call_check_operation(f, p_wid, 'migrate', a.written, a.state, null)  -- compensations wait
  from wedsql.recovery r join wedsql.instance i on i.wid = r.wid join wedsql.flow f on f.id = i.flow_id
  cross join lateral wedsql._after_undo(f, r) a where r.wid = p_wid;
  return v_facts;
end $$;

-- Moves an instance to the definition that is published: where it explains all steps, it is only noted, and
-- the conditions are evaluated again; else the instance goes back to before the first step that it does not
-- explain, and is replayed. Returns {"unexplained": its number or null}, and what a replay returns.
-- Locks: as _operate; as _repair_replay.
-- Raises: WD009, WD104, WD105; WD535 for another version than the published one; as _repair_replay.
create or replace function wedsql._repair_migrate(p_wid integer, p_arguments jsonb, p_reason text,
  p_actor text) returns jsonb
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_flow wedsql.flow := wedsql._operate(p_wid, p_reason);
  v_seq integer;
  v_facts jsonb := '{}';
begin
  if (p_arguments ->> 'version')::integer <> v_flow.version then
    perform wedsql._raise('WD535', 'Flow "{flow}" has version {present} published, not {version}.',
      'Instances follow the published version. Publish the other one first.', jsonb_build_object(
        'flow', v_flow.name, 'present', v_flow.version, 'version', p_arguments -> 'version'));
  end if;
  perform wedsql._check_not_suspended(p_wid);
  v_seq := wedsql._unexplained(v_flow, p_wid);
  perform wedsql._operated(v_flow, p_wid, '_RECOVER:migrate', p_actor, p_reason, '{}', wedsql.now());
  if v_seq is null then
    perform wedsql._rematch(v_flow.id, array[p_wid], false, false, p_actor, p_reason);
  else
    v_facts := wedsql._replay_to_migrate(p_wid, v_seq - 1, p_arguments, p_reason, p_actor);
  end if;
  update wedsql.instance i set version = v_flow.version where i.wid = p_wid;
  return v_facts || jsonb_build_object('unexplained', v_seq);
end $$;
