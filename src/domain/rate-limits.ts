/** The bindings of wrangler.toml that count requests, and how many each allows in a minute (decisions.md, Limits). */
export const perMinute = {
  LOGIN_LIMIT: 10,
  CHECK_EMAIL_LIMIT: 30,
  GENERAL_LIMIT: 600,
  CLIENT_LIMIT: 6_000,
} as const
