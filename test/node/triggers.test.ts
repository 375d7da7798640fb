import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { projectDirectory } from './stack.ts'

test('triggers.sql shows the triggers as all migrations leave them (npx vitest -u writes it)', async () => {
  const db = new DatabaseSync(':memory:')
  const migrations = globSync('migrations/*.sql', { cwd: projectDirectory }).sort()
  for (const file of migrations) db.exec(readFileSync(join(projectDirectory, file), 'utf8'))
  const triggers = db.prepare("select sql from sqlite_master where type = 'trigger' order by name").all()
  const text = triggers.map(({ sql }) => `${sql};\n`).join('\n')
  await expect(text).toMatchFileSnapshot('./triggers.sql')
})
