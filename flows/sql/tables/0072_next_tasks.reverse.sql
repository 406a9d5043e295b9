-- The table without indexes by flow. Nothing is lost.
drop index wedsql.task_of_flow_by_arrival;
drop index wedsql.task_of_flow_by_priority;
drop index wedsql.task_of_flow_by_deadline;
