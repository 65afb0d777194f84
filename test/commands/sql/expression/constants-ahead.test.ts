// Constants of a large result are computed one by one, with pauses, and mean the same afterwards.

import t from 'tap'
import { compile } from '../../../../src/commands/sql/expression/compile.js'
import { compiledParts } from '../../../../src/commands/sql/expression/compile-parts.js'
import { constantsAhead } from '../../../../src/commands/sql/expression/constants-ahead.js'
import { nothing } from '../../../../src/store/steps.js'
import type { ReadTx } from '../../../../src/store/store.js'
import { inStretch } from '../../../support/stretch.js'
import { expressionOf, scopeOf, shown } from './evaluate.js'

const list = (each: (i: number) => string): string =>
  Array.from({ length: 300 }, (_, i) => each(i)).join(', ')

/** The pauses until all is computed ahead, and what the row then answers. */
function computed(text: string): { readonly pauses: number; readonly answer: string } {
  let pauses = 0
  const tx = {
    pause: () => {
      pauses++
      return nothing
    },
  } as unknown as ReadTx
  const expression = expressionOf(text)
  const { value, done } = compiledParts(tx, [expression], scopeOf()).next()
  if (done !== true || value.parts === undefined) throw new Error('it is not large')
  const { parts } = value
  const whole = compile(expression, value)
  pauses = 0
  inStretch(() => constantsAhead(tx, [expression], parts).next())
  try {
    return { pauses, answer: inStretch(() => shown(whole.value([]))) }
  } catch (thrown) {
    return { pauses, answer: String(thrown) }
  }
}

function plain(text: string): string {
  return inStretch(() => shown(compile(expressionOf(text), scopeOf()).value([])))
}

t.test('what asks all its operands is computed in turns', async (t) => {
  for (const text of [
    `ARRAY[${list((i) => `length('abc') + ${i}`)}]`,
    `concat(${list((i) => `upper('a${i}')`)})`,
  ]) {
    t.same(computed(text), { pauses: 300, answer: plain(text) })
  }
})

t.test('what may not be asked for is left', async (t) => {
  const text = `coalesce(${list((i) => `nullif(length('abc'), ${i})`)})`
  t.same(computed(text), { pauses: 0, answer: plain(text) })
})

t.test('an error is that of the row', async (t) => {
  const { pauses, answer } = computed(`ARRAY[${list((i) => `1 / (10 - length('abc') - ${i})`)}]`)
  t.equal(pauses, 7)
  t.match(answer, 'division by zero')
})

t.test('large values are not kept ahead', async (t) => {
  const { pauses } = computed(`ARRAY[${list((i) => `repeat('x', ${300_000 + i})`)}]`)
  t.equal(pauses, 3)
})
