CREATE TRIGGER account_created AFTER INSERT ON accounts BEGIN
  UPDATE users SET balance = balance + new.starting_balance WHERE id = new.user_id;
END;

CREATE TRIGGER account_deleted BEFORE DELETE ON accounts WHEN EXISTS (SELECT 1 FROM users WHERE id = old.user_id) BEGIN
  -- The sums are taken in two parts: what moved over the years, one way and the other, can be more than 2^63.
  UPDATE accounts
     SET moved = moved + partner.given_back, transaction_count = transaction_count - partner.transfers
    FROM (SELECT partner_id, sum(amount >> 20) * 1048576 + sum(amount & 1048575) AS given_back, count(*) AS transfers
            FROM (SELECT to_account_id AS partner_id, -amount AS amount
                    FROM transactions WHERE account_id = old.id AND type = 'transfer'
                  UNION ALL
                  SELECT account_id, amount FROM transactions WHERE to_account_id = old.id)
           GROUP BY partner_id) partner
   WHERE accounts.id = partner.partner_id;
  UPDATE users
     SET transaction_count = transaction_count - old.transaction_count,
         balance = (SELECT coalesce(sum(balance >> 20) * 1048576 + sum(balance & 1048575), 0)
                      FROM accounts WHERE user_id = old.user_id AND id <> old.id)
   WHERE id = old.user_id;
  INSERT INTO month_totals (user_id, month, income, expense, transaction_count)
  SELECT user_id, substr(transaction_date, 1, 7), -sum(iif(type = 'income', amount, 0)), -sum(iif(type = 'expense', amount, 0)), -count(*)
    FROM transactions WHERE account_id = old.id AND type <> 'transfer' GROUP BY 1, 2
  ON CONFLICT DO UPDATE SET income = income + excluded.income, expense = expense + excluded.expense,
                            transaction_count = transaction_count + excluded.transaction_count;
  DELETE FROM month_totals
   WHERE user_id = old.user_id AND transaction_count = 0
     AND month IN (SELECT substr(transaction_date, 1, 7) FROM transactions WHERE account_id = old.id);
  INSERT INTO category_totals (user_id, month, type, category_id, total, transaction_count)
  SELECT user_id, substr(transaction_date, 1, 7), type, coalesce(category_id, 0), -sum(iif(type = 'transfer', 0, amount)), -count(*)
    FROM transactions WHERE account_id = old.id OR to_account_id = old.id GROUP BY 1, 2, 3, 4
  ON CONFLICT DO UPDATE SET total = total + excluded.total,
                            transaction_count = transaction_count + excluded.transaction_count;
  DELETE FROM category_totals
   WHERE user_id = old.user_id AND transaction_count = 0
     AND month IN (SELECT substr(transaction_date, 1, 7) FROM transactions WHERE account_id = old.id OR to_account_id = old.id);
END;

CREATE TRIGGER account_starting_balance_changed AFTER UPDATE OF starting_balance ON accounts BEGIN
  UPDATE users SET balance = balance - old.starting_balance + new.starting_balance WHERE id = new.user_id;
END;

CREATE TRIGGER category_deleted BEFORE DELETE ON categories WHEN EXISTS (SELECT 1 FROM users WHERE id = old.user_id) BEGIN
  INSERT INTO category_totals (user_id, month, type, category_id, total, transaction_count)
  SELECT user_id, month, type, 0, total, transaction_count
    FROM category_totals
   WHERE user_id = old.user_id AND type IN ('income', 'expense', 'transfer') AND category_id = old.id
  ON CONFLICT DO UPDATE SET total = total + excluded.total,
                            transaction_count = transaction_count + excluded.transaction_count;
  DELETE FROM category_totals
   WHERE user_id = old.user_id AND type IN ('income', 'expense', 'transfer') AND category_id = old.id;
END;

CREATE TRIGGER transaction_changed
AFTER UPDATE OF type, amount, account_id, to_account_id, category_id, transaction_date ON transactions
WHEN old.category_id IS NULL OR EXISTS (SELECT 1 FROM categories WHERE id = old.category_id) BEGIN
  UPDATE accounts
     SET moved = moved
       - CASE WHEN id = old.account_id AND old.type <> 'income' THEN -old.amount
              WHEN id IN (old.account_id, old.to_account_id) THEN old.amount ELSE 0 END
       + CASE WHEN id = new.account_id AND new.type <> 'income' THEN -new.amount
              WHEN id IN (new.account_id, new.to_account_id) THEN new.amount ELSE 0 END,
         transaction_count = transaction_count
       - (id = old.account_id OR id IS old.to_account_id) + (id = new.account_id OR id IS new.to_account_id)
   WHERE id IN (old.account_id, old.to_account_id, new.account_id, new.to_account_id);
  UPDATE users
     SET balance = balance
       - CASE old.type WHEN 'income' THEN old.amount WHEN 'expense' THEN -old.amount ELSE 0 END
       + CASE new.type WHEN 'income' THEN new.amount WHEN 'expense' THEN -new.amount ELSE 0 END
   WHERE id = new.user_id;
  UPDATE month_totals
     SET income = income - iif(old.type = 'income', old.amount, 0), expense = expense - iif(old.type = 'expense', old.amount, 0),
         transaction_count = transaction_count - 1
   WHERE old.type <> 'transfer' AND user_id = old.user_id AND month = substr(old.transaction_date, 1, 7);
  UPDATE category_totals SET total = total - iif(old.type = 'transfer', 0, old.amount), transaction_count = transaction_count - 1
   WHERE user_id = old.user_id AND month = substr(old.transaction_date, 1, 7)
     AND type = old.type AND category_id = coalesce(old.category_id, 0);
  INSERT INTO month_totals (user_id, month, income, expense, transaction_count)
  SELECT new.user_id, substr(new.transaction_date, 1, 7), iif(new.type = 'income', new.amount, 0), iif(new.type = 'expense', new.amount, 0), 1
   WHERE new.type <> 'transfer'
  ON CONFLICT DO UPDATE SET income = income + excluded.income, expense = expense + excluded.expense,
                            transaction_count = transaction_count + 1;
  INSERT INTO category_totals (user_id, month, type, category_id, total, transaction_count)
  VALUES (new.user_id, substr(new.transaction_date, 1, 7), new.type, coalesce(new.category_id, 0), iif(new.type = 'transfer', 0, new.amount), 1)
  ON CONFLICT DO UPDATE SET total = total + excluded.total, transaction_count = transaction_count + 1;
  DELETE FROM month_totals
   WHERE user_id = old.user_id AND month = substr(old.transaction_date, 1, 7) AND transaction_count = 0;
  DELETE FROM category_totals
   WHERE user_id = old.user_id AND month = substr(old.transaction_date, 1, 7)
     AND type = old.type AND category_id = coalesce(old.category_id, 0) AND transaction_count = 0;
END;

CREATE TRIGGER transaction_client_id_spent AFTER DELETE ON transactions WHEN old.client_id IS NOT NULL BEGIN
  INSERT INTO spent_client_ids (user_id, client_id)
  SELECT old.user_id, old.client_id WHERE EXISTS (SELECT 1 FROM users WHERE id = old.user_id)
  ON CONFLICT DO NOTHING;
END;

CREATE TRIGGER transaction_created AFTER INSERT ON transactions BEGIN
  UPDATE accounts
     SET moved = moved + CASE WHEN id = new.account_id AND new.type <> 'income' THEN -new.amount ELSE new.amount END,
         transaction_count = transaction_count + 1
   WHERE id IN (new.account_id, new.to_account_id);
  UPDATE users
     SET transaction_count = transaction_count + 1,
         balance = balance + CASE new.type WHEN 'income' THEN new.amount WHEN 'expense' THEN -new.amount ELSE 0 END
   WHERE id = new.user_id;
  INSERT INTO month_totals (user_id, month, income, expense, transaction_count)
  SELECT new.user_id, substr(new.transaction_date, 1, 7), iif(new.type = 'income', new.amount, 0), iif(new.type = 'expense', new.amount, 0), 1
   WHERE new.type <> 'transfer'
  ON CONFLICT DO UPDATE SET income = income + excluded.income, expense = expense + excluded.expense,
                            transaction_count = transaction_count + 1;
  INSERT INTO category_totals (user_id, month, type, category_id, total, transaction_count)
  VALUES (new.user_id, substr(new.transaction_date, 1, 7), new.type, coalesce(new.category_id, 0), iif(new.type = 'transfer', 0, new.amount), 1)
  ON CONFLICT DO UPDATE SET total = total + excluded.total, transaction_count = transaction_count + 1;
END;

CREATE TRIGGER transaction_deleted AFTER DELETE ON transactions
WHEN EXISTS (SELECT 1 FROM users WHERE id = old.user_id)
 AND EXISTS (SELECT 1 FROM accounts WHERE id = old.account_id)
 AND (old.to_account_id IS NULL OR EXISTS (SELECT 1 FROM accounts WHERE id = old.to_account_id)) BEGIN
  UPDATE accounts
     SET moved = moved - CASE WHEN id = old.account_id AND old.type <> 'income' THEN -old.amount ELSE old.amount END,
         transaction_count = transaction_count - 1
   WHERE id IN (old.account_id, old.to_account_id);
  UPDATE users
     SET transaction_count = transaction_count - 1,
         balance = balance - CASE old.type WHEN 'income' THEN old.amount WHEN 'expense' THEN -old.amount ELSE 0 END
   WHERE id = old.user_id;
  UPDATE month_totals
     SET income = income - iif(old.type = 'income', old.amount, 0), expense = expense - iif(old.type = 'expense', old.amount, 0),
         transaction_count = transaction_count - 1
   WHERE old.type <> 'transfer' AND user_id = old.user_id AND month = substr(old.transaction_date, 1, 7);
  DELETE FROM month_totals
   WHERE user_id = old.user_id AND month = substr(old.transaction_date, 1, 7) AND transaction_count = 0;
  UPDATE category_totals SET total = total - iif(old.type = 'transfer', 0, old.amount), transaction_count = transaction_count - 1
   WHERE user_id = old.user_id AND month = substr(old.transaction_date, 1, 7)
     AND type = old.type AND category_id = coalesce(old.category_id, 0);
  DELETE FROM category_totals
   WHERE user_id = old.user_id AND month = substr(old.transaction_date, 1, 7)
     AND type = old.type AND category_id = coalesce(old.category_id, 0) AND transaction_count = 0;
END;
