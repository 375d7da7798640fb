import { BarController, BarElement, CategoryScale, Chart, Legend, LinearScale, Tooltip } from 'chart.js'
import { useLayoutEffect, useRef } from 'preact/hooks'
import type { Ledger } from 'purse-client'
import { money, monthAfter, monthName, shortMonth } from '../format.ts'

Chart.register(BarController, BarElement, CategoryScale, Legend, LinearScale, Tooltip)

const monthsShown = 6
const columns = { income: 'In', expense: 'Out', net: 'Left' } as const
const figures = Object.keys(columns) as (keyof typeof columns)[]

/** Income and expenses of the months that end with one: as a chart, and as a table for who cannot see it. */
export function MonthsChart({ ledger, last }: { ledger: Ledger; last: string }) {
  const months = Array.from({ length: monthsShown }, (_, index) => monthAfter(last, index + 1 - monthsShown))
  const rows = months.map((month) => ({ month, ...ledger.summary({ month }).monthly_summary }))
  return (
    <figure>
      <Bars rows={rows} />
      <details>
        <summary>The same as a table</summary>
        <table>
          <tr>
            {['Month', ...Object.values(columns)].map((name) => (
              <th key={name} scope="col" children={name} />
            ))}
          </tr>
          {rows.map((row) => (
            <tr key={row.month}>
              <th scope="row">{monthName(row.month)}</th>
              {figures.map((figure) => (
                <td key={figure}>{money(row[figure])}</td>
              ))}
            </tr>
          ))}
        </table>
      </details>
    </figure>
  )
}

type Row = { month: string; income: number; expense: number }

function Bars({ rows }: { rows: Row[] }) {
  const canvas = useRef<HTMLCanvasElement>(null)
  useLayoutEffect(() => {
    if (!canvas.current) return
    const style = getComputedStyle(canvas.current)
    const bars = (figure: 'income' | 'expense', color: string) => ({
      ...{ label: columns[figure], data: rows.map((row) => row[figure]), borderRadius: 4 },
      backgroundColor: style.getPropertyValue(color),
    })
    Chart.defaults.color = style.getPropertyValue('--pico-muted-color')
    Chart.defaults.borderColor = style.getPropertyValue('--pico-muted-border-color')
    const chart = new Chart(canvas.current, {
      type: 'bar',
      data: {
        labels: rows.map(({ month }) => shortMonth(month)),
        datasets: [bars('income', '--pico-ins-color'), bars('expense', '--pico-del-color')],
      },
      options: { animation: false, maintainAspectRatio: false, scales: { x: { grid: { display: false } } } },
    })
    return () => chart.destroy()
  }, [JSON.stringify(rows)])
  return <canvas ref={canvas} role="img" aria-label="Income and expenses by month, as in the table below" />
}
