// Whether a case writes, by the facts of its row: a write program cannot pause, so its turns may be
// longer. A case counts as reading unless a row says otherwise.

import { keyValueRows } from '../../src/commands/keyvalue/rows.js'
import { documentRows } from '../../src/commands/rows.js'
import { routes } from '../../src/listeners/http/core/routes.js'
import { stages } from '../../src/query/stages/table.js'
import type { StallCase } from './cases.js'

export function writes(one: StallCase): boolean {
  switch (one.kind) {
    case 'document':
      return commandWrites(one.command as Command)
    case 'words':
      return wordsWrite(one.words)
    case 'lines':
      return one.lines.some(wordsWrite)
    case 'sql':
      return statementWrites(one.text)
    case 'http':
      return requestWrites(one)
    case 'clients':
      return false
    // They wait for a change, which is a part of the case.
    case 'watch':
    case 'events':
    case 'transaction':
    case 'bulk':
      return true
  }
}

type Command = Readonly<Record<string, unknown>>

const documentRow = new Map(documentRows.map((row) => [row.name, row]))

function commandWrites(command: Command): boolean {
  const row = documentRow.get(Object.keys(command)[0] as string)
  if (row === undefined) return false
  if (row.grain === 'task') return row.grows !== 'nothing'
  if (row.grain === 'point' || row.grain === 'sweep') return true
  const { pipeline } = command
  if (!Array.isArray(pipeline)) return false
  const last = Object.keys((pipeline.at(-1) as object | undefined) ?? {})[0] ?? ''
  return stages.get(last)?.place === 'last'
}

const keyValueRow = new Map(keyValueRows.map((row) => [row.name, row]))

function wordsWrite([name, subcommand]: readonly unknown[]): boolean {
  const row =
    keyValueRow.get(`${name}|${subcommand}`.toLowerCase()) ??
    keyValueRow.get(String(name).toLowerCase())
  return row?.flags.includes('write') === true
}

function statementWrites(text: unknown): boolean {
  return /^(?:INSERT|UPDATE|DELETE)\b/.test(String(text))
}

const writingRoutes = routes
  .filter(({ method, mutates }) => (method === 'POST' ? mutates === true : method !== 'GET'))
  .map(({ method, path }) => ({
    method,
    pattern: new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}$`),
  }))

function requestWrites({ method, path, json, lines }: StallCase & { kind: 'http' }): boolean {
  if (lines !== undefined) return true
  if (Array.isArray(json)) {
    return wordsWrite(json) || json.some((one) => Array.isArray(one) && wordsWrite(one))
  }
  // Rows of these say that they may write: what they carry tells whether it does.
  const [place] = path.split('?') as [string]
  const { query, command } = (json ?? {}) as Command
  if (place === '/api/v1/sql') return statementWrites(query)
  if (Array.isArray(command)) return wordsWrite(command)
  return writingRoutes.some((route) => route.method === method && route.pattern.test(place))
}
