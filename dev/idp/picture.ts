import { createHash } from 'node:crypto'
import { html } from 'hono/html'

/** A person's picture: their initials on a colour derived from the path. */
export function drawPicture(pathname: string, name: string): string {
  const hue = (createHash('sha256').update(pathname).digest()[0] ?? 0) * (360 / 256)
  const initials = name
    .split(/\s+/)
    .slice(0, 2)
    .map((word) => [...word][0] ?? '')
    .join('')
    .toUpperCase()
  return html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 96 96" width="96" height="96">
<rect width="96" height="96" fill="hsl(${hue.toFixed(0)} 45% 40%)"/>
<text x="48" y="60" text-anchor="middle" font-family="system-ui, sans-serif" font-size="36" fill="#fff">${initials}</text>
</svg>
`.toString()
}
