CREATE TABLE `import_layouts` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` integer NOT NULL,
	`account_id` integer,
	`layout` text NOT NULL,
	`format` text NOT NULL,
	`headers` text NOT NULL,
	`settled` text NOT NULL,
	`import_id` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`account_id`) REFERENCES `accounts`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`import_id`) REFERENCES `imports`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `import_layouts_layout` ON `import_layouts` (`user_id`,`layout`);--> statement-breakpoint
CREATE INDEX `import_layouts_account` ON `import_layouts` (`account_id`);--> statement-breakpoint
CREATE INDEX `import_layouts_import` ON `import_layouts` (`import_id`);--> statement-breakpoint
ALTER TABLE `imports` ADD `layout` text;--> statement-breakpoint
ALTER TABLE `imports` ADD `first_day` text;--> statement-breakpoint
ALTER TABLE `imports` ADD `last_day` text;