-- Proposals: repairs that need approvals. Who may repair a flow proposes, who may approve repairs of it
-- approves; the caller checks both. That the maker approves nothing and that approvals are of different
-- persons is checked here.

-- Returns the state of a proposal at a time: one that is over its time is expired.
create or replace function wedsql._proposal_state(p_proposal wedsql.proposal, p_now timestamptz) returns text
language sql immutable set search_path = pg_catalog, pg_temp as $$
select case when p_proposal.closed_at is null and p_proposal.expires_at <= p_now then 'expired'
            else p_proposal.state end
$$;

-- Returns a proposal for clients, with its votes.
create or replace function wedsql._shown_proposal(p_proposal wedsql.proposal) returns jsonb
language sql stable set search_path = pg_catalog, pg_temp set timezone = 'UTC' as $$
select to_jsonb(p_proposal) - '{flow_id,version,case_number,bulk_id,sqlstate,message,hint,detail}'::text[]
  || jsonb_build_object('case', p_proposal.case_number, 'bulk', p_proposal.bulk_id,
    'flow', (select f.name from wedsql.flow f where f.id = p_proposal.flow_id),
    'state', wedsql._proposal_state(p_proposal, wedsql.now()),
    'failure', case when p_proposal.message is not null then jsonb_build_object(
      'sqlstate', p_proposal.sqlstate, 'message', p_proposal.message, 'hint', p_proposal.hint,
      'detail', p_proposal.detail) end,
    'votes', (select coalesce(jsonb_agg(to_jsonb(v) - '{id,proposal}'::text[] order by v.id), '[]')
              from wedsql.proposal_vote v where v.proposal = p_proposal.number))
$$;

-- Adds an entry about a proposal to the history of its case, if it has one.
create or replace function wedsql._note_proposal(p_proposal wedsql.proposal, p_kind text, p_actor text,
  p_text text, p_detail jsonb default '{}') returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if p_proposal.case_number is not null then
    perform wedsql._note_case(p_proposal.case_number, p_kind, p_actor, p_text,
      jsonb_build_object('proposal', p_proposal.number, 'operation', p_proposal.operation) || p_detail);
  end if;
end $$;

-- Ends a proposal, which the caller has locked, in this state, and returns it; what it proposes for many
-- instances is withdrawn unless it is applied. p_why: why it could not be applied.
create or replace function wedsql._end_proposal(p_number bigint, p_state text, p_kind text, p_actor text,
  p_text text, p_why wedsql.why default null) returns wedsql.proposal
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_proposal wedsql.proposal;
begin
  update wedsql.proposal p
  set state = p_state, closed_at = wedsql.now(), sqlstate = (p_why).code, message = (p_why).message,
      hint = nullif((p_why).hint, ''), detail = nullif((p_why).detail, '')
  where p.number = p_number returning p.* into v_proposal;
  update wedsql.bulk b
  set state = 'withdrawn', changed_at = v_proposal.closed_at, finished_at = v_proposal.closed_at,
      changed_by = p_actor
  where b.id = v_proposal.bulk_id and b.state = 'proposed';
  perform wedsql._note_proposal(v_proposal, p_kind, p_actor, coalesce(p_text, (p_why).message));
  return v_proposal;
end $$;

-- Returns the open proposals about an instance; without one those whose time is over, and the next of the
-- others, whose instances may have changed.
-- Locks: the row of wedsql.care where the next ones are noted.
create or replace function wedsql._proposals_to_look_at(p_wid integer, p_now timestamptz) returns bigint[]
language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off set enable_hashjoin = off
set enable_mergejoin = off set enable_sort = off set enable_bitmapscan = off as $$
declare
  v_next record;
begin
  if p_wid is not null then
    return array(select p.number from wedsql.proposal p where p.wid = p_wid and p.closed_at is null);
  end if;
  select array_agg(o.number) as numbers, max(o.wid) as last, count(*) as n into v_next
  from (select p.number, p.wid from wedsql.proposal p
        where p.closed_at is null and p.wid > wedsql._look_after('proposal') order by p.wid limit 500) o;
  perform wedsql._looked('proposal', case when v_next.n = 500 then v_next.last end);
  return coalesce(v_next.numbers, '{}') || array(
    select p.number from wedsql.proposal p
    where p.closed_at is null and p.expires_at <= p_now and p.number <> all (coalesce(v_next.numbers, '{}'))
    order by p.expires_at limit 500);
end $$;

-- Ends open proposals that can no longer be applied: those over their time, and those whose instance moved.
-- p_wid: only of this instance. Returns how many.
-- Locks: the proposals, skipping locked ones.
create or replace function wedsql._end_stale_proposals(p_wid integer default null) returns integer
language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off set enable_hashjoin = off
set enable_mergejoin = off as $$
declare
  v_now timestamptz := wedsql.now();
  v_one record;
  v_numbers bigint[] := wedsql._proposals_to_look_at(p_wid, v_now);
  v_done integer := 0;
begin
  for v_one in
    select p.number, p.flow_id, p.wid, p.expected_seq, p.expires_at <= v_now as late, i.seq
    from unnest(v_numbers) u (number) join wedsql.proposal p on p.number = u.number
    left join wedsql.instance i on i.wid = p.wid
    where p.closed_at is null and (p.expires_at <= v_now or i.seq is distinct from p.expected_seq)
    order by p.number limit 1000 for no key update of p skip locked
  loop
    begin
      if v_one.late then
        perform wedsql._end_proposal(v_one.number, 'expired', 'expired', 'kernel', '');
      else
        perform wedsql._end_proposal(v_one.number, 'failed', 'not_applied', 'kernel', null,
          wedsql._moved_why(v_one.wid, v_one.seq, v_one.expected_seq));
      end if;
      v_done := v_done + 1;
    exception when others then
      if p_wid is not null then
        raise;
      end if;
      perform wedsql._note_trouble(v_one.flow_id, 'proposals', coalesce(v_one.wid, 0), v_one.number, sqlstate,
                                   sqlerrm, v_now);
    end;
  end loop;
  return v_done;
end $$;

-- Returns why a repair is not applied to an instance that is at another step.
create or replace function wedsql._moved_why(p_wid integer, p_seq integer, p_expected integer)
  returns wedsql.why
language sql stable set search_path = pg_catalog, pg_temp as $$
select wedsql._why('WD108', 'Instance {instance} moved meanwhile: it is at step {seq}, not {expected}.',
  'Nothing was changed. Look at it again, and repeat the preview.',
  jsonb_build_object('instance', p_wid, 'seq', p_seq, 'expected', p_expected))
$$;

-- Checks how long a proposal waits.
-- Raises: WD521.
create or replace function wedsql._check_hours(p_hours integer) returns void
language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
begin
  if p_hours is null or p_hours not between 1 and 720 then
    perform wedsql._raise('WD521', 'A proposal waits 1 to {limit} hours for approvals.',
      'Give such a number.', jsonb_build_object('limit', 720));
  end if;
end $$;

-- Checks what is proposed, before anything is locked.
-- Raises: WD009 without a reason, WD521.
create or replace function wedsql._check_proposal(p_reason text, p_arguments jsonb, p_hours integer)
  returns void
language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
begin
  perform wedsql._check_hours(p_hours);
  perform wedsql._check_reason(p_reason);
  if length(p_reason) > 1000 or octet_length(p_arguments::text) > 1000000 then
    perform wedsql._raise('WD521', 'The proposal is too long.', 'Shorten the reason or the values.');
  end if;
end $$;

-- Inserts a proposal, whose maker approves nothing, and returns it; a row of nulls where another one for the
-- same waits already. p_new: its subject, what is proposed, and which approvals it needs.
create or replace function wedsql._add_proposal(p_new wedsql.proposal, p_hours integer)
  returns wedsql.proposal
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_now timestamptz := wedsql.now();
  v_proposal wedsql.proposal;
begin
  insert into wedsql.proposal (flow_id, version, wid, case_number, bulk_id, total, operation, arguments,
    reason, maker, expected_seq, needed, title, approvers, proposed_at, expires_at)
  select f.id, f.version, p_new.wid, p_new.case_number, p_new.bulk_id, p_new.total, p_new.operation,
         p_new.arguments, p_new.reason, p_new.maker, p_new.expected_seq, p_new.needed,
         p_new.title, p_new.approvers, v_now, v_now + make_interval(hours => p_hours)
  from wedsql.flow f where f.id = p_new.flow_id
  on conflict do nothing returning * into v_proposal;
  if found then
    insert into wedsql.proposal_person (proposal, person)
    values (v_proposal.number, wedsql._compared_name(v_proposal.maker));
  end if;
  return v_proposal;
end $$;

-- Proposes a repair that needs approvals, and returns the proposal. p_expected_seq: the step at which it was
-- previewed, null for the present one. It expires after p_hours.
-- Locks: as preview_repair; the open proposal of the instance.
-- Raises: WD009 without a reason, WD108, WD109; WD521 where it needs no approval or one waits already; what
-- the repair raises.
create or replace function wedsql.propose_repair(p_wid integer, p_operation text, p_arguments jsonb,
  p_reason text, p_actor text default null, p_expected_seq integer default null, p_hours integer default 72)
  returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_seen jsonb;
  v_new wedsql.proposal;
  v_proposal wedsql.proposal;
begin
  perform wedsql._check_proposal(p_reason, p_arguments, p_hours);
  perform wedsql._end_stale_proposals(p_wid);
  v_seen := wedsql.preview_repair(p_wid, p_operation, p_arguments, p_reason, p_actor);
  if v_seen ->> 'refusal' is not null then
    perform wedsql._raise(row(r.sqlstate, r.message, r.hint, r.detail)::wedsql.why)
    from jsonb_to_record(v_seen -> 'refusal') r (sqlstate text, message text, hint text, detail text);
  elsif (v_seen ->> 'seq')::integer <> p_expected_seq then
    perform wedsql._raise(wedsql._moved_why(p_wid, (v_seen ->> 'seq')::integer, p_expected_seq));
  elsif v_seen #>> '{approvals,needed}' = '0' then
    perform wedsql._raise('WD521', 'This repair needs no approval.', 'Apply it.');
  end if;
  v_new.flow_id := (select f.id from wedsql.flow f where f.name = v_seen ->> 'flow');
  v_new.wid := p_wid;
  v_new.case_number := (select c.number from wedsql.repair_case c
                        where c.wid = p_wid and c.closed_at is null);
  v_new.operation := p_operation;
  v_new.arguments := p_arguments;
  v_new.reason := btrim(p_reason);
  v_new.maker := wedsql._actor(p_actor);
  v_new.expected_seq := v_seen ->> 'seq';
  v_new.needed := v_seen #>> '{approvals,needed}';
  v_new.title := v_seen #>> '{approvals,title}';
  v_new.approvers := wedsql._texts(v_seen #> '{approvals,groups}');
  v_proposal := wedsql._add_proposal(v_new, p_hours);
  if v_proposal.number is null then
    perform wedsql._raise('WD521', 'A repair of instance {instance} waits for approvals already.',
      'Wait for them, or withdraw it first.', jsonb_build_object('instance', p_wid));
  end if;
  perform wedsql._note_proposal(v_proposal, 'proposed', v_proposal.maker, p_reason);
  return wedsql._shown_proposal(v_proposal);
end $$;

grant execute on function wedsql.propose_repair(integer, text, jsonb, text, text, integer, integer)
to wed_web;
