ALTER TABLE `imports` ADD `file_name` text;--> statement-breakpoint
ALTER TABLE `imports` ADD `starting_balances` text;