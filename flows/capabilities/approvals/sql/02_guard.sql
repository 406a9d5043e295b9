-- What refuses a repair that needs approvals. Every function that repairs an instance calls a hook for that,
-- after its effect and in its transaction, whoever calls it: the desk, an operation on many instances, a
-- worker that commits the job _EXCPT, or an SQL session. So there is no way around the rules.

-- Returns how many approvals a repair of instances of a flow needs: the largest number of the rules that
-- match one of them, the first rule that asks for it, and the groups that matching rules name. p_written: for
-- each the attributes that it writes; p_states: for each the state after it; p_size: the number of instances
-- of the operation that it is a part of. A rule whose condition cannot be evaluated matches, and so does one
-- that names an attribute which the flow no longer has: no publication makes a rule weaker. p_operations: the
-- names of the operation, two where one undoes another.
create or replace function wedsql._approvals(p_flow integer, p_operations text[], p_written jsonb,
  p_states jsonb, p_size integer, out needed smallint, out title text, out groups text[])
language plpgsql stable set search_path = pg_catalog, pg_temp
set timezone = 'UTC' set datestyle = 'ISO, YMD' set intervalstyle = 'postgres' as $$
declare
  v_types jsonb := wedsql._attr_types(p_flow);
  v_rules wedsql.approval_rule[] := array(
    select r from wedsql.approval_rule r
    where r.flow_id = p_flow and wedsql._rule_covers(r, p_operations, p_size)
      and (r.attributes = '{}' or not v_types ?& r.attributes or exists (
        select 1 from jsonb_array_elements(p_written) w where w ?| r.attributes)) order by r.position);
  v_known wedsql.approval_rule[] := array(
    select r from unnest(v_rules) r where v_types ?& ((r).reads || (r).attributes) order by (r).position);
  v_letters text[] := wedsql._values(
    array(select row(g.n, null, g.compiled, g.reads, null)::wedsql.condition
          from (select o.compiled, o.reads, o.ordinality::integer as n
                from unnest(v_known) with ordinality o) g order by g.n),
    v_types, p_states);
begin
  with matching as (
    select o.* from unnest(v_known) with ordinality o
    where exists (select 1 from jsonb_array_elements(p_written) with ordinality w (names, n)
      where (o.attributes = '{}' or w.names ?| o.attributes)
        and substr(v_letters[w.n::integer], o.ordinality::integer, 1) in ('t', 'e'))
    union all
    select o.*, 0 from unnest(v_rules) o where not v_types ?& (o.reads || o.attributes))
  select coalesce(max(m.approvals), 0),
         coalesce((array_agg(m.title order by m.approvals desc, m.position))[1], ''),
         coalesce(array_agg(distinct m.approvers) filter (where m.approvers <> ''), '{}')
  into needed, title, groups from matching m;
end $$;

-- Returns whether a rule is about an operation of these names on so many instances.
create or replace function wedsql._rule_covers(p_rule wedsql.approval_rule, p_operations text[],
  p_size integer) returns boolean
language sql immutable set search_path = pg_catalog, pg_temp as $$
select p_rule.approvals > 0
  and not exists (select from wedsql._operations() o
                  where o.operation = any (p_operations) and not o.can_need_approval)
  and (p_rule.operations = '{}' or p_rule.operations && p_operations)
  and coalesce(p_size > p_rule.bulk_above, true)
$$;

-- Returns the number of instances of the operation on many instances that this transaction performs, else 1.
create or replace function wedsql._bulk_size() returns integer
language sql stable set search_path = pg_catalog, pg_temp as $$
select greatest(coalesce(substring(current_setting('wedsql.bulk_size', true) from '^[0-9]{1,9}$|^2147483647$'
                                   )::integer, 1), 1)
$$;

-- Returns whether a flow has rules about approvals.
create or replace function wedsql._on_has_checks_approvals(p_flow integer) returns boolean
language sql stable set search_path = pg_catalog, pg_temp as $$
select exists (select 1 from wedsql.approval_rule r where r.flow_id = p_flow)
$$;

-- Refuses a repair that needs more approvals than it has. p_state: the state after it; null for the present
-- one; p_undone: the operation that it undoes, whose rules it is subject to, too. A preview notes what is
-- needed instead.
-- Locks: none; the caller holds the instance.
-- Raises: WD520.
create or replace function wedsql._check_approvals(p_flow wedsql.flow, p_wid integer, p_operation text,
  p_written text[] default '{}', p_state jsonb default null, p_undone text default null) returns void
language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  v_need record;
begin
  if not wedsql._on_has_checks_approvals(p_flow.id) then
    return;
  end if;
  v_need := wedsql._approvals(p_flow.id, array_remove(array[p_operation, p_undone], null),
    jsonb_build_array(to_jsonb(p_written)),
    jsonb_build_array(coalesce(p_state, wedsql._present_state(p_flow.name, p_wid))), wedsql._bulk_size());
  if v_need.needed = 0 then
    return;
  end if;
  update wedsql.applying a
  set needed = greatest(a.needed, v_need.needed), needed_groups = v_need.groups,
      title = case when v_need.needed > a.needed then v_need.title else a.title end
  where a.wid = p_wid and a.operation = p_operation and v_need.needed <= a.approvals
    and coalesce(v_need.groups <@ a.groups, true);
  if not found then
    perform wedsql._refuse_unapproved(p_wid, p_operation, v_need.needed, v_need.title, v_need.groups);
  end if;
end $$;

-- Raises: WD520.
create or replace function wedsql._refuse_unapproved(p_wid integer, p_operation text, p_needed integer,
  p_title text, p_groups text[]) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  perform wedsql._raise('WD520', case when p_needed = 1
      then 'Operation "{operation}" on instance {instance} needs an approval by another person.'
      else 'Operation "{operation}" on instance {instance} needs approvals by two other persons.' end,
    'Nothing was changed. Propose it; the last approval applies it.',
    jsonb_build_object('instance', p_wid, 'operation', p_operation, 'needed', p_needed, 'title', p_title,
      'groups', p_groups));
end $$;

-- Performs the automatic transitions that follow from an operation and that the commit has left to the
-- reaper: of a chain that is longer than a commit performs, and one that a person retries. What they write is
-- a part of the operation, and the reaper asks no rule. Only flows with rules pay for it.
-- Locks, raises: as _perform_automatic; WD520 where there are too many.
create or replace function wedsql._finish_automatic(p_flow wedsql.flow, p_wid integer, p_operation text,
  p_rematch boolean default false) returns void
language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
begin
  if not p_flow.automatic or not wedsql._on_has_checks_approvals(p_flow.id) then
    return;
  end if;
  for v_time in 1..10 loop
    perform from wedsql.job_pool j join wedsql.trig t on t.tgid = j.tgid
    join wedsql.instance i on i.wid = j.wid
    where j.wid = p_wid and j.state = 'P' and t.performer = 'database' and t.enabled and i.status = 'R';
    if not found then
      return;
    end if;
    perform wedsql._perform_automatic(p_flow, p_wid, 'R', p_rematch);
  end loop;
  perform wedsql._raise('WD520',
    'More than {limit} automatic transitions follow from operation "{operation}" '
    'on instance {instance}, so what it needs approvals for cannot be checked.',
    'Nothing was changed. Let the conditions of the flow end the chain sooner.',
    jsonb_build_object('instance', p_wid, 'operation', p_operation, 'limit',
      10 * wedsql._automatic_at_once(), 'needed', 1, 'title', '', 'groups', '{}'::text[]));
end $$;

-- Returns the attributes that an instance's steps after p_seq have written; p_automatic: only the automatic
-- ones.
create or replace function wedsql._written_since(p_wid integer, p_seq integer,
  p_automatic boolean default false) returns text[]
language sql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
select array(
  select distinct k from wedsql.wed_trace h cross join lateral jsonb_object_keys(h.before) k
  where h.wid = p_wid and h.seq > p_seq and (not p_automatic or exists (
    select from wedsql.trig t where t.tgid = h.tgid and t.performer = 'database')))
$$;

-- Checks the repairs among the steps of _settle: those of the job _EXCPT of an exception, by a person or by a
-- worker. p_wids, p_seqs: the instances and the numbers of these steps. What automatic transitions wrote
-- after them, in the same commit, is a part of the repair.
-- Raises: WD520.
create or replace function wedsql._on_repaired_approvals(p_flow wedsql.flow, p_steps wedsql.step[],
  p_wids integer[], p_seqs integer[]) returns void
language sql set search_path = pg_catalog, pg_temp as $$
select wedsql._finish_automatic(p_flow, s.wid, 'patch') from unnest(p_steps) s
where s.tgid = 0 and not coalesce(s.fresh, false);
select wedsql._check_approvals(p_flow, s.wid, case when s.trw = '_EXCPT' then 'patch'
    else replace(s.trw, '_RECOVER:', '') end, wedsql._written_since(s.wid, n.seq - 1))
from unnest(p_steps) s join unnest(p_wids, p_seqs) n (wid, seq) on n.wid = s.wid
where s.tgid = 0 and not coalesce(s.fresh, false)
  and wedsql._on_has_checks_approvals(p_flow.id)
$$;

-- Checks a re-match of these living instances of a flow, null for all, as one operation on all of them.
-- Returns the step at which each is, by its number, where what automatic transitions write then is to be
-- checked.
-- Raises: WD520.
create or replace function wedsql._on_before_rematch_approvals(p_flow wedsql.flow, p_wids integer[])
  returns jsonb
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if not exists (select 1 from wedsql.approval_rule r where r.flow_id = p_flow.id and r.approvals > 0
                 and (r.operations = '{}' or 'rematch' = any (r.operations))) then
    return '{}';
  end if;
  perform set_config('wedsql.bulk_size', coalesce(cardinality(p_wids), 2147483647)::text, true);
  perform wedsql._check_approvals(p_flow, i.wid, 'rematch') from wedsql.instance i
  where i.flow_id = p_flow.id and i.status in ('R', 'E', 'S', 'X')
    and (p_wids is null or i.wid = any (p_wids));
  return (select coalesce(jsonb_object_agg(i.wid, i.seq), '{}') from wedsql.instance i
          where p_flow.automatic and i.flow_id = p_flow.id and i.status in ('R', 'E', 'S', 'X')
            and (p_wids is null or i.wid = any (p_wids)));
end $$;

-- Checks an operation of the repair desk on an instance that was at step p_seq before it. Those that undo
-- steps or a repair, or begin an instance, check themselves what will be in the end; here, what automatic
-- transitions wrote after them.
-- Raises: WD520.
create or replace function wedsql._on_check_steps_approvals(p_wid integer, p_operation text, p_seq integer)
  returns void
language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  v_own boolean := p_operation in ('rollback', 'compensate', 'abort', 'replay', 'branch', 'undo');
  v_written text[];
begin
  perform wedsql._finish_automatic(f, p_wid, p_operation)
  from wedsql.instance i join wedsql.flow f on f.id = i.flow_id where i.wid = p_wid;
  v_written := wedsql._written_since(p_wid, p_seq, v_own);
  if not v_own or v_written <> '{}' then
    perform wedsql._check_approvals(f, p_wid, p_operation, v_written)
    from wedsql.instance i join wedsql.flow f on f.id = i.flow_id where i.wid = p_wid;
  end if;
end $$;
