-- Deleting an account deletes its transactions one by one, and balances could pass a bound on the way although they
-- end within it. So the account's whole effect is taken back at once, before it goes, and a row whose account or user
-- is going leaves the balances alone. Where a user goes, nothing is left that could have a balance.

DROP TRIGGER account_deleted;
--> statement-breakpoint
CREATE TRIGGER account_deleted BEFORE DELETE ON accounts WHEN EXISTS (SELECT 1 FROM users WHERE id = old.user_id) BEGIN
  UPDATE users
     SET balance = balance - old.starting_balance - (
           SELECT coalesce(sum(CASE type WHEN 'income' THEN amount WHEN 'expense' THEN -amount ELSE 0 END), 0)
             FROM transactions WHERE account_id = old.id)
   WHERE id = old.user_id;
  UPDATE accounts SET moved = moved + partner.given_back
    FROM (SELECT partner_id, sum(amount) AS given_back
            FROM (SELECT to_account_id AS partner_id, -amount AS amount
                    FROM transactions WHERE account_id = old.id AND type = 'transfer'
                  UNION ALL
                  SELECT account_id, amount FROM transactions WHERE to_account_id = old.id)
           GROUP BY partner_id) partner
   WHERE accounts.id = partner.partner_id;
END;
--> statement-breakpoint
DROP TRIGGER transaction_deleted;
--> statement-breakpoint
CREATE TRIGGER transaction_deleted AFTER DELETE ON transactions BEGIN
  UPDATE accounts
     SET moved = moved - CASE WHEN id = old.account_id AND old.type <> 'income' THEN -old.amount ELSE old.amount END
   WHERE id IN (old.account_id, old.to_account_id)
     AND EXISTS (SELECT 1 FROM users WHERE id = old.user_id)
     AND (SELECT count(*) FROM accounts WHERE id IN (old.account_id, old.to_account_id))
         = 1 + (old.to_account_id IS NOT NULL);
  UPDATE users
     SET transaction_count = transaction_count - 1,
         balance = balance - iif(EXISTS (SELECT 1 FROM accounts WHERE id = old.account_id),
                                 CASE old.type WHEN 'income' THEN old.amount WHEN 'expense' THEN -old.amount ELSE 0 END, 0)
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
