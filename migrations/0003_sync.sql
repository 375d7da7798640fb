CREATE TABLE `spent_client_ids` (
	`user_id` integer NOT NULL,
	`client_id` text NOT NULL,
	PRIMARY KEY(`user_id`, `client_id`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `sync_batches` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` integer NOT NULL,
	`status` text NOT NULL,
	`idempotency_key` text,
	`body_hash` text NOT NULL,
	`created_at` integer NOT NULL,
	`queued_at` integer NOT NULL,
	`completed_at` integer,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `sync_batches_user` ON `sync_batches` (`user_id`);--> statement-breakpoint
CREATE UNIQUE INDEX `sync_batches_idempotency_key` ON `sync_batches` (`user_id`,`idempotency_key`) WHERE idempotency_key is not null;--> statement-breakpoint
CREATE INDEX `sync_batches_unfinished` ON `sync_batches` (`queued_at`) WHERE completed_at is null;--> statement-breakpoint
CREATE INDEX `sync_batches_finished` ON `sync_batches` (`completed_at`) WHERE completed_at is not null;--> statement-breakpoint
CREATE TABLE `sync_items` (
	`batch_id` text NOT NULL,
	`position` integer NOT NULL,
	`outcome` text NOT NULL,
	`transaction_id` integer,
	`errors` text,
	`client_id` text,
	`account_id` integer,
	`to_account_id` integer,
	`category_id` integer,
	`type` text,
	`amount` integer,
	`description` text,
	`reference` text,
	`transaction_date` text,
	`force` integer NOT NULL,
	PRIMARY KEY(`batch_id`, `position`),
	FOREIGN KEY (`batch_id`) REFERENCES `sync_batches`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`category_id`) REFERENCES `categories`(`id`) ON UPDATE no action ON DELETE set null
);
--> statement-breakpoint
CREATE INDEX `sync_items_category` ON `sync_items` (`category_id`) WHERE category_id is not null;