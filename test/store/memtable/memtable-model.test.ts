// The memtable against a sorted model: random groups kept and rolled back, programs in them that
// write where their changes lie and are taken back, snapshots held over all that, lookups and
// cursors at all positions in both directions, keys of awkward shapes, and enough large values for
// slabs to come, go and be cleaned.

import t, { type Test } from 'tap'
import {
  type Bytes,
  compareBytes,
  concatBytes,
  mapKey,
  utf8,
} from '../../../src/base/bytes/bytes.js'
import { memtableSlabBytes } from '../../../src/base/limits/store.js'
import {
  changeEnd,
  isRemoval,
  keyBytesOf,
  valueBytesOf,
  versionOf,
} from '../../../src/store/log/change.js'
import { Memtable } from '../../../src/store/memtable/memtable.js'
import type { KeyRange } from '../../../src/store/store.js'
import { runs } from '../../support/runs.js'
import { seededRandom } from '../../support/seeded-random.js'

interface Value {
  /** Undefined for a tombstone. */
  readonly bytes: Bytes | undefined
  readonly version: number
}

type State = Map<string, Value>

interface Pin {
  readonly position: number
  readonly state: State
}

class Machine {
  private readonly memtable: Memtable
  private readonly random: () => number
  private state: State = new Map()
  private readonly pins: Pin[] = []
  private version = 0
  private readonly hasFloor: boolean
  private readonly keys: readonly Bytes[]
  /** Where the last change of each key stands among those of the group. */
  private readonly lastOf = new Map<string, number>()

  constructor(hasFloor: boolean, seed: number) {
    this.hasFloor = hasFloor
    this.random = seededRandom(seed)
    this.memtable = new Memtable({ hasFloor })
    this.keys = Array.from({ length: 1_500 }, () => this.makeKey())
  }

  /** One group and what may come around it; answers what is wrong. */
  step(): string | undefined {
    const wrong = this.group()
    if (wrong !== undefined) return wrong
    if (this.below(8) === 0) {
      this.pins.push({ position: this.memtable.pin(), state: new Map(this.state) })
    }
    if (this.pins.length > 4 || (this.pins.length > 0 && this.below(10) === 0)) {
      const [gone] = this.pins.splice(this.below(this.pins.length), 1)
      if (gone !== undefined) this.memtable.unpin(gone.position)
    }
    return this.lookups(this.state) ?? this.scans(this.state)
  }

  /** Everything, at every position. */
  whole(): string | undefined {
    const range = { start: Uint8Array.of(), end: new Uint8Array(2_000).fill(255) }
    for (const pin of [undefined, ...this.pins]) {
      const state = pin?.state ?? this.state
      for (const reverse of [false, true]) {
        const wrong = this.scan({ ...range, reverse }, state, pin?.position, Infinity)
        if (wrong !== undefined) return wrong
      }
      for (const key of this.keys) {
        const wrong = this.lookup(key, state, pin?.position)
        if (wrong !== undefined) return wrong
      }
    }
    // A snapshot may still need tombstones; and some are only removed a few groups later.
    if (this.hasFloor && this.memtable.size !== this.state.size) return 'size'
    return this.memtable.size < this.state.size ? 'size' : undefined
  }

  /** Lets all snapshots go, and writes little until memory is given back. */
  settle(): string | undefined {
    for (const { position } of this.pins.splice(0)) this.memtable.unpin(position)
    let live = 6 * memtableSlabBytes
    for (const { bytes } of this.state.values()) live += 2 * (bytes?.length ?? 0)
    const key = this.keys[0] as Bytes
    for (let groups = 0; this.memtable.bytes > live; groups++) {
      if (groups === 5_000) return `${this.memtable.bytes} bytes stay, not ${live}`
      this.memtable.begin(0)
      this.put(key, [])
      this.memtable.keep()
    }
    return this.whole()
  }

  release(): void {
    this.memtable.release()
  }

  private below(bound: number): number {
    return Math.floor(this.random() * bound)
  }

  private makeKey(): Bytes {
    const number = this.below(100_000)
    switch (this.below(5)) {
      case 0:
        return Uint8Array.of(1 + (number & 3), number >>> 8)
      case 1:
        return utf8(`key:${String(number).padStart(12, '0')}`)
      case 2:
        return concatBytes(utf8('zero'), new Uint8Array(number % 40))
      case 3:
        return concatBytes(new Uint8Array(300).fill(200), Uint8Array.of(number, number >>> 8))
      default:
        return Uint8Array.from({ length: 1 + (number % 20) }, () => this.below(256))
    }
  }

  private key(): Bytes {
    // Of a few keys more often than of the rest, so that they have many versions.
    const { keys } = this
    return keys[this.below(this.below(4) === 0 ? 20 : keys.length)] as Bytes
  }

  private value(): Bytes {
    const kind = this.below(600)
    // Often of one length: what takes the place of another.
    if (kind > 300) return new Uint8Array(64).fill(this.below(256))
    const length =
      kind === 0 ? memtableSlabBytes + this.below(1_000_000) : this.below(kind < 20 ? 200_000 : 900)
    return new Uint8Array(length).fill(this.below(256))
  }

  private group(): string | undefined {
    const { memtable } = this
    const headerBytes = this.hasFloor ? 32 : 0
    const before = new Map(this.state)
    const expected: string[] = []
    this.lastOf.clear()
    memtable.begin(headerBytes)
    const removals = this.below(10)
    for (let count = this.below(this.below(20) === 0 ? 6_000 : 60); count >= 0; count--) {
      const key = this.key()
      if (this.below(40) === 0) this.program(expected)
      else if (this.below(12) < removals) this.remove(key, expected)
      else this.put(key, expected)
      if (this.below(200) > 0) continue
      const wrong = this.lookup(key, this.state) ?? this.scans(this.state)
      if (wrong !== undefined) return `inside a group: ${wrong}`
    }
    if (memtable.groupChanges !== expected.length) return 'groupChanges'
    const wrong = expected.length === 0 ? undefined : this.pieces(headerBytes, expected)
    if (this.below(4) === 0) {
      memtable.rollback()
      this.state = before
    } else {
      memtable.keep()
    }
    return wrong
  }

  private put(key: Bytes, expected: string[]): void {
    const bytes = this.value()
    this.memtable.put(key, bytes, ++this.version)
    this.notePut(key, bytes, expected)
  }

  private notePut(key: Bytes, bytes: Bytes, expected: string[]): void {
    const { version } = this
    this.state.set(mapKey(key), { bytes, version })
    const name = mapKey(key)
    const start = `${name} ${bytes.length} `
    const text = `${start}${bytes[0]} ${version}`
    const last = this.lastOf.get(name)
    // A put of the same length takes the place of the last one of its group.
    if (last !== undefined && expected[last]?.startsWith(start) === true) expected[last] = text
    else this.lastOf.set(name, expected.push(text) - 1)
  }

  /** Writes where its changes will lie, and is perhaps taken back. */
  private program(expected: string[]): void {
    const { memtable, state } = this
    const kept = { state: new Map(state), expected: [...expected], lastOf: new Map(this.lastOf) }
    const savepoint = memtable.save()
    // Of changes before the savepoint none is written over.
    this.lastOf.clear()
    for (let count = this.below(30); count > 0; count--) this.write(expected)
    if (this.below(3) > 0) {
      for (const [name, place] of kept.lastOf) {
        if (!this.lastOf.has(name)) this.lastOf.set(name, place)
      }
      return
    }
    memtable.returnTo(savepoint)
    this.state = kept.state
    expected.splice(0, expected.length, ...kept.expected)
    for (const [name, place] of kept.lastOf) this.lastOf.set(name, place)
    for (const [name, place] of this.lastOf) {
      if (place >= expected.length) this.lastOf.delete(name)
    }
  }

  private write(expected: string[]): void {
    const { memtable } = this
    const key = this.key()
    const bytes = this.value().subarray(0, memtableSlabBytes / 2)
    const write = memtable.beginWrite(key.length, bytes.length)
    write.bytes.set(key, write.keyAt)
    memtable.seek(write)
    write.bytes.set(bytes, write.valueAt)
    switch (this.below(8)) {
      case 0:
        // A write that is not kept was never there.
        return
      case 1:
        memtable.dropWrite(write)
        this.noteRemoval(key, expected)
        return
      default:
        memtable.keepWrite(write, ++this.version)
        this.notePut(key, bytes, expected)
    }
  }

  private remove(key: Bytes, expected: string[]): void {
    this.memtable.remove(key)
    this.noteRemoval(key, expected)
  }

  private noteRemoval(key: Bytes, expected: string[]): void {
    const name = mapKey(key)
    if (this.hasFloor) this.state.set(name, { bytes: undefined, version: 0 })
    else if (!this.state.delete(name)) return
    this.lastOf.set(name, expected.push(`${name} removed`) - 1)
  }

  private pieces(headerBytes: number, expected: readonly string[]): string | undefined {
    const whole = concatBytes(...this.memtable.pieces())
    let at = headerBytes
    for (const text of expected) {
      const value = valueBytesOf(whole, at)
      const name = mapKey(keyBytesOf(whole, at))
      const found = isRemoval(whole, at)
        ? `${name} removed`
        : `${name} ${value.length} ${value[0]} ${versionOf(whole, at)}`
      if (found !== text) return `pieces: ${found}, not ${text}`
      at = changeEnd(whole, at)
    }
    return at === whole.length ? undefined : 'pieces have more'
  }

  private lookups(state: State): string | undefined {
    for (let i = 0; i < 20; i++) {
      const wrong = this.lookup(this.key(), state)
      if (wrong !== undefined) return wrong
    }
    for (const { position, state: pinned } of this.pins) {
      for (let i = 0; i < 10; i++) {
        const wrong = this.lookup(this.key(), pinned, position)
        if (wrong !== undefined) return wrong
      }
    }
    return undefined
  }

  private lookup(key: Bytes, state: State, before?: number): string | undefined {
    const { memtable } = this
    const expected = state.get(mapKey(key))
    const address = memtable.find(key, before)
    if (address === -1 || (!this.hasFloor && memtable.isRemoved(address))) {
      return expected === undefined ? undefined : `${mapKey(key)} is missing`
    }
    if (expected === undefined) return `${mapKey(key)} is there`
    if (memtable.isRemoved(address)) {
      return expected.bytes === undefined ? undefined : `${mapKey(key)} is removed`
    }
    if (memtable.versionAt(address) !== expected.version) return `${mapKey(key)} is of another time`
    const { bytes } = expected
    return bytes !== undefined && compareBytes(memtable.valueAt(address), bytes) === 0
      ? undefined
      : `${mapKey(key)} has another value`
  }

  private scans(state: State): string | undefined {
    for (const pin of [undefined, ...this.pins]) {
      const [start, end] = [this.key(), this.key()]
      const range = { start, end, reverse: this.below(2) === 0 }
      const wrong = this.scan(range, pin?.state ?? state, pin?.position, 1 + this.below(30))
      if (wrong !== undefined) return wrong
    }
    return undefined
  }

  private scan(
    range: KeyRange,
    state: State,
    before: number | undefined,
    limit: number,
  ): string | undefined {
    const start = mapKey(range.start)
    const end = mapKey(range.end)
    const names = [...state.keys()].filter((name) => name >= start && name < end).sort()
    if (range.reverse === true) names.reverse()
    const cursor = this.memtable.cursor(range, before)
    for (const name of names.slice(0, limit)) {
      while (!this.hasFloor && cursor.address !== -1 && cursor.value() === undefined) {
        cursor.advance()
      }
      const { key } = cursor
      if (key === undefined || mapKey(key) !== name) return `a scan misses ${name}`
      if (this.memtable.versionAt(cursor.address) !== state.get(name)?.version) {
        return `a scan shows ${name} of another time`
      }
      cursor.advance()
    }
    if (names.length > limit) return undefined
    while (!this.hasFloor && cursor.address !== -1 && cursor.value() === undefined) cursor.advance()
    return cursor.address === -1 ? undefined : 'a scan has more'
  }
}

async function play(t: Test, hasFloor: boolean, seed: number, steps: number): Promise<void> {
  const machine = new Machine(hasFloor, seed)
  for (let step = 0; step < steps; step++) {
    const wrong = machine.step() ?? (step % 50 === 0 ? machine.whole() : undefined)
    if (wrong !== undefined) {
      t.fail(`seed ${seed}, step ${step}: ${wrong}`)
      return
    }
  }
  t.equal(machine.whole(), undefined, `seed ${seed}`)
  if (!hasFloor) t.equal(machine.settle(), undefined, `seed ${seed}`)
  machine.release()
}

t.test('a memtable is its model, over a floor and without', async (t) => {
  for (const hasFloor of [true, false]) {
    for (let seed = 1; seed <= runs(3); seed++) await play(t, hasFloor, seed, 100)
  }
})
