-- Sending an instance. While it is away it has the status M: it has no jobs and timers, so nothing fires and
-- no worker or person takes anything of it; operations and results are rejected, and retention keeps it.
--
-- At most one installation runs an instance, whatever becomes of messages and clocks, because one decides:
-- the sender, in its database. It offers the instance; the receiver checks the package and keeps it, without
-- running it, and says so; only then does the sender release the instance, unless it has taken it back. The
-- receiver runs it when it has the signed release. Each message can be sent any number of times.

-- Checks that an instance has nothing of which a part would stay here.
-- Locks: the jobs.
-- Raises: WD203 with the holder of a job, WD622.
create or replace function wedsql._check_movable(p_wid integer) returns void
language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  v_status "char" := (select i.status from wedsql.instance i where i.wid = p_wid);
  v_other text;
begin
  if v_status <> 'R' then
    perform wedsql._raise('WD622', case v_status
        when 'E' then 'Instance {instance} is an exception, and stays here until that is decided.'
        when 'X' then 'Instance {instance} is being compensated, and stays here until that is done.'
        else 'Instance {instance} is suspended, and stays here until it is resumed.' end,
      'Only a running instance is handed over.', jsonb_build_object('instance', p_wid));
  end if;
  perform wedsql._check_not_held(j) from wedsql.job_pool j where j.wid = p_wid order by j.id;
  if exists (select from wedsql.child_job c where c.parent_wid = p_wid and c.ended_at is null) then
    perform wedsql._raise('WD622', 'Instance {instance} waits for instances that it has started.',
      'Wait until they have ended.', jsonb_build_object('instance', p_wid));
  end if;
  select c.parent_wid::text into v_other from wedsql.child c
  where c.wid = p_wid and c.state in ('O', 'X') limit 1;
  if v_other is not null then
    perform wedsql._raise('WD622', 'Instance {instance} was started by instance {other}, which waits for it.',
      'It ends here.', jsonb_build_object('instance', p_wid, 'other', v_other));
  end if;
  if exists (select from wedsql.signal s where s.wid = p_wid and s.state = 'K') then
    perform wedsql._raise('WD622', 'A signal is kept for instance {instance}.',
      'Wait until it is delivered, or its time is over.', jsonb_build_object('instance', p_wid));
  end if;
  select d.person into v_other from wedsql.task t join wedsql.task_draft d on d.job_id = t.job_id
  where t.wid = p_wid and t.ended_at is null order by d.person limit 1;
  if v_other is not null then
    perform wedsql._raise('WD622',
      '{person} has typed into the form of a task of instance {instance}, and has not sent it.',
      'Ask that person to send or to discard it.',
      jsonb_build_object('person', v_other, 'instance', p_wid));
  end if;
end $$;

-- Returns where an instance was started and how often it was handed over, from now on noted.
-- Locks: its row of wedsql.moved.
create or replace function wedsql._noted_move(p_flow wedsql.flow, p_wid integer) returns wedsql.moved
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_own wedsql.installation := wedsql._own_installation();
  v_moved wedsql.moved;
begin
  insert into wedsql.moved (wid, flow_id, origin, origin_wid, stays)
  values (p_wid, p_flow.id, v_own.id, p_wid,
          jsonb_build_array(jsonb_build_object('from', 1, 'at', v_own.id, 'name', v_own.name)))
  on conflict (wid) do nothing;
  select * into v_moved from wedsql.moved d where d.wid = p_wid for update;
  return v_moved;
end $$;

-- Hands an instance to another installation: it ceases to run here, and its package waits to be sent until
-- it expires. Returns the number of the move.
-- Locks: as _operate; its jobs, timers, trace, its row of wedsql.moved.
-- Raises: WD009 without a reason, WD104, WD105, WD203 while a worker or person holds a job of it, WD520,
-- WD620, WD622.
create or replace function wedsql.hand_over(p_wid integer, p_peer text, p_reason text,
  p_valid interval default '1 day', p_actor text default null) returns uuid
language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  v_own wedsql.installation := wedsql._own_installation();
  v_peer wedsql.move_peer := wedsql._peer(p_peer);
  v_flow wedsql.flow := wedsql._operate(p_wid, p_reason);
  v_now timestamptz := wedsql.now();
  v_moved wedsql.moved;
  v_document jsonb;
  v_id uuid := gen_random_uuid();
begin
  if not v_peer.enabled then
    perform wedsql._raise('WD622', 'The installation "{peer}" is disabled.', 'Enable it first.',
      jsonb_build_object('peer', v_peer.name));
  elsif p_valid is null or p_valid not between interval '1 minute' and interval '90 days' then
    perform wedsql._raise('WD009', 'A package expires after 1 minute to 90 days.', 'Choose another time.');
  end if;
  perform wedsql._check_movable(p_wid);
  v_moved := wedsql._noted_move(v_flow, p_wid);
  perform wedsql._set_status(array[p_wid], 'M');
  perform wedsql._append_trace(v_flow, array[wedsql._note_step(p_wid, '_HAND_OVER', wedsql._actor(p_actor),
    p_reason)], null, v_now);
  v_document := wedsql._moved_document(v_flow, p_wid);
  perform wedsql._leave(v_flow, p_wid, v_now);
  update wedsql.moved d set counter = d.counter + 1, peer_id = v_peer.id, since = v_now, attributes = (
    select jsonb_object_agg(a.aname, a.aid) from wedsql.attr a where a.flow_id = v_flow.id)
  where d.wid = p_wid returning * into v_moved;
  insert into wedsql.move (id, direction, flow, wid, peer_id, origin, origin_wid, counter, state, document,
                           size, actor, reason, begun_at, expires_at, next_at)
  values (v_id, 'O', v_flow.name, p_wid, v_peer.id, v_moved.origin, v_moved.origin_wid, v_moved.counter,
    'offered', v_document || jsonb_build_object('stays', v_moved.stays), octet_length(v_document::text),
    wedsql._actor(p_actor), p_reason, v_now, v_now + p_valid, v_now);
  return v_id;
end $$;

-- The operation of the repair desk: {"peer", "hours"}, a day without hours. Returns {"move"}, its number.
-- Locks, raises: as hand_over.
create or replace function wedsql._repair_hand_over(p_wid integer, p_arguments jsonb, p_reason text,
  p_actor text) returns jsonb
language sql set search_path = pg_catalog, pg_temp as $$
select jsonb_build_object('move', wedsql.hand_over(p_wid, p_arguments ->> 'peer', p_reason,
  make_interval(hours => coalesce((p_arguments ->> 'hours')::integer, 24)), p_actor))
$$;

-- Takes the jobs and timers of an instance that is handed over out of the pool; their numbers are kept.
-- Locks: as _withdraw_jobs; the caller holds the instance.
create or replace function wedsql._leave(p_flow wedsql.flow, p_wid integer, p_now timestamptz) returns void
language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  v_ids bigint[];
begin
  insert into wedsql.moved_job (wid, tgid, cause_seq, job_id)
  select j.wid, j.tgid, j.cause_seq, j.id from wedsql.job_pool j where j.wid = p_wid
  on conflict (wid, tgid, cause_seq) do update set job_id = excluded.job_id;
  v_ids := wedsql._take_out_jobs(p_wid);
  delete from wedsql.timer x where x.wid = p_wid;
  delete from wedsql.skipped s where s.wid = p_wid;
  perform wedsql._call_withdrawn(array[p_wid], v_ids, p_now);
  perform wedsql._call_operated(p_flow, p_wid, 'hand_over');
  perform wedsql._notify(p_flow, array[p_wid], array[(select i.seq from wedsql.instance i
    where i.wid = p_wid)], '{}', 0);
end $$;

-- Returns a move, locked, with its instance, which is locked first.
-- Locks: the flow's table against a definition that is being changed, the instance, the move.
-- Raises: WD623.
create or replace function wedsql._locked_move(p_id uuid) returns wedsql.move
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_move wedsql.move;
begin
  select * into v_move from wedsql.move m where m.id = p_id;
  if not found then
    perform wedsql._raise('WD623', 'There is no move {move}.', 'List the moves.',
      jsonb_build_object('move', p_id));
  end if;
  if v_move.wid is not null and exists (select from wedsql.flow f where f.name = v_move.flow) then
    execute format('lock table %I.wed_flow in row exclusive mode', v_move.flow);
    execute format('select from %I.wed_flow w where w.wid = $1 for no key update', v_move.flow)
      using v_move.wid;
  end if;
  select * into v_move from wedsql.move m where m.id = p_id for update;
  return v_move;
end $$;

-- Takes an instance back that was offered and that its receiver has not confirmed: it goes on here. A
-- receiver that has the package already never runs it, because it gets no release.
-- Locks: as _locked_move, _bring_in.
-- Raises: WD009 without a reason, WD623, WD624 where its receiver has confirmed it, or it is back already.
create or replace function wedsql.take_back(p_id uuid, p_reason text, p_actor text default null) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_move wedsql.move;
begin
  perform wedsql._check_reason(p_reason);
  v_move := wedsql._locked_move(p_id);
  if v_move.direction <> 'O' or v_move.state <> 'offered' then
    perform wedsql._raise('WD624', case
        when v_move.direction <> 'O' then 'Move {move} brought an instance here.'
        when v_move.state in ('released', 'done') then 'The other installation has accepted instance '
          '{instance} and runs it.'
        else 'Instance {instance} is back already.' end,
      'Ask the other installation to hand it back.',
      jsonb_build_object('move', p_id, 'instance', v_move.wid));
  end if;
  perform wedsql._return_to_run(v_move, 'taken_back', '_TAKE_BACK', wedsql._actor(p_actor), p_reason);
end $$;

-- Has an instance that was offered go on here.
-- Locks: as _bring_in; the caller holds the move.
create or replace function wedsql._return_to_run(p_move wedsql.move, p_state text, p_step text, p_actor text,
  p_reason text) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_now timestamptz := wedsql.now();
begin
  update wedsql.moved d set peer_id = null, since = null where d.wid = p_move.wid;
  perform wedsql._bring_in(wedsql._flow(p_move.flow), p_move.document, p_move.wid, p_step, p_actor, p_reason,
                           v_now);
  update wedsql.move m set state = p_state, settled_at = v_now, document = null, resend = false, attempts = 0,
    last_error = null, next_at = case p_state when 'taken_back' then v_now end
  where m.id = p_move.id;
end $$;

-- Follows what the receiver of an instance says about it: accepted, refused, arrived, withdrawn, or unknown,
-- where it has no such move. What comes late or again changes nothing.
-- Locks: as _locked_move, _bring_in.
-- Raises: WD623 for a move to another installation.
create or replace function wedsql.receive_receipt(p_content jsonb, p_peer uuid) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_move wedsql.move := wedsql._locked_move((p_content ->> 'move')::uuid);
  v_says text := p_content ->> 'outcome';
  v_now timestamptz := wedsql.now();
begin
  if v_move.peer_id <> p_peer or v_move.direction <> 'O' then
    perform wedsql._raise('WD623', 'Move {move} was not sent to this installation.', 'List the moves.',
      jsonb_build_object('move', v_move.id));
  elsif v_move.state = 'offered' and v_says = 'accepted' then
    update wedsql.move m set state = 'released', next_at = v_now, attempts = 0, last_error = null
    where m.id = v_move.id;
  elsif v_move.state = 'offered' and v_says in ('refused', 'withdrawn') then
    update wedsql.move m set sqlstate = p_content ->> 'sqlstate',
      problem = left(p_content ->> 'message', 2000)
    where m.id = v_move.id;
    perform wedsql._return_to_run(v_move, 'refused', '_TAKE_BACK',
      left((select p.name from wedsql.move_peer p where p.id = p_peer), 100),
      left(coalesce(p_content ->> 'message', v_says), 2000));
  elsif v_move.state = 'released' and v_says = 'arrived' then
    update wedsql.move m set state = 'done', settled_at = v_now, document = null, resend = false,
      next_at = null, last_error = null where m.id = v_move.id;
  elsif v_move.state = 'released' and v_says = 'unknown' then
    update wedsql.move m set resend = true, next_at = v_now where m.id = v_move.id;
  elsif v_move.state = 'taken_back' and v_says in ('withdrawn', 'refused', 'unknown') then
    update wedsql.move m set next_at = null where m.id = v_move.id;
  elsif v_move.state = 'released' and p_content ? 'message' then
    update wedsql.move m set last_error = left(p_content ->> 'message', 2000) where m.id = v_move.id;
  end if;
end $$;

grant execute on function
  wedsql.hand_over(integer, text, text, interval, text), wedsql.take_back(uuid, text, text)
to wed_web;
grant execute on function wedsql.receive_receipt(jsonb, uuid) to wed_web, wed_reaper;
