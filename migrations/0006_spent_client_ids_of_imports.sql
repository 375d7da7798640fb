-- Deleting an import undoes it, so that the file can be imported again: its client ids are not spent.
DROP TRIGGER transaction_client_id_spent;
--> statement-breakpoint
CREATE TRIGGER transaction_client_id_spent AFTER DELETE ON transactions
WHEN old.client_id IS NOT NULL AND old.import_id IS NULL BEGIN
  INSERT INTO spent_client_ids (user_id, client_id)
  SELECT old.user_id, old.client_id WHERE EXISTS (SELECT 1 FROM users WHERE id = old.user_id)
  ON CONFLICT DO NOTHING;
END;
