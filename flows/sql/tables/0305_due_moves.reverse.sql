-- The tables without the index of messages about moves by installation. Nothing is lost.
drop index if exists wedsql.move_peer_due;
