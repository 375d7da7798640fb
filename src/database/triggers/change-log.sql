-- The log of changes (src/database/change-numbers.ts). Each entry takes the user's next number. A change of an account, a
-- category, a recurring transaction or a balance check is logged when its `version` rises, so that no column is missing here;
-- a new column of the profile has to be added to its list. Transactions carry their number themselves (`seq`).

-- The entry of a deleted account also covers its transactions, on either side, its recurring transactions and its balance
-- checks, and that of a deleted category all references to it. Rows made for a user who has no token yet, such as the default
-- categories, are not logged: no client can have asked for changes by then.

CREATE TRIGGER account_creation_logged AFTER INSERT ON accounts
WHEN EXISTS (SELECT 1 FROM tokens WHERE user_id = new.user_id) BEGIN
  INSERT INTO changes (user_id, seq, noun, row_id, at)
  SELECT new.user_id, 1 + max(coalesce((SELECT max(seq) FROM transactions WHERE user_id = new.user_id), 0),
                              coalesce((SELECT max(seq) FROM changes WHERE user_id = new.user_id), 0)),
         'account', new.id, CAST(unixepoch('subsec') * 1000 AS INTEGER);
END;

CREATE TRIGGER account_change_logged AFTER UPDATE OF user_id, version ON accounts
WHEN old.user_id IS NOT NULL BEGIN
  INSERT INTO changes (user_id, seq, noun, row_id, at)
  SELECT old.user_id, 1 + max(coalesce((SELECT max(seq) FROM transactions WHERE user_id = old.user_id), 0),
                              coalesce((SELECT max(seq) FROM changes WHERE user_id = old.user_id), 0)),
         'account', old.id, CAST(unixepoch('subsec') * 1000 AS INTEGER);
END;

CREATE TRIGGER category_creation_logged AFTER INSERT ON categories
WHEN EXISTS (SELECT 1 FROM tokens WHERE user_id = new.user_id) BEGIN
  INSERT INTO changes (user_id, seq, noun, row_id, at)
  SELECT new.user_id, 1 + max(coalesce((SELECT max(seq) FROM transactions WHERE user_id = new.user_id), 0),
                              coalesce((SELECT max(seq) FROM changes WHERE user_id = new.user_id), 0)),
         'category', new.id, CAST(unixepoch('subsec') * 1000 AS INTEGER);
END;

CREATE TRIGGER category_change_logged AFTER UPDATE OF user_id, version ON categories
WHEN old.user_id IS NOT NULL BEGIN
  INSERT INTO changes (user_id, seq, noun, row_id, at)
  SELECT old.user_id, 1 + max(coalesce((SELECT max(seq) FROM transactions WHERE user_id = old.user_id), 0),
                              coalesce((SELECT max(seq) FROM changes WHERE user_id = old.user_id), 0)),
         'category', old.id, CAST(unixepoch('subsec') * 1000 AS INTEGER);
END;

-- A transaction that moves to another account is logged as changed. If the new account is deleted later, its entry alone
-- would leave the transaction in a copy that still has it on the old account.
CREATE TRIGGER transaction_move_logged AFTER UPDATE OF account_id, to_account_id ON transactions
WHEN (old.account_id, old.to_account_id) IS NOT (new.account_id, new.to_account_id) BEGIN
  INSERT INTO changes (user_id, seq, noun, row_id, at)
  VALUES (new.user_id, new.seq, 'transaction', new.id, CAST(unixepoch('subsec') * 1000 AS INTEGER));
END;

-- Before the deletion, so that the number is above that of the row, and so are those that other triggers log.
CREATE TRIGGER transaction_deletion_logged BEFORE DELETE ON transactions
WHEN EXISTS (SELECT 1 FROM users WHERE id = old.user_id)
 AND EXISTS (SELECT 1 FROM accounts WHERE id = old.account_id AND user_id IS NOT NULL)
 AND (old.to_account_id IS NULL OR EXISTS (SELECT 1 FROM accounts WHERE id = old.to_account_id AND user_id IS NOT NULL))
 AND (old.import_id IS NULL OR EXISTS (SELECT 1 FROM imports WHERE id = old.import_id AND user_id IS NOT NULL)) BEGIN
  INSERT INTO changes (user_id, seq, noun, row_id, at)
  SELECT old.user_id, 1 + max(coalesce((SELECT max(seq) FROM transactions WHERE user_id = old.user_id), 0),
                              coalesce((SELECT max(seq) FROM changes WHERE user_id = old.user_id), 0)),
         'transaction', old.id, CAST(unixepoch('subsec') * 1000 AS INTEGER);
END;

CREATE TRIGGER rule_creation_logged AFTER INSERT ON recurring_rules BEGIN
  INSERT INTO changes (user_id, seq, noun, row_id, at)
  SELECT new.user_id, 1 + max(coalesce((SELECT max(seq) FROM transactions WHERE user_id = new.user_id), 0),
                              coalesce((SELECT max(seq) FROM changes WHERE user_id = new.user_id), 0)),
         'recurring', new.id, CAST(unixepoch('subsec') * 1000 AS INTEGER);
END;

CREATE TRIGGER rule_change_logged AFTER UPDATE OF version ON recurring_rules BEGIN
  INSERT INTO changes (user_id, seq, noun, row_id, at)
  SELECT new.user_id, 1 + max(coalesce((SELECT max(seq) FROM transactions WHERE user_id = new.user_id), 0),
                              coalesce((SELECT max(seq) FROM changes WHERE user_id = new.user_id), 0)),
         'recurring', new.id, CAST(unixepoch('subsec') * 1000 AS INTEGER);
END;

CREATE TRIGGER rule_deletion_logged AFTER DELETE ON recurring_rules
WHEN EXISTS (SELECT 1 FROM users WHERE id = old.user_id)
 AND EXISTS (SELECT 1 FROM accounts WHERE id = old.account_id AND user_id IS NOT NULL)
 AND (old.to_account_id IS NULL OR EXISTS (SELECT 1 FROM accounts WHERE id = old.to_account_id AND user_id IS NOT NULL)) BEGIN
  INSERT INTO changes (user_id, seq, noun, row_id, at)
  SELECT old.user_id, 1 + max(coalesce((SELECT max(seq) FROM transactions WHERE user_id = old.user_id), 0),
                              coalesce((SELECT max(seq) FROM changes WHERE user_id = old.user_id), 0)),
         'recurring', old.id, CAST(unixepoch('subsec') * 1000 AS INTEGER);
END;

CREATE TRIGGER balance_check_creation_logged AFTER INSERT ON balance_checks BEGIN
  INSERT INTO changes (user_id, seq, noun, row_id, at)
  SELECT new.user_id, 1 + max(coalesce((SELECT max(seq) FROM transactions WHERE user_id = new.user_id), 0),
                              coalesce((SELECT max(seq) FROM changes WHERE user_id = new.user_id), 0)),
         'balance_check', new.id, CAST(unixepoch('subsec') * 1000 AS INTEGER);
END;

CREATE TRIGGER balance_check_change_logged AFTER UPDATE OF version ON balance_checks BEGIN
  INSERT INTO changes (user_id, seq, noun, row_id, at)
  SELECT new.user_id, 1 + max(coalesce((SELECT max(seq) FROM transactions WHERE user_id = new.user_id), 0),
                              coalesce((SELECT max(seq) FROM changes WHERE user_id = new.user_id), 0)),
         'balance_check', new.id, CAST(unixepoch('subsec') * 1000 AS INTEGER);
END;

CREATE TRIGGER balance_check_deletion_logged AFTER DELETE ON balance_checks
WHEN EXISTS (SELECT 1 FROM users WHERE id = old.user_id)
 AND EXISTS (SELECT 1 FROM accounts WHERE id = old.account_id AND user_id IS NOT NULL) BEGIN
  INSERT INTO changes (user_id, seq, noun, row_id, at)
  SELECT old.user_id, 1 + max(coalesce((SELECT max(seq) FROM transactions WHERE user_id = old.user_id), 0),
                              coalesce((SELECT max(seq) FROM changes WHERE user_id = old.user_id), 0)),
         'balance_check', old.id, CAST(unixepoch('subsec') * 1000 AS INTEGER);
END;

CREATE TRIGGER profile_change_logged AFTER UPDATE OF name, email, idp_id, avatar, email_verified_at, timezone, reminder_time, reminder_last_sent_at, due_reminders, currency ON users BEGIN
  INSERT INTO changes (user_id, seq, noun, row_id, at)
  SELECT new.id, 1 + max(coalesce((SELECT max(seq) FROM transactions WHERE user_id = new.id), 0),
                         coalesce((SELECT max(seq) FROM changes WHERE user_id = new.id), 0)),
         'profile', new.id, CAST(unixepoch('subsec') * 1000 AS INTEGER);
END;
