-- Returns attribute name -> type, in the form that the lexer expects.
create or replace function wedsql._attr_types(p_flow integer) returns jsonb
language sql stable set search_path = pg_catalog, pg_temp as $$
select coalesce(jsonb_object_agg(a.aname, a.type), '{}') from wedsql.attr a where a.flow_id = p_flow
$$;

-- Checks that the default can be a value of that type.
-- Raises: WD003 naming attribute, type and value; WD009 for an enum without options.
create or replace function wedsql._check_default(p_name text, p_type text, p_options text[], p_default text)
returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_ignored text;
begin
  if p_type = 'enum' and coalesce(cardinality(p_options), 0) = 0 then
    perform wedsql._raise('WD009', 'Attribute "{attribute}" is an enum without options.',
      'Give at least one option.', jsonb_build_object('attribute', p_name));
  end if;
  if p_default is null then
    return;
  end if;
  if p_type = 'enum' and not p_default = any (p_options) then
    perform wedsql._raise('WD003', 'Default "{value}" of attribute "{attribute}" is not one of its options.',
      'Options: {options}.',
      jsonb_build_object('attribute', p_name, 'value', left(p_default, 80), 'options', p_options));
  end if;
  begin
    execute format('select ($1::%s)::text', wedsql.sql_type(p_type)) into v_ignored using p_default;
    if octet_length(v_ignored) > (case p_type when 'numeric' then 1000 else 10000 end) then
      perform wedsql._raise('WD003', 'The default of attribute "{attribute}" is too long.',
        'A default has at most 10000 bytes, a number at most 1000 digits.',
        jsonb_build_object('attribute', p_name));
    end if;
  exception when data_exception then
    perform wedsql._raise('WD003',
                          'Default "{value}" of attribute "{attribute}" is not a value of type {type}.',
      '{problem}', jsonb_build_object('attribute', p_name, 'value', left(p_default, 80), 'type', p_type,
        'problem', sqlerrm));
  end;
end $$;

-- Returns the number of a new attribute (aid) or trigger (tgid): the next that no row has.
-- Raises: WD009 when the statement gave a number. Only the kernel assigns numbers, because other flows rely
-- on them.
create or replace function wedsql._next_number(p_kind text, p_given integer) returns integer
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_number integer;
  v_taken boolean;
begin
  if p_given is not null then
    perform wedsql._raise('WD009',
                          'The number {given} was given for {column}, but the kernel assigns the numbers.',
      'Leave {column} out of the statement; "returning {column}" returns the number that was assigned.',
      jsonb_build_object('column', p_kind, 'given', p_given));
  end if;
  loop
    v_number := nextval('wedsql.' || p_kind || '_seq');
    execute format('select exists (select 1 from wedsql.%I x where x.%I = $1)',
                   case p_kind when 'aid' then 'attr' else 'trig' end, p_kind)
      into v_taken using v_number;
    exit when not v_taken;
  end loop;
  return v_number;
end $$;

-- Checks that the number of an attribute or trigger does not change; jobs and the history refer to it by that
-- number.
-- Raises: WD009.
create or replace function wedsql._keep_number(p_kind text, p_old integer, p_new integer) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if p_new is distinct from p_old then
    perform wedsql._raise('WD009', '{column} is {number} and cannot be changed.',
      'Keep the number, or delete the row and add another.',
      jsonb_build_object('column', p_kind, 'number', p_old));
  end if;
end $$;

-- Returns whether this transaction is making the flow what a definition says. Then rows are not checked
-- against each other, because what counts is the definition as a whole (60_publish/04_apply.sql).
create or replace function wedsql._is_applying(p_flow integer) returns boolean
language sql stable set search_path = pg_catalog, pg_temp as $$
select exists (select 1 from wedsql.flow f where f.id = p_flow and f.applying)
$$;

-- Returns the attributes that a SET string names; none for one that is not valid, which is said elsewhere.
create or replace function wedsql._named_in_set(p_flow integer, p_set text) returns text[]
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  return array(select distinct t.text from unnest(wedsql.parse(p_set, wedsql._attr_types(p_flow), true)) t
               where t.kind in ('attribute', 'target'));
exception when sqlstate 'WD211' then
  return '{}';
end $$;

-- Returns the options of triggers that name each of the attributes, as trigger.option; no row for an
-- attribute that none names. SET strings are parsed once, however many attributes there are.
create or replace function wedsql._attribute_references(p_flow integer, p_attrs text[])
returns table (attribute text, places text[])
language sql stable set search_path = pg_catalog, pg_temp as $$
with rules as materialized (
  select t.*, t as whole,
         case when t.sets is not null then wedsql._named_in_set(t.flow_id, t.sets) end as set_names,
         array(select n from wedsql._outcome_lines(t.outcomes) l
               cross join lateral unnest(wedsql._named_in_set(t.flow_id, l.sets)) n
               where l.sets is not null) as outcome_names
  from wedsql.trig t where t.flow_id = p_flow)
select p.attr, array_agg(p.place order by p.tgid, p.place) from (
  select a.attr, t.tgid,
         format('%s.%s', coalesce(nullif(t.tgname, ''), t.cname, t.trname, '#' || t.tgid), v.what) as place
  from unnest(p_attrs) a (attr) cross join rules t
  cross join lateral (values ('predicate', a.attr = any (t.reads)), ('writes', a.attr = any (t.writes)),
                             ('due', a.attr = t.due_attr), ('sets', a.attr = any (t.set_names)),
                             ('lock', a.attr = any (wedsql._lock_reads(t.lock))),
                             ('child', t.child is not null and wedsql._child_names(t.whole, a.attr)),
                             ('candidate', a.attr = t.candidate),
                             ('application', a.attr = any (wedsql._link_names(t.application))),
                             ('outcomes', a.attr = any (t.outcome_names)),
                             ('form', t.form is not null and wedsql._form_names(t.form, a.attr,
                                                                                wedsql._attr_types(p_flow)))
  ) v (what, names_it)
  where v.names_it) p
group by p.attr
$$;

-- Locks the definition of a flow against other transactions until this one ends, and returns the flow's name,
-- null where the flow no longer exists. It tries repeatedly to lock the row and never waits for it: a
-- transaction that changes a row of wed_attr or wed_trig by a statement of its own has locked that row before
-- the flow's row, and the transaction that has locked the flow's row may wait for that row. It continues; the
-- other is rejected after two seconds.
-- Locks: the flow's row.
-- Raises: 55P03.
create or replace function wedsql._lock_flow(p_flow integer) returns text
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_name text;
begin
  for v_try in 1..100 loop
    select f.name into v_name from wedsql.flow f where f.id = p_flow for no key update skip locked;
    if found or not exists (select 1 from wedsql.flow f where f.id = p_flow) then
      return v_name;
    end if;
    perform pg_sleep(0.02);
  end loop;
  raise lock_not_available;
end $$;

-- Locks a definition before a written row of it is checked and the next row is looked up, so that no other
-- transaction changes it meanwhile.
-- Locks: as _lock_flow.
-- Raises: WD010.
create or replace function wedsql._begin_change(p_flow integer) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  perform wedsql._lock_flow(p_flow);
exception when lock_not_available then
  perform wedsql._raise_busy(
    'Another transaction is changing the definition of this flow; nothing was changed.');
end $$;

-- Raises that a definition cannot be changed now.
-- Raises: WD010.
create or replace function wedsql._raise_busy(p_message text) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  perform wedsql._raise('WD010', p_message,
    'Try again in a moment; "select * from pg_stat_activity" shows the open transactions.');
end $$;

-- Locks the instances of the flow, and its definition, against writes of other transactions until this one
-- ends, and returns the flow's name.
-- Locks: the flow's row, then its wed_flow table: in exclusive mode (readers go on), or, where columns will
-- change, in access exclusive mode at once, because raising the mode later could deadlock with a worker that
-- has read the table and now writes to it.
-- Raises: WD010 when a long transaction holds one of these locks.
create or replace function wedsql._lock_definition(p_flow integer, p_columns boolean default false)
returns text
language plpgsql set search_path = pg_catalog, pg_temp set lock_timeout = '2s' as $$
declare
  v_name text;
begin
  v_name := wedsql._lock_flow(p_flow);
  if p_columns and wedsql._has_definition(v_name) then
    perform wedsql._raise_lock(v_name);
  else
    execute format('lock table %I.wed_flow in %s mode', v_name,
                   case when p_columns then 'access exclusive' else 'exclusive' end);
  end if;
  return v_name;
exception when lock_not_available then
  perform wedsql._raise_busy(
    'Another transaction has locked this flow or instances of it; the definition was not changed.');
end $$;

-- Returns whether this transaction has the flow's table in exclusive mode already, and in no stronger one.
create or replace function wedsql._has_definition(p_flow text) returns boolean
language sql stable set search_path = pg_catalog, pg_temp as $$
select bool_or(l.mode = 'ExclusiveLock') and not bool_or(l.mode = 'AccessExclusiveLock') from pg_locks l
where l.locktype = 'relation' and l.relation = to_regclass(format('%I.wed_flow', p_flow))
  and l.pid = pg_backend_pid() and l.granted
$$;

-- Raises the exclusive lock that this transaction has on the flow's table to an access exclusive one. It
-- tries repeatedly and never waits: a worker that has read the table and now writes to it waits for this
-- transaction, and each would wait for the other. The worker continues; after two seconds the definition is
-- left unchanged.
-- Locks: the flow's wed_flow table.
-- Raises: 55P03.
create or replace function wedsql._raise_lock(p_flow text) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  for v_try in 1..100 loop
    begin
      execute format('lock table %I.wed_flow in access exclusive mode nowait', p_flow);
      return;
    exception when lock_not_available then
      perform pg_sleep(0.02);
    end;
  end loop;
  raise exception using errcode = '55P03', message = 'the table is being read';
end $$;
