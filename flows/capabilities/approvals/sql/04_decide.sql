-- Decisions about proposals. Votes are appended, and persons are kept apart by a unique key
-- (wedsql.proposal_person): the maker approves nothing, no person approves twice, and a person to whom
-- another has delegated approving counts as both.

-- Locks and returns a proposal of these flows that waits for approvals.
-- Raises: WD521 where it is closed or over its time, WD522.
create or replace function wedsql._open_proposal(p_number bigint, p_flows text[], p_note text default '')
  returns wedsql.proposal
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_proposal wedsql.proposal;
begin
  if length(p_note) > 1000 then
    perform wedsql._raise('WD521', 'A note has at most {limit} characters.', 'Use a shorter text.',
      jsonb_build_object('limit', 1000));
  end if;
  select p.* into v_proposal from wedsql.proposal p join wedsql.flow f on f.id = p.flow_id
  where p.number = p_number and (p_flows is null or f.name = any (p_flows)) for no key update of p;
  if not found then
    perform wedsql._raise('WD522', 'There is no proposal {proposal}.',
      'It may belong to a flow that was dropped.', jsonb_build_object('proposal', p_number));
  elsif wedsql._proposal_state(v_proposal, wedsql.now()) not in ('proposed', 'approved') then
    perform wedsql._raise('WD521', 'Proposal {proposal} no longer waits for approvals.',
      'It was decided, or is over its time. Propose the repair again.',
      jsonb_build_object('proposal', p_number,
        'state', wedsql._proposal_state(v_proposal, wedsql.now())));
  end if;
  return v_proposal;
end $$;

-- Returns who has delegated approving in a flow to a person at a time.
create or replace function wedsql._delegators(p_flow integer, p_person text, p_now timestamptz)
  returns text[]
language sql stable set search_path = pg_catalog, pg_temp as $$
select coalesce(array_agg(distinct d.from_person order by d.from_person), '{}') from wedsql.delegation d
where d.flow_id = p_flow and wedsql._compared_name(d.to_person) = wedsql._compared_name(p_person)
  and d.begins_at <= p_now and d.ends_at > p_now
$$;

-- Checks that a person may decide about a proposal: another one than its maker, and a member of each group
-- that the rules name. p_groups: the groups of the person, which the caller has read.
-- Raises: WD523, WD524.
create or replace function wedsql._check_checker(p_proposal wedsql.proposal, p_actor text, p_groups text[])
  returns void
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  v_facts jsonb := jsonb_build_object('proposal', p_proposal.number, 'person', p_actor,
    'maker', p_proposal.maker, 'groups', p_proposal.approvers);
begin
  if wedsql._compared_name(p_actor) = wedsql._compared_name(p_proposal.maker) then
    perform wedsql._raise('WD523', '{person} made proposal {proposal} and cannot decide about it.',
      'Another person must do so. You can withdraw it.', v_facts);
  elsif not p_proposal.approvers <@ p_groups then
    perform wedsql._raise('WD524', 'Only members of {groups} decide about proposal {proposal}.',
      'Ask one of them.', v_facts);
  end if;
end $$;

-- Approves a proposal and returns it. The last approval applies the repair in this transaction; if that is
-- not possible any more, the proposal fails with the reason, and nothing is changed. p_flows: the flows whose
-- repairs the person may approve, by itself or by a delegation, which the caller has checked; null for all.
-- Locks: the proposal; as the repair.
-- Raises: WD521, WD522, WD523, WD524; what passes by itself (wedsql._passes), WD010, 57014.
create or replace function wedsql.approve_repair(p_number bigint, p_actor text, p_groups text[] default '{}',
  p_note text default '', p_flows text[] default null) returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_now timestamptz := wedsql.now();
  v_proposal wedsql.proposal := wedsql._open_proposal(p_number, p_flows, p_note);
  v_actor text := wedsql._actor(p_actor);
  v_behalf text[] := wedsql._delegators(v_proposal.flow_id, v_actor, v_now);
  v_votes integer;
begin
  perform wedsql._check_checker(v_proposal, v_actor, p_groups);
  begin
    insert into wedsql.proposal_person (proposal, person)
    select distinct p_number, wedsql._compared_name(n) from unnest(v_actor || v_behalf) n;
  exception when unique_violation then
    perform wedsql._raise('WD523',
      '{person} cannot approve proposal {proposal}: made or approved by the same person, or by one for whom '
      'this person approves.', 'Another person must do so.',
      jsonb_build_object('proposal', p_number, 'person', v_actor, 'on_behalf', v_behalf));
  end;
  insert into wedsql.proposal_vote (proposal, kind, voter, on_behalf, groups, note, at)
  values (p_number, 'approved', v_actor, v_behalf, v_proposal.approvers, btrim(coalesce(p_note, '')), v_now);
  perform wedsql._note_proposal(v_proposal, 'approved', v_actor, p_note);
  select count(*) into v_votes from wedsql.proposal_vote v where v.proposal = p_number;
  if v_votes >= v_proposal.needed then
    return wedsql._shown_proposal(wedsql._apply_proposal(v_proposal, v_actor, v_votes));
  end if;
  update wedsql.proposal p set state = 'approved' where p.number = p_number returning * into v_proposal;
  return wedsql._shown_proposal(v_proposal);
end $$;

-- Applies a proposal about one instance. The history has the maker as the actor, and names the proposal in
-- the reason.
-- Locks, raises: as the repair.
create or replace function wedsql._apply_to_one(p_proposal wedsql.proposal, p_votes integer) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  insert into wedsql.applying (wid, operation, approvals, groups)
  values (p_proposal.wid, p_proposal.operation, p_votes, p_proposal.approvers);
  perform wedsql._repair(p_proposal.wid, p_proposal.operation, p_proposal.arguments,
    format('Proposal %s: %s', p_proposal.number, p_proposal.reason), p_proposal.maker,
    p_proposal.expected_seq);
  delete from wedsql.applying a where a.wid = p_proposal.wid;
end $$;

-- Applies a proposal that has its approvals, and returns it: applied, or failed. An operation on many
-- instances begins.
-- Locks: as the repair, or the operation; the flow's row where it is about rules.
-- Raises: what is worth repeating.
create or replace function wedsql._apply_proposal(p_proposal wedsql.proposal, p_actor text, p_votes integer)
  returns wedsql.proposal
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_why wedsql.why;
begin
  begin
    perform wedsql._lock_instance(p_proposal.wid, p_proposal.operation)  -- against a publication
    where p_proposal.wid is not null;
    if p_proposal.operation = 'approval_rules' then
      perform wedsql._apply_rules(p_proposal, p_votes);
    else
      perform wedsql._check_version(p_proposal);
    end if;
    if p_proposal.wid is not null then
      perform wedsql._apply_to_one(p_proposal, p_votes);
    elsif p_proposal.bulk_id is not null then
      perform wedsql._start_approved(p_proposal, p_actor, p_votes);
    end if;
  exception when others then
    get stacked diagnostics v_why.code = returned_sqlstate, v_why.message = message_text,
      v_why.hint = pg_exception_hint, v_why.detail = pg_exception_detail;
    if v_why.code !~ '^WD' or v_why.code = 'WD010' then
      raise;
    end if;
    return wedsql._end_proposal(p_proposal.number, 'failed', 'not_applied', p_actor, null, v_why);
  end;
  return wedsql._end_proposal(p_proposal.number, 'applied', 'applied', p_actor, '');
end $$;

-- Checks that the definition is the one with which the repair was previewed: with another one it would do
-- something else than what was approved.
-- Raises: WD521.
create or replace function wedsql._check_version(p_proposal wedsql.proposal) returns void
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  if (select f.version from wedsql.flow f where f.id = p_proposal.flow_id) <> p_proposal.version then
    perform wedsql._raise('WD521', 'Flow "{flow}" was published again after proposal {proposal}.',
      'Nothing was changed. Look at it again, and propose it again.', jsonb_build_object('flow',
        (select f.name from wedsql.flow f where f.id = p_proposal.flow_id), 'proposal', p_proposal.number));
  end if;
end $$;

-- Rejects a proposal with a reason, and returns it; p_groups and p_flows as approve_repair.
-- Locks: the proposal.
-- Raises: WD009 without a reason, WD521, WD522, WD523, WD524.
create or replace function wedsql.reject_repair(p_number bigint, p_actor text, p_reason text,
  p_groups text[] default '{}', p_flows text[] default null) returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_proposal wedsql.proposal := wedsql._open_proposal(p_number, p_flows, p_reason);
  v_actor text := wedsql._actor(p_actor);
begin
  perform wedsql._check_checker(v_proposal, v_actor, p_groups);
  perform wedsql._check_reason(p_reason);
  insert into wedsql.proposal_vote (proposal, kind, voter, on_behalf, groups, note, at)
  values (p_number, 'rejected', v_actor, '{}', v_proposal.approvers, btrim(p_reason), wedsql.now());
  return wedsql._shown_proposal(wedsql._end_proposal(p_number, 'rejected', 'rejected', v_actor, p_reason));
end $$;

-- Withdraws a proposal and returns it; only its maker does. p_flows: the flows that the person may repair.
-- Locks: the proposal.
-- Raises: WD521, WD522, WD523.
create or replace function wedsql.withdraw_repair(p_number bigint, p_actor text, p_flows text[] default null)
  returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_proposal wedsql.proposal := wedsql._open_proposal(p_number, p_flows);
  v_actor text := wedsql._actor(p_actor);
begin
  if wedsql._compared_name(v_actor) <> wedsql._compared_name(v_proposal.maker) then
    perform wedsql._raise('WD523', 'Only {maker} can withdraw proposal {proposal}.', 'Reject it instead.',
      jsonb_build_object('proposal', p_number, 'maker', v_proposal.maker));
  end if;
  return wedsql._shown_proposal(wedsql._end_proposal(p_number, 'withdrawn', 'withdrawn', v_actor, ''));
end $$;

grant execute on function wedsql.approve_repair(bigint, text, text[], text, text[]),
  wedsql.reject_repair(bigint, text, text, text[], text[]),
  wedsql.withdraw_repair(bigint, text, text[]) to wed_web;
