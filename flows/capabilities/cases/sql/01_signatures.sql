-- Signatures of exceptions: which of the smallest parts of the conditions hold, fail or are unknown on the
-- state, with the cause and the transition that wrote it. Cases with the same signature have the same cause,
-- whatever their values and error texts are. Evaluating all parts is too much for a commit, so the reaper
-- computes signatures; a commit does only where an instance becomes an exception again.

-- Returns the signature of each of these exceptions of a flow, as they are after the steps p_seqs.
create or replace function wedsql._signatures(p_flow integer, p_wids integer[], p_seqs integer[],
  p_causes text[], p_transitions text[]) returns text[]
language plpgsql stable set search_path = pg_catalog, pg_temp
set timezone = 'UTC' set datestyle = 'ISO, YMD' set intervalstyle = 'postgres' as $$
declare
  v_types jsonb := wedsql._attr_types(p_flow);
  v_leaves wedsql.condition[] := array(
    select row(p.place, null, p.canonical, p.reads, null)::wedsql.condition
    from wedsql._parts_to_evaluate(array(select t.cpred from wedsql.trig t
      where t.flow_id = p_flow and t.enabled order by t.tgid), v_types) p
    where p.kind = 'leaf' order by p.place);
  v_states jsonb := (
    select jsonb_agg(coalesce(t.state, '{}') order by u.n)
    from unnest(p_wids, p_seqs) with ordinality u (wid, seq, n)
    left join lateral (select h.state from wedsql.wed_trace h
                       where h.wid = u.wid and h.seq = u.seq limit 1) t on true);
begin
  return array(
    select left(encode(sha256(convert_to(jsonb_build_array(p_causes[v.n], p_transitions[v.n], (
      select jsonb_agg(distinct p.canonical || ' = ' || substr(v.letters, p.n::integer, 1))
      from unnest(v_leaves) with ordinality p (n_, n_tgid, canonical, reads, disjuncts, n)))::text, 'UTF8')),
      'hex'), 12)
    from unnest(wedsql._values(v_leaves, v_types, v_states)) with ordinality v (letters, n) order by v.n);
end $$;

-- Returns the signatures of a list that commas separate; '' is that of cases without one yet.
create or replace function wedsql._signature_list(p_text text) returns text[]
language sql immutable set search_path = pg_catalog, pg_temp as $$
select regexp_split_to_array(p_text, ',')
$$;

-- Computes the signatures of these cases of a flow that have none of their last step.
-- Locks: the cases; the caller has locked them.
create or replace function wedsql._sign(p_flow integer, p_numbers bigint[]) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_cases wedsql.repair_case[] := array(
    select c from wedsql.repair_case c
    where c.number = any (p_numbers) and c.signed_seq is distinct from c.seq order by c.number);
begin
  if v_cases <> '{}' then
    update wedsql.repair_case c set signature = s.signature, signed_seq = s.seq
    from (select u.number, u.seq, g.signature
          from unnest(v_cases) with ordinality u
          join unnest(wedsql._signatures(p_flow, array(select o.wid from unnest(v_cases) o),
            array(select o.seq from unnest(v_cases) o), array(select o.cause from unnest(v_cases) o),
            array(select o.transition from unnest(v_cases) o))) with ordinality g (signature, n)
            on g.n = u.ordinality) s
    where c.number = s.number;
  end if;
end $$;

-- Computes the signatures of these cases ('signatures'), or ends those of their waits that are over
-- ('waits').
create or replace function wedsql._look_together(p_kind text, p_flow integer, p_cases wedsql.repair_case[])
  returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if p_kind = 'signatures' then
    perform wedsql._sign(p_flow, array(select c.number from unnest(p_cases) c));
  else
    perform wedsql._end_waits(p_flow, p_cases);
  end if;
end $$;

-- Looks at these cases of a flow together; where that failed, at each by itself, so that one stops no other.
-- What failed is recorded and tried again. After a failure by statement_timeout the round ends, and the next
-- one looks at each by itself. Returns at how many it looked without a failure.
-- Locks: the cases; the caller has locked them.
create or replace function wedsql._look_at_cases(p_kind text, p_flow integer, p_cases wedsql.repair_case[],
  p_now timestamptz) returns integer
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_case wedsql.repair_case;
  v_done integer := 0;
begin
  if not exists (select from wedsql.trouble t
                 where t.flow_id = p_flow and t.kind = p_kind and t.wid = 0 and t.item = 0) then
    begin
      perform wedsql._look_together(p_kind, p_flow, p_cases);
      delete from wedsql.trouble t using unnest(p_cases) c
      where t.flow_id = p_flow and t.kind = p_kind and t.wid = c.wid and t.item = c.number;
      return cardinality(p_cases);
    exception when query_canceled or others then
      perform wedsql._note_item_failure(p_flow, p_kind, 0, 0, sqlstate, sqlerrm, p_now);
    end;
  end if;
  foreach v_case in array p_cases loop
    exit when wedsql._round_over();
    begin
      perform wedsql._look_together(p_kind, p_flow, array[v_case]);
      perform wedsql._no_trouble(p_flow, p_kind, v_case.wid, v_case.number);
      v_done := v_done + 1;
    exception when query_canceled or others then
      perform wedsql._note_item_failure(p_flow, p_kind, v_case.wid, v_case.number, sqlstate, sqlerrm, p_now);
    end;
  end loop;
  if not wedsql._round_over() then
    perform wedsql._no_trouble(p_flow, p_kind, 0, 0);
  end if;
  return v_done;
end $$;

-- Computes signatures of cases, at most p_max of a flow, and returns how many. A case whose signature
-- cannot be computed is recorded (wedsql.trouble) and stops no other.
-- Locks: the cases, skipping locked ones.
create or replace function wedsql.sign_cases(p_max integer default 500) returns integer
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_now timestamptz := wedsql.now();
  v_flow integer;
  v_cases wedsql.repair_case[];
  v_done integer := 0;
begin
  perform set_config('wedsql.round_over', '', true);
  for v_flow in
    select f.id from wedsql.flow f
    where wedsql._may_try(f.id, 'signatures', 0, 0, v_now) and exists (
      select from wedsql.repair_case c where c.flow_id = f.id and c.signed_seq is distinct from c.seq)
  loop
    exit when wedsql._round_over();
    v_cases := array(select c from wedsql.repair_case c
                     where c.flow_id = v_flow and c.signed_seq is distinct from c.seq
                       and wedsql._may_try(v_flow, 'signatures', c.wid, c.number, v_now)
                     limit p_max for no key update skip locked);
    v_done := v_done + wedsql._look_at_cases('signatures', v_flow, v_cases, v_now);
  end loop;
  return v_done;
end $$;

grant execute on function wedsql.sign_cases(integer) to wed_reaper;
