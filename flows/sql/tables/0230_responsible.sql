-- The instances for which a person is responsible are found without reading those of others.
create index if not exists task_setting_responsible on wedsql.task_setting (responsible, wid)
  where responsible is not null and not ended;
