-- Cancels the instance: withdraws its jobs and timers, compensates nothing, and records actor and reason in
-- the history.
-- Locks: the instance, its jobs, the trace.
-- Raises: WD104, WD105; WD009 without a reason; WD520 if it needs approvals.
create or replace function wedsql.cancel(p_wid integer, p_reason text, p_actor text default null) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_flow wedsql.flow;
  v_now timestamptz := wedsql.now();
  v_seqs integer[];
begin
  if coalesce(btrim(p_reason), '') = '' then
    perform wedsql._raise('WD009', 'A cancellation needs a reason.');
  end if;
  v_flow := wedsql._hold_instance(p_wid);
  perform wedsql._withdraw_rest(p_wid, v_now);
  delete from wedsql.timer x where x.wid = p_wid;
  perform wedsql._set_status(array[p_wid], 'C', p_reason, v_now);
  v_seqs := wedsql._append_trace(v_flow,
                                 array[wedsql._note_step(p_wid, '_CANCEL', wedsql._actor(p_actor), p_reason)],
                                 null, v_now);
  perform wedsql._call_excepted(v_flow, array[p_wid], v_now);
  perform wedsql._call_operated(v_flow, p_wid, 'cancel');
  perform wedsql._notify(v_flow, array[p_wid], v_seqs, '{}', 0);
end $$;

-- Checks that an instance, which the caller holds, is not at another installation.
-- Raises: WD105.
create or replace function wedsql._check_here(p_wid integer, p_status "char") returns void
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  if p_status = 'M' then
    perform wedsql._raise('WD105', 'Instance {instance} is at another installation.',
      'It is continued there, until it is handed back or taken back.',
      jsonb_build_object('instance', p_wid));
  end if;
end $$;

-- Returns the flow of an instance that is running, an exception or suspended, with the instance locked;
-- p_compensating: or that is being compensated.
-- Locks: the instance's wed_flow row.
-- Raises: WD104, WD105.
create or replace function wedsql._hold_instance(p_wid integer, p_compensating boolean default false)
  returns wedsql.flow
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_flow wedsql.flow;
  v_status "char";
begin
  select f.* into v_flow from wedsql.instance i join wedsql.flow f on f.id = i.flow_id where i.wid = p_wid;
  if not found then
    perform wedsql._raise('WD104', 'There is no instance {instance}.', null,
                          jsonb_build_object('instance', p_wid));
  end if;
  execute format('select 1 from %I.wed_flow w where w.wid = $1 for no key update', v_flow.name) using p_wid;
  select f.* into v_flow from wedsql.flow f where f.id = v_flow.id;  -- behind the lock
  select i.status into v_status from wedsql.instance i where i.wid = p_wid;
  if v_status = 'X' and not p_compensating then
    perform wedsql._raise('WD105', 'Instance {instance} is being compensated.',
      'Wait for its compensations, or retry or skip the one that failed.',
      jsonb_build_object('instance', p_wid));
  end if;
  perform wedsql._check_here(p_wid, v_status);
  if v_status not in ('R', 'E', 'S', 'X') then
    perform wedsql._raise('WD105', 'Instance {instance} is no longer running.',
                          'It is final, aborted or cancelled.',
      jsonb_build_object('instance', p_wid));
  end if;
  return v_flow;
end $$;
