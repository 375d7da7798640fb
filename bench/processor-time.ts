import { globSync, readFileSync } from 'node:fs'

/** Only Linux has /proc; elsewhere no processor time is measured. */
export const measuresProcessorTime = process.platform === 'linux'

/** Linux counts in ticks of this length on every platform that workerd runs on (USER_HZ). */
const tickMs = 10

/** The ids of this machine's processes by name, narrowed by a part of their command line or by their parent. */
export function processIds(name: string, { argument = '', parent = 0 }): number[] {
  return globSync('/proc/[0-9]*')
    .map((directory) => Number(directory.slice('/proc/'.length)))
    .filter((id) => {
      try {
        const { comm, fields } = statOf(id)
        const isChild = parent === 0 || Number(fields[1]) === parent
        return comm === name && isChild && readFileSync(`/proc/${id}/cmdline`, 'utf8').includes(argument)
      } catch {
        return false // The process has ended in the meantime.
      }
    })
}

/** The processor time that processes have used so far, threads that have ended included, in milliseconds. */
export function processorMs(ids: number[]): number {
  const ticks = ids.map((id) => {
    const { fields } = statOf(id)
    return Number(fields[11]) + Number(fields[12])
  })
  return ticks.reduce((sum, one) => sum + one, 0) * tickMs
}

/** The name of a process and the fields after it, from the third on (proc_pid_stat(5)). */
function statOf(id: number): { comm: string; fields: string[] } {
  const text = readFileSync(`/proc/${id}/stat`, 'utf8')
  const end = text.lastIndexOf(')')
  return { comm: text.slice(text.indexOf('(') + 1, end), fields: text.slice(end + 2).split(' ') }
}
