-- The rules by which repairs of a flow need approvals. Whoever defines them may operate the flow; that is
-- checked by the caller.

-- Returns the rules of a flow in their order. "missing" has the attributes that the flow no longer has: a
-- rule whose condition reads one of them matches whatever the state is.
-- Raises: WD001.
create or replace function wedsql.list_approval_rules(p_flow text) returns setof jsonb
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set timezone = 'UTC' as $$
declare
  v_flow wedsql.flow := wedsql._flow(p_flow);
begin
  return query select to_jsonb(r) - '{id,flow_id,position,compiled,reads}'::text[] || jsonb_build_object(
      'missing', (select coalesce(jsonb_agg(distinct a order by a), '[]')
                  from unnest(r.reads || r.attributes) a where not wedsql._attr_types(v_flow.id) ? a))
    from wedsql.approval_rule r where r.flow_id = v_flow.id order by r.position;
end $$;

-- Returns the texts of a list in JSON.
create or replace function wedsql._texts(p_list jsonb) returns text[]
language sql immutable set search_path = pg_catalog, pg_temp as $$
select array(select e from jsonb_array_elements_text(coalesce(nullif(p_list, 'null'), '[]')) e)
$$;

-- Rejects a rule of another form.
-- Raises: WD521.
create or replace function wedsql._check_approval_rule(p_rule jsonb, p_types jsonb) returns void
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  v_wrong text;
begin
  if (p_rule -> 'approvals')::text !~ '^[012]$' is not false then
    perform wedsql._raise('WD521', 'A rule needs 0, 1 or 2 approvals.', 'Give such a number.');
  elsif (p_rule ->> 'bulk_above') !~ E'^[1-9]\\d{0,8}$' then
    perform wedsql._raise('WD521', 'The number of instances above which a rule applies is 1 or more.',
      'Give such a number, or none.');
  elsif greatest(length(p_rule ->> 'title'), length(p_rule ->> 'approvers')) > 150
        or length(p_rule ->> 'condition') > 4000 then
    perform wedsql._raise('WD521', 'A text of a rule for approvals is too long.', 'Use a shorter text.');
  end if;
  select o into v_wrong from unnest(wedsql._texts(p_rule -> 'operations')) o
  where o not in (select k.operation from wedsql._operations() k where k.can_need_approval) limit 1;
  if found then
    perform wedsql._raise('WD521', 'There is no operation "{operation}".', 'Operations: {operations}.',
      jsonb_build_object('operation', left(v_wrong, 80), 'operations',
        (select jsonb_agg(k.operation order by k.operation) from wedsql._operations() k
         where k.can_need_approval)));
  end if;
  select a into v_wrong from unnest(wedsql._texts(p_rule -> 'attributes')) a where not p_types ? a limit 1;
  if found then
    perform wedsql._raise('WD521', 'The flow has no attribute "{attribute}".', 'Use the name of one.',
      jsonb_build_object('attribute', left(v_wrong, 80)));
  end if;
end $$;

-- Writes other rules of a flow without asking whether they are lower than the old ones: only
-- _replace_rules calls it.
-- Raises: WD005, WD006, WD521.
create or replace function wedsql._write_approval_rules(p_flow wedsql.flow, p_rules jsonb, p_actor text)
  returns void
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_types jsonb := wedsql._attr_types(p_flow.id);
  v_rule jsonb;
  v_text text;
  v_condition wedsql.condition;
  v_position integer := 0;
begin
  if jsonb_array_length(p_rules) > 50 then
    perform wedsql._raise('WD521', 'A flow has at most {limit} rules for approvals.', 'Use fewer rules.',
      jsonb_build_object('limit', 50));
  end if;
  perform wedsql._changing(p_actor);
  delete from wedsql.approval_rule r where r.flow_id = p_flow.id;
  for v_rule in select j from jsonb_array_elements(p_rules) with ordinality u (j, n) order by n loop
    v_position := v_position + 1;
    perform wedsql._check_approval_rule(v_rule, v_types);
    v_text := btrim(coalesce(v_rule ->> 'condition', ''));
    v_condition := wedsql._compile_possible(coalesce(nullif(v_text, ''), 'true'), v_types);
    insert into wedsql.approval_rule (flow_id, position, title, operations, attributes, condition, compiled,
      reads, bulk_above, approvals, approvers, changed_by, changed_at)
    values (p_flow.id, v_position, btrim(coalesce(v_rule ->> 'title', '')),
      wedsql._texts(v_rule -> 'operations'), wedsql._texts(v_rule -> 'attributes'), v_text,
      v_condition.canonical, v_condition.reads, (v_rule ->> 'bulk_above')::integer,
      (v_rule ->> 'approvals')::smallint, btrim(coalesce(v_rule ->> 'approvers', '')),
      wedsql._actor(p_actor), wedsql.now());
  end loop;
end $$;

-- Replaces the rules of a flow by those of a list of {"title", "operations", "attributes", "condition",
-- "bulk_above", "approvals", "approvers"}, and returns them. Rules that become weaker are proposed instead
-- (propose_approval_rules). Proposals that are open keep the approvals that they have, and are applied only
-- if the new rules ask for no more.
-- Locks: the flow's row.
-- Raises: WD001, WD005, WD006, WD521; WD520 where a rule is removed or becomes weaker.
create or replace function wedsql.save_approval_rules(p_flow text, p_rules jsonb, p_actor text)
  returns setof jsonb
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp set timezone = 'UTC' as $$
begin
  perform wedsql._replace_rules(wedsql._flow(p_flow), p_rules, p_actor, 0, '{}');
  return query select r from wedsql.list_approval_rules(p_flow) r;
end $$;

grant execute on function wedsql.list_approval_rules(text), wedsql.save_approval_rules(text, jsonb, text)
to wed_web;
