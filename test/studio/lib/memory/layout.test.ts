// The layout of a graph: the same each time, in slices that end when their time is used up, and
// beginning where nodes stood before.

import t from 'tap'
import { Layout, type Point } from '../../../../src/studio/lib/memory/layout.js'

const ids = Array.from({ length: 60 }, (_, index) => `n${index}`)
const links = ids.slice(1).map((to, index) => ({ from: `n${Math.floor(index / 3)}`, to }))

function laidOut(layout: Layout): ReadonlyMap<string, Point> {
  while (!layout.isDone) layout.step(1, () => 0)
  return layout.places()
}

/** A clock that goes on by a millisecond whenever it is read. */
function ticking(): () => number {
  let now = 0
  return () => now++
}

t.test('a graph is laid out the same each time, and no node lies on another', async (t) => {
  const places = laidOutOnce()
  t.same([...places], [...laidOutOnce()])
  const points = [...places.values()]
  for (const [index, one] of points.entries()) {
    for (const other of points.slice(index + 1)) {
      const distance = Math.hypot(one.x - other.x, one.y - other.y)
      if (distance < 5) t.fail(`two nodes are ${distance} apart`)
    }
  }

  function laidOutOnce(): ReadonlyMap<string, Point> {
    const layout = new Layout(ids, links)
    for (let turns = 0; !layout.isDone; turns++) {
      if (turns > 1_000) throw new Error('the layout has no end')
      layout.step(3, ticking())
    }
    return layout.places()
  }
})

t.test('a slice ends when its time is used up, and does at least one tick', async (t) => {
  const slices = (budget: number): number => {
    const layout = new Layout(ids, links)
    let count = 0
    while (!layout.isDone) {
      layout.step(budget, ticking())
      count++
    }
    return count
  }
  const ticks = slices(0)
  t.ok(ticks > 50, `${ticks} ticks`)
  t.equal(slices(10), Math.ceil(ticks / 10))
})

t.test('what stood stays near, and what comes begins beside its neighbour', async (t) => {
  const before = new Map<string, Point>([['n0', { x: 1_000, y: 1_000 }]])
  const begun = new Layout(['n0', 'n1', 'n2', 'far'], links, before).places()
  t.same(begun.get('n0'), { x: 1_000, y: 1_000 })
  for (const id of ['n1', 'n2']) {
    const { x, y } = begun.get(id) ?? { x: 0, y: 0 }
    t.ok(Math.hypot(x - 1_000, y - 1_000) < 30, id)
  }
  t.not(begun.get('n1')?.x, begun.get('n2')?.x, 'not at one point')
})

t.test('an edge without one of its nodes, and a graph without nodes', async (t) => {
  t.equal(laidOut(new Layout(['a'], [{ from: 'a', to: 'gone' }])).size, 1)
  t.equal(laidOut(new Layout([], [])).size, 0)
})
