import { readFile } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { send } from '../web/serve.ts'

const files: Record<string, { path: string; type: string }> = {
  '/': { path: './page/index.html', type: 'text/html; charset=utf-8' },
  '/inbox.css': { path: './page/inbox.css', type: 'text/css; charset=utf-8' },
  '/theme.css': { path: '../web/theme.css', type: 'text/css; charset=utf-8' },
  '/main.js': { path: './page/main.js', type: 'text/javascript; charset=utf-8' },
  '/list.js': { path: './page/list.js', type: 'text/javascript; charset=utf-8' },
  '/reader.js': { path: './page/reader.js', type: 'text/javascript; charset=utf-8' },
}

/**
 * The frame that shows an email inherits this policy, so it allows the email's styles and pictures, but no script other
 * than the page's own, no form, no further frame and no connection elsewhere.
 */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: https:",
  "connect-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** Sends the page or one of its parts; false if the path is neither. */
export async function sendStatic(response: ServerResponse, pathname: string): Promise<boolean> {
  const file = files[pathname]
  if (!file) return false
  const content = await readFile(new URL(file.path, import.meta.url))
  response.setHeader('content-security-policy', policy)
  response.setHeader('referrer-policy', 'no-referrer')
  send(response, 200, file.type, content)
  return true
}
