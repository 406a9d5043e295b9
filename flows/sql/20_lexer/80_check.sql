-- Conditions checked for meaning: by the lexer, by PostgreSQL's parser and planner, and once more by the parse tree.

-- Promise: functions that depend on no other setting than the time zone and the styles of dates, which every function
-- that evaluates conditions pins; accepted although the catalog calls them stable.
-- Locks: none
-- Raises: nothing
create or replace view wedsql.pinned_function as
select p.oid, p.proname::text as name
from pg_proc p
where p.pronamespace = 'pg_catalog'::regnamespace and p.oid < 16384 and p.provolatile = 's' and not p.proretset
  and p.prokind = 'f' and (
    p.proname ~ '^(timestamptz|interval|date|timestamp)_(pl|mi|eq|ne|lt|le|gt|ge|cmp)_(interval|timestamptz|date|timestamp)$'
    or p.proname in ('date', 'time', 'timestamp', 'timestamptz', 'date_trunc', 'date_part', 'extract', 'date_add',
                     'date_subtract') and p.proargtypes::oid[] && array['timestamptz'::regtype, 'date'::regtype,
                                                                        'timestamp'::regtype]::oid[]);

-- Promise: raises WD006 at a token of the text.
-- Locks: none
-- Raises: WD006
create or replace function wedsql.refuse_meaning(
  p_message text, p_hint text, p_code text, p_token wedsql.token, p_set boolean default false)
returns void language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  raise exception using errcode = case when p_set then 'WD211' else 'WD006' end, message = p_message, hint = coalesce(p_hint, ''),
    detail = jsonb_build_object('position', p_token.position, 'length', p_token.length, 'token', p_token.text,
                                'reason', 'meaning', 'sqlstate', p_code)::text;
end
$$;

-- Promise: the rendered condition when PostgreSQL reads it as a pure condition over the attributes.
-- Locks: none
-- Raises: WD005 refused by the lexer; WD006 refused by PostgreSQL, with its SQLSTATE and the place in the detail
create or replace function wedsql.check_predicate_text(p_text text, p_attrs jsonb)
returns wedsql.rendered language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_tokens wedsql.token[] := wedsql.parse(coalesce(p_text, ''), p_attrs);
  v_rendered wedsql.rendered := wedsql.render(v_tokens, 1, cardinality(v_tokens), length(p_text));
  v_query text := format('select true from %s where (%s)', wedsql.row_source(p_attrs), v_rendered.aligned);
  v_error record := wedsql.plan_error(v_query);
begin
  if v_error.code is not null then
    perform wedsql.refuse_meaning(v_error.message, null, v_error.code, v_tokens[1]);
  end if;
  return v_rendered;
end
$$;

do $$
begin
  if exists (select 1 from pg_roles where rolname = 'wed_eval') then
    grant create on schema wedsql to wed_eval;
    alter function wedsql.plan_error(text) owner to wed_eval;
    alter function wedsql.parse_tree(text) owner to wed_eval;
    revoke create on schema wedsql from wed_eval;
  end if;
end
$$;
