// What the page of a graph shows: the newest nodes, and everything that a question names, joined
// into one picture. No text of a node is more than text.

/** In the short form of the server: a long text ends with a sign. */
export interface MemoryNode {
  readonly id: string
  readonly type: 'memory'
  readonly text: string
  readonly status: string
  /** Milliseconds since 1970. */
  readonly createdAt: number
}

export interface WholeMemory extends MemoryNode {
  readonly hash: string
  readonly supersedes?: string
  readonly source?: Source
  /** Null for the operator. */
  readonly createdBy: string | null
}

interface Source {
  readonly kind?: string
  readonly ref?: string
  readonly url?: string
  readonly at?: number
}

export interface EntityNode {
  readonly id: string
  readonly type: 'entity'
  readonly name: string
  readonly kind: string
}

export interface WholeEntity extends EntityNode {
  readonly aliases: readonly string[]
}

export type GraphNode = MemoryNode | EntityNode

interface Edge {
  readonly from: string
  readonly to: string
  readonly type: string
}

export interface Anchor {
  readonly id: string
  readonly seq: number
  readonly count: number
  readonly root: string
  readonly status: string
  readonly tx: string | null
  readonly anchoredAt: number | null
  readonly createdAt: number
}

export interface Snapshot {
  /** Newest first. */
  readonly nodes: readonly GraphNode[]
  readonly edges: readonly Edge[]
  readonly anchors: readonly Anchor[]
  readonly total: number
  readonly truncated: boolean
}

interface Found {
  readonly id: string
  readonly score: number
  readonly distance: number
}

export interface Recall {
  /** Best first. */
  readonly memories: readonly Found[]
  readonly nodeIds: readonly string[]
  readonly contextTruncated: boolean
}

/** Nodes by their ids, with the edges between them. */
export interface NodesById {
  readonly nodes: readonly GraphNode[]
  readonly edges: readonly Edge[]
  /** Edges are left out. */
  readonly truncated: boolean
}

export interface GraphView {
  readonly nodes: ReadonlyMap<string, GraphNode>
  readonly edges: readonly Edge[]
  readonly anchors: readonly Anchor[]
  readonly total: number
  /** How many of the nodes are the newest of the graph. */
  readonly newest: number
  readonly isTruncated: boolean
  /** Undefined without a question. */
  readonly recall: Recall | undefined
}

/** Two nodes have one edge of a type. */
export function edgeKey({ from, to, type }: Edge): string {
  return `${from} ${to} ${type}`
}

export function viewOf(snapshot: Snapshot, recall?: Recall, named?: NodesById): GraphView {
  const parts = named === undefined ? [snapshot] : [snapshot, named]
  const nodes = new Map(parts.flatMap((part) => part.nodes.map((node) => [node.id, node])))
  const edges = new Map(parts.flatMap((part) => part.edges.map((edge) => [edgeKey(edge), edge])))
  return {
    nodes,
    edges: [...edges.values()].filter(({ from, to }) => nodes.has(from) && nodes.has(to)),
    anchors: snapshot.anchors,
    total: snapshot.total,
    newest: snapshot.nodes.length,
    isTruncated: snapshot.truncated || named?.truncated === true,
    recall,
  }
}

/** With nodes that were opened from elsewhere. */
export function withNodes(view: GraphView, { nodes, edges, truncated }: NodesById): GraphView {
  const all = new Map([...view.nodes, ...nodes.map((node) => [node.id, node] as const)])
  const known = new Map([...view.edges, ...edges].map((edge) => [edgeKey(edge), edge]))
  return {
    ...view,
    nodes: all,
    edges: [...known.values()].filter(({ from, to }) => all.has(from) && all.has(to)),
    isTruncated: view.isTruncated || truncated,
  }
}

/** The memories of the list: what was found, best first, or else the newest. */
export function memoriesOf({ nodes, recall }: GraphView): readonly MemoryNode[] {
  const isMemory = (node: GraphNode | undefined): node is MemoryNode => node?.type === 'memory'
  if (recall !== undefined) return recall.memories.map(({ id }) => nodes.get(id)).filter(isMemory)
  return [...nodes.values()].filter(isMemory)
}

/** The entities of the list, those with the most edges in the picture first. */
export function entitiesOf(
  { nodes, recall }: GraphView,
  neighbours: Neighbours,
): readonly EntityNode[] {
  const named = recall === undefined ? undefined : new Set(recall.nodeIds)
  const degree = ({ id }: EntityNode) => neighbours.get(id)?.length ?? 0
  return [...nodes.values()]
    .filter((node): node is EntityNode => node.type === 'entity' && named?.has(node.id) !== false)
    .toSorted((one, other) => degree(other) - degree(one))
}

interface Neighbour {
  readonly id: string
  readonly type: string
  /** The edge leads from the node to its neighbour. */
  readonly isAfter: boolean
}

export type Neighbours = ReadonlyMap<string, readonly Neighbour[]>

export function neighboursOf(edges: readonly Edge[]): Neighbours {
  const neighbours = new Map<string, Neighbour[]>()
  const add = (of: string, neighbour: Neighbour) => {
    const known = neighbours.get(of)
    if (known === undefined) neighbours.set(of, [neighbour])
    else known.push(neighbour)
  }
  for (const { from, to, type } of edges) {
    add(from, { id: to, type, isAfter: true })
    add(to, { id: from, type, isAfter: false })
  }
  return neighbours
}

export function titleOf(node: GraphNode): string {
  return node.type === 'memory' ? node.text : node.name
}
