-- Chains that devices were given; results for them are late results then.
alter table wedsql.device_package drop column chain;
