// One running key-value command: its words, its sender, the time that was frozen before its first
// run, and finally its reply. Handlers read their arguments through it.

import type { Bytes } from '../../base/bytes/bytes.js'
import { Slice } from '../../base/bytes/slice.js'
import { type GatewayError, toGatewayError } from '../../base/errors.js'
import type { ByteShare } from '../../base/heap/byte-shares.js'
import { smallMessageBytesMax } from '../../base/limits.js'
import { errorLine, notFloat, notInteger, tooMuchMemory } from '../../base/reply-error.js'
import type { Keyspace } from '../../engine/keyspace/keyspace.js'
import type { Place } from '../../engine/keyspace/spaces.js'
import { parseFloat64, parseInt64 } from '../../engine/keyspace/strings/numbers.js'
import type { Arguments } from './arguments.js'
import type { KeyValueBus } from './bus.js'
import type { KeyValueSession } from './clients/session.js'
import type { Command } from './command.js'
import { Draws } from './programs/draws.js'
import type { Reply, Tagged } from './reply.js'
import { none } from './reply.js'

export class KeyValueCall {
  /** Wall time, milliseconds; the only clock that a handler sees. */
  now = 0
  reply: Reply = none
  /** What went wrong; then `reply` is its error line. */
  error: GatewayError | undefined = undefined
  /** Refused before it could run: it has its reply. */
  isRefused = false
  /** It was left for later, and has no reply yet. */
  isDeferred = false
  /** Bytes of its reply, as they count for the session. */
  replyBytes = 0
  /** Runs as a part of EXEC. */
  isQueued = false
  /** Came behind MULTI and is not queued. An EXEC behind it may be open before it runs. */
  isInsideMulti = false
  /** Of a blocking command: it has found nothing yet. */
  isUnanswered = false
  /** Of a blocking command that tries again: a key of another type is none to it now. */
  isWaiting = false
  /** Of EXEC: what was queued. */
  queue: readonly KeyValueCall[] | undefined = undefined
  /** What it works on: the selected database when it was read or queued. */
  place: Place
  /** Keyspaces of further databases that the row names, while its program runs. */
  spaces: readonly (Keyspace | undefined)[] = noSpaces
  /** Of memory, for the values of its reply until it is answered. */
  room: ByteShare | undefined = undefined
  private gathered = 0
  private draws: Draws | undefined = undefined

  constructor(
    readonly command: Command,
    /** Detached where the call waits for long. */
    public args: Arguments,
    readonly session: KeyValueSession,
    readonly bus: KeyValueBus,
  ) {
    this.place = session.place
  }

  /** Number of the database that it works on. */
  get database(): number {
    return this.place.index
  }

  /** Words of the command, its name among them. */
  get count(): number {
    return this.args.count
  }

  /** The name as error texts print it: `set`, `config|get`. */
  get name(): string {
    return this.command.row.name
  }

  /** A word's bytes where they lie: what is kept past the reply must be copied. */
  arg(index: number): Slice {
    return this.args.read(index, sliceOf)
  }

  /** All words from an index on, every `step`th. */
  argsFrom(index: number, step = 1): Slice[] {
    const found: Slice[] = []
    for (let i = index; i < this.count; i += step) found.push(this.arg(i))
    return found
  }

  /** Whether a word is this option, in any case; false behind the last word. */
  is(index: number, word: string): boolean {
    return index < this.count && this.args.is(index, word)
  }

  text(index: number): string {
    return this.args.text(index)
  }

  /** An integer of 64 bits. Throws "value is not an integer or out of range". */
  int64(index: number): bigint {
    const value = this.args.read(index, parseInt64)
    if (value === undefined) throw notInteger()
    return BigInt(value)
  }

  /** As int64, beyond 2^53 rounded: for positions and counts, where nothing is that long. */
  integer(index: number): number {
    const value = this.args.read(index, parseInt64)
    if (value === undefined) throw notInteger()
    return Number(value)
  }

  /** A double; `inf` counts. Throws "value is not a valid float". */
  float(index: number): number {
    const value = this.args.read(index, parseFloat64)
    if (value === undefined) throw notFloat()
    return value
  }

  /** The keyspace of a further database; only those that the row's `databases` has named. */
  keyspace(database: number): Keyspace {
    const found = this.spaces[database]
    if (found === undefined) throw new Error(`${this.name} did not declare database ${database}`)
    return found
  }

  /**
   * A random whole number from 0 to `bound` - 1. The i-th one of a call is the same at every run of
   * its program.
   */
  random(bound: number): number {
    this.draws ??= new Draws(this.bus.services.random)
    return this.draws.below(bound)
  }

  /** Its program begins, perhaps again. */
  begin(now: number): void {
    this.now = now
    this.error = undefined
    this.isUnanswered = false
    if (this.draws !== undefined) this.draws.restart()
    if (this.gathered > 0) this.letGo()
  }

  /** Counts values that it has read for its reply, beyond a little. Throws OOM. */
  gather(bytes: number): void {
    this.gathered += bytes
    const due = this.gathered - (this.room?.bytesHeld ?? 0)
    if (due < gatheredPieceBytes) return
    this.room ??= this.bus.openRoom(this.session)
    if (!this.room.take(due)) throw tooMuchMemory()
  }

  /** It is answered: what it held counts no longer as its own. */
  letGo(): void {
    if (this.gathered === 0 && this.queue === undefined) return
    this.gathered = 0
    this.room?.close()
    this.room = undefined
    if (this.queue === undefined) return
    this.session.executing?.close()
    for (const queued of this.queue) queued.letGo()
  }

  /** Ends it with an error. */
  fail(thrown: unknown): void {
    const error = toGatewayError(thrown)
    this.error = error
    this.reply = errorReply(error)
  }
}

/** Values are counted by such pieces: what is less is gone within the turn. */
const gatheredPieceBytes = smallMessageBytesMax
const noSpaces: readonly (Keyspace | undefined)[] = []

export function errorReply(error: GatewayError): Tagged {
  return { kind: 'error', text: errorLine(error) }
}

function sliceOf(bytes: Bytes, start: number, end: number): Slice {
  return new Slice(bytes, start, end)
}
