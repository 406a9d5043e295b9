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
-- its living instances. A row that has the marks is not written again: a transaction would read all versions
-- of it with each statement. p_needs_approval: whether the first change of a transaction must be approved,
-- for a caller that knows better than the flow's row.
-- Locks: as _lock_definition.
-- Raises: WD302.
create or replace function wedsql._touch(p_flow integer, p_attrs boolean,
  p_needs_approval boolean default null) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if exists (select 1 from wedsql.flow f
             where f.id = p_flow and f.changed_xid = txid_current() and f.rematch_due
               and (f.attrs_changed or not p_attrs)) then
    return;
  end if;
  perform wedsql._lock_definition(p_flow);
  perform wedsql._check_direct(f.name, coalesce(p_needs_approval, f.needs_approval)) from wedsql.flow f
  where f.id = p_flow and f.changed_xid is distinct from txid_current();
  update wedsql.flow f
  set version = f.version + case when f.changed_xid is distinct from txid_current() then 1 else 0 end,
      changed_xid = txid_current(), rematch_due = true, attrs_changed = f.attrs_changed or p_attrs
  where f.id = p_flow;
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
       and p_trig.performer <> 'person'
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
      automatic = d.automatic, exclusive = d.exclusive, followed = d.followed,
      fuse = least(f.max_firings, d.least_firings)
  from (select max(t.tgid) filter (where t.cfinal and t.enabled) as final_tgid,
               count(t.trname) filter (where t.integrity is null)
                 > count(distinct t.trname) filter (where t.integrity is null) as shared,
               coalesce(bool_or(t.enabled and t.integrity is not null), false) as guarded,
               coalesce(bool_or(t.enabled and t.sets is not null), false) as automatic,
               coalesce(bool_or(coalesce(t.mutex, t.lock) is not null), false) as exclusive,
               coalesce(bool_or((t.child is not null or t.performer = 'person') and not t.cfinal
                                and t.integrity is null), false) as followed,
               coalesce(bool_and(wedsql._is_plain(t)), true)
                 and not exists (select 1 from wedsql.skipped s where s.flow_id = p_flow) as plain,
               min(t.max_firings) as least_firings
        from wedsql.trig t where t.flow_id = p_flow) d
  where f.id = p_flow;
end $$;
