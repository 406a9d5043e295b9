-- What releases from 1.1.0 on have besides: tasks of people, a device that has two of them without a connection, and
-- the second result of that device, which waits for its first.
begin;
select wedsql.create_flow('round');
insert into round.wed_attr (aname) values ('meter'), ('note'), ('read');
insert into round.wed_trig (trname, cpred, performer, role, writes, offline) values
  ('tr_measure', 'meter is null', 'person', 'Technician', '{meter,note}', true);
insert into round.wed_trig (trname, cpred, performer, role) values ('tr_read', 'read is null', 'person', 'Clerk');
insert into round.wed_trig (cpred, cfinal) values ('meter is not null and read is not null', true);
commit;
begin;
select wedsql.start('round') from generate_series(1, 3);
commit;
begin;
do $$
declare
  v_tasks bigint[] := array(select j.id from wedsql.job_pool j where j.trname = 'tr_measure' order by j.wid);
  v_device jsonb := wedsql.device_seen('ana', 'phone-of-a-technician');
  v_package jsonb;
begin
  for i in 1..2 loop
    perform wedsql.take_task(v_tasks[i], 'ana', '{r:Technician}', true);
    v_package := wedsql.read_package('ana', 'phone-of-a-technician', v_tasks[i]);
  end loop;
  perform wedsql.confirm_packages('ana', 'phone-of-a-technician', v_tasks[1:2]);
  perform wedsql.keep_offline_result('ana', 'phone-of-a-technician', 2, jsonb_build_object(
    'task', v_tasks[2], 'claim', v_package -> 'claim', 'seq', v_package -> 'seq', 'values', '{"meter": "2"}'::jsonb,
    'made_at', '2026-05-01T12:00:00Z', 'sent_at', '2026-05-01T12:00:00Z'));
  perform wedsql.take_task((select j.id from wedsql.job_pool j where j.trname = 'tr_read' order by j.wid limit 1),
                           'carl', '{r:Clerk}');
end $$;
commit;
