-- What people read of proposals. p_flows: the flows that the caller may see; null for all.

-- Returns a proposal with its votes.
-- Raises: WD522.
create or replace function wedsql.read_proposal(p_number bigint, p_flows text[] default null) returns jsonb
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_found jsonb := (
    select wedsql._shown_proposal(p) from wedsql.proposal p join wedsql.flow f on f.id = p.flow_id
    where p.number = p_number and (p_flows is null or f.name = any (p_flows)));
begin
  if v_found is null then
    perform wedsql._raise('WD522', 'There is no proposal {proposal}.',
      'It may belong to a flow that was dropped.', jsonb_build_object('proposal', p_number));
  end if;
  return v_found;
end $$;

-- Returns whether a proposed repair can still be decided and applied.
create or replace function wedsql._proposal_waits(p_proposal wedsql.proposal, p_now timestamptz)
returns boolean
language sql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
select p_proposal.closed_at is null and p_proposal.expires_at > p_now
  and (p_proposal.wid is null
    or p_proposal.expected_seq = (select i.seq from wedsql.instance i where i.wid = p_proposal.wid))
$$;

-- Returns whether a person of these groups can approve a proposal.
create or replace function wedsql._waits_for_person(p_proposal wedsql.proposal, p_actor text, p_groups text[],
  p_now timestamptz) returns boolean
language sql stable set search_path = pg_catalog, pg_temp as $$
select wedsql._proposal_waits(p_proposal, p_now) and p_proposal.approvers <@ p_groups and not exists (
  select 1 from wedsql.proposal_person v
  cross join unnest(p_actor || wedsql._delegators(p_proposal.flow_id, p_actor, p_now)) n
  where v.proposal = p_proposal.number and v.person = wedsql._compared_name(n))
$$;

-- Returns proposals: those that wait, the first to expire first; with p_closed the others, newest first.
-- p_wid: only those of this instance, or of many with it. p_after: the number of the last proposal of the
-- page before. p_person: also those of instances of any flow about which that one decides.
create or replace function wedsql.list_proposals(p_flows text[] default null, p_wid integer default null,
  p_closed boolean default false, p_after bigint default null, p_limit integer default 50,
  p_person text default null)
  returns setof jsonb
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
select wedsql._shown_proposal(p)
from (select wedsql.now() as at) n
cross join wedsql.proposal p join wedsql.flow f on f.id = p.flow_id
left join wedsql.proposal a on a.number = p_after
where (p_flows is null or f.name = any (p_flows)
       or p_person <> '' and p.wid = any (array(select unnest(wedsql._call_decided_by(p_person, 500)))))
  and (p_wid is null or p.wid = p_wid or exists (
    select 1 from wedsql.bulk_row r where r.bulk_id = p.bulk_id and r.wid = p_wid))
  and (not p_closed or p.closed_at is not null or not wedsql._proposal_waits(p, n.at))
  and (p_closed or p.closed_at is null) and (p_closed or wedsql._proposal_waits(p, n.at))
  and (p_after is null or case when p_closed then p.number < p_after
                               else (p.expires_at, p.number) > (a.expires_at, a.number) end)
order by case when not p_closed then p.expires_at end, case when not p_closed then p.number end,
  p.number desc
limit least(greatest(p_limit, 0), 500)
$$;

-- Returns these proposals in their order, those of these flows (null: of all), at most 501.
create or replace function wedsql.proposal_items(p_flows text[], p_numbers bigint[]) returns setof jsonb
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
select wedsql._shown_proposal(p)
from unnest(p_numbers[:501]) with ordinality n (number, place)
join wedsql.proposal p on p.number = n.number join wedsql.flow f on f.id = p.flow_id
where p_flows is null or f.name = any (p_flows)
order by n.place
$$;

-- Returns the state of a proposal as it is shown, and whether it can still be decided and applied.
create or replace function wedsql.proposal_state(p_number bigint) returns text
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
select wedsql._proposal_state(p, wedsql.now()) from wedsql.proposal p where p.number = p_number
$$;

create or replace function wedsql.proposal_waits(p_number bigint) returns boolean
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
select wedsql._proposal_waits(p, wedsql.now()) from wedsql.proposal p where p.number = p_number
$$;

-- Filters of lists, and of alerts, compare what proposals have; not the values that they write.
grant select (number, flow_id, wid, operation, maker, approvers, reason, proposed_at, expires_at, closed_at)
  on wedsql.proposal to wed_web, wed_reaper, wed_monitor;
grant execute on function wedsql.proposal_state(bigint), wedsql.proposal_waits(bigint)
to wed_web, wed_reaper, wed_monitor;
grant execute on function wedsql.proposal_items(text[], bigint[]) to wed_web;

-- Returns the numbers of the proposals of these flows that a person of these groups can approve, the first to
-- expire first; at most 1,000.
create or replace function wedsql.proposals_to_approve(p_flows text[], p_actor text, p_groups text[])
  returns setof bigint
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
select p.number from wedsql.proposal p join wedsql.flow f on f.id = p.flow_id
where p.closed_at is null and (p_flows is null or f.name = any (p_flows))
  and wedsql._waits_for_person(p, p_actor, p_groups, wedsql.now())
order by p.expires_at, p.number limit 1000
$$;

-- Returns whether a repair of an instance waits for approvals.
create or replace function wedsql._on_reads_approvals(p_flow integer, p_wid integer) returns boolean
language sql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
select exists (select from wedsql.proposal p where p.wid = p_wid and p.closed_at is null)
$$;

grant execute on function wedsql.read_proposal(bigint, text[]),
  wedsql.list_proposals(text[], integer, boolean, bigint, integer, text),
  wedsql.proposals_to_approve(text[], text, text[]) to wed_web;
