-- A rule's occurrence is open again once its transaction is gone or no longer linked: `due_at` becomes another negative
-- number, so that the job looks at the rule even if it is writing the time of its next look at this moment. A deletion by a
-- person skips the occurrence instead, or it would come back. That of an account, a user or an import does not, and joins
-- unlink a row before they delete it. The newest two hundred exceptions are kept: a deletion never fails for them.
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
-- In another time zone, occurrences are due at other times.
CREATE TRIGGER timezone_changed AFTER UPDATE OF timezone ON users
WHEN old.timezone <> new.timezone BEGIN
  UPDATE recurring_rules SET due_at = min(due_at, 0) - 1 WHERE user_id = new.id AND due_at IS NOT NULL;
END;
--> statement-breakpoint
-- The rules of a deleted account are few, and are deleted at once.
CREATE TRIGGER account_rules_deleted AFTER UPDATE OF user_id ON accounts
WHEN old.user_id IS NOT NULL AND new.user_id IS NULL BEGIN
  DELETE FROM recurring_rules WHERE user_id = old.user_id AND (account_id = old.id OR to_account_id = old.id);
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
-- The entry of a deleted account covers its rules.
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
CREATE TRIGGER rule_client_id_spent AFTER DELETE ON recurring_rules
WHEN old.client_id IS NOT NULL AND EXISTS (SELECT 1 FROM users WHERE id = old.user_id) BEGIN
  INSERT INTO spent_client_ids (user_id, noun, client_id, row_id) VALUES (old.user_id, 'recurring', old.client_id, old.id)
  ON CONFLICT DO NOTHING;
END;
--> statement-breakpoint
CREATE TRIGGER rule_successor_deleted AFTER DELETE ON recurring_rules BEGIN
  UPDATE recurring_rules SET successor_id = NULL, version = version + 1 WHERE user_id = old.user_id AND successor_id = old.id;
END;
