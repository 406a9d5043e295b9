-- The orders of a small shop. Payment and stock are handled in parallel and join at the parcel; a declined
-- card and an address that no carrier serves end at the exception desk, because a person has to decide; manage.py
-- loaddemo --cases opens such cases.
BEGIN;

INSERT INTO wed_attr (aname, adv, type, options, label) VALUES
  ('customer',     NULL,    'text',    NULL, 'Customer'),
  ('country',      'BR',    'text',    NULL, 'Country of delivery'),
  ('items',        '1',     'integer', NULL, 'Articles'),
  ('total',        NULL,    'numeric', NULL, 'Total'),
  ('express',      'false', 'boolean', NULL, 'Express delivery'),
  ('ordered_on',   NULL,    'date',    NULL, 'Ordered on'),
  ('payment',      NULL,    'enum',    ARRAY['paid', 'declined', 'refunded'], 'Payment'),
  ('stock',        NULL,    'enum',    ARRAY['reserved', 'short', 'sold_out'], 'Stock'),
  ('restocks',     '0',     'integer', NULL, 'Times restocked'),
  ('parcel',       NULL,    'text',    NULL, 'Parcel number'),
  ('invoice',      NULL,    'text',    NULL, 'Invoice number'),
  ('delivered_on', NULL,    'date',    NULL, 'Delivered on');
UPDATE wed_attr SET option_labels = ARRAY['paid = Paid', 'declined = Declined', 'refunded = Paid back']
WHERE aname = 'payment';
UPDATE wed_attr SET option_labels = ARRAY['reserved = Reserved', 'short = Too few', 'sold_out = Sold out']
WHERE aname = 'stock';
UPDATE wedsql.flow SET queue_labels = ARRAY['refunds = Refunds', 'cards = Cards', 'delivery = Delivery', 'orders = Other orders']
WHERE name = current_schema();
-- A person repairs what customers say and what services answer, not what the shop numbers and counts.
UPDATE wed_attr SET repairable = False WHERE aname IN ('restocks', 'parcel', 'invoice', 'ordered_on');
-- The shop knows an order by these.
UPDATE wed_attr SET business_key = True WHERE aname IN ('customer', 'invoice');

-- Most steps can be undone: the reservation and the invoice by the database, the payment by paying it back. There
-- is no way back behind the parcel. A failed attempt is repeated at once.
INSERT INTO wed_trig (tgname, trname, cname, cpred, timeout, backoff, compensation, compensated_by, class, label) VALUES
  ('pay',     'tr_charge',  'to_be_paid',     $$total > 0 and payment is null$$, '00:00:20', '0s',
   'transition', 'tr_refund', 'compensatable', 'Charge the card');
INSERT INTO wed_trig (tgname, trname, cname, cpred, timeout, compensation, label) VALUES
  ('reserve', 'tr_reserve', 'to_be_reserved', $$items > 0 and stock is null$$, '00:00:10', 'inverse', 'Reserve the articles'),
  ('restock', 'tr_restock', 'short_of_stock', $$stock = 'short'$$, '00:00:30', 'none', 'Order more articles'),
  ('bill',    'tr_invoice', 'to_be_billed',   $$payment = 'paid' and invoice is null$$, '00:00:10', 'inverse', 'Write the invoice');
-- The carrier's computer sometimes hangs: after three seconds the attempt ends and the next one begins.
INSERT INTO wed_trig (tgname, trname, cname, cpred, timeout, max_attempts, backoff, class, label) VALUES
  ('ship',    'tr_ship',    'to_be_shipped',
   $$payment = 'paid' and stock = 'reserved' and country <> '??' and parcel is null$$, '00:00:03', 4, '0s', 'pivot',
   'Hand over to the carrier');
-- A delivery takes long, and no transaction stays open for it.
INSERT INTO wed_trig (tgname, trname, cname, cpred, timeout, mode, max_attempts, backoff, writes, label) VALUES
  ('deliver', 'tr_deliver', 'under_way',      $$parcel is not null and delivered_on is null$$, '00:02:00', 'lease', 3, '0s',
   ARRAY['delivered_on'], 'Deliver');
-- Paying back more than 500 is decided by people.
INSERT INTO wed_trig (tgname, trname, cname, cpred, timeout, max_attempts, backoff, writes, label) VALUES
  ('refund',  'tr_refund',  'cannot_deliver',
   $$payment = 'paid' and stock = 'sold_out' and invoice is not null and total <= 500$$,
   '00:00:20', 3, '0s', ARRAY['payment'], 'Pay the money back');
INSERT INTO wed_trig (cpred, cfinal) VALUES
  ($$invoice is not null and (delivered_on is not null or payment = 'refunded')$$, True);
-- What a courier reports may be wrong; such an order does not end.
INSERT INTO wed_trig (tgname, cpred, integrity, label) VALUES
  ('in_order', $$delivered_on is null or delivered_on >= ordered_on$$, 'final', 'Delivered after it was ordered');

COMMIT;
