DROP INDEX `transactions_account_date_amount`;--> statement-breakpoint
DROP INDEX `transactions_to_account`;--> statement-breakpoint
CREATE INDEX `transactions_account_date_amount` ON `transactions` (`account_id`,`transaction_date`,`amount`,`id`,`type`,`to_account_id`);--> statement-breakpoint
CREATE INDEX `transactions_to_account` ON `transactions` (`to_account_id`,`transaction_date`,`id`,`amount`,`account_id`) WHERE to_account_id is not null;