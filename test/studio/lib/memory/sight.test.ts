// What is seen of a graph: moving, zooming and fitting, and the node at a point or in a direction.

import t from 'tap'
import { neighboursOf } from '../../../../src/studio/lib/memory/graph.js'
import {
  fitted,
  moved,
  neighbourToward,
  nodeAt,
  revealed,
  seenAt,
  zoomed,
} from '../../../../src/studio/lib/memory/sight.js'

const size = { width: 400, height: 200 }
const places = new Map([
  ['middle', { x: 0, y: 0 }],
  ['right', { x: 50, y: 5 }],
  ['up', { x: 4, y: -50 }],
  ['left', { x: -50, y: 0 }],
  ['alone', { x: 50, y: 50 }],
])
const edge = (to: string) => ({ id: to, from: 'middle', to, type: 'mentions' })
const neighbours = neighboursOf(['right', 'up', 'left'].map(edge))

t.test('what is fitted lies inside, however far it was', async (t) => {
  for (const spread of [0, 1, 1_000, 100_000]) {
    const points = [...places.values()].map(({ x, y }) => ({ x: x * spread, y: y * spread }))
    const sight = fitted(points, size)
    for (const { x, y } of points.map((point) => seenAt(sight, point))) {
      const isInside = x >= 0 && x <= 400 && y >= 0 && y <= 200
      t.ok(isInside || sight.scale === 0.05, `${spread}: ${x}, ${y}`)
    }
  }
  t.match(fitted([], size), { x: 200, y: 100 })
})

t.test('the point under the pointer stays where it is, up to the limits of zooming', async (t) => {
  const sight = { x: 30, y: -7, scale: 1.5 }
  const at = { x: 120, y: 80 }
  const before = { x: (at.x - sight.x) / sight.scale, y: (at.y - sight.y) / sight.scale }
  for (const factor of [1.25, 0.8, 1e9, 1e-9]) {
    const next = zoomed(sight, factor, at)
    const after = seenAt(next, before)
    t.ok(Math.hypot(after.x - at.x, after.y - at.y) < 1e-6)
    t.ok(next.scale >= 0.05 && next.scale <= 8)
  }
  t.same(moved(sight, { x: 1, y: 2 }), { x: 31, y: -5, scale: 1.5 })
})

t.test('a node that is selected from elsewhere is brought into sight', async (t) => {
  const sight = { x: 0, y: 0, scale: 1 }
  t.same(revealed(sight, { x: 100, y: 100 }, size), sight, 'it was seen')
  for (const point of [
    { x: 5_000, y: -300 },
    { x: -5_000, y: 999 },
  ]) {
    const { x, y } = seenAt(revealed(sight, point, size), point)
    t.ok(x > 0 && x < 400 && y > 0 && y < 200)
  }
})

t.test('the node at a point', async (t) => {
  const sight = { x: 200, y: 100, scale: 1 }
  t.equal(nodeAt(places, sight, { x: 203, y: 103 }, 10), 'middle')
  t.equal(nodeAt(places, sight, { x: 246, y: 104 }, 10), 'right')
  t.equal(nodeAt(places, sight, { x: 225, y: 100 }, 10), undefined)
})

t.test('arrow keys go to neighbours alone, each to its own side', async (t) => {
  const toward = (direction: 'left' | 'right' | 'up' | 'down', from = 'middle') =>
    neighbourToward(places, neighbours, from, direction)
  t.equal(toward('right'), 'right')
  t.equal(toward('up'), 'up')
  t.equal(toward('left'), 'left')
  t.equal(toward('down'), 'right', 'the least far from it')
  t.equal(toward('left', 'right'), 'middle', 'and back')
  t.equal(toward('right', 'right'), undefined, 'nothing lies there')
  t.equal(toward('right', 'alone'), undefined)
  t.equal(toward('right', 'nosuch'), undefined)
})
