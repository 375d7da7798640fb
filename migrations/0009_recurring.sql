CREATE TABLE `recurring_rules` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` integer NOT NULL,
	`account_id` integer NOT NULL,
	`to_account_id` integer,
	`category_id` integer,
	`type` text NOT NULL,
	`amount` integer NOT NULL,
	`amount_tolerance` integer DEFAULT 0 NOT NULL,
	`description` text,
	`reference` text,
	`starts_on` text NOT NULL,
	`rrule` text NOT NULL,
	`weekend` text DEFAULT 'keep' NOT NULL,
	`auto_record` integer DEFAULT false NOT NULL,
	`remind_days` integer,
	`paused` integer DEFAULT false NOT NULL,
	`opened_at` integer NOT NULL,
	`opened_in` text NOT NULL,
	`exceptions` text DEFAULT '{}' NOT NULL,
	`successor_id` integer,
	`due_at` integer,
	`client_id` text,
	`version` integer DEFAULT 1 NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`account_id`) REFERENCES `accounts`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`to_account_id`) REFERENCES `accounts`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `recurring_rules_user` ON `recurring_rules` (`user_id`);--> statement-breakpoint
CREATE UNIQUE INDEX `recurring_rules_client_id` ON `recurring_rules` (`user_id`,`client_id`) WHERE client_id is not null;--> statement-breakpoint
CREATE INDEX `recurring_rules_due` ON `recurring_rules` (`due_at`) WHERE due_at is not null;--> statement-breakpoint
ALTER TABLE `transactions` ADD `recurring_id` integer;--> statement-breakpoint
ALTER TABLE `transactions` ADD `occurrence_date` text;--> statement-breakpoint
CREATE UNIQUE INDEX `transactions_occurrence` ON `transactions` (`recurring_id`,`occurrence_date`) WHERE recurring_id is not null;