/** What a person reads first on the reference page, in Markdown. */
export const introduction = `Accounts, income, expenses, transfers and imports of one person, and what they add up to.

**First steps.** Call *Register*, copy \`access_token\`, press *Authorize* and paste it: from then on every call here carries it. Ids in the examples are those of a first user: put in your own.

**Money** goes in as a number or a text with at most two decimals; amounts come out as text (\`"12.50"\`), balances and totals as numbers. **Dates** are \`YYYY-MM-DD\`, timestamps UTC.

**Errors** carry \`{message}\`; a 422 names every wrong field at once under \`errors\`. Unknown fields and parameters are ignored. Every answer has an \`X-Request-Id\`, which finds it in our log.

**Trying again.** Reads, PUT and DELETE can be repeated as they are. A POST that creates something can where it carries what makes it unique: an \`Idempotency-Key\`, or \`client_id\` on transactions and batch items. After 429 and 503 wait for \`Retry-After\` seconds.

**Other people's rows** answer 403, absent ones 404; an id in a body that is not yours is a 422 under its field.`
