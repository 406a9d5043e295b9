-- What orders of tasks by data and applications need: the size of the data of a task, the number of its
-- application, and which applications a person has.

-- Returns the bytes of the files that a state names with a size. Most states name none: only their text is
-- examined.
create or replace function wedsql._size_of_files(p_state jsonb) returns numeric
language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
begin
  if strpos(p_state::text, '"size": ') = 0 then
    return 0;
  end if;
  return (select coalesce(sum(least(greatest(n.size::numeric, 0), 1e15)), 0) from jsonb_each(p_state) v
    cross join lateral jsonb_path_query(v.value,
      'strict $.** ? (exists (@.name) && @.size.type() == "number").size', '{}', true) n (size)
    where jsonb_typeof(v.value) in ('object', 'array'));
end $$;

-- Returns the bytes of the data of a state: of the values as texts, and of the files that they name with a
-- size.
create or replace function wedsql._data_size(p_state jsonb) returns bigint
language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
begin
  return (select s.size from wedsql._data_sizes(p_state) s);
end $$;

-- The same as a row, which becomes a part of the query that asks for many.
create or replace function wedsql._data_sizes(p_state jsonb) returns table (size bigint)
language sql immutable as $$
select least(coalesce(sum(pg_catalog.octet_length(v.value)), 0)
             + wedsql._size_of_files(p_state), 1e18)::bigint
from pg_catalog.jsonb_each_text(p_state) v
$$;

-- Returns the number of an application, 0 for none.
create or replace function wedsql._application_number(p_application text) returns integer
language sql immutable set search_path = pg_catalog, pg_temp as $$
select case when p_application is null then 0
            else ('x' || substr(md5(p_application), 1, 7))::bit(28)::integer + 1 end
$$;

-- Returns the numbers of the applications that a person has used, the last 20, and 0: no application.
create or replace function wedsql.task_applications(p_person text) returns integer[]
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
begin
  return array(select a.app from wedsql.task_application a where a.person = p_person
               order by a.used_at desc limit 20) || 0;
end $$;

-- Notes that a person has performed a task with its application.
create or replace function wedsql._note_application(p_task wedsql.task, p_person text) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if p_task.app <> 0 then
    insert into wedsql.task_application as a (person, app, used_at)
    values (p_person, p_task.app, wedsql.now())
    on conflict (person, app) do update set used_at = excluded.used_at
    where a.used_at < excluded.used_at - interval '1 hour';
  end if;
end $$;

grant execute on function wedsql.task_applications(text) to wed_web, wed_monitor;
