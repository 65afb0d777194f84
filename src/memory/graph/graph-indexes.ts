// The indexes of a graph's parts, which all its reads use. Entries of a non-unique index end with
// the record's key, so that equal ones are ordered by `_id`.

import { type IndexSpec, parseIndexSpec } from '../../engine/index/index-spec.js'
import { documentFrom } from '../../value/literal.js'

interface Described {
  readonly name: string
  readonly key: Readonly<Record<string, 1 | -1>>
  readonly unique?: true
  readonly sparse?: true
  readonly partialFilterExpression?: Readonly<Record<string, unknown>>
}

const isThere = { $exists: true }

const described: Readonly<Record<string, readonly Described[]>> = {
  nodes: [
    { name: 'created', key: { createdAt: 1 } },
    { name: 'names', key: { names: 1 }, sparse: true },
    { name: 'content', key: { contentKey: 1 }, unique: true, sparse: true },
    {
      name: 'sequence',
      key: { 'source.ref': 1, createdAt: 1 },
      partialFilterExpression: { 'source.ref': isThere },
    },
    {
      name: 'unanchored',
      key: { createdAt: 1 },
      partialFilterExpression: { type: 'memory', anchorId: null },
    },
  ],
  edges: [
    { name: 'from', key: { from: 1, weight: -1, createdAt: -1 } },
    { name: 'to', key: { to: 1, weight: -1, createdAt: -1 } },
  ],
}

const parsed: ReadonlyMap<string, readonly IndexSpec[]> = new Map(
  Object.entries(described).map(([part, indexes]) => [
    part,
    indexes.map((index) => parseIndexSpec(documentFrom({ v: 2, ...index }))),
  ]),
)

/** The indexes of a part; none if it is read only by `_id`. */
export function indexesOf(part: string): readonly IndexSpec[] {
  return parsed.get(part) ?? []
}
