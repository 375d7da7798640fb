CREATE TABLE `former_addresses` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` integer NOT NULL,
	`email` text NOT NULL,
	`idp_id` text,
	`replaced_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `former_addresses_user` ON `former_addresses` (`user_id`);--> statement-breakpoint
CREATE INDEX `former_addresses_email` ON `former_addresses` (`email`);--> statement-breakpoint
CREATE INDEX `former_addresses_replaced` ON `former_addresses` (`replaced_at`);--> statement-breakpoint
CREATE TABLE `pending_addresses` (
	`user_id` integer PRIMARY KEY NOT NULL,
	`email` text NOT NULL,
	`is_confirmed` integer NOT NULL,
	`requested_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `pending_addresses_requested` ON `pending_addresses` (`requested_at`);--> statement-breakpoint
ALTER TABLE `tokens` ADD `scope` text DEFAULT 'session' NOT NULL;--> statement-breakpoint
ALTER TABLE `tokens` ADD `name` text;--> statement-breakpoint
ALTER TABLE `tokens` ADD `expires_at` integer;--> statement-breakpoint
CREATE INDEX `tokens_expiry` ON `tokens` (`expires_at`) WHERE expires_at is not null;