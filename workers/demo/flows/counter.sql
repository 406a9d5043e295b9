-- A loop: one transition fires itself again until the goal is reached, one step of the history per turn.
BEGIN;

INSERT INTO wed_attr (aname, adv, type, label) VALUES
  ('turn', '0', 'integer', 'Turns made'),
  ('goal', '5', 'integer', 'Turns wanted'),
  ('note', NULL, 'text', 'What the last turn said');

INSERT INTO wed_trig (tgname, trname, cname, cpred, timeout) VALUES
  ('again', 'tr_count', 'not_there_yet', $$turn < goal$$, '00:00:20');
INSERT INTO wed_trig (cpred, cfinal) VALUES ($$turn >= goal$$, True);

COMMIT;
