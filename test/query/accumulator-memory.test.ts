// What the states of accumulators and of SQL aggregates count is what they take of the heap: many
// small ones would fill it below every bound.

import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { Decimal128 } from 'bson'
import t, { type Test } from 'tap'
import {
  CountState,
  DistinctState,
  SumState,
  TruthState,
} from '../../src/commands/sql/select/aggregate-states.js'
import { RowsState, ValuesState } from '../../src/commands/sql/select/list-states.js'
import { accumulators } from '../../src/query/accumulators.js'
import type { Accumulator } from '../../src/query/expressions/accumulator.js'
import { isPure } from '../../src/query/pipeline.js'
import { documentFrom, valueFrom } from '../../src/value/literal.js'
import type { Value } from '../../src/value/value.js'
import { accumulatorOperand } from '../stall/stage-specs.js'
import { isLong, seed } from '../support/seed.js'
import { plansOf } from './stages/stage-table.js'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

const emit = (): void => undefined
const groups = 100
const fieldsOfGroup = 50
/** Compiled code, and what else comes and goes. */
const codeBytes = 400_000

/** What is in use once no more is given back. */
async function heap(): Promise<number> {
  for (let last = Number.POSITIVE_INFINITY; ; ) {
    collect()
    await setImmediate()
    const { heapUsed, external } = process.memoryUsage()
    const used = heapUsed + external
    if (used > last - 10_000) return used
    last = used
  }
}

interface Counting {
  readonly bytesHeld: number
}

/** Checks that what is made takes little more than it counts. */
async function measure(t: Test, name: string, make: () => Counting): Promise<void> {
  // The first one compiles code.
  let made: Counting | undefined = make()
  made = undefined
  const before = await heap()
  made = make()
  const taken = (await heap()) - before
  const counted = made.bytesHeld
  t.ok(taken < counted * 1.5 + codeBytes, `${name}: ${taken} bytes count as ${counted}`)
}

/** Inputs by the values of a group; each is another one. */
const inputs: Readonly<Record<string, readonly unknown[]>> = {
  '1 number': [1],
  '10 texts': Array.from({ length: 10 }, (_, i) => `a text of 20 bytes ${i}`),
  '3 long texts': Array.from({ length: 3 }, (_, i) => `${i}`.padEnd(1_000, 'x')),
  '2 decimals': ['1.5', '2.5'].map((text) => Decimal128.fromString(text)),
}
const tried = Object.entries(inputs).filter((_, i, all) => isLong || i === seed % all.length)

for (const name of accumulators.keys()) {
  if (name === '$accumulator') continue
  t.test(`states of ${name} count what they take`, async (t) => {
    const operand = name === '$mergeObjects' ? '$o' : accumulatorOperand(name, '$text')
    const fields = Array.from({ length: fieldsOfGroup }, (_, i) => [`f${i}`, { [name]: operand }])
    const [plan] = plansOf([{ $group: { _id: '$g', ...Object.fromEntries(fields) } }]).filter(
      isPure,
    )
    for (const [kind, values] of tried) {
      const documents = Array.from({ length: groups }, (_, g) =>
        values.map((v, i) => documentFrom({ g, i, text: v, o: { [`n${i}`]: v } })),
      ).flat()
      await measure(t, kind, () => {
        const transform = plan?.create()
        if (transform === undefined) throw new Error('no plan')
        for (const document of documents) transform.push(document, emit)
        return transform
      })
    }
  })
}

const states: Readonly<Record<string, () => Accumulator>> = {
  count: () => new CountState(),
  sum: () => new SumState(false),
  'sum of distinct': () => new DistinctState('sum', new SumState(false)),
  array_agg: () => new ValuesState('array_agg', false),
  string_agg: () => new RowsState('string_agg', 'none', true),
}

for (const [name, create] of Object.entries(states)) {
  t.test(`states of ${name} count what they take`, async (t) => {
    for (const [kind, values] of tried) {
      if (name.startsWith('sum') && kind.endsWith('texts')) continue
      const own = values.map(valueFrom)
      await measure(t, kind, () => statesOf(create, own))
    }
  })
}

t.test('states of bool_and count what they take', async (t) => {
  await measure(t, '1 truth', () => statesOf(() => new TruthState('bool_and', false), []))
})

function statesOf(create: () => Accumulator, values: readonly Value[]): Counting {
  const states = Array.from({ length: groups * fieldsOfGroup }, create)
  for (const state of states) for (const value of values) state.add(value)
  return {
    get bytesHeld(): number {
      return states.reduce((sum, { bytesHeld }) => sum + bytesHeld, 0)
    },
  }
}

t.test('sums of one decimal do not hold its document', async (t) => {
  const [plan] = plansOf([{ $group: { _id: '$g', sum: { $sum: '$v' } } }]).filter(isPure)
  const transform = plan?.create()
  const before = await heap()
  const v = Decimal128.fromString('1.5')
  for (let g = 0; g < 10; g++) {
    transform?.push(documentFrom({ g, v, pad: 'x'.repeat(1_000_000) }), emit)
  }
  const taken = (await heap()) - before
  t.ok(taken < 4_000_000, `${taken} bytes`)
  t.equal(transform?.pending, false)
})
