-- Which rules decide about a case, for people who define them.

-- Returns which rules of its flow decide about an open case in its present state, by their positions, from 1;
-- null for none: "queue", where it would go if it opened now, and "policy", which would act on it, at once or
-- when its delay is over.
-- Raises: WD515, also where the case is closed.
create or replace function wedsql.deciding_rules(p_number bigint, p_flows text[] default null) returns jsonb
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_case wedsql.repair_case;
  v_flow wedsql.flow;
begin
  select c.* into v_case from wedsql.repair_case c where c.number = p_number and c.closed_at is null;
  select f.* into v_flow from wedsql.flow f
  where f.id = v_case.flow_id and (p_flows is null or f.name = any (p_flows));
  if not found then
    perform wedsql._raise('WD515', 'There is no case {case}.', 'It may belong to a flow that was dropped.',
      jsonb_build_object('case', p_number));
  end if;
  return jsonb_build_object(
    'queue', (select r.rule from wedsql._routes(v_flow, array[v_case.wid], wedsql.now()) r),
    'policy', (wedsql._policy_for(v_case)).position);
end $$;

grant execute on function wedsql.deciding_rules(bigint, text[]) to wed_web;
