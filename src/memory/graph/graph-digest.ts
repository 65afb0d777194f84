// One hash over the content of a graph: all documents of its four collections in order, except its
// settings and the leaves about the graph itself, which a move adds.

import { createHash } from 'node:crypto'
import { type Bytes, compareBytes, concatBytes, utf8 } from '../../base/bytes/bytes.js'
import { scanEntriesMax } from '../../base/limits/engine.js'
import { idRange } from '../../engine/background/garbage.js'
import { documentOfRecord } from '../../engine/collection/records.js'
import type { Namespace } from '../../engine/types.js'
import { keyClass } from '../../store/layout.js'
import type { KeyRange, Program, ReadTx, Store } from '../../store/store.js'
import { graphSubject } from '../proof/leaves/leaf.js'
import { leafRange } from '../proof/leaves/leaf-records.js'
import { type GraphParts, partsOf } from './graph.js'
import { settingsKey } from './graph-settings.js'

/** Hexadecimal; the graph must not be written meanwhile. */
export async function digestOfGraph(store: Store, graph: GraphParts): Promise<string> {
  const digest = createHash('sha256')
  for (const ns of partsOf(graph)) {
    const range = idRange(keyClass.record, ns.id)
    const skips = ns === graph.anchors ? ownRecords(ns) : []
    digest.update(`${ns.name}\0`)
    for (let start: Bytes | undefined = range.start; start !== undefined; ) {
      const from: KeyRange = { start, end: range.end }
      const page: Page = await store.read((tx) => readPage(tx, from, skips))
      for (const one of page.digests) digest.update(one)
      start = page.next
    }
  }
  return digest.digest('hex')
}

interface Page {
  readonly digests: readonly Bytes[]
  /** Undefined at the end. */
  readonly next: Bytes | undefined
}

function* readPage(tx: ReadTx, range: KeyRange, skips: readonly KeyRange[]): Program<Page> {
  const entries = yield* tx.scan(range, scanEntriesMax)
  const digests: Bytes[] = []
  for (const { key, value } of entries) {
    if (skips.some((skip) => isIn(key, skip))) continue
    const document = yield* documentOfRecord(tx, value)
    digests.push(createHash('sha256').update(document).digest())
  }
  const last = entries.length < scanEntriesMax ? undefined : entries.at(-1)
  return { digests, next: last && concatBytes(last.key, utf8('\0')) }
}

/** The records that a move writes. */
function ownRecords(anchors: Namespace): readonly KeyRange[] {
  const settings = settingsKey(anchors)
  return [
    { start: settings, end: concatBytes(settings, utf8('\0')) },
    leafRange(anchors, 'wait', graphSubject),
    leafRange(anchors, 'leaf', graphSubject),
  ]
}

function isIn(key: Bytes, { start, end }: KeyRange): boolean {
  return compareBytes(key, start) >= 0 && compareBytes(key, end) < 0
}
