// A recorded start of a client of the PostgreSQL protocol with a gateway whose clock and randomness
// are fixed: what was said, turn by turn.

import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Everything that one side said before the other said something. */
export interface Turn {
  readonly from: 'client' | 'server'
  readonly hex: string
}

interface SqlFixture {
  readonly name: string
  /** Program and version. */
  readonly client: string
  /** What its clock said. */
  readonly nowMs: number
  readonly frames: readonly Turn[]
}

/** Clients whose starts are kept. */
export const sqlStarts = [
  ...(['psql-start', 'node-postgres-start', 'node-postgres-listen'] as const),
  'postgres-js-start',
] as const

/** Build output mirrors the repository, one folder deeper. */
const folder = fileURLToPath(new URL('../../../protocol-fixtures/pgwire/', import.meta.url))

export function saveSqlFixture({ frames, ...head }: SqlFixture): string {
  const path = `${folder}${head.name}.json`
  const lines = frames.map((frame) => `    ${JSON.stringify(frame)}`).join(',\n')
  const fields = Object.entries(head).map(([key, value]) => `  "${key}": ${JSON.stringify(value)},`)
  writeFileSync(path, `{\n${fields.join('\n')}\n  "frames": [\n${lines}\n  ]\n}\n`)
  return path
}

export function readSqlFixture(name: string): SqlFixture {
  return JSON.parse(readFileSync(`${folder}${name}.json`, 'utf8')) as SqlFixture
}
