-- What policies do: the reaper looks at open cases that no person has claimed or put aside, and performs the
-- operation of the first policy that suits. A policy whose operation is rejected leaves the case to people,
-- and the history of the case says so.

-- Returns the policy that acts on a case, null for none: the first one of the flow that suits cause,
-- transition and state, and has not yet acted as often as it may. None after one was rejected.
create or replace function wedsql._policy_for(p_case wedsql.repair_case) returns wedsql.recovery_policy
language sql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off
set timezone = 'UTC' set datestyle = 'ISO, YMD' set intervalstyle = 'postgres' as $$
with types as (select wedsql._attr_types(p_case.flow_id) as types),
suits as materialized (
  select p, row_number() over (order by p.position) as n
  from wedsql.recovery_policy p cross join types t
  where p.flow_id = p_case.flow_id and t.types ?& p.reads
    and (p.cause = '' and p_case.cause <> 'LATE_RESULT' or p.cause = p_case.cause
         or p.cause = 'TIMEOUT' and p_case.cause = 'ATTEMPTS' and exists (
           select 1 from wedsql.job_pool j
           where j.wid = p_case.wid and j.state = 'K' and j.last_state = 'WD204'))
    and (p.transition = '' or p.transition = any (string_to_array(p_case.transition, ', ')))
    and (select count(*) from wedsql.policy_run r where r.wid = p_case.wid and r.policy = p.name) < p.times
    and not exists (select 1 from wedsql.policy_run r
                    where r.wid = p_case.wid and r.number = p_case.number and r.sqlstate is not null)),
found as (
  select wedsql._values(
    array(select row(s.n::integer, null, (s.p).compiled, (s.p).reads, null)::wedsql.condition
          from suits s order by s.n), t.types,
    jsonb_build_array((select h.state from wedsql.wed_trace h where h.wid = p_case.wid
                       order by h.seq desc limit 1)))
    as letters
  from types t where exists (select 1 from suits))
select (s.p).* from suits s join found f on strpos(f.letters[1], 't') = s.n
$$;

-- Returns the arguments of the operation of a policy for a case.
-- Raises: WD110 where no step of the transition "before" can be undone.
create or replace function wedsql._policy_arguments(p_policy wedsql.recovery_policy,
  p_case wedsql.repair_case) returns jsonb
language plpgsql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  v_seq integer;
begin
  if p_policy.operation in ('complete', 'skip') then
    return p_policy.arguments || jsonb_build_object('job', coalesce((
      select j.id from wedsql.job_pool j
      where j.wid = p_case.wid and j.tgid > 0 and p_policy.transition in ('', j.trname)
      order by j.state <> 'K', j.id limit 1), 0));
  elsif not p_policy.arguments ? 'before' then
    return p_policy.arguments;
  end if;
  select max(h.seq) into v_seq from wedsql.wed_trace h
  where h.wid = p_case.wid and h.trw = p_policy.arguments ->> 'before' and h.tgid > 0
    and not exists (select 1 from wedsql.wed_trace c where c.wid = h.wid and c.compensates_seq = h.seq)
    and not exists (select 1 from wedsql.wed_trace r
                    where r.wid = h.wid and r.seq > h.seq and wedsql._goes_back(r.trw)
                      and r.cause_seq < h.seq);
  if v_seq is null then
    perform wedsql._raise('WD110', 'Instance {instance} has no step of transition "{transition}".',
      'Its history has the steps.',
      jsonb_build_object('instance', p_case.wid, 'transition', p_policy.arguments ->> 'before'));
  end if;
  return p_policy.arguments - 'before' || jsonb_build_object('seq', v_seq - 1);
end $$;

-- Performs the operation of a policy, and records it in the history of the case; also that it was rejected.
-- Locks: as the operation; the caller holds the instance.
-- Raises: what is worth repeating.
create or replace function wedsql._run_policy(p_policy wedsql.recovery_policy, p_case wedsql.repair_case)
  returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_actor text := 'policy:' || p_policy.name;
  v_state text;
  v_message text;
begin
  perform wedsql._note_case(p_case.number, 'policy', v_actor, '',
                            jsonb_build_object('operation', p_policy.operation));
  begin
    perform wedsql._repair(p_case.wid, p_policy.operation, wedsql._policy_arguments(p_policy, p_case),
                           format('Policy "%s".', p_policy.name), v_actor, null);
  exception when others then
    get stacked diagnostics v_state = returned_sqlstate, v_message = message_text;
    if wedsql._passes(v_state) or v_state = 'WD010' then
      raise;
    end if;
    perform wedsql._note_case(p_case.number, 'policy_rejected', v_actor, left(v_message, 1000),
      jsonb_build_object('operation', p_policy.operation, 'sqlstate', v_state));
  end;
  insert into wedsql.policy_run (wid, policy, number, at, sqlstate)
  values (p_case.wid, p_policy.name, p_case.number, wedsql.now(), v_state);
end $$;

-- Returns an open case that no person has claimed or put aside; null where it is none any more.
create or replace function wedsql._free_case(p_number bigint, p_now timestamptz) returns wedsql.repair_case
language sql stable set search_path = pg_catalog, pg_temp as $$
select c.* from wedsql.repair_case c
where c.number = p_number and c.closed_at is null and wedsql._case_state(c, p_now) in ('new', 'reopened')
$$;

-- Has policies look at a case again when it or its exception changes, and no more when it is closed.
-- Locks: the row of wedsql.policy_wait.
create or replace function wedsql._case_changed() returns trigger
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if new.closed_at is not null then
    delete from wedsql.policy_wait w where w.number = new.number;
  elsif exists (select from wedsql.recovery_policy p where p.flow_id = new.flow_id) then
    insert into wedsql.policy_wait as w (number, seq, due_at) values (new.number, new.seq, '-infinity')
    on conflict (number) do update set seq = excluded.seq, due_at = excluded.due_at;
  end if;
  return null;
end $$;

drop trigger if exists b_policies on wedsql.repair_case;
create trigger b_policies
  after insert or update of seq, cause, transition, state, lease_until, waits_until, reopened, closed_at
  on wedsql.repair_case for each row execute function wedsql._case_changed();

-- Returns when policies look at an open case that a person has: when that ends by itself.
create or replace function wedsql._taken_until(p_number bigint) returns timestamptz
language sql stable set search_path = pg_catalog, pg_temp as $$
select coalesce((select greatest(c.lease_until, c.waits_until) from wedsql.repair_case c
                 where c.number = p_number and c.closed_at is null), 'infinity')
$$;

-- Lets the policy that suits act on a case, or notes when it will, unless the case has changed meanwhile
-- (p_seen: the transaction that wrote its row of wedsql.policy_wait last). Returns whether one acted.
-- Locks: as the operation.
create or replace function wedsql._apply_policy(p_number bigint, p_seen xid, p_now timestamptz)
  returns boolean
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_case wedsql.repair_case := wedsql._free_case(p_number, p_now);
  v_policy wedsql.recovery_policy := wedsql._policy_for(v_case);
  v_again wedsql.recovery_policy;
  v_due timestamptz := case when v_case.number is null then wedsql._taken_until(p_number) else 'infinity' end;
begin
  if v_policy.id is not null then
    v_due := (wedsql._lock_instance(v_case.wid, v_policy.operation)).changed_at + v_policy.delay;
    v_case := wedsql._free_case(p_number, p_now);
    v_again := wedsql._policy_for(v_case);
    if v_again.id is distinct from v_policy.id then  -- it changed meanwhile: the next round looks again
      return false;
    elsif v_due <= p_now then
      perform wedsql._run_policy(v_policy, v_case);
      return true;
    end if;
  end if;
  update wedsql.policy_wait w set due_at = v_due where w.number = p_number and w.xmin = p_seen;
  return false;
end $$;

-- Lets policies act on open cases, at most p_max, and returns how many acted. What fails for a reason
-- that may go away is recorded (wedsql.trouble) and tried again.
-- Locks: one instance after the other, for at most a second each; as the operations.
create or replace function wedsql.run_policies(p_max integer default 10) returns integer
language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off
set lock_timeout = '1s' as $$
declare
  v_now timestamptz := wedsql.now();
  v_next record;
  v_done integer := 0;
begin
  perform set_config('wedsql.round_over', '', true);
  for v_next in
    select w.number, w.xmin as seen, c.flow_id, c.wid from wedsql.policy_wait w
    join wedsql.repair_case c on c.number = w.number
    where w.due_at <= v_now order by w.due_at, w.number limit p_max
  loop
    begin
      v_done := v_done + wedsql._apply_policy(v_next.number, v_next.seen, v_now)::integer;
      perform wedsql._no_trouble(v_next.flow_id, 'policies', v_next.wid, v_next.number);
    exception when query_canceled or others then
      perform wedsql._note_item_failure(v_next.flow_id, 'policies', v_next.wid, v_next.number, sqlstate,
                                        sqlerrm, v_now);
      update wedsql.policy_wait w set due_at = t.retry_at from wedsql.trouble t
      where w.number = v_next.number and t.flow_id = v_next.flow_id and t.kind = 'policies'
        and t.wid = v_next.wid and t.item = v_next.number;
    end;
    exit when wedsql._round_over();
  end loop;
  return v_done;
end $$;

grant execute on function wedsql.run_policies(integer) to wed_reaper;
