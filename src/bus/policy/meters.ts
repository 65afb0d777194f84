// What a document command counts as. A row names its meter. serverStatus, `top`, `$collStats` and
// currentOp each use another MongoDB name for it.

/** The names of `opcounters` in serverStatus. */
const operationKinds = ['insert', 'query', 'update', 'delete', 'getmore', 'command'] as const
/** The names of `top`. */
export const topKinds = ['queries', 'getmore', 'insert', 'update', 'remove', 'commands'] as const
/** The names of `latencyStats` in `$collStats`. */
export const latencyKinds = ['reads', 'writes', 'commands'] as const

export type OperationKind = (typeof operationKinds)[number]
export type TopKind = (typeof topKinds)[number]
export type LatencyKind = (typeof latencyKinds)[number]

interface MeterRow {
  readonly operation: OperationKind
  /** Indexes into topKinds and latencyKinds. */
  readonly top: number
  readonly latency: number
  /** The name in currentOp. */
  readonly shown: string
}

function row(
  operation: OperationKind,
  top: TopKind,
  latency: LatencyKind,
  shown: string,
): MeterRow {
  return { operation, top: topKinds.indexOf(top), latency: latencyKinds.indexOf(latency), shown }
}

export const meters = {
  insert: row('insert', 'insert', 'writes', 'insert'),
  find: row('query', 'queries', 'reads', 'query'),
  getMore: row('getmore', 'getmore', 'reads', 'getmore'),
  update: row('update', 'update', 'writes', 'update'),
  delete: row('delete', 'remove', 'writes', 'remove'),
  /** Aggregations and counts, which have no operation counter in MongoDB. */
  read: row('command', 'commands', 'reads', 'command'),
  findAndModify: row('update', 'commands', 'writes', 'command'),
  command: row('command', 'commands', 'commands', 'command'),
}

export type Meter = keyof typeof meters
