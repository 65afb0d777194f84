// What clients of one gateway wait for, and what others change. A gateway tells the others hashes
// of the keys for which its clients wait, and they tell it of their changes. A message may be lost:
// a job looks at the keys again every second. (docs/design/many-gateways.md, "Waking")

import { type Bytes, mapKey } from '../base/bytes/bytes.js'
import type { Clock } from '../base/clock.js'
import { wantedKeysMax, wantedKeysMs } from '../base/limits/store.js'
import { type Exchange, topic } from '../store/exchange.js'

/** A key that clients wait for, or waited for shortly before. */
export interface Slot {
  readonly key: Bytes
  readonly hash: number
  readonly changed: Set<() => void>
  /** Its version at the last look; undefined before the first, null if it was missing. */
  version: number | null | undefined
  /** Since when no client waits, by `clock.elapsed`. */
  emptySinceMs: number | undefined
}

/** All wanted keys of the sender follow, not only the new ones. */
const whole = 1
const more = 0

export class RemoteWakes {
  private readonly slots = new Map<string, Slot>()
  private readonly byHash = new Map<number, Set<Slot>>()
  /** Hashes that the others want: how many gateways, and which. */
  private readonly byOthers = new Map<number, number>()
  private readonly others = new Map<string, Set<number>>()
  private fresh: number[] = []
  private changes = new Set<number>()

  constructor(
    private readonly exchange: Exchange,
    private readonly clock: Clock,
  ) {
    exchange.receive(topic.wanted, (body, sender) => this.learn(body, sender))
    exchange.receive(topic.changed, (body) => {
      for (const hash of hashesBehind(1, body)) this.wake(hash)
    })
    exchange.whenJoined(() => this.announce())
    exchange.whenLeft((name) => this.forget(name))
    exchange.whenLost(() => {
      this.announce()
      this.wakeAll()
    })
  }

  /** Whether another gateway waits for some key. */
  get isAsked(): boolean {
    return this.byOthers.size > 0
  }

  /** All keys for which a client waits here. */
  *awaited(): Generator<Slot> {
    for (const slot of this.slots.values()) if (slot.changed.size > 0) yield slot
  }

  /** Until the function that it answers is called. */
  want(key: Bytes, changed: () => void): () => void {
    const slot = this.slots.get(mapKey(key)) ?? this.add(key)
    slot.changed.add(changed)
    slot.emptySinceMs = undefined
    return () => {
      slot.changed.delete(changed)
      if (slot.changed.size === 0) slot.emptySinceMs = this.clock.elapsed()
    }
  }

  private add(key: Bytes): Slot {
    const hash = hashOfKey(key)
    const slot = { key, hash, changed: new Set<() => void>(), version: undefined }
    const made: Slot = { ...slot, emptySinceMs: undefined }
    this.slots.set(mapKey(key), made)
    const known = this.byHash.get(hash) ?? new Set()
    this.byHash.set(hash, known.add(made))
    if (this.slots.size <= wantedKeysMax) this.tellWanted(hash)
    return made
  }

  /** A commit of this gateway has changed these keys. */
  tell(keys: Iterable<Bytes>): void {
    for (const key of keys) {
      const hash = hashOfKey(key)
      if (!this.byOthers.has(hash)) continue
      if (this.changes.size === 0) queueMicrotask(() => this.sendChanges())
      this.changes.add(hash)
    }
  }

  /** Forgets keys for which nothing has waited for a while. */
  prune(): void {
    const before = this.slots.size
    const oldMs = this.clock.elapsed() - wantedKeysMs
    for (const [name, slot] of this.slots) {
      const { hash, emptySinceMs } = slot
      if (emptySinceMs === undefined || emptySinceMs > oldMs) continue
      this.slots.delete(name)
      const known = this.byHash.get(hash)
      if (known?.delete(slot) === true && known.size === 0) this.byHash.delete(hash)
    }
    if (this.slots.size < before) this.announce()
  }

  private wakeAll(): void {
    for (const hash of [...this.byHash.keys()]) this.wake(hash)
  }

  private wake(hash: number): void {
    const slots = [...(this.byHash.get(hash) ?? [])]
    for (const { changed } of slots) for (const tell of [...changed]) tell()
  }

  private tellWanted(hash: number): void {
    if (this.fresh.length === 0) queueMicrotask(() => this.sendFresh())
    this.fresh.push(hash)
  }

  /** When the others know of it, it is looked at again: they may have changed it just before. */
  private sendFresh(): void {
    const fresh = this.fresh.splice(0)
    this.exchange.send(topic.wanted, bodyOf(fresh, more), () => {
      if (this.exchange.hasPeers) for (const hash of fresh) this.wake(hash)
    })
  }

  private sendChanges(): void {
    const changes = [...this.changes]
    this.changes = new Set()
    this.exchange.send(topic.changed, bodyOf(changes, more))
  }

  private announce(): void {
    const hashes = [...this.byHash.keys()].slice(0, wantedKeysMax)
    this.exchange.send(topic.wanted, bodyOf(hashes, whole))
  }

  private learn(body: Bytes, sender: string): void {
    if (body[0] === whole) this.forget(sender)
    const known = this.others.get(sender) ?? new Set()
    this.others.set(sender, known)
    for (const hash of hashesBehind(1, body)) {
      if (known.has(hash) || known.size >= 2 * wantedKeysMax) continue
      known.add(hash)
      this.byOthers.set(hash, (this.byOthers.get(hash) ?? 0) + 1)
    }
  }

  private forget(sender: string): void {
    for (const hash of this.others.get(sender) ?? []) {
      const count = (this.byOthers.get(hash) ?? 0) - 1
      if (count > 0) this.byOthers.set(hash, count)
      else this.byOthers.delete(hash)
    }
    this.others.delete(sender)
  }
}

/** FNV-1a. A shared hash wakes a client, or lets a writer wait, for nothing, no more. */
export function hashOfKey(key: Bytes): number {
  let hash = 0x811c9dc5
  for (const byte of key) hash = Math.imul(hash ^ byte, 0x01000193)
  return hash >>> 0
}

function bodyOf(hashes: readonly number[], kind: number): Bytes {
  return withHashes(Uint8Array.of(kind), hashes)
}

/** A message: its head, and hashes of keys behind that. */
export function withHashes(head: Bytes, hashes: readonly number[]): Bytes {
  const body = new Uint8Array(head.length + hashBytes * hashes.length)
  body.set(head)
  const view = new DataView(body.buffer)
  for (const [index, hash] of hashes.entries()) {
    view.setUint32(head.length + hashBytes * index, hash)
  }
  return body
}

/** The hashes behind the head of a message. */
export function* hashesBehind(headBytes: number, body: Bytes): Generator<number> {
  const view = new DataView(body.buffer, body.byteOffset, body.length)
  for (let at = headBytes; at + hashBytes <= body.length; at += hashBytes) {
    yield view.getUint32(at)
  }
}

const hashBytes = 4
