-- The re-match of a flow with many living instances. The definition takes effect at the commit of the
-- publication, and the instances are matched again in transactions of their own, each of a bounded number:
-- by whoever has published it, else by the reaper, from the position that is kept. Until its turn comes an
-- instance keeps its jobs, and each of its steps is evaluated by the new definition.

-- Returns a number that a session has set for itself, such as wedsql.rematch_at_once.
create or replace function wedsql._number_set(p_name text, p_default integer) returns integer
language sql stable set search_path = pg_catalog, pg_temp as $$
select case when s.word ~ '^[0-9]{1,9}$' then s.word::integer else p_default end
from (select current_setting('wedsql.' || p_name, true) as word) s
$$;

-- Returns whether the living instances are so many that the re-match of this publication goes in batches.
-- p_flow: the row with attrs_changed and reopen_final of the publication. A change of attributes writes a
-- step of each instance and has its table locked anyway, and where a rule rejects what it cannot evaluate
-- (on_error = abort) the publication as a whole is rejected: these re-match at once.
create or replace function wedsql._needs_batches(p_flow wedsql.flow) returns boolean
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  v_most integer := wedsql._number_set('rematch_at_once', 5000);
begin
  return not p_flow.attrs_changed
    and not exists (select 1 from wedsql.trig t
                    where t.flow_id = p_flow.id and t.enabled and t.on_error = 'abort')
    and v_most < (
      select count(*) from (
        select from wedsql.instance i
        where i.flow_id = p_flow.id
          and i.status = any (case when p_flow.reopen_final then '{R,E,F}' else '{R,E}' end::"char"[])
        limit v_most + 1) l);
end $$;

-- Keeps what is to be re-matched, and returns a report with how many instances are left.
-- Locks: the row of the flow's re-match; the caller has the flow's table, without which no batch has that
-- row.
create or replace function wedsql._begin_rematch(p_flow wedsql.flow, p_actor text, p_reason text,
  p_chosen wedsql.chosen) returns jsonb
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_living bigint;
begin
  insert into wedsql.rematch_run (flow_id, version, actor, reason, reopen_final, choices, withdraw,
    keep_exceptions, last_wid, living, report)
  select p_flow.id, p_flow.version, p_actor, p_reason, p_flow.reopen_final,
    coalesce(p_chosen.settled, false), coalesce(p_chosen.withdraw, '{}'),
    coalesce(p_chosen.keep_exceptions, false),
    (select max(i.wid) from wedsql.instance i where i.flow_id = p_flow.id), count(*), '{}'
  from wedsql.instance i
  where i.flow_id = p_flow.id
    and i.status = any (case when p_flow.reopen_final then '{R,E,F}' else '{R,E}' end::"char"[])
  returning living into v_living;
  insert into wedsql.rematch_held (flow_id, wid, tgid)
  select p_flow.id, h.wid, h.tgid from unnest(p_chosen.held_wids, p_chosen.held_tgids) h (wid, tgid);
  return jsonb_build_object('checked', 0, 'changed', 0, 'fired', '{}'::jsonb, 'left_exception', 0,
    'new_exception', 0, 'final', 0, 'reopened', 0, 'left', v_living);
end $$;

-- Ends the re-match that is on its way because another version is published: that one re-matches all living
-- instances from the start. What the older publication chose for the rest is not done any more.
-- Locks: as _begin_rematch.
create or replace function wedsql._supersede_rematch(p_flow integer, p_version integer) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_run wedsql.rematch_run;
begin
  delete from wedsql.rematch_run r where r.flow_id = p_flow returning * into v_run;
  if v_run.finished_at is null and v_run.publication_id is not null then
    update wedsql.publication p set report = p.report || jsonb_build_object('superseded_by', p_version)
    where p.id = v_run.publication_id;
  end if;
end $$;

-- Re-matches at once the running instances whose last work, a job or a timer, went with a trigger, so that
-- every running instance has work at every moment; keeps the report of the publication, and returns it.
-- p_search: whether there may be any.
-- Locks: these instances, jobs, trace.
create or replace function wedsql._settle_without_work(p_flow integer, p_report jsonb, p_chosen wedsql.chosen,
  p_search boolean) returns jsonb
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_run wedsql.rematch_run;
  v_name text;
  v_wids integer[];
begin
  select r.* into v_run from wedsql.rematch_run r where r.flow_id = p_flow;
  select f.name into v_name from wedsql.flow f where f.id = p_flow;
  for v_wids in
    select array_agg(l.wid order by l.wid) from (
      select i.wid, (row_number() over (order by i.wid) - 1) / 1000 as part from wedsql.instance i
      where p_search and i.flow_id = p_flow and i.status = 'R'
        and not exists (select 1 from wedsql.job_pool j
                        where j.wid = i.wid and j.tgid > 0 and j.state in ('P', 'L'))
        and not exists (select 1 from wedsql.timer x where x.wid = i.wid)) l
    group by l.part order by l.part
  loop
    p_report := wedsql._add_counts(p_report, wedsql._rematch_some(p_flow, v_name, v_wids, false, v_run.actor,
      v_run.reason, wedsql._chosen_of(p_chosen, v_wids)) - 'checked');
  end loop;
  update wedsql.rematch_run r set report = p_report || '{"dry_run": false}' where r.flow_id = p_flow;
  return p_report;
end $$;

-- Returns the next instances that a re-match looks at, in order, after p_after.
create or replace function wedsql._next_of(p_run wedsql.rematch_run, p_after integer, p_limit integer)
  returns integer[]
language sql stable set search_path = pg_catalog, pg_temp as $$
select coalesce(array_agg(n.wid order by n.wid), '{}') from (
  select o.wid
  from unnest(case when p_run.reopen_final then '{R,E,F}' else '{R,E}' end::"char"[]) s (status)
  cross join lateral (
    select i.wid from wedsql.instance i
    where i.flow_id = p_run.flow_id and i.status = s.status
      and i.wid > p_after and i.wid <= p_run.last_wid
    order by i.wid limit p_limit) o
  order by o.wid limit p_limit) n
$$;

-- Returns those of the instances, which are locked, that the re-match still concerns: one may have ended
-- since it was looked at.
create or replace function wedsql._still_of(p_run wedsql.rematch_run, p_wids integer[]) returns integer[]
language sql volatile set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
select coalesce(array_agg(i.wid order by i.wid), '{}') from wedsql.instance i
where i.wid = any (p_wids)
  and (i.status in ('R', 'E') or p_run.reopen_final and i.status = 'F')
$$;

-- Returns those of the instances for which something may follow. Nothing is locked: what changes afterwards
-- is evaluated by its own step.
create or replace function wedsql._to_settle_of(p_run wedsql.rematch_run, p_name text, p_wids integer[])
  returns integer[]
language plpgsql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off
set enable_hashjoin = off set enable_mergejoin = off set enable_material = off set jit = off as $$
declare
  v_found integer[];
begin
  if not (select f.plain from wedsql.flow f where f.id = p_run.flow_id) then
    return p_wids;
  end if;
  execute wedsql._fill($q$
    select coalesce(array_agg(l.wid order by l.wid), '{}') from (
      select i.wid, i.status, wed_match.f_{id}(w.*) as matched, array(
        select j.tgid from wedsql.job_pool j where j.wid = i.wid and j.tgid > 0) as jobs
      from unnest($1) u (wid)
      join wedsql.instance i on i.wid = u.wid join {flow:I}.wed_flow w on w.wid = i.wid
      offset 0) l
    where l.status in ('E', 'F') or l.status = 'R' and (l.jobs = '{}' or not l.matched <@ l.jobs
       or exists (select 1 from unnest(l.jobs) j where j = any ($2) and j <> all (l.matched)))$q$,
    jsonb_build_object('flow', p_name, 'id', p_run.flow_id))
  into v_found using p_wids, p_run.withdraw;
  return v_found;
end $$;

-- Re-matches these instances, which are locked, and returns counts of what followed. Where it fails, each is
-- re-matched by itself; one that fails stays as it is, and is counted and kept in wedsql.trouble.
-- Raises: what passes by itself (wedsql._passes) and 57014.
create or replace function wedsql._rematch_each(p_run wedsql.rematch_run, p_name text, p_wids integer[])
  returns jsonb
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_report jsonb := '{}';
  v_wid integer;
begin
  if p_wids = '{}' then
    return v_report;
  end if;
  return wedsql._rematch_some(p_run.flow_id, p_name, p_wids, false, p_run.actor, p_run.reason,
    wedsql._chosen_in(p_run, p_wids));
exception
  when others then
    if wedsql._passes(sqlstate) then
      raise;
    end if;
    if cardinality(p_wids) = 1 then
      perform wedsql._note_trouble(p_run.flow_id, 'rematch', p_wids[1], 0, sqlstate, sqlerrm, wedsql.now());
      return jsonb_build_object('failed', 1, 'failed_sample', p_wids);
    end if;
    foreach v_wid in array p_wids loop
      v_report := wedsql._add_counts(v_report, wedsql._rematch_each(p_run, p_name, array[v_wid]));
    end loop;
    return v_report;
end $$;

-- Re-matches the next instances of a flow, and returns whether there was anything to do that no other session
-- does. Instances that another session has locked are left to the end.
-- Locks: the flow's table in the mode of a reader who locks rows, so that no definition changes; the row of
-- its re-match, skipping a locked one; instances, skipping locked ones; jobs, trace.
-- Raises: 55P03 while a definition changes, and as _rematch_each.
create or replace function wedsql._rematch_batch(p_flow integer, p_name text) returns boolean
language plpgsql set search_path = pg_catalog, pg_temp set lock_timeout = '2s' as $$
declare
  v_run wedsql.rematch_run;
  v_size integer := greatest(wedsql._number_set('rematch_batch', 500), 1);
  v_wids integer[];
  v_todo integer[];
  v_got integer[];
  v_report jsonb;
  v_again boolean;
begin
  execute format('lock table %I.wed_flow in row share mode', p_name);
  select r.* into v_run from wedsql.rematch_run r
  where r.flow_id = p_flow and r.finished_at is null for update skip locked;
  if not found then
    return false;
  end if;
  v_wids := wedsql._next_of(v_run, v_run.position, v_size);
  v_again := v_wids = '{}';
  if v_again then
    v_wids := v_run.skipped[1:v_size];
    v_run.skipped := coalesce(v_run.skipped[v_size + 1:], '{}');
    v_run.position := v_run.last_wid;
  else
    v_run.position := v_wids[cardinality(v_wids)];
  end if;
  v_todo := wedsql._to_settle_of(v_run, p_name, v_wids);
  execute format('select coalesce(array_agg(l.wid), ''{}'') from (select w.wid from %I.wed_flow w '
                 'where w.wid = any ($1) order by w.wid for no key update skip locked) l', p_name)
  into v_got using v_todo;
  v_report := wedsql._rematch_each(v_run, p_name, wedsql._still_of(v_run, v_got))
    || jsonb_build_object('checked', cardinality(v_wids) - cardinality(v_todo) + cardinality(v_got));
  v_run.skipped := v_run.skipped || wedsql._without(v_todo, v_got);
  perform wedsql._keep_progress(v_run, v_report, v_wids);
  return v_got <> '{}' or cardinality(v_todo) < cardinality(v_wids) or not v_again;
end $$;

-- Keeps how far a re-match is, with the publication, too. It is at its end when nothing is left.
-- Locks: the publication; at the end as _drop_stale_except_jobs.
create or replace function wedsql._keep_progress(p_run wedsql.rematch_run, p_report jsonb, p_wids integer[])
  returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_ended boolean := p_run.skipped = '{}' and wedsql._next_of(p_run, p_run.position, 1) = '{}';
begin
  p_run.report := wedsql._add_counts(p_run.report, p_report);
  p_run.report := p_run.report || jsonb_build_object('left', case when v_ended then 0
    else greatest(p_run.living - (p_run.report ->> 'checked')::bigint, 1) end);
  update wedsql.rematch_run r
  set position = p_run.position, skipped = p_run.skipped, report = p_run.report,
      finished_at = case when v_ended then wedsql.now() end
  where r.flow_id = p_run.flow_id;
  delete from wedsql.rematch_held h
  where h.flow_id = p_run.flow_id and h.wid = any (p_wids) and h.wid <> all (p_run.skipped);
  update wedsql.publication p set report = p.report || p_run.report where p.id = p_run.publication_id;
  if v_ended then
    perform wedsql._drop_stale_except_jobs(f.id, f.name) from wedsql.flow f where f.id = p_run.flow_id;
    perform pg_notify('wedsql_flow', p_run.flow_id || ':' || p_run.version || ':0');
  end if;
end $$;
