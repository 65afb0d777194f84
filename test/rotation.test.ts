// The table of heavy files: each of them is there, stands once and runs in one of nine seeds, the
// long counts leave out none, and no protocol is left without a client.

import { existsSync } from 'node:fs'
import t from 'tap'
import { hasCountsAlone, triesMore } from './support/long-files.js'
import { heavySets, leftOut, leftOutLines } from './support/rotation.js'

/** One a protocol. */
const eachTime = ['node-driver', 'ioredis', 'node-postgres', 'mcp', 'upstash', 'connect-redis']
const files = heavySets.flatMap(({ parts }) => parts.flat())

t.test('each heavy file is there and stands in one part', async (t) => {
  t.equal(new Set(files).size, files.length)
  for (const name of files) t.ok(existsSync(`test/${name}.test.ts`), name)
})

t.test('nine seeds in a row take each of them once', async (t) => {
  for (const first of [0, 9, 2 ** 30 - 1]) {
    const taken = [0, 1, 2, 3, 4, 5, 6, 7, 8].flatMap((more) => {
      const left = new Set(leftOut(first + more, false).flat())
      return files.filter((name) => !left.has(name))
    })
    t.same(taken.sort(), [...files].sort())
  }
})

t.test('a run says what it leaves out, and the long counts leave out nothing', async (t) => {
  const lines = leftOutLines(1, false)
  const text = lines.join('\n')
  for (const name of leftOut(1, false).flat()) t.match(text, name)
  for (const { proves } of heavySets) t.match(text, proves)
  t.match(text, 'SIGIL_SEED=1 ')
  t.same(leftOut(1, true).flat(), [])
  t.same(leftOutLines(1, true), [])
})

t.test('a client of each protocol and the rights run each time', async (t) => {
  for (const name of eachTime) {
    t.ok(existsSync(`test/clients/${name}.test.ts`), name)
    t.notOk(files.includes(`clients/${name}`), name)
  }
  t.same(
    files.filter((name) => name.startsWith('authorization/')),
    [],
  )
})

t.test('the long suite of CI takes what takes turns, and long counts', async (t) => {
  for (const name of files) t.ok(triesMore(`${name}.test.js`), name)
  t.ok(triesMore('query/update/mingo-updates.test.js'), 'counts of its own')
  t.ok(triesMore('commands/keyvalue/bits/bits.test.js'), 'counts of what it imports')
  t.notOk(triesMore('tidy.test.js'))
  t.ok(hasCountsAlone('query/update/mingo-updates.test.js'))
  t.notOk(hasCountsAlone('listeners/held-memory.test.js'), 'what it does in the long suite alone')
  t.notOk(hasCountsAlone('store/power-cut.test.js'), 'it takes turns')
})
