DROP TRIGGER transaction_created;
--> statement-breakpoint
DROP TRIGGER transaction_changed;
--> statement-breakpoint
DROP TRIGGER transaction_client_id_spent;
--> statement-breakpoint
DROP TRIGGER account_client_id_spent;
--> statement-breakpoint
DROP TRIGGER category_client_id_spent;
--> statement-breakpoint
DROP TRIGGER transaction_id_spent;
--> statement-breakpoint
DROP TRIGGER account_created;
--> statement-breakpoint
DROP TRIGGER account_starting_balance_changed;
--> statement-breakpoint
DROP TRIGGER account_deleted;
--> statement-breakpoint
DROP TRIGGER category_deleted;
--> statement-breakpoint
DROP TRIGGER user_deleted;
--> statement-breakpoint
DROP TRIGGER account_creation_logged;
--> statement-breakpoint
DROP TRIGGER transaction_move_logged;
--> statement-breakpoint
DROP TRIGGER category_creation_logged;
--> statement-breakpoint
DROP TRIGGER account_starting_balance_reconciled;
--> statement-breakpoint
DROP TRIGGER balance_check_creation_logged;
--> statement-breakpoint
DROP TRIGGER balance_check_change_logged;
--> statement-breakpoint
DROP TRIGGER balance_check_deletion_logged;
--> statement-breakpoint
DROP TRIGGER balance_check_client_id_spent;
--> statement-breakpoint
DROP TRIGGER occurrence_deleted;
--> statement-breakpoint
DROP TRIGGER occurrence_lost;
--> statement-breakpoint
DROP TRIGGER occurrence_unlinked;
--> statement-breakpoint
DROP TRIGGER timezone_changed;
--> statement-breakpoint
DROP TRIGGER account_rules_deleted;
--> statement-breakpoint
DROP TRIGGER rule_creation_logged;
--> statement-breakpoint
DROP TRIGGER rule_change_logged;
--> statement-breakpoint
DROP TRIGGER rule_deletion_logged;
--> statement-breakpoint
DROP TRIGGER rule_client_id_spent;
--> statement-breakpoint
DROP TRIGGER rule_successor_deleted;
--> statement-breakpoint
DROP TRIGGER rule_creation_reminds;
--> statement-breakpoint
DROP TRIGGER rule_change_reminds;
--> statement-breakpoint
DROP TRIGGER profile_change_logged;
--> statement-breakpoint
DROP TRIGGER account_change_logged;
--> statement-breakpoint
DROP TRIGGER category_change_logged;
--> statement-breakpoint
DROP TRIGGER transaction_deletion_logged;
--> statement-breakpoint
DROP TRIGGER transaction_deleted;
--> statement-breakpoint
DROP TRIGGER transaction_unlike_file;
--> statement-breakpoint
DROP TRIGGER original_kept;
--> statement-breakpoint
DROP TRIGGER transaction_removed;
--> statement-breakpoint
DROP TRIGGER original_separated;
--> statement-breakpoint
DROP TRIGGER transaction_rejections_removed;
--> statement-breakpoint
DROP TRIGGER original_rejections_removed;
--> statement-breakpoint
DROP TRIGGER original_rejections_forgotten;
--> statement-breakpoint
DROP TRIGGER transaction_creation_reconciled;
--> statement-breakpoint
DROP TRIGGER transaction_change_reconciled;
--> statement-breakpoint
DROP TRIGGER transaction_deletion_reconciled;
--> statement-breakpoint
DROP TRIGGER balance_check_created;
--> statement-breakpoint
DROP TRIGGER balance_check_deleted;
--> statement-breakpoint
DROP TRIGGER balance_check_day_changed;
--> statement-breakpoint
ALTER TABLE `balance_checks` DROP COLUMN `broken_since`;--> statement-breakpoint
ALTER TABLE `balance_checks` DROP COLUMN `broken_count`;
--> statement-breakpoint
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
--> statement-breakpoint
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
--> statement-breakpoint
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
--> statement-breakpoint
CREATE TRIGGER account_starting_balance_reconciled AFTER UPDATE OF starting_balance ON accounts
WHEN old.starting_balance <> new.starting_balance AND EXISTS (SELECT 1 FROM balance_checks WHERE account_id = new.id) BEGIN
  INSERT INTO reconciliation_log (user_id, account_id, date, effect, op, count, before, after, at)
  VALUES (new.user_id, new.id, '0000-00-00', new.starting_balance - old.starting_balance, 'starting_balance', 0,
          json_object('starting_balance', old.starting_balance), json_object('starting_balance', new.starting_balance),
          CAST(unixepoch('subsec') * 1000 AS INTEGER));
END;
--> statement-breakpoint
CREATE TRIGGER balance_check_created AFTER INSERT ON balance_checks BEGIN
  UPDATE balance_checks SET moved = new.base + new.balance
       - (SELECT starting_balance FROM accounts WHERE id = new.account_id)
       - coalesce((SELECT (sum(moved >> 20) * 1048576) + sum(moved & 1048575) FROM balance_checks
                    WHERE account_id = new.account_id AND date < new.date), 0)
   WHERE id = new.id;
  UPDATE balance_checks SET moved = moved - (SELECT moved FROM balance_checks WHERE id = new.id)
   WHERE id = (SELECT id FROM balance_checks WHERE account_id = new.account_id AND date > new.date ORDER BY date LIMIT 1);
END;
--> statement-breakpoint
CREATE TRIGGER balance_check_deleted AFTER DELETE ON balance_checks BEGIN
  UPDATE balance_checks SET moved = moved + old.moved
   WHERE id = (SELECT id FROM balance_checks WHERE account_id = old.account_id AND date > old.date ORDER BY date LIMIT 1);
END;
--> statement-breakpoint
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
--> statement-breakpoint
CREATE TRIGGER account_creation_logged AFTER INSERT ON accounts
WHEN EXISTS (SELECT 1 FROM tokens WHERE user_id = new.user_id) BEGIN
  INSERT INTO changes (user_id, seq, noun, row_id, at)
  SELECT new.user_id, 1 + max(coalesce((SELECT max(seq) FROM transactions WHERE user_id = new.user_id), 0),
                              coalesce((SELECT max(seq) FROM changes WHERE user_id = new.user_id), 0)),
         'account', new.id, CAST(unixepoch('subsec') * 1000 AS INTEGER);
END;
--> statement-breakpoint
CREATE TRIGGER account_change_logged AFTER UPDATE OF user_id, version ON accounts
WHEN old.user_id IS NOT NULL BEGIN
  INSERT INTO changes (user_id, seq, noun, row_id, at)
  SELECT old.user_id, 1 + max(coalesce((SELECT max(seq) FROM transactions WHERE user_id = old.user_id), 0),
                              coalesce((SELECT max(seq) FROM changes WHERE user_id = old.user_id), 0)),
         'account', old.id, CAST(unixepoch('subsec') * 1000 AS INTEGER);
END;
--> statement-breakpoint
CREATE TRIGGER category_creation_logged AFTER INSERT ON categories
WHEN EXISTS (SELECT 1 FROM tokens WHERE user_id = new.user_id) BEGIN
  INSERT INTO changes (user_id, seq, noun, row_id, at)
  SELECT new.user_id, 1 + max(coalesce((SELECT max(seq) FROM transactions WHERE user_id = new.user_id), 0),
                              coalesce((SELECT max(seq) FROM changes WHERE user_id = new.user_id), 0)),
         'category', new.id, CAST(unixepoch('subsec') * 1000 AS INTEGER);
END;
--> statement-breakpoint
CREATE TRIGGER category_change_logged AFTER UPDATE OF user_id, version ON categories
WHEN old.user_id IS NOT NULL BEGIN
  INSERT INTO changes (user_id, seq, noun, row_id, at)
  SELECT old.user_id, 1 + max(coalesce((SELECT max(seq) FROM transactions WHERE user_id = old.user_id), 0),
                              coalesce((SELECT max(seq) FROM changes WHERE user_id = old.user_id), 0)),
         'category', old.id, CAST(unixepoch('subsec') * 1000 AS INTEGER);
END;
--> statement-breakpoint
CREATE TRIGGER transaction_move_logged AFTER UPDATE OF account_id, to_account_id ON transactions
WHEN (old.account_id, old.to_account_id) IS NOT (new.account_id, new.to_account_id) BEGIN
  INSERT INTO changes (user_id, seq, noun, row_id, at)
  VALUES (new.user_id, new.seq, 'transaction', new.id, CAST(unixepoch('subsec') * 1000 AS INTEGER));
END;
--> statement-breakpoint
CREATE TRIGGER transaction_deletion_logged BEFORE DELETE ON transactions
WHEN EXISTS (SELECT 1 FROM users WHERE id = old.user_id)
 AND EXISTS (SELECT 1 FROM accounts WHERE id = old.account_id AND user_id IS NOT NULL)
 AND (old.to_account_id IS NULL OR EXISTS (SELECT 1 FROM accounts WHERE id = old.to_account_id AND user_id IS NOT NULL))
 AND (old.import_id IS NULL OR EXISTS (SELECT 1 FROM imports WHERE id = old.import_id AND user_id IS NOT NULL)) BEGIN
  INSERT INTO changes (user_id, seq, noun, row_id, at)
  SELECT old.user_id, 1 + max(coalesce((SELECT max(seq) FROM transactions WHERE user_id = old.user_id), 0),
                              coalesce((SELECT max(seq) FROM changes WHERE user_id = old.user_id), 0)),
         'transaction', old.id, CAST(unixepoch('subsec') * 1000 AS INTEGER);
END;
--> statement-breakpoint
CREATE TRIGGER rule_creation_logged AFTER INSERT ON recurring_rules BEGIN
  INSERT INTO changes (user_id, seq, noun, row_id, at)
  SELECT new.user_id, 1 + max(coalesce((SELECT max(seq) FROM transactions WHERE user_id = new.user_id), 0),
                              coalesce((SELECT max(seq) FROM changes WHERE user_id = new.user_id), 0)),
         'recurring', new.id, CAST(unixepoch('subsec') * 1000 AS INTEGER);
END;
--> statement-breakpoint
CREATE TRIGGER rule_change_logged AFTER UPDATE OF version ON recurring_rules BEGIN
  INSERT INTO changes (user_id, seq, noun, row_id, at)
  SELECT new.user_id, 1 + max(coalesce((SELECT max(seq) FROM transactions WHERE user_id = new.user_id), 0),
                              coalesce((SELECT max(seq) FROM changes WHERE user_id = new.user_id), 0)),
         'recurring', new.id, CAST(unixepoch('subsec') * 1000 AS INTEGER);
END;
--> statement-breakpoint
CREATE TRIGGER rule_deletion_logged AFTER DELETE ON recurring_rules
WHEN EXISTS (SELECT 1 FROM users WHERE id = old.user_id)
 AND EXISTS (SELECT 1 FROM accounts WHERE id = old.account_id AND user_id IS NOT NULL)
 AND (old.to_account_id IS NULL OR EXISTS (SELECT 1 FROM accounts WHERE id = old.to_account_id AND user_id IS NOT NULL)) BEGIN
  INSERT INTO changes (user_id, seq, noun, row_id, at)
  SELECT old.user_id, 1 + max(coalesce((SELECT max(seq) FROM transactions WHERE user_id = old.user_id), 0),
                              coalesce((SELECT max(seq) FROM changes WHERE user_id = old.user_id), 0)),
         'recurring', old.id, CAST(unixepoch('subsec') * 1000 AS INTEGER);
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
CREATE TRIGGER balance_check_deletion_logged AFTER DELETE ON balance_checks
WHEN EXISTS (SELECT 1 FROM users WHERE id = old.user_id)
 AND EXISTS (SELECT 1 FROM accounts WHERE id = old.account_id AND user_id IS NOT NULL) BEGIN
  INSERT INTO changes (user_id, seq, noun, row_id, at)
  SELECT old.user_id, 1 + max(coalesce((SELECT max(seq) FROM transactions WHERE user_id = old.user_id), 0),
                              coalesce((SELECT max(seq) FROM changes WHERE user_id = old.user_id), 0)),
         'balance_check', old.id, CAST(unixepoch('subsec') * 1000 AS INTEGER);
END;
--> statement-breakpoint
CREATE TRIGGER profile_change_logged AFTER UPDATE OF name, email, idp_id, avatar, email_verified_at, timezone, reminder_time, reminder_last_sent_at, due_reminders ON users BEGIN
  INSERT INTO changes (user_id, seq, noun, row_id, at)
  SELECT new.id, 1 + max(coalesce((SELECT max(seq) FROM transactions WHERE user_id = new.id), 0),
                         coalesce((SELECT max(seq) FROM changes WHERE user_id = new.id), 0)),
         'profile', new.id, CAST(unixepoch('subsec') * 1000 AS INTEGER);
END;
--> statement-breakpoint
CREATE TRIGGER transaction_created AFTER INSERT ON transactions
WHEN NOT new.is_synced AND new.import_id IS NULL BEGIN
  UPDATE accounts
     SET moved = moved + iif(id = new.account_id AND new.type <> 'income', -new.amount, new.amount),
         transaction_count = transaction_count + (id = new.account_id),
         incoming_count = incoming_count + (id IS new.to_account_id)
   WHERE id IN (new.account_id, new.to_account_id);
  INSERT INTO totals (user_id, month, type, category_id, account_id, to_account_id, total, transaction_count)
  VALUES (new.user_id, substr(new.transaction_date, 1, 7), new.type, coalesce(new.category_id, 0), new.account_id,
          coalesce(new.to_account_id, 0), new.amount, 1)
  ON CONFLICT DO UPDATE SET total = total + excluded.total, transaction_count = transaction_count + 1;
  INSERT INTO totals (user_id, month, type, category_id, account_id, to_account_id, total, transaction_count)
  SELECT new.user_id, '', '', 0, 0, 0, past, 0
    FROM (SELECT sum(balance) AS past FROM accounts WHERE user_id = new.user_id
          UNION ALL
          SELECT total(total)
            FROM (SELECT total FROM totals
                   WHERE user_id = new.user_id AND month = substr(new.transaction_date, 1, 7) AND type = new.type
                   LIMIT 10000))
   WHERE new.type <> 'transfer' AND abs(past) > 9000000000000000;
END;
--> statement-breakpoint
CREATE TRIGGER transaction_changed
AFTER UPDATE OF type, amount, account_id, to_account_id, category_id, transaction_date ON transactions
WHEN (old.type, old.amount, old.account_id, old.to_account_id, old.transaction_date,
      (SELECT id FROM categories WHERE id = old.category_id AND user_id IS NOT NULL))
     IS NOT (new.type, new.amount, new.account_id, new.to_account_id, new.transaction_date,
             (SELECT id FROM categories WHERE id = new.category_id AND user_id IS NOT NULL)) BEGIN
  UPDATE accounts
     SET moved = moved
       - CASE WHEN id = old.account_id AND old.type <> 'income' THEN -old.amount
              WHEN id IN (old.account_id, old.to_account_id) THEN old.amount ELSE 0 END
       + CASE WHEN id = new.account_id AND new.type <> 'income' THEN -new.amount
              WHEN id IN (new.account_id, new.to_account_id) THEN new.amount ELSE 0 END,
         transaction_count = transaction_count - (id = old.account_id) + (id = new.account_id),
         incoming_count = incoming_count - (id IS old.to_account_id) + (id IS new.to_account_id)
   WHERE id IN (old.account_id, old.to_account_id, new.account_id, new.to_account_id)
     AND (old.type, old.amount, old.account_id, old.to_account_id) IS NOT (new.type, new.amount, new.account_id, new.to_account_id);
  INSERT INTO totals (user_id, month, type, category_id, account_id, to_account_id, total, transaction_count)
  SELECT new.user_id, substr(day, 1, 7), type, category_id, account_id, to_account_id, sum(amount), sum(added)
    FROM (SELECT old.transaction_date AS day, old.type AS type,
                 coalesce((SELECT id FROM categories WHERE id = old.category_id AND user_id IS NOT NULL), 0) AS category_id,
                 old.account_id AS account_id, coalesce(old.to_account_id, 0) AS to_account_id, -old.amount AS amount, -1 AS added
          UNION ALL
          SELECT new.transaction_date, new.type,
                 coalesce((SELECT id FROM categories WHERE id = new.category_id AND user_id IS NOT NULL), 0),
                 new.account_id, coalesce(new.to_account_id, 0), new.amount, 1)
   WHERE true GROUP BY 2, 3, 4, 5, 6
  ON CONFLICT DO UPDATE SET total = total + excluded.total, transaction_count = transaction_count + excluded.transaction_count;
  DELETE FROM totals
   WHERE user_id = old.user_id AND month = substr(old.transaction_date, 1, 7) AND type = old.type
     AND category_id = coalesce((SELECT id FROM categories WHERE id = old.category_id AND user_id IS NOT NULL), 0)
     AND account_id = old.account_id AND to_account_id = coalesce(old.to_account_id, 0) AND transaction_count = 0;
  INSERT INTO totals (user_id, month, type, category_id, account_id, to_account_id, total, transaction_count)
  SELECT new.user_id, '', '', 0, 0, 0, past, 0
    FROM (SELECT sum(balance) AS past FROM accounts WHERE user_id = new.user_id
          UNION ALL
          SELECT total(total)
            FROM (SELECT total FROM totals
                   WHERE user_id = new.user_id AND month = substr(new.transaction_date, 1, 7) AND type = new.type
                     AND type <> 'transfer'
                   LIMIT iif(EXISTS (SELECT 1 FROM upload_steps), 0, 10000)))
   WHERE abs(past) > 9000000000000000;
END;
--> statement-breakpoint
CREATE TRIGGER transaction_deleted AFTER DELETE ON transactions
WHEN EXISTS (SELECT 1 FROM users WHERE id = old.user_id)
 AND EXISTS (SELECT 1 FROM accounts WHERE id = old.account_id AND user_id IS NOT NULL)
 AND (old.to_account_id IS NULL OR EXISTS (SELECT 1 FROM accounts WHERE id = old.to_account_id AND user_id IS NOT NULL))
 AND (old.import_id IS NULL OR EXISTS (SELECT 1 FROM imports WHERE id = old.import_id AND user_id IS NOT NULL)) BEGIN
  UPDATE accounts
     SET moved = moved - iif(id = old.account_id AND old.type <> 'income', -old.amount, old.amount),
         transaction_count = transaction_count - (id = old.account_id),
         incoming_count = incoming_count - (id IS old.to_account_id)
   WHERE id IN (old.account_id, old.to_account_id);
  UPDATE totals SET total = total - old.amount, transaction_count = transaction_count - 1
   WHERE user_id = old.user_id AND month = substr(old.transaction_date, 1, 7) AND type = old.type
     AND category_id = coalesce((SELECT id FROM categories WHERE id = old.category_id AND user_id IS NOT NULL), 0)
     AND account_id = old.account_id AND to_account_id = coalesce(old.to_account_id, 0);
  DELETE FROM totals
   WHERE user_id = old.user_id AND month = substr(old.transaction_date, 1, 7) AND type = old.type
     AND category_id = coalesce((SELECT id FROM categories WHERE id = old.category_id AND user_id IS NOT NULL), 0)
     AND account_id = old.account_id AND to_account_id = coalesce(old.to_account_id, 0) AND transaction_count = 0;
  INSERT INTO totals (user_id, month, type, category_id, account_id, to_account_id, total, transaction_count)
  SELECT old.user_id, '', '', 0, 0, 0, past, 0
    FROM (SELECT sum(balance) AS past FROM accounts WHERE user_id = old.user_id)
   WHERE old.type <> 'transfer' AND abs(past) > 9000000000000000;
END;
--> statement-breakpoint
CREATE TRIGGER account_created AFTER INSERT ON accounts BEGIN
  INSERT INTO totals (user_id, month, type, category_id, account_id, to_account_id, total, transaction_count)
  SELECT new.user_id, '', '', 0, 0, 0, past, 0 FROM (SELECT sum(balance) AS past FROM accounts WHERE user_id = new.user_id)
   WHERE abs(past) > 9000000000000000;
END;
--> statement-breakpoint
CREATE TRIGGER account_starting_balance_changed AFTER UPDATE OF starting_balance ON accounts BEGIN
  INSERT INTO totals (user_id, month, type, category_id, account_id, to_account_id, total, transaction_count)
  SELECT new.user_id, '', '', 0, 0, 0, past, 0 FROM (SELECT sum(balance) AS past FROM accounts WHERE user_id = new.user_id)
   WHERE abs(past) > 9000000000000000;
END;
--> statement-breakpoint
CREATE TRIGGER account_deleted AFTER UPDATE OF user_id ON accounts WHEN old.user_id IS NOT NULL AND new.user_id IS NULL BEGIN
  UPDATE accounts
     SET moved = moved + partner.given_back,
         transaction_count = transaction_count - partner.outgoing,
         incoming_count = incoming_count - partner.incoming
    FROM (SELECT partner_id, sum(amount >> 20) * 1048576 + sum(amount & 1048575) AS given_back,
                 sum(outgoing) AS outgoing, sum(incoming) AS incoming
            FROM (SELECT account_id AS partner_id, total AS amount, transaction_count AS outgoing, 0 AS incoming
                    FROM totals INDEXED BY totals_to_account
                   WHERE user_id = old.user_id AND to_account_id = old.id AND to_account_id <> 0
                  UNION ALL
                  SELECT to_account_id, -total, 0, transaction_count
                    FROM totals INDEXED BY totals_account
                   WHERE user_id = old.user_id AND account_id = old.id AND type = 'transfer')
           GROUP BY partner_id) partner
   WHERE accounts.id = partner.partner_id;
  DELETE FROM totals WHERE user_id = old.user_id AND account_id = old.id;
  DELETE FROM totals WHERE user_id = old.user_id AND to_account_id = old.id AND to_account_id <> 0;
  INSERT INTO totals (user_id, month, type, category_id, account_id, to_account_id, total, transaction_count)
  SELECT old.user_id, '', '', 0, 0, 0, past, 0 FROM (SELECT sum(balance) AS past FROM accounts WHERE user_id = old.user_id)
   WHERE abs(past) > 9000000000000000;
END;
--> statement-breakpoint
CREATE TRIGGER category_deleted AFTER UPDATE OF user_id ON categories WHEN old.user_id IS NOT NULL AND new.user_id IS NULL BEGIN
  INSERT INTO totals (user_id, month, type, category_id, account_id, to_account_id, total, transaction_count)
  SELECT user_id, month, type, 0, account_id, to_account_id, total, transaction_count
    FROM totals INDEXED BY totals_type
   WHERE user_id = old.user_id AND type IN ('income', 'expense', 'transfer') AND category_id = old.id
  ON CONFLICT DO UPDATE SET total = total + excluded.total, transaction_count = transaction_count + excluded.transaction_count;
  DELETE FROM totals
   WHERE (user_id, month, type, category_id, account_id, to_account_id) IN (
         SELECT user_id, month, type, category_id, account_id, to_account_id FROM totals INDEXED BY totals_type
          WHERE user_id = old.user_id AND type IN ('income', 'expense', 'transfer') AND category_id = old.id);
END;
--> statement-breakpoint
CREATE TRIGGER occurrence_deleted AFTER DELETE ON transactions
WHEN old.recurring_id IS NOT NULL
 AND EXISTS (SELECT 1 FROM accounts WHERE id = old.account_id AND user_id IS NOT NULL)
 AND (old.to_account_id IS NULL OR EXISTS (SELECT 1 FROM accounts WHERE id = old.to_account_id AND user_id IS NOT NULL))
 AND (old.import_id IS NULL OR EXISTS (SELECT 1 FROM imports WHERE id = old.import_id AND user_id IS NOT NULL)) BEGIN
  UPDATE recurring_rules
     SET exceptions = (
           SELECT json_group_object(key, json(value))
             FROM (SELECT key, value
                     FROM json_each(json_set(exceptions, '$."' || old.occurrence_date || '"', json('{"skip":true}')))
                    ORDER BY key DESC LIMIT 200)),
         version = version + 1, updated_at = CAST(unixepoch('subsec') * 1000 AS INTEGER)
   WHERE id = old.recurring_id;
END;
--> statement-breakpoint
CREATE TRIGGER occurrence_lost AFTER DELETE ON transactions
WHEN old.recurring_id IS NOT NULL BEGIN
  UPDATE recurring_rules SET due_at = min(coalesce(due_at, 0), 0) - 1
   WHERE id = old.recurring_id AND auto_record AND NOT paused;
END;
--> statement-breakpoint
CREATE TRIGGER occurrence_unlinked AFTER UPDATE OF recurring_id, occurrence_date ON transactions
WHEN old.recurring_id IS NOT NULL AND (old.recurring_id, old.occurrence_date) IS NOT (new.recurring_id, new.occurrence_date) BEGIN
  UPDATE recurring_rules SET due_at = min(coalesce(due_at, 0), 0) - 1
   WHERE id = old.recurring_id AND auto_record AND NOT paused;
END;
--> statement-breakpoint
CREATE TRIGGER timezone_changed AFTER UPDATE OF timezone ON users
WHEN old.timezone <> new.timezone BEGIN
  UPDATE recurring_rules SET due_at = min(due_at, 0) - 1 WHERE user_id = new.id AND due_at IS NOT NULL;
END;
--> statement-breakpoint
CREATE TRIGGER account_rules_deleted AFTER UPDATE OF user_id ON accounts
WHEN old.user_id IS NOT NULL AND new.user_id IS NULL BEGIN
  DELETE FROM recurring_rules WHERE user_id = old.user_id AND (account_id = old.id OR to_account_id = old.id);
END;
--> statement-breakpoint
CREATE TRIGGER rule_successor_deleted AFTER DELETE ON recurring_rules BEGIN
  UPDATE recurring_rules SET successor_id = NULL, version = version + 1 WHERE user_id = old.user_id AND successor_id = old.id;
END;
--> statement-breakpoint
CREATE TRIGGER rule_creation_reminds AFTER INSERT ON recurring_rules
WHEN new.remind_days IS NOT NULL BEGIN
  UPDATE users SET due_reminder_look_at = new.updated_at WHERE id = new.user_id AND due_reminder_look_at IS NULL;
END;
--> statement-breakpoint
CREATE TRIGGER rule_change_reminds AFTER UPDATE OF remind_days ON recurring_rules
WHEN new.remind_days IS NOT NULL BEGIN
  UPDATE users SET due_reminder_look_at = new.updated_at WHERE id = new.user_id AND due_reminder_look_at IS NULL;
END;
--> statement-breakpoint
CREATE TRIGGER transaction_unlike_file AFTER UPDATE OF type, amount, account_id, to_account_id, transaction_date, reference ON transactions
WHEN (old.import_id IS NOT NULL OR old.booked_by IS NOT NULL)
 AND ((old.type, old.amount, old.account_id, old.to_account_id, old.transaction_date)
      IS NOT (new.type, new.amount, new.account_id, new.to_account_id, new.transaction_date) OR old.reference <> new.reference) BEGIN
  DELETE FROM imported_originals
   WHERE user_id = old.user_id AND id = old.id AND import_id IS NULL AND NOT EXISTS (SELECT 1 FROM imports WHERE id = booked_by);
  INSERT INTO imported_originals (user_id, id, account_id, to_account_id, type, amount, reference, transaction_date, import_id, booked_by,
                          joined_id, merged_into_id)
  VALUES (old.user_id, old.id, old.account_id, old.to_account_id, old.type, old.amount, old.reference, old.transaction_date,
          old.import_id, old.booked_by, old.id, old.id)
  ON CONFLICT DO NOTHING;
END;
--> statement-breakpoint
CREATE TRIGGER original_kept AFTER DELETE ON transactions
WHEN (old.import_id IS NOT NULL OR old.booked_by IS NOT NULL
      OR EXISTS (SELECT 1 FROM imported_originals WHERE user_id = old.user_id AND merged_into_id = old.id))
 AND EXISTS (SELECT 1 FROM users WHERE id = old.user_id)
 AND EXISTS (SELECT 1 FROM accounts WHERE id = old.account_id AND user_id IS NOT NULL)
 AND (old.to_account_id IS NULL OR EXISTS (SELECT 1 FROM accounts WHERE id = old.to_account_id AND user_id IS NOT NULL))
 AND (old.import_id IS NULL OR EXISTS (SELECT 1 FROM imports WHERE id = old.import_id AND user_id IS NOT NULL)) BEGIN
  INSERT INTO imported_originals (user_id, id, account_id, to_account_id, type, amount, reference, transaction_date, import_id, booked_by)
  SELECT old.user_id, old.id, old.account_id, old.to_account_id, old.type, old.amount, old.reference, old.transaction_date,
         old.import_id, old.booked_by
   WHERE old.import_id IS NOT NULL OR EXISTS (SELECT 1 FROM imports WHERE id = old.booked_by)
  ON CONFLICT DO NOTHING;
  DELETE FROM imported_originals
   WHERE user_id = old.user_id AND id IN (SELECT id FROM imported_originals WHERE user_id = old.user_id AND merged_into_id = old.id)
     AND import_id IS NULL AND booked_by IS NULL;
  UPDATE imported_originals SET merged_into_id = NULL WHERE user_id = old.user_id AND merged_into_id = old.id;
END;
--> statement-breakpoint
CREATE TRIGGER transaction_removed AFTER DELETE ON transactions
WHEN EXISTS (SELECT 1 FROM accounts WHERE id IN (old.account_id, old.to_account_id) AND user_id IS NULL) BEGIN
  DELETE FROM imported_originals
   WHERE user_id = old.user_id AND id IN (SELECT id FROM imported_originals WHERE user_id = old.user_id AND merged_into_id = old.id);
END;
--> statement-breakpoint
CREATE TRIGGER original_separated AFTER UPDATE OF joined_id ON imported_originals
WHEN new.joined_id = new.id AND new.kind IS NULL
 AND (new.import_id IS NULL AND new.booked_by IS NULL OR EXISTS (
   SELECT 1 FROM transactions own
    WHERE own.id = new.id AND own.account_id = new.account_id AND own.to_account_id IS new.to_account_id
      AND own.type = new.type AND own.amount = new.amount AND own.transaction_date = new.transaction_date
      AND coalesce(own.reference = new.reference, true))) BEGIN
  DELETE FROM imported_originals WHERE user_id = new.user_id AND id = new.id;
END;
--> statement-breakpoint
CREATE TRIGGER transaction_rejections_removed AFTER DELETE ON transactions
WHEN NOT EXISTS (SELECT 1 FROM imported_originals
                  WHERE user_id = old.user_id AND id = old.id AND joined_id <> id AND merged_into_id IS NOT NULL) BEGIN
  DELETE FROM rejected_matches WHERE user_id = old.user_id AND first_id = old.id;
  DELETE FROM rejected_matches WHERE user_id = old.user_id AND second_id = old.id;
END;
--> statement-breakpoint
CREATE TRIGGER original_rejections_removed AFTER UPDATE OF merged_into_id ON imported_originals WHEN new.merged_into_id IS NULL BEGIN
  DELETE FROM rejected_matches WHERE user_id = old.user_id AND first_id = old.id;
  DELETE FROM rejected_matches WHERE user_id = old.user_id AND second_id = old.id;
END;
--> statement-breakpoint
CREATE TRIGGER original_rejections_forgotten AFTER DELETE ON imported_originals
WHEN old.merged_into_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM transactions WHERE id = old.id) BEGIN
  DELETE FROM rejected_matches WHERE user_id = old.user_id AND first_id = old.id;
  DELETE FROM rejected_matches WHERE user_id = old.user_id AND second_id = old.id;
END;
--> statement-breakpoint
CREATE TRIGGER transaction_client_id_spent AFTER DELETE ON transactions
WHEN old.client_id IS NOT NULL
 AND (old.import_id IS NULL OR EXISTS (SELECT 1 FROM imports WHERE id = old.import_id AND user_id IS NOT NULL)) BEGIN
  INSERT INTO spent_client_ids (user_id, noun, client_id, row_id)
  SELECT old.user_id, 'transaction', old.client_id, old.id WHERE EXISTS (SELECT 1 FROM users WHERE id = old.user_id)
  ON CONFLICT DO NOTHING;
END;
--> statement-breakpoint
CREATE TRIGGER account_client_id_spent AFTER UPDATE OF user_id ON accounts
WHEN old.user_id IS NOT NULL AND new.user_id IS NULL AND old.client_id IS NOT NULL BEGIN
  INSERT INTO spent_client_ids (user_id, noun, client_id, row_id) VALUES (old.user_id, 'account', old.client_id, old.id)
  ON CONFLICT DO NOTHING;
END;
--> statement-breakpoint
CREATE TRIGGER category_client_id_spent AFTER UPDATE OF user_id ON categories
WHEN old.user_id IS NOT NULL AND new.user_id IS NULL AND old.client_id IS NOT NULL BEGIN
  INSERT INTO spent_client_ids (user_id, noun, client_id, row_id) VALUES (old.user_id, 'category', old.client_id, old.id)
  ON CONFLICT DO NOTHING;
END;
--> statement-breakpoint
CREATE TRIGGER rule_client_id_spent AFTER DELETE ON recurring_rules
WHEN old.client_id IS NOT NULL AND EXISTS (SELECT 1 FROM users WHERE id = old.user_id) BEGIN
  INSERT INTO spent_client_ids (user_id, noun, client_id, row_id) VALUES (old.user_id, 'recurring', old.client_id, old.id)
  ON CONFLICT DO NOTHING;
END;
--> statement-breakpoint
CREATE TRIGGER balance_check_client_id_spent AFTER DELETE ON balance_checks
WHEN old.client_id IS NOT NULL AND EXISTS (SELECT 1 FROM users WHERE id = old.user_id) BEGIN
  INSERT INTO spent_client_ids (user_id, noun, client_id, row_id) VALUES (old.user_id, 'balance_check', old.client_id, old.id)
  ON CONFLICT DO NOTHING;
END;
--> statement-breakpoint
CREATE TRIGGER transaction_id_spent AFTER DELETE ON transactions
WHEN NOT EXISTS (SELECT 1 FROM transactions WHERE id > old.id) BEGIN
  INSERT INTO spent_ids (noun, highest) VALUES ('transactions', old.id)
  ON CONFLICT DO UPDATE SET highest = max(highest, excluded.highest);
END;
--> statement-breakpoint
CREATE TRIGGER user_deleted AFTER DELETE ON users BEGIN
  INSERT INTO former_users (id) VALUES (old.id);
END;
