import {
  BarController,
  BarElement,
  Chart as Canvas,
  CategoryScale,
  Legend,
  LinearScale,
  LineController,
  LineElement,
  PointElement,
  Tooltip,
} from 'chart.js'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { money } from '../amounts.ts'
import { dotted, monthName, shortMonth, shortMonthOfYear } from '../format.ts'
import { observable, useFollowed } from '../store.ts'
import { Table } from './table.tsx'

Canvas.register(BarController, BarElement, CategoryScale, Legend, LinearScale)
Canvas.register(LineController, LineElement, PointElement, Tooltip)

const scheme = matchMedia('(prefers-color-scheme: dark), (forced-colors: active)')
const schemeChanges = observable(0)
scheme.addEventListener('change', () => schemeChanges.set(schemeChanges.get() + 1))

/** Figures by month; `colour` is a property of style.css. */
type Series = { label: string; colour: '--brand' | '--spent'; figures: number[] }
export type ChartProps = {
  label: string
  type: 'bar' | 'line'
  months: string[]
  series: Series[]
  /** Where the table leads from a month; with it, the table has a total. */
  hrefOf?: (month: string) => string
}

/** Figures by month: as a chart, and as a table. */
export function Chart(props: ChartProps) {
  const { label, months, series, hrefOf } = props
  const rows = months.map((month, at) => [
    monthName(month),
    ...series.map(({ figures }) => money(figures[at] ?? 0)),
  ])
  const [pointed, setPointed] = useState<number>()
  const at = pointed ?? months.length - 1
  const figures = series.map(({ label, figures }) => `${label} ${money(figures[at] ?? 0)}`)
  return (
    <figure>
      {/* What is pointed at is written above the chart, where it covers nothing. */}
      <figcaption aria-hidden="true">{dotted(shortMonthOfYear(months[at] ?? ''), ...figures)}</figcaption>
      <div class="chart">
        <Drawing {...props} onPoint={setPointed} />
      </div>
      <details>
        <summary>
          As a table<span class="hidden">: {label}</span>
        </summary>
        <Table
          head={['Month', ...series.map((one) => one.label)]}
          rows={rows.map((cells, at) => (hrefOf ? { href: hrefOf(months[at] ?? ''), cells } : cells))}
          total={hrefOf && ['In all', ...series.map(({ figures }) => money(totalOf(figures)))]}
          isFigures
        />
      </details>
    </figure>
  )
}

function Drawing({ label, type, months, series, onPoint }: ChartProps & { onPoint: (at?: number) => void }) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const drawnFor = useFollowed(schemeChanges).get()
  useLayoutEffect(() => {
    const element = canvas.current
    if (!element) return
    const colourOf = (name: string) => {
      element.style.color = `var(${name})`
      return getComputedStyle(element).color
    }
    const shape = type === 'bar' ? { borderRadius: 4, maxBarThickness: 28 } : { tension: 0.25 }
    Canvas.defaults.color = colourOf('--muted')
    Canvas.defaults.borderColor = colourOf('--line')
    Canvas.defaults.font.family = 'system-ui'
    Canvas.defaults.font.size = 0.75 * Number.parseFloat(getComputedStyle(document.documentElement).fontSize)
    const chart = new Canvas(element, {
      type,
      data: {
        labels: months.map(months.length > 12 ? shortMonthOfYear : shortMonth),
        datasets: series.map(({ label, colour: name, figures: data }) => {
          const colour = colourOf(name)
          return { label, data, backgroundColor: colour, borderColor: colour, ...shape }
        }),
      },
      options: {
        animation: false,
        maintainAspectRatio: false,
        interaction: { mode: 'index', intersect: false },
        scales: {
          x: { grid: { display: false }, ticks: { maxRotation: 0 } },
          y: {
            border: { display: false },
            ticks: { maxTicksLimit: 5, callback: (value, _, ticks) => short(Number(value), ticks) },
          },
        },
        plugins: {
          legend: { display: series.length > 1, labels: { boxWidth: 12 } },
          tooltip: {
            enabled: false,
            external: ({ tooltip: { opacity, dataPoints } }) =>
              onPoint(opacity > 0 ? dataPoints?.[0]?.dataIndex : undefined),
          },
        },
      },
    })
    return () => chart.destroy()
  }, [drawnFor, type, JSON.stringify([months, series])])
  return <canvas ref={canvas} role="img" aria-label={`${label}, as in the table below`} />
}

const totalOf = (figures: number[]): number =>
  figures.reduce((cents, figure) => cents + Math.round(100 * figure), 0) / 100

/** A figure beside the axis, with as many digits as tell it from the next one. */
function short(figure: number, ticks: { value: number }[]): string {
  const step = Math.abs((ticks[1]?.value ?? 0) - (ticks[0]?.value ?? 0)) || 1
  const most = Math.max(...ticks.map(({ value }) => Math.abs(value)), step)
  const maximumSignificantDigits = Math.min(Math.max(2, Math.ceil(Math.log10(most / step)) + 1), 15)
  return new Intl.NumberFormat(undefined, { notation: 'compact', maximumSignificantDigits }).format(figure)
}
