-- What is read of the state of an instance.

-- Returns the present state of an instance, null if it has no row.
create or replace function wedsql._present_state(p_flow text, p_wid integer) returns jsonb
language plpgsql stable set search_path = pg_catalog, pg_temp
set timezone = 'UTC' set datestyle = 'ISO, YMD' set intervalstyle = 'postgres' as $$
declare
  v_state jsonb;
begin
  execute wedsql._fill($q$select to_jsonb(w.*) - 'wid' from {flow:I}.wed_flow w where w.wid = $1$q$,
    jsonb_build_object('flow', p_flow)) into v_state using p_wid;
  return v_state;
end $$;

-- Returns which step wrote each attribute last, among the last p_steps steps up to p_seq:
-- {attribute: {"seq", "at", "by", "actor"}}.
create or replace function wedsql.last_writes(p_wid integer, p_seq integer, p_steps integer) returns jsonb
language sql stable set search_path = pg_catalog, pg_temp set timezone = 'UTC' as $$
select coalesce(jsonb_object_agg(w.name, jsonb_build_object('seq', w.seq, 'at', w.tstmp, 'by', w.trw,
  'actor', w.actor)), '{}')
from (select distinct on (k.name) k.name, t.seq, t.tstmp, t.trw, t.actor
      from wedsql.wed_trace t
      cross join lateral jsonb_object_keys(coalesce(t.before, jsonb_strip_nulls(t.state))) k (name)
      where t.wid = p_wid and t.seq between p_seq - p_steps + 1 and p_seq
      order by k.name, t.seq desc) w
$$;
