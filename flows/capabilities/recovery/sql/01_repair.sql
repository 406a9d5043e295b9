-- Operations by which a person repairs an instance: one call for all of them, and one preview for all of
-- them, which does the same and rolls it back.
--
-- An operation "x" is a function wedsql._repair_x(wid, arguments, reason, actor) returns jsonb. It locks the
-- instance (wedsql._operate), writes what it does to the history as _RECOVER:x, and returns facts beyond what
-- the instance itself shows; {"instance": n} says that it made another instance, which is the one to look at.

-- Returns whether a JSON value is of a kind of _operations.
create or replace function wedsql._is_argument(p_value jsonb, p_kind text) returns boolean
language sql immutable set search_path = pg_catalog, pg_temp as $$
select case p_kind
  when 'job' then jsonb_typeof(p_value) = 'number' and p_value #>> '{}' ~ E'^\\d{1,18}$'
  when 'seq' then jsonb_typeof(p_value) = 'number' and p_value #>> '{}' ~ E'^\\d{1,9}$'
  when 'whole' then jsonb_typeof(p_value) = 'number' and p_value #>> '{}' ~ E'^-?\\d{1,9}$'
  when 'seconds' then jsonb_typeof(p_value) = 'number' and octet_length(p_value #>> '{}') <= 18
  when 'text' then jsonb_typeof(p_value) = 'string'
  else jsonb_typeof(p_value) = p_kind end
$$;

-- Checks that there is such an operation and that it takes these arguments.
-- Raises: WD109.
create or replace function wedsql._check_arguments(p_operation text, p_arguments jsonb) returns void
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  v_kinds jsonb := (select o.arguments from wedsql._operations() o where o.operation = p_operation);
begin
  if v_kinds is null then
    perform wedsql._raise('WD109', 'There is no operation "{operation}".', 'Operations: {operations}.',
      jsonb_build_object('operation', left(p_operation, 80), 'operations',
        (select jsonb_agg(o.operation order by o.operation) from wedsql._operations() o)));
  end if;
  perform wedsql._check_kinds(p_operation, v_kinds, p_arguments);
end $$;

-- Checks that the arguments of an operation are of these kinds.
-- Raises: WD109.
create or replace function wedsql._check_kinds(p_operation text, p_kinds jsonb, p_arguments jsonb)
  returns void
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  v_name text;
begin
  if jsonb_typeof(p_arguments) is distinct from 'object' then
    perform wedsql._raise('WD109', 'The arguments of an operation are a JSON object: names with values.');
  end if;
  select k into v_name from jsonb_object_keys(p_arguments - array(select jsonb_object_keys(p_kinds))) k
  limit 1;
  if found then
    perform wedsql._raise('WD109', 'Operation "{operation}" has no argument "{argument}".',
      case when p_kinds = '{}' then 'It has none.' else 'Arguments: {arguments}.' end,
      jsonb_build_object('operation', p_operation, 'argument', left(v_name, 80), 'arguments',
        array(select jsonb_object_keys(p_kinds))));
  end if;
  select k.key into v_name from jsonb_each_text(p_kinds) k
  where case when p_arguments ? k.key then not wedsql._is_argument(p_arguments -> k.key, rtrim(k.value, '?'))
             else right(k.value, 1) <> '?' end limit 1;
  if found then
    perform wedsql._raise('WD109', 'Operation "{operation}" needs the argument "{argument}": {kind}.',
      'A job and a step are whole numbers, seconds a number, changes an object of attributes with values.',
      jsonb_build_object('operation', p_operation, 'argument', v_name, 'kind',
        rtrim(p_kinds ->> v_name, '?')));
  end if;
end $$;

-- Locks an instance of any status for an operation and returns its row.
-- Locks: for skip, which changes it, the flow's row; the flow's table against a definition that is being
-- changed, then the instance.
-- Raises: WD010, WD104.
create or replace function wedsql._lock_instance(p_wid integer, p_operation text) returns wedsql.instance
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_flow text := (select f.name from wedsql.instance i join wedsql.flow f on f.id = i.flow_id
                  where i.wid = p_wid);
  v_instance wedsql.instance;
begin
  if v_flow is not null and p_operation = 'skip' then
    perform wedsql._begin_change(f.id) from wedsql.flow f where f.name = v_flow;
  end if;
  if v_flow is not null then
    execute format('lock table %I.wed_flow in row exclusive mode', v_flow);
    execute format('select 1 from %I.wed_flow w where w.wid = $1 for no key update', v_flow) using p_wid;
  end if;
  select * into v_instance from wedsql.instance i where i.wid = p_wid;
  if not found then
    perform wedsql._raise('WD104', 'There is no instance {instance}.', null,
      jsonb_build_object('instance', p_wid));
  end if;
  return v_instance;
end $$;

-- Checks that an instance is at the step at which the caller saw it; null expects none.
-- Raises: WD108.
create or replace function wedsql._check_seq(p_wid integer, p_seq integer, p_expected integer) returns void
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  if p_seq <> p_expected then
    perform wedsql._raise('WD108',
      'Instance {instance} moved meanwhile: it is at step {seq}, not {expected}.',
      'Nothing was changed. Look at it again, and repeat the preview.',
      jsonb_build_object('instance', p_wid, 'seq', p_seq, 'expected', p_expected));
  end if;
end $$;

-- Checks an operation that was performed on an instance, which was at step p_seq before it,
-- and stores what it was before.
-- Raises: WD520.
create or replace function wedsql._end_repair(p_wid integer, p_operation text, p_seq integer,
  p_before wedsql.repaired) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  perform wedsql._call_check_steps(p_wid, p_operation, p_seq);
  if (p_before).wid is not null then
    perform wedsql._keep_before_repair(p_before);
  end if;
end $$;

-- Returns the claim of another user on the open case of an instance: {"case", "owner", "since", "until",
-- "reason"}, the reason of one that was taken over; null where there is none.
create or replace function wedsql._claim_of_other(p_wid integer, p_actor text) returns jsonb
language sql stable set search_path = pg_catalog, pg_temp set timezone = 'UTC' as $$
select jsonb_build_object('case', c.number, 'owner', c.owner, 'until', c.lease_until, 'since', e.at,
                          'reason', coalesce(e.text, ''))
from wedsql.repair_case c
left join lateral (select v.at, v.text from wedsql.case_event v
                   where v.number = c.number and v.kind in ('claimed', 'taken_over', 'given')
                   order by v.id desc limit 1) e on true
where c.wid = p_wid and c.closed_at is null and c.state = 'claimed' and c.lease_until > wedsql.now()
  and c.owner <> p_actor
$$;

-- Performs an operation on one instance and returns {"wid", "operation", "seq", "status"} as they are
-- afterwards, with the facts of the operation, and "claim" where another user has claimed its case: a claim
-- does not prevent the operation, but the history of the case says what was done. p_expected_seq: the step at
-- which the caller saw the instance.
-- Locks: as _lock_instance, then as the operation.
-- Raises: WD104; WD105 where the instance is at another installation; WD108 where it is at another step than
-- expected; WD109; WD520 where it needs approvals; as the operation.
create or replace function wedsql._repair(p_wid integer, p_operation text, p_arguments jsonb, p_reason text,
  p_actor text, p_expected_seq integer) returns jsonb
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_instance wedsql.instance := wedsql._lock_instance(p_wid, p_operation);
  v_seq integer := v_instance.seq;
  v_before wedsql.repaired := wedsql._before_repair(p_wid, p_operation);
  v_claim jsonb := wedsql._claim_of_other(p_wid, wedsql._actor(p_actor));
  v_facts jsonb;
begin
  perform wedsql._check_here(p_wid, v_instance.status);
  perform wedsql._check_seq(p_wid, v_seq, p_expected_seq);
  execute format('select wedsql._repair_%s($1, $2, $3, $4)', p_operation)
    into v_facts using p_wid, p_arguments, p_reason, wedsql._actor(p_actor);
  perform wedsql._end_repair(p_wid, p_operation, v_seq, v_before);
  if v_claim is not null then
    perform wedsql._note_case((v_claim ->> 'case')::bigint, 'repaired', p_actor, p_reason, v_claim);
    v_facts := coalesce(v_facts, '{}') || jsonb_build_object('claim', v_claim);
  end if;
  return (select jsonb_build_object('wid', p_wid, 'operation', p_operation, 'seq', i.seq, 'status', i.status)
          from wedsql.instance i where i.wid = p_wid) || coalesce(v_facts, '{}');
end $$;

-- Performs an operation of the repair desk on one instance; as _repair. p_expected_seq: the step at which it
-- was previewed, so that nothing is applied to another state than the one that was seen; null for any.
-- Raises: WD009 without a reason; as _repair.
create or replace function wedsql.repair(p_wid integer, p_operation text, p_arguments jsonb, p_reason text,
  p_actor text default null, p_expected_seq integer default null) returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform wedsql._check_arguments(p_operation, p_arguments);
  perform wedsql._check_reason(p_reason);
  return wedsql._repair(p_wid, p_operation, p_arguments, p_reason, p_actor, p_expected_seq);
end $$;
