-- Balances, counts and totals are kept here, in the transaction that changes the rows, whoever changes them.
-- `npm run db:check` recomputes everything from the rows; test/node/migrations.test.ts knows which triggers there must be.
--
-- Balances can be negative, so each row's net effect is applied in one UPDATE: undoing the old row and adding
-- the new one in two steps could pass a bound in between and refuse a change that is fine.

CREATE TRIGGER account_created AFTER INSERT ON accounts BEGIN
  UPDATE users SET balance = balance + new.starting_balance WHERE id = new.user_id;
END;
--> statement-breakpoint
CREATE TRIGGER account_starting_balance_changed AFTER UPDATE OF starting_balance ON accounts BEGIN
  UPDATE users SET balance = balance - old.starting_balance + new.starting_balance WHERE id = new.user_id;
END;
--> statement-breakpoint
-- What the account's transactions brought is taken back by their own trigger when the cascade deletes them.
CREATE TRIGGER account_deleted AFTER DELETE ON accounts BEGIN
  UPDATE users SET balance = balance - old.starting_balance WHERE id = old.user_id;
END;
--> statement-breakpoint
CREATE TRIGGER transaction_created AFTER INSERT ON transactions BEGIN
  UPDATE accounts
     SET moved = moved + CASE WHEN id = new.account_id AND new.type <> 'income' THEN -new.amount ELSE new.amount END
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
  SELECT new.user_id, substr(new.transaction_date, 1, 7), new.type, coalesce(new.category_id, 0), new.amount, 1
   WHERE new.type <> 'transfer'
  ON CONFLICT DO UPDATE SET total = total + excluded.total, transaction_count = transaction_count + 1;
END;
--> statement-breakpoint
CREATE TRIGGER transaction_deleted AFTER DELETE ON transactions BEGIN
  UPDATE accounts
     SET moved = moved - CASE WHEN id = old.account_id AND old.type <> 'income' THEN -old.amount ELSE old.amount END
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
  UPDATE category_totals SET total = total - old.amount, transaction_count = transaction_count - 1
   WHERE user_id = old.user_id AND month = substr(old.transaction_date, 1, 7)
     AND type = old.type AND category_id = coalesce(old.category_id, 0);
  DELETE FROM category_totals
   WHERE user_id = old.user_id AND month = substr(old.transaction_date, 1, 7)
     AND type = old.type AND category_id = coalesce(old.category_id, 0) AND transaction_count = 0;
END;
--> statement-breakpoint
CREATE TRIGGER transaction_changed
AFTER UPDATE OF type, amount, account_id, to_account_id, category_id, transaction_date ON transactions BEGIN
  UPDATE accounts
     SET moved = moved
       - CASE WHEN id = old.account_id AND old.type <> 'income' THEN -old.amount
              WHEN id IN (old.account_id, old.to_account_id) THEN old.amount ELSE 0 END
       + CASE WHEN id = new.account_id AND new.type <> 'income' THEN -new.amount
              WHEN id IN (new.account_id, new.to_account_id) THEN new.amount ELSE 0 END
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
  UPDATE category_totals SET total = total - old.amount, transaction_count = transaction_count - 1
   WHERE user_id = old.user_id AND month = substr(old.transaction_date, 1, 7)
     AND type = old.type AND category_id = coalesce(old.category_id, 0);
  INSERT INTO month_totals (user_id, month, income, expense, transaction_count)
  SELECT new.user_id, substr(new.transaction_date, 1, 7), iif(new.type = 'income', new.amount, 0), iif(new.type = 'expense', new.amount, 0), 1
   WHERE new.type <> 'transfer'
  ON CONFLICT DO UPDATE SET income = income + excluded.income, expense = expense + excluded.expense,
                            transaction_count = transaction_count + 1;
  INSERT INTO category_totals (user_id, month, type, category_id, total, transaction_count)
  SELECT new.user_id, substr(new.transaction_date, 1, 7), new.type, coalesce(new.category_id, 0), new.amount, 1
   WHERE new.type <> 'transfer'
  ON CONFLICT DO UPDATE SET total = total + excluded.total, transaction_count = transaction_count + 1;
  DELETE FROM month_totals
   WHERE user_id = old.user_id AND month = substr(old.transaction_date, 1, 7) AND transaction_count = 0;
  DELETE FROM category_totals
   WHERE user_id = old.user_id AND month = substr(old.transaction_date, 1, 7)
     AND type = old.type AND category_id = coalesce(old.category_id, 0) AND transaction_count = 0;
END;
