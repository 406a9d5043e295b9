-- The grammar: a state machine that expects a value or an operator next and keeps open groups on a stack.
-- PostgreSQL parses the text after it.

-- Returns the tokens of one expression (or, with p_set, of a SET list), all of them known and in a permitted
-- place.
-- Raises: WD005, or WD211 when p_set, at the first token that is not permitted.
create or replace function wedsql.parse(p_text text, p_attrs jsonb, p_set boolean default false)
returns wedsql.token[] language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  v_raw text[]; v_low text[]; v_class text[]; v_pos integer[]; v_bad text[]; v_voc wedsql.vocabulary[];
  v wedsql.vocabulary; w text; c text; v_next text; n integer; i integer := 1; d integer := 0;
  -- the stack of open groups; level 0 is the text itself
  f_kind text[] := '[0:0]={top}'; f_word integer[] := '[0:0]={0}'; f_at integer[] := '[0:0]={0}';
  f_args integer[] := '[0:0]={0}'; f_phase text[] := '[0:0]={""}';
  f_between boolean[] := '[0:0]={f}'; f_like boolean[] := '[0:0]={f}';
  -- what this step decides
  v_want text := case when p_set then 'target' else 'operand' end;
  v_kind text; v_take integer; v_open text; v_phase text; v_begin integer; v_close boolean; v_part record;
  v_problem text; j integer; v_info text; v_hint text;
  -- the state over the whole text
  v_out wedsql.token[] := '{}'; v_targets text[] := '{}'; v_grows integer := 0; v_temporal boolean := false;
  v_paths boolean; v_clock integer; v_pattern integer := -1; v_indexable integer := -1;
begin
  select array_agg(s.raw order by s.pos), array_agg(s.low order by s.pos), array_agg(s.class order by s.pos),
         array_agg(s.pos order by s.pos), array_agg(s.problem order by s.pos), array_agg(y.known order by s.pos)
  into v_raw, v_low, v_class, v_pos, v_bad, v_voc
  from wedsql.scan(wedsql.bounded(p_text, p_set)) as s
  left join lateral (
    select k as known from wedsql.vocabulary as k where k.word = s.low and s.class in ('word', 'operator') offset 0) as y on true;
  n := coalesce(cardinality(v_raw), 0);
  if n = 0 or n > 1000 then
    perform wedsql.refuse(p_set, case n when 0 then 'empty' else 'too_many_tokens' end, coalesce(v_pos[1001], 1), coalesce(v_raw[1001], ''));
  end if;
  v_paths := v_low && array['@?', '@@', 'jsonb_path_exists', 'jsonb_path_match', 'jsonb_path_query_array', 'jsonb_path_query_first'];
  while i <= n loop
    v := v_voc[i]; w := v_low[i]; c := v_class[i]; v_next := coalesce(v_low[i + 1], '');
    v_kind := null; v_take := 1; v_open := null; v_phase := ''; v_begin := null; v_close := false;
    v_problem := v_bad[i]; j := i; v_info := null; v_hint := null;
    if c = 'text' and v_problem is null then
      v_problem := case when w ~ 'like_regex' or v_paths and strpos(w, E'\\') > 0 then wedsql.path_problem(w) end;
      v_clock := coalesce(v_clock, case when w ~* '(^|[^a-z])(now|today|tomorrow|yesterday)([^a-z]|$)' then i end);
    end if;
    if v_problem is not null then
      null;
    elsif v_want = 'target' then
      v_problem := case when w = 'wid' then 'set_wid' when c <> 'word' or not p_attrs ? w then 'set_target'
        when w = any (v_targets) then 'set_twice' when v_next <> '=' then 'set_equals' end;
      j := case when v_problem = 'set_equals' then least(i + 1, n) else i end;
      v_problem := case when v_problem is not null then coalesce(v_bad[j], v_problem) end;
      v_info := wedsql.names(p_attrs);
      v_targets := v_targets || w; v_kind := 'target'; v_take := 2; v_want := 'operand';
    elsif v_want = 'operand' then
      if c in ('number', 'text') then
        v_want := 'operator';
      elsif w = '(' then
        v_open := 'paren';
      elsif f_at[d] = i - 1 and (w || f_kind[d]) in (')call', ']array') then
        f_args[d] := -1; v_close := true;
      elsif w = '[' and f_kind[d] = 'array' and v_low[i - 1] in ('[', ',') then
        v_open := 'array';
      elsif c <> 'word' then
        v_kind := 'prefix';
        v_problem := case when c <> 'operator' or v.infix and not v.prefix then 'expected_operand'
                          when v.prefix is not true then 'unknown_operator' end;
      elsif w || v_next in ('cast(', 'array[') then
        v_open := w; v_take := 2;
      elsif v_next = '(' and v.func = 'ok' then
        v_open := 'call'; v_begin := 1; v_take := 2;
        v_temporal := v_temporal or v.temporal;
        v_problem := case when v.grows and v_grows > 0 then 'nested_growth' end;
        v_grows := v_grows + v.grows::integer;
        if w in ('extract', 'trim', 'position', 'overlay', 'substring') then
          v_phase := case when w = 'extract' then '' else w end;
          v_take := wedsql.special_head(array_to_string(v_low[i:i + 5], ' '));
          v_problem := case when v_take = 0 then 'special_form' end;
          v_info := wedsql.special_hint(w);
        end if;
      elsif v_next = '(' and v.func is not null and v.refusal is null and not p_attrs ? w then
        v_problem := v.func; v_hint := v.hint;
      elsif w in ('null', 'true', 'false') or w = 'not' and not f_between[d] then
        v_want := case w when 'not' then 'operand' else 'operator' end;
      elsif w = 'case' then
        v_open := 'case';
        v_take := case when v_next = 'when' then 2 else 1 end;
        v_phase := case when v_next = 'when' then 'when' else 'case' end;
      else
        if v.type is null then
          select 0 as take, null::text as problem into v_part;
        else
          v_part := wedsql.type_phrase(v_low[i:i + 12], v.type);
        end if;
        if v_part.take > 0 and v_part.problem is null and v_class[i + v_part.take] = 'text'
           and v_low[i + v_part.take - 1] <> ']' then
          v_take := v_part.take + 1; v_kind := 'type'; v_want := 'operator';
          v_temporal := v_temporal or v.temporal;
        elsif p_attrs ? w and coalesce(v.keyword, 'U') in ('U', 'C') and w <> 'between' then
          v_kind := 'attribute'; v_want := 'operator'; v_indexable := i;
          if v_next = '(' then  -- a function of that name, which a condition may not call
            v_problem := v.func; v_hint := v.hint;
          end if;
          v_temporal := v_temporal or p_attrs ->> w in ('date', 'timestamptz', 'timestamp', 'time', 'interval');
        else
          perform wedsql.refuse_word(p_set, v, v_pos[i], v_raw[i], v_next, p_attrs);
        end if;
      end if;
    elsif c = 'operator' then
      v_problem := case when v.infix is not true then 'unknown_operator'
        when v_pattern = i - 1 and w not in ('=', '<>', '!=', '<', '>', '<=', '>=') then 'pattern_not_literal' end;
      if v_problem is null and w in ('~', '~*', '!~', '!~*') then
        j := least(i + 1, n); v_pattern := i + 1;
        v_problem := wedsql.fixed_pattern(v_class[j], v_raw[j]);
      elsif v_next in ('any', 'some', 'all') and v_problem is null then
        v_open := 'list'; v_take := 3; j := i + 1; v_problem := case when v_low[i + 2] is distinct from '(' then 'quantifier' end;
      end if;
      v_want := 'operand';
    elsif v_pattern = i - 1 and w in ('::', 'at', '[', 'collate') then
      v_problem := 'pattern_not_literal'; j := i - 1;
    elsif w = '::' or w = 'as' and f_kind[d] = 'cast' and f_phase[d] = '' then
      v_part := wedsql.type_phrase(v_low[i + 1:i + 13], (v_voc[i + 1]).type);
      v_problem := v_part.problem; j := least(i + 1, n); v_take := 1 + v_part.take; v_kind := 'type';
      v_temporal := v_temporal or coalesce((v_voc[i + 1]).temporal, false);
      f_phase[d] := case when w = 'as' then 'done' else f_phase[d] end;
    elsif w in (')', ']', 'end') then
      v_problem := wedsql.close_problem(w, f_kind[d], f_phase[d], f_between[d]);
      j := case when v_problem = 'unclosed' then f_word[d] else i end;
      v_info := case when v_problem = 'unclosed' then wedsql.partner(f_kind[d]) else wedsql.special_hint(v_low[f_word[d]]) end;
      v_close := true;
    elsif w = ',' then
      v_problem := case when f_between[d] then 'between' when p_set and d = 0 then null
        when f_kind[d] not in ('call', 'in', 'array') then 'row'
        when f_phase[d] not in ('', 'trim', 'overlay', 'substring') then 'special_form' end;
      v_info := wedsql.special_hint(v_low[f_word[d]]);
      f_like[d] := false; f_phase[d] := ''; f_args[d] := f_args[d] + 1;
      v_kind := case when d = 0 then 'separator' end;
      v_want := case when d = 0 then 'target' else 'operand' end;
      v_begin := case when f_kind[d] = 'call' then f_args[d] + 1 end;
      if v_low[f_word[d]] = 'normalize' and v_next ~ '^nfk?[cd]$' and v_low[i + 2] = ')' then
        v_take := 2; v_want := 'operator'; v_begin := null;
      end if;
    elsif w = '[' and v_indexable = i - 1 then
      v_open := 'subscript';
    elsif f_between[d] and c = 'word' and w not in ('and', 'is') then
      v_problem := 'between';
    elsif w in ('and', 'or') then
      v_kind := case when f_between[d] then 'keyword' else w end;
      f_between[d] := false; f_like[d] := false; v_want := 'operand';
    elsif wedsql.next_phase(f_kind[d], f_phase[d], w) is not null then
      f_phase[d] := wedsql.next_phase(f_kind[d], f_phase[d], w);
      v_begin := case when f_phase[d] = 'substring from' then 2 end;
      f_like[d] := false; v_want := 'operand';
    else
      v_part := wedsql.phrase(array_to_string(v_low[i:i + 4], ' '));
      v_take := coalesce(v_part.take, 0);
      if v_take = 0 or v_part.wants = 'escape' and not f_like[d] then
        perform wedsql.refuse_operator(p_set, v, v_pos[i], v_raw[i], v_next);
      end if;
      v_problem := case when f_between[d] and v_part.wants = 'operator' then 'between' end;
      v_kind := case when v_part.wants not in ('in', 'list') then 'keyword' end;
      v_open := case when v_part.wants in ('in', 'list') then v_part.wants end;
      v_want := case when v_part.wants = 'operator' then 'operator' else 'operand' end;
      f_between[d] := f_between[d] or v_part.wants = 'between';
      f_like[d] := v_part.wants in ('like', 'similar');
      v_temporal := v_temporal or v_part.wants = 'zone';
      if v_part.wants in ('similar', 'escape') and v_problem is null then
        j := least(i + v_take, n); v_pattern := j;
        v_problem := wedsql.fixed_pattern(v_class[j], v_raw[j]);
      end if;
    end if;
    v_problem := coalesce(v_problem, case when v_open is not null and d = 50 then 'too_deep' end);
    if v_problem is not null then
      perform wedsql.refuse(p_set, v_problem, v_pos[j], v_raw[j], v_info, v_hint);
    end if;
    for j in i .. i + v_take - 1 loop
      v_out := v_out || row(v_pos[j], length(v_raw[j]), case
        when v_class[j] = 'text' then 'text' when v_kind = 'target' and j > i then 'assign' when v_kind is not null then v_kind
        when v_class[j] <> 'word' then v_class[j] when j = i and v_open = 'call' then 'function' else 'keyword' end,
        v_low[j], d - v_close::integer)::wedsql.token;
    end loop;
    if v_close then
      if f_kind[d] = 'call' then
        perform wedsql.check_arguments(p_set, v_voc[f_word[d]], f_args[d] + 1, v_pos[f_word[d]], v_raw[f_word[d]]);
        v_grows := v_grows - (v_voc[f_word[d]]).grows::integer;
      end if;
      v_indexable := case when f_kind[d] in ('paren', 'subscript') then i else -1 end;
      d := d - 1; v_want := 'operator';
    elsif v_open is not null then
      d := d + 1; v_want := 'operand';
      f_kind[d] := v_open; f_phase[d] := v_phase; f_word[d] := i; f_at[d] := i + v_take - 1; f_args[d] := 0;
      f_between[d] := false; f_like[d] := false;
    end if;
    i := i + v_take;
    if v_begin is not null and i <= n then
      v_problem := wedsql.argument_problem(v_voc[f_word[d]], v_begin, v_class[i], v_raw[i],
        coalesce(v_low[i + 1], ')') in (',', ')', 'for'), p_attrs ->> v_low[i] = 'integer');
      if v_problem is not null then
        perform wedsql.refuse(p_set, v_problem, v_pos[i], v_raw[i], (v_voc[f_word[d]]).max_count::text);
      end if;
    end if;
  end loop;
  v_problem := case when v_want <> 'operator' then 'ends_early' when d > 0 then 'unclosed' when f_between[0] then 'between'
    when v_temporal and v_clock is not null then 'clock_literal' end;
  if v_problem is not null then
    j := case v_problem when 'unclosed' then f_word[d] when 'clock_literal' then v_clock else n end;
    perform wedsql.refuse(p_set, v_problem, v_pos[j], v_raw[j], wedsql.partner(f_kind[d]));
  end if;
  return v_out;
end
$$;
