-- Returns the present time: the only source of time for leases, timeouts and history.
create or replace function wedsql.now() returns timestamptz
language sql volatile parallel safe as $$
select pg_catalog.clock_timestamp()
$$;

-- Raises one of the kernel's own errors, so that message, hint and detail have the same form everywhere.
-- Raises: p_code.
create or replace function wedsql._raise(p_code text, p_message text, p_hint text default null, p_detail text default null)
returns void language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if p_hint is null and p_detail is null then
    raise exception using errcode = p_code, message = p_message;
  elsif p_detail is null then
    raise exception using errcode = p_code, message = p_message, hint = p_hint;
  elsif p_hint is null then
    raise exception using errcode = p_code, message = p_message, detail = p_detail;
  end if;
  raise exception using errcode = p_code, message = p_message, hint = p_hint, detail = p_detail;
end $$;

-- Returns the actor of a change: p_actor, else the session's setting wedsql.actor, else the database role.
-- The role of a flow may set any actor, so its name is appended to the value.
create or replace function wedsql._actor(p_actor text default null) returns text
language sql stable set search_path = pg_catalog, pg_temp as $$
select case when r.said is null then session_user::text
            when right(r.said, length(session_user) + 3) <> format(' (%s)', session_user)
                 and exists (select 1 from wedsql.flow f where f.name = session_user) then format('%s (%s)', r.said, session_user)
            else r.said end
from (select coalesce(nullif(p_actor, ''), nullif(current_setting('wedsql.actor', true), '')) as said) r
$$;

-- Returns the flow of that name.
-- Raises: WD001 when there is none.
create or replace function wedsql._flow(p_name text) returns wedsql.flow
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  v_flow wedsql.flow;
begin
  select * into v_flow from wedsql.flow f where f.name = p_name;
  if not found then
    perform wedsql._raise('WD001', format('There is no flow %L.', p_name),
      'List the flows with: select name from wedsql.flow; create one with wedsql.create_flow(name).');
  end if;
  return v_flow;
end $$;

-- Accepts [a-z][a-z0-9_]{0,62} where it is not reserved for the kind of thing (flow, attribute, transition).
-- Raises: WD004 with the reason.
create or replace function wedsql.check_name(p_name text, p_what text) returns void
language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
begin
  if p_name is null or p_name !~ '^[a-z][a-z0-9_]{0,62}$' then
    perform wedsql._raise('WD004', format('%L cannot name a %s.', left(p_name, 80), p_what),
      'Use 1 to 63 characters: a lower-case letter first, then lower-case letters, digits and "_".');
  end if;
  if p_what = 'flow' and (p_name ~ '^(pg|wed)_' or p_name in ('wedsql', 'public', 'information_schema', 'postgres', 'wed')) then
    perform wedsql._raise('WD004', format('%L is a reserved name and cannot name a flow.', p_name),
      'Choose another name; names that begin with pg_ or wed_ belong to PostgreSQL and to WED-SQL.');
  end if;
  if p_what = 'attribute' and p_name in ('wid', 'status', 'seq', 'flow_id', 'ctid', 'xmin', 'xmax', 'cmin', 'cmax',
                                         'tableoid') then
    perform wedsql._raise('WD004', format('%L is a reserved name and cannot name an attribute.', p_name),
      'wid, status, seq and PostgreSQL''s system columns are taken; choose another name.');
  end if;
end $$;
