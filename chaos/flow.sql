-- Two parallel branches that join in a loop, then three kinds of work at once (a step with a tight timeout, a
-- leased one, one that only the clerk of the harness performs), then the end. The history of a finished instance
-- shows whether anything was done twice: each transition is there once, tr_turn `goal` times.
insert into wed_attr (aname, adv, type) values
  ('left_done', '0', 'text'), ('right_done', '0', 'text'), ('turn', '0', 'integer'), ('goal', '2', 'integer'),
  ('slow', '0', 'text'), ('leased', '0', 'text'), ('desk', '0', 'text');
insert into wed_trig (trname, cpred, timeout, mode, max_attempts, backoff) values
  ('tr_left', 'left_done = ''0''', '30 seconds', 'auto', 200, '100 milliseconds'),
  ('tr_right', 'right_done = ''0''', '30 seconds', 'auto', 200, '100 milliseconds'),
  ('tr_turn', 'left_done = ''1'' and right_done = ''1'' and turn < goal', '30 seconds', 'auto', 200, '100 milliseconds'),
  ('tr_slow', 'turn >= goal and slow = ''0''', '1 second', 'auto', 200, '100 milliseconds'),
  ('tr_lease', 'turn >= goal and leased = ''0''', '5 seconds', 'lease', 200, '100 milliseconds'),
  ('tr_desk', 'turn >= goal and desk = ''0''', '5 seconds', 'lease', 200, '100 milliseconds');
insert into wed_trig (cpred, cfinal) values ('slow = ''1'' and leased = ''1'' and desk = ''1''', true);
