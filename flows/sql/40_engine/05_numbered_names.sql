-- Names of instances with a number: the initial value of a business key that ends with # signs, such as
-- Manutencao_###, is the lowest number that no instance with such a name has that has not ended.

-- Returns what is before the number in the names of an attribute; null where its initial value has no number.
create or replace function wedsql._number_prefix(p_attr wedsql.attr) returns text
language sql immutable set search_path = pg_catalog, pg_temp as $$
select case when p_attr.business_key and p_attr.type = 'text'
            then substring(p_attr.adv from '^(.*[^#])#+$') end
$$;

-- Returns the number in a name; null for one that has none.
create or replace function wedsql._number_in(p_name text, p_prefix text) returns integer
language sql immutable set search_path = pg_catalog, pg_temp as $$
select case when left(p_name, length(p_prefix)) = p_prefix
              and substr(p_name, length(p_prefix) + 1) ~ '^[0-9]{1,9}$'
            then nullif(substr(p_name, length(p_prefix) + 1)::integer, 0) end
$$;

-- Returns an instance that has not ended and has a name with this number, whatever gave it the name: a
-- result, a repair, an earlier definition; null for none. It asks the indexes of the business key.
create or replace function wedsql._holder_of_number(p_flow integer, p_prefix text, p_number integer)
  returns integer
language plpgsql volatile set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  v_names text[] := array(select p_prefix || lpad(p_number::text, d, '0')
                          from generate_series(length(p_number::text), 9) d);
  v_attr record;
  v_wid integer;
begin
  for v_attr in select f.name as flow, a.aname from wedsql.attr a join wedsql.flow f on f.id = a.flow_id
                where a.flow_id = p_flow and wedsql._number_prefix(a) = p_prefix loop
    execute format($q$
      select w.wid from %I.wed_flow w join wedsql.instance i on i.wid = w.wid
      where %s = any ($1) and w.%I = any ($2) and i.status in ('R', 'E', 'S', 'X', 'M') limit 1$q$,
      v_attr.flow, wedsql._key_expression(v_attr.aname), v_attr.aname) into v_wid
      using array(select lower("left"(n, 100)) from unnest(v_names) n), v_names;
    exit when v_wid is not null;
  end loop;
  return v_wid;
end $$;

-- Returns the name of a new instance: the one that is given, whose number is taken with it, or one with the
-- lowest number that is free, of at least as many digits as the initial value has # signs.
-- Locks: the names of the flow, until the transaction ends.
create or replace function wedsql._numbered_name(p_flow integer, p_prefix text, p_default text, p_given text)
  returns text
language plpgsql volatile set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  v_number integer;
  v_digits integer := length(p_default) - length(p_prefix);
  v_is_given boolean := p_given is not null and p_given <> p_default;
  v_wid integer;
begin
  if v_is_given then
    v_number := wedsql._number_in(p_given, p_prefix);
    if v_number is null then
      return p_given;
    end if;
  end if;
  perform wedsql._alone('instance number', p_flow::text);
  loop
    v_number := case when v_is_given then v_number else wedsql._free_number(p_flow, p_prefix) end;
    v_wid := case when v_is_given then null else wedsql._holder_of_number(p_flow, p_prefix, v_number) end;
    insert into wedsql.instance_number as n (flow_id, prefix, number, wid)
    values (p_flow, p_prefix, v_number, coalesce(v_wid, 0))
    on conflict (flow_id, prefix, number) do update set wid = excluded.wid
    where not wedsql._is_numbered(n.wid);
    exit when v_wid is null;
  end loop;
  return case when v_is_given then p_given
              else p_prefix || lpad(v_number::text, greatest(v_digits, length(v_number::text)), '0') end;
end $$;

-- Returns whether an instance keeps its number: it is being started, or has not ended.
create or replace function wedsql._is_numbered(p_wid integer) returns boolean
language sql stable set search_path = pg_catalog, pg_temp as $$
select p_wid = 0 or exists (select from wedsql.instance i
                            where i.wid = p_wid and i.status in ('R', 'E', 'S', 'X', 'M'))
$$;

-- Returns the lowest number that is free: one that was never used, or whose instance has ended.
create or replace function wedsql._free_number(p_flow integer, p_prefix text) returns integer
language plpgsql volatile set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  v_expected integer := 1;
  v_one record;
begin
  for v_one in select n.number, n.wid from wedsql.instance_number n
               where n.flow_id = p_flow and n.prefix = p_prefix order by n.number loop
    exit when v_one.number > v_expected or not wedsql._is_numbered(v_one.wid);
    v_expected := v_expected + 1;
  end loop;
  return v_expected;
end $$;

-- Notes the instance that has been started with a name.
create or replace function wedsql._note_number(p_flow integer, p_prefix text, p_name text, p_wid integer)
  returns void
language sql volatile set search_path = pg_catalog, pg_temp as $$
update wedsql.instance_number n set wid = p_wid
where n.flow_id = p_flow and n.prefix = p_prefix and n.number = wedsql._number_in(p_name, p_prefix)
  and n.wid = 0
$$;

-- Returns the statements of a start that note the instances with numbered names; '' without any.
create or replace function wedsql._gen_numbers(p_flow integer) returns text
language sql stable set search_path = pg_catalog, pg_temp as $$
select coalesce(string_agg(wedsql._fill(
  E'\n    perform wedsql._note_number({flow}, {prefix:L}, v_rows[v_ord].{name:I}, v_wids[v_ord]);',
  jsonb_build_object('flow', p_flow, 'prefix', wedsql._number_prefix(a), 'name', a.aname)), ''), '')
from wedsql.attr a where a.flow_id = p_flow and wedsql._number_prefix(a) is not null
$$;

-- Returns the numbered names of a new instance with this state, by attribute; null for a flow without any.
-- Locks: as _numbered_name.
create or replace function wedsql._numbered_names(p_flow integer, p_state jsonb) returns jsonb
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
begin
  return (select jsonb_object_agg(a.aname, wedsql._numbered_name(p_flow, wedsql._number_prefix(a), a.adv,
                                                                p_state ->> a.aname))
          from wedsql.attr a where a.flow_id = p_flow and wedsql._number_prefix(a) is not null);
end $$;

-- Notes the instance with the numbered names in this state.
create or replace function wedsql._note_numbers(p_flow integer, p_state jsonb, p_wid integer) returns void
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
begin
  perform wedsql._note_number(p_flow, wedsql._number_prefix(a), p_state ->> a.aname, p_wid)
  from wedsql.attr a where a.flow_id = p_flow and wedsql._number_prefix(a) is not null;
end $$;
