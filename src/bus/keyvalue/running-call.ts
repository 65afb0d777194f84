// One running key-value command: what its handler sees of it, and the state that the executor keeps
// from its first word to its reply.

import type { Bytes } from '../../base/bytes/bytes.js'
import { Slice } from '../../base/bytes/slice.js'
import { type GatewayError, toGatewayError } from '../../base/errors.js'
import type { ByteShare } from '../../base/heap/byte-shares.js'
import { Unwinding } from '../../base/heap/unwinding.js'
import { smallMessageBytesMax } from '../../base/limits/connections.js'
import { notFloat, notInteger, tooMuchMemory } from '../../base/reply-error.js'
import { work } from '../../base/work/work-budget.js'
import { commandUnits } from '../../base/work/work-figures.js'
import type { Keyspace } from '../../engine/keyspace/keyspace.js'
import type { Place } from '../../engine/keyspace/spaces.js'
import { parseFloat64, parseInt64 } from '../../engine/keyspace/strings/numbers.js'
import type { Arguments } from './arguments.js'
import type { KeyValueCall } from './call.js'
import type { KeyValueSession } from './clients/session.js'
import type { Command } from './command.js'
import { Draws } from './programs/draws.js'
import { errorReply, none, type Reply } from './reply.js'
import type { HandlerServices } from './services.js'

export class RunningCall implements KeyValueCall {
  now = 0
  reply: Reply = none
  /** The error, if it failed; `reply` is then its error line. */
  error: GatewayError | undefined = undefined
  /** Refused before it could run; it has its reply. */
  isRefused = false
  /** It has no reply yet: it blocks, a command before it blocks, or earlier replies are unread. */
  isDeferred = false
  /** Bytes of its reply that count for the session. */
  replyBytes = 0
  isQueued = false
  isInsideMulti = false
  /** For a blocking command: it has found nothing yet. */
  isUnanswered = false
  isWaiting = false
  /** For EXEC: the queued commands. */
  queue: readonly RunningCall[] | undefined = undefined
  place: Place
  /**
   * Keyspaces of further databases that the row names, only while its program runs: they hold the
   * transaction with its values.
   */
  spaces: readonly (Keyspace | undefined)[] = noSpaces
  /** The share of memory for the values of its reply, until it is answered. */
  room: ByteShare | undefined = undefined
  private gathered = 0
  /** Bytes of large values that were read since the last `gather`, beyond the first value. */
  private opened = 0
  /** Bytes of large values that were gathered, and are read next. */
  private ahead = 0
  /** The first large value counts as a reply, and may wait. */
  private hasExpected = false
  private draws: Draws | undefined = undefined

  constructor(
    readonly command: Command,
    /** Detached from the chunk if the call waits for long. */
    public args: Arguments,
    readonly session: KeyValueSession,
    readonly services: HandlerServices,
  ) {
    this.place = session.place
  }

  /** Whether it may be answered later than earlier commands; not in EXEC and other protocols. */
  get isOfPipeline(): boolean {
    return this.session.protocol === 'resp' && !this.isQueued
  }

  get database(): number {
    return this.place.index
  }

  get count(): number {
    return this.args.count
  }

  /** Number of the database that MONITOR prints. */
  get shownDatabase(): number {
    const { selects, grain } = this.command.row
    return selects?.(this) ?? (grain === 'exec' ? this.session : this).database
  }

  get name(): string {
    return this.command.row.name
  }

  arg(index: number): Slice {
    return this.args.read(index, sliceOf)
  }

  argsFrom(index: number, step = 1): Slice[] {
    const found: Slice[] = []
    for (let i = index; i < this.count; i += step) found.push(this.arg(i))
    return found
  }

  is(index: number, word: string): boolean {
    return index < this.count && this.args.is(index, word)
  }

  text(index: number): string {
    return this.args.text(index)
  }

  int64(index: number): bigint {
    const value = this.args.read(index, parseInt64)
    if (value === undefined) throw notInteger()
    return BigInt(value)
  }

  integer(index: number): number {
    const value = this.args.read(index, parseInt64)
    if (value === undefined) throw notInteger()
    return Number(value)
  }

  float(index: number): number {
    const value = this.args.read(index, parseFloat64)
    if (value === undefined) throw notFloat()
    return value
  }

  keyspace(database: number): Keyspace {
    const found = this.spaces[database]
    if (found === undefined) throw new Error(`${this.name} did not declare database ${database}`)
    return found
  }

  random(bound: number): number {
    this.draws ??= new Draws(this.services.random)
    return this.draws.below(bound)
  }

  /** Resets the call for a run of its program, which may be a second one. */
  begin(now: number): void {
    work.note(commandUnits)
    this.now = now
    this.error = undefined
    this.isUnanswered = false
    this.isDeferred = false
    if (this.draws !== undefined) this.draws.restart()
    if (this.gathered > 0 || this.hasExpected) this.letGo()
  }

  /** Takes the reply of its program; undefined from a blocking command that found nothing. */
  answer(reply: Reply | undefined): void {
    this.isUnanswered = reply === undefined
    this.reply = reply === undefined ? this.command.nothing : reply
    if (reply === undefined) this.isDeferred = this.isOfPipeline
  }

  gather(bytes: number, ahead = 0): void {
    this.opened = 0
    this.ahead += ahead
    this.gathered += bytes
    this.hold(this.gathered)
  }

  expect(bytes: number, mayWait: boolean): void {
    if (this.ahead > 0) {
      this.ahead = Math.max(0, this.ahead - bytes)
      return
    }
    const { session, services, command } = this
    if (this.gathered > 0 || this.hasExpected) {
      this.opened += command.isWrite ? writtenCopies * bytes : bytes
      this.hold(this.gathered + this.opened)
      return
    }
    this.hasExpected = true
    const due = command.isWrite ? writtenCopies * bytes : bytes
    const wait = services.sessions.replyRoom(session).expects(due, mayWait)
    if (wait !== undefined) throw new NoRoomYet(wait.begin().done)
  }

  expectPage(): void {
    this.opened = 0
  }

  private hold(bytes: number): void {
    const due = bytes - (this.room?.bytesHeld ?? 0)
    if (due < gatheredPieceBytes) return
    this.room ??= this.services.sessions.openRoom(this.session)
    if (this.room.take(due)) return
    // A write may have changed something by now.
    if (!this.command.isWrite) throw tooMuchMemory()
    this.room.force(due)
  }

  /** Releases its memory share, because it is answered. */
  letGo(): void {
    if (this.gathered === 0 && !this.hasExpected && this.queue === undefined) return
    this.gathered = 0
    this.opened = 0
    this.ahead = 0
    this.hasExpected = false
    this.room?.close()
    this.room = undefined
    if (this.queue === undefined) return
    this.session.executing?.close()
    for (const queued of this.queue) queued.letGo()
  }

  /** Its program runs again once there is memory: until then it holds nothing. */
  postpone(): void {
    if (this.isRefused) return
    this.letGo()
    this.reply = none
  }

  /** Ends it with an error, which holds no memory. */
  fail(thrown: unknown): void {
    this.letGo()
    this.spaces = noSpaces
    const error = toGatewayError(thrown)
    // The frames of a stack hold what the command has read.
    if (error.kind !== 'InternalError') error.stack = ''
    this.error = error
    this.isUnanswered = false
    this.isDeferred = false
    this.reply = errorReply(error)
  }
}

/** A program has to run again, once there is memory for a large value. */
export class NoRoomYet extends Unwinding {
  /** Never rejects; the value counts by then. */
  constructor(readonly until: Promise<void>) {
    super('a read waits for memory')
  }
}

/** A write holds a large value as it was read and as it is written. */
const writtenCopies = 2
/** Memory is taken in steps of this size; a smaller amount is freed within the turn. */
const gatheredPieceBytes = smallMessageBytesMax
export const noSpaces: readonly (Keyspace | undefined)[] = []

function sliceOf(bytes: Bytes, start: number, end: number): Slice {
  return new Slice(bytes, start, end)
}
