-- The options of a trigger whose jobs people perform: who may, until when, and how it may end.

-- Returns the parts of outcomes "name: SET string", in their order; the name is null where a line is none.
create or replace function wedsql._outcome_lines(p_lines text[])
returns table (place integer, name text, sets text)
language sql immutable set search_path = pg_catalog, pg_temp as $$
select o.place::integer,
       case when length(n.name) between 1 and 60 and n.name !~ '[[:cntrl:]]' then n.name end,
       case when strpos(o.line, ':') > 0 then nullif(btrim(substr(o.line, strpos(o.line, ':') + 1)), '') end
from unnest(p_lines) with ordinality o (line, place)
cross join lateral (select btrim(split_part(o.line, ':', 1)) as name) n
$$;

-- Checks the options of a trigger about people.
-- Raises: WD002, WD009; as _check_outcomes, as _check_person_set, as _check_link, as _check_form.
create or replace function wedsql._check_person(p_trig wedsql.trig, p_types jsonb) returns void
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
begin
  if p_trig.performer = 'person' and p_trig.child is not null then
    perform wedsql._raise('WD009', 'People perform the transition, so it cannot start children.',
      'Choose either performer = person or child.', '{"column": "performer"}');
  elsif p_trig.candidate is not null and p_types ->> p_trig.candidate is distinct from 'text' then
    perform wedsql._raise(case when p_types ? p_trig.candidate then 'WD009' else 'WD002' end,
      '"{attribute}" is no attribute of type text, so it names no person.',
      'Name an attribute of type text whose value is a user name, or role: and the name of a role.',
      jsonb_build_object('column', 'candidate', 'attribute', left(p_trig.candidate, 80)));
  end if;
  perform wedsql._check_outcomes(p_trig, p_types);
  if p_trig.sets_when_taken is not null then
    perform wedsql._check_person_set(p_trig.sets_when_taken, 'sets_when_taken', p_types);
  end if;
  perform wedsql._check_link(p_trig.application, p_types);
  perform wedsql._check_form(p_trig, p_types);
end $$;

-- Checks the outcomes of a task: each has a name of its own, and sets attributes that the trigger may write.
-- Raises: WD009, WD211 with the place of the line in the detail.
create or replace function wedsql._check_outcomes(p_trig wedsql.trig, p_types jsonb) returns void
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_line record;
  v_seen text[] := '{}';
  v_beyond text;
begin
  for v_line in select * from wedsql._outcome_lines(p_trig.outcomes) l order by l.place loop
    if v_line.name is null or lower(v_line.name) = any (v_seen) then
      perform wedsql._raise('WD009', case when v_line.name is null
          then '"{line}" has no name of an outcome of at most 60 characters.'
          else 'Two outcomes have the name "{line}".' end,
        'Write one outcome per line, with what it sets: Approve: approved = true.',
        jsonb_build_object('column', 'outcomes', 'line',
                           left(coalesce(v_line.name, p_trig.outcomes[v_line.place], ''), 80)));
    end if;
    v_seen := v_seen || lower(v_line.name);
    continue when v_line.sets is null;
    perform wedsql._check_person_set(v_line.sets, 'outcomes', p_types);
    select n into v_beyond from unnest(wedsql._outcome_names(v_line.sets, p_types)) n
    where n <> all (p_trig.writes) limit 1;
    if v_beyond is not null then
      perform wedsql._raise('WD009', 'The outcome "{outcome}" sets {attribute}, which the transition may not '
        'write.', 'Add the attribute to what it may write.',
        jsonb_build_object('column', 'outcomes', 'outcome', v_line.name, 'attribute', v_beyond));
    end if;
  end loop;
end $$;

-- Checks a SET string of an option.
-- Raises: WD005, WD006, WD211 with the option in the detail.
create or replace function wedsql._check_person_set(p_set text, p_column text, p_types jsonb) returns void
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_why wedsql.why;
begin
  perform wedsql.check_set_text(p_set, p_types);
  perform wedsql._outcome_names(p_set, p_types);
exception when sqlstate 'WD211' or sqlstate 'WD005' or sqlstate 'WD006' then
  get stacked diagnostics v_why.code = returned_sqlstate, v_why.message = message_text,
    v_why.hint = pg_exception_hint, v_why.detail = pg_exception_detail;
  v_why.detail := (v_why.detail::jsonb || jsonb_build_object('column', p_column))::text;
  perform wedsql._raise(v_why);
end $$;

-- Returns the attributes that a SET string assigns; none without one.
create or replace function wedsql._outcome_names(p_set text, p_types jsonb) returns text[]
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  return case when p_set is null then '{}' else array(
    select a.attribute from wedsql.assignments(wedsql.parse(p_set, p_types, true)) a) end;
end $$;

-- Returns the attributes that the link of an application names in braces.
create or replace function wedsql._link_names(p_link text) returns text[]
language sql immutable set search_path = pg_catalog, pg_temp as $$
select array(select m[1] from regexp_matches(coalesce(p_link, ''), E'\\{([^{}]*)\\}', 'g') m)
$$;

-- Checks the link of an application: a web address, or a path of this site, with attributes in braces.
-- Raises: WD002, WD009.
create or replace function wedsql._check_link(p_link text, p_types jsonb) returns void
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_unknown text := (select n from unnest(wedsql._link_names(p_link)) n where not p_types ? n limit 1);
begin
  if v_unknown is not null then
    perform wedsql._raise('WD002',
      'The application has "{attribute}", which is not an attribute of the flow.', null,
      jsonb_build_object('column', 'application', 'attribute', left(v_unknown, 80)));
  elsif p_link !~ E'^(https://|http://|/[^/])[^[:space:][:cntrl:]"<>]*$' then
    perform wedsql._raise('WD009', '"{link}" is no web address.',
      'Write an address that begins with https://, or a path of this site that begins with one slash; '
      'attributes are written in braces.',
      jsonb_build_object('column', 'application', 'link', left(p_link, 80)));
  end if;
end $$;

-- Returns a trigger with an attribute renamed in the options about people.
-- Raises: WD004, WD005, WD211.
create or replace function wedsql._rename_in_person(p_trig wedsql.trig, p_old text, p_new text, p_types jsonb)
  returns wedsql.trig
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  if p_trig.outcomes is not null then
    p_trig.outcomes := (
      select array_agg(case when l.sets is null then p_trig.outcomes[l.place]
                            else l.name || ': ' || wedsql.rename_in_predicate(l.sets, p_old, p_new, p_types,
                                                                              true) end order by l.place)
      from wedsql._outcome_lines(p_trig.outcomes) l);
  end if;
  p_trig.sets_when_taken := case when p_trig.sets_when_taken is not null
    then wedsql.rename_in_predicate(p_trig.sets_when_taken, p_old, p_new, p_types, true) end;
  p_trig.candidate := case when p_trig.candidate = p_old then p_new else p_trig.candidate end;
  p_trig.application := replace(p_trig.application, '{' || p_old || '}', '{' || p_new || '}');
  p_trig.form := wedsql._rename_in_form(p_trig.form, p_old, p_new, p_types);
  return p_trig;
end $$;
