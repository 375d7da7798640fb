ALTER TABLE `accounts` ADD `reconciled_through` text;--> statement-breakpoint
-- The change feed and ETags notice a write of `reconciled_through` alone.
DROP TRIGGER account_change_logged;
--> statement-breakpoint
CREATE TRIGGER account_change_logged
AFTER UPDATE OF user_id, name, type, starting_balance, notes, closed_on, reconciled_through, version ON accounts
WHEN old.user_id IS NOT NULL BEGIN
  INSERT INTO changes (user_id, seq, noun, row_id, at)
  SELECT old.user_id, 1 + max(coalesce((SELECT max(seq) FROM transactions WHERE user_id = old.user_id), 0),
                              coalesce((SELECT max(seq) FROM changes WHERE user_id = old.user_id), 0)),
         'account', old.id, CAST(unixepoch('subsec') * 1000 AS INTEGER);
END;
