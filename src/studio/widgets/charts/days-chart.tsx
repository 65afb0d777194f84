// A chart of days: a bar for each day's count, and the count of the day under the pointer, or of
// today.

import { useSignal } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import { day, figure } from '../../lib/format.js'
import { axisEnd } from '../../lib/history.js'
import type { Look } from './drawing.js'
import { FiguresTable } from './figures-table.js'
import { Plot } from './plot.js'

interface DaysChartProps {
  readonly title: string
  /** Oldest first; the last is today. */
  readonly days: readonly { readonly date: string; readonly count: number }[]
}

const height = 144
const dayMs = 86_400_000

export function DaysChart({ title, days }: DaysChartProps) {
  const pointed = useSignal<number | undefined>(undefined)
  const look = useMemo<Look>(
    () => ({
      kind: 'bars',
      height,
      timeText: (ms) => day(ms).slice(5),
      valueText: (value) => (Number.isInteger(value) ? figure(value) : ''),
      point: (index) => {
        pointed.value = index
      },
    }),
    [],
  )
  const figures = useMemo(() => {
    const at = days.map(({ date }) => Date.parse(date))
    const counts = days.map(({ count }) => count)
    const [first = 0, last = first] = [at[0], at.at(-1)]
    const half = dayMs / 2
    return { at, columns: [counts], from: first - half, to: last + half, top: axisEnd([counts]) }
  }, [days])
  const [first, last] = [days[0], days.at(-1)]
  const most = days.reduce((max, { count }) => Math.max(max, count), 0)
  const span = `${title} from ${first?.date} to ${last?.date}`
  const shown = days[pointed.value ?? -1] ?? last
  return (
    <figure class="chart">
      <figcaption>
        {title} (UTC)
        <span class="faint">
          {shown?.date}: <strong>{figure(shown?.count ?? 0)}</strong>
        </span>
      </figcaption>
      <Plot
        told={`${span}; at most ${figure(most)}, today ${figure(last?.count ?? 0)}`}
        figures={figures}
        look={look}
      />
      <FiguresTable
        title={title}
        columns={['Day', 'Requests']}
        rows={() => days.map(({ date, count }) => [date, figure(count)])}
      />
    </figure>
  )
}
