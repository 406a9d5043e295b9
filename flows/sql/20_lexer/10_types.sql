-- The types of the lexer, its suggestions for misspelled names, and the one function that raises its errors.

do $$
begin
  if to_regtype('wedsql.token') is null then
    create type wedsql.token as (position integer, length integer, kind text, text text, depth integer);
  end if;
  if to_regtype('wedsql.rendered') is null then
    create type wedsql.rendered as (aligned text, qualified text, reads text[], disjuncts text[]);
  end if;
end
$$;

-- Returns the smallest number of letters to add, drop or change, or p_limit + 1 when it is more than p_limit
-- or a text is longer than 63 letters.
create or replace function wedsql.distance(p_a text, p_b text, p_limit integer default 3)
returns integer language plpgsql immutable strict parallel safe set search_path = pg_catalog, pg_temp as $$
declare
  v_above integer[]; v_row integer[]; v_best integer;
begin
  if abs(length(p_a) - length(p_b)) > p_limit or greatest(length(p_a), length(p_b)) > 63 then
    return p_limit + 1;
  end if;
  v_above := array(select generate_series(0, length(p_b)));
  for i in 1 .. length(p_a) loop
    v_row := array[i];
    v_best := i;
    for j in 1 .. length(p_b) loop
      v_row[j + 1] := least(v_above[j + 1] + 1, v_row[j] + 1,
        v_above[j] + case when substr(p_a, i, 1) = substr(p_b, j, 1) then 0 else 1 end);
      v_best := least(v_best, v_row[j + 1]);
    end loop;
    if v_best > p_limit then
      return p_limit + 1;
    end if;
    v_above := v_row;
  end loop;
  return least(v_above[length(p_b) + 1], p_limit + 1);
end
$$;

-- Returns the candidate that is most similar to p_word, or null when none is similar enough.
create or replace function wedsql.suggest(p_word text, p_candidates text[])
returns text language sql immutable parallel safe set search_path = pg_catalog, pg_temp as $$
  select c
  from (select distinct c,
               wedsql.distance(lower(left(p_word, 63)), lower(c), 1 + least(length(p_word) / 4, 2)) as d
        from unnest(p_candidates) as c
        where abs(length(c) - length(p_word)) <= 1 + least(length(p_word) / 4, 2)) as near
  where d <= 1 + least(length(p_word) / 4, 2)
  order by d, c
  limit 1
$$;

-- Raises the error of p_reason and never returns. p_set chooses WD211 (SET string) instead of WD005
-- (condition). The hint is p_hint, else that of the reason, else p_info.
-- Raises: WD005; WD211 when p_set.
create or replace function wedsql.refuse(
  p_set boolean, p_reason text, p_position integer, p_token text, p_info text default null,
  p_hint text default null,
  p_facts jsonb default '{}')
returns void language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  v_refusal wedsql.refusal;
  v_token text := case when length(p_token) > 60 then left(p_token, 57) || '...' else p_token end;
begin
  select * into strict v_refusal from wedsql.refusal where reason = p_reason;
  perform wedsql._raise(case when p_set then 'WD211' else 'WD005' end, v_refusal.sentence,
    coalesce(p_hint, nullif(v_refusal.hint, ''), p_info), p_facts || jsonb_strip_nulls(jsonb_build_object(
      'position', p_position, 'length', length(p_token), 'token', v_token, 'info', p_info, 'reason',
      p_reason)));
end
$$;
