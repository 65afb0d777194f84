// What a server of a cluster adds: transactions up to their bound, batches that a driver may repeat,
// and change streams over large documents.

import t from 'tap'
import { isLong } from '../support/seed.js'
import { type HostileKind, large, type StallCase } from './cases.js'
import { hunt } from './hunt.js'

const size = isLong ? 3_000_000 : 300_000
const many = isLong ? 20_000 : 2_000
const batch = isLong ? 100_000 : 12_000
const kinds: readonly HostileKind[] = ['text', 'numbers', 'objects', 'nested', 'deep', 'wide']

/** Of a kind that is no array, an empty one. */
const list = { $cond: [{ $isArray: '$fullDocument.v' }, '$fullDocument.v', []] }

const pipelines: readonly (readonly object[])[] = [
  [],
  [{ $match: { 'fullDocument.v.k': 'k7' } }],
  [{ $match: { 'fullDocument.v': { $in: large('equalNumbers', 200_000) } } }],
  [{ $project: { 'fullDocument.v.k': 1 } }],
  [{ $addFields: { x: { $size: list } } }],
  [{ $set: { x: { $map: { input: list, in: ['$$this', '$$this'] } } } }],
  [{ $changeStreamSplitLargeEvent: {} }],
  [{ $redact: '$$DESCEND' }],
]

function documents(from: number, count: number): object[] {
  return Array.from({ length: count }, (_, i) => ({ _id: from + i, i, text: 'a'.repeat(50) }))
}

/** First, since a long case is tried again. */
const emptied = { delete: 'made', deletes: [{ q: {}, limit: 0 }] }

const transactions: StallCase[] = [
  {
    ...{ kind: 'transaction', name: `a transaction of ${many} inserts` },
    commands: [emptied, { insert: 'made', documents: documents(0, many) }],
  },
  {
    ...{ kind: 'transaction', name: `a transaction of ${many} updates` },
    commands: [{ update: 'made', updates: [{ q: {}, u: { $inc: { i: 1 } }, multi: true }] }],
  },
  {
    ...{ kind: 'transaction', name: 'a transaction of large documents' },
    commands: kinds.map((kind) => ({
      update: 'made',
      updates: [{ q: { _id: kind }, u: { v: large(kind, size) }, upsert: true }],
    })),
  },
  {
    ...{ kind: 'transaction', name: `a transaction of ${many} deletes` },
    commands: [emptied],
  },
]

t.test('no transaction, retried batch or change stream holds the loop', async (t) => {
  const cases: StallCase[] = [
    ...transactions,
    ...(['insert', 'update', 'delete'] as const).map(
      (operation): StallCase => ({
        ...{ kind: 'bulk', name: `a bulk of ${batch} ${operation}s`, count: batch, operation },
      }),
    ),
    ...pipelines.flatMap((pipeline, n) =>
      kinds.map((kind): StallCase => {
        const document = { n, fresh: { $fresh: 1 }, v: large(kind, size) }
        return {
          ...{ kind: 'watch', name: `a change stream ${n} of ${kind}`, pipeline },
          command: {
            update: 'watched',
            updates: [{ q: { _id: kind }, u: document, upsert: true }],
          },
        }
      }),
    ),
  ]
  await hunt(t, cases, { settings: { TOPOLOGY: 'router' } })
})
