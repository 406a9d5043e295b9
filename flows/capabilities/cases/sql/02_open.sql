-- Opens and closes cases, in the commit that makes or ends an exception. Whatever changes the status of an
-- instance to or from an exception calls the hook `excepted` before it commits; invariant I10 finds what does
-- not.

-- Returns whether an instance waits for its repair: an exception, also while it is suspended, or one whose
-- compensation failed.
create or replace function wedsql._waits_for_repair(p_wid integer, p_status "char") returns boolean
language sql stable set search_path = pg_catalog, pg_temp as $$
select p_status = 'E' or p_status in ('S', 'X') and exists (
  select 1 from wedsql.job_pool j where j.wid = p_wid and (j.tgid = 0 or p_status = 'X' and j.state = 'K'))
$$;

-- Returns what the cases of these instances are about now: the last step with its state and actor, the cause,
-- and the transition: the parked ones, for LATE_RESULT that of the late result, else the one that wrote the
-- last state.
create or replace function wedsql._exceptions(p_wids integer[])
returns table (wid integer, exceptional boolean, seq integer, cause text, transition text, step text,
  actor text, state jsonb)
language sql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off
set enable_hashjoin = on as $$
select i.wid, w.waits or d.transitions ? i.wid::text, i.seq,
  case when w.waits or not d.transitions ? i.wid::text then coalesce(i.reason, 'STUCK')
       else 'LATE_RESULT' end,
  coalesce(
    (select string_agg(j.trname, ', ' order by j.trname) from wedsql.job_pool j
     where j.wid = i.wid and j.state = 'K'),
    case when not w.waits then d.transitions ->> i.wid::text end,
    (select h.trw from wedsql.wed_trace h where h.wid = i.wid and left(h.trw, 1) <> '_'
     order by h.seq desc limit 1), '_INIT'),
  t.trw, coalesce(nullif(t.actor, ''), 'kernel'), t.state
from wedsql.instance i
cross join lateral (select h.trw, h.actor, h.state from wedsql.wed_trace h
                    where h.wid = i.wid and h.seq <= i.seq order by h.seq desc limit 1) t
cross join lateral (select wedsql._waits_for_repair(i.wid, i.status) as waits) w
cross join wedsql._call_undecided(p_wids) as d (transitions)
where i.wid = any (p_wids)
$$;

-- Brings the cases of these instances in line with what the instances are now: closes those whose exception
-- is over, renews those whose exception has changed, and opens one for each exception without. An exception
-- that returns with the signature of the last case of its instance reopens that case. Does nothing for the
-- instance of a trial.
-- Locks: the cases; the caller holds the instances.
create or replace function wedsql._on_excepted_cases(p_flow wedsql.flow, p_wids integer[],
  p_now timestamptz) returns void
language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off set enable_hashjoin = on as $$
declare
  v_missing integer[];
begin
  if p_flow.id < 0 then
    return;
  end if;
  perform wedsql._close_cases(p_wids, p_now);
  perform wedsql._renew_cases(p_wids, p_now);
  v_missing := array(
    select i.wid from wedsql.instance i cross join wedsql._call_undecided(p_wids) as d (transitions)
    where i.wid = any (p_wids) and (wedsql._waits_for_repair(i.wid, i.status) or d.transitions ? i.wid::text)
      and not exists (select 1 from wedsql.repair_case c where c.wid = i.wid and c.closed_at is null)
    order by i.wid);
  if v_missing <> '{}' then
    v_missing := wedsql._reopen_cases(p_flow, v_missing, p_now);
  end if;
  if v_missing <> '{}' then
    perform wedsql._open_cases(p_flow, v_missing, p_now);
  end if;
end $$;

-- Closes the open cases of those of the instances that are no exceptions: "accepted" where a person accepted
-- the state, "applied" where a repair ended the exception, else "closed". Who has claimed one gets a message.
create or replace function wedsql._close_cases(p_wids integer[], p_now timestamptz) returns void
language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off set enable_hashjoin = on as $$
declare
  v_lost record;
begin
  for v_lost in
    with ended as (
      update wedsql.repair_case c
      set state = case when e.step = '_RECOVER:accept' then 'accepted'
                       when e.step = '_EXCPT' or e.step like E'\\_RECOVER:%' and e.step <> '_RECOVER:undo'
                         then 'applied' else 'closed' end,
          closed_at = p_now, closed_by = e.step, lease_until = null, waits_until = null
      from wedsql._exceptions(array(select o.wid from wedsql.repair_case o
                                    where o.wid = any (p_wids) and o.closed_at is null)) e
      join wedsql.repair_case o on o.wid = e.wid and o.closed_at is null
      where c.number = o.number and c.closed_at is null and not e.exceptional
      returning c.number, c.wid, c.state, e.actor, e.step, e.seq,
        case when o.state = 'claimed' and o.lease_until > p_now and o.owner <> e.actor then o.owner
        end as had),
    noted as (
      insert into wedsql.case_event (number, at, kind, actor, detail)
      select e.number, p_now, 'closed', e.actor,
             jsonb_build_object('state', e.state, 'step', e.step, 'seq', e.seq)
      from ended e)
    select e.*, t.reason from ended e left join wedsql.wed_trace t on t.wid = e.wid and t.seq = e.seq
    where e.had is not null
  loop
    perform wedsql._call_overtaken(v_lost.wid, v_lost.number, v_lost.had, v_lost.actor, v_lost.reason);
  end loop;
end $$;

-- Notes the last step of the exceptions of open cases, and what is new about them.
create or replace function wedsql._renew_cases(p_wids integer[], p_now timestamptz) returns void
language sql set search_path = pg_catalog, pg_temp set enable_seqscan = off set enable_hashjoin = on as $$
with changed as (
  update wedsql.repair_case c set seq = e.seq, cause = e.cause, transition = e.transition
  from wedsql.repair_case o
  join wedsql._exceptions(array(select n.wid from wedsql.repair_case n
                                where n.wid = any (p_wids) and n.closed_at is null)) e on e.wid = o.wid
  where o.wid = any (p_wids) and o.closed_at is null and c.number = o.number and e.exceptional
    and (e.seq, e.cause, e.transition) is distinct from (o.seq, o.cause, o.transition)
  returning c.number, e.*, (e.cause, e.transition) is distinct from (o.cause, o.transition) as other)
insert into wedsql.case_event (number, at, kind, actor, detail)
select e.number, p_now, 'changed', e.actor,
       jsonb_build_object('cause', e.cause, 'transition', e.transition, 'seq', e.seq)
from changed e where e.other
$$;

-- Reopens the last case of those of the instances whose exception has its signature, and returns the other
-- instances. Where a signature cannot be computed, a new case opens.
create or replace function wedsql._reopen_cases(p_flow wedsql.flow, p_wids integer[], p_now timestamptz)
  returns integer[]
language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off set enable_hashjoin = on as $$
declare
  v_last bigint[] := array(
    select distinct on (c.wid) c.number from wedsql.repair_case c where c.wid = any (p_wids)
    order by c.wid, c.number desc);
  v_done integer[];
begin
  if v_last = '{}' then
    return p_wids;
  end if;
  begin
    perform wedsql._sign(p_flow.id, v_last);
    with e as materialized (
      select x.*, r.due_at, row_number() over (order by x.wid) as n
      from wedsql._exceptions(array(select c.wid from wedsql.repair_case c where c.number = any (v_last))) x
      join wedsql._routes(p_flow, p_wids, p_now) r on r.wid = x.wid),
    s as materialized (
      select g.signature, g.n from unnest(wedsql._signatures(p_flow.id,
        array(select e.wid from e order by e.n), array(select e.seq from e order by e.n),
        array(select e.cause from e order by e.n), array(select e.transition from e order by e.n)))
        with ordinality g (signature, n)),
    again as (
      update wedsql.repair_case c
      set state = 'reopened', reopened = c.reopened + 1, closed_at = null, closed_by = '', seq = e.seq,
          signed_seq = e.seq, cause = e.cause, transition = e.transition, due_at = e.due_at
      from e join s on s.n = e.n
      where c.number = any (v_last) and c.wid = e.wid and c.signature = s.signature
      returning c.number, e.*),
    noted as (
      insert into wedsql.case_event (number, at, kind, actor, detail)
      select a.number, p_now, 'reopened', a.actor, jsonb_build_object('cause', a.cause, 'seq', a.seq)
      from again a)
    select array_agg(a.wid) into v_done from again a;
  exception
  when transaction_rollback or lock_not_available then
    raise;
  when others then
    perform wedsql._note_trouble(p_flow.id, 'signatures', 0, 0, sqlstate, sqlerrm, p_now);
  end;
  return array(select w from unnest(p_wids) w where w <> all (coalesce(v_done, '{}')) order by w);
end $$;

-- Opens a case for each of these instances. One about which a person decides is claimed by that one, for a
-- day.
create or replace function wedsql._open_cases(p_flow wedsql.flow, p_wids integer[], p_now timestamptz)
  returns void
language sql set search_path = pg_catalog, pg_temp set enable_seqscan = off set enable_hashjoin = on as $$
with made as (
  insert into wedsql.repair_case (flow_id, wid, cause, transition, seq, opened_at, opened_seq, queue,
                                  severity, priority, due_at, state, owner, lease_until)
  select p_flow.id, e.wid, e.cause, e.transition, e.seq, p_now, e.seq, r.queue, r.severity, r.priority,
         r.due_at, case when n.name is null then 'new' else 'claimed' end, coalesce(n.name, ''),
         case when n.name is not null then p_now + interval '1 day' end
  from wedsql._exceptions(p_wids) e join wedsql._routes(p_flow, p_wids, p_now) r on r.wid = e.wid
  cross join lateral (select wedsql._call_decides(p_flow, e.wid, e.transition) as name) n
  order by e.wid
  returning number, wid, cause, transition, seq)
insert into wedsql.case_event (number, at, kind, actor, detail)
select m.number, p_now, 'opened', e.actor,
       jsonb_build_object('cause', m.cause, 'transition', m.transition, 'seq', m.seq)
from made m join wedsql._exceptions(p_wids) e on e.wid = m.wid
$$;
