-- The bank's days of rows that were edited or joined, from what imports kept of their files (src/transactions/booked-days.ts).
-- Each row that gets one also gets a new number in the feed of changes.
WITH told AS (
  SELECT id, user_id, transaction_date,
         (SELECT o.transaction_date FROM imported_originals o
           WHERE o.user_id = t.user_id AND o.merged_into_id = t.id AND coalesce(o.import_id, o.booked_by) IS NOT NULL
             AND t.account_id IN (o.account_id, o.to_account_id)
           ORDER BY o.joined_id = o.id, o.seq DESC, o.id DESC LIMIT 1) AS booked_on,
         (SELECT o.transaction_date FROM imported_originals o
           WHERE o.user_id = t.user_id AND o.merged_into_id = t.id AND coalesce(o.import_id, o.booked_by) IS NOT NULL
             AND t.to_account_id IN (o.account_id, o.to_account_id)
           ORDER BY o.joined_id = o.id, o.seq DESC, o.id DESC LIMIT 1) AS to_booked_on
    FROM transactions t
   WHERE id IN (SELECT merged_into_id FROM imported_originals WHERE merged_into_id IS NOT NULL)
), moved AS (
  SELECT *, row_number() OVER (PARTITION BY user_id ORDER BY id) + max(
             coalesce((SELECT max(seq) FROM transactions latest WHERE latest.user_id = told.user_id), 0),
             coalesce((SELECT max(seq) FROM changes latest WHERE latest.user_id = told.user_id), 0)) AS next_seq
    FROM told WHERE booked_on <> transaction_date OR to_booked_on <> transaction_date
)
UPDATE transactions
   SET booked_on = nullif(moved.booked_on, moved.transaction_date),
       to_booked_on = nullif(moved.to_booked_on, moved.transaction_date),
       seq = moved.next_seq
  FROM moved WHERE transactions.id = moved.id;
--> statement-breakpoint
-- Otherwise, the first write that logs nothing would add this row.
INSERT INTO sqlite_sequence (name, seq) VALUES ('reconciliation_log', 0);
--> statement-breakpoint
-- The log of changes that move a balance on or before the day of the account's latest check. Like the triggers of the kept
-- figures, these are about single rows; src/database/kept-totals.ts logs bulk writes and the deletion of an account. The
-- entries get the name of their writer at the end of the transaction (src/database/written-by.ts).
CREATE TRIGGER transaction_creation_reconciled AFTER INSERT ON transactions
WHEN NOT new.is_synced AND new.import_id IS NULL BEGIN
  INSERT INTO reconciliation_log (user_id, account_id, date, effect, transaction_id, op, count, after, at)
  SELECT new.user_id, account_id, day, effect, new.id, 'created', 1,
         json_object('type', new.type, 'amount', new.amount, 'transaction_date', new.transaction_date,
                     'account_id', new.account_id, 'to_account_id', new.to_account_id),
         CAST(unixepoch('subsec') * 1000 AS INTEGER)
    FROM (SELECT new.account_id AS account_id, coalesce(new.booked_on, new.transaction_date) AS day,
                 iif(new.type = 'income', new.amount, -new.amount) AS effect
          UNION ALL
          SELECT new.to_account_id, coalesce(new.to_booked_on, new.transaction_date), new.amount
           WHERE new.to_account_id IS NOT NULL) side
   WHERE EXISTS (SELECT 1 FROM balance_checks WHERE account_id = side.account_id AND date >= side.day);
END;
--> statement-breakpoint
CREATE TRIGGER transaction_deletion_reconciled AFTER DELETE ON transactions
WHEN EXISTS (SELECT 1 FROM users WHERE id = old.user_id)
 AND EXISTS (SELECT 1 FROM accounts WHERE id = old.account_id AND user_id IS NOT NULL)
 AND (old.to_account_id IS NULL OR EXISTS (SELECT 1 FROM accounts WHERE id = old.to_account_id AND user_id IS NOT NULL))
 AND (old.import_id IS NULL OR EXISTS (SELECT 1 FROM imports WHERE id = old.import_id AND user_id IS NOT NULL)) BEGIN
  INSERT INTO reconciliation_log (user_id, account_id, date, effect, transaction_id, op, count, before, at)
  SELECT old.user_id, account_id, day, effect, old.id, 'deleted', 1,
         json_object('type', old.type, 'amount', old.amount, 'transaction_date', old.transaction_date,
                     'account_id', old.account_id, 'to_account_id', old.to_account_id),
         CAST(unixepoch('subsec') * 1000 AS INTEGER)
    FROM (SELECT old.account_id AS account_id, coalesce(old.booked_on, old.transaction_date) AS day,
                 iif(old.type = 'income', -old.amount, old.amount) AS effect
          UNION ALL
          SELECT old.to_account_id, coalesce(old.to_booked_on, old.transaction_date), -old.amount
           WHERE old.to_account_id IS NOT NULL) side
   WHERE EXISTS (SELECT 1 FROM balance_checks WHERE account_id = side.account_id AND date >= side.day);
END;
--> statement-breakpoint
-- A row that moves from one day to another takes from the one and adds to the other.
CREATE TRIGGER transaction_change_reconciled
AFTER UPDATE OF type, amount, account_id, to_account_id, transaction_date, booked_on, to_booked_on ON transactions
WHEN (old.type, old.amount, old.account_id, old.to_account_id, old.transaction_date, old.booked_on, old.to_booked_on)
     IS NOT (new.type, new.amount, new.account_id, new.to_account_id, new.transaction_date, new.booked_on, new.to_booked_on) BEGIN
  INSERT INTO reconciliation_log (user_id, account_id, date, effect, transaction_id, op, count, before, after, at)
  SELECT new.user_id, account_id, day, sum(effect), new.id, 'updated', 1,
         json_object('type', old.type, 'amount', old.amount, 'transaction_date', old.transaction_date,
                     'account_id', old.account_id, 'to_account_id', old.to_account_id),
         json_object('type', new.type, 'amount', new.amount, 'transaction_date', new.transaction_date,
                     'account_id', new.account_id, 'to_account_id', new.to_account_id),
         CAST(unixepoch('subsec') * 1000 AS INTEGER)
    FROM (SELECT old.account_id AS account_id, coalesce(old.booked_on, old.transaction_date) AS day,
                 iif(old.type = 'income', -old.amount, old.amount) AS effect
          UNION ALL
          SELECT old.to_account_id, coalesce(old.to_booked_on, old.transaction_date), -old.amount
           WHERE old.to_account_id IS NOT NULL
          UNION ALL
          SELECT new.account_id, coalesce(new.booked_on, new.transaction_date),
                 iif(new.type = 'income', new.amount, -new.amount)
          UNION ALL
          SELECT new.to_account_id, coalesce(new.to_booked_on, new.transaction_date), new.amount
           WHERE new.to_account_id IS NOT NULL) side
   WHERE EXISTS (SELECT 1 FROM balance_checks WHERE account_id = side.account_id AND date >= side.day)
   GROUP BY account_id, day HAVING sum(effect) <> 0;
END;
--> statement-breakpoint
-- A starting balance counts on all days.
CREATE TRIGGER account_starting_balance_reconciled AFTER UPDATE OF starting_balance ON accounts
WHEN old.starting_balance <> new.starting_balance AND EXISTS (SELECT 1 FROM balance_checks WHERE account_id = new.id) BEGIN
  INSERT INTO reconciliation_log (user_id, account_id, date, effect, op, count, before, after, at)
  VALUES (new.user_id, new.id, '0000-00-00', new.starting_balance - old.starting_balance, 'starting_balance', 0,
          json_object('starting_balance', old.starting_balance), json_object('starting_balance', new.starting_balance),
          CAST(unixepoch('subsec') * 1000 AS INTEGER));
END;
--> statement-breakpoint
CREATE TRIGGER balance_check_creation_logged AFTER INSERT ON balance_checks BEGIN
  INSERT INTO changes (user_id, seq, noun, row_id, at)
  SELECT new.user_id, 1 + max(coalesce((SELECT max(seq) FROM transactions WHERE user_id = new.user_id), 0),
                              coalesce((SELECT max(seq) FROM changes WHERE user_id = new.user_id), 0)),
         'balance_check', new.id, CAST(unixepoch('subsec') * 1000 AS INTEGER);
END;
--> statement-breakpoint
CREATE TRIGGER balance_check_change_logged AFTER UPDATE OF version ON balance_checks BEGIN
  INSERT INTO changes (user_id, seq, noun, row_id, at)
  SELECT new.user_id, 1 + max(coalesce((SELECT max(seq) FROM transactions WHERE user_id = new.user_id), 0),
                              coalesce((SELECT max(seq) FROM changes WHERE user_id = new.user_id), 0)),
         'balance_check', new.id, CAST(unixepoch('subsec') * 1000 AS INTEGER);
END;
--> statement-breakpoint
-- The checks of a deleted account or user are removed later, and not logged: the entry of the account covers them.
CREATE TRIGGER balance_check_deletion_logged AFTER DELETE ON balance_checks
WHEN EXISTS (SELECT 1 FROM users WHERE id = old.user_id)
 AND EXISTS (SELECT 1 FROM accounts WHERE id = old.account_id AND user_id IS NOT NULL) BEGIN
  INSERT INTO changes (user_id, seq, noun, row_id, at)
  SELECT old.user_id, 1 + max(coalesce((SELECT max(seq) FROM transactions WHERE user_id = old.user_id), 0),
                              coalesce((SELECT max(seq) FROM changes WHERE user_id = old.user_id), 0)),
         'balance_check', old.id, CAST(unixepoch('subsec') * 1000 AS INTEGER);
END;
--> statement-breakpoint
CREATE TRIGGER balance_check_client_id_spent AFTER DELETE ON balance_checks
WHEN old.client_id IS NOT NULL AND EXISTS (SELECT 1 FROM users WHERE id = old.user_id) BEGIN
  INSERT INTO spent_client_ids (user_id, noun, client_id, row_id) VALUES (old.user_id, 'balance_check', old.client_id, old.id)
  ON CONFLICT DO NOTHING;
END;
