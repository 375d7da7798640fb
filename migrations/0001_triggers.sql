-- These triggers keep figures beside the rows (accounts.moved, transaction_count and incoming_count, and `totals`), so
-- that no request adds up a history to show a balance, a month or the number of pages. They count row by row; code that
-- writes many rows at once calls `countRows` and `discountRows` (src/database/kept-totals.ts) instead.
--
-- A transaction counts as long as its user exists and its accounts have an owner. Deleting an account or undoing an import
-- first clears its owner, and deleting a user removes the user's row. The transactions leave all figures at that moment,
-- and these triggers ignore them when they are removed later. Deleting a category clears its owner as well, but its
-- transactions stay, and count as uncategorised.
--
-- A sum that is out of bounds is inserted into `totals`, whose CHECK refuses the whole write. At most 10,000 totals of a
-- month are added up, so that a user with half a million pairs of account and category cannot hold up everybody's writes.
-- An upload of operations may change hundreds of transactions. While it has rows in `upload_steps`, changing a
-- transaction does not add up its month; the upload does so once, at its end.

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
  INSERT INTO changes (user_id, seq, noun, row_id, at)
  SELECT old.user_id, 1 + max(old.seq,
                              coalesce((SELECT max(seq) FROM transactions WHERE user_id = old.user_id), 0),
                              coalesce((SELECT max(seq) FROM changes WHERE user_id = old.user_id), 0)),
         'transaction', old.id, CAST(unixepoch('subsec') * 1000 AS INTEGER);
  INSERT INTO remembered (user_id, id, account_id, to_account_id, type, amount, reference, transaction_date, import_id, booked_by)
  SELECT old.user_id, old.id, old.account_id, old.to_account_id, old.type, old.amount, old.reference, old.transaction_date,
         old.import_id, old.booked_by
   WHERE old.import_id IS NOT NULL OR EXISTS (SELECT 1 FROM imports WHERE id = old.booked_by)
  ON CONFLICT DO NOTHING;
  DELETE FROM remembered
   WHERE user_id = old.user_id AND id IN (SELECT id FROM remembered WHERE user_id = old.user_id AND survivor_id = old.id)
     AND import_id IS NULL AND booked_by IS NULL;
  UPDATE remembered SET survivor_id = NULL WHERE user_id = old.user_id AND survivor_id = old.id;
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
-- A transaction that is removed with its account no longer stands for rows of files.
CREATE TRIGGER transaction_removed AFTER DELETE ON transactions
WHEN EXISTS (SELECT 1 FROM accounts WHERE id IN (old.account_id, old.to_account_id) AND user_id IS NULL) BEGIN
  DELETE FROM remembered
   WHERE user_id = old.user_id AND id IN (SELECT id FROM remembered WHERE user_id = old.user_id AND survivor_id = old.id);
END;
--> statement-breakpoint
-- A deleted transaction takes its rejected matches along, unless it was joined with another and may come back.
CREATE TRIGGER transaction_rejections_removed AFTER DELETE ON transactions
WHEN NOT EXISTS (SELECT 1 FROM remembered
                  WHERE user_id = old.user_id AND id = old.id AND joined_id <> id AND survivor_id IS NOT NULL) BEGIN
  DELETE FROM rejected_matches WHERE user_id = old.user_id AND first_id = old.id;
  DELETE FROM rejected_matches WHERE user_id = old.user_id AND second_id = old.id;
END;
--> statement-breakpoint
CREATE TRIGGER remembered_rejections_removed AFTER UPDATE OF survivor_id ON remembered WHEN new.survivor_id IS NULL BEGIN
  DELETE FROM rejected_matches WHERE user_id = old.user_id AND first_id = old.id;
  DELETE FROM rejected_matches WHERE user_id = old.user_id AND second_id = old.id;
END;
--> statement-breakpoint
CREATE TRIGGER forgotten_rejections_removed AFTER DELETE ON remembered
WHEN old.survivor_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM transactions WHERE id = old.id) BEGIN
  DELETE FROM rejected_matches WHERE user_id = old.user_id AND first_id = old.id;
  DELETE FROM rejected_matches WHERE user_id = old.user_id AND second_id = old.id;
END;
--> statement-breakpoint
-- A row of a file that is edited is remembered as the file has it, so that the next file does not bring it again.
CREATE TRIGGER transaction_unlike_file AFTER UPDATE OF type, amount, account_id, to_account_id, transaction_date, reference ON transactions
WHEN (old.import_id IS NOT NULL OR old.booked_by IS NOT NULL)
 AND ((old.type, old.amount, old.account_id, old.to_account_id, old.transaction_date)
      IS NOT (new.type, new.amount, new.account_id, new.to_account_id, new.transaction_date) OR old.reference <> new.reference) BEGIN
  DELETE FROM remembered
   WHERE user_id = old.user_id AND id = old.id AND import_id IS NULL AND NOT EXISTS (SELECT 1 FROM imports WHERE id = booked_by);
  INSERT INTO remembered (user_id, id, account_id, to_account_id, type, amount, reference, transaction_date, import_id, booked_by,
                          joined_id, survivor_id)
  VALUES (old.user_id, old.id, old.account_id, old.to_account_id, old.type, old.amount, old.reference, old.transaction_date,
          old.import_id, old.booked_by, old.id, old.id)
  ON CONFLICT DO NOTHING;
END;
--> statement-breakpoint
-- A row that has been separated is no longer remembered, unless it still is the outflow of a joined transfer, or its file
-- has it differently.
CREATE TRIGGER remembered_separated AFTER UPDATE OF joined_id ON remembered
WHEN new.joined_id = new.id AND new.kind IS NULL
 AND (new.import_id IS NULL AND new.booked_by IS NULL OR EXISTS (
   SELECT 1 FROM transactions own
    WHERE own.id = new.id AND own.account_id = new.account_id AND own.to_account_id IS new.to_account_id
      AND own.type = new.type AND own.amount = new.amount AND own.transaction_date = new.transaction_date
      AND coalesce(own.reference = new.reference, true))) BEGIN
  DELETE FROM remembered WHERE user_id = new.user_id AND id = new.id;
END;
--> statement-breakpoint
-- A late retry of the request that created a transaction must not bring it back once it is deleted. Undoing an import
-- spends nothing, so that the file can be imported again.
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
CREATE TRIGGER transaction_id_spent AFTER DELETE ON transactions
WHEN NOT EXISTS (SELECT 1 FROM transactions WHERE id > old.id) BEGIN
  INSERT INTO spent_ids (noun, highest) VALUES ('transactions', old.id)
  ON CONFLICT DO UPDATE SET highest = max(highest, excluded.highest);
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
-- Transfers to and from a deleted account no longer count for the other accounts. They are added up in two parts, since
-- the amounts moved back and forth over the years can exceed 2^63.
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
CREATE TRIGGER user_deleted AFTER DELETE ON users BEGIN
  INSERT INTO former_users (id) VALUES (old.id);
END;
--> statement-breakpoint
-- The log of changes (src/database/change-numbers.ts). Each entry takes the user's next number. The entry of a deleted
-- account also covers its transactions, on either side, and that of a deleted category all references to it.
-- Rows made for a user who has no token yet, such as the default categories, are not logged: nobody can have
-- asked for changes by then.
CREATE TRIGGER account_creation_logged AFTER INSERT ON accounts
WHEN EXISTS (SELECT 1 FROM tokens WHERE user_id = new.user_id) BEGIN
  INSERT INTO changes (user_id, seq, noun, row_id, at)
  SELECT new.user_id, 1 + max(coalesce((SELECT max(seq) FROM transactions WHERE user_id = new.user_id), 0),
                              coalesce((SELECT max(seq) FROM changes WHERE user_id = new.user_id), 0)),
         'account', new.id, CAST(unixepoch('subsec') * 1000 AS INTEGER);
END;
--> statement-breakpoint
CREATE TRIGGER account_change_logged AFTER UPDATE OF user_id, name, type, starting_balance, notes, version ON accounts
WHEN old.user_id IS NOT NULL BEGIN
  INSERT INTO changes (user_id, seq, noun, row_id, at)
  SELECT old.user_id, 1 + max(coalesce((SELECT max(seq) FROM transactions WHERE user_id = old.user_id), 0),
                              coalesce((SELECT max(seq) FROM changes WHERE user_id = old.user_id), 0)),
         'account', old.id, CAST(unixepoch('subsec') * 1000 AS INTEGER);
END;
--> statement-breakpoint
-- A transaction that moves to another account is logged as changed. If the new account is deleted later, its entry alone
-- would leave the transaction in a copy that still has it on the old account.
CREATE TRIGGER transaction_move_logged AFTER UPDATE OF account_id, to_account_id ON transactions
WHEN (old.account_id, old.to_account_id) IS NOT (new.account_id, new.to_account_id) BEGIN
  INSERT INTO changes (user_id, seq, noun, row_id, at)
  VALUES (new.user_id, new.seq, 'transaction', new.id, CAST(unixepoch('subsec') * 1000 AS INTEGER));
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
CREATE TRIGGER category_change_logged AFTER UPDATE OF user_id, name, type, version ON categories
WHEN old.user_id IS NOT NULL BEGIN
  INSERT INTO changes (user_id, seq, noun, row_id, at)
  SELECT old.user_id, 1 + max(coalesce((SELECT max(seq) FROM transactions WHERE user_id = old.user_id), 0),
                              coalesce((SELECT max(seq) FROM changes WHERE user_id = old.user_id), 0)),
         'category', old.id, CAST(unixepoch('subsec') * 1000 AS INTEGER);
END;
--> statement-breakpoint
CREATE TRIGGER profile_change_logged AFTER UPDATE OF name, email, idp_id, avatar, email_verified_at, timezone, reminder_time, reminder_last_sent_at ON users BEGIN
  INSERT INTO changes (user_id, seq, noun, row_id, at)
  SELECT new.id, 1 + max(coalesce((SELECT max(seq) FROM transactions WHERE user_id = new.id), 0),
                         coalesce((SELECT max(seq) FROM changes WHERE user_id = new.id), 0)),
         'profile', new.id, CAST(unixepoch('subsec') * 1000 AS INTEGER);
END;
