// The slowest commands for SLOWLOG: a few, newest first, with shortened words. They are kept in
// memory and shown only to the operator, without secret words.

import { slowLogBytesMax, slowLogEntriesMax, slowLogWordsMax } from '../../base/limits/key-value.js'
import { isSlow } from '../policy/slowness.js'
import type { Followed } from './clients/followers.js'

interface SlowEntry {
  readonly id: number
  /** Seconds since 1970. */
  readonly at: number
  readonly micros: number
  readonly words: readonly (Uint8Array | string)[]
  readonly remoteAddress: string
  readonly name: string
}

export class SlowLog {
  /** Threshold in microseconds; a negative one disables the log. */
  micros = 10_000
  /** Newest first. */
  entries: SlowEntry[] = []
  private entriesMax = 128
  private nextId = 0

  get length(): number {
    return this.entries.length
  }

  /** The setting slowlog-max-len; beyond slowLogEntriesMax it has no effect. */
  keep(count: number): void {
    this.entriesMax = Math.min(count, slowLogEntriesMax)
    if (this.entries.length > this.entriesMax) this.entries.length = this.entriesMax
  }

  clear(): void {
    this.entries = []
  }

  /** Records a command that has run. Time spent waiting for a key does not count. */
  readonly follow = (call: Followed, ms: number): void => {
    if (!isSlow(ms * 1_000, this.micros)) return
    const { row } = call.command
    if (row.grain === 'blocking' || row.flags.includes('skip_slowlog')) return
    this.entries.unshift(this.entryOf(call, ms))
    if (this.entries.length > this.entriesMax) this.entries.length = this.entriesMax
  }

  private entryOf(call: Followed, ms: number): SlowEntry {
    const { args, session, command } = call
    const { secretsFrom = args.count } = command.row
    const words: (Uint8Array | string)[] = []
    const shown = Math.min(args.count, slowLogWordsMax)
    for (let i = 0; i < shown; i++) {
      if (i === shown - 1 && shown < args.count) {
        words.push(`... (${args.count - shown + 1} more arguments)`)
      } else words.push(i < secretsFrom ? cut(args.view(i)) : '(redacted)')
    }
    return {
      id: this.nextId++,
      at: Math.floor(call.now / 1_000),
      micros: Math.floor(ms * 1_000),
      words,
      remoteAddress: session.remoteAddress,
      name: session.name,
    }
  }
}

/** A copy of the beginning: a word may be as long as a value. */
function cut(bytes: Uint8Array): Uint8Array {
  if (bytes.length <= slowLogBytesMax) return bytes.slice()
  const rest = `... (${bytes.length - slowLogBytesMax} more bytes)`
  return Buffer.concat([bytes.subarray(0, slowLogBytesMax), Buffer.from(rest)])
}
