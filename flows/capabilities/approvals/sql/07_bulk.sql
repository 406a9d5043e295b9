-- Operations on many instances that need approvals: one proposal is about all of them, and its last approval
-- lets the reaper begin. The approvals then cover each instance (wedsql._bulk_together).

-- Returns what an operation on instances of a flow writes, and the states after it: for each instance a list
-- of attributes and a state, in the same order. One that cannot be rolled back so far is left out.
create or replace function wedsql._bulk_after(p_flow wedsql.flow, p_operation text, p_arguments jsonb,
  p_wids integer[], out written jsonb, out states jsonb)
language plpgsql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off
set timezone = 'UTC' set datestyle = 'ISO, YMD' set intervalstyle = 'postgres' as $$
declare
  v_changes jsonb := coalesce(p_arguments -> 'changes', '{}');
begin
  if p_operation in ('rollback', 'abort') then
    select jsonb_agg(to_jsonb(a.written)), jsonb_agg(a.state) into written, states
    from unnest(p_wids) w (wid)
    cross join lateral (select case when p_operation = 'abort' then 1
      else wedsql._rollback_seq(w.wid, (p_arguments ->> 'steps')::integer) end as seq) t
    cross join lateral wedsql._after_undo(p_flow, jsonb_populate_record(null::wedsql.recovery,
      jsonb_build_object('wid', w.wid, 'operation', p_operation, 'target_seq', t.seq,
        'undone', wedsql._undone(w.wid, p_operation, t.seq), 'restored', '[]'::jsonb,
        'changes', '{}'::jsonb))) a
    where t.seq is not null;
  else
    execute format('select jsonb_agg($1), jsonb_agg((to_jsonb(w.*) - ''wid'') || $2) from %I.wed_flow w '
                   'where w.wid = any ($3)', p_flow.name)
    into written, states using to_jsonb(array(select jsonb_object_keys(v_changes))), v_changes, p_wids;
  end if;
end $$;

-- Returns how many approvals an operation on these instances needs, as _approvals does. p_size: the number of
-- instances that it is about.
create or replace function wedsql._bulk_approvals(p_operation text, p_arguments jsonb, p_wids integer[],
  p_size integer, out needed smallint, out title text, out groups text[])
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  v_part record;
  v_flow wedsql.flow;
  v_after record;
  v_need record;
begin
  needed := 0;
  title := '';
  groups := '{}';
  for v_part in
    select o.flow_id, array_agg(o.wid) as wids
    from (select i.flow_id, i.wid, row_number() over (partition by i.flow_id order by i.wid) as n
          from wedsql.instance i where i.wid = any (p_wids)) o
    where exists (select 1 from wedsql.approval_rule r
                  where r.flow_id = o.flow_id and wedsql._rule_covers(r, array[p_operation], p_size))
    group by o.flow_id, (o.n - 1) / 500 order by o.flow_id, min(o.wid)
  loop
    select * into v_flow from wedsql.flow f where f.id = v_part.flow_id;
    v_after := wedsql._bulk_after(v_flow, p_operation, p_arguments, v_part.wids);
    continue when v_after.states is null;
    v_need := wedsql._approvals(v_flow.id, array[p_operation], v_after.written, v_after.states, p_size);
    title := case when v_need.needed > needed then v_need.title else title end;
    needed := greatest(needed, v_need.needed);
    groups := array(select distinct g from unnest(groups || v_need.groups) g order by g);
  end loop;
end $$;

-- Returns which approvals an operation on these instances needs: {"needed", "title", "groups"}.
create or replace function wedsql.bulk_approvals(p_operation text, p_wids integer[],
  p_arguments jsonb default '{}') returns jsonb
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
select to_jsonb(n) from wedsql._bulk_approvals(p_operation, p_arguments, p_wids, cardinality(p_wids)) n
$$;

-- Proposes an operation on many instances, which the caller has inserted with these instances, if p_hours
-- says so, and returns the state in which it begins: proposed, or running if it needs no approvals.
-- Raises: WD520 where it needs approvals and is not proposed; WD521 where it is proposed and needs none, or
-- is about several flows.
create or replace function wedsql._on_begin_bulk_approvals(p_bulk wedsql.bulk, p_wids integer[],
  p_hours integer) returns text
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_need record := wedsql._bulk_approvals(p_bulk.operation, p_bulk.arguments, p_wids, p_bulk.total);
  v_new wedsql.proposal;
begin
  if p_hours is null and v_need.needed = 0 then
    return 'running';
  elsif p_hours is null then
    perform wedsql._refuse_bulk(p_bulk, v_need.needed, v_need.title, v_need.groups);
  elsif v_need.needed = 0 then
    perform wedsql._raise('WD521', 'This repair needs no approval.', 'Apply it.');
  elsif cardinality(p_bulk.flows) > 1 then
    perform wedsql._raise('WD521', 'A proposal is about one flow, but the instances are of {count} flows.',
      'Select the instances of one flow.', jsonb_build_object('count', cardinality(p_bulk.flows)));
  end if;
  perform wedsql._check_hours(p_hours);
  v_new.flow_id := (select f.id from wedsql.flow f where f.name = p_bulk.flows[1]);
  v_new.bulk_id := p_bulk.id;
  v_new.total := p_bulk.total;
  v_new.operation := p_bulk.operation;
  v_new.arguments := jsonb_strip_nulls(jsonb_build_object('transition', nullif(p_bulk.transition, ''),
    'worker', p_bulk.assignee)) || p_bulk.arguments;
  v_new.reason := p_bulk.reason;
  v_new.maker := p_bulk.actor;
  v_new.needed := v_need.needed;
  v_new.title := v_need.title;
  v_new.approvers := v_need.groups;
  perform wedsql._add_proposal(v_new, p_hours);
  return 'proposed';
end $$;

-- Returns the number of the proposal of an operation on many instances.
create or replace function wedsql._on_proposal_of_approvals(p_bulk bigint) returns bigint
language sql stable set search_path = pg_catalog, pg_temp as $$
select p.number from wedsql.proposal p where p.bulk_id = p_bulk
$$;

-- Raises: WD520.
create or replace function wedsql._refuse_bulk(p_bulk wedsql.bulk, p_needed integer, p_title text,
  p_groups text[]) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  perform wedsql._raise('WD520', case when p_needed = 1
      then 'Operation "{operation}" on {count} instances needs an approval by another person.'
      else 'Operation "{operation}" on {count} instances needs approvals by two other persons.' end,
    'Nothing was changed. Propose it; the last approval starts it.',
    jsonb_build_object('operation', p_bulk.operation, 'count', p_bulk.total, 'needed', p_needed,
      'title', p_title, 'groups', p_groups));
end $$;

-- Lets the reaper begin a proposed operation on many instances, with its approvals.
-- Locks: the operation.
-- Raises: WD520 where the rules ask for more by now.
create or replace function wedsql._start_approved(p_proposal wedsql.proposal, p_actor text, p_votes integer)
  returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_bulk wedsql.bulk;
  v_need record;
begin
  select * into v_bulk from wedsql.bulk b where b.id = p_proposal.bulk_id for update;
  v_need := wedsql._bulk_approvals(v_bulk.operation, v_bulk.arguments,
    array(select r.wid from wedsql.bulk_row r where r.bulk_id = v_bulk.id), v_bulk.total);
  if v_need.needed > p_votes or not v_need.groups <@ p_proposal.approvers then
    perform wedsql._refuse_bulk(v_bulk, v_need.needed, v_need.title, v_need.groups);
  end if;
  update wedsql.bulk b
  set state = 'running', approvals = p_votes, approvers = p_proposal.approvers, changed_at = wedsql.now(),
      changed_by = p_actor
  where b.id = v_bulk.id;
end $$;

grant execute on function wedsql.bulk_approvals(text, integer[], jsonb) to wed_web;
