-- Rows of files as their file has them (`imported_originals`), kept once the transaction is edited, joined or deleted, so that
-- the next file does not bring them again, and the rejected matches of such rows.

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

-- A deleted row of a file is kept, and what was merged into it stands for itself again.
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

-- A transaction that is removed with its account no longer stands for rows of files.
CREATE TRIGGER transaction_removed AFTER DELETE ON transactions
WHEN EXISTS (SELECT 1 FROM accounts WHERE id IN (old.account_id, old.to_account_id) AND user_id IS NULL) BEGIN
  DELETE FROM imported_originals
   WHERE user_id = old.user_id AND id IN (SELECT id FROM imported_originals WHERE user_id = old.user_id AND merged_into_id = old.id);
END;

-- A row that has been separated is no longer kept, unless it still is the outflow of a joined transfer, or its file has it
-- differently.
CREATE TRIGGER original_separated AFTER UPDATE OF joined_id ON imported_originals
WHEN new.joined_id = new.id AND new.kind IS NULL
 AND (new.import_id IS NULL AND new.booked_by IS NULL OR EXISTS (
   SELECT 1 FROM transactions own
    WHERE own.id = new.id AND own.account_id = new.account_id AND own.to_account_id IS new.to_account_id
      AND own.type = new.type AND own.amount = new.amount AND own.transaction_date = new.transaction_date
      AND coalesce(own.reference = new.reference, true))) BEGIN
  DELETE FROM imported_originals WHERE user_id = new.user_id AND id = new.id;
END;

-- A deleted transaction takes its rejected matches along, unless it was joined with another and may come back.
CREATE TRIGGER transaction_rejections_removed AFTER DELETE ON transactions
WHEN NOT EXISTS (SELECT 1 FROM imported_originals
                  WHERE user_id = old.user_id AND id = old.id AND joined_id <> id AND merged_into_id IS NOT NULL) BEGIN
  DELETE FROM rejected_matches WHERE user_id = old.user_id AND first_id = old.id;
  DELETE FROM rejected_matches WHERE user_id = old.user_id AND second_id = old.id;
END;

CREATE TRIGGER original_rejections_removed AFTER UPDATE OF merged_into_id ON imported_originals WHEN new.merged_into_id IS NULL BEGIN
  DELETE FROM rejected_matches WHERE user_id = old.user_id AND first_id = old.id;
  DELETE FROM rejected_matches WHERE user_id = old.user_id AND second_id = old.id;
END;

CREATE TRIGGER original_rejections_forgotten AFTER DELETE ON imported_originals
WHEN old.merged_into_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM transactions WHERE id = old.id) BEGIN
  DELETE FROM rejected_matches WHERE user_id = old.user_id AND first_id = old.id;
  DELETE FROM rejected_matches WHERE user_id = old.user_id AND second_id = old.id;
END;
