-- Findings of checks that are acknowledged, with the reason. The checks themselves are in
-- flows/definition/lint; here a finding is its name, which changes when a condition concerned changes.

-- Rejects an acknowledgement of another form, and more than a flow may have.
-- Raises: WD004, WD416.
create or replace function wedsql._check_acknowledgement(p_flow text, p_finding text, p_rule integer,
  p_reason text) returns void
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  perform wedsql.check_name(p_flow, 'flow');
  if coalesce(p_finding !~ '^[a-z_]{1,40}-[0-9a-f]{12}$', true) or coalesce(p_rule < 0, true) then
    perform wedsql._raise('WD416', '"{finding}" is not the name of a finding.',
      'Use the name that the list of findings gives.', jsonb_build_object('finding', left(p_finding, 80)));
  elsif coalesce(btrim(p_reason), '') = '' then
    perform wedsql._raise('WD416', 'A finding is acknowledged with a reason.', 'Say why it is meant so.');
  elsif length(p_reason) > 1000 then
    perform wedsql._raise('WD416', 'The reason has {length} characters; it has at most {limit}.',
      'Shorten it.', jsonb_build_object('length', length(p_reason), 'limit', 1000));
  elsif (select count(*) from wedsql.acknowledgement a where a.flow = p_flow) >= 2000 then
    perform wedsql._raise('WD416', 'Flow "{flow}" has {limit} acknowledged findings; there can be no more.',
      'Take back those that are not needed.', jsonb_build_object('flow', p_flow, 'limit', 2000));
  end if;
end $$;

-- Acknowledges a finding about a rule (0: about no published rule); a later reason replaces an earlier one.
-- Raises: WD004, WD416.
create or replace function wedsql.acknowledge_finding(p_flow text, p_finding text, p_rule integer,
  p_reason text, p_actor text default null) returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp set timezone = 'UTC' as $$
declare
  v_made wedsql.acknowledgement;
begin
  perform wedsql._alone('acknowledgement', p_flow);
  perform wedsql._check_acknowledgement(p_flow, p_finding, p_rule, p_reason);
  insert into wedsql.acknowledgement as a (flow, finding, rule, reason, acknowledged_at, acknowledged_by)
  values (p_flow, p_finding, p_rule, btrim(p_reason), wedsql.now(), wedsql._actor(p_actor))
  on conflict (flow, finding, rule) do update set reason = excluded.reason,
    acknowledged_at = excluded.acknowledged_at, acknowledged_by = excluded.acknowledged_by
  returning a.* into v_made;
  return to_jsonb(v_made) - 'id';
end $$;

-- Takes an acknowledgement back.
-- Raises: WD415.
create or replace function wedsql.withdraw_acknowledgement(p_flow text, p_finding text, p_rule integer)
  returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  delete from wedsql.acknowledgement a
  where a.flow = p_flow and a.finding = p_finding and a.rule = p_rule;
  if not found then
    perform wedsql._raise('WD415', 'The finding "{finding}" of flow "{flow}" is not acknowledged.',
      'Load the list again.',
      jsonb_build_object('finding', left(p_finding, 80), 'flow', left(p_flow, 80)));
  end if;
end $$;

-- Returns the acknowledgements of a flow.
create or replace function wedsql.list_acknowledgements(p_flow text) returns setof jsonb
language sql stable security definer set search_path = pg_catalog, pg_temp set timezone = 'UTC' as $$
select to_jsonb(a) - 'id' from wedsql.acknowledgement a where a.flow = p_flow order by a.id
$$;

grant execute on function
  wedsql.acknowledge_finding(text, text, integer, text, text),
  wedsql.withdraw_acknowledgement(text, text, integer), wedsql.list_acknowledgements(text)
to wed_web;
