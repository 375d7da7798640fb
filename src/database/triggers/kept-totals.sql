-- Figures kept beside the rows (accounts.moved, transaction_count and incoming_count, and `totals`), so that no request adds
-- up a history to show a balance, a month or the number of pages. They count row by row; code that writes many rows at once
-- calls `countRows` and `discountRows` (src/database/kept-totals.ts) instead.

-- A transaction counts as long as its user exists and its accounts have an owner. Deleting an account or undoing an import
-- first clears its owner, and deleting a user removes the user's row. The transactions leave all figures at that moment,
-- and these triggers ignore them when they are removed later. Deleting a category clears its owner as well, but its
-- transactions stay, and count as uncategorised.

-- A sum that is out of bounds is inserted into `totals`, whose CHECK refuses the whole write. At most 10,000 totals of a
-- month are added up, so that a user with half a million pairs of account and category cannot hold up everybody's writes.
-- An upload of operations may change hundreds of transactions. While it has rows in `upload_steps`, changing a
-- transaction does not add up its month; the upload does so once, at its end.

CREATE TRIGGER transaction_created AFTER INSERT ON transactions
WHEN NOT new.is_synced AND new.import_id IS NULL BEGIN
  UPDATE accounts
     SET moved = moved + iif(id = new.account_id AND new.type <> 'income', -new.amount, new.amount),
         transaction_count = transaction_count + (id = new.account_id),
         incoming_count = incoming_count + (id IS new.to_account_id)
   WHERE id IN (new.account_id, new.to_account_id);
  INSERT INTO totals (user_id, month, type, category_id, account_id, to_account_id, total, transaction_count)
  VALUES (new.user_id, substr(new.transaction_date, 1, 7), new.type, coalesce(new.category_id, 0), new.account_id,
          coalesce(new.to_account_id, 0), new.amount, 1)
  ON CONFLICT DO UPDATE SET total = total + excluded.total, transaction_count = transaction_count + 1;
  INSERT INTO totals (user_id, month, type, category_id, account_id, to_account_id, total, transaction_count)
  SELECT new.user_id, '', '', 0, 0, 0, past, 0
    FROM (SELECT sum(balance) AS past FROM accounts WHERE user_id = new.user_id
          UNION ALL
          SELECT total(total)
            FROM (SELECT total FROM totals
                   WHERE user_id = new.user_id AND month = substr(new.transaction_date, 1, 7) AND type = new.type
                   LIMIT 10000))
   WHERE new.type <> 'transfer' AND abs(past) > 9000000000000000;
END;

CREATE TRIGGER transaction_changed
AFTER UPDATE OF type, amount, account_id, to_account_id, category_id, transaction_date ON transactions
WHEN (old.type, old.amount, old.account_id, old.to_account_id, old.transaction_date,
      (SELECT id FROM categories WHERE id = old.category_id AND user_id IS NOT NULL))
     IS NOT (new.type, new.amount, new.account_id, new.to_account_id, new.transaction_date,
             (SELECT id FROM categories WHERE id = new.category_id AND user_id IS NOT NULL)) BEGIN
  UPDATE accounts
     SET moved = moved
       - CASE WHEN id = old.account_id AND old.type <> 'income' THEN -old.amount
              WHEN id IN (old.account_id, old.to_account_id) THEN old.amount ELSE 0 END
       + CASE WHEN id = new.account_id AND new.type <> 'income' THEN -new.amount
              WHEN id IN (new.account_id, new.to_account_id) THEN new.amount ELSE 0 END,
         transaction_count = transaction_count - (id = old.account_id) + (id = new.account_id),
         incoming_count = incoming_count - (id IS old.to_account_id) + (id IS new.to_account_id)
   WHERE id IN (old.account_id, old.to_account_id, new.account_id, new.to_account_id)
     AND (old.type, old.amount, old.account_id, old.to_account_id) IS NOT (new.type, new.amount, new.account_id, new.to_account_id);
  INSERT INTO totals (user_id, month, type, category_id, account_id, to_account_id, total, transaction_count)
  SELECT new.user_id, substr(day, 1, 7), type, category_id, account_id, to_account_id, sum(amount), sum(added)
    FROM (SELECT old.transaction_date AS day, old.type AS type,
                 coalesce((SELECT id FROM categories WHERE id = old.category_id AND user_id IS NOT NULL), 0) AS category_id,
                 old.account_id AS account_id, coalesce(old.to_account_id, 0) AS to_account_id, -old.amount AS amount, -1 AS added
          UNION ALL
          SELECT new.transaction_date, new.type,
                 coalesce((SELECT id FROM categories WHERE id = new.category_id AND user_id IS NOT NULL), 0),
                 new.account_id, coalesce(new.to_account_id, 0), new.amount, 1)
   WHERE true GROUP BY 2, 3, 4, 5, 6
  ON CONFLICT DO UPDATE SET total = total + excluded.total, transaction_count = transaction_count + excluded.transaction_count;
  DELETE FROM totals
   WHERE user_id = old.user_id AND month = substr(old.transaction_date, 1, 7) AND type = old.type
     AND category_id = coalesce((SELECT id FROM categories WHERE id = old.category_id AND user_id IS NOT NULL), 0)
     AND account_id = old.account_id AND to_account_id = coalesce(old.to_account_id, 0) AND transaction_count = 0;
  INSERT INTO totals (user_id, month, type, category_id, account_id, to_account_id, total, transaction_count)
  SELECT new.user_id, '', '', 0, 0, 0, past, 0
    FROM (SELECT sum(balance) AS past FROM accounts WHERE user_id = new.user_id
          UNION ALL
          SELECT total(total)
            FROM (SELECT total FROM totals
                   WHERE user_id = new.user_id AND month = substr(new.transaction_date, 1, 7) AND type = new.type
                     AND type <> 'transfer'
                   LIMIT iif(EXISTS (SELECT 1 FROM upload_steps), 0, 10000)))
   WHERE abs(past) > 9000000000000000;
END;

CREATE TRIGGER transaction_deleted AFTER DELETE ON transactions
WHEN EXISTS (SELECT 1 FROM users WHERE id = old.user_id)
 AND EXISTS (SELECT 1 FROM accounts WHERE id = old.account_id AND user_id IS NOT NULL)
 AND (old.to_account_id IS NULL OR EXISTS (SELECT 1 FROM accounts WHERE id = old.to_account_id AND user_id IS NOT NULL))
 AND (old.import_id IS NULL OR EXISTS (SELECT 1 FROM imports WHERE id = old.import_id AND user_id IS NOT NULL)) BEGIN
  UPDATE accounts
     SET moved = moved - iif(id = old.account_id AND old.type <> 'income', -old.amount, old.amount),
         transaction_count = transaction_count - (id = old.account_id),
         incoming_count = incoming_count - (id IS old.to_account_id)
   WHERE id IN (old.account_id, old.to_account_id);
  UPDATE totals SET total = total - old.amount, transaction_count = transaction_count - 1
   WHERE user_id = old.user_id AND month = substr(old.transaction_date, 1, 7) AND type = old.type
     AND category_id = coalesce((SELECT id FROM categories WHERE id = old.category_id AND user_id IS NOT NULL), 0)
     AND account_id = old.account_id AND to_account_id = coalesce(old.to_account_id, 0);
  DELETE FROM totals
   WHERE user_id = old.user_id AND month = substr(old.transaction_date, 1, 7) AND type = old.type
     AND category_id = coalesce((SELECT id FROM categories WHERE id = old.category_id AND user_id IS NOT NULL), 0)
     AND account_id = old.account_id AND to_account_id = coalesce(old.to_account_id, 0) AND transaction_count = 0;
  INSERT INTO totals (user_id, month, type, category_id, account_id, to_account_id, total, transaction_count)
  SELECT old.user_id, '', '', 0, 0, 0, past, 0
    FROM (SELECT sum(balance) AS past FROM accounts WHERE user_id = old.user_id)
   WHERE old.type <> 'transfer' AND abs(past) > 9000000000000000;
END;

CREATE TRIGGER account_created AFTER INSERT ON accounts BEGIN
  INSERT INTO totals (user_id, month, type, category_id, account_id, to_account_id, total, transaction_count)
  SELECT new.user_id, '', '', 0, 0, 0, past, 0 FROM (SELECT sum(balance) AS past FROM accounts WHERE user_id = new.user_id)
   WHERE abs(past) > 9000000000000000;
END;

CREATE TRIGGER account_starting_balance_changed AFTER UPDATE OF starting_balance ON accounts BEGIN
  INSERT INTO totals (user_id, month, type, category_id, account_id, to_account_id, total, transaction_count)
  SELECT new.user_id, '', '', 0, 0, 0, past, 0 FROM (SELECT sum(balance) AS past FROM accounts WHERE user_id = new.user_id)
   WHERE abs(past) > 9000000000000000;
END;

-- Transfers to and from a deleted account no longer count for the other accounts. They are added up in two parts, since
-- the amounts moved back and forth over the years can exceed 2^63.
CREATE TRIGGER account_deleted AFTER UPDATE OF user_id ON accounts WHEN old.user_id IS NOT NULL AND new.user_id IS NULL BEGIN
  UPDATE accounts
     SET moved = moved + partner.given_back,
         transaction_count = transaction_count - partner.outgoing,
         incoming_count = incoming_count - partner.incoming
    FROM (SELECT partner_id, sum(amount >> 20) * 1048576 + sum(amount & 1048575) AS given_back,
                 sum(outgoing) AS outgoing, sum(incoming) AS incoming
            FROM (SELECT account_id AS partner_id, total AS amount, transaction_count AS outgoing, 0 AS incoming
                    FROM totals INDEXED BY totals_to_account
                   WHERE user_id = old.user_id AND to_account_id = old.id AND to_account_id <> 0
                  UNION ALL
                  SELECT to_account_id, -total, 0, transaction_count
                    FROM totals INDEXED BY totals_account
                   WHERE user_id = old.user_id AND account_id = old.id AND type = 'transfer')
           GROUP BY partner_id) partner
   WHERE accounts.id = partner.partner_id;
  DELETE FROM totals WHERE user_id = old.user_id AND account_id = old.id;
  DELETE FROM totals WHERE user_id = old.user_id AND to_account_id = old.id AND to_account_id <> 0;
  INSERT INTO totals (user_id, month, type, category_id, account_id, to_account_id, total, transaction_count)
  SELECT old.user_id, '', '', 0, 0, 0, past, 0 FROM (SELECT sum(balance) AS past FROM accounts WHERE user_id = old.user_id)
   WHERE abs(past) > 9000000000000000;
END;

CREATE TRIGGER category_deleted AFTER UPDATE OF user_id ON categories WHEN old.user_id IS NOT NULL AND new.user_id IS NULL BEGIN
  INSERT INTO totals (user_id, month, type, category_id, account_id, to_account_id, total, transaction_count)
  SELECT user_id, month, type, 0, account_id, to_account_id, total, transaction_count
    FROM totals INDEXED BY totals_type
   WHERE user_id = old.user_id AND type IN ('income', 'expense', 'transfer') AND category_id = old.id
  ON CONFLICT DO UPDATE SET total = total + excluded.total, transaction_count = transaction_count + excluded.transaction_count;
  DELETE FROM totals
   WHERE (user_id, month, type, category_id, account_id, to_account_id) IN (
         SELECT user_id, month, type, category_id, account_id, to_account_id FROM totals INDEXED BY totals_type
          WHERE user_id = old.user_id AND type IN ('income', 'expense', 'transfer') AND category_id = old.id);
END;
