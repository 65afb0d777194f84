// The public sqllogictest files select1 to select3 (SQLite's), which are not part of this
// repository: SQLLOGICTEST names a folder that has them. Every query without a subquery has to give
// what the files say.

import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import tap from 'tap'
import { systemClock } from '../../../../src/base/clock.js'
import { openMemoryStore } from '../../../../src/store/memory.js'
import { CommandRoom } from '../../../support/command-room.js'
import { rowsOf } from './selecting.js'

const folder = process.env.SQLLOGICTEST
const skip = folder === undefined ? 'SQLLOGICTEST names no folder with the files' : false

interface Query {
  readonly text: string
  /** One letter a column: T, I or R. */
  readonly types: string
  readonly sort: string
  readonly expected: readonly string[]
}

interface Script {
  readonly statements: readonly string[]
  readonly queries: readonly Query[]
}

function scriptOf(text: string): Script {
  const statements: string[] = []
  const queries: Query[] = []
  for (const record of text.split(/\n\s*\n/)) {
    const lines = record.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
    const [head = '', ...body] = lines
    const [kind = '', types = '', sort = 'nosort'] = head.split(/\s+/)
    if (kind === 'statement') statements.push(body.join('\n'))
    if (kind !== 'query') continue
    const dashes = body.indexOf('----')
    const expected = body.slice(dashes + 1)
    queries.push({ text: body.slice(0, dashes).join('\n'), types, sort, expected })
  }
  return { statements, queries }
}

const row = /^INSERT INTO t1\(([^)]*)\) VALUES\s*\(([^)]*)\)/i

/** `INSERT INTO t1(a, b) VALUES(1, NULL)` as a document. */
function documentOf(text: string, at: number): Record<string, unknown> | undefined {
  const [, names, values] = row.exec(text) ?? []
  if (names === undefined || values === undefined) return undefined
  const given = values.split(',').map((value) => value.trim())
  const fields = names.split(',').map((name, i) => {
    return [name.trim(), given[i] === 'NULL' ? null : Number(given[i])] as const
  })
  return { _id: at, ...Object.fromEntries(fields) }
}

function shown(value: unknown, type: string | undefined): string {
  if (value === null) return 'NULL'
  if (value === '') return '(empty)'
  if (type === 'R') return Number(String(value)).toFixed(3)
  return type === 'I' ? String(Math.trunc(Number(String(value)))) : String(value)
}

function answerOf(rows: readonly unknown[][], { types, sort }: Query): string[] {
  const lines = rows.map((values) => values.map((value, i) => shown(value, types[i])))
  if (sort === 'rowsort') {
    lines.sort((a, b) => (a.join('\n') < b.join('\n') ? -1 : 1))
  }
  const flat = lines.flat()
  return sort === 'valuesort' ? flat.sort() : flat
}

function isAsExpected(values: readonly string[], { expected }: Query): boolean {
  const [first = ''] = expected
  const hashed = /^(\d+) values hashing to ([0-9a-f]{32})$/.exec(first)
  if (hashed === null) return values.join('\n') === expected.join('\n')
  const hash = createHash('md5').update(values.map((value) => `${value}\n`).join(''))
  return values.length === Number(hashed[1]) && hash.digest('hex') === hashed[2]
}

tap.test('sqllogictest', { skip }, async (t) => {
  let passed = 0
  let count = 0
  for (const name of ['select1.test', 'select2.test', 'select3.test']) {
    const path = join(folder ?? '', name)
    if (!existsSync(path)) throw new Error(`${path} is missing`)
    const { statements, queries } = scriptOf(readFileSync(path, 'utf8'))
    const room = new CommandRoom(openMemoryStore(systemClock), systemClock)
    t.teardown(() => room.engine.close())
    for (const [i, text] of statements.entries()) {
      const document = documentOf(text, i)
      if (document !== undefined) await room.insert('t1', document)
    }
    for (const query of queries) {
      if (/\(\s*select\b/i.test(query.text)) continue
      count++
      const rows = (await rowsOf(room, query.text)).map((found) => Object.values(found))
      if (isAsExpected(answerOf(rows, query), query)) passed++
      else t.fail(`${name}: ${query.text}`)
    }
  }
  t.comment(`${passed} of ${count} queries without subqueries`)
  t.equal(passed, count)
})
