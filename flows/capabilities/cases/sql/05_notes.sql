-- What people note about a case: a comment, that it waits, other values. Each call is one transaction with an
-- entry in the history of the case. p_flows is that of claim_case.

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
-- Raises: WD005, WD006, WD514, WD515, WD516, WD517.
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
  v_condition := wedsql._compile_possible(p_text, wedsql._attr_types(p_case.flow_id));
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
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
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
  elsif p_values ->> 'due_at' is not null and not wedsql._is_shown_time(p_values ->> 'due_at') then
    perform wedsql._raise('WD514', 'The due time of a case is a moment of the years 2 to 9998.',
      'Give such a time, or none.');
  end if;
end $$;

-- Changes queue, severity, priority, due_at (null: no due time) and reason_code of a case, also of one that
-- another user has claimed; the reason code also of a closed one. Returns the case.
-- Locks: the case.
-- Raises: WD514, WD515, WD517.
create or replace function wedsql.change_case(p_number bigint, p_changes jsonb, p_actor text,
  p_flows text[] default null) returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp set timezone = 'UTC' as $$
declare
  v_old wedsql.repair_case := wedsql._locked_case(p_number, p_flows);
  v_new wedsql.repair_case;
begin
  perform wedsql._check_case_values(p_changes);
  if v_old.closed_at is not null and p_changes - 'reason_code' <> '{}' then
    perform wedsql._raise('WD517', 'Case {case} is closed.', 'Its exception is over.',
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

grant execute on function wedsql.comment_case(bigint, text, text, text[]),
  wedsql.wait_case(bigint, timestamptz, text, text, text[], text),
  wedsql.change_case(bigint, jsonb, text, text[]) to wed_web;
