import { defineConfig } from 'drizzle-kit'

export default defineConfig({
  dialect: 'turso',
  schema: './src/database/schema.ts',
  out: './migrations',
  dbCredentials: {
    url: process.env.TURSO_DATABASE_URL ?? 'http://127.0.0.1:8080',
    ...(process.env.TURSO_AUTH_TOKEN && { authToken: process.env.TURSO_AUTH_TOKEN }),
  },
})
