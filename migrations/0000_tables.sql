CREATE TABLE `accounts` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` integer NOT NULL,
	`name` text NOT NULL,
	`type` text NOT NULL,
	`starting_balance` integer NOT NULL,
	`moved` integer DEFAULT 0 NOT NULL,
	`balance` integer GENERATED ALWAYS AS (starting_balance + moved) VIRTUAL NOT NULL,
	`notes` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade,
	CONSTRAINT "account_type" CHECK("accounts"."type" in ('bank', 'mobile', 'cash')),
	CONSTRAINT "starting_balance_in_bounds" CHECK("accounts"."starting_balance" between -999999999999999 and 999999999999999),
	CONSTRAINT "account_balance_in_bounds" CHECK(starting_balance + moved between -9000000000000000 and 9000000000000000)
);
--> statement-breakpoint
CREATE INDEX `accounts_user` ON `accounts` (`user_id`);--> statement-breakpoint
CREATE TABLE `categories` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` integer NOT NULL,
	`name` text NOT NULL,
	`name_key` text NOT NULL,
	`type` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade,
	CONSTRAINT "category_type" CHECK("categories"."type" in ('income', 'expense'))
);
--> statement-breakpoint
CREATE UNIQUE INDEX `categories_user_name_type` ON `categories` (`user_id`,`name_key`,`type`);--> statement-breakpoint
CREATE TABLE `category_totals` (
	`user_id` integer NOT NULL,
	`month` text NOT NULL,
	`type` text NOT NULL,
	`category_id` integer NOT NULL,
	`total` integer NOT NULL,
	`transaction_count` integer NOT NULL,
	PRIMARY KEY(`user_id`, `month`, `type`, `category_id`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `month_totals` (
	`user_id` integer NOT NULL,
	`month` text NOT NULL,
	`income` integer NOT NULL,
	`expense` integer NOT NULL,
	`transaction_count` integer NOT NULL,
	PRIMARY KEY(`user_id`, `month`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade,
	CONSTRAINT "month_income_in_bounds" CHECK("month_totals"."income" between -9000000000000000 and 9000000000000000),
	CONSTRAINT "month_expense_in_bounds" CHECK("month_totals"."expense" between -9000000000000000 and 9000000000000000)
);
--> statement-breakpoint
CREATE TABLE `tokens` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` integer NOT NULL,
	`secret_hash` text NOT NULL,
	`created_at` integer NOT NULL,
	`last_used_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `tokens_user` ON `tokens` (`user_id`);--> statement-breakpoint
CREATE TABLE `transactions` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
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
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`account_id`) REFERENCES `accounts`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`to_account_id`) REFERENCES `accounts`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`category_id`) REFERENCES `categories`(`id`) ON UPDATE no action ON DELETE set null,
	CONSTRAINT "transaction_type" CHECK("transactions"."type" in ('income', 'expense', 'transfer')),
	CONSTRAINT "amount_in_bounds" CHECK("transactions"."amount" between 1 and 999999999999999),
	CONSTRAINT "transfer_has_destination" CHECK(("transactions"."type" = 'transfer') = ("transactions"."to_account_id" is not null)),
	CONSTRAINT "transfer_between_two_accounts" CHECK("transactions"."to_account_id" <> "transactions"."account_id")
);
--> statement-breakpoint
CREATE INDEX `transactions_user_date` ON `transactions` (`user_id`,`transaction_date`,`id`);--> statement-breakpoint
CREATE INDEX `transactions_account_date_amount` ON `transactions` (`account_id`,`transaction_date`,`amount`);--> statement-breakpoint
CREATE INDEX `transactions_to_account` ON `transactions` (`to_account_id`,`transaction_date`) WHERE to_account_id is not null;--> statement-breakpoint
CREATE INDEX `transactions_category` ON `transactions` (`category_id`,`transaction_date`) WHERE category_id is not null;--> statement-breakpoint
CREATE UNIQUE INDEX `transactions_client_id` ON `transactions` (`user_id`,`client_id`) WHERE client_id is not null;--> statement-breakpoint
CREATE TABLE `users` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`name` text NOT NULL,
	`email` text NOT NULL,
	`password_hash` text,
	`idp_id` text,
	`avatar` text,
	`email_verified_at` integer,
	`timezone` text DEFAULT 'UTC' NOT NULL,
	`reminder_time` text DEFAULT '20:00',
	`reminder_last_sent_at` integer,
	`balance` integer DEFAULT 0 NOT NULL,
	`transaction_count` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	CONSTRAINT "user_balance_in_bounds" CHECK("users"."balance" between -9000000000000000 and 9000000000000000)
);
--> statement-breakpoint
CREATE UNIQUE INDEX `users_email` ON `users` (`email`);--> statement-breakpoint
CREATE UNIQUE INDEX `users_idp_id` ON `users` (`idp_id`);