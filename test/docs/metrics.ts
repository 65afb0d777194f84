// The generated page of the metrics: every series with its labels, and every value that a label can
// have, read off the table of series and the tables of commands.

import { failPointRow } from '../../src/commands/document/server/fail-point.js'
import { keyValueRows } from '../../src/commands/keyvalue/rows.js'
import { documentRows } from '../../src/commands/rows.js'
import { metricSeries } from '../../src/listeners/http/operations/metrics-series.js'

/** Names of the label `command`: the tables of commands, and `other`. */
export function commandNames(): readonly string[] {
  const documents = [...documentRows, failPointRow].map(({ name }) => name)
  const keyValue = keyValueRows.map(({ name }) => `redis:${name}`)
  return [...documents.sort(), ...keyValue.sort(), 'other']
}

export function metricsTable(): string {
  const lines = metricSeries.map(({ name, type, labels, help }) => {
    const names = Object.keys(labels).map((label) => `\`${label}\``)
    return `| \`${name}\` | ${type} | ${names.join(', ')} | ${help} |`
  })
  const lists = metricSeries.flatMap(({ name, labels }) =>
    Object.entries(labels).map(([label, values]) => {
      const all = values === 'commands' ? commandNames() : values
      return `- \`${name}{${label}}\`: ${all.map((value) => `\`${value}\``).join(', ')}`
    }),
  )
  const head = ['| Series | Type | Labels | |', '|---|---|---|---|']
  return [...head, ...lines, '', '## Values of the labels', '', ...lists, ''].join('\n')
}
