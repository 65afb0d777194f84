// What the keyspaces of one program share: bounds, staged values, and the account of what has been
// done so far, from which the bus tells a command that failed amid its writes from one that has
// left no trace, and what it is to announce after the commit.

import type { Bytes } from '../../base/bytes/bytes.js'
import { emptySlice, type Slice } from '../../base/bytes/slice.js'
import { programPutsMax } from '../../base/limits.js'
import { refuse } from '../../base/reply-error.js'
import { KiB } from '../../base/units.js'
import { work as budget } from '../../base/work/work-budget.js'
import type { Program, ReadTx, Tx } from '../../store/store.js'
import { headOf } from '../collection/records.js'
import { Staged } from '../collection/staging.js'
import type { Access, MembersId, Namespace } from '../types.js'
import type { Made } from './containers/head.js'
import type { ListRuns } from './lists/list-runs.js'
import type { ProgramHints } from './sorted-sets/block-hints.js'
import type { Place } from './spaces.js'

/**
 * A container up to here is one document: members (reference server's listpack thresholds), and
 * bytes of its value. Beyond, its members are records of their own.
 */
const inlineMembersMax = 128
const inlineContainerBytesMax = 8 * KiB
/** Members that one write program reads through before it is refused: some 20 ms. */
const programReadsMax = 20_000

/** Up to here a container is one document. Tests set 0, 1 or the usual. */
export interface InlineBounds {
  readonly members: number
  /** Of the container's BSON. */
  readonly bytes: number
}

export const usualBounds: InlineBounds = {
  members: inlineMembersMax,
  bytes: inlineContainerBytesMax,
}

/** Classes of keyspace events, as CONFIG SET notify-keyspace-events names them. */
export type EventClass = '$' | 'l' | 's' | 'h' | 'z' | 'g' | 'x' | 'e' | 'd' | 'n' | 't' | 'm'

/** `set a` in one place, to be announced after the commit. */
export interface KeyEvent {
  readonly eventClass: EventClass
  readonly event: string
  readonly place: Place
  /** In memory of its own. */
  readonly key: Uint8Array
  /** Of the database, in the transaction of the event: who may read it may hear of it. */
  readonly access: Access
}

/** Bytes of members that no head says yet. */
export interface Tally {
  readonly id: MembersId
  bytes: number
}

/** Counts what a command gathers for its reply. */
interface Gathering {
  /** So many bytes more. Throws ReplyError (OOM) where there is no room for them. */
  gather(bytes: number): void
}

interface Gathered {
  readonly member: Slice
  readonly payload?: Slice
}

/** Of an object for each value, beside its bytes. */
const gatheredValueBytes = 64

/** Until a program makes the first one. */
const noEvents: KeyEvent[] = []
const nothingStaged = new Staged()

function* nothingBefore(): Program<void> {}

export class Work {
  /** Puts and removals so far. */
  changes = 0
  /** Keys that were looked up and were there, or were not (INFO keyspace_hits). */
  hits = 0
  misses = 0
  /** In the order in which they happened. */
  events: KeyEvent[] = noEvents
  /** Whether the events `new` and `keymiss`, which few ask for, are made too. */
  notesRare = false
  /** The command that looks keys up changes none. */
  isReading = false
  /** Where blocks of large sorted sets are likely to begin. */
  hints: ProgramHints | undefined
  /** Elements of lists that were read before, where the program only reads. */
  lists: ListRuns | undefined
  /**
   * Large containers that a command opens are read whole and written anew: it changes more of one
   * than a program may write.
   */
  rewrites = false
  /** The program is prepared by a read that pauses: it may read more, and makes no ids. */
  prepares = false
  /** Of a command that reads; what one that writes may read is bounded (`read`). */
  gathering: Gathering | undefined
  /** Replies of several commands are kept until all of them are there: values of keys count too. */
  keepsReplies = false
  /** The command at work, as it is logged. */
  command = ''
  /** The first command that wrote to a collection what its validator only warns of. */
  invalid: Map<string, string> | undefined
  /** What has to be done before an id is given: others have been foreseen. */
  beforeIds: () => Program<void> = nothingBefore
  /** Further commands of this program: what this one has open may serve them too. */
  left = 0
  /** Members that may be read through. */
  readsMax = programReadsMax
  private reads = 0
  private idsGiven = 0
  private tallies: Map<MembersId, Tally> | undefined
  private lastTally: Tally | undefined
  /** Staged members that a head of this run points at. */
  private taken: Set<MembersId> | undefined

  constructor(
    readonly bounds: InlineBounds,
    /** Whether keyspace events have subscribers. */
    private readonly notifies: boolean,
    readonly staged: Staged = nothingStaged,
  ) {}

  /** By how much the members of a container have grown since its head was written last. */
  tally(id: MembersId): Tally {
    const { lastTally } = this
    if (lastTally?.id === id) return lastTally
    this.tallies ??= new Map()
    const known = this.tallies.get(id)
    const tally = known ?? { id, bytes: 0 }
    if (known === undefined) this.tallies.set(id, tally)
    this.lastTally = tally
    return tally
  }

  note(eventClass: EventClass, event: string, place: Place, name: Slice, access: Access): void {
    if (!this.notifies) return
    const made: KeyEvent = { eventClass, event, place, key: name.copy(), access }
    if (this.events === noEvents) this.events = [made]
    else this.events.push(made)
  }

  /** A document was written that fails a validator which only warns. */
  noteInvalid({ db, name }: Namespace): void {
    this.invalid ??= new Map()
    const ns = `${db}.${name}`
    if (!this.invalid.has(ns)) this.invalid.set(ns, this.command)
  }

  /** Staged members of that source, for one head; undefined where there are none. */
  takeStaged(tx: Tx, source: string | Bytes): MembersId | undefined {
    return this.took(this.staged.members(tx, source, this.taken))
  }

  /** As takeStaged, with what its head is to say. */
  takeMade(tx: Tx, source: string): Made | undefined {
    const made = this.staged.made(tx, source, this.taken)
    this.took(made?.head.id)
    return made
  }

  private took(id: MembersId | undefined): MembersId | undefined {
    if (id === undefined) return undefined
    this.taken ??= new Set()
    this.taken.add(id)
    return id
  }

  /** An id for members that a prepared program writes. */
  nextId(): MembersId {
    return this.staged.membersId(this.idsGiven++)
  }

  /** A write program cannot pause, so what it may read through is bounded. */
  read(entries: number): void {
    this.reads += entries
    if (this.reads > this.readsMax) throw readTooMuch()
  }

  /**
   * Throws where `tx` is a write program's and has no room to read `entries` and to change
   * `records`. What is known before the first read is not read twice.
   */
  requireRoom(tx: ReadTx, entries: number, records = 0): void {
    if (this.prepares || !('scanOwn' in tx)) return
    if (this.reads + entries > this.readsMax || records > programPutsMax) throw readTooMuch()
  }

  /** The command keeps a value of so many bytes until it is answered. */
  gather(bytes: number): void {
    this.gathering?.gather(bytes + gatheredValueBytes)
  }

  /** As gather, of members that were read together: those from an index on. */
  gatherMembers(members: readonly Gathered[], from = 0): void {
    const { gathering } = this
    if (gathering === undefined) return
    let bytes = (members.length - from) * gatheredValueBytes
    for (let i = from; i < members.length; i++) {
      const { member, payload = emptySlice } = members[i] as Gathered
      bytes += member.length + payload.length
    }
    gathering.gather(bytes)
  }

  /** As gatherRecords, of a key that is read alone: where its reply waits for others. */
  gatherKept(record: Bytes): void {
    if (this.keepsReplies) this.gatherRecords([record])
  }

  /** As gather, of the records of keys, whose values in chunks are read next. */
  gatherRecords(records: readonly (Bytes | undefined)[]): void {
    const { gathering } = this
    if (gathering === undefined) return
    let bytes = records.length * gatheredValueBytes
    for (let i = 0; i < records.length; i++) {
      const record = records[i]
      if (record !== undefined) bytes += headOf(record)?.length ?? record.length
    }
    gathering.gather(bytes)
  }

  /**
   * Throws where `tx` is a write program's and has no room for so many units: the command is then
   * prepared by a read, which pauses.
   */
  requireTime(tx: ReadTx, units: number): void {
    if (!this.prepares && 'scanOwn' in tx && !budget.allows(units)) throw readTooMuch()
  }

  /**
   * A write program cannot pause: behind a command that has used up its turn, further ones go into
   * programs of their own, and those that belong together are prepared by a read.
   */
  requireTurn(tx: ReadTx, isTogether: boolean): void {
    if (!budget.isDue || this.prepares || !('scanOwn' in tx)) return
    if (!isTogether || !budget.allows(0)) throw readTooMuch()
  }
}

/** A command that is refused so is prepared by a read that pauses. */
function readTooMuch(): Error {
  return refuse('ERR the command reads too much at once for a write', 'TransactionTooLarge')
}
