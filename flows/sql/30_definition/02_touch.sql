-- Checks that this session may change a flow directly: with needs_approval only the owner of the kernel may,
-- and all others request a publication.
-- Raises: WD302.
create or replace function wedsql._check_direct(p_name text, p_needs_approval boolean) returns void
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  if p_needs_approval and not pg_has_role(session_user, 'wed_owner', 'member') then
    perform wedsql._raise('WD302',
                          'A definition of flow "{flow}" is published only after a second person has '
                          'approved it.',
      'Change a draft of the flow and request its publication.', jsonb_build_object('flow', p_name));
  end if;
end $$;

-- Increments the definition's version once per transaction, and marks the flow so that the commit re-matches
-- its living instances. p_needs_approval: whether the first change of a transaction must be approved, for a
-- caller that knows better than the flow's row.
-- Locks: as _lock_definition.
-- Raises: WD302.
create or replace function wedsql._touch(p_flow integer, p_attrs boolean,
  p_needs_approval boolean default null) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform wedsql._lock_definition(p_flow);
  perform wedsql._check_direct(f.name, coalesce(p_needs_approval, f.needs_approval)) from wedsql.flow f
  where f.id = p_flow and f.changed_xid is distinct from txid_current();
  update wedsql.flow f
  set version = f.version + case when f.changed_xid is distinct from txid_current() then 1 else 0 end,
      changed_xid = txid_current(), rematch_due = true, attrs_changed = f.attrs_changed or p_attrs
  where f.id = p_flow;
end $$;

-- Re-matches the living instances and keeps the version at the commit of a transaction that changed a
-- definition (K-17). While a whole definition is applied, only its publication does.
create or replace function wedsql._at_commit() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform wedsql._publish(f.id, wedsql._actor(), coalesce(current_setting('wedsql.reason', true), ''))
  from wedsql.flow f where f.id = coalesce(new.flow_id, old.flow_id) and f.rematch_due and not f.applying;
  return null;
end $$;

-- Records that a written trigger changes the definition, before d_commit checks for it, be it at the commit
-- or at once. Pending jobs of a renamed transition are offered by the new name (K-41), and have its timeout,
-- priority and lock. A changed due_after moves the timers that wait; it counts from where it counted before,
-- or from now where it replaces a due attribute. Due attributes are read by the re-match.
-- Locks: as _lock_definition, then the jobs and timers; as _recount_children.
create or replace function wedsql._trig_touch() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if new.flow_id < 0 then
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
  end if;
  if tg_op = 'UPDATE' and new.child is not null then
    perform wedsql._recount_children(old, new, wedsql.now());
  end if;
  if tg_op = 'UPDATE' and new.trname <> old.trname then
    update wedsql.job_pool j set trname = new.trname
    where j.flow_id = new.flow_id and j.tgid = new.tgid and not wedsql._is_compensation(j.wid, j.id);
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
  perform wedsql._touch(new.id, false, old.needs_approval);
  perform wedsql._set_start_times(new, old);
  perform wedsql._derive(new.id);
  if new.default_timeout is distinct from old.default_timeout then
    perform wedsql._default_timeout(new.id, new.name);
  end if;
  perform wedsql._generate_later(new.id);
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

-- Gives a trigger that is inserted through the flow's wed_trig without a timeout the flow's default timeout.
create or replace function wedsql._default_timeout(p_flow integer, p_name text) returns void
language plpgsql set search_path = pg_catalog, pg_temp set timezone = 'UTC' set datestyle = 'ISO, YMD'
set intervalstyle = 'postgres' as $$
begin
  execute format('alter view %I.wed_trig alter column timeout set default %L::interval', p_name,
                 (select f.default_timeout from wedsql.flow f where f.id = p_flow));
end $$;

-- Returns whether a trigger has no option beyond the paper's, or only one: the kernel sets values for it.
create or replace function wedsql._sets_at_most(p_trig wedsql.trig) returns boolean
language sql immutable set search_path = pg_catalog, pg_temp as $$
select p_trig.revalidate <> 'withdraw' and not p_trig.fire_once and not p_trig.refresh_payload
       and p_trig.due_attr is null and p_trig.due_after is null
       and p_trig.mutex is null and p_trig.lock is null and p_trig.child is null
$$;

-- Returns whether the trigger has none of the options that a step handles outside the fast path
-- (_apply_options). A new option of this kind is named here only.
create or replace function wedsql._is_plain(p_trig wedsql.trig) returns boolean
language sql immutable set search_path = pg_catalog, pg_temp as $$
select wedsql._sets_at_most(p_trig) and p_trig.sets is null
$$;

-- Copies to the flow's row what a step needs of the triggers, and deletes the timers of triggers that no
-- longer have a due time; the re-match at the commit handles what follows.
create or replace function wedsql._derive(p_flow integer) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  delete from wedsql.timer x using wedsql.trig t
  where x.flow_id = p_flow and t.tgid = x.tgid
    and (not t.enabled or t.due_attr is null and t.due_after is null);
  update wedsql.flow f
  set final_tgid = d.final_tgid, shared = d.shared, plain = d.plain, guarded = d.guarded,
      automatic = d.automatic, exclusive = d.exclusive, parents = d.parents,
      fuse = least(f.max_firings, d.least_firings)
  from (select max(t.tgid) filter (where t.cfinal and t.enabled) as final_tgid,
               count(t.trname) filter (where t.integrity is null)
                 > count(distinct t.trname) filter (where t.integrity is null) as shared,
               coalesce(bool_or(t.enabled and t.integrity is not null), false) as guarded,
               coalesce(bool_or(t.enabled and t.sets is not null), false) as automatic,
               coalesce(bool_or(coalesce(t.mutex, t.lock) is not null), false) as exclusive,
               coalesce(bool_or(t.child is not null and not t.cfinal and t.integrity is null), false)
                 as parents,
               coalesce(bool_and(wedsql._is_plain(t)), true)
                 and not exists (select 1 from wedsql.skipped s where s.flow_id = p_flow) as plain,
               min(t.max_firings) as least_firings
        from wedsql.trig t where t.flow_id = p_flow) d
  where f.id = p_flow;
end $$;
