-- A deleted transaction leaves its client id behind, so that a late retry cannot bring it back. When a whole user
-- goes, the user's row is gone already at this point, and nothing is left behind.
CREATE TRIGGER transaction_client_id_spent AFTER DELETE ON transactions WHEN old.client_id IS NOT NULL BEGIN
  INSERT INTO spent_client_ids (user_id, client_id)
  SELECT old.user_id, old.client_id WHERE EXISTS (SELECT 1 FROM users WHERE id = old.user_id)
  ON CONFLICT DO NOTHING;
END;
