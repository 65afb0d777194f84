// Which graphs there are: the catalog's names in the reserved part of a database, read as a range
// and without a look at any descriptor.

import { concatBytes, textOf } from '../../base/bytes.js'
import { scanEntriesMax } from '../../base/limits.js'
import { namespaceKey } from '../../engine/collection/catalog.js'
import { graphPrefix } from '../../engine/collection/descriptors.js'
import type { Program, ReadTx } from '../../store/store.js'
import { partName } from './graph.js'

/** The graphs of a database, by name in byte order. */
export function* graphNames(tx: ReadTx, db: string): Program<string[]> {
  const names: string[] = []
  const start = namespaceKey(db, graphPrefix)
  // The character after the dot that the prefix ends with.
  const end = namespaceKey(db, `${graphPrefix.slice(0, -1)}/`)
  const suffix = partName('', 'anchors').slice(graphPrefix.length)
  for (let from = start; ; ) {
    const page = yield* tx.scan({ start: from, end }, scanEntriesMax)
    for (const { key } of page) {
      const name = textOf(key, start.length)
      if (name.endsWith(suffix)) names.push(name.slice(0, -suffix.length))
    }
    const last = page.at(-1)
    if (last === undefined || page.length < scanEntriesMax) return names
    from = concatBytes(last.key, Uint8Array.of(0))
  }
}
