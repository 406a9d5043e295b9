-- What a published definition was translated from: the text in its language, and which part of it each
-- attribute and transition is made of.
create table if not exists wedsql.flow_source (
  flow_id integer not null references wedsql.flow (id) on delete cascade,
  version integer not null,
  language text not null,
  format text not null,
  text text not null,
  map jsonb not null,
  primary key (flow_id, version)
);
