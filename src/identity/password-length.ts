/** Bounds of a new password, in code points. A longer one is never normalised (`verifyPassword` in passwords.ts). */
export const shortestPassword = 8
export const longestPassword = 1024
