CREATE TABLE `balance_checks` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` integer NOT NULL,
	`account_id` integer NOT NULL,
	`date` text NOT NULL,
	`balance` integer NOT NULL,
	`base` integer NOT NULL,
	`after_entry` integer NOT NULL,
	`broken_since` integer,
	`broken_count` integer DEFAULT 0 NOT NULL,
	`source` text NOT NULL,
	`import_id` integer,
	`client_id` text,
	`version` integer DEFAULT 1 NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`account_id`) REFERENCES `accounts`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `balance_checks_account_date` ON `balance_checks` (`account_id`,`date`);--> statement-breakpoint
CREATE UNIQUE INDEX `balance_checks_client_id` ON `balance_checks` (`user_id`,`client_id`) WHERE client_id is not null;--> statement-breakpoint
CREATE INDEX `balance_checks_import` ON `balance_checks` (`import_id`) WHERE import_id is not null;--> statement-breakpoint
CREATE TABLE `reconciliation_log` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` integer NOT NULL,
	`account_id` integer NOT NULL,
	`date` text NOT NULL,
	`effect` integer NOT NULL,
	`transaction_id` integer,
	`op` text NOT NULL,
	`count` integer NOT NULL,
	`before` text,
	`after` text,
	`by_kind` text,
	`by_name` text,
	`token_id` integer,
	`write_id` integer,
	`import_id` integer,
	`cause` text,
	`at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `reconciliation_log_account` ON `reconciliation_log` (`account_id`,`id`);--> statement-breakpoint
CREATE INDEX `reconciliation_log_unnamed` ON `reconciliation_log` (`by_kind`) WHERE by_kind is null;--> statement-breakpoint
ALTER TABLE `sync_batches` ADD `by_kind` text;--> statement-breakpoint
ALTER TABLE `sync_batches` ADD `by_name` text;--> statement-breakpoint
ALTER TABLE `sync_batches` ADD `token_id` integer;--> statement-breakpoint
ALTER TABLE `transactions` ADD `booked_on` text;--> statement-breakpoint
ALTER TABLE `transactions` ADD `to_booked_on` text;--> statement-breakpoint
CREATE INDEX `transactions_booked` ON `transactions` (`account_id`,`booked_on`,`transaction_date`) WHERE booked_on is not null;--> statement-breakpoint
CREATE INDEX `transactions_to_booked` ON `transactions` (`to_account_id`,`to_booked_on`,`transaction_date`) WHERE to_booked_on is not null;