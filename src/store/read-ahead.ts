// Reads ahead for a loop over many keys. On a store in another process each get is a round trip, so
// the loop asks for a batch of keys at once, and its gets are answered from that. On an embedded
// store a get needs no trip, and there is no ReadAhead. (docs/design/transactions.md, "Programs")

import type { Bytes } from '../base/bytes/bytes.js'
import { MiB } from '../base/units.js'
import { nothing } from './steps.js'
import type { Program, ReadBefore, ReadTx, Step } from './store.js'

/** Items of a batch, after one of many bytes, and of any other. The first one is small too. */
const fewAtOnce = 128
const manyAtOnce = 512
const manyBytes = 4 * MiB
const nothingRead: ReadBefore = { keys: 0, bytes: 0 }

interface ReadAheadOptions {
  /** Items of the loop. */
  readonly count: number
  /** Adds the keys that the loop reads for an item. */
  keysOf(index: number, keys: Bytes[]): void
  /** Reads ahead what depends on the keys of these items (`end` exclusive). */
  further?(from: number, end: number): Program<void>
}

export class ReadAhead {
  private read = 0
  private atOnce = fewAtOnce

  private constructor(
    private readonly tx: ReadTx,
    private readonly options: ReadAheadOptions,
  ) {}

  /** Undefined for a single item, and where a get needs no trip. */
  static of(tx: ReadTx, options: ReadAheadOptions): ReadAhead | undefined {
    const isUseful = options.count > 1 && tx.readAhead !== undefined
    return isUseful ? new ReadAhead(tx, options) : undefined
  }

  /** To be run before the loop reads for this item; items come in order. */
  before(index: number): Step<void> {
    return index < this.read ? nothing : this.readFrom(index)
  }

  private *readFrom(from: number): Program<void> {
    const { tx, options, atOnce } = this
    const end = Math.min(from + atOnce, options.count)
    const keys: Bytes[] = []
    const keysTo: number[] = []
    for (let i = from; i < end; i++) {
      options.keysOf(i, keys)
      keysTo.push(keys.length)
    }
    const read = yield* readAheadIn(tx, keys, manyBytes)
    this.atOnce = read.bytes >= manyBytes ? fewAtOnce : manyAtOnce
    const items = keysTo.findIndex((count) => count > read.keys)
    // The gets of an item that has more than a batch find the rest.
    this.read = items < 0 ? end : from + Math.max(items, 1)
    if (options.further !== undefined) yield* options.further(from, this.read)
  }
}

/** Reads these keys in one trip, as `ReadTx.readAhead`, if that is of use. */
export function* readAheadIn(
  tx: ReadTx,
  keys: readonly Bytes[],
  bytesMax?: number,
): Program<ReadBefore> {
  if (keys.length === 0 || tx.readAhead === undefined) return nothingRead
  return yield* tx.readAhead(keys, bytesMax)
}
