-- No data are lost.
drop index if exists wedsql.task_setting_responsible;
