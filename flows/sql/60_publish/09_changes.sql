-- What follows when a definition is changed directly, by the tables of its attributes and triggers and by the
-- flow's own row (90_finish.sql has the triggers): new functions at once or at their first call, and the
-- re-match at the commit.

-- Re-matches the living instances and keeps the version at the commit of a transaction that changed a
-- definition (K-17). While a whole definition is applied, only its publication does.
create or replace function wedsql._at_commit() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform wedsql._publish(f.id, wedsql._actor(), coalesce(current_setting('wedsql.reason', true), ''))
  from wedsql.flow f where f.id = coalesce(new.flow_id, old.flow_id) and f.rematch_due and not f.applying;
  return null;
end $$;

-- Does what _at_commit does, for the flow's own row.
create or replace function wedsql._flow_at_commit() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform wedsql._publish(f.id, wedsql._actor(), coalesce(current_setting('wedsql.reason', true), ''))
  from wedsql.flow f where f.id = new.id and f.rematch_due;
  return null;
end $$;

-- Records that a written trigger changes the definition, before d_commit checks for it, be it at the commit
-- or at once. Pending jobs of a renamed transition are offered by the new name (K-41), and have its timeout,
-- priority and lock. A changed due_after moves the timers that wait; it counts from where it counted before,
-- or from now where it replaces a due attribute. Due attributes are read by the re-match.
-- Locks: as _lock_definition, then the jobs and timers; as the capabilities that take part.
create or replace function wedsql._trig_touch() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if new.flow_id < 0 or tg_op = 'INSERT' and wedsql._is_applying(new.flow_id) then
    return null;  -- a definition that is tried has no instances besides the one of the trial
  end if;
  perform wedsql._touch(f.id, false) from wedsql.flow f where f.id = coalesce(new.flow_id, old.flow_id);
  if tg_op = 'UPDATE' and new.due_attr is null
     and (new.due_attr, new.due_after) is distinct from (old.due_attr, old.due_after) then
    update wedsql.timer x
    set due_at = case when old.due_attr is null then x.due_at - old.due_after
      else wedsql.now() end + new.due_after
    where x.flow_id = new.flow_id and x.tgid = new.tgid and new.due_after is not null;
  end if;
  if tg_op = 'UPDATE' then
    perform wedsql._follow_trigger(old, new);
    perform wedsql._call_trigger_changed(old, new, wedsql.now());
  end if;
  if tg_op = 'UPDATE' and new.trname <> old.trname then
    update wedsql.job_pool j set trname = new.trname
    where j.flow_id = new.flow_id and j.tgid = new.tgid and not wedsql._call_compensates(j.wid, j.id);
    if found then
      perform wedsql._wake(new.flow_id, array[new.trname]);
    end if;
  end if;
  perform wedsql._generate_later(coalesce(new.flow_id, old.flow_id));
  return null;
end $$;

-- Treats a setting of a flow that was changed by a plain UPDATE as any other change of its definition.
-- Locks: as _lock_definition.
create or replace function wedsql._flow_changed() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform wedsql._check_spans('flow', new);
  perform wedsql._check_queue_labels(new);
  perform wedsql._touch(new.id, false, old.needs_approval);
  perform wedsql._set_start_times(new, old);
  perform wedsql._derive(new.id);
  if new.default_timeout is distinct from old.default_timeout then
    perform wedsql._default_timeout(new.id, new.name);
  end if;
  perform wedsql._generate_later(new.id);
  return null;
end $$;

-- Returns whether a flow's table has no row, and nothing of the site depends on it.
create or replace function wedsql._is_empty_table(p_name text) returns boolean
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  v_empty boolean;
begin
  execute format('select not exists (select from %I.wed_flow)', p_name) into v_empty;
  return v_empty and wedsql._site_dependents(format('%I.wed_flow', p_name)::regclass) is null;
end $$;

-- Gives wed_flow the columns of the attributes that have none yet; living instances get their defaults,
-- finished ones are not changed. Those of a fixed length that have a value come first: PostgreSQL finds a
-- column behind a null, or behind one of varying length, by reading all before it. Among them they have the
-- order of the keys of a jsonb object, which need not be sorted then. An empty table is created again
-- with many columns: PostgreSQL adds one to a table by reading all that it has.
-- Locks: the caller has wed_flow in access exclusive mode.
create or replace function wedsql._add_columns(p_flow integer, p_name text) returns void
language plpgsql set search_path = pg_catalog, pg_temp set timezone = 'UTC'
set datestyle = 'ISO, YMD' set intervalstyle = 'postgres' as $$
declare
  v_new wedsql.attr[] := array(
    select a from wedsql.attr a join pg_type t on t.oid = to_regtype(wedsql.sql_type(a.type))
    where a.flow_id = p_flow and a.aname not in (
      select g.attname from pg_attribute g
      where g.attrelid = to_regclass(format('%I.wed_flow', p_name)) and g.attnum > 0 and not g.attisdropped)
    order by t.typlen < 0, a.adv is null, length(a.aname), a.aname collate "C");
  v_defaults text;
begin
  if v_new = '{}' then
    return;
  end if;
  if cardinality(v_new) > 8 and wedsql._is_empty_table(p_name) then
    perform wedsql._rebuild_table(p_name, (
      select string_agg(format(', %I %s default %L', a.aname, wedsql.sql_type(a.type), a.adv), '')
      from unnest(v_new) a));
  else
    perform wedsql._rebuild_if_full(p_name, cardinality(v_new));
    execute (
      select format('alter table %1$I.wed_flow %2$s; alter table %1$I.wed_flow %3$s', p_name,
                    string_agg(format('add column %I %s', a.aname, wedsql.sql_type(a.type)), ', '),
                    string_agg(format('alter column %I set default %L', a.aname, a.adv), ', '))
      from unnest(v_new) a);
  end if;
  v_defaults := (select string_agg(format('%I = default', a.aname), ', ') from unnest(v_new) a
                 where a.adv is not null);
  if v_defaults is not null then
    execute format('update %I.wed_flow w set %s from wedsql.instance i where i.wid = w.wid and '
                   'i.flow_id = $1 and i.status in (''R'', ''E'', ''S'', ''X'')', p_name, v_defaults)
      using p_flow;
  end if;
  perform wedsql._attr_check(p_name, a), wedsql._key_index(p_name, a) from unnest(v_new) a
  where a.type = 'enum' or a.business_key;
  execute format('revoke all on %I.wed_flow from public', p_name);
end $$;

-- Gives wed_flow exactly the columns, defaults and checks that wed_attr describes (the paper's section 2.2).
-- Locks: the flow's definition, then wed_flow in access exclusive mode until the commit.
-- Raises: WD003 when living values do not fit a new type; WD010.
create or replace function wedsql._attr_after() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp set timezone = 'UTC'
set datestyle = 'ISO, YMD' set intervalstyle = 'postgres' as $$
declare
  v_flow text;
  v_row wedsql.attr := coalesce(new, old);
begin
  if tg_op = 'INSERT' and wedsql._is_applying(new.flow_id) then
    return null;  -- _apply_attributes adds all columns at once
  end if;
  select name into v_flow from wedsql.flow where id = v_row.flow_id;
  if not found or to_regclass(format('%I.wed_flow', v_flow)) is null then
    return null;  -- the whole flow is being dropped
  end if;
  perform wedsql._lock_definition(v_row.flow_id, true);
  perform wedsql._touch(v_row.flow_id,
                        tg_op <> 'UPDATE' or (new.aname, new.type) is distinct from (old.aname, old.type));
  if tg_op = 'INSERT' then
    perform wedsql._add_columns(v_row.flow_id, v_flow);
  elsif tg_op = 'DELETE' then
    perform wedsql._archive(v_flow, old);
    execute format('alter table %I.wed_flow drop column %I', v_flow, old.aname);
  else
    perform wedsql._attr_alter(v_flow, old, new);
  end if;
  perform wedsql._generate_later(v_row.flow_id);
  return null;
end $$;

-- Removes every pending job of one trigger, re-matches the instances concerned, and returns how many jobs
-- were removed. A trigger that is still enabled fires again where its condition holds.
-- Locks: the flow's definition, instances, then jobs.
create or replace function wedsql.withdraw(p_flow text, p_tgid integer, p_actor text default null)
returns integer
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_flow wedsql.flow := wedsql._flow(p_flow);
  v_wids integer[];
  v_ids bigint[];
begin
  perform wedsql._lock_definition(v_flow.id);
  select coalesce(array_agg(j.wid), '{}'), coalesce(array_agg(j.id), '{}')
  into v_wids, v_ids  -- not null, which would be the whole flow
  from wedsql.job_pool j
  where j.flow_id = v_flow.id and j.tgid = p_tgid and not wedsql._call_compensates(j.wid, j.id);
  perform wedsql._withdraw_jobs(v_wids, v_ids, 'released', wedsql._actor(p_actor), '', wedsql.now());
  perform wedsql._rematch(v_flow.id, v_wids, false, false, wedsql._actor(p_actor), 'Jobs were withdrawn.');
  return cardinality(v_wids);
end $$;
