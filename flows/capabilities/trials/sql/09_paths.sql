-- Tries a whole path of a definition that is not published: the steps of wedsql.try_step one after another,
-- with the conditions compiled once.

-- Returns the situation after each step of p_path, a list of {"changes", "trigger", "timer"} as try_step
-- takes them, the first of which starts the instance. A step that is rejected is the last item: {"error":
-- {"sqlstate", "message", "hint", "detail"}}. Nothing is stored.
-- Raises: WD005, WD006, WD009 for the definition.
create or replace function wedsql.try_path(p_flow text, p_definition jsonb, p_path jsonb) returns jsonb
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_conditions wedsql.condition[];
  v_step jsonb;
  v_now jsonb;
  v_text text;
  v_hint text;
  v_detail text;
  v_all jsonb := '[]';
begin
  perform wedsql._check_definition(p_definition);
  perform wedsql._need_writable();
  v_conditions := array(select c from wedsql._compile((select f.id from wedsql.flow f where f.name = p_flow),
    p_definition) c order by c.n);
  for v_step in select s.j from jsonb_array_elements(p_path) with ordinality s (j, n) order by s.n loop
    begin
      v_text := wedsql._try(p_definition, v_conditions, v_now,
        p_changes => coalesce(v_step -> 'changes', '{}'),
        p_trigger => (v_step ->> 'trigger')::integer, p_timer => (v_step ->> 'timer')::integer)::text;
      raise exception using errcode = 'WD999';
    exception
      when sqlstate 'WD999' then
        v_now := v_text;
        v_all := v_all || jsonb_build_array(v_now);
      when others then
        if sqlstate !~ '^(WD|22)' then
          raise;
        end if;
        get stacked diagnostics v_text = message_text, v_hint = pg_exception_hint,
          v_detail = pg_exception_detail;
        return v_all || jsonb_build_array(jsonb_build_object('error', jsonb_build_object('sqlstate', sqlstate,
          'message', wedsql._with_flow_name(v_text, p_flow),
          'hint', coalesce(wedsql._with_flow_name(v_hint, p_flow), ''),
          'detail', coalesce(wedsql._with_flow_name(v_detail, p_flow), ''))));
    end;
  end loop;
  return v_all;
end $$;

grant execute on function wedsql.try_path(text, jsonb, jsonb) to wed_web;
