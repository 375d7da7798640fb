import type { UserConsoleLog } from 'vitest'
import type { Plugin } from 'vitest/config'
import type { Reporter, Vitest } from 'vitest/node'
import { secretsIn } from './log-secrets.ts'

/**
 * Scans all that tests write to the log, and what workerd itself writes. The Worker's lines are scanned where they are
 * written, whether a test mutes them (test/worker/fixtures/muted-log.ts) or not (test/worker/fixtures/kept-log.ts), and those of a local
 * stack after each test (test/node/fixtures/stack.ts). A run in which anything gives a secret away ends with the exit code 1,
 * whatever reporters the command line names.
 */
export function logScan(): Plugin {
  return {
    name: 'log-scan',
    configureVitest({ vitest }) {
      const { reporters } = vitest.config
      // Every project has the plugin, and all of them report to one.
      if (!reporters.some((reporter) => reporter instanceof LogScanner)) reporters.push(new LogScanner())
    },
  }
}

const shownLength = 300
const shownFindings = 20

class LogScanner implements Reporter {
  #vitest: Vitest | undefined
  #lines = 0
  #findings: string[] = []
  #writeToStderr = process.stderr.write

  onInit(vitest: Vitest): void {
    this.#vitest = vitest
    const write = process.stderr.write.bind(process.stderr)
    this.#writeToStderr = process.stderr.write
    process.stderr.write = ((chunk: Uint8Array | string, ...rest: []) => {
      // Vitest itself shows the output of failed tests.
      if (!hasFailed(vitest)) this.#scan(String(chunk), 'the runtime')
      return write(chunk, ...rest)
    }) as typeof process.stderr.write
  }

  onUserConsoleLog({ content, taskId }: UserConsoleLog): void {
    const task = taskId ? this.#vitest?.state.idMap.get(taskId) : undefined
    this.#scan(content, task ? `${task.file.name} > ${task.name}` : 'no test')
  }

  onTestRunEnd(): void {
    process.stderr.write = this.#writeToStderr
    const outcome = this.#findings.length === 0 ? 'no secret' : `${this.#findings.length} with secrets:`
    console.log(`Log scan: ${this.#lines} lines beside those that stay in workerd, ${outcome}`)
    for (const finding of this.#findings.slice(0, shownFindings)) console.log(`  ${finding}`)
    if (this.#findings.length > 0) process.exitCode = 1
  }

  #scan(text: string, where: string): void {
    for (const line of text.split('\n').filter(Boolean)) {
      this.#lines += 1
      const found = secretsIn(line)
      if (found.length > 0)
        this.#findings.push(`${where}: ${found.join(', ')}: ${line.slice(0, shownLength)}`)
    }
  }
}

function hasFailed(vitest: Vitest): boolean {
  return vitest.state.getCountOfFailedTests() > 0
}
