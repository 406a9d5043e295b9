-- What the content of a draft may be, and which of its attributes and triggers are those that run. A draft is
-- kept while it is half typed: only what could not be stored or compared is rejected here, and everything
-- else by publishing it.

-- Returns a limit of drafts: bytes of a definition, revisions kept, bytes of all its revisions as they are
-- stored, drafts of a flow, drafts in all.
create or replace function wedsql._draft_limit(p_what text) returns integer
language sql immutable set search_path = pg_catalog, pg_temp as $$
select case p_what when 'bytes' then 4194304 when 'revisions' then 500 when 'stored' then 67108864
  when 'of a flow' then 20 when 'in all' then 1000 end
$$;

-- Checks the form and the size of a draft's definition.
-- Raises: WD009, WD404.
create or replace function wedsql._check_draft(p_definition jsonb) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_list text;
  v_bad text;
begin
  if octet_length(p_definition::text) > wedsql._draft_limit('bytes') then
    perform wedsql._raise('WD404', 'The definition has {bytes} bytes; a draft has at most {limit}.',
      'Split the flow into several.',
      jsonb_build_object('bytes', octet_length(p_definition::text), 'limit', wedsql._draft_limit('bytes')));
  elsif jsonb_typeof(p_definition) is distinct from 'object' then
    perform wedsql._raise('WD009', 'A definition is an object with the lists "attributes" and "triggers".');
  end if;
  foreach v_list in array array['attributes', 'triggers'] loop
    if jsonb_typeof(p_definition -> v_list) is distinct from 'array' then
      perform wedsql._raise('WD009', 'The definition has no list "{list}".', null,
        jsonb_build_object('list', v_list));
    end if;
    select e::text into v_bad from jsonb_array_elements(p_definition -> v_list) e
    where jsonb_typeof(e) <> 'object' limit 1;
    if found then
      perform wedsql._raise('WD009', 'An item of the list "{list}" is not an object: {value}.', null,
        jsonb_build_object('list', v_list, 'value', left(v_bad, 80)));
    end if;
    select e ->> 'id' into v_bad from jsonb_array_elements(p_definition -> v_list) e
    where e ? 'id' group by e ->> 'id'
    having count(*) > 1 or bool_or(jsonb_typeof(e -> 'id') <> 'number') limit 1;
    if found then
      perform wedsql._raise('WD009',
        'The id {id} is not the number of exactly one item of the list "{list}".',
        'A copy of an attribute or trigger has no id yet.',
        jsonb_build_object('id', left(v_bad, 80), 'list', v_list));
    end if;
  end loop;
end $$;

-- Returns a definition without what is not its content: the flow and version that it was read from.
create or replace function wedsql._draft_content(p_definition jsonb) returns jsonb
language sql immutable set search_path = pg_catalog, pg_temp as $$
select p_definition - 'flow' - 'version'
$$;

-- Returns the version that runs, and its definition with the numbers of attributes and triggers; version 0
-- and an empty definition where there is no such flow.
create or replace function wedsql._running(p_flow text) returns jsonb
language sql stable set search_path = pg_catalog, pg_temp as $$
select coalesce(
  (select jsonb_build_object('version', f.version, 'definition',
     wedsql._draft_content(wedsql._definition(f, true))) from wedsql.flow f where f.name = p_flow),
  '{"version": 0, "definition": {"attributes": [], "triggers": []}}')
$$;

-- Returns the definition with the numbers of those attributes and triggers of p_running that they are, by the
-- rules of publishing, and with the settings of p_running that it does not name: publishing leaves them
-- unchanged. Numbers that it has itself may be those of another database and do not count.
create or replace function wedsql._numbered(p_running jsonb, p_definition jsonb) returns jsonb
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  v_new jsonb := (p_running - 'attributes' - 'triggers') || wedsql._draft_content(p_definition)
    || jsonb_build_object(
    'attributes', wedsql._by_earlier_name(p_running -> 'attributes', p_definition -> 'attributes'),
    'triggers', (select coalesce(jsonb_agg(t.j - 'id' order by t.ord), '[]')
                 from jsonb_array_elements(p_definition -> 'triggers') with ordinality t (j, ord)));
begin
  return v_new || jsonb_build_object(
    'attributes', (
      select coalesce(
        jsonb_agg(wedsql._with_number(n.j, p_running -> 'attributes', p.old_ord) order by n.ord), '[]')
      from jsonb_array_elements(v_new -> 'attributes') with ordinality n (j, ord)
      left join wedsql._attribute_pairs(p_running -> 'attributes', v_new -> 'attributes') p
        on p.new_ord = n.ord),
    'triggers', (
      select coalesce(jsonb_agg(wedsql._with_number(n.j, p_running -> 'triggers', p.old_ord) order by n.ord),
        '[]')
      from jsonb_array_elements(v_new -> 'triggers') with ordinality n (j, ord)
      left join wedsql._draft_pairs(p_running, v_new) p on p.new_ord = n.ord));
end $$;

-- Returns attributes without numbers of their own; one that says its earlier name ("was") gets the number of
-- the running one of that name.
create or replace function wedsql._by_earlier_name(p_running jsonb, p_attributes jsonb) returns jsonb
language sql immutable set search_path = pg_catalog, pg_temp as $$
select coalesce(jsonb_agg((n.j - 'was' - 'id') || coalesce((
  select jsonb_build_object('id', o -> 'id') from jsonb_array_elements(p_running) o
  where o ->> 'name' = n.j ->> 'was' limit 1), '{}') order by n.ord), '[]')
from jsonb_array_elements(p_attributes) with ordinality n (j, ord)
$$;

-- Returns an attribute or trigger with the number of the item of p_running at that place, if there is one.
create or replace function wedsql._with_number(p_item jsonb, p_running jsonb, p_place bigint) returns jsonb
language sql immutable set search_path = pg_catalog, pg_temp as $$
select (p_item - 'id') || case when p_place is null then '{}'
  else jsonb_build_object('id', p_running -> (p_place - 1)::integer -> 'id') end
$$;

-- Returns which trigger of the running definition is which of the other. Values that cannot be read are
-- compared as they are written.
create or replace function wedsql._draft_pairs(p_running jsonb, p_definition jsonb)
  returns table (old_ord bigint, new_ord bigint)
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  v_timeout jsonb := coalesce(p_running -> 'default_timeout', '"00:01:00"');
  v_new jsonb := p_definition -> 'triggers';
begin
  begin
    v_new := wedsql._triggers_given(v_new, coalesce(p_definition -> 'default_timeout', v_timeout));
  exception when data_exception then
    null;
  end;
  return query select p.* from wedsql._trigger_pairs(p_running -> 'triggers', v_new) p;
end $$;
