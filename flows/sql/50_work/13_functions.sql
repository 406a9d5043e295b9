-- The functions of a flow, which are generated from its definition.

-- Generates the matcher and the functions of a flow from its definition as it is in this transaction.
create or replace function wedsql._generate(p_flow integer) returns void
language plpgsql set search_path = pg_catalog, pg_temp set check_function_bodies = off as $$
declare
  v_name text;
  v_automatic text;
begin
  perform wedsql._derive(p_flow);
  update wedsql.flow f set defining_xid = null where f.id = p_flow and f.defining_xid is not null;
  select name into v_name from wedsql.flow where id = p_flow;
  perform wed_match.compile(p_flow, v_name, wedsql._matcher(p_flow), wedsql._gen_error_function(p_flow),
    wedsql._time_settings(p_flow) || wedsql._text_settings(p_flow), wedsql._gen_guard(p_flow),
    wedsql._gen_automatic(p_flow));
  execute wedsql._gen_start(p_flow, v_name);
  execute wedsql._gen_commit(p_flow, v_name);
  execute wedsql._gen_single(p_flow, v_name);
  v_automatic := wedsql._gen_automatic_step(p_flow, v_name);
  if v_automatic is not null then
    execute v_automatic;
  end if;
  execute wedsql._gen_taken(p_flow, v_name);
  execute wedsql._gen_retest(p_flow, v_name);
  execute wedsql._gen_take(p_flow, v_name, false);
  execute wedsql._gen_take(p_flow, v_name, true);
  execute wedsql._gen_complete(p_flow, v_name);
  execute wedsql._gen_complete_held(p_flow, v_name);
  execute wedsql._gen_start_many(p_flow, v_name);
  perform wedsql._grant_functions(v_name);
end $$;

-- Returns the functions of a flow by which instances start and continue, with their arguments and results:
-- clients and workers call them.
create or replace function wedsql._work_functions() returns table (name text, arguments text, result text)
language sql immutable set search_path = pg_catalog, pg_temp as $$
values
('start_many', 'p_states jsonb[], p_actor text default null, p_keys text[] default null',
  'table (ord integer, wid integer, status text, sqlstate text, message text, hint text, detail text)'),
('take', 'p_transitions text[], p_limit integer default 1, p_actor text default null, '
  'p_job_ids bigint[] default null', 'setof wedsql.taken'),
('hold', 'p_transitions text[], p_limit integer default 1, p_actor text default null',
  'setof wedsql.taken'),
('complete_many', 'p_wids integer[], p_job_ids bigint[], p_claims bigint[], p_changes jsonb[], '
  'p_actor text default null, p_sets text[] default null',
  'table (job_id bigint, ok boolean, seq integer, status text, fired text[], sqlstate text, message text, '
  'hint text, detail text)'),
('complete_held', 'p_wid integer, p_job_id bigint, p_changes jsonb, p_actor text default null, '
  'p_set text default null', 'integer')
$$;

-- Returns the beginning of the statement that creates or replaces one of these functions for a flow.
create or replace function wedsql._create_work_function(p_schema text, p_name text) returns text
language sql immutable set search_path = pg_catalog, pg_temp as $$
select format(E'create or replace function %I.%I(%s)\nreturns %s', p_schema, w.name, w.arguments, w.result)
from wedsql._work_functions() w where w.name = p_name
$$;

-- Has the functions of a flow, whose definition was changed, generated when they are needed: by the first
-- call of one in this transaction, else by its commit (_generate_at_commit). Until then each function by
-- which instances start and continue is one that generates them first. With immediate constraints they are
-- generated at once; while a whole definition is applied, at its end.
-- Locks: the flow's row.
create or replace function wedsql._generate_later(p_flow integer) returns void
language plpgsql set search_path = pg_catalog, pg_temp set check_function_bodies = off as $$
declare
  v_name text;
  v_made record;
begin
  update wedsql.flow f set defining_xid = txid_current()
  where f.id = p_flow and f.defining_xid is distinct from txid_current();
  if not found then
    return;
  end if;
  select f.name into v_name from wedsql.flow f
  where f.id = p_flow and f.defining_xid is not null and not f.applying;
  for v_made in
    select w.name, w.result ~ '^(table|setof) ' as rows,
           (select string_agg(a[1], ', ') from regexp_matches(w.arguments, '(p_[a-z_]+) ', 'g') a) as given
    from wedsql._work_functions() w where v_name is not null
  loop
    execute wedsql._fill($q${create}
      language plpgsql security definer set search_path = pg_catalog, pg_temp as {body:L}$q$,
      jsonb_build_object('create', wedsql._create_work_function(v_name, v_made.name), 'body', wedsql._fill(
        'begin perform wedsql._generate({id}); return {query} {flow:I}.{name:I}({given}); end',
        jsonb_build_object('id', p_flow, 'flow', v_name, 'name', v_made.name, 'given', v_made.given,
          'query', case when v_made.rows then 'query select * from' else '' end))));
  end loop;
end $$;

-- Generates the flow's functions if this transaction has changed its definition since they were generated.
-- While a whole definition is applied, its publication does that at the end.
create or replace function wedsql._follow_definition(p_flow integer) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if exists (select 1 from wedsql.flow f
             where f.id = p_flow and f.defining_xid = txid_current() and not f.applying) then
    perform wedsql._generate(p_flow);
  end if;
end $$;

-- Generates the functions of a flow whose definition was changed, unless that was done since.
create or replace function wedsql._generate_at_commit() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform wedsql._follow_definition(new.id);
  return null;
end $$;

-- Returns the databases of the server in which the role was opened for a flow: there its search_path is the
-- schema of its own name. A role belongs to the whole server, its rights in a flow to one database.
create or replace function wedsql._role_databases(p_name text) returns name[]
language sql stable set search_path = pg_catalog, pg_temp as $$
select coalesce(array_agg(d.datname order by d.datname), '{}')
from pg_db_role_setting s join pg_roles r on r.oid = s.setrole join pg_database d on d.oid = s.setdatabase
where r.rolname = p_name
  and exists (select 1 from unnest(s.setconfig) c
              where c in ('search_path=' || p_name, format('search_path="%s"', p_name)))
$$;

-- Returns whether the flow's role was opened in this database; a role of that name that was opened in another
-- database only does not count.
create or replace function wedsql._has_role(p_name text) returns boolean
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  return exists (select 1 from pg_roles r where r.rolname = p_name)
    and current_database() = any (wedsql._role_databases(p_name));
end $$;

-- Gives the flow's functions the rights that they lack: web, workers and a role named like the flow may
-- execute the public ones, and no role those that begin with _. A function that is replaced keeps its rights.
create or replace function wedsql._grant_functions(p_name text) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_grant text;
begin
  for v_grant in
    with role as materialized (
      select r.oid, quote_ident(r.rolname) as name from pg_roles r
      where r.rolname in ('wed_web', 'wed_worker') or r.rolname = p_name and wedsql._has_role(p_name)),
    own as materialized (
      select p.oid::regprocedure::text as name, left(p.proname, 1) <> '_' as public, array(
        select x.grantee from aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) x) as grantees
      from pg_proc p
      where p.pronamespace = quote_ident(p_name)::regnamespace and p.proowner = 'wed_owner'::regrole
        and p.prorettype <> 'trigger'::regtype)
    select format('revoke all on function %s from public', string_agg(o.name, ', '))
    from own o where 0::oid = any (o.grantees) having count(*) > 0
    union all
    select format('grant execute on function %s to %s', string_agg(l.name, ', '), l.roles)
    from (select o.name, string_agg(r.name, ', ') as roles
          from own o join role r on r.oid <> all (o.grantees) where o.public group by o.name) l
    group by l.roles
  loop
    execute v_grant;
  end loop;
end $$;
