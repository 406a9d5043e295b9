-- Flows with every option, by the names of release 1.0.0 and later. Handlers are those of workers/tests/handlers.
begin;
select wedsql.create_flow('every');
select wedsql.create_flow('deferring');
select wedsql.create_flow('cancelling');
update wedsql.flow set label = 'Every option', description = 'of a flow', max_firings = 50,
  default_timeout = '5 minutes', retention = '10 years' where name = 'every';
update wedsql.flow set final_when_pending = 'defer', notify_trace = false where name = 'deferring';
update wedsql.flow set final_when_pending = 'cancel', default_timeout = null where name = 'cancelling';

insert into every.wed_attr (aname, adv, type, options, label, description) values
  ('kind',  'mark', 'text',        null,               'Kind', 'which trigger fires'),
  ('a',     null,   'text',        null,               '',     ''),
  ('n',     '0',    'integer',     null,               '',     ''),
  ('share', '0.5',  'numeric',     null,               '',     ''),
  ('paid',  'true', 'boolean',     null,               '',     ''),
  ('day',   null,   'date',        null,               '',     ''),
  ('due',   null,   'timestamptz', null,               '',     ''),
  ('lasts', '1 day', 'interval',   null,               '',     ''),
  ('more',  '{}',   'jsonb',       null,               '',     ''),
  ('size',  's',    'enum',        array['s', 'l'],    '',     '');

insert into every.wed_trig (tgname, trname, cname, cpred, mode, priority, writes, concurrent, class, role, label) values
  ('mark', 'act_mark', 'to_mark', $$kind = 'mark' and a is null$$, 'transaction', 5, '{a}', true, 'pivot', 'Clerk', 'Mark');
insert into every.wed_trig (tgname, trname, cpred, mode, revalidate, refresh_payload, timeout, backoff) values
  ('again', 'act_again', $$kind in ('again', 'due') and n < 3$$, 'auto', 'at_take', true, null, '2 seconds');
insert into every.wed_trig (tgname, trname, cpred, mode, revalidate, pickup_deadline, timeout, max_firings) values
  ('wait', 'tr_wait', $$kind = 'wait' and a is null$$, 'lease', 'withdraw', '100 years', '1 hour', 7);
insert into every.wed_trig (tgname, trname, cpred, due_attr, due_after, fire_once, compensation, class) values
  ('late', 'tr_late', $$kind in ('due', 'stuck') and a is null$$, 'due', '1 hour', true, 'inverse', 'compensatable');
insert into every.wed_trig (tgname, trname, cpred, max_attempts, backoff, replay, compensation, compensated_by)
  values ('fail', 'tr_fail', $$kind = 'fail' and a is null$$, 1, '0', 'reuse', 'transition', 'tr_wait');
insert into every.wed_trig (tgname, trname, cpred, on_error) values
  ('wrong', 'tr_wrong', $$size = 'l' and share / n > 1$$, 'exception'),
  ('false', 'tr_wrong', $$kind = 'false' and 1 / n > 1$$, 'false'),
  ('abort', 'tr_wrong', $$kind = 'abort' and 1 / n > 1$$, 'abort');
insert into every.wed_trig (tgname, trname, cpred, sets) values
  ('count', 'tr_count', $$kind = 'count' and n < 2$$, 'n = n + 1');
insert into every.wed_trig (tgname, trname, cpred, performer, sets) values
  ('auto', 'auto', $$kind = 'auto' and n < 2$$, 'database', 'n = n + 1');
insert into every.wed_trig (tgname, trname, cpred, performer, role, deadline, outcomes, candidate, not_by, same_as,
    offline, application, form, sets_when_taken) values
  ('look', 'tr_look', $$kind = 'look' and a is null$$, 'person', 'Clerk', '4 hours', array[$$Good: a = 'ended'$$, 'Bad'],
   'a', '{tr_fail}', 'tr_fail', true, '/looks/{a}/',
   '{"sections": [{"title": "Look", "fields": [{"attribute": "n", "required": "kind = ''look''"}]}]}', $$n = 1$$);
insert into every.wed_trig (tgname, trname, cpred, enabled) values ('off', 'tr_off', $$paid$$, false);
insert into every.wed_trig (cname, cpred, cfinal) values ('done', $$a in ('marked', 'ended') or n >= 3$$, true);

insert into deferring.wed_attr (aname, adv) values ('kind', 'mark'), ('a', null), ('b', null);
insert into deferring.wed_trig (trname, cpred) values ('act_mark', $$kind = 'mark' and a is null$$),
  ('tr_other', $$b is null$$);
insert into deferring.wed_trig (cpred, cfinal) values ($$a = 'marked'$$, true);
insert into cancelling.wed_attr (aname, adv) values ('kind', 'mark'), ('a', null), ('b', null);
insert into cancelling.wed_trig (trname, cpred) values ('act_mark', $$kind = 'mark' and a is null$$),
  ('tr_other', $$b is null$$);
insert into cancelling.wed_trig (cpred, cfinal) values ($$a = 'marked'$$, true);

commit;

-- Running: waiting jobs, one with a key, one with a value of every type, one whose trigger has a due time.
begin;
select wedsql.start('every', '{}', 'ana', 'first');
select wedsql.start('every', '{"kind": "again", "day": "2026-01-31", "more": {"x": [1, null]}, "lasts": "01:00:00"}');
select wedsql.start('every', '{"kind": "due", "due": "2199-01-01T00:00:00Z"}');
select wedsql.start('every', '{"kind": "mark", "size": "l"}');  -- a condition of it fails
select wedsql.start('deferring') from generate_series(1, 2);
select wedsql.start('cancelling') from generate_series(1, 2);
commit;
-- Leased.
begin;
select wedsql.start('every', '{"kind": "wait"}') from generate_series(1, 2);
commit;
begin;
select count(*) from wedsql.lease('every', '{tr_wait}', 1, 'holder', '100 years');
commit;
begin;
-- Finished, an exception (a state for which nothing follows), and parked after the only attempt.
select wedsql.start('every', '{"kind": "again"}', 'bob');
select wedsql.start('every', '{"kind": "fail"}');
select wedsql.start('every', '{"kind": "wait"}');
commit;
begin;
do $$
declare
  v_job record;
begin
  for i in 1..3 loop
    select * into v_job from wedsql.take('every', '{act_again}', 1, 'bob',
      (select array_agg(j.id) from wedsql.job_pool j join wedsql.instance i on i.wid = j.wid
       where i.actor = 'bob' and j.trname = 'act_again'));
    perform wedsql.complete_many('every', array[v_job.wid], array[v_job.job_id], array[v_job.claim],
      array[jsonb_build_object('n', i)]);
  end loop;
  select * into v_job from wedsql.take('every', '{tr_wait}');
  perform wedsql.complete_many('every', array[v_job.wid], array[v_job.job_id], array[v_job.claim],
    array['{"kind": "nothing"}'::jsonb]);
end $$;
commit;
begin;
do $$
declare
  v_job record;
begin
  select * into v_job from wedsql.take('every', '{tr_fail}');
  perform wedsql.fail_many('every', array[v_job.wid], array[v_job.job_id], array[v_job.claim], array['no carrier']);
end $$;
commit;
begin;
select wedsql.cancel(wedsql.start('every', '{"kind": "wait"}'), 'ana', 'not wanted');
select wedsql.register_worker('wedworker', 'earlier', 'host', 1, '{every:act_mark}');
commit;
