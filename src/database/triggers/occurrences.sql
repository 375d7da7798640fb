-- Recurring transactions and their occurrences. An occurrence is open again once its transaction is gone or no longer linked:
-- `due_at` becomes another negative number, so that the job looks at the rule even if it is writing the time of its next look
-- at this moment.

-- A deletion by a person skips the occurrence, or it would come back. That of an account, a user or an import does not, and
-- joins unlink a row before they delete it. The newest two hundred exceptions are kept: a deletion never fails for them.
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

CREATE TRIGGER occurrence_lost AFTER DELETE ON transactions
WHEN old.recurring_id IS NOT NULL BEGIN
  UPDATE recurring_rules SET due_at = min(coalesce(due_at, 0), 0) - 1
   WHERE id = old.recurring_id AND auto_record AND NOT paused;
END;

CREATE TRIGGER occurrence_unlinked AFTER UPDATE OF recurring_id, occurrence_date ON transactions
WHEN old.recurring_id IS NOT NULL AND (old.recurring_id, old.occurrence_date) IS NOT (new.recurring_id, new.occurrence_date) BEGIN
  UPDATE recurring_rules SET due_at = min(coalesce(due_at, 0), 0) - 1
   WHERE id = old.recurring_id AND auto_record AND NOT paused;
END;

-- In another time zone, occurrences are due at other times.
CREATE TRIGGER timezone_changed AFTER UPDATE OF timezone ON users
WHEN old.timezone <> new.timezone BEGIN
  UPDATE recurring_rules SET due_at = min(due_at, 0) - 1 WHERE user_id = new.id AND due_at IS NOT NULL;
END;

-- The rules of a deleted account are few, and are deleted at once.
CREATE TRIGGER account_rules_deleted AFTER UPDATE OF user_id ON accounts
WHEN old.user_id IS NOT NULL AND new.user_id IS NULL BEGIN
  DELETE FROM recurring_rules WHERE user_id = old.user_id AND (account_id = old.id OR to_account_id = old.id);
END;

CREATE TRIGGER rule_successor_deleted AFTER DELETE ON recurring_rules BEGIN
  UPDATE recurring_rules SET successor_id = NULL, version = version + 1 WHERE user_id = old.user_id AND successor_id = old.id;
END;

-- The first rule that asks for reminders makes the job look at its user; from then on, the job says when it looks next.
CREATE TRIGGER rule_creation_reminds AFTER INSERT ON recurring_rules
WHEN new.remind_days IS NOT NULL BEGIN
  UPDATE users SET due_reminder_look_at = new.updated_at WHERE id = new.user_id AND due_reminder_look_at IS NULL;
END;

CREATE TRIGGER rule_change_reminds AFTER UPDATE OF remind_days ON recurring_rules
WHEN new.remind_days IS NOT NULL BEGIN
  UPDATE users SET due_reminder_look_at = new.updated_at WHERE id = new.user_id AND due_reminder_look_at IS NULL;
END;
