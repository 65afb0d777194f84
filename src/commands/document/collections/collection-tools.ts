// Commands about one collection that tools send beside those for its figures: dataSize, compact and
// planCacheListFilters.

import { fail } from '../../../base/errors.js'
import {
  bool,
  collection,
  ignored,
  object,
  optional,
  string,
  withDefault,
} from '../../../bus/document/params.js'
import { reply } from '../../../bus/document/reply.js'
import { documentRow } from '../../../bus/document/row.js'
import { plain } from '../../../bus/policy/facts.js'
import { countOf } from '../../../engine/collection/counters.js'
import { numberValue } from '../../../value/value.js'
import { splitNamespace, targetResource } from '../arguments.js'

const dataSize = documentRow({
  name: 'dataSize',
  ...plain,
  roles: ['metadata'],
  aliases: ['datasize'],
  grain: 'read',
  access: 'reader',
  target: string,
  params: {
    keyPattern: optional(object),
    min: optional(object),
    max: optional(object),
    estimate: withDefault(bool, false),
  },
  resources: ({ target }) => [{ ...splitNamespace(target), privileges: ['read'] }],
  help: 'Counts the documents of a whole collection and their bytes.',
  *run(tx, { args }) {
    const { keyPattern, min, max } = args
    if (keyPattern !== undefined || min !== undefined || max !== undefined) {
      throw fail('CommandNotSupported', 'dataSize of a range of an index is not supported')
    }
    const ns = tx.namespace()
    const { documents, bytes } = ns === undefined ? none : yield* countOf(tx, ns)
    return reply((writer) => {
      if (ns !== undefined) writer.bool('estimate', false)
      writer.value('size', numberValue(bytes)).value('numObjects', numberValue(documents))
      writer.int32('millis', 0)
    })
  },
})

const none = { documents: 0, bytes: 0 }

const compact = documentRow({
  name: 'compact',
  ...plain,
  roles: ['administers'],
  grain: 'read',
  access: 'identity',
  target: collection,
  params: { force: ignored, freeSpaceTargetMB: ignored },
  resources: targetResource('admin'),
  help: 'Frees nothing and reports 0: the store reuses the space of deleted data.',
  *run(tx) {
    if (tx.namespace() === undefined) throw fail('NamespaceNotFound', 'collection does not exist')
    return reply((writer) => writer.int32('bytesFreed', 0))
  },
})

const planCacheListFilters = documentRow({
  name: 'planCacheListFilters',
  ...plain,
  grain: 'read',
  access: 'reader',
  target: collection,
  params: {},
  resources: targetResource('read'),
  help: 'Lists index filters: none.',
  *run() {
    return reply((writer) => writer.openArray('filters').close())
  },
})

export const collectionToolRows = [dataSize, compact, planCacheListFilters]
