-- What people do with cases: claim, release, comment, wait, change. Each call is one transaction with an
-- entry in the history of the case, except that renewing a claim has none. p_flows: the flows that the caller
-- may repair, which the caller has checked; null for all. A case of another flow is unknown to the caller.

-- Returns the state of a case at a time: a claim and a wait that are over no longer count.
create or replace function wedsql._case_state(p_case wedsql.repair_case, p_now timestamptz) returns text
language sql immutable set search_path = pg_catalog, pg_temp as $$
select case when p_case.lease_until > p_now or p_case.waits_until > p_now or p_case.closed_at is not null
              then p_case.state
            when p_case.reopened > 0 then 'reopened' else 'new' end
$$;

-- Returns whether a proposed repair can still be decided and applied.
create or replace function wedsql._waits(p_proposal wedsql.proposal, p_now timestamptz) returns boolean
language sql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
select p_proposal.closed_at is null and p_proposal.expires_at > p_now
  and (p_proposal.wid is null
    or p_proposal.expected_seq = (select i.seq from wedsql.instance i where i.wid = p_proposal.wid))
$$;

-- Returns the state of a proposal about many instances that waits for approvals and is about this one, as it
-- was when it was selected; null where there is none.
create or replace function wedsql._bulk_proposal_state(p_wid integer, p_now timestamptz) returns text
language sql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
select p.state from wedsql.proposal p
join wedsql.bulk_row r on r.bulk_id = p.bulk_id and r.wid = p_wid
join wedsql.instance i on i.wid = r.wid and i.seq = r.seq
where p.bulk_id is not null and p.closed_at is null and p.expires_at > p_now
order by p.number limit 1
$$;

-- Returns the state of a case for people: as _case_state, but "proposed" while a repair of the instance or of
-- many with it waits for approvals, and "approved" when it has the first of two.
create or replace function wedsql._shown_case_state(p_case wedsql.repair_case, p_now timestamptz)
  returns text
language sql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
select coalesce((select p.state from wedsql.proposal p
                 where p.wid = p_case.wid and p.closed_at is null and p_case.closed_at is null
                   and wedsql._waits(p, p_now)),
  case when p_case.closed_at is null then wedsql._bulk_proposal_state(p_case.wid, p_now) end,
  wedsql._case_state(p_case, p_now))
$$;

-- Returns a case for clients: its state at present, without what is stored for the kernel only.
create or replace function wedsql._shown_case(p_case wedsql.repair_case) returns jsonb
language sql stable set search_path = pg_catalog, pg_temp set timezone = 'UTC' as $$
select to_jsonb(p_case)
    - '{flow_id,signed_seq,lease_until,waits_until,waits_compiled,waits_reads,waits_seq}'::text[]
  || jsonb_build_object(
  'flow', (select f.name from wedsql.flow f where f.id = p_case.flow_id),
  'state', wedsql._shown_case_state(p_case, wedsql.now()), 'due_at', nullif(p_case.due_at, 'infinity'),
  'owner', case when n.state in ('new', 'reopened') then '' else p_case.owner end,
  'claimed_until_at', case when n.state = 'claimed' then p_case.lease_until end,
  'waits_until_at', case when n.state = 'waiting' then p_case.waits_until end,
  'waits_for', case when n.state = 'waiting' then p_case.waits_for else '' end)
from (select wedsql._case_state(p_case, wedsql.now()) as state) n
$$;

-- Appends an entry to the history of a case.
create or replace function wedsql._note_case(p_number bigint, p_kind text, p_actor text, p_text text,
  p_detail jsonb default '{}') returns void
language sql set search_path = pg_catalog, pg_temp as $$
insert into wedsql.case_event (number, at, kind, actor, text, detail)
values (p_number, wedsql.now(), p_kind, wedsql._actor(p_actor), coalesce(btrim(p_text), ''), p_detail)
$$;

-- Locks and returns a case of these flows.
-- Raises: WD514 for a text of more than 4,000 characters, WD515.
create or replace function wedsql._locked_case(p_number bigint, p_flows text[], p_text text default '')
  returns wedsql.repair_case
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_case wedsql.repair_case;
begin
  if length(p_text) > 4000 then
    perform wedsql._raise('WD514', 'A text of a case has at most {limit} characters.', 'Use a shorter text.',
      jsonb_build_object('limit', 4000));
  end if;
  select c.* into v_case from wedsql.repair_case c join wedsql.flow f on f.id = c.flow_id
  where c.number = p_number and (p_flows is null or f.name = any (p_flows)) for no key update of c;
  if not found then
    perform wedsql._raise('WD515', 'There is no case {case}.', 'It may belong to a flow that was dropped.',
      jsonb_build_object('case', p_number));
  end if;
  return v_case;
end $$;

-- Locks and returns an open case that no other user has claimed now.
-- Raises: WD514 where it is closed, WD515; WD516 where another user has claimed it.
create or replace function wedsql._open_case(p_number bigint, p_flows text[], p_actor text,
  p_text text default '') returns wedsql.repair_case
language plpgsql set search_path = pg_catalog, pg_temp set timezone = 'UTC' as $$
declare
  v_case wedsql.repair_case := wedsql._locked_case(p_number, p_flows, p_text);
begin
  if v_case.closed_at is not null then
    perform wedsql._raise('WD514', 'Case {case} is closed.', 'Its exception is over.',
      jsonb_build_object('case', p_number, 'state', v_case.state));
  elsif v_case.lease_until > wedsql.now() and v_case.owner <> wedsql._actor(p_actor) then
    perform wedsql._raise('WD516', '"{owner}" has claimed case {case}.',
      'Wait until the claim ends, or take the case over with a reason.',
      jsonb_build_object('case', p_number, 'owner', v_case.owner, 'until', v_case.lease_until));
  end if;
  return v_case;
end $$;

-- Gives a case, which the caller has locked, to a user for some minutes.
-- Raises: WD514.
create or replace function wedsql._give_case(p_case wedsql.repair_case, p_actor text, p_minutes integer)
  returns jsonb
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if p_minutes is null or p_minutes not between 1 and 1440 then
    perform wedsql._raise('WD514', 'A case is claimed for 1 to {limit} minutes.', 'Give such a number.',
      jsonb_build_object('limit', 1440));
  end if;
  update wedsql.repair_case c
  set state = 'claimed', owner = wedsql._actor(p_actor), waits_until = null,
      lease_until = wedsql.now() + make_interval(mins => p_minutes)
  where c.number = p_case.number returning c.* into p_case;
  return wedsql._shown_case(p_case);
end $$;

-- Claims a case for some minutes, and returns it. Whoever has claimed it renews the claim; with p_take_over,
-- a reason, the claim of another user ends.
-- Locks: the case.
-- Raises: WD514, WD515, WD516.
create or replace function wedsql.claim_case(p_number bigint, p_actor text, p_minutes integer default 30,
  p_take_over text default '', p_flows text[] default null) returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_case wedsql.repair_case;
  v_claimed boolean;
begin
  if btrim(coalesce(p_take_over, '')) <> '' then
    v_case := wedsql._locked_case(p_number, p_flows, p_take_over);
  end if;
  if v_case.number is null or v_case.closed_at is not null then
    v_case := wedsql._open_case(p_number, p_flows, p_actor);
  end if;
  v_claimed := coalesce(v_case.lease_until > wedsql.now(), false);
  if v_claimed and v_case.owner <> wedsql._actor(p_actor) then
    perform wedsql._note_case(p_number, 'taken_over', p_actor, p_take_over,
      jsonb_build_object('from', v_case.owner));
  elsif not v_claimed then
    perform wedsql._note_case(p_number, 'claimed', p_actor, '');
  end if;
  return wedsql._give_case(v_case, p_actor, p_minutes);
end $$;

-- Claims the most urgent case of a queue (null: of any) that is neither claimed nor waiting, also not for
-- approvals, and returns it, null if there is none. Two callers at the same time get two cases.
-- Locks: the case, skipping locked ones.
-- Raises: WD514.
create or replace function wedsql.next_case(p_queue text, p_actor text, p_minutes integer default 30,
  p_flows text[] default null) returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  v_now timestamptz := wedsql.now();
  v_case wedsql.repair_case;
begin
  select c.* into v_case from wedsql.repair_case c
  where c.closed_at is null and (p_queue is null or c.queue = p_queue)
    and coalesce(c.lease_until, c.waits_until, v_now) <= v_now
    and wedsql._shown_case_state(c, v_now) not in ('proposed', 'approved')
    and (p_flows is null or c.flow_id = any (array(select f.id from wedsql.flow f
                                                   where f.name = any (p_flows))))
  order by - c.priority, c.due_at, c.number limit 1 for no key update of c skip locked;
  if not found then
    return null;
  end if;
  perform wedsql._note_case(v_case.number, 'claimed', p_actor, '');
  return wedsql._give_case(v_case, p_actor, p_minutes);
end $$;

-- Gives a case back that the user has claimed, and returns it.
-- Locks: the case.
-- Raises: WD514, WD515, WD516.
create or replace function wedsql.release_case(p_number bigint, p_actor text, p_flows text[] default null)
  returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_case wedsql.repair_case := wedsql._open_case(p_number, p_flows, p_actor);
begin
  if wedsql._case_state(v_case, wedsql.now()) <> 'claimed' then
    perform wedsql._raise('WD514', 'Case {case} is not claimed.', 'There is nothing to give back.',
      jsonb_build_object('case', p_number));
  end if;
  update wedsql.repair_case c
  set state = case when c.reopened > 0 then 'reopened' else 'new' end, owner = '', lease_until = null
  where c.number = p_number returning c.* into v_case;
  perform wedsql._note_case(p_number, 'released', p_actor, '');
  return wedsql._shown_case(v_case);
end $$;

-- Adds a comment to a case, open or closed.
-- Locks: the case.
-- Raises: WD514, WD515.
create or replace function wedsql.comment_case(p_number bigint, p_actor text, p_text text,
  p_flows text[] default null) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform wedsql._locked_case(p_number, p_flows, p_text);
  if btrim(coalesce(p_text, '')) = '' then
    perform wedsql._raise('WD514', 'A comment needs a text.', 'Write what others should know.');
  end if;
  perform wedsql._note_case(p_number, 'commented', p_actor, p_text);
end $$;

-- Puts a case aside until a time, because information is missing, or until a condition on the state holds
-- (06_waits), which is an SQL predicate over the attributes; then p_until, which may be null, is the latest
-- time. The case is not offered as the next one before. Claiming it ends the wait. Returns the case.
-- Locks: the case.
-- Raises: WD005, WD006, WD514, WD515, WD516.
create or replace function wedsql.wait_case(p_number bigint, p_until timestamptz, p_actor text,
  p_text text default '', p_flows text[] default null, p_condition text default '') returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp set timezone = 'UTC' as $$
declare
  v_case wedsql.repair_case := wedsql._open_case(p_number, p_flows, p_actor, p_text);
  v_text text := btrim(coalesce(p_condition, ''));
  v_condition wedsql.condition;
begin
  if v_text <> '' then
    p_until := coalesce(p_until, wedsql.now() + interval '1 year');
    v_condition := wedsql._wait_condition(v_case, v_text);
  end if;
  if p_until is null or p_until <= wedsql.now() or p_until > wedsql.now() + interval '1 year' then
    perform wedsql._raise('WD514', 'A case waits until a time within a year from now.', 'Give such a time.');
  end if;
  update wedsql.repair_case c
  set state = 'waiting', owner = wedsql._actor(p_actor), lease_until = null, waits_until = p_until,
      waits_for = v_text, waits_compiled = v_condition.canonical, waits_reads = v_condition.reads,
      waits_seq = c.seq
  where c.number = p_number returning c.* into v_case;
  perform wedsql._note_case(p_number, 'waits', p_actor, p_text, jsonb_build_object('until', p_until)
    || case when v_text <> '' then jsonb_build_object('condition', v_text) else '{}' end);
  return wedsql._shown_case(v_case);
end $$;

-- Returns a condition for which a case is to wait, compiled.
-- Raises: WD005, WD006; WD514 where it is too long or holds already.
create or replace function wedsql._wait_condition(p_case wedsql.repair_case, p_text text)
  returns wedsql.condition
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_condition wedsql.condition;
begin
  if length(p_text) > 4000 then
    perform wedsql._raise('WD514', 'A text of a case has at most {limit} characters.', 'Use a shorter text.',
      jsonb_build_object('limit', 4000));
  end if;
  v_condition := wedsql._compile_one(p_text, wedsql._attr_types(p_case.flow_id));
  p_case.waits_compiled := v_condition.canonical;
  p_case.waits_reads := v_condition.reads;
  if exists (select from wedsql._awaited(p_case.flow_id, array[p_case]) a where a.letter = 't') then
    perform wedsql._raise('WD514', 'The state is already as it is awaited.', 'Choose another condition.');
  end if;
  return v_condition;
end $$;

-- Rejects values that a case cannot have.
-- Raises: WD514.
create or replace function wedsql._check_case_values(p_values jsonb) returns void
language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
declare
  v_unknown text := (select k from jsonb_object_keys(p_values
    - '{queue,severity,priority,due_at,reason_code}'::text[]) k limit 1);
begin
  if v_unknown is not null then
    perform wedsql._raise('WD514', 'A case has no value "{name}" that can be changed.',
      'Change queue, severity, priority, due_at or reason_code.', jsonb_build_object('name', v_unknown));
  elsif coalesce((p_values ->> 'priority')::integer, -1) not between 0 and 100 and p_values ? 'priority' then
    perform wedsql._raise('WD514', 'The priority of a case is from 0 to 100.', 'Give such a number.');
  elsif coalesce(p_values ->> 'severity', '') not in ('low', 'normal', 'high', 'critical')
        and p_values ? 'severity' then
    perform wedsql._raise('WD514', 'The severity of a case is low, normal, high or critical.',
      'Choose one of these.');
  elsif coalesce(p_values ->> 'queue', '') !~ '^[a-z0-9][a-z0-9_-]{0,39}$' and p_values ? 'queue' then
    perform wedsql._raise('WD514', 'The name of a queue has 1 to 40 lower-case letters, digits, "-" and "_".',
      'Choose such a name.');
  elsif coalesce(p_values ->> 'reason_code', '') !~ '^[a-z0-9_-]{0,40}$' then
    perform wedsql._raise('WD514', 'A reason code has at most 40 lower-case letters, digits, "-" and "_".',
      'Choose such a code.');
  end if;
end $$;

-- Changes queue, severity, priority, due_at (null: no due time) and reason_code of a case, also of one that
-- another user has claimed; the reason code also of a closed one. Returns the case.
-- Locks: the case.
-- Raises: WD514, WD515.
create or replace function wedsql.change_case(p_number bigint, p_changes jsonb, p_actor text,
  p_flows text[] default null) returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp set timezone = 'UTC' as $$
declare
  v_old wedsql.repair_case := wedsql._locked_case(p_number, p_flows);
  v_new wedsql.repair_case;
begin
  perform wedsql._check_case_values(p_changes);
  if v_old.closed_at is not null and p_changes - 'reason_code' <> '{}' then
    perform wedsql._raise('WD514', 'Case {case} is closed.', 'Its exception is over.',
      jsonb_build_object('case', p_number, 'state', v_old.state));
  end if;
  update wedsql.repair_case c
  set queue = coalesce(p_changes ->> 'queue', c.queue),
      severity = coalesce(p_changes ->> 'severity', c.severity),
      priority = coalesce((p_changes ->> 'priority')::integer, c.priority),
      due_at = case when p_changes ? 'due_at'
               then coalesce((p_changes ->> 'due_at')::timestamptz, 'infinity') else c.due_at end,
      reason_code = coalesce(p_changes ->> 'reason_code', c.reason_code)
  where c.number = p_number returning c.* into v_new;
  if v_new is distinct from v_old then
    perform wedsql._note_case(p_number, 'set', p_actor, '', (
      select jsonb_object_agg(k, o.shown -> k)
      from (select wedsql._shown_case(v_new) as shown, wedsql._shown_case(v_old) as was) o
      cross join lateral jsonb_object_keys(p_changes) k where o.shown -> k is distinct from o.was -> k));
  end if;
  return wedsql._shown_case(v_new);
end $$;

grant execute on function wedsql.claim_case(bigint, text, integer, text, text[]),
  wedsql.next_case(text, text, integer, text[]), wedsql.release_case(bigint, text, text[]),
  wedsql.comment_case(bigint, text, text, text[]),
  wedsql.wait_case(bigint, timestamptz, text, text, text[], text),
  wedsql.change_case(bigint, jsonb, text, text[]) to wed_web;
