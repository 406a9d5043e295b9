-- Creates the partitions of wed_trace for the month of p_from and p_months months after it, and returns how
-- many were created.
-- Locks: an advisory lock for the duration of the transaction; the parent table, briefly, when a partition is
-- missing.
create or replace function wedsql.make_partitions(p_from timestamptz, p_months integer) returns integer
language plpgsql set search_path = pg_catalog, pg_temp set timezone = 'UTC' set datestyle = 'ISO, YMD'
set intervalstyle = 'postgres' as $$
declare
  v_month timestamptz := date_trunc('month', p_from at time zone 'UTC') at time zone 'UTC';
  v_next timestamptz;
  v_name text;
  v_made integer := 0;
begin
  perform pg_advisory_xact_lock(hashtextextended('wedsql.make_partitions', 0));
  for i in 0..p_months loop
    v_next := ((v_month at time zone 'UTC') + interval '1 month') at time zone 'UTC';
    v_name := 'wed_trace_' || to_char(v_month at time zone 'UTC', 'YYYY_MM');
    if to_regclass('wedsql.' || v_name) is null
       and not exists (select 1 from wedsql.wed_trace_default d
                       where d.tstmp >= v_month and d.tstmp < v_next) then
      execute format('create table wedsql.%I partition of wedsql.wed_trace for values from (%L) to (%L)',
                     v_name, v_month, v_next);
      execute format('alter table wedsql.%I owner to wed_owner', v_name);
      -- Retention removes rows of old months; new rows should soon be marked as visible to all transactions.
      execute format('alter table wedsql.%I set (autovacuum_vacuum_scale_factor = 0.05, '
                     'autovacuum_vacuum_insert_scale_factor = 0.1)', v_name);
      v_made := v_made + 1;
    end if;
    v_month := v_next;
  end loop;
  return v_made;
end $$;
