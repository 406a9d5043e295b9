--
-- PostgreSQL database dump
--


-- Dumped from database version 15.18 (Debian 15.18-0+deb12u1)
-- Dumped by pg_dump version 15.18 (Debian 15.18-0+deb12u1)

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

--
-- Name: cancelling; Type: SCHEMA; Schema: -; Owner: wed_owner
--

CREATE SCHEMA cancelling;


ALTER SCHEMA cancelling OWNER TO wed_owner;

--
-- Name: deferring; Type: SCHEMA; Schema: -; Owner: wed_owner
--

CREATE SCHEMA deferring;


ALTER SCHEMA deferring OWNER TO wed_owner;

--
-- Name: every; Type: SCHEMA; Schema: -; Owner: wed_owner
--

CREATE SCHEMA every;


ALTER SCHEMA every OWNER TO wed_owner;

--
-- Name: wed_match; Type: SCHEMA; Schema: -; Owner: wed_eval
--

CREATE SCHEMA wed_match;


ALTER SCHEMA wed_match OWNER TO wed_eval;

--
-- Name: wedsql; Type: SCHEMA; Schema: -; Owner: wed_owner
--

CREATE SCHEMA wedsql;


ALTER SCHEMA wedsql OWNER TO wed_owner;

--
-- Name: SCHEMA wedsql; Type: COMMENT; Schema: -; Owner: wed_owner
--

COMMENT ON SCHEMA wedsql IS 'WED-SQL kernel 1.0.0 f665eb8320a8ea6fec15a26905471270df2103b3dff469e9cae47fdba4de76c4 2c8b2944fc0497aca12d152e652d283e';


--
-- Name: rendered; Type: TYPE; Schema: wedsql; Owner: wed
--

CREATE TYPE wedsql.rendered AS (
	aligned text,
	qualified text,
	reads text[],
	disjuncts text[]
);


ALTER TYPE wedsql.rendered OWNER TO wed;

--
-- Name: step; Type: TYPE; Schema: wedsql; Owner: wed
--

CREATE TYPE wedsql.step AS (
	wid integer,
	fresh boolean,
	job_id bigint,
	tgid integer,
	trw text,
	cause_seq integer,
	actor text,
	reason text,
	state jsonb,
	before jsonb,
	matched integer[],
	errors jsonb,
	claim bigint
);


ALTER TYPE wedsql.step OWNER TO wed;

--
-- Name: taken; Type: TYPE; Schema: wedsql; Owner: wed
--

CREATE TYPE wedsql.taken AS (
	job_id bigint,
	wid integer,
	tgid integer,
	trname text,
	claim bigint,
	payload jsonb,
	state jsonb,
	matched integer[],
	timeout interval,
	deadline timestamp with time zone,
	attempts integer,
	reads text[],
	writes text[],
	version integer,
	mode text
);


ALTER TYPE wedsql.taken OWNER TO wed;

--
-- Name: token; Type: TYPE; Schema: wedsql; Owner: wed
--

CREATE TYPE wedsql.token AS (
	"position" integer,
	length integer,
	kind text,
	text text,
	depth integer
);


ALTER TYPE wedsql.token OWNER TO wed;

--
-- Name: why; Type: TYPE; Schema: wedsql; Owner: wed
--

CREATE TYPE wedsql.why AS (
	code text,
	message text,
	hint text,
	detail text
);


ALTER TYPE wedsql.why OWNER TO wed;

--
-- Name: _commit(integer[], bigint[], bigint[], jsonb[], text, boolean); Type: FUNCTION; Schema: cancelling; Owner: wed_owner
--

CREATE FUNCTION cancelling._commit(p_wids integer[], p_jobs bigint[], p_claims bigint[], p_changes jsonb[], p_actor text, p_held boolean DEFAULT false) RETURNS TABLE(job_id bigint, seq integer, status "char", fired text[])
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET "DateStyle" TO 'ISO, YMD'
    SET "TimeZone" TO 'UTC'
    SET "IntervalStyle" TO 'postgres'
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET enable_material TO 'off'
    SET join_collapse_limit TO '1'
    SET jit TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
#variable_conflict use_column
declare
  v_steps wedsql.step[];
  v_failed boolean;
begin
  perform 1 from cancelling.wed_flow w where w.wid = any (p_wids) order by w.wid for no key update;
  v_steps := wedsql._check_jobs(3, '{kind,a,b}'::text[], p_wids, p_jobs, p_claims, p_changes, p_actor, p_held);
  with done as (
    update cancelling.wed_flow w set kind = case when c.state ? 'kind' then (c.state ->> 'kind')::text else w.kind end, a = case when c.state ? 'a' then (c.state ->> 'a')::text else w.a end, b = case when c.state ? 'b' then (c.state ->> 'b')::text else w.b end
    from unnest(v_steps) c join cancelling.wed_flow o on o.wid = c.wid
    where w.wid = c.wid
    returning c.*, to_jsonb(o) as old, to_jsonb(w) - 'wid' as now, wed_match.f_3(w) as holds)
  select array_agg(row(d.wid, false, d.job_id, d.tgid, d.trw, d.cause_seq, p_actor, null, d.now,
                       (select coalesce(jsonb_object_agg(k, d.old -> k), '{}') from jsonb_object_keys(d.state) k),
                       d.holds, null, d.claim)::wedsql.step), bool_or(0 > any (d.holds))
  into v_steps, v_failed from done d;
  return query select r.job_id, r.seq, r.status, r.fired from wedsql._settle(3, v_steps, v_failed) r;
end $$;


ALTER FUNCTION cancelling._commit(p_wids integer[], p_jobs bigint[], p_claims bigint[], p_changes jsonb[], p_actor text, p_held boolean) OWNER TO wed_owner;

--
-- Name: _retest(integer[]); Type: FUNCTION; Schema: cancelling; Owner: wed_owner
--

CREATE FUNCTION cancelling._retest(p_wids integer[]) RETURNS TABLE(wid integer, state jsonb, matched integer[])
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET "TimeZone" TO 'UTC'
    SET "DateStyle" TO 'ISO, YMD'
    SET "IntervalStyle" TO 'postgres'
    AS $$
begin
  return query select w.wid, to_jsonb(w) - 'wid', wed_match.f_3(w) from cancelling.wed_flow w where w.wid = any (p_wids) order by w.wid for no key update;
end $$;


ALTER FUNCTION cancelling._retest(p_wids integer[]) OWNER TO wed_owner;

--
-- Name: _single(integer, bigint, bigint, jsonb, text); Type: FUNCTION; Schema: cancelling; Owner: wed_owner
--

CREATE FUNCTION cancelling._single(p_wid integer, p_job_id bigint, p_claim bigint, p_changes jsonb, p_actor text, OUT seq integer, OUT status "char", OUT fired text[]) RETURNS record
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- Locks: the instance, its job, its trace.

declare
  v_now timestamptz;
  v_row cancelling.wed_flow;
  v_before jsonb := '{}'::jsonb;
  v_state jsonb;
  v_matched integer[];
  v_new integer[];
  v_job record;
  v_suppressed integer[];
  v_others boolean;
  v_status "char";
  v_tgid integer;
  v_name text;
  v_fired text[] := '{}'::text[];
begin
  <<short>> begin
  select * into v_row from cancelling.wed_flow w where w.wid = p_wid for no key update;
  v_now := wedsql.now();
  -- A job that is gone, late or another's, an instance that does not run (one that does has no parked work), a refused change.
  select j.tgid, j.trname, j.cause_seq, x.seq + 1 as seq, f.version, f.final_tgid, f.final_when_pending as policy, x.seq + 1 >= f.fuse as fuse,
         exists (select 1 from wedsql.watch w where w.seen_at > v_now - interval '1 minute') as watched,
         array(select p.tgid from wedsql.job_pool p where p.wid = p_wid and p.id <> p_job_id) as pending,
         case when p_claim is not null then j.state = 'L' and j.claim = p_claim and j.lease_until > v_now
              else j.state = 'P' and coalesce(v_now - j.timeout, '-infinity') <= to_timestamp(nullif(current_setting('wedsql.took', true), '')::float8)
                   and strpos(current_setting('wedsql.took_jobs', true), ',' || p_job_id || ',') > 0 end
         and p_changes @> '{}' and p_changes - '{kind,a,b}'::text[] = '{}' as fine
  into v_job
  from wedsql.job_pool j, wedsql.instance x, wedsql.flow f
  where j.wid = p_wid and j.id = p_job_id and x.wid = v_row.wid and x.status = 'R' and f.id = 3 and f.plain;
  exit short when v_job.fine is not true;
  if p_changes ? 'kind' then v_before := v_before || jsonb_build_object('kind', v_row.kind); v_row.kind := (p_changes ->> 'kind')::text; end if;
  if p_changes ? 'a' then v_before := v_before || jsonb_build_object('a', v_row.a); v_row.a := (p_changes ->> 'a')::text; end if;
  if p_changes ? 'b' then v_before := v_before || jsonb_build_object('b', v_row.b); v_row.b := (p_changes ->> 'b')::text; end if;
  v_state := to_jsonb(v_row) - 'wid';
  v_matched := wed_match.f_3(v_row);
  exit short when 0 > any (v_matched);
  v_others := v_job.pending <> '{}';
  if v_job.final_tgid = any (v_matched) then
    exit short when v_others;
    v_status := wedsql._next_status(true, v_others, false, false, false, false, v_job.policy);
    v_suppressed := nullif(array_remove(v_matched, v_job.final_tgid), '{}');
  else
    foreach v_tgid in array v_matched loop
      if not v_others or v_tgid <> all (v_job.pending) then
        v_new := v_new || v_tgid;
      end if;
    end loop;
    exit short when v_job.fuse and v_new is not null;
    v_status := wedsql._next_status(false, v_others, false, v_new is not null, false, false, null);
    exit short when v_status = 'E';
  end if;
  exit short when not (p_claim is not null or pg_try_advisory_xact_lock(p_wid, v_job.tgid));
  if v_new is not null then
    if v_job.tgid = any (v_new) then
      delete from wedsql.job_pool j where j.wid = p_wid and j.tgid = v_job.tgid;
    end if;
    foreach v_tgid in array v_new loop
      insert into wedsql.job_pool (wid, tgid, flow_id, trname, timeout, payload, priority, fired_at, fired_xid, cause_seq, version)
      select p_wid, t.tgid, 3, t.trname, t.timeout, v_state, t.priority, v_now, txid_current(), v_job.seq, v_job.version
      from wedsql.trig t where t.tgid = v_tgid returning trname into strict v_name;
      v_fired := v_fired || v_name;
    end loop;
  end if;
  with pool as (delete from wedsql.job_pool j where j.wid = p_wid and j.id = p_job_id),
       state as (update cancelling.wed_flow w set kind = v_row.kind, a = v_row.a, b = v_row.b where w.wid = p_wid),
       life as (update wedsql.instance x set seq = v_job.seq, status = v_status, changed_at = v_now, reason = null,
                  finished_at = case when v_status = 'F' then v_now end where x.wid = p_wid)
  insert into wedsql.wed_trace (flow_id, wid, seq, tstmp, trw, trf, state, status, job_id, claim, tgid, fired, before, cause_seq,
                                actor, version, tx_at, suppressed)
  values (3, p_wid, v_job.seq, v_now, v_job.trname, v_fired, v_state, v_status, p_job_id, p_claim, v_job.tgid, coalesce(v_new, '{}'), v_before,
          v_job.cause_seq, p_actor, v_job.version, now(), v_suppressed);
  if v_new is not null then
    v_job.watched := v_job.watched
      or exists (select 1 from wedsql.worker w where w.waiting and w.seen_at > v_now - interval '30 seconds')
      or not exists (select 1 from wedsql.worker w where w.serves @> string_to_array('cancelling:' || array_to_string(v_fired, ' cancelling:'), ' ') and w.seen_at > v_now - interval '30 seconds')
      or exists (select 1 from wedsql.paper_client c where c.flow_id = 3);
  end if;
  if v_job.watched then
    perform wedsql._notify(f, array[p_wid], array[v_job.seq], v_fired, cardinality(v_fired)) from wedsql.flow f where f.id = 3;
  end if;
  seq := v_job.seq; status := v_status; fired := v_fired; return;
  end short;
end $$;


ALTER FUNCTION cancelling._single(p_wid integer, p_job_id bigint, p_claim bigint, p_changes jsonb, p_actor text, OUT seq integer, OUT status "char", OUT fired text[]) OWNER TO wed_owner;

--
-- Name: _start(jsonb[], text, text[]); Type: FUNCTION; Schema: cancelling; Owner: wed_owner
--

CREATE FUNCTION cancelling._start(p_states jsonb[], p_actor text, p_keys text[]) RETURNS TABLE(ord integer, wid integer, status "char")
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET "DateStyle" TO 'ISO, YMD'
    SET "TimeZone" TO 'UTC'
    SET "IntervalStyle" TO 'postgres'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
#variable_conflict use_column
declare
  v_wids integer[];
  v_steps wedsql.step[];
  v_failed boolean;
  v_now timestamptz := wedsql.now();
begin
  perform wedsql._check_states('{kind,a,b}'::text[], p_states);
  select array_agg(nextval('wedsql.wid_seq')::integer) into v_wids from generate_series(1, cardinality(p_states));
  with born as (
    insert into cancelling.wed_flow as w (wid, kind, a, b)
    select u.wid, case when u.s ? 'kind' then (u.s ->> 'kind')::text else 'mark'::text end, case when u.s ? 'a' then (u.s ->> 'a')::text else NULL::text end, case when u.s ? 'b' then (u.s ->> 'b')::text else NULL::text end from unnest(v_wids, p_states) u (wid, s)
    returning w.wid, to_jsonb(w) - 'wid' as state, wed_match.f_3(w) as holds)
  select array_agg(row(b.wid, true, null, null, '_INIT', null, p_actor, null, b.state, null, b.holds, null, null)::wedsql.step),
         bool_or(0 > any (b.holds))
  into v_steps, v_failed from born b;
  insert into wedsql.instance (wid, flow_id, version, started_at, changed_at, actor, key)
  select u.wid, 3, f.version, v_now, v_now, p_actor, u.key from unnest(v_wids, p_keys) u (wid, key) join wedsql.flow f on f.id = 3 where u.wid is not null;
  return query select array_position(v_wids, r.wid), r.wid, r.status from wedsql._settle(3, v_steps, v_failed) r;
end $$;


ALTER FUNCTION cancelling._start(p_states jsonb[], p_actor text, p_keys text[]) OWNER TO wed_owner;

--
-- Name: _taken(integer[], bigint[]); Type: FUNCTION; Schema: cancelling; Owner: wed_owner
--

CREATE FUNCTION cancelling._taken(p_wids integer[], p_ids bigint[]) RETURNS SETOF wedsql.taken
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET enable_material TO 'off'
    SET join_collapse_limit TO '1'
    SET plan_cache_mode TO 'force_generic_plan'
    SET "TimeZone" TO 'UTC'
    SET "DateStyle" TO 'ISO, YMD'
    SET "IntervalStyle" TO 'postgres'
    AS $$
begin
  return query select j.id, j.wid, j.tgid, j.trname, j.claim, j.payload, to_jsonb(w) - 'wid',
         '{1}'::integer[], j.timeout, coalesce(j.lease_until, wedsql.now() + j.timeout), j.attempts::integer, t.reads, t.writes, j.version,
         case when t.mode = 'auto' then case when j.timeout > interval '1 minute' then 'lease' else 'transaction' end else coalesce(t.mode, 'transaction') end
  from unnest(p_wids, p_ids) c (wid, id)
  cross join lateral (select * from wedsql.job_pool p where p.wid = c.wid and p.id = c.id offset 0) j
  left join cancelling.wed_flow w on w.wid = j.wid
  left join wedsql.trig t on t.tgid = j.tgid;
end $$;


ALTER FUNCTION cancelling._taken(p_wids integer[], p_ids bigint[]) OWNER TO wed_owner;

--
-- Name: complete_held(integer, bigint, jsonb, text, text); Type: FUNCTION; Schema: cancelling; Owner: wed_owner
--

CREATE FUNCTION cancelling.complete_held(p_wid integer, p_job_id bigint, p_changes jsonb, p_actor text DEFAULT NULL::text, p_set text DEFAULT NULL::text) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
-- Promise: the result of one job that this session holds (<flow>.hold), meant to be a transaction of its own; its place in
-- the history. The session's lock on the job ends here. p_set: the paper's SET string instead of the changes.
-- p_wid null: nothing is done, but what can be prepared beforehand is.
-- Locks: the instance, its job, its trace.
-- Raises: as <flow>._commit; nothing is written then.

declare
  v_now timestamptz;
  v_row cancelling.wed_flow;
  v_before jsonb := '{}'::jsonb;
  v_state jsonb;
  v_matched integer[];
  v_new integer[];
  v_job record;
  v_suppressed integer[];
  v_others boolean;
  v_status "char";
  v_tgid integer;
  v_name text;
  v_fired text[] := '{}'::text[];
begin
  if p_actor is null then
    p_actor := wedsql._actor();
  end if;
  if p_set is not null then
    p_changes := wedsql._set_changes('cancelling', p_wid, p_set);
  end if;
  <<short>> begin
  select * into v_row from cancelling.wed_flow w where w.wid = p_wid for no key update;
  v_now := wedsql.now();
  -- A job that is gone, late or another's, an instance that does not run (one that does has no parked work), a refused change.
  select j.tgid, j.trname, j.cause_seq, x.seq + 1 as seq, f.version, f.final_tgid, f.final_when_pending as policy, x.seq + 1 >= f.fuse as fuse,
         exists (select 1 from wedsql.watch w where w.seen_at > v_now - interval '1 minute') as watched,
         array(select p.tgid from wedsql.job_pool p where p.wid = p_wid and p.id <> p_job_id) as pending,
         j.state = 'P' and coalesce(v_now - j.timeout, '-infinity') <= to_timestamp(nullif(current_setting('wedsql.held', true), '')::float8)
         and p_changes @> '{}' and p_changes - '{kind,a,b}'::text[] = '{}' as fine
  into v_job
  from wedsql.job_pool j, wedsql.instance x, wedsql.flow f
  where j.wid = p_wid and j.id = p_job_id and x.wid = v_row.wid and x.status = 'R' and f.id = 3 and f.plain;
  exit short when v_job.fine is not true;
  if p_changes ? 'kind' then v_before := v_before || jsonb_build_object('kind', v_row.kind); v_row.kind := (p_changes ->> 'kind')::text; end if;
  if p_changes ? 'a' then v_before := v_before || jsonb_build_object('a', v_row.a); v_row.a := (p_changes ->> 'a')::text; end if;
  if p_changes ? 'b' then v_before := v_before || jsonb_build_object('b', v_row.b); v_row.b := (p_changes ->> 'b')::text; end if;
  v_state := to_jsonb(v_row) - 'wid';
  v_matched := wed_match.f_3(v_row);
  exit short when 0 > any (v_matched);
  v_others := v_job.pending <> '{}';
  if v_job.final_tgid = any (v_matched) then
    exit short when v_others;
    v_status := wedsql._next_status(true, v_others, false, false, false, false, v_job.policy);
    v_suppressed := nullif(array_remove(v_matched, v_job.final_tgid), '{}');
  else
    foreach v_tgid in array v_matched loop
      if not v_others or v_tgid <> all (v_job.pending) then
        v_new := v_new || v_tgid;
      end if;
    end loop;
    exit short when v_job.fuse and v_new is not null;
    v_status := wedsql._next_status(false, v_others, false, v_new is not null, false, false, null);
    exit short when v_status = 'E';
  end if;
  exit short when not (pg_try_advisory_xact_lock(p_wid, v_job.tgid) and pg_advisory_unlock(p_wid, v_job.tgid));
  if v_new is not null then
    if v_job.tgid = any (v_new) then
      delete from wedsql.job_pool j where j.wid = p_wid and j.tgid = v_job.tgid;
    end if;
    foreach v_tgid in array v_new loop
      insert into wedsql.job_pool (wid, tgid, flow_id, trname, timeout, payload, priority, fired_at, fired_xid, cause_seq, version)
      select p_wid, t.tgid, 3, t.trname, t.timeout, v_state, t.priority, v_now, txid_current(), v_job.seq, v_job.version
      from wedsql.trig t where t.tgid = v_tgid returning trname into strict v_name;
      v_fired := v_fired || v_name;
    end loop;
  end if;
  with pool as (delete from wedsql.job_pool j where j.wid = p_wid and j.id = p_job_id),
       state as (update cancelling.wed_flow w set kind = v_row.kind, a = v_row.a, b = v_row.b where w.wid = p_wid),
       life as (update wedsql.instance x set seq = v_job.seq, status = v_status, changed_at = v_now, reason = null,
                  finished_at = case when v_status = 'F' then v_now end where x.wid = p_wid)
  insert into wedsql.wed_trace (flow_id, wid, seq, tstmp, trw, trf, state, status, job_id, claim, tgid, fired, before, cause_seq,
                                actor, version, tx_at, suppressed)
  values (3, p_wid, v_job.seq, v_now, v_job.trname, v_fired, v_state, v_status, p_job_id, null, v_job.tgid, coalesce(v_new, '{}'), v_before,
          v_job.cause_seq, p_actor, v_job.version, now(), v_suppressed);
  if v_new is not null then
    v_job.watched := v_job.watched
      or exists (select 1 from wedsql.worker w where w.waiting and w.seen_at > v_now - interval '30 seconds')
      or not exists (select 1 from wedsql.worker w where w.serves @> string_to_array('cancelling:' || array_to_string(v_fired, ' cancelling:'), ' ') and w.seen_at > v_now - interval '30 seconds')
      or exists (select 1 from wedsql.paper_client c where c.flow_id = 3);
  end if;
  if v_job.watched then
    perform wedsql._notify(f, array[p_wid], array[v_job.seq], v_fired, cardinality(v_fired)) from wedsql.flow f where f.id = 3;
  end if;
  return v_job.seq;
  end short;
  if p_wid is not null then
    return (select c.seq from cancelling._commit(array[p_wid], array[p_job_id], array[null::bigint], array[p_changes], p_actor, true) c);
  end if;
  return null;
end $$;


ALTER FUNCTION cancelling.complete_held(p_wid integer, p_job_id bigint, p_changes jsonb, p_actor text, p_set text) OWNER TO wed_owner;

--
-- Name: complete_many(integer[], bigint[], bigint[], jsonb[], text, text[]); Type: FUNCTION; Schema: cancelling; Owner: wed_owner
--

CREATE FUNCTION cancelling.complete_many(p_wids integer[], p_job_ids bigint[], p_claims bigint[], p_changes jsonb[], p_actor text DEFAULT NULL::text, p_sets text[] DEFAULT NULL::text[]) RETURNS TABLE(job_id bigint, ok boolean, seq integer, status text, fired text[], sqlstate text, message text, hint text, detail text)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET "DateStyle" TO 'ISO, YMD'
    SET "TimeZone" TO 'UTC'
    SET "IntervalStyle" TO 'postgres'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
#variable_conflict use_column
-- Promise: applies the results of jobs. All at once when all are acceptable; where one is refused each is applied on its
-- own, so that it touches nobody else. A repeated result gets the first answer.
-- Locks: instances in wid order, jobs, trace.
-- Raises: what is worth trying again (40001, 40P01, 55P03, 57014); every other refusal is a row with ok = false.
declare
  v_actor text := coalesce(nullif(p_actor, ''), wedsql._actor());
  v_one record;
begin
  if p_sets is null then
    begin
      if cardinality(p_job_ids) = 1 then
        v_one := cancelling._single(p_wids[1], p_job_ids[1], p_claims[1], p_changes[1], v_actor);
        if v_one.seq is not null then
          job_id := p_job_ids[1];
          ok := true;
          seq := v_one.seq;
          status := v_one.status;
          fired := v_one.fired;
          return next;
          return;
        end if;
      end if;
      return query select c.job_id, true, c.seq, c.status::text, c.fired, null::text, null::text, null::text, null::text
        from cancelling._commit(p_wids, p_job_ids, p_claims, p_changes, v_actor) c;
      return;
    exception
      when serialization_failure or deadlock_detected or lock_not_available or query_canceled then raise;
      when others then null;  -- one of them is refused: each is tried on its own below
    end;
  end if;
  for i in 1..coalesce(cardinality(p_job_ids), 0) loop
    return query select * from wedsql._complete_one('cancelling', p_wids[i], p_job_ids[i], p_claims[i], p_changes[i], v_actor, p_sets[i]);
  end loop;
end $$;


ALTER FUNCTION cancelling.complete_many(p_wids integer[], p_job_ids bigint[], p_claims bigint[], p_changes jsonb[], p_actor text, p_sets text[]) OWNER TO wed_owner;

--
-- Name: hold(text[], integer, text); Type: FUNCTION; Schema: cancelling; Owner: wed_owner
--

CREATE FUNCTION cancelling.hold(p_transitions text[], p_limit integer DEFAULT 1, p_actor text DEFAULT NULL::text) RETURNS SETOF wedsql.taken
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET "TimeZone" TO 'UTC'
    SET "DateStyle" TO 'ISO, YMD'
    SET "IntervalStyle" TO 'postgres'
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET enable_material TO 'off'
    SET join_collapse_limit TO '1'
    SET jit TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
-- Promise: up to p_limit ready jobs of different instances, held until the transaction ends; nothing is written (DESIGN.md 4).
-- <flow>.hold: held by the session instead, until each is finished (<flow>.complete_held, a commit each), the session holds
-- anew, or ends. Each is read again under its lock, so that a job somebody finished meanwhile is not run a second time.
-- Locks: an advisory lock a job.
declare
  v_pick record;
begin
  perform pg_advisory_unlock_all();
  perform set_config('wedsql.held', extract(epoch from wedsql.now())::text, false);
  if p_limit < 1 then
    return;
  end if;
  for v_try in 1..20 loop
    v_pick := wedsql._pick(3, 'f', p_transitions, p_limit, null, 't');
    exit when v_pick.ids = '{}';
    return query select j.id, j.wid, j.tgid, j.trname, j.claim, j.payload, to_jsonb(w) - 'wid',
         '{1}'::integer[], j.timeout, coalesce(j.lease_until, wedsql.now() + j.timeout), j.attempts::integer, t.reads, t.writes, j.version,
         case when t.mode = 'auto' then case when j.timeout > interval '1 minute' then 'lease' else 'transaction' end else coalesce(t.mode, 'transaction') end
  from unnest(v_pick.wids, v_pick.ids) c (wid, id)
  cross join lateral (select * from wedsql.job_pool p where p.wid = c.wid and p.id = c.id offset 0) j
  left join cancelling.wed_flow w on w.wid = j.wid
  left join wedsql.trig t on t.tgid = j.tgid;
    exit when found;  -- else others finished all of them a moment before the locks were ours
  end loop;
end $$;


ALTER FUNCTION cancelling.hold(p_transitions text[], p_limit integer, p_actor text) OWNER TO wed_owner;

--
-- Name: start_many(jsonb[], text, text[]); Type: FUNCTION; Schema: cancelling; Owner: wed_owner
--

CREATE FUNCTION cancelling.start_many(p_states jsonb[], p_actor text DEFAULT NULL::text, p_keys text[] DEFAULT NULL::text[]) RETURNS TABLE(ord integer, wid integer, status text, sqlstate text, message text, hint text, detail text)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
#variable_conflict use_column
-- Promise: starts one instance a state, all in one go; where one is refused the others start all the same.
-- A key that the flow has seen already gives back the instance it named: repeating a start is harmless.
-- Raises: what is worth trying again (lock, serialization); every other refusal is a row with its SQLSTATE.
declare
  v_actor text := wedsql._actor(p_actor);
  v_why wedsql.why;
begin
  if coalesce(cardinality(p_states), 0) = 0 then
    return;
  end if;
  begin
    return query select s.ord, s.wid, s.status::text, null::text, null::text, null::text, null::text from cancelling._start(p_states, v_actor, p_keys) s;
    return;
  exception
    when serialization_failure or deadlock_detected or lock_not_available or query_canceled then raise;
    when others then
      if cardinality(p_states) = 1 then
        get stacked diagnostics v_why.code = returned_sqlstate, v_why.message = message_text, v_why.hint = pg_exception_hint, v_why.detail = pg_exception_detail;
        return query select 1, r.* from wedsql._start_refused('cancelling', p_states[1], p_keys[1], v_why) r;
        return;
      end if;
  end;
  for i in 1..cardinality(p_states) loop
    return query select i, r.wid, r.status, r.sqlstate, r.message, r.hint, r.detail
      from cancelling.start_many(array[p_states[i]], v_actor, array[p_keys[i]]) r;
  end loop;
end $$;


ALTER FUNCTION cancelling.start_many(p_states jsonb[], p_actor text, p_keys text[]) OWNER TO wed_owner;

--
-- Name: take(text[], integer, text, bigint[]); Type: FUNCTION; Schema: cancelling; Owner: wed_owner
--

CREATE FUNCTION cancelling.take(p_transitions text[], p_limit integer DEFAULT 1, p_actor text DEFAULT NULL::text, p_job_ids bigint[] DEFAULT NULL::bigint[]) RETURNS SETOF wedsql.taken
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET "TimeZone" TO 'UTC'
    SET "DateStyle" TO 'ISO, YMD'
    SET "IntervalStyle" TO 'postgres'
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET enable_material TO 'off'
    SET join_collapse_limit TO '1'
    SET jit TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
-- Promise: up to p_limit ready jobs of different instances, held until the transaction ends; nothing is written (DESIGN.md 4).
-- <flow>.hold: held by the session instead, until each is finished (<flow>.complete_held, a commit each), the session holds
-- anew, or ends. Each is read again under its lock, so that a job somebody finished meanwhile is not run a second time.
-- Locks: an advisory lock a job.
declare
  v_pick record;
begin
  if nullif(current_setting('wedsql.took', true), '') is null then
    perform set_config('wedsql.took', extract(epoch from wedsql.now())::text, true);
  end if;
  if p_limit < 1 then
    return;
  end if;
  for v_try in 1..20 loop
    v_pick := wedsql._pick(3, 'f', p_transitions, p_limit, p_job_ids, 'f');
    exit when v_pick.ids = '{}';
    perform set_config('wedsql.took_jobs', concat(current_setting('wedsql.took_jobs', true), ',', array_to_string(v_pick.ids, ','), ','), true);
    return query select j.id, j.wid, j.tgid, j.trname, j.claim, j.payload, to_jsonb(w) - 'wid',
         '{1}'::integer[], j.timeout, coalesce(j.lease_until, wedsql.now() + j.timeout), j.attempts::integer, t.reads, t.writes, j.version,
         case when t.mode = 'auto' then case when j.timeout > interval '1 minute' then 'lease' else 'transaction' end else coalesce(t.mode, 'transaction') end
  from unnest(v_pick.wids, v_pick.ids) c (wid, id)
  cross join lateral (select * from wedsql.job_pool p where p.wid = c.wid and p.id = c.id offset 0) j
  left join cancelling.wed_flow w on w.wid = j.wid
  left join wedsql.trig t on t.tgid = j.tgid;
    exit when found;  -- else others finished all of them a moment before the locks were ours
  end loop;
end $$;


ALTER FUNCTION cancelling.take(p_transitions text[], p_limit integer, p_actor text, p_job_ids bigint[]) OWNER TO wed_owner;

--
-- Name: _commit(integer[], bigint[], bigint[], jsonb[], text, boolean); Type: FUNCTION; Schema: deferring; Owner: wed_owner
--

CREATE FUNCTION deferring._commit(p_wids integer[], p_jobs bigint[], p_claims bigint[], p_changes jsonb[], p_actor text, p_held boolean DEFAULT false) RETURNS TABLE(job_id bigint, seq integer, status "char", fired text[])
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET "DateStyle" TO 'ISO, YMD'
    SET "TimeZone" TO 'UTC'
    SET "IntervalStyle" TO 'postgres'
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET enable_material TO 'off'
    SET join_collapse_limit TO '1'
    SET jit TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
#variable_conflict use_column
declare
  v_steps wedsql.step[];
  v_failed boolean;
begin
  perform 1 from deferring.wed_flow w where w.wid = any (p_wids) order by w.wid for no key update;
  v_steps := wedsql._check_jobs(2, '{kind,a,b}'::text[], p_wids, p_jobs, p_claims, p_changes, p_actor, p_held);
  with done as (
    update deferring.wed_flow w set kind = case when c.state ? 'kind' then (c.state ->> 'kind')::text else w.kind end, a = case when c.state ? 'a' then (c.state ->> 'a')::text else w.a end, b = case when c.state ? 'b' then (c.state ->> 'b')::text else w.b end
    from unnest(v_steps) c join deferring.wed_flow o on o.wid = c.wid
    where w.wid = c.wid
    returning c.*, to_jsonb(o) as old, to_jsonb(w) - 'wid' as now, wed_match.f_2(w) as holds)
  select array_agg(row(d.wid, false, d.job_id, d.tgid, d.trw, d.cause_seq, p_actor, null, d.now,
                       (select coalesce(jsonb_object_agg(k, d.old -> k), '{}') from jsonb_object_keys(d.state) k),
                       d.holds, null, d.claim)::wedsql.step), bool_or(0 > any (d.holds))
  into v_steps, v_failed from done d;
  return query select r.job_id, r.seq, r.status, r.fired from wedsql._settle(2, v_steps, v_failed) r;
end $$;


ALTER FUNCTION deferring._commit(p_wids integer[], p_jobs bigint[], p_claims bigint[], p_changes jsonb[], p_actor text, p_held boolean) OWNER TO wed_owner;

--
-- Name: _retest(integer[]); Type: FUNCTION; Schema: deferring; Owner: wed_owner
--

CREATE FUNCTION deferring._retest(p_wids integer[]) RETURNS TABLE(wid integer, state jsonb, matched integer[])
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET "TimeZone" TO 'UTC'
    SET "DateStyle" TO 'ISO, YMD'
    SET "IntervalStyle" TO 'postgres'
    AS $$
begin
  return query select w.wid, to_jsonb(w) - 'wid', wed_match.f_2(w) from deferring.wed_flow w where w.wid = any (p_wids) order by w.wid for no key update;
end $$;


ALTER FUNCTION deferring._retest(p_wids integer[]) OWNER TO wed_owner;

--
-- Name: _single(integer, bigint, bigint, jsonb, text); Type: FUNCTION; Schema: deferring; Owner: wed_owner
--

CREATE FUNCTION deferring._single(p_wid integer, p_job_id bigint, p_claim bigint, p_changes jsonb, p_actor text, OUT seq integer, OUT status "char", OUT fired text[]) RETURNS record
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- Locks: the instance, its job, its trace.

declare
  v_now timestamptz;
  v_row deferring.wed_flow;
  v_before jsonb := '{}'::jsonb;
  v_state jsonb;
  v_matched integer[];
  v_new integer[];
  v_job record;
  v_suppressed integer[];
  v_others boolean;
  v_status "char";
  v_tgid integer;
  v_name text;
  v_fired text[] := '{}'::text[];
begin
  <<short>> begin
  select * into v_row from deferring.wed_flow w where w.wid = p_wid for no key update;
  v_now := wedsql.now();
  -- A job that is gone, late or another's, an instance that does not run (one that does has no parked work), a refused change.
  select j.tgid, j.trname, j.cause_seq, x.seq + 1 as seq, f.version, f.final_tgid, f.final_when_pending as policy, x.seq + 1 >= f.fuse as fuse,
         exists (select 1 from wedsql.watch w where w.seen_at > v_now - interval '1 minute') as watched,
         array(select p.tgid from wedsql.job_pool p where p.wid = p_wid and p.id <> p_job_id) as pending,
         case when p_claim is not null then j.state = 'L' and j.claim = p_claim and j.lease_until > v_now
              else j.state = 'P' and coalesce(v_now - j.timeout, '-infinity') <= to_timestamp(nullif(current_setting('wedsql.took', true), '')::float8)
                   and strpos(current_setting('wedsql.took_jobs', true), ',' || p_job_id || ',') > 0 end
         and p_changes @> '{}' and p_changes - '{kind,a,b}'::text[] = '{}' as fine
  into v_job
  from wedsql.job_pool j, wedsql.instance x, wedsql.flow f
  where j.wid = p_wid and j.id = p_job_id and x.wid = v_row.wid and x.status = 'R' and f.id = 2 and f.plain;
  exit short when v_job.fine is not true;
  if p_changes ? 'kind' then v_before := v_before || jsonb_build_object('kind', v_row.kind); v_row.kind := (p_changes ->> 'kind')::text; end if;
  if p_changes ? 'a' then v_before := v_before || jsonb_build_object('a', v_row.a); v_row.a := (p_changes ->> 'a')::text; end if;
  if p_changes ? 'b' then v_before := v_before || jsonb_build_object('b', v_row.b); v_row.b := (p_changes ->> 'b')::text; end if;
  v_state := to_jsonb(v_row) - 'wid';
  v_matched := wed_match.f_2(v_row);
  exit short when 0 > any (v_matched);
  v_others := v_job.pending <> '{}';
  if v_job.final_tgid = any (v_matched) then
    exit short when v_others;
    v_status := wedsql._next_status(true, v_others, false, false, false, false, v_job.policy);
    v_suppressed := nullif(array_remove(v_matched, v_job.final_tgid), '{}');
  else
    foreach v_tgid in array v_matched loop
      if not v_others or v_tgid <> all (v_job.pending) then
        v_new := v_new || v_tgid;
      end if;
    end loop;
    exit short when v_job.fuse and v_new is not null;
    v_status := wedsql._next_status(false, v_others, false, v_new is not null, false, false, null);
    exit short when v_status = 'E';
  end if;
  exit short when not (p_claim is not null or pg_try_advisory_xact_lock(p_wid, v_job.tgid));
  if v_new is not null then
    if v_job.tgid = any (v_new) then
      delete from wedsql.job_pool j where j.wid = p_wid and j.tgid = v_job.tgid;
    end if;
    foreach v_tgid in array v_new loop
      insert into wedsql.job_pool (wid, tgid, flow_id, trname, timeout, payload, priority, fired_at, fired_xid, cause_seq, version)
      select p_wid, t.tgid, 2, t.trname, t.timeout, v_state, t.priority, v_now, txid_current(), v_job.seq, v_job.version
      from wedsql.trig t where t.tgid = v_tgid returning trname into strict v_name;
      v_fired := v_fired || v_name;
    end loop;
  end if;
  with pool as (delete from wedsql.job_pool j where j.wid = p_wid and j.id = p_job_id),
       state as (update deferring.wed_flow w set kind = v_row.kind, a = v_row.a, b = v_row.b where w.wid = p_wid),
       life as (update wedsql.instance x set seq = v_job.seq, status = v_status, changed_at = v_now, reason = null,
                  finished_at = case when v_status = 'F' then v_now end where x.wid = p_wid)
  insert into wedsql.wed_trace (flow_id, wid, seq, tstmp, trw, trf, state, status, job_id, claim, tgid, fired, before, cause_seq,
                                actor, version, tx_at, suppressed)
  values (2, p_wid, v_job.seq, v_now, v_job.trname, v_fired, v_state, v_status, p_job_id, p_claim, v_job.tgid, coalesce(v_new, '{}'), v_before,
          v_job.cause_seq, p_actor, v_job.version, now(), v_suppressed);
  if v_new is not null then
    v_job.watched := v_job.watched
      or exists (select 1 from wedsql.worker w where w.waiting and w.seen_at > v_now - interval '30 seconds')
      or not exists (select 1 from wedsql.worker w where w.serves @> string_to_array('deferring:' || array_to_string(v_fired, ' deferring:'), ' ') and w.seen_at > v_now - interval '30 seconds')
      or exists (select 1 from wedsql.paper_client c where c.flow_id = 2);
  end if;
  if v_job.watched then
    perform wedsql._notify(f, array[p_wid], array[v_job.seq], v_fired, cardinality(v_fired)) from wedsql.flow f where f.id = 2;
  end if;
  seq := v_job.seq; status := v_status; fired := v_fired; return;
  end short;
end $$;


ALTER FUNCTION deferring._single(p_wid integer, p_job_id bigint, p_claim bigint, p_changes jsonb, p_actor text, OUT seq integer, OUT status "char", OUT fired text[]) OWNER TO wed_owner;

--
-- Name: _start(jsonb[], text, text[]); Type: FUNCTION; Schema: deferring; Owner: wed_owner
--

CREATE FUNCTION deferring._start(p_states jsonb[], p_actor text, p_keys text[]) RETURNS TABLE(ord integer, wid integer, status "char")
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET "DateStyle" TO 'ISO, YMD'
    SET "TimeZone" TO 'UTC'
    SET "IntervalStyle" TO 'postgres'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
#variable_conflict use_column
declare
  v_wids integer[];
  v_steps wedsql.step[];
  v_failed boolean;
  v_now timestamptz := wedsql.now();
begin
  perform wedsql._check_states('{kind,a,b}'::text[], p_states);
  select array_agg(nextval('wedsql.wid_seq')::integer) into v_wids from generate_series(1, cardinality(p_states));
  with born as (
    insert into deferring.wed_flow as w (wid, kind, a, b)
    select u.wid, case when u.s ? 'kind' then (u.s ->> 'kind')::text else 'mark'::text end, case when u.s ? 'a' then (u.s ->> 'a')::text else NULL::text end, case when u.s ? 'b' then (u.s ->> 'b')::text else NULL::text end from unnest(v_wids, p_states) u (wid, s)
    returning w.wid, to_jsonb(w) - 'wid' as state, wed_match.f_2(w) as holds)
  select array_agg(row(b.wid, true, null, null, '_INIT', null, p_actor, null, b.state, null, b.holds, null, null)::wedsql.step),
         bool_or(0 > any (b.holds))
  into v_steps, v_failed from born b;
  insert into wedsql.instance (wid, flow_id, version, started_at, changed_at, actor, key)
  select u.wid, 2, f.version, v_now, v_now, p_actor, u.key from unnest(v_wids, p_keys) u (wid, key) join wedsql.flow f on f.id = 2 where u.wid is not null;
  return query select array_position(v_wids, r.wid), r.wid, r.status from wedsql._settle(2, v_steps, v_failed) r;
end $$;


ALTER FUNCTION deferring._start(p_states jsonb[], p_actor text, p_keys text[]) OWNER TO wed_owner;

--
-- Name: _taken(integer[], bigint[]); Type: FUNCTION; Schema: deferring; Owner: wed_owner
--

CREATE FUNCTION deferring._taken(p_wids integer[], p_ids bigint[]) RETURNS SETOF wedsql.taken
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET enable_material TO 'off'
    SET join_collapse_limit TO '1'
    SET plan_cache_mode TO 'force_generic_plan'
    SET "TimeZone" TO 'UTC'
    SET "DateStyle" TO 'ISO, YMD'
    SET "IntervalStyle" TO 'postgres'
    AS $$
begin
  return query select j.id, j.wid, j.tgid, j.trname, j.claim, j.payload, to_jsonb(w) - 'wid',
         '{1}'::integer[], j.timeout, coalesce(j.lease_until, wedsql.now() + j.timeout), j.attempts::integer, t.reads, t.writes, j.version,
         case when t.mode = 'auto' then case when j.timeout > interval '1 minute' then 'lease' else 'transaction' end else coalesce(t.mode, 'transaction') end
  from unnest(p_wids, p_ids) c (wid, id)
  cross join lateral (select * from wedsql.job_pool p where p.wid = c.wid and p.id = c.id offset 0) j
  left join deferring.wed_flow w on w.wid = j.wid
  left join wedsql.trig t on t.tgid = j.tgid;
end $$;


ALTER FUNCTION deferring._taken(p_wids integer[], p_ids bigint[]) OWNER TO wed_owner;

--
-- Name: complete_held(integer, bigint, jsonb, text, text); Type: FUNCTION; Schema: deferring; Owner: wed_owner
--

CREATE FUNCTION deferring.complete_held(p_wid integer, p_job_id bigint, p_changes jsonb, p_actor text DEFAULT NULL::text, p_set text DEFAULT NULL::text) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
-- Promise: the result of one job that this session holds (<flow>.hold), meant to be a transaction of its own; its place in
-- the history. The session's lock on the job ends here. p_set: the paper's SET string instead of the changes.
-- p_wid null: nothing is done, but what can be prepared beforehand is.
-- Locks: the instance, its job, its trace.
-- Raises: as <flow>._commit; nothing is written then.

declare
  v_now timestamptz;
  v_row deferring.wed_flow;
  v_before jsonb := '{}'::jsonb;
  v_state jsonb;
  v_matched integer[];
  v_new integer[];
  v_job record;
  v_suppressed integer[];
  v_others boolean;
  v_status "char";
  v_tgid integer;
  v_name text;
  v_fired text[] := '{}'::text[];
begin
  if p_actor is null then
    p_actor := wedsql._actor();
  end if;
  if p_set is not null then
    p_changes := wedsql._set_changes('deferring', p_wid, p_set);
  end if;
  <<short>> begin
  select * into v_row from deferring.wed_flow w where w.wid = p_wid for no key update;
  v_now := wedsql.now();
  -- A job that is gone, late or another's, an instance that does not run (one that does has no parked work), a refused change.
  select j.tgid, j.trname, j.cause_seq, x.seq + 1 as seq, f.version, f.final_tgid, f.final_when_pending as policy, x.seq + 1 >= f.fuse as fuse,
         exists (select 1 from wedsql.watch w where w.seen_at > v_now - interval '1 minute') as watched,
         array(select p.tgid from wedsql.job_pool p where p.wid = p_wid and p.id <> p_job_id) as pending,
         j.state = 'P' and coalesce(v_now - j.timeout, '-infinity') <= to_timestamp(nullif(current_setting('wedsql.held', true), '')::float8)
         and p_changes @> '{}' and p_changes - '{kind,a,b}'::text[] = '{}' as fine
  into v_job
  from wedsql.job_pool j, wedsql.instance x, wedsql.flow f
  where j.wid = p_wid and j.id = p_job_id and x.wid = v_row.wid and x.status = 'R' and f.id = 2 and f.plain;
  exit short when v_job.fine is not true;
  if p_changes ? 'kind' then v_before := v_before || jsonb_build_object('kind', v_row.kind); v_row.kind := (p_changes ->> 'kind')::text; end if;
  if p_changes ? 'a' then v_before := v_before || jsonb_build_object('a', v_row.a); v_row.a := (p_changes ->> 'a')::text; end if;
  if p_changes ? 'b' then v_before := v_before || jsonb_build_object('b', v_row.b); v_row.b := (p_changes ->> 'b')::text; end if;
  v_state := to_jsonb(v_row) - 'wid';
  v_matched := wed_match.f_2(v_row);
  exit short when 0 > any (v_matched);
  v_others := v_job.pending <> '{}';
  if v_job.final_tgid = any (v_matched) then
    exit short when v_others;
    v_status := wedsql._next_status(true, v_others, false, false, false, false, v_job.policy);
    v_suppressed := nullif(array_remove(v_matched, v_job.final_tgid), '{}');
  else
    foreach v_tgid in array v_matched loop
      if not v_others or v_tgid <> all (v_job.pending) then
        v_new := v_new || v_tgid;
      end if;
    end loop;
    exit short when v_job.fuse and v_new is not null;
    v_status := wedsql._next_status(false, v_others, false, v_new is not null, false, false, null);
    exit short when v_status = 'E';
  end if;
  exit short when not (pg_try_advisory_xact_lock(p_wid, v_job.tgid) and pg_advisory_unlock(p_wid, v_job.tgid));
  if v_new is not null then
    if v_job.tgid = any (v_new) then
      delete from wedsql.job_pool j where j.wid = p_wid and j.tgid = v_job.tgid;
    end if;
    foreach v_tgid in array v_new loop
      insert into wedsql.job_pool (wid, tgid, flow_id, trname, timeout, payload, priority, fired_at, fired_xid, cause_seq, version)
      select p_wid, t.tgid, 2, t.trname, t.timeout, v_state, t.priority, v_now, txid_current(), v_job.seq, v_job.version
      from wedsql.trig t where t.tgid = v_tgid returning trname into strict v_name;
      v_fired := v_fired || v_name;
    end loop;
  end if;
  with pool as (delete from wedsql.job_pool j where j.wid = p_wid and j.id = p_job_id),
       state as (update deferring.wed_flow w set kind = v_row.kind, a = v_row.a, b = v_row.b where w.wid = p_wid),
       life as (update wedsql.instance x set seq = v_job.seq, status = v_status, changed_at = v_now, reason = null,
                  finished_at = case when v_status = 'F' then v_now end where x.wid = p_wid)
  insert into wedsql.wed_trace (flow_id, wid, seq, tstmp, trw, trf, state, status, job_id, claim, tgid, fired, before, cause_seq,
                                actor, version, tx_at, suppressed)
  values (2, p_wid, v_job.seq, v_now, v_job.trname, v_fired, v_state, v_status, p_job_id, null, v_job.tgid, coalesce(v_new, '{}'), v_before,
          v_job.cause_seq, p_actor, v_job.version, now(), v_suppressed);
  if v_new is not null then
    v_job.watched := v_job.watched
      or exists (select 1 from wedsql.worker w where w.waiting and w.seen_at > v_now - interval '30 seconds')
      or not exists (select 1 from wedsql.worker w where w.serves @> string_to_array('deferring:' || array_to_string(v_fired, ' deferring:'), ' ') and w.seen_at > v_now - interval '30 seconds')
      or exists (select 1 from wedsql.paper_client c where c.flow_id = 2);
  end if;
  if v_job.watched then
    perform wedsql._notify(f, array[p_wid], array[v_job.seq], v_fired, cardinality(v_fired)) from wedsql.flow f where f.id = 2;
  end if;
  return v_job.seq;
  end short;
  if p_wid is not null then
    return (select c.seq from deferring._commit(array[p_wid], array[p_job_id], array[null::bigint], array[p_changes], p_actor, true) c);
  end if;
  return null;
end $$;


ALTER FUNCTION deferring.complete_held(p_wid integer, p_job_id bigint, p_changes jsonb, p_actor text, p_set text) OWNER TO wed_owner;

--
-- Name: complete_many(integer[], bigint[], bigint[], jsonb[], text, text[]); Type: FUNCTION; Schema: deferring; Owner: wed_owner
--

CREATE FUNCTION deferring.complete_many(p_wids integer[], p_job_ids bigint[], p_claims bigint[], p_changes jsonb[], p_actor text DEFAULT NULL::text, p_sets text[] DEFAULT NULL::text[]) RETURNS TABLE(job_id bigint, ok boolean, seq integer, status text, fired text[], sqlstate text, message text, hint text, detail text)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET "DateStyle" TO 'ISO, YMD'
    SET "TimeZone" TO 'UTC'
    SET "IntervalStyle" TO 'postgres'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
#variable_conflict use_column
-- Promise: applies the results of jobs. All at once when all are acceptable; where one is refused each is applied on its
-- own, so that it touches nobody else. A repeated result gets the first answer.
-- Locks: instances in wid order, jobs, trace.
-- Raises: what is worth trying again (40001, 40P01, 55P03, 57014); every other refusal is a row with ok = false.
declare
  v_actor text := coalesce(nullif(p_actor, ''), wedsql._actor());
  v_one record;
begin
  if p_sets is null then
    begin
      if cardinality(p_job_ids) = 1 then
        v_one := deferring._single(p_wids[1], p_job_ids[1], p_claims[1], p_changes[1], v_actor);
        if v_one.seq is not null then
          job_id := p_job_ids[1];
          ok := true;
          seq := v_one.seq;
          status := v_one.status;
          fired := v_one.fired;
          return next;
          return;
        end if;
      end if;
      return query select c.job_id, true, c.seq, c.status::text, c.fired, null::text, null::text, null::text, null::text
        from deferring._commit(p_wids, p_job_ids, p_claims, p_changes, v_actor) c;
      return;
    exception
      when serialization_failure or deadlock_detected or lock_not_available or query_canceled then raise;
      when others then null;  -- one of them is refused: each is tried on its own below
    end;
  end if;
  for i in 1..coalesce(cardinality(p_job_ids), 0) loop
    return query select * from wedsql._complete_one('deferring', p_wids[i], p_job_ids[i], p_claims[i], p_changes[i], v_actor, p_sets[i]);
  end loop;
end $$;


ALTER FUNCTION deferring.complete_many(p_wids integer[], p_job_ids bigint[], p_claims bigint[], p_changes jsonb[], p_actor text, p_sets text[]) OWNER TO wed_owner;

--
-- Name: hold(text[], integer, text); Type: FUNCTION; Schema: deferring; Owner: wed_owner
--

CREATE FUNCTION deferring.hold(p_transitions text[], p_limit integer DEFAULT 1, p_actor text DEFAULT NULL::text) RETURNS SETOF wedsql.taken
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET "TimeZone" TO 'UTC'
    SET "DateStyle" TO 'ISO, YMD'
    SET "IntervalStyle" TO 'postgres'
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET enable_material TO 'off'
    SET join_collapse_limit TO '1'
    SET jit TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
-- Promise: up to p_limit ready jobs of different instances, held until the transaction ends; nothing is written (DESIGN.md 4).
-- <flow>.hold: held by the session instead, until each is finished (<flow>.complete_held, a commit each), the session holds
-- anew, or ends. Each is read again under its lock, so that a job somebody finished meanwhile is not run a second time.
-- Locks: an advisory lock a job.
declare
  v_pick record;
begin
  perform pg_advisory_unlock_all();
  perform set_config('wedsql.held', extract(epoch from wedsql.now())::text, false);
  if p_limit < 1 then
    return;
  end if;
  for v_try in 1..20 loop
    v_pick := wedsql._pick(2, 'f', p_transitions, p_limit, null, 't');
    exit when v_pick.ids = '{}';
    return query select j.id, j.wid, j.tgid, j.trname, j.claim, j.payload, to_jsonb(w) - 'wid',
         '{1}'::integer[], j.timeout, coalesce(j.lease_until, wedsql.now() + j.timeout), j.attempts::integer, t.reads, t.writes, j.version,
         case when t.mode = 'auto' then case when j.timeout > interval '1 minute' then 'lease' else 'transaction' end else coalesce(t.mode, 'transaction') end
  from unnest(v_pick.wids, v_pick.ids) c (wid, id)
  cross join lateral (select * from wedsql.job_pool p where p.wid = c.wid and p.id = c.id offset 0) j
  left join deferring.wed_flow w on w.wid = j.wid
  left join wedsql.trig t on t.tgid = j.tgid;
    exit when found;  -- else others finished all of them a moment before the locks were ours
  end loop;
end $$;


ALTER FUNCTION deferring.hold(p_transitions text[], p_limit integer, p_actor text) OWNER TO wed_owner;

--
-- Name: start_many(jsonb[], text, text[]); Type: FUNCTION; Schema: deferring; Owner: wed_owner
--

CREATE FUNCTION deferring.start_many(p_states jsonb[], p_actor text DEFAULT NULL::text, p_keys text[] DEFAULT NULL::text[]) RETURNS TABLE(ord integer, wid integer, status text, sqlstate text, message text, hint text, detail text)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
#variable_conflict use_column
-- Promise: starts one instance a state, all in one go; where one is refused the others start all the same.
-- A key that the flow has seen already gives back the instance it named: repeating a start is harmless.
-- Raises: what is worth trying again (lock, serialization); every other refusal is a row with its SQLSTATE.
declare
  v_actor text := wedsql._actor(p_actor);
  v_why wedsql.why;
begin
  if coalesce(cardinality(p_states), 0) = 0 then
    return;
  end if;
  begin
    return query select s.ord, s.wid, s.status::text, null::text, null::text, null::text, null::text from deferring._start(p_states, v_actor, p_keys) s;
    return;
  exception
    when serialization_failure or deadlock_detected or lock_not_available or query_canceled then raise;
    when others then
      if cardinality(p_states) = 1 then
        get stacked diagnostics v_why.code = returned_sqlstate, v_why.message = message_text, v_why.hint = pg_exception_hint, v_why.detail = pg_exception_detail;
        return query select 1, r.* from wedsql._start_refused('deferring', p_states[1], p_keys[1], v_why) r;
        return;
      end if;
  end;
  for i in 1..cardinality(p_states) loop
    return query select i, r.wid, r.status, r.sqlstate, r.message, r.hint, r.detail
      from deferring.start_many(array[p_states[i]], v_actor, array[p_keys[i]]) r;
  end loop;
end $$;


ALTER FUNCTION deferring.start_many(p_states jsonb[], p_actor text, p_keys text[]) OWNER TO wed_owner;

--
-- Name: take(text[], integer, text, bigint[]); Type: FUNCTION; Schema: deferring; Owner: wed_owner
--

CREATE FUNCTION deferring.take(p_transitions text[], p_limit integer DEFAULT 1, p_actor text DEFAULT NULL::text, p_job_ids bigint[] DEFAULT NULL::bigint[]) RETURNS SETOF wedsql.taken
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET "TimeZone" TO 'UTC'
    SET "DateStyle" TO 'ISO, YMD'
    SET "IntervalStyle" TO 'postgres'
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET enable_material TO 'off'
    SET join_collapse_limit TO '1'
    SET jit TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
-- Promise: up to p_limit ready jobs of different instances, held until the transaction ends; nothing is written (DESIGN.md 4).
-- <flow>.hold: held by the session instead, until each is finished (<flow>.complete_held, a commit each), the session holds
-- anew, or ends. Each is read again under its lock, so that a job somebody finished meanwhile is not run a second time.
-- Locks: an advisory lock a job.
declare
  v_pick record;
begin
  if nullif(current_setting('wedsql.took', true), '') is null then
    perform set_config('wedsql.took', extract(epoch from wedsql.now())::text, true);
  end if;
  if p_limit < 1 then
    return;
  end if;
  for v_try in 1..20 loop
    v_pick := wedsql._pick(2, 'f', p_transitions, p_limit, p_job_ids, 'f');
    exit when v_pick.ids = '{}';
    perform set_config('wedsql.took_jobs', concat(current_setting('wedsql.took_jobs', true), ',', array_to_string(v_pick.ids, ','), ','), true);
    return query select j.id, j.wid, j.tgid, j.trname, j.claim, j.payload, to_jsonb(w) - 'wid',
         '{1}'::integer[], j.timeout, coalesce(j.lease_until, wedsql.now() + j.timeout), j.attempts::integer, t.reads, t.writes, j.version,
         case when t.mode = 'auto' then case when j.timeout > interval '1 minute' then 'lease' else 'transaction' end else coalesce(t.mode, 'transaction') end
  from unnest(v_pick.wids, v_pick.ids) c (wid, id)
  cross join lateral (select * from wedsql.job_pool p where p.wid = c.wid and p.id = c.id offset 0) j
  left join deferring.wed_flow w on w.wid = j.wid
  left join wedsql.trig t on t.tgid = j.tgid;
    exit when found;  -- else others finished all of them a moment before the locks were ours
  end loop;
end $$;


ALTER FUNCTION deferring.take(p_transitions text[], p_limit integer, p_actor text, p_job_ids bigint[]) OWNER TO wed_owner;

--
-- Name: _commit(integer[], bigint[], bigint[], jsonb[], text, boolean); Type: FUNCTION; Schema: every; Owner: wed_owner
--

CREATE FUNCTION every._commit(p_wids integer[], p_jobs bigint[], p_claims bigint[], p_changes jsonb[], p_actor text, p_held boolean DEFAULT false) RETURNS TABLE(job_id bigint, seq integer, status "char", fired text[])
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET "DateStyle" TO 'ISO, YMD'
    SET "TimeZone" TO 'UTC'
    SET "IntervalStyle" TO 'postgres'
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET enable_material TO 'off'
    SET join_collapse_limit TO '1'
    SET jit TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
#variable_conflict use_column
declare
  v_steps wedsql.step[];
  v_failed boolean;
begin
  perform 1 from every.wed_flow w where w.wid = any (p_wids) order by w.wid for no key update;
  v_steps := wedsql._check_jobs(1, '{kind,a,n,share,paid,day,due,lasts,more,size}'::text[], p_wids, p_jobs, p_claims, p_changes, p_actor, p_held);
  with done as (
    update every.wed_flow w set kind = case when c.state ? 'kind' then (c.state ->> 'kind')::text else w.kind end, a = case when c.state ? 'a' then (c.state ->> 'a')::text else w.a end, n = case when c.state ? 'n' then (c.state ->> 'n')::integer else w.n end, share = case when c.state ? 'share' then (c.state ->> 'share')::numeric else w.share end, paid = case when c.state ? 'paid' then (c.state ->> 'paid')::boolean else w.paid end, day = case when c.state ? 'day' then (c.state ->> 'day')::date else w.day end, due = case when c.state ? 'due' then (c.state ->> 'due')::timestamptz else w.due end, lasts = case when c.state ? 'lasts' then (c.state ->> 'lasts')::interval else w.lasts end, more = case when c.state ? 'more' then (c.state -> 'more')::jsonb else w.more end, size = case when c.state ? 'size' then (c.state ->> 'size')::text else w.size end
    from unnest(v_steps) c join every.wed_flow o on o.wid = c.wid
    where w.wid = c.wid
    returning c.*, to_jsonb(o) as old, to_jsonb(w) - 'wid' as now, wed_match.f_1(w) as holds)
  select array_agg(row(d.wid, false, d.job_id, d.tgid, d.trw, d.cause_seq, p_actor, null, d.now,
                       (select coalesce(jsonb_object_agg(k, d.old -> k), '{}') from jsonb_object_keys(d.state) k),
                       d.holds, null, d.claim)::wedsql.step), bool_or(0 > any (d.holds))
  into v_steps, v_failed from done d;
  return query select r.job_id, r.seq, r.status, r.fired from wedsql._settle(1, v_steps, v_failed) r;
end $$;


ALTER FUNCTION every._commit(p_wids integer[], p_jobs bigint[], p_claims bigint[], p_changes jsonb[], p_actor text, p_held boolean) OWNER TO wed_owner;

--
-- Name: _retest(integer[]); Type: FUNCTION; Schema: every; Owner: wed_owner
--

CREATE FUNCTION every._retest(p_wids integer[]) RETURNS TABLE(wid integer, state jsonb, matched integer[])
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET "TimeZone" TO 'UTC'
    SET "DateStyle" TO 'ISO, YMD'
    SET "IntervalStyle" TO 'postgres'
    AS $$
begin
  return query select w.wid, to_jsonb(w) - 'wid', wed_match.f_1(w) from every.wed_flow w where w.wid = any (p_wids) order by w.wid for no key update;
end $$;


ALTER FUNCTION every._retest(p_wids integer[]) OWNER TO wed_owner;

--
-- Name: _single(integer, bigint, bigint, jsonb, text); Type: FUNCTION; Schema: every; Owner: wed_owner
--

CREATE FUNCTION every._single(p_wid integer, p_job_id bigint, p_claim bigint, p_changes jsonb, p_actor text, OUT seq integer, OUT status "char", OUT fired text[]) RETURNS record
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- Locks: the instance, its job, its trace.

declare
  v_now timestamptz;
  v_row every.wed_flow;
  v_before jsonb := '{}'::jsonb;
  v_state jsonb;
  v_matched integer[];
  v_new integer[];
  v_job record;
  v_suppressed integer[];
  v_others boolean;
  v_status "char";
  v_tgid integer;
  v_name text;
  v_fired text[] := '{}'::text[];
begin
  <<short>> begin
  select * into v_row from every.wed_flow w where w.wid = p_wid for no key update;
  v_now := wedsql.now();
  -- A job that is gone, late or another's, an instance that does not run (one that does has no parked work), a refused change.
  select j.tgid, j.trname, j.cause_seq, x.seq + 1 as seq, f.version, f.final_tgid, f.final_when_pending as policy, x.seq + 1 >= f.fuse as fuse,
         exists (select 1 from wedsql.watch w where w.seen_at > v_now - interval '1 minute') as watched,
         array(select p.tgid from wedsql.job_pool p where p.wid = p_wid and p.id <> p_job_id) as pending,
         case when p_claim is not null then j.state = 'L' and j.claim = p_claim and j.lease_until > v_now
              else j.state = 'P' and coalesce(v_now - j.timeout, '-infinity') <= to_timestamp(nullif(current_setting('wedsql.took', true), '')::float8)
                   and strpos(current_setting('wedsql.took_jobs', true), ',' || p_job_id || ',') > 0 end
         and p_changes @> '{}' and p_changes - '{kind,a,n,share,paid,day,due,lasts,more,size}'::text[] = '{}'
         and (p_changes - (case j.tgid when 1 then '{a}'::text[] end) <> '{}') is not true as fine
  into v_job
  from wedsql.job_pool j, wedsql.instance x, wedsql.flow f
  where j.wid = p_wid and j.id = p_job_id and x.wid = v_row.wid and x.status = 'R' and f.id = 1 and f.plain;
  exit short when v_job.fine is not true;
  if p_changes ?| '{kind,a,n,share,paid,day,due,lasts}'::text[] then
  if p_changes ? 'kind' then v_before := v_before || jsonb_build_object('kind', v_row.kind); v_row.kind := (p_changes ->> 'kind')::text; end if;
  if p_changes ? 'a' then v_before := v_before || jsonb_build_object('a', v_row.a); v_row.a := (p_changes ->> 'a')::text; end if;
  if p_changes ? 'n' then v_before := v_before || jsonb_build_object('n', v_row.n); v_row.n := (p_changes ->> 'n')::integer; end if;
  if p_changes ? 'share' then v_before := v_before || jsonb_build_object('share', v_row.share); v_row.share := (p_changes ->> 'share')::numeric; end if;
  if p_changes ? 'paid' then v_before := v_before || jsonb_build_object('paid', v_row.paid); v_row.paid := (p_changes ->> 'paid')::boolean; end if;
  if p_changes ? 'day' then v_before := v_before || jsonb_build_object('day', v_row.day); v_row.day := (p_changes ->> 'day')::date; end if;
  if p_changes ? 'due' then v_before := v_before || jsonb_build_object('due', v_row.due); v_row.due := (p_changes ->> 'due')::timestamptz; end if;
  if p_changes ? 'lasts' then v_before := v_before || jsonb_build_object('lasts', v_row.lasts); v_row.lasts := (p_changes ->> 'lasts')::interval; end if;
  end if;
  if p_changes ?| '{more,size}'::text[] then
  if p_changes ? 'more' then v_before := v_before || jsonb_build_object('more', v_row.more); v_row.more := (p_changes -> 'more')::jsonb; end if;
  if p_changes ? 'size' then v_before := v_before || jsonb_build_object('size', v_row.size); v_row.size := (p_changes ->> 'size')::text; end if;
  end if;
  v_state := to_jsonb(v_row) - 'wid';
  v_matched := wed_match.f_1(v_row);
  exit short when 0 > any (v_matched);
  v_others := v_job.pending <> '{}';
  if v_job.final_tgid = any (v_matched) then
    exit short when v_others;
    v_status := wedsql._next_status(true, v_others, false, false, false, false, v_job.policy);
    v_suppressed := nullif(array_remove(v_matched, v_job.final_tgid), '{}');
  else
    foreach v_tgid in array v_matched loop
      if not v_others or v_tgid <> all (v_job.pending) then
        v_new := v_new || v_tgid;
      end if;
    end loop;
    exit short when v_job.fuse and v_new is not null;
    v_status := wedsql._next_status(false, v_others, false, v_new is not null, false, false, null);
    exit short when v_status = 'E';
  end if;
  exit short when not (p_claim is not null or pg_try_advisory_xact_lock(p_wid, v_job.tgid));
  if v_new is not null then
    if v_job.tgid = any (v_new) then
      delete from wedsql.job_pool j where j.wid = p_wid and j.tgid = v_job.tgid;
    end if;
    foreach v_tgid in array v_new loop
      insert into wedsql.job_pool (wid, tgid, flow_id, trname, timeout, payload, priority, fired_at, fired_xid, cause_seq, version)
      select p_wid, t.tgid, 1, t.trname, t.timeout, v_state, t.priority, v_now, txid_current(), v_job.seq, v_job.version
      from wedsql.trig t where t.tgid = v_tgid returning trname into strict v_name;
      v_fired := v_fired || v_name;
    end loop;
  end if;
  with pool as (delete from wedsql.job_pool j where j.wid = p_wid and j.id = p_job_id),
       state as (update every.wed_flow w set kind = v_row.kind, a = v_row.a, n = v_row.n, share = v_row.share, paid = v_row.paid, day = v_row.day, due = v_row.due, lasts = v_row.lasts, more = v_row.more, size = v_row.size where w.wid = p_wid),
       life as (update wedsql.instance x set seq = v_job.seq, status = v_status, changed_at = v_now, reason = null,
                  finished_at = case when v_status = 'F' then v_now end where x.wid = p_wid)
  insert into wedsql.wed_trace (flow_id, wid, seq, tstmp, trw, trf, state, status, job_id, claim, tgid, fired, before, cause_seq,
                                actor, version, tx_at, suppressed)
  values (1, p_wid, v_job.seq, v_now, v_job.trname, v_fired, v_state, v_status, p_job_id, p_claim, v_job.tgid, coalesce(v_new, '{}'), v_before,
          v_job.cause_seq, p_actor, v_job.version, now(), v_suppressed);
  if v_new is not null then
    v_job.watched := v_job.watched
      or exists (select 1 from wedsql.worker w where w.waiting and w.seen_at > v_now - interval '30 seconds')
      or not exists (select 1 from wedsql.worker w where w.serves @> string_to_array('every:' || array_to_string(v_fired, ' every:'), ' ') and w.seen_at > v_now - interval '30 seconds')
      or exists (select 1 from wedsql.paper_client c where c.flow_id = 1);
  end if;
  if v_job.watched then
    perform wedsql._notify(f, array[p_wid], array[v_job.seq], v_fired, cardinality(v_fired)) from wedsql.flow f where f.id = 1;
  end if;
  seq := v_job.seq; status := v_status; fired := v_fired; return;
  end short;
end $$;


ALTER FUNCTION every._single(p_wid integer, p_job_id bigint, p_claim bigint, p_changes jsonb, p_actor text, OUT seq integer, OUT status "char", OUT fired text[]) OWNER TO wed_owner;

--
-- Name: _start(jsonb[], text, text[]); Type: FUNCTION; Schema: every; Owner: wed_owner
--

CREATE FUNCTION every._start(p_states jsonb[], p_actor text, p_keys text[]) RETURNS TABLE(ord integer, wid integer, status "char")
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET "DateStyle" TO 'ISO, YMD'
    SET "TimeZone" TO 'UTC'
    SET "IntervalStyle" TO 'postgres'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
#variable_conflict use_column
declare
  v_wids integer[];
  v_steps wedsql.step[];
  v_failed boolean;
  v_now timestamptz := wedsql.now();
begin
  perform wedsql._check_states('{kind,a,n,share,paid,day,due,lasts,more,size}'::text[], p_states);
  select array_agg(nextval('wedsql.wid_seq')::integer) into v_wids from generate_series(1, cardinality(p_states));
  with born as (
    insert into every.wed_flow as w (wid, kind, a, n, share, paid, day, due, lasts, more, size)
    select u.wid, case when u.s ? 'kind' then (u.s ->> 'kind')::text else 'mark'::text end, case when u.s ? 'a' then (u.s ->> 'a')::text else NULL::text end, case when u.s ? 'n' then (u.s ->> 'n')::integer else '0'::integer end, case when u.s ? 'share' then (u.s ->> 'share')::numeric else '0.5'::numeric end, case when u.s ? 'paid' then (u.s ->> 'paid')::boolean else 'true'::boolean end, case when u.s ? 'day' then (u.s ->> 'day')::date else NULL::date end, case when u.s ? 'due' then (u.s ->> 'due')::timestamptz else NULL::timestamptz end, case when u.s ? 'lasts' then (u.s ->> 'lasts')::interval else '1 day'::interval end, case when u.s ? 'more' then (u.s -> 'more')::jsonb else '{}'::jsonb end, case when u.s ? 'size' then (u.s ->> 'size')::text else 's'::text end from unnest(v_wids, p_states) u (wid, s)
    returning w.wid, to_jsonb(w) - 'wid' as state, wed_match.f_1(w) as holds)
  select array_agg(row(b.wid, true, null, null, '_INIT', null, p_actor, null, b.state, null, b.holds, null, null)::wedsql.step),
         bool_or(0 > any (b.holds))
  into v_steps, v_failed from born b;
  insert into wedsql.instance (wid, flow_id, version, started_at, changed_at, actor, key)
  select u.wid, 1, f.version, v_now, v_now, p_actor, u.key from unnest(v_wids, p_keys) u (wid, key) join wedsql.flow f on f.id = 1 where u.wid is not null;
  return query select array_position(v_wids, r.wid), r.wid, r.status from wedsql._settle(1, v_steps, v_failed) r;
end $$;


ALTER FUNCTION every._start(p_states jsonb[], p_actor text, p_keys text[]) OWNER TO wed_owner;

--
-- Name: _taken(integer[], bigint[]); Type: FUNCTION; Schema: every; Owner: wed_owner
--

CREATE FUNCTION every._taken(p_wids integer[], p_ids bigint[]) RETURNS SETOF wedsql.taken
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET enable_material TO 'off'
    SET join_collapse_limit TO '1'
    SET plan_cache_mode TO 'force_generic_plan'
    SET "TimeZone" TO 'UTC'
    SET "DateStyle" TO 'ISO, YMD'
    SET "IntervalStyle" TO 'postgres'
    AS $$
begin
  return query select j.id, j.wid, j.tgid, j.trname, j.claim, j.payload, to_jsonb(w) - 'wid',
         case when cardinality(t.disjuncts) > 1 then wedsql._disjuncts(1, 'every', t.tgid, j.payload) else '{1}' end, j.timeout, coalesce(j.lease_until, wedsql.now() + j.timeout), j.attempts::integer, t.reads, t.writes, j.version,
         case when t.mode = 'auto' then case when j.timeout > interval '1 minute' then 'lease' else 'transaction' end else coalesce(t.mode, 'transaction') end
  from unnest(p_wids, p_ids) c (wid, id)
  cross join lateral (select * from wedsql.job_pool p where p.wid = c.wid and p.id = c.id offset 0) j
  left join every.wed_flow w on w.wid = j.wid
  left join wedsql.trig t on t.tgid = j.tgid;
end $$;


ALTER FUNCTION every._taken(p_wids integer[], p_ids bigint[]) OWNER TO wed_owner;

--
-- Name: complete_held(integer, bigint, jsonb, text, text); Type: FUNCTION; Schema: every; Owner: wed_owner
--

CREATE FUNCTION every.complete_held(p_wid integer, p_job_id bigint, p_changes jsonb, p_actor text DEFAULT NULL::text, p_set text DEFAULT NULL::text) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET "TimeZone" TO 'UTC'
    SET "DateStyle" TO 'ISO, YMD'
    SET "IntervalStyle" TO 'postgres'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
-- Promise: the result of one job that this session holds (<flow>.hold), meant to be a transaction of its own; its place in
-- the history. The session's lock on the job ends here. p_set: the paper's SET string instead of the changes.
-- p_wid null: nothing is done, but what can be prepared beforehand is.
-- Locks: the instance, its job, its trace.
-- Raises: as <flow>._commit; nothing is written then.

declare
  v_now timestamptz;
  v_row every.wed_flow;
  v_before jsonb := '{}'::jsonb;
  v_state jsonb;
  v_matched integer[];
  v_new integer[];
  v_job record;
  v_suppressed integer[];
  v_others boolean;
  v_status "char";
  v_tgid integer;
  v_name text;
  v_fired text[] := '{}'::text[];
begin
  if p_actor is null then
    p_actor := wedsql._actor();
  end if;
  if p_set is not null then
    p_changes := wedsql._set_changes('every', p_wid, p_set);
  end if;
  <<short>> begin
  select * into v_row from every.wed_flow w where w.wid = p_wid for no key update;
  v_now := wedsql.now();
  -- A job that is gone, late or another's, an instance that does not run (one that does has no parked work), a refused change.
  select j.tgid, j.trname, j.cause_seq, x.seq + 1 as seq, f.version, f.final_tgid, f.final_when_pending as policy, x.seq + 1 >= f.fuse as fuse,
         exists (select 1 from wedsql.watch w where w.seen_at > v_now - interval '1 minute') as watched,
         array(select p.tgid from wedsql.job_pool p where p.wid = p_wid and p.id <> p_job_id) as pending,
         j.state = 'P' and coalesce(v_now - j.timeout, '-infinity') <= to_timestamp(nullif(current_setting('wedsql.held', true), '')::float8)
         and p_changes @> '{}' and p_changes - '{kind,a,n,share,paid,day,due,lasts,more,size}'::text[] = '{}'
         and (p_changes - (case j.tgid when 1 then '{a}'::text[] end) <> '{}') is not true as fine
  into v_job
  from wedsql.job_pool j, wedsql.instance x, wedsql.flow f
  where j.wid = p_wid and j.id = p_job_id and x.wid = v_row.wid and x.status = 'R' and f.id = 1 and f.plain;
  exit short when v_job.fine is not true;
  if p_changes ?| '{kind,a,n,share,paid,day,due,lasts}'::text[] then
  if p_changes ? 'kind' then v_before := v_before || jsonb_build_object('kind', v_row.kind); v_row.kind := (p_changes ->> 'kind')::text; end if;
  if p_changes ? 'a' then v_before := v_before || jsonb_build_object('a', v_row.a); v_row.a := (p_changes ->> 'a')::text; end if;
  if p_changes ? 'n' then v_before := v_before || jsonb_build_object('n', v_row.n); v_row.n := (p_changes ->> 'n')::integer; end if;
  if p_changes ? 'share' then v_before := v_before || jsonb_build_object('share', v_row.share); v_row.share := (p_changes ->> 'share')::numeric; end if;
  if p_changes ? 'paid' then v_before := v_before || jsonb_build_object('paid', v_row.paid); v_row.paid := (p_changes ->> 'paid')::boolean; end if;
  if p_changes ? 'day' then v_before := v_before || jsonb_build_object('day', v_row.day); v_row.day := (p_changes ->> 'day')::date; end if;
  if p_changes ? 'due' then v_before := v_before || jsonb_build_object('due', v_row.due); v_row.due := (p_changes ->> 'due')::timestamptz; end if;
  if p_changes ? 'lasts' then v_before := v_before || jsonb_build_object('lasts', v_row.lasts); v_row.lasts := (p_changes ->> 'lasts')::interval; end if;
  end if;
  if p_changes ?| '{more,size}'::text[] then
  if p_changes ? 'more' then v_before := v_before || jsonb_build_object('more', v_row.more); v_row.more := (p_changes -> 'more')::jsonb; end if;
  if p_changes ? 'size' then v_before := v_before || jsonb_build_object('size', v_row.size); v_row.size := (p_changes ->> 'size')::text; end if;
  end if;
  v_state := to_jsonb(v_row) - 'wid';
  v_matched := wed_match.f_1(v_row);
  exit short when 0 > any (v_matched);
  v_others := v_job.pending <> '{}';
  if v_job.final_tgid = any (v_matched) then
    exit short when v_others;
    v_status := wedsql._next_status(true, v_others, false, false, false, false, v_job.policy);
    v_suppressed := nullif(array_remove(v_matched, v_job.final_tgid), '{}');
  else
    foreach v_tgid in array v_matched loop
      if not v_others or v_tgid <> all (v_job.pending) then
        v_new := v_new || v_tgid;
      end if;
    end loop;
    exit short when v_job.fuse and v_new is not null;
    v_status := wedsql._next_status(false, v_others, false, v_new is not null, false, false, null);
    exit short when v_status = 'E';
  end if;
  exit short when not (pg_try_advisory_xact_lock(p_wid, v_job.tgid) and pg_advisory_unlock(p_wid, v_job.tgid));
  if v_new is not null then
    if v_job.tgid = any (v_new) then
      delete from wedsql.job_pool j where j.wid = p_wid and j.tgid = v_job.tgid;
    end if;
    foreach v_tgid in array v_new loop
      insert into wedsql.job_pool (wid, tgid, flow_id, trname, timeout, payload, priority, fired_at, fired_xid, cause_seq, version)
      select p_wid, t.tgid, 1, t.trname, t.timeout, v_state, t.priority, v_now, txid_current(), v_job.seq, v_job.version
      from wedsql.trig t where t.tgid = v_tgid returning trname into strict v_name;
      v_fired := v_fired || v_name;
    end loop;
  end if;
  with pool as (delete from wedsql.job_pool j where j.wid = p_wid and j.id = p_job_id),
       state as (update every.wed_flow w set kind = v_row.kind, a = v_row.a, n = v_row.n, share = v_row.share, paid = v_row.paid, day = v_row.day, due = v_row.due, lasts = v_row.lasts, more = v_row.more, size = v_row.size where w.wid = p_wid),
       life as (update wedsql.instance x set seq = v_job.seq, status = v_status, changed_at = v_now, reason = null,
                  finished_at = case when v_status = 'F' then v_now end where x.wid = p_wid)
  insert into wedsql.wed_trace (flow_id, wid, seq, tstmp, trw, trf, state, status, job_id, claim, tgid, fired, before, cause_seq,
                                actor, version, tx_at, suppressed)
  values (1, p_wid, v_job.seq, v_now, v_job.trname, v_fired, v_state, v_status, p_job_id, null, v_job.tgid, coalesce(v_new, '{}'), v_before,
          v_job.cause_seq, p_actor, v_job.version, now(), v_suppressed);
  if v_new is not null then
    v_job.watched := v_job.watched
      or exists (select 1 from wedsql.worker w where w.waiting and w.seen_at > v_now - interval '30 seconds')
      or not exists (select 1 from wedsql.worker w where w.serves @> string_to_array('every:' || array_to_string(v_fired, ' every:'), ' ') and w.seen_at > v_now - interval '30 seconds')
      or exists (select 1 from wedsql.paper_client c where c.flow_id = 1);
  end if;
  if v_job.watched then
    perform wedsql._notify(f, array[p_wid], array[v_job.seq], v_fired, cardinality(v_fired)) from wedsql.flow f where f.id = 1;
  end if;
  return v_job.seq;
  end short;
  if p_wid is not null then
    return (select c.seq from every._commit(array[p_wid], array[p_job_id], array[null::bigint], array[p_changes], p_actor, true) c);
  end if;
  return null;
end $$;


ALTER FUNCTION every.complete_held(p_wid integer, p_job_id bigint, p_changes jsonb, p_actor text, p_set text) OWNER TO wed_owner;

--
-- Name: complete_many(integer[], bigint[], bigint[], jsonb[], text, text[]); Type: FUNCTION; Schema: every; Owner: wed_owner
--

CREATE FUNCTION every.complete_many(p_wids integer[], p_job_ids bigint[], p_claims bigint[], p_changes jsonb[], p_actor text DEFAULT NULL::text, p_sets text[] DEFAULT NULL::text[]) RETURNS TABLE(job_id bigint, ok boolean, seq integer, status text, fired text[], sqlstate text, message text, hint text, detail text)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET "DateStyle" TO 'ISO, YMD'
    SET "TimeZone" TO 'UTC'
    SET "IntervalStyle" TO 'postgres'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
#variable_conflict use_column
-- Promise: applies the results of jobs. All at once when all are acceptable; where one is refused each is applied on its
-- own, so that it touches nobody else. A repeated result gets the first answer.
-- Locks: instances in wid order, jobs, trace.
-- Raises: what is worth trying again (40001, 40P01, 55P03, 57014); every other refusal is a row with ok = false.
declare
  v_actor text := coalesce(nullif(p_actor, ''), wedsql._actor());
  v_one record;
begin
  if p_sets is null then
    begin
      if cardinality(p_job_ids) = 1 then
        v_one := every._single(p_wids[1], p_job_ids[1], p_claims[1], p_changes[1], v_actor);
        if v_one.seq is not null then
          job_id := p_job_ids[1];
          ok := true;
          seq := v_one.seq;
          status := v_one.status;
          fired := v_one.fired;
          return next;
          return;
        end if;
      end if;
      return query select c.job_id, true, c.seq, c.status::text, c.fired, null::text, null::text, null::text, null::text
        from every._commit(p_wids, p_job_ids, p_claims, p_changes, v_actor) c;
      return;
    exception
      when serialization_failure or deadlock_detected or lock_not_available or query_canceled then raise;
      when others then null;  -- one of them is refused: each is tried on its own below
    end;
  end if;
  for i in 1..coalesce(cardinality(p_job_ids), 0) loop
    return query select * from wedsql._complete_one('every', p_wids[i], p_job_ids[i], p_claims[i], p_changes[i], v_actor, p_sets[i]);
  end loop;
end $$;


ALTER FUNCTION every.complete_many(p_wids integer[], p_job_ids bigint[], p_claims bigint[], p_changes jsonb[], p_actor text, p_sets text[]) OWNER TO wed_owner;

--
-- Name: hold(text[], integer, text); Type: FUNCTION; Schema: every; Owner: wed_owner
--

CREATE FUNCTION every.hold(p_transitions text[], p_limit integer DEFAULT 1, p_actor text DEFAULT NULL::text) RETURNS SETOF wedsql.taken
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET "TimeZone" TO 'UTC'
    SET "DateStyle" TO 'ISO, YMD'
    SET "IntervalStyle" TO 'postgres'
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET enable_material TO 'off'
    SET join_collapse_limit TO '1'
    SET jit TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
-- Promise: up to p_limit ready jobs of different instances, held until the transaction ends; nothing is written (DESIGN.md 4).
-- <flow>.hold: held by the session instead, until each is finished (<flow>.complete_held, a commit each), the session holds
-- anew, or ends. Each is read again under its lock, so that a job somebody finished meanwhile is not run a second time.
-- Locks: an advisory lock a job.
declare
  v_pick record;
begin
  perform pg_advisory_unlock_all();
  perform set_config('wedsql.held', extract(epoch from wedsql.now())::text, false);
  if p_limit < 1 then
    return;
  end if;
  for v_try in 1..20 loop
    v_pick := wedsql._pick(1, 't', p_transitions, p_limit, null, 't');
    exit when v_pick.ids = '{}';
    v_pick := wedsql._drop_stale(1, 'every', v_pick.wids, v_pick.ids);
    return query select j.id, j.wid, j.tgid, j.trname, j.claim, j.payload, to_jsonb(w) - 'wid',
         case when cardinality(t.disjuncts) > 1 then wedsql._disjuncts(1, 'every', t.tgid, j.payload) else '{1}' end, j.timeout, coalesce(j.lease_until, wedsql.now() + j.timeout), j.attempts::integer, t.reads, t.writes, j.version,
         case when t.mode = 'auto' then case when j.timeout > interval '1 minute' then 'lease' else 'transaction' end else coalesce(t.mode, 'transaction') end
  from unnest(v_pick.wids, v_pick.ids) c (wid, id)
  cross join lateral (select * from wedsql.job_pool p where p.wid = c.wid and p.id = c.id offset 0) j
  left join every.wed_flow w on w.wid = j.wid
  left join wedsql.trig t on t.tgid = j.tgid;
    exit when found;  -- else others finished all of them a moment before the locks were ours
  end loop;
end $$;


ALTER FUNCTION every.hold(p_transitions text[], p_limit integer, p_actor text) OWNER TO wed_owner;

--
-- Name: start_many(jsonb[], text, text[]); Type: FUNCTION; Schema: every; Owner: wed_owner
--

CREATE FUNCTION every.start_many(p_states jsonb[], p_actor text DEFAULT NULL::text, p_keys text[] DEFAULT NULL::text[]) RETURNS TABLE(ord integer, wid integer, status text, sqlstate text, message text, hint text, detail text)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
#variable_conflict use_column
-- Promise: starts one instance a state, all in one go; where one is refused the others start all the same.
-- A key that the flow has seen already gives back the instance it named: repeating a start is harmless.
-- Raises: what is worth trying again (lock, serialization); every other refusal is a row with its SQLSTATE.
declare
  v_actor text := wedsql._actor(p_actor);
  v_why wedsql.why;
begin
  if coalesce(cardinality(p_states), 0) = 0 then
    return;
  end if;
  begin
    return query select s.ord, s.wid, s.status::text, null::text, null::text, null::text, null::text from every._start(p_states, v_actor, p_keys) s;
    return;
  exception
    when serialization_failure or deadlock_detected or lock_not_available or query_canceled then raise;
    when others then
      if cardinality(p_states) = 1 then
        get stacked diagnostics v_why.code = returned_sqlstate, v_why.message = message_text, v_why.hint = pg_exception_hint, v_why.detail = pg_exception_detail;
        return query select 1, r.* from wedsql._start_refused('every', p_states[1], p_keys[1], v_why) r;
        return;
      end if;
  end;
  for i in 1..cardinality(p_states) loop
    return query select i, r.wid, r.status, r.sqlstate, r.message, r.hint, r.detail
      from every.start_many(array[p_states[i]], v_actor, array[p_keys[i]]) r;
  end loop;
end $$;


ALTER FUNCTION every.start_many(p_states jsonb[], p_actor text, p_keys text[]) OWNER TO wed_owner;

--
-- Name: take(text[], integer, text, bigint[]); Type: FUNCTION; Schema: every; Owner: wed_owner
--

CREATE FUNCTION every.take(p_transitions text[], p_limit integer DEFAULT 1, p_actor text DEFAULT NULL::text, p_job_ids bigint[] DEFAULT NULL::bigint[]) RETURNS SETOF wedsql.taken
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET "TimeZone" TO 'UTC'
    SET "DateStyle" TO 'ISO, YMD'
    SET "IntervalStyle" TO 'postgres'
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET enable_material TO 'off'
    SET join_collapse_limit TO '1'
    SET jit TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
-- Promise: up to p_limit ready jobs of different instances, held until the transaction ends; nothing is written (DESIGN.md 4).
-- <flow>.hold: held by the session instead, until each is finished (<flow>.complete_held, a commit each), the session holds
-- anew, or ends. Each is read again under its lock, so that a job somebody finished meanwhile is not run a second time.
-- Locks: an advisory lock a job.
declare
  v_pick record;
begin
  if nullif(current_setting('wedsql.took', true), '') is null then
    perform set_config('wedsql.took', extract(epoch from wedsql.now())::text, true);
  end if;
  if p_limit < 1 then
    return;
  end if;
  for v_try in 1..20 loop
    v_pick := wedsql._pick(1, 't', p_transitions, p_limit, p_job_ids, 'f');
    exit when v_pick.ids = '{}';
    v_pick := wedsql._drop_stale(1, 'every', v_pick.wids, v_pick.ids);
    perform set_config('wedsql.took_jobs', concat(current_setting('wedsql.took_jobs', true), ',', array_to_string(v_pick.ids, ','), ','), true);
    return query select j.id, j.wid, j.tgid, j.trname, j.claim, j.payload, to_jsonb(w) - 'wid',
         case when cardinality(t.disjuncts) > 1 then wedsql._disjuncts(1, 'every', t.tgid, j.payload) else '{1}' end, j.timeout, coalesce(j.lease_until, wedsql.now() + j.timeout), j.attempts::integer, t.reads, t.writes, j.version,
         case when t.mode = 'auto' then case when j.timeout > interval '1 minute' then 'lease' else 'transaction' end else coalesce(t.mode, 'transaction') end
  from unnest(v_pick.wids, v_pick.ids) c (wid, id)
  cross join lateral (select * from wedsql.job_pool p where p.wid = c.wid and p.id = c.id offset 0) j
  left join every.wed_flow w on w.wid = j.wid
  left join wedsql.trig t on t.tgid = j.tgid;
    exit when found;  -- else others finished all of them a moment before the locks were ours
  end loop;
end $$;


ALTER FUNCTION every.take(p_transitions text[], p_limit integer, p_actor text, p_job_ids bigint[]) OWNER TO wed_owner;

--
-- Name: compile(integer, text, text, text, text); Type: FUNCTION; Schema: wed_match; Owner: wed_eval
--

CREATE FUNCTION wed_match.compile(p_flow integer, p_schema text, p_matcher text, p_errors text, p_settings text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET check_function_bodies TO 'off'
    AS $_$
-- Promise: creates the flow's matcher as the powerless role: predicates run with the rights of wed_eval, which has none.
begin
  execute format('create or replace function wed_match.f_%s(r %I.wed_flow) returns integer[] language plpgsql stable security definer %s as %L',
    p_flow, p_schema, 'set search_path = pg_catalog, pg_temp ' || p_settings, p_matcher);
  execute format('create or replace function wed_match.e_%s(r %I.wed_flow) returns jsonb language plpgsql stable security definer %s as %L',
    p_flow, p_schema, 'set search_path = pg_catalog, pg_temp set timezone = ''UTC'' set datestyle = ''ISO, YMD'' set intervalstyle = ''postgres''', p_errors);
  execute format('revoke all on function wed_match.f_%1$s(%2$I.wed_flow), wed_match.e_%1$s(%2$I.wed_flow) from public', p_flow, p_schema);
  execute format('grant execute on function wed_match.f_%1$s(%2$I.wed_flow), wed_match.e_%1$s(%2$I.wed_flow) to wed_owner', p_flow, p_schema);
end $_$;


ALTER FUNCTION wed_match.compile(p_flow integer, p_schema text, p_matcher text, p_errors text, p_settings text) OWNER TO wed_eval;

SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: wed_flow; Type: TABLE; Schema: every; Owner: wed_owner
--

CREATE TABLE every.wed_flow (
    wid integer NOT NULL,
    kind text DEFAULT 'mark'::text,
    a text,
    n integer DEFAULT 0,
    share numeric DEFAULT 0.5,
    paid boolean DEFAULT true,
    day date,
    due timestamp with time zone,
    lasts interval DEFAULT '1 day'::interval,
    more jsonb DEFAULT '{}'::jsonb,
    size text DEFAULT 's'::text,
    CONSTRAINT enum_10 CHECK ((size = ANY ('{s,l}'::text[])))
)
WITH (fillfactor='80', autovacuum_vacuum_scale_factor='0.02', autovacuum_vacuum_threshold='2000', autovacuum_analyze_scale_factor='0.05');


ALTER TABLE every.wed_flow OWNER TO wed_owner;

--
-- Name: e_1(every.wed_flow); Type: FUNCTION; Schema: wed_match; Owner: wed_eval
--

CREATE FUNCTION wed_match.e_1(r every.wed_flow) RETURNS jsonb
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET "TimeZone" TO 'UTC'
    SET "DateStyle" TO 'ISO, YMD'
    SET "IntervalStyle" TO 'postgres'
    AS $$declare
  v jsonb := '[]';
  b boolean;
begin
  begin b := (r.kind = 'mark' and r.a is null); exception when others then v := v || jsonb_build_object('tgid', 1, 'sqlstate', sqlstate, 'message', sqlerrm); end;
  begin b := (r.kind in ('again', 'due') and r.n < 3); exception when others then v := v || jsonb_build_object('tgid', 2, 'sqlstate', sqlstate, 'message', sqlerrm); end;
  begin b := (r.kind = 'wait' and r.a is null); exception when others then v := v || jsonb_build_object('tgid', 3, 'sqlstate', sqlstate, 'message', sqlerrm); end;
  begin b := (r.kind in ('due', 'stuck') and r.a is null); exception when others then v := v || jsonb_build_object('tgid', 4, 'sqlstate', sqlstate, 'message', sqlerrm); end;
  begin b := (r.kind = 'fail' and r.a is null); exception when others then v := v || jsonb_build_object('tgid', 5, 'sqlstate', sqlstate, 'message', sqlerrm); end;
  begin b := (r.size = 'l' and r.share / r.n > 1); exception when others then v := v || jsonb_build_object('tgid', 6, 'sqlstate', sqlstate, 'message', sqlerrm); end;
  begin b := (r.kind = 'false' and 1 / r.n > 1); exception when others then v := v || jsonb_build_object('tgid', 7, 'sqlstate', sqlstate, 'message', sqlerrm); end;
  begin b := (r.kind = 'abort' and 1 / r.n > 1); exception when others then v := v || jsonb_build_object('tgid', 8, 'sqlstate', sqlstate, 'message', sqlerrm); end;
  begin b := (r.a in ('marked', 'ended') or r.n >= 3); exception when others then v := v || jsonb_build_object('tgid', 10, 'sqlstate', sqlstate, 'message', sqlerrm); end;
  return v;
end$$;


ALTER FUNCTION wed_match.e_1(r every.wed_flow) OWNER TO wed_eval;

--
-- Name: wed_flow; Type: TABLE; Schema: deferring; Owner: wed_owner
--

CREATE TABLE deferring.wed_flow (
    wid integer NOT NULL,
    kind text DEFAULT 'mark'::text,
    a text,
    b text
)
WITH (fillfactor='80', autovacuum_vacuum_scale_factor='0.02', autovacuum_vacuum_threshold='2000', autovacuum_analyze_scale_factor='0.05');


ALTER TABLE deferring.wed_flow OWNER TO wed_owner;

--
-- Name: e_2(deferring.wed_flow); Type: FUNCTION; Schema: wed_match; Owner: wed_eval
--

CREATE FUNCTION wed_match.e_2(r deferring.wed_flow) RETURNS jsonb
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET "TimeZone" TO 'UTC'
    SET "DateStyle" TO 'ISO, YMD'
    SET "IntervalStyle" TO 'postgres'
    AS $$declare
  v jsonb := '[]';
  b boolean;
begin
  begin b := (r.kind = 'mark' and r.a is null); exception when others then v := v || jsonb_build_object('tgid', 11, 'sqlstate', sqlstate, 'message', sqlerrm); end;
  begin b := (r.b is null); exception when others then v := v || jsonb_build_object('tgid', 12, 'sqlstate', sqlstate, 'message', sqlerrm); end;
  begin b := (r.a = 'marked'); exception when others then v := v || jsonb_build_object('tgid', 13, 'sqlstate', sqlstate, 'message', sqlerrm); end;
  return v;
end$$;


ALTER FUNCTION wed_match.e_2(r deferring.wed_flow) OWNER TO wed_eval;

--
-- Name: wed_flow; Type: TABLE; Schema: cancelling; Owner: wed_owner
--

CREATE TABLE cancelling.wed_flow (
    wid integer NOT NULL,
    kind text DEFAULT 'mark'::text,
    a text,
    b text
)
WITH (fillfactor='80', autovacuum_vacuum_scale_factor='0.02', autovacuum_vacuum_threshold='2000', autovacuum_analyze_scale_factor='0.05');


ALTER TABLE cancelling.wed_flow OWNER TO wed_owner;

--
-- Name: e_3(cancelling.wed_flow); Type: FUNCTION; Schema: wed_match; Owner: wed_eval
--

CREATE FUNCTION wed_match.e_3(r cancelling.wed_flow) RETURNS jsonb
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET "TimeZone" TO 'UTC'
    SET "DateStyle" TO 'ISO, YMD'
    SET "IntervalStyle" TO 'postgres'
    AS $$declare
  v jsonb := '[]';
  b boolean;
begin
  begin b := (r.kind = 'mark' and r.a is null); exception when others then v := v || jsonb_build_object('tgid', 14, 'sqlstate', sqlstate, 'message', sqlerrm); end;
  begin b := (r.b is null); exception when others then v := v || jsonb_build_object('tgid', 15, 'sqlstate', sqlstate, 'message', sqlerrm); end;
  begin b := (r.a = 'marked'); exception when others then v := v || jsonb_build_object('tgid', 16, 'sqlstate', sqlstate, 'message', sqlerrm); end;
  return v;
end$$;


ALTER FUNCTION wed_match.e_3(r cancelling.wed_flow) OWNER TO wed_eval;

--
-- Name: evaluate(text, text[], text[], jsonb); Type: FUNCTION; Schema: wed_match; Owner: wed_eval
--

CREATE FUNCTION wed_match.evaluate(p_schema text, p_names text[], p_exprs text[], p_state jsonb) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET "TimeZone" TO 'UTC'
    SET "DateStyle" TO 'ISO, YMD'
    SET "IntervalStyle" TO 'postgres'
    AS $_$
-- Promise: the rendered expressions evaluated on the state by the powerless role, as an object of their names.
declare
  v_answer jsonb;
  v_row refcursor;
begin
  open v_row for execute format('select jsonb_build_object(%s) from jsonb_populate_record(null::%I.wed_flow, $1) r',
    (select string_agg(format('%L, %s', u.n, u.e), ', ') from unnest(p_names, p_exprs) u (n, e)), p_schema) using p_state;
  fetch v_row into v_answer;
  close v_row;
  return v_answer;
end $_$;


ALTER FUNCTION wed_match.evaluate(p_schema text, p_names text[], p_exprs text[], p_state jsonb) OWNER TO wed_eval;

--
-- Name: f_1(every.wed_flow); Type: FUNCTION; Schema: wed_match; Owner: wed_eval
--

CREATE FUNCTION wed_match.f_1(r every.wed_flow) RETURNS integer[]
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET "TimeZone" TO 'UTC'
    SET "DateStyle" TO 'ISO, YMD'
    SET "IntervalStyle" TO 'postgres'
    AS $$declare
  v integer[] := '{}';
begin
  return array_remove(array[case when (r.kind = 'mark' and r.a is null) then 1 end,
    case when (r.kind in ('again', 'due') and r.n < 3) then 2 end,
    case when (r.kind = 'wait' and r.a is null) then 3 end,
    case when (r.kind in ('due', 'stuck') and r.a is null) then 4 end,
    case when (r.kind = 'fail' and r.a is null) then 5 end,
    case when (r.size = 'l' and r.share / r.n > 1) then 6 end,
    case when (r.kind = 'false' and 1 / r.n > 1) then 7 end,
    case when (r.kind = 'abort' and 1 / r.n > 1) then 8 end,
    case when (r.a in ('marked', 'ended') or r.n >= 3) then 10 end]::integer[], null);
exception when others then
  begin if (r.kind = 'mark' and r.a is null) then v := v || 1; end if; exception when others then v := v || -1; end;
  begin if (r.kind in ('again', 'due') and r.n < 3) then v := v || 2; end if; exception when others then v := v || -2; end;
  begin if (r.kind = 'wait' and r.a is null) then v := v || 3; end if; exception when others then v := v || -3; end;
  begin if (r.kind in ('due', 'stuck') and r.a is null) then v := v || 4; end if; exception when others then v := v || -4; end;
  begin if (r.kind = 'fail' and r.a is null) then v := v || 5; end if; exception when others then v := v || -5; end;
  begin if (r.size = 'l' and r.share / r.n > 1) then v := v || 6; end if; exception when others then v := v || -6; end;
  begin if (r.kind = 'false' and 1 / r.n > 1) then v := v || 7; end if; exception when others then v := v || -7; end;
  begin if (r.kind = 'abort' and 1 / r.n > 1) then v := v || 8; end if; exception when others then v := v || -8; end;
  begin if (r.a in ('marked', 'ended') or r.n >= 3) then v := v || 10; end if; exception when others then v := v || -10; end;
  return v;
end$$;


ALTER FUNCTION wed_match.f_1(r every.wed_flow) OWNER TO wed_eval;

--
-- Name: f_2(deferring.wed_flow); Type: FUNCTION; Schema: wed_match; Owner: wed_eval
--

CREATE FUNCTION wed_match.f_2(r deferring.wed_flow) RETURNS integer[]
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$declare
  v integer[] := '{}';
begin
  return array_remove(array[case when (r.kind = 'mark' and r.a is null) then 11 end,
    case when (r.b is null) then 12 end,
    case when (r.a = 'marked') then 13 end]::integer[], null);
exception when others then
  begin if (r.kind = 'mark' and r.a is null) then v := v || 11; end if; exception when others then v := v || -11; end;
  begin if (r.b is null) then v := v || 12; end if; exception when others then v := v || -12; end;
  begin if (r.a = 'marked') then v := v || 13; end if; exception when others then v := v || -13; end;
  return v;
end$$;


ALTER FUNCTION wed_match.f_2(r deferring.wed_flow) OWNER TO wed_eval;

--
-- Name: f_3(cancelling.wed_flow); Type: FUNCTION; Schema: wed_match; Owner: wed_eval
--

CREATE FUNCTION wed_match.f_3(r cancelling.wed_flow) RETURNS integer[]
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$declare
  v integer[] := '{}';
begin
  return array_remove(array[case when (r.kind = 'mark' and r.a is null) then 14 end,
    case when (r.b is null) then 15 end,
    case when (r.a = 'marked') then 16 end]::integer[], null);
exception when others then
  begin if (r.kind = 'mark' and r.a is null) then v := v || 14; end if; exception when others then v := v || -14; end;
  begin if (r.b is null) then v := v || 15; end if; exception when others then v := v || -15; end;
  begin if (r.a = 'marked') then v := v || 16; end if; exception when others then v := v || -16; end;
  return v;
end$$;


ALTER FUNCTION wed_match.f_3(r cancelling.wed_flow) OWNER TO wed_eval;

--
-- Name: holds(text, text[], jsonb); Type: FUNCTION; Schema: wed_match; Owner: wed_eval
--

CREATE FUNCTION wed_match.holds(p_schema text, p_exprs text[], p_state jsonb) RETURNS boolean[]
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET "TimeZone" TO 'UTC'
    SET "DateStyle" TO 'ISO, YMD'
    SET "IntervalStyle" TO 'postgres'
    AS $_$
-- Promise: which of these rendered expressions hold on the state, evaluated as the powerless role; a failing one does not.
declare
  v_holds boolean[] := '{}';
  v_one boolean;
  v_expr text;
begin
  foreach v_expr in array p_exprs loop
    begin
      execute format('select (%s) from jsonb_populate_record(null::%I.wed_flow, $1) r', v_expr, p_schema) into v_one using p_state;
    exception when others then v_one := null;
    end;
    v_holds := v_holds || coalesce(v_one, false);
  end loop;
  return v_holds;
end $_$;


ALTER FUNCTION wed_match.holds(p_schema text, p_exprs text[], p_state jsonb) OWNER TO wed_eval;

--
-- Name: _actor(text); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._actor(p_actor text DEFAULT NULL::text) RETURNS text
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- Promise: who acts: what the caller says, else the session's wedsql.actor, else the database role.
select coalesce(nullif(p_actor, ''), nullif(current_setting('wedsql.actor', true), ''), session_user::text)
$$;


ALTER FUNCTION wedsql._actor(p_actor text) OWNER TO wed_owner;

--
-- Name: _add_counts(jsonb, jsonb); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._add_counts(p_one jsonb, p_two jsonb) RETURNS jsonb
    LANGUAGE sql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- Promise: two reports added up, number by number.
select p_one || (select coalesce(jsonb_object_agg(k, case
    when jsonb_typeof(p_two -> k) = 'object' then wedsql._add_counts(coalesce(p_one -> k, '{}'), p_two -> k)
    else to_jsonb(coalesce((p_one ->> k)::bigint, 0) + (p_two ->> k)::bigint) end), '{}') from jsonb_object_keys(p_two) k)
$$;


ALTER FUNCTION wedsql._add_counts(p_one jsonb, p_two jsonb) OWNER TO wed_owner;

--
-- Name: _added(bigint[], bigint[]); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._added(p_counts bigint[], p_more bigint[]) RETURNS bigint[]
    LANGUAGE sql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- Promise: the sums, place by place.
select array_agg(u.a + u.b order by u.o) from unnest(p_counts, p_more) with ordinality u (a, b, o)
$$;


ALTER FUNCTION wedsql._added(p_counts bigint[], p_more bigint[]) OWNER TO wed_owner;

--
-- Name: _apply_changes(integer); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._apply_changes(p_flow integer) RETURNS text
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
-- Promise: statements that write the changes into v_row and what was there before into v_before. Attributes are looked for
-- in groups of eight, so that a wide row does not pay for each one that stays.
select coalesce(string_agg(case when g.n > 1 then format(E'\n  if p_changes ?| %L::text[] then%s\n  end if;', g.names, g.each) else g.each end, '' order by g.k), '')
from (select k, count(*) over () as n, array_agg(a.aname order by a.aid) as names, string_agg(format(
        E'\n  if p_changes ? %2$L then v_before := v_before || jsonb_build_object(%2$L, v_row.%1$I); v_row.%1$I := (p_changes %4$s %2$L)::%3$s; end if;',
        a.aname, a.aname, wedsql._sql_type(a.type), case when a.type = 'jsonb' then '->' else '->>' end), '' order by a.aid) as each
      from (select a.*, (row_number() over (order by a.aid) - 1) / 8 as k from wedsql.attr a where a.flow_id = p_flow) a group by k) g
$_$;


ALTER FUNCTION wedsql._apply_changes(p_flow integer) OWNER TO wed_owner;

--
-- Name: _apply_definition(integer, jsonb); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._apply_definition(p_flow integer, p_definition jsonb) RETURNS jsonb
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- Promise: attributes and triggers become those of the definition; how many were added, changed and removed.
-- An attribute with "was" is renamed. Triggers are the same when condition, transition and finality agree in name
-- (or "id" says so), so that pending jobs stay theirs.
declare
  v_report jsonb;
begin
  perform wedsql._touch(p_flow, false);
  perform wedsql._apply_settings(p_flow, p_definition);
  v_report := wedsql._apply_new_attributes(p_flow, p_definition -> 'attributes');
  v_report := v_report || wedsql._apply_triggers(p_flow, p_definition -> 'triggers');
  with gone as (delete from wedsql.attr a where a.flow_id = p_flow and not exists (
      select 1 from jsonb_array_elements(p_definition -> 'attributes') d where d ->> 'name' = a.aname) returning 1)
  select v_report || jsonb_build_object('attributes_removed', count(*)) into v_report from gone;
  perform wedsql._generate(p_flow);
  return v_report;
end $$;


ALTER FUNCTION wedsql._apply_definition(p_flow integer, p_definition jsonb) OWNER TO wed_owner;

--
-- Name: _apply_new_attributes(integer, jsonb); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._apply_new_attributes(p_flow integer, p_attributes jsonb) RETURNS jsonb
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- Promise: attributes are renamed, altered and added as told; those not named stay for now, as predicates may still name them.
declare
  v_changed integer;
  v_added integer;
begin
  update wedsql.attr a set aname = d ->> 'name' from jsonb_array_elements(p_attributes) d
  where a.flow_id = p_flow and a.aname = d ->> 'was' and d ->> 'was' <> d ->> 'name';
  get diagnostics v_changed = row_count;
  update wedsql.attr a set adv = d.adv, type = d.type, options = d.options, label = d.label, description = d.description, position = d.position
  from (select * from wedsql._attribute_rows(p_attributes)) d
  where a.flow_id = p_flow and a.aname = d.aname
    and (a.adv, a.type, a.options, a.label, a.description, a.position)
        is distinct from (d.adv, d.type, d.options, d.label, d.description, d.position);
  get diagnostics v_added = row_count;
  v_changed := v_changed + v_added;
  insert into wedsql.attr (flow_id, aname, adv, type, options, label, description, position)
  select p_flow, d.aname, d.adv, d.type, d.options, d.label, d.description, d.position from wedsql._attribute_rows(p_attributes) d
  where not exists (select 1 from wedsql.attr a where a.flow_id = p_flow and a.aname = d.aname) order by d.ord;
  get diagnostics v_added = row_count;
  return jsonb_build_object('attributes_added', v_added, 'attributes_changed', v_changed);
end $$;


ALTER FUNCTION wedsql._apply_new_attributes(p_flow integer, p_attributes jsonb) OWNER TO wed_owner;

--
-- Name: flow; Type: TABLE; Schema: wedsql; Owner: wed_owner
--

CREATE TABLE wedsql.flow (
    id integer NOT NULL,
    name text NOT NULL,
    label text DEFAULT ''::text NOT NULL,
    description text DEFAULT ''::text NOT NULL,
    final_when_pending text DEFAULT 'reject'::text NOT NULL,
    version integer DEFAULT 0 NOT NULL,
    final_tgid integer,
    max_firings integer DEFAULT 1000 NOT NULL,
    default_timeout interval DEFAULT '00:01:00'::interval,
    notify_trace boolean DEFAULT true NOT NULL,
    retention interval,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    fuse integer DEFAULT 1000 NOT NULL,
    plain boolean DEFAULT true NOT NULL,
    shared boolean DEFAULT false NOT NULL,
    changed_xid bigint,
    attrs_changed boolean DEFAULT false NOT NULL,
    rematch_due boolean DEFAULT false NOT NULL,
    reopen_final boolean DEFAULT false NOT NULL,
    CONSTRAINT flow_default_timeout_check CHECK ((default_timeout > '00:00:00'::interval)),
    CONSTRAINT flow_final_when_pending_check CHECK ((final_when_pending = ANY (ARRAY['reject'::text, 'defer'::text, 'cancel'::text]))),
    CONSTRAINT flow_max_firings_check CHECK ((max_firings > 0)),
    CONSTRAINT flow_retention_check CHECK ((retention > '00:00:00'::interval))
);


ALTER TABLE wedsql.flow OWNER TO wed_owner;

--
-- Name: _apply_options(wedsql.flow, wedsql.step, timestamp with time zone); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._apply_options(p_flow wedsql.flow, p_step wedsql.step, p_now timestamp with time zone) RETURNS wedsql.step
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- Promise: revalidate = withdraw removes what is no longer true (K-26), fire_once and timers hold a trigger back, refresh_payload renews (K-04).
begin
  with gone as (
    delete from wedsql.job_pool j using wedsql.trig t
    where j.wid = p_step.wid and t.tgid = j.tgid and t.revalidate = 'withdraw' and j.id is distinct from p_step.job_id
      and not j.tgid = any (p_step.matched)
    returning j.*)
  insert into wedsql.job_log (job_id, wid, tgid, flow_id, trname, at, outcome, actor, message)
  select g.id, g.wid, g.tgid, g.flow_id, g.trname, p_now, 'withdrawn', p_step.actor, 'its condition is no longer true' from gone g;
  update wedsql.job_pool j set payload = p_step.state from wedsql.trig t
  where j.wid = p_step.wid and t.tgid = j.tgid and t.refresh_payload and j.tgid = any (p_step.matched);
  p_step.matched := (
    select coalesce(array_agg(m order by m), '{}') from unnest(p_step.matched) m join wedsql.trig t on t.tgid = m
    where not (t.fire_once and exists (select 1 from wedsql.wed_trace x where x.wid = p_step.wid and t.tgid = any (x.fired))));
  return wedsql._apply_timers(p_flow, p_step, p_now);
end $$;


ALTER FUNCTION wedsql._apply_options(p_flow wedsql.flow, p_step wedsql.step, p_now timestamp with time zone) OWNER TO wed_owner;

--
-- Name: _apply_settings(integer, jsonb); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._apply_settings(p_flow integer, p_definition jsonb) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- Promise: the flow's settings become those of the definition; those that it does not name stay. Where null says something
-- (no timeout, kept for ever) a null is a value, elsewhere it is as good as not named.
declare
  v_old wedsql.flow;
  v_new wedsql.flow;
begin
  select * into v_old from wedsql.flow f where f.id = p_flow;
  update wedsql.flow f
  set label = coalesce(n.label, f.label), description = coalesce(n.description, f.description),
      final_when_pending = coalesce(n.final_when_pending, f.final_when_pending), max_firings = coalesce(n.max_firings, f.max_firings),
      notify_trace = coalesce(n.notify_trace, f.notify_trace), default_timeout = n.default_timeout, retention = n.retention
  from jsonb_populate_record(v_old, p_definition - 'version') n
  where f.id = p_flow returning f.* into v_new;
  if v_new.default_timeout is distinct from v_old.default_timeout then
    perform wedsql._default_timeout(p_flow, v_old.name);
  end if;
end $$;


ALTER FUNCTION wedsql._apply_settings(p_flow integer, p_definition jsonb) OWNER TO wed_owner;

--
-- Name: _apply_timers(wedsql.flow, wedsql.step, timestamp with time zone); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._apply_timers(p_flow wedsql.flow, p_step wedsql.step, p_now timestamp with time zone) RETURNS wedsql.step
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- Promise: a trigger with a due time fires when its condition holds and the time has come; until then a timer waits (K-37).
-- A due attribute is read anew at each commit; due_after alone counts from the commit that made the condition true.
begin
  delete from wedsql.timer x where x.wid = p_step.wid and not x.tgid = any (p_step.matched);
  insert into wedsql.timer as x (wid, tgid, flow_id, due_at)
  select p_step.wid, t.tgid, p_flow.id,
         case when t.due_attr is null then p_now else (p_step.state ->> t.due_attr)::timestamptz end + coalesce(t.due_after, interval '0')
  from wedsql.trig t
  where t.tgid = any (p_step.matched) and (t.due_attr is not null or t.due_after is not null)
    and (t.due_attr is null or p_step.state ->> t.due_attr is not null)
  on conflict (wid, tgid) do update set due_at = excluded.due_at
    where (select t.due_attr from wedsql.trig t where t.tgid = x.tgid) is not null;
  p_step.matched := (
    select coalesce(array_agg(m order by m), '{}') from unnest(p_step.matched) m join wedsql.trig t on t.tgid = m
    where t.due_attr is null and t.due_after is null
       or exists (select 1 from wedsql.timer x where x.wid = p_step.wid and x.tgid = m and x.due_at <= p_now));
  delete from wedsql.timer x where x.wid = p_step.wid and (x.tgid = any (p_step.matched) or p_flow.final_tgid = any (p_step.matched));
  return p_step;
end $$;


ALTER FUNCTION wedsql._apply_timers(p_flow wedsql.flow, p_step wedsql.step, p_now timestamp with time zone) OWNER TO wed_owner;

--
-- Name: _apply_triggers(integer, jsonb); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._apply_triggers(p_flow integer, p_triggers jsonb) RETURNS jsonb
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- Promise: triggers are removed, changed and added as told. Jobs of removed triggers are withdrawn.
declare
  v_rows jsonb;
  v_removed integer;
  v_changed integer;
  v_added integer;
begin
  select coalesce(jsonb_agg(jsonb_build_object('same', r.same, 't', to_jsonb(r.t)) order by r.ord), '[]') into v_rows from wedsql._trigger_rows(p_flow, p_triggers) r;
  with gone as (
    delete from wedsql.job_pool j where j.flow_id = p_flow and j.tgid > 0 and not exists (
      select 1 from jsonb_array_elements(v_rows) r where (r ->> 'same')::integer = j.tgid) returning j.*)
  insert into wedsql.job_log (job_id, wid, tgid, flow_id, trname, at, outcome, actor, message)
  select g.id, g.wid, g.tgid, g.flow_id, g.trname, wedsql.now(), 'withdrawn', wedsql._actor(), 'its trigger was removed' from gone g;
  delete from wedsql.trig t where t.flow_id = p_flow and not exists (
    select 1 from jsonb_array_elements(v_rows) r where (r ->> 'same')::integer = t.tgid);
  get diagnostics v_removed = row_count;
  update wedsql.trig t
  set (tgname, enabled, trname, cname, cpred, cfinal, timeout, on_error, revalidate, mode, max_attempts, backoff, max_firings, pickup_deadline, priority, writes,
       due_attr, due_after, concurrent, fire_once, refresh_payload, compensation, compensated_by, class, label, description) =
      (n.tgname, n.enabled, n.trname, n.cname, n.cpred, n.cfinal, n.timeout, n.on_error, n.revalidate, n.mode, n.max_attempts, n.backoff, n.max_firings,
       n.pickup_deadline, n.priority, n.writes, n.due_attr, n.due_after, n.concurrent, n.fire_once, n.refresh_payload, n.compensation, n.compensated_by,
       n.class, n.label, n.description)
  from jsonb_array_elements(v_rows) r cross join lateral jsonb_populate_record(null::wedsql.trig, r -> 't') n
  where t.tgid = (r ->> 'same')::integer and wedsql._trigger_json(n) is distinct from wedsql._trigger_json(t);
  get diagnostics v_changed = row_count;
  insert into wedsql.trig (flow_id, tgname, enabled, trname, cname, cpred, cfinal, timeout, on_error, revalidate, mode, max_attempts, backoff, max_firings, pickup_deadline,
    priority, writes, due_attr, due_after, concurrent, fire_once, refresh_payload, compensation, compensated_by, class, label, description)
  select p_flow, n.tgname, n.enabled, n.trname, n.cname, n.cpred, n.cfinal, n.timeout, n.on_error, n.revalidate, n.mode, n.max_attempts, n.backoff, n.max_firings,
    n.pickup_deadline, n.priority, n.writes, n.due_attr, n.due_after, n.concurrent, n.fire_once, n.refresh_payload, n.compensation, n.compensated_by, n.class, n.label, n.description
  from jsonb_array_elements(v_rows) with ordinality r (j, ord) cross join lateral jsonb_populate_record(null::wedsql.trig, r.j -> 't') n
  where r.j ->> 'same' is null order by r.ord;
  get diagnostics v_added = row_count;
  return jsonb_build_object('triggers_added', v_added, 'triggers_changed', v_changed, 'triggers_removed', v_removed);
end $$;


ALTER FUNCTION wedsql._apply_triggers(p_flow integer, p_triggers jsonb) OWNER TO wed_owner;

--
-- Name: attr; Type: TABLE; Schema: wedsql; Owner: wed_owner
--

CREATE TABLE wedsql.attr (
    aid integer NOT NULL,
    flow_id integer NOT NULL,
    aname text NOT NULL,
    adv text,
    type text DEFAULT 'text'::text NOT NULL,
    options text[],
    label text DEFAULT ''::text NOT NULL,
    description text DEFAULT ''::text NOT NULL,
    "position" integer,
    CONSTRAINT attr_type_check CHECK ((type = ANY (ARRAY['text'::text, 'integer'::text, 'numeric'::text, 'boolean'::text, 'date'::text, 'timestamptz'::text, 'interval'::text, 'jsonb'::text, 'enum'::text])))
);


ALTER TABLE wedsql.attr OWNER TO wed_owner;

--
-- Name: _archive(text, wedsql.attr); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._archive(p_flow text, p_attr wedsql.attr) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
-- Promise: the values that go with a removed attribute stay readable in the history of the living instances (K-21).
begin
  if not exists (select 1 from wedsql.instance i where i.flow_id = p_attr.flow_id and i.status in ('R', 'E', 'S')) then
    return;
  end if;
  execute format($q$
    with living as (
      update wedsql.instance i set seq = i.seq + 1, changed_at = wedsql.now()
      from %1$I.wed_flow w where w.wid = i.wid and i.flow_id = $1 and i.status in ('R', 'E', 'S')
      returning i.wid, i.seq, i.status, i.version, to_jsonb(w) - 'wid' as state)
    insert into wedsql.wed_trace (flow_id, wid, seq, tstmp, trw, state, status, before, actor, reason, version, tx_at)
    select $1, l.wid, l.seq, wedsql.now(), '_REMATCH', l.state - $2, l.status, jsonb_build_object($2, l.state -> $2),
           wedsql._actor(), 'attribute removed', (select f.version from wedsql.flow f where f.id = $1), now()
    from living l $q$, p_flow) using p_attr.flow_id, p_attr.aname;
end $_$;


ALTER FUNCTION wedsql._archive(p_flow text, p_attr wedsql.attr) OWNER TO wed_owner;

--
-- Name: _at_commit(); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._at_commit() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- Promise: when a transaction changed a definition, its commit re-matches the living instances and keeps the version (K-17).
begin
  perform wedsql._publish(f.id, wedsql._actor(), coalesce(current_setting('wedsql.reason', true), ''))
  from wedsql.flow f where f.id = coalesce(new.flow_id, old.flow_id) and f.rematch_due;
  return null;
end $$;


ALTER FUNCTION wedsql._at_commit() OWNER TO wed_owner;

--
-- Name: _attr_after(); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._attr_after() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- Promise: wed_flow has exactly the columns, defaults and checks that wed_attr tells (the paper's section 2.2).
-- Locks: the flow's definition, then wed_flow in access exclusive mode until the commit.
-- Raises: WD003 when living values do not fit a new type, WD010.
declare
  v_flow text;
  v_row wedsql.attr := coalesce(new, old);
begin
  select name into v_flow from wedsql.flow where id = v_row.flow_id;
  if not found or to_regclass(format('%I.wed_flow', v_flow)) is null then
    return null;  -- the whole flow is being dropped
  end if;
  perform wedsql._lock_definition(v_row.flow_id, true);
  perform wedsql._touch(v_row.flow_id, tg_op <> 'UPDATE' or (new.aname, new.type) is distinct from (old.aname, old.type));
  if tg_op = 'INSERT' then
    execute format('alter table %I.wed_flow add column %I %s default %L', v_flow, new.aname, wedsql._sql_type(new.type), new.adv);
    perform wedsql._attr_check(v_flow, new);
    execute format('revoke all on %I.wed_flow from public', v_flow);
  elsif tg_op = 'DELETE' then
    perform wedsql._archive(v_flow, old);
    execute format('alter table %I.wed_flow drop column %I', v_flow, old.aname);
  else
    perform wedsql._attr_alter(v_flow, old, new);
  end if;
  return null;
end $$;


ALTER FUNCTION wedsql._attr_after() OWNER TO wed_owner;

--
-- Name: _attr_alter(text, wedsql.attr, wedsql.attr); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._attr_alter(p_flow text, p_old wedsql.attr, p_new wedsql.attr) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- Promise: rename, type, default and options reach the column; predicates, write-sets and due attributes follow a rename (K-20).
declare
  v_type text := wedsql._sql_type(p_new.type);
begin
  if p_new.aname <> p_old.aname then
    execute format('alter table %I.wed_flow rename column %I to %I', p_flow, p_old.aname, p_new.aname);
    perform wedsql._rename_in_triggers(p_new.flow_id, p_old.aname, p_new.aname);
  end if;
  if v_type <> wedsql._sql_type(p_old.type) then
    begin
      execute format('alter table %I.wed_flow alter column %I drop default', p_flow, p_new.aname);
      execute format('alter table %I.wed_flow alter column %I type %s using %I::text::%s', p_flow, p_new.aname, v_type, p_new.aname, v_type);
    exception when data_exception then
      perform wedsql._raise('WD003', format('Living values of %I cannot become %s: %s.', p_new.aname, p_new.type, sqlerrm),
        'Repair those instances first, or add a new attribute.', jsonb_build_object('attribute', p_new.aname)::text);
    end;
  end if;
  if p_new.type is distinct from p_old.type or p_new.options is distinct from p_old.options then
    perform wedsql._attr_check(p_flow, p_new);
    perform wedsql._recheck_triggers(p_new.flow_id, p_new.aname);
  end if;
  execute format('alter table %I.wed_flow alter column %I set default %L', p_flow, p_new.aname, p_new.adv);
end $$;


ALTER FUNCTION wedsql._attr_alter(p_flow text, p_old wedsql.attr, p_new wedsql.attr) OWNER TO wed_owner;

--
-- Name: _attr_before(); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._attr_before() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- Promise: a row of wed_attr is a legal WED-attribute, or the statement fails saying why.
-- Raises: WD003, WD004, WD007, WD009.
declare
  v_places text[];
begin
  if tg_op = 'DELETE' then
    v_places := wedsql._places(old.flow_id, old.aname);
    if v_places is not null and exists (select 1 from wedsql.flow where id = old.flow_id) then
      perform wedsql._raise('WD007', format('Attribute %I is still named by %s.', old.aname, array_to_string(v_places, ', ')),
        'Change or remove those triggers first, in the same transaction if you like.', to_jsonb(v_places)::text);
    end if;
    return old;
  end if;
  if tg_op = 'UPDATE' and new.flow_id <> old.flow_id then
    perform wedsql._raise('WD009', 'An attribute cannot move to another flow.');
  end if;
  new.type := coalesce(nullif(new.type, ''), 'text');
  perform wedsql.check_name(new.aname, 'attribute');
  -- Before anything else looks at it: the type becomes part of statements, and the table's own check comes after this trigger.
  if new.type not in ('text', 'integer', 'numeric', 'boolean', 'date', 'timestamptz', 'interval', 'jsonb', 'enum') then
    perform wedsql._raise('WD009', format('%L is no type of an attribute.', left(new.type, 80)),
      'Types: text, integer, numeric, boolean, date, timestamptz, interval, jsonb, enum.', jsonb_build_object('attribute', new.aname, 'column', 'type')::text);
  end if;
  if exists (select 1 from wedsql.attr a where a.flow_id = new.flow_id and a.aname = new.aname and a.aid <> new.aid) then
    perform wedsql._raise('WD004', format('The flow has an attribute %I already.', new.aname), 'Attribute names are unique in a flow.');
  end if;
  perform wedsql._check_default(new.aname, new.type, new.options, new.adv);
  return new;
end $$;


ALTER FUNCTION wedsql._attr_before() OWNER TO wed_owner;

--
-- Name: _attr_check(text, wedsql.attr); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._attr_check(p_flow text, p_attr wedsql.attr) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- Promise: an enum column accepts its options and null only; other columns carry no such check.
declare
  v_name text := 'enum_' || p_attr.aid;
begin
  if exists (select 1 from pg_constraint c where c.conname = v_name and c.conrelid = to_regclass(format('%I.wed_flow', p_flow))) then
    execute format('alter table %I.wed_flow drop constraint %I', p_flow, v_name);
  end if;
  if p_attr.type = 'enum' then
    execute format('alter table %I.wed_flow add constraint %I check (%I = any (%L::text[]))', p_flow, v_name, p_attr.aname, p_attr.options);
  end if;
exception when check_violation then
  perform wedsql._raise('WD003', format('Living instances hold values of %I that are none of its options.', p_attr.aname),
    'Keep the old options, or repair those instances first.');
end $$;


ALTER FUNCTION wedsql._attr_check(p_flow text, p_attr wedsql.attr) OWNER TO wed_owner;

--
-- Name: _attr_types(integer); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._attr_types(p_flow integer) RETURNS jsonb
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- Promise: attribute name -> type, the form the lexer asks for.
select coalesce(jsonb_object_agg(a.aname, a.type), '{}') from wedsql.attr a where a.flow_id = p_flow
$$;


ALTER FUNCTION wedsql._attr_types(p_flow integer) OWNER TO wed_owner;

--
-- Name: _attribute_rows(jsonb); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._attribute_rows(p_attributes jsonb) RETURNS TABLE(ord bigint, aname text, adv text, type text, options text[], label text, description text, "position" integer)
    LANGUAGE sql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- Promise: the attributes of a definition as rows.
select d.ord, d.a ->> 'name', d.a ->> 'default', coalesce(d.a ->> 'type', 'text'),
       case when jsonb_typeof(d.a -> 'options') = 'array' then array(select jsonb_array_elements_text(d.a -> 'options')) end,
       coalesce(d.a ->> 'label', ''), coalesce(d.a ->> 'description', ''), (d.a ->> 'position')::integer
from jsonb_array_elements(p_attributes) with ordinality d (a, ord)
$$;


ALTER FUNCTION wedsql._attribute_rows(p_attributes jsonb) OWNER TO wed_owner;

--
-- Name: _attribute_types(jsonb); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._attribute_types(p_definition jsonb) RETURNS jsonb
    LANGUAGE sql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- Promise: names and types of a definition's attributes, in the form of _attr_types.
select coalesce(jsonb_object_agg(a ->> 'name', coalesce(a ->> 'type', 'text')), '{}') from jsonb_array_elements(p_definition -> 'attributes') a
$$;


ALTER FUNCTION wedsql._attribute_types(p_definition jsonb) OWNER TO wed_owner;

--
-- Name: _attributes_differ(integer, jsonb); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._attributes_differ(p_flow integer, p_attributes jsonb) RETURNS boolean
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- Promise: whether the attributes of a definition are others than the flow's, so that columns will change.
select exists (
  select 1 from wedsql._attribute_rows(p_attributes) d full join (select * from wedsql.attr x where x.flow_id = p_flow) a on a.aname = d.aname
  where (a.aname, a.adv, a.type, a.options, a.label, a.description, a.position)
        is distinct from (d.aname, d.adv, d.type, d.options, d.label, d.description, d.position))
$$;


ALTER FUNCTION wedsql._attributes_differ(p_flow integer, p_attributes jsonb) OWNER TO wed_owner;

--
-- Name: _backoff(interval, integer); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._backoff(p_base interval, p_attempts integer) RETURNS interval
    LANGUAGE sql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- Promise: twice as long after each attempt, an hour at most, with a fifth of jitter so that a herd spreads out.
select least(p_base * power(2, least(p_attempts, 20)), interval '1 hour') * (0.9 + random() * 0.2)
$$;


ALTER FUNCTION wedsql._backoff(p_base interval, p_attempts integer) OWNER TO wed_owner;

--
-- Name: _blame(text, jsonb, wedsql.why); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._blame(p_flow text, p_changes jsonb, p_why wedsql.why) RETURNS wedsql.why
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET "DateStyle" TO 'ISO, YMD'
    SET "TimeZone" TO 'UTC'
    SET "IntervalStyle" TO 'postgres'
    AS $_$
-- Promise: a value that does not fit is told as WD003, where it can be with attribute, type and value; other errors stay as they are.
declare
  v_attr wedsql.attr;
  v_text text;
begin
  if p_why.code !~ '^22' and p_why.code <> '23514' then
    return p_why;
  end if;
  for v_attr in select a.* from wedsql.attr a join wedsql.flow f on f.id = a.flow_id where f.name = p_flow and p_changes ? a.aname order by a.aid loop
    v_text := p_changes ->> v_attr.aname;
    begin
      if v_attr.type = 'enum' and not v_text = any (v_attr.options) then
        return row('WD003', format('%L is none of the options of %I.', left(v_text, 80), v_attr.aname),
          format('Options: %s.', array_to_string(v_attr.options, ', ')), jsonb_build_object('attribute', v_attr.aname)::text)::wedsql.why;
      elsif v_attr.type <> 'jsonb' then
        execute format('select ($1::%s)::text', wedsql._sql_type(v_attr.type)) into v_text using v_text;
      end if;
    exception when data_exception then
      return row('WD003', format('%L is not a value of type %s for attribute %I.', left(v_text, 80), v_attr.type, v_attr.aname),
        sqlerrm, jsonb_build_object('attribute', v_attr.aname)::text)::wedsql.why;
    end;
  end loop;
  return case when p_why.code = '23514' then p_why else row('WD003', format('A value cannot be stored: %s.', p_why.message), p_why.hint,
    jsonb_build_object('sqlstate', p_why.code)::text)::wedsql.why end;
end $_$;


ALTER FUNCTION wedsql._blame(p_flow text, p_changes jsonb, p_why wedsql.why) OWNER TO wed_owner;

--
-- Name: _check_default(text, text, text[], text); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._check_default(p_name text, p_type text, p_options text[], p_default text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
-- Promise: the default can be a value of that type.
-- Raises: WD003 naming attribute, type and value.
declare
  v_ignored text;
begin
  if p_type = 'enum' and coalesce(cardinality(p_options), 0) = 0 then
    perform wedsql._raise('WD009', format('Attribute %I is an enum without options.', p_name),
      'Give at least one option.');
  end if;
  if p_default is null then
    return;
  end if;
  if p_type = 'enum' and not p_default = any (p_options) then
    perform wedsql._raise('WD003', format('Default %L of attribute %I is none of its options.', left(p_default, 80), p_name),
      format('Options: %s.', array_to_string(p_options, ', ')), jsonb_build_object('attribute', p_name)::text);
  end if;
  begin
    execute format('select ($1::%s)::text', wedsql._sql_type(p_type)) into v_ignored using p_default;
  exception when data_exception then
    perform wedsql._raise('WD003', format('Default %L of attribute %I is not a value of type %s.', left(p_default, 80), p_name, p_type),
      sqlerrm, jsonb_build_object('attribute', p_name)::text);
  end;
end $_$;


ALTER FUNCTION wedsql._check_default(p_name text, p_type text, p_options text[], p_default text) OWNER TO wed_owner;

--
-- Name: _check_definition(jsonb); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._check_definition(p_definition jsonb) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- Promise: the definition has the outer form of one; what is inside each attribute and trigger is checked where it is stored.
-- Raises: WD009.
declare
  v_bad text;
begin
  if jsonb_typeof(p_definition) is distinct from 'object' or jsonb_typeof(p_definition -> 'attributes') is distinct from 'array'
     or jsonb_typeof(p_definition -> 'triggers') is distinct from 'array' then
    perform wedsql._raise('WD009', 'A definition is an object with the lists "attributes" and "triggers".');
  end if;
  if exists (select 1 from jsonb_array_elements((p_definition -> 'attributes') || (p_definition -> 'triggers')) e where jsonb_typeof(e) <> 'object') then
    perform wedsql._raise('WD009', 'Each attribute and each trigger of a definition is an object.');
  end if;
  select k into v_bad from jsonb_object_keys(p_definition) k
  where k not in ('flow', 'version', 'label', 'description', 'final_when_pending', 'max_firings', 'default_timeout', 'notify_trace', 'retention',
    'attributes', 'triggers') limit 1;
  if not found then
    select k into v_bad from jsonb_array_elements(p_definition -> 'attributes') a cross join lateral jsonb_object_keys(a) k
    where k not in ('name', 'type', 'default', 'options', 'label', 'description', 'position', 'was') limit 1;
  end if;
  if not found then
    select k into v_bad from jsonb_array_elements(p_definition -> 'triggers') t cross join lateral jsonb_object_keys(t) k
    where k not in ('name', 'transition', 'condition', 'predicate', 'final', 'enabled', 'timeout', 'on_error', 'revalidate', 'mode',
      'max_attempts', 'backoff', 'max_firings', 'pickup_deadline', 'priority', 'writes', 'due_attr', 'due_after', 'concurrent', 'fire_once',
      'refresh_payload', 'compensation', 'compensated_by', 'class', 'label', 'description', 'id') limit 1;
  end if;
  if v_bad is not null then
    perform wedsql._raise('WD009', format('The definition has an unknown word %L.', left(v_bad, 80)), 'docs/defining-flows.md lists the words.');
  end if;
end $$;


ALTER FUNCTION wedsql._check_definition(p_definition jsonb) OWNER TO wed_owner;

--
-- Name: trig; Type: TABLE; Schema: wedsql; Owner: wed_owner
--

CREATE TABLE wedsql.trig (
    tgid integer NOT NULL,
    flow_id integer NOT NULL,
    tgname text,
    enabled boolean DEFAULT true NOT NULL,
    trname text,
    cname text,
    cpred text NOT NULL,
    cfinal boolean DEFAULT false NOT NULL,
    timeout interval DEFAULT '00:01:00'::interval,
    canonical text,
    reads text[],
    disjuncts text[],
    on_error text DEFAULT 'exception'::text NOT NULL,
    revalidate text DEFAULT 'none'::text NOT NULL,
    mode text DEFAULT 'auto'::text NOT NULL,
    max_attempts integer DEFAULT 5 NOT NULL,
    backoff interval DEFAULT '00:00:01'::interval NOT NULL,
    max_firings integer,
    pickup_deadline interval,
    priority smallint DEFAULT 0 NOT NULL,
    writes text[],
    due_attr text,
    due_after interval,
    concurrent boolean DEFAULT false NOT NULL,
    fire_once boolean DEFAULT false NOT NULL,
    refresh_payload boolean DEFAULT false NOT NULL,
    compensation text DEFAULT 'none'::text NOT NULL,
    compensated_by text,
    class text DEFAULT 'retriable'::text NOT NULL,
    label text DEFAULT ''::text NOT NULL,
    description text DEFAULT ''::text NOT NULL,
    CONSTRAINT trig_backoff_check CHECK ((backoff >= '00:00:00'::interval)),
    CONSTRAINT trig_class_check CHECK ((class = ANY (ARRAY['compensatable'::text, 'retriable'::text, 'pivot'::text]))),
    CONSTRAINT trig_compensation_check CHECK ((compensation = ANY (ARRAY['none'::text, 'inverse'::text, 'transition'::text]))),
    CONSTRAINT trig_max_attempts_check CHECK (((max_attempts >= 1) AND (max_attempts <= 1000))),
    CONSTRAINT trig_max_firings_check CHECK ((max_firings > 0)),
    CONSTRAINT trig_mode_check CHECK ((mode = ANY (ARRAY['auto'::text, 'transaction'::text, 'lease'::text]))),
    CONSTRAINT trig_on_error_check CHECK ((on_error = ANY (ARRAY['abort'::text, 'false'::text, 'exception'::text]))),
    CONSTRAINT trig_pickup_deadline_check CHECK ((pickup_deadline > '00:00:00'::interval)),
    CONSTRAINT trig_revalidate_check CHECK ((revalidate = ANY (ARRAY['none'::text, 'at_take'::text, 'withdraw'::text]))),
    CONSTRAINT trig_timeout_check CHECK ((timeout > '00:00:00'::interval))
);


ALTER TABLE wedsql.trig OWNER TO wed_owner;

--
-- Name: _check_final(wedsql.trig); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._check_final(p_trig wedsql.trig) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- Promise: a flow has one final condition at the most (the paper's section 2.2).
-- Raises: WD008.
begin
  if exists (select 1 from wedsql.trig t where t.flow_id = p_trig.flow_id and t.cfinal and t.tgid <> p_trig.tgid) then
    perform wedsql._raise('WD008', 'The flow has a final condition already.',
      'Join both with OR in one predicate: several final states are one condition.');
  end if;
end $$;


ALTER FUNCTION wedsql._check_final(p_trig wedsql.trig) OWNER TO wed_owner;

--
-- Name: _check_jobs(integer, text[], integer[], bigint[], bigint[], jsonb[], text, boolean); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._check_jobs(p_flow integer, p_attrs text[], p_wids integer[], p_jobs bigint[], p_claims bigint[], p_changes jsonb[], p_actor text, p_held boolean) RETURNS wedsql.step[]
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET enable_material TO 'off'
    SET join_collapse_limit TO '1'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
-- Promise: one step a job, its changes standing in for the state, if each instance is open and each job still pending,
-- held by the caller and in time. The time of a transaction counts from its first take, that of a session's hold from the
-- hold, that of a lease from the lease. p_held: the session's own lock on the job ends here, and the transaction's stands for it.
-- Locks: the advisory lock of every job taken in transaction mode (held already by an honest caller).
-- Raises: WD002, WD102, WD104, WD105, WD203, WD204, WD205, WD210; WD201 when this transaction did not take the job (K-07).
declare
  v_now timestamptz := wedsql.now();
  v_took timestamptz := to_timestamp(nullif(current_setting(case when p_held then 'wedsql.held' else 'wedsql.took' end, true), '')::float8);
  v_ids text := coalesce(current_setting('wedsql.took_jobs', true), '');
  v_steps wedsql.step[];
  v_bad text;
begin
  select array_agg(row(c.wid, false, j.id, j.tgid, j.trname, j.cause_seq, p_actor, null, c.s, null, null, null, j.claim)::wedsql.step), min(p.problem)
  into v_steps, v_bad
  from unnest(p_wids, p_jobs, p_claims, p_changes) c (wid, id, claim, s)
  left join wedsql.instance i on i.wid = c.wid
  left join lateral (select * from wedsql.job_pool p where p.wid = c.wid and p.id = c.id offset 0) j on true
  left join wedsql.trig t on t.tgid = j.tgid
  cross join lateral (select case
    when i.wid is null or i.flow_id <> p_flow then 'WD104'
    when i.status = 'F' then 'WD102'
    when i.status not in ('R', 'E') then 'WD105'
    when j.id is null or j.state = 'K' then 'WD205'
    when c.claim is not null and j.claim is distinct from c.claim then 'WD203'
    when c.claim is not null and j.lease_until <= v_now then 'WD204'
    when c.claim is null and (j.state = 'L' or not pg_try_advisory_xact_lock(c.wid, j.tgid)) then 'WD203'
    when c.claim is null and (v_took is null or not p_held and strpos(v_ids, ',' || c.id || ',') = 0) then 'WD201'
    when c.claim is null and p_held and not pg_advisory_unlock(c.wid, j.tgid) then 'WD203'
    when c.claim is null and j.timeout is not null and v_now - v_took > j.timeout then 'WD204'
    when jsonb_typeof(c.s) is distinct from 'object' or c.s - p_attrs <> '{}' then 'WD002'
    when t.writes is not null and c.s - t.writes <> '{}' then 'WD210' end as problem) p;
  if v_bad is not null then
    if v_bad = 'WD002' then
      perform wedsql._check_states(p_attrs, p_changes);
    end if;
    perform wedsql._refuse_job(v_bad, p_wids, p_jobs, p_changes);
  end if;
  return v_steps;
end $$;


ALTER FUNCTION wedsql._check_jobs(p_flow integer, p_attrs text[], p_wids integer[], p_jobs bigint[], p_claims bigint[], p_changes jsonb[], p_actor text, p_held boolean) OWNER TO wed_owner;

--
-- Name: _check_options(wedsql.trig); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._check_options(p_trig wedsql.trig) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- Promise: write-set and due attribute name attributes of the flow, and of a fitting type.
-- Raises: WD002, WD009.
declare
  v_unknown text;
  v_type text;
begin
  select w into v_unknown from unnest(p_trig.writes) w
  where not exists (select 1 from wedsql.attr a where a.flow_id = p_trig.flow_id and a.aname = w) limit 1;
  if found then
    perform wedsql._raise('WD002', format('The write-set names %L, which is no attribute of the flow.', v_unknown), null, '{"column": "writes"}');
  end if;
  if p_trig.due_attr is not null then
    select a.type into v_type from wedsql.attr a where a.flow_id = p_trig.flow_id and a.aname = p_trig.due_attr;
    if v_type is null or v_type not in ('date', 'timestamptz') then
      perform wedsql._raise('WD009', format('%L cannot be a due time.', p_trig.due_attr),
        'due_attr names an attribute of type date or timestamptz.', '{"column": "due_attr"}');
    end if;
  end if;
  if p_trig.timeout <= interval '0' or p_trig.timeout > interval '1000 years' then
    perform wedsql._raise('WD009', 'A timeout is longer than nothing and ends some day.', 'Leave it empty for no timeout.', '{"column": "timeout"}');
  end if;
end $$;


ALTER FUNCTION wedsql._check_options(p_trig wedsql.trig) OWNER TO wed_owner;

--
-- Name: _check_states(text[], jsonb[]); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._check_states(p_attrs text[], p_states jsonb[]) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- Promise: every state is a JSON object over attributes of the flow.
-- Raises: WD009, WD002 naming the attribute and the nearest known one.
declare
  v_bad text;
begin
  if exists (select 1 from unnest(p_states) s where jsonb_typeof(s) is distinct from 'object') then
    perform wedsql._raise('WD009', 'A state is a JSON object: attribute names with their values.');
  end if;
  select k into v_bad from unnest(p_states) s cross join lateral jsonb_object_keys(s - p_attrs) k limit 1;
  if found then
    perform wedsql._raise('WD002', format('%L is no attribute of this flow.', left(v_bad, 80)),
      case when p_attrs = '{}' then 'The flow has no attributes yet.'
           else format('Did you mean %s? Attributes: %s.', wedsql.suggest(v_bad, p_attrs), array_to_string(p_attrs, ', ')) end,
      jsonb_build_object('attribute', v_bad)::text);
  end if;
end $$;


ALTER FUNCTION wedsql._check_states(p_attrs text[], p_states jsonb[]) OWNER TO wed_owner;

--
-- Name: job_seq; Type: SEQUENCE; Schema: wedsql; Owner: wed_owner
--

CREATE SEQUENCE wedsql.job_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


ALTER TABLE wedsql.job_seq OWNER TO wed_owner;

--
-- Name: job_pool; Type: TABLE; Schema: wedsql; Owner: wed_owner
--

CREATE TABLE wedsql.job_pool (
    id bigint DEFAULT nextval('wedsql.job_seq'::regclass) NOT NULL,
    wid integer NOT NULL,
    tgid integer NOT NULL,
    flow_id integer NOT NULL,
    trname text NOT NULL,
    lckid text,
    timeout interval,
    payload jsonb NOT NULL,
    state "char" DEFAULT 'P'::"char" NOT NULL,
    claim bigint,
    lease_until timestamp with time zone,
    attempts smallint DEFAULT 0 NOT NULL,
    not_before timestamp with time zone,
    priority smallint DEFAULT 0 NOT NULL,
    last_error text,
    last_state text,
    late boolean DEFAULT false NOT NULL,
    fired_at timestamp with time zone NOT NULL,
    fired_xid bigint NOT NULL,
    cause_seq integer,
    version integer NOT NULL
)
WITH (fillfactor='70', autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='1000', autovacuum_analyze_scale_factor='0', autovacuum_analyze_threshold='5000');


ALTER TABLE wedsql.job_pool OWNER TO wed_owner;

--
-- Name: _check_writes(wedsql.job_pool, jsonb); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._check_writes(p_job wedsql.job_pool, p_before jsonb) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- Promise: the job's transition wrote only what its trigger declares (K-48).
-- Raises: WD210.
begin
  if exists (select 1 from wedsql.trig t where t.tgid = p_job.tgid and t.writes is not null and p_before - t.writes <> '{}') then
    perform wedsql._raise('WD210', format('Transition %s wrote an attribute that its write-set does not declare.', p_job.trname),
      'Add the attribute to the write-set of the trigger, or leave it alone.');
  end if;
end $$;


ALTER FUNCTION wedsql._check_writes(p_job wedsql.job_pool, p_before jsonb) OWNER TO wed_owner;

--
-- Name: _column_list(integer, text, text); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._column_list(p_flow integer, p_form text, p_between text DEFAULT ', '::text) RETURNS text
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- Promise: the attributes in table order, each put into the format string: 1 name, 2 name as literal, 3 type, 4 default as literal, 5 -> or ->>.
select string_agg(format(p_form, quote_ident(a.aname), quote_literal(a.aname), wedsql._sql_type(a.type), quote_nullable(a.adv),
                         case when a.type = 'jsonb' then '->' else '->>' end), p_between order by a.aid)
from wedsql.attr a where a.flow_id = p_flow
$$;


ALTER FUNCTION wedsql._column_list(p_flow integer, p_form text, p_between text) OWNER TO wed_owner;

--
-- Name: _complete_one(text, integer, bigint, bigint, jsonb, text, text); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._complete_one(p_flow text, p_wid integer, p_job bigint, p_claim bigint, p_changes jsonb, p_actor text, p_set text) RETURNS TABLE(job_id bigint, ok boolean, seq integer, status text, fired text[], sqlstate text, message text, hint text, detail text)
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
#variable_conflict use_column
-- Promise: one result applied or refused, as one row; a refused one leaves nothing behind.
declare
  v_changes jsonb := coalesce(p_changes, '{}');
  v_why wedsql.why;
begin
  if p_set is not null then
    v_changes := wedsql._set_changes(p_flow, p_wid, p_set);
  end if;
  return query execute format('select c.job_id, true, c.seq, c.status::text, c.fired, null::text, null::text, null::text, null::text from %I._commit(array[$1], array[$2], array[$3], array[$4], $5) c', p_flow)
    using p_wid, p_job, p_claim, v_changes, p_actor;
exception
  when serialization_failure or deadlock_detected or lock_not_available or query_canceled then raise;
  when others then
    get stacked diagnostics v_why.code = returned_sqlstate, v_why.message = message_text, v_why.hint = pg_exception_hint, v_why.detail = pg_exception_detail;
    if v_why.code in ('WD102', 'WD105', 'WD205') then
      return query select p_job, true, t.seq, t.status::text, t.trf, null::text, null::text, null::text, null::text from wedsql.wed_trace t
        where t.wid = p_wid and t.job_id = p_job and t.claim is not distinct from p_claim and t.actor = p_actor;
      if found then
        return;
      end if;
    end if;
    return query select p_job, false, null::integer, null::text, '{}'::text[], b.*
      from wedsql._blame(p_flow, v_changes, v_why) b;
end $_$;


ALTER FUNCTION wedsql._complete_one(p_flow text, p_wid integer, p_job bigint, p_claim bigint, p_changes jsonb, p_actor text, p_set text) OWNER TO wed_owner;

--
-- Name: _condition_errors(wedsql.flow, wedsql.step, timestamp with time zone); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._condition_errors(p_flow wedsql.flow, p_step wedsql.step, p_now timestamp with time zone) RETURNS wedsql.step
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
-- Promise: a predicate that fails at run time counts as not true, is named in the trace, and never blocks the others.
-- Raises: WD106 when its trigger says on_error = abort.
declare
  v_errors jsonb;
  v_abort jsonb;
begin
  execute format('select wed_match.e_%s(jsonb_populate_record(null::%I.wed_flow, $1))', p_flow.id, p_flow.name)
    into v_errors using p_step.state;
  select jsonb_agg(e || jsonb_build_object('trigger', coalesce(t.tgname, t.trname))), jsonb_agg(e) filter (where t.on_error = 'abort')
  into v_errors, v_abort from jsonb_array_elements(v_errors) e join wedsql.trig t on t.tgid = (e ->> 'tgid')::integer;
  if v_abort is not null then
    perform wedsql._raise('WD106', format('Predicate of trigger %s failed: %s %s', v_errors -> 0 ->> 'trigger',
      v_errors -> 0 ->> 'sqlstate', v_errors -> 0 ->> 'message'), 'The commit was refused because the trigger says on_error = abort.', v_errors::text);
  end if;
  insert into wedsql.condition_error as c (tgid, flow_id, last_at, sqlstate, message, wid)
  select (e ->> 'tgid')::integer, p_flow.id, p_now, e ->> 'sqlstate', e ->> 'message', p_step.wid
  from jsonb_array_elements(v_errors) e order by 1
  on conflict (tgid) do update set n = c.n + 1, last_at = excluded.last_at, sqlstate = excluded.sqlstate,
    message = excluded.message, wid = excluded.wid;
  p_step.errors := v_errors;
  p_step.matched := (select coalesce(array_agg(m order by m), '{}') from unnest(p_step.matched) m where m > 0);
  return p_step;
end $_$;


ALTER FUNCTION wedsql._condition_errors(p_flow wedsql.flow, p_step wedsql.step, p_now timestamp with time zone) OWNER TO wed_owner;

--
-- Name: _count_attempt(integer, bigint, bigint, text, text, timestamp with time zone); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._count_attempt(p_wid integer, p_job bigint, p_claim bigint, p_outcome text, p_why text, p_now timestamp with time zone) RETURNS boolean
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- Promise: an attempt that the kernel ended counts like one that failed; false when the instance is locked now or the job has moved on.
-- Locks: the instance, skipping a locked one; then the job.
declare
  v_flow wedsql.flow;
  v_job record;
begin
  select f.* into v_flow from wedsql.job_pool j join wedsql.flow f on f.id = j.flow_id where j.wid = p_wid and j.id = p_job;
  if not found then
    return false;
  end if;
  if not wedsql._hold(v_flow.name, p_wid) then
    return false;
  end if;
  update wedsql.job_pool j
  set attempts = j.attempts + 1, state = 'P', claim = null, lckid = null, lease_until = null, last_error = p_why, last_state = 'WD204',
      not_before = p_now + wedsql._backoff(coalesce((select t.backoff from wedsql.trig t where t.tgid = j.tgid), interval '1 second'), j.attempts::integer)
  where j.wid = p_wid and j.id = p_job and j.state <> 'K' and j.claim is not distinct from p_claim
  returning j.*, j.tgid > 0 and j.attempts >= coalesce((select t.max_attempts from wedsql.trig t where t.tgid = j.tgid), 5) as spent into v_job;
  if not found then
    return false;
  end if;
  insert into wedsql.job_log (job_id, wid, tgid, flow_id, trname, at, outcome, actor, sqlstate, message, attempt)
  values (v_job.id, v_job.wid, v_job.tgid, v_job.flow_id, v_job.trname, p_now, p_outcome, 'reaper', 'WD204', p_why, v_job.attempts);
  if v_job.spent then
    perform wedsql._except(v_flow, p_wid, array[v_job.tgid::integer], 'ATTEMPTS', 'reaper', p_why, p_now);
  end if;
  return true;
end $$;


ALTER FUNCTION wedsql._count_attempt(p_wid integer, p_job bigint, p_claim bigint, p_outcome text, p_why text, p_now timestamp with time zone) OWNER TO wed_owner;

--
-- Name: _dead_limit(bigint); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._dead_limit(p_live bigint) RETURNS bigint
    LANGUAGE sql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- Promise: how many dead rows a table may carry before somebody should look: vacuum comes long before that many.
select 300000 + p_live / 2
$$;


ALTER FUNCTION wedsql._dead_limit(p_live bigint) OWNER TO wed_owner;

--
-- Name: _default_timeout(integer, text); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._default_timeout(p_flow integer, p_name text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- Promise: a trigger inserted through the flow's wed_trig without a timeout gets the flow's default one.
begin
  execute format('alter view %I.wed_trig alter column timeout set default %L::interval', p_name, (select f.default_timeout from wedsql.flow f where f.id = p_flow));
end $$;


ALTER FUNCTION wedsql._default_timeout(p_flow integer, p_name text) OWNER TO wed_owner;

--
-- Name: _derive(integer); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._derive(p_flow integer) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- Promise: what a step needs to know of the triggers is copied to the flow's row, and no timer waits for a trigger that
-- has no due time any more: the re-match at the commit sees what follows.
begin
  delete from wedsql.timer x using wedsql.trig t
  where x.flow_id = p_flow and t.tgid = x.tgid and (not t.enabled or t.due_attr is null and t.due_after is null);
  update wedsql.flow f
  set final_tgid = d.final_tgid, shared = d.shared, plain = d.plain,
      fuse = least(f.max_firings, d.least_firings)
  from (select max(t.tgid) filter (where t.cfinal and t.enabled) as final_tgid,
               count(t.trname) > count(distinct t.trname) as shared,
               coalesce(bool_and(t.revalidate <> 'withdraw' and not t.fire_once and not t.refresh_payload
                                 and t.due_attr is null and t.due_after is null), true) as plain,
               min(t.max_firings) as least_firings
        from wedsql.trig t where t.flow_id = p_flow) d
  where f.id = p_flow;
end $$;


ALTER FUNCTION wedsql._derive(p_flow integer) OWNER TO wed_owner;

--
-- Name: _disjuncts(integer, text, integer, jsonb); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._disjuncts(p_flow integer, p_schema text, p_tgid integer, p_payload jsonb) RETURNS integer[]
    LANGUAGE sql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- Promise: the numbers, from 1, of the condition's top-level disjuncts that hold on the payload.
select coalesce(array_agg(h.n::integer order by h.n), '{}')
from unnest(wed_match.holds(p_schema, (select t.disjuncts from wedsql.trig t where t.tgid = p_tgid), p_payload)) with ordinality h (holds, n)
where h.holds
$$;


ALTER FUNCTION wedsql._disjuncts(p_flow integer, p_schema text, p_tgid integer, p_payload jsonb) OWNER TO wed_owner;

--
-- Name: _drop_stale(integer, text, integer[], bigint[]); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._drop_stale(p_flow integer, p_schema text, p_wids integer[], p_ids bigint[], OUT wids integer[], OUT ids bigint[]) RETURNS record
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
-- Promise: jobs whose condition no longer holds are withdrawn as they are taken (revalidate = at_take, K-26); the rest is left.
-- Locks: the instances concerned, then the jobs.
declare
  v_stale integer[];
begin
  execute format($q$ select array_agg(r.wid) from %I._retest($1) r join wedsql.job_pool j on j.wid = r.wid and j.id = any ($2)
                     join wedsql.trig t on t.tgid = j.tgid where t.revalidate = 'at_take' and not j.tgid = any (r.matched) $q$, p_schema)
    into v_stale using p_wids, p_ids;
  v_stale := coalesce(v_stale, '{}');
  with gone as (delete from wedsql.job_pool j where j.wid = any (v_stale) and j.id = any (p_ids) returning j.*)
  insert into wedsql.job_log (job_id, wid, tgid, flow_id, trname, at, outcome, message)
  select g.id, g.wid, g.tgid, g.flow_id, g.trname, wedsql.now(), 'withdrawn', 'its condition no longer held when it was taken' from gone g;
  if v_stale <> '{}' then
    perform wedsql._rematch(p_flow, v_stale, true, false, 'kernel', 'a job was stale');
  end if;
  select coalesce(array_agg(u.wid order by u.o), '{}'), coalesce(array_agg(u.id order by u.o), '{}') into wids, ids
  from unnest(p_wids, p_ids) with ordinality u (wid, id, o) where not u.wid = any (v_stale);
end $_$;


ALTER FUNCTION wedsql._drop_stale(p_flow integer, p_schema text, p_wids integer[], p_ids bigint[], OUT wids integer[], OUT ids bigint[]) OWNER TO wed_owner;

--
-- Name: _end_session(integer, text); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._end_session(p_pid integer, p_state text) RETURNS boolean
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- Promise: the session's transaction is being ended; false when it is gone, or is a superuser's, which only a superuser may end:
-- one such session must not keep the reaper from everything else.
begin
  return case when p_state = 'active' then pg_cancel_backend(p_pid) else pg_terminate_backend(p_pid) end;
exception when insufficient_privilege then
  raise warning 'session % holds a job past its time, and the reaper may not end it', p_pid;
  return false;
end $$;


ALTER FUNCTION wedsql._end_session(p_pid integer, p_state text) OWNER TO wed_owner;

--
-- Name: _error_teller(integer); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._error_teller(p_flow integer) RETURNS text
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- Promise: the body of the function that tells which predicates fail on a state, with SQLSTATE and message.
select format(E'declare\n  v jsonb := \'[]\';\n  b boolean;\nbegin\n%s  return v;\nend', coalesce(string_agg(format(
  E'  begin b := (%s); exception when others then v := v || jsonb_build_object(\'tgid\', %s, \'sqlstate\', sqlstate, \'message\', sqlerrm); end;\n',
  t.canonical, t.tgid), '' order by t.tgid), ''))
from wedsql.trig t where t.flow_id = p_flow and t.enabled
$$;


ALTER FUNCTION wedsql._error_teller(p_flow integer) OWNER TO wed_owner;

--
-- Name: _except(wedsql.flow, integer, integer[], text, text, text, timestamp with time zone); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._except(p_flow wedsql.flow, p_wid integer, p_tgids integer[], p_reason text, p_actor text, p_why text, p_now timestamp with time zone) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- Promise: as _park, with a row in the history that says so.
-- Locks: the caller holds the instance.
declare
  v_seq integer;
begin
  perform wedsql._park(p_flow, p_wid, p_tgids, p_reason, p_actor, p_now);
  update wedsql.instance i set seq = i.seq + 1 where i.wid = p_wid returning i.seq into v_seq;
  insert into wedsql.wed_trace (flow_id, wid, seq, tstmp, trw, state, status, before, actor, reason, version, tx_at)
  select p_flow.id, p_wid, v_seq, p_now, '_EXCPT', t.state, 'E', '{}', coalesce(p_actor, 'kernel'), p_reason || coalesce(': ' || p_why, ''), p_flow.version, now()
  from wedsql.wed_trace t where t.wid = p_wid order by t.seq desc limit 1;
  perform wedsql._notify(p_flow, array[p_wid], array[v_seq], array['_EXCPT'], 1);
end $$;


ALTER FUNCTION wedsql._except(p_flow wedsql.flow, p_wid integer, p_tgids integer[], p_reason text, p_actor text, p_why text, p_now timestamp with time zone) OWNER TO wed_owner;

--
-- Name: _except_job(wedsql.flow, integer, integer, wedsql.step[], timestamp with time zone); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._except_job(p_flow wedsql.flow, p_wid integer, p_seq integer, p_steps wedsql.step[], p_now timestamp with time zone) RETURNS void
    LANGUAGE sql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- Promise: the special record _EXCPT stands in the pool for an instance that is an exception (Algorithm 1, line 19).
insert into wedsql.job_pool (wid, tgid, flow_id, trname, payload, fired_at, fired_xid, cause_seq, version)
select p_wid, 0, p_flow.id, '_EXCPT', u.state, p_now, txid_current(), p_seq, p_flow.version from unnest(p_steps) u where u.wid = p_wid
on conflict on constraint job_pool_pkey do nothing
$$;


ALTER FUNCTION wedsql._except_job(p_flow wedsql.flow, p_wid integer, p_seq integer, p_steps wedsql.step[], p_now timestamp with time zone) OWNER TO wed_owner;

--
-- Name: _final_blocked(wedsql.flow, integer, text, timestamp with time zone); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._final_blocked(p_flow wedsql.flow, p_wid integer, p_actor text, p_now timestamp with time zone) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- Promise: when every pending job of an instance last failed because the others were pending, none can ever win: an exception (K-55).
declare
  v_tgids integer[];
begin
  select array_agg(j.tgid) into v_tgids from wedsql.job_pool j where j.wid = p_wid and j.tgid > 0
  having bool_and(j.last_state is not distinct from 'WD103') and count(*) > 1;
  if v_tgids is not null then
    perform wedsql._except(p_flow, p_wid, v_tgids, 'FINAL_BLOCKED', p_actor, 'each pending job would make the state final while the others are pending', p_now);
  end if;
end $$;


ALTER FUNCTION wedsql._final_blocked(p_flow wedsql.flow, p_wid integer, p_actor text, p_now timestamp with time zone) OWNER TO wed_owner;

--
-- Name: _fixed_moments(text, text[], jsonb); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._fixed_moments(p_canonical text, p_reads text[], p_types jsonb) RETURNS text
    LANGUAGE sql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
-- Promise: a condition that names a type of moments fails on a state in which a text that it reads is now, today, tomorrow or
-- yesterday, as it fails on a text that is no moment: it would read the clock and change without a commit (RELIABILITY F7).
-- Any other condition is left as it is. Words put together by the condition itself are not seen.
select case when count(t.name) = 0 or p_canonical !~ '\m(date|time|timestamp|timestamptz)\M' then p_canonical
  else format('case %s else (%s) end', string_agg(
    format('when r.%1$I::text ~* %2$L then (%3$L || r.%1$I::text)::date is null', t.name, wedsql._moving_moment(t.type = 'jsonb'), t.name || ' is no fixed moment: '),
    ' ' order by t.name), p_canonical) end
from (select r.name, p_types ->> r.name as type from unnest(p_reads) r (name) where p_types ->> r.name in ('text', 'enum', 'jsonb')) t
$_$;


ALTER FUNCTION wedsql._fixed_moments(p_canonical text, p_reads text[], p_types jsonb) OWNER TO wed_owner;

--
-- Name: _flow(text); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._flow(p_name text) RETURNS wedsql.flow
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- Promise: the flow of that name.
-- Raises: WD001.
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


ALTER FUNCTION wedsql._flow(p_name text) OWNER TO wed_owner;

--
-- Name: _flow_at_commit(); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._flow_at_commit() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- Promise: as _at_commit, for the flow's own row.
begin
  perform wedsql._publish(f.id, wedsql._actor(), coalesce(current_setting('wedsql.reason', true), ''))
  from wedsql.flow f where f.id = new.id and f.rematch_due;
  return null;
end $$;


ALTER FUNCTION wedsql._flow_at_commit() OWNER TO wed_owner;

--
-- Name: _flow_changed(); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._flow_changed() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- Promise: a setting of a flow written by hand is a change of its definition like any other.
-- Locks: as _lock_definition.
begin
  perform wedsql._touch(new.id, false);
  perform wedsql._derive(new.id);
  if new.default_timeout is distinct from old.default_timeout then
    perform wedsql._default_timeout(new.id, new.name);
  end if;
  return null;
end $$;


ALTER FUNCTION wedsql._flow_changed() OWNER TO wed_owner;

--
-- Name: _fuse(wedsql.flow, integer, integer, timestamp with time zone); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._fuse(p_flow wedsql.flow, p_wid integer, p_seq integer, p_now timestamp with time zone) RETURNS boolean
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    AS $$
-- Promise: a trigger that fired more than max_firings times in one instance is parked and the instance is an exception (K-18, K-31).
declare
  v_step wedsql.wed_trace;
  v_blown integer[];
begin
  select * into v_step from wedsql.wed_trace t where t.wid = p_wid and t.seq = p_seq;
  select array_agg(t.tgid) into v_blown from wedsql.trig t
  where t.tgid = any (v_step.fired) and (select count(*) from wedsql.wed_trace x where x.wid = p_wid and t.tgid = any (x.fired))
        > coalesce(t.max_firings, p_flow.max_firings);
  if v_blown is null then
    return false;
  end if;
  perform wedsql._park(p_flow, p_wid, v_blown, case when v_step.before is not null and v_step.state @> v_step.before
    then 'NO_PROGRESS' else 'LOOP' end, null, p_now);
  update wedsql.wed_trace t set status = 'E' where t.wid = p_wid and t.seq = p_seq;
  return true;
end $$;


ALTER FUNCTION wedsql._fuse(p_flow wedsql.flow, p_wid integer, p_seq integer, p_now timestamp with time zone) OWNER TO wed_owner;

--
-- Name: _gen_commit(integer, text); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._gen_commit(p_flow integer, p_schema text) RETURNS text
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
-- Promise: the source of <flow>._commit, which applies the results of several jobs of different instances at once:
-- rows locked in wid order, jobs checked, columns written typed, conditions matched, everything settled.
begin
  return format($t$
create or replace function %1$I._commit(p_wids integer[], p_jobs bigint[], p_claims bigint[], p_changes jsonb[], p_actor text, p_held boolean default false)
returns table (job_id bigint, seq integer, status "char", fired text[])
language plpgsql security definer set search_path = pg_catalog, pg_temp set datestyle = 'ISO, YMD' set timezone = 'UTC' set intervalstyle = 'postgres'
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set enable_material = off set join_collapse_limit = 1 set jit = off set plan_cache_mode = force_generic_plan as $f$
#variable_conflict use_column
declare
  v_steps wedsql.step[];
  v_failed boolean;
begin
  perform 1 from %1$I.wed_flow w where w.wid = any (p_wids) order by w.wid for no key update;
  v_steps := wedsql._check_jobs(%2$s, %3$L::text[], p_wids, p_jobs, p_claims, p_changes, p_actor, p_held);
  with done as (
    update %1$I.wed_flow w set %4$s
    from unnest(v_steps) c join %1$I.wed_flow o on o.wid = c.wid
    where w.wid = c.wid
    returning c.*, to_jsonb(o) as old, to_jsonb(w) - 'wid' as now, wed_match.f_%2$s(w) as holds)
  select array_agg(row(d.wid, false, d.job_id, d.tgid, d.trw, d.cause_seq, p_actor, null, d.now,
                       (select coalesce(jsonb_object_agg(k, d.old -> k), '{}') from jsonb_object_keys(d.state) k),
                       d.holds, null, d.claim)::wedsql.step), bool_or(0 > any (d.holds))
  into v_steps, v_failed from done d;
  return query select r.job_id, r.seq, r.status, r.fired from wedsql._settle(%2$s, v_steps, v_failed) r;
end $f$ $t$, p_schema, p_flow,
    coalesce((select array_agg(a.aname) from wedsql.attr a where a.flow_id = p_flow), '{}'),
    coalesce(wedsql._column_list(p_flow, '%1$s = case when c.state ? %2$s then (c.state %5$s %2$s)::%3$s else w.%1$s end'), 'wid = w.wid'));
end $_$;


ALTER FUNCTION wedsql._gen_commit(p_flow integer, p_schema text) OWNER TO wed_owner;

--
-- Name: _gen_complete(integer, text); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._gen_complete(p_flow integer, p_schema text) RETURNS text
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
-- Promise: the source of <flow>.complete_many.
begin
  return format($t$
create or replace function %1$I.complete_many(p_wids integer[], p_job_ids bigint[], p_claims bigint[], p_changes jsonb[],
                                              p_actor text default null, p_sets text[] default null)
returns table (job_id bigint, ok boolean, seq integer, status text, fired text[], sqlstate text, message text, hint text, detail text)
language plpgsql security definer set search_path = pg_catalog, pg_temp set datestyle = 'ISO, YMD' set timezone = 'UTC' set intervalstyle = 'postgres'
set enable_seqscan = off set jit = off set plan_cache_mode = force_generic_plan as $f$
#variable_conflict use_column
-- Promise: applies the results of jobs. All at once when all are acceptable; where one is refused each is applied on its
-- own, so that it touches nobody else. A repeated result gets the first answer.
-- Locks: instances in wid order, jobs, trace.
-- Raises: what is worth trying again (40001, 40P01, 55P03, 57014); every other refusal is a row with ok = false.
declare
  v_actor text := coalesce(nullif(p_actor, ''), wedsql._actor());
  v_one record;
begin
  if p_sets is null then
    begin
      if cardinality(p_job_ids) = 1 then
        v_one := %1$I._single(p_wids[1], p_job_ids[1], p_claims[1], p_changes[1], v_actor);
        if v_one.seq is not null then
          job_id := p_job_ids[1];
          ok := true;
          seq := v_one.seq;
          status := v_one.status;
          fired := v_one.fired;
          return next;
          return;
        end if;
      end if;
      return query select c.job_id, true, c.seq, c.status::text, c.fired, null::text, null::text, null::text, null::text
        from %1$I._commit(p_wids, p_job_ids, p_claims, p_changes, v_actor) c;
      return;
    exception
      when serialization_failure or deadlock_detected or lock_not_available or query_canceled then raise;
      when others then null;  -- one of them is refused: each is tried on its own below
    end;
  end if;
  for i in 1..coalesce(cardinality(p_job_ids), 0) loop
    return query select * from wedsql._complete_one(%1$L, p_wids[i], p_job_ids[i], p_claims[i], p_changes[i], v_actor, p_sets[i]);
  end loop;
end $f$ $t$, p_schema);
end $_$;


ALTER FUNCTION wedsql._gen_complete(p_flow integer, p_schema text) OWNER TO wed_owner;

--
-- Name: _gen_complete_held(integer, text); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._gen_complete_held(p_flow integer, p_schema text) RETURNS text
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
-- Promise: the source of <flow>.complete_held.
begin
  return format($t$
create or replace function %1$I.complete_held(p_wid integer, p_job_id bigint, p_changes jsonb, p_actor text default null, p_set text default null)
returns integer
language plpgsql security definer set search_path = pg_catalog, pg_temp %3$s
set enable_seqscan = off set jit = off set plan_cache_mode = force_generic_plan as $f$
-- Promise: the result of one job that this session holds (<flow>.hold), meant to be a transaction of its own; its place in
-- the history. The session's lock on the job ends here. p_set: the paper's SET string instead of the changes.
-- p_wid null: nothing is done, but what can be prepared beforehand is.
-- Locks: the instance, its job, its trace.
-- Raises: as <flow>._commit; nothing is written then.
%2$s
  if p_wid is not null then
    return (select c.seq from %1$I._commit(array[p_wid], array[p_job_id], array[null::bigint], array[p_changes], p_actor, true) c);
  end if;
  return null;
end $f$ $t$, p_schema, wedsql._short_way(p_flow, p_schema, format($q$
  if p_actor is null then
    p_actor := wedsql._actor();
  end if;
  if p_set is not null then
    p_changes := wedsql._set_changes(%L, p_wid, p_set);
  end if;$q$, p_schema),
    $q$j.state = 'P' and coalesce(v_now - j.timeout, '-infinity') <= to_timestamp(nullif(current_setting('wedsql.held', true), '')::float8)$q$,
    'pg_try_advisory_xact_lock(p_wid, v_job.tgid) and pg_advisory_unlock(p_wid, v_job.tgid)', 'null',
    'return v_job.seq;'), wedsql._time_settings(p_flow));
end $_$;


ALTER FUNCTION wedsql._gen_complete_held(p_flow integer, p_schema text) OWNER TO wed_owner;

--
-- Name: _gen_retest(integer, text); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._gen_retest(p_flow integer, p_schema text) RETURNS text
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
-- Promise: the source of <flow>._retest, which tells for locked instances what the definition as it stands makes of them.
begin
  return format($t$
create or replace function %1$I._retest(p_wids integer[]) returns table (wid integer, state jsonb, matched integer[])
language plpgsql security definer set search_path = pg_catalog, pg_temp set timezone = 'UTC' set datestyle = 'ISO, YMD' set intervalstyle = 'postgres' as $f$
begin
  return query select w.wid, to_jsonb(w) - 'wid', wed_match.f_%2$s(w) from %1$I.wed_flow w where w.wid = any (p_wids) order by w.wid for no key update;
end $f$ $t$, p_schema, p_flow);
end $_$;


ALTER FUNCTION wedsql._gen_retest(p_flow integer, p_schema text) OWNER TO wed_owner;

--
-- Name: _gen_single(integer, text); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._gen_single(p_flow integer, p_schema text) RETURNS text
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
-- Promise: the source of <flow>._single: the one result of a transaction or of a lease by the short way, else nothing is
-- done and seq is null.
begin
  return format($t$
create or replace function %1$I._single(p_wid integer, p_job_id bigint, p_claim bigint, p_changes jsonb, p_actor text,
                                        out seq integer, out status "char", out fired text[])
language plpgsql set search_path = pg_catalog, pg_temp as $f$
-- Locks: the instance, its job, its trace.
%2$s
end $f$ $t$, p_schema, wedsql._short_way(p_flow, p_schema, '',
    $q$case when p_claim is not null then j.state = 'L' and j.claim = p_claim and j.lease_until > v_now
              else j.state = 'P' and coalesce(v_now - j.timeout, '-infinity') <= to_timestamp(nullif(current_setting('wedsql.took', true), '')::float8)
                   and strpos(current_setting('wedsql.took_jobs', true), ',' || p_job_id || ',') > 0 end$q$,
    'p_claim is not null or pg_try_advisory_xact_lock(p_wid, v_job.tgid)', 'p_claim',
    'seq := v_job.seq; status := v_status; fired := v_fired; return;'));
end $_$;


ALTER FUNCTION wedsql._gen_single(p_flow integer, p_schema text) OWNER TO wed_owner;

--
-- Name: _gen_start(integer, text); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._gen_start(p_flow integer, p_schema text) RETURNS text
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
-- Promise: the source of <flow>._start, which starts instances set-wise with typed columns and settles them.
begin
  return format($t$
create or replace function %1$I._start(p_states jsonb[], p_actor text, p_keys text[]) returns table (ord integer, wid integer, status "char")
language plpgsql security definer set search_path = pg_catalog, pg_temp set datestyle = 'ISO, YMD' set timezone = 'UTC' set intervalstyle = 'postgres'
set plan_cache_mode = force_generic_plan as $f$
#variable_conflict use_column
declare
  v_wids integer[];
  v_steps wedsql.step[];
  v_failed boolean;
  v_now timestamptz := wedsql.now();
begin
  perform wedsql._check_states(%3$L::text[], p_states);
  select array_agg(nextval('wedsql.wid_seq')::integer) into v_wids from generate_series(1, cardinality(p_states));
  with born as (
    insert into %1$I.wed_flow as w (wid%4$s)
    select u.wid%5$s from unnest(v_wids, p_states) u (wid, s)
    returning w.wid, to_jsonb(w) - 'wid' as state, wed_match.f_%2$s(w) as holds)
  select array_agg(row(b.wid, true, null, null, '_INIT', null, p_actor, null, b.state, null, b.holds, null, null)::wedsql.step),
         bool_or(0 > any (b.holds))
  into v_steps, v_failed from born b;
  insert into wedsql.instance (wid, flow_id, version, started_at, changed_at, actor, key)
  select u.wid, %2$s, f.version, v_now, v_now, p_actor, u.key from unnest(v_wids, p_keys) u (wid, key) join wedsql.flow f on f.id = %2$s where u.wid is not null;
  return query select array_position(v_wids, r.wid), r.wid, r.status from wedsql._settle(%2$s, v_steps, v_failed) r;
end $f$ $t$, p_schema, p_flow,
    coalesce((select array_agg(a.aname) from wedsql.attr a where a.flow_id = p_flow), '{}'),
    coalesce(', ' || wedsql._column_list(p_flow, '%1$s'), ''),
    coalesce(', ' || wedsql._column_list(p_flow, 'case when u.s ? %2$s then (u.s %5$s %2$s)::%3$s else %4$s::%3$s end'), ''));
end $_$;


ALTER FUNCTION wedsql._gen_start(p_flow integer, p_schema text) OWNER TO wed_owner;

--
-- Name: _gen_start_many(integer, text); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._gen_start_many(p_flow integer, p_schema text) RETURNS text
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
-- Promise: the source of <flow>.start_many.
begin
  return format($t$
create or replace function %1$I.start_many(p_states jsonb[], p_actor text default null, p_keys text[] default null)
returns table (ord integer, wid integer, status text, sqlstate text, message text, hint text, detail text)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $f$
#variable_conflict use_column
-- Promise: starts one instance a state, all in one go; where one is refused the others start all the same.
-- A key that the flow has seen already gives back the instance it named: repeating a start is harmless.
-- Raises: what is worth trying again (lock, serialization); every other refusal is a row with its SQLSTATE.
declare
  v_actor text := wedsql._actor(p_actor);
  v_why wedsql.why;
begin
  if coalesce(cardinality(p_states), 0) = 0 then
    return;
  end if;
  begin
    return query select s.ord, s.wid, s.status::text, null::text, null::text, null::text, null::text from %1$I._start(p_states, v_actor, p_keys) s;
    return;
  exception
    when serialization_failure or deadlock_detected or lock_not_available or query_canceled then raise;
    when others then
      if cardinality(p_states) = 1 then
        get stacked diagnostics v_why.code = returned_sqlstate, v_why.message = message_text, v_why.hint = pg_exception_hint, v_why.detail = pg_exception_detail;
        return query select 1, r.* from wedsql._start_refused(%1$L, p_states[1], p_keys[1], v_why) r;
        return;
      end if;
  end;
  for i in 1..cardinality(p_states) loop
    return query select i, r.wid, r.status, r.sqlstate, r.message, r.hint, r.detail
      from %1$I.start_many(array[p_states[i]], v_actor, array[p_keys[i]]) r;
  end loop;
end $f$ $t$, p_schema);
end $_$;


ALTER FUNCTION wedsql._gen_start_many(p_flow integer, p_schema text) OWNER TO wed_owner;

--
-- Name: _gen_take(integer, text, boolean); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._gen_take(p_flow integer, p_schema text, p_session boolean) RETURNS text
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
-- Promise: the source of <flow>.take and, p_session, of <flow>.hold. What the triggers do not ask for is not in it.
begin
  return format($t$
create or replace function %1$I.%5$s
returns setof wedsql.taken
language plpgsql security definer set search_path = pg_catalog, pg_temp set timezone = 'UTC' set datestyle = 'ISO, YMD' set intervalstyle = 'postgres'
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set enable_material = off set join_collapse_limit = 1 set jit = off set plan_cache_mode = force_generic_plan as $f$
-- Promise: up to p_limit ready jobs of different instances, held until the transaction ends; nothing is written (DESIGN.md 4).
-- <flow>.hold: held by the session instead, until each is finished (<flow>.complete_held, a commit each), the session holds
-- anew, or ends. Each is read again under its lock, so that a job somebody finished meanwhile is not run a second time.
-- Locks: an advisory lock a job.
declare
  v_pick record;
begin%6$s
  if p_limit < 1 then
    return;
  end if;
  for v_try in 1..20 loop
    v_pick := wedsql._pick(%2$s, %3$L, p_transitions, p_limit, %7$s, %8$L);
    exit when v_pick.ids = '{}';%4$s%10$s
    return query %9$s;
    exit when found;  -- else others finished all of them a moment before the locks were ours
  end loop;
end $f$ $t$, p_schema, p_flow, (select f.shared from wedsql.flow f where f.id = p_flow),
    case when exists (select 1 from wedsql.trig t where t.flow_id = p_flow and t.revalidate = 'at_take')
         then format(E'\n    v_pick := wedsql._drop_stale(%s, %L, v_pick.wids, v_pick.ids);', p_flow, p_schema) else '' end,
    case when p_session then 'hold(p_transitions text[], p_limit integer default 1, p_actor text default null)'
         else 'take(p_transitions text[], p_limit integer default 1, p_actor text default null, p_job_ids bigint[] default null)' end,
    case when p_session then $q$
  perform pg_advisory_unlock_all();
  perform set_config('wedsql.held', extract(epoch from wedsql.now())::text, false);$q$
         else $q$
  if nullif(current_setting('wedsql.took', true), '') is null then
    perform set_config('wedsql.took', extract(epoch from wedsql.now())::text, true);
  end if;$q$ end,
    case when p_session then 'null' else 'p_job_ids' end, p_session, wedsql._taken_query(p_flow, p_schema, 'v_pick.wids', 'v_pick.ids'),
    case when p_session then '' else $q$
    perform set_config('wedsql.took_jobs', concat(current_setting('wedsql.took_jobs', true), ',', array_to_string(v_pick.ids, ','), ','), true);$q$ end);
end $_$;


ALTER FUNCTION wedsql._gen_take(p_flow integer, p_schema text, p_session boolean) OWNER TO wed_owner;

--
-- Name: _gen_taken(integer, text); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._gen_taken(p_flow integer, p_schema text) RETURNS text
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
-- Promise: the source of <flow>._taken, _taken_query as a function.
begin
  return format($t$
create or replace function %1$I._taken(p_wids integer[], p_ids bigint[]) returns setof wedsql.taken
language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set enable_material = off set join_collapse_limit = 1 set plan_cache_mode = force_generic_plan set timezone = 'UTC' set datestyle = 'ISO, YMD' set intervalstyle = 'postgres' as $f$
begin
  return query %2$s;
end $f$ $t$, p_schema, wedsql._taken_query(p_flow, p_schema, 'p_wids', 'p_ids'));
end $_$;


ALTER FUNCTION wedsql._gen_taken(p_flow integer, p_schema text) OWNER TO wed_owner;

--
-- Name: _generate(integer); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._generate(p_flow integer) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET check_function_bodies TO 'off'
    AS $$
-- Promise: matcher and per-flow functions follow the definition as it stands in this transaction.
declare
  v_name text;
begin
  perform wedsql._derive(p_flow);
  select name into v_name from wedsql.flow where id = p_flow;
  perform wed_match.compile(p_flow, v_name, wedsql._matcher(p_flow), wedsql._error_teller(p_flow), wedsql._time_settings(p_flow));
  execute wedsql._gen_start(p_flow, v_name);
  execute wedsql._gen_commit(p_flow, v_name);
  execute wedsql._gen_single(p_flow, v_name);
  execute wedsql._gen_taken(p_flow, v_name);
  execute wedsql._gen_retest(p_flow, v_name);
  execute wedsql._gen_take(p_flow, v_name, false);
  execute wedsql._gen_take(p_flow, v_name, true);
  execute wedsql._gen_complete(p_flow, v_name);
  execute wedsql._gen_complete_held(p_flow, v_name);
  execute wedsql._gen_start_many(p_flow, v_name);
  perform wedsql._grant_functions(v_name);
end $$;


ALTER FUNCTION wedsql._generate(p_flow integer) OWNER TO wed_owner;

--
-- Name: _grant_flow(text); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._grant_flow(p_name text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
-- Promise: the product's roles, and a role named like the flow if there is one, may do in the flow's schema what they need.
begin
  execute format('grant usage on schema %I to wed_web, wed_worker, wed_reaper, wed_monitor', p_name);
  execute format('grant select on all tables in schema %I to wed_web, wed_worker, wed_monitor', p_name);
  if exists (select 1 from pg_roles where rolname = p_name) then
    execute format('grant usage on schema %I to %I', p_name, p_name);
    execute format('grant select on all tables in schema %1$I to %1$I', p_name);
    execute format('grant insert, update on %1$I.wed_flow to %1$I', p_name);
    execute format('grant insert, update, delete on %1$I.wed_attr, %1$I.wed_trig to %1$I', p_name);
  end if;
end $_$;


ALTER FUNCTION wedsql._grant_flow(p_name text) OWNER TO wed_owner;

--
-- Name: _grant_functions(text); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._grant_functions(p_name text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
-- Promise: the flow's doors are open to web, workers and a role named like the flow; what begins with _ to nobody.
begin
  execute format('revoke all on all functions in schema %I from public', p_name);
  execute format('grant execute on function %1$I.take, %1$I.hold, %1$I.complete_many, %1$I.complete_held, %1$I.start_many to wed_web, wed_worker', p_name);
  if exists (select 1 from pg_roles where rolname = p_name) then
    execute format('grant execute on function %1$I.take, %1$I.hold, %1$I.complete_many, %1$I.complete_held, %1$I.start_many to %1$I', p_name);
  end if;
end $_$;


ALTER FUNCTION wedsql._grant_functions(p_name text) OWNER TO wed_owner;

--
-- Name: _guard_flow(text); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._guard_flow(p_name text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
-- Promise: every way to write wed_flow but the kernel's own passes the kernel's triggers.
begin
  execute format($q$
    create trigger a_wid before insert on %1$I.wed_flow for each row when (current_user <> 'wed_owner'::text) execute function wedsql._paper_wid();
    create trigger b_insert after insert on %1$I.wed_flow for each row when (current_user <> 'wed_owner'::text) execute function wedsql._paper_insert();
    create trigger c_update after update on %1$I.wed_flow for each row when (current_user <> 'wed_owner'::text) execute function wedsql._paper_update();
    create trigger d_delete before delete on %1$I.wed_flow for each statement when (current_user <> 'wed_owner'::text) execute function wedsql._never();
    create trigger e_truncate before truncate on %1$I.wed_flow for each statement execute function wedsql._never()$q$, p_name);
  perform wedsql._guard_room(p_name);
end $_$;


ALTER FUNCTION wedsql._guard_flow(p_name text) OWNER TO wed_owner;

--
-- Name: _guard_room(text); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._guard_room(p_name text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- Promise: whoever starts an instance, by whichever door, passes wedsql._room; a flow that has the trigger is not locked for it.
begin
  if not exists (select 1 from pg_trigger t where t.tgrelid = format('%I.wed_flow', p_name)::regclass and t.tgname = 'a_room') then
    execute format('create trigger a_room before insert on %I.wed_flow for each statement execute function wedsql._room()', p_name);
  end if;
end $$;


ALTER FUNCTION wedsql._guard_room(p_name text) OWNER TO wed_owner;

--
-- Name: _has_timer(integer); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._has_timer(p_wid integer) RETURNS boolean
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- Promise: whether a timer of the instance waits, which counts as pending work.
select exists (select 1 from wedsql.timer x where x.wid = p_wid)
$$;


ALTER FUNCTION wedsql._has_timer(p_wid integer) OWNER TO wed_owner;

--
-- Name: _hold(integer); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._hold(p_wid integer) RETURNS wedsql.flow
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
-- Promise: the flow of an instance that is running or an exception, with the instance locked.
-- Locks: the instance's wed_flow row.
-- Raises: WD104, WD105.
declare
  v_flow wedsql.flow;
  v_status "char";
begin
  select f.* into v_flow from wedsql.instance i join wedsql.flow f on f.id = i.flow_id where i.wid = p_wid;
  if not found then
    perform wedsql._raise('WD104', format('There is no instance %s.', p_wid));
  end if;
  execute format('select 1 from %I.wed_flow w where w.wid = $1 for no key update', v_flow.name) using p_wid;
  select i.status into v_status from wedsql.instance i where i.wid = p_wid;
  if v_status not in ('R', 'E', 'S') then
    perform wedsql._raise('WD105', format('Instance %s is not running any more.', p_wid), 'It is final, aborted or cancelled.');
  end if;
  return v_flow;
end $_$;


ALTER FUNCTION wedsql._hold(p_wid integer) OWNER TO wed_owner;

--
-- Name: _hold(text, integer); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._hold(p_flow text, p_wid integer) RETURNS boolean
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
-- Promise: nobody else writes the instance until this transaction ends; false at once where somebody does so now.
-- Locks: the instance, skipping a locked one.
declare
  v_held integer;
begin
  execute format('select w.wid from %I.wed_flow w where w.wid = $1 for no key update skip locked', p_flow) into v_held using p_wid;
  return v_held is not null;
end $_$;


ALTER FUNCTION wedsql._hold(p_flow text, p_wid integer) OWNER TO wed_owner;

--
-- Name: _holds_vacuum_back(); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._holds_vacuum_back() RETURNS jsonb
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- Promise: what keeps the oldest dead rows from being swept (an open transaction, a prepared one, a replication slot); null when nothing does.
select jsonb_build_object('kind', h.kind, 'name', h.name, 'seconds', extract(epoch from clock_timestamp() - h.since)) from (
  select 'transaction' as kind, format('%s (pid %s, %s)', coalesce(nullif(a.application_name, ''), a.usename, '?'), a.pid, a.state) as name, a.xact_start as since
  from pg_stat_activity a
  where a.datname = current_database() and a.pid <> pg_backend_pid() and a.backend_type not like 'autovacuum%'
    and (a.backend_xid is not null or a.backend_xmin is not null) and a.xact_start is not null
  union all
  select 'prepared', p.gid, p.prepared from pg_prepared_xacts p where p.database = current_database()
  union all
  select 'slot', s.slot_name::text, null from pg_replication_slots s
  where (s.xmin is not null or s.catalog_xmin is not null and s.database = current_database()) and not s.active
  order by 3 nulls first limit 1) h
$$;


ALTER FUNCTION wedsql._holds_vacuum_back() OWNER TO wed_owner;

--
-- Name: _hot_tables(integer); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._hot_tables(p_max integer) RETURNS jsonb
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- Promise: the p_max tables with most dead rows among those that every step writes, with their size and last vacuum.
with t as (
  select case when c.relispartition then 'wedsql.wed_trace' else format('%s.%s', n.nspname, c.relname) end as name, c.oid
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relkind = 'r' and (n.nspname = 'wedsql' and (c.relname in ('instance', 'job_pool', 'job_log', 'timer', 'worker', 'watch', 'beat') or c.relispartition)
    or c.relname = 'wed_flow' and exists (select 1 from wedsql.flow f where f.name = n.nspname))),
s as (
  select t.name, sum(pg_stat_get_live_tuples(t.oid))::bigint as live, sum(pg_stat_get_dead_tuples(t.oid))::bigint as dead, array_agg(t.oid) as oids,
         max(greatest(pg_stat_get_last_vacuum_time(t.oid), pg_stat_get_last_autovacuum_time(t.oid))) as vacuumed_at
  from t group by t.name),
top as (select * from s order by s.dead desc, s.name limit p_max)
select coalesce(jsonb_agg(jsonb_build_object('name', x.name, 'live', x.live, 'dead', x.dead, 'dead_limit', wedsql._dead_limit(x.live),
  'bytes', (select sum(pg_total_relation_size(o)) from unnest(x.oids) o), 'vacuumed_at', x.vacuumed_at) order by x.dead desc, x.name), '[]')
from top x
$$;


ALTER FUNCTION wedsql._hot_tables(p_max integer) OWNER TO wed_owner;

--
-- Name: _invariant(text, integer[], integer); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._invariant(p_query text, p_wids integer[], p_examples integer) RETURNS TABLE(found bigint, examples jsonb)
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET jit TO 'off'
    AS $_$
-- Promise: how many offences a query finds and the first p_examples of them; p_wids null looks at every instance.
begin
  return query execute format('select count(*), coalesce(jsonb_agg(q.found) filter (where q.n <= $2), %L) from (select o.found, row_number() over () as n from (%s) o) q',
    '[]', replace(p_query, '{i}', case when p_wids is null then 'wedsql.instance'
         else '(select n.* from unnest($1) u (w) join wedsql.instance n on n.wid = u.w)' end)) using p_wids, p_examples;
end $_$;


ALTER FUNCTION wedsql._invariant(p_query text, p_wids integer[], p_examples integer) OWNER TO wed_owner;

--
-- Name: _invariant_flow_query(text, wedsql.flow); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._invariant_flow_query(p_name text, p_flow wedsql.flow) RETURNS text
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
-- Promise: the same for the two that look into one flow's table: what holds is pending, and the history is the state.
-- States are compared as far back as the attributes are those of today.
declare
  v_since integer;
begin
  if p_name = 'I2' then
    return format($q$
      select jsonb_build_object('flow', %2$L, 'wid', i.wid, 'holds', h.m, 'pending', p.tgids) as found
      from {i} i join %2$I.wed_flow w on w.wid = i.wid
      cross join lateral (select wed_match.f_%1$s(w) as m) h
      cross join lateral (select coalesce(array_agg(j.tgid), '{}') as tgids from wedsql.job_pool j where j.wid = i.wid) p
      where i.flow_id = %1$s and i.status = 'R' and not coalesce(%3$s = any (h.m), false) and exists (
        select 1 from wedsql.trig t where t.tgid = any (h.m) and t.tgid <> all (p.tgids) and not t.fire_once
          and t.due_attr is null and t.due_after is null)$q$, p_flow.id, p_flow.name, coalesce(p_flow.final_tgid::text, 'null::integer'));
  end if;
  select coalesce(max(v.version) + 1, 0) into v_since from wedsql.flow_version v
  where v.flow_id = p_flow.id and wedsql._attribute_types(v.definition) is distinct from wedsql._attr_types(p_flow.id);
  return format($q$
    select jsonb_build_object('flow', %2$L, 'wid', i.wid, 'seq', i.seq, 'rows', t.n, 'last', t.last) as found
    from {i} i left join %2$I.wed_flow w on w.wid = i.wid
    cross join lateral (
      select count(*) as n, max(x.seq) as last, bool_and(x.chained) as chained,
             (array_agg(x.state order by x.seq desc))[1] as state, (array_agg(x.status order by x.seq desc))[1] as status,
             (array_agg(x.version order by x.seq desc))[1] as version
      from (select h.seq, h.state, h.status, h.version, h.before is null or lag(h.state) over o is null
              or (lag(h.version) over o <> h.version or h.trw = '_REMATCH') and lag(h.version) over o < %3$s
              or lag(h.state) over o @> h.before and lag(h.state) over o - k.keys = h.state - k.keys as chained
            from wedsql.wed_trace h
            cross join lateral (select coalesce(array_agg(b), '{}') as keys from jsonb_object_keys(coalesce(h.before, '{}')) b) k
            where h.wid = i.wid window o as (order by h.seq)) x) t
    where i.flow_id = %1$s and (w.wid is null or t.n <> i.seq or t.last <> i.seq or not t.chained or t.status <> i.status
      or t.version >= %3$s and t.state <> to_jsonb(w) - 'wid')$q$, p_flow.id, p_flow.name, v_since);
end $_$;


ALTER FUNCTION wedsql._invariant_flow_query(p_name text, p_flow wedsql.flow) OWNER TO wed_owner;

--
-- Name: _invariant_queries(); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._invariant_queries() RETURNS TABLE(name text, sentence text, query text)
    LANGUAGE sql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
-- Promise: the invariants that need no flow's own table, as queries that give an object an offence.
values
('I1', 'A running instance has work pending or a timer; an exception has its _EXCPT job.', $q$
  select jsonb_build_object('wid', i.wid, 'status', i.status) as found from {i} i
  where i.status = 'R' and not exists (select 1 from wedsql.job_pool j where j.wid = i.wid and j.tgid > 0 and j.state in ('P', 'L'))
                       and not exists (select 1 from wedsql.timer x where x.wid = i.wid)
     or i.status = 'E' and not exists (select 1 from wedsql.job_pool j where j.wid = i.wid and j.tgid = 0)$q$),
('I4', 'A claim and a job are applied once, and only such as were issued.', $q$
  select jsonb_build_object('wid', min(t.wid), 'job', t.job_id, 'times', count(*)) as found
  from {i} i join wedsql.wed_trace t on t.wid = i.wid where t.job_id is not null
  group by t.job_id having count(*) > 1 or t.job_id > (select s.last_value from wedsql.job_seq s)
  union all
  select jsonb_build_object('wid', min(t.wid), 'claim', t.claim, 'times', count(*))
  from {i} i join wedsql.wed_trace t on t.wid = i.wid where t.claim is not null
  group by t.claim having count(*) > 1 or t.claim > (select s.last_value from wedsql.claim_seq s)$q$),
('I5', 'What has ended has no pending work; a job is ready, leased with a claim, or parked at an exception.', $q$
  select jsonb_build_object('wid', i.wid, 'status', i.status, 'job', j.id, 'state', j.state) as found
  from {i} i join wedsql.job_pool j on j.wid = i.wid
  where i.status not in ('R', 'E', 'S', 'X') or (j.tgid = 0 or j.state = 'K') and i.status not in ('E', 'X')
     or j.flow_id <> i.flow_id or (j.state = 'L') <> (j.claim is not null and j.lease_until is not null)
  union all
  select jsonb_build_object('wid', i.wid, 'status', i.status, 'timer', x.tgid)
  from {i} i join wedsql.timer x on x.wid = i.wid where i.status not in ('R', 'E', 'S', 'X')$q$),
('I6', 'What a job did, and every job that waits, was fired by an earlier step of its instance.', $q$
  select jsonb_build_object('wid', i.wid, 'seq', t.seq, 'job', t.job_id) as found
  from {i} i join wedsql.wed_trace t on t.wid = i.wid
  where left(t.trw, 1) <> '_' and not coalesce(t.job_id is not null and t.cause_seq < t.seq and exists (
    select 1 from wedsql.wed_trace c where c.wid = t.wid and c.seq = t.cause_seq and t.tgid = any (c.fired)), false)
  union all
  select jsonb_build_object('wid', i.wid, 'job', j.id, 'cause', j.cause_seq)
  from {i} i join wedsql.job_pool j on j.wid = i.wid
  where j.tgid > 0 and not exists (
    select 1 from wedsql.wed_trace c where c.wid = j.wid and c.seq = j.cause_seq and j.tgid = any (c.fired))$q$),
('I7', 'Every failed attempt is counted on its job and told in the log.', $q$
  select jsonb_build_object('wid', i.wid, 'job', j.id, 'counted', j.attempts, 'logged', l.n) as found
  from {i} i join wedsql.job_pool j on j.wid = i.wid
  cross join lateral (select count(*) as n from wedsql.job_log l where l.wid = j.wid and l.job_id = j.id
                      and l.outcome not in ('parked', 'late', 'released', 'withdrawn')) l
  where j.tgid > 0 and j.attempts <> l.n$q$),
('I8', 'No session holds a transaction open for ever, none waits for a lock for ever, nothing is prepared.', $q$
  select jsonb_build_object('pid', a.pid, 'application', a.application_name, 'since', a.xact_start) as found
  from pg_stat_activity a where a.datname = current_database() and a.backend_type = 'client backend' and a.pid <> pg_backend_pid()
    and (a.backend_xid is not null or a.usename like 'wed\_%') and a.state like 'idle in transaction%'
    and a.state_change < clock_timestamp() - interval '15 minutes'
  union all
  select jsonb_build_object('pid', l.pid, 'waits_for', l.locktype, 'since', l.waitstart)
  from pg_locks l join pg_stat_activity a on a.pid = l.pid
  where a.datname = current_database() and not l.granted and l.waitstart < clock_timestamp() - interval '1 minute'
  union all
  select jsonb_build_object('prepared', p.gid, 'since', p.prepared) from pg_prepared_xacts p where p.database = current_database()$q$)
$_$;


ALTER FUNCTION wedsql._invariant_queries() OWNER TO wed_owner;

--
-- Name: _invariant_sample(integer); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._invariant_sample(p_limit integer) RETURNS integer[]
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- Promise: the instances that a bounded look checks: the newest p_limit, and as many of those that wait longest.
select array(
  (select i.wid from wedsql.instance i order by i.wid desc limit p_limit)
  union
  (select o.wid from wedsql.flow f cross join lateral (
     select i.wid from wedsql.instance i where i.flow_id = f.id and i.status in ('R', 'E') order by i.status, i.wid limit p_limit) o
   order by o.wid limit p_limit))
$$;


ALTER FUNCTION wedsql._invariant_sample(p_limit integer) OWNER TO wed_owner;

--
-- Name: _leased(integer, bigint, bigint); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._leased(p_wid integer, p_job bigint, p_claim bigint) RETURNS wedsql.job_pool
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- Promise: the job, locked, if this claim holds it now.
-- Locks: the job.
-- Raises: WD203, WD204, WD205.
declare
  v_job wedsql.job_pool;
begin
  select * into v_job from wedsql.job_pool j where j.wid = p_wid and j.id = p_job for update;
  if not found then
    perform wedsql._refuse_job('WD205', array[p_wid], array[p_job], array['{}'::jsonb]);
  elsif v_job.claim is distinct from p_claim or p_claim is null then
    perform wedsql._refuse_job('WD203', array[p_wid], array[p_job], array['{}'::jsonb]);
  elsif v_job.lease_until <= wedsql.now() then
    perform wedsql._refuse_job('WD204', array[p_wid], array[p_job], array['{}'::jsonb]);
  end if;
  return v_job;
end $$;


ALTER FUNCTION wedsql._leased(p_wid integer, p_job bigint, p_claim bigint) OWNER TO wed_owner;

--
-- Name: _lock_definition(integer, boolean); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._lock_definition(p_flow integer, p_columns boolean DEFAULT false) RETURNS text
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET lock_timeout TO '2s'
    AS $$
-- Promise: nobody writes an instance of the flow, nor changes its definition, until this transaction ends; the flow's name.
-- Locks: the flow's row, then its wed_flow table: in exclusive mode (readers go on), or where columns will change in access
-- exclusive mode at once, as raising the mode later could meet a worker that read the table and now wants to write it.
-- Raises: WD010 when a long transaction stands in the way.
declare
  v_name text;
begin
  select name into v_name from wedsql.flow where id = p_flow for no key update;
  execute format('lock table %I.wed_flow in %s mode', v_name, case when p_columns then 'access exclusive' else 'exclusive' end);
  return v_name;
exception when lock_not_available then
  perform wedsql._raise('WD010', 'Another transaction holds instances of this flow; the definition was left as it was.',
    'Try again in a moment; "select * from pg_stat_activity" shows who holds the transaction open.');
end $$;


ALTER FUNCTION wedsql._lock_definition(p_flow integer, p_columns boolean) OWNER TO wed_owner;

--
-- Name: _make_views(integer, text); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._make_views(p_flow integer, p_name text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET client_min_messages TO 'warning'
    AS $_$
-- Promise: the paper's control tables of one flow, word for word usable with search_path = <flow>.
begin
  execute format($q$
    drop view if exists %1$I.wed_attr, %1$I.wed_trig, %1$I.job_pool, %1$I.wed_trace, %1$I.st_status;
    create view %1$I.wed_attr as select aname, adv, type, options, label, description, position, aid, flow_id from wedsql.attr
      where flow_id = %2$s with cascaded check option;
    alter view %1$I.wed_attr alter column flow_id set default %2$s;
    create view %1$I.wed_trig as select tgid, tgname, enabled, trname, cname, cpred, cfinal, timeout, on_error, revalidate, mode,
      max_attempts, backoff, max_firings, pickup_deadline, priority, writes, due_attr, due_after, concurrent, fire_once, refresh_payload,
      compensation, compensated_by, class, label, description, flow_id from wedsql.trig where flow_id = %2$s with cascaded check option;
    alter view %1$I.wed_trig alter column flow_id set default %2$s;
    create view %1$I.job_pool as select wid, tgid, trname, lckid, timeout, payload, id, state, attempts, not_before, priority, fired_at
      from wedsql.job_pool where flow_id = %2$s;
    create view %1$I.wed_trace as select wid, state, trf, trw, status, tstmp, seq, actor, reason, before, cause_seq
      from wedsql.wed_trace where flow_id = %2$s;
    create view %1$I.st_status as select wid, status from wedsql.instance where flow_id = %2$s$q$, p_name, p_flow);
  perform wedsql._default_timeout(p_flow, p_name);
end $_$;


ALTER FUNCTION wedsql._make_views(p_flow integer, p_name text) OWNER TO wed_owner;

--
-- Name: _matcher(integer); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._matcher(p_flow integer) RETURNS text
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- Promise: the body of the matcher: all predicates in one pass, true triggers as tgid in their order, a trigger whose
-- predicate failed as -tgid; only then is each one evaluated on its own.
select format(E'declare\n  v integer[] := \'{}\';\nbegin\n  return array_remove(array[%s]::integer[], null);\nexception when others then\n%s  return v;\nend',
  string_agg(format('case when (%s) then %s end', t.canonical, t.tgid), E',\n    ' order by t.tgid),
  coalesce(string_agg(format(E'  begin if (%s) then v := v || %s; end if; exception when others then v := v || -%s; end;\n',
                             t.canonical, t.tgid, t.tgid), '' order by t.tgid), ''))
from wedsql.trig t where t.flow_id = p_flow and t.enabled
$$;


ALTER FUNCTION wedsql._matcher(p_flow integer) OWNER TO wed_owner;

--
-- Name: _moving_moment(boolean); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._moving_moment(p_json boolean) RETURNS text
    LANGUAGE sql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
-- Promise: the pattern of a text, or of a string in JSON, that PostgreSQL reads as a moment which depends on when it is read: one of
-- four words, and else only numbers, signs and what may stand beside them in a date. "Pay now" is a text like others.
select format('%1$s[^a-z]*((%3$s)[^a-z]+)*(%4$s)([^a-z]+(%3$s|%4$s))*[^a-z]*%2$s', case when p_json then '"' else '^' end, case when p_json then '"' else '$' end,
  '(mon|tue|tues|wed|wednes|thu|thur|thurs|fri|sat|satur|sun)(day)?|jan(uary)?|feb(ruary)?|mar(ch)?|apr(il)?|may|june?|july?|aug(ust)?|sept?(ember)?'
  '|oct(ober)?|nov(ember)?|dec(ember)?|[ap]m|ad|bc|at|on|t|z|j|epoch|allballs|dst|utc|gmt|[a-z]{1,2}[sd]t|[cew]es?t|[a-z_]+/[a-z_/]+',
  'now|today|tomorrow|yesterday')
$_$;


ALTER FUNCTION wedsql._moving_moment(p_json boolean) OWNER TO wed_owner;

--
-- Name: _never(); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._never() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- Promise: instances are never deleted by hand; the history must be able to name them (K-29).
begin
  perform wedsql._raise('WD301', 'Instances are not deleted or truncated.', 'Cancel one with wedsql.cancel(wid, reason); retention removes old final ones.');
  return null;
end $$;


ALTER FUNCTION wedsql._never() OWNER TO wed_owner;

--
-- Name: _next_status(boolean, boolean, boolean, boolean, boolean, boolean, text); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._next_status(p_final boolean, p_live boolean, p_parked boolean, p_fires boolean, p_timer boolean, p_fresh boolean, p_policy text) RETURNS "char"
    LANGUAGE sql IMMUTABLE
    AS $$
-- Promise: what an instance is after a commit (Algorithm 1): final, running, an exception, or "!" and "?" for a refusal.
-- policy: final_when_pending of the flow, null in a re-match, where a final state never takes work away.
-- One expression without settings, so that the planner puts it in place of the call.
select case when p_final and (not p_live or p_policy = 'cancel') then 'F'::"char"
            when p_final and p_policy = 'reject' then '!'::"char"
            when p_parked then 'E'::"char"
            when p_fires or p_live or p_timer then 'R'::"char"
            when p_fresh then '?'::"char"
            else 'E'::"char" end
$$;


ALTER FUNCTION wedsql._next_status(p_final boolean, p_live boolean, p_parked boolean, p_fires boolean, p_timer boolean, p_fresh boolean, p_policy text) OWNER TO wed_owner;

--
-- Name: _notify(wedsql.flow, integer[], integer[], text[], integer); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._notify(p_flow wedsql.flow, p_wids integer[], p_seqs integer[], p_names text[], p_jobs integer) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- Promise: after the commit as many sleeping workers are woken as there is new work, watchers learn which instances
-- moved (ids only), and the paper's channels carry the job where somebody may listen for it. Notifications are hints.
-- NOTIFY makes commits queue for one lock, so nothing is sent that nobody waits for.
declare
  v_now timestamptz := wedsql.now();
begin
  if p_names <> '{}' then
    perform pg_notify('wedsql_w' || w.id, '') from wedsql._sleepers(p_flow.name, p_names, p_jobs, v_now) w;
    perform wedsql._notify_paper(p_flow, p_wids, p_names, v_now);
  end if;
  if p_flow.notify_trace and exists (select 1 from wedsql.watch w where w.seen_at > v_now - interval '1 minute') then
    if cardinality(p_wids) > 50 then
      perform pg_notify('wedsql_trace', p_flow.id || ':0:0');
    else
      perform pg_notify('wedsql_trace', p_flow.id || ':' || u.wid || ':' || u.seq) from unnest(p_wids, p_seqs) u (wid, seq);
    end if;
  end if;
end $$;


ALTER FUNCTION wedsql._notify(p_flow wedsql.flow, p_wids integer[], p_seqs integer[], p_names text[], p_jobs integer) OWNER TO wed_owner;

--
-- Name: _notify_paper(wedsql.flow, integer[], text[], timestamp with time zone); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._notify_paper(p_flow wedsql.flow, p_wids integer[], p_names text[], p_now timestamp with time zone) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET "IntervalStyle" TO 'postgres'
    AS $$
-- Promise: the paper's message (section 5.1): channel = transition, payload = the new job as JSON, whole if it fits 8,000 bytes.
-- A transition that only this product's own workers serve needs no such message; a client of the paper's protocol
-- cannot announce itself, so the channel stays on while no own worker is alive or such a client was seen of late.
declare
  v_names text[];
begin
  select array_agg(distinct n) into v_names from unnest(p_names) n
  where not exists (select 1 from wedsql.worker w where p_flow.name || ':' || n = any (w.serves) and w.seen_at > p_now - interval '30 seconds')
     or exists (select 1 from wedsql.paper_client c where c.flow_id = p_flow.id and c.trname = n and c.seen_at > p_now - interval '1 day');
  if v_names is not null then
    perform pg_notify(j.trname, case when octet_length(m.whole) < 7900 then m.whole else m.brief end)
    from wedsql.job_pool j
    cross join lateral (select
      json_build_object('wid', j.wid, 'tgid', j.tgid, 'trname', j.trname, 'lckid', j.lckid, 'timeout', j.timeout::text, 'payload', j.payload)::text,
      json_build_object('wid', j.wid, 'tgid', j.tgid, 'trname', j.trname, 'lckid', j.lckid, 'timeout', j.timeout::text, 'payload', null)::text) m (whole, brief)
    where j.wid = any (p_wids) and j.trname = any (v_names) and j.fired_xid = txid_current();
  end if;
end $$;


ALTER FUNCTION wedsql._notify_paper(p_flow wedsql.flow, p_wids integer[], p_names text[], p_now timestamp with time zone) OWNER TO wed_owner;

--
-- Name: _paper_in_time(wedsql.job_pool); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._paper_in_time(p_job wedsql.job_pool) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET client_min_messages TO 'error'
    AS $$
-- Promise: the lock is one of this transaction, the job was not fired by it, and its time is not over (K-08, K-09, K-45).
-- The clock starts with the transaction, as the lock is its first act; in a long transaction the reaper knows better:
-- the moment it first saw the lock counts, and a lock that it has not seen is younger than its last look.
-- Raises: WD203, WD204, WD207, WD209.
declare
  v_now timestamptz := wedsql.now();
  v_since timestamptz;
begin
  if pg_advisory_unlock(p_job.wid, p_job.tgid) then
    perform pg_advisory_lock(p_job.wid, p_job.tgid);
    perform wedsql._raise('WD207', format('The lock on job %s belongs to the session, not to the transaction.', p_job.id),
      'Use pg_try_advisory_xact_lock: the lock must end with the transaction that does the work.');
  end if;
  if p_job.state <> 'P' then
    perform wedsql._raise('WD203', format('Job %s is leased by %s.', p_job.id, coalesce(p_job.lckid, 'somebody else')), 'Take another job.');
  end if;
  if p_job.fired_xid = txid_current() then
    perform wedsql._raise('WD209', format('This transaction has written instance %s already.', p_job.wid),
      'One update finishes a job; the job that fired from it is the next transaction''s.');
  end if;
  select greatest(now(), coalesce(
    (select min(s.first_seen) from wedsql.lock_seen s
     where s.pid = pg_backend_pid() and s.wid = p_job.wid and s.tgid = p_job.tgid and s.xact_start = now()),
    (select b.seen_at from wedsql.beat b where b.name = 'reaper'))) into v_since;
  if p_job.timeout is not null and v_now - v_since > p_job.timeout then
    perform wedsql._raise('WD204', format('The result of job %s of instance %s came too late (limit %s).', p_job.id, p_job.wid, p_job.timeout),
      'Nothing was changed; the job goes back to the pool. Give the trigger a longer timeout.');
  end if;
end $$;


ALTER FUNCTION wedsql._paper_in_time(p_job wedsql.job_pool) OWNER TO wed_owner;

--
-- Name: _paper_insert(); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._paper_insert() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET "TimeZone" TO 'UTC'
    SET "DateStyle" TO 'ISO, YMD'
    SET "IntervalStyle" TO 'postgres'
    AS $_$
-- Promise: an inserted row is a new instance, settled in the statement that inserted it (Algorithm 1).
declare
  v_flow wedsql.flow;
  v_matched integer[];
begin
  select * into v_flow from wedsql.flow f where f.name = tg_table_schema;
  execute format('select wed_match.f_%s($1)', v_flow.id) into v_matched using new;
  insert into wedsql.instance (wid, flow_id, version, started_at, changed_at, actor)
  values (new.wid, v_flow.id, v_flow.version, wedsql.now(), wedsql.now(), wedsql._actor());
  perform wedsql._settle(v_flow.id, array[row(new.wid, true, null, null, '_INIT', null, wedsql._actor(), null,
    to_jsonb(new) - 'wid', null, v_matched, null, null)::wedsql.step], true);
  return null;
end $_$;


ALTER FUNCTION wedsql._paper_insert() OWNER TO wed_owner;

--
-- Name: _paper_job(integer, integer); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._paper_job(p_flow integer, p_wid integer) RETURNS wedsql.job_pool
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- Promise: the one pending job of the instance that this session's transaction holds, in time.
declare
  v_status "char";
  v_jobs wedsql.job_pool[];
  v_shared boolean;
  v_other boolean;
  v_named bigint := nullif(current_setting('wedsql.job', true), '')::bigint;
begin
  select i.status into v_status from wedsql.instance i where i.wid = p_wid;
  if v_status = 'F' then
    perform wedsql._raise('WD102', format('Instance %s is final and cannot be changed.', p_wid),
      'Publish a changed definition with reopen_final to open final instances again.');
  elsif v_status not in ('R', 'E') then
    perform wedsql._raise('WD105', format('Instance %s is not running.', p_wid), 'It was cancelled or suspended.');
  end if;
  select array_agg(j) filter (where l.mode = 'ExclusiveLock'), bool_or(l.mode <> 'ExclusiveLock'), bool_or(l.classid <> p_wid::oid)
  into v_jobs, v_shared, v_other
  from pg_locks l
  left join wedsql.job_pool j on j.wid = l.classid::integer and j.tgid = l.objid::integer and j.wid = p_wid and (v_named is null or j.id = v_named)
  where l.locktype = 'advisory' and l.pid = pg_backend_pid() and l.objsubid = 2 and l.granted
    and l.database = (select d.oid from pg_database d where d.datname = current_database());
  v_jobs := array_remove(v_jobs, null::wedsql.job_pool);
  if coalesce(cardinality(v_jobs), 0) = 0 then
    perform wedsql._raise(
      case when v_shared then 'WD208' when v_other then 'WD202' else 'WD201' end,
      format(case when v_shared then 'The lock on a job of instance %s is shared; it must be exclusive.'
                  when v_other then 'This transaction holds a lock, but on no pending job of instance %s.'
                  else 'This transaction holds no lock on a pending job of instance %s.' end, p_wid),
      'First: select pg_try_advisory_xact_lock(wid, tgid) for a row of job_pool, in the same transaction.');
  elsif cardinality(v_jobs) > 1 then
    perform wedsql._raise('WD206', format('This transaction holds %s jobs of instance %s.', cardinality(v_jobs), p_wid),
      'Say which one is done: set local wedsql.job = ''<job id>''.');
  end if;
  perform wedsql._paper_in_time(v_jobs[1]);
  return v_jobs[1];
end $$;


ALTER FUNCTION wedsql._paper_job(p_flow integer, p_wid integer) OWNER TO wed_owner;

--
-- Name: _paper_update(); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._paper_update() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET "TimeZone" TO 'UTC'
    SET "DateStyle" TO 'ISO, YMD'
    SET "IntervalStyle" TO 'postgres'
    AS $_$
-- Promise: an updated row is the result of the one job whose advisory lock this session holds (Algorithm 2).
-- Raises: WD102, WD105, WD202, WD201, WD204, WD206, WD207, WD208, WD209, WD210.
declare
  v_flow integer;
  v_job wedsql.job_pool;
  v_matched integer[];
  v_before jsonb;
begin
  if new.wid <> old.wid then
    perform wedsql._raise('WD202', 'The number of an instance never changes.');
  end if;
  select f.id into v_flow from wedsql.flow f where f.name = tg_table_schema;
  v_job := wedsql._paper_job(v_flow, new.wid);
  select coalesce(jsonb_object_agg(o.key, o.value), '{}') into v_before
  from jsonb_each(to_jsonb(old)) o where o.value is distinct from to_jsonb(new) -> o.key;
  perform wedsql._check_writes(v_job, v_before);
  insert into wedsql.paper_client as p (flow_id, trname, seen_at) values (v_flow, v_job.trname, wedsql.now())
  on conflict (flow_id, trname) do update set seen_at = excluded.seen_at where p.seen_at < excluded.seen_at - interval '10 minutes';
  execute format('select wed_match.f_%s($1)', v_flow) into v_matched using new;
  perform wedsql._settle(v_flow, array[row(new.wid, false, v_job.id, v_job.tgid, v_job.trname, v_job.cause_seq, wedsql._actor(), null,
    to_jsonb(new) - 'wid', v_before, v_matched, null, null)::wedsql.step], true);
  return null;
end $_$;


ALTER FUNCTION wedsql._paper_update() OWNER TO wed_owner;

--
-- Name: _paper_wid(); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._paper_wid() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- Promise: the kernel numbers instances; a number is never reused and never chosen (W-083).
begin
  new.wid := nextval('wedsql.wid_seq');
  return new;
end $$;


ALTER FUNCTION wedsql._paper_wid() OWNER TO wed_owner;

--
-- Name: _park(wedsql.flow, integer, integer[], text, text, timestamp with time zone); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._park(p_flow wedsql.flow, p_wid integer, p_tgids integer[], p_reason text, p_actor text, p_now timestamp with time zone) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- Promise: the jobs are kept but offered to nobody, the instance is an exception with its reason, and the _EXCPT job stands for it.
-- Locks: the caller holds the instance.
begin
  with parked as (
    update wedsql.job_pool j set state = 'K', claim = null, lckid = null, lease_until = null
    where j.wid = p_wid and j.tgid = any (p_tgids) returning j.*)
  insert into wedsql.job_log (job_id, wid, tgid, flow_id, trname, at, outcome, actor, sqlstate, message, attempt)
  select k.id, k.wid, k.tgid, k.flow_id, k.trname, p_now, 'parked', coalesce(p_actor, 'kernel'), k.last_state, p_reason, k.attempts from parked k;
  update wedsql.instance i set status = 'E', reason = p_reason, changed_at = p_now where i.wid = p_wid;
  insert into wedsql.job_pool (wid, tgid, flow_id, trname, payload, fired_at, fired_xid, cause_seq, version)
  select p_wid, 0, p_flow.id, '_EXCPT', t.state, p_now, txid_current(), t.seq, p_flow.version
  from wedsql.wed_trace t where t.wid = p_wid order by t.seq desc limit 1
  on conflict on constraint job_pool_pkey do nothing;
end $$;


ALTER FUNCTION wedsql._park(p_flow wedsql.flow, p_wid integer, p_tgids integer[], p_reason text, p_actor text, p_now timestamp with time zone) OWNER TO wed_owner;

--
-- Name: _pick(integer, boolean, text[], integer, bigint[], boolean); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._pick(p_flow integer, p_shared boolean, p_transitions text[], p_limit integer, p_ids bigint[], p_session boolean, OUT wids integer[], OUT ids bigint[]) RETURNS record
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET enable_material TO 'off'
    SET join_collapse_limit TO '1'
    SET enable_bitmapscan TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
-- Promise: locks up to p_limit ready jobs of different instances, by priority and age; waits for no lock that another holds.
-- It looks at a few candidates first and at more only when others hold those. Instances that another worker is busy
-- with come last: two branches of one instance would only wait for each other at the commit. A session that met a
-- crowd starts a little further down next time, so that many workers do not try the same few jobs.
-- Locks: an advisory lock (wid, tgid) a job, as the paper's workers take, and one (wid, -1) as the sign of being busy;
-- all end with the transaction, or with p_session are the session's.
declare
  v_now timestamptz := wedsql.now();
  v_crowd integer := coalesce(nullif(current_setting('wedsql.crowd', true), '')::integer, 0);
  v_skip integer := case when p_ids is null then floor(random() * v_crowd)::integer else 0 end;
  v_look integer := p_limit + 4;
  v_shy boolean := true;
  v_held integer := 0;
  v_found integer;
  v_job record;
begin
  wids := '{}';
  ids := '{}';
  loop
    v_found := 0;
    for v_job in
      select c.id, c.wid, c.tgid
      from unnest(p_transitions) n
      cross join lateral (
        select j.id, j.wid, j.tgid, j.priority from wedsql.job_pool j
        where j.flow_id = p_flow and j.trname = n and j.state = 'P' and (j.not_before is null or j.not_before <= v_now)
          and (p_ids is null or j.id = any (p_ids))
        order by j.priority desc, j.id limit v_look offset v_skip) c
      order by c.priority desc, c.id
    loop
      v_found := v_found + 1;
      continue when v_job.wid = any (wids);
      continue when p_shared and v_job.tgid > 0 and wedsql._waits(v_job.wid, v_job.id);
      if (case when p_session then (pg_try_advisory_lock(v_job.wid, -1) or not v_shy) and pg_try_advisory_lock(v_job.wid, v_job.tgid)
               else (pg_try_advisory_xact_lock(v_job.wid, -1) or not v_shy) and pg_try_advisory_xact_lock(v_job.wid, v_job.tgid) end) then
        wids := wids || v_job.wid;
        ids := ids || v_job.id;
        exit when cardinality(ids) >= p_limit;
      else
        v_held := v_held + 1;
      end if;
    end loop;
    exit when cardinality(ids) >= p_limit;
    if v_skip > 0 then
      v_skip := 0;
    elsif v_found >= v_look then
      v_look := v_look * 8;
    elsif v_shy and v_held > 0 then
      v_shy := false;
    else
      exit;
    end if;
  end loop;
  if v_held > 2 and v_crowd < 256 then
    perform set_config('wedsql.crowd', (v_crowd * 2 + p_limit + 3)::text, false);
  elsif v_held = 0 and v_crowd > 0 then
    perform set_config('wedsql.crowd', (v_crowd * 3 / 4)::text, false);
  end if;
end $$;


ALTER FUNCTION wedsql._pick(p_flow integer, p_shared boolean, p_transitions text[], p_limit integer, p_ids bigint[], p_session boolean, OUT wids integer[], OUT ids bigint[]) OWNER TO wed_owner;

--
-- Name: _places(integer, text); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._places(p_flow integer, p_attr text) RETURNS text[]
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- Promise: where a definition names the attribute, in words.
select array_agg(p.place order by p.tgid, p.place) from (
  select t.tgid, format('%s of trigger %s', v.what, coalesce(nullif(t.tgname, ''), t.cname, t.trname, '#' || t.tgid)) as place
  from wedsql.trig t
  cross join lateral (values ('the predicate', p_attr = any (t.reads)), ('the write-set', p_attr = any (t.writes)),
                             ('the due attribute', p_attr = t.due_attr)) v (what, names_it)
  where t.flow_id = p_flow and v.names_it) p
$$;


ALTER FUNCTION wedsql._places(p_flow integer, p_attr text) OWNER TO wed_owner;

--
-- Name: _plan_back(interval, timestamp with time zone); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._plan_back(p_back interval, p_now timestamp with time zone) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- Promise: leases, back-offs and signs of life of a later time belong to the present one.
-- Locks: jobs, skipping locked ones.
begin
  with planned as (
    select j.wid, j.tgid from wedsql.job_pool j where j.lease_until > p_now or j.not_before > p_now order by j.wid, j.tgid for update skip locked)
  update wedsql.job_pool j set lease_until = j.lease_until - p_back, not_before = j.not_before - p_back
  from planned p where j.wid = p.wid and j.tgid = p.tgid;
  update wedsql.lock_seen s set first_seen = p_now where s.first_seen > p_now;
  update wedsql.worker w set seen_at = p_now where w.seen_at > p_now;
  update wedsql.watch w set seen_at = p_now where w.seen_at > p_now;
end $$;


ALTER FUNCTION wedsql._plan_back(p_back interval, p_now timestamp with time zone) OWNER TO wed_owner;

--
-- Name: _prepare(wedsql.flow, wedsql.step[], timestamp with time zone); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._prepare(p_flow wedsql.flow, p_steps wedsql.step[], p_now timestamp with time zone) RETURNS wedsql.step[]
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- Promise: conditions that failed are taken out of `matched` and told in `errors`; options beyond the paper's are applied.
-- Raises: WD106 when a failing trigger says on_error = abort.
declare
  v_step wedsql.step;
begin
  for i in 1..cardinality(p_steps) loop
    v_step := p_steps[i];
    if 0 > any (v_step.matched) then
      v_step := wedsql._condition_errors(p_flow, v_step, p_now);
    end if;
    if not p_flow.plain then
      v_step := wedsql._apply_options(p_flow, v_step, p_now);
    end if;
    p_steps[i] := v_step;
  end loop;
  return p_steps;
end $$;


ALTER FUNCTION wedsql._prepare(p_flow wedsql.flow, p_steps wedsql.step[], p_now timestamp with time zone) OWNER TO wed_owner;

--
-- Name: _publish(integer, text, text); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._publish(p_flow integer, p_actor text, p_reason text) RETURNS jsonb
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- Promise: the changed definition takes effect: living instances are re-matched, the version is kept, listeners are told.
-- Locks: the flow's definition is held already; instances in wid order, jobs, trace.
declare
  v_flow wedsql.flow;
  v_report jsonb;
begin
  perform wedsql._generate(p_flow);  -- with immediate constraints this runs before the statement's own trigger does
  update wedsql.flow f set rematch_due = false, attrs_changed = false, reopen_final = false from wedsql.flow o
  where f.id = p_flow and o.id = f.id returning o.* into v_flow;
  insert into wedsql.flow_version (flow_id, version, actor, reason, definition)
  values (p_flow, v_flow.version, p_actor, coalesce(p_reason, ''), wedsql.definition(v_flow.name))
  on conflict (flow_id, version) do update set definition = excluded.definition, actor = excluded.actor;
  v_report := wedsql._rematch(p_flow, null, v_flow.attrs_changed, v_flow.reopen_final, p_actor, 'version ' || v_flow.version || coalesce(': ' || nullif(p_reason, ''), ''));
  perform pg_notify('wedsql_flow', p_flow || ':' || v_flow.version || ':0');
  return v_report || jsonb_build_object('version', v_flow.version);
end $$;


ALTER FUNCTION wedsql._publish(p_flow integer, p_actor text, p_reason text) OWNER TO wed_owner;

--
-- Name: _raise(text, text, text, text); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._raise(p_code text, p_message text, p_hint text DEFAULT NULL::text, p_detail text DEFAULT NULL::text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- Promise: raises one of the kernel's own errors, so that message, hint and detail look the same everywhere.
-- Raises: p_code.
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


ALTER FUNCTION wedsql._raise(p_code text, p_message text, p_hint text, p_detail text) OWNER TO wed_owner;

--
-- Name: _reap_clock(timestamp with time zone); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._reap_clock(p_now timestamp with time zone) RETURNS jsonb
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- Promise: when the clock went back since the last round, what was planned by it goes back with it, and the server's log says
-- so. What the next round must know: the latest moment that any round has seen, the latest one that was right (`sure`), and
-- the last jump ahead (`ahead_from`, `ahead_to`), which a round that comes a minute late looks like, too.
-- Locks: the reaper's beat, so that one of several does it; jobs and timers, skipping locked ones.
declare
  v_back interval;
  v_wrong_since timestamptz;
  v_beat record;
begin
  perform from wedsql.beat b where b.name = 'reaper' and b.seen_at > p_now + interval '1 second' for update;
  select b.seen_at, (b.detail ->> 'latest')::timestamptz as latest, coalesce((b.detail ->> 'sure')::timestamptz, b.seen_at) as sure,
         (b.detail ->> 'ahead_from')::timestamptz as ahead_from, (b.detail ->> 'ahead_to')::timestamptz as ahead_to
  into v_beat from wedsql.beat b where b.name = 'reaper';
  if v_beat.seen_at > p_now + interval '1 second' then
    v_back := v_beat.seen_at - p_now;
    v_wrong_since := case when v_beat.ahead_to - v_beat.ahead_from - v_back between interval '-1 second' and interval '30 seconds'
      then v_beat.ahead_from + v_back end;
    raise warning 'the clock of the database went back by %: it is older than the newest history', v_back;
    perform wedsql._plan_back(v_back, p_now);
    if v_wrong_since is not null then
      perform wedsql._timers_back(v_back, v_wrong_since);
      v_beat.ahead_from := null;
      v_beat.sure := null;
    end if;
  elsif p_now - v_beat.sure > interval '1 minute' then
    v_beat.ahead_from := v_beat.sure;
    v_beat.ahead_to := p_now;
  end if;
  return jsonb_build_object('latest', greatest(p_now, v_beat.latest), 'sure', greatest(p_now, v_beat.sure))
    || case when v_beat.ahead_from is null then '{}' else jsonb_build_object('ahead_from', v_beat.ahead_from, 'ahead_to', v_beat.ahead_to) end;
end $$;


ALTER FUNCTION wedsql._reap_clock(p_now timestamp with time zone) OWNER TO wed_owner;

--
-- Name: _reap_leases(integer, timestamp with time zone); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._reap_leases(p_max integer, p_now timestamp with time zone) RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- Promise: expired leases are given back and the attempt counted.
declare
  v_job record;
  v_done integer := 0;
begin
  for v_job in select j.wid, j.id, j.claim, j.flow_id, j.trname from wedsql.job_pool j where j.state = 'L' and j.lease_until <= p_now
               order by j.lease_until limit p_max loop
    if wedsql._count_attempt(v_job.wid, v_job.id, v_job.claim, 'expired', 'the lease ran out', p_now) then
      v_done := v_done + 1;
      perform wedsql._wake(v_job.flow_id, array[v_job.trname]);
    end if;
  end loop;
  return v_done;
end $$;


ALTER FUNCTION wedsql._reap_leases(p_max integer, p_now timestamp with time zone) OWNER TO wed_owner;

--
-- Name: _reap_pickups(integer, timestamp with time zone); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._reap_pickups(p_max integer, p_now timestamp with time zone) RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- Promise: a job nobody took within its pickup_deadline is marked late and logged; after as long again it is an exception (K-43).
declare
  v_job record;
  v_flow wedsql.flow;
  v_done integer := 0;
begin
  for v_job in
    select j.*, t.pickup_deadline from wedsql.trig t join wedsql.job_pool j on j.flow_id = t.flow_id and j.trname = t.trname and j.tgid = t.tgid
    where t.pickup_deadline is not null and j.state = 'P'
      and greatest(j.fired_at, j.not_before) + t.pickup_deadline * (case when j.late then 2 else 1 end) <= p_now
      and not exists (select 1 from pg_locks l where l.locktype = 'advisory' and l.objsubid = 2 and l.classid = j.wid::oid and l.objid = j.tgid::oid)
    order by j.fired_at limit p_max
  loop
    select f.* into v_flow from wedsql.flow f where f.id = v_job.flow_id;
    continue when not wedsql._hold(v_flow.name, v_job.wid);
    if v_job.late then
      perform wedsql._except(v_flow, v_job.wid, array[v_job.tgid], 'PICKUP', 'reaper', format('nobody took %s within %s', v_job.trname, v_job.pickup_deadline * 2), p_now);
    else
      update wedsql.job_pool j set late = true where j.wid = v_job.wid and j.id = v_job.id;
      insert into wedsql.job_log (job_id, wid, tgid, flow_id, trname, at, outcome, actor, message, attempt)
      values (v_job.id, v_job.wid, v_job.tgid, v_job.flow_id, v_job.trname, p_now, 'late', 'reaper', format('nobody took it within %s', v_job.pickup_deadline), v_job.attempts);
    end if;
    v_done := v_done + 1;
  end loop;
  return v_done;
end $$;


ALTER FUNCTION wedsql._reap_pickups(p_max integer, p_now timestamp with time zone) OWNER TO wed_owner;

--
-- Name: _reap_timers(integer, timestamp with time zone); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._reap_timers(p_max integer, p_now timestamp with time zone) RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- Promise: an instance with a due timer is matched again, so that the trigger that waited for the time fires (K-37).
declare
  v_timer record;
  v_done integer := 0;
begin
  for v_timer in select x.wid, f.id, f.name from wedsql.timer x join wedsql.flow f on f.id = x.flow_id where x.due_at <= p_now
                 order by x.due_at limit p_max loop
    if wedsql._hold(v_timer.name, v_timer.wid) then
      perform wedsql._rematch(v_timer.id, array[v_timer.wid], false, false, 'reaper', 'a timer is due');
      delete from wedsql.timer x where x.wid = v_timer.wid and x.due_at <= p_now;
      v_done := v_done + 1;
    end if;
  end loop;
  return v_done;
end $$;


ALTER FUNCTION wedsql._reap_timers(p_max integer, p_now timestamp with time zone) OWNER TO wed_owner;

--
-- Name: _reap_transactions(integer, timestamp with time zone); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._reap_transactions(p_max integer, p_now timestamp with time zone) RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- Promise: sessions that hold a job longer than its timeout are ended and the attempt counted (K-09): a running statement is
-- cancelled, a session idle in its transaction is terminated, as nothing less ends that transaction.
declare
  v_lock record;
  v_ended integer := 0;
begin
  delete from wedsql.lock_seen s where not exists (
    select 1 from pg_locks l where l.locktype = 'advisory' and l.pid = s.pid and l.objsubid = 2 and l.granted
      and l.classid::integer = s.wid and l.objid::integer = s.tgid)
    or not exists (select 1 from pg_stat_activity a where a.pid = s.pid and coalesce(a.xact_start, a.state_change) = s.xact_start);
  insert into wedsql.lock_seen (pid, wid, tgid, job_id, xact_start, first_seen)
  select l.pid, j.wid, j.tgid, j.id, coalesce(a.xact_start, a.state_change), p_now
  from pg_locks l
  join pg_stat_activity a on a.pid = l.pid and coalesce(a.xact_start, a.state_change) is not null
  join wedsql.job_pool j on j.wid = l.classid::integer and j.tgid = l.objid::integer
  where l.locktype = 'advisory' and l.objsubid = 2 and l.granted and l.mode = 'ExclusiveLock'
    and l.database = (select d.oid from pg_database d where d.datname = current_database()) and l.pid <> pg_backend_pid()
  on conflict do nothing;
  for v_lock in
    select s.*, a.state, j.timeout from wedsql.lock_seen s
    join pg_stat_activity a on a.pid = s.pid and coalesce(a.xact_start, a.state_change) = s.xact_start
    join wedsql.job_pool j on j.wid = s.wid and j.tgid = s.tgid and j.id = s.job_id
    where s.first_seen + j.timeout < p_now order by s.first_seen + j.timeout limit p_max
  loop
    if wedsql._end_session(v_lock.pid, v_lock.state) then
      v_ended := v_ended + 1;
      delete from wedsql.lock_seen s where s.pid = v_lock.pid and s.wid = v_lock.wid and s.tgid = v_lock.tgid;
      perform wedsql._count_attempt(v_lock.wid, v_lock.job_id, null, 'timeout', format('ended after %s', v_lock.timeout), p_now);
    end if;
  end loop;
  return v_ended;
end $$;


ALTER FUNCTION wedsql._reap_transactions(p_max integer, p_now timestamp with time zone) OWNER TO wed_owner;

--
-- Name: _recheck_triggers(integer, text); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._recheck_triggers(p_flow integer, p_attr text) RETURNS void
    LANGUAGE sql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- Promise: predicates over an attribute that changed its type are checked again.
update wedsql.trig t set cpred = t.cpred where t.flow_id = p_flow and p_attr = any (t.reads)
$$;


ALTER FUNCTION wedsql._recheck_triggers(p_flow integer, p_attr text) OWNER TO wed_owner;

--
-- Name: _refresh_flow(integer, text); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._refresh_flow(p_flow integer, p_name text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET client_min_messages TO 'warning'
    AS $$
-- Promise: what the kernel made for a flow (views, functions, rights) is as this kernel makes it.
begin
  perform wedsql._make_views(p_flow, p_name);
  perform wedsql._grant_flow(p_name);
  perform wedsql._guard_room(p_name);
  perform wedsql._generate(p_flow);
end $$;


ALTER FUNCTION wedsql._refresh_flow(p_flow integer, p_name text) OWNER TO wed_owner;

--
-- Name: _refuse(wedsql.flow, integer, "char", wedsql.step[]); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._refuse(p_flow wedsql.flow, p_wid integer, p_status "char", p_steps wedsql.step[]) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- Promise: says why a commit is refused: a first state that matches nothing, or a final one with work pending.
-- Raises: WD101, WD103, WD106.
declare
  v_step wedsql.step;
  v_pending text;
begin
  select u.* into v_step from unnest(p_steps) u where u.wid = p_wid;
  if p_status = '?' and v_step.errors is not null then
    perform wedsql._raise('WD106', format('A predicate failed on the first state: trigger %s, %s: %s', v_step.errors -> 0 ->> 'trigger',
      v_step.errors -> 0 ->> 'sqlstate', v_step.errors -> 0 ->> 'message'), 'Nothing else matches either, so no instance was started.', v_step.errors::text);
  elsif p_status = '?' then
    perform wedsql._raise('WD101', format('No condition of flow %I holds for this first state, so no instance was started.', p_flow.name),
      'A first state must be final or fire a transition: mind NULLs, and which triggers are enabled.', v_step.state::text);
  end if;
  select string_agg(j.trname, ', ' order by j.tgid) into v_pending from wedsql.job_pool j where j.wid = p_wid and j.tgid > 0;
  perform wedsql._raise('WD103', format('Instance %s would be final while %s is pending; the commit was refused.', p_wid, v_pending),
    'Wait for the pending transitions, or set final_when_pending of the flow to defer or cancel.');
end $$;


ALTER FUNCTION wedsql._refuse(p_flow wedsql.flow, p_wid integer, p_status "char", p_steps wedsql.step[]) OWNER TO wed_owner;

--
-- Name: _refuse_job(text, integer[], bigint[], jsonb[]); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._refuse_job(p_code text, p_wids integer[], p_jobs bigint[], p_changes jsonb[]) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- Promise: the sentence for a refused result. With several jobs in the call the code alone goes up: each is tried on its own next.
-- Raises: p_code.
declare
  v_job wedsql.job_pool;
  v_what text := format('job %s of instance %s', p_jobs[1], p_wids[1]);
begin
  if cardinality(p_wids) > 1 then
    perform wedsql._raise(p_code, 'One of the results was refused.');
  end if;
  select * into v_job from wedsql.job_pool j where j.wid = p_wids[1] and j.id = p_jobs[1];
  case p_code
    when 'WD102' then perform wedsql._raise(p_code, format('Instance %s is final and cannot be changed.', p_wids[1]),
      'Publish a changed definition with reopen_final to open final instances again.');
    when 'WD104' then perform wedsql._raise(p_code, format('This flow has no instance %s.', p_wids[1]), 'Check the number and the flow.');
    when 'WD105' then perform wedsql._raise(p_code, format('Instance %s is not running.', p_wids[1]), 'It was cancelled or suspended.');
    when 'WD205' then perform wedsql._raise(p_code, format('The result of %s was refused: that job is no longer pending.', v_what),
      'It was finished, withdrawn or parked meanwhile; take a job anew.');
    when 'WD203' then perform wedsql._raise(p_code, format('The result of %s was refused: somebody else holds it.', v_what),
      'The claim is not the current one; take the job anew.', jsonb_build_object('holder', v_job.lckid)::text);
    when 'WD201' then perform wedsql._raise(p_code, format('The result of %s was refused: this transaction took no job.', v_what),
      'Take the job in the same transaction (wedsql.take), or lease it and pass the claim.');
    when 'WD204' then perform wedsql._raise(p_code, format('The result of %s came too late (limit %s).', v_what, coalesce(v_job.timeout::text, 'of the lease')),
      'Nothing was changed; the job goes back to the pool. Give the trigger a longer timeout or lease the job and extend it.');
    when 'WD210' then perform wedsql._raise(p_code, format('The result of %s writes %s, which transition %s does not declare.', v_what,
      (select string_agg(k, ', ') from jsonb_object_keys(p_changes[1]) k
       where k <> all ((select t.writes from wedsql.trig t where t.tgid = v_job.tgid)::text[])), v_job.trname),
      'Add the attribute to the write-set of the trigger, or leave it alone.');
  end case;
end $$;


ALTER FUNCTION wedsql._refuse_job(p_code text, p_wids integer[], p_jobs bigint[], p_changes jsonb[]) OWNER TO wed_owner;

--
-- Name: _regenerate(); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._regenerate() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- Promise: after every statement on wed_attr or wed_trig the flows it touched have their functions anew.
declare
  v_flow integer;
begin
  for v_flow in select distinct c.flow_id from changed c join wedsql.flow f on f.id = c.flow_id
                where to_regclass(format('%I.wed_flow', f.name)) is not null loop
    perform wedsql._generate(v_flow);
  end loop;
  return null;
end $$;


ALTER FUNCTION wedsql._regenerate() OWNER TO wed_owner;

--
-- Name: _rematch(integer, integer[], boolean, boolean, text, text); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._rematch(p_flow integer, p_wids integer[], p_all boolean, p_final boolean, p_actor text, p_reason text) RETURNS jsonb
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- Promise: the conditions as they stand are tried on instances that live (running and exception; final ones if p_final, K-17).
-- An instance for which nothing follows is left untouched, unless p_all. Counts by what happened.
-- Locks: instances in wid order, jobs, trace.
declare
  v_name text;
  v_ids integer[];
  v_after integer := 0;
  v_report jsonb := '{"checked": 0, "changed": 0, "fired": {}, "left_exception": 0, "new_exception": 0, "final": 0, "reopened": 0}';
begin
  select name into v_name from wedsql.flow where id = p_flow;
  loop
    select array_agg(w.wid) into v_ids from (
      select i.wid from wedsql.instance i where i.flow_id = p_flow and i.wid > v_after and (p_wids is null or i.wid = any (p_wids))
        and (i.status in ('R', 'E') or p_final and i.status = 'F') order by i.wid limit 1000) w;
    exit when v_ids is null;
    v_after := v_ids[cardinality(v_ids)];
    v_report := wedsql._add_counts(v_report, wedsql._rematch_some(p_flow, v_name, v_ids, p_all, p_actor, p_reason));
  end loop;
  return v_report;
end $$;


ALTER FUNCTION wedsql._rematch(p_flow integer, p_wids integer[], p_all boolean, p_final boolean, p_actor text, p_reason text) OWNER TO wed_owner;

--
-- Name: _rematch_some(integer, text, integer[], boolean, text, text); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._rematch_some(p_flow integer, p_name text, p_wids integer[], p_all boolean, p_actor text, p_reason text) RETURNS jsonb
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET enable_material TO 'off'
    SET join_collapse_limit TO '1'
    AS $_$
-- Promise: as _rematch for a thousand instances at the most.
declare
  v_flow wedsql.flow;
  v_steps wedsql.step[];
  v_report jsonb;
begin
  select * into v_flow from wedsql.flow f where f.id = p_flow;
  execute format($q$
    with t as (select r.*, i.status from %1$I._retest($1) r join wedsql.instance i on i.wid = r.wid),
    due as (
      select t.*, x.news, x.live, x.final from t cross join lateral (
        select coalesce($2.final_tgid = any (t.matched), false) as final,
               exists (select 1 from unnest(t.matched) m where m > 0 and m <> coalesce($2.final_tgid, 0)
                       and not exists (select 1 from wedsql.job_pool j where j.wid = t.wid and j.tgid = m)) as news,
               exists (select 1 from wedsql.job_pool j where j.wid = t.wid and j.tgid > 0) as live) x
      where case t.status when 'F' then x.news and not x.final
                          when 'E' then $3 or x.news or x.final and not x.live
                          else $3 or x.news and not x.final or x.final and not x.live or not x.live and not x.news and not wedsql._has_timer(t.wid) end)
    select array_agg(row(d.wid, false, null, null, '_REMATCH', null, $4, $5, d.state, '{}', d.matched, null, null)::wedsql.step)
    from due d $q$, p_name) into v_steps using p_wids, v_flow, p_all, p_actor, p_reason;
  v_report := jsonb_build_object('checked', cardinality(p_wids));
  if v_steps is null then
    return v_report;
  end if;
  return v_report || wedsql._settle_counted(v_flow, v_steps);
end $_$;


ALTER FUNCTION wedsql._rematch_some(p_flow integer, p_name text, p_wids integer[], p_all boolean, p_actor text, p_reason text) OWNER TO wed_owner;

--
-- Name: _rename_in_triggers(integer, text, text); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._rename_in_triggers(p_flow integer, p_old text, p_new text) RETURNS void
    LANGUAGE sql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- Promise: every predicate, write-set and due attribute that named p_old names p_new.
update wedsql.trig t
set cpred = wedsql.rename_in_predicate(t.cpred, p_old, p_new, (wedsql._attr_types(p_flow) - p_new)
              || jsonb_build_object(p_old, wedsql._attr_types(p_flow) -> p_new)),
    writes = array_replace(t.writes, p_old, p_new), due_attr = case when t.due_attr = p_old then p_new else t.due_attr end
where t.flow_id = p_flow and (p_old = any (t.reads) or p_old = any (t.writes) or p_old = t.due_attr)
$$;


ALTER FUNCTION wedsql._rename_in_triggers(p_flow integer, p_old text, p_new text) OWNER TO wed_owner;

--
-- Name: _retirable(wedsql.flow, timestamp with time zone, integer, integer[]); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._retirable(p_flow wedsql.flow, p_now timestamp with time zone, p_max integer, p_wids integer[] DEFAULT NULL::integer[]) RETURNS integer[]
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    AS $$
-- Promise: finished instances whose time is over, oldest first. One that was ever an exception stays: how it was
-- repaired is evidence.
select array_agg(w.wid) from (
  select i.wid from wedsql.instance i
  where i.flow_id = p_flow.id and i.finished_at < p_now - p_flow.retention and i.status in ('F', 'C', 'A')
    and (p_wids is null or i.wid = any (p_wids))
    and not exists (select 1 from wedsql.wed_trace t where t.wid = i.wid and (t.status = 'E' or t.trw like '\_RECOVER%' or t.trw like '\_COMP%'))
  order by i.finished_at limit p_max) w
$$;


ALTER FUNCTION wedsql._retirable(p_flow wedsql.flow, p_now timestamp with time zone, p_max integer, p_wids integer[]) OWNER TO wed_owner;

--
-- Name: _room(); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._room() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- Promise: no instance is started while the last report says that less than a twentieth of the disk is free; whatever
-- runs goes on. Every door starts an instance by an INSERT into its wed_flow, so this one look a statement is enough.
-- Raises: WD905.
declare
  v_disk wedsql.disk;
begin
  select * into v_disk from wedsql.disk d where d.free < d.total / 20 and d.reported_at > wedsql.now() - interval '5 minutes';
  if found then
    perform wedsql._raise('WD905', format('The disk of the database is nearly full: %s of %s are free. Under 5 %% nothing is started.',
        pg_size_pretty(v_disk.free), pg_size_pretty(v_disk.total)),
      'Make room there. What runs goes on and may be completed, and starting works again some seconds after there is room.',
      jsonb_build_object('free', v_disk.free, 'total', v_disk.total)::text);
  end if;
  return null;
end $$;


ALTER FUNCTION wedsql._room() OWNER TO wed_owner;

--
-- Name: _set_changes(text, integer, text); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._set_changes(p_flow text, p_wid integer, p_set text) RETURNS jsonb
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
-- Promise: what the paper's SET string says (section 3.1), evaluated on the present state of the locked instance.
-- Locks: the instance.
-- Raises: WD211, with the SQLSTATE of PostgreSQL where an expression cannot be computed.
declare
  v_flow wedsql.flow := wedsql._flow(p_flow);
  v_state jsonb;
  v_names text[];
  v_exprs text[];
begin
  execute format('select to_jsonb(w) - ''wid'' from %I.wed_flow w where w.wid = $1 for no key update', p_flow) into v_state using p_wid;
  select array_agg(c.attribute), array_agg((c.rendered).qualified) into v_names, v_exprs
  from wedsql.canonical_set(p_set, wedsql._attr_types(v_flow.id)) c;
  begin
    return wed_match.evaluate(p_flow, v_names, v_exprs, coalesce(v_state, '{}'));
  exception when data_exception or syntax_error_or_access_rule_violation then
    perform wedsql._raise('WD211', format('The SET string cannot be computed on this state: %s.', sqlerrm),
      'Look at the types of the attributes, and at values that are empty or zero.', jsonb_build_object('sqlstate', sqlstate)::text);
  end;
end $_$;


ALTER FUNCTION wedsql._set_changes(p_flow text, p_wid integer, p_set text) OWNER TO wed_owner;

--
-- Name: _settle(integer, wedsql.step[], boolean, boolean); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._settle(p_flow_id integer, p_steps wedsql.step[], p_failed boolean, p_rematch boolean DEFAULT false) RETURNS TABLE(wid integer, seq integer, status "char", fired text[], job_id bigint)
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET enable_material TO 'off'
    SET join_collapse_limit TO '1'
    SET jit TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
#variable_conflict use_column
-- Promise: the paper's Algorithm 1 for any number of instances at once (section 4): own job out, conditions that
-- hold fire, final and exception states are set, each step has its row in the trace, who waits is woken.
-- Locks: the caller holds the wed_flow rows; then instance, job, trace.
-- Raises: WD101 a new instance that matches nothing, WD103 a final state while other work is pending, WD106.
declare
  v_flow wedsql.flow;
  v_now timestamptz := wedsql.now();
  v_xid bigint := txid_current();
  v_names text[] := '{}';
  v_jobs integer := 0;
  v_wids integer[];
  v_seqs integer[];
begin
  select * into v_flow from wedsql.flow f where f.id = p_flow_id;
  if p_failed or not v_flow.plain then
    p_steps := wedsql._prepare(v_flow, p_steps, v_now);
  end if;
  -- Not a join: whatever the statistics of an emptied pool say, this is a look-up by wid.
  delete from wedsql.job_pool j
  where j.wid = any (array(select s.wid from unnest(p_steps) s)) and j.id = any (array(select s.job_id from unnest(p_steps) s));
  if exists (select 1 from unnest(p_steps) s where s.tgid = 0) then
    delete from wedsql.job_pool j where j.wid = any (array(select s.wid from unnest(p_steps) s where s.tgid = 0)) and j.state = 'K';
  end if;
  for wid, seq, status, fired, job_id in
    with o as materialized (
      select u.*, x.seq + 1 as seq, x.reason as why, p.parked, n.final, coalesce(f.tgids, '{}') as tgids, coalesce(f.names, '{}') as names,
        f.timeouts, f.priorities,
        wedsql._next_status(n.final, p.live > 0, p.parked > 0, f.tgids is not null, not v_flow.plain and wedsql._has_timer(u.wid), u.fresh,
                            case when not p_rematch then v_flow.final_when_pending end) as new_status
      from unnest(p_steps) u
      left join wedsql.instance x on x.wid = u.wid
      cross join lateral (select coalesce(v_flow.final_tgid = any (u.matched), false) as final) n
      cross join lateral (
        select count(*) filter (where j.tgid > 0) as live, count(*) filter (where j.state = 'K') as parked, array_agg(j.tgid) as tgids
        from wedsql.job_pool j where j.wid = u.wid) p
      cross join lateral (
        select array_agg(t.tgid) as tgids, array_agg(t.trname) as names, array_agg(t.timeout) as timeouts, array_agg(t.priority) as priorities
        from (select * from wedsql.trig t where t.tgid = any (u.matched) and not n.final and (p.tgids is null or t.tgid <> all (p.tgids))
              order by t.tgid) t) f),
    i as (
      update wedsql.instance x
      set seq = o.seq, status = o.new_status, changed_at = v_now,
          reason = case when o.new_status <> 'E' then null when o.errors is not null then 'CONDITION_ERROR'
                        when o.parked > 0 then o.why else 'STUCK' end,
          finished_at = case when o.new_status = 'F' then v_now end
      from o where x.wid = o.wid and o.new_status not in ('!', '?')),
    fire as (
      insert into wedsql.job_pool (wid, tgid, flow_id, trname, timeout, payload, priority, fired_at, fired_xid, cause_seq, version)
      select o.wid, n.tgid, v_flow.id, n.trname, n.timeout, o.state, n.priority, v_now, v_xid, o.seq, v_flow.version
      from o cross join lateral unnest(o.tgids, o.names, o.timeouts, o.priorities) n (tgid, trname, timeout, priority)),
    trace as (
      insert into wedsql.wed_trace (flow_id, wid, seq, tstmp, trw, trf, state, status, job_id, claim, tgid, fired, before, cause_seq,
                                    actor, reason, version, tx_at, errors, suppressed)
      select v_flow.id, o.wid, o.seq, v_now, o.trw, o.names, o.state, o.new_status, o.job_id, o.claim, o.tgid, o.tgids, o.before,
             o.cause_seq, o.actor, o.reason, v_flow.version, now(), o.errors,
             case when o.final then nullif(array_remove(o.matched, v_flow.final_tgid), '{}') end
      from o)
    select o.wid, o.seq, o.new_status, o.names, o.job_id from o
  loop
    if status in ('!', '?') then
      perform wedsql._refuse(v_flow, wid, status, p_steps);
    end if;
    v_wids := v_wids || wid;
    v_seqs := v_seqs || seq;
    v_jobs := v_jobs + cardinality(fired);
    if not fired <@ v_names then
      v_names := v_names || fired;
    end if;
    if status = 'E' then
      perform wedsql._except_job(v_flow, wid, seq, p_steps, v_now);
      v_names := v_names || '_EXCPT'::text;
    end if;
    if seq >= v_flow.fuse and fired <> '{}' and wedsql._fuse(v_flow, wid, seq, v_now) then
      status := 'E';
    end if;
    if status = 'F' and v_flow.final_when_pending = 'cancel' then
      perform wedsql._withdraw_rest(wid, v_now);
    end if;
    return next;
  end loop;
  perform wedsql._notify(v_flow, v_wids, v_seqs, v_names, v_jobs);
end $$;


ALTER FUNCTION wedsql._settle(p_flow_id integer, p_steps wedsql.step[], p_failed boolean, p_rematch boolean) OWNER TO wed_owner;

--
-- Name: _settle_counted(wedsql.flow, wedsql.step[]); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._settle_counted(p_flow wedsql.flow, p_steps wedsql.step[]) RETURNS jsonb
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- Promise: settles a re-match and counts what came of it. The _EXCPT job of an exception goes before and comes back if it is still one.
declare
  v_was jsonb;
  v_report jsonb;
begin
  select jsonb_object_agg(i.wid, i.status) into v_was from wedsql.instance i where i.wid in (select s.wid from unnest(p_steps) s);
  delete from wedsql.job_pool j using unnest(p_steps) s where j.wid = s.wid and j.tgid = 0
    and not exists (select 1 from wedsql.job_pool k where k.wid = s.wid and k.state = 'K');
  with r as materialized (select * from wedsql._settle(p_flow.id, p_steps, true, true)),
       fired as (select f.name, count(*) as n from r cross join lateral unnest(r.fired) f (name) group by f.name)
  select jsonb_build_object(
    'changed', count(*),
    'fired', coalesce((select jsonb_object_agg(name, n) from fired), '{}'),
    'left_exception', count(*) filter (where v_was ->> r.wid::text = 'E' and r.status <> 'E'),
    'new_exception', count(*) filter (where v_was ->> r.wid::text <> 'E' and r.status = 'E'),
    'final', count(*) filter (where v_was ->> r.wid::text <> 'F' and r.status = 'F'),
    'reopened', count(*) filter (where v_was ->> r.wid::text = 'F' and r.status <> 'F'))
  into v_report from r;
  return v_report;
end $$;


ALTER FUNCTION wedsql._settle_counted(p_flow wedsql.flow, p_steps wedsql.step[]) OWNER TO wed_owner;

--
-- Name: _short_way(integer, text, text, text, text, text, text); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._short_way(p_flow integer, p_schema text, p_first text, p_held text, p_ours text, p_claim text, p_answer text) RETURNS text
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
-- Promise: declarations and beginning of a function that applies one result by the shortest way and answers, or comes to
-- its end with nothing done. It knows only what is beyond doubt (a job that is held and in time, a running instance,
-- predicates that do not fail, a state that is final or fires or has work pending); <flow>._commit judges everything else.
-- p_first: what is done before; p_held: a condition on the job j; p_ours: its locks are or become ours; p_claim: of the lease;
-- p_answer: the return.
-- A statement for each table costs a third of the set-wise plan, and most of that is setting up its expressions, anew in
-- each transaction: so there are few of them, and what is rarely needed stands in a branch of its own.
begin
  return format($t$
declare
  v_now timestamptz;
  v_row %1$I.wed_flow;
  v_before jsonb := '{}'::jsonb;
  v_state jsonb;
  v_matched integer[];
  v_new integer[];
  v_job record;
  v_suppressed integer[];
  v_others boolean;
  v_status "char";
  v_tgid integer;
  v_name text;
  v_fired text[] := '{}'::text[];
begin%4$s
  <<short>> begin
  select * into v_row from %1$I.wed_flow w where w.wid = p_wid for no key update;
  v_now := wedsql.now();
  -- A job that is gone, late or another's, an instance that does not run (one that does has no parked work), a refused change.
  select j.tgid, j.trname, j.cause_seq, x.seq + 1 as seq, f.version, f.final_tgid, f.final_when_pending as policy, x.seq + 1 >= f.fuse as fuse,
         exists (select 1 from wedsql.watch w where w.seen_at > v_now - interval '1 minute') as watched,
         array(select p.tgid from wedsql.job_pool p where p.wid = p_wid and p.id <> p_job_id) as pending,
         %5$s
         and p_changes @> '{}' and p_changes - %3$L::text[] = '{}'%6$s as fine
  into v_job
  from wedsql.job_pool j, wedsql.instance x, wedsql.flow f
  where j.wid = p_wid and j.id = p_job_id and x.wid = v_row.wid and x.status = 'R' and f.id = %2$s and f.plain;
  exit short when v_job.fine is not true;%7$s
  v_state := to_jsonb(v_row) - 'wid';
  v_matched := wed_match.f_%2$s(v_row);
  exit short when 0 > any (v_matched);
  v_others := v_job.pending <> '{}';
  if v_job.final_tgid = any (v_matched) then
    exit short when v_others;
    v_status := wedsql._next_status(true, v_others, false, false, false, false, v_job.policy);
    v_suppressed := nullif(array_remove(v_matched, v_job.final_tgid), '{}');
  else
    foreach v_tgid in array v_matched loop
      if not v_others or v_tgid <> all (v_job.pending) then
        v_new := v_new || v_tgid;
      end if;
    end loop;
    exit short when v_job.fuse and v_new is not null;
    v_status := wedsql._next_status(false, v_others, false, v_new is not null, false, false, null);
    exit short when v_status = 'E';
  end if;
  exit short when not (%8$s);
  if v_new is not null then
    if v_job.tgid = any (v_new) then
      delete from wedsql.job_pool j where j.wid = p_wid and j.tgid = v_job.tgid;
    end if;
    foreach v_tgid in array v_new loop
      insert into wedsql.job_pool (wid, tgid, flow_id, trname, timeout, payload, priority, fired_at, fired_xid, cause_seq, version)
      select p_wid, t.tgid, %2$s, t.trname, t.timeout, v_state, t.priority, v_now, txid_current(), v_job.seq, v_job.version
      from wedsql.trig t where t.tgid = v_tgid returning trname into strict v_name;
      v_fired := v_fired || v_name;
    end loop;
  end if;
  with pool as (delete from wedsql.job_pool j where j.wid = p_wid and j.id = p_job_id),
       state as (update %1$I.wed_flow w set %9$s where w.wid = p_wid),
       life as (update wedsql.instance x set seq = v_job.seq, status = v_status, changed_at = v_now, reason = null,
                  finished_at = case when v_status = 'F' then v_now end where x.wid = p_wid)
  insert into wedsql.wed_trace (flow_id, wid, seq, tstmp, trw, trf, state, status, job_id, claim, tgid, fired, before, cause_seq,
                                actor, version, tx_at, suppressed)
  values (%2$s, p_wid, v_job.seq, v_now, v_job.trname, v_fired, v_state, v_status, p_job_id, %11$s, v_job.tgid, coalesce(v_new, '{}'), v_before,
          v_job.cause_seq, p_actor, v_job.version, now(), v_suppressed);
  if v_new is not null then
    v_job.watched := v_job.watched
      or exists (select 1 from wedsql.worker w where w.waiting and w.seen_at > v_now - interval '30 seconds')
      or not exists (select 1 from wedsql.worker w where w.serves @> string_to_array(%10$L || array_to_string(v_fired, %13$L), ' ') and w.seen_at > v_now - interval '30 seconds')
      or exists (select 1 from wedsql.paper_client c where c.flow_id = %2$s);
  end if;
  if v_job.watched then
    perform wedsql._notify(f, array[p_wid], array[v_job.seq], v_fired, cardinality(v_fired)) from wedsql.flow f where f.id = %2$s;
  end if;
  %12$s
  end short;$t$, p_schema, p_flow,
    coalesce((select array_agg(a.aname) from wedsql.attr a where a.flow_id = p_flow), '{}'), p_first, p_held,
    coalesce((select format(E'\n         and (p_changes - (case j.tgid %s end) <> ''{}'') is not true', string_agg(format('when %s then %L::text[]', t.tgid, t.writes), ' '))
              from wedsql.trig t where t.flow_id = p_flow and t.writes is not null having count(*) > 0), ''),
    wedsql._apply_changes(p_flow), p_ours, coalesce(wedsql._column_list(p_flow, '%1$s = v_row.%1$s'), 'wid = w.wid'), p_schema || ':',
    p_claim, p_answer, ' ' || p_schema || ':');
end $_$;


ALTER FUNCTION wedsql._short_way(p_flow integer, p_schema text, p_first text, p_held text, p_ours text, p_claim text, p_answer text) OWNER TO wed_owner;

--
-- Name: _sleepers(text, text[], integer, timestamp with time zone); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._sleepers(p_flow text, p_names text[], p_jobs integer, p_now timestamp with time zone) RETURNS TABLE(id bigint)
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- Promise: waiting workers for these transitions, at most one for each new job, those that slept longest first.
select w.id from wedsql.worker w
where w.waiting and w.seen_at > p_now - interval '30 seconds'
  and exists (select 1 from unnest(p_names) n where p_flow || ':' || n = any (w.serves))
order by w.seen_at limit greatest(p_jobs, 1)
$$;


ALTER FUNCTION wedsql._sleepers(p_flow text, p_names text[], p_jobs integer, p_now timestamp with time zone) OWNER TO wed_owner;

--
-- Name: _sql_type(text); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._sql_type(p_type text) RETURNS text
    LANGUAGE sql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- Promise: the column type of a WED-attribute type.
select case p_type when 'enum' then 'text' else p_type end
$$;


ALTER FUNCTION wedsql._sql_type(p_type text) OWNER TO wed_owner;

--
-- Name: _start_refused(text, jsonb, text, wedsql.why); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._start_refused(p_flow text, p_state jsonb, p_key text, p_why wedsql.why) RETURNS TABLE(wid integer, status text, sqlstate text, message text, hint text, detail text)
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
#variable_conflict use_column
-- Promise: the answer for a start that failed: the instance the key already names, or the reason in the kernel's words.
begin
  if p_why.code in ('23505', 'WD905') and p_key is not null then
    return query select i.wid, i.status::text, null::text, null::text, null::text, null::text from wedsql.instance i join wedsql.flow f on f.id = i.flow_id
                 where f.name = p_flow and i.key = p_key;
    if found then
      return;
    end if;
  end if;
  return query select null::integer, null::text, b.* from wedsql._blame(p_flow, p_state, p_why) b;
end $$;


ALTER FUNCTION wedsql._start_refused(p_flow text, p_state jsonb, p_key text, p_why wedsql.why) OWNER TO wed_owner;

--
-- Name: _sweep_often(text); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._sweep_often(p_name text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- Promise: the states of a flow are vacuumed by the number of dead rows, like wedsql.instance beside them.
-- Locks: none that a step waits for.
begin
  execute format('alter table %I.wed_flow set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000, autovacuum_analyze_scale_factor = 0.05)', p_name);
end $$;


ALTER FUNCTION wedsql._sweep_often(p_name text) OWNER TO wed_owner;

--
-- Name: _taken_query(integer, text, text, text); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._taken_query(p_flow integer, p_schema text, p_wids text, p_ids text) RETURNS text
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
-- Promise: the query that reads jobs afresh under their locks, in the order given, with the instance's present state.
-- `matched` numbers the top-level disjuncts of the condition that held at firing (K-24); predicates are immutable,
-- so evaluating them on the payload now tells what they were then.
select format($q$select j.id, j.wid, j.tgid, j.trname, j.claim, j.payload, to_jsonb(w) - 'wid',
         %s, j.timeout, coalesce(j.lease_until, wedsql.now() + j.timeout), j.attempts::integer, t.reads, t.writes, j.version,
         case when t.mode = 'auto' then case when j.timeout > interval '1 minute' then 'lease' else 'transaction' end else coalesce(t.mode, 'transaction') end
  from unnest(%s, %s) c (wid, id)
  cross join lateral (select * from wedsql.job_pool p where p.wid = c.wid and p.id = c.id offset 0) j
  left join %I.wed_flow w on w.wid = j.wid
  left join wedsql.trig t on t.tgid = j.tgid$q$,
  case when exists (select 1 from wedsql.trig t where t.flow_id = p_flow and cardinality(t.disjuncts) > 1)
       then format('case when cardinality(t.disjuncts) > 1 then wedsql._disjuncts(%s, %L, t.tgid, j.payload) else ''{1}'' end', p_flow, p_schema)
       else '''{1}''::integer[]' end, p_wids, p_ids, p_schema)
$_$;


ALTER FUNCTION wedsql._taken_query(p_flow integer, p_schema text, p_wids text, p_ids text) OWNER TO wed_owner;

--
-- Name: _time_bounds(); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._time_bounds() RETURNS double precision[]
    LANGUAGE sql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- Promise: the upper bounds of the buckets in seconds; one more bucket takes what is above.
select array[0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 60, 300, 3600]::double precision[]
$$;


ALTER FUNCTION wedsql._time_bounds() OWNER TO wed_owner;

--
-- Name: _time_settings(integer); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._time_settings(p_flow integer) RETURNS text
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- Promise: the settings that reading and writing dates and times depend on, for the functions of a flow that has to do with
-- them; nothing for others, because a setting costs each call.
select case when exists (select 1 from wedsql.attr a where a.flow_id = p_flow and a.type in ('date', 'timestamptz', 'interval'))
              or exists (select 1 from wedsql.trig t where t.flow_id = p_flow and t.canonical ~ '(date|time|interval|to_|make_|age)')
            then 'set timezone = ''UTC'' set datestyle = ''ISO, YMD'' set intervalstyle = ''postgres''' else '' end
$$;


ALTER FUNCTION wedsql._time_settings(p_flow integer) OWNER TO wed_owner;

--
-- Name: _timers_back(interval, timestamp with time zone); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._timers_back(p_back interval, p_since timestamp with time zone) RETURNS void
    LANGUAGE sql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- Promise: timers that were set since then, to wait for so long, wait for as long as they were meant to.
-- Locks: timers, skipping locked ones.
with meant as (
  select x.wid, x.tgid from wedsql.timer x join wedsql.trig t on t.tgid = x.tgid
  where t.due_attr is null and x.due_at - t.due_after >= p_since order by x.wid, x.tgid for update of x skip locked)
update wedsql.timer x set due_at = x.due_at - p_back from meant m where x.wid = m.wid and x.tgid = m.tgid
$$;


ALTER FUNCTION wedsql._timers_back(p_back interval, p_since timestamp with time zone) OWNER TO wed_owner;

--
-- Name: _touch(integer, boolean); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._touch(p_flow integer, p_attrs boolean) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- Promise: the definition's version goes up once a transaction, and the commit will re-match what lives.
-- Locks: as _lock_definition.
begin
  perform wedsql._lock_definition(p_flow);
  update wedsql.flow f
  set version = f.version + case when f.changed_xid is distinct from txid_current() then 1 else 0 end,
      changed_xid = txid_current(), rematch_due = true, attrs_changed = f.attrs_changed or p_attrs
  where f.id = p_flow;
end $$;


ALTER FUNCTION wedsql._touch(p_flow integer, p_attrs boolean) OWNER TO wed_owner;

--
-- Name: _trig_before(); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._trig_before() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- Promise: a row of wed_trig is a legal trigger whose predicate is parsed, typed and rendered, or the statement fails saying why (K-03).
-- Raises: WD002, WD004, WD005, WD006, WD008, WD009.
declare
  v_types jsonb := wedsql._attr_types(new.flow_id);
begin
  if tg_op = 'UPDATE' and new.flow_id <> old.flow_id then
    perform wedsql._raise('WD009', 'A trigger cannot move to another flow.');
  end if;
  if new.cfinal is null then
    new.cfinal := false;
  end if;
  if new.cfinal then
    perform wedsql._check_final(new);
    new.trname := '_FINAL';
    new.tgname := coalesce(nullif(new.tgname, ''), '_FINAL');
    new.cname := coalesce(nullif(new.cname, ''), '_FINAL');
  else
    perform wedsql.check_name(new.trname, 'transition');
  end if;
  perform wedsql._check_options(new);
  if new.cpred is null or btrim(new.cpred) = '' then
    perform wedsql._raise('WD005', 'The predicate is empty.', 'Write a condition over the attributes, such as a1 = ''ready''.',
      '{"position": 1, "length": 0, "token": "", "reason": "empty"}');
  end if;
  select wedsql._fixed_moments(c.qualified, c.reads, v_types), c.reads, c.disjuncts into new.canonical, new.reads, new.disjuncts
  from wedsql.check_predicate_text(new.cpred, v_types) c;
  return new;
end $$;


ALTER FUNCTION wedsql._trig_before() OWNER TO wed_owner;

--
-- Name: _trig_delete(); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._trig_delete() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- Promise: a trigger with pending work is not deleted behind the back of that work (K-42).
-- Raises: WD007 naming how many jobs are pending.
declare
  v_pending bigint;
begin
  select count(*) into v_pending from wedsql.job_pool j where j.flow_id = old.flow_id and j.tgid = old.tgid;
  if v_pending > 0 then
    perform wedsql._raise('WD007', format('Trigger %s has %s pending job(s).', coalesce(old.tgname, old.trname), v_pending),
      'Disable it and wait, or withdraw the jobs first with wedsql.withdraw(flow, tgid).');
  end if;
  return old;
end $$;


ALTER FUNCTION wedsql._trig_delete() OWNER TO wed_owner;

--
-- Name: _trig_touch(); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._trig_touch() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- Promise: a written trigger is a change of the definition, known before d_commit asks, be it at the commit or at once.
-- Locks: as _lock_definition.
begin
  perform wedsql._touch(f.id, false) from wedsql.flow f where f.id = coalesce(new.flow_id, old.flow_id);
  return null;
end $$;


ALTER FUNCTION wedsql._trig_touch() OWNER TO wed_owner;

--
-- Name: _trigger_json(wedsql.trig); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._trigger_json(p_trig wedsql.trig) RETURNS jsonb
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- Promise: one trigger as its author would write it.
select jsonb_strip_nulls(jsonb_build_object(
    'name', nullif(p_trig.tgname, '_FINAL'), 'transition', nullif(p_trig.trname, '_FINAL'), 'condition', nullif(p_trig.cname, '_FINAL'),
    'predicate', p_trig.cpred, 'final', nullif(p_trig.cfinal, false), 'enabled', nullif(p_trig.enabled, true),
    'on_error', nullif(p_trig.on_error, 'exception'), 'revalidate', nullif(p_trig.revalidate, 'none'), 'mode', nullif(p_trig.mode, 'auto'),
    'max_attempts', nullif(p_trig.max_attempts, 5), 'backoff', nullif(p_trig.backoff, interval '1 second')::text,
    'max_firings', p_trig.max_firings, 'pickup_deadline', p_trig.pickup_deadline::text, 'priority', nullif(p_trig.priority, 0),
    'writes', p_trig.writes, 'due_attr', p_trig.due_attr, 'due_after', p_trig.due_after::text,
    'concurrent', nullif(p_trig.concurrent, false), 'fire_once', nullif(p_trig.fire_once, false),
    'refresh_payload', nullif(p_trig.refresh_payload, false), 'compensation', nullif(p_trig.compensation, 'none'),
    'compensated_by', p_trig.compensated_by, 'class', nullif(p_trig.class, 'retriable'),
    'label', nullif(p_trig.label, ''), 'description', nullif(p_trig.description, '')))
  || jsonb_build_object('timeout', p_trig.timeout::text)
$$;


ALTER FUNCTION wedsql._trigger_json(p_trig wedsql.trig) OWNER TO wed_owner;

--
-- Name: _trigger_rows(integer, jsonb); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._trigger_rows(p_flow integer, p_triggers jsonb) RETURNS TABLE(ord bigint, same integer, t wedsql.trig)
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- Promise: the triggers of a definition as rows, each with the tgid of the trigger that it is today, if any.
with d as (
  select x.ord, x.j, jsonb_populate_record(null::wedsql.trig,
    '{"enabled": true, "cfinal": false, "on_error": "exception", "revalidate": "none", "mode": "auto", "max_attempts": 5, "backoff": "1 second",
      "priority": 0, "concurrent": false, "fire_once": false, "refresh_payload": false, "compensation": "none", "class": "retriable",
      "label": "", "description": ""}'::jsonb
      || jsonb_build_object('timeout', (select f.default_timeout from wedsql.flow f where f.id = p_flow)) || (x.j - 'writes') || jsonb_build_object(
      'flow_id', p_flow, 'tgid', 0, 'tgname', x.j -> 'name', 'trname', x.j -> 'transition', 'cname', x.j -> 'condition', 'cpred', x.j -> 'predicate',
      'cfinal', coalesce(x.j -> 'final', 'false'), 'writes', x.j -> 'writes')) as t
  from jsonb_array_elements(p_triggers) with ordinality x (j, ord)),
ranked as (
  select d.*, row_number() over (partition by (d.t).cfinal, case when (d.t).cfinal then '' else (d.t).trname end,
                                 case when (d.t).cfinal then '' else coalesce((d.t).cname, '') end order by d.ord) as nth from d),
now as (
  select t.tgid, t.cfinal, case when t.cfinal then '' else t.trname end as trname, case when t.cfinal then '' else coalesce(t.cname, '') end as cname,
         row_number() over (partition by t.cfinal, case when t.cfinal then '' else t.trname end, case when t.cfinal then '' else coalesce(t.cname, '') end order by t.tgid) as nth
  from wedsql.trig t where t.flow_id = p_flow)
select r.ord, coalesce((select t.tgid from wedsql.trig t where t.flow_id = p_flow and t.tgid = (r.j ->> 'id')::integer), n.tgid), r.t
from ranked r left join now n on n.cfinal = (r.t).cfinal and n.nth = r.nth
  and n.trname = case when (r.t).cfinal then '' else (r.t).trname end and n.cname = case when (r.t).cfinal then '' else coalesce((r.t).cname, '') end
$$;


ALTER FUNCTION wedsql._trigger_rows(p_flow integer, p_triggers jsonb) OWNER TO wed_owner;

--
-- Name: _waited(integer, bigint, timestamp with time zone); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._waited(p_wid integer, p_job bigint, p_begun timestamp with time zone) RETURNS double precision
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- Promise: seconds from the firing of a job to p_begun; null when it is not among the last steps of its instance.
select greatest(0, e.seconds) from (select extract(epoch from p_begun - coalesce(
  (select j.fired_at from wedsql.job_pool j where j.wid = p_wid and j.id = p_job),
  (select c.tstmp from wedsql.instance i
   join wedsql.wed_trace t on t.wid = i.wid and t.seq > i.seq - 100 and t.job_id = p_job
   join wedsql.wed_trace c on c.wid = t.wid and c.seq = t.cause_seq where i.wid = p_wid limit 1))) as seconds) e
where e.seconds is not null
$$;


ALTER FUNCTION wedsql._waited(p_wid integer, p_job bigint, p_begun timestamp with time zone) OWNER TO wed_owner;

--
-- Name: _waits(integer, bigint); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._waits(p_wid integer, p_id bigint) RETURNS boolean
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- Promise: whether an older job of the same transition of the instance goes first (K-23, concurrent = false).
select exists (
  select 1 from wedsql.job_pool j join wedsql.trig t on t.tgid = j.tgid
  join wedsql.job_pool o on o.wid = j.wid and o.trname = j.trname and o.id < j.id
  where j.wid = p_wid and j.id = p_id and not t.concurrent)
$$;


ALTER FUNCTION wedsql._waits(p_wid integer, p_id bigint) OWNER TO wed_owner;

--
-- Name: _wake(integer, text[]); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._wake(p_flow integer, p_names text[]) RETURNS void
    LANGUAGE sql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- Promise: sleeping workers learn that work is ready again.
select pg_notify('wedsql_w' || w.id, '') from wedsql.flow f cross join lateral wedsql._sleepers(f.name, p_names, 1, wedsql.now()) w where f.id = p_flow
$$;


ALTER FUNCTION wedsql._wake(p_flow integer, p_names text[]) OWNER TO wed_owner;

--
-- Name: _withdraw_rest(integer, timestamp with time zone); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql._withdraw_rest(p_wid integer, p_now timestamp with time zone) RETURNS void
    LANGUAGE sql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- Promise: what was still pending when the state became final is withdrawn (final_when_pending = cancel, K-06).
with gone as (delete from wedsql.job_pool j where j.wid = p_wid returning j.*)
insert into wedsql.job_log (job_id, wid, tgid, flow_id, trname, at, outcome, message)
select g.id, g.wid, g.tgid, g.flow_id, g.trname, p_now, 'withdrawn', 'the instance became final' from gone g
$$;


ALTER FUNCTION wedsql._withdraw_rest(p_wid integer, p_now timestamp with time zone) OWNER TO wed_owner;

--
-- Name: align(wedsql.token[], integer, integer, integer); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql.align(p_tokens wedsql.token[], p_from integer, p_to integer, p_width integer) RETURNS text
    LANGUAGE sql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select rpad(string_agg(repeat(' ', t.position - 1 - before) || t.text, '' order by t.position), p_width)
  from (select u.position, u.text, coalesce(lag(u.position + u.length - 1) over (order by u.ord), 0) as before
        from unnest(p_tokens) with ordinality as u(position, length, kind, text, depth, ord)
        where u.ord between p_from and p_to) as t
$$;


ALTER FUNCTION wedsql.align(p_tokens wedsql.token[], p_from integer, p_to integer, p_width integer) OWNER TO wed_owner;

--
-- Name: vocabulary; Type: TABLE; Schema: wedsql; Owner: wed_owner
--

CREATE TABLE wedsql.vocabulary (
    word text NOT NULL COLLATE pg_catalog."C",
    keyword "char",
    refusal text,
    type text,
    func text,
    min_args integer,
    max_args integer,
    pattern_arg integer,
    flag_args integer[],
    max_count integer,
    grows boolean DEFAULT false NOT NULL,
    temporal boolean DEFAULT false NOT NULL,
    infix boolean DEFAULT false NOT NULL,
    prefix boolean DEFAULT false NOT NULL,
    hint text
);


ALTER TABLE wedsql.vocabulary OWNER TO wed_owner;

--
-- Name: TABLE vocabulary; Type: COMMENT; Schema: wedsql; Owner: wed_owner
--

COMMENT ON TABLE wedsql.vocabulary IS 'Words and operators that conditions may use; filled by wedsql.fill_vocabulary().';


--
-- Name: argument_problem(wedsql.vocabulary, integer, text, text, boolean, boolean); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql.argument_problem(p_function wedsql.vocabulary, p_argument integer, p_class text, p_raw text, p_alone boolean, p_integer boolean) RETURNS text
    LANGUAGE sql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
  select case
    when p_argument = p_function.pattern_arg then
      case when p_alone then wedsql.fixed_pattern(p_class, p_raw) else 'pattern_not_literal' end
    when p_function.word = 'substring' and p_argument = 2 then
      case when p_alone and p_class = 'text' then wedsql.pattern_problem(wedsql.unquote(p_raw))
           when not (p_alone and (p_class = 'number' or p_integer)) then 'substring' end
    when p_argument = any (p_function.flag_args) then
      case when not (p_alone and (p_class = 'number' or p_class = 'text' and p_raw ~ '^''[ginspwmc]*''$')) then 'flags' end
    when p_argument = 2 and p_function.max_count is not null then
      case when not coalesce(p_alone and p_raw ~ '^[0-9]{1,4}$' and left(p_raw, 4)::integer <= p_function.max_count, false)
           then 'count' end
  end
$_$;


ALTER FUNCTION wedsql.argument_problem(p_function wedsql.vocabulary, p_argument integer, p_class text, p_raw text, p_alone boolean, p_integer boolean) OWNER TO wed_owner;

--
-- Name: assignable(regtype, regtype); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql.assignable(p_from regtype, p_to regtype) RETURNS boolean
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select p_from = p_to or p_to = 'text'::regtype
    or exists (select 1 from pg_cast c where c.castsource = p_from and c.casttarget = p_to and c.castcontext in ('a', 'i'))
$$;


ALTER FUNCTION wedsql.assignable(p_from regtype, p_to regtype) OWNER TO wed_owner;

--
-- Name: bounded(text, boolean); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql.bounded(p_text text, p_set boolean) RETURNS text
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_control text := substring(p_text from '[\x01-\x08\x0b\x0c\x0e-\x1f\x7f]');
begin
  if length(p_text) > 10000 then
    perform wedsql.refuse(p_set, 'too_long', 10001, substr(p_text, 10001, 1));
  elsif v_control is not null then
    perform wedsql.refuse(p_set, 'control_character', strpos(p_text, v_control), v_control);
  end if;
  return p_text;
end
$$;


ALTER FUNCTION wedsql.bounded(p_text text, p_set boolean) OWNER TO wed_owner;

--
-- Name: cancel(integer, text, text); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql.cancel(p_wid integer, p_reason text, p_actor text DEFAULT NULL::text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- Promise: the instance is cancelled: its jobs and timers are withdrawn, nothing is compensated, the history says who and why.
-- Locks: the instance, its jobs, the trace.
-- Raises: WD104, WD105, WD009 without a reason.
declare
  v_flow wedsql.flow;
  v_now timestamptz := wedsql.now();
  v_seq integer;
begin
  if coalesce(btrim(p_reason), '') = '' then
    perform wedsql._raise('WD009', 'A cancellation needs a reason.');
  end if;
  v_flow := wedsql._hold(p_wid);
  perform wedsql._withdraw_rest(p_wid, v_now);
  delete from wedsql.timer x where x.wid = p_wid;
  update wedsql.instance i set status = 'C', seq = i.seq + 1, changed_at = v_now, finished_at = v_now, reason = p_reason
  where i.wid = p_wid returning i.seq into v_seq;
  insert into wedsql.wed_trace (flow_id, wid, seq, tstmp, trw, state, status, before, actor, reason, version, tx_at)
  select v_flow.id, p_wid, v_seq, v_now, '_CANCEL', t.state, 'C', '{}', wedsql._actor(p_actor), p_reason, v_flow.version, now()
  from wedsql.wed_trace t where t.wid = p_wid order by t.seq desc limit 1;
  perform wedsql._notify(v_flow, array[p_wid], array[v_seq], '{}', 0);
end $$;


ALTER FUNCTION wedsql.cancel(p_wid integer, p_reason text, p_actor text) OWNER TO wed_owner;

--
-- Name: canonical(text, jsonb); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql.canonical(p_text text, p_attrs jsonb) RETURNS wedsql.rendered
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_tokens wedsql.token[] := wedsql.parse(coalesce(p_text, ''), p_attrs);
begin
  return wedsql.render(v_tokens, 1, cardinality(v_tokens), length(p_text));
end
$$;


ALTER FUNCTION wedsql.canonical(p_text text, p_attrs jsonb) OWNER TO wed_owner;

--
-- Name: canonical_set(text, jsonb); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql.canonical_set(p_text text, p_attrs jsonb) RETURNS TABLE(attribute text, rendered wedsql.rendered)
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_tokens wedsql.token[] := wedsql.parse(coalesce(p_text, ''), p_attrs, true);
  v_from integer; v_to integer;
begin
  for v_from, v_to in
    select t.ord, coalesce(lead(t.ord) over (order by t.ord) - 2, cardinality(v_tokens))
    from unnest(v_tokens) with ordinality as t(position, length, kind, text, depth, ord) where t.kind = 'target'
  loop
    attribute := v_tokens[v_from].text;
    rendered := wedsql.render(v_tokens, v_from + 2, v_to, length(p_text));
    return next;
  end loop;
end
$$;


ALTER FUNCTION wedsql.canonical_set(p_text text, p_attrs jsonb) OWNER TO wed_owner;

--
-- Name: check_arguments(boolean, wedsql.vocabulary, integer, integer, text); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql.check_arguments(p_set boolean, p_function wedsql.vocabulary, p_given integer, p_position integer, p_raw text) RETURNS void
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_min integer := p_function.min_args;
  v_max integer := p_function.max_args;
begin
  if p_function.word in ('extract', 'trim', 'position', 'overlay', 'substring', 'normalize') and p_given > 0
     or p_given between coalesce(v_min, 1) and coalesce(v_max, p_given) then
    return;
  end if;
  perform wedsql.refuse(p_set, case when p_function.word = 'age' and p_given < 2 then 'clock' else 'arguments' end,
    p_position, p_raw,
    case when v_max is null then format('at least %s', coalesce(v_min, 1))
         when v_max = v_min then v_max::text else format('%s to %s', v_min, v_max) end
    || case when coalesce(v_max, v_min, 1) = 1 then ' argument' else ' arguments' end, p_function.hint);
end
$$;


ALTER FUNCTION wedsql.check_arguments(p_set boolean, p_function wedsql.vocabulary, p_given integer, p_position integer, p_raw text) OWNER TO wed_owner;

--
-- Name: check_invariants(integer, integer); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql.check_invariants(p_limit integer DEFAULT NULL::integer, p_examples integer DEFAULT 10) RETURNS timestamp with time zone
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- Promise: the invariants were checked and what was found is kept for everybody (wedsql.beat, 'invariants'); when that
-- was. Null, and nothing done, while somebody else checks.
-- Locks: an advisory lock while it works.
declare
  v_begun timestamptz := clock_timestamp();
  v_at timestamptz := wedsql.now();
  v_findings jsonb;
begin
  if not pg_try_advisory_xact_lock(hashtextextended('wedsql.check_invariants', 0)) then
    return null;
  end if;
  select jsonb_agg(jsonb_build_object('name', o.name, 'found', o.found, 'examples', o.examples) order by o.name)
  into v_findings from wedsql.offences(p_limit, p_examples) o;
  insert into wedsql.beat as b (name, seen_at, detail)
  values ('invariants', v_at, jsonb_build_object('limit', p_limit, 'findings', v_findings,
    'seconds', extract(epoch from clock_timestamp() - v_begun)))
  on conflict (name) do update set seen_at = excluded.seen_at, detail = excluded.detail;
  return v_at;
end $$;


ALTER FUNCTION wedsql.check_invariants(p_limit integer, p_examples integer) OWNER TO wed_owner;

--
-- Name: check_name(text, text); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql.check_name(p_name text, p_what text) RETURNS void
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
-- Promise: accepts [a-z][a-z0-9_]{0,62} that is not reserved for the kind of thing (flow, attribute, transition).
-- Raises: WD004 with what is wrong.
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
end $_$;


ALTER FUNCTION wedsql.check_name(p_name text, p_what text) OWNER TO wed_owner;

--
-- Name: check_predicate(text, text); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql.check_predicate(p_flow text, p_predicate text) RETURNS text
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- Promise: the predicate as the kernel will evaluate it, if it is one over the flow's attributes.
-- Raises: WD001, WD005, WD006 with the position in the text.
declare
  v_flow wedsql.flow := wedsql._flow(p_flow);
begin
  return (select c.aligned from wedsql.check_predicate_text(p_predicate, wedsql._attr_types(v_flow.id)) c);
end $$;


ALTER FUNCTION wedsql.check_predicate(p_flow text, p_predicate text) OWNER TO wed_owner;

--
-- Name: check_predicate_text(text, jsonb); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql.check_predicate_text(p_text text, p_attrs jsonb) RETURNS wedsql.rendered
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_tokens wedsql.token[] := wedsql.parse(coalesce(p_text, ''), p_attrs);
  n integer := cardinality(v_tokens);
  v_rendered wedsql.rendered := wedsql.render(v_tokens, 1, n, length(p_text));
  v_source text := wedsql.row_source(p_attrs);
  v_query text := format('select true from %s where (%s)', v_source, v_rendered.aligned);
  v_error record := wedsql.plan_error(v_query);
  v_part record;
begin
  if v_error.code is null then
    perform wedsql.check_tree(v_query, v_tokens, false);
    return v_rendered;
  end if;
  v_part := wedsql.failing_part(v_tokens, v_source, 1, n);
  if (wedsql.plan_error(format('select (%s) is null from %s', wedsql.qualify(v_tokens, v_part.first, v_part.last), v_source))).code is null then
    perform wedsql.refuse_sense(
      format('This is of type %s; a condition must be true or false.', wedsql.type_of(wedsql.qualify(v_tokens, v_part.first, v_part.last), v_source)),
      'Compare it with something, for example with =, or test it with is null.', '42804',
      wedsql.named_token(v_tokens, v_part.first, v_part.last, '42804', ''), false, 'not_boolean');
  end if;
  v_error := wedsql.plan_error(format('select true from %s where (%s)', v_source, wedsql.qualify(v_tokens, v_part.first, v_part.last)));
  perform wedsql.refuse_sense(v_error.message, wedsql.meaning_hint(v_error.code, v_tokens[v_part.first:v_part.last], p_attrs),
    v_error.code, wedsql.named_token(v_tokens, v_part.first, v_part.last, v_error.code, v_error.message));
end
$$;


ALTER FUNCTION wedsql.check_predicate_text(p_text text, p_attrs jsonb) OWNER TO wed_owner;

--
-- Name: check_set_text(text, jsonb); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql.check_set_text(p_text text, p_attrs jsonb) RETURNS TABLE(attribute text, rendered wedsql.rendered)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
declare
  v_all wedsql.token[] := wedsql.parse(coalesce(p_text, ''), p_attrs, true);
  v_tokens wedsql.token[]; v_query text; v_error record; v_row record; v_type text; v_source text := wedsql.row_source(p_attrs);
begin
  for v_row in select c.attribute, c.rendered from wedsql.canonical_set(p_text, p_attrs) as c loop
    attribute := v_row.attribute;
    rendered := v_row.rendered;
    v_tokens := array(select t from unnest(v_all) as t
      where t.position between 1 + length(rendered.aligned) - length(ltrim(rendered.aligned)) and length(rtrim(rendered.aligned))
      order by t.position);
    v_type := wedsql.sql_type(p_attrs ->> attribute);
    -- A text or NULL on its own takes the type of the attribute.
    v_query := format(case when cardinality(v_tokens) = 1 and v_tokens[1].kind in ('text', 'keyword') then 'select (%s)::%s as x from %s'
                           else 'select (%1$s) as x from %3$s' end, rendered.aligned, v_type, v_source);
    v_error := wedsql.plan_error(v_query);
    if v_error.code is not null then
      perform wedsql.refuse_sense(v_error.message, wedsql.meaning_hint(v_error.code, v_tokens, p_attrs), v_error.code,
        wedsql.named_token(v_tokens, 1, cardinality(v_tokens), v_error.code, v_error.message), true);
    end if;
    perform wedsql.check_tree(v_query, v_tokens, true);
    if v_query like 'select (%) as x from %' and not wedsql.assignable(wedsql.type_of(rendered.qualified, v_source)::regtype, v_type::regtype) then
      perform wedsql.refuse_sense(
        format('The attribute %s is of type %s, but this is of type %s.', attribute, v_type, wedsql.type_of(rendered.qualified, v_source)),
        format('Convert it: (...)::%s.', v_type), '42804', wedsql.named_token(v_tokens, 1, cardinality(v_tokens), '42804', ''), true, 'set_type');
    end if;
    return next;
  end loop;
end
$_$;


ALTER FUNCTION wedsql.check_set_text(p_text text, p_attrs jsonb) OWNER TO wed_owner;

--
-- Name: check_tree(text, wedsql.token[], boolean); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql.check_tree(p_query text, p_tokens wedsql.token[], p_set boolean) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_tree record := wedsql.parse_tree(p_query);
  v_name text; v_operator text; v_token wedsql.token;
begin
  if v_tree.nodes = '{}' then
    return;  -- a read-only transaction, which can store nothing
  end if;
  -- One select over the row of attributes, which is the second query; anything else is not a condition.
  -- PostgreSQL 14 writes RTE for a table of the range, and other names for five more nodes.
  if cardinality(array_positions(v_tree.nodes, 'QUERY')) <> 2
     or cardinality(array_positions(v_tree.nodes, 'RANGETBLENTRY')) + cardinality(array_positions(v_tree.nodes, 'RTE')) <> 1
     or not v_tree.nodes <@ array['QUERY', 'RANGETBLENTRY', 'RTE', 'ALIAS', 'FROMEXPR', 'RANGETBLREF', 'TARGETENTRY', 'VAR', 'CONST', 'OPEXPR',
      'DISTINCTEXPR', 'NULLIFEXPR', 'SCALARARRAYOPEXPR', 'FUNCEXPR', 'BOOLEXPR', 'NULLTEST', 'BOOLEANTEST', 'CASE', 'CASEEXPR',
      'WHEN', 'CASEWHEN', 'CASETESTEXPR', 'ARRAY', 'ARRAYEXPR', 'COALESCE', 'COALESCEEXPR', 'MINMAX', 'MINMAXEXPR', 'RELABELTYPE',
      'COERCEVIAIO', 'ARRAYCOERCEEXPR', 'SUBSCRIPTINGREF'] then
    perform wedsql.refuse_sense('This form of expression is not available in conditions.', 'Write it with operators and functions.',
      '0A000', p_tokens[1], p_set, 'form');
  end if;
  select p.proname, o.oprname into v_name, v_operator
  from unnest(v_tree.functions) as f(oid) join pg_proc p on p.oid = f.oid left join pg_operator o on o.oprcode = f.oid
  where (select q.oid from wedsql.pure_function as q where q.oid = f.oid) is null
    and (select q.oid from wedsql.pinned_function as q where q.oid = f.oid) is null
  limit 1;
  if found then
    select t.* into v_token from unnest(p_tokens) as t
    where t.text = v_operator or t.text = v_name and t.kind = 'function' or t.text = '::' and v_operator is null
    order by t.text in (v_operator, v_name) desc, t.position limit 1;
    perform wedsql.refuse_sense(
      format('With these types "%s" depends on settings of the session.', coalesce(v_operator, v_name)),
      'Convert the operands first so that both have the same type, for example attribute::text.', '42P17',
      coalesce(v_token, p_tokens[1]), p_set, 'stable_use');
  end if;
end
$$;


ALTER FUNCTION wedsql.check_tree(p_query text, p_tokens wedsql.token[], p_set boolean) OWNER TO wed_owner;

--
-- Name: clock_behind(); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql.clock_behind() RETURNS interval
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- Promise: how much older the time is than the latest that the reaper has seen; zero when all is well.
select coalesce((select greatest(interval '0', (b.detail ->> 'latest')::timestamptz - wedsql.now()) from wedsql.beat b where b.name = 'reaper'), interval '0')
$$;


ALTER FUNCTION wedsql.clock_behind() OWNER TO wed_owner;

--
-- Name: close_flow_role(text); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql.close_flow_role(p_flow text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- Promise: the flow's role is gone with its rights. Runs with the caller's rights.
-- Raises: WD001.
declare
  v_name text := (wedsql._flow(p_flow)).name;
begin
  if exists (select 1 from pg_roles r where r.rolname = v_name) then
    execute format('drop owned by %I', v_name);
    execute format('drop role %I', v_name);
  end if;
end $$;


ALTER FUNCTION wedsql.close_flow_role(p_flow text) OWNER TO wed_owner;

--
-- Name: close_problem(text, text, text, boolean); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql.close_problem(p_word text, p_kind text, p_phase text, p_between boolean) RETURNS text
    LANGUAGE sql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select case
    when p_kind = 'top' then case when p_word = 'end' then 'case' else 'unopened' end
    when p_word = 'end' and p_kind <> 'case' then 'case'
    when p_word <> case when p_kind in ('array', 'subscript') then ']' when p_kind = 'case' then 'end' else ')' end then 'unclosed'
    when p_between then 'between'
    when p_kind = 'case' and p_phase not in ('then', 'else') then 'case'
    when p_kind = 'cast' and p_phase <> 'done' or p_phase in ('position', 'placing') then 'special_form'
  end
$$;


ALTER FUNCTION wedsql.close_problem(p_word text, p_kind text, p_phase text, p_between boolean) OWNER TO wed_owner;

--
-- Name: complete_many(text, integer[], bigint[], bigint[], jsonb[], text, text[]); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql.complete_many(p_flow text, p_wids integer[], p_job_ids bigint[], p_claims bigint[], p_changes jsonb[], p_actor text DEFAULT NULL::text, p_sets text[] DEFAULT NULL::text[]) RETURNS TABLE(job_id bigint, ok boolean, seq integer, status text, fired text[], sqlstate text, message text, hint text, detail text)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
-- Promise: <flow>.complete_many for whoever has the flow's name in a variable.
-- Raises: WD001, and as <flow>.complete_many.
begin
  return query execute format('select * from %I.complete_many($1, $2, $3, $4, $5, $6)', (wedsql._flow(p_flow)).name)
    using p_wids, p_job_ids, p_claims, p_changes, p_actor, p_sets;
end $_$;


ALTER FUNCTION wedsql.complete_many(p_flow text, p_wids integer[], p_job_ids bigint[], p_claims bigint[], p_changes jsonb[], p_actor text, p_sets text[]) OWNER TO wed_owner;

--
-- Name: count_times(text, jsonb); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql.count_times(p_flow text, p_times jsonb) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET jit TO 'off'
    AS $$
-- Promise: what a worker measured is added up. p_times is a list of {transition, counts (a number for each bucket),
-- seconds (their sum), waits: [[wid, job, seconds since its handler began], …]}; what no transition is called is left out.
-- Locks: the counters of the transitions named, in the order of their names.
-- Raises: WD001.
declare
  v_flow integer := (wedsql._flow(p_flow)).id;
  v_now timestamptz := wedsql.now();
  v_places integer := cardinality(wedsql._time_bounds()) + 1;
begin
  insert into wedsql.timing as t (flow_id, trname, kind, counts, seconds)
  with e as (
    select distinct on (r.transition) r.* from jsonb_to_recordset(p_times) r (transition text, counts bigint[], seconds double precision, waits jsonb)
    where exists (select 1 from wedsql.trig g where g.flow_id = v_flow and g.trname = r.transition)
      and cardinality(r.counts) = v_places and 0 <= all (r.counts) and r.seconds >= 0),
  w as (
    select e.transition, array_agg(width_bucket(x.waited, wedsql._time_bounds())) as places, sum(x.waited) as seconds
    from e cross join lateral (select s.value from jsonb_array_elements(e.waits) s limit 100) s
    cross join lateral wedsql._waited((s.value ->> 0)::integer, (s.value ->> 1)::bigint, v_now - make_interval(secs => (s.value ->> 2)::double precision)) x (waited)
    where x.waited is not null group by e.transition)
  select v_flow, e.transition, 'run', e.counts, e.seconds from e
  union all
  select v_flow, w.transition, 'wait',
    array(select (select count(*) from unnest(w.places) u (place) where u.place = b) from generate_series(0, v_places - 1) b order by b), w.seconds
  from w
  order by 2, 3
  on conflict (flow_id, trname, kind) do update set counts = wedsql._added(t.counts, excluded.counts), seconds = t.seconds + excluded.seconds;
end $$;


ALTER FUNCTION wedsql.count_times(p_flow text, p_times jsonb) OWNER TO wed_owner;

--
-- Name: create_flow(text, text, text); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql.create_flow(p_name text, p_label text DEFAULT ''::text, p_final_when_pending text DEFAULT 'reject'::text) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- Promise: a new, empty flow: its schema with wed_flow and the paper's control tables as views; its id.
-- Raises: WD004, WD009 when the name is taken.
declare
  v_id integer;
begin
  perform wedsql.check_name(p_name, 'flow');
  if to_regnamespace(quote_ident(p_name)) is not null then
    perform wedsql._raise('WD004', format('The name %I is taken in this database.', p_name), 'Choose another name.');
  end if;
  if exists (select 1 from pg_roles where rolname = p_name and rolsuper) then
    perform wedsql._raise('WD004', format('%I is the name of a superuser.', p_name), 'Choose another name.');
  end if;
  if p_final_when_pending not in ('reject', 'defer', 'cancel') then
    perform wedsql._raise('WD009', format('%L is none of what may happen to a final state while work is pending.', left(p_final_when_pending, 80)),
      'Use reject, defer or cancel.');
  end if;
  insert into wedsql.flow (name, label, final_when_pending) values (p_name, p_label, p_final_when_pending) returning id into v_id;
  execute format('create schema %I', p_name);
  execute format('create table %I.wed_flow (wid integer primary key) with (fillfactor = 80)', p_name);
  perform wedsql._sweep_often(p_name);
  perform wedsql._guard_flow(p_name);
  perform wedsql._make_views(v_id, p_name);
  execute format('grant usage on schema %I to wed_eval', p_name);
  perform wedsql._grant_flow(p_name);
  perform wedsql._touch(v_id, false);
  perform wedsql._generate(v_id);
  return v_id;
end $$;


ALTER FUNCTION wedsql.create_flow(p_name text, p_label text, p_final_when_pending text) OWNER TO wed_owner;

--
-- Name: data_directory(); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql.data_directory() RETURNS text
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- Promise: where this server keeps its files; null when the kernel may not know.
begin
  return current_setting('data_directory');
exception when insufficient_privilege then
  return null;
end $$;


ALTER FUNCTION wedsql.data_directory() OWNER TO wed_owner;

--
-- Name: definition(text); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql.definition(p_flow text) RETURNS jsonb
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET "IntervalStyle" TO 'postgres'
    AS $$
-- Promise: the whole definition as one JSON object, in an order that never changes by itself; options of attributes and triggers that
-- have their default are left out.
-- Raises: WD001.
declare
  v_flow wedsql.flow := wedsql._flow(p_flow);
begin
  return jsonb_build_object(
    'flow', v_flow.name, 'label', v_flow.label, 'description', v_flow.description,
    'final_when_pending', v_flow.final_when_pending, 'max_firings', v_flow.max_firings, 'default_timeout', v_flow.default_timeout::text,
    'notify_trace', v_flow.notify_trace, 'retention', v_flow.retention::text, 'version', v_flow.version,
    'attributes', coalesce((
      select jsonb_agg(jsonb_strip_nulls(jsonb_build_object('name', a.aname, 'type', a.type, 'default', a.adv, 'options', a.options,
        'label', nullif(a.label, ''), 'description', nullif(a.description, ''), 'position', a.position)) order by a.aid)
      from wedsql.attr a where a.flow_id = v_flow.id), '[]'),
    'triggers', coalesce((select jsonb_agg(wedsql._trigger_json(t) order by t.tgid) from wedsql.trig t where t.flow_id = v_flow.id), '[]'));
end $$;


ALTER FUNCTION wedsql.definition(p_flow text) OWNER TO wed_owner;

--
-- Name: distance(text, text, integer); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql.distance(p_a text, p_b text, p_limit integer DEFAULT 3) RETURNS integer
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
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


ALTER FUNCTION wedsql.distance(p_a text, p_b text, p_limit integer) OWNER TO wed_owner;

--
-- Name: drop_empty_partitions(timestamp with time zone); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql.drop_empty_partitions(p_before timestamp with time zone) RETURNS text[]
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET lock_timeout TO '500ms'
    AS $_$
-- Promise: monthly partitions that end before p_before and hold nothing are dropped; their names.
-- Locks: wed_trace for an instant a partition, or not at all when that is busy.
declare
  v_name text;
  v_empty boolean;
  v_gone text[] := '{}';
begin
  for v_name in
    select c.relname from pg_inherits h join pg_class c on c.oid = h.inhrelid
    where h.inhparent = 'wedsql.wed_trace'::regclass and c.relname ~ '^wed_trace_\d{4}_\d{2}$'
      and to_date(right(c.relname, 7), 'YYYY_MM') + interval '1 month' <= p_before order by c.relname
  loop
    execute format('select not exists (select 1 from wedsql.%I)', v_name) into v_empty;
    if v_empty then
      execute format('drop table wedsql.%I', v_name);
      v_gone := v_gone || v_name;
    end if;
  end loop;
  return v_gone;
exception when lock_not_available then
  return v_gone;
end $_$;


ALTER FUNCTION wedsql.drop_empty_partitions(p_before timestamp with time zone) OWNER TO wed_owner;

--
-- Name: drop_flow(text, boolean); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql.drop_flow(p_name text, p_force boolean DEFAULT false) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- Promise: the flow is gone: definition, schema, and, with p_force, its instances and their history.
-- Locks: everything of the flow.
-- Raises: WD001, WD007 while it has instances.
declare
  v_flow wedsql.flow := wedsql._flow(p_name);
begin
  perform wedsql._lock_definition(v_flow.id, true);
  if not p_force and exists (select 1 from wedsql.instance i where i.flow_id = v_flow.id) then
    perform wedsql._raise('WD007', format('Flow %I has instances.', p_name), 'Dropping it would erase their history; say so with force.');
  end if;
  delete from wedsql.job_pool where flow_id = v_flow.id;
  delete from wedsql.wed_trace where flow_id = v_flow.id;
  delete from wedsql.instance where flow_id = v_flow.id;
  delete from wedsql.timer where flow_id = v_flow.id;
  execute format('drop schema %I cascade', p_name);
  delete from wedsql.flow where id = v_flow.id;
end $$;


ALTER FUNCTION wedsql.drop_flow(p_name text, p_force boolean) OWNER TO wed_owner;

--
-- Name: extend(integer, bigint, bigint, interval); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql.extend(p_wid integer, p_job_id bigint, p_claim bigint, p_duration interval) RETURNS timestamp with time zone
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- Promise: the lease lasts p_duration from now; the new expiry.
-- Locks: the job.
-- Raises: WD009, WD203, WD204, WD205.
declare
  v_until timestamptz := wedsql.now() + p_duration;
begin
  if p_duration is null or p_duration <= interval '0' then
    perform wedsql._raise('WD009', 'A lease must last longer than nothing.');
  end if;
  perform wedsql._leased(p_wid, p_job_id, p_claim);
  update wedsql.job_pool j set lease_until = v_until where j.wid = p_wid and j.id = p_job_id;
  return v_until;
end $$;


ALTER FUNCTION wedsql.extend(p_wid integer, p_job_id bigint, p_claim bigint, p_duration interval) OWNER TO wed_owner;

--
-- Name: fail_many(text, integer[], bigint[], bigint[], text[], text[], text, text); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql.fail_many(p_flow text, p_wids integer[], p_job_ids bigint[], p_claims bigint[], p_messages text[], p_sqlstates text[] DEFAULT NULL::text[], p_outcome text DEFAULT 'failed'::text, p_actor text DEFAULT NULL::text) RETURNS TABLE(job_id bigint, attempts integer, parked boolean, not_before timestamp with time zone)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    AS $_$
#variable_conflict use_column
-- Promise: each attempt is counted and kept with its reason; the job is offered again after its back-off, or parked and
-- its instance an exception when the attempts are used up (K-10). A job that is no longer the caller's is left alone.
-- Locks: instances in wid order, jobs, trace.
-- Raises: WD001.
declare
  v_flow wedsql.flow := wedsql._flow(p_flow);
  v_now timestamptz := wedsql.now();
  v_actor text := wedsql._actor(p_actor);
  v_job record;
begin
  execute format('select 1 from %I.wed_flow w where w.wid = any ($1) order by w.wid for no key update', p_flow) using p_wids;
  for v_job in
    update wedsql.job_pool j
    set attempts = j.attempts + 1, state = 'P', claim = null, lckid = null, lease_until = null,
        last_error = left(u.message, 2000), last_state = u.code,
        not_before = v_now + wedsql._backoff(coalesce(t.backoff, interval '1 second'), j.attempts::integer)
    from unnest(p_wids, p_job_ids, p_claims, p_messages, p_sqlstates) u (wid, id, claim, message, code)
    left join wedsql.trig t on t.tgid = (select o.tgid from wedsql.job_pool o where o.wid = u.wid and o.id = u.id)
    where j.wid = any (p_wids) and j.wid = u.wid and j.id = u.id and j.state <> 'K' and j.claim is not distinct from u.claim
      and (u.claim is not null or pg_try_advisory_xact_lock(j.wid, j.tgid))
    returning j.*, j.tgid > 0 and j.attempts >= coalesce(t.max_attempts, 5) as spent
  loop
    insert into wedsql.job_log (job_id, wid, tgid, flow_id, trname, at, outcome, actor, sqlstate, message, attempt)
    values (v_job.id, v_job.wid, v_job.tgid, v_flow.id, v_job.trname, v_now, p_outcome, v_actor, v_job.last_state, v_job.last_error, v_job.attempts);
    if v_job.spent then
      perform wedsql._except(v_flow, v_job.wid, array[v_job.tgid], 'ATTEMPTS', v_actor, v_job.last_error, v_now);
    elsif v_job.last_state = 'WD103' then
      perform wedsql._final_blocked(v_flow, v_job.wid, v_actor, v_now);
    end if;
    return query select v_job.id, v_job.attempts::integer, j.state = 'K', j.not_before from wedsql.job_pool j
      where j.wid = v_job.wid and j.id = v_job.id;
  end loop;
end $_$;


ALTER FUNCTION wedsql.fail_many(p_flow text, p_wids integer[], p_job_ids bigint[], p_claims bigint[], p_messages text[], p_sqlstates text[], p_outcome text, p_actor text) OWNER TO wed_owner;

--
-- Name: failing_part(wedsql.token[], text, integer, integer); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql.failing_part(p_tokens wedsql.token[], p_source text, INOUT first integer, INOUT last integer) RETURNS record
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_part record;
  v_found boolean := true;
begin
  while v_found loop
    v_found := false;
    for v_part in select * from wedsql.joined_parts(p_tokens, first, last) loop
      continue when not v_part.joined and (v_part.first, v_part.last) = (first, last);
      if (wedsql.plan_error(format('select true from %s where (%s)', p_source,
            wedsql.qualify(p_tokens, v_part.first, v_part.last)))).code is not null then
        first := v_part.first; last := v_part.last; v_found := true;
        exit;
      end if;
    end loop;
  end loop;
end
$$;


ALTER FUNCTION wedsql.failing_part(p_tokens wedsql.token[], p_source text, INOUT first integer, INOUT last integer) OWNER TO wed_owner;

--
-- Name: fill_vocabulary(); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql.fill_vocabulary() RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
begin
  delete from wedsql.vocabulary;
  insert into wedsql.vocabulary (word, func, min_args, max_args, pattern_arg, flag_args, max_count, grows, temporal, hint)
  select name, func, min_args, max_args, pattern_arg, flag_args, max_count, grows, temporal, hint
  from wedsql.function_vocabulary where name ~ '^[a-z_][a-z0-9_]*$';
  insert into wedsql.vocabulary (word, keyword)
  select word, catcode from pg_get_keywords()
  on conflict (word) do update set keyword = excluded.keyword;
  -- PostgreSQL's grammar turns a name of category C followed by a parenthesis into something else than a call.
  update wedsql.vocabulary set func = 'reserved', hint = format('Write (value)::%s.', word)
  where keyword = 'C' and func is not null and word not in ('substring', 'overlay', 'normalize', 'json_object');
  insert into wedsql.vocabulary (word, func, min_args, max_args)
  values ('coalesce', 'ok', 1, null), ('greatest', 'ok', 1, null), ('least', 'ok', 1, null), ('nullif', 'ok', 2, 2)
  on conflict (word) do update set func = 'ok', min_args = excluded.min_args, max_args = excluded.max_args, hint = null;
  insert into wedsql.vocabulary (word, func)
  values ('extract', 'ok'), ('position', 'ok'), ('trim', 'ok')
  on conflict (word) do update set func = 'ok', hint = null, min_args = null, max_args = null;
  update wedsql.vocabulary set temporal = true where word = 'extract';
  insert into wedsql.vocabulary (word, type, temporal)
  select t.word, t.modifier, t.modifier in ('seconds', 'moment')
  from (values ('text', 'none'), ('integer', 'none'), ('int', 'none'), ('int2', 'none'), ('int4', 'none'),
    ('int8', 'none'), ('bigint', 'none'), ('smallint', 'none'), ('real', 'none'), ('float4', 'none'),
    ('float8', 'none'), ('double', 'double'), ('boolean', 'none'), ('bool', 'none'), ('json', 'none'),
    ('jsonb', 'none'), ('uuid', 'none'), ('date', 'moment'), ('varchar', 'length'), ('char', 'length'),
    ('character', 'character'), ('numeric', 'digits'), ('decimal', 'digits'), ('time', 'seconds'),
    ('timestamp', 'seconds'), ('timestamptz', 'seconds'), ('interval', 'seconds')) as t(word, modifier)
  on conflict (word) do update set type = excluded.type, temporal = wedsql.vocabulary.temporal or excluded.temporal;
  insert into wedsql.vocabulary (word, infix, prefix)
  select o.oprname, bool_or(o.oprkind = 'b'), bool_or(o.oprkind = 'l')
  from pg_operator o join wedsql.pure_function p on p.oid = o.oprcode
  where o.oprnamespace = 'pg_catalog'::regnamespace and o.oid < 16384
  group by o.oprname
  on conflict (word) do nothing;
  insert into wedsql.vocabulary (word, infix) values ('!=', true) on conflict (word) do update set infix = true;
  insert into wedsql.vocabulary (word, refusal)
  select w, r.reason
  from (values
    ('subquery', 'select exists with from values table'),
    ('statement', 'insert update delete merge drop create alter grant revoke copy do call begin commit rollback truncate union'
      ' intersect except where group having order limit offset fetch into returning window using set reset listen notify'),
    ('clock', 'current_date current_time current_timestamp localtime localtimestamp'),
    ('session', 'current_user session_user user current_role current_catalog current_schema system_user'),
    ('collate', 'collate collation'), ('row', 'row')) as r(reason, words), regexp_split_to_table(r.words, ' ') as w
  on conflict (word) do update set refusal = excluded.refusal;
end
$_$;


ALTER FUNCTION wedsql.fill_vocabulary() OWNER TO wed_owner;

--
-- Name: fixed_pattern(text, text); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql.fixed_pattern(p_class text, p_raw text) RETURNS text
    LANGUAGE sql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select case when p_class = 'text' then wedsql.pattern_problem(wedsql.unquote(p_raw)) else 'pattern_not_literal' end
$$;


ALTER FUNCTION wedsql.fixed_pattern(p_class text, p_raw text) OWNER TO wed_owner;

--
-- Name: function_refusal(text, "char", "char", boolean); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql.function_refusal(p_name text, p_kind "char", p_volatile "char", p_set boolean) RETURNS text
    LANGUAGE sql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select case
    when p_name in ('now', 'clock_timestamp', 'statement_timestamp', 'transaction_timestamp', 'timeofday',
                    'pg_postmaster_start_time', 'pg_conf_load_time', 'age') then 'clock'
    when p_name ~ '^(current_|session_user|system_user|inet_(client|server)|pg_backend_pid|has_|row_security|txid_)'
      then 'session'
    when p_kind = 'a' then 'aggregate'
    when p_kind = 'w' then 'window'
    when p_set then 'set_returning'
    when p_volatile = 'v' then 'volatile'
    when p_volatile = 's' then 'stable'
    else 'internal'
  end
$$;


ALTER FUNCTION wedsql.function_refusal(p_name text, p_kind "char", p_volatile "char", p_set boolean) OWNER TO wed_owner;

--
-- Name: heartbeat(bigint, boolean); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql.heartbeat(p_worker bigint, p_waiting boolean) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- Promise: the worker is alive, and says whether it sleeps and wants to be woken; false when it must register again.
begin
  update wedsql.worker w set seen_at = wedsql.now(), waiting = p_waiting, backend_pid = pg_backend_pid() where w.id = p_worker;
  return found;
end $$;


ALTER FUNCTION wedsql.heartbeat(p_worker bigint, p_waiting boolean) OWNER TO wed_owner;

--
-- Name: housekeeping(integer); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql.housekeeping(p_tables integer DEFAULT 20) RETURNS jsonb
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
-- Promise: size, dead rows, what holds vacuum back, and partitions made ahead.
-- Locks: none.
select jsonb_build_object(
  'database_bytes', pg_database_size(current_database()),
  'tables', wedsql._hot_tables(p_tables),
  'held_back', wedsql._holds_vacuum_back(),
  'steps', (select coalesce(sum(pg_stat_get_tuples_inserted(h.inhrelid)), 0) from pg_inherits h where h.inhparent = 'wedsql.wed_trace'::regclass),
  'months_ahead', (
    select count(*) from pg_inherits h join pg_class c on c.oid = h.inhrelid
    where h.inhparent = 'wedsql.wed_trace'::regclass and c.relname ~ '^wed_trace_\d{4}_\d{2}$'
      and right(c.relname, 7) > to_char(wedsql.now() at time zone 'UTC', 'YYYY_MM')),
  'in_default', (select count(*) from (select 1 from wedsql.wed_trace_default limit 1000) d))
$_$;


ALTER FUNCTION wedsql.housekeeping(p_tables integer) OWNER TO wed_owner;

--
-- Name: invariants(integer); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql.invariants(p_limit integer DEFAULT NULL::integer) RETURNS TABLE(name text, ok boolean, found bigint, example jsonb, sentence text)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- Promise: the eight invariants in short, with one example of each that is broken; p_limit as in offences.
-- Locks: none.
select o.name, o.found = 0, o.found, o.examples -> 0, o.sentence from wedsql.offences(p_limit, 1) o order by o.name
$$;


ALTER FUNCTION wedsql.invariants(p_limit integer) OWNER TO wed_owner;

--
-- Name: is_plain_type(oid); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql.is_plain_type(p_type oid) RETURNS boolean
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
  select case when t.typtype = 'p' then t.typname ~ '^any.' and t.typname <> 'any'
    else coalesce(e.typname, t.typname) !~ ('^(reg|pg_)|^(oid|oidvector|xid|xid8|cid|tid|aclitem|refcursor|txid_snapshot'
      || '|xml|money|gtsvector|int2vector)$') and t.oid < 16384 and t.typname !~ '^_?(reg|pg_)|vector$|^_?record$'
  end
  from pg_type t left join pg_type e on e.oid = t.typelem and t.typcategory = 'A'
  where t.oid = p_type
$_$;


ALTER FUNCTION wedsql.is_plain_type(p_type oid) OWNER TO wed_owner;

--
-- Name: joined_parts(wedsql.token[], integer, integer); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql.joined_parts(p_tokens wedsql.token[], p_from integer, p_to integer) RETURNS TABLE(first integer, last integer, joined boolean)
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_from integer := p_from; v_to integer := p_to; v_depth integer; v_cuts integer[];
begin
  loop
    v_depth := p_tokens[v_from].depth;
    exit when v_from >= v_to;
    if p_tokens[v_from].text = 'not' then
      v_from := v_from + 1;
    elsif p_tokens[v_from].text = '(' and p_tokens[v_to].text = ')' and not exists (
        select 1 from unnest(p_tokens[v_from + 1:v_to - 1]) as t where t.depth <= v_depth) then
      v_from := v_from + 1; v_to := v_to - 1;
    else
      exit;
    end if;
  end loop;
  v_cuts := array(select v_from + t.ord::integer - 1
    from unnest(p_tokens[v_from:v_to]) with ordinality as t(position, length, kind, text, depth, ord)
    where t.kind in ('and', 'or') and t.depth = v_depth order by 1);
  joined := cardinality(v_cuts) > 0;
  for first, last in
    select a, b from unnest(array[v_from] || (select array_agg(c + 1) from unnest(v_cuts) as c),
                            (select array_agg(c - 1) from unnest(v_cuts) as c) || array[v_to]) as part(a, b)
  loop
    return next;
  end loop;
end
$$;


ALTER FUNCTION wedsql.joined_parts(p_tokens wedsql.token[], p_from integer, p_to integer) OWNER TO wed_owner;

--
-- Name: lease(text, text[], integer, text, interval, bigint[]); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql.lease(p_flow text, p_transitions text[], p_limit integer, p_holder text, p_duration interval DEFAULT NULL::interval, p_job_ids bigint[] DEFAULT NULL::bigint[]) RETURNS SETOF wedsql.taken
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
-- Promise: up to p_limit ready jobs claimed durably, each with a token that is never used again and an expiry:
-- p_duration, else the trigger's timeout, else five minutes. Commit at once, then work outside any transaction.
-- Locks: advisory locks while it looks, then the job rows.
-- Raises: WD001, WD009.
declare
  v_flow wedsql.flow := wedsql._flow(p_flow);
  v_pick record;
  v_now timestamptz := wedsql.now();
begin
  if p_duration <= interval '0' then
    perform wedsql._raise('WD009', 'A lease must last longer than nothing.');
  end if;
  select * into v_pick from wedsql._pick(v_flow.id, v_flow.shared, p_transitions, p_limit, p_job_ids, false);
  if v_pick.ids <> '{}' and exists (select 1 from wedsql.trig t where t.flow_id = v_flow.id and t.revalidate = 'at_take') then
    v_pick := wedsql._drop_stale(v_flow.id, v_flow.name, v_pick.wids, v_pick.ids);
  end if;
  update wedsql.job_pool j
  set state = 'L', claim = nextval('wedsql.claim_seq'), lckid = p_holder,
      lease_until = v_now + coalesce(p_duration, j.timeout, interval '5 minutes')
  from unnest(v_pick.wids, v_pick.ids) u (wid, id)
  where j.wid = u.wid and j.id = u.id and j.state = 'P';
  return query execute format('select * from %I._taken($1, $2) t where t.claim is not null', p_flow) using v_pick.wids, v_pick.ids;
end $_$;


ALTER FUNCTION wedsql.lease(p_flow text, p_transitions text[], p_limit integer, p_holder text, p_duration interval, p_job_ids bigint[]) OWNER TO wed_owner;

--
-- Name: lex(text, jsonb); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql.lex(p_text text, p_attrs jsonb) RETURNS SETOF wedsql.token
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select * from unnest(wedsql.parse(p_text, p_attrs))
$$;


ALTER FUNCTION wedsql.lex(p_text text, p_attrs jsonb) OWNER TO wed_owner;

--
-- Name: maintain(); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql.maintain() RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- Promise: the history has partitions for this month and the next two, and none that is empty and older than a month;
-- how many were made and dropped, and how many rows (up to 1,000) fell into the default one.
begin
  return jsonb_build_object('partitions_made', wedsql.make_partitions(wedsql.now(), 2),
    'partitions_dropped', cardinality(wedsql.drop_empty_partitions(wedsql.now() - interval '1 month')),
    'in_default', (select count(*) from (select 1 from wedsql.wed_trace_default limit 1000) d));
end $$;


ALTER FUNCTION wedsql.maintain() OWNER TO wed_owner;

--
-- Name: make_partitions(timestamp with time zone, integer); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql.make_partitions(p_from timestamp with time zone, p_months integer) RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- Promise: wed_trace has a partition for the month of p_from and p_months months after it; says how many were made.
-- Locks: an advisory lock while it works, and the parent table for an instant when one is missing.
declare
  v_month timestamptz := date_trunc('month', p_from at time zone 'UTC') at time zone 'UTC';
  v_next timestamptz;
  v_name text;
  v_made integer := 0;
begin
  perform pg_advisory_xact_lock(hashtextextended('wedsql.make_partitions', 0));
  for i in 0..p_months loop
    v_next := ((v_month at time zone 'UTC') + interval '1 month') at time zone 'UTC';
    v_name := 'wed_trace_' || to_char(v_month at time zone 'UTC', 'YYYY_MM');
    if to_regclass('wedsql.' || v_name) is null
       and not exists (select 1 from wedsql.wed_trace_default d where d.tstmp >= v_month and d.tstmp < v_next) then
      execute format('create table wedsql.%I partition of wedsql.wed_trace for values from (%L) to (%L)',
                     v_name, v_month, v_next);
      execute format('alter table wedsql.%I owner to wed_owner', v_name);
      -- Retention takes rows out of old months; new ones should soon be known as visible to all.
      execute format('alter table wedsql.%I set (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.1)', v_name);
      v_made := v_made + 1;
    end if;
    v_month := v_next;
  end loop;
  return v_made;
end $$;


ALTER FUNCTION wedsql.make_partitions(p_from timestamp with time zone, p_months integer) OWNER TO wed_owner;

--
-- Name: meaning_hint(text, wedsql.token[], jsonb); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql.meaning_hint(p_code text, p_tokens wedsql.token[], p_attrs jsonb) RETURNS text
    LANGUAGE sql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select case
    when p_code in ('42883', '42804', '42725') then coalesce(
      (select 'Here ' || string_agg(distinct format('%s is %s', t.text, p_attrs ->> t.text), ', ') || '. '
       from unnest(p_tokens) as t where t.kind = 'attribute'), '')
      || 'Convert one side with ::, for example a1::integer, or quote the value if it is a text.'
    when p_code = '42601' then 'Put parentheses around the parts, one comparison each.'
    when p_code = '22012' then 'This part divides by zero whatever the attributes are.'
    when p_code like '22%' then 'Write a value that its type can hold.'
    else 'Rewrite this part.' end
$$;


ALTER FUNCTION wedsql.meaning_hint(p_code text, p_tokens wedsql.token[], p_attrs jsonb) OWNER TO wed_owner;

--
-- Name: named_token(wedsql.token[], integer, integer, text, text); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql.named_token(p_tokens wedsql.token[], p_from integer, p_to integer, p_code text, p_message text) RETURNS wedsql.token
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_token wedsql.token;
  v_span wedsql.token := p_tokens[p_from];
begin
  select t.position, t.length, t.kind, t.text, t.depth into v_token
  from unnest(p_tokens[p_from:p_to]) with ordinality as t(position, length, kind, text, depth, ord),
    lateral (select case
      when t.kind in ('operator', 'prefix') and (strpos(p_message, ' ' || replace(t.text, '!=', '<>') || ' ') > 0
        or p_code = '22012' and t.text in ('/', '%')) then 1
      when t.kind = 'function' and p_message ~ ('\m' || t.text || '\M') then 1
      when t.kind = 'text' and strpos(p_message, '"' || wedsql.unquote(t.text) || '"') > 0 then 1
      when t.kind = 'keyword' and strpos(p_message, case t.text when 'in' then ' = ' when 'between' then ' >= '
        when 'like' then '~~ ' when 'ilike' then '~~* ' when 'from' then ' = ' else '(none)' end) > 0 then 2
      when t.kind = 'text' and p_code like '22%' and p_code <> '22012' then 3
      when t.kind = 'type' and t.text = '::' and p_code in ('42846', '22P02', '22007', '22003', '22008') then 4 end as fit) as f
  where f.fit is not null
  order by f.fit, t.ord limit 1;
  if v_token.position is null then
    v_token := row(v_span.position, p_tokens[p_to].position + p_tokens[p_to].length - v_span.position, 'span',
                   v_span.text, v_span.depth)::wedsql.token;
  end if;
  return v_token;
end
$$;


ALTER FUNCTION wedsql.named_token(p_tokens wedsql.token[], p_from integer, p_to integer, p_code text, p_message text) OWNER TO wed_owner;

--
-- Name: names(jsonb); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql.names(p_attrs jsonb) RETURNS text
    LANGUAGE sql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select coalesce(string_agg(k, ', ' order by k), 'none') || case when max(total) > 20 then ', ...' else '' end
  from (select k, count(*) over () as total from jsonb_object_keys(p_attrs) as k order by k limit 20) as few
$$;


ALTER FUNCTION wedsql.names(p_attrs jsonb) OWNER TO wed_owner;

--
-- Name: next_due(); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql.next_due() RETURNS timestamp with time zone
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- Promise: when the earliest lease, timer or deferred job falls due; null when nothing waits for a time.
select least((select min(j.lease_until) from wedsql.job_pool j where j.state = 'L'), (select min(x.due_at) from wedsql.timer x))
$$;


ALTER FUNCTION wedsql.next_due() OWNER TO wed_owner;

--
-- Name: next_phase(text, text, text); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql.next_phase(p_kind text, p_phase text, p_word text) RETURNS text
    LANGUAGE sql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select case p_kind
    when 'case' then case
      when p_word = 'when' and p_phase in ('case', 'then') then 'when'
      when p_word = 'then' and p_phase = 'when' then 'then'
      when p_word = 'else' and p_phase = 'then' then 'else' end
    when 'call' then case p_phase || ' ' || p_word
      when 'trim from' then ''
      when 'position in' then 'position in'
      when 'overlay placing' then 'placing'
      when 'placing from' then 'placed'
      when 'placed for' then 'overlay for'
      when 'substring from' then 'substring from'
      when 'substring for' then 'substring for'
      when 'substring from for' then 'substring from for' end
  end
$$;


ALTER FUNCTION wedsql.next_phase(p_kind text, p_phase text, p_word text) OWNER TO wed_owner;

--
-- Name: now(); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql.now() RETURNS timestamp with time zone
    LANGUAGE sql PARALLEL SAFE
    AS $$
-- Promise: the only source of time for leases, timeouts and history.
select pg_catalog.clock_timestamp()
$$;


ALTER FUNCTION wedsql.now() OWNER TO wed_owner;

--
-- Name: offences(integer, integer); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql.offences(p_limit integer DEFAULT NULL::integer, p_examples integer DEFAULT 10) RETURNS TABLE(name text, found bigint, examples jsonb, sentence text)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
#variable_conflict use_column
-- Promise: the eight invariants, each with how many offences there are and the first p_examples, all as of one moment.
-- p_limit bounds the look to about twice as many instances (the newest and those that wait longest), null means all.
-- Locks: none.
declare
  v_wids integer[];
begin
  if p_limit is not null then
    v_wids := wedsql._invariant_sample(greatest(p_limit, 0));
  end if;
  return query
  with q as (
    select n.name, n.sentence, n.query from wedsql._invariant_queries() n
    union all
    select s.name, s.sentence, coalesce((select string_agg(wedsql._invariant_flow_query(s.name, f), ' union all ') from wedsql.flow f), 'select null::jsonb as found where false')
    from (values ('I2', 'Every condition that holds on a running instance has its job.'),
                 ('I3', 'The history has a row for each step, in order; folded it gives the present state.')) s (name, sentence))
  select q.name, r.found, r.examples, q.sentence from q cross join lateral wedsql._invariant(q.query, v_wids, p_examples) r order by q.name;
end $$;


ALTER FUNCTION wedsql.offences(p_limit integer, p_examples integer) OWNER TO wed_owner;

--
-- Name: offer(text, text[], integer, bigint[]); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql.offer(p_flow text, p_transitions text[], p_limit integer DEFAULT 100, p_exclude bigint[] DEFAULT '{}'::bigint[]) RETURNS TABLE(job_id bigint, wid integer, tgid integer, trname text)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    AS $$
-- Promise: a plain look at jobs that are ready, by priority and age; promises nothing about them being free.
select c.id, c.wid, c.tgid, c.trname
from unnest(p_transitions) n
cross join lateral (
  select j.id, j.wid, j.tgid, j.trname, j.priority from wedsql.job_pool j
  where j.flow_id = (select f.id from wedsql.flow f where f.name = p_flow) and j.trname = n and j.state = 'P'
    and (j.not_before is null or j.not_before <= wedsql.now()) and not j.id = any (p_exclude)
  order by j.priority desc, j.id limit p_limit) c
order by c.priority desc, c.id limit p_limit
$$;


ALTER FUNCTION wedsql.offer(p_flow text, p_transitions text[], p_limit integer, p_exclude bigint[]) OWNER TO wed_owner;

--
-- Name: open_flow_role(text); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql.open_flow_role(p_flow text) RETURNS text
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
-- Promise: a log-in role named like the flow, whose search_path leads into the flow's schema, may define this flow, start its
-- instances and work on them with the paper's protocol, and may do nothing else. Runs with the caller's rights.
-- Raises: WD001, WD004 when a role of that name has other powers.
declare
  v_name text := (wedsql._flow(p_flow)).name;
begin
  if exists (select 1 from pg_roles r where r.rolname = v_name and (r.rolsuper or r.rolcreaterole or r.rolcreatedb)) then
    perform wedsql._raise('WD004', format('The role %I exists and may do more than work on a flow.', v_name), 'Rename that role, or name the flow otherwise.');
  elsif not exists (select 1 from pg_roles r where r.rolname = v_name) then
    execute format('create role %I login', v_name);
  end if;
  execute format('alter role %1$I in database %2$I set search_path = %1$I', v_name, current_database());
  perform wedsql._grant_flow(v_name);
  perform wedsql._grant_functions(v_name);
  return v_name;
end $_$;


ALTER FUNCTION wedsql.open_flow_role(p_flow text) OWNER TO wed_owner;

--
-- Name: parse(text, jsonb, boolean); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql.parse(p_text text, p_attrs jsonb, p_set boolean DEFAULT false) RETURNS wedsql.token[]
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
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
  -- what is remembered over the whole text
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
      v_problem := case when w ~ 'like_regex' or v_paths and strpos(w, '\') > 0 then wedsql.path_problem(w) end;
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
        v_part := wedsql.type_phrase(v_low[i:i + 12], v.type);
        if v_part.take > 0 and v_part.problem is null and v_class[i + v_part.take] = 'text'
           and v_low[i + v_part.take - 1] <> ']' then
          v_take := v_part.take + 1; v_kind := 'type'; v_want := 'operator';
          v_temporal := v_temporal or v.temporal;
        elsif p_attrs ? w and coalesce(v.keyword, 'U') in ('U', 'C') and w <> 'between' then
          v_kind := 'attribute'; v_want := 'operator'; v_indexable := i;
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
$_$;


ALTER FUNCTION wedsql.parse(p_text text, p_attrs jsonb, p_set boolean) OWNER TO wed_owner;

--
-- Name: parse_tree(text); Type: FUNCTION; Schema: wedsql; Owner: wed_eval
--

CREATE FUNCTION wedsql.parse_tree(p_query text, OUT nodes text[], OUT functions oid[]) RETURNS record
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET "TimeZone" TO 'UTC'
    SET "DateStyle" TO 'ISO, YMD'
    SET "IntervalStyle" TO 'postgres'
    SET standard_conforming_strings TO 'on'
    AS $$
declare
  v_tree text;
begin
  if current_setting('transaction_read_only')::boolean then
    nodes := '{}'; functions := '{}';
    return;
  end if;
  begin
    execute format(e'create function pg_temp.wedsql_probe() returns setof record begin atomic %s\n; end', p_query);
    select prosqlbody::text into strict v_tree from pg_proc where proname = 'wedsql_probe' and pronamespace = pg_my_temp_schema();
    raise exception using errcode = 'WDROL';
  exception when sqlstate 'WDROL' then
    null;
  end;
  nodes := array(select m[1] from regexp_matches(v_tree, '\{([A-Z]+)', 'g') as m);
  functions := array(select distinct m[1]::oid from regexp_matches(v_tree, ':(?:funcid|opfuncid) ([0-9]+)', 'g') as m
                     where m[1] <> '0' order by 1);
end
$$;


ALTER FUNCTION wedsql.parse_tree(p_query text, OUT nodes text[], OUT functions oid[]) OWNER TO wed_eval;

--
-- Name: partner(text); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql.partner(p_kind text) RETURNS text
    LANGUAGE sql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select case when p_kind in ('array', 'subscript') then 'closing bracket' when p_kind = 'case' then 'END'
              when p_kind <> 'top' then 'closing parenthesis' end
$$;


ALTER FUNCTION wedsql.partner(p_kind text) OWNER TO wed_owner;

--
-- Name: path_problem(text); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql.path_problem(p_raw text) RETURNS text
    LANGUAGE sql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select case when strpos(replace(p_raw, '\\', ''), '\') > 0 then 'pattern_form'
              else wedsql.pattern_problem(replace(wedsql.unquote(p_raw), '\\', '\')) end
$$;


ALTER FUNCTION wedsql.path_problem(p_raw text) OWNER TO wed_owner;

--
-- Name: pattern_problem(text); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql.pattern_problem(p_pattern text) RETURNS text
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_piece text; v_cost numeric[] := array[0]; v_last numeric := 0; v_depth integer := 1; v_times numeric;
begin
  if length(p_pattern) > 200 then
    return 'pattern_too_long';
  elsif p_pattern ~ '^\*\*\*|\[[.=]|[\n\r]' then
    return 'pattern_form';
  end if;
  for v_piece in
    select m[1] from regexp_matches(p_pattern,
      '\\.|\[\^?\]?(?:\\.|\[:[a-z]+:\]|[^]\\])*\]|\{[0-9]+(?:,[0-9]*)?\}|\(\?[^:]|\(|.', 'g') as m
  loop
    if v_piece ~ '^\\[1-9]' or v_piece ~ '^\(\?' then
      return 'pattern_form';
    elsif v_piece = '(' then
      v_depth := v_depth + 1;
      v_cost[v_depth] := 0;
    elsif v_piece = ')' and v_depth > 1 then
      v_last := v_cost[v_depth];
      v_depth := v_depth - 1;
      v_cost[v_depth] := v_cost[v_depth] + v_last;
    elsif v_piece ~ '^\{[0-9]' then
      v_times := (select max(n[1]::numeric) from regexp_matches(v_piece, '[0-9]+', 'g') as n);
      if v_times > 255 then
        return 'pattern_bounds';
      end if;
      v_cost[v_depth] := v_cost[v_depth] + v_last * (greatest(v_times, 1) - 1);
      v_last := v_last * greatest(v_times, 1);
    elsif v_piece !~ '^[*+?]' then
      v_cost[v_depth] := v_cost[v_depth] + 1;
      v_last := 1;
    end if;
    if v_cost[v_depth] > 1000 then
      return 'pattern_nested';
    end if;
  end loop;
  return null;
end
$$;


ALTER FUNCTION wedsql.pattern_problem(p_pattern text) OWNER TO wed_owner;

--
-- Name: phrase(text); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql.phrase(p_ahead text, OUT take integer, OUT wants text) RETURNS record
    LANGUAGE sql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
  select case when p.wants is null then 0 else cardinality(string_to_array((m.part)[1], ' ')) end, p.wants
  from (values
    ('^(is(?: not)? (?:null|true|false|unknown)|isnull|notnull)(?: |$)', 'operator'),
    ('^(is(?: not)? distinct from)(?: |$)', 'operand'),
    ('^((?:not )?between(?: symmetric| asymmetric)?)(?: |$)', 'between'),
    ('^((?:not )?in \()', 'in'),
    ('^((?:not )?i?like (?:any|all|some) \()', 'list'),
    ('^((?:not )?i?like)(?: |$)', 'like'),
    ('^((?:not )?similar to)(?: |$)', 'similar'),
    ('^(escape)(?: |$)', 'escape'),
    ('^(at time zone)(?: |$)', 'zone'),
    ('^', null)) as p(pattern, wants),
    lateral (select regexp_match(p_ahead, p.pattern) as part) as m
  where m.part is not null
  limit 1
$_$;


ALTER FUNCTION wedsql.phrase(p_ahead text, OUT take integer, OUT wants text) OWNER TO wed_owner;

--
-- Name: plan_error(text); Type: FUNCTION; Schema: wedsql; Owner: wed_eval
--

CREATE FUNCTION wedsql.plan_error(p_query text, OUT code text, OUT message text) RETURNS record
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET "TimeZone" TO 'UTC'
    SET "DateStyle" TO 'ISO, YMD'
    SET "IntervalStyle" TO 'postgres'
    SET standard_conforming_strings TO 'on'
    AS $$
declare
  v_cursor refcursor;
begin
  -- A cursor refuses more than one statement.
  open v_cursor no scroll for execute p_query;
  close v_cursor;
exception when others then
  get stacked diagnostics code = returned_sqlstate, message = message_text;
end
$$;


ALTER FUNCTION wedsql.plan_error(p_query text, OUT code text, OUT message text) OWNER TO wed_eval;

--
-- Name: publish(text, jsonb, boolean, boolean, text, text); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql.publish(p_flow text, p_definition jsonb, p_dry_run boolean DEFAULT false, p_reopen_final boolean DEFAULT false, p_actor text DEFAULT NULL::text, p_reason text DEFAULT NULL::text) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- Promise: makes the flow what the definition says, in one piece, and tells what that did to living instances; with
-- p_dry_run the same report and nothing done. Attributes and triggers that the definition does not name go.
-- Locks: the flow's definition, wed_flow, instances in wid order, jobs, trace.
-- Raises: whatever an attribute or trigger can be refused for; WD009 for a malformed definition.
declare
  v_flow wedsql.flow := wedsql._flow(p_flow);
  v_report jsonb;
  v_dry text;
begin
  perform wedsql._check_definition(p_definition);
  perform set_config('wedsql.actor', wedsql._actor(p_actor), true);
  begin
    perform wedsql._lock_definition(v_flow.id, wedsql._attributes_differ(v_flow.id, p_definition -> 'attributes'));
    v_report := wedsql._apply_definition(v_flow.id, p_definition);
    update wedsql.flow f set reopen_final = p_reopen_final where f.id = v_flow.id;
    v_report := v_report || wedsql._publish(v_flow.id, wedsql._actor(p_actor), p_reason);
    if p_dry_run then
      raise exception using errcode = 'WD999', message = v_report::text;
    end if;
  exception
    when sqlstate 'WD999' then
      get stacked diagnostics v_dry = message_text;
      v_report := v_dry::jsonb;
    when data_exception or check_violation or not_null_violation then
      perform wedsql._raise('WD009', 'A value of the definition has the wrong form: ' || sqlerrm || '.', 'docs/defining-flows.md tells the form of each word.');
  end;
  return v_report || jsonb_build_object('dry_run', p_dry_run);
end $$;


ALTER FUNCTION wedsql.publish(p_flow text, p_definition jsonb, p_dry_run boolean, p_reopen_final boolean, p_actor text, p_reason text) OWNER TO wed_owner;

--
-- Name: qualify(wedsql.token[], integer, integer); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql.qualify(p_tokens wedsql.token[], p_from integer, p_to integer) RETURNS text
    LANGUAGE sql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select string_agg(
    case when ord = p_from or low1 in ('(', '[', '::') or t.text in (')', ']', ',', '::', '[') then ''
         when t.text = '(' and kind1 in ('function', 'type') then '' else ' ' end
    || case when t.kind = 'attribute' then 'r.' || quote_ident(t.text)
            when t.kind = 'text' and strpos(t.text, '\') > 0 then 'E' || replace(t.text, '\', '\\')
            else t.text end, '' order by ord)
  from (select u.*, lag(u.text) over (order by u.ord) as low1, lag(u.kind) over (order by u.ord) as kind1
        from unnest(p_tokens) with ordinality as u(position, length, kind, text, depth, ord)
        where u.ord between p_from and p_to) as t
$$;


ALTER FUNCTION wedsql.qualify(p_tokens wedsql.token[], p_from integer, p_to integer) OWNER TO wed_owner;

--
-- Name: reap(integer); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql.reap(p_max integer DEFAULT 200) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- Promise: one bounded round of everything that time does: overdue transactions are ended, expired leases given back,
-- due timers fired, jobs that nobody picks up made exceptions. Counts. Any number of reapers may run.
-- Locks: one instance at a time, skipping what is locked; then its jobs and trace.
declare
  v_now timestamptz := wedsql.now();
  v_clock jsonb := wedsql._reap_clock(v_now);
  v_report jsonb;
begin
  v_report := jsonb_build_object('ended', wedsql._reap_transactions(p_max, v_now), 'expired', wedsql._reap_leases(p_max, v_now),
    'timers', wedsql._reap_timers(p_max, v_now), 'late', wedsql._reap_pickups(p_max, v_now));
  delete from wedsql.worker w where w.seen_at < v_now - interval '1 hour';
  insert into wedsql.beat as b (name, seen_at, detail) values ('reaper', v_now, v_report || v_clock)
  on conflict (name) do update set seen_at = excluded.seen_at, detail = excluded.detail;
  return v_report;
end $$;


ALTER FUNCTION wedsql.reap(p_max integer) OWNER TO wed_owner;

--
-- Name: refuse(boolean, text, integer, text, text, text); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql.refuse(p_set boolean, p_reason text, p_position integer, p_token text, p_info text DEFAULT NULL::text, p_hint text DEFAULT NULL::text) RETURNS void
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_refusal wedsql.refusal;
  v_token text := case when length(p_token) > 60 then left(p_token, 57) || '...' else p_token end;
begin
  select * into strict v_refusal from wedsql.refusal where reason = p_reason;
  raise exception using
    errcode = case when p_set then 'WD211' else 'WD005' end,
    message = format(v_refusal.sentence, v_token, p_info),
    detail = jsonb_build_object('position', p_position, 'length', length(p_token),
                                'token', v_token, 'reason', p_reason)::text,
    hint = coalesce(p_hint, format(v_refusal.hint, v_token, p_info));
end
$$;


ALTER FUNCTION wedsql.refuse(p_set boolean, p_reason text, p_position integer, p_token text, p_info text, p_hint text) OWNER TO wed_owner;

--
-- Name: refuse_operator(boolean, wedsql.vocabulary, integer, text, text); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql.refuse_operator(p_set boolean, p_known wedsql.vocabulary, p_position integer, p_raw text, p_next text) RETURNS void
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  perform wedsql.refuse(p_set, case
    when p_raw = '[' then 'subscript'
    when p_known.refusal in ('collate', 'statement', 'subquery') then p_known.refusal
    when p_known.word = 'is' then 'is'
    when p_known.word in ('in', 'not') and (p_known.word = 'in' or p_next = 'in') then 'in_list'
    when p_known.word in ('any', 'some', 'all') then 'quantifier'
    when p_known.word in ('when', 'then', 'else') then 'case'
    when p_known.word in ('over', 'filter', 'within') then 'window'
    else 'expected_operator' end, p_position, p_raw);
end
$$;


ALTER FUNCTION wedsql.refuse_operator(p_set boolean, p_known wedsql.vocabulary, p_position integer, p_raw text, p_next text) OWNER TO wed_owner;

--
-- Name: refuse_sense(text, text, text, wedsql.token, boolean, text); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql.refuse_sense(p_message text, p_hint text, p_code text, p_token wedsql.token, p_set boolean DEFAULT false, p_reason text DEFAULT 'meaning'::text) RETURNS void
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
  raise exception using errcode = case when p_set then 'WD211' else 'WD006' end, message = p_message, hint = p_hint,
    detail = jsonb_build_object('position', p_token.position, 'length', p_token.length, 'token', left(p_token.text, 60),
                                'reason', p_reason, 'sqlstate', p_code)::text;
end
$$;


ALTER FUNCTION wedsql.refuse_sense(p_message text, p_hint text, p_code text, p_token wedsql.token, p_set boolean, p_reason text) OWNER TO wed_owner;

--
-- Name: refuse_word(boolean, wedsql.vocabulary, integer, text, text, jsonb); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql.refuse_word(p_set boolean, p_known wedsql.vocabulary, p_position integer, p_raw text, p_next text, p_attrs jsonb) RETURNS void
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_word text := lower(p_raw collate "C");
  v_near text;
  v_reason text := case
    when p_known.refusal is not null then p_known.refusal
    when p_next = '.' then 'qualified'
    when v_word in ('any', 'some', 'all') then 'quantifier'
    when p_known.keyword in ('R', 'T') or v_word = 'between' and p_attrs ? v_word then 'reserved'
    when p_next = '(' and p_known.func is not null then p_known.func
    when p_next = '(' then 'unknown_function'
    else 'unknown_name' end;
begin
  if v_reason = 'unknown_function' then
    v_near := wedsql.suggest(v_word, array(select word from wedsql.vocabulary
      where func = 'ok' and left(word, 1) = left(v_word, 1)));
  elsif v_reason = 'unknown_name' then
    v_near := wedsql.suggest(v_word, array(select jsonb_object_keys(p_attrs)));
  end if;
  perform wedsql.refuse(p_set, v_reason, p_position, p_raw, wedsql.names(p_attrs),
    coalesce('Did you mean ' || v_near || '?', p_known.hint));
end
$$;


ALTER FUNCTION wedsql.refuse_word(p_set boolean, p_known wedsql.vocabulary, p_position integer, p_raw text, p_next text, p_attrs jsonb) OWNER TO wed_owner;

--
-- Name: register_worker(text, text, text, integer, text[]); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql.register_worker(p_kind text, p_name text, p_host text, p_pid integer, p_serves text[]) RETURNS bigint
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- Promise: this session's process is known as serving these transitions ('flow:transition'); the number it is woken by.
insert into wedsql.worker (kind, name, host, pid, backend_pid, role, serves, started_at, seen_at)
values (p_kind, p_name, p_host, p_pid, pg_backend_pid(), session_user, p_serves, wedsql.now(), wedsql.now()) returning id
$$;


ALTER FUNCTION wedsql.register_worker(p_kind text, p_name text, p_host text, p_pid integer, p_serves text[]) OWNER TO wed_owner;

--
-- Name: release(integer, bigint, bigint, text); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql.release(p_wid integer, p_job_id bigint, p_claim bigint, p_actor text DEFAULT NULL::text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- Promise: the job is offered again to everybody; giving it back is no failed attempt (K-57).
-- Locks: the job.
-- Raises: WD203, WD204, WD205.
declare
  v_job wedsql.job_pool := wedsql._leased(p_wid, p_job_id, p_claim);
begin
  update wedsql.job_pool j set state = 'P', claim = null, lckid = null, lease_until = null where j.wid = p_wid and j.id = p_job_id;
  insert into wedsql.job_log (job_id, wid, tgid, flow_id, trname, at, outcome, actor, attempt)
  values (v_job.id, v_job.wid, v_job.tgid, v_job.flow_id, v_job.trname, wedsql.now(), 'released', wedsql._actor(p_actor), v_job.attempts);
  perform wedsql._wake(v_job.flow_id, array[v_job.trname]);
end $$;


ALTER FUNCTION wedsql.release(p_wid integer, p_job_id bigint, p_claim bigint, p_actor text) OWNER TO wed_owner;

--
-- Name: rematch(text, integer[], boolean, text, text); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql.rematch(p_flow text, p_wids integer[] DEFAULT NULL::integer[], p_reopen_final boolean DEFAULT false, p_actor text DEFAULT NULL::text, p_reason text DEFAULT NULL::text) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- Promise: re-runs the match on living instances (final ones too if asked); counts of what followed.
-- Locks: the flow's definition, instances in wid order, jobs, trace.
-- Raises: WD001, WD010.
declare
  v_flow wedsql.flow := wedsql._flow(p_flow);
begin
  perform wedsql._lock_definition(v_flow.id);
  return wedsql._rematch(v_flow.id, p_wids, false, p_reopen_final, wedsql._actor(p_actor), p_reason);
end $$;


ALTER FUNCTION wedsql.rematch(p_flow text, p_wids integer[], p_reopen_final boolean, p_actor text, p_reason text) OWNER TO wed_owner;

--
-- Name: rename_in_predicate(text, text, text, jsonb); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql.rename_in_predicate(p_text text, p_old text, p_new text, p_attrs jsonb) RETURNS text
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_before wedsql.token[] := wedsql.parse(p_text, p_attrs);
  v_after wedsql.token[];
  v_result text := '';
  v_at integer := 1;
  v_token wedsql.token;
begin
  foreach v_token in array v_before loop
    if v_token.kind = 'attribute' and v_token.text = p_old then
      v_result := v_result || substr(p_text, v_at, v_token.position - v_at) || p_new;
      v_at := v_token.position + v_token.length;
    end if;
  end loop;
  v_result := v_result || substr(p_text, v_at);
  begin
    v_after := wedsql.parse(v_result, (p_attrs - p_old) || jsonb_build_object(p_new, p_attrs -> p_old));
  exception when sqlstate 'WD005' then
    v_after := '{}';
  end;
  if array(select (t.kind, case when t.kind = 'attribute' and t.text = p_old then p_new else t.text end, t.depth) from unnest(v_before) as t)
     is distinct from array(select (t.kind, t.text, t.depth) from unnest(v_after) as t) then
    raise exception using errcode = 'WD004', message = format('The name "%s" would be read as something else in a condition.', p_new),
      hint = 'Choose a name that is no word of SQL.', detail = jsonb_build_object('token', p_new, 'reason', 'reserved')::text;
  end if;
  return v_result;
end
$$;


ALTER FUNCTION wedsql.rename_in_predicate(p_text text, p_old text, p_new text, p_attrs jsonb) OWNER TO wed_owner;

--
-- Name: render(wedsql.token[], integer, integer, integer); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql.render(p_tokens wedsql.token[], p_from integer, p_to integer, p_width integer) RETURNS wedsql.rendered
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
  v_result wedsql.rendered;
  v_first integer := p_from; v_last integer := p_to; v_depth integer := 0; v_or integer[];
begin
  v_result.aligned := wedsql.align(p_tokens, p_from, p_to, p_width);
  v_result.qualified := wedsql.qualify(p_tokens, p_from, p_to);
  v_result.reads := coalesce((select array_agg(distinct t.text order by t.text)
    from unnest(p_tokens[p_from:p_to]) as t where t.kind = 'attribute'), '{}');
  while p_tokens[v_first].text = '(' and p_tokens[v_last].text = ')' and v_first < v_last and not exists (
    select 1 from unnest(p_tokens[v_first + 1:v_last - 1]) as t where t.depth <= v_depth) loop
    v_first := v_first + 1; v_last := v_last - 1; v_depth := v_depth + 1;
  end loop;
  v_or := array(select v_first + ord::integer - 1
    from unnest(p_tokens[v_first:v_last]) with ordinality as t(position, length, kind, text, depth, ord)
    where t.kind = 'or' and t.depth = v_depth order by ord);
  if cardinality(v_or) = 0 then
    v_result.disjuncts := array[v_result.qualified];
  else
    v_result.disjuncts := array(
      select wedsql.qualify(p_tokens, a, b)
      from unnest(array[v_first] || (select array_agg(o + 1) from unnest(v_or) as o),
                  (select array_agg(o - 1) from unnest(v_or) as o) || array[v_last]) as part(a, b));
  end if;
  return v_result;
end
$$;


ALTER FUNCTION wedsql.render(p_tokens wedsql.token[], p_from integer, p_to integer, p_width integer) OWNER TO wed_owner;

--
-- Name: report_disk(bigint, bigint); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql.report_disk(p_free bigint, p_total bigint) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- Promise: so many bytes of the database's disk are free as of now; believed for five minutes.
insert into wedsql.disk as d (free, total, reported_at) values (p_free, p_total, wedsql.now())
on conflict (only_row) do update set free = excluded.free, total = excluded.total, reported_at = excluded.reported_at
$$;


ALTER FUNCTION wedsql.report_disk(p_free bigint, p_total bigint) OWNER TO wed_owner;

--
-- Name: retirable(text, integer); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql.retirable(p_flow text, p_max integer DEFAULT 500) RETURNS TABLE(wid integer, document jsonb)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- Promise: up to p_max instances that the flow's retention lets go, each with its whole history as one document.
-- Raises: WD001.
declare
  v_flow wedsql.flow := wedsql._flow(p_flow);
begin
  return query
    select i.wid, jsonb_build_object('flow', v_flow.name, 'instance', to_jsonb(i),
      'trace', (select jsonb_agg(to_jsonb(t) order by t.seq) from wedsql.wed_trace t where t.wid = i.wid),
      'job_log', coalesce((select jsonb_agg(to_jsonb(l) order by l.id) from wedsql.job_log l where l.wid = i.wid), '[]'))
    from unnest(wedsql._retirable(v_flow, wedsql.now(), p_max)) u (w) join wedsql.instance i on i.wid = u.w order by i.finished_at;
end $$;


ALTER FUNCTION wedsql.retirable(p_flow text, p_max integer) OWNER TO wed_owner;

--
-- Name: retire(text, integer[]); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql.retire(p_flow text, p_wids integer[]) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
-- Promise: these instances and their history leave the database, if the flow's retention lets them go; how many left.
-- Numbers are never given again.
-- Locks: the instances.
-- Raises: WD001.
declare
  v_flow wedsql.flow := wedsql._flow(p_flow);
  v_wids integer[];
begin
  execute format('select 1 from %I.wed_flow w where w.wid = any ($1) order by w.wid for update', v_flow.name) using p_wids;
  v_wids := wedsql._retirable(v_flow, wedsql.now(), cardinality(p_wids), p_wids);
  delete from wedsql.wed_trace t where t.wid = any (v_wids);
  delete from wedsql.job_log l where l.wid = any (v_wids);
  delete from wedsql.instance i where i.wid = any (v_wids);
  execute format('delete from %I.wed_flow w where w.wid = any ($1)', v_flow.name) using v_wids;
  return coalesce(cardinality(v_wids), 0);
end $_$;


ALTER FUNCTION wedsql.retire(p_flow text, p_wids integer[]) OWNER TO wed_owner;

--
-- Name: row_source(jsonb); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql.row_source(p_attrs jsonb) RETURNS text
    LANGUAGE sql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select format('(select %s offset 0) as r', coalesce(string_agg(format('null::%s as %I', wedsql.sql_type(a.value), a.key), ', '
                                                        order by a.key), 'null::text as wed_none'))
  from jsonb_each_text(p_attrs) as a
$$;


ALTER FUNCTION wedsql.row_source(p_attrs jsonb) OWNER TO wed_owner;

--
-- Name: scan(text); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql.scan(p_text text) RETURNS TABLE(raw text, low text, class text, pos integer, problem text)
    LANGUAGE sql IMMUTABLE ROWS 50
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
  with piece as (
    select m.ord, m.part[1] as raw, left(m.part[1], 1) as head,
           (1 + sum(length(m.part[1])) over (order by m.ord) - length(m.part[1]))::integer as pos
    from regexp_matches(p_text,
      '[ \t\n\r]+'
      '|[A-Za-z_][A-Za-z0-9_]*'
      '|(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?'
      '|''(?:[^'']|'''')*'''
      '|[~!@#^&|`?+*/%<>=-]*[~!@#^&|`?%][~!@#^&|`?+*/%<>=-]*'
      '|[+*/<>=-]*[*/<>=]|[+-]'
      '|::|.', 'g') with ordinality as m(part, ord)),
  classed as (
    select ord, raw, pos,
           case when head = '''' then raw else lower(raw collate "C") end as low,
           case when head in (' ', e'\t', e'\n', e'\r') then 'space'
                when head ~ '[A-Za-z_]' then 'word'
                when head = '''' and length(raw) > 1 then 'text'
                when raw ~ '^[0-9.]*[0-9]' then 'number'
                when head ~ '[~!@#^&|`?+*/%<>=-]' then 'operator'
                when raw in ('(', ')', '[', ']', ',', '::') then 'sign'
                else 'stray' end as class
    from piece),
  beside as (
    select *, lag(class, 1, 'space') over w as class1, lag(low) over w as low1, lag(low, 2) over w as low2, lead(low) over w as after
    from classed window w as (order by ord))
  select raw, low, class, pos,
    case class
      when 'stray' then case raw
        when '''' then 'unclosed_text' when '"' then 'quoted_name' when ';' then 'statement' when '.' then 'dot'
        when ':' then 'named_argument' when '$' then 'dollar' when '\' then 'backslash'
        when '{' then 'brace' when '}' then 'brace'
        else case when ascii(raw) > 127 then 'non_ascii' else 'control_character' end end
      when 'text' then case
        when class1 in ('word', 'number') or low1 = '&' and low2 = 'u' then 'touches_quote'
        when raw ~ '[\u202A-\u202E\u2066-\u2069\u200B-\u200F\uFEFF]' then 'control_character'
        -- Paths of jsonb: two ** cost the square of the document.
        when raw ~ '\$.*\*\*.*\*\*' then 'pattern_nested' end
      when 'word' then case class1 when 'text' then 'touches_quote' when 'number' then 'touches_number' end
      when 'number' then case
        when class1 = 'text' then 'touches_quote'
        when class1 in ('word', 'number') then 'dot'
        when length(raw) > 100 or abs(coalesce(substring(low from 'e(.*)'), '0')::numeric) > 308 then 'number_too_large' end
      when 'operator' then case
        when low ~ '--|/\*' or right(low, 1) = '-' and after like '-%' then 'comment'
        when low = '=>' then 'named_argument' end
    end
  from beside
  where class <> 'space'
  order by ord
$_$;


ALTER FUNCTION wedsql.scan(p_text text) OWNER TO wed_owner;

--
-- Name: special_head(text); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql.special_head(p_ahead text) RETURNS integer
    LANGUAGE sql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
  select coalesce(cardinality(string_to_array(substring(p_ahead from
    '^(extract \( (?:''[A-Za-z]+''|[a-z]+) from|trim \( (?:both|leading|trailing) from|trim \( (?:both|leading|trailing)'
    '|trim \( from|(?:trim|position|overlay|substring) \()(?: |$)'), ' ')), 0)
$_$;


ALTER FUNCTION wedsql.special_head(p_ahead text) OWNER TO wed_owner;

--
-- Name: special_hint(text); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql.special_hint(p_function text) RETURNS text
    LANGUAGE sql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select case p_function
    when 'extract' then 'Write extract(year from attribute), or date_part(''year'', attribute).'
    when 'position' then 'Write position(''x'' in attribute), or strpos(attribute, ''x'').'
    when 'trim' then 'Write trim(both '' '' from attribute), or btrim(attribute, '' '').'
    when 'overlay' then 'Write overlay(attribute placing ''x'' from 1 for 2), or overlay(attribute, ''x'', 1, 2).'
    else 'Write substring(attribute from 1 for 2), or substr(attribute, 1, 2) with computed numbers.' end
$$;


ALTER FUNCTION wedsql.special_hint(p_function text) OWNER TO wed_owner;

--
-- Name: sql_type(text); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql.sql_type(p_type text) RETURNS text
    LANGUAGE sql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select case when p_type in ('integer', 'numeric', 'boolean', 'date', 'timestamptz', 'interval', 'jsonb', 'bigint')
              then p_type else 'text' end
$$;


ALTER FUNCTION wedsql.sql_type(p_type text) OWNER TO wed_owner;

--
-- Name: start(text, jsonb, text, text); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql.start(p_flow text, p_state jsonb DEFAULT '{}'::jsonb, p_actor text DEFAULT NULL::text, p_key text DEFAULT NULL::text) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- Promise: starts one instance and gives its number.
-- Raises: WD001, WD002, WD003, WD101, WD106, WD905.
declare
  v_answer record;
begin
  select * into v_answer from wedsql.start_many(p_flow, array[p_state], p_actor, array[p_key]) s;
  if v_answer.sqlstate is not null then
    perform wedsql._raise(v_answer.sqlstate, v_answer.message, nullif(v_answer.hint, ''), nullif(v_answer.detail, ''));
  end if;
  return v_answer.wid;
end $$;


ALTER FUNCTION wedsql.start(p_flow text, p_state jsonb, p_actor text, p_key text) OWNER TO wed_owner;

--
-- Name: start_many(text, jsonb[], text, text[]); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql.start_many(p_flow text, p_states jsonb[], p_actor text DEFAULT NULL::text, p_keys text[] DEFAULT NULL::text[]) RETURNS TABLE(ord integer, wid integer, status text, sqlstate text, message text, hint text, detail text)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
-- Promise: <flow>.start_many for whoever has the flow's name in a variable.
-- Raises: WD001, and as <flow>.start_many.
begin
  return query execute format('select * from %I.start_many($1, $2, $3)', (wedsql._flow(p_flow)).name) using p_states, p_actor, p_keys;
end $_$;


ALTER FUNCTION wedsql.start_many(p_flow text, p_states jsonb[], p_actor text, p_keys text[]) OWNER TO wed_owner;

--
-- Name: suggest(text, text[]); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql.suggest(p_word text, p_candidates text[]) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select c
  from (select distinct c, wedsql.distance(lower(left(p_word, 63)), lower(c), 1 + least(length(p_word) / 4, 2)) as d
        from unnest(p_candidates) as c
        where abs(length(c) - length(p_word)) <= 1 + least(length(p_word) / 4, 2)) as near
  where d <= 1 + least(length(p_word) / 4, 2)
  order by d, c
  limit 1
$$;


ALTER FUNCTION wedsql.suggest(p_word text, p_candidates text[]) OWNER TO wed_owner;

--
-- Name: take(text, text[], integer, text, bigint[]); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql.take(p_flow text, p_transitions text[], p_limit integer DEFAULT 1, p_actor text DEFAULT NULL::text, p_job_ids bigint[] DEFAULT NULL::bigint[]) RETURNS SETOF wedsql.taken
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
-- Promise: <flow>.take for whoever has the flow's name in a variable.
-- Raises: WD001.
begin
  return query execute format('select * from %I.take($1, $2, $3, $4)', (wedsql._flow(p_flow)).name) using p_transitions, p_limit, p_actor, p_job_ids;
end $_$;


ALTER FUNCTION wedsql.take(p_flow text, p_transitions text[], p_limit integer, p_actor text, p_job_ids bigint[]) OWNER TO wed_owner;

--
-- Name: type_of(text, text); Type: FUNCTION; Schema: wedsql; Owner: wed_eval
--

CREATE FUNCTION wedsql.type_of(p_expression text, p_source text) RETURNS text
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET "TimeZone" TO 'UTC'
    SET "DateStyle" TO 'ISO, YMD'
    SET "IntervalStyle" TO 'postgres'
    SET standard_conforming_strings TO 'on'
    AS $$
declare
  v_cursor refcursor;
  v_type text;
begin
  open v_cursor no scroll for execute
    format(e'select pg_typeof((select x from (select (%s) as x from %s) as q limit 0))::text', p_expression, p_source);
  fetch v_cursor into v_type;
  close v_cursor;
  return v_type;
end
$$;


ALTER FUNCTION wedsql.type_of(p_expression text, p_source text) OWNER TO wed_eval;

--
-- Name: type_phrase(text[], text); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql.type_phrase(p_words text[], p_modifier text, OUT take integer, OUT problem text) RETURNS record
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
declare
  v_part text[];
  v_size integer[];
begin
  take := 0;
  v_part := regexp_match(array_to_string(p_words[1:14], ' '),
    '^(double precision|character varying|[a-z0-9_]+)( \( [0-9]{1,8}(?: , [0-9]{1,8})? \))?( (?:with|without) time zone)?'
    '((?: \[ \])*)(?: |$)');
  if p_modifier is null or v_part is null or (p_modifier = 'double') <> (v_part[1] = 'double precision') then
    problem := 'unknown_type';
    return;
  end if;
  v_size := array(select s[1]::integer from regexp_matches(v_part[2], '[0-9]+', 'g') as s);
  take := cardinality(string_to_array(rtrim(concat(v_part[1], v_part[2], v_part[3], v_part[4])), ' '));
  if cardinality(v_size) > 0 and not (case
      when p_modifier in ('length', 'character') then cardinality(v_size) = 1 and v_size[1] between 1 and 10000
      when p_modifier = 'digits' then v_size[1] between 1 and 1000 and coalesce(v_size[2], 0) <= v_size[1]
      when p_modifier = 'seconds' then cardinality(v_size) = 1 and v_size[1] <= 6
      else false end)
    or v_part[3] is not null and v_part[1] not in ('time', 'timestamp')
    or length(v_part[4]) > 18 then
    problem := 'type_modifier';
  end if;
end
$_$;


ALTER FUNCTION wedsql.type_phrase(p_words text[], p_modifier text, OUT take integer, OUT problem text) OWNER TO wed_owner;

--
-- Name: unquote(text); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql.unquote(p_raw text) RETURNS text
    LANGUAGE sql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  select replace(substr(p_raw, 2, length(p_raw) - 2), '''''', '''')
$$;


ALTER FUNCTION wedsql.unquote(p_raw text) OWNER TO wed_owner;

--
-- Name: unregister_worker(bigint); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql.unregister_worker(p_worker bigint) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- Promise: the worker is known no longer.
delete from wedsql.worker w where w.id = p_worker
$$;


ALTER FUNCTION wedsql.unregister_worker(p_worker bigint) OWNER TO wed_owner;

--
-- Name: unwatch(bigint); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql.unwatch(p_watch bigint) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- Promise: the watcher is known no longer.
delete from wedsql.watch w where w.id = p_watch
$$;


ALTER FUNCTION wedsql.unwatch(p_watch bigint) OWNER TO wed_owner;

--
-- Name: watch(bigint, text); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql.watch(p_watch bigint, p_name text) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- Promise: somebody watches the history, so that commits tell wedsql_trace; repeat within a minute. The watcher's number.
declare
  v_id bigint;
begin
  update wedsql.watch w set seen_at = wedsql.now() where w.id = p_watch returning w.id into v_id;
  if v_id is null then
    delete from wedsql.watch w where w.seen_at < wedsql.now() - interval '10 minutes';
    insert into wedsql.watch (name, seen_at) values (p_name, wedsql.now()) returning id into v_id;
  end if;
  return v_id;
end $$;


ALTER FUNCTION wedsql.watch(p_watch bigint, p_name text) OWNER TO wed_owner;

--
-- Name: withdraw(text, integer, text); Type: FUNCTION; Schema: wedsql; Owner: wed_owner
--

CREATE FUNCTION wedsql.withdraw(p_flow text, p_tgid integer, p_actor text DEFAULT NULL::text) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
-- Promise: removes every pending job of one trigger and re-matches the instances concerned; how many jobs went.
-- A trigger that is still enabled fires again where its condition holds.
-- Locks: instances, then jobs.
declare
  v_flow wedsql.flow := wedsql._flow(p_flow);
  v_wids integer[];
begin
  perform wedsql._lock_definition(v_flow.id);
  with gone as (delete from wedsql.job_pool j where j.flow_id = v_flow.id and j.tgid = p_tgid returning j.*),
       logged as (insert into wedsql.job_log (job_id, wid, tgid, flow_id, trname, at, outcome, actor)
                  select g.id, g.wid, g.tgid, g.flow_id, g.trname, wedsql.now(), 'released', wedsql._actor(p_actor) from gone g)
  select array_agg(g.wid) into v_wids from gone g;
  perform wedsql._rematch(v_flow.id, v_wids, false, false, wedsql._actor(p_actor), 'jobs withdrawn');
  return coalesce(cardinality(v_wids), 0);
end $$;


ALTER FUNCTION wedsql.withdraw(p_flow text, p_tgid integer, p_actor text) OWNER TO wed_owner;

--
-- Name: job_pool; Type: VIEW; Schema: cancelling; Owner: wed_owner
--

CREATE VIEW cancelling.job_pool AS
 SELECT job_pool.wid,
    job_pool.tgid,
    job_pool.trname,
    job_pool.lckid,
    job_pool.timeout,
    job_pool.payload,
    job_pool.id,
    job_pool.state,
    job_pool.attempts,
    job_pool.not_before,
    job_pool.priority,
    job_pool.fired_at
   FROM wedsql.job_pool
  WHERE (job_pool.flow_id = 3);


ALTER TABLE cancelling.job_pool OWNER TO wed_owner;

--
-- Name: instance; Type: TABLE; Schema: wedsql; Owner: wed_owner
--

CREATE TABLE wedsql.instance (
    wid integer NOT NULL,
    flow_id integer NOT NULL,
    status "char" DEFAULT 'R'::"char" NOT NULL,
    seq integer DEFAULT 0 NOT NULL,
    version integer DEFAULT 0 NOT NULL,
    reason text,
    started_at timestamp with time zone NOT NULL,
    changed_at timestamp with time zone NOT NULL,
    finished_at timestamp with time zone,
    actor text DEFAULT ''::text NOT NULL,
    key text,
    parent_wid integer,
    derived_from integer
)
WITH (fillfactor='80', autovacuum_vacuum_scale_factor='0.02', autovacuum_vacuum_threshold='2000', autovacuum_analyze_scale_factor='0.05');


ALTER TABLE wedsql.instance OWNER TO wed_owner;

--
-- Name: st_status; Type: VIEW; Schema: cancelling; Owner: wed_owner
--

CREATE VIEW cancelling.st_status AS
 SELECT instance.wid,
    instance.status
   FROM wedsql.instance
  WHERE (instance.flow_id = 3);


ALTER TABLE cancelling.st_status OWNER TO wed_owner;

--
-- Name: wed_attr; Type: VIEW; Schema: cancelling; Owner: wed_owner
--

CREATE VIEW cancelling.wed_attr AS
 SELECT attr.aname,
    attr.adv,
    attr.type,
    attr.options,
    attr.label,
    attr.description,
    attr."position",
    attr.aid,
    attr.flow_id
   FROM wedsql.attr
  WHERE (attr.flow_id = 3)
  WITH CASCADED CHECK OPTION;


ALTER TABLE cancelling.wed_attr OWNER TO wed_owner;

--
-- Name: wed_trace; Type: TABLE; Schema: wedsql; Owner: wed_owner
--

CREATE TABLE wedsql.wed_trace (
    flow_id integer NOT NULL,
    wid integer NOT NULL,
    seq integer NOT NULL,
    tstmp timestamp with time zone NOT NULL,
    trw text NOT NULL,
    trf text[] DEFAULT '{}'::text[] NOT NULL,
    state jsonb NOT NULL,
    status "char" NOT NULL,
    job_id bigint,
    claim bigint,
    tgid integer,
    fired integer[] DEFAULT '{}'::integer[] NOT NULL,
    before jsonb,
    cause_seq integer,
    actor text DEFAULT ''::text NOT NULL,
    reason text,
    version integer NOT NULL,
    compensates_seq integer,
    case_id bigint,
    tx_at timestamp with time zone NOT NULL,
    errors jsonb,
    suppressed integer[]
)
PARTITION BY RANGE (tstmp);


ALTER TABLE wedsql.wed_trace OWNER TO wed_owner;

--
-- Name: wed_trace; Type: VIEW; Schema: cancelling; Owner: wed_owner
--

CREATE VIEW cancelling.wed_trace AS
 SELECT wed_trace.wid,
    wed_trace.state,
    wed_trace.trf,
    wed_trace.trw,
    wed_trace.status,
    wed_trace.tstmp,
    wed_trace.seq,
    wed_trace.actor,
    wed_trace.reason,
    wed_trace.before,
    wed_trace.cause_seq
   FROM wedsql.wed_trace
  WHERE (wed_trace.flow_id = 3);


ALTER TABLE cancelling.wed_trace OWNER TO wed_owner;

--
-- Name: wed_trig; Type: VIEW; Schema: cancelling; Owner: wed_owner
--

CREATE VIEW cancelling.wed_trig AS
 SELECT trig.tgid,
    trig.tgname,
    trig.enabled,
    trig.trname,
    trig.cname,
    trig.cpred,
    trig.cfinal,
    trig.timeout,
    trig.on_error,
    trig.revalidate,
    trig.mode,
    trig.max_attempts,
    trig.backoff,
    trig.max_firings,
    trig.pickup_deadline,
    trig.priority,
    trig.writes,
    trig.due_attr,
    trig.due_after,
    trig.concurrent,
    trig.fire_once,
    trig.refresh_payload,
    trig.compensation,
    trig.compensated_by,
    trig.class,
    trig.label,
    trig.description,
    trig.flow_id
   FROM wedsql.trig
  WHERE (trig.flow_id = 3)
  WITH CASCADED CHECK OPTION;


ALTER TABLE cancelling.wed_trig OWNER TO wed_owner;

--
-- Name: job_pool; Type: VIEW; Schema: deferring; Owner: wed_owner
--

CREATE VIEW deferring.job_pool AS
 SELECT job_pool.wid,
    job_pool.tgid,
    job_pool.trname,
    job_pool.lckid,
    job_pool.timeout,
    job_pool.payload,
    job_pool.id,
    job_pool.state,
    job_pool.attempts,
    job_pool.not_before,
    job_pool.priority,
    job_pool.fired_at
   FROM wedsql.job_pool
  WHERE (job_pool.flow_id = 2);


ALTER TABLE deferring.job_pool OWNER TO wed_owner;

--
-- Name: st_status; Type: VIEW; Schema: deferring; Owner: wed_owner
--

CREATE VIEW deferring.st_status AS
 SELECT instance.wid,
    instance.status
   FROM wedsql.instance
  WHERE (instance.flow_id = 2);


ALTER TABLE deferring.st_status OWNER TO wed_owner;

--
-- Name: wed_attr; Type: VIEW; Schema: deferring; Owner: wed_owner
--

CREATE VIEW deferring.wed_attr AS
 SELECT attr.aname,
    attr.adv,
    attr.type,
    attr.options,
    attr.label,
    attr.description,
    attr."position",
    attr.aid,
    attr.flow_id
   FROM wedsql.attr
  WHERE (attr.flow_id = 2)
  WITH CASCADED CHECK OPTION;


ALTER TABLE deferring.wed_attr OWNER TO wed_owner;

--
-- Name: wed_trace; Type: VIEW; Schema: deferring; Owner: wed_owner
--

CREATE VIEW deferring.wed_trace AS
 SELECT wed_trace.wid,
    wed_trace.state,
    wed_trace.trf,
    wed_trace.trw,
    wed_trace.status,
    wed_trace.tstmp,
    wed_trace.seq,
    wed_trace.actor,
    wed_trace.reason,
    wed_trace.before,
    wed_trace.cause_seq
   FROM wedsql.wed_trace
  WHERE (wed_trace.flow_id = 2);


ALTER TABLE deferring.wed_trace OWNER TO wed_owner;

--
-- Name: wed_trig; Type: VIEW; Schema: deferring; Owner: wed_owner
--

CREATE VIEW deferring.wed_trig AS
 SELECT trig.tgid,
    trig.tgname,
    trig.enabled,
    trig.trname,
    trig.cname,
    trig.cpred,
    trig.cfinal,
    trig.timeout,
    trig.on_error,
    trig.revalidate,
    trig.mode,
    trig.max_attempts,
    trig.backoff,
    trig.max_firings,
    trig.pickup_deadline,
    trig.priority,
    trig.writes,
    trig.due_attr,
    trig.due_after,
    trig.concurrent,
    trig.fire_once,
    trig.refresh_payload,
    trig.compensation,
    trig.compensated_by,
    trig.class,
    trig.label,
    trig.description,
    trig.flow_id
   FROM wedsql.trig
  WHERE (trig.flow_id = 2)
  WITH CASCADED CHECK OPTION;


ALTER TABLE deferring.wed_trig OWNER TO wed_owner;

--
-- Name: job_pool; Type: VIEW; Schema: every; Owner: wed_owner
--

CREATE VIEW every.job_pool AS
 SELECT job_pool.wid,
    job_pool.tgid,
    job_pool.trname,
    job_pool.lckid,
    job_pool.timeout,
    job_pool.payload,
    job_pool.id,
    job_pool.state,
    job_pool.attempts,
    job_pool.not_before,
    job_pool.priority,
    job_pool.fired_at
   FROM wedsql.job_pool
  WHERE (job_pool.flow_id = 1);


ALTER TABLE every.job_pool OWNER TO wed_owner;

--
-- Name: st_status; Type: VIEW; Schema: every; Owner: wed_owner
--

CREATE VIEW every.st_status AS
 SELECT instance.wid,
    instance.status
   FROM wedsql.instance
  WHERE (instance.flow_id = 1);


ALTER TABLE every.st_status OWNER TO wed_owner;

--
-- Name: wed_attr; Type: VIEW; Schema: every; Owner: wed_owner
--

CREATE VIEW every.wed_attr AS
 SELECT attr.aname,
    attr.adv,
    attr.type,
    attr.options,
    attr.label,
    attr.description,
    attr."position",
    attr.aid,
    attr.flow_id
   FROM wedsql.attr
  WHERE (attr.flow_id = 1)
  WITH CASCADED CHECK OPTION;


ALTER TABLE every.wed_attr OWNER TO wed_owner;

--
-- Name: wed_trace; Type: VIEW; Schema: every; Owner: wed_owner
--

CREATE VIEW every.wed_trace AS
 SELECT wed_trace.wid,
    wed_trace.state,
    wed_trace.trf,
    wed_trace.trw,
    wed_trace.status,
    wed_trace.tstmp,
    wed_trace.seq,
    wed_trace.actor,
    wed_trace.reason,
    wed_trace.before,
    wed_trace.cause_seq
   FROM wedsql.wed_trace
  WHERE (wed_trace.flow_id = 1);


ALTER TABLE every.wed_trace OWNER TO wed_owner;

--
-- Name: wed_trig; Type: VIEW; Schema: every; Owner: wed_owner
--

CREATE VIEW every.wed_trig AS
 SELECT trig.tgid,
    trig.tgname,
    trig.enabled,
    trig.trname,
    trig.cname,
    trig.cpred,
    trig.cfinal,
    trig.timeout,
    trig.on_error,
    trig.revalidate,
    trig.mode,
    trig.max_attempts,
    trig.backoff,
    trig.max_firings,
    trig.pickup_deadline,
    trig.priority,
    trig.writes,
    trig.due_attr,
    trig.due_after,
    trig.concurrent,
    trig.fire_once,
    trig.refresh_payload,
    trig.compensation,
    trig.compensated_by,
    trig.class,
    trig.label,
    trig.description,
    trig.flow_id
   FROM wedsql.trig
  WHERE (trig.flow_id = 1)
  WITH CASCADED CHECK OPTION;


ALTER TABLE every.wed_trig OWNER TO wed_owner;

--
-- Name: attr_aid_seq; Type: SEQUENCE; Schema: wedsql; Owner: wed_owner
--

ALTER TABLE wedsql.attr ALTER COLUMN aid ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME wedsql.attr_aid_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: auth_group; Type: TABLE; Schema: wedsql; Owner: wed
--

CREATE TABLE wedsql.auth_group (
    id integer NOT NULL,
    name character varying(150) NOT NULL
);


ALTER TABLE wedsql.auth_group OWNER TO wed;

--
-- Name: auth_group_id_seq; Type: SEQUENCE; Schema: wedsql; Owner: wed
--

ALTER TABLE wedsql.auth_group ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME wedsql.auth_group_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: auth_group_permissions; Type: TABLE; Schema: wedsql; Owner: wed
--

CREATE TABLE wedsql.auth_group_permissions (
    id bigint NOT NULL,
    group_id integer NOT NULL,
    permission_id integer NOT NULL
);


ALTER TABLE wedsql.auth_group_permissions OWNER TO wed;

--
-- Name: auth_group_permissions_id_seq; Type: SEQUENCE; Schema: wedsql; Owner: wed
--

ALTER TABLE wedsql.auth_group_permissions ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME wedsql.auth_group_permissions_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: auth_permission; Type: TABLE; Schema: wedsql; Owner: wed
--

CREATE TABLE wedsql.auth_permission (
    id integer NOT NULL,
    name character varying(255) NOT NULL,
    content_type_id integer NOT NULL,
    codename character varying(100) NOT NULL
);


ALTER TABLE wedsql.auth_permission OWNER TO wed;

--
-- Name: auth_permission_id_seq; Type: SEQUENCE; Schema: wedsql; Owner: wed
--

ALTER TABLE wedsql.auth_permission ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME wedsql.auth_permission_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: auth_user; Type: TABLE; Schema: wedsql; Owner: wed
--

CREATE TABLE wedsql.auth_user (
    id integer NOT NULL,
    password character varying(128) NOT NULL,
    last_login timestamp with time zone,
    is_superuser boolean NOT NULL,
    username character varying(150) NOT NULL,
    first_name character varying(150) NOT NULL,
    last_name character varying(150) NOT NULL,
    email character varying(254) NOT NULL,
    is_staff boolean NOT NULL,
    is_active boolean NOT NULL,
    date_joined timestamp with time zone NOT NULL
);


ALTER TABLE wedsql.auth_user OWNER TO wed;

--
-- Name: auth_user_groups; Type: TABLE; Schema: wedsql; Owner: wed
--

CREATE TABLE wedsql.auth_user_groups (
    id bigint NOT NULL,
    user_id integer NOT NULL,
    group_id integer NOT NULL
);


ALTER TABLE wedsql.auth_user_groups OWNER TO wed;

--
-- Name: auth_user_groups_id_seq; Type: SEQUENCE; Schema: wedsql; Owner: wed
--

ALTER TABLE wedsql.auth_user_groups ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME wedsql.auth_user_groups_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: auth_user_id_seq; Type: SEQUENCE; Schema: wedsql; Owner: wed
--

ALTER TABLE wedsql.auth_user ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME wedsql.auth_user_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: auth_user_user_permissions; Type: TABLE; Schema: wedsql; Owner: wed
--

CREATE TABLE wedsql.auth_user_user_permissions (
    id bigint NOT NULL,
    user_id integer NOT NULL,
    permission_id integer NOT NULL
);


ALTER TABLE wedsql.auth_user_user_permissions OWNER TO wed;

--
-- Name: auth_user_user_permissions_id_seq; Type: SEQUENCE; Schema: wedsql; Owner: wed
--

ALTER TABLE wedsql.auth_user_user_permissions ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME wedsql.auth_user_user_permissions_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: beat; Type: TABLE; Schema: wedsql; Owner: wed_owner
--

CREATE TABLE wedsql.beat (
    name text NOT NULL,
    seen_at timestamp with time zone NOT NULL,
    detail jsonb DEFAULT '{}'::jsonb NOT NULL
)
WITH (fillfactor='50');


ALTER TABLE wedsql.beat OWNER TO wed_owner;

--
-- Name: claim_seq; Type: SEQUENCE; Schema: wedsql; Owner: wed_owner
--

CREATE SEQUENCE wedsql.claim_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


ALTER TABLE wedsql.claim_seq OWNER TO wed_owner;

--
-- Name: condition_error; Type: TABLE; Schema: wedsql; Owner: wed_owner
--

CREATE TABLE wedsql.condition_error (
    tgid integer NOT NULL,
    flow_id integer NOT NULL,
    n bigint DEFAULT 1 NOT NULL,
    last_at timestamp with time zone NOT NULL,
    sqlstate text NOT NULL,
    message text NOT NULL,
    wid integer NOT NULL
);


ALTER TABLE wedsql.condition_error OWNER TO wed_owner;

--
-- Name: disk; Type: TABLE; Schema: wedsql; Owner: wed_owner
--

CREATE TABLE wedsql.disk (
    only_row boolean DEFAULT true NOT NULL,
    free bigint NOT NULL,
    total bigint NOT NULL,
    reported_at timestamp with time zone NOT NULL,
    CONSTRAINT disk_check CHECK (((free >= 0) AND (free <= total))),
    CONSTRAINT disk_only_row_check CHECK (only_row)
)
WITH (fillfactor='50');


ALTER TABLE wedsql.disk OWNER TO wed_owner;

--
-- Name: django_admin_log; Type: TABLE; Schema: wedsql; Owner: wed
--

CREATE TABLE wedsql.django_admin_log (
    id integer NOT NULL,
    action_time timestamp with time zone NOT NULL,
    object_id text,
    object_repr character varying(200) NOT NULL,
    action_flag smallint NOT NULL,
    change_message text NOT NULL,
    content_type_id integer,
    user_id integer NOT NULL,
    CONSTRAINT django_admin_log_action_flag_check CHECK ((action_flag >= 0))
);


ALTER TABLE wedsql.django_admin_log OWNER TO wed;

--
-- Name: django_admin_log_id_seq; Type: SEQUENCE; Schema: wedsql; Owner: wed
--

ALTER TABLE wedsql.django_admin_log ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME wedsql.django_admin_log_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: django_content_type; Type: TABLE; Schema: wedsql; Owner: wed
--

CREATE TABLE wedsql.django_content_type (
    id integer NOT NULL,
    app_label character varying(100) NOT NULL,
    model character varying(100) NOT NULL
);


ALTER TABLE wedsql.django_content_type OWNER TO wed;

--
-- Name: django_content_type_id_seq; Type: SEQUENCE; Schema: wedsql; Owner: wed
--

ALTER TABLE wedsql.django_content_type ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME wedsql.django_content_type_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: django_migrations; Type: TABLE; Schema: wedsql; Owner: wed
--

CREATE TABLE wedsql.django_migrations (
    id bigint NOT NULL,
    app character varying(255) NOT NULL,
    name character varying(255) NOT NULL,
    applied timestamp with time zone NOT NULL
);


ALTER TABLE wedsql.django_migrations OWNER TO wed;

--
-- Name: django_migrations_id_seq; Type: SEQUENCE; Schema: wedsql; Owner: wed
--

ALTER TABLE wedsql.django_migrations ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME wedsql.django_migrations_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: django_q_ormq; Type: TABLE; Schema: wedsql; Owner: wed
--

CREATE TABLE wedsql.django_q_ormq (
    id integer NOT NULL,
    key character varying(100) NOT NULL,
    payload text NOT NULL,
    lock timestamp with time zone
);


ALTER TABLE wedsql.django_q_ormq OWNER TO wed;

--
-- Name: django_q_ormq_id_seq; Type: SEQUENCE; Schema: wedsql; Owner: wed
--

ALTER TABLE wedsql.django_q_ormq ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME wedsql.django_q_ormq_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: django_q_schedule; Type: TABLE; Schema: wedsql; Owner: wed
--

CREATE TABLE wedsql.django_q_schedule (
    id integer NOT NULL,
    func character varying(256) NOT NULL,
    hook character varying(256),
    args text,
    kwargs text,
    schedule_type character varying(2) NOT NULL,
    repeats integer NOT NULL,
    next_run timestamp with time zone,
    task character varying(100),
    name character varying(100),
    minutes smallint,
    cron character varying(100),
    cluster character varying(100),
    intended_date_kwarg character varying(100),
    CONSTRAINT django_q_schedule_minutes_check CHECK ((minutes >= 0))
);


ALTER TABLE wedsql.django_q_schedule OWNER TO wed;

--
-- Name: django_q_schedule_id_seq; Type: SEQUENCE; Schema: wedsql; Owner: wed
--

ALTER TABLE wedsql.django_q_schedule ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME wedsql.django_q_schedule_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: django_q_task; Type: TABLE; Schema: wedsql; Owner: wed
--

CREATE TABLE wedsql.django_q_task (
    name character varying(100) NOT NULL,
    func character varying(256) NOT NULL,
    hook character varying(256),
    args text,
    kwargs text,
    result text,
    started timestamp with time zone NOT NULL,
    stopped timestamp with time zone NOT NULL,
    success boolean NOT NULL,
    id character varying(32) NOT NULL,
    "group" character varying(100),
    attempt_count integer NOT NULL,
    cluster character varying(100)
);


ALTER TABLE wedsql.django_q_task OWNER TO wed;

--
-- Name: django_session; Type: TABLE; Schema: wedsql; Owner: wed
--

CREATE TABLE wedsql.django_session (
    session_key character varying(40) NOT NULL,
    session_data text NOT NULL,
    expire_date timestamp with time zone NOT NULL
);


ALTER TABLE wedsql.django_session OWNER TO wed;

--
-- Name: excluded_function; Type: VIEW; Schema: wedsql; Owner: wed_owner
--

CREATE VIEW wedsql.excluded_function AS
 SELECT "*VALUES*".column1 AS pattern,
    "*VALUES*".column2 AS reason,
    "*VALUES*".column3 AS hint
   FROM (VALUES ('^(array_fill|polygon|bit|varbit|bpchar|varchar)$'::text,'unbounded'::text,NULL::text), ('^(factorial|numeric_fac|gcd|lcm)$'::text,'unbounded'::text,NULL::text), ('^jsonb_pretty$'::text,'unbounded'::text,'Compare the jsonb value itself.'::text), ('^ts_rewrite$'::text,'volatile'::text,NULL::text), ('^(xml|xpath)'::text,'unbounded'::text,'Store documents as jsonb.'::text), ('regex(eq|ne)$'::text,'pattern_not_literal'::text,'Use the operator ~ with a fixed pattern.'::text), ('^(similar_escape|similar_to_escape|like_escape)$'::text,'internal'::text,'Use SIMILAR TO or LIKE with ESCAPE.'::text), ('^jsonb_path_(exists|match)_opr$'::text,'internal'::text,'Use @? or @@.'::text), ('(_accum|_accum_inv|_combine|_transfn|_statefunc|send|_send|recv|_subdiff|_canonical)$'::text,'internal'::text,NULL::text), ('^(hash|gin_|gist_|spg_|brin_|bt.*cmp$|in_range$|int[248]_sum$|int2int4_sum$|int8_avg$|int8inc_)'::text,'internal'::text,NULL::text), ('_hash(_extended)?$'::text,'internal'::text,NULL::text), ('^float8_(avg|corr|covar|regr|stddev|var)'::text,'internal'::text,NULL::text)) "*VALUES*";


ALTER TABLE wedsql.excluded_function OWNER TO wed_owner;

--
-- Name: flow_id_seq; Type: SEQUENCE; Schema: wedsql; Owner: wed_owner
--

ALTER TABLE wedsql.flow ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME wedsql.flow_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: flow_version; Type: TABLE; Schema: wedsql; Owner: wed_owner
--

CREATE TABLE wedsql.flow_version (
    flow_id integer NOT NULL,
    version integer NOT NULL,
    at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    actor text DEFAULT ''::text NOT NULL,
    reason text DEFAULT ''::text NOT NULL,
    definition jsonb NOT NULL
);


ALTER TABLE wedsql.flow_version OWNER TO wed_owner;

--
-- Name: function_hint; Type: VIEW; Schema: wedsql; Owner: wed_owner
--

CREATE VIEW wedsql.function_hint AS
 SELECT "*VALUES*".column1 AS name,
    "*VALUES*".column2 AS hint
   FROM (VALUES ('to_char'::text,'to_char depends on the language of the session; use extract(year from attribute), or a cast such as attribute::text.'::text), ('to_date'::text,'Keep dates in a date attribute, or write attribute::date for a text like 2026-01-31.'::text), ('to_number'::text,'Write attribute::numeric.'::text), ('to_timestamp'::text,'to_timestamp takes one number of seconds here; for texts write attribute::timestamptz.'::text), ('concat'::text,'Join texts with ||, and coalesce(attribute, '''') where one may be null.'::text), ('concat_ws'::text,'Join texts with ||, and coalesce(attribute, '''') where one may be null.'::text), ('format'::text,'Join texts with ||.'::text), ('array_to_string'::text,'Compare the array itself, for example array[''a'', ''b''] = attribute.'::text), ('to_json'::text,'Write attribute::jsonb.'::text), ('to_jsonb'::text,'Write attribute::jsonb.'::text), ('jsonb_build_object'::text,'Write the document as a text: ''{"a": 1}''::jsonb.'::text), ('jsonb_build_array'::text,'Write the document as a text: ''[1, 2]''::jsonb.'::text), ('age'::text,'age takes two points in time here; to wait for a moment use a timer or a timeout of the trigger.'::text), ('lpad'::text,'Give the length as a plain number of at most 1000.'::text), ('unnest'::text,'Use value = any (array), or cardinality(array).'::text), ('count'::text,'Use cardinality(array) or jsonb_array_length(document) to count the parts of one value.'::text), ('random'::text,'Let the transition draw the number and store it in an attribute.'::text)) "*VALUES*";


ALTER TABLE wedsql.function_hint OWNER TO wed_owner;

--
-- Name: pure_function; Type: VIEW; Schema: wedsql; Owner: wed_owner
--

CREATE VIEW wedsql.pure_function AS
 SELECT p.oid,
    (p.proname)::text AS name,
    (p.pronargs - p.pronargdefaults) AS min_args,
        CASE
            WHEN (p.provariadic = (0)::oid) THEN p.pronargs
            ELSE NULL::smallint
        END AS max_args,
    (EXISTS ( SELECT 1
           FROM unnest(((p.proargtypes)::oid[] || p.prorettype)) a(type)
          WHERE (a.type = ANY (ARRAY[('date'::regtype)::oid, ('time without time zone'::regtype)::oid, ('time with time zone'::regtype)::oid, ('timestamp without time zone'::regtype)::oid, ('timestamp with time zone'::regtype)::oid, ('tsrange'::regtype)::oid, ('tstzrange'::regtype)::oid, ('daterange'::regtype)::oid, ('tsmultirange'::regtype)::oid, ('tstzmultirange'::regtype)::oid, ('datemultirange'::regtype)::oid])))) AS temporal
   FROM pg_proc p
  WHERE ((p.pronamespace = ('pg_catalog'::regnamespace)::oid) AND (p.oid < (16384)::oid) AND (p.prokind = 'f'::"char") AND (p.provolatile = 'i'::"char") AND (NOT p.proretset) AND ((p.proname = ANY (ARRAY['num_nulls'::name, 'num_nonnulls'::name])) OR (NOT (EXISTS ( SELECT 1
           FROM unnest(((p.proargtypes)::oid[] || p.prorettype)) a(type)
          WHERE (wedsql.is_plain_type(a.type) IS NOT TRUE))))));


ALTER TABLE wedsql.pure_function OWNER TO wed_owner;

--
-- Name: function_vocabulary; Type: VIEW; Schema: wedsql; Owner: wed_owner
--

CREATE VIEW wedsql.function_vocabulary AS
 WITH pure AS (
         SELECT pure_function.name,
            min(pure_function.min_args) AS min_args,
                CASE
                    WHEN bool_and((pure_function.max_args IS NOT NULL)) THEN max(pure_function.max_args)
                    ELSE NULL::smallint
                END AS max_args,
            bool_or(pure_function.temporal) AS temporal
           FROM wedsql.pure_function
          GROUP BY pure_function.name
        ), known AS (
         SELECT (p_1.proname)::text AS name,
            max(wedsql.function_refusal((p_1.proname)::text, p_1.prokind, p_1.provolatile, p_1.proretset)) AS reason
           FROM pg_proc p_1
          WHERE ((p_1.pronamespace = ('pg_catalog'::regnamespace)::oid) AND (p_1.oid < (16384)::oid))
          GROUP BY ((p_1.proname)::text)
        )
 SELECT k.name,
    COALESCE(x.reason,
        CASE
            WHEN (p.name IS NULL) THEN k.reason
            ELSE 'ok'::text
        END) AS func,
    p.min_args,
    p.max_args,
    COALESCE(p.temporal, false) AS temporal,
    COALESCE(x.hint, h.hint) AS hint,
        CASE
            WHEN (k.name ~ '^regexp_'::text) THEN 2
            ELSE NULL::integer
        END AS pattern_arg,
    (
        CASE k.name
            WHEN 'regexp_replace'::text THEN '{4,6}'::text
            WHEN 'regexp_count'::text THEN '{4}'::text
            WHEN 'regexp_instr'::text THEN '{6}'::text
            WHEN 'regexp_substr'::text THEN '{5}'::text
            ELSE
            CASE
                WHEN (k.name ~ '^regexp_'::text) THEN '{3}'::text
                ELSE NULL::text
            END
        END)::integer[] AS flag_args,
        CASE k.name
            WHEN 'repeat'::text THEN 100
            WHEN 'lpad'::text THEN 1000
            WHEN 'rpad'::text THEN 1000
            ELSE NULL::integer
        END AS max_count,
    (k.name = ANY (ARRAY['repeat'::text, 'lpad'::text, 'rpad'::text, 'replace'::text, 'regexp_replace'::text, 'quote_literal'::text, 'quote_nullable'::text, 'quote_ident'::text, 'encode'::text, 'array_replace'::text, 'normalize'::text, 'convert'::text, 'convert_from'::text, 'convert_to'::text])) AS grows
   FROM (((known k
     LEFT JOIN pure p USING (name))
     LEFT JOIN wedsql.function_hint h ON ((h.name = k.name)))
     LEFT JOIN LATERAL ( SELECT e.reason,
            e.hint
           FROM wedsql.excluded_function e
          WHERE (k.name ~ e.pattern)
         LIMIT 1) x ON (true));


ALTER TABLE wedsql.function_vocabulary OWNER TO wed_owner;

--
-- Name: job_log; Type: TABLE; Schema: wedsql; Owner: wed_owner
--

CREATE TABLE wedsql.job_log (
    id bigint NOT NULL,
    job_id bigint NOT NULL,
    wid integer NOT NULL,
    tgid integer NOT NULL,
    flow_id integer NOT NULL,
    trname text NOT NULL,
    at timestamp with time zone NOT NULL,
    outcome text NOT NULL,
    actor text DEFAULT ''::text NOT NULL,
    sqlstate text,
    message text DEFAULT ''::text NOT NULL,
    attempt smallint DEFAULT 0 NOT NULL
);


ALTER TABLE wedsql.job_log OWNER TO wed_owner;

--
-- Name: job_log_id_seq; Type: SEQUENCE; Schema: wedsql; Owner: wed_owner
--

ALTER TABLE wedsql.job_log ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME wedsql.job_log_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: lock_seen; Type: TABLE; Schema: wedsql; Owner: wed_owner
--

CREATE UNLOGGED TABLE wedsql.lock_seen (
    pid integer NOT NULL,
    wid integer NOT NULL,
    tgid integer NOT NULL,
    job_id bigint NOT NULL,
    xact_start timestamp with time zone NOT NULL,
    first_seen timestamp with time zone NOT NULL
);


ALTER TABLE wedsql.lock_seen OWNER TO wed_owner;

--
-- Name: paper_client; Type: TABLE; Schema: wedsql; Owner: wed_owner
--

CREATE TABLE wedsql.paper_client (
    flow_id integer NOT NULL,
    trname text NOT NULL,
    seen_at timestamp with time zone NOT NULL
);


ALTER TABLE wedsql.paper_client OWNER TO wed_owner;

--
-- Name: pinned_function; Type: VIEW; Schema: wedsql; Owner: wed_owner
--

CREATE VIEW wedsql.pinned_function AS
 SELECT p.oid,
    (p.proname)::text AS name
   FROM pg_proc p
  WHERE ((p.pronamespace = ('pg_catalog'::regnamespace)::oid) AND (p.oid < (16384)::oid) AND (p.provolatile = 's'::"char") AND (NOT p.proretset) AND (p.prokind = 'f'::"char") AND ((p.proname ~ '^(timestamptz|interval|date|timestamp)_(pl|mi|eq|ne|lt|le|gt|ge|cmp)_(interval|timestamptz|date|timestamp)$'::text) OR ((p.proname = ANY (ARRAY['date'::name, 'time'::name, 'timestamp'::name, 'timestamptz'::name, 'date_trunc'::name, 'date_part'::name, 'extract'::name, 'date_add'::name, 'date_subtract'::name])) AND ((p.proargtypes)::oid[] && (ARRAY['timestamp with time zone'::regtype, 'date'::regtype, 'timestamp without time zone'::regtype])::oid[]))));


ALTER TABLE wedsql.pinned_function OWNER TO wed_owner;

--
-- Name: refusal; Type: TABLE; Schema: wedsql; Owner: wed_owner
--

CREATE TABLE wedsql.refusal (
    reason text NOT NULL COLLATE pg_catalog."C",
    sentence text NOT NULL,
    hint text NOT NULL
);


ALTER TABLE wedsql.refusal OWNER TO wed_owner;

--
-- Name: TABLE refusal; Type: COMMENT; Schema: wedsql; Owner: wed_owner
--

COMMENT ON TABLE wedsql.refusal IS 'Why a person-written condition is refused: one sentence and one way out for each reason.';


--
-- Name: timer; Type: TABLE; Schema: wedsql; Owner: wed_owner
--

CREATE TABLE wedsql.timer (
    wid integer NOT NULL,
    tgid integer NOT NULL,
    flow_id integer NOT NULL,
    due_at timestamp with time zone NOT NULL
);


ALTER TABLE wedsql.timer OWNER TO wed_owner;

--
-- Name: timing; Type: TABLE; Schema: wedsql; Owner: wed_owner
--

CREATE TABLE wedsql.timing (
    flow_id integer NOT NULL,
    trname text NOT NULL,
    kind text NOT NULL,
    counts bigint[] NOT NULL,
    seconds double precision NOT NULL,
    CONSTRAINT timing_kind_check CHECK ((kind = ANY (ARRAY['wait'::text, 'run'::text])))
)
WITH (fillfactor='50', autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='500');


ALTER TABLE wedsql.timing OWNER TO wed_owner;

--
-- Name: trig_tgid_seq; Type: SEQUENCE; Schema: wedsql; Owner: wed_owner
--

ALTER TABLE wedsql.trig ALTER COLUMN tgid ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME wedsql.trig_tgid_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: watch; Type: TABLE; Schema: wedsql; Owner: wed_owner
--

CREATE TABLE wedsql.watch (
    id bigint NOT NULL,
    name text NOT NULL,
    seen_at timestamp with time zone NOT NULL
)
WITH (fillfactor='50');


ALTER TABLE wedsql.watch OWNER TO wed_owner;

--
-- Name: watch_id_seq; Type: SEQUENCE; Schema: wedsql; Owner: wed_owner
--

ALTER TABLE wedsql.watch ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME wedsql.watch_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: wed_trace_2026_11; Type: TABLE; Schema: wedsql; Owner: wed_owner
--

CREATE TABLE wedsql.wed_trace_2026_11 (
    flow_id integer NOT NULL,
    wid integer NOT NULL,
    seq integer NOT NULL,
    tstmp timestamp with time zone NOT NULL,
    trw text NOT NULL,
    trf text[] DEFAULT '{}'::text[] NOT NULL,
    state jsonb NOT NULL,
    status "char" NOT NULL,
    job_id bigint,
    claim bigint,
    tgid integer,
    fired integer[] DEFAULT '{}'::integer[] NOT NULL,
    before jsonb,
    cause_seq integer,
    actor text DEFAULT ''::text NOT NULL,
    reason text,
    version integer NOT NULL,
    compensates_seq integer,
    case_id bigint,
    tx_at timestamp with time zone NOT NULL,
    errors jsonb,
    suppressed integer[]
)
WITH (autovacuum_vacuum_scale_factor='0.05', autovacuum_vacuum_insert_scale_factor='0.1');


ALTER TABLE wedsql.wed_trace_2026_11 OWNER TO wed_owner;

--
-- Name: wed_trace_2026_12; Type: TABLE; Schema: wedsql; Owner: wed_owner
--

CREATE TABLE wedsql.wed_trace_2026_12 (
    flow_id integer NOT NULL,
    wid integer NOT NULL,
    seq integer NOT NULL,
    tstmp timestamp with time zone NOT NULL,
    trw text NOT NULL,
    trf text[] DEFAULT '{}'::text[] NOT NULL,
    state jsonb NOT NULL,
    status "char" NOT NULL,
    job_id bigint,
    claim bigint,
    tgid integer,
    fired integer[] DEFAULT '{}'::integer[] NOT NULL,
    before jsonb,
    cause_seq integer,
    actor text DEFAULT ''::text NOT NULL,
    reason text,
    version integer NOT NULL,
    compensates_seq integer,
    case_id bigint,
    tx_at timestamp with time zone NOT NULL,
    errors jsonb,
    suppressed integer[]
)
WITH (autovacuum_vacuum_scale_factor='0.05', autovacuum_vacuum_insert_scale_factor='0.1');


ALTER TABLE wedsql.wed_trace_2026_12 OWNER TO wed_owner;

--
-- Name: wed_trace_2027_01; Type: TABLE; Schema: wedsql; Owner: wed_owner
--

CREATE TABLE wedsql.wed_trace_2027_01 (
    flow_id integer NOT NULL,
    wid integer NOT NULL,
    seq integer NOT NULL,
    tstmp timestamp with time zone NOT NULL,
    trw text NOT NULL,
    trf text[] DEFAULT '{}'::text[] NOT NULL,
    state jsonb NOT NULL,
    status "char" NOT NULL,
    job_id bigint,
    claim bigint,
    tgid integer,
    fired integer[] DEFAULT '{}'::integer[] NOT NULL,
    before jsonb,
    cause_seq integer,
    actor text DEFAULT ''::text NOT NULL,
    reason text,
    version integer NOT NULL,
    compensates_seq integer,
    case_id bigint,
    tx_at timestamp with time zone NOT NULL,
    errors jsonb,
    suppressed integer[]
)
WITH (autovacuum_vacuum_scale_factor='0.05', autovacuum_vacuum_insert_scale_factor='0.1');


ALTER TABLE wedsql.wed_trace_2027_01 OWNER TO wed_owner;

--
-- Name: wed_trace_default; Type: TABLE; Schema: wedsql; Owner: wed_owner
--

CREATE TABLE wedsql.wed_trace_default (
    flow_id integer NOT NULL,
    wid integer NOT NULL,
    seq integer NOT NULL,
    tstmp timestamp with time zone NOT NULL,
    trw text NOT NULL,
    trf text[] DEFAULT '{}'::text[] NOT NULL,
    state jsonb NOT NULL,
    status "char" NOT NULL,
    job_id bigint,
    claim bigint,
    tgid integer,
    fired integer[] DEFAULT '{}'::integer[] NOT NULL,
    before jsonb,
    cause_seq integer,
    actor text DEFAULT ''::text NOT NULL,
    reason text,
    version integer NOT NULL,
    compensates_seq integer,
    case_id bigint,
    tx_at timestamp with time zone NOT NULL,
    errors jsonb,
    suppressed integer[]
);


ALTER TABLE wedsql.wed_trace_default OWNER TO wed_owner;

--
-- Name: wid_seq; Type: SEQUENCE; Schema: wedsql; Owner: wed_owner
--

CREATE SEQUENCE wedsql.wid_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


ALTER TABLE wedsql.wid_seq OWNER TO wed_owner;

--
-- Name: worker; Type: TABLE; Schema: wedsql; Owner: wed_owner
--

CREATE TABLE wedsql.worker (
    id bigint NOT NULL,
    kind text NOT NULL,
    name text NOT NULL,
    host text DEFAULT ''::text NOT NULL,
    pid integer DEFAULT 0 NOT NULL,
    backend_pid integer,
    role name DEFAULT SESSION_USER NOT NULL,
    serves text[] DEFAULT '{}'::text[] NOT NULL,
    started_at timestamp with time zone NOT NULL,
    seen_at timestamp with time zone NOT NULL,
    waiting boolean DEFAULT false NOT NULL
)
WITH (fillfactor='50', autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='50');


ALTER TABLE wedsql.worker OWNER TO wed_owner;

--
-- Name: worker_id_seq; Type: SEQUENCE; Schema: wedsql; Owner: wed_owner
--

ALTER TABLE wedsql.worker ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME wedsql.worker_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: wed_trace_2026_11; Type: TABLE ATTACH; Schema: wedsql; Owner: wed_owner
--

ALTER TABLE ONLY wedsql.wed_trace ATTACH PARTITION wedsql.wed_trace_2026_11 FOR VALUES FROM ('2026-11-01 00:00:00+00') TO ('2026-12-01 00:00:00+00');


--
-- Name: wed_trace_2026_12; Type: TABLE ATTACH; Schema: wedsql; Owner: wed_owner
--

ALTER TABLE ONLY wedsql.wed_trace ATTACH PARTITION wedsql.wed_trace_2026_12 FOR VALUES FROM ('2026-12-01 00:00:00+00') TO ('2027-01-01 00:00:00+00');


--
-- Name: wed_trace_2027_01; Type: TABLE ATTACH; Schema: wedsql; Owner: wed_owner
--

ALTER TABLE ONLY wedsql.wed_trace ATTACH PARTITION wedsql.wed_trace_2027_01 FOR VALUES FROM ('2027-01-01 00:00:00+00') TO ('2027-02-01 00:00:00+00');


--
-- Name: wed_trace_default; Type: TABLE ATTACH; Schema: wedsql; Owner: wed_owner
--

ALTER TABLE ONLY wedsql.wed_trace ATTACH PARTITION wedsql.wed_trace_default DEFAULT;


--
-- Name: wed_attr flow_id; Type: DEFAULT; Schema: cancelling; Owner: wed_owner
--

ALTER TABLE ONLY cancelling.wed_attr ALTER COLUMN flow_id SET DEFAULT 3;


--
-- Name: wed_trig flow_id; Type: DEFAULT; Schema: cancelling; Owner: wed_owner
--

ALTER TABLE ONLY cancelling.wed_trig ALTER COLUMN flow_id SET DEFAULT 3;


--
-- Name: wed_attr flow_id; Type: DEFAULT; Schema: deferring; Owner: wed_owner
--

ALTER TABLE ONLY deferring.wed_attr ALTER COLUMN flow_id SET DEFAULT 2;


--
-- Name: wed_trig timeout; Type: DEFAULT; Schema: deferring; Owner: wed_owner
--

ALTER TABLE ONLY deferring.wed_trig ALTER COLUMN timeout SET DEFAULT '00:01:00'::interval;


--
-- Name: wed_trig flow_id; Type: DEFAULT; Schema: deferring; Owner: wed_owner
--

ALTER TABLE ONLY deferring.wed_trig ALTER COLUMN flow_id SET DEFAULT 2;


--
-- Name: wed_attr flow_id; Type: DEFAULT; Schema: every; Owner: wed_owner
--

ALTER TABLE ONLY every.wed_attr ALTER COLUMN flow_id SET DEFAULT 1;


--
-- Name: wed_trig timeout; Type: DEFAULT; Schema: every; Owner: wed_owner
--

ALTER TABLE ONLY every.wed_trig ALTER COLUMN timeout SET DEFAULT '00:05:00'::interval;


--
-- Name: wed_trig flow_id; Type: DEFAULT; Schema: every; Owner: wed_owner
--

ALTER TABLE ONLY every.wed_trig ALTER COLUMN flow_id SET DEFAULT 1;


--
-- Data for Name: wed_flow; Type: TABLE DATA; Schema: cancelling; Owner: wed_owner
--

INSERT INTO cancelling.wed_flow VALUES
	(7, 'mark', NULL, NULL),
	(8, 'mark', NULL, NULL);


--
-- Data for Name: wed_flow; Type: TABLE DATA; Schema: deferring; Owner: wed_owner
--

INSERT INTO deferring.wed_flow VALUES
	(5, 'mark', NULL, NULL),
	(6, 'mark', NULL, NULL);


--
-- Data for Name: wed_flow; Type: TABLE DATA; Schema: every; Owner: wed_owner
--

INSERT INTO every.wed_flow VALUES
	(1, 'mark', NULL, 0, 0.5, true, NULL, NULL, '1 day', '{}', 's'),
	(2, 'again', NULL, 0, 0.5, true, '2026-01-31', NULL, '01:00:00', '{"x": [1, null]}', 's'),
	(3, 'due', NULL, 0, 0.5, true, NULL, '2199-01-01 00:00:00+00', '1 day', '{}', 's'),
	(4, 'mark', NULL, 0, 0.5, true, NULL, NULL, '1 day', '{}', 'l'),
	(9, 'wait', NULL, 0, 0.5, true, NULL, NULL, '1 day', '{}', 's'),
	(12, 'fail', NULL, 0, 0.5, true, NULL, NULL, '1 day', '{}', 's'),
	(13, 'wait', NULL, 0, 0.5, true, NULL, NULL, '1 day', '{}', 's'),
	(11, 'again', NULL, 3, 0.5, true, NULL, NULL, '1 day', '{}', 's'),
	(10, 'nothing', NULL, 0, 0.5, true, NULL, NULL, '1 day', '{}', 's'),
	(14, 'wait', NULL, 0, 0.5, true, NULL, NULL, '1 day', '{}', 's');


--
-- Data for Name: attr; Type: TABLE DATA; Schema: wedsql; Owner: wed_owner
--

INSERT INTO wedsql.attr VALUES
	(1, 1, 'kind', 'mark', 'text', NULL, 'Kind', 'which trigger fires', NULL),
	(2, 1, 'a', NULL, 'text', NULL, '', '', NULL),
	(3, 1, 'n', '0', 'integer', NULL, '', '', NULL),
	(4, 1, 'share', '0.5', 'numeric', NULL, '', '', NULL),
	(5, 1, 'paid', 'true', 'boolean', NULL, '', '', NULL),
	(6, 1, 'day', NULL, 'date', NULL, '', '', NULL),
	(7, 1, 'due', NULL, 'timestamptz', NULL, '', '', NULL),
	(8, 1, 'lasts', '1 day', 'interval', NULL, '', '', NULL),
	(9, 1, 'more', '{}', 'jsonb', NULL, '', '', NULL),
	(10, 1, 'size', 's', 'enum', '{s,l}', '', '', NULL),
	(11, 2, 'kind', 'mark', 'text', NULL, '', '', NULL),
	(12, 2, 'a', NULL, 'text', NULL, '', '', NULL),
	(13, 2, 'b', NULL, 'text', NULL, '', '', NULL),
	(14, 3, 'kind', 'mark', 'text', NULL, '', '', NULL),
	(15, 3, 'a', NULL, 'text', NULL, '', '', NULL),
	(16, 3, 'b', NULL, 'text', NULL, '', '', NULL);


--
-- Data for Name: auth_group; Type: TABLE DATA; Schema: wedsql; Owner: wed
--



--
-- Data for Name: auth_group_permissions; Type: TABLE DATA; Schema: wedsql; Owner: wed
--



--
-- Data for Name: auth_permission; Type: TABLE DATA; Schema: wedsql; Owner: wed
--

INSERT INTO wedsql.auth_permission VALUES
	(1, 'Can add log entry', 1, 'add_logentry'),
	(2, 'Can change log entry', 1, 'change_logentry'),
	(3, 'Can delete log entry', 1, 'delete_logentry'),
	(4, 'Can view log entry', 1, 'view_logentry'),
	(5, 'Can add permission', 2, 'add_permission'),
	(6, 'Can change permission', 2, 'change_permission'),
	(7, 'Can delete permission', 2, 'delete_permission'),
	(8, 'Can view permission', 2, 'view_permission'),
	(9, 'Can add group', 3, 'add_group'),
	(10, 'Can change group', 3, 'change_group'),
	(11, 'Can delete group', 3, 'delete_group'),
	(12, 'Can view group', 3, 'view_group'),
	(13, 'Can add user', 4, 'add_user'),
	(14, 'Can change user', 4, 'change_user'),
	(15, 'Can delete user', 4, 'delete_user'),
	(16, 'Can view user', 4, 'view_user'),
	(17, 'Can add content type', 5, 'add_contenttype'),
	(18, 'Can change content type', 5, 'change_contenttype'),
	(19, 'Can delete content type', 5, 'delete_contenttype'),
	(20, 'Can view content type', 5, 'view_contenttype'),
	(21, 'Can add session', 6, 'add_session'),
	(22, 'Can change session', 6, 'change_session'),
	(23, 'Can delete session', 6, 'delete_session'),
	(24, 'Can view session', 6, 'view_session'),
	(25, 'Can add Scheduled task', 7, 'add_schedule'),
	(26, 'Can change Scheduled task', 7, 'change_schedule'),
	(27, 'Can delete Scheduled task', 7, 'delete_schedule'),
	(28, 'Can view Scheduled task', 7, 'view_schedule'),
	(29, 'Can add Task', 8, 'add_task'),
	(30, 'Can change Task', 8, 'change_task'),
	(31, 'Can delete Task', 8, 'delete_task'),
	(32, 'Can view Task', 8, 'view_task'),
	(33, 'Can add Failed task', 9, 'add_failure'),
	(34, 'Can change Failed task', 9, 'change_failure'),
	(35, 'Can delete Failed task', 9, 'delete_failure'),
	(36, 'Can view Failed task', 9, 'view_failure'),
	(37, 'Can add Successful task', 10, 'add_success'),
	(38, 'Can change Successful task', 10, 'change_success'),
	(39, 'Can delete Successful task', 10, 'delete_success'),
	(40, 'Can view Successful task', 10, 'view_success'),
	(41, 'Can add Queued task', 11, 'add_ormq'),
	(42, 'Can change Queued task', 11, 'change_ormq'),
	(43, 'Can delete Queued task', 11, 'delete_ormq'),
	(44, 'Can view Queued task', 11, 'view_ormq'),
	(45, 'Can add flow', 12, 'add_flow'),
	(46, 'Can change flow', 12, 'change_flow'),
	(47, 'Can delete flow', 12, 'delete_flow'),
	(48, 'Can view flow', 12, 'view_flow'),
	(49, 'Can add attribute', 13, 'add_attribute'),
	(50, 'Can change attribute', 13, 'change_attribute'),
	(51, 'Can delete attribute', 13, 'delete_attribute'),
	(52, 'Can view attribute', 13, 'view_attribute'),
	(53, 'Can add trigger', 14, 'add_trigger'),
	(54, 'Can change trigger', 14, 'change_trigger'),
	(55, 'Can delete trigger', 14, 'delete_trigger'),
	(56, 'Can view trigger', 14, 'view_trigger'),
	(57, 'Can add instance', 15, 'add_instance'),
	(58, 'Can change instance', 15, 'change_instance'),
	(59, 'Can delete instance', 15, 'delete_instance'),
	(60, 'Can view instance', 15, 'view_instance'),
	(61, 'Can add job', 16, 'add_job'),
	(62, 'Can change job', 16, 'change_job'),
	(63, 'Can delete job', 16, 'delete_job'),
	(64, 'Can view job', 16, 'view_job'),
	(65, 'Can add history entry', 17, 'add_traceentry'),
	(66, 'Can change history entry', 17, 'change_traceentry'),
	(67, 'Can delete history entry', 17, 'delete_traceentry'),
	(68, 'Can view history entry', 17, 'view_traceentry'),
	(69, 'Can add job log entry', 18, 'add_joblog'),
	(70, 'Can change job log entry', 18, 'change_joblog'),
	(71, 'Can delete job log entry', 18, 'delete_joblog'),
	(72, 'Can view job log entry', 18, 'view_joblog'),
	(73, 'Can add worker process', 19, 'add_workerprocess'),
	(74, 'Can change worker process', 19, 'change_workerprocess'),
	(75, 'Can delete worker process', 19, 'delete_workerprocess'),
	(76, 'Can view worker process', 19, 'view_workerprocess'),
	(77, 'Can add version of a flow', 20, 'add_flowversion'),
	(78, 'Can change version of a flow', 20, 'change_flowversion'),
	(79, 'Can delete version of a flow', 20, 'delete_flowversion'),
	(80, 'Can view version of a flow', 20, 'view_flowversion'),
	(81, 'Can add failing condition', 21, 'add_conditionerror'),
	(82, 'Can change failing condition', 21, 'change_conditionerror'),
	(83, 'Can delete failing condition', 21, 'delete_conditionerror'),
	(84, 'Can view failing condition', 21, 'view_conditionerror');


--
-- Data for Name: auth_user; Type: TABLE DATA; Schema: wedsql; Owner: wed
--



--
-- Data for Name: auth_user_groups; Type: TABLE DATA; Schema: wedsql; Owner: wed
--



--
-- Data for Name: auth_user_user_permissions; Type: TABLE DATA; Schema: wedsql; Owner: wed
--



--
-- Data for Name: beat; Type: TABLE DATA; Schema: wedsql; Owner: wed_owner
--



--
-- Data for Name: condition_error; Type: TABLE DATA; Schema: wedsql; Owner: wed_owner
--

INSERT INTO wedsql.condition_error VALUES
	(6, 1, 1, '2026-11-22 14:07:38.238368+00', '22012', 'division by zero', 4);


--
-- Data for Name: disk; Type: TABLE DATA; Schema: wedsql; Owner: wed_owner
--



--
-- Data for Name: django_admin_log; Type: TABLE DATA; Schema: wedsql; Owner: wed
--



--
-- Data for Name: django_content_type; Type: TABLE DATA; Schema: wedsql; Owner: wed
--

INSERT INTO wedsql.django_content_type VALUES
	(1, 'admin', 'logentry'),
	(2, 'auth', 'permission'),
	(3, 'auth', 'group'),
	(4, 'auth', 'user'),
	(5, 'contenttypes', 'contenttype'),
	(6, 'sessions', 'session'),
	(7, 'django_q', 'schedule'),
	(8, 'django_q', 'task'),
	(9, 'django_q', 'failure'),
	(10, 'django_q', 'success'),
	(11, 'django_q', 'ormq'),
	(12, 'flows', 'flow'),
	(13, 'flows', 'attribute'),
	(14, 'flows', 'trigger'),
	(15, 'flows', 'instance'),
	(16, 'flows', 'job'),
	(17, 'flows', 'traceentry'),
	(18, 'flows', 'joblog'),
	(19, 'flows', 'workerprocess'),
	(20, 'flows', 'flowversion'),
	(21, 'flows', 'conditionerror');


--
-- Data for Name: django_migrations; Type: TABLE DATA; Schema: wedsql; Owner: wed
--

INSERT INTO wedsql.django_migrations VALUES
	(1, 'contenttypes', '0001_initial', '2026-11-22 14:07:30.075698+00'),
	(2, 'auth', '0001_initial', '2026-11-22 14:07:30.7675+00'),
	(3, 'admin', '0001_initial', '2026-11-22 14:07:30.859718+00'),
	(4, 'admin', '0002_logentry_remove_auto_add', '2026-11-22 14:07:30.894078+00'),
	(5, 'admin', '0003_logentry_add_action_flag_choices', '2026-11-22 14:07:30.929124+00'),
	(6, 'contenttypes', '0002_remove_content_type_name', '2026-11-22 14:07:31.007423+00'),
	(7, 'auth', '0002_alter_permission_name_max_length', '2026-11-22 14:07:31.049385+00'),
	(8, 'auth', '0003_alter_user_email_max_length', '2026-11-22 14:07:31.091595+00'),
	(9, 'auth', '0004_alter_user_username_opts', '2026-11-22 14:07:31.138376+00'),
	(10, 'auth', '0005_alter_user_last_login_null', '2026-11-22 14:07:31.183667+00'),
	(11, 'auth', '0006_require_contenttypes_0002', '2026-11-22 14:07:31.187263+00'),
	(12, 'auth', '0007_alter_validators_add_error_messages', '2026-11-22 14:07:31.22152+00'),
	(13, 'auth', '0008_alter_user_username_max_length', '2026-11-22 14:07:31.276118+00'),
	(14, 'auth', '0009_alter_user_last_name_max_length', '2026-11-22 14:07:31.319619+00'),
	(15, 'auth', '0010_alter_group_name_max_length', '2026-11-22 14:07:31.372774+00'),
	(16, 'auth', '0011_update_proxy_permissions', '2026-11-22 14:07:31.41788+00'),
	(17, 'auth', '0012_alter_user_first_name_max_length', '2026-11-22 14:07:31.468594+00'),
	(18, 'django_q', '0001_initial', '2026-11-22 14:07:31.525885+00'),
	(19, 'django_q', '0002_auto_20150630_1624', '2026-11-22 14:07:31.557122+00'),
	(20, 'django_q', '0003_auto_20150708_1326', '2026-11-22 14:07:31.61934+00'),
	(21, 'django_q', '0004_auto_20150710_1043', '2026-11-22 14:07:31.646906+00'),
	(22, 'django_q', '0005_auto_20150718_1506', '2026-11-22 14:07:31.683459+00'),
	(23, 'django_q', '0006_auto_20150805_1817', '2026-11-22 14:07:31.706302+00'),
	(24, 'django_q', '0007_ormq', '2026-11-22 14:07:31.741594+00'),
	(25, 'django_q', '0008_auto_20160224_1026', '2026-11-22 14:07:31.749385+00'),
	(26, 'django_q', '0009_auto_20171009_0915', '2026-11-22 14:07:31.783955+00'),
	(27, 'django_q', '0010_auto_20200610_0856', '2026-11-22 14:07:31.808743+00'),
	(28, 'django_q', '0011_auto_20200628_1055', '2026-11-22 14:07:31.829324+00'),
	(29, 'django_q', '0012_auto_20200702_1608', '2026-11-22 14:07:31.83706+00'),
	(30, 'django_q', '0013_task_attempt_count', '2026-11-22 14:07:31.86291+00'),
	(31, 'django_q', '0014_schedule_cluster', '2026-11-22 14:07:31.880654+00'),
	(32, 'django_q', '0015_alter_schedule_schedule_type', '2026-11-22 14:07:31.894614+00'),
	(33, 'django_q', '0016_schedule_intended_date_kwarg', '2026-11-22 14:07:31.904032+00'),
	(34, 'django_q', '0017_task_cluster_alter', '2026-11-22 14:07:31.930345+00'),
	(35, 'django_q', '0018_task_success_index', '2026-11-22 14:07:31.954961+00'),
	(36, 'django_q', '0019_alter_task_options_alter_ormq_key_alter_ormq_lock_and_more', '2026-11-22 14:07:32.161853+00'),
	(37, 'flows', '0001_initial', '2026-11-22 14:07:33.541553+00'),
	(38, 'sessions', '0001_initial', '2026-11-22 14:07:33.602213+00');


--
-- Data for Name: django_q_ormq; Type: TABLE DATA; Schema: wedsql; Owner: wed
--



--
-- Data for Name: django_q_schedule; Type: TABLE DATA; Schema: wedsql; Owner: wed
--



--
-- Data for Name: django_q_task; Type: TABLE DATA; Schema: wedsql; Owner: wed
--



--
-- Data for Name: django_session; Type: TABLE DATA; Schema: wedsql; Owner: wed
--



--
-- Data for Name: flow; Type: TABLE DATA; Schema: wedsql; Owner: wed_owner
--

INSERT INTO wedsql.flow VALUES
	(1, 'every', 'Every option', 'of a flow', 'reject', 1, 10, 50, '00:05:00', true, '10 years', '2026-11-22 14:07:36.482289+00', 7, false, true, 818, false, false, false),
	(2, 'deferring', '', '', 'defer', 1, 13, 1000, '00:01:00', false, NULL, '2026-11-22 14:07:36.578417+00', 1000, true, false, 818, false, false, false),
	(3, 'cancelling', '', '', 'cancel', 1, 16, 1000, NULL, true, NULL, '2026-11-22 14:07:36.644328+00', 1000, true, false, 818, false, false, false);


--
-- Data for Name: flow_version; Type: TABLE DATA; Schema: wedsql; Owner: wed_owner
--

INSERT INTO wedsql.flow_version VALUES
	(1, 1, '2026-11-22 14:07:38.069852+00', 'wed', '', '{"flow": "every", "label": "Every option", "version": 1, "triggers": [{"mode": "transaction", "name": "mark", "class": "pivot", "label": "Mark", "writes": ["a"], "timeout": "00:05:00", "priority": 5, "condition": "to_mark", "predicate": "kind = ''mark'' and a is null", "concurrent": true, "transition": "act_mark"}, {"name": "again", "backoff": "00:00:02", "timeout": null, "predicate": "kind in (''again'', ''due'') and n < 3", "revalidate": "at_take", "transition": "act_again", "refresh_payload": true}, {"mode": "lease", "name": "wait", "timeout": "01:00:00", "predicate": "kind = ''wait'' and a is null", "revalidate": "withdraw", "transition": "tr_wait", "max_firings": 7, "pickup_deadline": "100 years"}, {"name": "late", "class": "compensatable", "timeout": "00:05:00", "due_attr": "due", "due_after": "01:00:00", "fire_once": true, "predicate": "kind in (''due'', ''stuck'') and a is null", "transition": "tr_late", "compensation": "inverse"}, {"name": "fail", "backoff": "00:00:00", "timeout": "00:05:00", "predicate": "kind = ''fail'' and a is null", "transition": "tr_fail", "compensation": "transition", "max_attempts": 1, "compensated_by": "tr_wait"}, {"name": "wrong", "timeout": "00:05:00", "predicate": "size = ''l'' and share / n > 1", "transition": "tr_wrong"}, {"name": "false", "timeout": "00:05:00", "on_error": "false", "predicate": "kind = ''false'' and 1 / n > 1", "transition": "tr_wrong"}, {"name": "abort", "timeout": "00:05:00", "on_error": "abort", "predicate": "kind = ''abort'' and 1 / n > 1", "transition": "tr_wrong"}, {"name": "off", "enabled": false, "timeout": "00:05:00", "predicate": "paid", "transition": "tr_off"}, {"final": true, "timeout": "00:05:00", "condition": "done", "predicate": "a in (''marked'', ''ended'') or n >= 3"}], "retention": "10 years", "attributes": [{"name": "kind", "type": "text", "label": "Kind", "default": "mark", "description": "which trigger fires"}, {"name": "a", "type": "text"}, {"name": "n", "type": "integer", "default": "0"}, {"name": "share", "type": "numeric", "default": "0.5"}, {"name": "paid", "type": "boolean", "default": "true"}, {"name": "day", "type": "date"}, {"name": "due", "type": "timestamptz"}, {"name": "lasts", "type": "interval", "default": "1 day"}, {"name": "more", "type": "jsonb", "default": "{}"}, {"name": "size", "type": "enum", "default": "s", "options": ["s", "l"]}], "description": "of a flow", "max_firings": 50, "notify_trace": true, "default_timeout": "00:05:00", "final_when_pending": "reject"}'),
	(2, 1, '2026-11-22 14:07:38.124614+00', 'wed', '', '{"flow": "deferring", "label": "", "version": 1, "triggers": [{"timeout": "00:01:00", "predicate": "kind = ''mark'' and a is null", "transition": "act_mark"}, {"timeout": "00:01:00", "predicate": "b is null", "transition": "tr_other"}, {"final": true, "timeout": "00:01:00", "predicate": "a = ''marked''"}], "retention": null, "attributes": [{"name": "kind", "type": "text", "default": "mark"}, {"name": "a", "type": "text"}, {"name": "b", "type": "text"}], "description": "", "max_firings": 1000, "notify_trace": false, "default_timeout": "00:01:00", "final_when_pending": "defer"}'),
	(3, 1, '2026-11-22 14:07:38.15893+00', 'wed', '', '{"flow": "cancelling", "label": "", "version": 1, "triggers": [{"timeout": "00:01:00", "predicate": "kind = ''mark'' and a is null", "transition": "act_mark"}, {"timeout": "00:01:00", "predicate": "b is null", "transition": "tr_other"}, {"final": true, "timeout": "00:01:00", "predicate": "a = ''marked''"}], "retention": null, "attributes": [{"name": "kind", "type": "text", "default": "mark"}, {"name": "a", "type": "text"}, {"name": "b", "type": "text"}], "description": "", "max_firings": 1000, "notify_trace": true, "default_timeout": null, "final_when_pending": "cancel"}');


--
-- Data for Name: instance; Type: TABLE DATA; Schema: wedsql; Owner: wed_owner
--

INSERT INTO wedsql.instance VALUES
	(1, 1, 'R', 1, 1, NULL, '2026-11-22 14:07:38.188079+00', '2026-11-22 14:07:38.196658+00', NULL, 'ana', 'first', NULL, NULL),
	(2, 1, 'R', 1, 1, NULL, '2026-11-22 14:07:38.225758+00', '2026-11-22 14:07:38.226137+00', NULL, 'wed', NULL, NULL, NULL),
	(3, 1, 'R', 1, 1, NULL, '2026-11-22 14:07:38.235783+00', '2026-11-22 14:07:38.236177+00', NULL, 'wed', NULL, NULL, NULL),
	(4, 1, 'R', 1, 1, NULL, '2026-11-22 14:07:38.237732+00', '2026-11-22 14:07:38.238368+00', NULL, 'wed', NULL, NULL, NULL),
	(5, 2, 'R', 1, 1, NULL, '2026-11-22 14:07:38.256085+00', '2026-11-22 14:07:38.257989+00', NULL, 'wed', NULL, NULL, NULL),
	(6, 2, 'R', 1, 1, NULL, '2026-11-22 14:07:38.267464+00', '2026-11-22 14:07:38.267837+00', NULL, 'wed', NULL, NULL, NULL),
	(7, 3, 'R', 1, 1, NULL, '2026-11-22 14:07:38.269144+00', '2026-11-22 14:07:38.270312+00', NULL, 'wed', NULL, NULL, NULL),
	(8, 3, 'R', 1, 1, NULL, '2026-11-22 14:07:38.281875+00', '2026-11-22 14:07:38.282283+00', NULL, 'wed', NULL, NULL, NULL),
	(9, 1, 'R', 1, 1, NULL, '2026-11-22 14:07:38.288624+00', '2026-11-22 14:07:38.288979+00', NULL, 'wed', NULL, NULL, NULL),
	(13, 1, 'R', 1, 1, NULL, '2026-11-22 14:07:38.349627+00', '2026-11-22 14:07:38.350042+00', NULL, 'wed', NULL, NULL, NULL),
	(11, 1, 'F', 4, 1, NULL, '2026-11-22 14:07:38.333316+00', '2026-11-22 14:07:38.410223+00', '2026-11-22 14:07:38.410223+00', 'bob', NULL, NULL, NULL),
	(10, 1, 'E', 2, 1, 'STUCK', '2026-11-22 14:07:38.290052+00', '2026-11-22 14:07:38.414217+00', NULL, 'wed', NULL, NULL, NULL),
	(12, 1, 'E', 2, 1, 'ATTEMPTS', '2026-11-22 14:07:38.341071+00', '2026-11-22 14:07:38.434007+00', NULL, 'wed', NULL, NULL, NULL),
	(14, 1, 'C', 2, 1, 'ana', '2026-11-22 14:07:38.459926+00', '2026-11-22 14:07:38.465137+00', '2026-11-22 14:07:38.465137+00', 'wed', NULL, NULL, NULL);


--
-- Data for Name: job_log; Type: TABLE DATA; Schema: wedsql; Owner: wed_owner
--

INSERT INTO wedsql.job_log OVERRIDING SYSTEM VALUE VALUES
	(1, 16, 12, 5, 1, 'tr_fail', '2026-11-22 14:07:38.434007+00', 'failed', 'wed', NULL, 'no carrier', 1),
	(2, 16, 12, 5, 1, 'tr_fail', '2026-11-22 14:07:38.434007+00', 'parked', 'wed', NULL, 'ATTEMPTS', 1),
	(3, 22, 14, 3, 1, 'tr_wait', '2026-11-22 14:07:38.465137+00', 'withdrawn', '', NULL, 'the instance became final', 0);


--
-- Data for Name: job_pool; Type: TABLE DATA; Schema: wedsql; Owner: wed_owner
--

INSERT INTO wedsql.job_pool VALUES
	(1, 1, 1, 1, 'act_mark', NULL, '00:05:00', '{"a": null, "n": 0, "day": null, "due": null, "kind": "mark", "more": {}, "paid": true, "size": "s", "lasts": "1 day", "share": 0.5}', 'P', NULL, NULL, 0, NULL, 5, NULL, NULL, false, '2026-11-22 14:07:38.196658+00', 842, 1, 1),
	(2, 2, 2, 1, 'act_again', NULL, NULL, '{"a": null, "n": 0, "day": "2026-01-31", "due": null, "kind": "again", "more": {"x": [1, null]}, "paid": true, "size": "s", "lasts": "01:00:00", "share": 0.5}', 'P', NULL, NULL, 0, NULL, 0, NULL, NULL, false, '2026-11-22 14:07:38.226137+00', 842, 1, 1),
	(3, 3, 2, 1, 'act_again', NULL, NULL, '{"a": null, "n": 0, "day": null, "due": "2199-01-01T00:00:00+00:00", "kind": "due", "more": {}, "paid": true, "size": "s", "lasts": "1 day", "share": 0.5}', 'P', NULL, NULL, 0, NULL, 0, NULL, NULL, false, '2026-11-22 14:07:38.236177+00', 842, 1, 1),
	(4, 4, 1, 1, 'act_mark', NULL, '00:05:00', '{"a": null, "n": 0, "day": null, "due": null, "kind": "mark", "more": {}, "paid": true, "size": "l", "lasts": "1 day", "share": 0.5}', 'P', NULL, NULL, 0, NULL, 5, NULL, NULL, false, '2026-11-22 14:07:38.238368+00', 842, 1, 1),
	(5, 5, 11, 2, 'act_mark', NULL, '00:01:00', '{"a": null, "b": null, "kind": "mark"}', 'P', NULL, NULL, 0, NULL, 0, NULL, NULL, false, '2026-11-22 14:07:38.257989+00', 842, 1, 1),
	(6, 5, 12, 2, 'tr_other', NULL, '00:01:00', '{"a": null, "b": null, "kind": "mark"}', 'P', NULL, NULL, 0, NULL, 0, NULL, NULL, false, '2026-11-22 14:07:38.257989+00', 842, 1, 1),
	(7, 6, 11, 2, 'act_mark', NULL, '00:01:00', '{"a": null, "b": null, "kind": "mark"}', 'P', NULL, NULL, 0, NULL, 0, NULL, NULL, false, '2026-11-22 14:07:38.267837+00', 842, 1, 1),
	(8, 6, 12, 2, 'tr_other', NULL, '00:01:00', '{"a": null, "b": null, "kind": "mark"}', 'P', NULL, NULL, 0, NULL, 0, NULL, NULL, false, '2026-11-22 14:07:38.267837+00', 842, 1, 1),
	(9, 7, 14, 3, 'act_mark', NULL, '00:01:00', '{"a": null, "b": null, "kind": "mark"}', 'P', NULL, NULL, 0, NULL, 0, NULL, NULL, false, '2026-11-22 14:07:38.270312+00', 842, 1, 1),
	(10, 7, 15, 3, 'tr_other', NULL, '00:01:00', '{"a": null, "b": null, "kind": "mark"}', 'P', NULL, NULL, 0, NULL, 0, NULL, NULL, false, '2026-11-22 14:07:38.270312+00', 842, 1, 1),
	(11, 8, 14, 3, 'act_mark', NULL, '00:01:00', '{"a": null, "b": null, "kind": "mark"}', 'P', NULL, NULL, 0, NULL, 0, NULL, NULL, false, '2026-11-22 14:07:38.282283+00', 842, 1, 1),
	(12, 8, 15, 3, 'tr_other', NULL, '00:01:00', '{"a": null, "b": null, "kind": "mark"}', 'P', NULL, NULL, 0, NULL, 0, NULL, NULL, false, '2026-11-22 14:07:38.282283+00', 842, 1, 1),
	(13, 9, 3, 1, 'tr_wait', 'holder', '01:00:00', '{"a": null, "n": 0, "day": null, "due": null, "kind": "wait", "more": {}, "paid": true, "size": "s", "lasts": "1 day", "share": 0.5}', 'L', 1, '2126-11-22 14:07:38.303689+00', 0, NULL, 0, NULL, NULL, false, '2026-11-22 14:07:38.288979+00', 851, 1, 1),
	(17, 13, 3, 1, 'tr_wait', NULL, '01:00:00', '{"a": null, "n": 0, "day": null, "due": null, "kind": "wait", "more": {}, "paid": true, "size": "s", "lasts": "1 day", "share": 0.5}', 'P', NULL, NULL, 0, NULL, 0, NULL, NULL, false, '2026-11-22 14:07:38.350042+00', 855, 1, 1),
	(20, 10, 0, 1, '_EXCPT', NULL, NULL, '{"a": null, "n": 0, "day": null, "due": null, "kind": "nothing", "more": {}, "paid": true, "size": "s", "lasts": "1 day", "share": 0.5}', 'P', NULL, NULL, 0, NULL, 0, NULL, NULL, false, '2026-11-22 14:07:38.414217+00', 859, 2, 1),
	(16, 12, 5, 1, 'tr_fail', NULL, '00:05:00', '{"a": null, "n": 0, "day": null, "due": null, "kind": "fail", "more": {}, "paid": true, "size": "s", "lasts": "1 day", "share": 0.5}', 'K', NULL, NULL, 1, '2026-11-22 14:07:38.434007+00', 0, 'no carrier', NULL, false, '2026-11-22 14:07:38.341617+00', 855, 1, 1),
	(21, 12, 0, 1, '_EXCPT', NULL, NULL, '{"a": null, "n": 0, "day": null, "due": null, "kind": "fail", "more": {}, "paid": true, "size": "s", "lasts": "1 day", "share": 0.5}', 'P', NULL, NULL, 0, NULL, 0, NULL, NULL, false, '2026-11-22 14:07:38.434007+00', 864, 1, 1);


--
-- Data for Name: lock_seen; Type: TABLE DATA; Schema: wedsql; Owner: wed_owner
--



--
-- Data for Name: paper_client; Type: TABLE DATA; Schema: wedsql; Owner: wed_owner
--



--
-- Data for Name: refusal; Type: TABLE DATA; Schema: wedsql; Owner: wed_owner
--

INSERT INTO wedsql.refusal VALUES
	('empty', 'There is nothing here to evaluate.', 'Write an expression over the attributes of the flow, for example a1 = ''ready''.'),
	('too_long', 'The text is longer than 10,000 characters.', 'Split it into several conditions.'),
	('too_many_tokens', 'The text has more than 1,000 words and signs.', 'Split it into several conditions.'),
	('too_deep', 'The parentheses and calls are nested more than 50 deep.', 'Simplify the expression.'),
	('control_character', 'There is an invisible control character in the text.', 'Delete it; only spaces, tabs and line ends are allowed.'),
	('non_ascii', 'The character "%1$s" may only be written inside a text in single quotes.', 'Type plain letters, digits and signs outside texts; curly quotes and long dashes often come from a word processor.'),
	('backslash', 'A backslash may only be written inside a text in single quotes.', 'Remove it.'),
	('dollar', 'The dollar sign is not part of the language of conditions.', 'Write texts in single quotes; there are no parameters.'),
	('quoted_name', 'Names are written without double quotes.', 'Write attributes as they are, in lower case; write texts in single quotes.'),
	('brace', 'The sign "%1$s" may only be written inside a text in single quotes.', 'Use parentheses to group, or quote a JSON or array text: ''{"a": 1}''.'),
	('comment', 'Comments cannot be written in a condition.', 'Remove the comment; the trigger has a description for remarks. For minus a negative number, put a space: a - -1.'),
	('statement', 'Only one expression can be written here, not "%1$s".', 'Remove it; a condition is what stands after WHERE, without the statement around it.'),
	('subquery', 'A condition cannot look into tables: "%1$s" is not allowed.', 'Write what the condition needs into an attribute of the instance and test that.'),
	('dot', 'A dot may only stand inside a number; other tables and schemas cannot be named.', 'Name the attribute alone. For a part of a jsonb attribute write attribute ->> ''part''.'),
	('qualified', 'Other tables and schemas cannot be named: "%1$s" stands before a dot.', 'Name an attribute of the flow alone: %2$s.'),
	('named_argument', 'The sign "%1$s" is not part of the language of conditions.', 'Give arguments by position; to compare write = or >=.'),
	('unclosed_text', 'The text that starts here has no closing quote.', 'Close it with a single quote; a quote inside a text is written twice: ''it''''s''.'),
	('touches_quote', 'A word or number touches the quote of a text.', 'Put a space between them; the forms E'''', B'''', X'''', N'''' and U&'''' are not available.'),
	('touches_number', 'A number and a word touch each other.', 'Put a space or an operator between them; write numbers as 1000, 1.5 or 1e3.'),
	('number_too_large', 'The number "%1$s" is too large.', 'Use at most 100 digits and an exponent of at most 308.'),
	('expected_operand', 'Before "%1$s" a value is missing.', 'Write an attribute, a number, a text in single quotes or a function call here.'),
	('expected_operator', 'Before "%1$s" an operator such as =, and, or is missing.', 'Join the two values with an operator, or quote a text as one: ''two words''.'),
	('ends_early', 'The expression ends where a value is still expected.', 'Complete the expression after "%1$s".'),
	('unclosed', 'This "%1$s" is never closed.', 'Add the missing %2$s.'),
	('unopened', 'This "%1$s" closes nothing.', 'Remove it, or add its partner before it.'),
	('row', 'A list of values stands where one value is expected.', 'Lists are allowed in IN (...), array[...] and function calls; compare attributes one by one.'),
	('unknown_name', 'There is no attribute "%1$s" in this flow.', 'Use one of the attributes of the flow: %2$s. Texts are written in single quotes.'),
	('unknown_function', 'There is no function "%1$s".', 'Use a function of PostgreSQL that depends on its arguments only.'),
	('unknown_operator', 'There is no operator "%1$s" here.', 'Signs that touch each other are read as one operator; put a space between two operators.'),
	('unknown_type', 'A value cannot be converted to "%1$s" here.', 'Use text, varchar(n), char(n), integer, bigint, smallint, numeric(p,s), real, double precision, boolean, date, time, timestamp, timestamptz, interval, json, jsonb, uuid or an array of one of them.'),
	('type_modifier', 'The size given with the type "%1$s" is not possible.', 'Use varchar(n) and char(n) up to 10000, numeric(p,s) up to 1000 digits, seconds with up to 6 digits.'),
	('reserved', 'The word "%1$s" is reserved by SQL and cannot stand here.', 'Rename the attribute, or remove the word.'),
	('arguments', 'The function "%1$s" takes %2$s.', 'Give it that many, separated by commas.'),
	('clock', 'A condition cannot ask for the time: "%1$s" is not allowed.', 'Nothing would look again when the time has come; use a timer or a timeout of the trigger.'),
	('clock_literal', 'The text %1$s would be read as the moment of definition.', 'Write a fixed date such as ''2026-01-01''; for deadlines use a timer or a timeout.'),
	('session', 'A condition cannot ask who or where the session is: "%1$s" is not allowed.', 'Write what is needed into an attribute when the instance changes.'),
	('volatile', 'The function "%1$s" may give another answer each time, or change something.', 'Use a function that depends on its arguments only, or write its result into an attribute.'),
	('stable', 'The function "%1$s" depends on settings of the session.', 'Use a function that depends on its arguments only.'),
	('stable_use', 'With these types "%1$s" depends on settings of the session.', 'Cast the operands so that they have the same type, or to text, first.'),
	('set_returning', 'The function "%1$s" gives many rows instead of one value.', 'Use one that gives a single value, for example an array with = any (...).'),
	('aggregate', 'The function "%1$s" works over many rows; a condition sees one instance.', 'Write the total into an attribute and test that.'),
	('window', 'The function "%1$s" works over many rows; a condition sees one instance.', 'Remove it.'),
	('unbounded', 'The function "%1$s" could take memory or time without bound.', 'Compute the value in the transition and store it in an attribute.'),
	('nested_growth', 'The function "%1$s" makes its text longer and stands inside another that does.', 'Use one of them only, or store the first result in an attribute.'),
	('count', 'The count in "%1$s" must be a plain number of at most %2$s.', 'Write the number itself.'),
	('internal', 'The function "%1$s" belongs to the inner works of PostgreSQL.', 'Use the operator or the function that is documented for this.'),
	('collate', 'A collation cannot be chosen in a condition.', 'Remove it; compare lower(attribute) for comparisons without regard to case.'),
	('between', 'After BETWEEN this "%1$s" needs parentheses, or the AND of BETWEEN is missing.', 'Write a1 between 1 and 5, with parentheses around anything longer.'),
	('is', 'After IS only NULL, TRUE, FALSE, UNKNOWN or DISTINCT FROM may follow, with or without NOT.', 'Use = to compare values.'),
	('in_list', 'After IN a list in parentheses must follow.', 'Write a1 in (''x'', ''y''); for an array write a1 = any (array).'),
	('quantifier', 'The word "%1$s" may only follow a comparison and needs an array in parentheses.', 'Write a1 = any (array[''x'', ''y'']).'),
	('subscript', 'A subscript cannot stand here.', 'Put parentheses around the value: (expression)[1]; parts of an array from-to are not available.'),
	('substring', 'The second argument of "%1$s" must be a plain number, an integer attribute or one fixed pattern.', 'For computed numbers write substr(attribute, start, length).'),
	('special_form', 'The words inside "%1$s" are not in the expected form.', '%2$s'),
	('case', 'The word "%1$s" does not fit here in the CASE expression.', 'Write case when condition then value else value end.'),
	('pattern_not_literal', 'The pattern must be one fixed text in single quotes.', 'Write the pattern itself directly after the operator or as that argument; it cannot be computed or cast.'),
	('pattern_too_long', 'The pattern is longer than 200 characters.', 'Shorten it or split it over several comparisons.'),
	('pattern_bounds', 'The pattern repeats more than 255 times.', 'Use a smaller number in braces.'),
	('pattern_nested', 'The pattern, written out, is longer than 1000 signs and would take too long.', 'Repeat plain characters or small groups, for example ([0-9]{3}-){2}.'),
	('pattern_form', 'The pattern uses a form that is not available.', 'Write it on one line, without look-around, options in (?...), \1 and [[. .]]; join several patterns with and.'),
	('flags', 'The options of "%1$s" must be one fixed text.', 'Use a plain text of the letters g, i, n, s, p, w, m, for example ''gi''.'),
	('set_target', 'Here the name of an attribute must stand, not "%1$s".', 'Write attribute = value, separated by commas. Attributes: %2$s.'),
	('set_wid', 'The number of the instance (wid) cannot be set.', 'Remove this assignment.'),
	('set_equals', 'After the attribute an equals sign must follow, not "%1$s".', 'Write attribute = value.'),
	('set_twice', 'The attribute "%1$s" is set twice.', 'Set each attribute once.'),
	('set_type', 'The attribute "%1$s" is of %2$s.', 'Convert the value explicitly, for example (value)::integer.');


--
-- Data for Name: timer; Type: TABLE DATA; Schema: wedsql; Owner: wed_owner
--

INSERT INTO wedsql.timer VALUES
	(3, 4, 1, '2199-01-01 01:00:00+00');


--
-- Data for Name: timing; Type: TABLE DATA; Schema: wedsql; Owner: wed_owner
--



--
-- Data for Name: trig; Type: TABLE DATA; Schema: wedsql; Owner: wed_owner
--

INSERT INTO wedsql.trig VALUES
	(1, 1, 'mark', true, 'act_mark', 'to_mark', 'kind = ''mark'' and a is null', false, '00:05:00', 'r.kind = ''mark'' and r.a is null', '{a,kind}', '{"r.kind = ''mark'' and r.a is null"}', 'exception', 'none', 'transaction', 5, '00:00:01', NULL, NULL, 5, '{a}', NULL, NULL, true, false, false, 'none', NULL, 'pivot', 'Mark', ''),
	(2, 1, 'again', true, 'act_again', NULL, 'kind in (''again'', ''due'') and n < 3', false, NULL, 'r.kind in (''again'', ''due'') and r.n < 3', '{kind,n}', '{"r.kind in (''again'', ''due'') and r.n < 3"}', 'exception', 'at_take', 'auto', 5, '00:00:02', NULL, NULL, 0, NULL, NULL, NULL, false, false, true, 'none', NULL, 'retriable', '', ''),
	(3, 1, 'wait', true, 'tr_wait', NULL, 'kind = ''wait'' and a is null', false, '01:00:00', 'r.kind = ''wait'' and r.a is null', '{a,kind}', '{"r.kind = ''wait'' and r.a is null"}', 'exception', 'withdraw', 'lease', 5, '00:00:01', 7, '100 years', 0, NULL, NULL, NULL, false, false, false, 'none', NULL, 'retriable', '', ''),
	(4, 1, 'late', true, 'tr_late', NULL, 'kind in (''due'', ''stuck'') and a is null', false, '00:05:00', 'r.kind in (''due'', ''stuck'') and r.a is null', '{a,kind}', '{"r.kind in (''due'', ''stuck'') and r.a is null"}', 'exception', 'none', 'auto', 5, '00:00:01', NULL, NULL, 0, NULL, 'due', '01:00:00', false, true, false, 'inverse', NULL, 'compensatable', '', ''),
	(5, 1, 'fail', true, 'tr_fail', NULL, 'kind = ''fail'' and a is null', false, '00:05:00', 'r.kind = ''fail'' and r.a is null', '{a,kind}', '{"r.kind = ''fail'' and r.a is null"}', 'exception', 'none', 'auto', 1, '00:00:00', NULL, NULL, 0, NULL, NULL, NULL, false, false, false, 'transition', 'tr_wait', 'retriable', '', ''),
	(6, 1, 'wrong', true, 'tr_wrong', NULL, 'size = ''l'' and share / n > 1', false, '00:05:00', 'r.size = ''l'' and r.share / r.n > 1', '{n,share,size}', '{"r.size = ''l'' and r.share / r.n > 1"}', 'exception', 'none', 'auto', 5, '00:00:01', NULL, NULL, 0, NULL, NULL, NULL, false, false, false, 'none', NULL, 'retriable', '', ''),
	(7, 1, 'false', true, 'tr_wrong', NULL, 'kind = ''false'' and 1 / n > 1', false, '00:05:00', 'r.kind = ''false'' and 1 / r.n > 1', '{kind,n}', '{"r.kind = ''false'' and 1 / r.n > 1"}', 'false', 'none', 'auto', 5, '00:00:01', NULL, NULL, 0, NULL, NULL, NULL, false, false, false, 'none', NULL, 'retriable', '', ''),
	(8, 1, 'abort', true, 'tr_wrong', NULL, 'kind = ''abort'' and 1 / n > 1', false, '00:05:00', 'r.kind = ''abort'' and 1 / r.n > 1', '{kind,n}', '{"r.kind = ''abort'' and 1 / r.n > 1"}', 'abort', 'none', 'auto', 5, '00:00:01', NULL, NULL, 0, NULL, NULL, NULL, false, false, false, 'none', NULL, 'retriable', '', ''),
	(9, 1, 'off', false, 'tr_off', NULL, 'paid', false, '00:05:00', 'r.paid', '{paid}', '{r.paid}', 'exception', 'none', 'auto', 5, '00:00:01', NULL, NULL, 0, NULL, NULL, NULL, false, false, false, 'none', NULL, 'retriable', '', ''),
	(10, 1, '_FINAL', true, '_FINAL', 'done', 'a in (''marked'', ''ended'') or n >= 3', true, '00:05:00', 'r.a in (''marked'', ''ended'') or r.n >= 3', '{a,n}', '{"r.a in (''marked'', ''ended'')","r.n >= 3"}', 'exception', 'none', 'auto', 5, '00:00:01', NULL, NULL, 0, NULL, NULL, NULL, false, false, false, 'none', NULL, 'retriable', '', ''),
	(11, 2, NULL, true, 'act_mark', NULL, 'kind = ''mark'' and a is null', false, '00:01:00', 'r.kind = ''mark'' and r.a is null', '{a,kind}', '{"r.kind = ''mark'' and r.a is null"}', 'exception', 'none', 'auto', 5, '00:00:01', NULL, NULL, 0, NULL, NULL, NULL, false, false, false, 'none', NULL, 'retriable', '', ''),
	(12, 2, NULL, true, 'tr_other', NULL, 'b is null', false, '00:01:00', 'r.b is null', '{b}', '{"r.b is null"}', 'exception', 'none', 'auto', 5, '00:00:01', NULL, NULL, 0, NULL, NULL, NULL, false, false, false, 'none', NULL, 'retriable', '', ''),
	(13, 2, '_FINAL', true, '_FINAL', '_FINAL', 'a = ''marked''', true, '00:01:00', 'r.a = ''marked''', '{a}', '{"r.a = ''marked''"}', 'exception', 'none', 'auto', 5, '00:00:01', NULL, NULL, 0, NULL, NULL, NULL, false, false, false, 'none', NULL, 'retriable', '', ''),
	(14, 3, NULL, true, 'act_mark', NULL, 'kind = ''mark'' and a is null', false, '00:01:00', 'r.kind = ''mark'' and r.a is null', '{a,kind}', '{"r.kind = ''mark'' and r.a is null"}', 'exception', 'none', 'auto', 5, '00:00:01', NULL, NULL, 0, NULL, NULL, NULL, false, false, false, 'none', NULL, 'retriable', '', ''),
	(15, 3, NULL, true, 'tr_other', NULL, 'b is null', false, '00:01:00', 'r.b is null', '{b}', '{"r.b is null"}', 'exception', 'none', 'auto', 5, '00:00:01', NULL, NULL, 0, NULL, NULL, NULL, false, false, false, 'none', NULL, 'retriable', '', ''),
	(16, 3, '_FINAL', true, '_FINAL', '_FINAL', 'a = ''marked''', true, '00:01:00', 'r.a = ''marked''', '{a}', '{"r.a = ''marked''"}', 'exception', 'none', 'auto', 5, '00:00:01', NULL, NULL, 0, NULL, NULL, NULL, false, false, false, 'none', NULL, 'retriable', '', '');


--
-- Data for Name: watch; Type: TABLE DATA; Schema: wedsql; Owner: wed_owner
--



--
-- Data for Name: wed_trace_2026_11; Type: TABLE DATA; Schema: wedsql; Owner: wed_owner
--

INSERT INTO wedsql.wed_trace_2026_11 VALUES
	(1, 1, 1, '2026-11-22 14:07:38.196658+00', '_INIT', '{act_mark}', '{"a": null, "n": 0, "day": null, "due": null, "kind": "mark", "more": {}, "paid": true, "size": "s", "lasts": "1 day", "share": 0.5}', 'R', NULL, NULL, NULL, '{1}', NULL, NULL, 'ana', NULL, 1, NULL, NULL, '2026-11-22 14:07:36.466894+00', NULL, NULL),
	(1, 2, 1, '2026-11-22 14:07:38.226137+00', '_INIT', '{act_again}', '{"a": null, "n": 0, "day": "2026-01-31", "due": null, "kind": "again", "more": {"x": [1, null]}, "paid": true, "size": "s", "lasts": "01:00:00", "share": 0.5}', 'R', NULL, NULL, NULL, '{2}', NULL, NULL, 'wed', NULL, 1, NULL, NULL, '2026-11-22 14:07:36.466894+00', NULL, NULL),
	(1, 3, 1, '2026-11-22 14:07:38.236177+00', '_INIT', '{act_again}', '{"a": null, "n": 0, "day": null, "due": "2199-01-01T00:00:00+00:00", "kind": "due", "more": {}, "paid": true, "size": "s", "lasts": "1 day", "share": 0.5}', 'R', NULL, NULL, NULL, '{2}', NULL, NULL, 'wed', NULL, 1, NULL, NULL, '2026-11-22 14:07:36.466894+00', NULL, NULL),
	(1, 4, 1, '2026-11-22 14:07:38.238368+00', '_INIT', '{act_mark}', '{"a": null, "n": 0, "day": null, "due": null, "kind": "mark", "more": {}, "paid": true, "size": "l", "lasts": "1 day", "share": 0.5}', 'R', NULL, NULL, NULL, '{1}', NULL, NULL, 'wed', NULL, 1, NULL, NULL, '2026-11-22 14:07:36.466894+00', '[{"tgid": 6, "message": "division by zero", "trigger": "wrong", "sqlstate": "22012"}]', NULL),
	(2, 5, 1, '2026-11-22 14:07:38.257989+00', '_INIT', '{act_mark,tr_other}', '{"a": null, "b": null, "kind": "mark"}', 'R', NULL, NULL, NULL, '{11,12}', NULL, NULL, 'wed', NULL, 1, NULL, NULL, '2026-11-22 14:07:36.466894+00', NULL, NULL),
	(2, 6, 1, '2026-11-22 14:07:38.267837+00', '_INIT', '{act_mark,tr_other}', '{"a": null, "b": null, "kind": "mark"}', 'R', NULL, NULL, NULL, '{11,12}', NULL, NULL, 'wed', NULL, 1, NULL, NULL, '2026-11-22 14:07:36.466894+00', NULL, NULL),
	(3, 7, 1, '2026-11-22 14:07:38.270312+00', '_INIT', '{act_mark,tr_other}', '{"a": null, "b": null, "kind": "mark"}', 'R', NULL, NULL, NULL, '{14,15}', NULL, NULL, 'wed', NULL, 1, NULL, NULL, '2026-11-22 14:07:36.466894+00', NULL, NULL),
	(3, 8, 1, '2026-11-22 14:07:38.282283+00', '_INIT', '{act_mark,tr_other}', '{"a": null, "b": null, "kind": "mark"}', 'R', NULL, NULL, NULL, '{14,15}', NULL, NULL, 'wed', NULL, 1, NULL, NULL, '2026-11-22 14:07:36.466894+00', NULL, NULL),
	(1, 9, 1, '2026-11-22 14:07:38.288979+00', '_INIT', '{tr_wait}', '{"a": null, "n": 0, "day": null, "due": null, "kind": "wait", "more": {}, "paid": true, "size": "s", "lasts": "1 day", "share": 0.5}', 'R', NULL, NULL, NULL, '{3}', NULL, NULL, 'wed', NULL, 1, NULL, NULL, '2026-11-22 14:07:36.466894+00', NULL, NULL),
	(1, 10, 1, '2026-11-22 14:07:38.290284+00', '_INIT', '{tr_wait}', '{"a": null, "n": 0, "day": null, "due": null, "kind": "wait", "more": {}, "paid": true, "size": "s", "lasts": "1 day", "share": 0.5}', 'R', NULL, NULL, NULL, '{3}', NULL, NULL, 'wed', NULL, 1, NULL, NULL, '2026-11-22 14:07:36.466894+00', NULL, NULL),
	(1, 11, 1, '2026-11-22 14:07:38.333884+00', '_INIT', '{act_again}', '{"a": null, "n": 0, "day": null, "due": null, "kind": "again", "more": {}, "paid": true, "size": "s", "lasts": "1 day", "share": 0.5}', 'R', NULL, NULL, NULL, '{2}', NULL, NULL, 'bob', NULL, 1, NULL, NULL, '2026-11-22 14:07:36.466894+00', NULL, NULL),
	(1, 12, 1, '2026-11-22 14:07:38.341617+00', '_INIT', '{tr_fail}', '{"a": null, "n": 0, "day": null, "due": null, "kind": "fail", "more": {}, "paid": true, "size": "s", "lasts": "1 day", "share": 0.5}', 'R', NULL, NULL, NULL, '{5}', NULL, NULL, 'wed', NULL, 1, NULL, NULL, '2026-11-22 14:07:36.466894+00', NULL, NULL),
	(1, 13, 1, '2026-11-22 14:07:38.350042+00', '_INIT', '{tr_wait}', '{"a": null, "n": 0, "day": null, "due": null, "kind": "wait", "more": {}, "paid": true, "size": "s", "lasts": "1 day", "share": 0.5}', 'R', NULL, NULL, NULL, '{3}', NULL, NULL, 'wed', NULL, 1, NULL, NULL, '2026-11-22 14:07:36.466894+00', NULL, NULL),
	(1, 11, 2, '2026-11-22 14:07:38.384675+00', 'act_again', '{act_again}', '{"a": null, "n": 1, "day": null, "due": null, "kind": "again", "more": {}, "paid": true, "size": "s", "lasts": "1 day", "share": 0.5}', 'R', 15, NULL, 2, '{2}', '{"n": 0}', 1, 'wed', NULL, 1, NULL, NULL, '2026-11-22 14:07:36.466894+00', NULL, NULL),
	(1, 11, 3, '2026-11-22 14:07:38.396074+00', 'act_again', '{act_again}', '{"a": null, "n": 2, "day": null, "due": null, "kind": "again", "more": {}, "paid": true, "size": "s", "lasts": "1 day", "share": 0.5}', 'R', 18, NULL, 2, '{2}', '{"n": 1}', 2, 'wed', NULL, 1, NULL, NULL, '2026-11-22 14:07:36.466894+00', NULL, NULL),
	(1, 11, 4, '2026-11-22 14:07:38.410223+00', 'act_again', '{}', '{"a": null, "n": 3, "day": null, "due": null, "kind": "again", "more": {}, "paid": true, "size": "s", "lasts": "1 day", "share": 0.5}', 'F', 19, NULL, 2, '{}', '{"n": 2}', 3, 'wed', NULL, 1, NULL, NULL, '2026-11-22 14:07:36.466894+00', NULL, NULL),
	(1, 10, 2, '2026-11-22 14:07:38.414217+00', 'tr_wait', '{}', '{"a": null, "n": 0, "day": null, "due": null, "kind": "nothing", "more": {}, "paid": true, "size": "s", "lasts": "1 day", "share": 0.5}', 'E', 14, NULL, 3, '{}', '{"kind": "wait"}', 1, 'wed', NULL, 1, NULL, NULL, '2026-11-22 14:07:36.466894+00', NULL, NULL),
	(1, 12, 2, '2026-11-22 14:07:38.434007+00', '_EXCPT', '{}', '{"a": null, "n": 0, "day": null, "due": null, "kind": "fail", "more": {}, "paid": true, "size": "s", "lasts": "1 day", "share": 0.5}', 'E', NULL, NULL, NULL, '{}', '{}', NULL, 'wed', 'ATTEMPTS: no carrier', 1, NULL, NULL, '2026-11-22 14:07:36.466894+00', NULL, NULL),
	(1, 14, 1, '2026-11-22 14:07:38.460525+00', '_INIT', '{tr_wait}', '{"a": null, "n": 0, "day": null, "due": null, "kind": "wait", "more": {}, "paid": true, "size": "s", "lasts": "1 day", "share": 0.5}', 'R', NULL, NULL, NULL, '{3}', NULL, NULL, 'wed', NULL, 1, NULL, NULL, '2026-11-22 14:07:36.466894+00', NULL, NULL),
	(1, 14, 2, '2026-11-22 14:07:38.465137+00', '_CANCEL', '{}', '{"a": null, "n": 0, "day": null, "due": null, "kind": "wait", "more": {}, "paid": true, "size": "s", "lasts": "1 day", "share": 0.5}', 'C', NULL, NULL, NULL, '{}', '{}', NULL, 'not wanted', 'ana', 1, NULL, NULL, '2026-11-22 14:07:36.466894+00', NULL, NULL);


--
-- Data for Name: wed_trace_2026_12; Type: TABLE DATA; Schema: wedsql; Owner: wed_owner
--



--
-- Data for Name: wed_trace_2027_01; Type: TABLE DATA; Schema: wedsql; Owner: wed_owner
--



--
-- Data for Name: wed_trace_default; Type: TABLE DATA; Schema: wedsql; Owner: wed_owner
--



--
-- Data for Name: worker; Type: TABLE DATA; Schema: wedsql; Owner: wed_owner
--

INSERT INTO wedsql.worker OVERRIDING SYSTEM VALUE VALUES
	(1, 'wedworker', 'earlier', 'host', 1, 13313, 'wed', '{every:act_mark}', '2026-11-22 14:07:38.472316+00', '2026-11-22 14:07:38.472317+00', false);


--
-- Name: attr_aid_seq; Type: SEQUENCE SET; Schema: wedsql; Owner: wed_owner
--

SELECT pg_catalog.setval('wedsql.attr_aid_seq', 16, true);


--
-- Name: auth_group_id_seq; Type: SEQUENCE SET; Schema: wedsql; Owner: wed
--

SELECT pg_catalog.setval('wedsql.auth_group_id_seq', 1, false);


--
-- Name: auth_group_permissions_id_seq; Type: SEQUENCE SET; Schema: wedsql; Owner: wed
--

SELECT pg_catalog.setval('wedsql.auth_group_permissions_id_seq', 1, false);


--
-- Name: auth_permission_id_seq; Type: SEQUENCE SET; Schema: wedsql; Owner: wed
--

SELECT pg_catalog.setval('wedsql.auth_permission_id_seq', 84, true);


--
-- Name: auth_user_groups_id_seq; Type: SEQUENCE SET; Schema: wedsql; Owner: wed
--

SELECT pg_catalog.setval('wedsql.auth_user_groups_id_seq', 1, false);


--
-- Name: auth_user_id_seq; Type: SEQUENCE SET; Schema: wedsql; Owner: wed
--

SELECT pg_catalog.setval('wedsql.auth_user_id_seq', 1, false);


--
-- Name: auth_user_user_permissions_id_seq; Type: SEQUENCE SET; Schema: wedsql; Owner: wed
--

SELECT pg_catalog.setval('wedsql.auth_user_user_permissions_id_seq', 1, false);


--
-- Name: claim_seq; Type: SEQUENCE SET; Schema: wedsql; Owner: wed_owner
--

SELECT pg_catalog.setval('wedsql.claim_seq', 1, true);


--
-- Name: django_admin_log_id_seq; Type: SEQUENCE SET; Schema: wedsql; Owner: wed
--

SELECT pg_catalog.setval('wedsql.django_admin_log_id_seq', 1, false);


--
-- Name: django_content_type_id_seq; Type: SEQUENCE SET; Schema: wedsql; Owner: wed
--

SELECT pg_catalog.setval('wedsql.django_content_type_id_seq', 21, true);


--
-- Name: django_migrations_id_seq; Type: SEQUENCE SET; Schema: wedsql; Owner: wed
--

SELECT pg_catalog.setval('wedsql.django_migrations_id_seq', 38, true);


--
-- Name: django_q_ormq_id_seq; Type: SEQUENCE SET; Schema: wedsql; Owner: wed
--

SELECT pg_catalog.setval('wedsql.django_q_ormq_id_seq', 1, false);


--
-- Name: django_q_schedule_id_seq; Type: SEQUENCE SET; Schema: wedsql; Owner: wed
--

SELECT pg_catalog.setval('wedsql.django_q_schedule_id_seq', 1, false);


--
-- Name: flow_id_seq; Type: SEQUENCE SET; Schema: wedsql; Owner: wed_owner
--

SELECT pg_catalog.setval('wedsql.flow_id_seq', 3, true);


--
-- Name: job_log_id_seq; Type: SEQUENCE SET; Schema: wedsql; Owner: wed_owner
--

SELECT pg_catalog.setval('wedsql.job_log_id_seq', 3, true);


--
-- Name: job_seq; Type: SEQUENCE SET; Schema: wedsql; Owner: wed_owner
--

SELECT pg_catalog.setval('wedsql.job_seq', 22, true);


--
-- Name: trig_tgid_seq; Type: SEQUENCE SET; Schema: wedsql; Owner: wed_owner
--

SELECT pg_catalog.setval('wedsql.trig_tgid_seq', 16, true);


--
-- Name: watch_id_seq; Type: SEQUENCE SET; Schema: wedsql; Owner: wed_owner
--

SELECT pg_catalog.setval('wedsql.watch_id_seq', 1, false);


--
-- Name: wid_seq; Type: SEQUENCE SET; Schema: wedsql; Owner: wed_owner
--

SELECT pg_catalog.setval('wedsql.wid_seq', 14, true);


--
-- Name: worker_id_seq; Type: SEQUENCE SET; Schema: wedsql; Owner: wed_owner
--

SELECT pg_catalog.setval('wedsql.worker_id_seq', 1, true);


--
-- Name: wed_flow wed_flow_pkey; Type: CONSTRAINT; Schema: cancelling; Owner: wed_owner
--

ALTER TABLE ONLY cancelling.wed_flow
    ADD CONSTRAINT wed_flow_pkey PRIMARY KEY (wid);


--
-- Name: wed_flow wed_flow_pkey; Type: CONSTRAINT; Schema: deferring; Owner: wed_owner
--

ALTER TABLE ONLY deferring.wed_flow
    ADD CONSTRAINT wed_flow_pkey PRIMARY KEY (wid);


--
-- Name: wed_flow wed_flow_pkey; Type: CONSTRAINT; Schema: every; Owner: wed_owner
--

ALTER TABLE ONLY every.wed_flow
    ADD CONSTRAINT wed_flow_pkey PRIMARY KEY (wid);


--
-- Name: attr attr_flow_id_aname_key; Type: CONSTRAINT; Schema: wedsql; Owner: wed_owner
--

ALTER TABLE ONLY wedsql.attr
    ADD CONSTRAINT attr_flow_id_aname_key UNIQUE (flow_id, aname);


--
-- Name: attr attr_pkey; Type: CONSTRAINT; Schema: wedsql; Owner: wed_owner
--

ALTER TABLE ONLY wedsql.attr
    ADD CONSTRAINT attr_pkey PRIMARY KEY (aid);


--
-- Name: auth_group auth_group_name_key; Type: CONSTRAINT; Schema: wedsql; Owner: wed
--

ALTER TABLE ONLY wedsql.auth_group
    ADD CONSTRAINT auth_group_name_key UNIQUE (name);


--
-- Name: auth_group_permissions auth_group_permissions_group_id_permission_id_0cd325b0_uniq; Type: CONSTRAINT; Schema: wedsql; Owner: wed
--

ALTER TABLE ONLY wedsql.auth_group_permissions
    ADD CONSTRAINT auth_group_permissions_group_id_permission_id_0cd325b0_uniq UNIQUE (group_id, permission_id);


--
-- Name: auth_group_permissions auth_group_permissions_pkey; Type: CONSTRAINT; Schema: wedsql; Owner: wed
--

ALTER TABLE ONLY wedsql.auth_group_permissions
    ADD CONSTRAINT auth_group_permissions_pkey PRIMARY KEY (id);


--
-- Name: auth_group auth_group_pkey; Type: CONSTRAINT; Schema: wedsql; Owner: wed
--

ALTER TABLE ONLY wedsql.auth_group
    ADD CONSTRAINT auth_group_pkey PRIMARY KEY (id);


--
-- Name: auth_permission auth_permission_content_type_id_codename_01ab375a_uniq; Type: CONSTRAINT; Schema: wedsql; Owner: wed
--

ALTER TABLE ONLY wedsql.auth_permission
    ADD CONSTRAINT auth_permission_content_type_id_codename_01ab375a_uniq UNIQUE (content_type_id, codename);


--
-- Name: auth_permission auth_permission_pkey; Type: CONSTRAINT; Schema: wedsql; Owner: wed
--

ALTER TABLE ONLY wedsql.auth_permission
    ADD CONSTRAINT auth_permission_pkey PRIMARY KEY (id);


--
-- Name: auth_user_groups auth_user_groups_pkey; Type: CONSTRAINT; Schema: wedsql; Owner: wed
--

ALTER TABLE ONLY wedsql.auth_user_groups
    ADD CONSTRAINT auth_user_groups_pkey PRIMARY KEY (id);


--
-- Name: auth_user_groups auth_user_groups_user_id_group_id_94350c0c_uniq; Type: CONSTRAINT; Schema: wedsql; Owner: wed
--

ALTER TABLE ONLY wedsql.auth_user_groups
    ADD CONSTRAINT auth_user_groups_user_id_group_id_94350c0c_uniq UNIQUE (user_id, group_id);


--
-- Name: auth_user auth_user_pkey; Type: CONSTRAINT; Schema: wedsql; Owner: wed
--

ALTER TABLE ONLY wedsql.auth_user
    ADD CONSTRAINT auth_user_pkey PRIMARY KEY (id);


--
-- Name: auth_user_user_permissions auth_user_user_permissions_pkey; Type: CONSTRAINT; Schema: wedsql; Owner: wed
--

ALTER TABLE ONLY wedsql.auth_user_user_permissions
    ADD CONSTRAINT auth_user_user_permissions_pkey PRIMARY KEY (id);


--
-- Name: auth_user_user_permissions auth_user_user_permissions_user_id_permission_id_14a6b632_uniq; Type: CONSTRAINT; Schema: wedsql; Owner: wed
--

ALTER TABLE ONLY wedsql.auth_user_user_permissions
    ADD CONSTRAINT auth_user_user_permissions_user_id_permission_id_14a6b632_uniq UNIQUE (user_id, permission_id);


--
-- Name: auth_user auth_user_username_key; Type: CONSTRAINT; Schema: wedsql; Owner: wed
--

ALTER TABLE ONLY wedsql.auth_user
    ADD CONSTRAINT auth_user_username_key UNIQUE (username);


--
-- Name: beat beat_pkey; Type: CONSTRAINT; Schema: wedsql; Owner: wed_owner
--

ALTER TABLE ONLY wedsql.beat
    ADD CONSTRAINT beat_pkey PRIMARY KEY (name);


--
-- Name: condition_error condition_error_pkey; Type: CONSTRAINT; Schema: wedsql; Owner: wed_owner
--

ALTER TABLE ONLY wedsql.condition_error
    ADD CONSTRAINT condition_error_pkey PRIMARY KEY (tgid);


--
-- Name: disk disk_pkey; Type: CONSTRAINT; Schema: wedsql; Owner: wed_owner
--

ALTER TABLE ONLY wedsql.disk
    ADD CONSTRAINT disk_pkey PRIMARY KEY (only_row);


--
-- Name: django_admin_log django_admin_log_pkey; Type: CONSTRAINT; Schema: wedsql; Owner: wed
--

ALTER TABLE ONLY wedsql.django_admin_log
    ADD CONSTRAINT django_admin_log_pkey PRIMARY KEY (id);


--
-- Name: django_content_type django_content_type_app_label_model_76bd3d3b_uniq; Type: CONSTRAINT; Schema: wedsql; Owner: wed
--

ALTER TABLE ONLY wedsql.django_content_type
    ADD CONSTRAINT django_content_type_app_label_model_76bd3d3b_uniq UNIQUE (app_label, model);


--
-- Name: django_content_type django_content_type_pkey; Type: CONSTRAINT; Schema: wedsql; Owner: wed
--

ALTER TABLE ONLY wedsql.django_content_type
    ADD CONSTRAINT django_content_type_pkey PRIMARY KEY (id);


--
-- Name: django_migrations django_migrations_pkey; Type: CONSTRAINT; Schema: wedsql; Owner: wed
--

ALTER TABLE ONLY wedsql.django_migrations
    ADD CONSTRAINT django_migrations_pkey PRIMARY KEY (id);


--
-- Name: django_q_ormq django_q_ormq_pkey; Type: CONSTRAINT; Schema: wedsql; Owner: wed
--

ALTER TABLE ONLY wedsql.django_q_ormq
    ADD CONSTRAINT django_q_ormq_pkey PRIMARY KEY (id);


--
-- Name: django_q_schedule django_q_schedule_pkey; Type: CONSTRAINT; Schema: wedsql; Owner: wed
--

ALTER TABLE ONLY wedsql.django_q_schedule
    ADD CONSTRAINT django_q_schedule_pkey PRIMARY KEY (id);


--
-- Name: django_q_task django_q_task_pkey; Type: CONSTRAINT; Schema: wedsql; Owner: wed
--

ALTER TABLE ONLY wedsql.django_q_task
    ADD CONSTRAINT django_q_task_pkey PRIMARY KEY (id);


--
-- Name: django_session django_session_pkey; Type: CONSTRAINT; Schema: wedsql; Owner: wed
--

ALTER TABLE ONLY wedsql.django_session
    ADD CONSTRAINT django_session_pkey PRIMARY KEY (session_key);


--
-- Name: flow flow_name_key; Type: CONSTRAINT; Schema: wedsql; Owner: wed_owner
--

ALTER TABLE ONLY wedsql.flow
    ADD CONSTRAINT flow_name_key UNIQUE (name);


--
-- Name: flow flow_pkey; Type: CONSTRAINT; Schema: wedsql; Owner: wed_owner
--

ALTER TABLE ONLY wedsql.flow
    ADD CONSTRAINT flow_pkey PRIMARY KEY (id);


--
-- Name: flow_version flow_version_pkey; Type: CONSTRAINT; Schema: wedsql; Owner: wed_owner
--

ALTER TABLE ONLY wedsql.flow_version
    ADD CONSTRAINT flow_version_pkey PRIMARY KEY (flow_id, version);


--
-- Name: instance instance_pkey; Type: CONSTRAINT; Schema: wedsql; Owner: wed_owner
--

ALTER TABLE ONLY wedsql.instance
    ADD CONSTRAINT instance_pkey PRIMARY KEY (wid);


--
-- Name: job_log job_log_pkey; Type: CONSTRAINT; Schema: wedsql; Owner: wed_owner
--

ALTER TABLE ONLY wedsql.job_log
    ADD CONSTRAINT job_log_pkey PRIMARY KEY (id);


--
-- Name: job_pool job_pool_pkey; Type: CONSTRAINT; Schema: wedsql; Owner: wed_owner
--

ALTER TABLE ONLY wedsql.job_pool
    ADD CONSTRAINT job_pool_pkey PRIMARY KEY (wid, tgid);


--
-- Name: lock_seen lock_seen_pkey; Type: CONSTRAINT; Schema: wedsql; Owner: wed_owner
--

ALTER TABLE ONLY wedsql.lock_seen
    ADD CONSTRAINT lock_seen_pkey PRIMARY KEY (pid, wid, tgid);


--
-- Name: paper_client paper_client_pkey; Type: CONSTRAINT; Schema: wedsql; Owner: wed_owner
--

ALTER TABLE ONLY wedsql.paper_client
    ADD CONSTRAINT paper_client_pkey PRIMARY KEY (flow_id, trname);


--
-- Name: refusal refusal_pkey; Type: CONSTRAINT; Schema: wedsql; Owner: wed_owner
--

ALTER TABLE ONLY wedsql.refusal
    ADD CONSTRAINT refusal_pkey PRIMARY KEY (reason);


--
-- Name: timer timer_pkey; Type: CONSTRAINT; Schema: wedsql; Owner: wed_owner
--

ALTER TABLE ONLY wedsql.timer
    ADD CONSTRAINT timer_pkey PRIMARY KEY (wid, tgid);


--
-- Name: timing timing_pkey; Type: CONSTRAINT; Schema: wedsql; Owner: wed_owner
--

ALTER TABLE ONLY wedsql.timing
    ADD CONSTRAINT timing_pkey PRIMARY KEY (flow_id, trname, kind);


--
-- Name: trig trig_pkey; Type: CONSTRAINT; Schema: wedsql; Owner: wed_owner
--

ALTER TABLE ONLY wedsql.trig
    ADD CONSTRAINT trig_pkey PRIMARY KEY (tgid);


--
-- Name: vocabulary vocabulary_pkey; Type: CONSTRAINT; Schema: wedsql; Owner: wed_owner
--

ALTER TABLE ONLY wedsql.vocabulary
    ADD CONSTRAINT vocabulary_pkey PRIMARY KEY (word);


--
-- Name: watch watch_pkey; Type: CONSTRAINT; Schema: wedsql; Owner: wed_owner
--

ALTER TABLE ONLY wedsql.watch
    ADD CONSTRAINT watch_pkey PRIMARY KEY (id);


--
-- Name: wed_trace wed_trace_pkey; Type: CONSTRAINT; Schema: wedsql; Owner: wed_owner
--

ALTER TABLE ONLY wedsql.wed_trace
    ADD CONSTRAINT wed_trace_pkey PRIMARY KEY (wid, seq, tstmp);


--
-- Name: wed_trace_2026_11 wed_trace_2026_11_pkey; Type: CONSTRAINT; Schema: wedsql; Owner: wed_owner
--

ALTER TABLE ONLY wedsql.wed_trace_2026_11
    ADD CONSTRAINT wed_trace_2026_11_pkey PRIMARY KEY (wid, seq, tstmp);


--
-- Name: wed_trace_2026_12 wed_trace_2026_12_pkey; Type: CONSTRAINT; Schema: wedsql; Owner: wed_owner
--

ALTER TABLE ONLY wedsql.wed_trace_2026_12
    ADD CONSTRAINT wed_trace_2026_12_pkey PRIMARY KEY (wid, seq, tstmp);


--
-- Name: wed_trace_2027_01 wed_trace_2027_01_pkey; Type: CONSTRAINT; Schema: wedsql; Owner: wed_owner
--

ALTER TABLE ONLY wedsql.wed_trace_2027_01
    ADD CONSTRAINT wed_trace_2027_01_pkey PRIMARY KEY (wid, seq, tstmp);


--
-- Name: wed_trace_default wed_trace_default_pkey; Type: CONSTRAINT; Schema: wedsql; Owner: wed_owner
--

ALTER TABLE ONLY wedsql.wed_trace_default
    ADD CONSTRAINT wed_trace_default_pkey PRIMARY KEY (wid, seq, tstmp);


--
-- Name: worker worker_pkey; Type: CONSTRAINT; Schema: wedsql; Owner: wed_owner
--

ALTER TABLE ONLY wedsql.worker
    ADD CONSTRAINT worker_pkey PRIMARY KEY (id);


--
-- Name: auth_group_name_a6ea08ec_like; Type: INDEX; Schema: wedsql; Owner: wed
--

CREATE INDEX auth_group_name_a6ea08ec_like ON wedsql.auth_group USING btree (name varchar_pattern_ops);


--
-- Name: auth_group_permissions_group_id_b120cbf9; Type: INDEX; Schema: wedsql; Owner: wed
--

CREATE INDEX auth_group_permissions_group_id_b120cbf9 ON wedsql.auth_group_permissions USING btree (group_id);


--
-- Name: auth_group_permissions_permission_id_84c5c92e; Type: INDEX; Schema: wedsql; Owner: wed
--

CREATE INDEX auth_group_permissions_permission_id_84c5c92e ON wedsql.auth_group_permissions USING btree (permission_id);


--
-- Name: auth_permission_content_type_id_2f476e4b; Type: INDEX; Schema: wedsql; Owner: wed
--

CREATE INDEX auth_permission_content_type_id_2f476e4b ON wedsql.auth_permission USING btree (content_type_id);


--
-- Name: auth_user_groups_group_id_97559544; Type: INDEX; Schema: wedsql; Owner: wed
--

CREATE INDEX auth_user_groups_group_id_97559544 ON wedsql.auth_user_groups USING btree (group_id);


--
-- Name: auth_user_groups_user_id_6a12ed8b; Type: INDEX; Schema: wedsql; Owner: wed
--

CREATE INDEX auth_user_groups_user_id_6a12ed8b ON wedsql.auth_user_groups USING btree (user_id);


--
-- Name: auth_user_user_permissions_permission_id_1fbb5f2c; Type: INDEX; Schema: wedsql; Owner: wed
--

CREATE INDEX auth_user_user_permissions_permission_id_1fbb5f2c ON wedsql.auth_user_user_permissions USING btree (permission_id);


--
-- Name: auth_user_user_permissions_user_id_a95ead1b; Type: INDEX; Schema: wedsql; Owner: wed
--

CREATE INDEX auth_user_user_permissions_user_id_a95ead1b ON wedsql.auth_user_user_permissions USING btree (user_id);


--
-- Name: auth_user_username_6821ab7c_like; Type: INDEX; Schema: wedsql; Owner: wed
--

CREATE INDEX auth_user_username_6821ab7c_like ON wedsql.auth_user USING btree (username varchar_pattern_ops);


--
-- Name: django_admin_log_content_type_id_c4bce8eb; Type: INDEX; Schema: wedsql; Owner: wed
--

CREATE INDEX django_admin_log_content_type_id_c4bce8eb ON wedsql.django_admin_log USING btree (content_type_id);


--
-- Name: django_admin_log_user_id_c564eba6; Type: INDEX; Schema: wedsql; Owner: wed
--

CREATE INDEX django_admin_log_user_id_c564eba6 ON wedsql.django_admin_log USING btree (user_id);


--
-- Name: django_q_task_id_32882367_like; Type: INDEX; Schema: wedsql; Owner: wed
--

CREATE INDEX django_q_task_id_32882367_like ON wedsql.django_q_task USING btree (id varchar_pattern_ops);


--
-- Name: django_session_expire_date_a5c62663; Type: INDEX; Schema: wedsql; Owner: wed
--

CREATE INDEX django_session_expire_date_a5c62663 ON wedsql.django_session USING btree (expire_date);


--
-- Name: django_session_session_key_c0390e0f_like; Type: INDEX; Schema: wedsql; Owner: wed
--

CREATE INDEX django_session_session_key_c0390e0f_like ON wedsql.django_session USING btree (session_key varchar_pattern_ops);


--
-- Name: instance_finished; Type: INDEX; Schema: wedsql; Owner: wed_owner
--

CREATE INDEX instance_finished ON wedsql.instance USING btree (flow_id, finished_at) WHERE (finished_at IS NOT NULL);


--
-- Name: instance_flow; Type: INDEX; Schema: wedsql; Owner: wed_owner
--

CREATE INDEX instance_flow ON wedsql.instance USING btree (flow_id, wid);


--
-- Name: instance_key; Type: INDEX; Schema: wedsql; Owner: wed_owner
--

CREATE UNIQUE INDEX instance_key ON wedsql.instance USING btree (flow_id, key) WHERE (key IS NOT NULL);


--
-- Name: instance_list; Type: INDEX; Schema: wedsql; Owner: wed_owner
--

CREATE INDEX instance_list ON wedsql.instance USING btree (flow_id, status, wid);


--
-- Name: job_log_flow; Type: INDEX; Schema: wedsql; Owner: wed_owner
--

CREATE INDEX job_log_flow ON wedsql.job_log USING btree (flow_id, id);


--
-- Name: job_log_wid; Type: INDEX; Schema: wedsql; Owner: wed_owner
--

CREATE INDEX job_log_wid ON wedsql.job_log USING btree (wid, id);


--
-- Name: job_pool_leased; Type: INDEX; Schema: wedsql; Owner: wed_owner
--

CREATE INDEX job_pool_leased ON wedsql.job_pool USING btree (lease_until) WHERE (state = 'L'::"char");


--
-- Name: job_pool_ready; Type: INDEX; Schema: wedsql; Owner: wed_owner
--

CREATE INDEX job_pool_ready ON wedsql.job_pool USING btree (flow_id, trname, priority DESC, id) WHERE (state = 'P'::"char");


--
-- Name: success_index; Type: INDEX; Schema: wedsql; Owner: wed
--

CREATE INDEX success_index ON wedsql.django_q_task USING btree ("group", name, func) WHERE success;


--
-- Name: timer_due; Type: INDEX; Schema: wedsql; Owner: wed_owner
--

CREATE INDEX timer_due ON wedsql.timer USING btree (due_at);


--
-- Name: trig_flow; Type: INDEX; Schema: wedsql; Owner: wed_owner
--

CREATE INDEX trig_flow ON wedsql.trig USING btree (flow_id, tgid);


--
-- Name: trig_one_final; Type: INDEX; Schema: wedsql; Owner: wed_owner
--

CREATE UNIQUE INDEX trig_one_final ON wedsql.trig USING btree (flow_id) WHERE cfinal;


--
-- Name: wed_trace_2026_11_pkey; Type: INDEX ATTACH; Schema: wedsql; Owner: wed_owner
--

ALTER INDEX wedsql.wed_trace_pkey ATTACH PARTITION wedsql.wed_trace_2026_11_pkey;


--
-- Name: wed_trace_2026_12_pkey; Type: INDEX ATTACH; Schema: wedsql; Owner: wed_owner
--

ALTER INDEX wedsql.wed_trace_pkey ATTACH PARTITION wedsql.wed_trace_2026_12_pkey;


--
-- Name: wed_trace_2027_01_pkey; Type: INDEX ATTACH; Schema: wedsql; Owner: wed_owner
--

ALTER INDEX wedsql.wed_trace_pkey ATTACH PARTITION wedsql.wed_trace_2027_01_pkey;


--
-- Name: wed_trace_default_pkey; Type: INDEX ATTACH; Schema: wedsql; Owner: wed_owner
--

ALTER INDEX wedsql.wed_trace_pkey ATTACH PARTITION wedsql.wed_trace_default_pkey;


--
-- Name: wed_flow a_room; Type: TRIGGER; Schema: cancelling; Owner: wed_owner
--

CREATE TRIGGER a_room BEFORE INSERT ON cancelling.wed_flow FOR EACH STATEMENT EXECUTE FUNCTION wedsql._room();


--
-- Name: wed_flow a_wid; Type: TRIGGER; Schema: cancelling; Owner: wed_owner
--

CREATE TRIGGER a_wid BEFORE INSERT ON cancelling.wed_flow FOR EACH ROW WHEN ((CURRENT_USER <> 'wed_owner'::text)) EXECUTE FUNCTION wedsql._paper_wid();


--
-- Name: wed_flow b_insert; Type: TRIGGER; Schema: cancelling; Owner: wed_owner
--

CREATE TRIGGER b_insert AFTER INSERT ON cancelling.wed_flow FOR EACH ROW WHEN ((CURRENT_USER <> 'wed_owner'::text)) EXECUTE FUNCTION wedsql._paper_insert();


--
-- Name: wed_flow c_update; Type: TRIGGER; Schema: cancelling; Owner: wed_owner
--

CREATE TRIGGER c_update AFTER UPDATE ON cancelling.wed_flow FOR EACH ROW WHEN ((CURRENT_USER <> 'wed_owner'::text)) EXECUTE FUNCTION wedsql._paper_update();


--
-- Name: wed_flow d_delete; Type: TRIGGER; Schema: cancelling; Owner: wed_owner
--

CREATE TRIGGER d_delete BEFORE DELETE ON cancelling.wed_flow FOR EACH STATEMENT WHEN ((CURRENT_USER <> 'wed_owner'::text)) EXECUTE FUNCTION wedsql._never();


--
-- Name: wed_flow e_truncate; Type: TRIGGER; Schema: cancelling; Owner: wed_owner
--

CREATE TRIGGER e_truncate BEFORE TRUNCATE ON cancelling.wed_flow FOR EACH STATEMENT EXECUTE FUNCTION wedsql._never();


--
-- Name: wed_flow a_room; Type: TRIGGER; Schema: deferring; Owner: wed_owner
--

CREATE TRIGGER a_room BEFORE INSERT ON deferring.wed_flow FOR EACH STATEMENT EXECUTE FUNCTION wedsql._room();


--
-- Name: wed_flow a_wid; Type: TRIGGER; Schema: deferring; Owner: wed_owner
--

CREATE TRIGGER a_wid BEFORE INSERT ON deferring.wed_flow FOR EACH ROW WHEN ((CURRENT_USER <> 'wed_owner'::text)) EXECUTE FUNCTION wedsql._paper_wid();


--
-- Name: wed_flow b_insert; Type: TRIGGER; Schema: deferring; Owner: wed_owner
--

CREATE TRIGGER b_insert AFTER INSERT ON deferring.wed_flow FOR EACH ROW WHEN ((CURRENT_USER <> 'wed_owner'::text)) EXECUTE FUNCTION wedsql._paper_insert();


--
-- Name: wed_flow c_update; Type: TRIGGER; Schema: deferring; Owner: wed_owner
--

CREATE TRIGGER c_update AFTER UPDATE ON deferring.wed_flow FOR EACH ROW WHEN ((CURRENT_USER <> 'wed_owner'::text)) EXECUTE FUNCTION wedsql._paper_update();


--
-- Name: wed_flow d_delete; Type: TRIGGER; Schema: deferring; Owner: wed_owner
--

CREATE TRIGGER d_delete BEFORE DELETE ON deferring.wed_flow FOR EACH STATEMENT WHEN ((CURRENT_USER <> 'wed_owner'::text)) EXECUTE FUNCTION wedsql._never();


--
-- Name: wed_flow e_truncate; Type: TRIGGER; Schema: deferring; Owner: wed_owner
--

CREATE TRIGGER e_truncate BEFORE TRUNCATE ON deferring.wed_flow FOR EACH STATEMENT EXECUTE FUNCTION wedsql._never();


--
-- Name: wed_flow a_room; Type: TRIGGER; Schema: every; Owner: wed_owner
--

CREATE TRIGGER a_room BEFORE INSERT ON every.wed_flow FOR EACH STATEMENT EXECUTE FUNCTION wedsql._room();


--
-- Name: wed_flow a_wid; Type: TRIGGER; Schema: every; Owner: wed_owner
--

CREATE TRIGGER a_wid BEFORE INSERT ON every.wed_flow FOR EACH ROW WHEN ((CURRENT_USER <> 'wed_owner'::text)) EXECUTE FUNCTION wedsql._paper_wid();


--
-- Name: wed_flow b_insert; Type: TRIGGER; Schema: every; Owner: wed_owner
--

CREATE TRIGGER b_insert AFTER INSERT ON every.wed_flow FOR EACH ROW WHEN ((CURRENT_USER <> 'wed_owner'::text)) EXECUTE FUNCTION wedsql._paper_insert();


--
-- Name: wed_flow c_update; Type: TRIGGER; Schema: every; Owner: wed_owner
--

CREATE TRIGGER c_update AFTER UPDATE ON every.wed_flow FOR EACH ROW WHEN ((CURRENT_USER <> 'wed_owner'::text)) EXECUTE FUNCTION wedsql._paper_update();


--
-- Name: wed_flow d_delete; Type: TRIGGER; Schema: every; Owner: wed_owner
--

CREATE TRIGGER d_delete BEFORE DELETE ON every.wed_flow FOR EACH STATEMENT WHEN ((CURRENT_USER <> 'wed_owner'::text)) EXECUTE FUNCTION wedsql._never();


--
-- Name: wed_flow e_truncate; Type: TRIGGER; Schema: every; Owner: wed_owner
--

CREATE TRIGGER e_truncate BEFORE TRUNCATE ON every.wed_flow FOR EACH STATEMENT EXECUTE FUNCTION wedsql._never();


--
-- Name: attr a_before; Type: TRIGGER; Schema: wedsql; Owner: wed_owner
--

CREATE TRIGGER a_before BEFORE INSERT OR DELETE OR UPDATE ON wedsql.attr FOR EACH ROW EXECUTE FUNCTION wedsql._attr_before();


--
-- Name: trig a_before; Type: TRIGGER; Schema: wedsql; Owner: wed_owner
--

CREATE TRIGGER a_before BEFORE INSERT OR UPDATE ON wedsql.trig FOR EACH ROW EXECUTE FUNCTION wedsql._trig_before();


--
-- Name: trig a_delete; Type: TRIGGER; Schema: wedsql; Owner: wed_owner
--

CREATE TRIGGER a_delete BEFORE DELETE ON wedsql.trig FOR EACH ROW EXECUTE FUNCTION wedsql._trig_delete();


--
-- Name: attr b_after; Type: TRIGGER; Schema: wedsql; Owner: wed_owner
--

CREATE TRIGGER b_after AFTER INSERT OR DELETE OR UPDATE ON wedsql.attr FOR EACH ROW EXECUTE FUNCTION wedsql._attr_after();


--
-- Name: trig b_touch; Type: TRIGGER; Schema: wedsql; Owner: wed_owner
--

CREATE TRIGGER b_touch AFTER INSERT OR DELETE OR UPDATE ON wedsql.trig FOR EACH ROW EXECUTE FUNCTION wedsql._trig_touch();


--
-- Name: flow c_changed; Type: TRIGGER; Schema: wedsql; Owner: wed_owner
--

CREATE TRIGGER c_changed AFTER UPDATE OF label, description, final_when_pending, max_firings, default_timeout, notify_trace, retention ON wedsql.flow FOR EACH ROW WHEN (((CURRENT_USER <> 'wed_owner'::name) AND (old.* IS DISTINCT FROM new.*))) EXECUTE FUNCTION wedsql._flow_changed();


--
-- Name: attr c_delete; Type: TRIGGER; Schema: wedsql; Owner: wed_owner
--

CREATE TRIGGER c_delete AFTER DELETE ON wedsql.attr REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION wedsql._regenerate();


--
-- Name: trig c_delete; Type: TRIGGER; Schema: wedsql; Owner: wed_owner
--

CREATE TRIGGER c_delete AFTER DELETE ON wedsql.trig REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION wedsql._regenerate();


--
-- Name: attr c_insert; Type: TRIGGER; Schema: wedsql; Owner: wed_owner
--

CREATE TRIGGER c_insert AFTER INSERT ON wedsql.attr REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION wedsql._regenerate();


--
-- Name: trig c_insert; Type: TRIGGER; Schema: wedsql; Owner: wed_owner
--

CREATE TRIGGER c_insert AFTER INSERT ON wedsql.trig REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION wedsql._regenerate();


--
-- Name: attr c_update; Type: TRIGGER; Schema: wedsql; Owner: wed_owner
--

CREATE TRIGGER c_update AFTER UPDATE ON wedsql.attr REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION wedsql._regenerate();


--
-- Name: trig c_update; Type: TRIGGER; Schema: wedsql; Owner: wed_owner
--

CREATE TRIGGER c_update AFTER UPDATE ON wedsql.trig REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION wedsql._regenerate();


--
-- Name: attr d_commit; Type: TRIGGER; Schema: wedsql; Owner: wed_owner
--

CREATE CONSTRAINT TRIGGER d_commit AFTER INSERT OR DELETE OR UPDATE ON wedsql.attr DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION wedsql._at_commit();


--
-- Name: flow d_commit; Type: TRIGGER; Schema: wedsql; Owner: wed_owner
--

CREATE CONSTRAINT TRIGGER d_commit AFTER UPDATE OF label, description, final_when_pending, max_firings, default_timeout, notify_trace, retention ON wedsql.flow DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((CURRENT_USER <> 'wed_owner'::name)) EXECUTE FUNCTION wedsql._flow_at_commit();


--
-- Name: trig d_commit; Type: TRIGGER; Schema: wedsql; Owner: wed_owner
--

CREATE CONSTRAINT TRIGGER d_commit AFTER INSERT OR DELETE OR UPDATE ON wedsql.trig DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION wedsql._at_commit();


--
-- Name: attr attr_flow_id_fkey; Type: FK CONSTRAINT; Schema: wedsql; Owner: wed_owner
--

ALTER TABLE ONLY wedsql.attr
    ADD CONSTRAINT attr_flow_id_fkey FOREIGN KEY (flow_id) REFERENCES wedsql.flow(id) ON DELETE CASCADE;


--
-- Name: auth_group_permissions auth_group_permissio_permission_id_84c5c92e_fk_auth_perm; Type: FK CONSTRAINT; Schema: wedsql; Owner: wed
--

ALTER TABLE ONLY wedsql.auth_group_permissions
    ADD CONSTRAINT auth_group_permissio_permission_id_84c5c92e_fk_auth_perm FOREIGN KEY (permission_id) REFERENCES wedsql.auth_permission(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: auth_group_permissions auth_group_permissions_group_id_b120cbf9_fk_auth_group_id; Type: FK CONSTRAINT; Schema: wedsql; Owner: wed
--

ALTER TABLE ONLY wedsql.auth_group_permissions
    ADD CONSTRAINT auth_group_permissions_group_id_b120cbf9_fk_auth_group_id FOREIGN KEY (group_id) REFERENCES wedsql.auth_group(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: auth_permission auth_permission_content_type_id_2f476e4b_fk_django_co; Type: FK CONSTRAINT; Schema: wedsql; Owner: wed
--

ALTER TABLE ONLY wedsql.auth_permission
    ADD CONSTRAINT auth_permission_content_type_id_2f476e4b_fk_django_co FOREIGN KEY (content_type_id) REFERENCES wedsql.django_content_type(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: auth_user_groups auth_user_groups_group_id_97559544_fk_auth_group_id; Type: FK CONSTRAINT; Schema: wedsql; Owner: wed
--

ALTER TABLE ONLY wedsql.auth_user_groups
    ADD CONSTRAINT auth_user_groups_group_id_97559544_fk_auth_group_id FOREIGN KEY (group_id) REFERENCES wedsql.auth_group(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: auth_user_groups auth_user_groups_user_id_6a12ed8b_fk_auth_user_id; Type: FK CONSTRAINT; Schema: wedsql; Owner: wed
--

ALTER TABLE ONLY wedsql.auth_user_groups
    ADD CONSTRAINT auth_user_groups_user_id_6a12ed8b_fk_auth_user_id FOREIGN KEY (user_id) REFERENCES wedsql.auth_user(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: auth_user_user_permissions auth_user_user_permi_permission_id_1fbb5f2c_fk_auth_perm; Type: FK CONSTRAINT; Schema: wedsql; Owner: wed
--

ALTER TABLE ONLY wedsql.auth_user_user_permissions
    ADD CONSTRAINT auth_user_user_permi_permission_id_1fbb5f2c_fk_auth_perm FOREIGN KEY (permission_id) REFERENCES wedsql.auth_permission(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: auth_user_user_permissions auth_user_user_permissions_user_id_a95ead1b_fk_auth_user_id; Type: FK CONSTRAINT; Schema: wedsql; Owner: wed
--

ALTER TABLE ONLY wedsql.auth_user_user_permissions
    ADD CONSTRAINT auth_user_user_permissions_user_id_a95ead1b_fk_auth_user_id FOREIGN KEY (user_id) REFERENCES wedsql.auth_user(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: condition_error condition_error_tgid_fkey; Type: FK CONSTRAINT; Schema: wedsql; Owner: wed_owner
--

ALTER TABLE ONLY wedsql.condition_error
    ADD CONSTRAINT condition_error_tgid_fkey FOREIGN KEY (tgid) REFERENCES wedsql.trig(tgid) ON DELETE CASCADE;


--
-- Name: django_admin_log django_admin_log_content_type_id_c4bce8eb_fk_django_co; Type: FK CONSTRAINT; Schema: wedsql; Owner: wed
--

ALTER TABLE ONLY wedsql.django_admin_log
    ADD CONSTRAINT django_admin_log_content_type_id_c4bce8eb_fk_django_co FOREIGN KEY (content_type_id) REFERENCES wedsql.django_content_type(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: django_admin_log django_admin_log_user_id_c564eba6_fk_auth_user_id; Type: FK CONSTRAINT; Schema: wedsql; Owner: wed
--

ALTER TABLE ONLY wedsql.django_admin_log
    ADD CONSTRAINT django_admin_log_user_id_c564eba6_fk_auth_user_id FOREIGN KEY (user_id) REFERENCES wedsql.auth_user(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: flow_version flow_version_flow_id_fkey; Type: FK CONSTRAINT; Schema: wedsql; Owner: wed_owner
--

ALTER TABLE ONLY wedsql.flow_version
    ADD CONSTRAINT flow_version_flow_id_fkey FOREIGN KEY (flow_id) REFERENCES wedsql.flow(id) ON DELETE CASCADE;


--
-- Name: instance instance_flow_id_fkey; Type: FK CONSTRAINT; Schema: wedsql; Owner: wed_owner
--

ALTER TABLE ONLY wedsql.instance
    ADD CONSTRAINT instance_flow_id_fkey FOREIGN KEY (flow_id) REFERENCES wedsql.flow(id);


--
-- Name: paper_client paper_client_flow_id_fkey; Type: FK CONSTRAINT; Schema: wedsql; Owner: wed_owner
--

ALTER TABLE ONLY wedsql.paper_client
    ADD CONSTRAINT paper_client_flow_id_fkey FOREIGN KEY (flow_id) REFERENCES wedsql.flow(id) ON DELETE CASCADE;


--
-- Name: timer timer_tgid_fkey; Type: FK CONSTRAINT; Schema: wedsql; Owner: wed_owner
--

ALTER TABLE ONLY wedsql.timer
    ADD CONSTRAINT timer_tgid_fkey FOREIGN KEY (tgid) REFERENCES wedsql.trig(tgid) ON DELETE CASCADE;


--
-- Name: timing timing_flow_id_fkey; Type: FK CONSTRAINT; Schema: wedsql; Owner: wed_owner
--

ALTER TABLE ONLY wedsql.timing
    ADD CONSTRAINT timing_flow_id_fkey FOREIGN KEY (flow_id) REFERENCES wedsql.flow(id) ON DELETE CASCADE;


--
-- Name: trig trig_flow_id_fkey; Type: FK CONSTRAINT; Schema: wedsql; Owner: wed_owner
--

ALTER TABLE ONLY wedsql.trig
    ADD CONSTRAINT trig_flow_id_fkey FOREIGN KEY (flow_id) REFERENCES wedsql.flow(id) ON DELETE CASCADE;


--
-- Name: SCHEMA cancelling; Type: ACL; Schema: -; Owner: wed_owner
--

GRANT USAGE ON SCHEMA cancelling TO wed_eval;
GRANT USAGE ON SCHEMA cancelling TO wed_web;
GRANT USAGE ON SCHEMA cancelling TO wed_worker;
GRANT USAGE ON SCHEMA cancelling TO wed_reaper;
GRANT USAGE ON SCHEMA cancelling TO wed_monitor;


--
-- Name: SCHEMA deferring; Type: ACL; Schema: -; Owner: wed_owner
--

GRANT USAGE ON SCHEMA deferring TO wed_eval;
GRANT USAGE ON SCHEMA deferring TO wed_web;
GRANT USAGE ON SCHEMA deferring TO wed_worker;
GRANT USAGE ON SCHEMA deferring TO wed_reaper;
GRANT USAGE ON SCHEMA deferring TO wed_monitor;


--
-- Name: SCHEMA every; Type: ACL; Schema: -; Owner: wed_owner
--

GRANT USAGE ON SCHEMA every TO wed_eval;
GRANT USAGE ON SCHEMA every TO wed_web;
GRANT USAGE ON SCHEMA every TO wed_worker;
GRANT USAGE ON SCHEMA every TO wed_reaper;
GRANT USAGE ON SCHEMA every TO wed_monitor;


--
-- Name: SCHEMA wed_match; Type: ACL; Schema: -; Owner: wed_eval
--

GRANT USAGE ON SCHEMA wed_match TO wed_owner;


--
-- Name: SCHEMA wedsql; Type: ACL; Schema: -; Owner: wed_owner
--

GRANT ALL ON SCHEMA wedsql TO wed;
GRANT USAGE ON SCHEMA wedsql TO wed_web;
GRANT USAGE ON SCHEMA wedsql TO wed_worker;
GRANT USAGE ON SCHEMA wedsql TO wed_reaper;
GRANT USAGE ON SCHEMA wedsql TO wed_monitor;
GRANT USAGE ON SCHEMA wedsql TO wed_eval;


--
-- Name: FUNCTION _commit(p_wids integer[], p_jobs bigint[], p_claims bigint[], p_changes jsonb[], p_actor text, p_held boolean); Type: ACL; Schema: cancelling; Owner: wed_owner
--

REVOKE ALL ON FUNCTION cancelling._commit(p_wids integer[], p_jobs bigint[], p_claims bigint[], p_changes jsonb[], p_actor text, p_held boolean) FROM PUBLIC;


--
-- Name: FUNCTION _retest(p_wids integer[]); Type: ACL; Schema: cancelling; Owner: wed_owner
--

REVOKE ALL ON FUNCTION cancelling._retest(p_wids integer[]) FROM PUBLIC;


--
-- Name: FUNCTION _single(p_wid integer, p_job_id bigint, p_claim bigint, p_changes jsonb, p_actor text, OUT seq integer, OUT status "char", OUT fired text[]); Type: ACL; Schema: cancelling; Owner: wed_owner
--

REVOKE ALL ON FUNCTION cancelling._single(p_wid integer, p_job_id bigint, p_claim bigint, p_changes jsonb, p_actor text, OUT seq integer, OUT status "char", OUT fired text[]) FROM PUBLIC;


--
-- Name: FUNCTION _start(p_states jsonb[], p_actor text, p_keys text[]); Type: ACL; Schema: cancelling; Owner: wed_owner
--

REVOKE ALL ON FUNCTION cancelling._start(p_states jsonb[], p_actor text, p_keys text[]) FROM PUBLIC;


--
-- Name: FUNCTION _taken(p_wids integer[], p_ids bigint[]); Type: ACL; Schema: cancelling; Owner: wed_owner
--

REVOKE ALL ON FUNCTION cancelling._taken(p_wids integer[], p_ids bigint[]) FROM PUBLIC;


--
-- Name: FUNCTION complete_held(p_wid integer, p_job_id bigint, p_changes jsonb, p_actor text, p_set text); Type: ACL; Schema: cancelling; Owner: wed_owner
--

REVOKE ALL ON FUNCTION cancelling.complete_held(p_wid integer, p_job_id bigint, p_changes jsonb, p_actor text, p_set text) FROM PUBLIC;
GRANT ALL ON FUNCTION cancelling.complete_held(p_wid integer, p_job_id bigint, p_changes jsonb, p_actor text, p_set text) TO wed_web;
GRANT ALL ON FUNCTION cancelling.complete_held(p_wid integer, p_job_id bigint, p_changes jsonb, p_actor text, p_set text) TO wed_worker;


--
-- Name: FUNCTION complete_many(p_wids integer[], p_job_ids bigint[], p_claims bigint[], p_changes jsonb[], p_actor text, p_sets text[]); Type: ACL; Schema: cancelling; Owner: wed_owner
--

REVOKE ALL ON FUNCTION cancelling.complete_many(p_wids integer[], p_job_ids bigint[], p_claims bigint[], p_changes jsonb[], p_actor text, p_sets text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION cancelling.complete_many(p_wids integer[], p_job_ids bigint[], p_claims bigint[], p_changes jsonb[], p_actor text, p_sets text[]) TO wed_web;
GRANT ALL ON FUNCTION cancelling.complete_many(p_wids integer[], p_job_ids bigint[], p_claims bigint[], p_changes jsonb[], p_actor text, p_sets text[]) TO wed_worker;


--
-- Name: FUNCTION hold(p_transitions text[], p_limit integer, p_actor text); Type: ACL; Schema: cancelling; Owner: wed_owner
--

REVOKE ALL ON FUNCTION cancelling.hold(p_transitions text[], p_limit integer, p_actor text) FROM PUBLIC;
GRANT ALL ON FUNCTION cancelling.hold(p_transitions text[], p_limit integer, p_actor text) TO wed_web;
GRANT ALL ON FUNCTION cancelling.hold(p_transitions text[], p_limit integer, p_actor text) TO wed_worker;


--
-- Name: FUNCTION start_many(p_states jsonb[], p_actor text, p_keys text[]); Type: ACL; Schema: cancelling; Owner: wed_owner
--

REVOKE ALL ON FUNCTION cancelling.start_many(p_states jsonb[], p_actor text, p_keys text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION cancelling.start_many(p_states jsonb[], p_actor text, p_keys text[]) TO wed_web;
GRANT ALL ON FUNCTION cancelling.start_many(p_states jsonb[], p_actor text, p_keys text[]) TO wed_worker;


--
-- Name: FUNCTION take(p_transitions text[], p_limit integer, p_actor text, p_job_ids bigint[]); Type: ACL; Schema: cancelling; Owner: wed_owner
--

REVOKE ALL ON FUNCTION cancelling.take(p_transitions text[], p_limit integer, p_actor text, p_job_ids bigint[]) FROM PUBLIC;
GRANT ALL ON FUNCTION cancelling.take(p_transitions text[], p_limit integer, p_actor text, p_job_ids bigint[]) TO wed_web;
GRANT ALL ON FUNCTION cancelling.take(p_transitions text[], p_limit integer, p_actor text, p_job_ids bigint[]) TO wed_worker;


--
-- Name: FUNCTION _commit(p_wids integer[], p_jobs bigint[], p_claims bigint[], p_changes jsonb[], p_actor text, p_held boolean); Type: ACL; Schema: deferring; Owner: wed_owner
--

REVOKE ALL ON FUNCTION deferring._commit(p_wids integer[], p_jobs bigint[], p_claims bigint[], p_changes jsonb[], p_actor text, p_held boolean) FROM PUBLIC;


--
-- Name: FUNCTION _retest(p_wids integer[]); Type: ACL; Schema: deferring; Owner: wed_owner
--

REVOKE ALL ON FUNCTION deferring._retest(p_wids integer[]) FROM PUBLIC;


--
-- Name: FUNCTION _single(p_wid integer, p_job_id bigint, p_claim bigint, p_changes jsonb, p_actor text, OUT seq integer, OUT status "char", OUT fired text[]); Type: ACL; Schema: deferring; Owner: wed_owner
--

REVOKE ALL ON FUNCTION deferring._single(p_wid integer, p_job_id bigint, p_claim bigint, p_changes jsonb, p_actor text, OUT seq integer, OUT status "char", OUT fired text[]) FROM PUBLIC;


--
-- Name: FUNCTION _start(p_states jsonb[], p_actor text, p_keys text[]); Type: ACL; Schema: deferring; Owner: wed_owner
--

REVOKE ALL ON FUNCTION deferring._start(p_states jsonb[], p_actor text, p_keys text[]) FROM PUBLIC;


--
-- Name: FUNCTION _taken(p_wids integer[], p_ids bigint[]); Type: ACL; Schema: deferring; Owner: wed_owner
--

REVOKE ALL ON FUNCTION deferring._taken(p_wids integer[], p_ids bigint[]) FROM PUBLIC;


--
-- Name: FUNCTION complete_held(p_wid integer, p_job_id bigint, p_changes jsonb, p_actor text, p_set text); Type: ACL; Schema: deferring; Owner: wed_owner
--

REVOKE ALL ON FUNCTION deferring.complete_held(p_wid integer, p_job_id bigint, p_changes jsonb, p_actor text, p_set text) FROM PUBLIC;
GRANT ALL ON FUNCTION deferring.complete_held(p_wid integer, p_job_id bigint, p_changes jsonb, p_actor text, p_set text) TO wed_web;
GRANT ALL ON FUNCTION deferring.complete_held(p_wid integer, p_job_id bigint, p_changes jsonb, p_actor text, p_set text) TO wed_worker;


--
-- Name: FUNCTION complete_many(p_wids integer[], p_job_ids bigint[], p_claims bigint[], p_changes jsonb[], p_actor text, p_sets text[]); Type: ACL; Schema: deferring; Owner: wed_owner
--

REVOKE ALL ON FUNCTION deferring.complete_many(p_wids integer[], p_job_ids bigint[], p_claims bigint[], p_changes jsonb[], p_actor text, p_sets text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION deferring.complete_many(p_wids integer[], p_job_ids bigint[], p_claims bigint[], p_changes jsonb[], p_actor text, p_sets text[]) TO wed_web;
GRANT ALL ON FUNCTION deferring.complete_many(p_wids integer[], p_job_ids bigint[], p_claims bigint[], p_changes jsonb[], p_actor text, p_sets text[]) TO wed_worker;


--
-- Name: FUNCTION hold(p_transitions text[], p_limit integer, p_actor text); Type: ACL; Schema: deferring; Owner: wed_owner
--

REVOKE ALL ON FUNCTION deferring.hold(p_transitions text[], p_limit integer, p_actor text) FROM PUBLIC;
GRANT ALL ON FUNCTION deferring.hold(p_transitions text[], p_limit integer, p_actor text) TO wed_web;
GRANT ALL ON FUNCTION deferring.hold(p_transitions text[], p_limit integer, p_actor text) TO wed_worker;


--
-- Name: FUNCTION start_many(p_states jsonb[], p_actor text, p_keys text[]); Type: ACL; Schema: deferring; Owner: wed_owner
--

REVOKE ALL ON FUNCTION deferring.start_many(p_states jsonb[], p_actor text, p_keys text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION deferring.start_many(p_states jsonb[], p_actor text, p_keys text[]) TO wed_web;
GRANT ALL ON FUNCTION deferring.start_many(p_states jsonb[], p_actor text, p_keys text[]) TO wed_worker;


--
-- Name: FUNCTION take(p_transitions text[], p_limit integer, p_actor text, p_job_ids bigint[]); Type: ACL; Schema: deferring; Owner: wed_owner
--

REVOKE ALL ON FUNCTION deferring.take(p_transitions text[], p_limit integer, p_actor text, p_job_ids bigint[]) FROM PUBLIC;
GRANT ALL ON FUNCTION deferring.take(p_transitions text[], p_limit integer, p_actor text, p_job_ids bigint[]) TO wed_web;
GRANT ALL ON FUNCTION deferring.take(p_transitions text[], p_limit integer, p_actor text, p_job_ids bigint[]) TO wed_worker;


--
-- Name: FUNCTION _commit(p_wids integer[], p_jobs bigint[], p_claims bigint[], p_changes jsonb[], p_actor text, p_held boolean); Type: ACL; Schema: every; Owner: wed_owner
--

REVOKE ALL ON FUNCTION every._commit(p_wids integer[], p_jobs bigint[], p_claims bigint[], p_changes jsonb[], p_actor text, p_held boolean) FROM PUBLIC;


--
-- Name: FUNCTION _retest(p_wids integer[]); Type: ACL; Schema: every; Owner: wed_owner
--

REVOKE ALL ON FUNCTION every._retest(p_wids integer[]) FROM PUBLIC;


--
-- Name: FUNCTION _single(p_wid integer, p_job_id bigint, p_claim bigint, p_changes jsonb, p_actor text, OUT seq integer, OUT status "char", OUT fired text[]); Type: ACL; Schema: every; Owner: wed_owner
--

REVOKE ALL ON FUNCTION every._single(p_wid integer, p_job_id bigint, p_claim bigint, p_changes jsonb, p_actor text, OUT seq integer, OUT status "char", OUT fired text[]) FROM PUBLIC;


--
-- Name: FUNCTION _start(p_states jsonb[], p_actor text, p_keys text[]); Type: ACL; Schema: every; Owner: wed_owner
--

REVOKE ALL ON FUNCTION every._start(p_states jsonb[], p_actor text, p_keys text[]) FROM PUBLIC;


--
-- Name: FUNCTION _taken(p_wids integer[], p_ids bigint[]); Type: ACL; Schema: every; Owner: wed_owner
--

REVOKE ALL ON FUNCTION every._taken(p_wids integer[], p_ids bigint[]) FROM PUBLIC;


--
-- Name: FUNCTION complete_held(p_wid integer, p_job_id bigint, p_changes jsonb, p_actor text, p_set text); Type: ACL; Schema: every; Owner: wed_owner
--

REVOKE ALL ON FUNCTION every.complete_held(p_wid integer, p_job_id bigint, p_changes jsonb, p_actor text, p_set text) FROM PUBLIC;
GRANT ALL ON FUNCTION every.complete_held(p_wid integer, p_job_id bigint, p_changes jsonb, p_actor text, p_set text) TO wed_web;
GRANT ALL ON FUNCTION every.complete_held(p_wid integer, p_job_id bigint, p_changes jsonb, p_actor text, p_set text) TO wed_worker;


--
-- Name: FUNCTION complete_many(p_wids integer[], p_job_ids bigint[], p_claims bigint[], p_changes jsonb[], p_actor text, p_sets text[]); Type: ACL; Schema: every; Owner: wed_owner
--

REVOKE ALL ON FUNCTION every.complete_many(p_wids integer[], p_job_ids bigint[], p_claims bigint[], p_changes jsonb[], p_actor text, p_sets text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION every.complete_many(p_wids integer[], p_job_ids bigint[], p_claims bigint[], p_changes jsonb[], p_actor text, p_sets text[]) TO wed_web;
GRANT ALL ON FUNCTION every.complete_many(p_wids integer[], p_job_ids bigint[], p_claims bigint[], p_changes jsonb[], p_actor text, p_sets text[]) TO wed_worker;


--
-- Name: FUNCTION hold(p_transitions text[], p_limit integer, p_actor text); Type: ACL; Schema: every; Owner: wed_owner
--

REVOKE ALL ON FUNCTION every.hold(p_transitions text[], p_limit integer, p_actor text) FROM PUBLIC;
GRANT ALL ON FUNCTION every.hold(p_transitions text[], p_limit integer, p_actor text) TO wed_web;
GRANT ALL ON FUNCTION every.hold(p_transitions text[], p_limit integer, p_actor text) TO wed_worker;


--
-- Name: FUNCTION start_many(p_states jsonb[], p_actor text, p_keys text[]); Type: ACL; Schema: every; Owner: wed_owner
--

REVOKE ALL ON FUNCTION every.start_many(p_states jsonb[], p_actor text, p_keys text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION every.start_many(p_states jsonb[], p_actor text, p_keys text[]) TO wed_web;
GRANT ALL ON FUNCTION every.start_many(p_states jsonb[], p_actor text, p_keys text[]) TO wed_worker;


--
-- Name: FUNCTION take(p_transitions text[], p_limit integer, p_actor text, p_job_ids bigint[]); Type: ACL; Schema: every; Owner: wed_owner
--

REVOKE ALL ON FUNCTION every.take(p_transitions text[], p_limit integer, p_actor text, p_job_ids bigint[]) FROM PUBLIC;
GRANT ALL ON FUNCTION every.take(p_transitions text[], p_limit integer, p_actor text, p_job_ids bigint[]) TO wed_web;
GRANT ALL ON FUNCTION every.take(p_transitions text[], p_limit integer, p_actor text, p_job_ids bigint[]) TO wed_worker;


--
-- Name: FUNCTION compile(p_flow integer, p_schema text, p_matcher text, p_errors text, p_settings text); Type: ACL; Schema: wed_match; Owner: wed_eval
--

REVOKE ALL ON FUNCTION wed_match.compile(p_flow integer, p_schema text, p_matcher text, p_errors text, p_settings text) FROM PUBLIC;
GRANT ALL ON FUNCTION wed_match.compile(p_flow integer, p_schema text, p_matcher text, p_errors text, p_settings text) TO wed_owner;


--
-- Name: TABLE wed_flow; Type: ACL; Schema: every; Owner: wed_owner
--

GRANT SELECT ON TABLE every.wed_flow TO wed_web;
GRANT SELECT ON TABLE every.wed_flow TO wed_worker;
GRANT SELECT ON TABLE every.wed_flow TO wed_monitor;


--
-- Name: FUNCTION e_1(r every.wed_flow); Type: ACL; Schema: wed_match; Owner: wed_eval
--

REVOKE ALL ON FUNCTION wed_match.e_1(r every.wed_flow) FROM PUBLIC;
GRANT ALL ON FUNCTION wed_match.e_1(r every.wed_flow) TO wed_owner;


--
-- Name: TABLE wed_flow; Type: ACL; Schema: deferring; Owner: wed_owner
--

GRANT SELECT ON TABLE deferring.wed_flow TO wed_web;
GRANT SELECT ON TABLE deferring.wed_flow TO wed_worker;
GRANT SELECT ON TABLE deferring.wed_flow TO wed_monitor;


--
-- Name: FUNCTION e_2(r deferring.wed_flow); Type: ACL; Schema: wed_match; Owner: wed_eval
--

REVOKE ALL ON FUNCTION wed_match.e_2(r deferring.wed_flow) FROM PUBLIC;
GRANT ALL ON FUNCTION wed_match.e_2(r deferring.wed_flow) TO wed_owner;


--
-- Name: TABLE wed_flow; Type: ACL; Schema: cancelling; Owner: wed_owner
--

GRANT SELECT ON TABLE cancelling.wed_flow TO wed_web;
GRANT SELECT ON TABLE cancelling.wed_flow TO wed_worker;
GRANT SELECT ON TABLE cancelling.wed_flow TO wed_monitor;


--
-- Name: FUNCTION e_3(r cancelling.wed_flow); Type: ACL; Schema: wed_match; Owner: wed_eval
--

REVOKE ALL ON FUNCTION wed_match.e_3(r cancelling.wed_flow) FROM PUBLIC;
GRANT ALL ON FUNCTION wed_match.e_3(r cancelling.wed_flow) TO wed_owner;


--
-- Name: FUNCTION evaluate(p_schema text, p_names text[], p_exprs text[], p_state jsonb); Type: ACL; Schema: wed_match; Owner: wed_eval
--

REVOKE ALL ON FUNCTION wed_match.evaluate(p_schema text, p_names text[], p_exprs text[], p_state jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION wed_match.evaluate(p_schema text, p_names text[], p_exprs text[], p_state jsonb) TO wed_owner;


--
-- Name: FUNCTION f_1(r every.wed_flow); Type: ACL; Schema: wed_match; Owner: wed_eval
--

REVOKE ALL ON FUNCTION wed_match.f_1(r every.wed_flow) FROM PUBLIC;
GRANT ALL ON FUNCTION wed_match.f_1(r every.wed_flow) TO wed_owner;


--
-- Name: FUNCTION f_2(r deferring.wed_flow); Type: ACL; Schema: wed_match; Owner: wed_eval
--

REVOKE ALL ON FUNCTION wed_match.f_2(r deferring.wed_flow) FROM PUBLIC;
GRANT ALL ON FUNCTION wed_match.f_2(r deferring.wed_flow) TO wed_owner;


--
-- Name: FUNCTION f_3(r cancelling.wed_flow); Type: ACL; Schema: wed_match; Owner: wed_eval
--

REVOKE ALL ON FUNCTION wed_match.f_3(r cancelling.wed_flow) FROM PUBLIC;
GRANT ALL ON FUNCTION wed_match.f_3(r cancelling.wed_flow) TO wed_owner;


--
-- Name: FUNCTION holds(p_schema text, p_exprs text[], p_state jsonb); Type: ACL; Schema: wed_match; Owner: wed_eval
--

REVOKE ALL ON FUNCTION wed_match.holds(p_schema text, p_exprs text[], p_state jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION wed_match.holds(p_schema text, p_exprs text[], p_state jsonb) TO wed_owner;


--
-- Name: FUNCTION _actor(p_actor text); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._actor(p_actor text) FROM PUBLIC;


--
-- Name: FUNCTION _add_counts(p_one jsonb, p_two jsonb); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._add_counts(p_one jsonb, p_two jsonb) FROM PUBLIC;


--
-- Name: FUNCTION _added(p_counts bigint[], p_more bigint[]); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._added(p_counts bigint[], p_more bigint[]) FROM PUBLIC;


--
-- Name: FUNCTION _apply_changes(p_flow integer); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._apply_changes(p_flow integer) FROM PUBLIC;


--
-- Name: FUNCTION _apply_definition(p_flow integer, p_definition jsonb); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._apply_definition(p_flow integer, p_definition jsonb) FROM PUBLIC;


--
-- Name: FUNCTION _apply_new_attributes(p_flow integer, p_attributes jsonb); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._apply_new_attributes(p_flow integer, p_attributes jsonb) FROM PUBLIC;


--
-- Name: TABLE flow; Type: ACL; Schema: wedsql; Owner: wed_owner
--

GRANT SELECT ON TABLE wedsql.flow TO wed_web;
GRANT SELECT ON TABLE wedsql.flow TO wed_worker;
GRANT SELECT ON TABLE wedsql.flow TO wed_reaper;
GRANT SELECT ON TABLE wedsql.flow TO wed_monitor;


--
-- Name: COLUMN flow.label; Type: ACL; Schema: wedsql; Owner: wed_owner
--

GRANT UPDATE(label) ON TABLE wedsql.flow TO wed_web;


--
-- Name: COLUMN flow.description; Type: ACL; Schema: wedsql; Owner: wed_owner
--

GRANT UPDATE(description) ON TABLE wedsql.flow TO wed_web;


--
-- Name: COLUMN flow.final_when_pending; Type: ACL; Schema: wedsql; Owner: wed_owner
--

GRANT UPDATE(final_when_pending) ON TABLE wedsql.flow TO wed_web;


--
-- Name: COLUMN flow.max_firings; Type: ACL; Schema: wedsql; Owner: wed_owner
--

GRANT UPDATE(max_firings) ON TABLE wedsql.flow TO wed_web;


--
-- Name: COLUMN flow.default_timeout; Type: ACL; Schema: wedsql; Owner: wed_owner
--

GRANT UPDATE(default_timeout) ON TABLE wedsql.flow TO wed_web;


--
-- Name: COLUMN flow.notify_trace; Type: ACL; Schema: wedsql; Owner: wed_owner
--

GRANT UPDATE(notify_trace) ON TABLE wedsql.flow TO wed_web;


--
-- Name: COLUMN flow.retention; Type: ACL; Schema: wedsql; Owner: wed_owner
--

GRANT UPDATE(retention) ON TABLE wedsql.flow TO wed_web;


--
-- Name: FUNCTION _apply_options(p_flow wedsql.flow, p_step wedsql.step, p_now timestamp with time zone); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._apply_options(p_flow wedsql.flow, p_step wedsql.step, p_now timestamp with time zone) FROM PUBLIC;


--
-- Name: FUNCTION _apply_settings(p_flow integer, p_definition jsonb); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._apply_settings(p_flow integer, p_definition jsonb) FROM PUBLIC;


--
-- Name: FUNCTION _apply_timers(p_flow wedsql.flow, p_step wedsql.step, p_now timestamp with time zone); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._apply_timers(p_flow wedsql.flow, p_step wedsql.step, p_now timestamp with time zone) FROM PUBLIC;


--
-- Name: FUNCTION _apply_triggers(p_flow integer, p_triggers jsonb); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._apply_triggers(p_flow integer, p_triggers jsonb) FROM PUBLIC;


--
-- Name: TABLE attr; Type: ACL; Schema: wedsql; Owner: wed_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE wedsql.attr TO wed_web;
GRANT SELECT ON TABLE wedsql.attr TO wed_worker;
GRANT SELECT ON TABLE wedsql.attr TO wed_reaper;
GRANT SELECT ON TABLE wedsql.attr TO wed_monitor;


--
-- Name: FUNCTION _archive(p_flow text, p_attr wedsql.attr); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._archive(p_flow text, p_attr wedsql.attr) FROM PUBLIC;


--
-- Name: FUNCTION _at_commit(); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._at_commit() FROM PUBLIC;


--
-- Name: FUNCTION _attr_after(); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._attr_after() FROM PUBLIC;


--
-- Name: FUNCTION _attr_alter(p_flow text, p_old wedsql.attr, p_new wedsql.attr); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._attr_alter(p_flow text, p_old wedsql.attr, p_new wedsql.attr) FROM PUBLIC;


--
-- Name: FUNCTION _attr_before(); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._attr_before() FROM PUBLIC;


--
-- Name: FUNCTION _attr_check(p_flow text, p_attr wedsql.attr); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._attr_check(p_flow text, p_attr wedsql.attr) FROM PUBLIC;


--
-- Name: FUNCTION _attr_types(p_flow integer); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._attr_types(p_flow integer) FROM PUBLIC;


--
-- Name: FUNCTION _attribute_rows(p_attributes jsonb); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._attribute_rows(p_attributes jsonb) FROM PUBLIC;


--
-- Name: FUNCTION _attribute_types(p_definition jsonb); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._attribute_types(p_definition jsonb) FROM PUBLIC;


--
-- Name: FUNCTION _attributes_differ(p_flow integer, p_attributes jsonb); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._attributes_differ(p_flow integer, p_attributes jsonb) FROM PUBLIC;


--
-- Name: FUNCTION _backoff(p_base interval, p_attempts integer); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._backoff(p_base interval, p_attempts integer) FROM PUBLIC;


--
-- Name: FUNCTION _blame(p_flow text, p_changes jsonb, p_why wedsql.why); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._blame(p_flow text, p_changes jsonb, p_why wedsql.why) FROM PUBLIC;


--
-- Name: FUNCTION _check_default(p_name text, p_type text, p_options text[], p_default text); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._check_default(p_name text, p_type text, p_options text[], p_default text) FROM PUBLIC;


--
-- Name: FUNCTION _check_definition(p_definition jsonb); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._check_definition(p_definition jsonb) FROM PUBLIC;


--
-- Name: TABLE trig; Type: ACL; Schema: wedsql; Owner: wed_owner
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE wedsql.trig TO wed_web;
GRANT SELECT ON TABLE wedsql.trig TO wed_worker;
GRANT SELECT ON TABLE wedsql.trig TO wed_reaper;
GRANT SELECT ON TABLE wedsql.trig TO wed_monitor;


--
-- Name: FUNCTION _check_final(p_trig wedsql.trig); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._check_final(p_trig wedsql.trig) FROM PUBLIC;


--
-- Name: FUNCTION _check_jobs(p_flow integer, p_attrs text[], p_wids integer[], p_jobs bigint[], p_claims bigint[], p_changes jsonb[], p_actor text, p_held boolean); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._check_jobs(p_flow integer, p_attrs text[], p_wids integer[], p_jobs bigint[], p_claims bigint[], p_changes jsonb[], p_actor text, p_held boolean) FROM PUBLIC;


--
-- Name: FUNCTION _check_options(p_trig wedsql.trig); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._check_options(p_trig wedsql.trig) FROM PUBLIC;


--
-- Name: FUNCTION _check_states(p_attrs text[], p_states jsonb[]); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._check_states(p_attrs text[], p_states jsonb[]) FROM PUBLIC;


--
-- Name: TABLE job_pool; Type: ACL; Schema: wedsql; Owner: wed_owner
--

GRANT SELECT ON TABLE wedsql.job_pool TO wed_web;
GRANT SELECT ON TABLE wedsql.job_pool TO wed_worker;
GRANT SELECT ON TABLE wedsql.job_pool TO wed_reaper;
GRANT SELECT ON TABLE wedsql.job_pool TO wed_monitor;


--
-- Name: FUNCTION _check_writes(p_job wedsql.job_pool, p_before jsonb); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._check_writes(p_job wedsql.job_pool, p_before jsonb) FROM PUBLIC;


--
-- Name: FUNCTION _column_list(p_flow integer, p_form text, p_between text); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._column_list(p_flow integer, p_form text, p_between text) FROM PUBLIC;


--
-- Name: FUNCTION _complete_one(p_flow text, p_wid integer, p_job bigint, p_claim bigint, p_changes jsonb, p_actor text, p_set text); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._complete_one(p_flow text, p_wid integer, p_job bigint, p_claim bigint, p_changes jsonb, p_actor text, p_set text) FROM PUBLIC;


--
-- Name: FUNCTION _condition_errors(p_flow wedsql.flow, p_step wedsql.step, p_now timestamp with time zone); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._condition_errors(p_flow wedsql.flow, p_step wedsql.step, p_now timestamp with time zone) FROM PUBLIC;


--
-- Name: FUNCTION _count_attempt(p_wid integer, p_job bigint, p_claim bigint, p_outcome text, p_why text, p_now timestamp with time zone); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._count_attempt(p_wid integer, p_job bigint, p_claim bigint, p_outcome text, p_why text, p_now timestamp with time zone) FROM PUBLIC;


--
-- Name: FUNCTION _dead_limit(p_live bigint); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._dead_limit(p_live bigint) FROM PUBLIC;


--
-- Name: FUNCTION _default_timeout(p_flow integer, p_name text); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._default_timeout(p_flow integer, p_name text) FROM PUBLIC;


--
-- Name: FUNCTION _derive(p_flow integer); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._derive(p_flow integer) FROM PUBLIC;


--
-- Name: FUNCTION _disjuncts(p_flow integer, p_schema text, p_tgid integer, p_payload jsonb); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._disjuncts(p_flow integer, p_schema text, p_tgid integer, p_payload jsonb) FROM PUBLIC;


--
-- Name: FUNCTION _drop_stale(p_flow integer, p_schema text, p_wids integer[], p_ids bigint[], OUT wids integer[], OUT ids bigint[]); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._drop_stale(p_flow integer, p_schema text, p_wids integer[], p_ids bigint[], OUT wids integer[], OUT ids bigint[]) FROM PUBLIC;


--
-- Name: FUNCTION _end_session(p_pid integer, p_state text); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._end_session(p_pid integer, p_state text) FROM PUBLIC;


--
-- Name: FUNCTION _error_teller(p_flow integer); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._error_teller(p_flow integer) FROM PUBLIC;


--
-- Name: FUNCTION _except(p_flow wedsql.flow, p_wid integer, p_tgids integer[], p_reason text, p_actor text, p_why text, p_now timestamp with time zone); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._except(p_flow wedsql.flow, p_wid integer, p_tgids integer[], p_reason text, p_actor text, p_why text, p_now timestamp with time zone) FROM PUBLIC;


--
-- Name: FUNCTION _except_job(p_flow wedsql.flow, p_wid integer, p_seq integer, p_steps wedsql.step[], p_now timestamp with time zone); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._except_job(p_flow wedsql.flow, p_wid integer, p_seq integer, p_steps wedsql.step[], p_now timestamp with time zone) FROM PUBLIC;


--
-- Name: FUNCTION _final_blocked(p_flow wedsql.flow, p_wid integer, p_actor text, p_now timestamp with time zone); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._final_blocked(p_flow wedsql.flow, p_wid integer, p_actor text, p_now timestamp with time zone) FROM PUBLIC;


--
-- Name: FUNCTION _fixed_moments(p_canonical text, p_reads text[], p_types jsonb); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._fixed_moments(p_canonical text, p_reads text[], p_types jsonb) FROM PUBLIC;


--
-- Name: FUNCTION _flow(p_name text); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._flow(p_name text) FROM PUBLIC;


--
-- Name: FUNCTION _flow_at_commit(); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._flow_at_commit() FROM PUBLIC;


--
-- Name: FUNCTION _flow_changed(); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._flow_changed() FROM PUBLIC;


--
-- Name: FUNCTION _fuse(p_flow wedsql.flow, p_wid integer, p_seq integer, p_now timestamp with time zone); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._fuse(p_flow wedsql.flow, p_wid integer, p_seq integer, p_now timestamp with time zone) FROM PUBLIC;


--
-- Name: FUNCTION _gen_commit(p_flow integer, p_schema text); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._gen_commit(p_flow integer, p_schema text) FROM PUBLIC;


--
-- Name: FUNCTION _gen_complete(p_flow integer, p_schema text); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._gen_complete(p_flow integer, p_schema text) FROM PUBLIC;


--
-- Name: FUNCTION _gen_complete_held(p_flow integer, p_schema text); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._gen_complete_held(p_flow integer, p_schema text) FROM PUBLIC;


--
-- Name: FUNCTION _gen_retest(p_flow integer, p_schema text); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._gen_retest(p_flow integer, p_schema text) FROM PUBLIC;


--
-- Name: FUNCTION _gen_single(p_flow integer, p_schema text); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._gen_single(p_flow integer, p_schema text) FROM PUBLIC;


--
-- Name: FUNCTION _gen_start(p_flow integer, p_schema text); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._gen_start(p_flow integer, p_schema text) FROM PUBLIC;


--
-- Name: FUNCTION _gen_start_many(p_flow integer, p_schema text); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._gen_start_many(p_flow integer, p_schema text) FROM PUBLIC;


--
-- Name: FUNCTION _gen_take(p_flow integer, p_schema text, p_session boolean); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._gen_take(p_flow integer, p_schema text, p_session boolean) FROM PUBLIC;


--
-- Name: FUNCTION _gen_taken(p_flow integer, p_schema text); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._gen_taken(p_flow integer, p_schema text) FROM PUBLIC;


--
-- Name: FUNCTION _generate(p_flow integer); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._generate(p_flow integer) FROM PUBLIC;


--
-- Name: FUNCTION _grant_flow(p_name text); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._grant_flow(p_name text) FROM PUBLIC;


--
-- Name: FUNCTION _grant_functions(p_name text); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._grant_functions(p_name text) FROM PUBLIC;


--
-- Name: FUNCTION _guard_flow(p_name text); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._guard_flow(p_name text) FROM PUBLIC;


--
-- Name: FUNCTION _guard_room(p_name text); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._guard_room(p_name text) FROM PUBLIC;


--
-- Name: FUNCTION _has_timer(p_wid integer); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._has_timer(p_wid integer) FROM PUBLIC;


--
-- Name: FUNCTION _hold(p_wid integer); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._hold(p_wid integer) FROM PUBLIC;


--
-- Name: FUNCTION _hold(p_flow text, p_wid integer); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._hold(p_flow text, p_wid integer) FROM PUBLIC;


--
-- Name: FUNCTION _holds_vacuum_back(); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._holds_vacuum_back() FROM PUBLIC;


--
-- Name: FUNCTION _hot_tables(p_max integer); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._hot_tables(p_max integer) FROM PUBLIC;


--
-- Name: FUNCTION _invariant(p_query text, p_wids integer[], p_examples integer); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._invariant(p_query text, p_wids integer[], p_examples integer) FROM PUBLIC;


--
-- Name: FUNCTION _invariant_flow_query(p_name text, p_flow wedsql.flow); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._invariant_flow_query(p_name text, p_flow wedsql.flow) FROM PUBLIC;


--
-- Name: FUNCTION _invariant_queries(); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._invariant_queries() FROM PUBLIC;


--
-- Name: FUNCTION _invariant_sample(p_limit integer); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._invariant_sample(p_limit integer) FROM PUBLIC;


--
-- Name: FUNCTION _leased(p_wid integer, p_job bigint, p_claim bigint); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._leased(p_wid integer, p_job bigint, p_claim bigint) FROM PUBLIC;


--
-- Name: FUNCTION _lock_definition(p_flow integer, p_columns boolean); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._lock_definition(p_flow integer, p_columns boolean) FROM PUBLIC;


--
-- Name: FUNCTION _make_views(p_flow integer, p_name text); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._make_views(p_flow integer, p_name text) FROM PUBLIC;


--
-- Name: FUNCTION _matcher(p_flow integer); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._matcher(p_flow integer) FROM PUBLIC;


--
-- Name: FUNCTION _moving_moment(p_json boolean); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._moving_moment(p_json boolean) FROM PUBLIC;


--
-- Name: FUNCTION _never(); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._never() FROM PUBLIC;


--
-- Name: FUNCTION _next_status(p_final boolean, p_live boolean, p_parked boolean, p_fires boolean, p_timer boolean, p_fresh boolean, p_policy text); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._next_status(p_final boolean, p_live boolean, p_parked boolean, p_fires boolean, p_timer boolean, p_fresh boolean, p_policy text) FROM PUBLIC;


--
-- Name: FUNCTION _notify(p_flow wedsql.flow, p_wids integer[], p_seqs integer[], p_names text[], p_jobs integer); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._notify(p_flow wedsql.flow, p_wids integer[], p_seqs integer[], p_names text[], p_jobs integer) FROM PUBLIC;


--
-- Name: FUNCTION _notify_paper(p_flow wedsql.flow, p_wids integer[], p_names text[], p_now timestamp with time zone); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._notify_paper(p_flow wedsql.flow, p_wids integer[], p_names text[], p_now timestamp with time zone) FROM PUBLIC;


--
-- Name: FUNCTION _paper_in_time(p_job wedsql.job_pool); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._paper_in_time(p_job wedsql.job_pool) FROM PUBLIC;


--
-- Name: FUNCTION _paper_insert(); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._paper_insert() FROM PUBLIC;


--
-- Name: FUNCTION _paper_job(p_flow integer, p_wid integer); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._paper_job(p_flow integer, p_wid integer) FROM PUBLIC;


--
-- Name: FUNCTION _paper_update(); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._paper_update() FROM PUBLIC;


--
-- Name: FUNCTION _paper_wid(); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._paper_wid() FROM PUBLIC;


--
-- Name: FUNCTION _park(p_flow wedsql.flow, p_wid integer, p_tgids integer[], p_reason text, p_actor text, p_now timestamp with time zone); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._park(p_flow wedsql.flow, p_wid integer, p_tgids integer[], p_reason text, p_actor text, p_now timestamp with time zone) FROM PUBLIC;


--
-- Name: FUNCTION _pick(p_flow integer, p_shared boolean, p_transitions text[], p_limit integer, p_ids bigint[], p_session boolean, OUT wids integer[], OUT ids bigint[]); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._pick(p_flow integer, p_shared boolean, p_transitions text[], p_limit integer, p_ids bigint[], p_session boolean, OUT wids integer[], OUT ids bigint[]) FROM PUBLIC;


--
-- Name: FUNCTION _places(p_flow integer, p_attr text); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._places(p_flow integer, p_attr text) FROM PUBLIC;


--
-- Name: FUNCTION _plan_back(p_back interval, p_now timestamp with time zone); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._plan_back(p_back interval, p_now timestamp with time zone) FROM PUBLIC;


--
-- Name: FUNCTION _prepare(p_flow wedsql.flow, p_steps wedsql.step[], p_now timestamp with time zone); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._prepare(p_flow wedsql.flow, p_steps wedsql.step[], p_now timestamp with time zone) FROM PUBLIC;


--
-- Name: FUNCTION _publish(p_flow integer, p_actor text, p_reason text); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._publish(p_flow integer, p_actor text, p_reason text) FROM PUBLIC;


--
-- Name: FUNCTION _raise(p_code text, p_message text, p_hint text, p_detail text); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._raise(p_code text, p_message text, p_hint text, p_detail text) FROM PUBLIC;


--
-- Name: FUNCTION _reap_clock(p_now timestamp with time zone); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._reap_clock(p_now timestamp with time zone) FROM PUBLIC;


--
-- Name: FUNCTION _reap_leases(p_max integer, p_now timestamp with time zone); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._reap_leases(p_max integer, p_now timestamp with time zone) FROM PUBLIC;


--
-- Name: FUNCTION _reap_pickups(p_max integer, p_now timestamp with time zone); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._reap_pickups(p_max integer, p_now timestamp with time zone) FROM PUBLIC;


--
-- Name: FUNCTION _reap_timers(p_max integer, p_now timestamp with time zone); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._reap_timers(p_max integer, p_now timestamp with time zone) FROM PUBLIC;


--
-- Name: FUNCTION _reap_transactions(p_max integer, p_now timestamp with time zone); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._reap_transactions(p_max integer, p_now timestamp with time zone) FROM PUBLIC;


--
-- Name: FUNCTION _recheck_triggers(p_flow integer, p_attr text); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._recheck_triggers(p_flow integer, p_attr text) FROM PUBLIC;


--
-- Name: FUNCTION _refresh_flow(p_flow integer, p_name text); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._refresh_flow(p_flow integer, p_name text) FROM PUBLIC;


--
-- Name: FUNCTION _refuse(p_flow wedsql.flow, p_wid integer, p_status "char", p_steps wedsql.step[]); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._refuse(p_flow wedsql.flow, p_wid integer, p_status "char", p_steps wedsql.step[]) FROM PUBLIC;


--
-- Name: FUNCTION _refuse_job(p_code text, p_wids integer[], p_jobs bigint[], p_changes jsonb[]); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._refuse_job(p_code text, p_wids integer[], p_jobs bigint[], p_changes jsonb[]) FROM PUBLIC;


--
-- Name: FUNCTION _regenerate(); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._regenerate() FROM PUBLIC;


--
-- Name: FUNCTION _rematch(p_flow integer, p_wids integer[], p_all boolean, p_final boolean, p_actor text, p_reason text); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._rematch(p_flow integer, p_wids integer[], p_all boolean, p_final boolean, p_actor text, p_reason text) FROM PUBLIC;


--
-- Name: FUNCTION _rematch_some(p_flow integer, p_name text, p_wids integer[], p_all boolean, p_actor text, p_reason text); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._rematch_some(p_flow integer, p_name text, p_wids integer[], p_all boolean, p_actor text, p_reason text) FROM PUBLIC;


--
-- Name: FUNCTION _rename_in_triggers(p_flow integer, p_old text, p_new text); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._rename_in_triggers(p_flow integer, p_old text, p_new text) FROM PUBLIC;


--
-- Name: FUNCTION _retirable(p_flow wedsql.flow, p_now timestamp with time zone, p_max integer, p_wids integer[]); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._retirable(p_flow wedsql.flow, p_now timestamp with time zone, p_max integer, p_wids integer[]) FROM PUBLIC;


--
-- Name: FUNCTION _room(); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._room() FROM PUBLIC;


--
-- Name: FUNCTION _set_changes(p_flow text, p_wid integer, p_set text); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._set_changes(p_flow text, p_wid integer, p_set text) FROM PUBLIC;


--
-- Name: FUNCTION _settle(p_flow_id integer, p_steps wedsql.step[], p_failed boolean, p_rematch boolean); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._settle(p_flow_id integer, p_steps wedsql.step[], p_failed boolean, p_rematch boolean) FROM PUBLIC;


--
-- Name: FUNCTION _settle_counted(p_flow wedsql.flow, p_steps wedsql.step[]); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._settle_counted(p_flow wedsql.flow, p_steps wedsql.step[]) FROM PUBLIC;


--
-- Name: FUNCTION _short_way(p_flow integer, p_schema text, p_first text, p_held text, p_ours text, p_claim text, p_answer text); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._short_way(p_flow integer, p_schema text, p_first text, p_held text, p_ours text, p_claim text, p_answer text) FROM PUBLIC;


--
-- Name: FUNCTION _sleepers(p_flow text, p_names text[], p_jobs integer, p_now timestamp with time zone); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._sleepers(p_flow text, p_names text[], p_jobs integer, p_now timestamp with time zone) FROM PUBLIC;


--
-- Name: FUNCTION _sql_type(p_type text); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._sql_type(p_type text) FROM PUBLIC;


--
-- Name: FUNCTION _start_refused(p_flow text, p_state jsonb, p_key text, p_why wedsql.why); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._start_refused(p_flow text, p_state jsonb, p_key text, p_why wedsql.why) FROM PUBLIC;


--
-- Name: FUNCTION _sweep_often(p_name text); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._sweep_often(p_name text) FROM PUBLIC;


--
-- Name: FUNCTION _taken_query(p_flow integer, p_schema text, p_wids text, p_ids text); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._taken_query(p_flow integer, p_schema text, p_wids text, p_ids text) FROM PUBLIC;


--
-- Name: FUNCTION _time_bounds(); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._time_bounds() FROM PUBLIC;


--
-- Name: FUNCTION _time_settings(p_flow integer); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._time_settings(p_flow integer) FROM PUBLIC;


--
-- Name: FUNCTION _timers_back(p_back interval, p_since timestamp with time zone); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._timers_back(p_back interval, p_since timestamp with time zone) FROM PUBLIC;


--
-- Name: FUNCTION _touch(p_flow integer, p_attrs boolean); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._touch(p_flow integer, p_attrs boolean) FROM PUBLIC;


--
-- Name: FUNCTION _trig_before(); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._trig_before() FROM PUBLIC;


--
-- Name: FUNCTION _trig_delete(); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._trig_delete() FROM PUBLIC;


--
-- Name: FUNCTION _trig_touch(); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._trig_touch() FROM PUBLIC;


--
-- Name: FUNCTION _trigger_json(p_trig wedsql.trig); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._trigger_json(p_trig wedsql.trig) FROM PUBLIC;


--
-- Name: FUNCTION _trigger_rows(p_flow integer, p_triggers jsonb); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._trigger_rows(p_flow integer, p_triggers jsonb) FROM PUBLIC;


--
-- Name: FUNCTION _waited(p_wid integer, p_job bigint, p_begun timestamp with time zone); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._waited(p_wid integer, p_job bigint, p_begun timestamp with time zone) FROM PUBLIC;


--
-- Name: FUNCTION _waits(p_wid integer, p_id bigint); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._waits(p_wid integer, p_id bigint) FROM PUBLIC;


--
-- Name: FUNCTION _wake(p_flow integer, p_names text[]); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._wake(p_flow integer, p_names text[]) FROM PUBLIC;


--
-- Name: FUNCTION _withdraw_rest(p_wid integer, p_now timestamp with time zone); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql._withdraw_rest(p_wid integer, p_now timestamp with time zone) FROM PUBLIC;


--
-- Name: FUNCTION align(p_tokens wedsql.token[], p_from integer, p_to integer, p_width integer); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql.align(p_tokens wedsql.token[], p_from integer, p_to integer, p_width integer) FROM PUBLIC;


--
-- Name: TABLE vocabulary; Type: ACL; Schema: wedsql; Owner: wed_owner
--

GRANT SELECT ON TABLE wedsql.vocabulary TO PUBLIC;


--
-- Name: FUNCTION argument_problem(p_function wedsql.vocabulary, p_argument integer, p_class text, p_raw text, p_alone boolean, p_integer boolean); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql.argument_problem(p_function wedsql.vocabulary, p_argument integer, p_class text, p_raw text, p_alone boolean, p_integer boolean) FROM PUBLIC;


--
-- Name: FUNCTION assignable(p_from regtype, p_to regtype); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql.assignable(p_from regtype, p_to regtype) FROM PUBLIC;


--
-- Name: FUNCTION bounded(p_text text, p_set boolean); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql.bounded(p_text text, p_set boolean) FROM PUBLIC;


--
-- Name: FUNCTION cancel(p_wid integer, p_reason text, p_actor text); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql.cancel(p_wid integer, p_reason text, p_actor text) FROM PUBLIC;
GRANT ALL ON FUNCTION wedsql.cancel(p_wid integer, p_reason text, p_actor text) TO wed_web;


--
-- Name: FUNCTION canonical(p_text text, p_attrs jsonb); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql.canonical(p_text text, p_attrs jsonb) FROM PUBLIC;


--
-- Name: FUNCTION canonical_set(p_text text, p_attrs jsonb); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql.canonical_set(p_text text, p_attrs jsonb) FROM PUBLIC;


--
-- Name: FUNCTION check_arguments(p_set boolean, p_function wedsql.vocabulary, p_given integer, p_position integer, p_raw text); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql.check_arguments(p_set boolean, p_function wedsql.vocabulary, p_given integer, p_position integer, p_raw text) FROM PUBLIC;


--
-- Name: FUNCTION check_invariants(p_limit integer, p_examples integer); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql.check_invariants(p_limit integer, p_examples integer) FROM PUBLIC;
GRANT ALL ON FUNCTION wedsql.check_invariants(p_limit integer, p_examples integer) TO wed_web;
GRANT ALL ON FUNCTION wedsql.check_invariants(p_limit integer, p_examples integer) TO wed_reaper;


--
-- Name: FUNCTION check_name(p_name text, p_what text); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql.check_name(p_name text, p_what text) FROM PUBLIC;
GRANT ALL ON FUNCTION wedsql.check_name(p_name text, p_what text) TO wed_web;


--
-- Name: FUNCTION check_predicate(p_flow text, p_predicate text); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql.check_predicate(p_flow text, p_predicate text) FROM PUBLIC;
GRANT ALL ON FUNCTION wedsql.check_predicate(p_flow text, p_predicate text) TO wed_web;


--
-- Name: FUNCTION check_predicate_text(p_text text, p_attrs jsonb); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql.check_predicate_text(p_text text, p_attrs jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION wedsql.check_predicate_text(p_text text, p_attrs jsonb) TO wed_web;


--
-- Name: FUNCTION check_set_text(p_text text, p_attrs jsonb); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql.check_set_text(p_text text, p_attrs jsonb) FROM PUBLIC;


--
-- Name: FUNCTION check_tree(p_query text, p_tokens wedsql.token[], p_set boolean); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql.check_tree(p_query text, p_tokens wedsql.token[], p_set boolean) FROM PUBLIC;


--
-- Name: FUNCTION clock_behind(); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql.clock_behind() FROM PUBLIC;
GRANT ALL ON FUNCTION wedsql.clock_behind() TO wed_web;
GRANT ALL ON FUNCTION wedsql.clock_behind() TO wed_monitor;
GRANT ALL ON FUNCTION wedsql.clock_behind() TO wed_reaper;


--
-- Name: FUNCTION close_flow_role(p_flow text); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql.close_flow_role(p_flow text) FROM PUBLIC;


--
-- Name: FUNCTION close_problem(p_word text, p_kind text, p_phase text, p_between boolean); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql.close_problem(p_word text, p_kind text, p_phase text, p_between boolean) FROM PUBLIC;


--
-- Name: FUNCTION complete_many(p_flow text, p_wids integer[], p_job_ids bigint[], p_claims bigint[], p_changes jsonb[], p_actor text, p_sets text[]); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql.complete_many(p_flow text, p_wids integer[], p_job_ids bigint[], p_claims bigint[], p_changes jsonb[], p_actor text, p_sets text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION wedsql.complete_many(p_flow text, p_wids integer[], p_job_ids bigint[], p_claims bigint[], p_changes jsonb[], p_actor text, p_sets text[]) TO wed_web;
GRANT ALL ON FUNCTION wedsql.complete_many(p_flow text, p_wids integer[], p_job_ids bigint[], p_claims bigint[], p_changes jsonb[], p_actor text, p_sets text[]) TO wed_worker;


--
-- Name: FUNCTION count_times(p_flow text, p_times jsonb); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql.count_times(p_flow text, p_times jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION wedsql.count_times(p_flow text, p_times jsonb) TO wed_worker;


--
-- Name: FUNCTION create_flow(p_name text, p_label text, p_final_when_pending text); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql.create_flow(p_name text, p_label text, p_final_when_pending text) FROM PUBLIC;
GRANT ALL ON FUNCTION wedsql.create_flow(p_name text, p_label text, p_final_when_pending text) TO wed_web;


--
-- Name: FUNCTION data_directory(); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql.data_directory() FROM PUBLIC;
GRANT ALL ON FUNCTION wedsql.data_directory() TO wed_reaper;


--
-- Name: FUNCTION definition(p_flow text); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql.definition(p_flow text) FROM PUBLIC;
GRANT ALL ON FUNCTION wedsql.definition(p_flow text) TO wed_web;
GRANT ALL ON FUNCTION wedsql.definition(p_flow text) TO wed_worker;


--
-- Name: FUNCTION distance(p_a text, p_b text, p_limit integer); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql.distance(p_a text, p_b text, p_limit integer) FROM PUBLIC;


--
-- Name: FUNCTION drop_empty_partitions(p_before timestamp with time zone); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql.drop_empty_partitions(p_before timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION wedsql.drop_empty_partitions(p_before timestamp with time zone) TO wed_reaper;


--
-- Name: FUNCTION drop_flow(p_name text, p_force boolean); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql.drop_flow(p_name text, p_force boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION wedsql.drop_flow(p_name text, p_force boolean) TO wed_web;


--
-- Name: FUNCTION extend(p_wid integer, p_job_id bigint, p_claim bigint, p_duration interval); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql.extend(p_wid integer, p_job_id bigint, p_claim bigint, p_duration interval) FROM PUBLIC;
GRANT ALL ON FUNCTION wedsql.extend(p_wid integer, p_job_id bigint, p_claim bigint, p_duration interval) TO wed_web;
GRANT ALL ON FUNCTION wedsql.extend(p_wid integer, p_job_id bigint, p_claim bigint, p_duration interval) TO wed_worker;


--
-- Name: FUNCTION fail_many(p_flow text, p_wids integer[], p_job_ids bigint[], p_claims bigint[], p_messages text[], p_sqlstates text[], p_outcome text, p_actor text); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql.fail_many(p_flow text, p_wids integer[], p_job_ids bigint[], p_claims bigint[], p_messages text[], p_sqlstates text[], p_outcome text, p_actor text) FROM PUBLIC;
GRANT ALL ON FUNCTION wedsql.fail_many(p_flow text, p_wids integer[], p_job_ids bigint[], p_claims bigint[], p_messages text[], p_sqlstates text[], p_outcome text, p_actor text) TO wed_web;
GRANT ALL ON FUNCTION wedsql.fail_many(p_flow text, p_wids integer[], p_job_ids bigint[], p_claims bigint[], p_messages text[], p_sqlstates text[], p_outcome text, p_actor text) TO wed_worker;


--
-- Name: FUNCTION failing_part(p_tokens wedsql.token[], p_source text, INOUT first integer, INOUT last integer); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql.failing_part(p_tokens wedsql.token[], p_source text, INOUT first integer, INOUT last integer) FROM PUBLIC;


--
-- Name: FUNCTION fill_vocabulary(); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql.fill_vocabulary() FROM PUBLIC;


--
-- Name: FUNCTION fixed_pattern(p_class text, p_raw text); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql.fixed_pattern(p_class text, p_raw text) FROM PUBLIC;


--
-- Name: FUNCTION function_refusal(p_name text, p_kind "char", p_volatile "char", p_set boolean); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql.function_refusal(p_name text, p_kind "char", p_volatile "char", p_set boolean) FROM PUBLIC;


--
-- Name: FUNCTION heartbeat(p_worker bigint, p_waiting boolean); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql.heartbeat(p_worker bigint, p_waiting boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION wedsql.heartbeat(p_worker bigint, p_waiting boolean) TO wed_worker;
GRANT ALL ON FUNCTION wedsql.heartbeat(p_worker bigint, p_waiting boolean) TO wed_reaper;


--
-- Name: FUNCTION housekeeping(p_tables integer); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql.housekeeping(p_tables integer) FROM PUBLIC;
GRANT ALL ON FUNCTION wedsql.housekeeping(p_tables integer) TO wed_web;
GRANT ALL ON FUNCTION wedsql.housekeeping(p_tables integer) TO wed_monitor;
GRANT ALL ON FUNCTION wedsql.housekeeping(p_tables integer) TO wed_reaper;


--
-- Name: FUNCTION invariants(p_limit integer); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql.invariants(p_limit integer) FROM PUBLIC;
GRANT ALL ON FUNCTION wedsql.invariants(p_limit integer) TO wed_web;
GRANT ALL ON FUNCTION wedsql.invariants(p_limit integer) TO wed_monitor;
GRANT ALL ON FUNCTION wedsql.invariants(p_limit integer) TO wed_reaper;


--
-- Name: FUNCTION is_plain_type(p_type oid); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql.is_plain_type(p_type oid) FROM PUBLIC;


--
-- Name: FUNCTION joined_parts(p_tokens wedsql.token[], p_from integer, p_to integer); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql.joined_parts(p_tokens wedsql.token[], p_from integer, p_to integer) FROM PUBLIC;


--
-- Name: FUNCTION lease(p_flow text, p_transitions text[], p_limit integer, p_holder text, p_duration interval, p_job_ids bigint[]); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql.lease(p_flow text, p_transitions text[], p_limit integer, p_holder text, p_duration interval, p_job_ids bigint[]) FROM PUBLIC;
GRANT ALL ON FUNCTION wedsql.lease(p_flow text, p_transitions text[], p_limit integer, p_holder text, p_duration interval, p_job_ids bigint[]) TO wed_web;
GRANT ALL ON FUNCTION wedsql.lease(p_flow text, p_transitions text[], p_limit integer, p_holder text, p_duration interval, p_job_ids bigint[]) TO wed_worker;


--
-- Name: FUNCTION lex(p_text text, p_attrs jsonb); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql.lex(p_text text, p_attrs jsonb) FROM PUBLIC;


--
-- Name: FUNCTION maintain(); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql.maintain() FROM PUBLIC;
GRANT ALL ON FUNCTION wedsql.maintain() TO wed_reaper;


--
-- Name: FUNCTION make_partitions(p_from timestamp with time zone, p_months integer); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql.make_partitions(p_from timestamp with time zone, p_months integer) FROM PUBLIC;


--
-- Name: FUNCTION meaning_hint(p_code text, p_tokens wedsql.token[], p_attrs jsonb); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql.meaning_hint(p_code text, p_tokens wedsql.token[], p_attrs jsonb) FROM PUBLIC;


--
-- Name: FUNCTION named_token(p_tokens wedsql.token[], p_from integer, p_to integer, p_code text, p_message text); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql.named_token(p_tokens wedsql.token[], p_from integer, p_to integer, p_code text, p_message text) FROM PUBLIC;


--
-- Name: FUNCTION names(p_attrs jsonb); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql.names(p_attrs jsonb) FROM PUBLIC;


--
-- Name: FUNCTION next_due(); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql.next_due() FROM PUBLIC;
GRANT ALL ON FUNCTION wedsql.next_due() TO wed_reaper;


--
-- Name: FUNCTION next_phase(p_kind text, p_phase text, p_word text); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql.next_phase(p_kind text, p_phase text, p_word text) FROM PUBLIC;


--
-- Name: FUNCTION offences(p_limit integer, p_examples integer); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql.offences(p_limit integer, p_examples integer) FROM PUBLIC;
GRANT ALL ON FUNCTION wedsql.offences(p_limit integer, p_examples integer) TO wed_web;
GRANT ALL ON FUNCTION wedsql.offences(p_limit integer, p_examples integer) TO wed_monitor;
GRANT ALL ON FUNCTION wedsql.offences(p_limit integer, p_examples integer) TO wed_reaper;


--
-- Name: FUNCTION offer(p_flow text, p_transitions text[], p_limit integer, p_exclude bigint[]); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql.offer(p_flow text, p_transitions text[], p_limit integer, p_exclude bigint[]) FROM PUBLIC;
GRANT ALL ON FUNCTION wedsql.offer(p_flow text, p_transitions text[], p_limit integer, p_exclude bigint[]) TO wed_web;
GRANT ALL ON FUNCTION wedsql.offer(p_flow text, p_transitions text[], p_limit integer, p_exclude bigint[]) TO wed_worker;


--
-- Name: FUNCTION open_flow_role(p_flow text); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql.open_flow_role(p_flow text) FROM PUBLIC;


--
-- Name: FUNCTION parse(p_text text, p_attrs jsonb, p_set boolean); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql.parse(p_text text, p_attrs jsonb, p_set boolean) FROM PUBLIC;


--
-- Name: FUNCTION parse_tree(p_query text, OUT nodes text[], OUT functions oid[]); Type: ACL; Schema: wedsql; Owner: wed_eval
--

REVOKE ALL ON FUNCTION wedsql.parse_tree(p_query text, OUT nodes text[], OUT functions oid[]) FROM PUBLIC;
GRANT ALL ON FUNCTION wedsql.parse_tree(p_query text, OUT nodes text[], OUT functions oid[]) TO wed_owner;


--
-- Name: FUNCTION partner(p_kind text); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql.partner(p_kind text) FROM PUBLIC;


--
-- Name: FUNCTION path_problem(p_raw text); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql.path_problem(p_raw text) FROM PUBLIC;


--
-- Name: FUNCTION pattern_problem(p_pattern text); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql.pattern_problem(p_pattern text) FROM PUBLIC;


--
-- Name: FUNCTION phrase(p_ahead text, OUT take integer, OUT wants text); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql.phrase(p_ahead text, OUT take integer, OUT wants text) FROM PUBLIC;


--
-- Name: FUNCTION plan_error(p_query text, OUT code text, OUT message text); Type: ACL; Schema: wedsql; Owner: wed_eval
--

REVOKE ALL ON FUNCTION wedsql.plan_error(p_query text, OUT code text, OUT message text) FROM PUBLIC;
GRANT ALL ON FUNCTION wedsql.plan_error(p_query text, OUT code text, OUT message text) TO wed_owner;


--
-- Name: FUNCTION publish(p_flow text, p_definition jsonb, p_dry_run boolean, p_reopen_final boolean, p_actor text, p_reason text); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql.publish(p_flow text, p_definition jsonb, p_dry_run boolean, p_reopen_final boolean, p_actor text, p_reason text) FROM PUBLIC;
GRANT ALL ON FUNCTION wedsql.publish(p_flow text, p_definition jsonb, p_dry_run boolean, p_reopen_final boolean, p_actor text, p_reason text) TO wed_web;


--
-- Name: FUNCTION qualify(p_tokens wedsql.token[], p_from integer, p_to integer); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql.qualify(p_tokens wedsql.token[], p_from integer, p_to integer) FROM PUBLIC;


--
-- Name: FUNCTION reap(p_max integer); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql.reap(p_max integer) FROM PUBLIC;
GRANT ALL ON FUNCTION wedsql.reap(p_max integer) TO wed_reaper;


--
-- Name: FUNCTION refuse(p_set boolean, p_reason text, p_position integer, p_token text, p_info text, p_hint text); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql.refuse(p_set boolean, p_reason text, p_position integer, p_token text, p_info text, p_hint text) FROM PUBLIC;


--
-- Name: FUNCTION refuse_operator(p_set boolean, p_known wedsql.vocabulary, p_position integer, p_raw text, p_next text); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql.refuse_operator(p_set boolean, p_known wedsql.vocabulary, p_position integer, p_raw text, p_next text) FROM PUBLIC;


--
-- Name: FUNCTION refuse_sense(p_message text, p_hint text, p_code text, p_token wedsql.token, p_set boolean, p_reason text); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql.refuse_sense(p_message text, p_hint text, p_code text, p_token wedsql.token, p_set boolean, p_reason text) FROM PUBLIC;


--
-- Name: FUNCTION refuse_word(p_set boolean, p_known wedsql.vocabulary, p_position integer, p_raw text, p_next text, p_attrs jsonb); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql.refuse_word(p_set boolean, p_known wedsql.vocabulary, p_position integer, p_raw text, p_next text, p_attrs jsonb) FROM PUBLIC;


--
-- Name: FUNCTION register_worker(p_kind text, p_name text, p_host text, p_pid integer, p_serves text[]); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql.register_worker(p_kind text, p_name text, p_host text, p_pid integer, p_serves text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION wedsql.register_worker(p_kind text, p_name text, p_host text, p_pid integer, p_serves text[]) TO wed_worker;
GRANT ALL ON FUNCTION wedsql.register_worker(p_kind text, p_name text, p_host text, p_pid integer, p_serves text[]) TO wed_reaper;


--
-- Name: FUNCTION release(p_wid integer, p_job_id bigint, p_claim bigint, p_actor text); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql.release(p_wid integer, p_job_id bigint, p_claim bigint, p_actor text) FROM PUBLIC;
GRANT ALL ON FUNCTION wedsql.release(p_wid integer, p_job_id bigint, p_claim bigint, p_actor text) TO wed_web;
GRANT ALL ON FUNCTION wedsql.release(p_wid integer, p_job_id bigint, p_claim bigint, p_actor text) TO wed_worker;


--
-- Name: FUNCTION rematch(p_flow text, p_wids integer[], p_reopen_final boolean, p_actor text, p_reason text); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql.rematch(p_flow text, p_wids integer[], p_reopen_final boolean, p_actor text, p_reason text) FROM PUBLIC;
GRANT ALL ON FUNCTION wedsql.rematch(p_flow text, p_wids integer[], p_reopen_final boolean, p_actor text, p_reason text) TO wed_web;


--
-- Name: FUNCTION rename_in_predicate(p_text text, p_old text, p_new text, p_attrs jsonb); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql.rename_in_predicate(p_text text, p_old text, p_new text, p_attrs jsonb) FROM PUBLIC;


--
-- Name: FUNCTION render(p_tokens wedsql.token[], p_from integer, p_to integer, p_width integer); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql.render(p_tokens wedsql.token[], p_from integer, p_to integer, p_width integer) FROM PUBLIC;


--
-- Name: FUNCTION report_disk(p_free bigint, p_total bigint); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql.report_disk(p_free bigint, p_total bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION wedsql.report_disk(p_free bigint, p_total bigint) TO wed_reaper;


--
-- Name: FUNCTION retirable(p_flow text, p_max integer); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql.retirable(p_flow text, p_max integer) FROM PUBLIC;
GRANT ALL ON FUNCTION wedsql.retirable(p_flow text, p_max integer) TO wed_reaper;


--
-- Name: FUNCTION retire(p_flow text, p_wids integer[]); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql.retire(p_flow text, p_wids integer[]) FROM PUBLIC;
GRANT ALL ON FUNCTION wedsql.retire(p_flow text, p_wids integer[]) TO wed_reaper;


--
-- Name: FUNCTION row_source(p_attrs jsonb); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql.row_source(p_attrs jsonb) FROM PUBLIC;


--
-- Name: FUNCTION scan(p_text text); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql.scan(p_text text) FROM PUBLIC;


--
-- Name: FUNCTION special_head(p_ahead text); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql.special_head(p_ahead text) FROM PUBLIC;


--
-- Name: FUNCTION special_hint(p_function text); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql.special_hint(p_function text) FROM PUBLIC;


--
-- Name: FUNCTION sql_type(p_type text); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql.sql_type(p_type text) FROM PUBLIC;


--
-- Name: FUNCTION start(p_flow text, p_state jsonb, p_actor text, p_key text); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql.start(p_flow text, p_state jsonb, p_actor text, p_key text) FROM PUBLIC;
GRANT ALL ON FUNCTION wedsql.start(p_flow text, p_state jsonb, p_actor text, p_key text) TO wed_web;
GRANT ALL ON FUNCTION wedsql.start(p_flow text, p_state jsonb, p_actor text, p_key text) TO wed_worker;


--
-- Name: FUNCTION start_many(p_flow text, p_states jsonb[], p_actor text, p_keys text[]); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql.start_many(p_flow text, p_states jsonb[], p_actor text, p_keys text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION wedsql.start_many(p_flow text, p_states jsonb[], p_actor text, p_keys text[]) TO wed_web;
GRANT ALL ON FUNCTION wedsql.start_many(p_flow text, p_states jsonb[], p_actor text, p_keys text[]) TO wed_worker;


--
-- Name: FUNCTION suggest(p_word text, p_candidates text[]); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql.suggest(p_word text, p_candidates text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION wedsql.suggest(p_word text, p_candidates text[]) TO wed_web;


--
-- Name: FUNCTION take(p_flow text, p_transitions text[], p_limit integer, p_actor text, p_job_ids bigint[]); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql.take(p_flow text, p_transitions text[], p_limit integer, p_actor text, p_job_ids bigint[]) FROM PUBLIC;
GRANT ALL ON FUNCTION wedsql.take(p_flow text, p_transitions text[], p_limit integer, p_actor text, p_job_ids bigint[]) TO wed_web;
GRANT ALL ON FUNCTION wedsql.take(p_flow text, p_transitions text[], p_limit integer, p_actor text, p_job_ids bigint[]) TO wed_worker;


--
-- Name: FUNCTION type_of(p_expression text, p_source text); Type: ACL; Schema: wedsql; Owner: wed_eval
--

REVOKE ALL ON FUNCTION wedsql.type_of(p_expression text, p_source text) FROM PUBLIC;
GRANT ALL ON FUNCTION wedsql.type_of(p_expression text, p_source text) TO wed_owner;


--
-- Name: FUNCTION type_phrase(p_words text[], p_modifier text, OUT take integer, OUT problem text); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql.type_phrase(p_words text[], p_modifier text, OUT take integer, OUT problem text) FROM PUBLIC;


--
-- Name: FUNCTION unquote(p_raw text); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql.unquote(p_raw text) FROM PUBLIC;


--
-- Name: FUNCTION unregister_worker(p_worker bigint); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql.unregister_worker(p_worker bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION wedsql.unregister_worker(p_worker bigint) TO wed_worker;
GRANT ALL ON FUNCTION wedsql.unregister_worker(p_worker bigint) TO wed_reaper;


--
-- Name: FUNCTION unwatch(p_watch bigint); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql.unwatch(p_watch bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION wedsql.unwatch(p_watch bigint) TO wed_web;


--
-- Name: FUNCTION watch(p_watch bigint, p_name text); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql.watch(p_watch bigint, p_name text) FROM PUBLIC;
GRANT ALL ON FUNCTION wedsql.watch(p_watch bigint, p_name text) TO wed_web;


--
-- Name: FUNCTION withdraw(p_flow text, p_tgid integer, p_actor text); Type: ACL; Schema: wedsql; Owner: wed_owner
--

REVOKE ALL ON FUNCTION wedsql.withdraw(p_flow text, p_tgid integer, p_actor text) FROM PUBLIC;
GRANT ALL ON FUNCTION wedsql.withdraw(p_flow text, p_tgid integer, p_actor text) TO wed_web;


--
-- Name: TABLE job_pool; Type: ACL; Schema: cancelling; Owner: wed_owner
--

GRANT SELECT ON TABLE cancelling.job_pool TO wed_web;
GRANT SELECT ON TABLE cancelling.job_pool TO wed_worker;
GRANT SELECT ON TABLE cancelling.job_pool TO wed_monitor;


--
-- Name: TABLE instance; Type: ACL; Schema: wedsql; Owner: wed_owner
--

GRANT SELECT ON TABLE wedsql.instance TO wed_web;
GRANT SELECT ON TABLE wedsql.instance TO wed_worker;
GRANT SELECT ON TABLE wedsql.instance TO wed_reaper;
GRANT SELECT ON TABLE wedsql.instance TO wed_monitor;


--
-- Name: TABLE st_status; Type: ACL; Schema: cancelling; Owner: wed_owner
--

GRANT SELECT ON TABLE cancelling.st_status TO wed_web;
GRANT SELECT ON TABLE cancelling.st_status TO wed_worker;
GRANT SELECT ON TABLE cancelling.st_status TO wed_monitor;


--
-- Name: TABLE wed_attr; Type: ACL; Schema: cancelling; Owner: wed_owner
--

GRANT SELECT ON TABLE cancelling.wed_attr TO wed_web;
GRANT SELECT ON TABLE cancelling.wed_attr TO wed_worker;
GRANT SELECT ON TABLE cancelling.wed_attr TO wed_monitor;


--
-- Name: TABLE wed_trace; Type: ACL; Schema: wedsql; Owner: wed_owner
--

GRANT SELECT ON TABLE wedsql.wed_trace TO wed_web;
GRANT SELECT ON TABLE wedsql.wed_trace TO wed_worker;
GRANT SELECT ON TABLE wedsql.wed_trace TO wed_reaper;
GRANT SELECT ON TABLE wedsql.wed_trace TO wed_monitor;


--
-- Name: TABLE wed_trace; Type: ACL; Schema: cancelling; Owner: wed_owner
--

GRANT SELECT ON TABLE cancelling.wed_trace TO wed_web;
GRANT SELECT ON TABLE cancelling.wed_trace TO wed_worker;
GRANT SELECT ON TABLE cancelling.wed_trace TO wed_monitor;


--
-- Name: TABLE wed_trig; Type: ACL; Schema: cancelling; Owner: wed_owner
--

GRANT SELECT ON TABLE cancelling.wed_trig TO wed_web;
GRANT SELECT ON TABLE cancelling.wed_trig TO wed_worker;
GRANT SELECT ON TABLE cancelling.wed_trig TO wed_monitor;


--
-- Name: TABLE job_pool; Type: ACL; Schema: deferring; Owner: wed_owner
--

GRANT SELECT ON TABLE deferring.job_pool TO wed_web;
GRANT SELECT ON TABLE deferring.job_pool TO wed_worker;
GRANT SELECT ON TABLE deferring.job_pool TO wed_monitor;


--
-- Name: TABLE st_status; Type: ACL; Schema: deferring; Owner: wed_owner
--

GRANT SELECT ON TABLE deferring.st_status TO wed_web;
GRANT SELECT ON TABLE deferring.st_status TO wed_worker;
GRANT SELECT ON TABLE deferring.st_status TO wed_monitor;


--
-- Name: TABLE wed_attr; Type: ACL; Schema: deferring; Owner: wed_owner
--

GRANT SELECT ON TABLE deferring.wed_attr TO wed_web;
GRANT SELECT ON TABLE deferring.wed_attr TO wed_worker;
GRANT SELECT ON TABLE deferring.wed_attr TO wed_monitor;


--
-- Name: TABLE wed_trace; Type: ACL; Schema: deferring; Owner: wed_owner
--

GRANT SELECT ON TABLE deferring.wed_trace TO wed_web;
GRANT SELECT ON TABLE deferring.wed_trace TO wed_worker;
GRANT SELECT ON TABLE deferring.wed_trace TO wed_monitor;


--
-- Name: TABLE wed_trig; Type: ACL; Schema: deferring; Owner: wed_owner
--

GRANT SELECT ON TABLE deferring.wed_trig TO wed_web;
GRANT SELECT ON TABLE deferring.wed_trig TO wed_worker;
GRANT SELECT ON TABLE deferring.wed_trig TO wed_monitor;


--
-- Name: TABLE job_pool; Type: ACL; Schema: every; Owner: wed_owner
--

GRANT SELECT ON TABLE every.job_pool TO wed_web;
GRANT SELECT ON TABLE every.job_pool TO wed_worker;
GRANT SELECT ON TABLE every.job_pool TO wed_monitor;


--
-- Name: TABLE st_status; Type: ACL; Schema: every; Owner: wed_owner
--

GRANT SELECT ON TABLE every.st_status TO wed_web;
GRANT SELECT ON TABLE every.st_status TO wed_worker;
GRANT SELECT ON TABLE every.st_status TO wed_monitor;


--
-- Name: TABLE wed_attr; Type: ACL; Schema: every; Owner: wed_owner
--

GRANT SELECT ON TABLE every.wed_attr TO wed_web;
GRANT SELECT ON TABLE every.wed_attr TO wed_worker;
GRANT SELECT ON TABLE every.wed_attr TO wed_monitor;


--
-- Name: TABLE wed_trace; Type: ACL; Schema: every; Owner: wed_owner
--

GRANT SELECT ON TABLE every.wed_trace TO wed_web;
GRANT SELECT ON TABLE every.wed_trace TO wed_worker;
GRANT SELECT ON TABLE every.wed_trace TO wed_monitor;


--
-- Name: TABLE wed_trig; Type: ACL; Schema: every; Owner: wed_owner
--

GRANT SELECT ON TABLE every.wed_trig TO wed_web;
GRANT SELECT ON TABLE every.wed_trig TO wed_worker;
GRANT SELECT ON TABLE every.wed_trig TO wed_monitor;


--
-- Name: TABLE auth_group; Type: ACL; Schema: wedsql; Owner: wed
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE wedsql.auth_group TO wed_web;


--
-- Name: SEQUENCE auth_group_id_seq; Type: ACL; Schema: wedsql; Owner: wed
--

GRANT SELECT,USAGE ON SEQUENCE wedsql.auth_group_id_seq TO wed_web;


--
-- Name: TABLE auth_group_permissions; Type: ACL; Schema: wedsql; Owner: wed
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE wedsql.auth_group_permissions TO wed_web;


--
-- Name: SEQUENCE auth_group_permissions_id_seq; Type: ACL; Schema: wedsql; Owner: wed
--

GRANT SELECT,USAGE ON SEQUENCE wedsql.auth_group_permissions_id_seq TO wed_web;


--
-- Name: TABLE auth_permission; Type: ACL; Schema: wedsql; Owner: wed
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE wedsql.auth_permission TO wed_web;


--
-- Name: SEQUENCE auth_permission_id_seq; Type: ACL; Schema: wedsql; Owner: wed
--

GRANT SELECT,USAGE ON SEQUENCE wedsql.auth_permission_id_seq TO wed_web;


--
-- Name: TABLE auth_user; Type: ACL; Schema: wedsql; Owner: wed
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE wedsql.auth_user TO wed_web;


--
-- Name: TABLE auth_user_groups; Type: ACL; Schema: wedsql; Owner: wed
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE wedsql.auth_user_groups TO wed_web;


--
-- Name: SEQUENCE auth_user_groups_id_seq; Type: ACL; Schema: wedsql; Owner: wed
--

GRANT SELECT,USAGE ON SEQUENCE wedsql.auth_user_groups_id_seq TO wed_web;


--
-- Name: SEQUENCE auth_user_id_seq; Type: ACL; Schema: wedsql; Owner: wed
--

GRANT SELECT,USAGE ON SEQUENCE wedsql.auth_user_id_seq TO wed_web;


--
-- Name: TABLE auth_user_user_permissions; Type: ACL; Schema: wedsql; Owner: wed
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE wedsql.auth_user_user_permissions TO wed_web;


--
-- Name: SEQUENCE auth_user_user_permissions_id_seq; Type: ACL; Schema: wedsql; Owner: wed
--

GRANT SELECT,USAGE ON SEQUENCE wedsql.auth_user_user_permissions_id_seq TO wed_web;


--
-- Name: TABLE beat; Type: ACL; Schema: wedsql; Owner: wed_owner
--

GRANT SELECT ON TABLE wedsql.beat TO wed_web;
GRANT SELECT ON TABLE wedsql.beat TO wed_worker;
GRANT SELECT ON TABLE wedsql.beat TO wed_reaper;
GRANT SELECT ON TABLE wedsql.beat TO wed_monitor;


--
-- Name: TABLE condition_error; Type: ACL; Schema: wedsql; Owner: wed_owner
--

GRANT SELECT ON TABLE wedsql.condition_error TO wed_web;
GRANT SELECT ON TABLE wedsql.condition_error TO wed_worker;
GRANT SELECT ON TABLE wedsql.condition_error TO wed_reaper;
GRANT SELECT ON TABLE wedsql.condition_error TO wed_monitor;


--
-- Name: TABLE disk; Type: ACL; Schema: wedsql; Owner: wed_owner
--

GRANT SELECT ON TABLE wedsql.disk TO wed_web;
GRANT SELECT ON TABLE wedsql.disk TO wed_worker;
GRANT SELECT ON TABLE wedsql.disk TO wed_reaper;
GRANT SELECT ON TABLE wedsql.disk TO wed_monitor;


--
-- Name: TABLE django_admin_log; Type: ACL; Schema: wedsql; Owner: wed
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE wedsql.django_admin_log TO wed_web;


--
-- Name: SEQUENCE django_admin_log_id_seq; Type: ACL; Schema: wedsql; Owner: wed
--

GRANT SELECT,USAGE ON SEQUENCE wedsql.django_admin_log_id_seq TO wed_web;


--
-- Name: TABLE django_content_type; Type: ACL; Schema: wedsql; Owner: wed
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE wedsql.django_content_type TO wed_web;


--
-- Name: SEQUENCE django_content_type_id_seq; Type: ACL; Schema: wedsql; Owner: wed
--

GRANT SELECT,USAGE ON SEQUENCE wedsql.django_content_type_id_seq TO wed_web;


--
-- Name: TABLE django_migrations; Type: ACL; Schema: wedsql; Owner: wed
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE wedsql.django_migrations TO wed_web;
GRANT SELECT ON TABLE wedsql.django_migrations TO wed_worker;
GRANT SELECT ON TABLE wedsql.django_migrations TO wed_reaper;
GRANT SELECT ON TABLE wedsql.django_migrations TO wed_monitor;


--
-- Name: SEQUENCE django_migrations_id_seq; Type: ACL; Schema: wedsql; Owner: wed
--

GRANT SELECT,USAGE ON SEQUENCE wedsql.django_migrations_id_seq TO wed_web;


--
-- Name: TABLE django_q_ormq; Type: ACL; Schema: wedsql; Owner: wed
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE wedsql.django_q_ormq TO wed_web;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE wedsql.django_q_ormq TO wed_worker;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE wedsql.django_q_ormq TO wed_reaper;


--
-- Name: SEQUENCE django_q_ormq_id_seq; Type: ACL; Schema: wedsql; Owner: wed
--

GRANT SELECT,USAGE ON SEQUENCE wedsql.django_q_ormq_id_seq TO wed_web;
GRANT SELECT,USAGE ON SEQUENCE wedsql.django_q_ormq_id_seq TO wed_worker;
GRANT SELECT,USAGE ON SEQUENCE wedsql.django_q_ormq_id_seq TO wed_reaper;


--
-- Name: TABLE django_q_schedule; Type: ACL; Schema: wedsql; Owner: wed
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE wedsql.django_q_schedule TO wed_web;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE wedsql.django_q_schedule TO wed_worker;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE wedsql.django_q_schedule TO wed_reaper;


--
-- Name: SEQUENCE django_q_schedule_id_seq; Type: ACL; Schema: wedsql; Owner: wed
--

GRANT SELECT,USAGE ON SEQUENCE wedsql.django_q_schedule_id_seq TO wed_web;
GRANT SELECT,USAGE ON SEQUENCE wedsql.django_q_schedule_id_seq TO wed_worker;
GRANT SELECT,USAGE ON SEQUENCE wedsql.django_q_schedule_id_seq TO wed_reaper;


--
-- Name: TABLE django_q_task; Type: ACL; Schema: wedsql; Owner: wed
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE wedsql.django_q_task TO wed_web;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE wedsql.django_q_task TO wed_worker;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE wedsql.django_q_task TO wed_reaper;


--
-- Name: TABLE django_session; Type: ACL; Schema: wedsql; Owner: wed
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE wedsql.django_session TO wed_web;


--
-- Name: TABLE flow_version; Type: ACL; Schema: wedsql; Owner: wed_owner
--

GRANT SELECT ON TABLE wedsql.flow_version TO wed_web;
GRANT SELECT ON TABLE wedsql.flow_version TO wed_worker;
GRANT SELECT ON TABLE wedsql.flow_version TO wed_reaper;
GRANT SELECT ON TABLE wedsql.flow_version TO wed_monitor;


--
-- Name: TABLE job_log; Type: ACL; Schema: wedsql; Owner: wed_owner
--

GRANT SELECT ON TABLE wedsql.job_log TO wed_web;
GRANT SELECT ON TABLE wedsql.job_log TO wed_worker;
GRANT SELECT ON TABLE wedsql.job_log TO wed_reaper;
GRANT SELECT ON TABLE wedsql.job_log TO wed_monitor;


--
-- Name: TABLE paper_client; Type: ACL; Schema: wedsql; Owner: wed_owner
--

GRANT SELECT ON TABLE wedsql.paper_client TO wed_web;
GRANT SELECT ON TABLE wedsql.paper_client TO wed_worker;
GRANT SELECT ON TABLE wedsql.paper_client TO wed_reaper;
GRANT SELECT ON TABLE wedsql.paper_client TO wed_monitor;


--
-- Name: TABLE refusal; Type: ACL; Schema: wedsql; Owner: wed_owner
--

GRANT SELECT ON TABLE wedsql.refusal TO PUBLIC;


--
-- Name: TABLE timer; Type: ACL; Schema: wedsql; Owner: wed_owner
--

GRANT SELECT ON TABLE wedsql.timer TO wed_web;
GRANT SELECT ON TABLE wedsql.timer TO wed_worker;
GRANT SELECT ON TABLE wedsql.timer TO wed_reaper;
GRANT SELECT ON TABLE wedsql.timer TO wed_monitor;


--
-- Name: TABLE timing; Type: ACL; Schema: wedsql; Owner: wed_owner
--

GRANT SELECT ON TABLE wedsql.timing TO wed_web;
GRANT SELECT ON TABLE wedsql.timing TO wed_worker;
GRANT SELECT ON TABLE wedsql.timing TO wed_reaper;
GRANT SELECT ON TABLE wedsql.timing TO wed_monitor;


--
-- Name: TABLE watch; Type: ACL; Schema: wedsql; Owner: wed_owner
--

GRANT SELECT ON TABLE wedsql.watch TO wed_web;
GRANT SELECT ON TABLE wedsql.watch TO wed_worker;
GRANT SELECT ON TABLE wedsql.watch TO wed_reaper;
GRANT SELECT ON TABLE wedsql.watch TO wed_monitor;


--
-- Name: TABLE worker; Type: ACL; Schema: wedsql; Owner: wed_owner
--

GRANT SELECT ON TABLE wedsql.worker TO wed_web;
GRANT SELECT ON TABLE wedsql.worker TO wed_worker;
GRANT SELECT ON TABLE wedsql.worker TO wed_reaper;
GRANT SELECT ON TABLE wedsql.worker TO wed_monitor;


--
-- PostgreSQL database dump complete
--


