-- Nothing is lost: jobs get their states from the history.
update wedsql.job_pool j set payload = t.state from wedsql.wed_trace t
where j.payload is null and t.wid = j.wid and t.seq = j.cause_seq;
alter table wedsql.job_pool alter column payload set not null;
