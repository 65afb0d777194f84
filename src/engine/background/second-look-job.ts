// Looks again at the keys for which clients wait, on a store that other gateways change too: a
// notification of a change may be lost. One read for many keys, and only those with another version
// wake their clients. (docs/design/many-gateways.md, "Waking")

import { mapKey } from '../../base/bytes/bytes.js'
import { lookAgainMs } from '../../base/limits/store.js'
import type { Log } from '../../base/log.js'
import { keyClass } from '../../store/layout.js'
import type { Program, ReadTx, Store } from '../../store/store.js'
import { newestKey } from '../changes/recording.js'
import type { RemoteWakes, Slot } from '../remote-wakes.js'
import { BackgroundLoop } from './background-loop-job.js'
import type { Pace } from './pace-job.js'

/** Keys whose versions one program reads. */
const keysAtOnce = 1_000

interface SecondLookParts {
  readonly store: Store
  readonly wakes: RemoteWakes
  readonly log: Log
  readonly pace: Pace
}

export class SecondLook {
  private readonly loop: BackgroundLoop
  /** The newest record of the change log, as text. */
  private newest: string | undefined

  constructor(private readonly parts: SecondLookParts) {
    const { pace, log } = parts
    this.loop = new BackgroundLoop({
      pace,
      log,
      everyMs: lookAgainMs,
      sleepsFirst: true,
      failure: 'what clients wait for could not be looked at',
      round: () => this.round(),
    })
  }

  start(): void {
    this.loop.start()
  }

  close(): Promise<void> {
    return this.loop.close()
  }

  /** Never leaves work. */
  async round(): Promise<boolean> {
    const { wakes } = this.parts
    wakes.prune()
    const streams: Slot[] = []
    const others: Slot[] = []
    for (const slot of wakes.awaited()) {
      // Streams wait for a part of the change log, which has no key of its own.
      if (slot.key[0] === keyClass.change) streams.push(slot)
      else others.push(slot)
    }
    if (streams.length > 0) await this.lookAtLog(streams)
    for (let at = 0; at < others.length; at += keysAtOnce) {
      await this.lookAt(others.slice(at, at + keysAtOnce))
    }
    return false
  }

  private async lookAtLog(streams: readonly Slot[]): Promise<void> {
    const newest = await this.parts.store.read(newestKey)
    const text = newest === undefined ? undefined : mapKey(newest)
    const isChanged = text !== this.newest
    this.newest = text
    for (const slot of streams) {
      const isNew = slot.version === undefined
      slot.version = 0
      if (isChanged || isNew) wake(slot)
    }
  }

  private async lookAt(some: readonly Slot[]): Promise<void> {
    const keys = some.map(({ key }) => key)
    const versions = await this.parts.store.read(function* (
      tx: ReadTx,
    ): Program<(number | undefined)[]> {
      return yield* tx.getVersions(keys)
    })
    for (const [index, slot] of some.entries()) {
      const version = versions[index] ?? null
      const isChanged = version !== slot.version
      slot.version = version
      if (isChanged) wake(slot)
    }
  }
}

function wake({ changed }: Slot): void {
  for (const tell of [...changed]) tell()
}
