-- The differences of two definitions. Publishing, its dry run, migrations and pages compare by these
-- functions alone: both sides are brought into the form in which wedsql.definition writes them, and a trigger
-- is identified by its number or by its names.

-- Returns the row for an attribute of a definition.
create or replace function wedsql._attribute_row(p_given jsonb, p_options wedsql.option[]) returns wedsql.attr
language sql immutable set search_path = pg_catalog, pg_temp as $$
select jsonb_populate_record(null::wedsql.attr, wedsql._as_columns(
  case when jsonb_typeof(p_given -> 'options') = 'array' then p_given else p_given - 'options'
    end, p_options, true))
$$;

-- Returns an attribute as its author would write it, always with its type.
create or replace function wedsql._attribute_given(p_attr wedsql.attr, p_options wedsql.option[])
  returns jsonb
language sql immutable set search_path = pg_catalog, pg_temp
set timezone = 'UTC' set datestyle = 'ISO, YMD' set intervalstyle = 'postgres' as $$
select wedsql._as_given(to_jsonb(p_attr), p_options) || jsonb_build_object('type', p_attr.type)
$$;

-- Returns the row for a trigger of a definition; p_timeout is the timeout of a trigger without one.
create or replace function wedsql._trigger_row(p_given jsonb, p_options wedsql.option[], p_timeout jsonb)
  returns wedsql.trig
language sql stable set search_path = pg_catalog, pg_temp as $$
select jsonb_populate_record(null::wedsql.trig, wedsql._as_columns(
  jsonb_build_object('timeout', p_timeout) || case when p_given -> 'final' = 'null' then p_given - 'final'
    else p_given end, p_options, false))
$$;

-- Returns a trigger as its author would write it. Its timeout is always included, as the default is the
-- flow's; names that the kernel gives to final and integrity conditions are not.
create or replace function wedsql._trigger_given(p_trig wedsql.trig, p_options wedsql.option[]) returns jsonb
language sql stable set search_path = pg_catalog, pg_temp
set timezone = 'UTC' set datestyle = 'ISO, YMD' set intervalstyle = 'postgres' as $$
select wedsql._as_given(to_jsonb(p_trig) || jsonb_build_object('tgname', nullif(p_trig.tgname, '_FINAL'),
    'trname', case when p_trig.trname not in ('_FINAL', '_INTEGRITY') then p_trig.trname end,
    'cname', nullif(p_trig.cname, '_FINAL')), p_options)
  || jsonb_build_object('timeout', p_trig.timeout)
$$;

-- Returns what identifies a trigger, by one kind of key; null where it has none. Each list has at most one
-- final condition.
create or replace function wedsql._trigger_sign(p_kind text, p_trigger jsonb) returns jsonb
language sql immutable set search_path = pg_catalog, pg_temp as $$
select case
  when p_kind = 'number' then p_trigger -> 'id'
  when p_kind = 'all' then p_trigger - 'id'
  when p_trigger -> 'final' = 'true' then case when p_kind = 'final' then p_trigger -> 'final' end
  when p_kind = 'names'
    then jsonb_build_array(p_trigger -> 'name', p_trigger -> 'transition', p_trigger -> 'condition')
  when p_kind = 'transition and condition'
    then jsonb_build_array(p_trigger -> 'transition', p_trigger -> 'condition')
  when p_kind in ('name', 'transition') then p_trigger -> p_kind end
$$;

-- Returns which trigger of the old list is which of the new one, by their places. The most certain key
-- decides first; where several triggers share it, they are paired in their order, but a name or a transition
-- alone has to be unique on both sides.
create or replace function wedsql._trigger_pairs(p_old jsonb, p_new jsonb)
  returns table (old_ord bigint, new_ord bigint)
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  v_kind text;
  v_old bigint[] := '{}';
  v_new bigint[] := '{}';
begin
  foreach v_kind in array array['number', 'all', 'final', 'names', 'transition and condition', 'name',
    'transition'] loop
    for old_ord, new_ord in
      select o.ord, n.ord from wedsql._signed(v_kind, p_old, v_old) o
      join wedsql._signed(v_kind, p_new, v_new) n on n.sign = o.sign and n.nth = o.nth
      where v_kind not in ('name', 'transition') or o.many = 1 and n.many = 1
    loop
      v_old := v_old || old_ord;
      v_new := v_new || new_ord;
      return next;
    end loop;
  end loop;
end $$;

-- Returns the triggers of a list that are not in p_done and have a key, the position of each among those with
-- the same key, and how many have it.
create or replace function wedsql._signed(p_kind text, p_triggers jsonb, p_done bigint[])
returns table (ord bigint, sign jsonb, nth bigint, many bigint)
language sql immutable set search_path = pg_catalog, pg_temp as $$
select s.ord, s.sign, row_number() over (partition by s.sign order by s.ord),
  count(*) over (partition by s.sign)
from (select x.ord, wedsql._trigger_sign(p_kind, x.j) as sign
  from jsonb_array_elements(p_triggers) with ordinality x (j, ord)
      where x.ord <> all (p_done)) s
where s.sign is not null
$$;

-- Returns the triggers of a list as wedsql.definition writes them, with their numbers.
create or replace function wedsql._triggers_given(p_triggers jsonb, p_timeout jsonb) returns jsonb
language sql stable set search_path = pg_catalog, pg_temp as $$
select coalesce(jsonb_agg(wedsql._trigger_given(wedsql._trigger_row(x.j,
  (select wedsql._option_list('trig')), p_timeout), (select wedsql._option_list('trig')))
                          || case when x.j ? 'id' then jsonb_build_object('id', x.j -> 'id') else '{}' end
                            order by x.ord), '[]')
from jsonb_array_elements(p_triggers) with ordinality x (j, ord)
$$;

-- Returns how the triggers differ. A removed one has its old place, the others have their new one.
create or replace function wedsql._trigger_changes(p_old jsonb, p_new jsonb)
returns table (change text, ord bigint, old_value jsonb, new_value jsonb)
language sql stable set search_path = pg_catalog, pg_temp as $$
with o as (select * from jsonb_array_elements(p_old) with ordinality x (j, ord)),
     n as (select * from jsonb_array_elements(p_new) with ordinality x (j, ord)),
     p as materialized (select * from wedsql._trigger_pairs(p_old, p_new))
select case when n.ord is null then 'removed' when o.ord is null then 'added' else 'changed' end,
       coalesce(n.ord, o.ord), o.j, n.j
from o left join p on p.old_ord = o.ord full join n on n.ord = p.new_ord
where o.j - 'id' is distinct from n.j - 'id'
$$;

-- Returns which attribute of the old list is which of the new one, by their places: the one with the same
-- number ("id"), else with the same name.
create or replace function wedsql._attribute_pairs(p_old jsonb, p_new jsonb)
  returns table (old_ord bigint, new_ord bigint)
language sql immutable set search_path = pg_catalog, pg_temp as $$
with o as (select x.ord, x.j ->> 'id' as id, x.j ->> 'name' as name
           from jsonb_array_elements(p_old) with ordinality x (j, ord)),
     n as (select x.ord, x.j ->> 'id' as id, x.j ->> 'name' as name
           from jsonb_array_elements(p_new) with ordinality x (j, ord)),
     numbered as materialized (select o.ord as old_ord, n.ord as new_ord from o join n on n.id = o.id)
select p.old_ord, p.new_ord from numbered p
union all
select o.ord, n.ord from o join n on n.name = o.name
where o.ord not in (select p.old_ord from numbered p) and n.ord not in (select p.new_ord from numbered p)
$$;

-- Returns how the attributes differ, as _attribute_pairs compares them.
create or replace function wedsql._attribute_changes(p_old jsonb, p_new jsonb)
returns table (change text, ord bigint, old_value jsonb, new_value jsonb)
language sql stable set search_path = pg_catalog, pg_temp as $$
with options as materialized (select wedsql._option_list('attr') as list),
     o as (select x.ord, wedsql._attribute_given(wedsql._attribute_row(x.j, l.list), l.list) as j
           from jsonb_array_elements(p_old) with ordinality x (j, ord) cross join options l),
     n as (select x.ord, wedsql._attribute_given(wedsql._attribute_row(x.j, l.list), l.list) as j
           from jsonb_array_elements(p_new) with ordinality x (j, ord) cross join options l),
     p as materialized (select * from wedsql._attribute_pairs(p_old, p_new))
select case when n.ord is null then 'removed' when o.ord is null then 'added' else 'changed' end,
       coalesce(n.ord, o.ord), o.j, n.j
from o left join p on p.old_ord = o.ord full join n on n.ord = p.new_ord
where o.j is distinct from n.j
$$;

-- Returns how the settings differ. One that the new definition does not name is unchanged; null is a value
-- where it has a meaning (no timeout, kept for ever) and else the same as not named.
create or replace function wedsql._setting_changes(p_old jsonb, p_new jsonb)
returns table (change text, ord bigint, old_value jsonb, new_value jsonb)
language sql stable set search_path = pg_catalog, pg_temp
set timezone = 'UTC' set datestyle = 'ISO, YMD' set intervalstyle = 'postgres' as $$
with o as (select o.*, row_number() over () as ord from wedsql._options('flow') o),
     w as (select to_jsonb(jsonb_populate_record(null::wedsql.flow,
       wedsql._as_columns(p_old, l, true))) as old_row,
                  to_jsonb(jsonb_populate_record(null::wedsql.flow,
                    wedsql._as_columns(p_new, l, true))) as new_row
           from wedsql._option_list('flow') l)
select 'changed', o.ord, jsonb_build_object(o.name, w.old_row -> o.col),
  jsonb_build_object(o.name, w.new_row -> o.col)
from o cross join w
where p_new ? o.name and (p_new -> o.name <> 'null' or not o.required) and w.old_row -> o.col is distinct
  from w.new_row -> o.col
$$;

-- Returns what has to be changed in one definition to make it another: settings, attributes and triggers
-- (part), each added, changed or removed (change), as they were and as they will be. Where the old definition
-- has the numbers of its triggers ("id"), a new one that names a number is that trigger.
-- Raises: WD009 for a malformed definition; 22007 and similar for a value of the wrong form.
create or replace function wedsql._difference(p_old jsonb, p_new jsonb)
returns table (part text, change text, ord bigint, old_value jsonb, new_value jsonb)
language sql stable set search_path = pg_catalog, pg_temp as $$
with o as (
  select case when p_old ? 'default_timeout' then p_old else jsonb_build_object(u.name, u.usual) end as named
  from wedsql._options('flow') u where u.col = 'default_timeout'),
     t as (
  select o.named -> 'default_timeout' as old,
         case when p_new ? 'default_timeout' then p_new else o.named end -> 'default_timeout' as new from o)
select 'setting', c.* from wedsql._setting_changes(p_old, p_new) c
union all
select 'attribute', c.* from wedsql._attribute_changes(p_old -> 'attributes', p_new -> 'attributes') c
union all
select 'trigger', c.* from t cross join lateral wedsql._trigger_changes(
  wedsql._triggers_given(p_old -> 'triggers', t.old), wedsql._triggers_given(p_new -> 'triggers', t.new)) c
$$;

-- Returns the same to programs, after checking both definitions.
-- Raises: WD009.
create or replace function wedsql.difference(p_old jsonb, p_new jsonb)
returns table (part text, change text, ord bigint, old_value jsonb, new_value jsonb)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
set timezone = 'UTC' set datestyle = 'ISO, YMD' set intervalstyle = 'postgres' as $$
begin
  perform wedsql._check_definition(p_old), wedsql._check_definition(p_new);
  return query select d.* from wedsql._difference(p_old, p_new) d order by d.part, d.change, d.ord;
exception when data_exception then
  perform wedsql._raise_form(sqlerrm);
end $$;
