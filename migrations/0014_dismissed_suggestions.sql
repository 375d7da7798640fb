CREATE TABLE `dismissed_suggestions` (
	`user_id` integer NOT NULL,
	`key` text NOT NULL,
	PRIMARY KEY(`user_id`, `key`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
