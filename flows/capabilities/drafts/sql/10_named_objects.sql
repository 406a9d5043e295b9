-- Conditions and transitions with names of their own, which triggers share: see the table named_object.

-- Checks one object: its name, and its predicate or timeout.
-- Raises: WD004, WD005, WD006, WD009.
create or replace function wedsql._check_named_object(p_flow text, p_object jsonb) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_name text := p_object ->> 'name';
begin
  if p_object ->> 'kind' = 'transition' then
    perform wedsql.check_name(v_name, 'transition');
    perform wedsql._check_span('timeout', (p_object -> 'content' ->> 'timeout')::interval, '1 microsecond');
    perform wedsql._check_role(coalesce(p_object -> 'content' ->> 'role', ''));
  elsif p_object ->> 'kind' = 'condition' and length(btrim(v_name)) between 1 and 200 then
    perform wedsql._need_predicate(p_object -> 'content' ->> 'predicate');
    perform wedsql.check_predicate(p_flow, p_object -> 'content' ->> 'predicate');
  else
    perform wedsql._raise('WD009', 'A named object is a condition or a transition, with a name of at most '
      '200 characters.', null, jsonb_build_object('column', 'name'));
  end if;
exception when data_exception then
  perform wedsql._raise_form(sqlerrm);
end $$;

-- Saves named conditions and transitions of a flow, a list of objects with kind, name and content; those that
-- it does not name are unchanged. Triggers are not changed by it. Of the content, only the predicate is kept,
-- or the timeout, the performer and the role.
-- Raises: WD001, WD004, WD005, WD006, WD009.
create or replace function wedsql.save_named_objects(p_flow text, p_objects jsonb, p_actor text default null)
  returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp set timezone = 'UTC' as $$
declare
  v_flow wedsql.flow := wedsql._flow(p_flow);
begin
  perform wedsql._alone('named_object', p_flow);
  perform wedsql._check_named_object(p_flow, e.j) from jsonb_array_elements(p_objects) e (j);
  insert into wedsql.named_object as o (flow_id, kind, name, content, changed_by, changed_at)
  select v_flow.id, e.j ->> 'kind', e.j ->> 'name',
    case when e.j ->> 'kind' = 'condition'
        then jsonb_build_object('predicate', e.j -> 'content' -> 'predicate')
      else (select coalesce(jsonb_object_agg(c.key, c.value), '{}') from jsonb_each(e.j -> 'content') c
            where c.key in ('timeout', 'performer', 'role')) end,
    wedsql._actor(p_actor), wedsql.now()
  from jsonb_array_elements(p_objects) e (j)
  on conflict (flow_id, kind, name) do update set content = excluded.content,
    changed_by = excluded.changed_by, changed_at = excluded.changed_at;
  if (select count(*) from wedsql.named_object o where o.flow_id = v_flow.id) > 2000 then
    perform wedsql._raise('WD009', 'A flow has at most {limit} named conditions and transitions.', null,
                          jsonb_build_object('limit', 2000));
  end if;
end $$;

-- Returns the named conditions and transitions of a flow.
-- Raises: WD001.
create or replace function wedsql.named_objects(p_flow text)
  returns table (kind text, name text, content jsonb)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
select o.kind, o.name, o.content
from wedsql._flow(p_flow) f cross join lateral (  -- offset: so that the flow is looked up in any case
  select n.* from wedsql.named_object n where n.flow_id = f.id offset 0) o
order by o.kind, o.name
$$;

grant execute on function
  wedsql.save_named_objects(text, jsonb, text), wedsql.named_objects(text)
to wed_web;
