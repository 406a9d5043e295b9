-- What an operation would do to an instance: the operation itself, in a block that is rolled back.

-- Returns what a preview compares: the state of an instance, its status and reason, the conditions that hold
-- and its jobs.
-- Locks: the instance.
create or replace function wedsql._situation(p_wid integer) returns jsonb
language plpgsql set search_path = pg_catalog, pg_temp set timezone = 'UTC'
set datestyle = 'ISO, YMD' set intervalstyle = 'postgres' as $$
declare
  v_found jsonb;
begin
  select jsonb_build_object('flow', f.name, 'seq', i.seq, 'status', i.status, 'reason', i.reason,
    'jobs', (select coalesce(jsonb_agg(jsonb_build_object('id', j.id, 'trigger', j.tgid, 'transition',
               j.trname) order by j.tgid), '[]') from wedsql.job_pool j where j.wid = p_wid and j.tgid > 0))
  into v_found from wedsql.instance i join wedsql.flow f on f.id = i.flow_id where i.wid = p_wid;
  execute format('select $1 || coalesce((select jsonb_build_object(''state'', r.state, ''holds'', r.matched) '
                 'from %I._retest(array[$2]) r), ''{}'')', v_found ->> 'flow')
    into v_found using v_found, p_wid;
  return v_found;
end $$;

-- Returns what changed from one situation of an instance to another, after its step p_seq: {"state_before",
-- "state_after"} of the attributes that changed, {"status_before", "status_after", "reason_before",
-- "reason_after"}, {"fires": [{"trigger", "transition"}]}, {"became_true", "became_false": [trigger]},
-- {"withdrawn": [{"id", "trigger", "transition"}]}, {"steps": [names]} that the history gets.
create or replace function wedsql._situation_change(p_wid integer, p_before jsonb, p_after jsonb,
  p_seq integer) returns jsonb
language sql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
with changed as (
  select k from jsonb_object_keys(coalesce(p_after -> 'state', '{}') || coalesce(p_before -> 'state', '{}')) k
  where p_before -> 'state' -> k is distinct from p_after -> 'state' -> k),
steps as (
  select t.seq, t.trw, t.job_id, t.fired from wedsql.wed_trace t where t.wid = p_wid and t.seq > p_seq)
select jsonb_build_object(
  'state_before', (select coalesce(jsonb_object_agg(c.k, p_before -> 'state' -> c.k), '{}') from changed c),
  'state_after', (select coalesce(jsonb_object_agg(c.k, p_after -> 'state' -> c.k), '{}') from changed c),
  'status_before', p_before -> 'status', 'status_after', p_after -> 'status',
  'reason_before', p_before -> 'reason', 'reason_after', p_after -> 'reason',
  'fires', (select coalesce(jsonb_agg(jsonb_build_object('trigger', f.tgid, 'transition', g.trname)
              order by s.seq, f.tgid), '[]')
            from steps s cross join lateral unnest(s.fired) f (tgid) join wedsql.trig g on g.tgid = f.tgid),
  'became_true', (select coalesce(jsonb_agg(a order by a::integer), '[]')
                  from jsonb_array_elements(p_after -> 'holds') a
                  where a::integer > 0 and not coalesce(p_before -> 'holds' @> a, false)),
  'became_false', (select coalesce(jsonb_agg(b order by b::integer), '[]')
                   from jsonb_array_elements(p_before -> 'holds') b
                   where b::integer > 0 and not coalesce(p_after -> 'holds' @> b, false)),
  'withdrawn', (select coalesce(jsonb_agg(j order by (j ->> 'id')::bigint), '[]')
                from jsonb_array_elements(p_before -> 'jobs') j
                where not exists (select 1 from jsonb_array_elements(p_after -> 'jobs') o
                                  where o -> 'id' = j -> 'id')
                  and not exists (select 1 from steps s where s.job_id = (j ->> 'id')::bigint)),
  'steps', (select coalesce(jsonb_agg(s.trw order by s.seq), '[]') from steps s))
$$;

-- Returns the answer of a preview: what would change, or why it would be rejected (p_why). p_before: the
-- situation of the instance; p_answer: the change of it, null where it was rejected.
create or replace function wedsql._preview_answer(p_wid integer, p_operation text, p_before jsonb,
  p_answer jsonb, p_why wedsql.why, p_facts jsonb default '{}',
  p_approvals jsonb default '{"needed": 0, "title": "", "groups": []}') returns jsonb
language sql stable set search_path = pg_catalog, pg_temp as $$
select jsonb_build_object('wid', p_wid, 'operation', p_operation, 'flow', p_before -> 'flow',
    'seq', p_before -> 'seq', 'approvals', p_approvals, 'facts', p_facts,
    'refusal', case when p_why.code is not null then jsonb_build_object('sqlstate', p_why.code,
      'message', p_why.message, 'hint', nullif(p_why.hint, ''), 'detail', nullif(p_why.detail, '')) end)
  || coalesce(p_answer, wedsql._situation_change(p_wid, p_before, p_before, (p_before ->> 'seq')::integer))
$$;

-- Returns what an operation would do, as _situation_change has it, with {"wid", "operation", "flow", "seq",
-- "refusal", "approvals", "facts"}: "seq" is the step at which the instance is now, for the p_expected_seq of
-- the repair;
-- "refusal" {"sqlstate", "message", "hint", "detail"} says why it would be refused, null where it would not;
-- "approvals" {"needed", "title", "groups"} how many other persons have to approve it, and because of which
-- rule; "facts" are those of the operation. Without a reason the preview is the same as with one. Nothing is
-- written, no session is notified, and no number of an instance is used.
-- Locks: as the repair, until it returns.
-- Raises: WD104, WD109; what passes by itself (wedsql._passes), WD010, 57014, and what is no refusal.
create or replace function wedsql.preview_repair(p_wid integer, p_operation text, p_arguments jsonb,
  p_reason text default null, p_actor text default null) returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_before jsonb;
  v_facts jsonb;
  v_subject integer := p_wid;
  v_approvals jsonb := '{"needed": 0, "title": "", "groups": []}';
  v_answer jsonb;
  v_why wedsql.why;
begin
  perform wedsql._check_arguments(p_operation, p_arguments);
  begin
    perform wedsql._lock_instance(p_wid, p_operation);
    v_before := wedsql._situation(p_wid);
    insert into wedsql.applying (wid, operation, approvals) values (p_wid, p_operation, 2);
    v_facts := wedsql._repair(p_wid, p_operation, p_arguments || '{"preview": true}',
      coalesce(nullif(btrim(p_reason), ''), '-'), p_actor, null);
    v_subject := coalesce((v_facts ->> 'instance')::integer, p_wid);
    v_answer := wedsql._situation_change(v_subject, v_before, wedsql._situation(v_subject),
      case when v_subject = p_wid then (v_before ->> 'seq')::integer else 0 end);
    select jsonb_build_object('needed', a.needed, 'title', a.title, 'groups', a.needed_groups)
    into v_approvals from wedsql.applying a where a.wid = p_wid;
    raise exception using errcode = 'WD999';
  exception when others then
    if sqlstate <> 'WD999' then
      get stacked diagnostics v_why.code = returned_sqlstate, v_why.message = message_text,
        v_why.hint = pg_exception_hint, v_why.detail = pg_exception_detail;
      if v_before is null or v_why.code !~ '^WD' then
        raise;
      end if;
    end if;
  end;
  return wedsql._preview_answer(p_wid, p_operation, v_before, v_answer, v_why,
                                coalesce(v_facts - '{wid,operation,seq,status}'::text[], '{}'), v_approvals);
end $$;
