import { BarController, BarElement, CategoryScale, Chart, Legend, LinearScale, Tooltip } from 'chart.js'
import { useLayoutEffect, useRef } from 'preact/hooks'
import type { Ledger } from 'purse-client'
import { money, monthAfter, monthName, shortMonth } from '../format.ts'
import { observable, useFollowed } from '../store.ts'
import { Table } from './table.tsx'

Chart.register(BarController, BarElement, CategoryScale, Legend, LinearScale, Tooltip)

const monthsShown = 6

const scheme = matchMedia('(prefers-color-scheme: dark)')
const isDark = observable(scheme.matches)
scheme.addEventListener('change', () => isDark.set(scheme.matches))

/** Income and expenses of the months that end with one: as a chart, and as a table for those who cannot see it. */
export function MonthsChart({ ledger, last }: { ledger: Ledger; last: string }) {
  const months = Array.from({ length: monthsShown }, (_, index) => monthAfter(last, index + 1 - monthsShown))
  const rows = months.map((month) => ({ month, ...ledger.summary({ month }).monthly_summary }))
  const cells = rows.map((row) => [monthName(row.month), ...[row.income, row.expense, row.net].map(money)])
  return (
    <figure>
      <Bars rows={rows} />
      <details class="overflow-auto">
        <summary>As a table</summary>
        <Table head={['', 'In', 'Out', 'Left']} rows={cells} />
      </details>
    </figure>
  )
}

function Bars({ rows }: { rows: { month: string; income: number; expense: number }[] }) {
  const canvas = useRef<HTMLCanvasElement>(null)
  useLayoutEffect(() => {
    if (!canvas.current) return
    const style = getComputedStyle(canvas.current)
    const bars = (label: string, of: 'income' | 'expense', color: string) => ({
      ...{ label, data: rows.map((row) => row[of]), borderRadius: 4 },
      backgroundColor: style.getPropertyValue(color),
    })
    const datasets = [bars('In', 'income', '--pico-ins-color'), bars('Out', 'expense', '--pico-del-color')]
    Chart.defaults.color = style.getPropertyValue('--pico-muted-color')
    Chart.defaults.borderColor = style.getPropertyValue('--pico-muted-border-color')
    const chart = new Chart(canvas.current, {
      type: 'bar',
      data: { labels: rows.map(({ month }) => shortMonth(month)), datasets },
      options: { animation: false, maintainAspectRatio: false, scales: { x: { grid: { display: false } } } },
    })
    return () => chart.destroy()
  }, [useFollowed(isDark).get(), JSON.stringify(rows)])
  return <canvas ref={canvas} role="img" aria-label="Income and expenses by month, as in the table below" />
}
