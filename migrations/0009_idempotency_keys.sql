ALTER TABLE `accounts` ADD `idempotency_key` text;--> statement-breakpoint
CREATE UNIQUE INDEX `accounts_idempotency_key` ON `accounts` (`user_id`,`idempotency_key`) WHERE idempotency_key is not null;--> statement-breakpoint
ALTER TABLE `categories` ADD `idempotency_key` text;--> statement-breakpoint
CREATE UNIQUE INDEX `categories_idempotency_key` ON `categories` (`user_id`,`idempotency_key`) WHERE idempotency_key is not null;--> statement-breakpoint
ALTER TABLE `imports` ADD `idempotency_key` text;--> statement-breakpoint
ALTER TABLE `imports` ADD `rows_hash` text;--> statement-breakpoint
CREATE UNIQUE INDEX `imports_idempotency_key` ON `imports` (`user_id`,`idempotency_key`) WHERE idempotency_key is not null;