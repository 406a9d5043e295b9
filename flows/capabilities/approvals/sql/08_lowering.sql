-- Lowering the rules for approvals: a rule is removed or made weaker only with the approvals that it asks for
-- itself, by the same proposals as repairs. Adding rules and making them stronger takes effect at once.

-- Returns whether a new rule asks for no less than an old one, in every case for which the old one does. A
-- condition that is not the same counts as weaker, since which of two holds more often is not decided.
create or replace function wedsql._rule_keeps(p_new wedsql.approval_rule, p_old wedsql.approval_rule)
  returns boolean
language sql immutable set search_path = pg_catalog, pg_temp as $$
select coalesce(p_new.approvals >= p_old.approvals
  and (p_new.operations = '{}' or p_old.operations <> '{}' and p_old.operations <@ p_new.operations)
  and (p_new.attributes = '{}' or p_old.attributes <> '{}' and p_old.attributes <@ p_new.attributes)
  and (p_new.condition = '' or p_new.condition = p_old.condition or p_new.compiled = p_old.compiled)
  and (p_new.bulk_above is null or p_new.bulk_above <= p_old.bulk_above)
  and p_old.approvers in ('', p_new.approvers), false)
$$;

-- Returns which approvals it needs to replace rules by others: the largest number and the groups of those
-- that none of the new ones keeps, and the first of these; none where no rule becomes weaker.
create or replace function wedsql._lowered(p_old wedsql.approval_rule[], p_new wedsql.approval_rule[],
  out needed smallint, out title text, out groups text[])
language sql immutable set search_path = pg_catalog, pg_temp as $$
select coalesce(max(o.approvals), 0),
       coalesce((array_agg(o.title order by o.approvals desc, o.position))[1], ''),
       coalesce(array_agg(distinct o.approvers) filter (where o.approvers <> ''), '{}')
from unnest(p_old) o
where o.approvals > 0 and not exists (
  select from unnest(p_new) n where wedsql._rule_keeps(n::wedsql.approval_rule, o::wedsql.approval_rule))
$$;

-- Returns the rules of a flow as they are stored.
create or replace function wedsql._stored_rules(p_flow integer) returns wedsql.approval_rule[]
language sql stable set search_path = pg_catalog, pg_temp as $$
select array(select r from wedsql.approval_rule r where r.flow_id = p_flow order by r.position)
$$;

-- Returns rules as a proposal keeps them.
create or replace function wedsql._plain_rules(p_rules wedsql.approval_rule[]) returns jsonb
language sql stable set search_path = pg_catalog, pg_temp as $$
select coalesce(jsonb_agg(to_jsonb(r)
  - '{id,flow_id,position,compiled,reads,changed_by,changed_at}'::text[] order by r.position), '[]')
from unnest(p_rules) r
$$;

-- Replaces the rules of a flow, the only way in which they change; p_approvals and p_groups: what the change
-- has been approved by, p_groups null for an administrator.
-- Locks: the flow's row.
-- Raises: WD005, WD006, WD521; WD520 where it needs more.
create or replace function wedsql._replace_rules(p_flow wedsql.flow, p_rules jsonb, p_actor text,
  p_approvals integer, p_groups text[]) returns void
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_old wedsql.approval_rule[];
  v_need record;
begin
  perform from wedsql.flow f where f.id = p_flow.id for no key update;
  v_old := wedsql._stored_rules(p_flow.id);
  perform wedsql._write_approval_rules(p_flow, p_rules, p_actor);
  v_need := wedsql._lowered(v_old, wedsql._stored_rules(p_flow.id));
  if v_need.needed > p_approvals or not coalesce(v_need.groups <@ p_groups, true) then
    perform wedsql._raise('WD520', case when v_need.needed = 1
        then 'The change makes the rules for approvals of flow "{flow}" weaker, and needs an approval by '
             'another person.'
        else 'The change makes the rules for approvals of flow "{flow}" weaker, and needs approvals by two '
             'other persons.' end,
      'Nothing was changed. Propose it; the last approval applies it.',
      jsonb_build_object('flow', p_flow.name, 'needed', v_need.needed, 'title', v_need.title,
        'groups', v_need.groups));
  end if;
end $$;

-- Proposes other rules for approvals of a flow, some of them weaker than the ones there are, and returns the
-- proposal. The rules that become weaker say how many persons approve it, and of which groups. p_rules as
-- save_approval_rules; it expires after p_hours.
-- Locks: the flow's row.
-- Raises: WD001, WD005, WD006, WD009 without a reason; WD521 where it needs no approval or a change of the
-- rules waits already.
create or replace function wedsql.propose_approval_rules(p_flow text, p_rules jsonb, p_reason text,
  p_actor text default null, p_hours integer default 72) returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_flow wedsql.flow := wedsql._flow(p_flow);
  v_old wedsql.approval_rule[];
  v_rules jsonb;
  v_need record;
  v_new wedsql.proposal;
  v_proposal wedsql.proposal;
begin
  perform wedsql._check_proposal(p_reason, p_rules, p_hours);
  perform from wedsql.flow f where f.id = v_flow.id for no key update;
  v_old := wedsql._stored_rules(v_flow.id);
  begin
    perform wedsql._write_approval_rules(v_flow, p_rules, p_actor);
    v_need := wedsql._lowered(v_old, wedsql._stored_rules(v_flow.id));
    v_rules := wedsql._plain_rules(wedsql._stored_rules(v_flow.id));
    raise exception using errcode = 'WD999';
  exception when sqlstate 'WD999' then null;  -- what was written is rolled back
  end;
  if v_need.needed = 0 then
    perform wedsql._raise('WD521', 'This change of rules needs no approval.', 'Save it.');
  end if;
  perform wedsql._end_proposal(p.number, 'expired', 'expired', 'kernel', '') from wedsql.proposal p
  where p.flow_id = v_flow.id and p.operation = 'approval_rules' and p.closed_at is null
    and p.expires_at <= wedsql.now();
  v_new.flow_id := v_flow.id;
  v_new.operation := 'approval_rules';
  v_new.arguments := jsonb_build_object('rules', v_rules, 'before', wedsql._plain_rules(v_old));
  v_new.reason := btrim(p_reason);
  v_new.maker := wedsql._actor(p_actor);
  v_new.needed := v_need.needed;
  v_new.title := v_need.title;
  v_new.approvers := v_need.groups;
  v_proposal := wedsql._add_proposal(v_new, p_hours);
  if v_proposal.number is null then
    perform wedsql._raise('WD521', 'A change of the rules of flow "{flow}" waits for approvals already.',
      'Wait for them, or withdraw it first.', jsonb_build_object('flow', p_flow));
  end if;
  return wedsql._shown_proposal(v_proposal);
end $$;

-- Applies a proposal about rules, whose maker is recorded as the author of the change. p_votes: its
-- approvals, null for that of an administrator.
-- Locks: the flow's row.
-- Raises: WD521 where the rules were changed after the proposal; as _replace_rules.
create or replace function wedsql._apply_rules(p_proposal wedsql.proposal, p_votes integer) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_flow wedsql.flow;
begin
  select * into v_flow from wedsql.flow f where f.id = p_proposal.flow_id for no key update;
  if wedsql._plain_rules(wedsql._stored_rules(v_flow.id)) <> p_proposal.arguments -> 'before' then
    perform wedsql._raise('WD521',
      'The rules for approvals of flow "{flow}" were changed after proposal {proposal}.',
      'Nothing was changed. Look at it again, and propose it again.',
      jsonb_build_object('flow', v_flow.name, 'proposal', p_proposal.number));
  end if;
  perform wedsql._replace_rules(v_flow, p_proposal.arguments -> 'rules', p_proposal.maker,
    coalesce(p_votes, 2), case when p_votes is not null then p_proposal.approvers end);
end $$;

-- Approves a proposal about rules as an administrator, who may be its maker, and applies it: only where too
-- few other persons may approve it, which the caller has checked. The vote is recorded as such.
-- Locks: the proposal; the flow's row.
-- Raises: WD009 without a reason, WD521, WD522.
create or replace function wedsql.approve_as_administrator(p_number bigint, p_actor text, p_reason text)
  returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_proposal wedsql.proposal := wedsql._open_proposal(p_number, null, p_reason);
  v_actor text := wedsql._actor(p_actor);
begin
  if v_proposal.operation <> 'approval_rules' then
    perform wedsql._raise('WD521', 'Proposal {proposal} is about a repair, which no administrator approves '
      'alone.', 'Another person must do so.', jsonb_build_object('proposal', p_number));
  end if;
  perform wedsql._check_reason(p_reason);
  insert into wedsql.proposal_vote (proposal, kind, voter, on_behalf, groups, note, at, administrator)
  values (p_number, 'approved', v_actor, '{}', '{}', btrim(p_reason), wedsql.now(), true);
  return wedsql._shown_proposal(wedsql._apply_proposal(v_proposal, v_actor, null));
end $$;

grant execute on function wedsql.propose_approval_rules(text, jsonb, text, text, integer),
  wedsql.approve_as_administrator(bigint, text, text) to wed_web;
