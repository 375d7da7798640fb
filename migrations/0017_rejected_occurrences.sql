CREATE TABLE `rejected_occurrences` (
	`user_id` integer NOT NULL,
	`transaction_id` integer NOT NULL,
	`recurring_id` integer NOT NULL,
	`occurrence_date` text NOT NULL,
	PRIMARY KEY(`transaction_id`, `recurring_id`, `occurrence_date`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`transaction_id`) REFERENCES `transactions`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`recurring_id`) REFERENCES `recurring_rules`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `rejected_occurrences_user` ON `rejected_occurrences` (`user_id`);--> statement-breakpoint
CREATE INDEX `rejected_occurrences_rule` ON `rejected_occurrences` (`recurring_id`);