-- What cases do at the hooks of the engine.

-- Returns whether the case of an instance is open.
create or replace function wedsql._on_reads_cases(p_flow integer, p_wid integer) returns boolean
language sql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
select exists (select from wedsql.repair_case c where c.wid = p_wid and c.closed_at is null)
$$;

-- Opens and closes the cases of these instances.
-- Locks: as _keep_cases.
create or replace function wedsql._on_excepted_cases(p_flow wedsql.flow, p_wids integer[],
  p_now timestamptz) returns void
language sql set search_path = pg_catalog, pg_temp as $$
select wedsql._keep_cases(p_flow, p_wids, p_now)
$$;

-- Returns the invariant that compares the cases with the exceptions.
create or replace function wedsql._on_invariants_cases() returns jsonb
language sql stable set search_path = pg_catalog, pg_temp as $$
select jsonb_build_object('I10', jsonb_build_object(
  'sentence', 'Each exception has an open case, and each open case its exception.', 'query', $q$
  select jsonb_build_object('wid', i.wid, 'status', i.status, 'case', null) as found
  from {i} i
  where (i.status = 'E' or i.status in ('S', 'X') and exists (
      select 1 from wedsql.job_pool j
      where j.wid = i.wid and (j.tgid = 0 or i.status = 'X' and j.state = 'K'))
      or exists (select 1 from wedsql.late_result l where l.wid = i.wid and l.state = 'conflict'))
    and not exists (select 1 from wedsql.repair_case c where c.wid = i.wid and c.closed_at is null)
  union all
  select jsonb_build_object('wid', i.wid, 'status', i.status, 'case', c.number)
  from {i} i join wedsql.repair_case c on c.wid = i.wid and c.closed_at is null
  where (i.status not in ('E', 'S', 'X') or i.status in ('S', 'X') and not exists (
      select 1 from wedsql.job_pool j
      where j.wid = i.wid and (j.tgid = 0 or i.status = 'X' and j.state = 'K')))
    and not exists (select 1 from wedsql.late_result l where l.wid = i.wid and l.state = 'conflict')$q$))
$$;
