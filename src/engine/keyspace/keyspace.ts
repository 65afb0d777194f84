// A key-value database inside one program: keys found by name, written as documents of collection
// `kvN`, with index entries, counts, expiries and members. Rights are checked before a handler gets
// it. The types (hash.ts, list.ts …) build on it.

import { type Bytes, mapKey } from '../../base/bytes/bytes.js'
import type { Slice } from '../../base/bytes/slice.js'
import { assert } from '../../base/errors.js'
import { respBulkBytesMax } from '../../base/limits/key-value.js'
import { inlineValueBytesMax } from '../../base/limits/store.js'
import { tooLong } from '../../base/reply-error.js'
import { keyClass } from '../../store/layout.js'
import { ReadAhead } from '../../store/read-ahead.js'
import { Done, nothing } from '../../store/steps.js'
import type { Entry, InPlace, KeyRange, Program, ReadTx, Step, Tx } from '../../store/store.js'
import type { Document } from '../../value/value.js'
import { DocumentWriter } from '../../value/writer.js'
import { discardMembers, membersChunks } from '../background/garbage.js'
import { wasteOf } from '../background/waste.js'
import { emptyKeyspace } from '../collection/catalog/catalog.js'
import { allocateMembersId } from '../collection/catalog/catalog-ids.js'
import { payerOf } from '../collection/catalog/descriptors.js'
import { insertRecord, removeRecord, replaceRecord } from '../collection/collections.js'
import { addBeside, countKey, usageKey } from '../collection/counters.js'
import { beginningOfRecord, documentOfRecord, endsOfRecord, headOf } from '../collection/records.js'
import { checkDocument, hasRules } from '../collection/validation.js'
import type { MembersId, Namespace } from '../types.js'
import { type Head, isSameHead, writeHead } from './containers/head.js'
import { Members } from './containers/members.js'
import { type Openable, OpenContainers } from './containers/open-containers.js'
import { firstTrip, nextTrip, tripBytesMax } from './containers/trip-size.js'
import { liveCount } from './keys/count.js'
import { expiryGrowth, moveExpiry } from './keys/expiry.js'
import { Key, type KeyType, never } from './keys/key.js'
import {
  beginKeyDocument,
  copyButTime,
  copyValue,
  endKeyDocument,
  recordOf,
  stringRecord,
} from './keys/key-document.js'
import { recordKeyOf } from './keys/key-name.js'
import { lookUp } from './look-up.js'
import { type Place, swapKeyspaces } from './spaces.js'
import { nameOfDocument } from './strings/scalar.js'
import type { EventClass, Work } from './work.js'

/** First byte of a chunked record (records.ts). */
const chunkedKind = 2
const done: Step<boolean> = new Done(true)
const notDone: Step<boolean> = new Done(false)

/**
 * What a look-up reads of a large string: all, not its value, or only up to its value. Of several
 * keys, `type` holds no document, and `members` none of a string.
 */
type Extent = 'all' | 'around' | 'beginning' | 'type' | 'members'

export class Keyspace {
  private counter: Bytes
  /** Counter key of its owner's sum; undefined if it has none. */
  private usage: Bytes | undefined
  private openContainers: OpenContainers | undefined

  constructor(
    readonly tx: ReadTx,
    /** The collection; a flush or swap replaces it. */
    public ns: Namespace,
    readonly place: Place,
    /** Milliseconds since 1970; constant during a command and during EXEC. */
    readonly now: number,
    readonly work: Work,
  ) {
    this.counter = countKey(ns.id)
    const payer = payerOf(ns.access)
    this.usage = payer === null ? undefined : usageKey(payer)
  }

  /** The key of that name, existing or not. Throws ReplyError if the name is too long. */
  key(name: Slice, extent: Extent = 'all'): Step<Key> {
    this.openContainers?.settle(name)
    const key = new Key(name, recordKeyOf(this.ns, name))
    const step = lookUp(this.tx, key.record)
    if (!(step instanceof Done)) return this.readKey(key, step, extent)
    const record = step.value as Bytes | undefined
    if (record === undefined) return new Done(this.missed(key))
    if (record[0] === chunkedKind) return this.readKey(key, step, extent)
    return new Done(this.counted(key.loadRecord(record, this.now)))
  }

  /** Like key, without the value: that of a large string is not read. */
  keyAround(name: Slice): Step<Key> {
    return this.key(name, 'around')
  }

  /** Like key, for a reader of parts: of a large string, they are read later (string-parts.ts). */
  keyInParts(name: Slice): Step<Key> {
    return this.key(name, 'beginning')
  }

  /** For a loop that looks up these names; `nameAt` for 0 to count - 1. */
  ahead(count: number, nameAt: (index: number) => Slice): ReadAhead | undefined {
    const keysOf = (index: number, to: Bytes[]) => to.push(recordKeyOf(this.ns, nameAt(index)))
    return ReadAhead.of(this.tx, { count, keysOf })
  }

  /** Like key or keyAround, for several names in one trip; a repeated one shares a long value. */
  *keys(names: readonly Slice[], extent: Extent = 'all'): Program<Key[]> {
    this.settle()
    const { tx, ns, now } = this
    const keys: Key[] = []
    const long = new Map<string, Key>()
    let atOnce = firstTrip
    for (let from = 0; from < names.length; from = keys.length) {
      const recordKeys = names.slice(from, from + atOnce).map((name) => recordKeyOf(ns, name))
      const records = yield* tx.getMany(recordKeys, tripBytesMax)
      const end = from + records.length
      if (extent !== 'type' && extent !== 'members') this.work.gatherRecords(records)
      atOnce = nextTrip(records)
      for (let i = from; i < end; i++) {
        const key = new Key(names[i] as Slice, recordKeys[i - from] as Bytes)
        const record = records[i - from]
        if (record === undefined) this.missed(key)
        else if (record[0] !== chunkedKind) this.counted(key.loadRecord(record, now))
        else {
          const id = mapKey(key.record)
          const known = long.get(id)
          if (known !== undefined) this.counted(key.loadLike(known))
          else long.set(id, yield* this.load(key, record, extent))
        }
        if (extent === 'type' || (extent === 'members' && key.type === 'string')) key.forget()
        keys.push(key)
      }
      if (extent === 'members') this.work.gatherRecords(keys.slice(from).map(({ held }) => held))
    }
    return keys
  }

  /**
   * Makes it a string with expiry `expiresAt` (or `never`). Throws ReplyError above
   * respBulkBytesMax. After a write the key object knows type and expiry, but no value.
   */
  putString(key: Key, value: Slice, expiresAt: number): Step<void> {
    if (value.length > respBulkBytesMax) throw tooLong()
    const record = stringRecord(key.name, value, expiresAt)
    return this.put(key, 'string', record, 1, expiresAt, undefined)
  }

  /**
   * For an in-place write that replaces a whole key (plain-strings.ts); undefined if the store has
   * none, or other data depends on the record.
   */
  inPlaceOf(name: Slice): InPlace | undefined {
    if (hasRules(this.ns)) return undefined
    this.openContainers?.settle(name)
    return this.writing.inPlace
  }

  /** Keeps an in-place string without expiry that replaces one of `before` bytes, if any. */
  keepPlain(at: InPlace, name: Slice, bytes: number, before?: number, recordBytes?: number): void {
    at.keep(recordBytes)
    const { work } = this
    work.changes++
    if (work.notesRare && before === undefined) this.notify('n', 'new', name)
    const growth = bytes - (before ?? 0)
    if (before === undefined) this.count(1, growth)
    else if (growth !== 0) this.count(0, growth)
  }

  private count(documents: number, bytes: number): void {
    const { usage, writing: tx } = this
    tx.add(this.counter, documents, bytes)
    if (usage !== undefined) tx.add(usage, 0, bytes)
  }

  /** Removes the key of an in-place write: a string without expiry, of `bytes` bytes. */
  dropPlain(inPlace: InPlace, bytes: number): void {
    inPlace.drop()
    this.work.changes++
    this.count(-1, -bytes)
  }

  /** A writer for `putContainer`; the caller writes the field `value`. */
  begin(key: Key, type: KeyType): DocumentWriter {
    return beginKeyDocument(key.name, type)
  }

  /** Makes it a small container; its expiry stays. */
  putContainer(key: Key, type: KeyType, writer: DocumentWriter): Step<void> {
    const { expiresAt } = key
    return this.put(key, type, endKeyDocument(writer, expiresAt), 0, expiresAt, undefined)
  }

  /** Makes it a large container; its expiry stays. */
  putHead(key: Key, type: KeyType, given: Head): Step<void> {
    const { expiresAt, stored, storedExpiresAt } = key
    const head = this.measured(key, given)
    if (stored !== undefined && storedExpiresAt === expiresAt && isSameHead(key.head, head)) {
      // Its members have changed, and WATCH compares the version of its record.
      return this.put(key, type, stored, 0, expiresAt, head.id)
    }
    const writer = this.begin(key, type)
    writeHead(writer, head)
    return this.put(key, type, endKeyDocument(writer, expiresAt), 0, expiresAt, head.id)
  }

  /** Adds the members' bytes to the head; `put` returns those of replaced members. */
  private measured({ storedHead }: Key, head: Head): Head {
    const tally = this.work.tally(head.id)
    const before = storedHead?.id === head.id ? storedHead.bytes : 0
    const bytes = Math.max(0, (before ?? 0) + tally.bytes)
    tally.bytes = 0
    addBeside(this.writing, this.ns, bytes - (before ?? 0))
    return 'bytes' in head ? { ...head, bytes } : { bytes, ...head }
  }

  /** The large container that an earlier command of the program left open. */
  findOpen(name: Slice): Openable | undefined {
    const found = this.openContainers?.find(name)
    if (found !== undefined) this.work.hits++
    return found
  }

  /** Keeps a large container open, now that its record is up to date; false if impossible. */
  hold(noun: Openable): boolean {
    if (this.work.left === 0) return false
    const { key, openHead } = noun
    const isPlain = !key.isChunked && !hasRules(this.ns)
    if (!isPlain || this.work.rewrites || key.storedHead?.id !== openHead?.id) return false
    this.openContainers ??= new OpenContainers(this.writeOpen)
    return this.openContainers.add(noun)
  }

  /** Marks an open container as changed: its head is written later. */
  noteOpenChanged(noun: Openable): boolean {
    const { openContainers } = this
    if (openContainers === undefined || !openContainers.changed(noun)) return false
    this.work.changes++
    return true
  }

  /** Forgets a container that is no longer large. */
  letGo(noun: Openable): void {
    this.openContainers?.forget(noun)
  }

  /** Writes deferred changes: before records are read, and when the program ends. */
  settle(): void {
    this.openContainers?.settleAll()
  }

  /** Allocates an id for the members of a container. */
  allocate(): Program<MembersId> {
    return allocateMembersId(this.writing)
  }

  members(id: MembersId): Members {
    return new Members(this.tx, membersChunks, id, this.work, this.ns.access)
  }

  /** Removes the key with its members; false if there was none. */
  remove(key: Key): Step<boolean> {
    const { stored, exists } = key
    if (stored === undefined) return notDone
    const { ns, work } = this
    const tx = this.writing
    work.changes++
    const head = key.storedHead
    if (head !== undefined) this.discard(head)
    this.moveExpiry(key, never)
    const isSlow = key.isChunked || ns.indexes.length > 0 || ns.recorded === true
    if (isSlow) return this.removeSlow(key, stored, exists)
    tx.remove(key.record)
    this.count(-1, -stored.length)
    key.clear()
    return exists ? done : notDone
  }

  /** Changes the expiry of an existing key, or removes it (`never`). */
  expire(key: Key, expiresAt: number): Step<void> {
    const writer = new DocumentWriter()
    copyButTime(writer, key.stored as Document)
    const id = key.storedHead?.id
    return this.put(key, key.type as KeyType, endKeyDocument(writer, expiresAt), 0, expiresAt, id)
  }

  /** Moves contents and expiry of `from` over `to`, perhaps in another database. */
  *rename(from: Key, to: Key, target: Keyspace = this): Program<void> {
    const { type, expiresAt, storedHead: head, stored } = from
    const writer = target.begin(to, type as KeyType)
    copyValue(writer, stored as Document)
    const document = endKeyDocument(writer, expiresAt)
    yield* this.removeKeepingMembers(from)
    if (head?.bytes !== undefined) {
      addBeside(this.writing, this.ns, -head.bytes)
      addBeside(this.writing, target.ns, head.bytes)
    }
    yield* target.put(to, type as KeyType, document, 0, expiresAt, head?.id)
  }

  /**
   * Keys in a range of record keys, without expired ones; `seen` (at most `limit`) counts those
   * too. `last` is where to continue, missing at the end (key-walk.ts).
   */
  *scan(range: KeyRange, limit: number): Program<{ keys: Key[]; seen: number; last?: Bytes }> {
    const entries = yield* this.entries(range, limit)
    const seen = entries.length
    const keys: Key[] = []
    for (const { key: record, value } of entries) {
      const document = yield* documentOfRecord(this.tx, value)
      const key = new Key(nameOfDocument(document), record)
      if (key.load(document, value[0] === chunkedKind, this.now).exists) keys.push(key)
    }
    const last = entries.at(-1)?.key
    return seen < limit || last === undefined ? { keys, seen } : { keys, seen, last }
  }

  /** Empties the database at once; the data is deleted later. */
  *empty(): Program<void> {
    this.settle()
    this.work.changes++
    yield* this.work.beforeIds()
    this.become(yield* emptyKeyspace(this.writing, this.ns))
  }

  /** Swaps the contents of two databases. */
  *swap(other: Keyspace): Program<void> {
    this.settle()
    other.settle()
    this.work.changes++
    yield* this.work.beforeIds()
    const [mine, theirs] = yield* swapKeyspaces(this.writing, this.ns, other.ns)
    this.become(mine)
    other.become(theirs)
  }

  /** Keys that exist now. */
  size(): Program<number> {
    return liveCount(this.tx, this.ns, this.now)
  }

  /** Records an event to announce after the commit: `ks.notify('$', 'set', key.name)`. */
  notify(eventClass: EventClass, event: string, name: Slice): void {
    this.work.note(eventClass, event, this.place, name, this.ns.access)
  }

  /** Entries of a range with this program's own writes; limited in a write program. */
  *entries(range: KeyRange, limit: number): Program<Entry[]> {
    const { tx } = this
    if (!isWriting(tx)) return yield* tx.scan(range, limit)
    if (range.start[0] === keyClass.record) this.settle()
    const entries = yield* tx.scanOwn(range, limit)
    this.work.read(entries.length)
    return entries
  }

  private readonly writeOpen = (noun: Openable, head: Head | undefined): void => {
    const { work } = this
    const { changes } = work
    const { key, type } = noun
    noun.settleMembers?.()
    if (head !== undefined) {
      assert(this.putHead(key, type, head) === nothing, 'the head of a plain key is put at once')
    }
    noun.closed?.()
    // Earlier commands made these changes; the current one may still fail without a trace.
    work.changes = changes
  }

  private become(ns: Namespace): void {
    this.ns = ns
    this.counter = countKey(ns.id)
  }

  private missed(key: Key): Key {
    const { work } = this
    work.misses++
    if (work.notesRare && work.isReading) this.notify('m', 'keymiss', key.name)
    return key
  }

  private get writing(): Tx {
    return this.tx as Tx
  }

  private *readKey(key: Key, step: Step<Bytes | undefined>, extent: Extent): Program<Key> {
    const record = yield* step
    if (record === undefined) return this.missed(key)
    // Parts count when they are read.
    if (extent === 'all') this.work.gatherKept(record)
    return yield* this.load(key, record, extent)
  }

  private *load(key: Key, record: Bytes, extent: Extent): Program<Key> {
    const { tx, now } = this
    const isChunked = record[0] === chunkedKind
    // Indexes and validators need the old value.
    const isAround = extent === 'around' && !hasRules(this.ns)
    if (isChunked && (isAround || extent === 'type' || extent === 'members')) {
      key.loadEnds(yield* endsOfRecord(tx, record), now)
      if (extent !== 'members' || key.type === 'string') return this.counted(key)
    }
    if (extent === 'beginning' && isChunked)
      return this.counted(
        key.loadBeginning(yield* beginningOfRecord(tx, record), headOf(record), now),
      )
    if (isChunked) this.work.expect(record)
    return this.counted(key.load(yield* documentOfRecord(tx, record), isChunked, now))
  }

  private counted(key: Key): Key {
    if (key.exists) this.work.hits++
    else this.missed(key)
    return key
  }

  /** `at`: 0 if the bytes are a document, 1 if they are its record. */
  private put(
    key: Key,
    type: KeyType,
    bytes: Bytes,
    at: 0 | 1,
    expiresAt: number,
    members: MembersId | undefined,
  ): Step<void> {
    const { ns, work } = this
    const tx = this.writing
    work.changes++
    if (work.notesRare && !key.exists) this.notify('n', 'new', key.name)
    const head = key.storedHead
    if (head !== undefined && head.id !== members) this.discard(head)
    if (key.storedExpiresAt !== expiresAt) this.moveExpiry(key, expiresAt)
    const isLarge = bytes.length + 1 - at > inlineValueBytesMax
    if (isLarge || key.isChunked || hasRules(ns)) {
      return this.putSlow(key, type, bytes.subarray(at), expiresAt, isLarge)
    }
    const record = at === 1 ? bytes : recordOf(bytes)
    const growth = record.length - 1 - key.storedBytes
    tx.put(key.record, record)
    if (!key.isStored) this.count(1, growth)
    else if (growth !== 0) this.count(0, growth)
    key.wrote(type, record, 1, expiresAt, false)
    return nothing
  }

  private discard({ id, bytes = 0 }: Head): void {
    discardMembers(this.writing, id, wasteOf(this.ns.access, bytes))
    addBeside(this.writing, this.ns, -bytes)
  }

  private moveExpiry({ record, storedExpiresAt: from }: Key, to: number): void {
    moveExpiry(this.writing, record, from, to)
    addBeside(this.writing, this.ns, expiryGrowth(record, from, to))
  }

  private *putSlow(
    key: Key,
    type: KeyType,
    document: Document,
    expiresAt: number,
    isLarge: boolean,
  ): Program<void> {
    const { work, writing } = this
    const { stored, record } = key
    const ns = this.validated(document, stored)
    if (stored === undefined) yield* insertRecord(writing, ns, record, document, work.staged)
    else yield* replaceRecord(writing, ns, record, stored, document, work.staged)
    key.wrote(type, document, 0, expiresAt, isLarge)
  }

  /** The database without its validator, which runs here, where the time is known. */
  private validated(document: Document, before: Document | undefined): Namespace {
    const { ns, now } = this
    const { validation, ...rest } = ns
    if (validation === undefined) return ns
    const { work } = this
    const noteInvalid = () => work.noteInvalid(ns)
    checkDocument({ now, noteInvalid }, ns, validation, document, before)
    return rest
  }

  private *removeSlow(key: Key, stored: Document, existed: boolean): Program<boolean> {
    yield* removeRecord(this.writing, this.ns, key.record, stored)
    key.clear()
    return existed
  }

  private *removeKeepingMembers(key: Key): Program<void> {
    const { stored, record } = key
    this.work.changes++
    this.moveExpiry(key, never)
    yield* removeRecord(this.writing, this.ns, record, stored as Document)
    key.clear()
  }
}

export function isWriting(tx: ReadTx): tx is Tx {
  return 'scanOwn' in tx
}
