-- Finds what PostgreSQL accepts and can compute for no state: extract(bogus from since), t ~ '(', n / 0. The
-- planner computes only what has no attribute in it. Here each call and operator with a constant operand is
-- computed with samples for its other operands, each of its type, so that no list of functions says what
-- their texts may be. The calls are those of PostgreSQL's own text of an expression, which has parentheses
-- around each operator.

-- Returns PostgreSQL's text of p_query, a single select of one expression; null where nothing can be created.
-- Runs and creates as parse_tree does.
-- Raises: what the parser raises.
create or replace function wedsql.written_query(p_query text) returns text
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp set timezone = 'UTC' set datestyle = 'ISO, YMD'
set intervalstyle = 'postgres'
set standard_conforming_strings = on as $$
declare
  v_name text := 'written_' || pg_backend_pid();
  v_text text;
begin
  if current_setting('transaction_read_only')::boolean then
    return null;
  end if;
  begin
    execute format(e'create function wed_match.%s() returns setof record begin atomic %s\n; end', v_name,
                   p_query);
    v_text := pg_get_function_sqlbody(format('wed_match.%s', v_name)::regproc);
    raise exception using errcode = 'WDROL';
  exception when sqlstate 'WDROL' then
    null;
  end;
  return v_text;
end
$$;

-- Returns null when PostgreSQL can compute p_query, a single select without tables, else its SQLSTATE and
-- message. Runs as plan_error does.
create or replace function wedsql.compute_error(p_query text, out code text, out message text)
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp set timezone = 'UTC' set datestyle = 'ISO, YMD'
set intervalstyle = 'postgres'
set standard_conforming_strings = on as $$
declare
  v_cursor refcursor;
  v_row record;
begin
  open v_cursor no scroll for execute p_query;
  fetch v_cursor into v_row;
  close v_cursor;
exception
when insufficient_resources or operator_intervention or system_error then raise;
when others then
  get stacked diagnostics code = returned_sqlstate, message = message_text;
end
$$;

-- Returns the types of expressions over p_source, which are planned and never computed. Runs as type_of does.
-- Raises: what PostgreSQL raises for an expression.
create or replace function wedsql.types_of(p_expressions text[], p_source text) returns text[]
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp set timezone = 'UTC' set datestyle = 'ISO, YMD'
set intervalstyle = 'postgres'
set standard_conforming_strings = on as $$
declare
  v_types text[];
begin
  execute (select format('select array[%s]::text[] from %s limit 1',
                         string_agg(format('pg_typeof(case when random() < 0 then (%s) end)::text', e.text),
                                    ', ' order by e.n), p_source)
           from unnest(p_expressions) with ordinality e (text, n)) into v_types;
  return v_types;
end
$$;

-- Returns the pieces of an expression as PostgreSQL writes it: an opening bracket with the name of the
-- function before it, a cast with its type, a text, a name, an operator.
create or replace function wedsql._written_pieces(p_text text) returns table (piece text)
language sql immutable set search_path = pg_catalog, pg_temp as $$
select m.part[1] from regexp_matches(p_text,
  e'E?''(?:[^'']|'''')*''|ARRAY\\[|"?[A-Za-z_][A-Za-z_0-9."]*\\('
  || e'|::"?(?:(?:timestamp|time)(?:\\(\\d\\))? with(?:out)? time zone|character varying|double precision'
  || e'|bit varying|[A-Za-z_0-9.]+)"?(?:\\(\\d+(?:, *-?\\d+)?\\))?(?:\\[\\])*'
  || e'|"?[A-Za-z_]\\w*"?(?:\\.(?:\\w+|"[^"]+"))*|\\d[\\d.]*(?:e[+-]?\\d+)?|[-+*/<>=~!@#%^&|`?]+'
  || e'|\\s+|(?:.)', 'g')
  with ordinality m (part, n)
order by m.n
$$;

-- Returns the calls of an expression as PostgreSQL writes it: functions and operators that may fail with
-- constant operands. parts: their other operands, for each of which the call has its number between two
-- control characters, which no condition contains; no parts: it is constant.
create or replace function wedsql._fallible_calls(p_text text) returns table (call text, parts text[])
language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
declare
  c_harmless constant text :=
    e'^(=|<>|<|<=|>|>=|AND|OR|NOT|IS|NULL|DISTINCT|FROM|ANY|ALL|TRUE|FALSE|true|false|UNKNOWN|,|\\s+)$';
  c_lenient constant text := e'^(COALESCE|NULLIF|GREATEST|LEAST)\\($';
  d integer := 1;
  p text;
  -- Of each group that is open: its first piece, what of it is read, the same with names of parts, the parts,
  -- whether it has a constant operand and something that may fail, the operand that is read, and whether that
  -- has an attribute.
  v_open text[] := '{""}'; v_raw text[] := '{""}'; v_made text[] := '{""}'; v_parts jsonb[] := '{[]}';
  v_fixed boolean[] := '{f}'; v_risky boolean[] := '{f}'; v_varies boolean[] := '{f}';
  v_operand text[] := '{""}'; v_varied boolean[] := '{f}';
  v_group text; v_group_varies boolean;
begin
  for p in select w.piece from wedsql._written_pieces(p_text) w union all select null loop
    if p ~ '^::' or p = '[' then
      null;  -- it belongs to the operand before it
    elsif v_operand[d] <> '' and (p is null or p !~ e'^\\[$') then
      v_raw[d] := v_raw[d] || v_operand[d];
      if v_varied[d] then
        v_parts[d] := v_parts[d] || to_jsonb(v_operand[d]);
        v_made[d] := v_made[d] || format(E'\x01%s\x01', jsonb_array_length(v_parts[d]));
        v_varies[d] := true;
      else
        v_made[d] := v_made[d] || v_operand[d];
        v_fixed[d] := true;
        if strpos(v_operand[d], '(') > 0 then
          call := v_operand[d]; parts := '{}';
          return next;
        end if;
      end if;
      v_operand[d] := ''; v_varied[d] := false;
    end if;
    exit when p is null or d = 1 and p = 'FROM';
    if p ~ e'\\($' or p in ('[', 'ARRAY[', 'CASE') then
      d := d + 1;
      v_open[d] := p; v_raw[d] := ''; v_made[d] := ''; v_parts[d] := '[]'; v_fixed[d] := false;
      v_risky[d] := p ~ e'.\\($' and p !~ c_lenient; v_varies[d] := false; v_operand[d] := '';
      v_varied[d] := false;
    elsif p in (')', ']', 'END') then
      v_group := v_open[d] || v_raw[d] || p; v_group_varies := v_varies[d];
      if p = ')' and v_group_varies and v_fixed[d] and v_risky[d] then
        call := v_open[d] || v_made[d] || p;
        parts := array(select jsonb_array_elements_text(v_parts[d]));
        return next;
      end if;
      d := d - 1;
      v_operand[d] := v_operand[d] || v_group; v_varied[d] := v_varied[d] or v_group_varies;
    elsif p ~ e'^(r\\.|::|E?''|\\d)' then
      v_operand[d] := v_operand[d] || p; v_varied[d] := v_varied[d] or p ~ e'^r\\.';
    else
      v_raw[d] := v_raw[d] || p; v_made[d] := v_made[d] || p;
      v_risky[d] := v_risky[d] or p !~ c_harmless;
      v_fixed[d] := v_fixed[d] or v_open[d] ~ '^(EXTRACT|NORMALIZE)' and p ~ e'^\\w' and p <> 'FROM';
    end if;
  end loop;
end
$$;

-- Returns values of a type that are unlike each other, the most ordinary one first; none for a type of which
-- conditions have only constants.
create or replace function wedsql._samples(p_type text) returns text[]
language sql immutable set search_path = pg_catalog, pg_temp as $$
select case
  when p_type in ('smallint', 'integer', 'bigint') then
    array['1', '0', '-1', '2', '12', '1000', '-30000', '30000']
    || case when p_type <> 'smallint' then array['2000000000', '-2000000000'] else '{}' end
  when p_type in ('numeric', 'real', 'double precision') then
    array['1', '0', '-1', '0.5', '-0.5', '2', '12', '1000000', '-1000000']
  when p_type in ('text', 'character varying', 'character', 'name') then
    array['1', '', 'a', 'day', 'UTC', 'hex', 'UTF8', 'YQ==', '2024-05-17', '12:00', '1 day', 'true',
          '{"a": 1}', '{}', 'NFC', 'sha256', 'raise_exception',
          'a b, c: Quick brown foxes jump over 3 lazy dogs']
  when p_type = 'boolean' then array['true', 'false']
  when p_type in ('date', 'timestamp without time zone', 'timestamp with time zone') then
    array['2024-05-17', '2000-01-01', '1970-01-01', '0001-01-01', '4700-01-01 BC', '200000-01-01']
  when p_type in ('time without time zone', 'time with time zone') then
    array['12:30:15', '00:00', '23:59:59.9']
  when p_type = 'interval' then
    array['1 day', '0', '-1 day', '01:02:03', '3 months', '-20 years', '5000 years']
  when p_type in ('json', 'jsonb') then
    array['{"a": 1}', '{}', '[]', '[1, "a"]', '1', '"a"', 'true', 'null', '{"a": {"b": [1]}}',
          '[[1], {"a": 1}]', '"2024-05-17"']
  when p_type = 'uuid' then array['00000000-0000-4000-8000-000000000000']
  when p_type = 'bytea' then array[e'\\x61', e'\\x', e'\\x6162636465666768']
  when p_type in ('bit', 'bit varying') then array['1', '0']
  when p_type ~ e'^(smallint|integer|bigint|numeric|real|double precision)\\[\\]$' then
    array['{1}', '{}', '{1,2,3}', '{0}', '{{1,2},{3,4}}']
  when p_type ~ e'^(text|character varying|character)\\[\\]$' then
    array['{a}', '{}', '{a,b,c}', '{1}', '{{a,b},{c,d}}']
  when p_type = 'boolean[]' then array['{t}', '{}', '{t,f}']
  when p_type ~ e'^(date|timestamp with.* time zone)\\[\\]$' then array['{2024-05-17}', '{}']
  when p_type ~ e'^jsonb?\\[\\]$' then array['{1}', '{}']
  when p_type ~ '^(int4|int8|num)range$' then array['[1,5)', 'empty', '[0,0]', '(,)', '[-3,1000)']
  when p_type ~ '^(date|ts|tstz)range$' then array['[2024-01-01,2024-05-17)', 'empty', '(,)']
  else '{}' end
$$;

-- Returns a call with samples in the place of its parts. p_nth: which samples, the remainder of a number for
-- each part; null: a part is of a type without samples.
create or replace function wedsql._with_samples(p_call text, p_types text[], p_nth integer) returns text
language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
declare
  v_samples text[]; v_rest integer := p_nth;
begin
  for i in 1 .. cardinality(p_types) loop
    v_samples := wedsql._samples(p_types[i]);
    if v_samples = '{}' then
      return null;
    end if;
    p_call := replace(p_call, format(E'\x01%s\x01', i),
                      format('%L::%s', v_samples[1 + v_rest % cardinality(v_samples)], p_types[i]));
    v_rest := v_rest / cardinality(v_samples);
  end loop;
  return p_call;
end
$$;

-- Returns whether a call can be computed with one of the samples for its parts, and why with none of them;
-- no reason either where that depends on more than their types: on the length of an array, on what a document
-- has.
create or replace function wedsql._never_computed(
  p_call text, p_types text[], out code text, out message text, out computed boolean)
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_ways numeric := (select coalesce(exp(sum(ln(greatest(cardinality(wedsql._samples(t)), 1)))), 1)
                     from unnest(p_types) t);
  v_query text; v_error record;
begin
  computed := false;
  if v_ways > 2000 then
    return;
  end if;
  for i in 0 .. round(v_ways)::integer - 1 loop
    v_query := wedsql._with_samples(p_call, p_types, i);
    v_error := wedsql.compute_error('select ' || v_query);
    if v_query is null or v_error.code is null or v_error.code !~ '^(22|0A000)'
       or v_error.code ~ '^(2202E|2203)' then
      code := null; message := null; computed := v_query is not null and v_error.code is null;
      return;
    elsif i = 0 then
      code := v_error.code; message := v_error.message;
    end if;
  end loop;
end
$$;

-- Returns the first call in an expression that PostgreSQL can compute for no values of the attributes, and
-- why; nulls where there is none. All calls are computed together with the first samples, which most can be.
create or replace function wedsql._uncomputable(
  p_expression text, p_source text, out code text, out message text, out call text, out types text[])
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_calls text[]; v_types text[]; v_counts integer[]; v_parts text[]; v_at integer := 0; v_error record;
  v_query text;
begin
  select array_agg(c.call), array_agg(cardinality(c.parts)),
         array_agg(array_to_string(c.parts, E'\x02')) filter (where c.parts <> '{}')
  into v_calls, v_counts, v_parts
  from wedsql._fallible_calls(wedsql.written_query(format('select (%s) from %s', p_expression, p_source))) c;
  if v_calls is null then
    return;
  end if;
  v_parts := string_to_array(array_to_string(v_parts, E'\x02'), E'\x02');
  v_types := case when v_parts is null then '{}' else wedsql.types_of(v_parts, p_source) end;
  for i in 1 .. cardinality(v_calls) loop
    v_query := concat_ws(', ', v_query,
                         wedsql._with_samples(v_calls[i], v_types[v_at + 1:v_at + v_counts[i]], 0));
    v_at := v_at + v_counts[i];
  end loop;
  if v_query is null or (wedsql.compute_error('select ' || v_query)).code is null then
    return;
  end if;
  v_at := 0;
  for i in 1 .. cardinality(v_calls) loop
    types := v_types[v_at + 1:v_at + v_counts[i]];
    v_error := wedsql._never_computed(v_calls[i], types);
    if v_error.code is not null then
      code := v_error.code; message := v_error.message; call := v_calls[i];
      return;
    end if;
    v_at := v_at + v_counts[i];
  end loop;
end
$$;

-- Returns the words that PostgreSQL accepts in a call in the place of the one that its message names, null if
-- the message names none.
create or replace function wedsql._accepted_words(p_call text, p_types text[], p_message text) returns text
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  c_words constant text[] := string_to_array(
    'microseconds milliseconds second minute hour day week month quarter year decade century millennium '
    'epoch dow doy isodow isoyear julian timezone timezone_hour timezone_minute base64 escape hex UTF8 '
    'LATIN1 raise_exception use_json_null delete_key return_target', ' ');
  v_word text := (regexp_match(p_message, '"([^"]+)"'))[1];
  v_try text; v_found text[] := '{}';
begin
  if v_word is null or strpos(lower(p_call), lower(v_word)) = 0 then
    return null;
  end if;
  foreach v_try in array case when p_message ~ 'time zone "' then array(
    select z.name from pg_timezone_names z
    where strpos(lower(z.name), lower(split_part(v_word, '/', -1))) > 0
       or z.name in ('America/Bogota', 'UTC')
    order by z.name limit 8) else c_words end loop
    if (wedsql._never_computed(
          regexp_replace(p_call, e'(\\m|'')' || regexp_replace(v_word, e'(\\W)', e'\\\\\\1', 'g')
                         || e'(\\M|'')', e'\\1' || v_try || e'\\2', 'i'), p_types)).computed then
      v_found := v_found || v_try;
    end if;
  end loop;
  return nullif(array_to_string(v_found, ', '), '');
end
$$;

-- Returns the text or number in a call without which it can be computed: another one in its place can.
create or replace function wedsql._wrong_constant(p_call text, p_types text[]) returns text
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_pieces text[] := array(select w.piece from wedsql._written_pieces(p_call) w);
  c_texts constant text[] := array(
    select quote_literal(t) from unnest(array['1', 'a', '', '{}', 'day', 'UTC', 'hex', 'delete_key']) t);
  v_number boolean; v_try text;
begin
  for i in 1 .. cardinality(v_pieces) loop
    continue when v_pieces[i] !~ e'^(E?''|\\d)' or v_pieces[i - 1] = E'\x01';
    v_number := v_pieces[i] ~ e'^\\d';
    foreach v_try in array case when v_number then array['1', '2', '3'] else c_texts end loop
      if (wedsql._never_computed(array_to_string(v_pieces[:i - 1] || v_try || v_pieces[i + 1:], ''),
                                 p_types)).computed then
        return case when v_number then v_pieces[i] else wedsql.unquote(ltrim(v_pieces[i], 'E')) end;
      end if;
    end loop;
  end loop;
  return null;
end
$$;

-- Returns the tokens of a text that PostgreSQL writes in a call, too, attributes excepted.
create or replace function wedsql._tokens_of_call(p_tokens wedsql.token[], p_call text) returns wedsql.token[]
language sql immutable set search_path = pg_catalog, pg_temp as $$
with word as (
  select w.piece ~ '''$' as quoted, lower(case
      when w.piece ~ '''$' then wedsql.unquote(ltrim(w.piece, 'E')) else rtrim(w.piece, '(') end) as text
  from wedsql._written_pieces(p_call) w where w.piece !~ e'^(\\s+|[(),])$')
select array(
  select row(t.position, t.length, t.kind, t.text, t.depth)::wedsql.token
  from unnest(p_tokens) with ordinality t (position, length, kind, text, depth, n)
  where t.kind <> 'attribute' and exists (
    select from word w
    where w.text = lower(case when t.kind = 'text' then wedsql.unquote(t.text) else t.text end)
      and w.quoted <= (t.kind in ('text', 'number')))
  order by t.n)
$$;

-- Returns whether an expression has something that may fail with a constant operand.
create or replace function wedsql._may_be_uncomputable(p_tokens wedsql.token[]) returns boolean
language sql immutable set search_path = pg_catalog, pg_temp as $$
select bool_or(t.kind in ('function', 'type') or t.text in ('zone', 'similar', 'escape')
               or t.kind in ('operator', 'prefix') and t.text not in ('=', '<>', '!=', '<', '<=', '>', '>='))
from unnest(p_tokens) t
$$;

-- Rejects an expression with a part that PostgreSQL can compute for no state, at the token that its message
-- names, with the words that are accepted there.
-- Raises: WD006; WD211 when p_set.
create or replace function wedsql._check_computable(
  p_tokens wedsql.token[], p_source text, p_attrs jsonb, p_set boolean) returns void
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_first integer := 1; v_last integer := cardinality(p_tokens); v_part record; v_found record;
  v_inner record; v_wrong text; v_words text; v_token wedsql.token; v_tokens wedsql.token[];
  v_go boolean := true;
begin
  if not wedsql._may_be_uncomputable(p_tokens) then
    return;
  end if;
  v_found := wedsql._uncomputable(wedsql.qualify(p_tokens, 1, v_last), p_source);
  if v_found.code is null then
    return;
  end if;
  while v_go loop
    v_go := false;
    for v_part in select * from wedsql.joined_parts(p_tokens, v_first, v_last) loop
      continue when not v_part.joined and (v_part.first, v_part.last) = (v_first, v_last);
      v_inner := wedsql._uncomputable(wedsql.qualify(p_tokens, v_part.first, v_part.last), p_source);
      if v_inner.code is not null then
        v_found := v_inner; v_first := v_part.first; v_last := v_part.last; v_go := true;
        exit;
      end if;
    end loop;
  end loop;
  v_tokens := wedsql._tokens_of_call(p_tokens[v_first:v_last], v_found.call);
  if v_tokens = '{}' then
    v_tokens := p_tokens[v_first:v_last];
  end if;
  v_wrong := wedsql._wrong_constant(v_found.call, v_found.types);
  select t.position, t.length, t.kind, t.text, t.depth into v_token
  from unnest(p_tokens[v_first:v_last]) with ordinality t (position, length, kind, text, depth, n)
  where t.kind = 'text' and wedsql.unquote(t.text) = v_wrong
     or t.kind = 'number' and t.text = ltrim(v_wrong, '-')
  order by t.n desc limit 1;
  if v_token.position is null or v_found.code = '22012' then
    v_token := wedsql.named_token(v_tokens, 1, cardinality(v_tokens), v_found.code, v_found.message);
  end if;
  v_words := wedsql._accepted_words(v_found.call, v_found.types, v_found.message);
  perform wedsql.refuse_sense('{problem}', case
      when v_words is not null then 'Write one of these: {words}.'
      when v_found.code = '22012' then wedsql.meaning_hint(v_found.code, false)
      else 'PostgreSQL cannot compute this part whatever the attributes are.' end,
    v_found.code, v_token, p_set, 'meaning',
    jsonb_strip_nulls(jsonb_build_object('problem', v_found.message, 'words', v_words)));
end
$$;
