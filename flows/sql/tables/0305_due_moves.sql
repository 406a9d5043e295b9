-- Messages about moves by installation, so that those to one that is disabled are not read in each round.
create index if not exists move_peer_due on wedsql.move (peer_id, next_at)
  where next_at is not null and direction = 'O';
