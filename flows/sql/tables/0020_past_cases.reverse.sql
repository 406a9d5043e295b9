-- The tables without indexes for suggestions and reports. Nothing is lost.
drop index wedsql.repair_case_alike, wedsql.repair_case_opened;
