DROP TRIGGER transaction_deleted;
--> statement-breakpoint
DROP TRIGGER transaction_removed;
--> statement-breakpoint
DROP TRIGGER transaction_rejections_removed;
--> statement-breakpoint
DROP TRIGGER remembered_rejections_removed;
--> statement-breakpoint
DROP TRIGGER forgotten_rejections_removed;
--> statement-breakpoint
DROP TRIGGER transaction_unlike_file;
--> statement-breakpoint
DROP TRIGGER remembered_separated;
--> statement-breakpoint
DROP TRIGGER category_change_logged;
--> statement-breakpoint
DROP TRIGGER account_change_logged;
--> statement-breakpoint
CREATE TRIGGER account_change_logged AFTER UPDATE OF user_id, version ON accounts
WHEN old.user_id IS NOT NULL BEGIN
  INSERT INTO changes (user_id, seq, noun, row_id, at)
  SELECT old.user_id, 1 + max(coalesce((SELECT max(seq) FROM transactions WHERE user_id = old.user_id), 0),
                              coalesce((SELECT max(seq) FROM changes WHERE user_id = old.user_id), 0)),
         'account', old.id, CAST(unixepoch('subsec') * 1000 AS INTEGER);
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
WHEN EXISTS (SELECT 1 FROM users WHERE id = old.user_id)
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
