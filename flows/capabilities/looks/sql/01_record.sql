-- Looks at values that are masked or hidden: each is recorded before the values are answered, and no record
-- is ever changed.

-- Returns how long looks are kept.
create or replace function wedsql._looks_kept() returns interval
language sql immutable set search_path = pg_catalog, pg_temp as $$
select interval '2 years'
$$;

-- Rejects every change of a look, by any role; only rows that are no longer kept may be removed.
-- Raises: WD550.
create or replace function wedsql._keep_looks() returns trigger
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if tg_op = 'DELETE' and old.at < wedsql.now() - wedsql._looks_kept() then
    return old;
  end if;
  perform wedsql._raise('WD550', 'Recorded looks are neither changed nor removed.',
    'The kernel removes them after two years.');
  return null;
end $$;
create or replace trigger a_keep before update or delete on wedsql.look
  for each row execute function wedsql._keep_looks();
create or replace trigger b_keep before truncate on wedsql.look
  for each statement execute function wedsql._keep_looks();

-- Removes looks that are no longer kept, at most p_max, and returns how many.
create or replace function wedsql._forget_looks(p_max integer) returns integer
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_rows integer;
begin
  delete from wedsql.look l where l.id = any (array(
    select o.id from wedsql.look o where o.at < (select wedsql.now()) - wedsql._looks_kept() order by o.at
    limit p_max));
  get diagnostics v_rows = row_count;
  return v_rows;
end $$;

-- Records one look and returns its number.
-- Raises: WD550 where a text is too long.
create or replace function wedsql._add_look(p_flow wedsql.flow, p_wid integer, p_attributes text[],
  p_actor text, p_way text, p_reason text, p_address text, p_instances bigint) returns bigint
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_id bigint;
begin
  if length(p_reason) > 200 then
    perform wedsql._raise('WD550', 'The reason of a look has at most 200 characters.', 'Shorten it.');
  elsif p_way is null or p_way not in ('page', 'file', 'http', 'live', 'command') then
    perform wedsql._raise('WD550', 'Values are not shown by "{way}".',
      'Use page, file, http, live or command.', jsonb_build_object('way', left(p_way, 80)));
  end if;
  insert into wedsql.look (at, flow_id, flow, wid, attributes, actor, way, reason, address, instances)
  values (wedsql.now(), p_flow.id, p_flow.name, p_wid, p_attributes, left(wedsql._actor(p_actor), 200), p_way,
          coalesce(p_reason, ''), left(coalesce(p_address, ''), 2000), p_instances)
  returning look.id into v_id;
  return v_id;
end $$;

-- Returns the attributes of a flow that are masked, or with p_hidden masked or hidden.
create or replace function wedsql._concealed(p_flow integer, p_hidden boolean) returns text[]
language sql stable set search_path = pg_catalog, pg_temp as $$
select array(select a.aname from wedsql.attr a
             where a.flow_id = p_flow and (a.visibility = 'masked' or p_hidden and a.visibility = 'hidden')
             order by a.aname)
$$;

-- Records that a user whose role shows all values of a flow was shown an instance of it or, without p_wid, a
-- list. Returns the number of the look; null where the flow conceals nothing, and where the same user was
-- shown the same address less than p_again ago.
-- Raises: WD001, WD550.
create or replace function wedsql.record_look(p_flow text, p_wid integer, p_actor text, p_way text,
  p_address text default '', p_instances bigint default null, p_again interval default null) returns bigint
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_flow wedsql.flow := wedsql._flow(p_flow);
  v_attributes text[] := wedsql._concealed(v_flow.id, true);
begin
  if v_attributes = '{}' or exists (
       select from wedsql.look l
       where l.flow_id = v_flow.id and l.actor = left(wedsql._actor(p_actor), 200)
         and l.at > wedsql.now() - p_again and l.way = p_way and l.wid is not distinct from p_wid
         and l.address = left(coalesce(p_address, ''), 2000)) then
    return null;
  end if;
  return wedsql._add_look(v_flow, p_wid, v_attributes, p_actor, p_way, '', p_address, p_instances);
end $$;

-- Checks what a user asks to look at.
-- Raises: WD550.
create or replace function wedsql._check_look(p_wid integer, p_attributes text[], p_concealed text[],
  p_reason text) returns void
language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
declare
  v_unknown text := (select u from unnest(p_attributes) u where u is null or u <> all (p_concealed) limit 1);
begin
  if coalesce(btrim(p_reason), '') = '' then
    perform wedsql._raise('WD550', 'A look at masked values needs a reason.',
      'Say in a few words what you need the values for.');
  elsif coalesce(cardinality(p_attributes), 0) not between 1 and 50 then
    perform wedsql._raise('WD550', 'A look is at 1 to 50 attributes.', 'Name those that you need.');
  elsif not p_attributes <@ p_concealed then
    perform wedsql._raise('WD550', 'Instance {instance} has no masked attribute "{attribute}".',
      'Load the page again: the definition may have changed.',
      jsonb_build_object('instance', p_wid, 'attribute', left(v_unknown, 80)));
  end if;
end $$;

-- Records that a user looks at masked values of an instance, then returns them: {"id", "at", "values"}.
-- p_hidden: the user may look at hidden ones, too. p_flows: the flows in which the user may look; null for
-- all.
-- Raises: WD104 for an instance that there is not, and for one of another flow; WD550.
create or replace function wedsql.look_at(p_wid integer, p_attributes text[], p_reason text, p_actor text,
  p_way text default 'page', p_hidden boolean default false, p_flows text[] default null,
  p_address text default '') returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp set timezone = 'UTC'
set datestyle = 'ISO, YMD' set intervalstyle = 'postgres' as $$
declare
  v_flow wedsql.flow;
  v_id bigint;
  v_look wedsql.look;
  v_state jsonb;
begin
  select f.* into v_flow from wedsql.instance i join wedsql.flow f on f.id = i.flow_id
  where i.wid = p_wid and (p_flows is null or f.name = any (p_flows));
  if not found then
    perform wedsql._raise('WD104', 'There is no instance {instance}.', null,
      jsonb_build_object('instance', p_wid));
  end if;
  perform wedsql._check_look(p_wid, p_attributes, wedsql._concealed(v_flow.id, p_hidden), p_reason);
  v_id := wedsql._add_look(v_flow, p_wid, array(select distinct u from unnest(p_attributes) u order by u),
                           p_actor, p_way, btrim(p_reason), p_address, 1);
  select * into v_look from wedsql.look l where l.id = v_id;
  execute format('select to_jsonb(w.*) from %I.wed_flow w where w.wid = $1', v_flow.name)
    into v_state using p_wid;
  return jsonb_build_object('id', v_look.id, 'at', v_look.at, 'values', (
    select jsonb_object_agg(u, v_state -> u) from unnest(v_look.attributes) u));
end $$;
