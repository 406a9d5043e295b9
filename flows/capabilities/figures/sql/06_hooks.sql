-- What figures do at the hooks of the engine.

-- Counts the steps of instances that are about to be removed: what they did stays in the figures.
-- Locks: the row of wedsql.figure_state, waiting for a round that counts; the figures.
create or replace function wedsql._on_retired_figures(p_wids integer[]) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_state wedsql.figure_state;
begin
  perform from wedsql.figure_state s for update;
  if wedsql._figures_restored() then
    perform wedsql.count_history();
  end if;
  select * into v_state from wedsql.figure_state s;
  perform wedsql._add_figures(v_state, null, p_removed => p_wids);
  delete from wedsql.failure_instance i where i.wid = any (p_wids);
end $$;

-- Removes errors by message that are old.
create or replace function wedsql._on_maintain_figures() returns jsonb
language sql set search_path = pg_catalog, pg_temp as $$
select jsonb_build_object('failures_removed', wedsql._remove_old_failures(
  wedsql._removal_time(wedsql.now()), 100000))
$$;

-- Returns the invariant that compares the figures with the history.
create or replace function wedsql._on_invariants_figures() returns jsonb
language sql stable set search_path = pg_catalog, pg_temp as $$
select jsonb_build_object('I9', jsonb_build_object(
  'sentence', 'The figures have each counted step of the last days in its minute.', 'query', $q$
  select jsonb_build_object('wid', min(h.wid), 'flow', h.flow_id, 'transition', h.trname, 'at', h.at,
                            'steps', count(*), 'counted', coalesce(max(g.done), 0)) as found
  from (select t.wid, t.flow_id, t.trw as trname, date_trunc('minute', t.tstmp) as at
        from {i} i join wedsql.wed_trace t on t.wid = i.wid cross join wedsql.figure_state s
        where t.job_id is not null and left(t.trw, 1) <> '_' and t.tstmp > wedsql.now() - interval '7 days'
          and t.xid is distinct from 0
          and case when t.xid is null then t.wid >= coalesce(s.earlier_below, 0)
                   else t.tx_at < s.restored_at
                        or pg_visible_in_snapshot(t.xid::text::xid8, s.counted) end) h
  left join wedsql.figure g
    on g.span = 'm' and g.at = h.at and g.flow_id = h.flow_id and g.trname = h.trname
  group by h.flow_id, h.trname, h.at having count(*) > coalesce(max(g.done), 0)$q$))
$$;
