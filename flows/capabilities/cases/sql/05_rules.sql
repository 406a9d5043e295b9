-- The rules that route the cases of a flow, for clients. Whoever defines them may operate the flow; that is
-- checked by the caller.

-- Returns the rules of a flow in their order: "due_after" in seconds; "missing" has the attributes in the
-- condition that the flow no longer has, because of which the rule is left out.
-- Raises: WD001.
create or replace function wedsql.list_case_rules(p_flow text) returns setof jsonb
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set timezone = 'UTC' as $$
declare
  v_flow wedsql.flow := wedsql._flow(p_flow);
begin
  return query select jsonb_build_object('condition', r.condition, 'queue', r.queue, 'severity', r.severity,
      'priority', r.priority, 'due_after', extract(epoch from r.due_after)::float8,
      'changed_by', r.changed_by, 'changed_at', r.changed_at, 'missing', (
        select coalesce(jsonb_agg(a order by a), '[]') from unnest(r.reads) a
        where not wedsql._attr_types(v_flow.id) ? a))
    from wedsql.case_rule r where r.flow_id = v_flow.id order by r.position;
end $$;

-- Replaces the rules of a flow by those of a list of {"condition", "queue", "severity", "priority",
-- "due_after"}; cases that are open stay as they are. Returns the rules.
-- Locks: the flow's row.
-- Raises: WD001, WD005, WD006, WD514.
create or replace function wedsql.save_case_rules(p_flow text, p_rules jsonb, p_actor text)
  returns setof jsonb
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp set timezone = 'UTC' as $$
declare
  v_flow wedsql.flow := wedsql._flow(p_flow);
  v_rule jsonb;
  v_due float8;
  v_text text;
  v_condition wedsql.condition;
  v_position integer := 0;
begin
  perform from wedsql.flow f where f.id = v_flow.id for no key update;
  if jsonb_array_length(p_rules) > 50 then
    perform wedsql._raise('WD514', 'A flow has at most {limit} rules for cases.', 'Use fewer rules.',
      jsonb_build_object('limit', 50));
  end if;
  perform wedsql._changing(p_actor);
  delete from wedsql.case_rule r where r.flow_id = v_flow.id;
  for v_rule in select j from jsonb_array_elements(p_rules) with ordinality u (j, n) order by n loop
    v_position := v_position + 1;
    v_text := btrim(coalesce(v_rule ->> 'condition', ''));
    v_due := (v_rule ->> 'due_after')::float8;
    perform wedsql._check_case_values(v_rule - '{condition,due_after}'::text[] || jsonb_build_object(
      'queue', v_rule ->> 'queue', 'severity', coalesce(v_rule ->> 'severity', 'normal'),
      'priority', coalesce(v_rule ->> 'priority', '50')));
    if v_due not between 60 and 366 * 86400 then
      perform wedsql._raise('WD514', 'A case is due within 1 minute to 366 days after it opens.',
        'Give such a time.');
    elsif length(v_text) > 4000 then
      perform wedsql._raise('WD514', 'A text of a case has at most {limit} characters.',
        'Use a shorter text.', jsonb_build_object('limit', 4000));
    end if;
    v_condition := wedsql._compile_possible(coalesce(nullif(v_text, ''), 'true'),
                                            wedsql._attr_types(v_flow.id));
    insert into wedsql.case_rule (flow_id, position, condition, compiled, reads, queue, severity, priority,
      due_after, changed_by, changed_at)
    values (v_flow.id, v_position, v_text, v_condition.canonical, v_condition.reads, v_rule ->> 'queue',
      coalesce(v_rule ->> 'severity', 'normal'), coalesce((v_rule ->> 'priority')::integer, 50),
      make_interval(secs => v_due), wedsql._actor(p_actor), wedsql.now());
  end loop;
  return query select r from wedsql.list_case_rules(p_flow) r;
end $$;

grant execute on function wedsql.list_case_rules(text), wedsql.save_case_rules(text, jsonb, text) to wed_web;
