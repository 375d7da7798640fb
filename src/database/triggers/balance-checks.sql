-- What moves an account between its balance checks. `moved` of a check is the sum of all transactions after the day of the
-- check before it, up to its own day, by the bank's days; its difference is the starting balance and these sums, less the
-- balance of the bank. These triggers are about single rows; src/database/kept-totals.ts does the same for bulk writes and
-- for the deletion of an account.
--
-- The log tells who moved a balance on or before the day of the latest check, or in a reconciled period, whose check may be
-- deleted or moved: joins and separations are refused by what they add to the log (src/database/reconciled.ts). No figure
-- depends on it. The entries get the name of their writer at the end of the transaction (src/database/written-by.ts).

CREATE TRIGGER transaction_creation_reconciled AFTER INSERT ON transactions
WHEN NOT new.is_synced AND new.import_id IS NULL BEGIN
  UPDATE balance_checks SET moved = moved + iif(new.type = 'income', new.amount, -new.amount)
   WHERE id = (SELECT id FROM balance_checks WHERE account_id = new.account_id AND date >= coalesce(new.booked_on, new.transaction_date) ORDER BY date LIMIT 1);
  UPDATE balance_checks SET moved = moved + new.amount
   WHERE id = (SELECT id FROM balance_checks WHERE account_id = new.to_account_id AND date >= coalesce(new.to_booked_on, new.transaction_date) ORDER BY date LIMIT 1);
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
   WHERE EXISTS (SELECT 1 FROM balance_checks WHERE account_id = side.account_id AND date >= side.day)
      OR EXISTS (SELECT 1 FROM accounts WHERE id = side.account_id AND reconciled_through >= side.day);
END;

CREATE TRIGGER transaction_change_reconciled
AFTER UPDATE OF type, amount, account_id, to_account_id, transaction_date, booked_on, to_booked_on ON transactions
WHEN (old.type, old.amount, old.account_id, old.to_account_id, old.transaction_date, old.booked_on, old.to_booked_on)
     IS NOT (new.type, new.amount, new.account_id, new.to_account_id, new.transaction_date, new.booked_on, new.to_booked_on) BEGIN
  UPDATE balance_checks SET moved = moved - iif(old.type = 'income', old.amount, -old.amount)
   WHERE id = (SELECT id FROM balance_checks WHERE account_id = old.account_id AND date >= coalesce(old.booked_on, old.transaction_date) ORDER BY date LIMIT 1);
  UPDATE balance_checks SET moved = moved - old.amount
   WHERE id = (SELECT id FROM balance_checks WHERE account_id = old.to_account_id AND date >= coalesce(old.to_booked_on, old.transaction_date) ORDER BY date LIMIT 1);
  UPDATE balance_checks SET moved = moved + iif(new.type = 'income', new.amount, -new.amount)
   WHERE id = (SELECT id FROM balance_checks WHERE account_id = new.account_id AND date >= coalesce(new.booked_on, new.transaction_date) ORDER BY date LIMIT 1);
  UPDATE balance_checks SET moved = moved + new.amount
   WHERE id = (SELECT id FROM balance_checks WHERE account_id = new.to_account_id AND date >= coalesce(new.to_booked_on, new.transaction_date) ORDER BY date LIMIT 1);
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
      OR EXISTS (SELECT 1 FROM accounts WHERE id = side.account_id AND reconciled_through >= side.day)
   GROUP BY account_id, day HAVING sum(effect) <> 0;
END;

CREATE TRIGGER transaction_deletion_reconciled AFTER DELETE ON transactions
WHEN EXISTS (SELECT 1 FROM users WHERE id = old.user_id)
 AND EXISTS (SELECT 1 FROM accounts WHERE id = old.account_id AND user_id IS NOT NULL)
 AND (old.to_account_id IS NULL OR EXISTS (SELECT 1 FROM accounts WHERE id = old.to_account_id AND user_id IS NOT NULL))
 AND (old.import_id IS NULL OR EXISTS (SELECT 1 FROM imports WHERE id = old.import_id AND user_id IS NOT NULL)) BEGIN
  UPDATE balance_checks SET moved = moved - iif(old.type = 'income', old.amount, -old.amount)
   WHERE id = (SELECT id FROM balance_checks WHERE account_id = old.account_id AND date >= coalesce(old.booked_on, old.transaction_date) ORDER BY date LIMIT 1);
  UPDATE balance_checks SET moved = moved - old.amount
   WHERE id = (SELECT id FROM balance_checks WHERE account_id = old.to_account_id AND date >= coalesce(old.to_booked_on, old.transaction_date) ORDER BY date LIMIT 1);
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
   WHERE EXISTS (SELECT 1 FROM balance_checks WHERE account_id = side.account_id AND date >= side.day)
      OR EXISTS (SELECT 1 FROM accounts WHERE id = side.account_id AND reconciled_through >= side.day);
END;

CREATE TRIGGER account_starting_balance_reconciled AFTER UPDATE OF starting_balance ON accounts
WHEN old.starting_balance <> new.starting_balance AND EXISTS (SELECT 1 FROM balance_checks WHERE account_id = new.id) BEGIN
  INSERT INTO reconciliation_log (user_id, account_id, date, effect, op, count, before, after, at)
  VALUES (new.user_id, new.id, '0000-00-00', new.starting_balance - old.starting_balance, 'starting_balance', 0,
          json_object('starting_balance', old.starting_balance), json_object('starting_balance', new.starting_balance),
          CAST(unixepoch('subsec') * 1000 AS INTEGER));
END;

-- A new check divides the sum of the one after it. `base` is its difference as it was read from the rows.
CREATE TRIGGER balance_check_created AFTER INSERT ON balance_checks BEGIN
  UPDATE balance_checks SET moved = new.base + new.balance
       - (SELECT starting_balance FROM accounts WHERE id = new.account_id)
       - coalesce((SELECT (sum(moved >> 20) * 1048576) + sum(moved & 1048575) FROM balance_checks
                    WHERE account_id = new.account_id AND date < new.date), 0)
   WHERE id = new.id;
  UPDATE balance_checks SET moved = moved - (SELECT moved FROM balance_checks WHERE id = new.id)
   WHERE id = (SELECT id FROM balance_checks WHERE account_id = new.account_id AND date > new.date ORDER BY date LIMIT 1);
END;

CREATE TRIGGER balance_check_deleted AFTER DELETE ON balance_checks BEGIN
  UPDATE balance_checks SET moved = moved + old.moved
   WHERE id = (SELECT id FROM balance_checks WHERE account_id = old.account_id AND date > old.date ORDER BY date LIMIT 1);
END;

-- As if it were deleted and created on its new day.
CREATE TRIGGER balance_check_day_changed AFTER UPDATE OF date ON balance_checks WHEN old.date <> new.date BEGIN
  UPDATE balance_checks SET moved = moved + old.moved
   WHERE id = (SELECT id FROM balance_checks
                WHERE account_id = new.account_id AND date > old.date AND id <> new.id ORDER BY date LIMIT 1);
  UPDATE balance_checks SET moved = new.base + new.balance
       - (SELECT starting_balance FROM accounts WHERE id = new.account_id)
       - coalesce((SELECT (sum(moved >> 20) * 1048576) + sum(moved & 1048575) FROM balance_checks
                    WHERE account_id = new.account_id AND date < new.date), 0)
   WHERE id = new.id;
  UPDATE balance_checks SET moved = moved - (SELECT moved FROM balance_checks WHERE id = new.id)
   WHERE id = (SELECT id FROM balance_checks WHERE account_id = new.account_id AND date > new.date ORDER BY date LIMIT 1);
END;
