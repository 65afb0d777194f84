// A change stream: the events of a scope from a position in the change log on. It has a position,
// not a snapshot, and waits at the end of the log. What the caller may not read is left out, as of
// each batch. (docs/design/changes.md)

import type { Bytes } from '../../base/bytes/bytes.js'
import { scanBytesTarget } from '../../base/limits/engine.js'
import { work } from '../../base/work/work-budget.js'
import {
  type ClusterTime,
  changeKey,
  changeRange,
  changeTimeOf,
  isEarlier,
} from '../../store/layout.js'
import type { Program, ReadTx } from '../../store/store.js'
import { field } from '../../value/elements.js'
import { bsonType, type Document, documentOf, nullValue, stringOf } from '../../value/value.js'
import { StepSize } from '../background/step-size.js'
import { namespaceKey } from '../collection/catalog/catalog-keys.js'
import { decodeNamespace } from '../collection/catalog/descriptors.js'
import { replacementPrefix } from '../collection/catalog/holdings.js'
import { accessOfMissing } from '../collection/catalog/reservations.js'
import { HoldingSource, type Source } from '../sources/holding-source.js'
import type { Counters } from '../sources/walk.js'
import type { Guarded } from '../types.js'
import { type EventOptions, eventOf, invalidateEvent } from './change-events.js'
import {
  type ChangeRecord,
  decodeChange,
  isAt,
  isRename,
  placeBytes,
  targetOf,
} from './change-record.js'
import { type Scope, trimmedBefore } from './recording.js'
import { fitted } from './split-events.js'
import { fatalError, historyLost } from './stream-errors.js'
import { parseToken, type Token, tokenDocument, tokenText } from './token.js'

export class ChangeSource extends HoldingSource {
  readonly counters: Counters = { keysExamined: 0, docsExamined: 0, returned: 0 }
  readonly awaits = true
  /** Tokens of the events that were produced, until `WatchSource` has seen them pass. */
  readonly passing: string[] = []
  /** Most records of a log that many streams read are of other places. */
  private readonly place: Bytes | undefined
  private isOver = false
  private readonly size = new StepSize()

  constructor(
    readonly scope: Scope,
    /** The first time that was not read. */
    public position: ClusterTime,
    private readonly options: EventOptions,
  ) {
    super()
    const { db, name } = scope
    if (db !== undefined) this.place = placeBytes(db, name)
  }

  protected get isExhausted(): boolean {
    return this.isOver
  }

  protected *produce(tx: ReadTx & Guarded, want: number): Program<Document[]> {
    const found: Document[] = []
    const seen = new Map<string, boolean>()
    const { place } = this
    let bytes = 0
    while (found.length < want && bytes < scanBytesTarget && !this.isOver) {
      const { limit } = this.size
      const start = changeKey(this.position)
      if (isEarlier(this.position, yield* trimmedBefore(tx))) throw historyLost()
      const entries = yield* tx.scan({ start, end: changeRange.end }, limit)
      let read = 0
      for (const { key, value } of entries) {
        if (found.length >= want || this.isOver) break
        read += value.length
        const time = changeTimeOf(key)
        if (place !== undefined && !isAt(value, place) && !isRename(value)) {
          this.position = next(time)
          continue
        }
        const before = found.length
        yield* this.take(tx, time, decodeChange(value), found, seen)
        this.position = next(time)
        for (const event of found.slice(before)) bytes += event.length
        if (work.isDue) yield* tx.pause()
      }
      this.size.saw(entries.length, read)
      if (entries.length < limit) break
    }
    this.counters.returned += found.length
    return found
  }

  private *take(
    tx: ReadTx & Guarded,
    time: ClusterTime,
    record: ChangeRecord,
    found: Document[],
    seen: Map<string, boolean>,
  ): Program<void> {
    this.counters.docsExamined++
    if (!isIn(this.scope, record) || !(yield* maySee(tx, record, seen))) return
    const event = yield* eventOf(tx, time, record, this.options)
    if (event !== undefined) {
      found.push(event)
      this.passing.push(tokenText({ time, kind: 'event' }))
    }
    if (!endsScope(this.scope, record)) return
    found.push(invalidateEvent(time, record))
    this.passing.push(tokenText({ time, kind: 'invalidate' }))
    this.isOver = true
  }
}

interface LargeEvents {
  /** Whether the pipeline ends with $changeStreamSplitLargeEvent. */
  readonly splits: boolean
  /** The fragment behind which the stream resumes. */
  readonly after?: Token | undefined
}

/** The end of the pipeline behind a change stream: it checks and gives the tokens. */
export class WatchSource extends HoldingSource {
  /** The token of the last event that was returned; the beginning before the first. */
  private last: Document

  constructor(
    private readonly changes: ChangeSource,
    private readonly piped: Source,
    private readonly large: LargeEvents = { splits: false },
  ) {
    super()
    this.last = tokenDocument({ time: changes.position, kind: 'mark' })
  }

  get scope(): Scope {
    return this.changes.scope
  }

  get counters(): Readonly<Counters> {
    return this.piped.counters
  }

  override get bytesBuffered(): number {
    return super.bytesBuffered + this.piped.bytesBuffered
  }

  override get bytesWorking(): number {
    return this.piped.bytesWorking
  }

  protected get isExhausted(): boolean {
    return this.piped.drained
  }

  protected *produce(tx: ReadTx, want: number): Program<Document[]> {
    const events = yield* this.piped.pull(tx, want)
    for (const event of events) this.pass(event)
    if (this.piped.bytesBuffered === 0) this.changes.passing.length = 0
    const { splits, after } = this.large
    const given: Document[] = []
    for (const event of events) given.push(...fitted(event, splits, after))
    return given
  }

  /** From where a stream resumes behind a batch of these documents. */
  resumeToken(batch: readonly Document[]): Document {
    const returned = batch.at(-1)
    if (returned !== undefined) this.last = documentOf(field(returned, '_id') ?? nullValue).slice()
    if (this.bytesBuffered > 0) return this.last
    const { position } = this.changes
    const { time, kind } = parseToken(this.last)
    // Of the last record, the token of its event says more than the mark behind it.
    const isNewest = kind !== 'mark' && !isEarlier(next(time), position)
    return isNewest ? this.last : tokenDocument({ time: position, kind: 'mark' })
  }

  override close(): void {
    super.close()
    this.piped.close()
  }

  /** Stages keep the order of the events, and may drop some. */
  private pass(event: Document): void {
    const { passing } = this.changes
    const id = field(event, '_id')
    const data = id?.type === bsonType.object ? field(documentOf(id), '_data') : undefined
    const isText = data?.type === bsonType.string
    const at = isText ? passing.indexOf(stringOf(data)) : -1
    if (at === -1) throw modifiedId()
    passing.splice(0, at + 1)
  }
}

function modifiedId() {
  return fatalError(
    'Encountered an event whose _id field, which contains the resume token, was modified by the ' +
      'pipeline. Modifying the _id field of an event makes it impossible to resume the stream ' +
      'from that point. Only transformations that retain the unmodified _id field are allowed.',
  )
}

/** The first time behind that one. */
export function next({ seconds, increment }: ClusterTime): ClusterTime {
  return { seconds, increment: increment + 1 }
}

function isIn({ db, name }: Scope, record: ChangeRecord): boolean {
  if (record.kind === 'begin' || record.kind === 'hold') return false
  if (holds({ db, name }, record)) return true
  return record.kind === 'rename' && holds({ db, name }, targetOf(record.body))
}

function holds(scope: Scope, { db, name }: Pick<ChangeRecord, 'db' | 'name'>): boolean {
  if (scope.db !== undefined && scope.db !== db) return false
  if (scope.name !== undefined) return scope.name === name
  return !name.startsWith('system.') || name.startsWith(replacementPrefix)
}

/** A stream of a collection ends with its name, and one of a database with the database. */
function endsScope({ db, name }: Scope, { kind }: ChangeRecord): boolean {
  if (kind === 'dropDatabase') return db !== undefined
  return name !== undefined && (kind === 'drop' || kind === 'rename')
}

/** Whether the caller may read the collection as it is now; names without one have a holder. */
function* maySee(
  tx: ReadTx & Guarded,
  { db, name, kind }: ChangeRecord,
  seen: Map<string, boolean>,
): Program<boolean> {
  if (tx.maySee === undefined || kind === 'dropDatabase') return true
  const key = `${db}\0${name}`
  const known = seen.get(key)
  if (known !== undefined) return known
  const bytes = yield* tx.get(namespaceKey(db, name))
  const access =
    bytes === undefined
      ? yield* accessOfMissing(tx, db, name)
      : decodeNamespace(db, name, bytes).access
  const may = tx.maySee(db, name, access)
  seen.set(key, may)
  return may
}
