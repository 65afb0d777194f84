// Whether a memory was anchored later than its stated creation time explains: an earlier anchor
// with room was made more than ten minutes after it. The times are the chain's.
// (docs/memory.md, "The sweep")

import { LRUCache } from 'lru-cache'
import { verifyMemoriesAtOnce, verifyRootsKept } from '../../../base/limits/memory.js'
import { type GraphKeys, graphKeyed } from '../../graph/graph-key.js'
import type { Anchor } from '../anchors/anchor.js'
import { anchorsBefore, findAnchor } from '../anchors/anchors.js'
import type { GraphPrograms } from '../graph-programs.js'
import type { ChainReadings } from '../verdicts/chain-readings.js'
import { hasRoomFor, isLate } from '../verdicts/verdict.js'
import type { CheckedMemory } from './sweep-checks.js'

interface Times {
  readonly at: number | undefined
  /** Time of the newest earlier anchor with room; undefined if there is none. */
  readonly before: number | undefined
}

export class Lateness {
  private readonly known = new LRUCache<string, Times>({ max: verifyRootsKept })

  constructor(
    private readonly read: GraphPrograms['read'],
    private readonly keys: GraphKeys,
    private readonly parts: { readonly readings: ChainReadings; readonly isConfigured: boolean },
  ) {}

  async isLate({ anchorId, createdAt }: CheckedMemory): Promise<boolean> {
    if (anchorId === null || !this.parts.isConfigured) return false
    const known = this.known.get(anchorId) ?? (await this.timesOf(anchorId))
    this.known.set(anchorId, known)
    return isLate(createdAt, known.at, known.before)
  }

  private async timesOf(id: string): Promise<Times> {
    const found = await this.read(function* (tx, { anchors }) {
      const anchor = yield* findAnchor(tx, anchors, id)
      return { anchor, earlier: yield* anchorsBefore(tx, anchors, id, verifyMemoriesAtOnce) }
    })
    if (found?.anchor === undefined) return { at: undefined, before: undefined }
    const at = await this.timeOf(found.anchor)
    for (const anchor of found.earlier) {
      const before = hasRoomFor(anchor) ? await this.timeOf(anchor) : undefined
      if (before !== undefined && at !== undefined && before < at) return { at, before }
    }
    return { at, before: undefined }
  }

  private async timeOf({ version, root, block }: Anchor): Promise<number | undefined> {
    const reading = await this.parts.readings.of(graphKeyed(this.keys, version), root, block)
    return reading.kind === 'found' ? reading.entry.at * 1_000 : undefined
  }
}
