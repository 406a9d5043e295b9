-- Tests only: the kernel's clock, moved by what the session says in wedsql.test_offset.
-- Everything that reads the time asks wedsql.now(), so one function is enough.
create or replace function wedsql.now() returns timestamptz
language sql volatile parallel safe as $$
select pg_catalog.clock_timestamp()
       + coalesce(nullif(pg_catalog.current_setting('wedsql.test_offset', true), ''), '0')::interval
$$;
