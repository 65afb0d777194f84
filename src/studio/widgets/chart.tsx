// A chart of the last hour: lines over time, told apart by dashes as well as by colours, and said
// in words for those who do not see it.

import { axisEnd, pathOf } from '../lib/history.js'
import './chart.css'

interface ChartProps {
  readonly title: string
  readonly unit: string
  readonly at: readonly number[]
  readonly lines: readonly { readonly name: string; readonly values: readonly (number | null)[] }[]
}

const field = { width: 360, height: 96 }
const number = new Intl.NumberFormat('en-US', { maximumSignificantDigits: 3 })

export function Chart({ title, unit, at, lines }: ChartProps) {
  const end = axisEnd(lines.map(({ values }) => values))
  const latest = lines.map(({ name, values }) => `${name} ${shown(values.at(-1), unit)}`)
  return (
    <figure class="chart">
      <figcaption>{title}</figcaption>
      <svg
        viewBox={`0 0 ${field.width} ${field.height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${title} over the last hour; now: ${latest.join(', ')}`}
      >
        <path class="grid" d={`M0 1H${field.width}M0 ${field.height / 2}H${field.width}`} />
        {lines.map(({ name, values }, index) => (
          <path key={name} class={`line-${index}`} d={pathOf(at, values, { ...field, end })} />
        ))}
      </svg>
      <p class="faint">
        <span>an hour ago</span>
        <span>full height: {shown(end, unit)}</span>
        <span>now</span>
      </p>
      <ul>
        {lines.map(({ name, values }, index) => (
          <li key={name}>
            <svg viewBox="0 0 24 8" aria-hidden="true">
              <path class={`line-${index}`} d="M0 4H24" />
            </svg>
            {name} <strong>{shown(values.at(-1), unit)}</strong>
          </li>
        ))}
      </ul>
    </figure>
  )
}

function shown(value: number | null | undefined, unit: string): string {
  return value === null || value === undefined ? 'none' : `${number.format(value)} ${unit}`
}
