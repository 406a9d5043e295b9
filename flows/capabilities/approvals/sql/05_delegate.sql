-- Delegations: a person lets another one approve repairs of a flow for a time. Only whoever may approve
-- delegates; the caller checks that, also at the time of an approval.

-- Returns a delegation for clients.
create or replace function wedsql._shown_delegation(p_one wedsql.delegation) returns jsonb
language sql stable set search_path = pg_catalog, pg_temp set timezone = 'UTC' as $$
select to_jsonb(p_one) - 'flow_id' || jsonb_build_object(
  'flow', (select f.name from wedsql.flow f where f.id = p_one.flow_id))
$$;

-- Lets p_to approve repairs of a flow for p_from from one time (null: now) until another, and returns the
-- delegation.
-- Raises: WD001, WD521.
create or replace function wedsql.delegate_approvals(p_flow text, p_from text, p_to text,
  p_begin timestamptz, p_end timestamptz, p_actor text default null) returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_flow wedsql.flow := wedsql._flow(p_flow);
  v_now timestamptz := wedsql.now();
  v_begin timestamptz := coalesce(p_begin, v_now);
  v_made wedsql.delegation;
begin
  if coalesce(btrim(p_from), '') = '' or coalesce(btrim(p_to), '') = ''
     or wedsql._compared_name(p_from) = wedsql._compared_name(p_to) or length(p_from || p_to) > 300 then
    perform wedsql._raise('WD521', 'Approving is delegated from one person to another.', 'Name both.');
  elsif p_end is null or p_end <= greatest(v_begin, v_now) or p_end > v_now + interval '366 days'
        or v_begin < v_now - interval '366 days' then
    perform wedsql._raise('WD521', 'A delegation ends after its begin and within 366 days from now.',
      'Give such a time.');
  end if;
  insert into wedsql.delegation as d (flow_id, from_person, to_person, begins_at, ends_at, made_by, made_at)
  values (v_flow.id, btrim(p_from), btrim(p_to), v_begin, p_end, wedsql._actor(p_actor), v_now)
  returning d.* into v_made;
  return wedsql._shown_delegation(v_made);
end $$;

-- Ends a delegation now, and returns it. p_from: only one of this person.
-- Locks: the delegation.
-- Raises: WD521 where there is none that has not ended.
create or replace function wedsql.end_delegation(p_id bigint, p_from text default null,
  p_actor text default null)
returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_now timestamptz := wedsql.now();
  v_one wedsql.delegation;
begin
  perform wedsql._changing(coalesce(p_actor, p_from));
  update wedsql.delegation d set begins_at = least(d.begins_at, v_now), ends_at = v_now
  where d.id = p_id and d.ends_at > v_now
    and (p_from is null or wedsql._compared_name(d.from_person) = wedsql._compared_name(p_from))
  returning d.* into v_one;
  if not found then
    perform wedsql._raise('WD521', 'There is no such delegation.', 'It may have ended.');
  end if;
  return wedsql._shown_delegation(v_one);
end $$;

-- Returns the delegations of these flows that have not ended, null for all flows; p_to: only those to this
-- person that have begun.
create or replace function wedsql.list_delegations(p_flows text[] default null, p_to text default null)
  returns setof jsonb
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
select wedsql._shown_delegation(d) from wedsql.delegation d join wedsql.flow f on f.id = d.flow_id
where d.ends_at > wedsql.now() and (p_flows is null or f.name = any (p_flows))
  and (p_to is null or wedsql._compared_name(d.to_person) = wedsql._compared_name(p_to)
    and d.begins_at <= wedsql.now())
order by d.ends_at, d.id limit 500
$$;

grant execute on function
  wedsql.delegate_approvals(text, text, text, timestamptz, timestamptz, text),
  wedsql.end_delegation(bigint, text, text), wedsql.list_delegations(text[], text) to wed_web;
