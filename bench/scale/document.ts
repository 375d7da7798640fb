import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'

const file = path.join(import.meta.dirname, '../../docs/scale.md')

/** Writes text into docs/scale.md between the two marks of that name. */
export function writeSection(name: string, text: string): void {
  const section = new RegExp(`(?<=<!-- ${name} -->\\n)[\\s\\S]*?(?=<!-- /${name} -->)`)
  const before = readFileSync(file, 'utf8')
  if (!section.test(before)) throw new Error(`docs/scale.md has no marks for ${name}`)
  writeFileSync(
    file,
    before.replace(section, () => `\n${text}\n\n`),
  )
}
