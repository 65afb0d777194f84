// State shared by the keyspaces of one program: limits, staged values, events to announce after the
// commit, and the count of changes. By that count the bus distinguishes a command that failed after
// a write from one that left no trace.

import type { Bytes } from '../../base/bytes/bytes.js'
import { emptySlice, type Slice } from '../../base/bytes/slice.js'
import { fail } from '../../base/errors.js'
import { programPutsMax } from '../../base/limits/engine.js'
import { refuse } from '../../base/reply-error.js'
import { KiB } from '../../base/units.js'
import { work as budget } from '../../base/work/work-budget.js'
import type { Program, ReadTx, Tx } from '../../store/store.js'
import { headOf } from '../collection/records.js'
import {
  type KnownSource,
  type MembersSource,
  type OlderMembers,
  Staged,
} from '../collection/staging.js'
import type { Access, MembersId, Namespace } from '../types.js'
import type { Made } from './containers/head.js'
import { membersPageBytes } from './containers/trip-size.js'
import type { ListRuns } from './lists/list-runs.js'
import type { ProgramHints } from './sorted-sets/block-hints.js'
import type { Place } from './spaces.js'

/**
 * Limits of a container in one document: members (Redis' listpack thresholds), and bytes of its
 * value. Above these, its members are records.
 */
const inlineMembersMax = 128
const inlineContainerBytesMax = 8 * KiB
/** Members that one write program may read before it is refused: about 20 ms. */
const programReadsMax = 20_000
/** Members that one program may read for later programs: about 2 ms. */
const aheadReadsMax = 2_048

/** Limits of a container in one document. Tests set 0, 1 or the default. */
export interface InlineBounds {
  readonly members: number
  /** Bytes of the container's BSON. */
  readonly bytes: number
}

export const usualBounds: InlineBounds = {
  members: inlineMembersMax,
  bytes: inlineContainerBytesMax,
}

/** Classes of keyspace events, as CONFIG SET notify-keyspace-events names them. */
export type EventClass = '$' | 'l' | 's' | 'h' | 'z' | 'g' | 'x' | 'e' | 'd' | 'n' | 't' | 'm'

/** An event such as `set a`, to announce after the commit. */
export interface KeyEvent {
  readonly eventClass: EventClass
  readonly event: string
  readonly place: Place
  /** A copy of the key. */
  readonly key: Uint8Array
  /** Access of the database at the event: its readers may receive the event. */
  readonly access: Access
}

/** Bytes of members that the head does not count yet. */
export interface Tally {
  readonly id: MembersId
  bytes: number
}

/** Counts the memory that a command collects for its reply. */
interface Gathering {
  /**
   * Adds bytes, `ahead` of them for large values that are read next. Throws ReplyError (OOM) if
   * there is no memory for them.
   */
  gather(bytes: number, ahead?: number): void
  /** Counts a value before it is read; with `mayWait` throws NoRoomYet while there is no memory. */
  expect(bytes: number, mayWait: boolean): void
  /** Large values that were read and not gathered are no longer held. */
  expectPage(): void
}

interface Gathered {
  readonly member: Slice
  readonly payload?: Slice
}

/** Overhead of each collected value, bytes. */
const gatheredValueBytes = 64

/** Shared until a program records its first event. */
const noEvents: KeyEvent[] = []
const nothingStaged = new Staged()

function* nothingBefore(): Program<void> {}

export class Work {
  /** Number of puts and removals so far. */
  changes = 0
  /** Lookups that found a key, and those that did not (INFO keyspace_hits). */
  hits = 0
  misses = 0
  /** In order of occurrence. */
  events: KeyEvent[] = noEvents
  /** Whether the rarely enabled events `new` and `keymiss` are recorded. */
  notesRare = false
  /** Whether the current command only reads. */
  isReading = false
  /** Probable block starts of large sorted sets. */
  hints: ProgramHints | undefined
  /** Cached list elements, if the program only reads. */
  lists: ListRuns | undefined
  /**
   * Large containers are read completely and rewritten, since the command changes more than a
   * program may write.
   */
  rewrites = false
  /** The program is prepared by a pausing read: it may read more, and allocates no ids. */
  prepares = false
  /** For a reading command; a writing one is limited by `read`. */
  gathering: Gathering | undefined
  /** Counts large values that any command reads. */
  expecting: Gathering | undefined
  /** Whether the program can run again once there is memory for a large value. */
  mayWait = false
  /** Whether replies are held until all commands have run; then values of keys count too. */
  keepsReplies = false
  /** The current command, for the log. */
  command = ''
  /**
   * For each collection, the first command that wrote a document that its warn-only validator
   * rejects.
   */
  invalid: Map<string, string> | undefined
  /** Runs before an id is allocated, since other ids were predicted. */
  beforeIds: () => Program<void> = nothingBefore
  /** Number of further commands in this program, which can use open containers. */
  left = 0
  /** Members that the program may read. */
  readsMax = programReadsMax
  private reads = 0
  private aheadLeft = aheadReadsMax
  private idsGiven = 0
  private tallies: Map<MembersId, Tally> | undefined
  private lastTally: Tally | undefined
  /** Staged members that a head of this run refers to. */
  private taken: Set<MembersId> | undefined

  constructor(
    readonly bounds: InlineBounds,
    /** Whether keyspace events have subscribers. */
    private readonly notifies: boolean,
    readonly staged: Staged = nothingStaged,
  ) {}

  /** Growth of a container's members since its head was last written. */
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

  /** Records a write of a document that a warn-only validator rejects. */
  noteInvalid({ db, name }: Namespace): void {
    this.invalid ??= new Map()
    const ns = `${db}.${name}`
    if (!this.invalid.has(ns)) this.invalid.set(ns, this.command)
  }

  /** Staged members of that source, for one head; undefined if there are none. */
  takeStaged(tx: Tx, source: MembersSource): MembersId | undefined {
    return this.took(this.staged.members(tx, source, this.taken))
  }

  /** Like takeStaged, with the content of its head. */
  takeMade(tx: Tx, source: KnownSource): Made | undefined {
    const made = this.staged.made(tx, source, this.taken)
    this.took(made?.head.id)
    return made
  }

  /** Like takeMade, of an older state of the source. */
  takeOlder(tx: Tx, source: KnownSource): OlderMembers | undefined {
    const older = this.staged.older(tx, source, this.taken)
    this.took(older?.id)
    return older
  }

  /** Whether each change of these containers is kept from now on. */
  follows(ids: readonly MembersId[]): boolean {
    const { changes } = this.staged
    return changes !== undefined && ids.length > 0 && ids.every((id) => changes.follow(id))
  }

  /**
   * Throws WriteConflict if members were staged for a plain command in vain, since their source has
   * changed: the command is then prepared, and can hold what it reads.
   */
  requireUnspoilt(): void {
    if (this.prepares || this.staged.membersIds.length === (this.taken?.size ?? 0)) return
    throw fail('WriteConflict', 'a large container kept changing while it was being copied')
  }

  private took(id: MembersId | undefined): MembersId | undefined {
    if (id === undefined) return undefined
    this.taken ??= new Set()
    this.taken.add(id)
    return id
  }

  /** A reserved id for members that a prepared program writes. */
  nextId(): MembersId {
    return this.staged.membersId(this.idsGiven++)
  }

  /** Counts entries read: a write program cannot pause, so its reads are limited. */
  read(entries: number): void {
    this.reads += entries
    if (this.reads > this.readsMax) throw readTooMuch()
  }

  /** How many of these members may be read for later programs; they count as read so. */
  roomAhead(members: number): number {
    const room = Math.min(members, this.aheadLeft)
    this.aheadLeft -= room
    return room
  }

  /**
   * Throws if `tx` is a write program's and cannot read `entries` and change `records` within its
   * limits. Checking before the first read avoids reading twice.
   */
  requireRoom(tx: ReadTx, entries: number, records = 0): void {
    if (this.prepares || !('scanOwn' in tx)) return
    if (this.reads + entries > this.readsMax || records > programPutsMax) throw readTooMuch()
  }

  /** Counts a value that the command holds until its reply. */
  gather(bytes: number): void {
    this.gathering?.gather(bytes + gatheredValueBytes)
  }

  /** Called before the chunks of a record are read. */
  expect(record: Bytes): void {
    const head = headOf(record)
    if (head !== undefined) this.expecting?.expect(head.length, this.mayWait)
  }

  /** Like expect, for a record that was read and holds its member: others have it in their key. */
  expectLong(bytes: number): void {
    if (bytes > membersPageBytes) this.expecting?.expect(bytes, this.mayWait)
  }

  /** Like expect, for a part of a large string. */
  expectPart(bytes: number): void {
    if (this.keepsReplies) this.gathering?.gather(bytes + gatheredValueBytes, bytes)
    this.expecting?.expect(bytes, this.mayWait)
  }

  /** Called before values are read, if those that were read and not gathered are not kept. */
  expectPage(): void {
    this.expecting?.expectPage()
  }

  /** Like gather, for members that were read together, from an index on. */
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

  /** Like gatherRecords, for a single key whose reply waits for others. */
  gatherKept(record: Bytes): void {
    if (this.keepsReplies) this.gatherRecords([record])
  }

  /** Like gather, for the records of keys whose chunks are read next. */
  gatherRecords(records: readonly (Bytes | undefined)[]): void {
    const { gathering } = this
    if (gathering === undefined) return
    let bytes = records.length * gatheredValueBytes
    let ahead = 0
    for (let i = 0; i < records.length; i++) {
      const record = records[i]
      if (record === undefined) continue
      const head = headOf(record)
      bytes += head?.length ?? record.length
      ahead += head?.length ?? 0
    }
    gathering.gather(bytes, ahead)
  }

  /**
   * Throws if `tx` is a write program's and cannot spend this many units: a pausing read then
   * prepares the command.
   */
  requireTime(tx: ReadTx, units: number): void {
    if (!this.prepares && 'scanOwn' in tx && !budget.allows(units)) throw readTooMuch()
  }

  /**
   * Where commands have used up the turn: a read pauses. A write program cannot, so this throws:
   * further commands run in separate programs, those that belong together are prepared by a read.
   */
  *requireTurn(tx: ReadTx, isTogether: boolean): Program<void> {
    if (this.prepares || !('scanOwn' in tx)) yield* tx.pause()
    else if (!isTogether || !budget.allows(0)) throw readTooMuch()
  }
}

/** This error makes a pausing read prepare the command. */
function readTooMuch(): Error {
  return refuse('ERR the command reads too much at once for a write', 'TransactionTooLarge')
}
