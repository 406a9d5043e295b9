-- What the approvals of repairs do at hooks; the checks of whole commits and re-matches are in 02_guard.sql,
-- operations on many in 07_bulk.sql; what they still read of instances that have ended is in 06_read.sql.

-- Checks an operation that a person has performed, with what the steps since then have written. An instance
-- that is brought in from another installation goes on as it was when it was handed over, which the rules
-- were asked about there: a rule cannot keep it from arriving, or from coming back.
-- Raises: WD520.
create or replace function wedsql._on_operated_approvals(p_flow wedsql.flow, p_wid integer,
  p_operation text) returns void
language sql set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
select wedsql._finish_automatic(p_flow, p_wid, p_operation)
where p_operation not in ('arrive', 'take_back');
select wedsql._check_approvals(p_flow, p_wid, p_operation, wedsql._written_since(p_wid, coalesce((
  select max(t.seq) from wedsql.wed_trace t
  where t.wid = p_wid and lower(regexp_replace(t.trw, '^_(RECOVER:)?', '')) = p_operation), 2147483647)))
where p_operation not in ('arrive', 'take_back') and wedsql._on_has_checks_approvals(p_flow.id)
$$;

-- Performs what follows from an operation at once.
-- Locks, raises: as _finish_automatic.
create or replace function wedsql._on_checking_approvals(p_flow wedsql.flow, p_wid integer, p_operation text)
  returns void
language sql set search_path = pg_catalog, pg_temp as $$
select wedsql._finish_automatic(p_flow, p_wid, p_operation)
$$;

-- Checks a repair that was performed.
-- Raises: WD520.
create or replace function wedsql._on_check_operation_approvals(p_flow wedsql.flow, p_wid integer,
  p_operation text, p_written text[], p_state jsonb, p_undone text) returns void
language sql set search_path = pg_catalog, pg_temp as $$
select wedsql._check_approvals(p_flow, p_wid, p_operation, p_written, p_state, p_undone)
$$;

-- Checks what automatic transitions wrote after a re-match.
-- Raises: WD520.
create or replace function wedsql._on_rematched_approvals(p_flow wedsql.flow, p_before jsonb) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  perform wedsql._finish_automatic(p_flow, b.wid::integer, 'rematch', true)
  from jsonb_each_text(p_before) b (wid, seq);
  perform wedsql._check_approvals(p_flow, b.wid::integer, 'rematch', w.names)
  from jsonb_each_text(p_before) b (wid, seq)
  cross join lateral wedsql._written_since(b.wid::integer, b.seq::integer) w (names) where w.names <> '{}';
end $$;

-- Returns the part of a round of the reaper in which approvals take part.
create or replace function wedsql._on_reap_parts_approvals() returns jsonb
language sql immutable set search_path = pg_catalog, pg_temp as $$ select '{"proposals": true}'::jsonb $$;

-- Ends proposals that no longer apply.
create or replace function wedsql._on_reap_part_approvals(p_part text, p_now timestamptz) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if p_part = 'proposals' then
    perform wedsql._end_stale_proposals();
  end if;
end $$;

-- Returns the state of the proposal that waits for approvals and is about an instance, alone or with many as
-- it was when it was selected: "proposed", or "approved" when it has the first of two; null without one.
create or replace function wedsql._on_proposed_approvals(p_wid integer, p_now timestamptz) returns text
language sql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
select coalesce(
  (select p.state from wedsql.proposal p
   where p.wid = p_wid and p.closed_at is null and wedsql._proposal_waits(p, p_now)),
  (select p.state from wedsql.proposal p
   join wedsql.bulk_row r on r.bulk_id = p.bulk_id and r.wid = p_wid
   join wedsql.instance i on i.wid = r.wid and i.seq = r.seq
   where p.bulk_id is not null and p.closed_at is null and p.expires_at > p_now
   order by p.number limit 1))
$$;

-- Ends a proposal whose maker may no longer do what it proposes; it fails with this reason. Proposals are
-- looked at when they are approved, so none is among the standing requests.
-- Locks: the proposal.
create or replace function wedsql._on_end_standing_approvals(p_kind text, p_number bigint, p_why wedsql.why)
  returns boolean
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if p_kind <> 'proposal' then
    return false;
  end if;
  perform from wedsql.proposal p where p.number = p_number and p.closed_at is null for no key update;
  if not found then
    return false;
  end if;
  perform wedsql._end_proposal(p_number, 'failed', 'not_applied', 'kernel', null, p_why);
  return true;
end $$;
