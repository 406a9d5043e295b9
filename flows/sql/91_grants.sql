-- Least privilege: which role may call what (described in docs/operating.md). No role has the right to write
-- the running tables: only functions of wed_owner do it.
grant execute on function
  wedsql.check_predicate(text, text), wedsql.check_predicate_text(text, jsonb), wedsql.check_name(text, text),
  wedsql.suggest(text, text[]),
  wedsql.definition(text), wedsql.difference(jsonb, jsonb), wedsql.create_flow(text, text, text),
  wedsql.drop_flow(text, boolean, integer), wedsql.withdraw(text, integer, text),
  wedsql.publish(text, jsonb, boolean, boolean, text, text, integer), wedsql.continue_rematch(text, integer),
  wedsql.rematches(), wedsql.keep_source(text, jsonb), wedsql.source(text, integer),
  wedsql.attributes_set(text),
  wedsql.rematch(text, integer[], boolean, text, text),
  wedsql.start_many(text, jsonb[], text, text[]), wedsql.start(text, jsonb, text, text),
  wedsql.cancel(integer, text, text),
  wedsql.suspend(integer, text, text), wedsql.resume(integer, text, text),
  wedsql.retry_job(integer, bigint, text, text), wedsql.release_job(integer, bigint, text, text),
  wedsql.withdraw_job(integer, bigint, text, text),
  wedsql.prioritize_job(integer, bigint, integer, text, text),
  wedsql.extend_job(integer, bigint, interval, text, text),
  wedsql.reassign_job(integer, bigint, text, text, text),
  wedsql.assignable_workers(integer, text),
  wedsql.take(text, text[], integer, text, bigint[]),
  wedsql.lease(text, text[], integer, text, interval, bigint[]),
  wedsql.offer(text, text[], integer, bigint[], text), wedsql.extend(integer, bigint, bigint, interval),
  wedsql.release(integer, bigint, bigint, text),
  wedsql.complete_many(text, integer[], bigint[], bigint[], jsonb[], text, text[]),
  wedsql.fail_many(text, integer[], bigint[], bigint[], text[], text[], text, text),
  wedsql.watch(bigint, text), wedsql.unwatch(bigint)
to wed_web;
grant execute on function wedsql.past_start_times(text[]), wedsql.never_true(jsonb, text[])
to wed_web, wed_monitor;
grant execute on function wedsql.task_host(text, text, integer, integer, bigint) to wed_web, wed_worker;
grant execute on function wedsql.may_work(text, text), wedsql.never_offered(text[]) to wed_web, wed_worker;
grant execute on function wedsql.state_withheld(text) to wed_web, wed_monitor;
grant execute on function wedsql.list_locks(text, integer, text) to wed_web, wed_monitor;
grant execute on function wedsql.assignee_seen(integer, text, text), wedsql.source_outline(integer)
to wed_web, wed_worker, wed_reaper, wed_monitor;
grant execute on function wedsql.last_writes(integer, integer, integer) to wed_web;
grant execute on function
  wedsql.attribute_index(text, text), wedsql.list_indexes(text[]),
  wedsql.request_index(text, text, text, text[]), wedsql.withdraw_index(text, text, text[])
to wed_web;
grant execute on function
  wedsql.definition(text), wedsql.start_many(text, jsonb[], text, text[]),
  wedsql.start(text, jsonb, text, text),
  wedsql.take(text, text[], integer, text, bigint[]),
  wedsql.lease(text, text[], integer, text, interval, bigint[]),
  wedsql.offer(text, text[], integer, bigint[], text), wedsql.extend(integer, bigint, bigint, interval),
  wedsql.release(integer, bigint, bigint, text),
  wedsql.complete_many(text, integer[], bigint[], bigint[], jsonb[], text, text[]),
  wedsql.fail_many(text, integer[], bigint[], bigint[], text[], text[], text, text),
  wedsql.register_worker(text, text, text, integer, text[]), wedsql.heartbeat(bigint, boolean),
  wedsql.unregister_worker(bigint),
  wedsql.report_problems(bigint, text)
to wed_worker;
grant execute on function
  wedsql.reap(integer), wedsql.rematch_due(), wedsql.next_due(), wedsql.has_index_work(),
  wedsql.maintain(), wedsql.report_disk(bigint, bigint), wedsql.data_directory(),
  wedsql.register_worker(text, text, text, integer, text[]), wedsql.heartbeat(bigint, boolean),
  wedsql.unregister_worker(bigint)
to wed_reaper;

do $$
declare
  v_name text;
begin
  foreach v_name in array array['flow', 'attr', 'trig', 'flow_version', 'condition_error', 'instance',
                                'timer', 'job_log', 'worker', 'paper_client', 'beat', 'disk', 'timing',
                                'watch', 'trouble', 'wed_trace', 'figure', 'figure_state', 'failure',
                                'failure_flow', 'failure_hour', 'failure_instance', 'calendar',
                                'sla', 'sla_clock', 'start_time'] loop
    execute format('grant select on wedsql.%I to wed_web, wed_worker, wed_reaper, wed_monitor', v_name);
  end loop;
  grant insert, update, delete on wedsql.attr, wedsql.trig to wed_web;
  grant select on wedsql.attr, wedsql.trig, wedsql.wed_trace, wedsql.instance to wed_view;
  -- The claim of a lease is enough to finish it: only the session that took the lease may read it.
  revoke select on wedsql.job_pool from wed_web, wed_worker, wed_reaper, wed_monitor, wed_view;
  execute (select format('grant select (%s) on wedsql.job_pool to wed_web, wed_worker, wed_reaper, '
                         'wed_monitor, wed_view',
                         string_agg(quote_ident(a.attname), ', ' order by a.attnum))
           from pg_attribute a
           where a.attrelid = 'wedsql.job_pool'::regclass and a.attnum > 0 and not a.attisdropped
             and a.attname <> 'claim');
  -- UPDATE by columns, and no DELETE: a role that may update a table as a whole may lock it as a whole.
  grant insert on wedsql.attr, wedsql.trig to wed_view;
  foreach v_name in array array['attr', 'trig'] loop
    execute (select format('grant update (%s) on wedsql.%I to wed_view',
                           string_agg(quote_ident(a.attname), ', ' order by a.attnum), v_name)
             from pg_attribute a
             where a.attrelid = format('wedsql.%I', v_name)::regclass and a.attnum > 0
               and not a.attisdropped);
  end loop;
  execute format('grant update (%s) on wedsql.flow to wed_web', wedsql._option_columns('flow'));
  if (select r.rolsuper from pg_roles r where r.rolname = current_user) then
    perform wedsql.close_advisory_locks();
  end if;
  alter role wed_monitor set default_transaction_read_only = on;
  -- One kind of process cannot use up the connections of another, above all the reaper's.
  alter role wed_web connection limit 60;
  alter role wed_worker connection limit 100;
  alter role wed_reaper connection limit 10;
  alter role wed_monitor connection limit 20;
  -- These limits apply to manual log-ins too; the product's own processes set tighter ones.
  alter role wed_web set idle_in_transaction_session_timeout = '60s';
  alter role wed_monitor set idle_in_transaction_session_timeout = '60s';
  alter role wed_reaper set idle_in_transaction_session_timeout = '60s';
  alter role wed_worker set idle_in_transaction_session_timeout = '1h';
  alter role wed_web set statement_timeout = '60s';
  alter role wed_monitor set statement_timeout = '60s';
  -- Compiling the short statements of the kernel to machine code takes longer than running them.
  alter role wed_web set jit = off;
  alter role wed_worker set jit = off;
  alter role wed_reaper set jit = off;
  alter role wed_monitor set jit = off;
end $$;
