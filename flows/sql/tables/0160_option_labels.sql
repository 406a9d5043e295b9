-- Names for people: of the options of an attribute, and of the queues of a flow. Each is a line such as
-- sold_out = Sold out, for one language sold_out [pt-br] = Esgotado; null is none. Only pages read them.
alter table wedsql.attr add column if not exists option_labels text[];
alter table wedsql.flow add column if not exists queue_labels text[];
