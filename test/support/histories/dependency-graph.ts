// What must come before what, and the cycles that no order explains. Under snapshot isolation, each
// cycle has two anti-dependencies (rw) in a row. Under strict serializability there is no cycle. Where
// levels are mixed, the anti-dependencies of strict transactions alone count for that: the others
// may have read an older state than they commit on.

import type { Cycle, Finding } from './history.js'

export interface Dependency {
  /** Written over, read, or read before it was written over. */
  readonly kind: 'ww' | 'wr' | 'rw'
  readonly from: number
  readonly to: number
  readonly list: string
}

export interface GraphNode {
  readonly isStrict: boolean
  readonly began: number
  readonly ended: number
}

interface Edge {
  readonly kind: Dependency['kind'] | 'rt'
  readonly to: number
  readonly list: string
}

/** Edges by the node they come from. */
type Graph = readonly (readonly Edge[])[]

/** The worst cycle; undefined if there is none. `isTimed`: what ended comes before what began. */
export function findCycle(
  nodes: readonly GraphNode[],
  dependencies: readonly Dependency[],
  isTimed = true,
): Finding | undefined {
  const isStrict = (from: number) => nodes[from]?.isStrict === true
  const plain = graphOf(nodes.length, dependencies)
  for (const suffix of isTimed ? (['', '-realtime'] as const) : ([''] as const)) {
    const found = findIn(suffix === '' ? plain : withTime(plain, nodes), isStrict)
    if (found === undefined) continue
    const steps = found.path.filter(({ at }) => at < nodes.length)
    const text = steps.map(({ at, edge }) => `${at} ${edge.kind} (${edge.list})`).join(' → ')
    return { anomaly: `${found.cycle}${suffix}`, text: `${text} → ${steps[0]?.at}` }
  }
  return undefined
}

interface Passed {
  readonly at: number
  readonly edge: Edge
}

interface FoundCycle {
  readonly cycle: Cycle
  readonly path: readonly Passed[]
}

function findIn(graph: Graph, isStrict: (from: number) => boolean): FoundCycle | undefined {
  const only = (wanted: (edge: Edge, from: number) => boolean): Graph =>
    graph.map((edges, from) => edges.filter((edge) => wanted(edge, from)))
  const searches: readonly [Cycle, () => readonly Passed[] | undefined][] = [
    ['G0', () => anyCycle(only(({ kind }) => kind === 'ww' || kind === 'rt'))],
    ['G1c', () => anyCycle(only(({ kind }) => kind !== 'rw'))],
    ['G-single', () => singleCycle(graph)],
    ['G-nonadjacent', () => nonadjacentCycle(graph)],
    ['G2', () => anyCycle(only(({ kind }, from) => kind !== 'rw' || isStrict(from)))],
  ]
  for (const [cycle, search] of searches) {
    const path = search()
    if (path !== undefined) return { cycle, path }
  }
  return undefined
}

function graphOf(count: number, dependencies: readonly Dependency[]): Graph {
  const graph: Edge[][] = Array.from({ length: count }, () => [])
  for (const { from, to, kind, list } of dependencies) graph[from]?.push({ kind, to, list })
  return graph
}

/** An end comes before each later begin: a chain of further nodes says so, one for each end. */
function withTime(graph: Graph, nodes: readonly GraphNode[]): Graph {
  const timed = graph.map((edges) => [...edges])
  const events = nodes.flatMap(({ began, ended }, at) => [
    { at, place: began, isEnd: false },
    { at, place: ended, isEnd: true },
  ])
  const edgeTo = (to: number): Edge => ({ kind: 'rt', to, list: 'time' })
  let last: number | undefined
  for (const { at, isEnd, place } of events.sort((one, other) => one.place - other.place)) {
    if (place === Number.POSITIVE_INFINITY) break
    if (!isEnd) {
      if (last !== undefined) timed[last]?.push(edgeTo(at))
      continue
    }
    const barrier = timed.push([]) - 1
    timed[at]?.push(edgeTo(barrier))
    if (last !== undefined) timed[last]?.push(edgeTo(barrier))
    last = barrier
  }
  return timed
}

/** Nodes that are on a cycle, or on a way from one to another. */
function cyclic(graph: Graph): Set<number> {
  const left = new Set(graph.keys())
  const back: number[][] = graph.map(() => [])
  for (const [from, edges] of graph.entries()) for (const { to } of edges) back[to]?.push(from)
  const peel = (ahead: (at: number) => readonly number[], behind: (at: number) => number[]) => {
    const degree = graph.map((_, at) => behind(at).filter((one) => left.has(one)).length)
    const free = [...left].filter((at) => degree[at] === 0)
    for (let at = free.pop(); at !== undefined; at = free.pop()) {
      left.delete(at)
      for (const next of ahead(at)) {
        degree[next] = (degree[next] ?? 0) - 1
        if (degree[next] === 0 && left.has(next)) free.push(next)
      }
    }
  }
  const targets = (at: number) => (graph[at] ?? []).map(({ to }) => to)
  const sources = (at: number) => back[at] ?? []
  peel(targets, sources)
  peel(sources, targets)
  return left
}

function anyCycle(graph: Graph): readonly Passed[] | undefined {
  const left = cyclic(graph)
  for (const at of left) {
    const path = shortestPath(graph, [at, at], left)
    if (path !== undefined) return path
  }
  return undefined
}

/** One anti-dependency, and a way back without another. */
function singleCycle(graph: Graph): readonly Passed[] | undefined {
  const left = cyclic(graph)
  const calm = graph.map((edges) => edges.filter(({ kind }) => kind !== 'rw'))
  for (const at of left) {
    for (const edge of graph[at] ?? []) {
      if (edge.kind !== 'rw' || !left.has(edge.to)) continue
      const back = shortestPath(calm, [edge.to, at], left)
      if (back !== undefined) return [{ at, edge }, ...back]
    }
  }
  return undefined
}

/** Each node twice: reached by an anti-dependency, after which another one may not follow, or not. */
function nonadjacentCycle(graph: Graph): readonly Passed[] | undefined {
  const count = graph.length
  const doubled = [...graph, ...graph].map((edges, from) =>
    edges
      .filter(({ kind }) => from < count || kind !== 'rw')
      .map((edge) => (edge.kind === 'rw' ? { ...edge, to: edge.to + count } : edge)),
  )
  return anyCycle(doubled)?.map(({ at, edge }) => ({ at: at % count, edge }))
}

function shortestPath(
  graph: Graph,
  [from, to]: readonly [number, number],
  within: ReadonlySet<number>,
): readonly Passed[] | undefined {
  const cameBy = new Map<number, Passed>()
  const queue = [from]
  for (let next = 0; next < queue.length; next++) {
    const at = queue[next] as number
    for (const edge of graph[at] ?? []) {
      if (!within.has(edge.to) || cameBy.has(edge.to)) continue
      cameBy.set(edge.to, { at, edge })
      if (edge.to !== to) {
        queue.push(edge.to)
        continue
      }
      const path: Passed[] = []
      let passed = cameBy.get(to)
      do {
        if (passed === undefined) return undefined
        path.unshift(passed)
        passed = passed.at === from ? undefined : cameBy.get(passed.at)
      } while (passed !== undefined)
      return path
    }
  }
  return undefined
}
