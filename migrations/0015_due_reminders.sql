ALTER TABLE `users` ADD `due_reminders` integer DEFAULT true NOT NULL;--> statement-breakpoint
ALTER TABLE `users` ADD `due_reminder_last_day` text;--> statement-breakpoint
ALTER TABLE `users` ADD `due_reminder_look_at` integer;--> statement-breakpoint
CREATE INDEX `users_due_reminder_look_at` ON `users` (`due_reminder_look_at`) WHERE due_reminder_look_at is not null;