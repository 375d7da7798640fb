ALTER TABLE `remembered` RENAME TO `imported_originals`;--> statement-breakpoint
ALTER TABLE `imported_originals` RENAME COLUMN `survivor_id` TO `merged_into_id`;--> statement-breakpoint
DROP INDEX `remembered_account_date_amount`;--> statement-breakpoint
DROP INDEX `remembered_survivor`;--> statement-breakpoint
CREATE INDEX `imported_originals_account_date_amount` ON `imported_originals` (`user_id`,`account_id`,`transaction_date`,`amount`);--> statement-breakpoint
CREATE INDEX `imported_originals_merged_into` ON `imported_originals` (`user_id`,`merged_into_id`) WHERE merged_into_id is not null;--> statement-breakpoint
ALTER TABLE `imports` RENAME COLUMN `answer` TO `response`;--> statement-breakpoint
ALTER TABLE `imports` DROP COLUMN `joined`;
