-- The options of a definition as the catalog has them: a column of wedsql.flow, wedsql.attr or wedsql.trig is
-- one unless the kernel keeps a value of its own in it. Lists of columns, allowed keys, default values and
-- allowed values are read here, so that a column with its default and its check is all that an option needs.

do $$
begin
  if to_regtype('wedsql.option') is null then
    create type wedsql.option as (name text, col text, type text, required boolean, usual jsonb);
  end if;
end $$;

-- Returns the columns of a table in which the kernel keeps values of its own.
create or replace function wedsql._own_columns(p_table text) returns text[]
language sql immutable set search_path = pg_catalog, pg_temp as $$
select case p_table
    when 'flow' then array['id', 'name', 'version', 'created_at', 'final_tgid', 'fuse', 'plain', 'shared',
                           'changed_xid', 'attrs_changed', 'rematch_due', 'reopen_final', 'defining_xid',
                           'applying', 'guarded', 'automatic', 'exclusive', 'followed']
    when 'attr' then array['aid', 'flow_id']
    when 'trig' then array['tgid', 'flow_id', 'canonical', 'reads', 'disjuncts'] end
$$;

-- Reads the options of a table from the catalog, in the order of its columns: the name of each in a
-- definition (the paper has other names for some columns), the column, its type, whether it must have a
-- value, and its default value.
create or replace function wedsql._read_options(p_table text) returns setof wedsql.option
language plpgsql stable set search_path = pg_catalog, pg_temp
set timezone = 'UTC' set datestyle = 'ISO, YMD' set intervalstyle = 'postgres' as $$
declare
  v_own text[] := wedsql._own_columns(p_table);
  v_names jsonb := '{"aname": "name", "adv": "default", "tgname": "name", "trname": "transition",
                     "cname": "condition", "cpred": "predicate", "cfinal": "final"}';
  v_usual jsonb;
begin
  execute (
    select format('select to_jsonb(u) from (select %s) u',
      string_agg(format('%s as %I', coalesce(pg_get_expr(d.adbin, d.adrelid), 'null'), a.attname), ', '))
    from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
    where a.attrelid = to_regclass('wedsql.' || p_table) and a.attnum > 0 and not a.attisdropped
      and a.attname <> all (v_own))
  into v_usual;
  return query
    select coalesce(v_names ->> a.attname, a.attname::text), a.attname::text, format_type(a.atttypid, null),
      a.attnotnull, v_usual -> a.attname
    from pg_attribute a
    where a.attrelid = to_regclass('wedsql.' || p_table) and a.attnum > 0 and not a.attisdropped
      and a.attname <> all (v_own)
    order by a.attnum;
end $$;

-- Reads the tests of a table that each row passes from the catalog, as a list of values (column, whether it
-- fits) over the columns of the row.
create or replace function wedsql._read_value_tests(p_table text) returns text
language sql stable set search_path = pg_catalog, pg_temp as $$
select string_agg(format('(%L, %s)', t.col, t.test), ', ' order by t.place) from (
  select a.attname as col, format('%I is not null', a.attname) as test, a.attnum as place from pg_attribute a
  where a.attrelid = to_regclass('wedsql.' || p_table) and a.attnum > 0 and a.attnotnull
    and not a.attisdropped
    and a.attname <> all (wedsql._own_columns(p_table))
  union all
  select a.attname, pg_get_expr(c.conbin, c.conrelid), 1000 + a.attnum
  from pg_constraint c join pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[1]
  where c.conrelid = to_regclass('wedsql.' || p_table) and c.contype = 'c') t
$$;

-- Writes what the catalog says of the options of a table into functions: each statement of a definition asks
-- several times for what changes with the tables only.
create or replace function wedsql._write_options(p_table text) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_tests text := wedsql._read_value_tests(p_table);
begin
  execute format($q$create or replace function wedsql._%s_options() returns wedsql.option[]
    language plpgsql immutable set search_path = pg_catalog, pg_temp as %L$q$, p_table, format(
      'begin return %L::wedsql.option[]; end', (select array_agg(o) from wedsql._read_options(p_table) o)));
  execute format($q$create or replace function wedsql._%s_tests() returns text
    language plpgsql immutable set search_path = pg_catalog, pg_temp as %L$q$, p_table, format(
      'begin return %L; end', v_tests));
  execute format($q$create or replace function wedsql._unfit(p_row wedsql.%1$I) returns text
    language plpgsql immutable set search_path = pg_catalog, pg_temp as %2$L$q$, p_table, format(
      'begin return (select t.col from (select (p_row).*) r cross join lateral (values %s) t (col, fits)
       where t.fits is false limit 1); end', v_tests));
end $$;

select wedsql._write_options(t) from unnest(array['flow', 'attr', 'trig']) t;

-- Returns the options of a table as one value, to pass on as an argument.
create or replace function wedsql._option_list(p_table text) returns wedsql.option[]
language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
begin
  return case p_table when 'flow' then wedsql._flow_options() when 'attr' then wedsql._attr_options()
                      when 'trig' then wedsql._trig_options() end;
end $$;

-- Returns the same as rows.
create or replace function wedsql._options(p_table text) returns setof wedsql.option
language sql immutable set search_path = pg_catalog, pg_temp as $$
select o.* from unnest(wedsql._option_list(p_table)) o
$$;

-- Returns the tests of a table that each row passes, as a list of values (column, whether it fits).
create or replace function wedsql._value_tests(p_table text) returns text
language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
begin
  return case p_table when 'flow' then wedsql._flow_tests() when 'attr' then wedsql._attr_tests()
                      when 'trig' then wedsql._trig_tests() end;
end $$;

-- Returns the columns of the options as a list for statements, each after p_prefix.
create or replace function wedsql._option_columns(p_table text, p_prefix text default '') returns text
language sql stable set search_path = pg_catalog, pg_temp as $$
select string_agg(p_prefix || quote_ident(a.attname), ', ' order by a.attnum) from pg_attribute a
where a.attrelid = to_regclass('wedsql.' || p_table) and a.attnum > 0 and not a.attisdropped
  and a.attname <> all (wedsql._own_columns(p_table))
$$;

-- Returns the columns of a row for the values that a definition gives. An option without a value gets its
-- default, and with p_null_too so does one that is null but must have a value.
create or replace function wedsql._as_columns(p_given jsonb, p_options wedsql.option[], p_null_too boolean)
  returns jsonb
language sql immutable set search_path = pg_catalog, pg_temp as $$
select jsonb_object_agg(o.col, case when p_given -> o.name is null
                                      or p_null_too and o.required and p_given -> o.name = 'null'
                                    then o.usual else p_given -> o.name end)
from unnest(p_options) o
$$;

-- Returns what a definition says for the columns of a row: the options whose value is not their default.
create or replace function wedsql._as_given(p_columns jsonb, p_options wedsql.option[]) returns jsonb
language sql immutable set search_path = pg_catalog, pg_temp as $$
select coalesce(jsonb_object_agg(o.name, p_columns -> o.col), '{}') from unnest(p_options) o
where p_columns -> o.col <> o.usual and (p_columns -> o.col <> 'null' or o.required)
$$;

-- Rejects a row in which an option that must have a value has none, or an option has a value that its table
-- does not allow.
-- Raises: WD009 naming the option and the allowed values; p_about is added to the detail.
create or replace function wedsql._check_values(p_table text, p_row anyelement, p_about jsonb default '{}')
  returns void
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  v_col text := wedsql._unfit(p_row);
begin
  if v_col is not null then
    perform wedsql._raise('WD009', '"{value}" is not a value of {column}.', 'Allowed: {allowed}.',
      p_about || jsonb_build_object('column', v_col, 'allowed', wedsql._allowed_values(p_table, v_col),
        'value', coalesce(left(to_jsonb(p_row) ->> v_col, 80), 'null')));
  end if;
end $$;

-- Returns which values the check of a column allows, in words.
create or replace function wedsql._allowed_by(p_column text, p_check text) returns text
language sql immutable set search_path = pg_catalog, pg_temp as $$
select case
  when p_column = 'role' then 'at most 60 characters in one line, without blanks around them'
  when p_column = 'sets' then 'a text that is not empty'
  when p_column = 'warnings' then
    'at most 20 numbers of hours above zero, such as "24" or "0.5", one of them with the word "transfer"'
  when p_check ~ '= ANY [(]ARRAY[[]'
    then array_to_string(array(select m[1] from regexp_matches(p_check, $q$'([^']+)'::text$q$, 'g') m), ', ')
  when p_check ~ '^[(][(]length[(][a-z_]+[)] >= [0-9]+[)] AND [(]length[(][a-z_]+[)] <= [0-9]+[)][)]$'
    then regexp_replace(p_check, '^.* >= ([0-9]+).* <= ([0-9]+)[)][)]$', e'\\1 to \\2 characters')
  when p_check ~ '^[(][(][a-z_]+ >= [0-9]+[)] AND [(][a-z_]+ <= [0-9]+[)][)]$'
    then regexp_replace(p_check, '^.* >= ([0-9]+).* <= ([0-9]+)[)][)]$', e'\\1 to \\2')
  else regexp_replace(p_check, '[()]|::[a-z]+', '', 'g') end
$$;

-- Returns which values a column may have, in words: those that its check allows, else those of its type.
create or replace function wedsql._allowed_values(p_table text, p_column text) returns text
language sql stable set search_path = pg_catalog, pg_temp as $$
select coalesce(wedsql._allowed_by(p_column, c.test), format_type(a.atttypid, null) || ' not null')
from pg_attribute a left join lateral (
  select pg_get_expr(c.conbin, c.conrelid) as test from pg_constraint c
  where c.conrelid = a.attrelid and c.contype = 'c' and c.conkey[1] = a.attnum limit 1) c on true
where a.attrelid = to_regclass('wedsql.' || p_table) and a.attname = p_column
$$;
