-- Ids that are not given again. A late retry of the request that created a row must not bring it back once it is deleted.
-- Undoing an import spends nothing, so that the file can be imported again.

CREATE TRIGGER transaction_client_id_spent AFTER DELETE ON transactions
WHEN old.client_id IS NOT NULL
 AND (old.import_id IS NULL OR EXISTS (SELECT 1 FROM imports WHERE id = old.import_id AND user_id IS NOT NULL)) BEGIN
  INSERT INTO spent_client_ids (user_id, noun, client_id, row_id)
  SELECT old.user_id, 'transaction', old.client_id, old.id WHERE EXISTS (SELECT 1 FROM users WHERE id = old.user_id)
  ON CONFLICT DO NOTHING;
END;

CREATE TRIGGER account_client_id_spent AFTER UPDATE OF user_id ON accounts
WHEN old.user_id IS NOT NULL AND new.user_id IS NULL AND old.client_id IS NOT NULL BEGIN
  INSERT INTO spent_client_ids (user_id, noun, client_id, row_id) VALUES (old.user_id, 'account', old.client_id, old.id)
  ON CONFLICT DO NOTHING;
END;

CREATE TRIGGER category_client_id_spent AFTER UPDATE OF user_id ON categories
WHEN old.user_id IS NOT NULL AND new.user_id IS NULL AND old.client_id IS NOT NULL BEGIN
  INSERT INTO spent_client_ids (user_id, noun, client_id, row_id) VALUES (old.user_id, 'category', old.client_id, old.id)
  ON CONFLICT DO NOTHING;
END;

CREATE TRIGGER rule_client_id_spent AFTER DELETE ON recurring_rules
WHEN old.client_id IS NOT NULL AND EXISTS (SELECT 1 FROM users WHERE id = old.user_id) BEGIN
  INSERT INTO spent_client_ids (user_id, noun, client_id, row_id) VALUES (old.user_id, 'recurring', old.client_id, old.id)
  ON CONFLICT DO NOTHING;
END;

CREATE TRIGGER balance_check_client_id_spent AFTER DELETE ON balance_checks
WHEN old.client_id IS NOT NULL AND EXISTS (SELECT 1 FROM users WHERE id = old.user_id) BEGIN
  INSERT INTO spent_client_ids (user_id, noun, client_id, row_id) VALUES (old.user_id, 'balance_check', old.client_id, old.id)
  ON CONFLICT DO NOTHING;
END;

CREATE TRIGGER transaction_id_spent AFTER DELETE ON transactions
WHEN NOT EXISTS (SELECT 1 FROM transactions WHERE id > old.id) BEGIN
  INSERT INTO spent_ids (noun, highest) VALUES ('transactions', old.id)
  ON CONFLICT DO UPDATE SET highest = max(highest, excluded.highest);
END;

CREATE TRIGGER user_deleted AFTER DELETE ON users BEGIN
  INSERT INTO former_users (id) VALUES (old.id);
END;
