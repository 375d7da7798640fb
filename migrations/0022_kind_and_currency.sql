DROP TRIGGER profile_change_logged;
--> statement-breakpoint
ALTER TABLE `accounts` ADD `kind` text;--> statement-breakpoint
ALTER TABLE `users` ADD `currency` text;
--> statement-breakpoint
CREATE TRIGGER profile_change_logged AFTER UPDATE OF name, email, idp_id, avatar, email_verified_at, timezone, reminder_time, reminder_last_sent_at, due_reminders, currency ON users BEGIN
  INSERT INTO changes (user_id, seq, noun, row_id, at)
  SELECT new.id, 1 + max(coalesce((SELECT max(seq) FROM transactions WHERE user_id = new.id), 0),
                         coalesce((SELECT max(seq) FROM changes WHERE user_id = new.id), 0)),
         'profile', new.id, CAST(unixepoch('subsec') * 1000 AS INTEGER);
END;
