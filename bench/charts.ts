import * as echarts from 'echarts'
import { extremes, goals, isList, mainCases, type Results, rowsAt } from './results.ts'

// White, so that they can be read on a dark page as well.
const frame = {
  backgroundColor: '#fff',
  animation: false,
  textStyle: { fontFamily: 'system-ui, sans-serif' },
}
const [width, height] = [860, 560]

/** Database work of the main endpoints against history, both axes logarithmic. */
export function rowsChart(results: Results): string {
  const histories = results.scenarios.filter(({ history }) => history.othersTransactions === 0)
  const { large } = extremes(results)
  const names = large.cases
    .filter((one) => isList(one) || mainCases.includes(one.name))
    .map(({ name }) => name)
  return render({
    ...frame,
    title: {
      text: 'Database work against history',
      subtext: 'rows read and written by one call; dashed: lists with a filter, and the last page',
      left: 16,
    },
    grid: { left: 90, right: 300, top: 80, bottom: 60 },
    xAxis: {
      type: 'log',
      min: histories[0]?.history.ownTransactions,
      name: 'transactions',
      nameLocation: 'middle',
      nameGap: 30,
      axisLabel: { formatter: thousands },
    },
    yAxis: { type: 'log', min: 1, axisLabel: { formatter: thousands } },
    series: names.map((name) => {
      const isFilter = name.includes('?')
      return {
        name,
        type: 'line',
        symbolSize: 6,
        lineStyle: { width: 2, type: isFilter ? 'dashed' : 'solid' },
        endLabel: { show: true, formatter: '{a}', fontSize: 11 },
        labelLayout: { moveOverlap: 'shiftY' },
        data: histories.map(({ history, cases }) => [history.ownTransactions, rowsAt(cases, name) ?? null]),
      }
    }),
  })
}

const comparesPassword = (name: string) => name === 'DELETE /api/me' || name.endsWith('/me/password')

/** How much longer than a bare `select 1` each endpoint takes when the database is far away. */
export function latencyChart(results: Results): string {
  const { large } = extremes(results)
  const cases = large.cases
    .filter((one) => one.needsToken && !isList(one) && !comparesPassword(one.name))
    .sort((a, b) => b.far.ratio - a.far.ratio)
  return bars({
    title: `Latency with ${results.latencyMs} ms to the database, beside a bare select 1`,
    subtext: `${large.history.name}; ratio of medians, the goal is at most ${goals.farRatio}; without the calls that hash a password`,
    names: cases.map(({ name }) => name),
    values: cases.map(({ far }) => Number(far.ratio.toFixed(2))),
    goal: goals.farRatio,
  })
}

/** Rows per second, by the way in which they arrive. */
export function landingChart(results: Results): string {
  const { large } = extremes(results)
  const landing = [...large.landing].reverse()
  return bars({
    title: 'How quickly rows land',
    subtext: `rows per second, ${large.history.name}; the goal is ${goals.rowsPerSecond.toLocaleString('en')}`,
    names: landing.map(({ way }) => way),
    values: landing.map(({ rowsPerSecond }) => Math.round(rowsPerSecond)),
    goal: goals.rowsPerSecond,
  })
}

type Bars = { title: string; subtext: string; names: string[]; values: number[]; goal: number }

function bars({ title, subtext, names, values, goal }: Bars): string {
  const option = {
    ...frame,
    title: { text: title, subtext, left: 16 },
    grid: { left: 330, right: 60, top: 70, bottom: 30 },
    xAxis: { type: 'value', max: ({ max }: { max: number }) => Math.max(max, goal * 1.1) },
    yAxis: {
      type: 'category',
      data: names,
      axisLabel: { interval: 0, fontSize: 11 },
      axisTick: { show: false },
    },
    series: [
      {
        type: 'bar',
        data: values,
        itemStyle: { color: '#0f6b4f' },
        label: { show: true, position: 'right', fontSize: 11 },
        markLine: {
          symbol: 'none',
          label: { show: false },
          lineStyle: { color: '#b3261e', width: 1.5 },
          data: [{ xAxis: goal }],
        },
      },
    ],
  }
  return render(option, 120 + names.length * 17)
}

function render(option: echarts.EChartsCoreOption, ownHeight = height): string {
  const chart = echarts.init(null, null, { renderer: 'svg', ssr: true, width, height: ownHeight })
  chart.setOption(option)
  const svg = chart.renderToSVGString()
  chart.dispose()
  return svg
}

function thousands(value: number): string {
  return value.toLocaleString('en')
}
