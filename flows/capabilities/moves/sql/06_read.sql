-- What pages, programs and the sender of messages read about moves.

-- Returns a move without its document. peer: the name of the other installation; to_send: whether there is a
-- message for it.
create or replace function wedsql._move_row(p_move wedsql.move) returns jsonb
language sql stable set search_path = pg_catalog, pg_temp as $$
select to_jsonb(p_move) - '{document,resend,detail}'::text[] || jsonb_build_object(
  'direction', case p_move.direction when 'O' then 'sent' else 'received' end,
  'peer', coalesce((select p.name from wedsql.move_peer p where p.id = p_move.peer_id), p_move.peer_id::text),
  'expired', p_move.state = 'offered' and p_move.expires_at <= wedsql.now(),
  'has_package', p_move.document is not null,
  'to_send', p_move.direction = 'I' or p_move.state in ('offered', 'released', 'taken_back'))
$$;

-- Returns moves, the newest first, before one; of these flows and in these states, null for all.
create or replace function wedsql.moves(p_direction text default null, p_flows text[] default null,
  p_states text[] default null, p_wid integer default null, p_before timestamptz default null,
  p_before_id uuid default null, p_limit integer default 50) returns setof jsonb
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
select wedsql._move_row(m) from wedsql.move m
where (p_direction is null or m.direction = case p_direction when 'sent' then 'O' else 'I' end::"char")
  and (p_flows is null or m.flow = any (p_flows)) and (p_states is null or m.state = any (p_states))
  and (p_wid is null or m.wid = p_wid)
  and (p_before is null or (m.begun_at, m.id) < (p_before, coalesce(p_before_id, '00000000-0000-0000-0000-'
    '000000000000'::uuid)))
order by m.begun_at desc, m.id desc limit greatest(least(p_limit, 501), 0)
$$;

-- Returns one move.
-- Raises: WD623.
create or replace function wedsql.one_move(p_id uuid) returns jsonb
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_move wedsql.move;
begin
  select * into v_move from wedsql.move m where m.id = p_id;
  if not found then
    perform wedsql._raise('WD623', 'There is no move {move}.', 'List the moves.',
      jsonb_build_object('move', p_id));
  end if;
  return wedsql._move_row(v_move);
end $$;

-- Returns the message of a move for the other installation, to be signed: a package, a decision or a receipt;
-- null where none is due.
-- Raises: WD620, WD623.
create or replace function wedsql.move_message(p_id uuid) returns jsonb
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set timezone = 'UTC'
set datestyle = 'ISO, YMD' as $$
declare
  v_move wedsql.move;
  v_head jsonb;
begin
  perform wedsql.one_move(p_id);
  select * into v_move from wedsql.move m where m.id = p_id;
  if v_move.direction = 'I' then
    return wedsql._receipt(v_move);
  elsif v_move.state not in ('offered', 'released', 'taken_back') then
    return null;
  end if;
  v_head := jsonb_build_object('move', v_move.id, 'from', (wedsql._own_installation()).id,
    'to', v_move.peer_id, 'flow', v_move.flow, 'origin', v_move.origin, 'origin_wid', v_move.origin_wid,
    'counter', v_move.counter, 'actor', v_move.actor, 'reason', v_move.reason,
    'expires_at', v_move.expires_at);
  if v_move.state = 'offered' or v_move.resend then
    return v_move.document || v_head || jsonb_build_object('kind', 'package')
      || case when v_move.state = 'released' then '{"released": true}' else '{}' end::jsonb;
  end if;
  return v_head || jsonb_build_object('kind', 'decision',
    'decision', case v_move.state when 'released' then 'released' else 'withdrawn' end);
end $$;

-- Returns the definition in the package of a move, for one that is to be published here.
-- Raises: WD623; WD624 where the package is no longer kept.
create or replace function wedsql.move_definition(p_id uuid) returns jsonb
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_definition jsonb := (select m.document -> 'definition' from wedsql.move m where m.id = p_id);
begin
  perform wedsql.one_move(p_id);
  if v_definition is null then
    perform wedsql._raise('WD624', 'The package of move {move} is no longer kept.',
      'Ask for it to be sent again.', jsonb_build_object('move', p_id));
  end if;
  return v_definition;
end $$;

-- Returns where an instance is and was: away (the other installation), since, counter, and stays, the
-- installations at which its steps were made; null for one that was never elsewhere.
create or replace function wedsql.places_of(p_wid integer) returns jsonb
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
select jsonb_build_object('origin', d.origin, 'origin_wid', d.origin_wid, 'counter', d.counter,
  'away', coalesce((select p.name from wedsql.move_peer p where p.id = d.peer_id), d.peer_id::text),
  'since', d.since, 'stays', (select jsonb_agg(s || jsonb_build_object('here',
      s ->> 'at' = (select o.id::text from wedsql.installation o)) order by (s ->> 'from')::integer)
    from jsonb_array_elements(d.stays) s),
  'move', (select m.id from wedsql.move m where m.origin = d.origin and m.origin_wid = d.origin_wid
           and m.counter = d.counter and m.direction = 'O' limit 1),
  'state', (select m.state from wedsql.move m where m.origin = d.origin and m.origin_wid = d.origin_wid
           and m.counter = d.counter and m.direction = 'O' limit 1))
from wedsql.moved d where d.wid = p_wid
$$;

-- Returns the moves whose next message is due and can be sent by HTTP, at most 20, and puts each off, so that
-- another process does not send it at the same time.
-- Locks: the moves, skipping locked ones.
create or replace function wedsql.due_moves() returns setof jsonb
language sql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
with due as (
  select d.id from wedsql.move_peer p cross join lateral (
    select m.id, m.next_at from wedsql.move m
    where m.peer_id = p.id and m.direction = 'O' and m.next_at <= (select wedsql.now())
    order by m.next_at limit 20 for update skip locked) d
  where p.url is not null and p.enabled order by d.next_at limit 20)
update wedsql.move m set attempts = m.attempts + 1,
  next_at = wedsql.now() + least(interval '1 hour', interval '5 seconds' * 2 ^ least(m.attempts, 10))
from due d join wedsql.move o on o.id = d.id join wedsql.move_peer p on p.id = o.peer_id
where m.id = d.id
returning jsonb_build_object('id', m.id, 'flow', m.flow, 'url', p.url)
$$;

-- Notes why a message could not be sent.
create or replace function wedsql.move_not_sent(p_id uuid, p_problem text) returns void
language sql security definer set search_path = pg_catalog, pg_temp as $$
update wedsql.move m set last_error = left(p_problem, 2000) where m.id = p_id and m.next_at is not null
$$;

-- Returns what needs attention about moves: counts of offers that have expired, of accepted instances that
-- could not be continued here, and of messages that could not be sent.
create or replace function wedsql.move_problems(p_flows text[] default null) returns jsonb
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
select jsonb_build_object(
  'expired', count(*) filter (where m.state = 'offered' and m.expires_at <= wedsql.now()),
  'not_continued', count(*) filter (where m.direction = 'I' and m.state = 'released'),
  'not_sent', count(*) filter (where m.direction = 'O' and m.last_error is not null))
from (select * from wedsql.move m where m.state in ('offered', 'released')
      and (p_flows is null or m.flow = any (p_flows)) limit 1000) m
$$;

grant execute on function
  wedsql.moves(text, text[], text[], integer, timestamptz, uuid, integer), wedsql.one_move(uuid),
  wedsql.move_definition(uuid), wedsql.places_of(integer), wedsql.move_problems(text[])
to wed_web, wed_monitor;
grant execute on function wedsql.move_message(uuid) to wed_web, wed_reaper;
grant execute on function wedsql.due_moves(), wedsql.move_not_sent(uuid, text) to wed_reaper;
