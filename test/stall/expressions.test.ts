// Every operator of the expression language over hostile values: the operands of an operator with
// places are all combinations of a few, those with names stand in a table that knows every one.

import t from 'tap'
import { accumulators } from '../../src/query/accumulators.js'
import { expressionNames } from '../../src/query/expression.js'
import { isLong } from '../support/seed.js'
import { type HostileKind, hostileKinds, large, type StallCase } from './cases.js'
import { namedOperands } from './expression-operands.js'
import { hunt } from './hunt.js'

const size = isLong ? 3_000_000 : 300_000

/** `$v` is large, `$n` a needle of a quarter of it, `$w` as large and almost equal. */
const documents: StallCase[] = hostileKinds.map((kind) => ({
  kind: 'document',
  name: `insert ${kind}`,
  command: {
    insert: 'values',
    documents: [
      {
        _id: kind,
        v: large(kind, size),
        w: large(kind, size - 100),
        n: large(needleOf(kind), size >> 2),
      },
    ],
  },
}))

function needleOf(kind: HostileKind): HostileKind {
  return kind === 'text' || kind === 'digits' ? 'almostText' : kind
}

/** Operands for operators with places. */
const placed: readonly unknown[] = [
  '$v',
  ['$v', '$v'],
  ['$v', '$w'],
  ['$v', '$n'],
  ['$v', 5],
  [5, '$v'],
  ['$v', 1, 1_000_000],
  ['$v', '$n', 'x'],
  ['$v', '$w', '$n'],
]

const cases: StallCase[] = []
for (const name of expressionNames()) {
  const operands = namedOperands[name] ?? placed
  for (const [i, operand] of operands.entries()) {
    for (const kind of hostileKinds) {
      cases.push({
        kind: 'document',
        name: `${name} ${i} of ${kind}`,
        command: {
          aggregate: 'values',
          pipeline: [{ $match: { _id: kind } }, { $project: { r: { [name]: operand } } }],
          cursor: {},
        },
      })
    }
  }
}

t.test('every operator with named operands stands in the table', async (t) => {
  const known = new Set([...expressionNames(), ...Object.keys(accumulators)])
  t.same(
    Object.keys(namedOperands).filter((name) => !known.has(name)),
    [],
  )
})

t.test('no expression holds the loop inside one document', async (t) => {
  await hunt(t, cases, { prepare: documents, computes: true, stretches: 'documents' })
})
