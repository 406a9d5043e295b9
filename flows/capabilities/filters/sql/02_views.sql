-- Saved views of lists of instances, tasks, cases, jobs, approvals or alerts: a filter with columns and an
-- order, of one flow or ('') of all. A view holds no rows: each reader gets those that they may see.

-- Checks that there is such a list to have views of.
-- Raises: WD502.
create or replace function wedsql._check_list(p_list text) returns void
language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
begin
  if p_list is null or p_list not in ('instances', 'tasks', 'cases', 'jobs', 'approvals', 'alerts') then
    perform wedsql._raise('WD502',
      'A view is of a list of instances, tasks, cases, jobs, approvals or alerts.', 'Choose one of them.');
  end if;
end $$;

-- Rejects a view of another form, columns that the flow does not have, and more than a user may have.
-- Raises: WD001, WD004, WD502.
create or replace function wedsql._check_view(p_view wedsql.saved_view) returns void
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  v_unknown text;
begin
  perform wedsql._check_list(p_view.list);
  if p_view.flow <> '' then
    perform wedsql.check_name(p_view.flow, 'flow'), wedsql._flow(p_view.flow);
  end if;
  select n into v_unknown from wedsql.flow f cross join unnest(p_view.columns) n
  where f.name = p_view.flow and p_view.list = 'instances'
    and not exists (select from wedsql.attr a where a.flow_id = f.id and a.aname = n) limit 1;
  if found then
    perform wedsql._raise('WD502', 'The flow has no attribute "{attribute}".',
      'Choose one of its attributes.', jsonb_build_object('attribute', left(v_unknown, 80)));
  end if;
  if p_view.name = '' or length(p_view.name) > 80 then
    perform wedsql._raise('WD502', 'The name of a view has 1 to {limit} characters.',
      'Give it a short name.', jsonb_build_object('limit', 80));
  elsif length(p_view.query) > 4000 or length(p_view.sorting) > 100
        or cardinality(p_view.columns) > 200 then
    perform wedsql._raise('WD502', 'The view "{name}" is too long.',
      'Use a shorter filter, or fewer columns.', jsonb_build_object('name', p_view.name));
  elsif p_view.shared not in ('mine', 'team', 'everyone')
        or (p_view.shared = 'team') <> (p_view.team <> '') then
    perform wedsql._raise('WD502', 'The view "{name}" names no group to share it with.',
      'Keep it for yourself, or share it with one of your groups or with everyone.',
      jsonb_build_object('name', p_view.name));
  elsif (select count(*) from wedsql.saved_view v where v.owner = p_view.owner
         and (v.list, v.flow, v.name) <> (p_view.list, p_view.flow, p_view.name)) >= 200 then
    perform wedsql._raise('WD502', 'You have {limit} views; there can be no more.',
      'Delete those that are not needed.', jsonb_build_object('limit', 200));
  end if;
end $$;

-- Saves a view of a list (wedsql._check_list); one of the same owner, list, flow and name is replaced.
-- Raises: WD001, WD004, WD502.
create or replace function wedsql.save_view(p_owner text, p_flow text, p_name text, p_query text,
  p_columns text[] default '{}', p_sorting text default '', p_shared text default 'mine',
  p_team text default '', p_list text default 'instances') returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp set timezone = 'UTC' as $$
declare
  v_view wedsql.saved_view;
begin
  perform wedsql._alone('saved_view', p_owner);
  v_view.owner := p_owner;
  v_view.flow := coalesce(p_flow, '');
  v_view.name := btrim(coalesce(p_name, ''));
  v_view.query := coalesce(p_query, '');
  v_view.columns := coalesce(p_columns, '{}');
  v_view.sorting := coalesce(p_sorting, '');
  v_view.shared := p_shared;
  v_view.team := coalesce(p_team, '');
  v_view.list := p_list;
  perform wedsql._check_view(v_view);
  insert into wedsql.saved_view as v
    (owner, list, flow, name, query, columns, sorting, shared, team, created_at, changed_at)
  values (v_view.owner, v_view.list, v_view.flow, v_view.name, v_view.query, v_view.columns, v_view.sorting,
    v_view.shared, v_view.team, wedsql.now(), wedsql.now())
  on conflict (owner, list, flow, name) do update set query = excluded.query, columns = excluded.columns,
    sorting = excluded.sorting, shared = excluded.shared, team = excluded.team,
    changed_at = excluded.changed_at
  returning v.* into v_view;
  return to_jsonb(v_view);
end $$;

-- Returns the views that a user sees: their own, those of their groups, and those for everyone; of one flow,
-- or with '' those over all flows; of one list.
-- Raises: WD001, WD502.
create or replace function wedsql.list_views(p_user text, p_teams text[], p_flow text,
  p_list text default 'instances') returns setof jsonb
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set timezone = 'UTC' as $$
begin
  perform wedsql._check_list(p_list);
  if p_flow <> '' then
    perform wedsql._flow(p_flow);
  end if;
  return query select to_jsonb(v) from wedsql.saved_view v
    where v.list = p_list and v.flow = p_flow
      and (v.owner = p_user or v.shared = 'everyone' or v.shared = 'team' and v.team = any (p_teams))
    order by v.owner <> p_user, v.name, v.id limit 500;
end $$;

-- Deletes a view of its owner.
-- Raises: WD503.
create or replace function wedsql.delete_view(p_owner text, p_id bigint) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  delete from wedsql.saved_view v where v.id = p_id and v.owner = p_owner;
  if not found then
    perform wedsql._raise('WD503', 'You have no view of number {view}.', 'Load the page again.',
      jsonb_build_object('view', p_id));
  end if;
end $$;

grant execute on function
  wedsql.save_view(text, text, text, text, text[], text, text, text, text),
  wedsql.list_views(text, text[], text, text), wedsql.delete_view(text, bigint)
to wed_web;
