import { BarController, BarElement, CategoryScale, Chart, Legend, LinearScale, Tooltip } from 'chart.js'
import { useLayoutEffect, useRef } from 'preact/hooks'
import type { Ledger } from 'purse-client'
import { money, monthAfter, monthName } from '../format.ts'

Chart.register(BarController, BarElement, CategoryScale, Legend, LinearScale, Tooltip)

const monthsShown = 6

/** Income and expenses of the months that end with one, as a chart, and as a table for who cannot see it. */
export function MonthsChart({ ledger, last }: { ledger: Ledger; last: string }) {
  const months = Array.from({ length: monthsShown }, (_, index) => monthAfter(last, index + 1 - monthsShown))
  const rows = months.map((month) => ({ month, ...ledger.summary({ month }).monthly_summary }))
  return (
    <figure>
      <Bars rows={rows} />
      <details>
        <summary>The same as a table</summary>
        <table>
          <thead>
            <tr>
              {['Month', 'In', 'Out', 'Left'].map((name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ month, income, expense, net }) => (
              <tr key={month}>
                <th scope="row">{monthName(month)}</th>
                {[income, expense, net].map((figure, index) => (
                  <td key={index} class="amount">
                    {money(figure)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </figure>
  )
}

type Row = { month: string; income: number; expense: number }

function Bars({ rows }: { rows: Row[] }) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const drawn = JSON.stringify(rows)
  useLayoutEffect(() => {
    if (!canvas.current) return
    const style = getComputedStyle(canvas.current)
    const color = (name: string) => style.getPropertyValue(name)
    const bars = (label: string, figure: 'income' | 'expense', name: string) => ({
      ...{ label, data: rows.map((row) => row[figure]), backgroundColor: color(name), borderRadius: 4 },
    })
    const chart = new Chart(canvas.current, {
      type: 'bar',
      data: {
        labels: rows.map(({ month }) => monthName(month).slice(0, 3)),
        datasets: [bars('In', 'income', '--income'), bars('Out', 'expense', '--expense')],
      },
      options: {
        animation: false,
        maintainAspectRatio: false,
        color: color('--quiet'),
        scales: {
          x: { grid: { display: false }, ticks: { color: color('--quiet') } },
          y: { grid: { color: color('--line') }, ticks: { color: color('--quiet'), maxTicksLimit: 5 } },
        },
        plugins: { legend: { position: 'bottom', labels: { boxWidth: 12, boxHeight: 12 } } },
      },
    })
    return () => chart.destroy()
  }, [drawn])
  return (
    <div class="chart">
      <canvas ref={canvas} role="img" aria-label="Income and expenses by month" />
    </div>
  )
}
