-- Operations on many instances: requested with the numbers that a filter selected, performed by the reaper
-- (02_perform.sql), read by pages (03_read.sql).

-- Rejects a request of another form.
-- Raises: WD009 without a reason, WD109, WD504.
create or replace function wedsql._check_bulk(p_operation text, p_reason text, p_priority integer,
  p_transition text, p_query text, p_assignee text, p_arguments jsonb) returns void
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  perform wedsql._check_reason(p_reason);
  if length(p_reason) > 1000 or length(p_query) > 4000 or length(p_transition) > 63 then
    perform wedsql._raise('WD504', 'The request is too long.', 'Shorten the reason or the filter.');
  elsif p_operation is null or wedsql._bulk_kinds(p_operation) is null then
    perform wedsql._raise('WD504', '"{operation}" is no operation on many instances.',
      'Operations: {operations}.',
      jsonb_build_object('operation', coalesce(left(p_operation, 80), ''), 'operations',
        (select jsonb_agg(o.operation order by o.operation) from wedsql._operations() o
         where o.many is not null)));
  elsif p_operation = 'priority' and p_priority between -32768 and 32767 is not true then
    perform wedsql._raise('WD504', 'A priority is a whole number between -32768 and 32767.');
  elsif p_operation <> 'priority' and p_priority is not null then
    perform wedsql._raise('WD504', 'Only a change of priority has a priority.', 'Leave it out.');
  elsif (p_operation = 'reassign') <> (p_assignee is not null) then
    perform wedsql._raise('WD504', 'The name of a worker is for reassigning, and only for it.',
      'An empty name gives the jobs back to all workers.');
  elsif p_operation in ('complete', 'skip') and coalesce(p_transition, '') = '' then
    perform wedsql._raise('WD504', 'The operation "{operation}" is about the jobs of one transition.',
      'Name the transition.', jsonb_build_object('operation', p_operation));
  elsif not wedsql._is_about_jobs(p_operation) and coalesce(p_transition, '') <> '' then
    perform wedsql._raise('WD504', 'The operation "{operation}" is not about jobs of one transition.',
      'Leave the transition out.', jsonb_build_object('operation', p_operation));
  end if;
  perform wedsql._check_kinds(p_operation, wedsql._bulk_kinds(p_operation), p_arguments);
  if (p_arguments ->> 'steps')::integer not between 1 and 1000 then
    perform wedsql._raise('WD504', 'A rollback undoes 1 to {limit} steps at once.', null,
      jsonb_build_object('limit', 1000));
  end if;
end $$;

-- Returns the digest of these numbers, in any order, by which a request recognizes the instances that a
-- person confirmed; with p_seqs, as for repairs, at these steps. `digest` of api.py calculates the same.
create or replace function wedsql._bulk_digest(p_wids integer[], p_seqs integer[] default null) returns text
language sql stable set search_path = pg_catalog, pg_temp as $$
select left(encode(sha256(convert_to(coalesce(
  string_agg(w || coalesce(':' || s, ''), ',' order by w), ''), 'UTF8')), 'hex'), 16)
from (select distinct * from unnest(p_wids, p_seqs)) u (w, s)
$$;

-- Rejects other instances than those that were confirmed: another number, or the same number of others, or
-- at other steps.
-- Raises: WD505.
create or replace function wedsql._check_confirmed(p_wids integer[], p_seqs integer[], p_expected integer,
  p_digest text) returns void
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  if p_wids = '{}' or cardinality(p_wids) is distinct from p_expected then
    perform wedsql._raise('WD505', 'The filter selects {found} instances now, not {expected}.',
      'Look at the list again, and confirm the number that it has.',
      jsonb_build_object('found', cardinality(p_wids), 'expected', coalesce(p_expected, 0)));
  elsif p_digest is not null and p_digest <> wedsql._bulk_digest(p_wids, p_seqs) then
    perform wedsql._raise('WD505',
      'The filter selects {found} instances as before, but not the same ones.',
      'Look at the list again, and confirm the instances that it has.',
      jsonb_build_object('found', cardinality(p_wids)));
  end if;
end $$;

-- Requests an operation on these instances and returns it. p_expected is the number that a person confirmed,
-- p_digest the digest of the instances, or null: if it is about others, nothing is requested. p_flows: the
-- flows that this person may operate; null for all. p_arguments: those of a repair (_bulk_kinds). p_atomic:
-- nothing is done unless all can be done. p_hours: it needs approvals and is proposed, and waits so long for
-- them; null: it needs none.
-- Raises: WD009, WD109, WD301, WD504, WD505; WD002, WD210 for attributes that may not be written; WD520 where
-- it needs approvals and is not proposed, WD521 where it cannot be proposed.
create or replace function wedsql.request_bulk(p_operation text, p_wids integer[], p_expected integer,
  p_reason text, p_actor text default null, p_priority integer default null, p_transition text default '',
  p_query text default '', p_flows text[] default null, p_digest text default null,
  p_assignee text default null, p_arguments jsonb default '{}', p_atomic boolean default false,
  p_hours integer default null) returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp set timezone = 'UTC' as $$
declare
  v_now timestamptz := wedsql.now();
  v_bulk wedsql.bulk;
  v_flow text;
  v_wids integer[];
  v_seqs integer[];
begin
  perform wedsql._check_bulk(p_operation, p_reason, p_priority, p_transition, p_query, p_assignee,
                             p_arguments);
  if cardinality(p_wids) > 100000 then
    perform wedsql._raise('WD504', 'One operation is performed on at most {limit} instances.',
      'Narrow the filter, and operate on the parts.', jsonb_build_object('limit', 100000));
  elsif p_atomic and cardinality(p_wids) > 10000 then
    perform wedsql._raise('WD504', 'All or nothing is possible for at most {limit} instances.',
      'Narrow the filter, or repair those that can be repaired.', jsonb_build_object('limit', 10000));
  end if;
  insert into wedsql.bulk as b (operation, priority, assignee, transition, query, flows, actor, reason, total,
    created_at, changed_at, changed_by, arguments, atomic)
  values (p_operation, p_priority,
    case when p_operation = 'reassign' then coalesce(wedsql._assignee(p_assignee), '') end,
    coalesce(p_transition, ''), coalesce(p_query, ''), '{}',
    wedsql._actor(p_actor), btrim(p_reason), 0, v_now, v_now, wedsql._actor(p_actor), p_arguments,
    coalesce(p_atomic, false))
  returning b.* into v_bulk;
  with selected as (
    insert into wedsql.bulk_row (bulk_id, wid, flow_id, status, seq)
    select v_bulk.id, i.wid, i.flow_id, i.status, i.seq from wedsql.instance i where i.wid = any (p_wids)
    returning wid, seq)
  select coalesce(array_agg(s.wid), '{}'), array_agg(s.seq) into v_wids, v_seqs from selected s;
  perform wedsql._check_confirmed(v_wids, case when wedsql._is_bulk_repair(p_operation) then v_seqs end,
                                  p_expected, p_digest);
  v_bulk.total := cardinality(v_wids);
  v_bulk.flows := array(select f.name from wedsql.flow f
    where f.id in (select r.flow_id from wedsql.bulk_row r where r.bulk_id = v_bulk.id) order by f.name);
  select n into v_flow from unnest(v_bulk.flows) n where n <> all (p_flows) limit 1;
  if found then
    perform wedsql._raise('WD301', 'You may not operate on the instances of flow "{flow}".',
      'Leave them out of the filter.', jsonb_build_object('flow', v_flow));
  end if;
  perform wedsql._check_bulk_flow(v_bulk);
  v_bulk.state := coalesce(wedsql._call_begin_bulk(v_bulk, v_wids, p_hours), 'running');
  update wedsql.bulk b set flows = v_bulk.flows, total = v_bulk.total, state = v_bulk.state
  where b.id = v_bulk.id;
  return wedsql._shown_bulk(v_bulk);
end $$;

-- Pauses a bulk operation ('paused'), lets it continue ('running'), or withdraws what is left of it
-- ('withdrawn'), and returns it. What is done stays.
-- Locks: the operation, after the slice of it that is being performed.
-- Raises: WD506, WD507; 55P03 if a slice lasts more than ten seconds.
create or replace function wedsql.change_bulk(p_id bigint, p_state text, p_actor text default null)
  returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp set timezone = 'UTC'
set lock_timeout = '10s' as $$
declare
  v_now timestamptz := wedsql.now();
  v_bulk wedsql.bulk;
  v_facts jsonb := jsonb_build_object('bulk', p_id);
begin
  select * into v_bulk from wedsql.bulk b where b.id = p_id for update;
  if not found then
    perform wedsql._raise('WD506', 'There is no bulk operation {bulk}.', 'Load the page again.', v_facts);
  elsif v_bulk.state in ('withdrawn', 'finished') then
    perform wedsql._raise('WD507', 'Bulk operation {bulk} has ended.', 'Nothing of it is left.', v_facts);
  elsif v_bulk.state = 'proposed' then
    perform wedsql._raise('WD507', 'Bulk operation {bulk} waits for approvals.',
      'Its proposal can be approved, rejected or withdrawn.', v_facts);
  elsif v_bulk.state = p_state then
    perform wedsql._raise('WD507', 'Bulk operation {bulk} is in this state already.', 'Load the page again.',
      v_facts);
  elsif p_state is null or p_state not in ('running', 'paused', 'withdrawn') then
    perform wedsql._raise('WD504', 'A bulk operation can be paused, continued or withdrawn.');
  end if;
  update wedsql.bulk b
  set state = p_state, changed_at = v_now, changed_by = wedsql._actor(p_actor),
      finished_at = case when p_state = 'withdrawn' then v_now end
  where b.id = p_id returning b.* into v_bulk;
  return wedsql._shown_bulk(v_bulk);
end $$;
