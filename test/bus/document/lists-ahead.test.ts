// A filter with a long list of values is compiled and planned without a long turn: the list is read
// ahead, in turns.

import t from 'tap'
import { work } from '../../../src/base/work/work-budget.js'
import { requestUnits, turnUnits } from '../../../src/base/work/work-figures.js'
import { parsedAhead } from '../../../src/bus/document/operations-ahead.js'
import type { Message } from '../../../src/bus/session.js'
import { planQuery } from '../../../src/engine/plan/planner.js'
import { compileFilter } from '../../../src/query/filter.js'
import { openMemoryStore } from '../../../src/store/memory.js'
import { field } from '../../../src/value/elements.js'
import { documentFrom } from '../../../src/value/literal.js'
import { documentOf, undefinedValue } from '../../../src/value/value.js'
import { context, ReadingRoom } from '../../support/reading.js'
import { turnsDuring } from '../../support/turns.js'

const count = 200_000
const numbers = Array.from({ length: count }, (_, i) => (i * 7_919) % count)

function messageOf(filter: Record<string, unknown>): Message {
  return { db: 'd', body: documentFrom({ find: 'c', filter }), sequences: new Map() }
}

await t.test('200,000 values cost no more units than a few', async (t) => {
  const room = new ReadingRoom(openMemoryStore())
  await room.index([{ a: 1 }], [{ h: 'hashed' }])
  const ns = await room.get()
  for (const [name, filter] of Object.entries({
    in: { _id: { $in: numbers } },
    nin: { a: { $nin: numbers } },
    all: { a: { $all: numbers } },
    indexed: { a: { $in: numbers }, b: 1 },
    hashed: { h: { $in: numbers } },
    nested: { $or: [{ a: { $in: numbers } }, { b: { $elemMatch: { c: { $in: numbers } } } }] },
  })) {
    const message = messageOf(filter)
    work.resetLongest()
    await parsedAhead(message)
    const asked = field(message.body, 'filter')
    if (asked === undefined) throw new Error('the message has a filter')
    work.begin(0, requestUnits)
    const before = work.spent
    const compiled = compileFilter(documentOf(asked), context)
    planQuery(ns, { filter: compiled })
    t.ok(work.spent - before < turnUnits / 40, `${name}: ${work.spent - before} units`)
    work.end()
  }
})

await t.test('a list is read in turns', async (t) => {
  const message = messageOf({ _id: { $in: numbers } })
  const turns = await turnsDuring(() => parsedAhead(message))
  t.ok(turns > 10, `${turns} turns`)
})

t.test('short messages, and what is inserted, do not wait', async (t) => {
  t.equal(parsedAhead(messageOf({ _id: { $in: [1, 2, 3] } })), undefined)
  const documents = Array.from({ length: 5_000 }, (_, i) => ({ $in: i }))
  const body = documentFrom({ insert: 'c', documents })
  t.equal(parsedAhead({ db: 'd', body, sequences: new Map() }), undefined)
})

await t.test('a refused value is told when the filter is compiled', async (t) => {
  for (const [bad, text] of [
    [{ $gt: 1 }, 'cannot nest $ under $in'],
    [undefinedValue, 'cannot compare to undefined'],
  ]) {
    const message = messageOf({ a: { $in: [...numbers.slice(0, 5_000), bad] } })
    await parsedAhead(message)
    const asked = field(message.body, 'filter')
    if (asked === undefined) throw new Error('the message has a filter')
    t.throws(() => compileFilter(documentOf(asked), context), { message: text as string })
  }
})
