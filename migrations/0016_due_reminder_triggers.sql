-- The first rule that asks for reminders makes the job look at its user; from then on, the job says when it looks next.
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
UPDATE users SET due_reminder_look_at = CAST(unixepoch('subsec') * 1000 AS INTEGER)
 WHERE id IN (SELECT user_id FROM recurring_rules WHERE remind_days IS NOT NULL);
--> statement-breakpoint
-- The change feed and ETags notice a write of `due_reminders`.
DROP TRIGGER profile_change_logged;
--> statement-breakpoint
CREATE TRIGGER profile_change_logged AFTER UPDATE OF name, email, idp_id, avatar, email_verified_at, timezone, reminder_time, reminder_last_sent_at, due_reminders ON users BEGIN
  INSERT INTO changes (user_id, seq, noun, row_id, at)
  SELECT new.id, 1 + max(coalesce((SELECT max(seq) FROM transactions WHERE user_id = new.id), 0),
                         coalesce((SELECT max(seq) FROM changes WHERE user_id = new.id), 0)),
         'profile', new.id, CAST(unixepoch('subsec') * 1000 AS INTEGER);
END;
