-- What moves do at the hooks of the engine.

-- Removes where instances were that are removed with their history; the moves stay for their time.
create or replace function wedsql._on_retired_moves(p_wids integer[]) returns void
language sql set search_path = pg_catalog, pg_temp as $$
delete from wedsql.moved d where d.wid = any (p_wids)
$$;

-- Removes moves that were settled a year ago, and the packages of those that were refused a month ago.
create or replace function wedsql._on_maintain_moves() returns jsonb
language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  v_removed integer;
begin
  update wedsql.move m set document = null where m.id = any (array(
    select o.id from wedsql.move o
    where o.settled_at < (select wedsql.now()) - interval '30 days' and o.document is not null limit 1000));
  delete from wedsql.move m where m.id = any (array(
    select o.id from wedsql.move o
    where o.settled_at < (select wedsql.now()) - interval '1 year' and o.next_at is null limit 1000));
  get diagnostics v_removed = row_count;
  return jsonb_build_object('moves', v_removed);
end $$;

-- Returns the invariant that an instance is away exactly where its status says so, and that nothing of one
-- that is away can be performed here.
create or replace function wedsql._on_invariants_moves() returns jsonb
language sql stable set search_path = pg_catalog, pg_temp as $$
select jsonb_build_object('I13', jsonb_build_object(
  'sentence', 'An instance that is at another installation has no pending work here.',
  'query', $q$
  select jsonb_build_object('wid', i.wid, 'status', i.status, 'away', d.peer_id) as found
  from {i} i left join wedsql.moved d on d.wid = i.wid
  where (i.status = 'M') <> (d.peer_id is not null)
     or i.status = 'M' and exists (select from wedsql.job_pool j where j.wid = i.wid)
     or i.status = 'M' and exists (select from wedsql.timer x where x.wid = i.wid)$q$))
$$;

-- Has messages about moves sent now that wait by a clock that was set back.
-- Locks: moves, skipping locked ones.
create or replace function wedsql._on_clock_set_back_moves(p_now timestamptz) returns void
language sql set search_path = pg_catalog, pg_temp as $$
update wedsql.move m set next_at = p_now
where m.id = any (array(
  select o.id from wedsql.move o where o.next_at > p_now order by o.id for update skip locked))
$$;
