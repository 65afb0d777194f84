// Programs made of chance, for runs of a store against a model: what they ask and change is plain
// data, so that the model can play them too. Keys are few enough to collide, values of all sizes
// and, from eight bytes on, each its own.

import { type Bytes, concatBytes } from '../../src/base/bytes/bytes.js'
import { scanEntriesMax, scanStepMax } from '../../src/base/limits/engine.js'
import { keyBytesMax } from '../../src/base/limits/store.js'
import { isVersioned, keyClass } from '../../src/store/layout.js'
import type { KeyRange } from '../../src/store/store.js'

export type ReadOperation =
  | { readonly kind: 'get' | 'getVersioned' | 'count'; readonly key: Bytes }
  | {
      readonly kind: 'getMany'
      readonly keys: readonly Bytes[]
      readonly bytesMax?: number | undefined
    }
  | {
      readonly kind: 'scan' | 'scanFetch' | 'scanOwn'
      readonly range: KeyRange
      readonly limit: number
    }

export type Operation =
  | ReadOperation
  | { readonly kind: 'put'; readonly key: Bytes; readonly value: Bytes }
  | { readonly kind: 'remove'; readonly key: Bytes }
  | {
      readonly kind: 'add'
      readonly key: Bytes
      readonly documents: number
      readonly bytes: number
    }

export interface WriteScript {
  readonly operations: readonly Operation[]
  /** Throws when all is done. */
  readonly fails: boolean
  /** What it puts at `marker`, once: its version tells where it stands among the others. */
  readonly marker: Bytes
}

export interface ReadScript {
  readonly operations: readonly ReadOperation[]
  readonly snapshot: boolean
  /** Rounds that it lies paused for in the middle. */
  readonly rounds: number
  /** Interrupted in the pause of this number; 0 for never. */
  readonly interruptAt: number
}

/** Of keys: few, and those at the ends of what a byte can be. */
const alphabet = [0, 1, 2, 3, 7, 8, 0x30, 0x31, 0x7f, 0x80, 0xfe, 0xff]
const { meta: _own, count: countClass, ...plainClasses } = keyClass
const classes = Object.values(plainClasses)
const counters = Array.from({ length: 6 }, (_, i) => Uint8Array.of(countClass, i))
/** Second byte of markers and of the keys that are put and removed by thousands. */
const markerByte = 0xee
const floodByte = 0xdd
/** Of chunks, and few: what lies there is sometimes some MiB long. */
const largeByte = 0xcc
const largeKeys = 6
/** More than one step of a scan goes through. */
export const floodKeys = scanStepMax + 600
const recentMax = 24
const lovedKeys = 40
const blockBytes = 4 * 1_024 * 1_024

/** All keys of a class. */
function classRange(kind: number, reverse = false): KeyRange {
  return { start: Uint8Array.of(kind), end: Uint8Array.of(kind + 1), reverse }
}

function markerKey(slot: number): Bytes {
  return Uint8Array.of(keyClass.record, markerByte, slot)
}

function floodKey(index: number): Bytes {
  return Uint8Array.of(keyClass.entry, floodByte, index >>> 8, index)
}

const floodEnd = Uint8Array.of(keyClass.entry, floodByte + 1)

export class ScriptMaker {
  private readonly random: () => number
  private readonly block = Buffer.alloc(blockBytes)
  /** Keys that something was done with, to come back to. */
  private readonly recent: Bytes[] = []
  /** Keys that are read far more often than changed. */
  private readonly loved: readonly Bytes[]
  private values = 0

  constructor(random: () => number) {
    this.random = random
    for (let at = 0; at < blockBytes; at += 4) this.block.writeInt32LE((random() * 2 ** 32) | 0, at)
    this.loved = Array.from({ length: lovedKeys }, () => this.keyOf(this.pick(classes)))
  }

  /** From 0 up to, not including, `most`. */
  below(most: number): number {
    return Math.floor(this.random() * most)
  }

  chance(probability: number): boolean {
    return this.random() < probability
  }

  pick<T>(from: readonly T[]): T {
    return from[this.below(from.length)] as T
  }

  write(slot: number): WriteScript {
    const marker = markerKey(slot)
    const operations: Operation[] = []
    for (let left = this.below(this.chance(0.1) ? 30 : 8); left > 0; left--) {
      operations.push(this.operation())
    }
    const put = { kind: 'put', key: marker, value: this.value(8 + this.below(20)) } as const
    operations.splice(this.below(operations.length + 1), 0, put)
    return { operations, fails: this.chance(0.1), marker }
  }

  /** Puts all keys of one range, or removes most. */
  flood(slot: number, what: 'put' | 'remove'): WriteScript {
    const marker = markerKey(slot)
    const operations: Operation[] = [
      { kind: 'put', key: marker, value: this.value(8) },
      { kind: 'scanOwn', range: this.floodRange(), limit: 1 + this.below(20) },
    ]
    for (let i = 0; i < floodKeys; i++) {
      const key = floodKey(i)
      if (what === 'remove') {
        if (!this.chance(0.05)) operations.push({ kind: 'remove', key })
      } else operations.push({ kind: 'put', key, value: this.valueOf(key) })
    }
    return { operations, fails: false, marker }
  }

  read(isLong: boolean): ReadScript {
    const operations: ReadOperation[] = []
    for (let left = 1 + this.below(isLong ? 12 : 6); left > 0; left--) {
      const operation = this.readOperation()
      // What is read twice is kept for the third time.
      const times = operation.kind === 'get' && this.chance(0.5) ? 3 : 1
      for (let i = 0; i < times; i++) operations.push(operation)
    }
    if (isLong) operations.push(...operations.slice(0, 6))
    return {
      operations,
      snapshot: this.chance(isLong ? 0.7 : 0.3),
      rounds: isLong ? 1 + this.below(6) : 0,
      interruptAt: isLong && this.chance(0.1) ? 1 + this.below(20) : 0,
    }
  }

  /** Over keys that were removed by thousands, while others come and go among them. */
  floodRead(): ReadScript {
    const operations = Array.from(
      { length: 1 + this.below(4) },
      (): ReadOperation => ({
        kind: 'scan',
        range: this.floodRange(),
        limit: 1 + this.below(scanEntriesMax),
      }),
    )
    return { operations, snapshot: this.chance(0.3), rounds: 0, interruptAt: 0 }
  }

  private operation(): Operation {
    if (this.chance(0.05)) return this.floodChange()
    const dice = this.random()
    if (dice < 0.4) return this.put()
    if (dice < 0.55) return { kind: 'remove', key: this.key() }
    if (dice < 0.61) return this.add()
    if (dice < 0.62) return { kind: 'remove', key: this.pick(counters) }
    if (dice < 0.7) return { kind: 'scanOwn', ...this.scanned() }
    return this.readOperation()
  }

  private readOperation(): ReadOperation {
    const dice = this.random()
    if (dice < 0.15) return { kind: 'get', key: this.pick(this.loved) }
    if (dice < 0.45) return { kind: 'get', key: this.key() }
    if (dice < 0.6) {
      const key = this.key()
      return { kind: isVersioned(key) ? 'getVersioned' : 'get', key }
    }
    if (dice < 0.68) return { kind: 'count', key: this.pick(counters) }
    if (dice < 0.76) {
      const keys = Array.from({ length: this.below(this.chance(0.2) ? 40 : 10) }, () => this.key())
      return { kind: 'getMany', keys, ...this.bytes() }
    }
    if (dice < 0.77) {
      return { kind: 'scan', range: this.floodRange(), limit: 1 + this.below(scanEntriesMax) }
    }
    if (dice < 0.93) return { kind: 'scan', ...this.scanned() }
    const [start, end] = this.inOrder(this.keyOf(keyClass.entry), this.keyOf(keyClass.entry))
    const range = { start, end, reverse: this.chance(0.4), ...this.bytes() }
    return { kind: 'scanFetch', range, limit: this.limit() }
  }

  private floodChange(): Operation {
    const key = floodKey(this.below(floodKeys))
    if (this.chance(0.5)) return { kind: 'remove', key }
    return { kind: 'put', key, value: this.valueOf(key) }
  }

  private put(): Operation {
    const isLarge = this.chance(0.002)
    const key = isLarge ? this.chunkKey() : this.chance(0.02) ? this.pick(this.loved) : this.key()
    const value = isLarge ? this.value(this.below(blockBytes)) : this.valueOf(key)
    return { kind: 'put', key, value }
  }

  private add(): Operation {
    const sign = this.chance(0.3) ? -1 : 1
    const bytes = sign * this.below(this.chance(0.1) ? 2 ** 45 : 1_000)
    return { kind: 'add', key: this.pick(counters), documents: sign * this.below(5), bytes }
  }

  private scanned(): { readonly range: KeyRange; readonly limit: number } {
    const kind = this.pick(classes)
    const reverse = this.chance(0.4)
    if (this.chance(0.1)) return { range: classRange(kind, reverse), limit: this.limit() }
    // A group writes its counters last, so no scan that may be a writer's goes over them.
    const others = classes.filter((other) => other < countClass === kind < countClass)
    const other = this.chance(0.03) ? this.pick(others) : kind
    const [start, end] = this.inOrder(this.keyOf(kind), this.keyOf(other))
    return { range: { start, end, reverse, ...this.bytes() }, limit: this.limit() }
  }

  private bytes(): Pick<KeyRange, 'bytesMax'> {
    return this.chance(0.3) ? { bytesMax: 1 + this.below(2_000) } : {}
  }

  /** Mostly the lower one first. */
  private inOrder(one: Bytes, other: Bytes): [Bytes, Bytes] {
    const isTurned = Buffer.compare(one, other) > 0
    return isTurned !== this.chance(0.05) ? [other, one] : [one, other]
  }

  private limit(): number {
    return 1 + this.below(this.chance(0.03) ? scanEntriesMax : 20)
  }

  /** Longer than a step, so that steps end at keys that are there and at others. */
  private floodRange(): KeyRange {
    const start = floodKey(this.below(floodKeys - scanStepMax))
    return { start, end: floodEnd, reverse: this.chance(0.5) }
  }

  /** One that was used lately, or any. */
  private key(): Bytes {
    if (this.recent.length > 0 && this.chance(0.3)) return this.pick(this.recent)
    const key = this.chance(0.01) ? this.chunkKey() : this.keyOf(this.pick(classes))
    if (this.recent.length < recentMax) this.recent.push(key)
    else this.recent[this.below(recentMax)] = key
    return key
  }

  private chunkKey(): Bytes {
    return Uint8Array.of(keyClass.chunk, largeByte, this.below(largeKeys))
  }

  private keyOf(kind: number): Bytes {
    const length = this.chance(0.3) ? 3 : this.below(3)
    const tail = Uint8Array.from({ length }, () => this.pick(alphabet))
    if (!this.chance(0.005)) return Uint8Array.of(kind, ...tail)
    return concatBytes(
      Uint8Array.of(kind),
      tail,
      new Uint8Array(keyBytesMax - 1 - length).fill(this.pick(alphabet)),
    )
  }

  /** Entries point at records; the others hold anything. */
  private valueOf(key: Bytes): Bytes {
    if (key[0] === keyClass.entry) return this.keyOf(keyClass.record)
    const dice = this.random()
    if (dice < 0.7) return this.value(this.below(60))
    if (dice < 0.985) return this.value(this.below(2_500))
    return this.value(this.below(90_000))
  }

  private value(length: number): Bytes {
    const start = this.below(blockBytes - length)
    const value = new Uint8Array(this.block.subarray(start, start + length))
    if (length >= 8) new DataView(value.buffer).setUint32(0, ++this.values)
    return value
  }
}
