CREATE TABLE `attempts` (
	`nonce` text PRIMARY KEY NOT NULL,
	`key` text NOT NULL,
	`at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `attempts_key` ON `attempts` (`key`,`at`);--> statement-breakpoint
CREATE INDEX `attempts_at` ON `attempts` (`at`);--> statement-breakpoint
CREATE TABLE `failed_mails` (
	`id` text PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`recipient` text NOT NULL,
	`reason` text NOT NULL,
	`failed_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `password_resets` (
	`token_hash` text PRIMARY KEY NOT NULL,
	`user_id` integer NOT NULL,
	`email` text NOT NULL,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `password_resets_user` ON `password_resets` (`user_id`);--> statement-breakpoint
CREATE INDEX `password_resets_expiry` ON `password_resets` (`expires_at`);--> statement-breakpoint
CREATE TABLE `used_states` (
	`nonce` text PRIMARY KEY NOT NULL,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `used_states_expiry` ON `used_states` (`expires_at`);--> statement-breakpoint
ALTER TABLE `tokens` ADD `user_agent` text;--> statement-breakpoint
CREATE INDEX `tokens_last_used` ON `tokens` (`last_used_at`);--> statement-breakpoint
CREATE INDEX `tokens_created` ON `tokens` (`created_at`);--> statement-breakpoint
ALTER TABLE `users` ADD `reminder_last_day` text;--> statement-breakpoint
ALTER TABLE `users` ADD `reminder_look_at` integer;--> statement-breakpoint
CREATE INDEX `users_reminder_look_at` ON `users` (`reminder_look_at`) WHERE reminder_look_at is not null;