// The checker of registers finds histories that no order explains, and passes those that have one.

import t from 'tap'
import {
  checkRegisters,
  type RegisterAction,
  type RegisterOperation,
} from '../../support/histories/registers.js'

const read = (value?: number): RegisterAction => ({ kind: 'read', value })
const write = (value: number): RegisterAction => ({ kind: 'write', value })
const swap = (from: number, to: number, isDone = true): RegisterAction => {
  return { kind: 'swap', from, to, isDone }
}

function operation(began: number, ended: number, action: RegisterAction): RegisterOperation {
  return { register: 'r', action, outcome: 'done', began, ended }
}

function lost(began: number, action: RegisterAction): RegisterOperation {
  return { ...operation(began, began, action), outcome: 'unknown' }
}

const bad: readonly (readonly [name: string, operations: readonly RegisterOperation[]])[] = [
  ['a stale read', [operation(0, 1, write(1)), operation(2, 3, read())]],
  [
    'a read that goes back',
    [operation(0, 9, write(1)), operation(1, 2, read(1)), operation(3, 4, read())],
  ],
  ['a value from nowhere', [operation(0, 1, read(7))]],
  ['a read of the future', [operation(0, 1, read(1)), operation(2, 3, write(1))]],
  [
    'two swaps of one value (lost update)',
    [
      operation(0, 1, write(1)),
      operation(2, 5, swap(1, 2)),
      operation(3, 6, swap(1, 3)),
      operation(7, 8, read(3)),
    ],
  ],
  [
    'two readers see two writes in two orders',
    [
      operation(0, 9, write(1)),
      operation(0, 9, write(2)),
      operation(1, 2, read(1)),
      operation(3, 4, read(2)),
      operation(5, 6, read(1)),
    ],
  ],
  [
    'a swap that found nothing although the value was there',
    [operation(0, 1, write(1)), operation(2, 3, swap(1, 2, false))],
  ],
  [
    'a lost write that took effect twice',
    [
      lost(0, write(1)),
      operation(1, 2, read(1)),
      operation(3, 4, write(2)),
      operation(5, 6, read(1)),
    ],
  ],
]

for (const [name, operations] of bad) {
  t.test(`found: ${name}`, async (t) => t.equal(checkRegisters(operations).length, 1))
}

const good: readonly (readonly [name: string, operations: readonly RegisterOperation[]])[] = [
  [
    'a swap failed because of a lost write that no read has seen',
    [
      operation(0, 1, write(1)),
      lost(2, write(2)),
      operation(3, 4, swap(1, 3, false)),
      operation(5, 6, write(4)),
      operation(7, 8, read(4)),
    ],
  ],
  ['nothing', []],
  ['one after the other', [operation(0, 1, write(1)), operation(2, 3, read(1))]],
  [
    'at the same time in any order',
    [
      operation(0, 9, write(1)),
      operation(0, 9, write(2)),
      operation(1, 2, read(2)),
      operation(3, 4, read(1)),
      operation(10, 11, read(1)),
    ],
  ],
  ['a lost write that never came', [lost(0, write(1)), operation(1, 2, read())]],
  [
    'a lost write that came late',
    [lost(0, write(1)), operation(1, 2, read()), operation(3, 4, read(1))],
  ],
  [
    'swaps in a chain',
    [
      operation(0, 9, write(1)),
      operation(0, 9, swap(2, 3)),
      operation(0, 9, swap(1, 2)),
      operation(0, 9, swap(3, 1, false)),
      operation(10, 11, read(3)),
    ],
  ],
]

for (const [name, operations] of good) {
  t.test(`nothing found: ${name}`, async (t) => t.same(checkRegisters(operations), []))
}

t.test('registers are looked at each for itself', async (t) => {
  const other = { ...operation(2, 3, read()), register: 's' }
  t.same(checkRegisters([operation(0, 1, write(1)), other]), [])
})
