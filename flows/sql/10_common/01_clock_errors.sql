-- Returns the present time: the only source of time for leases, timeouts and history.
create or replace function wedsql.now() returns timestamptz
language sql volatile parallel safe as $$
select pg_catalog.clock_timestamp()
$$;

do $$
begin
  if to_regtype('wedsql.why') is null then
    create type wedsql.why as (code text, message text, hint text, detail text);
  end if;
end $$;

-- Returns the text with facts in its slots: {flow} becomes the value of "flow", a list its values joined by
-- commas. Values are not read again: they may contain braces and percent signs. Slots without a fact stay.
create or replace function wedsql._put_facts(p_text text, p_facts jsonb) returns text
language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
declare
  v_form text := replace(p_text, '%', '%%');
  v_values text[] := '{}';
  v_fact record;
begin
  for v_fact in select * from jsonb_each(p_facts) with ordinality f (key, value, n) loop
    v_form := replace(v_form, '{' || v_fact.key || '}', '%' || v_fact.n || '$s');
    v_values := v_values || case when jsonb_typeof(v_fact.value) = 'array'
      then (select string_agg(e, ', ') from jsonb_array_elements_text(v_fact.value) e)
        else v_fact.value #>> '{}' end;
  end loop;
  return format(v_form, variadic v_values);
end $$;

-- Returns an error of the kernel: message and hint with the facts in their slots, and as detail the facts as
-- JSON. Where a slot was filled the detail has the template, too, from which clients make the sentence in
-- the language of their user (flows/messages.py). Messages and hints are string constants that end with a
-- full stop, because the translations are extracted from this source.
create or replace function wedsql._why(
  p_code text, p_message text, p_hint text default null, p_facts jsonb default '{}')
returns wedsql.why language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
declare
  v_why wedsql.why :=
    row(p_code, wedsql._put_facts(p_message, p_facts), wedsql._put_facts(p_hint, p_facts), null);
  v_facts jsonb;
begin
  v_facts := p_facts || jsonb_strip_nulls(jsonb_build_object(
    'message_template', nullif(p_message, v_why.message), 'hint_template', nullif(p_hint, v_why.hint)));
  v_why.detail := nullif(v_facts, '{}')::text;
  return v_why;
end $$;

-- Raises the error.
-- Raises: its code.
create or replace function wedsql._raise(p_why wedsql.why) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if p_why.hint is null and p_why.detail is null then
    raise exception using errcode = p_why.code, message = p_why.message;
  elsif p_why.detail is null then
    raise exception using errcode = p_why.code, message = p_why.message, hint = p_why.hint;
  elsif p_why.hint is null then
    raise exception using errcode = p_why.code, message = p_why.message, detail = p_why.detail;
  end if;
  raise exception
    using errcode = p_why.code, message = p_why.message, hint = p_why.hint, detail = p_why.detail;
end $$;

-- Raises an error of the kernel, as _why makes it.
-- Raises: p_code.
create or replace function wedsql._raise(
  p_code text, p_message text, p_hint text default null, p_facts jsonb default '{}')
returns void language sql set search_path = pg_catalog, pg_temp as $$
select wedsql._raise(wedsql._why(p_code, p_message, p_hint, p_facts))
$$;

-- Returns whether an error passes by itself (pages/sqlstates.py has the same rule): another transaction was
-- in the way, or the server lacks disk, memory or connections. It is neither a fault of what was sent nor an
-- attempt of a job.
create or replace function wedsql._passes(p_code text) returns boolean
language sql immutable set search_path = pg_catalog, pg_temp as $$
select coalesce(left(p_code, 2) in ('08', '40', '53', '58') or left(p_code, 3) = '57P'
                or p_code in ('25006', '25P03', '25P04', '55006', '55P03'), false)
$$;

-- Returns whether an error is a shortage of the server, of whatever it needs.
create or replace function wedsql._is_shortage(p_code text) returns boolean
language sql immutable set search_path = pg_catalog, pg_temp as $$
select coalesce(left(p_code, 2) in ('53', '58'), false)
$$;

-- Returns the actor of a change: p_actor, else the session's setting wedsql.actor, else the database role.
-- The role of a flow may set any actor, so its name is appended to the value.
create or replace function wedsql._actor(p_actor text default null) returns text
language sql stable set search_path = pg_catalog, pg_temp as $$
select case when r.said is null then session_user::text
            when right(r.said, length(session_user) + 3) <> format(' (%s)', session_user)
                 and exists (select 1 from wedsql.flow f where f.name = session_user)
                   then format('%s (%s)', r.said, session_user)
            else r.said end
from (select coalesce(nullif(p_actor, ''), nullif(current_setting('wedsql.actor', true), '')) as said) r
$$;

-- Names who makes the changes that follow in the transaction, where the rows do not say it themselves.
create or replace function wedsql._changing(p_actor text) returns void
language sql volatile set search_path = pg_catalog, pg_temp as $$
select set_config('wedsql.changed_by', wedsql._actor(p_actor), true)
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
    perform wedsql._raise('WD001', 'There is no flow "{flow}".',
      'List the flows with: select name from wedsql.flow; create one with wedsql.create_flow(name).',
      jsonb_build_object('flow', left(p_name, 80)));
  end if;
  return v_flow;
end $$;

-- Accepts [a-z][a-z0-9_]{0,62} where it is not reserved for the kind of thing (flow, attribute, transition).
-- Raises: WD004 with the reason.
create or replace function wedsql.check_name(p_name text, p_what text) returns void
language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
begin
  if p_what = 'transition' and coalesce(p_name, '') = '' then
    perform wedsql._raise('WD004', 'A rule needs a transition.',
      'Name one, unless the rule is the final condition or an integrity condition.');
  end if;
  if p_name is null or p_name !~ '^[a-z][a-z0-9_]{0,62}$' then
    perform wedsql._raise('WD004', '"{name}" cannot be used as a name.',
      'Use 1 to 63 characters: a lower-case letter first, then lower-case letters, digits and "_".',
      jsonb_build_object('name', left(p_name, 80)));
  end if;
  if p_what = 'flow'
     and (p_name ~ '^(pg|wed)_'
          or p_name in ('wedsql', 'public', 'information_schema', 'postgres', 'wed')) then
    perform wedsql._raise('WD004', '"{name}" is reserved and cannot be the name of a flow.',
      'Choose another name; names that begin with pg_ or wed_ belong to PostgreSQL and to WED-SQL.',
      jsonb_build_object('name', p_name));
  end if;
  if p_what = 'attribute'
     and p_name in ('wid', 'status', 'seq', 'flow_id', 'ctid', 'xmin', 'xmax', 'cmin', 'cmax',
                                         'tableoid') then
    perform wedsql._raise('WD004', '"{name}" is reserved and cannot be the name of an attribute.',
      'Choose another name; wid, status, seq and PostgreSQL''s system columns exist already.',
      jsonb_build_object('name', p_name));
  end if;
end $$;

-- Returns whether a text is a moment that every client can show in every time zone: neither without end, nor
-- before the year 2 or after 9998, which PostgreSQL has and others have not.
create or replace function wedsql._is_shown_time(p_text text) returns boolean
language plpgsql stable set search_path = pg_catalog, pg_temp set datestyle = 'ISO, YMD' as $$
begin
  return coalesce(p_text::timestamptz between '0002-01-01 00:00:00Z' and '9998-12-31 00:00:00Z', false);
exception when data_exception then
  return false;
end $$;

-- Returns a moment, or the closest one that every client can show.
create or replace function wedsql._shown_time(p_at timestamptz) returns timestamptz
language sql immutable set search_path = pg_catalog, pg_temp as $$
select least(greatest(p_at, '0002-01-01 00:00:00Z'::timestamptz), '9998-12-31 00:00:00Z'::timestamptz)
$$;
