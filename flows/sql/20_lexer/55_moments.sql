-- A condition has one value for a state, whenever and by whomever it is evaluated. PostgreSQL reads four
-- words as moments that depend on when they are read, and abbreviations of time zones by a setting of the
-- session: in the text of a condition both are rejected (46_reading.sql), in a text that a condition casts
-- they fail here, as a text that is no moment fails.

-- Returns whether PostgreSQL reads a text as a moment or as a time of day.
create or replace function wed_match.is_moment(p_text text) returns boolean
language plpgsql stable strict security definer set search_path = pg_catalog, pg_temp as $$
begin
  begin
    return p_text::timestamptz is not null;
  exception when data_exception or invalid_parameter_value then
    return p_text::time is not null;
  end;
exception when data_exception or invalid_parameter_value then
  return false;
end $$;

-- Returns why what PostgreSQL reads a text as depends on the clock (clock) or the session (zone); null where
-- it does not. "Pay now" is an ordinary text: it is no moment.
create or replace function wed_match.moment_problem(p_text text) returns text
language plpgsql immutable strict security definer set search_path = pg_catalog, pg_temp set timezone = 'UTC'
set datestyle = 'ISO, YMD' as $$
declare
  c_fixed constant text :=
    '(?<![a-z])((mon|tue|tues|wed|wednes|thu|thur|thurs|fri|sat|satur|sun)(day)?|jan(uary)?|feb(ruary)?'
    '|mar(ch)?|apr(il)?|may|june?|july?|aug(ust)?|sept?(ember)?|oct(ober)?|nov(ember)?|dec(ember)?'
    '|[ap]m|ad|bc|at|on|t|z|j|epoch|infinity|allballs|utc|gmt|[a-z_]+(/[a-z_]+)+)(?![a-z/])';
  v_part text; v_rest text;
begin
  if p_text !~* '[a-su-y]' then  -- no letters but T and Z
    return null;
  end if;
  -- The members of arrays and ranges.
  foreach v_part in array regexp_split_to_array(p_text, '[][{}(),"'']+') loop
    v_rest := regexp_replace(v_part, c_fixed, '', 'gi');
    if v_rest ~* '[a-z]' and v_rest ~* 'now|today|tomorrow|yesterday|[0-9]'
       and wed_match.is_moment(v_part) then
      return case when v_rest ~* 'now|today|tomorrow|yesterday' then 'clock' else 'zone' end;
    end if;
  end loop;
  return null;
end $$;

-- Returns whether a name of a time zone is an abbreviation, whose offset is a setting of the session.
create or replace function wed_match.is_abbreviation(p_zone text) returns boolean
language sql immutable strict security definer set search_path = pg_catalog, pg_temp as $$
select btrim(p_zone) ~* '^[a-z]{1,5}$' and btrim(p_zone) !~* '^(utc|gmt|z)$'
$$;

-- Returns the time zone to which a condition is about to convert.
-- Raises: 22023 where its offset depends on the session.
create or replace function wed_match.zone(p_zone text) returns text
language plpgsql immutable strict security definer set search_path = pg_catalog, pg_temp as $$
begin
  if wed_match.is_abbreviation(p_zone) then
    raise exception using errcode = '22023',
      message = format('"%s" is no fixed time zone.', left(p_zone, 80)),
      hint = 'Write its name, such as America/Bogota, or an offset: abbreviations depend on settings.';
  end if;
  return p_zone;
end $$;

-- Returns a value that is no text as it is: an interval is a zone, too.
create or replace function wed_match.zone(p_value anyelement) returns anyelement
language sql immutable parallel safe as $$
select p_value
$$;

-- Returns the text, which a condition is about to read as a moment.
-- Raises: 22007 where the moment depends on the clock or the session.
create or replace function wed_match.moment(p_text text) returns text
language plpgsql immutable strict security definer set search_path = pg_catalog, pg_temp as $$
begin
  if p_text ~* '[a-su-y]' and wed_match.moment_problem(p_text) is not null then
    raise exception using errcode = '22007', message = format('"%s" is no fixed moment.', left(p_text, 80)),
      hint = 'Write the date itself, and its time zone as an offset: '
             'a state means the same whenever it is read.';
  end if;
  return p_text;
end $$;

-- Returns the same for the members of an array.
create or replace function wed_match.moment(p_texts text[]) returns text[]
language sql immutable strict security definer set search_path = pg_catalog, pg_temp as $$
select array(select wed_match.moment(t) from unnest(p_texts) t)
$$;

-- Returns a value that is no text as it is.
create or replace function wed_match.moment(p_value anyelement) returns anyelement
language sql immutable parallel safe as $$
select p_value
$$;

-- Returns the first token of the value that ends with token p_last: what a cast after it applies to.
create or replace function wedsql._first_of_value(p_tokens wedsql.token[], p_last integer) returns integer
language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
declare
  i integer := p_last;
begin
  loop
    if (p_tokens[i]).kind = 'type' then  -- an earlier cast of the same value
      while (p_tokens[i]).text <> '::' loop i := i - 1; end loop;
      i := i - 1;
      continue;
    end if;
    exit when (p_tokens[i]).kind = 'text' or (p_tokens[i]).text not in (')', ']', 'end');
    for j in reverse i - 1 .. 1 loop
      i := j;
      exit when (p_tokens[j]).depth = (p_tokens[p_last]).depth and (p_tokens[j]).text in ('(', '[', 'case');
    end loop;
    exit when i = 1 or (p_tokens[i]).text = 'case';
    if (p_tokens[i]).text = '(' then
      return i - ((p_tokens[i - 1]).kind = 'function' or (p_tokens[i - 1]).text = 'cast')::integer;
    elsif (p_tokens[i - 1]).text = 'array' then
      return i - 1;
    end if;
    i := i - 1;  -- a subscript: what it is applied to
  end loop;
  return i;
end $$;

-- Returns the last token of the value that begins with token p_first, up to p_to.
create or replace function wedsql._last_of_value(p_tokens wedsql.token[], p_first integer, p_to integer)
returns integer language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
declare
  i integer := p_first;
  v_open text; v_depth integer;
begin
  while (p_tokens[i]).text in ('+', '-') loop i := i + 1; end loop;
  if (p_tokens[i]).kind = 'type' and (p_tokens[i]).text <> 'cast' then  -- a text with its type before it
    while (p_tokens[i]).kind = 'type' and i < p_to loop i := i + 1; end loop;
  elsif (p_tokens[i + 1]).text in ('(', '[')
        and ((p_tokens[i]).kind = 'function' or (p_tokens[i]).text in ('cast', 'array')) then
    i := i + 1;
  end if;
  loop
    v_open := (p_tokens[i]).text;
    v_depth := (p_tokens[i]).depth;
    if v_open in ('(', '[', 'case') then
      i := (select min(j) from generate_series(i + 1, p_to) j
            where (p_tokens[j]).depth = v_depth and (p_tokens[j]).text in (')', ']', 'end'));
    elsif v_open = '::' then
      while i < p_to and (p_tokens[i + 1]).kind = 'type' and (p_tokens[i + 1]).text <> '::' loop
        i := i + 1;
      end loop;
    end if;
    exit when i >= p_to or (p_tokens[i + 1]).text not in ('::', '[');
    i := i + 1;
  end loop;
  return i;
end $$;

-- Returns the first and the last token of an argument of the call that begins with token p_call, nulls where
-- it has fewer. p_only: it is the only argument.
create or replace function wedsql._argument(
  p_tokens wedsql.token[], p_call integer, p_to integer, p_nth integer, p_only boolean,
  out first integer, out last integer)
language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
declare
  v_ends integer[] := array(
    select j from generate_series(p_call + 2, p_to) j
    where (p_tokens[j]).text = ',' and (p_tokens[j]).depth = (p_tokens[p_call]).depth + 1
      or (p_tokens[j]).text = ')' and (p_tokens[j]).depth = (p_tokens[p_call]).depth
    order by j);
  v_count integer := (select min(n) from generate_subscripts(v_ends, 1) n
                      where (p_tokens[v_ends[n]]).text = ')');
begin
  if p_nth <= v_count and not (p_only and v_count > 1) then
    first := coalesce(v_ends[p_nth - 1], p_call + 1) + 1;
    last := v_ends[p_nth] - 1;
  end if;
end $$;

-- Returns the tokens p_from to p_to with a call of wed_match.moment around each value that is cast to a
-- moment, unless it is a plain text, and of wed_match.zone around each value that names a time zone.
-- Casts are written in three ways: value::date, cast(value as date), date(value); the last is a cast for each
-- type that a function has the name of. Zones are behind AT TIME ZONE, and arguments of four functions.
create or replace function wedsql.with_fixed_moments(p_tokens wedsql.token[], p_from integer, p_to integer)
returns wedsql.token[] language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
declare
  c_types constant text[] := array['date', 'time', 'timestamp', 'timestamptz'];
  c_calls constant text := '^(date|timetz?|timestamp(tz)?|(date|ts|tstz)(multi)?range)$';
  t wedsql.token; v_first integer; v_last integer; v_zone boolean;
  v_calls text[] := '{}';
  v_opens integer[] := '{}';  -- the tokens before which a call begins
  v_closes integer[] := '{}';  -- the tokens after which it ends
begin
  for i in p_from .. p_to loop
    t := p_tokens[i];
    v_first := null;
    v_zone := t.kind = 'function' and t.text in ('timezone', 'date_trunc', 'date_add', 'date_subtract');
    if t.kind = 'type' and t.text in ('::', 'as') and (p_tokens[i + 1]).text = any (c_types) then
      v_last := i - 1;
      v_first := case t.text when '::' then wedsql._first_of_value(p_tokens, v_last)
        else (select max(j) + 1 from generate_series(p_from, i) j
              where (p_tokens[j]).text = '(' and (p_tokens[j]).depth = t.depth - 1) end;
    elsif t.kind = 'function' and t.text ~ c_calls then
      select a.first, a.last into v_first, v_last from wedsql._argument(p_tokens, i, p_to, 1, true) a;
    elsif v_zone then
      select a.first, a.last into v_first, v_last
      from wedsql._argument(p_tokens, i, p_to, case t.text when 'timezone' then 1 else 3 end, false) a;
    elsif t.text = 'zone' and t.kind not in ('attribute', 'type') then
      v_zone := true;
      v_first := i + 1;
      v_last := wedsql._last_of_value(p_tokens, v_first, p_to);
    end if;
    if v_first < v_last or v_first = v_last
       and ((p_tokens[v_first]).kind <> 'text' or v_zone and t.kind = 'function') then
      v_calls := v_calls || case when v_zone then 'wed_match.zone' else 'wed_match.moment' end;
      v_opens := v_opens || v_first;
      v_closes := v_closes || v_last;
    end if;
  end loop;
  if v_opens = '{}' then
    return p_tokens[p_from:p_to];
  end if;
  return array(
    select u.made from generate_series(p_from, p_to) n
    cross join lateral (
      select 1 as part, row((p_tokens[n]).position, 0, 'function', v_calls[o.i],
                            (p_tokens[n]).depth)::wedsql.token as made, o.i as nth, 1 as half
      from unnest(v_opens) with ordinality o (at, i) where o.at = n
      union all
      select 1, row((p_tokens[n]).position, 0, 'paren', '(', (p_tokens[n]).depth)::wedsql.token, o.i, 2
      from unnest(v_opens) with ordinality o (at, i) where o.at = n
      union all
      select 2, p_tokens[n], 0, 0
      union all
      select 3, row((p_tokens[n]).position, 0, 'paren', ')', (p_tokens[n]).depth)::wedsql.token, o.i, 0
      from unnest(v_closes) with ordinality o (at, i) where o.at = n) u
    order by n, u.part, u.nth desc, u.half);
end $$;
