-- Tests only: the kernel's clock, moved by the session's setting wedsql.test_offset.
-- All functions that read the time call wedsql.now(), so one function is enough.
create or replace function wedsql.now() returns timestamptz
language sql volatile parallel safe as $$
select pg_catalog.clock_timestamp()
       + coalesce(nullif(pg_catalog.current_setting('wedsql.test_offset', true), ''), '0')::interval
$$;
