-- Deleting one imported row spends its client id like any other. Undoing a whole import takes the client ids off the
-- rows before it deletes them (services/landing.ts), so the trigger needs no exception.
DROP TRIGGER transaction_client_id_spent;
--> statement-breakpoint
CREATE TRIGGER transaction_client_id_spent AFTER DELETE ON transactions WHEN old.client_id IS NOT NULL BEGIN
  INSERT INTO spent_client_ids (user_id, client_id)
  SELECT old.user_id, old.client_id WHERE EXISTS (SELECT 1 FROM users WHERE id = old.user_id)
  ON CONFLICT DO NOTHING;
END;
