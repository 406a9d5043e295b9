-- Calls <flow>.start_many for a caller that has the flow's name in a variable.
-- Raises: WD001, and as <flow>.start_many.
create or replace function wedsql.start_many(
  p_flow text, p_states jsonb[], p_actor text default null, p_keys text[] default null)
returns table (ord integer, wid integer, status text, sqlstate text, message text, hint text, detail text)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  return query execute format('select * from %I.start_many($1, $2, $3)', (wedsql._flow(p_flow)).name)
  using p_states, p_actor, p_keys;
end $$;

-- Returns the source of <flow>.start_many.
create or replace function wedsql._gen_start_many(p_flow integer, p_schema text) returns text
language plpgsql stable set search_path = pg_catalog, pg_temp as $g$
begin
  return wedsql._fill($t$
-- Starts one instance per state, all at once; where one is rejected the others start all the same. A key that
-- the flow has seen already returns the instance that it names, with the detail {"known": true}: repeating a
-- start is harmless.
-- Raises: what is worth repeating (lock, serialization); every other error is a row with its SQLSTATE.
{create}
language plpgsql security definer set search_path = pg_catalog, pg_temp as $f$
#variable_conflict use_column
declare
  v_actor text := wedsql._actor(p_actor);
  v_why wedsql.why;
begin
  if coalesce(cardinality(p_states), 0) = 0 then
    return;
  end if;
  begin
    lock table {flow:I}.wed_flow in row exclusive mode;  -- waits for a definition that is being published
    return query select s.ord, s.wid, s.status::text, null::text, null::text, null::text, null::text
      from {flow:I}._start(p_states, v_actor, p_keys) s;
    return;
  exception
    when others then
      if wedsql._passes(sqlstate) then
        raise;
      end if;
      if cardinality(p_states) = 1 then
        perform wedsql._check_replaced({flow:L}, sqlstate, sqlerrm);
        get stacked diagnostics v_why.code = returned_sqlstate, v_why.message = message_text,
                                v_why.hint = pg_exception_hint, v_why.detail = pg_exception_detail;
        return query select 1, r.* from wedsql._start_refused({flow:L}, p_states[1], p_keys[1], v_why) r;
        return;
      end if;
  end;
  for i in 1..cardinality(p_states) loop
    return query select i, r.wid, r.status, r.sqlstate, r.message, r.hint, r.detail
      from {flow:I}.start_many(array[p_states[i]], v_actor, array[p_keys[i]]) r;
  end loop;
end $f$ $t$, jsonb_build_object('flow', p_schema,
    'create', wedsql._create_work_function(p_schema, 'start_many')));
end $g$;

-- Raises an error after which the call can be repeated where only a changed definition explains the error
-- that was met: the call waited, and the columns are others now. A function or table that is missing counts
-- when it is the flow's own or its matcher, a column when it is wed_flow's. Where it is the kernel's, the
-- installation is broken and the error is left unchanged.
-- Raises: 40001.
create or replace function wedsql._check_replaced(p_flow text, p_code text, p_message text) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if p_code in ('42804', '42846', '42P13', '0A000')
     or p_code = '42703' and not wedsql._kernel_column(p_message)
     or p_code = '42883' and strpos(p_message, '(') = 0  -- an operator: the type of a column changed
     or p_code in ('42883', '42P01')
     and split_part(p_message, '(', 1) ~ format(E'\\m(%s|wed_match)\\.', p_flow) then
    perform wedsql._raise('40001', 'The definition of flow "{flow}" was changed while this call waited.',
      'Try again.', jsonb_build_object('flow', p_flow, 'problem', p_message));
  end if;
end $$;

-- Returns whether the column that PostgreSQL reports as missing is one of a table of the kernel: the message
-- has the name of a table, or an alias, that is no flow's. In the kernel's statements the flow's table is w
-- or r (flows/database_errors.py has the same rule).
create or replace function wedsql._kernel_column(p_message text) returns boolean
language sql immutable set search_path = pg_catalog, pg_temp as $$
select p_message ~ E'\\m(?!(w|r|wed_flow)\\.)[a-z_0-9]+\\.[a-z_]'
  or p_message ~ '".+".*".+"' and p_message !~ '"wed_flow"'
$$;

-- Returns {"differs": [attributes]} where an instance was started with other values than these, else {}.
-- Values are compared in the attributes' types; all differ where one cannot be read.
create or replace function wedsql._other_start(p_flow text, p_wid integer, p_state jsonb) returns jsonb
language plpgsql stable set search_path = pg_catalog, pg_temp set datestyle = 'ISO, YMD'
set timezone = 'UTC' set intervalstyle = 'postgres' as $$
declare
  v_typed jsonb;
  v_first jsonb := (select t.state from wedsql.wed_trace t where t.wid = p_wid order by t.seq limit 1);
  v_differs jsonb;
begin
  execute format('select to_jsonb(r.*) from jsonb_populate_record(null::%I.wed_flow, $1) r', p_flow)
    into v_typed using p_state;
  select jsonb_agg(k order by k) into v_differs from jsonb_object_keys(p_state) k
  where v_typed -> k is distinct from v_first -> k;
  return case when v_differs is null or v_first is null then '{}'
              else jsonb_build_object('differs', v_differs) end;
exception when data_exception then
  return jsonb_build_object('differs', array(select jsonb_object_keys(p_state)));
end $$;

-- Returns the answer for a start that failed: the instance that the key already names, with the detail
-- {"known": true}, to which _other_start adds, or the reason in the kernel's words.
-- Raises: 40001 where the snapshot of the transaction is older than the instance with the key.
create or replace function wedsql._start_refused(p_flow text, p_state jsonb, p_key text, p_why wedsql.why)
returns table (wid integer, status text, sqlstate text, message text, hint text, detail text)
language plpgsql set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
begin
  if p_why.code in ('23505', 'WD905') and p_key is not null then
    return query select i.wid, i.status::text, null::text, null::text, null::text,
      (jsonb_build_object('known', true)
       || wedsql._other_start(p_flow, i.wid, p_state))::text
    from wedsql.instance i join wedsql.flow f on f.id = i.flow_id
                 where f.name = p_flow and i.key = p_key;
    if found then
      return;
    elsif p_why.code = '23505' and current_setting('transaction_isolation') <> 'read committed' then
      perform wedsql._raise('40001', 'Another session has started an instance with the key "{key}".',
        'Try again.', jsonb_build_object('key', left(p_key, 80)));
    end if;
  end if;
  if p_why.code = '2200H' then
    p_why := wedsql._why('WD906', 'No numbers are left for new instances: 2147483647 is the last.',
      'Move the flow to a new database, or dump and restore this one without its finished instances; '
      'existing instances continue.');
  end if;
  return query select null::integer, null::text, b.*
  from wedsql._explain_type_error(p_flow, p_state, p_why) b;
end $$;

-- Returns a value that does not fit as WD003, where possible with attribute, type and value; other errors are
-- returned unchanged.
create or replace function wedsql._explain_type_error(p_flow text, p_changes jsonb, p_why wedsql.why)
returns wedsql.why
language plpgsql set search_path = pg_catalog, pg_temp set datestyle = 'ISO, YMD' set timezone = 'UTC'
set intervalstyle = 'postgres' as $$
declare
  v_attr wedsql.attr;
  v_text text;
begin
  if p_why.code !~ '^22' and p_why.code <> '23514' then
    return p_why;
  end if;
  for v_attr in select a.* from wedsql.attr a join wedsql.flow f on f.id = a.flow_id
  where f.name = p_flow and p_changes ? a.aname order by a.aid loop
    v_text := p_changes ->> v_attr.aname;
    begin
      if v_attr.type = 'enum' and not v_text = any (v_attr.options) then
        return wedsql._why('WD003', '"{value}" is not one of the options of "{attribute}".',
                           'Options: {options}.',
          jsonb_build_object('attribute', v_attr.aname, 'sqlstate', '23514', 'value', left(v_text, 80),
            'options', v_attr.options));
      elsif v_attr.type <> 'jsonb' then
        execute format('select ($1::%s)::text', wedsql.sql_type(v_attr.type)) into v_text using v_text;
      end if;
    exception when data_exception then
      return wedsql._why('WD003', '"{value}" is not a value of type {type} for attribute "{attribute}".',
                         '{problem}',
        jsonb_build_object('attribute', v_attr.aname, 'sqlstate', sqlstate, 'value', left(v_text, 80),
          'type', v_attr.type, 'problem', sqlerrm));
    end;
  end loop;
  return case when p_why.code = '23514' then p_why
    else wedsql._why('WD003', 'A value cannot be stored: {problem}.', '{solution}',
      jsonb_build_object('sqlstate', p_why.code, 'problem', p_why.message, 'solution',
                         coalesce(p_why.hint, ''))) end;
end $$;

-- Starts one instance, and returns its number and whether its key named it already.
-- Raises: as start.
create or replace function wedsql._start_or_find(p_flow text, p_state jsonb, p_actor text, p_key text,
  out wid integer, out known boolean)
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_answer record;
begin
  select * into v_answer from wedsql.start_many(p_flow, array[p_state], p_actor, array[p_key]) s;
  if v_answer.sqlstate is not null then
    perform wedsql._raise(row(v_answer.sqlstate, v_answer.message, nullif(v_answer.hint, ''),
      nullif(v_answer.detail, ''))::wedsql.why);
  end if;
  wid := v_answer.wid;
  known := v_answer.detail is not null;
end $$;

-- Starts one instance and returns its number; that of the instance that the key names already, if there is
-- one.
-- Raises: WD001, WD002, WD003, WD101, WD106, WD905.
create or replace function wedsql.start(
  p_flow text, p_state jsonb default '{}', p_actor text default null, p_key text default null)
returns integer
language sql security definer set search_path = pg_catalog, pg_temp as $$
select s.wid from wedsql._start_or_find(p_flow, p_state, p_actor, p_key) s
$$;

-- Rejects starting an instance while the last report says that less than a twentieth of the disk is free;
-- running work continues. Every start is an INSERT into a wed_flow, so this one check per statement is
-- enough.
-- Raises: WD905.
create or replace function wedsql._room() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_disk wedsql.disk;
begin
  select * into v_disk from wedsql.disk d
  where d.free < d.total / 20 and d.reported_at > wedsql.now() - interval '5 minutes';
  if found then
    perform wedsql._raise('WD905',
      'The disk of the database is nearly full: {free} of {total} are free. Below 5 % no instance is '
      'started.',
      'Free disk space. Running instances continue; new ones can be started some seconds later.',
      jsonb_build_object('free', pg_size_pretty(v_disk.free), 'total', pg_size_pretty(v_disk.total)));
  end if;
  return null;
end $$;
