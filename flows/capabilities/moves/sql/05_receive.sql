-- Receiving an instance: its package is checked and held until its sender releases it. Whoever calls these
-- has checked the signature, and that this installation is the addressee.

-- Returns the newest version of a flow with this definition; null where none has it.
create or replace function wedsql._fitting_version(p_flow wedsql.flow, p_definition jsonb) returns integer
language sql stable set search_path = pg_catalog, pg_temp as $$
select case when wedsql._definition_digest(wedsql._definition(p_flow, false)) = d.digest then p_flow.version
else (select o.version from (select v.version, v.definition from wedsql.flow_version v
                             where v.flow_id = p_flow.id order by v.version desc limit 200) o
      where wedsql._definition_digest(o.definition) = d.digest order by o.version desc limit 1) end
from (select wedsql._definition_digest(p_definition) as digest) d
$$;

-- Returns in what a definition differs from that of a flow, as text: parts and names, at most ten.
create or replace function wedsql._definition_differences(p_flow wedsql.flow, p_definition jsonb) returns text
language sql stable set search_path = pg_catalog, pg_temp as $$
select string_agg(d.what, ', ' order by d.n) from (
  select row_number() over (order by o.part, o.ord) as n, format('%s "%s"', o.part,
    case o.part when 'setting'
           then coalesce((select string_agg(k, ' ') from jsonb_object_keys(o.new_value) k), '')
    else coalesce(v.v ->> 'name', v.v ->> 'transition', v.v ->> 'condition', '') end) as what
  from wedsql._difference(wedsql._definition(p_flow, false), p_definition) o
  cross join lateral (select coalesce(nullif(o.new_value, 'null'), o.old_value) as v) v) d
where d.n <= 10
$$;

-- Returns why an instance cannot be received; null where it can.
create or replace function wedsql._why_not(p_content jsonb, p_peer wedsql.move_peer) returns wedsql.why
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  v_flow wedsql.flow;
  v_why wedsql.why;
begin
  if not p_peer.enabled or not (p_peer.flows @> array[p_content ->> 'flow'] or '*' = any (p_peer.flows)) then
    return wedsql._why('WD629', 'Instances of the flow "{flow}" are not received from this installation.',
      'The operator of the receiving installation allows it by flow.',
      jsonb_build_object('flow', p_content -> 'flow'));
  end if;
  select * into v_flow from wedsql.flow f where f.name = p_content ->> 'flow';
  if not found then
    return wedsql._why('WD627', 'There is no flow "{flow}" at the receiving installation.',
      'Publish the definition of the package there.', jsonb_build_object('flow', p_content -> 'flow'));
  elsif wedsql._fitting_version(v_flow, p_content -> 'definition') is null then
    return wedsql._why('WD627', 'No version of the flow "{flow}" at the receiving installation has the '
      'definition of the package. These differ: {difference}.',
      'Publish the definition of the package there.', jsonb_build_object('flow', v_flow.name,
        'difference', coalesce(wedsql._definition_differences(v_flow, p_content -> 'definition'), '?')));
  end if;
  return wedsql._why_not_now(v_flow, p_content);
end $$;

-- Returns why an instance of a flow whose definition fits cannot be received: what this installation has of
-- it already.
create or replace function wedsql._why_not_now(p_flow wedsql.flow, p_content jsonb) returns wedsql.why
language plpgsql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  v_moved wedsql.moved;
  v_facts jsonb := jsonb_build_object('counter', p_content -> 'counter',
                                      'key', p_content #> '{instance,key}');
begin
  select * into v_moved from wedsql.moved d where d.origin = (p_content ->> 'origin')::uuid
    and d.origin_wid = (p_content ->> 'origin_wid')::integer;
  if v_moved.wid is null and (p_content ->> 'origin')::uuid = (wedsql._own_installation()).id then
    return wedsql._why('WD628',
      'The instance was started at the receiving installation, which has not handed it over.',
      'It is not received a second time.');
  elsif v_moved.wid is null then
    return case when exists (select from wedsql.instance i where i.flow_id = p_flow.id
                             and i.key = p_content #>> '{instance,key}')
      then wedsql._why('WD629', 'Another instance of the receiving installation has the key "{key}".',
        'Keys name one instance of a flow.', v_facts) end;
  elsif (p_content ->> 'counter')::integer <= v_moved.counter then
    return wedsql._why('WD628', 'The package has the number {counter} of this instance, and the receiving '
      'installation has seen {seen}.', 'It is older than what is known of the instance.',
      v_facts || jsonb_build_object('seen', v_moved.counter));
  elsif (select i.status from wedsql.instance i where i.wid = v_moved.wid) is distinct from 'M' then
    return wedsql._why('WD628', 'The instance runs at the receiving installation, or has ended there.',
      'It is not received a second time.');
  elsif not wedsql._continues(v_moved.wid, p_content -> 'steps') then
    return wedsql._why('WD628', 'The history in the package does not continue the one at the receiving '
      'installation.', 'One of the two was restored from a backup. Compare them.');
  end if;
  return null;
end $$;

-- Returns whether a history begins with the steps that an instance has here.
create or replace function wedsql._continues(p_wid integer, p_steps jsonb) returns boolean
language sql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off set timezone = 'UTC'
set datestyle = 'ISO, YMD' as $$
select not exists (
  select from wedsql.wed_trace t
  left join lateral (select p_steps -> (t.seq - 1) as j offset 0) s on true
  where t.wid = p_wid and (s.j ->> 'seq' = t.seq::text and s.j -> 'state' = t.state
    and s.j -> 'tstmp' = to_jsonb(t.tstmp) and s.j ->> 'trw' = t.trw and s.j ->> 'actor' = t.actor
    and s.j ->> 'status' = t.status::text) is not true)
$$;

-- Returns what this installation says about a move that it received, for its sender.
create or replace function wedsql._receipt(p_move wedsql.move) returns jsonb
language sql stable set search_path = pg_catalog, pg_temp as $$
select jsonb_strip_nulls(jsonb_build_object('kind', 'receipt', 'move', p_move.id,
  'from', (wedsql._own_installation()).id, 'to', p_move.peer_id, 'counter', p_move.counter,
  'outcome', case p_move.state when 'held' then 'accepted' else p_move.state end,
  'sqlstate', p_move.sqlstate, 'message', p_move.problem, 'at', wedsql.now()))
$$;

-- Has the receipts of one instance wait for each other.
-- Locks: an advisory lock for the duration of the transaction.
create or replace function wedsql._alone_with(p_content jsonb) returns void
language sql set search_path = pg_catalog, pg_temp as $$
select wedsql._alone('moved instance', concat_ws(' ', p_content ->> 'origin', p_content ->> 'origin_wid'))
$$;

-- Keeps the package of an instance, if it can be received, and returns the receipt. The same package again
-- gets the same receipt. One that its sender has released already, which a restored database has lost, is
-- continued at once.
-- Locks: the instances of that origin and number, the move; as _arrive.
-- Raises: WD621 for a package with missing or wrong parts.
create or replace function wedsql.receive_package(p_content jsonb, p_peer uuid) returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_peer wedsql.move_peer;
  v_move wedsql.move;
  v_why wedsql.why;
  v_now timestamptz := wedsql.now();
  v_released boolean := coalesce(p_content -> 'released' = 'true', false);
begin
  select * into v_peer from wedsql.move_peer p where p.id = p_peer;
  perform wedsql._check_content(p_content);
  perform wedsql._alone_with(p_content);
  select * into v_move from wedsql.move m where m.id = (p_content ->> 'move')::uuid for update;
  if found then
    return wedsql._receipt(wedsql._follow_release(v_move, p_peer, v_released));
  end if;
  v_why := wedsql._why_not(p_content, v_peer);
  if v_why.code is null and not v_released and v_now >= (p_content ->> 'expires_at')::timestamptz then
    v_why := wedsql._why('WD626', 'The package has expired at {time}.', 'Its sender takes the instance back.',
      jsonb_build_object('time', p_content -> 'expires_at'));
  end if;
  if v_why.code is null then  -- a later package means that its sender has taken back the earlier ones
    update wedsql.move m set state = 'withdrawn', settled_at = v_now, document = null
    where m.direction = 'I' and m.state = 'held' and m.origin = (p_content ->> 'origin')::uuid
      and m.origin_wid = (p_content ->> 'origin_wid')::integer
      and m.counter < (p_content ->> 'counter')::integer;
  end if;
  insert into wedsql.move (id, direction, flow, peer_id, origin, origin_wid, counter, state, document, size,
    actor, reason, begun_at, expires_at, settled_at, sqlstate, problem, detail)
  values ((p_content ->> 'move')::uuid, 'I', p_content ->> 'flow', p_peer, (p_content ->> 'origin')::uuid,
    (p_content ->> 'origin_wid')::integer, (p_content ->> 'counter')::integer,
    case when v_why.code is null then 'held' else 'refused' end, p_content, octet_length(p_content::text),
    p_content ->> 'actor', p_content ->> 'reason', v_now, (p_content ->> 'expires_at')::timestamptz,
    case when v_why.code is not null then v_now end, v_why.code,
    nullif(concat_ws(' ', v_why.message, v_why.hint), ''), v_why.detail)
  returning * into v_move;
  if v_move.state = 'held' then
    v_why := wedsql._try_arrival(v_move);
    if v_why.code is not null then
      update wedsql.move m set state = 'refused', settled_at = v_now, sqlstate = v_why.code,
        problem = left(concat_ws(' ', v_why.message, v_why.hint), 2000), detail = v_why.detail
      where m.id = v_move.id returning * into v_move;
    end if;
  end if;
  return wedsql._receipt(wedsql._follow_release(v_move, p_peer, v_released));
end $$;

-- Checks that a package has the parts that are read, of the right kinds.
-- Raises: WD621.
create or replace function wedsql._check_content(p_content jsonb) returns void
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  if (select bool_and(coalesce(jsonb_typeof(p_content -> p.name), '') = p.kind) from (values
        ('flow', 'string'), ('definition', 'object'), ('instance', 'object'), ('steps', 'array'),
        ('jobs', 'array'), ('pending', 'array'), ('timers', 'array'), ('skipped', 'array'), ('log', 'array'),
        ('files', 'array'), ('stays', 'array'), ('actor', 'string'), ('reason', 'string'),
        ('counter', 'number'), ('origin', 'string'), ('origin_wid', 'number'), ('expires_at', 'string'),
        ('move', 'string')) p (name, kind))
     and (p_content ->> 'expires_at')::timestamptz is not null and (p_content ->> 'move')::uuid is not null
     and (p_content ->> 'origin')::uuid is not null and (p_content ->> 'counter')::integer > 0
     and (p_content ->> 'origin_wid')::integer > 0
     and jsonb_array_length(p_content -> 'steps') = (p_content #>> '{instance,seq}')::integer then
    perform wedsql._check_definition(p_content -> 'definition');
    return;
  end if;
  perform wedsql._raise('WD621', 'The package has not all parts of an instance.',
    'It was written by another version of the product, or damaged.');
exception when data_exception then
  perform wedsql._raise('WD621', 'A part of the package cannot be read: {problem}.',
    'It was written by another version of the product, or damaged.', jsonb_build_object('problem', sqlerrm));
end $$;

-- Continues the instance of a move that its sender has released, if it was only held until then, and returns
-- the move. What prevents it is kept with the move, and tried again with the next message.
-- Locks: as _arrive; the caller holds the move.
-- Raises: WD623 for a move of another installation.
create or replace function wedsql._follow_release(p_move wedsql.move, p_peer uuid, p_released boolean)
  returns wedsql.move
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_why wedsql.why;
begin
  if p_move.peer_id <> p_peer or p_move.direction <> 'I' then
    perform wedsql._raise('WD623', 'Move {move} was not sent by this installation.', 'List the moves.',
      jsonb_build_object('move', p_move.id));
  elsif not p_released or p_move.state not in ('held', 'released') then
    return p_move;
  end if;
  begin
    return wedsql._arrive(p_move);
  exception when others then
    if wedsql._passes(sqlstate) then
      raise;
    end if;
    get stacked diagnostics v_why.code = returned_sqlstate, v_why.message = message_text,
      v_why.detail = pg_exception_detail;
  end;
  update wedsql.move m set state = 'released', sqlstate = v_why.code, problem = left(v_why.message, 2000),
    detail = v_why.detail
  where m.id = p_move.id returning * into p_move;
  return p_move;
end $$;

-- Follows the decision of a sender, released or withdrawn, and returns the receipt. A withdrawal that arrives
-- before its package is kept, so that the package is not.
-- Locks: as receive_package.
create or replace function wedsql.receive_decision(p_content jsonb, p_peer uuid) returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_move wedsql.move;
  v_now timestamptz := wedsql.now();
begin
  if not coalesce(p_content ->> 'decision' in ('released', 'withdrawn'), false) then
    perform wedsql._raise('WD621', 'The message has no decision that is known.',
      'It was written by another version of the product, or damaged.');
  end if;
  perform wedsql._alone_with(p_content);
  select * into v_move from wedsql.move m where m.id = (p_content ->> 'move')::uuid for update;
  if not found and p_content ->> 'decision' = 'released' then
    return jsonb_build_object('kind', 'receipt', 'move', p_content -> 'move',
      'from', (wedsql._own_installation()).id, 'to', p_peer, 'counter', p_content -> 'counter',
      'outcome', 'unknown', 'at', v_now);
  elsif not found then
    insert into wedsql.move (id, direction, flow, peer_id, origin, origin_wid, counter, state, actor, reason,
                             begun_at, expires_at, settled_at)
    values ((p_content ->> 'move')::uuid, 'I', p_content ->> 'flow', p_peer, (p_content ->> 'origin')::uuid,
      (p_content ->> 'origin_wid')::integer, (p_content ->> 'counter')::integer, 'withdrawn',
      p_content ->> 'actor', p_content ->> 'reason', v_now, v_now, v_now)
    returning * into v_move;
  elsif p_content ->> 'decision' = 'withdrawn' and v_move.state = 'held' and v_move.peer_id = p_peer then
    update wedsql.move m set state = 'withdrawn', settled_at = v_now, document = null
    where m.id = v_move.id returning * into v_move;
  end if;
  return wedsql._receipt(wedsql._follow_release(v_move, p_peer, p_content ->> 'decision' = 'released'));
end $$;

grant execute on function wedsql.receive_package(jsonb, uuid), wedsql.receive_decision(jsonb, uuid)
to wed_web;
