/** The introduction of the OpenAPI document, in Markdown. */
export const introduction = `Accounts, income, expenses, transfers and imports of one person, and what they add up to.

**First steps.** Call *Register*, and send its \`access_token\` as \`Authorization: Bearer <token>\`. The reference page keeps the token of the last registration or sign-in, and sends it with every call; another can be pasted into its *Token* field. The ids in the examples are those of a first user: use your own.

**Money** is text with at most two decimals (\`"12.50"\`) in both directions, so that no client rounds it; balances and totals are numbers. **Dates** are \`YYYY-MM-DD\`, timestamps UTC.

**Other spellings** of a request are accepted as well; this document shows one of each, since typed languages have no type for several. Amounts may be JSON numbers, ids and page numbers numeric strings, flags \`0\`, \`1\`, \`"0"\` or \`"1"\`, and an empty string stands for null. Options of an import may be form fields. Instead of a file, an import also takes JSON: \`{"transactions": [...]}\`, with items like those of a batch and the options beside them, where \`account_id\` applies to items that have none.

**Errors** carry \`{message}\`; a 422 names the wrong fields under \`errors\`. Unknown fields and parameters are ignored. Every response has an \`X-Request-Id\`, by which we find it in our log.

**Trying again.** Reads, PUT and DELETE can be repeated as they are. So can a POST that creates something, if it carries an \`Idempotency-Key\` or, for transactions and batch items, a \`client_id\`. After a 429 or 503, wait for \`Retry-After\` seconds.

**Other people's rows** are a 403, absent ones a 404; an id in a body that is not yours is a 422 under its field.`
