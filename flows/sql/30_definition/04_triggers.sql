-- Checks that a row of wed_trig is a legal trigger, and parses, types and renders its predicate (K-03).
-- Locks: the flow's row.
-- Raises: WD002, WD004, WD005, WD006, WD007, WD008, WD009, WD010.
create or replace function wedsql._trig_before() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp set timezone = 'UTC'
set datestyle = 'ISO, YMD' set intervalstyle = 'postgres' as $$
declare
  v_types jsonb;
  v_applying boolean;
begin
  if new.flow_id < 0 then
    return new;  -- a definition that is tried (trials/sql/01_trial.sql) is compiled already
  end if;
  v_applying := wedsql._is_applying(coalesce(old.flow_id, new.flow_id));
  if not v_applying then
    perform wedsql._begin_change(coalesce(old.flow_id, new.flow_id));
  end if;
  if tg_op = 'UPDATE' and new.flow_id <> old.flow_id then
    perform wedsql._raise('WD009', 'A trigger cannot move to another flow.');
  end if;
  if tg_op = 'INSERT' then
    new.tgid := wedsql._next_number('tgid', new.tgid);
  else
    perform wedsql._keep_number('tgid', old.tgid, new.tgid);
    perform wedsql._check_child_change(old, new);
  end if;
  new.cfinal := coalesce(new.cfinal, false);
  if new.cfinal or new.integrity is not null then
    perform wedsql._check_final(new);
  end if;
  new := wedsql._with_names(new);
  perform wedsql._need_predicate(new.cpred);
  if v_applying then
    return case tg_op when 'UPDATE' then wedsql._to_compile(old, new) else new end;
  end if;
  v_types := wedsql._attr_types(new.flow_id);
  perform wedsql._check_options(new, v_types);
  if tg_op = 'UPDATE' and new.cpred = old.cpred and new.canonical = old.canonical then
    new.reads := old.reads;  -- not parsed again; setting canonical to null has it parsed
    new.disjuncts := old.disjuncts;
    return new;
  end if;
  select c.qualified, c.reads, c.disjuncts
  into new.canonical, new.reads, new.disjuncts
  from wedsql.check_predicate_text(new.cpred, v_types) c;
  return new;
end $$;

-- Returns a trigger that is written while a whole definition is applied. Its predicate is compiled at the
-- end, over the attributes that there are then; until then it has no canonical form. What it reads is known
-- as long as the predicate is the old one, also under new names.
create or replace function wedsql._to_compile(p_old wedsql.trig, p_new wedsql.trig) returns wedsql.trig
language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
begin
  if p_new.cpred is distinct from p_old.cpred then
    p_new.canonical := null;
    p_new.reads := case when p_new.reads is distinct from p_old.reads then p_new.reads else '{}' end;
  end if;
  return p_new;
end $$;

-- Checks that a trigger has a predicate.
-- Raises: WD005.
create or replace function wedsql._need_predicate(p_predicate text) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if p_predicate is null or btrim(p_predicate) = '' then
    perform wedsql._raise('WD005', 'The condition is empty.',
                          'Write a condition over the attributes, such as a1 = ''ready''.',
      '{"position": 1, "length": 0, "token": "", "reason": "empty"}');
  end if;
end $$;

-- Returns a predicate that is not empty.
-- Raises: WD005.
create or replace function wedsql._needed_predicate(p_predicate text) returns text
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  perform wedsql._need_predicate(p_predicate);
  return p_predicate;
end $$;

-- Returns the trigger with the names that the kernel gives to a final or an integrity condition; another one
-- needs a name of its transition.
-- Raises: WD004; WD009 for one of both that names a transition, for both at once, and for an integrity
-- condition without a name.
create or replace function wedsql._with_names(p_trig wedsql.trig) returns wedsql.trig
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if p_trig.integrity is not null then
    return wedsql._with_integrity_names(p_trig);
  elsif not coalesce(p_trig.cfinal, false) then
    perform wedsql.check_name(p_trig.trname, 'transition');
    return p_trig;
  elsif coalesce(p_trig.trname, '') not in ('', '_FINAL') then
    perform wedsql._raise('WD009',
                          'The final condition fires no transition, but has the transition "{transition}".',
      'Leave the transition of the final condition empty, or make it a trigger that is not final.',
      jsonb_build_object('column', 'trname', 'transition', left(p_trig.trname, 80)));
  end if;
  p_trig.trname := '_FINAL';
  p_trig.tgname := coalesce(nullif(p_trig.tgname, ''), '_FINAL');
  p_trig.cname := coalesce(nullif(p_trig.cname, ''), '_FINAL');
  return p_trig;
end $$;

-- Does what _with_names does, for an integrity condition.
create or replace function wedsql._with_integrity_names(p_trig wedsql.trig) returns wedsql.trig
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if p_trig.integrity not in ('always', 'final') then
    return p_trig;  -- _check_values rejects it
  elsif p_trig.cfinal then
    perform wedsql._raise('WD009', 'A condition is either the final one or one of integrity, not both.',
      'Make them two conditions.', '{"column": "integrity"}');
  elsif coalesce(p_trig.trname, '') not in ('', '_INTEGRITY') then
    perform wedsql._raise('WD009',
      'An integrity condition fires no transition, but has the transition "{transition}".',
      'Leave its transition empty, or make it a trigger without integrity.',
      jsonb_build_object('column', 'trname', 'transition', left(p_trig.trname, 80)));
  elsif coalesce(btrim(p_trig.tgname), '') = '' then
    perform wedsql._raise('WD009', 'An integrity condition needs a name.',
      'Errors and cases name the condition that does not hold.', '{"column": "tgname"}');
  end if;
  p_trig.trname := '_INTEGRITY';
  return p_trig;
end $$;

-- Checks that a flow has at most one final condition (the paper's section 2.2), and that no job of it, or of
-- an integrity condition, is pending.
-- Raises: WD007, WD008.
create or replace function wedsql._check_final(p_trig wedsql.trig) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if p_trig.cfinal and p_trig.integrity is null and exists (
    select 1 from wedsql.trig t
    where t.flow_id = p_trig.flow_id and t.cfinal and t.tgid <> p_trig.tgid) then
    perform wedsql._raise('WD008', 'The flow has a final condition already.',
      'Join both with OR: several final states are one condition.');
  elsif exists (select 1 from wedsql.job_pool j
                where j.flow_id = p_trig.flow_id and j.tgid = p_trig.tgid) then
    perform wedsql._raise('WD007', 'The trigger that is to be the final condition has pending jobs.',
      'Add the final condition as another trigger, or withdraw the jobs first with wedsql.withdraw(flow, '
      'tgid).',
      jsonb_build_object('column', case when p_trig.cfinal then 'cfinal' else 'integrity' end));
  end if;
end $$;

-- Checks that options have allowed values, and what _check_references checks.
-- Raises: WD002, WD009.
create or replace function wedsql._check_options(p_trig wedsql.trig, p_types jsonb) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  perform wedsql._check_role(p_trig.role);
  perform wedsql._check_values('trig', p_trig);
  perform wedsql._check_references(p_trig, p_types);
end $$;

-- Returns what _check_options says of a trigger depends on: its options without names, texts and what it
-- computes, which other functions check.
create or replace function wedsql._likeness(p_trig wedsql.trig) returns jsonb
language sql stable set search_path = pg_catalog, pg_temp as $$
select to_jsonb(p_trig) - '{tgid,flow_id,tgname,trname,cname,cpred,canonical,reads,disjuncts,sets}'::text[]
  - '{label,description}'::text[]
  || jsonb_build_object('sets', p_trig.sets is not null)
$$;

-- Checks that write-set and due attribute name attributes of a suitable type, that a compensation by a
-- transition names it, that the lock has a name, that no interval is too long, that what sets values is a
-- transition, and the options about children and people.
-- Raises: WD002, WD009; as _check_child, as _check_person.
create or replace function wedsql._check_references(p_trig wedsql.trig, p_types jsonb) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_unknown text;
begin
  select w into v_unknown from unnest(p_trig.writes) w where p_types -> w is null limit 1;
  if found then
    perform wedsql._raise('WD002', 'The write-set has "{attribute}", which is not an attribute of the flow.',
                          null,
      jsonb_build_object('column', 'writes', 'attribute', v_unknown));
  end if;
  if coalesce(p_types ->> p_trig.due_attr, '') not in ('date', 'timestamptz')
     and p_trig.due_attr is not null then
    perform wedsql._raise('WD009', '"{attribute}" cannot be a due time.',
      'The due time is an attribute of type date or timestamptz.',
      jsonb_build_object('column', 'due_attr', 'attribute', p_trig.due_attr));
  end if;
  if p_trig.compensation = 'transition' and coalesce(btrim(p_trig.compensated_by), '') = '' then
    perform wedsql._raise('WD009', 'The compensation of this trigger has no transition that performs it.',
      'Name it in compensated_by, or choose another compensation.', '{"column": "compensated_by"}');
  end if;
  perform wedsql._check_lock(p_trig.lock, p_types);
  perform wedsql._check_spans('trig', p_trig);
  if p_trig.performer = 'database' and p_trig.sets is null then
    perform wedsql._raise('WD009', 'The transition that the database performs sets nothing.',
      'Write in sets what it sets, or let a worker perform it.', '{"column": "sets"}');
  elsif p_trig.performer = 'database' and p_trig.signal then
    perform wedsql._raise('WD009',
      'The database performs the transition, so it cannot wait for a signal.',
      'Choose either performer = database or signal.', '{"column": "performer"}');
  elsif p_trig.performer = 'database' and p_trig.child is not null then
    perform wedsql._raise('WD009',
      'The database performs the transition, so it cannot start children.',
      'Choose either performer = database or child.', '{"column": "performer"}');
  elsif p_trig.sets is not null and (p_trig.cfinal or p_trig.integrity is not null) then
    perform wedsql._raise('WD009', 'A condition without a transition sets nothing.',
      'Leave sets empty, or make it a trigger with a transition.', '{"column": "sets"}');
  end if;
  perform wedsql._check_child(p_trig, p_types);
  perform wedsql._check_person(p_trig, p_types);
end $$;

-- Renames p_old to p_new in every predicate, SET string, write-set, due attribute and lock. While a whole
-- definition is applied, a predicate that cannot follow is left, because the definition has its own.
-- Raises: WD004, WD005, WD211.
create or replace function wedsql._rename_in_triggers(p_flow integer, p_old text, p_new text) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_types jsonb := wedsql._attr_types(p_flow);
  v_trig wedsql.trig;
begin
  v_types := (v_types - p_new) || jsonb_build_object(p_old, v_types -> p_new);
  for v_trig in
    select t.* from wedsql.trig t
    where t.flow_id = p_flow and (p_old = any (t.reads) or p_old = any (t.writes) or p_old = t.due_attr
                                  or t.sets is not null or p_old = any (wedsql._lock_reads(t.lock))
                                  or t.child is not null and wedsql._child_names(t, p_old)
                                  or t.outcomes is not null or t.sets_when_taken is not null
                                    or t.form is not null
                                  or p_old = t.candidate
                                  or p_old = any (wedsql._link_names(t.application)))
    order by t.tgid
  loop
    begin
      update wedsql.trig t
      set cpred = wedsql.rename_in_predicate(t.cpred, p_old, p_new, v_types),
          sets = case when t.sets is not null
                      then wedsql.rename_in_predicate(t.sets, p_old, p_new, v_types, true) end,
          reads = array_replace(t.reads, p_old, p_new), writes = array_replace(t.writes, p_old, p_new),
          due_attr = case when t.due_attr = p_old then p_new else t.due_attr end,
          lock = replace(t.lock, '{' || p_old || '}', '{' || p_new || '}'),
          child_count = n.child_count, child_wait = n.child_wait, child_set = n.child_set,
          child_result = n.child_result,
          outcomes = o.outcomes, candidate = o.candidate, application = o.application,
          form = o.form, sets_when_taken = o.sets_when_taken
      from wedsql._rename_in_child(v_trig, p_old, p_new, v_types) n,
           wedsql._rename_in_person(v_trig, p_old, p_new, v_types) o
      where t.tgid = v_trig.tgid;
    exception when sqlstate 'WD004' or sqlstate 'WD005' or sqlstate 'WD211' then
      if not wedsql._is_applying(p_flow) then
        raise;
      end if;
      update wedsql.trig t set canonical = null where t.tgid = v_trig.tgid;
    end;
  end loop;
end $$;

-- Has the predicates over an attribute whose type changed checked again.
create or replace function wedsql._recheck_triggers(p_flow integer, p_attr text) returns void
language sql set search_path = pg_catalog, pg_temp as $$
update wedsql.trig t set canonical = null where t.flow_id = p_flow and p_attr = any (t.reads)
$$;

-- Checks that a trigger that is deleted has no pending jobs (K-42).
-- Locks: the flow's row.
-- Raises: WD007 with the number of pending jobs; WD010.
create or replace function wedsql._trig_delete() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_pending bigint;
begin
  perform wedsql._begin_change(old.flow_id);
  select count(*) into v_pending from wedsql.job_pool j
  where j.flow_id = old.flow_id and j.tgid = old.tgid and not wedsql._call_compensates(j.wid, j.id);
  if v_pending > 0 then
    perform wedsql._raise('WD007', 'Trigger "{trigger}" has pending jobs: {pending}.',
      'Disable it and wait, or withdraw the jobs first with wedsql.withdraw(flow, tgid).',
      jsonb_build_object('trigger', coalesce(old.tgname, old.trname), 'pending', v_pending));
  end if;
  return old;
end $$;
