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

t.test('requests that wait for more do not wait for what they hold', async (t) => {
  const budget = new ByteBudget(100)
  const admitted: string[] = []
  const turn = () => new Promise(setImmediate)
  budget.charge(60)
  t.equal(
    budget.take(50, () => admitted.push('new')),
    false,
  )
  t.equal(
    budget.take(50, () => admitted.push('first'), 30),
    false,
  )
  await turn()
  t.same(admitted, [], 'while another request is in flight')
  t.equal(
    budget.take(50, () => admitted.push('second'), 30),
    false,
  )
  await turn()
  t.same(admitted, ['first'], 'one at a time, those that hold something first')
  budget.release(80)
  t.same(admitted, ['first', 'second'])
  budget.release(80)
  t.same(admitted, ['first', 'second', 'new'])
  budget.release(50)
  t.equal(budget.bytesUsed, 0)
  t.equal(budget.usedByOthers(0), 0)
})

t.test('who leaves the line no longer counts as waiting', async (t) => {
  const budget = new ByteBudget(100)
  const leaves = () => {}
  budget.charge(60)
  t.equal(budget.take(90, leaves, 40), false)
  t.equal(budget.usedByOthers(0), 20)
  budget.cancel(leaves)
  t.equal(budget.usedByOthers(0), 60)
})

t.test('what can be closed is closed before a request waits', async (t) => {
  const budget = new ByteBudget(100)
  budget.charge(60)
  budget.onShort = () => budget.release(60)
  t.equal(
    budget.take(90, () => {}),
    true,
  )
})
