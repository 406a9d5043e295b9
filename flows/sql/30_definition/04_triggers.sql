create or replace function wedsql._trig_before() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
-- Promise: a row of wed_trig is a legal trigger whose predicate is parsed, typed and rendered, or the statement fails saying why (K-03).
-- Raises: WD002, WD004, WD005, WD006, WD008, WD009.
begin
  if tg_op = 'UPDATE' and new.flow_id <> old.flow_id then
    perform wedsql._raise('WD009', 'A trigger cannot move to another flow.');
  end if;
  if new.cfinal is null then
    new.cfinal := false;
  end if;
  if new.cfinal then
    perform wedsql._check_final(new);
    new.trname := '_FINAL';
    new.tgname := coalesce(nullif(new.tgname, ''), '_FINAL');
    new.cname := coalesce(nullif(new.cname, ''), '_FINAL');
  else
    perform wedsql.check_name(new.trname, 'transition');
  end if;
  perform wedsql._check_options(new);
  if new.cpred is null or btrim(new.cpred) = '' then
    perform wedsql._raise('WD005', 'The predicate is empty.', 'Write a condition over the attributes, such as a1 = ''ready''.',
      '{"position": 1, "length": 0, "token": "", "reason": "empty"}');
  end if;
  select c.qualified, c.reads, c.disjuncts into new.canonical, new.reads, new.disjuncts
  from wedsql.check_predicate_text(new.cpred, wedsql._attr_types(new.flow_id)) c;
  return new;
end $$;

create or replace function wedsql._check_final(p_trig wedsql.trig) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
-- Promise: a flow has one final condition at the most (the paper's section 2.2).
-- Raises: WD008.
begin
  if exists (select 1 from wedsql.trig t where t.flow_id = p_trig.flow_id and t.cfinal and t.tgid <> p_trig.tgid) then
    perform wedsql._raise('WD008', 'The flow has a final condition already.',
      'Join both with OR in one predicate: several final states are one condition.');
  end if;
end $$;

create or replace function wedsql._check_options(p_trig wedsql.trig) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
-- Promise: write-set and due attribute name attributes of the flow, and of a fitting type.
-- Raises: WD002, WD009.
declare
  v_unknown text;
  v_type text;
begin
  select w into v_unknown from unnest(p_trig.writes) w
  where not exists (select 1 from wedsql.attr a where a.flow_id = p_trig.flow_id and a.aname = w) limit 1;
  if found then
    perform wedsql._raise('WD002', format('The write-set names %L, which is no attribute of the flow.', v_unknown), null, '{"column": "writes"}');
  end if;
  if p_trig.due_attr is not null then
    select a.type into v_type from wedsql.attr a where a.flow_id = p_trig.flow_id and a.aname = p_trig.due_attr;
    if v_type is null or v_type not in ('date', 'timestamptz') then
      perform wedsql._raise('WD009', format('%L cannot be a due time.', p_trig.due_attr),
        'due_attr names an attribute of type date or timestamptz.', '{"column": "due_attr"}');
    end if;
  end if;
  if p_trig.timeout <= interval '0' or p_trig.timeout > interval '1000 years' then
    perform wedsql._raise('WD009', 'A timeout is longer than nothing and ends some day.', 'Leave it empty for no timeout.', '{"column": "timeout"}');
  end if;
end $$;

create or replace function wedsql._rename_in_triggers(p_flow integer, p_old text, p_new text) returns void
language sql set search_path = pg_catalog, pg_temp as $$
-- Promise: every predicate, write-set and due attribute that named p_old names p_new.
update wedsql.trig t
set cpred = wedsql.rename_in_predicate(t.cpred, p_old, p_new, (wedsql._attr_types(p_flow) - p_new)
              || jsonb_build_object(p_old, wedsql._attr_types(p_flow) -> p_new)),
    writes = array_replace(t.writes, p_old, p_new), due_attr = case when t.due_attr = p_old then p_new else t.due_attr end
where t.flow_id = p_flow and (p_old = any (t.reads) or p_old = any (t.writes) or p_old = t.due_attr)
$$;

create or replace function wedsql._recheck_triggers(p_flow integer, p_attr text) returns void
language sql set search_path = pg_catalog, pg_temp as $$
-- Promise: predicates over an attribute that changed its type are checked again.
update wedsql.trig t set cpred = t.cpred where t.flow_id = p_flow and p_attr = any (t.reads)
$$;

create or replace function wedsql._trig_delete() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
-- Promise: a trigger with pending work is not deleted behind the back of that work (K-42).
-- Raises: WD007 naming how many jobs are pending.
declare
  v_pending bigint;
begin
  select count(*) into v_pending from wedsql.job_pool j where j.flow_id = old.flow_id and j.tgid = old.tgid;
  if v_pending > 0 then
    perform wedsql._raise('WD007', format('Trigger %s has %s pending job(s).', coalesce(old.tgname, old.trname), v_pending),
      'Disable it and wait, or withdraw the jobs first with wedsql.withdraw(flow, tgid).');
  end if;
  return old;
end $$;

create or replace function wedsql.withdraw(p_flow text, p_tgid integer, p_actor text default null) returns integer
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
-- Promise: removes every pending job of one trigger and re-matches the instances concerned; how many jobs went.
-- A trigger that is still enabled fires again where its condition holds.
-- Locks: instances, then jobs.
declare
  v_flow wedsql.flow := wedsql._flow(p_flow);
  v_wids integer[];
begin
  perform wedsql._lock_definition(v_flow.id);
  with gone as (delete from wedsql.job_pool j where j.flow_id = v_flow.id and j.tgid = p_tgid returning j.*),
       logged as (insert into wedsql.job_log (job_id, wid, tgid, flow_id, trname, at, outcome, actor)
                  select g.id, g.wid, g.tgid, g.flow_id, g.trname, wedsql.now(), 'released', wedsql._actor(p_actor) from gone g)
  select array_agg(g.wid) into v_wids from gone g;
  perform wedsql._rematch(v_flow.id, v_wids, false, false, wedsql._actor(p_actor), 'jobs withdrawn');
  return coalesce(cardinality(v_wids), 0);
end $$;
