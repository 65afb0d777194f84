// The truth of three values: AND, OR and NOT by their tables, and what a value is as a condition.

import t from 'tap'
import { both, either, not, type Truth } from '../../../../src/commands/sql/expression/truth.js'
import { truthOf } from './evaluate.js'

const truths: readonly Truth[] = [true, false, undefined]

t.test('false decides AND, true decides OR, and unknown stays unknown', async (t) => {
  for (const a of truths) {
    for (const b of truths) {
      const pair = [a, b]
      const isUnknown = pair.includes(undefined)
      t.equal(both(a, b), pair.includes(false) ? false : isUnknown ? undefined : true, `${a} ${b}`)
      t.equal(either(a, b), pair.includes(true) ? true : isUnknown ? undefined : false, `${a} ${b}`)
      t.equal(both(a, b), not(either(not(a), not(b))), 'as De Morgan says')
    }
  }
})

t.test('chains of AND and OR end at what decides them', async (t) => {
  t.equal(truthOf('a = 1 AND b = 1 AND 1 / 0 = 1', { a: 2, b: 1 }), false)
  t.equal(truthOf('a = 2 OR 1 / 0 = 1', { a: 2 }), true)
  t.equal(truthOf('a = 1 AND b = 1 AND c = 1', { a: 1, c: 1 }), undefined)
  t.equal(truthOf('a = 2 OR b = 1 OR c = 2', { a: 1, c: 1 }), undefined)
})

t.test('only a bool is true or false', async (t) => {
  t.equal(truthOf('a', { a: true }), true)
  t.equal(truthOf('NOT a', { a: true }), false)
  for (const a of [undefined, null, 1, 'true', [true]]) {
    t.equal(truthOf('a', { a }), undefined)
    t.equal(truthOf('NOT a', { a }), undefined)
    t.equal(truthOf('a IS UNKNOWN', { a }), true)
    t.equal(truthOf('a IS TRUE', { a }), false)
    t.equal(truthOf('a IS NOT FALSE', { a }), true)
  }
})
