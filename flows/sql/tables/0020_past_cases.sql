-- The closed cases of one signature, and all cases by the time of their opening: for suggestions and reports.
create index if not exists repair_case_alike on wedsql.repair_case (flow_id, signature, closed_at desc)
  where closed_at is not null and signature <> '';
create index if not exists repair_case_opened on wedsql.repair_case (flow_id, opened_at);
