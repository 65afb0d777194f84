// The picture of a graph: the newest nodes, what a question names beyond them, and what was opened.

import t from 'tap'
import {
  type EntityNode,
  edgeKey,
  entitiesOf,
  type MemoryNode,
  memoriesOf,
  neighboursOf,
  type Snapshot,
  viewOf,
  withNodes,
} from '../../../../src/studio/lib/memory/graph.js'

function memory(id: string): MemoryNode {
  return { id, type: 'memory', text: id, status: 'active', createdAt: 0 }
}

const entity = (id: string): EntityNode => ({ id, type: 'entity', name: id, kind: 'thing' })
const edge = (from: string, to: string) => ({ from, to, type: 'mentions' })

const snapshot: Snapshot = {
  nodes: [memory('m3'), entity('e1'), memory('m2')],
  edges: [edge('m3', 'e1'), edge('m2', 'e1'), edge('m2', 'elsewhere')],
  anchors: [],
  total: 9,
  truncated: true,
}
const recall = {
  memories: [
    { id: 'm1', score: 2, distance: 0 },
    { id: 'm3', score: 1, distance: 1 },
  ],
  nodeIds: ['m1', 'e0', 'm3'],
  contextTruncated: false,
}
const named = {
  nodes: [memory('m1'), entity('e0'), memory('m3')],
  edges: [edge('m1', 'e0')],
  truncated: false,
}

t.test('without a question: the newest, and edges between what is there', async (t) => {
  const view = viewOf(snapshot)
  t.same(
    memoriesOf(view).map(({ id }) => id),
    ['m3', 'm2'],
  )
  t.same(view.edges.map(edgeKey), ['m3 e1 mentions', 'm2 e1 mentions'])
  t.match(view, { total: 9, newest: 3, isTruncated: true })
})

t.test('with a question: all that it names, the best first, each node once', async (t) => {
  const view = viewOf(snapshot, recall, named)
  t.same([...view.nodes.keys()], ['m3', 'e1', 'm2', 'm1', 'e0'])
  t.same(
    memoriesOf(view).map(({ id }) => id),
    ['m1', 'm3'],
  )
  const neighbours = neighboursOf(view.edges)
  t.same(
    entitiesOf(view, neighbours).map(({ id }) => id),
    ['e0'],
    'of the context alone',
  )
  t.same(neighbours.get('e1'), [
    { id: 'm3', type: 'mentions', isAfter: false },
    { id: 'm2', type: 'mentions', isAfter: false },
  ])
})

t.test('what is opened from elsewhere brings its edges', async (t) => {
  const opened = { nodes: [memory('elsewhere')], edges: [edge('m2', 'elsewhere')], truncated: true }
  const view = withNodes(viewOf(snapshot), opened)
  t.ok(view.nodes.has('elsewhere'))
  t.ok(view.edges.some(({ to }) => to === 'elsewhere'))
  t.equal(view.isTruncated, true)
})
