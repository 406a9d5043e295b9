-- Errors by message: attempts that failed for the same reason are one row (wedsql.failure), whatever numbers,
-- names and times their messages have. They are added in the statement that counts figures, each once.

-- Returns the kind of an error: the name of its class without its module, else the outcome of the attempt.
create or replace function wedsql._failure_kind(p_outcome text, p_message text) returns text
language sql immutable set search_path = pg_catalog, pg_temp as $$
select coalesce(left(substring(p_message collate "C"
  from '^(?:[A-Za-z_][A-Za-z0-9_]*[.])*([A-Z][A-Za-z_]*)(?:: |$)'), 100), p_outcome)
$$;

-- Returns a message without what differs from attempt to attempt: values in quotes, addresses, and words with
-- a digit, that is numbers, times, keys and digests. A status after HTTP, status or code stays, and so do
-- words such as utf8. Only the first line counts, without the class and the place in the program.
create or replace function wedsql._failure_message(p_message text) returns text
language sql immutable set search_path = pg_catalog, pg_temp as $$
with line (text) as (
  select left(split_part(replace(p_message, chr(13), chr(10)), chr(10), 1), 600) collate "C"),
own (text) as (
  select regexp_replace(regexp_replace(l.text,
    '^(?:[A-Za-z_][A-Za-z0-9_]*[.])*[A-Z][A-Za-z_]*(?:: |$)', ''), ' [(][^()]*:[0-9]+ in [^()]*[)]$', '')
  from line l),
unquoted (text) as (
  select regexp_replace(regexp_replace(o.text,
    E'"[^"]*"|\\u201c[^\\u201d]*\\u201d|\\u00ab[^\\u00bb]*\\u00bb|\\u2018[^\\u2019]*\\u2019|`[^`]*`',
    E'\u2026', 'g'),
    '(?<![A-Za-z0-9])''[^'']*''(?![A-Za-z0-9])', E'\u2026', 'g')
  from own o),
addresses (text) as (
  select regexp_replace(regexp_replace(u.text, '[A-Za-z][A-Za-z0-9+.-]*://[^[:space:]]+', E'\u2026', 'g'),
                        '[^[:space:]@<>(),;:]+@[^[:space:]@<>(),;:]+', E'\u2026', 'g') from unquoted u),
numbers (text) as (
  select regexp_replace(a.text, '(?<!(?:HTTP|status|code)[ :=]{0,3})'
    || E'(?<![^[:space:](){}<>,;:=|/#\\[\\]])(?![A-Za-z]{2,}[0-9]{1,3}(?![A-Za-z0-9_.-]))'
    || E'[^[:space:](){}<>,;:=|/#\\u2026\\[\\]]*[0-9][^[:space:](){}<>,;:=|/#\\u2026\\[\\]]*',
    E'\u2026', 'g') from addresses a)
-- The site's sessions write UTF-8, others may not have this letter.
select left(replace(btrim(regexp_replace(regexp_replace(n.text,
    E'\\u2026(?:[[:space:],:;/#-]*\\u2026)+', E'\u2026', 'g'), '[[:space:]]+', ' ', 'g')),
  E'\u2026', '...'), 200) from numbers n
$$;

-- Returns what attempts that are not counted add to the errors, by instance and hour. A flow has at most 500
-- messages: what is beyond that, because every message is different, is one row without a text.
create or replace function wedsql._new_failures(
  p_state wedsql.figure_state, p_until bigint, p_earlier integer[], p_removed integer[], p_restored boolean)
returns table (flow_id integer, trname text, kind text, message text, wid integer, hour timestamptz,
               version integer, worker text, n bigint, first_at timestamptz, last_at timestamptz)
language sql stable set search_path = pg_catalog, pg_temp set jit = off as $$
with l as (
  select u.*, wedsql._failure_kind(u.outcome, u.message) as kind,
         wedsql._failure_message(u.message) as text,
         (select max(v.version) from wedsql.flow_version v
          where v.flow_id = u.flow_id and v.at <= u.at) as version
  from wedsql._uncounted_failures(p_state, p_until, p_earlier, p_removed, p_restored) u
  join wedsql.flow f on f.id = u.flow_id),
unknown as (
  select d.*, row_number() over (partition by d.flow_id order by d.kind, d.text) as place
  from (select distinct l.flow_id, l.kind, l.text from l) d
  where not exists (select from wedsql.failure x join wedsql.failure_flow y on y.failure_id = x.id
                    where x.kind = d.kind and x.message = d.text and y.flow_id = d.flow_id)),
left_out as (
  select u.* from unknown u
  where u.place > 500 - (select count(distinct y.failure_id) from wedsql.failure_flow y
                         where y.flow_id = u.flow_id))
select l.flow_id, l.trname, case when o.kind is null then l.kind else 'other' end,
       case when o.kind is null then l.text else '' end, l.wid, date_trunc('hour', l.at, 'UTC'), l.version,
       left(l.actor, 100), count(*), min(l.at), max(l.at)
from l left join left_out o on o.flow_id = l.flow_id and o.kind = l.kind and o.text = l.text
group by 1, 2, 3, 4, 5, 6, 7, 8
$$;

-- Returns the newest twenty of these versions.
create or replace function wedsql._failure_versions(p_versions integer[]) returns integer[]
language sql immutable set search_path = pg_catalog, pg_temp as $$
select coalesce(array_agg(x.v order by x.v), '{}')
from (select distinct v from unnest(p_versions) v where v is not null order by v desc limit 20) x
$$;

-- Returns twenty of these names of workers.
create or replace function wedsql._failure_workers(p_workers text[]) returns text[]
language sql immutable set search_path = pg_catalog, pg_temp as $$
select coalesce(array_agg(x.w order by x.w), '{}')
from (select w from unnest(p_workers) with ordinality u (w, n)
      where w <> '' group by w order by min(n) limit 20) x
$$;

-- Removes hours of more than 14 days ago, and errors of flows that are deleted or in which they have not
-- occurred for 90 days, up to p_max rows of each table. Returns from how many transitions errors were
-- removed.
create or replace function wedsql._remove_old_failures(p_now timestamptz, p_max integer) returns bigint
language sql volatile set search_path = pg_catalog, pg_temp as $$
delete from wedsql.failure_hour h where h.ctid = any (array(
  select o.ctid from wedsql.failure_hour o where o.at < p_now - interval '14 days'
  order by o.at limit p_max));
with gone as (
  delete from wedsql.failure_flow y where y.ctid = any (array(
    select o.ctid from wedsql.failure_flow o
    where o.last_at < p_now - interval '90 days'
       or not exists (select from wedsql.flow f where f.id = o.flow_id) limit p_max))
  returning y.failure_id, y.flow_id, y.trname),
instances as (
  delete from wedsql.failure_instance i using gone g
  where i.failure_id = g.failure_id and i.flow_id = g.flow_id and not exists (
    select from wedsql.failure_flow o where o.failure_id = g.failure_id and o.flow_id = g.flow_id
      and (o.failure_id, o.flow_id, o.trname) not in (select d.failure_id, d.flow_id, d.trname from gone d))),
errors as (
  delete from wedsql.failure x using gone g
  where x.id = g.failure_id and not exists (
    select from wedsql.failure_flow o where o.failure_id = g.failure_id
      and (o.failure_id, o.flow_id, o.trname) not in (select d.failure_id, d.flow_id, d.trname from gone d)))
select count(*) from gone
$$;
