-- Messages that outlive their flow: who held tasks of a flow that was dropped reads that.
alter table wedsql.message alter column flow_id drop not null;
