-- The names of locks (50_work/02_exclusion.sql): texts with attributes in braces.

-- Returns the name of a lock on a state, with the values of the attributes in braces; null where one of them
-- is null. A name that begins with / is the same in all flows.
create or replace function wedsql._lock_name(p_flow integer, p_lock text, p_state jsonb) returns text
language sql immutable set search_path = pg_catalog, pg_temp as $$
select case when starts_with(p_lock, '/') then '' else p_flow || ':' end || left(x.name, 500)
from (select case when bool_and(m.part[2] is null or p_state ->> m.part[2] is not null)
               then string_agg(coalesce(m.part[1], p_state ->> m.part[2]), '' order by m.n) end as name
      from regexp_matches(p_lock, '([^{}]+)|[{]([^{}]+)[}]', 'g') with ordinality m (part, n)) x
$$;

-- Returns the attributes that the name of a lock reads.
create or replace function wedsql._lock_reads(p_lock text) returns text[]
language sql immutable set search_path = pg_catalog, pg_temp as $$
select array(select m[1] from regexp_matches(p_lock, '[{]([^{}]*)[}]', 'g') m)
$$;

-- Checks the name of a lock: attributes of the flow in braces, and no other brace.
-- Raises: WD002, WD009.
create or replace function wedsql._check_lock(p_lock text, p_types jsonb) returns void
language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
declare
  v_unknown text := (select r from unnest(wedsql._lock_reads(p_lock)) r where p_types -> r is null limit 1);
begin
  if regexp_replace(p_lock, '[{][^{}]+[}]', '', 'g') ~ '[{}]' then
    perform wedsql._raise('WD009', 'The lock "{lock}" has a brace without its counterpart.',
      'Write attributes in braces, such as room {room}.',
      jsonb_build_object('column', 'lock', 'lock', left(p_lock, 80)));
  elsif v_unknown is not null then
    perform wedsql._raise('WD002', 'The lock has "{attribute}", which is not an attribute of the flow.', null,
      jsonb_build_object('column', 'lock', 'attribute', left(v_unknown, 80)));
  end if;
end $$;

-- Returns whether workers perform the jobs of a trigger.
create or replace function wedsql._by_worker(p_trig wedsql.trig) returns boolean
language sql immutable as $$
select not p_trig.signal and p_trig.performer = 'worker'
$$;

-- Returns whether the jobs of a trigger are performed by workers or people, which alone need locks.
create or replace function wedsql._excludes(p_trig wedsql.trig) returns boolean
language sql immutable as $$
select not p_trig.signal and p_trig.performer in ('worker', 'person')
$$;
