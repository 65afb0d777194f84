// Holds of what long commands have read, told to the other gateways of the store: a writer there
// waits as one of this gateway does. A gateway tells hashes of keys. A message may be lost; then
// the command begins again more often, and fails at last.
// (docs/design/many-gateways.md, "Holding")

import type { Bytes } from '../base/bytes/bytes.js'
import { heldReadsKeysMax, heldReadsMsMax } from '../base/limits/store.js'
import { type Exchange, topic } from '../store/exchange.js'
import type { HeldReads, HoldOfReads } from '../store/transactions/held-reads.js'
import { hashesBehind, hashOfKey, withHashes } from './remote-wakes.js'

/** The hold of one command at the other gateways. */
export interface RemoteHold {
  /** These keys are held as well, from now on. */
  add(keys: Iterable<Bytes>): void
  end(): void
}

/** Of another gateway. */
interface Held {
  readonly sender: string
  readonly hashes: Set<number>
  readonly hold: HoldOfReads
}

/** The number of the hold, and its milliseconds. */
const headBytes = 8
const msAt = 4

export class RemoteHolds {
  private next = 1
  /** By sender and number. */
  private readonly held = new Map<string, Held>()

  constructor(
    private readonly exchange: Exchange,
    private readonly heldReads: HeldReads,
  ) {
    exchange.receive(topic.held, (body, sender) => this.receive(body, sender))
    exchange.whenLeft((name) => {
      for (const [id, { sender }] of this.held) if (sender === name) this.end(id)
    })
  }

  begin(ms: number): RemoteHold {
    const number = this.next++
    const told = new Set<number>()
    return {
      add: (keys) => {
        if (!this.exchange.hasPeers) return
        const fresh: number[] = []
        for (const key of keys) {
          const hash = hashOfKey(key)
          if (told.has(hash) || told.size >= heldReadsKeysMax) continue
          told.add(hash)
          fresh.push(hash)
        }
        if (fresh.length > 0) this.exchange.send(topic.held, bodyOf(number, ms, fresh))
      },
      end: () => {
        if (told.size > 0) this.exchange.send(topic.held, bodyOf(number, 0, []))
      },
    }
  }

  private receive(body: Bytes, sender: string): void {
    if (body.length < headBytes) return
    const view = new DataView(body.buffer, body.byteOffset, body.length)
    const id = `${sender} ${view.getUint32(0)}`
    const ms = Math.min(view.getUint32(msAt), heldReadsMsMax)
    if (ms === 0) {
      this.end(id)
      return
    }
    const { hashes } = this.held.get(id) ?? this.begun(id, sender, ms)
    for (const hash of hashesBehind(headBytes, body)) {
      if (hashes.size < heldReadsKeysMax) hashes.add(hash)
    }
  }

  private begun(id: string, sender: string, ms: number): Held {
    for (const [other, { hold }] of this.held) if (hold.isOver) this.held.delete(other)
    const hashes = new Set<number>()
    const hold = this.heldReads.holdKeys(ms, (key) => hashes.has(hashOfKey(key)))
    const held = { sender, hashes, hold }
    this.held.set(id, held)
    return held
  }

  private end(id: string): void {
    this.held.get(id)?.hold.end()
    this.held.delete(id)
  }
}

function bodyOf(number: number, ms: number, hashes: readonly number[]): Bytes {
  const head = new Uint8Array(headBytes)
  const view = new DataView(head.buffer)
  view.setUint32(0, number)
  view.setUint32(msAt, Math.ceil(ms))
  return withHashes(head, hashes)
}
