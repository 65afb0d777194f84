// A chart of the last hour: lines over time, told apart by dashes as well as by colours, and their
// figures now, or at the time under the pointer.

import { useSignal } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import { axisEnd, hourMs, largestBySpan } from '../../lib/history.js'
import type { Look } from './drawing.js'
import { FiguresTable } from './figures-table.js'
import { Plot } from './plot.js'

interface HourChartProps {
  readonly title: string
  readonly unit: string
  readonly at: readonly number[]
  readonly lines: readonly { readonly name: string; readonly values: readonly (number | null)[] }[]
}

const height = 144
const tableSpanMs = 300_000
/** What the axis shows at least, soon after the start of the server. */
const axisSpanMs = 300_000
const number = new Intl.NumberFormat('en-US', { maximumSignificantDigits: 3 })
const short = new Intl.NumberFormat('en-US', { notation: 'compact', maximumSignificantDigits: 3 })
const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' })
const exactClock = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' })

export function HourChart({ title, unit, at, lines }: HourChartProps) {
  const pointed = useSignal<number | undefined>(undefined)
  const look = useMemo<Look>(
    () => ({
      kind: 'lines',
      height,
      timeText: (ms) => clock.format(ms),
      valueText: (value) => short.format(value),
      point: (index) => {
        pointed.value = index
      },
    }),
    [],
  )
  const columns = lines.map(({ values }) => values)
  const to = at.at(-1) ?? 0
  const from = Math.max(to - hourMs, Math.min(at[0] ?? to, to - axisSpanMs))
  const figures = useMemo(() => ({ at, columns, from, to, top: axisEnd(columns) }), [at])
  const latest = lines.map(({ name, values }) => `${name} ${shown(values.at(-1), unit)}`)
  const index = pointed.value ?? -1
  const time = at.at(index)
  return (
    <figure class="chart">
      <figcaption>
        {title}, {unit}
        <span class="faint">
          {pointed.value === undefined || time === undefined ? 'now' : exactClock.format(time)}
        </span>
      </figcaption>
      <Plot
        told={`${title} over the last hour; now: ${latest.join(', ')}`}
        figures={figures}
        look={look}
      />
      <ul>
        {lines.map(({ name, values }, line) => (
          <li key={name}>
            <svg viewBox="0 0 24 8" aria-hidden="true">
              <path class={`line-${line}`} d="M0 4H24" />
            </svg>
            {name} <strong>{shown(values.at(index), unit)}</strong>
          </li>
        ))}
      </ul>
      <FiguresTable
        title={title}
        columns={['Five minutes from', ...lines.map(({ name }) => `${name}, at most`)]}
        rows={() =>
          largestBySpan(at, columns, tableSpanMs).map(({ from, largest }) => [
            clock.format(from),
            ...largest.map((value) => shown(value, unit)),
          ])
        }
      />
    </figure>
  )
}

function shown(value: number | null | undefined, unit: string): string {
  return value === null || value === undefined ? 'none' : `${number.format(value)} ${unit}`
}
