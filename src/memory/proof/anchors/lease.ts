// Elects the gateway that runs a background job when several share a store: one row with the holder
// and its expiry. If a holder dies without a release, another takes over after the expiry.

import { type Bytes, concatBytes, textOf, utf8 } from '../../../base/bytes/bytes.js'
import type { Clock, Random } from '../../../base/clock.js'
import { keyClass } from '../../../store/layout.js'
import type { Program, Store, Tx } from '../../../store/store.js'

/** A row kind in the class that no command can name. */
const kind = 0x50
const holderBytes = 12

interface LeaseOptions {
  readonly store: Store
  readonly clock: Clock
  readonly random: Random
  /** Name of the job. */
  readonly name: string
  /** How long it is valid without renewal, milliseconds. */
  readonly ms: number
}

export class Lease {
  private readonly key: Bytes
  /** Undefined until the first call. */
  private known: string | undefined

  constructor(private readonly options: LeaseOptions) {
    this.key = concatBytes(Uint8Array.of(keyClass.identity, kind), utf8(options.name))
  }

  /** Takes or renews the lease; false if another process has it. */
  hold(): Promise<boolean> {
    const now = this.options.clock.now()
    return this.options.store.write((tx) => this.take(tx, now))
  }

  async release(): Promise<void> {
    if (this.known === undefined) return
    await this.options.store.write((tx) => this.drop(tx))
  }

  private get holder(): string {
    this.known ??= Buffer.from(this.options.random.bytes(holderBytes)).toString('hex')
    return this.known
  }

  private *take(tx: Tx, now: number): Program<boolean> {
    const found = yield* tx.get(this.key)
    const [holder, until] = found === undefined ? [] : textOf(found).split(' ')
    const leftMs = Number(until) - now
    // After the clock was set back, more than a term is left: the holder may be gone.
    const isHeld = leftMs > 0 && leftMs <= this.options.ms
    if (holder !== undefined && holder !== this.holder && isHeld) return false
    tx.put(this.key, utf8(`${this.holder} ${now + this.options.ms}`))
    return true
  }

  private *drop(tx: Tx): Program<void> {
    const found = yield* tx.get(this.key)
    if (found !== undefined && textOf(found).startsWith(`${this.holder} `)) tx.remove(this.key)
  }
}
