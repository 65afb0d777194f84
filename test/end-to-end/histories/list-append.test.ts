// The checker of list-append histories finds every anomaly in a small history that has it, and
// nothing in histories without. A checker that cannot fail would show nothing.

import t from 'tap'
import type {
  Anomaly,
  HistoryTransaction,
  Level,
  Outcome,
  Step,
} from '../../support/histories/history.js'
import { checkListAppend } from '../../support/histories/list-append.js'

const append = (list: string, value: number): Step => ({ kind: 'append', list, value })
const read = (list: string, ...values: number[]): Step => ({ kind: 'read', list, values })

interface Made {
  readonly steps: readonly Step[]
  readonly level?: Level
  readonly outcome?: Outcome
  /** [begin, end]; all at the same time unless given. */
  readonly at?: readonly [number, number]
}

function history(...made: readonly Made[]): HistoryTransaction[] {
  return made.map(({ steps, level = 'snapshot', outcome = 'committed', at = [0, 100] }) => {
    return { steps, level, outcome, began: at[0], ended: at[1] }
  })
}

const of = (...steps: Step[]): Made => ({ steps })
const strict = (...steps: Step[]): Made => ({ steps, level: 'serializable' })
const aborted = (...steps: Step[]): Made => ({ steps, outcome: 'aborted' })
const unknown = (...steps: Step[]): Made => ({ steps, outcome: 'unknown' })
const during = (made: Made, from: number, to: number): Made => ({ ...made, at: [from, to] })

const bad: readonly (readonly [name: string, found: readonly Anomaly[], made: readonly Made[]])[] =
  [
    ['a transaction does not see its own append', ['internal'], [of(append('x', 1), read('x'))]],
    [
      'a transaction sees its own appends in another order',
      ['internal'],
      [of(append('x', 1), append('x', 2), read('x', 2, 1))],
    ],
    [
      'a second read sees more',
      ['non-repeatable-read'],
      [of(append('x', 1)), of(read('x'), read('x', 1))],
    ],
    [
      'a second read sees more behind its own append',
      ['non-repeatable-read', 'G-single'],
      [of(append('x', 1)), of(read('x'), append('x', 2), read('x', 1, 2)), of(read('x', 1, 2))],
    ],
    ['an append took effect twice', ['duplicate'], [of(append('x', 1)), of(read('x', 1, 1))]],
    [
      'two reads have no common order',
      ['incompatible-order', 'G-single'],
      [of(append('x', 1)), of(append('x', 2)), of(read('x', 1, 2)), of(read('x', 2))],
    ],
    [
      'a read sees what was aborted',
      ['G1a'],
      [aborted(append('x', 1)), of(append('x', 2)), of(read('x', 1, 2))],
    ],
    [
      'an aborted transaction has read what was aborted',
      ['G1a'],
      [aborted(append('x', 1)), aborted(read('x', 1))],
    ],
    ['a read sees what nothing has appended', ['G1a'], [of(read('x', 9))]],
    [
      'a read sees half of a transaction in one list',
      ['G1b', 'G-single'],
      [of(append('x', 1), append('x', 2)), of(read('x', 1)), of(read('x', 1, 2))],
    ],
    [
      'an acknowledged append is gone',
      ['lost-write'],
      [during(of(append('x', 1)), 0, 1), during(of(read('x')), 2, 3)],
    ],
    [
      'two have appended to the same state',
      ['lost-update', 'G-single'],
      [of(read('x'), append('x', 1)), of(read('x'), append('x', 2)), of(read('x', 1, 2))],
    ],
    [
      'writes in two orders',
      ['G0'],
      [
        of(append('x', 1), append('y', 3)),
        of(append('x', 2), append('y', 4)),
        of(read('x', 1, 2)),
        of(read('y', 4, 3)),
      ],
    ],
    [
      'two see each other',
      ['G1c'],
      [of(append('x', 1), read('y', 2)), of(append('y', 2), read('x', 1))],
    ],
    [
      'a read of two lists sees one of another transaction, and misses the other',
      ['G-single'],
      [of(append('x', 1), append('y', 2)), of(read('x', 1), read('y')), of(read('y', 2))],
    ],
    [
      'two readers see two independent appends in two orders (long fork)',
      ['G-nonadjacent'],
      [
        of(append('x', 1)),
        of(append('y', 2)),
        of(read('x', 1), read('y')),
        of(read('x'), read('y', 2)),
      ],
    ],
    [
      'write skew of serializable transactions',
      ['G2'],
      [
        strict(read('x'), append('y', 1)),
        strict(read('y'), append('x', 2)),
        of(read('x', 2), read('y', 1)),
      ],
    ],
    [
      'a later transaction does not see what was acknowledged before, and later seen',
      ['G-single-realtime'],
      [
        during(of(append('x', 1)), 0, 1),
        during(of(read('x')), 2, 3),
        during(of(read('x', 1)), 4, 5),
      ],
    ],
    [
      'two acknowledged one after the other stand in the other order',
      ['G0-realtime'],
      [during(of(append('x', 1)), 0, 1), during(of(append('x', 2)), 2, 3), of(read('x', 2, 1))],
    ],
    [
      'a transaction sees what began after its end',
      ['G1c-realtime'],
      [during(of(read('x', 1)), 0, 1), during(of(append('x', 1)), 2, 3)],
    ],
    [
      'strict ones skew by the order of ends and begins',
      ['G2-realtime'],
      [
        during(strict(read('x'), append('y', 1)), 0, 50),
        during(strict(append('x', 2)), 10, 20),
        during(strict(read('y'), append('z', 3)), 21, 60),
        during(of(read('x', 2), read('y', 1)), 71, 80),
      ],
    ],
  ]

for (const [name, anomalies, made] of bad) {
  t.test(`found: ${name}`, async (t) => {
    const found = checkListAppend(history(...made))
    t.same([...new Set(found.map(({ anomaly }) => anomaly))], anomalies, JSON.stringify(found))
  })
}

const good: readonly (readonly [name: string, made: readonly Made[]])[] = [
  ['no transaction', []],
  [
    'one after the other',
    [
      during(strict(read('x'), append('x', 1)), 0, 1),
      during(strict(read('x', 1), append('x', 2), read('x', 1, 2)), 2, 3),
      during(strict(read('x', 1, 2)), 4, 5),
    ],
  ],
  [
    'write skew of snapshot transactions',
    [of(read('x'), append('y', 1)), of(read('y'), append('x', 2)), of(read('x', 2), read('y', 1))],
  ],
  [
    'write skew beside one strict transaction',
    [
      strict(read('x'), append('y', 1)),
      of(read('y'), append('x', 2)),
      of(read('x', 2), read('y', 1)),
    ],
  ],
  [
    'a read at the same time as an append sees it or not',
    [during(of(append('x', 1)), 0, 9), during(of(read('x')), 1, 2), during(of(read('x', 1)), 3, 4)],
  ],
  [
    'an unknown one took effect later than its client waited',
    [
      during(unknown(append('x', 1)), 0, 1),
      during(of(read('x')), 2, 3),
      during(of(read('x', 1)), 4, 5),
    ],
  ],
  ['an unknown one took no effect', [during(unknown(append('x', 1)), 0, 1), of(read('x'))]],
  ['an aborted one read in between', [of(append('x', 1)), aborted(read('x', 1), append('x', 2))]],
  [
    'an append at the same time is not in the read',
    [during(of(append('x', 1)), 0, 9), during(of(read('x')), 1, 10)],
  ],
]

for (const [name, made] of good) {
  t.test(`nothing found: ${name}`, async (t) => {
    t.same(checkListAppend(history(...made)), [])
  })
}

t.test('where only each list is timed', async (t) => {
  const late = history(
    during(of(append('x', 1)), 0, 1),
    during(strict(read('x')), 2, 3),
    during(of(read('x', 1)), 4, 5),
  )
  t.match(checkListAppend(late, 'each list'), [{ anomaly: 'G-single-realtime' }])
  const between = history(
    during(strict(read('x'), append('y', 1)), 0, 50),
    during(strict(append('x', 2)), 10, 20),
    during(strict(read('x', 2)), 21, 22),
    during(strict(read('y')), 23, 24),
    during(strict(read('y', 1)), 60, 61),
  )
  t.match(checkListAppend(between), [{ anomaly: 'G2-realtime' }])
  t.same(checkListAppend(between, 'each list'), [], 'reads of two lists are not one')
})

t.test('an unknown one that is half seen is found', async (t) => {
  const half = history(unknown(append('x', 1), append('y', 2)), of(read('x', 1), read('y')))
  t.same(checkListAppend(half), [], 'what came of y is not known without a later read')
  const later = history(
    unknown(append('x', 1), append('y', 2)),
    of(read('x', 1), read('y')),
    of(read('y', 2)),
  )
  t.match(checkListAppend(later), [{ anomaly: 'G-single' }])
})
