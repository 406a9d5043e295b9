-- Who works on a case: claim, next, release. Each call is one transaction with an entry in the history of
-- the case, except that renewing a claim has none. p_flows: the flows that the caller may repair, which the
-- caller has checked; null for all. A case of another flow is unknown to the caller.

-- Returns the state of a case at a time: a claim and a wait that are over no longer count.
create or replace function wedsql._case_state(p_case wedsql.repair_case, p_now timestamptz) returns text
language sql immutable set search_path = pg_catalog, pg_temp as $$
select case when p_case.lease_until > p_now or p_case.waits_until > p_now or p_case.closed_at is not null
              then p_case.state
            when p_case.reopened > 0 then 'reopened' else 'new' end
$$;

-- Returns the state of a case for people: as _case_state, but "proposed" while a repair of the instance or of
-- many with it waits for approvals, and "approved" when it has the first of two.
create or replace function wedsql._shown_case_state(p_case wedsql.repair_case, p_now timestamptz)
  returns text
language sql stable set search_path = pg_catalog, pg_temp as $$
select coalesce(case when p_case.closed_at is null then wedsql._call_proposed(p_case.wid, p_now) end,
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
-- Raises: WD517 where it is closed, WD515; WD516 where another user has claimed it.
create or replace function wedsql._open_case(p_number bigint, p_flows text[], p_actor text,
  p_text text default '') returns wedsql.repair_case
language plpgsql set search_path = pg_catalog, pg_temp set timezone = 'UTC' as $$
declare
  v_case wedsql.repair_case := wedsql._locked_case(p_number, p_flows, p_text);
begin
  if v_case.closed_at is not null then
    perform wedsql._raise('WD517', 'Case {case} is closed.', 'Its exception is over.',
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
-- Raises: WD514, WD515, WD516, WD517.
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
-- approvals or until its instance is resumed, and returns it, null if there is none. Two callers at the same
-- time get two cases.
-- Locks: the case, skipping locked ones.
-- Raises: WD514, also for a queue that there is not.
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
    and not exists (select from wedsql.instance i where i.wid = c.wid and i.status = 'S')
    and (p_flows is null or c.flow_id = any (array(select f.id from wedsql.flow f
                                                   where f.name = any (p_flows))))
  order by - c.priority, c.due_at, c.number limit 1 for no key update of c skip locked;
  if not found then
    perform wedsql._check_queue(p_queue, p_flows);
    return null;
  end if;
  perform wedsql._note_case(v_case.number, 'claimed', p_actor, '');
  return wedsql._give_case(v_case, p_actor, p_minutes);
end $$;

-- Gives a case back that the user has claimed, and returns it.
-- Locks: the case.
-- Raises: WD514, WD515, WD516, WD517.
create or replace function wedsql.release_case(p_number bigint, p_actor text, p_flows text[] default null)
  returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_case wedsql.repair_case := wedsql._open_case(p_number, p_flows, p_actor);
begin
  if wedsql._case_state(v_case, wedsql.now()) <> 'claimed' then
    perform wedsql._raise('WD517', 'Case {case} is not claimed.', 'There is nothing to give back.',
      jsonb_build_object('case', p_number));
  end if;
  update wedsql.repair_case c
  set state = case when c.reopened > 0 then 'reopened' else 'new' end, owner = '', lease_until = null
  where c.number = p_number returning c.* into v_case;
  perform wedsql._note_case(p_number, 'released', p_actor, '');
  return wedsql._shown_case(v_case);
end $$;

-- Gives a case that no other user has claimed to a colleague for some minutes, and returns it. The caller has
-- checked that the colleague may handle it, which only the tables of the site say.
-- Locks: the case.
-- Raises: WD514, WD515, WD516, WD517.
create or replace function wedsql.give_case(p_number bigint, p_to text, p_actor text, p_text text default '',
  p_minutes integer default 1440, p_flows text[] default null) returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_case wedsql.repair_case := wedsql._open_case(p_number, p_flows, p_actor, p_text);
begin
  if btrim(coalesce(p_to, '')) = '' or wedsql._actor(p_to) = wedsql._actor(p_actor) then
    perform wedsql._raise('WD514', 'A case is given to another person.',
      'Name a colleague who handles cases.');
  end if;
  perform wedsql._note_case(p_number, 'given', p_actor, p_text,
    jsonb_build_object('to', wedsql._actor(p_to)));
  return wedsql._give_case(v_case, p_to, p_minutes);
end $$;

grant execute on function wedsql.give_case(bigint, text, text, text, integer, text[]) to wed_web;
grant execute on function wedsql.claim_case(bigint, text, integer, text, text[]),
  wedsql.next_case(text, text, integer, text[]), wedsql.release_case(bigint, text, text[]) to wed_web;
