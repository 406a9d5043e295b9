-- The expenses of a small office, which people check and decide about. A clerk checks the receipts, the database
-- approves small amounts, a senior decides about the others, who is not the one that checked them, and a worker pays.
BEGIN;

INSERT INTO wed_attr (aname, adv, type, options, label, business_key) VALUES
  ('employee', NULL, 'text',    NULL, 'Employee', True),
  ('purpose',  NULL, 'text',    NULL, 'Purpose', True),
  ('amount',   NULL, 'numeric', NULL, 'Amount', False),
  ('spent_on', NULL, 'date',    NULL, 'Spent on', False),
  ('receipts', NULL, 'enum',    ARRAY['complete', 'missing'], 'Receipts', False),
  ('account',  NULL, 'enum',    ARRAY['travel', 'meals', 'material', 'other'], 'Account', False),
  ('comment',  NULL, 'text',    NULL, 'Comment', False),
  ('decision', NULL, 'enum',    ARRAY['approved', 'refused'], 'Decision', False),
  ('paid_on',  NULL, 'date',    NULL, 'Paid on', False);

UPDATE wed_attr SET option_labels = ARRAY['complete = Complete', 'missing = Missing'] WHERE aname = 'receipts';
UPDATE wed_attr SET option_labels = ARRAY['travel = Travel', 'meals = Meals', 'material = Material', 'other = Other']
WHERE aname = 'account';
UPDATE wed_attr SET option_labels = ARRAY['approved = Approved', 'refused = Refused'] WHERE aname = 'decision';

INSERT INTO wed_trig (tgname, trname, cname, cpred, performer, role, deadline, priority, writes, outcomes, offline, label,
                      description) VALUES
  ('check', 'tr_check', 'to_be_checked', $$receipts is null$$, 'person', 'Clerk', '1 day', 0,
   ARRAY['receipts', 'account', 'comment', 'decision'],
   ARRAY[$$Receipts are complete: receipts = 'complete'$$,
         $$Refuse: receipts = 'missing', decision = 'refused'$$], True, 'Check the receipts',
   'Compare the receipts with the amount, and choose the account.');
INSERT INTO wed_trig (tgname, trname, cname, cpred, performer, role, deadline, priority, writes, outcomes, not_by, label,
                      description) VALUES
  ('decide', 'tr_decide', 'to_be_decided', $$receipts = 'complete' and decision is null and amount > 100$$, 'person',
   'Senior', '2 days', 5, ARRAY['comment', 'decision'],
   ARRAY[$$Approve: decision = 'approved'$$, $$Refuse: decision = 'refused'$$], ARRAY['tr_check'],
   'Decide about the expense', 'Whoever checked the receipts does not decide.');
INSERT INTO wed_trig (tgname, trname, cname, cpred, performer, sets, label) VALUES
  ('small', 'tr_approve', 'small_amount', $$receipts = 'complete' and decision is null and amount <= 100$$, 'database',
   $$decision = 'approved'$$, 'Approve a small amount');
INSERT INTO wed_trig (tgname, trname, cname, cpred, timeout, writes, label) VALUES
  ('pay', 'tr_pay', 'to_be_paid', $$decision = 'approved' and paid_on is null$$, '00:00:20', ARRAY['paid_on'],
   'Pay the employee');
INSERT INTO wed_trig (cpred, cfinal) VALUES ($$paid_on is not null or decision = 'refused'$$, True);

COMMIT;
