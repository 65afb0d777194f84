// The same SELECT on PostgreSQL and on Sigil: generated statements over generated tables, with and
// without indexes, give the same rows. What PostgreSQL has no word for, columns of mixed types, is
// held to an identity: the rows of p, of NOT p and of p IS NULL are all rows.

import { Double, Int32, Long } from 'bson'
import fc from 'fast-check'
import tap from 'tap'
import { systemClock } from '../../../../src/base/clock.js'
import { openMemoryStore } from '../../../../src/store/memory.js'
import { CommandRoom, type Reply } from '../../../support/command-room.js'
import {
  openPostgres,
  type PostgresReference,
  postgresMissing,
} from '../../../support/postgres-reference.js'
import { runs } from '../../../support/runs.js'
import { conditions, documents, parameters } from '../expression/arbitrary.js'
import { rowsOf } from './selecting.js'
import { selects, type TableRow, tableRows } from './statements.js'

const firstDay = Date.UTC(2024, 0, 1)
const dayMs = 86_400_000

const table = '(_id int, a int, b bigint, f float8, s text, k bool, d timestamptz)'

function literalsOf({ _id, a, b, f, s, k, d }: TableRow): string {
  const time = d === undefined ? undefined : new Date(firstDay + d * dayMs).toISOString()
  const quoted = (text: string | undefined) => (text === undefined ? 'NULL' : `'${text}'`)
  return `(${_id}, ${a ?? 'NULL'}, ${b ?? 'NULL'}, ${f ?? 'NULL'}, ${quoted(s)}, ${k ?? 'NULL'}, ${quoted(time)})`
}

/** NULL is a null or no field at all. */
function documentOf({ _id, a, b, f, s, k, d }: TableRow): Record<string, unknown> {
  const none = _id % 2 === 0 ? null : undefined
  return {
    ...{ _id: new Int32(_id), a: a === undefined ? none : new Int32(a) },
    ...{
      b: b === undefined ? none : Long.fromNumber(b),
      f: f === undefined ? none : new Double(f),
    },
    ...{ s: s ?? none, k: k ?? none, d: d === undefined ? none : new Date(firstDay + d * dayMs) },
  }
}

async function fill(
  reference: PostgresReference,
  room: CommandRoom,
  name: string,
  rows: readonly TableRow[],
): Promise<void> {
  await room.run({ delete: name, deletes: [{ q: {}, limit: 0 }] })
  const values = rows.map(literalsOf).join(', ')
  const insert = values === '' ? '' : `INSERT INTO ${name} VALUES ${values};`
  await reference.query(`DELETE FROM ${name}; ${insert}`)
  if (rows.length > 0) await room.insert(name, ...rows.map(documentOf))
}

const numberTypes = new Set([20, 21, 23, 700, 701, 1700])

/** A cell as both can be written: numbers by value, times in milliseconds. */
function wanted(cell: string | null, type: number): string {
  if (cell === null) return 'NULL'
  if (numberTypes.has(type)) return numeral(Number(cell))
  if (type === 16) return cell === 't' ? 'true' : 'false'
  return type === 1184 ? String(Date.parse(`${cell}:00`)) : `'${cell}'`
}

function found(value: unknown): string {
  if (value === null) return 'NULL'
  if (typeof value === 'number') return numeral(value)
  if (value instanceof Date) return String(value.getTime())
  if (typeof value === 'string') return `'${value}'`
  return typeof value === 'object' ? numeral(Number(String(value))) : String(value)
}

/** Averages of PostgreSQL have sixteen digits, ours are doubles. */
function numeral(n: number): string {
  return n === 0 ? '0' : n.toPrecision(12)
}

function linesOf(rows: readonly string[][], isOrdered: boolean): string[] {
  const lines = rows.map((row) => row.join(' | '))
  return isOrdered ? lines : lines.sort()
}

function room(): CommandRoom {
  return new CommandRoom(openMemoryStore(systemClock), systemClock)
}

tap.test('SELECT gives what PostgreSQL gives', { skip: postgresMissing }, async (t) => {
  const reference = await openPostgres(t)
  const ours = room()
  t.teardown(() => ours.engine.close())
  for (const name of ['t', 'u']) {
    await reference.query(`CREATE TABLE ${name} ${table}`)
    await ours.run({ create: name })
  }
  const indexes = ['a', 's'].map((name) => ({ key: { [name]: 1 }, name }))
  await ours.run({ createIndexes: 't', indexes })
  const batches = fc.array(selects, { minLength: 10, maxLength: 10 })
  await fc.assert(
    fc.asyncProperty(tableRows, tableRows, batches, async (t1, u1, statements) => {
      await fill(reference, ours, 't', t1)
      await fill(reference, ours, 'u', u1)
      for (const { text, isOrdered } of statements) {
        const { rows, types } = await reference.query(text)
        const theirs = rows.map((row) => row.map((cell, i) => wanted(cell, types[i] ?? 0)))
        const mine = (await rowsOf(ours, text)).map((row) => Object.values(row).map(found))
        const [expected, got] = [linesOf(theirs, isOrdered), linesOf(mine, isOrdered)]
        if (expected.join('\n') === got.join('\n')) continue
        throw new Error(`${text}\nPostgreSQL:\n${expected.join('\n')}\nSigil:\n${got.join('\n')}`)
      }
    }),
    { numRuns: runs(50), endOnFailure: false },
  )
  t.pass('all alike')
})

tap.test('the rows of p, of NOT p and of p IS NULL are all rows', async (t) => {
  const ours = room()
  t.teardown(() => ours.engine.close())
  await ours.run({
    createIndexes: 'm',
    indexes: ['a', 'n.x', 'arr'].map((name) => ({ key: { [name]: 1 }, name })),
  })
  const rows = fc.array(documents, { maxLength: 8 })
  const several = fc.array(conditions, { minLength: 10, maxLength: 10 })
  await fc.assert(
    fc.asyncProperty(rows, several, async (list, wheres) => {
      await ours.run({ delete: 'm', deletes: [{ q: {}, limit: 0 }] })
      const all = list.map((document, i) => ({ ...document, _id: i }))
      if (all.length > 0) await ours.insert('m', ...all)
      for (const where of wheres) {
        const parts: Reply[] = []
        for (const half of [where, `NOT (${where})`, `(${where}) IS NULL`]) {
          parts.push(
            ...(await rowsOf(ours, `SELECT _id FROM m t WHERE ${half}`, parametersOf(half))),
          )
        }
        const ids = parts.map(({ _id }) => Number(_id)).sort((a, b) => a - b)
        if (ids.length === all.length && ids.every((id, i) => id === i)) continue
        throw new Error(`${where}: ${ids.join(' ')} of ${all.length}`)
      }
    }),
    { numRuns: runs(50), endOnFailure: false },
  )
  t.pass('each row once')
})

/** Values for the placeholders that a text has. */
function parametersOf(text: string): readonly unknown[] {
  return text.includes('$') ? parameters : []
}
