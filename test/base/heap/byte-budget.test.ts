// The byte budget: first come, first served, and nothing waits for ever.

import t from 'tap'
import { ByteBudget } from '../../../src/base/heap/byte-budget.js'

t.test('what fits is let in at once, the rest in its turn', async (t) => {
  const budget = new ByteBudget(100)
  const admitted: string[] = []
  t.equal(
    budget.take(60, () => admitted.push('never')),
    true,
  )
  t.equal(
    budget.take(60, () => admitted.push('second')),
    false,
  )
  // It would fit, but another waits before it.
  t.equal(
    budget.take(10, () => admitted.push('third')),
    false,
  )
  budget.release(60)
  t.same(admitted, ['second', 'third'])
  t.equal(budget.bytesUsed, 70)
})

t.test('more than the whole budget is let in alone', async (t) => {
  const budget = new ByteBudget(100)
  const admitted: string[] = []
  t.equal(
    budget.take(500, () => {}),
    true,
  )
  t.equal(
    budget.take(1, () => admitted.push('small')),
    false,
  )
  budget.release(500)
  t.same(admitted, ['small'])
})

t.test('who leaves the line makes room for those behind', async (t) => {
  const budget = new ByteBudget(100)
  const admitted: string[] = []
  budget.charge(50)
  const large = () => admitted.push('large')
  t.equal(budget.take(90, large), false)
  t.equal(
    budget.take(10, () => admitted.push('small')),
    false,
  )
  budget.cancel(large)
  t.same(admitted, ['small'])
  budget.release(60)
  t.equal(budget.bytesUsed, 0)
})
