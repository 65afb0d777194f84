// Queries under collations over random documents: with indexes of several collations the answers
// are those of a collection without any, in the same order where one is asked for.

import fc from 'fast-check'
import t from 'tap'
import { systemClock } from '../../../../src/base/clock.js'
import { openMemoryStore } from '../../../../src/store/memory.js'
import { CommandRoom, type Reply } from '../../../support/command-room.js'
import { runs } from '../../../support/runs.js'

type Plain = Readonly<Record<string, unknown>>

const ci = { locale: 'en', strength: 2 }
const collations: readonly (Plain | undefined)[] = [
  undefined,
  ci,
  { locale: 'en', strength: 1 },
  { locale: 'sv', strength: 3 },
  { locale: 'en', strength: 2, numericOrdering: true },
]

const words = [
  'a',
  'A',
  'á',
  'ä',
  'b',
  'B',
  'ab',
  'Ab',
  'a-b',
  'a1',
  'a01',
  'a10',
  'z',
  '',
  'ß',
  'SS',
]
const text = fc.constantFrom(...words)
const scalar = fc.oneof(
  { weight: 4, arbitrary: text },
  fc.constantFrom(null, 1, 2, true),
  text.map((one) => ({ x: one })),
)
const value = fc.oneof({ weight: 4, arbitrary: scalar }, fc.array(scalar, { maxLength: 3 }))
const document = fc.record({ a: value, b: scalar, n: fc.nat(3) }, { requiredKeys: [] })

const condition = fc.oneof(
  scalar,
  scalar.map((one) => ({ $ne: one })),
  fc.array(scalar, { minLength: 1, maxLength: 8 }).map((list) => ({ $in: list })),
  fc.array(scalar, { minLength: 1, maxLength: 3 }).map((list) => ({ $nin: list })),
  fc
    .tuple(fc.constantFrom('$lt', '$lte', '$gt', '$gte'), scalar)
    .map(([op, one]) => ({ [op]: one })),
  fc.tuple(text, text).map(([low, high]) => ({ $gte: low, $lt: high })),
  text.map((one) => ({ $elemMatch: { $gte: one } })),
  text.map((one) => ({ $not: { $gt: one } })),
  fc.array(text, { minLength: 1, maxLength: 2 }).map((list) => ({ $all: list })),
  text.map((one) => ({ $regex: `^${one}` })),
  fc.constant({ $exists: true }),
)
const field = fc.constantFrom('a', 'b')
const one = fc.tuple(field, condition).map(([path, asked]): Plain => ({ [path]: asked }))
const filter = fc.oneof(
  { weight: 3, arbitrary: one },
  fc.tuple(one, one).map((both) => ({ $and: both })),
  fc.tuple(one, one).map((both) => ({ $or: both })),
  text.map((word) => ({ $expr: { $eq: ['$a', word] } })),
)
const sort = fc.constantFrom({}, { a: 1 }, { a: -1 }, { a: 1, b: 1 }, { b: -1, a: 1 })

interface Asked {
  readonly filter: Plain
  readonly sort: Plain
  readonly collation: Plain | undefined
}

const asked: fc.Arbitrary<Asked> = fc.record({
  filter,
  sort,
  collation: fc.constantFrom(...collations),
})

const indexes = [
  ...collations.slice(0, 4).map((collation, i) => ({
    key: { a: 1 },
    name: `a_${i}`,
    collation: collation ?? { locale: 'simple' },
  })),
  { key: { b: -1, a: 1 }, name: 'b_a', collation: ci },
  { key: { b: 1 }, name: 'b_1' },
  { key: { a: 1, n: 1 }, name: 'part', collation: ci, partialFilterExpression: { b: 'a' } },
]

async function check(
  room: CommandRoom,
  { filter, sort, collation }: Asked,
  number: number,
): Promise<void> {
  const by = collation === undefined ? {} : { collation }
  const isSorted = Object.keys(sort).length > 0
  const rows = async (find: string): Promise<Reply[]> => {
    const order = isSorted ? { sort: { ...sort, _id: 1 } } : {}
    return room.drain({ find, filter, ...order, ...by })
  }
  const ids = (found: Reply[]) => found.map(({ _id }) => _id)
  const [plain, indexed] = [ids(await rows('plain')), ids(await rows('indexed'))]
  const inOrder = (list: number[]) => (isSorted ? list : [...list].sort((a, b) => a - b))
  const shown = JSON.stringify({ number, filter, sort, collation, plain, indexed })
  if (String(inOrder(plain)) !== String(inOrder(indexed))) throw new Error(shown)
  const counts = ['plain', 'indexed'].map((count) => room.run({ count, query: filter, ...by }))
  const [n, m] = await Promise.all(counts)
  if (n?.n !== m?.n || n?.n !== plain.length) throw new Error(`count ${n?.n} ${m?.n} of ${shown}`)
  const values = ['plain', 'indexed'].map((distinct) =>
    room.run({ distinct, key: 'a', query: filter, ...by }),
  )
  const [left, right] = (await Promise.all(values)).map(({ values }) => values.length)
  if (left !== right) throw new Error(`distinct ${left} ${right} of ${shown}`)
}

await t.test('indexes answer as scans do, whatever the collations', async (t) => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(document, { minLength: 5, maxLength: 30 }),
      fc.array(asked, { minLength: 20, maxLength: 20 }),
      fc.constantFrom(undefined, ci),
      async (documents, queries, own) => {
        const room = new CommandRoom(openMemoryStore(systemClock), systemClock)
        const whole = documents.map((one, _id) => ({ _id, ...one }))
        for (const create of ['plain', 'indexed']) {
          await room.run({ create, ...(own === undefined ? {} : { collation: own }) })
          await room.insert(create, ...whole)
        }
        await room.run({ createIndexes: 'indexed', indexes })
        for (const [number, query] of queries.entries()) await check(room, query, number)
        await room.engine.close()
      },
    ),
    { numRuns: runs(40) },
  )
  t.pass()
})
