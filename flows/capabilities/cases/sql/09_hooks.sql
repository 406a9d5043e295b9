-- What cases do at the hooks of the engine; what they do at `excepted` is in 02_open.sql.

-- Returns the hooks for what people decide about.
create or replace function wedsql._hooks_cases() returns setof wedsql.hook
language sql immutable set search_path = pg_catalog, pg_temp as $$
values
  -- Which of these instances (null: of all) wait for a decision by a person, exceptions or not, as an object
  -- of the transitions that it is about by number.
  ('undecided', 'merge', 'jsonb', 'stable', '{p_wids integer[]}'::text[]),
  -- The state of what is proposed for an instance and waits for approvals.
  ('proposed', 'first', 'text', 'stable', '{p_wid integer,p_now timestamptz}'),
  -- A step of p_actor closed the case that another person, p_owner, has claimed.
  ('overtaken', 'each', 'void', 'volatile',
   '{p_wid integer,p_case bigint,p_owner text,p_actor text,p_reason text}')
$$;

-- Returns whether the case of an instance is open.
create or replace function wedsql._on_reads_cases(p_flow integer, p_wid integer) returns boolean
language sql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
select exists (select from wedsql.repair_case c where c.wid = p_wid and c.closed_at is null)
$$;

-- Has claims of cases end as if they were made now, and mails sent at their next time, where a clock that was
-- set back had planned them later.
-- Locks: cases and mails, skipping locked ones.
create or replace function wedsql._on_clock_set_back_cases(p_now timestamptz) returns void
language sql set search_path = pg_catalog, pg_temp as $$
update wedsql.repair_case c set lease_until = p_now + interval '30 minutes'
where c.number = any (array(
  select o.number from wedsql.repair_case o
  where o.closed_at is null and o.lease_until > p_now + interval '30 minutes'
  order by o.number for update skip locked));
update wedsql.case_digest d
set since = least(d.since, p_now),
    next_at = wedsql._next_digest(d.every, extract(hour from d.next_at at time zone 'UTC')::integer, p_now)
where d.id = any (array(
  select o.id from wedsql.case_digest o
  where o.since > p_now or o.next_at > p_now and o.next_at < 'infinity'
  order by o.id for update skip locked))
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
      or (select wedsql._call_undecided(null)) ? i.wid::text)
    and not exists (select 1 from wedsql.repair_case c where c.wid = i.wid and c.closed_at is null)
  union all
  select jsonb_build_object('wid', i.wid, 'status', i.status, 'case', c.number)
  from {i} i join wedsql.repair_case c on c.wid = i.wid and c.closed_at is null
  where (i.status not in ('E', 'S', 'X') or i.status in ('S', 'X') and not exists (
      select 1 from wedsql.job_pool j
      where j.wid = i.wid and (j.tgid = 0 or i.status = 'X' and j.state = 'K')))
    and not (select wedsql._call_undecided(null)) ? i.wid::text$q$))
$$;
