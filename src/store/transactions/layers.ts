// The uncommitted changes of a transaction, as layers of buffers: one below each savepoint, and one
// for the changes since the last. A statement adds its own changes when it has succeeded.

import type { Bytes } from '../../base/bytes/bytes.js'
import { assert, fail } from '../../base/errors.js'
import { scanEntriesMax } from '../../base/limits/engine.js'
import { transactionSavepointsMax } from '../../base/limits/store.js'
import { entryUnits } from '../../base/work/work-figures.js'
import { OwnPages } from '../programs/own-pages.js'
import { type Change, largeBounds, WriteBuffer } from '../programs/write-buffer.js'
import type { Count, Entry, KeyRange, Program, ReadTx, Step } from '../store.js'

/** Versions of uncommitted puts are negative and never the same, so that no cache confuses two. */
let lastVersion = 0
const nextVersion = () => --lastVersion

export type Scan = (range: KeyRange, limit: number) => Step<Entry[]>

/** Changes that are merged in one turn: about 4 ms. Larger buffers stay layers of their own. */
const mergedAtOnceMax = 10_000
/** Changes merged between two pauses of the commit. */
const mergedBetweenPauses = 1_000

export class Layers {
  private layers: WriteBuffer[] = [newLayer()]
  /** For each savepoint, the place of the first layer above it. */
  private readonly savepoints: number[] = []

  /** Number of savepoints. */
  get depth(): number {
    return this.savepoints.length
  }

  get isEmpty(): boolean {
    return this.layers.every((layer) => layer.isEmpty)
  }

  /** Bytes of keys and values in all layers. */
  get bytes(): number {
    return this.layers.reduce((sum, { bytes }) => sum + bytes, 0)
  }

  /** A buffer for the changes of one program, with the room that the transaction has left. */
  statement(): WriteBuffer {
    const puts = this.layers.reduce((sum, { changes }) => sum + changes.length, 0)
    const left = { puts: largeBounds.puts - puts, bytes: largeBounds.bytes - this.bytes }
    return new WriteBuffer(nextVersion, left)
  }

  /** Takes over the changes of a program that has succeeded. */
  add(statement: WriteBuffer): void {
    this.takeOver([statement])
  }

  /** Returns the savepoint for `release` and `returnTo`. */
  save(): number {
    const { savepoints, layers } = this
    if (savepoints.length >= transactionSavepointsMax) {
      throw fail('TransactionTooLarge', `more than ${transactionSavepointsMax} savepoints are open`)
    }
    savepoints.push(layers.length)
    layers.push(newLayer())
    return savepoints.length
  }

  /** Discards the changes since the savepoint, which stays, and later savepoints. */
  returnTo(savepoint: number): void {
    this.layers.length = this.placeOf(savepoint)
    this.savepoints.length = savepoint
    this.layers.push(newLayer())
  }

  /** Forgets the savepoint and later ones; their changes stay. */
  release(savepoint: number): void {
    const above = this.layers.splice(this.placeOf(savepoint))
    this.savepoints.length = savepoint - 1
    this.takeOver(above)
  }

  /**
   * All changes in one buffer, merged with pauses; no savepoint is left. Until the end, the layers
   * show the same as before.
   */
  *flatten(tx: ReadTx): Program<WriteBuffer> {
    const { layers, savepoints } = this
    savepoints.length = 0
    const whole = layers.length === 1 ? (layers[0] as WriteBuffer) : newLayer()
    if (layers.length > 1) {
      for (const layer of layers) yield* addWithPauses(tx, whole, layer)
      this.layers = [whole]
    }
    return whole
  }

  find(key: Bytes, hash: number): Change | undefined {
    for (let i = this.layers.length - 1; i >= 0; i--) {
      const found = (this.layers[i] as WriteBuffer).find(key, hash)
      if (found !== undefined) return found
    }
    return undefined
  }

  /** The counter with the additions of this transaction. */
  count(key: Bytes, stored: Count): Count {
    return this.layers.reduce((sum, layer) => layer.count(key, () => sum), stored)
  }

  /** A scan of the store's state with these changes in it. */
  scan(stored: Scan, range: KeyRange, limit: number): Step<Entry[]> {
    let scan = stored
    for (const layer of this.layers) {
      if (layer.changes.length > 0) scan = scanOver(layer, scan)
    }
    return scan(range, limit)
  }

  /** Adds buffers to the top layer, or as layers if that would make a long turn. */
  private takeOver(buffers: readonly WriteBuffer[]): void {
    const { layers } = this
    let merged = 0
    for (const buffer of buffers) {
      merged += buffer.changes.length
      if (merged <= mergedAtOnceMax) addTo(layers.at(-1) as WriteBuffer, buffer)
      // Its own bounds may be smaller than those of a layer, so another one takes what follows.
      else layers.push(buffer, newLayer())
    }
  }

  private placeOf(savepoint: number): number {
    const place = this.savepoints[savepoint - 1]
    assert(place !== undefined, 'a savepoint exists')
    return place
  }
}

function newLayer(): WriteBuffer {
  return new WriteBuffer(nextVersion, largeBounds)
}

/** A scan that also shows the changes of a buffer. */
export function scanOver(buffer: WriteBuffer, below: Scan): Scan {
  return (range, limit) => merged(buffer, below, range, limit)
}

function* merged(
  buffer: WriteBuffer,
  below: Scan,
  range: KeyRange,
  limit: number,
): Program<Entry[]> {
  const { bytesMax } = range
  if (bytesMax !== undefined) {
    const pages = new OwnPages(buffer, range, limit, bytesMax)
    for (let page = pages.next(); page !== undefined; page = pages.next()) {
      pages.take(page, yield* below(page.range, page.limit))
    }
    return pages.entries
  }
  const own = buffer.ownWrites(range, limit)
  const stored: Entry[] = []
  let { start, end } = range
  const reverse = range.reverse === true
  while (stored.length < own.wanted) {
    // Twice as many each time: own removals may be many more than the limit.
    const next = Math.max(limit, Math.min(stored.length, scanEntriesMax))
    const most = Math.min(own.wanted - stored.length, next)
    const some = yield* below({ start, end, reverse }, most)
    for (const entry of some) stored.push(entry)
    const last = some.at(-1)
    if (last === undefined || some.length < most) break
    if (reverse) end = last.key
    else start = behind(last.key)
  }
  return own.merge(stored)
}

function addTo(below: WriteBuffer, above: WriteBuffer): void {
  for (const change of above.changes) addChange(below, change)
  addSums(below, above)
}

function* addWithPauses(tx: ReadTx, below: WriteBuffer, above: WriteBuffer): Program<void> {
  const { changes } = above
  for (let i = 0; i < changes.length; i++) {
    addChange(below, changes[i] as Change)
    if (i % mergedBetweenPauses === 0) yield* tx.pause(mergedBetweenPauses * entryUnits)
  }
  addSums(below, above)
}

function addChange(below: WriteBuffer, { key, value, hash }: Change): void {
  if (value === undefined) below.remove(key, hash)
  else below.put(key, value, hash)
}

/** After its changes: removing a counter discards what was added before. */
function addSums(below: WriteBuffer, above: WriteBuffer): void {
  for (const record of above.appended ?? []) below.append(record)
  for (const event of above.announced ?? []) below.announce(event)
  if (above.additions === undefined) return
  for (const { key, documents, bytes } of above.additions.values()) below.add(key, documents, bytes)
}

function behind(key: Bytes): Bytes {
  const next = new Uint8Array(key.length + 1)
  next.set(key)
  return next
}
