// The work budget by itself: what is due, what is refused, and stretches within stretches.

import t from 'tap'
import { isTooMuchWork, WorkBudget } from '../../../src/base/work/work-budget.js'

t.test('a stretch is due first, and refused beyond its bound', async (t) => {
  const work = new WorkBudget()
  work.begin(10, 5)
  work.spend(9)
  t.equal(work.isDue, false)
  work.spend(1)
  t.equal(work.isDue, true)
  t.equal(work.allows(5), true)
  t.equal(work.allows(6), false)
  work.spend(5)
  t.throws(() => work.spend(1), { code: 50 })
  t.equal(work.spent, 15, 'what is refused is not done, and does not count')
  work.note(100)
  t.equal(work.spent, 115, 'what cannot fail counts all the same')
})

t.test('outside of stretches nothing is due and nothing is refused', async (t) => {
  const work = new WorkBudget()
  work.begin(1, 1)
  work.end()
  work.spend(1_000_000)
  t.equal(work.isDue, false)
})

t.test('a stretch goes on as it was after another one that interrupted it', async (t) => {
  const work = new WorkBudget()
  work.begin(10, 0)
  work.spend(4)
  const outer = work.interrupt()
  work.begin(100, 0)
  work.spend(100)
  work.resume(outer)
  t.equal(work.isDue, false)
  work.spend(6)
  t.equal(work.isDue, true)
  t.throws(() => work.spend(1))
  work.resetLongest()
  work.end()
  t.equal(work.longest, 10, 'both of its parts, and nothing of the other one')
})

t.test('the longest stretch is known, the work of others left out', async (t) => {
  const work = new WorkBudget()
  for (const units of [3, 8, 5]) {
    work.begin(10, 0)
    work.spend(units)
    work.end()
  }
  work.spend(50)
  work.begin(10, 0)
  work.end()
  t.equal(work.longest, 8, 'what is done outside of stretches is none')
  work.resetLongest()
  t.equal(work.longest, 0)
})

t.test('a removal makes a loop due and is not refused', async (t) => {
  const work = new WorkBudget()
  work.begin(10, 0)
  work.unrefused(() => work.spend(20))
  t.equal(work.isDue, true)
  const error = await Promise.resolve().then(() => {
    try {
      work.spend(11)
      return undefined
    } catch (thrown) {
      return thrown
    }
  })
  t.equal(isTooMuchWork(error), true)
})

t.test('what a thread can do instead is refused sooner, and its bound ends with it', async (t) => {
  const work = new WorkBudget()
  const refuses = (units: number) => t.throws(() => work.spend(units), { code: 50 })
  work.begin(10, 100, 20)
  work.spend(5)
  const bound = work.setApart()
  work.spend(20)
  refuses(1)
  const inner = work.interrupt()
  work.begin(10, 0)
  t.equal(work.setApart(), work.setApart(), 'other stretches have no such bound')
  work.resume(inner)
  refuses(1)
  work.joined(bound)
  work.spend(85)
  refuses(1)
  work.begin(10, 5, 20)
  work.setApart()
  work.spend(15)
  refuses(1)
  work.end()
})
