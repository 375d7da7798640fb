import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { projectDirectory } from '../dev/project.ts'

/** Writes text into a document of the project, between the two marks of that name. Throws if there are none. */
export function writeSection(document: string, name: string, text: string): void {
  const file = path.join(projectDirectory, document)
  const section = new RegExp(`(?<=<!-- ${name} -->\\n)[\\s\\S]*?(?=<!-- /${name} -->)`)
  const before = readFileSync(file, 'utf8')
  if (!section.test(before)) throw new Error(`${document} has no marks for ${name}`)
  writeFileSync(
    file,
    before.replace(section, () => `\n${text}\n\n`),
  )
}
