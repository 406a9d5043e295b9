-- Open tasks of an audience by flow, in each order, so that the next one of a flow is found at once.
create index if not exists task_of_flow_by_arrival on wedsql.task (audience, flow_id, arrived_at, job_id)
  where state = 'R';
create index if not exists task_of_flow_by_priority on wedsql.task (audience, flow_id, rank, job_id)
  where state = 'R';
create index if not exists task_of_flow_by_deadline on wedsql.task (audience, flow_id, due_at, job_id)
  where state = 'R';
