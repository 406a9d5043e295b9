-- What figures do at the hooks of the engine; what they do with instances that are removed is in
-- 02_count.sql.

-- Returns the invariant of the figures.
create or replace function wedsql._on_invariants_figures() returns jsonb
language sql stable set search_path = pg_catalog, pg_temp as $$
select jsonb_build_object('I9', jsonb_build_object('sentence',
  'The figures have each counted step of the last days in its minute.', 'query', $q$
  select jsonb_build_object('wid', min(h.wid), 'flow', h.flow_id, 'transition', h.trname, 'at', h.at,
                            'steps', count(*), 'counted', coalesce(max(g.done), 0)) as found
  from (select t.wid, t.flow_id, t.trw as trname, date_trunc('minute', t.tstmp) as at
        from {i} i join wedsql.wed_trace t on t.wid = i.wid cross join wedsql.figure_state s
        where t.job_id is not null and left(t.trw, 1) <> '_' and t.tstmp > wedsql.now() - interval '7 days'
          and case when t.xid is null then t.wid >= coalesce(s.earlier_below, 0)
                   else t.tx_at < s.restored_at
                        or pg_visible_in_snapshot(t.xid::text::xid8, s.counted) end) h
  left join wedsql.figure g
    on g.span = 'm' and g.at = h.at and g.flow_id = h.flow_id and g.trname = h.trname
  group by h.flow_id, h.trname, h.at having count(*) > coalesce(max(g.done), 0)$q$))
$$;
