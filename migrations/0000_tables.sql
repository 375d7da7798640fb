CREATE TABLE `accounts` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` integer,
	`former_user_id` integer,
	`name` text NOT NULL,
	`type` text NOT NULL,
	`starting_balance` integer NOT NULL,
	`moved` integer DEFAULT 0 NOT NULL,
	`transaction_count` integer DEFAULT 0 NOT NULL,
	`incoming_count` integer DEFAULT 0 NOT NULL,
	`balance` integer GENERATED ALWAYS AS (starting_balance + moved) VIRTUAL NOT NULL,
	`notes` text,
	`client_id` text,
	`version` integer DEFAULT 1 NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	CONSTRAINT "account_type" CHECK("accounts"."type" in ('bank', 'mobile', 'cash')),
	CONSTRAINT "starting_balance_in_bounds" CHECK("accounts"."starting_balance" between -999999999999999 and 999999999999999),
	CONSTRAINT "account_balance_in_bounds" CHECK(starting_balance + moved between -9000000000000000 and 9000000000000000)
);
--> statement-breakpoint
CREATE INDEX `accounts_user` ON `accounts` (`user_id`);--> statement-breakpoint
CREATE INDEX `accounts_former_user` ON `accounts` (`former_user_id`) WHERE former_user_id is not null;--> statement-breakpoint
CREATE UNIQUE INDEX `accounts_client_id` ON `accounts` (`user_id`,`client_id`) WHERE client_id is not null;--> statement-breakpoint
CREATE TABLE `attempts` (
	`nonce` text PRIMARY KEY NOT NULL,
	`key` text NOT NULL,
	`at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `attempts_key` ON `attempts` (`key`,`at`);--> statement-breakpoint
CREATE INDEX `attempts_at` ON `attempts` (`at`);--> statement-breakpoint
CREATE TABLE `sync_parts` (
	`batch_id` text NOT NULL,
	`start` integer NOT NULL,
	`invalid` integer NOT NULL,
	`items` text NOT NULL,
	PRIMARY KEY(`batch_id`, `start`),
	FOREIGN KEY (`batch_id`) REFERENCES `sync_batches`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `sync_batches` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` integer NOT NULL,
	`status` text NOT NULL,
	`idempotency_key` text,
	`body_hash` text NOT NULL,
	`created_at` integer NOT NULL,
	`queued_at` integer,
	`completed_at` integer,
	`outcomes` text
);
--> statement-breakpoint
CREATE INDEX `sync_batches_user` ON `sync_batches` (`user_id`,`completed_at`);--> statement-breakpoint
CREATE UNIQUE INDEX `sync_batches_idempotency_key` ON `sync_batches` (`user_id`,`idempotency_key`) WHERE idempotency_key is not null;--> statement-breakpoint
CREATE INDEX `sync_batches_unfinished` ON `sync_batches` (`queued_at`) WHERE completed_at is null;--> statement-breakpoint
CREATE INDEX `sync_batches_finished` ON `sync_batches` (`completed_at`) WHERE completed_at is not null;--> statement-breakpoint
CREATE TABLE `categories` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` integer,
	`name` text NOT NULL,
	`name_key` text NOT NULL,
	`type` text NOT NULL,
	`client_id` text,
	`version` integer DEFAULT 1 NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	CONSTRAINT "category_type" CHECK("categories"."type" in ('income', 'expense'))
);
--> statement-breakpoint
CREATE UNIQUE INDEX `categories_user_name_type` ON `categories` (`user_id`,`name_key`,`type`);--> statement-breakpoint
CREATE UNIQUE INDEX `categories_client_id` ON `categories` (`user_id`,`client_id`) WHERE client_id is not null;--> statement-breakpoint
CREATE TABLE `changes` (
	`user_id` integer NOT NULL,
	`seq` integer NOT NULL,
	`noun` text NOT NULL,
	`row_id` integer NOT NULL,
	`at` integer NOT NULL,
	PRIMARY KEY(`user_id`, `seq`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `failed_mails` (
	`id` text PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`recipient` text NOT NULL,
	`reason` text NOT NULL,
	`failed_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `former_users` (
	`id` integer PRIMARY KEY NOT NULL
);
--> statement-breakpoint
CREATE TABLE `imports` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` integer,
	`batch_id` text NOT NULL,
	`kind` text NOT NULL,
	`format` text NOT NULL,
	`rows` integer NOT NULL,
	`created` integer NOT NULL,
	`duplicate` integer NOT NULL,
	`deleted_before` integer DEFAULT 0 NOT NULL,
	`joined` integer DEFAULT 0 NOT NULL,
	`first_id` integer NOT NULL,
	`idempotency_key` text,
	`rows_hash` text,
	`answer` text,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `imports_batch` ON `imports` (`batch_id`);--> statement-breakpoint
CREATE INDEX `imports_user` ON `imports` (`user_id`,`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `imports_idempotency_key` ON `imports` (`user_id`,`idempotency_key`) WHERE idempotency_key is not null;--> statement-breakpoint
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
CREATE TABLE `rejected_matches` (
	`user_id` integer NOT NULL,
	`first_id` integer NOT NULL,
	`second_id` integer NOT NULL,
	`kind` text NOT NULL,
	PRIMARY KEY(`user_id`, `first_id`, `second_id`, `kind`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `rejected_matches_second` ON `rejected_matches` (`user_id`,`second_id`);--> statement-breakpoint
CREATE TABLE `remembered` (
	`user_id` integer NOT NULL,
	`id` integer NOT NULL,
	`account_id` integer NOT NULL,
	`to_account_id` integer,
	`type` text NOT NULL,
	`amount` integer NOT NULL,
	`reference` text,
	`transaction_date` text NOT NULL,
	`kind` text,
	`import_id` integer,
	`booked_by` integer,
	`joined_id` integer,
	`survivor_id` integer,
	`seq` integer,
	`kept` text,
	PRIMARY KEY(`user_id`, `id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `remembered_account_date_amount` ON `remembered` (`user_id`,`account_id`,`transaction_date`,`amount`);--> statement-breakpoint
CREATE INDEX `remembered_survivor` ON `remembered` (`user_id`,`survivor_id`) WHERE survivor_id is not null;--> statement-breakpoint
CREATE TABLE `spent_client_ids` (
	`user_id` integer NOT NULL,
	`noun` text NOT NULL,
	`client_id` text NOT NULL,
	`row_id` integer NOT NULL,
	PRIMARY KEY(`user_id`, `noun`, `client_id`)
);
--> statement-breakpoint
CREATE TABLE `spent_ids` (
	`noun` text PRIMARY KEY NOT NULL,
	`highest` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `tokens` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` integer NOT NULL,
	`secret_hash` text NOT NULL,
	`user_agent` text,
	`created_at` integer NOT NULL,
	`last_used_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `tokens_user` ON `tokens` (`user_id`);--> statement-breakpoint
CREATE INDEX `tokens_last_used` ON `tokens` (`last_used_at`);--> statement-breakpoint
CREATE INDEX `tokens_created` ON `tokens` (`created_at`);--> statement-breakpoint
CREATE TABLE `totals` (
	`user_id` integer NOT NULL,
	`month` text NOT NULL,
	`type` text NOT NULL,
	`category_id` integer NOT NULL,
	`account_id` integer NOT NULL,
	`to_account_id` integer NOT NULL,
	`total` integer NOT NULL,
	`transaction_count` integer NOT NULL,
	PRIMARY KEY(`user_id`, `month`, `type`, `category_id`, `account_id`, `to_account_id`),
	CONSTRAINT "total_in_bounds" CHECK(abs("totals"."total") <= iif(type = 'transfer', 9000000000000000000, 9000000000000000))
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `totals_type` ON `totals` (`user_id`,`type`,`category_id`,`month`);--> statement-breakpoint
CREATE INDEX `totals_account` ON `totals` (`user_id`,`account_id`);--> statement-breakpoint
CREATE INDEX `totals_to_account` ON `totals` (`user_id`,`to_account_id`) WHERE to_account_id <> 0;--> statement-breakpoint
CREATE TABLE `transactions` (
	`id` integer PRIMARY KEY NOT NULL,
	`user_id` integer NOT NULL,
	`account_id` integer NOT NULL,
	`to_account_id` integer,
	`category_id` integer,
	`type` text NOT NULL,
	`amount` integer NOT NULL,
	`description` text,
	`reference` text,
	`transaction_date` text NOT NULL,
	`is_synced` integer DEFAULT false NOT NULL,
	`client_id` text,
	`import_id` integer,
	`booked_by` integer,
	`version` integer DEFAULT 1 NOT NULL,
	`seq` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`account_id`) REFERENCES `accounts`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`to_account_id`) REFERENCES `accounts`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`category_id`) REFERENCES `categories`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "transaction_type" CHECK("transactions"."type" in ('income', 'expense', 'transfer')),
	CONSTRAINT "amount_in_bounds" CHECK("transactions"."amount" between 1 and 999999999999999),
	CONSTRAINT "transfer_has_destination" CHECK(("transactions"."type" = 'transfer') = ("transactions"."to_account_id" is not null)),
	CONSTRAINT "transfer_between_two_accounts" CHECK("transactions"."to_account_id" <> "transactions"."account_id")
);
--> statement-breakpoint
CREATE INDEX `transactions_changes` ON `transactions` (`user_id`,`seq`);--> statement-breakpoint
CREATE INDEX `transactions_user_date` ON `transactions` (`user_id`,`transaction_date`,`id`);--> statement-breakpoint
CREATE INDEX `transactions_account_date_amount` ON `transactions` (`account_id`,`transaction_date`,`amount`);--> statement-breakpoint
CREATE INDEX `transactions_to_account` ON `transactions` (`to_account_id`,`transaction_date`) WHERE to_account_id is not null;--> statement-breakpoint
CREATE INDEX `transactions_category` ON `transactions` (`category_id`,`transaction_date`) WHERE category_id is not null;--> statement-breakpoint
CREATE UNIQUE INDEX `transactions_client_id` ON `transactions` (`user_id`,`client_id`) WHERE client_id is not null;--> statement-breakpoint
CREATE TABLE `upload_steps` (
	`upload_id` text NOT NULL,
	`step` text NOT NULL,
	`items` text NOT NULL,
	PRIMARY KEY(`upload_id`, `step`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `used_states` (
	`nonce` text PRIMARY KEY NOT NULL,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `used_states_expiry` ON `used_states` (`expires_at`);--> statement-breakpoint
CREATE TABLE `users` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`name` text NOT NULL,
	`email` text NOT NULL,
	`password_hash` text,
	`is_password_proven` integer DEFAULT false NOT NULL,
	`idp_id` text,
	`avatar` text,
	`email_verified_at` integer,
	`timezone` text DEFAULT 'UTC' NOT NULL,
	`reminder_time` text DEFAULT '20:00',
	`reminder_last_sent_at` integer,
	`reminder_last_day` text,
	`reminder_look_at` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `users_email` ON `users` (`email`);--> statement-breakpoint
CREATE UNIQUE INDEX `users_idp_id` ON `users` (`idp_id`);--> statement-breakpoint
CREATE INDEX `users_reminder_look_at` ON `users` (`reminder_look_at`) WHERE reminder_look_at is not null;