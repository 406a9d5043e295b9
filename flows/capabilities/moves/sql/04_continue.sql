-- An instance goes on at this installation as its document says: one that was never here, one that comes
-- back, or one that was offered and is taken back.

-- Returns the number that each trigger of a document has here, by its place; the triggers that the present
-- definition does not have get numbers of their own, which are never used again. p_preview: nothing is kept.
create or replace function wedsql._own_triggers(p_flow wedsql.flow, p_document jsonb, p_preview boolean)
  returns jsonb
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_numbers integer[] := wedsql._trigger_numbers(p_flow, p_document -> 'definition');
begin
  return (
    select jsonb_object_agg(p.place, case
        when p.place = 0 then 0
        when p.place between 1 and cardinality(v_numbers) and v_numbers[p.place] is not null
          then v_numbers[p.place]
        when p_preview then - ceil(random() * 1000000000)::integer
        else nextval('wedsql.tgid_seq') end)
    from (
      select 0 as place
      union select generate_series(1, cardinality(v_numbers))
      union select f.j::integer from jsonb_array_elements(p_document -> 'steps') s
        cross join lateral jsonb_array_elements(coalesce(nullif(s -> 'fired', 'null'), '[]')
          || coalesce(nullif(s -> 'suppressed', 'null'), '[]') || coalesce(s -> 'tgid', 'null')) f (j)
        where jsonb_typeof(f.j) = 'number'
      union select (l ->> 'tgid')::integer from jsonb_array_elements(p_document -> 'log') l
      union select (j ->> 'trigger')::integer from jsonb_array_elements(p_document -> 'jobs') j
        where j ->> 'trigger' is not null) p);
end $$;

-- Returns the number that each job of a document has here: the one from before the instance was handed over,
-- or a new one.
create or replace function wedsql._own_jobs(p_wid integer, p_document jsonb, p_triggers jsonb) returns jsonb
language sql volatile set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
select coalesce(jsonb_object_agg(j ->> 'n', coalesce(k.job_id, nextval('wedsql.job_seq'))), '{}')
from jsonb_array_elements(p_document -> 'jobs') j
left join wedsql.moved_job k on k.wid = p_wid and k.tgid = (p_triggers ->> (j ->> 'trigger'))::integer
  and k.cause_seq = (j ->> 'cause')::integer
$$;

-- Returns places as numbers of triggers; null for null.
create or replace function wedsql._as_numbers(p_triggers jsonb, p_places jsonb) returns integer[]
language sql immutable set search_path = pg_catalog, pg_temp as $$
select case when jsonb_typeof(p_places) = 'array' then array(
  select (p_triggers ->> (e.j #>> '{}'))::integer from jsonb_array_elements(p_places) with ordinality e (j, n)
  order by e.n) end
$$;

-- Appends to the history of an instance the steps of a document that it does not have, and to the log its
-- failed attempts. They are counted in the figures of the installation that made them. p_version: the version
-- here with the definition of the document; steps of its earlier versions have none.
-- Locks: the trace; the caller holds the instance.
create or replace function wedsql._append_steps(p_flow wedsql.flow, p_wid integer, p_document jsonb,
  p_triggers jsonb, p_jobs jsonb, p_version integer) returns void
language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off set timezone = 'UTC' as $$
declare
  v_from integer := coalesce((select max(t.seq) from wedsql.wed_trace t where t.wid = p_wid), 0);
  v_logged bigint := (select count(*) from wedsql.job_log l where l.wid = p_wid);
begin
  perform wedsql._copy_steps(array_agg(jsonb_populate_record(null::wedsql.wed_trace, s.j
    || jsonb_build_object(
    'flow_id', p_flow.id, 'wid', p_wid, 'xid', 0, 'claim', null, 'case_id', null,
    'job_id', p_jobs -> (s.j ->> 'job_id'), 'tgid', p_triggers -> (s.j ->> 'tgid'),
    'fired', coalesce(wedsql._as_numbers(p_triggers, s.j -> 'fired'), '{}'),
    'suppressed', wedsql._as_numbers(p_triggers, s.j -> 'suppressed'),
    'version', case when s.j -> 'version' = p_document -> 'version' then p_version else 0 end)) order by s.n))
  from jsonb_array_elements(p_document -> 'steps') with ordinality s (j, n)
  where s.n > v_from;
  insert into wedsql.job_log (job_id, wid, tgid, flow_id, trname, at, outcome, actor, sqlstate, message,
                              attempt, xid, tx_at)
  select coalesce((p_jobs ->> (l.j ->> 'job_id'))::bigint, 0), p_wid,
    (p_triggers ->> (l.j ->> 'tgid'))::integer, p_flow.id, r.trname, r.at, r.outcome, r.actor, r.sqlstate,
    r.message, r.attempt, 0, r.tx_at
  from jsonb_array_elements(p_document -> 'log') with ordinality l (j, n)
  cross join lateral jsonb_populate_record(null::wedsql.job_log, l.j - '{job_id,tgid}'::text[]) r
  where l.n > v_logged order by l.n;
end $$;

-- Puts the pending jobs and timers of a document into the pool, with their attempts and times, and returns
-- the names of those that a worker may take. Those of triggers that the definition no longer has are left
-- out; the history has them.
-- Locks: none; the caller holds the instance.
create or replace function wedsql._put_pending(p_flow wedsql.flow, p_wid integer, p_document jsonb,
  p_triggers jsonb, p_jobs jsonb) returns text[]
language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off set timezone = 'UTC'
set intervalstyle = 'postgres' as $$
declare
  v_put wedsql.job_pool[];
begin
  select array_agg(jsonb_populate_record(null::wedsql.job_pool, j || jsonb_build_object(
    'id', p_jobs -> (j ->> 'id'), 'wid', p_wid, 'tgid', t.tgid, 'flow_id', p_flow.id, 'state', 'P',
    'claim', null, 'lckid', null, 'lease_until', null, 'lock', null, 'assigned_by', null, 'assigned_at', null,
    'fired_xid', txid_current(), 'version', p_flow.version,
    'assigned_to', case when t.performer = 'person' or t.child is not null then '' end)))
  into v_put
  from jsonb_array_elements(p_document -> 'pending') j
  join wedsql.trig t on t.flow_id = p_flow.id and t.tgid = (p_triggers ->> (j ->> 'tgid'))::integer;
  perform wedsql._copy_jobs(v_put);
  insert into wedsql.timer (wid, tgid, flow_id, due_at)
  select p_wid, t.tgid, p_flow.id, (x ->> 'due_at')::timestamptz
  from jsonb_array_elements(p_document -> 'timers') x
  join wedsql.trig t on t.flow_id = p_flow.id and t.tgid = (p_triggers ->> (x ->> 'tgid'))::integer;
  insert into wedsql.skipped (wid, tgid, flow_id, seq)
  select p_wid, t.tgid, p_flow.id, (s ->> 'seq')::integer
  from jsonb_array_elements(p_document -> 'skipped') s
  join wedsql.trig t on t.flow_id = p_flow.id and t.tgid = (p_triggers ->> (s ->> 'tgid'))::integer;
  if found then
    update wedsql.flow f set plain = false where f.id = p_flow.id and f.plain;
  end if;
  if p_flow.exclusive then
    perform wedsql._name_locks(array[p_wid]);
  end if;
  return array(select u.trname from unnest(v_put) u where u.assigned_to is null);
end $$;

-- Stores the files of the tasks of a document. One whose content has another hash than it says is rejected.
-- Raises: WD621.
create or replace function wedsql._put_files(p_flow wedsql.flow, p_wid integer, p_document jsonb,
  p_jobs jsonb) returns void
language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off set timezone = 'UTC' as $$
declare
  v_file jsonb;
  v_content bytea;
begin
  for v_file in select * from jsonb_array_elements(p_document -> 'files') loop
    v_content := decode(v_file ->> 'content', 'base64');
    if encode(sha256(v_content), 'hex') <> v_file ->> 'sha256' then
      perform wedsql._raise('WD621', 'The file {hash} of the package has another content than its hash says.',
        'The package was damaged.', jsonb_build_object('hash', v_file -> 'sha256'));
    end if;
    insert into wedsql.file_content (flow_id, sha256, size, type, content)
    values (p_flow.id, v_file ->> 'sha256', length(v_content), v_file ->> 'type', v_content)
    on conflict (flow_id, sha256) do nothing;
    insert into wedsql.task_file (wid, sha256, attribute, flow_id, job_id, person, added_at, kept)
    values (p_wid, v_file ->> 'sha256', v_file ->> 'attribute', p_flow.id, 0, v_file ->> 'person',
            (v_file ->> 'added_at')::timestamptz, (v_file ->> 'kept')::boolean)
    on conflict (wid, sha256, attribute) do nothing;
  end loop;
end $$;

-- Returns the values of a state for the present attributes: one that was renamed since the instance was
-- handed over from here is found by its number.
create or replace function wedsql._present_values(p_flow integer, p_wid integer, p_state jsonb) returns jsonb
language sql stable set search_path = pg_catalog, pg_temp as $$
select coalesce(jsonb_object_agg(a.aname, s.value), '{}') from jsonb_each(p_state) s
left join wedsql.moved d on d.wid = p_wid
left join wedsql.attr r on r.flow_id = p_flow and r.aid = (d.attributes ->> s.key)::integer
join wedsql.attr a on a.flow_id = p_flow and a.aname = coalesce(r.aname, s.key)
$$;

-- Gives the attributes that came since an instance was handed over their defaults in its row.
create or replace function wedsql._put_defaults(p_flow wedsql.flow, p_wid integer, p_values jsonb)
  returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_new text := (select string_agg(format('%I = default', a.aname), ', ') from wedsql.attr a
                 where a.flow_id = p_flow.id and not p_values ? a.aname);
begin
  if v_new is not null then
    execute format('update %I.wed_flow w set %s where w.wid = $1', p_flow.name, v_new) using p_wid;
  end if;
end $$;

-- Writes the state of a document into the row of the flow, for a new instance as a new row, and returns the
-- step that says so: with the values that the present definition has, and what they were before.
-- Raises: WD003, WD107, WD905.
create or replace function wedsql._put_state(p_flow wedsql.flow, p_step wedsql.step, p_document jsonb,
  p_new boolean) returns wedsql.step
language plpgsql set search_path = pg_catalog, pg_temp set timezone = 'UTC' set datestyle = 'ISO, YMD'
set intervalstyle = 'postgres' as $$
declare
  v_state jsonb := p_document -> 'steps' -> -1 -> 'state';
  v_values jsonb := wedsql._present_values(p_flow.id, p_step.wid, v_state);
begin
  if p_new then
    p_step := wedsql._new_row(p_flow, p_step, v_values);
  else
    perform wedsql._put_defaults(p_flow, p_step.wid, v_values);
    select w.state into p_step.state from wedsql._write_changes(p_flow, p_step.wid, v_values) w;
  end if;
  p_step.before := (select coalesce(jsonb_object_agg(s.key, s.value), '{}') from jsonb_each(v_state) s
                    where s.value is distinct from p_step.state -> s.key);
  return p_step;
end $$;

-- Has an instance go on here as its document says, and returns its number. p_wid: null for one that was never
-- here. Where the definition was published again since, the present conditions are evaluated.
-- Locks: the flow's table against a definition that is being changed, the instance, jobs, trace.
-- Raises: WD003, WD107, WD621, WD905.
create or replace function wedsql._bring_in(p_flow wedsql.flow, p_document jsonb, p_wid integer, p_step text,
  p_actor text, p_reason text, p_now timestamptz, p_preview boolean default false) returns integer
language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  v_wid integer := coalesce(p_wid, case when p_preview then - ceil(random() * 1000000000)::integer
                                        else nextval('wedsql.wid_seq') end);
  v_version integer;
  v_triggers jsonb;
  v_jobs jsonb;
  v_step wedsql.step;
  v_ready text[];
  v_seqs integer[];
  v_was jsonb := p_document -> 'instance';
begin
  p_flow := wedsql._locked_flow(p_flow.name, 'row exclusive');
  v_version := coalesce(wedsql._fitting_version(p_flow, p_document -> 'definition'), 0);
  v_triggers := wedsql._own_triggers(p_flow, p_document, p_preview);
  v_jobs := wedsql._own_jobs(v_wid, p_document, v_triggers);
  if p_wid is null then
    perform wedsql._new_instance(jsonb_populate_record(null::wedsql.instance, jsonb_build_object(
      'wid', v_wid, 'flow_id', p_flow.id, 'status', 'R', 'version', v_version, 'changed_at', p_now,
      'started_at', v_was -> 'started_at', 'actor', v_was -> 'actor', 'key', v_was -> 'key',
      'seq', v_was -> 'seq')));
  else
    execute format('select from %I.wed_flow w where w.wid = $1 for no key update', p_flow.name) using p_wid;
    perform wedsql._run_from(p_wid, (v_was ->> 'seq')::integer);
  end if;
  v_step := wedsql._put_state(p_flow, wedsql._note_step(v_wid, p_step, p_actor, p_reason), p_document,
                              p_wid is null);
  perform wedsql._append_steps(p_flow, v_wid, p_document, v_triggers, v_jobs, v_version);
  perform wedsql._put_files(p_flow, v_wid, p_document, v_jobs);
  v_ready := wedsql._put_pending(p_flow, v_wid, p_document, v_triggers, v_jobs);
  v_seqs := wedsql._append_trace(p_flow, array[v_step], null, p_now);
  perform wedsql._note_numbers(p_flow.id, v_step.state, v_wid);
  perform wedsql._call_operated(p_flow, v_wid, lower(substr(p_step, 2)));
  if p_flow.followed then
    perform wedsql._call_stepped(array[v_wid], p_now);
  end if;
  perform wedsql._notify(p_flow, array[v_wid], v_seqs, v_ready, cardinality(v_ready));
  if v_version is distinct from p_flow.version then
    perform wedsql._rematch(p_flow.id, array[v_wid], false, false, p_actor, p_reason);
  end if;
  return v_wid;
end $$;

-- Has the instance of a move that its sender has released go on here, and returns the move.
-- Locks: as _bring_in; the caller holds the move.
-- Raises: as _bring_in; WD628 where the instance runs here, WD629 where another one has its key.
create or replace function wedsql._arrive(p_move wedsql.move, p_preview boolean default false)
  returns wedsql.move
language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  v_flow wedsql.flow := wedsql._locked_flow(p_move.flow, 'row exclusive');
  v_own wedsql.installation := wedsql._own_installation();
  v_now timestamptz := wedsql.now();
  v_wid integer := (select d.wid from wedsql.moved d
                    where d.origin = p_move.origin and d.origin_wid = p_move.origin_wid);
  v_why wedsql.why;
begin
  if v_wid is not null then
    execute format('select from %I.wed_flow w where w.wid = $1 for no key update', v_flow.name) using v_wid;
  end if;
  v_why := wedsql._why_not_now(v_flow, p_move.document);
  if v_why.code is not null then
    perform wedsql._raise(v_why);
  end if;
  v_wid := wedsql._bring_in(v_flow, p_move.document, v_wid, '_ARRIVE', left(p_move.actor, 200), p_move.reason,
                            v_now, p_preview);
  insert into wedsql.moved as d (wid, flow_id, origin, origin_wid, counter, stays)
  values (v_wid, v_flow.id, p_move.origin, p_move.origin_wid, p_move.counter,
    (p_move.document -> 'stays') || jsonb_build_object('name', v_own.name, 'at', v_own.id,
      'from', jsonb_array_length(p_move.document -> 'steps') + 1))
  on conflict (wid) do update set counter = excluded.counter, peer_id = null, since = null,
    stays = excluded.stays;
  update wedsql.move m set state = 'arrived', wid = v_wid, settled_at = v_now, document = null,
    sqlstate = null, problem = null, detail = null
  where m.id = p_move.id returning * into p_move;
  return p_move;
end $$;

-- Returns why an instance could not go on here although it fits; null where it could. It is tried and undone.
-- Locks: as _arrive.
create or replace function wedsql._try_arrival(p_move wedsql.move) returns wedsql.why
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_why wedsql.why;
begin
  begin
    perform wedsql._arrive(p_move, true);
    raise sqlstate 'WD999';
  exception when others then
    if sqlstate = 'WD999' then
      return null;
    elsif wedsql._passes(sqlstate) then
      raise;
    end if;
    get stacked diagnostics v_why.code = returned_sqlstate, v_why.message = message_text,
      v_why.hint = pg_exception_hint, v_why.detail = pg_exception_detail;
  end;
  return v_why;
end $$;
