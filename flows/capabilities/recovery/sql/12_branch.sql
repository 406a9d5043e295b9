-- A new instance from a step of another one.

-- Stores a new row of a flow with these values, and the defaults of attributes without one, and returns the
-- step that is the first of its history.
-- Locks: none.
-- Raises: WD003, WD107, WD905.
create or replace function wedsql._new_row(p_flow wedsql.flow, p_step wedsql.step, p_values jsonb)
  returns wedsql.step
language plpgsql set search_path = pg_catalog, pg_temp set timezone = 'UTC'
set datestyle = 'ISO, YMD' set intervalstyle = 'postgres' as $$
declare
  v_why wedsql.why;
begin
  begin
    execute wedsql._fill($q$
      insert into {flow:I}.wed_flow as w
      select (n.r).* from (select row($1{values})::{flow:I}.wed_flow as r from (select $2 as s) u) n
      returning to_jsonb(w.*) - 'wid', wed_match.f_{id}(w.*) $q$,
      jsonb_build_object('flow', p_flow.name, 'id', p_flow.id, 'values', wedsql._first_values(p_flow.id)))
    into p_step.state, p_step.matched using p_step.wid, p_values;
  exception when data_exception or check_violation then
    get stacked diagnostics v_why.code = returned_sqlstate, v_why.message = message_text,
      v_why.hint = pg_exception_hint, v_why.detail = pg_exception_detail;
    perform wedsql._raise(wedsql._explain_type_error(p_flow.name, p_values, v_why));
  end;
  perform wedsql._check_size(p_step.state, null);
  return p_step;
end $$;

-- Stores the row of an instance that began elsewhere.
-- Locks: none.
create or replace function wedsql._new_instance(p_instance wedsql.instance) returns void
language sql set search_path = pg_catalog, pg_temp as $$
insert into wedsql.instance select (p_instance).*
$$;

-- Starts a new instance with the state that an instance of any status had at a step; attributes that did not
-- exist then have their defaults. Its history begins with the step _RECOVER:branch, whose reason names the
-- instance and the step, and it is an exception where no condition holds. Returns its number as {"instance"}.
-- The other instance is left as it is. A preview uses no number of an instance. A key that the flow has seen
-- already returns the instance that it names: repeating the operation is harmless.
-- Locks: as _lock_instance.
-- Raises: WD003, WD009 for a key that is too long, WD104 where there is no such instance or step, WD106,
-- WD107, WD905.
create or replace function wedsql._repair_branch(p_wid integer, p_arguments jsonb, p_reason text,
  p_actor text) returns jsonb
language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  v_flow wedsql.flow;
  v_from wedsql.wed_trace;
  v_now timestamptz := wedsql.now();
  v_key text := nullif(p_arguments ->> 'key', '');
  v_wid integer;
begin
  select f.* into v_flow from wedsql.instance i join wedsql.flow f on f.id = i.flow_id where i.wid = p_wid;
  select * into v_from from wedsql.wed_trace t
  where t.wid = p_wid and t.seq = (p_arguments ->> 'seq')::integer;
  if not found then
    perform wedsql._raise('WD104', 'Instance {wid} has no step {seq}.', 'Read its trace.',
      jsonb_build_object('wid', p_wid, 'seq', p_arguments -> 'seq'));
  end if;
  select i.wid into v_wid from wedsql.instance i where i.flow_id = v_flow.id and i.key = v_key;
  if found then
    return jsonb_build_object('instance', v_wid);
  end if;
  perform wedsql._check_keys(v_flow.id, array[v_key]);
  v_wid := case when p_arguments ? 'preview' then - ceil(random() * 1000000000)::integer
                else nextval('wedsql.wid_seq') end;
  insert into wedsql.instance (wid, flow_id, version, started_at, changed_at, actor, derived_from, key)
  values (v_wid, v_flow.id, v_flow.version, v_now, v_now, p_actor, p_wid, v_key);
  perform wedsql._settle_step(v_flow, wedsql._new_row(v_flow, row(v_wid, false, null, null, '_RECOVER:branch',
    null, p_actor, format('%s/%s: %s', p_wid, v_from.seq, p_reason), null, null, null, null,
    null)::wedsql.step,
    (select coalesce(jsonb_object_agg(s.key, s.value), '{}') from jsonb_each(v_from.state) s
     join wedsql.attr a on a.flow_id = v_flow.id and a.aname = s.key)));
  perform wedsql._call_checking(v_flow, v_wid, 'branch');
  perform wedsql._call_check_operation(v_flow, p_wid, 'branch',
    array(select s.key from jsonb_each(v_state) s where s.value <> 'null'), v_state, null)
  from wedsql._present_state(v_flow.name, v_wid) v_state;
  return jsonb_build_object('instance', v_wid);
end $$;
