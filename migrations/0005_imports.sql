CREATE TABLE `imports` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` integer NOT NULL,
	`batch_id` text NOT NULL,
	`kind` text NOT NULL,
	`format` text NOT NULL,
	`rows` integer NOT NULL,
	`created` integer NOT NULL,
	`duplicate` integer NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `imports_batch` ON `imports` (`batch_id`);--> statement-breakpoint
CREATE INDEX `imports_user` ON `imports` (`user_id`,`id`);--> statement-breakpoint
ALTER TABLE `transactions` ADD `import_id` integer REFERENCES imports(id) ON DELETE set null;--> statement-breakpoint
CREATE INDEX `transactions_import` ON `transactions` (`import_id`) WHERE import_id is not null;