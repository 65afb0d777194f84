// Staging of large values and of copied members of large containers. Separate programs write them
// before the program that makes them visible, so that no transaction is long. Until then they are
// on the staging list, and unused ones become garbage. (docs/design/transactions.md, rule 13)

import { type Bytes, equalBytes } from '../../base/bytes/bytes.js'
import { fail } from '../../base/errors.js'
import { Unwinding } from '../../base/heap/unwinding.js'
import type { Program, Tx } from '../../store/store.js'
import { type Sweep, writePhase } from '../../store/sweep.js'
import type { Document } from '../../value/value.js'
import {
  chunkKey,
  discardMembers,
  discardValue,
  markStaged,
  stagedMembersKey,
  stagingKey,
  type ValueId,
} from '../background/garbage.js'
import type { Made } from '../keyspace/containers/head.js'
import type { MembersId, NamespaceId } from '../types.js'
import { allocateMembersIds, allocateValueNumber } from './catalog/catalog-ids.js'
import type { MemberChanges } from './member-changes.js'
import { chunkedRecord, chunkOf, inlineRecord, needsChunks, partsOf } from './records.js'

/** Chunks put by one program: half a MiB takes LMDB about 4 ms. */
const chunksPerProgram = 4

/** Thrown by a program that would put a large value that is not staged yet. */
export class StagingNeeded extends Unwinding {
  /** The owner whose waste an unused staged value is; set by the code that knows the quota. */
  owner: string | undefined

  constructor(
    message: string,
    /** Writes the value in separate phases; the program then finds it. */
    readonly stage: (staged: Staged) => Sweep<void>,
    /** Bytes of a large value. */
    readonly bytes = 0,
  ) {
    super(message)
    this.name = 'StagingNeeded'
  }
}

interface StagedValue {
  readonly value: ValueId
  readonly document: Document
  readonly owner: string | undefined
}

/** What members are made from: an identification, or all the bytes. */
export type MembersSource = KnownSource | Bytes

export interface KnownSource {
  /** With the versions of all keys. */
  readonly text: string
  /**
   * Without the members of the containers that are followed: whatever those are by now, what was
   * made can be brought up to date member by member. Undefined if it cannot.
   */
  readonly origin?: string | undefined
  readonly follows?: readonly MembersId[]
}

/** Members that were made from an older state of their source. */
export interface OlderMembers {
  readonly id: MembersId
  readonly made: Made | undefined
  /** Keys of the records that have changed in the followed containers since. */
  readonly changed: readonly Bytes[]
}

interface StagedMembers {
  readonly id: MembersId
  readonly source: MembersSource
  /** What a head states of them, if known for the source. */
  readonly made?: Made | undefined
}

/** The values that earlier phases have staged. Programs only read it. */
export class Staged {
  private values: readonly StagedValue[] = []
  /** By runs of programs: no run uses a value twice, because each record has chunks of its own. */
  private readonly taken = new WeakMap<object, Set<StagedValue>>()
  private readonly containers: StagedMembers[] = []
  private readonly spareIds: MembersId[] = []

  /** `changes`: those that others make meanwhile, if what is staged can be brought up to date. */
  constructor(readonly changes?: MemberChanges) {}

  /**
   * The record of a large document; throws StagingNeeded if it is not staged yet. `run` stands for
   * the run of the program.
   */
  record(tx: Tx, namespace: NamespaceId, document: Document, run: object = tx): Bytes {
    const taken = this.taken.get(run) ?? new Set()
    for (const staged of this.values) {
      if (taken.has(staged) || staged.value.namespace !== namespace) continue
      if (!sameDocument(staged.document, document)) continue
      this.taken.set(run, taken.add(staged))
      tx.remove(stagingKey(staged.value))
      return chunkedRecord({ value: staged.value, length: document.length })
    }
    const needed: StagingNeeded = new StagingNeeded(
      'a large value was put outside of stagedWrite',
      (all) => stage(all, namespace, document, needed.owner),
      document.length,
    )
    throw needed
  }

  add(staged: StagedValue): void {
    this.values = [...this.values, staged]
  }

  /** Behind the commit of a run: what it has taken belongs to members that are staged now. */
  settle(run: object): void {
    const taken = this.taken.get(run)
    if (taken !== undefined) this.values = this.values.filter((value) => !taken.has(value))
  }

  /**
   * Members copied from that source, for one head, without those in `taken`. Undefined if there are
   * none.
   */
  members(tx: Tx, source: MembersSource, taken?: ReadonlySet<MembersId>): MembersId | undefined {
    return this.container(tx, taken, (staged) => isSameSource(staged, source))?.id
  }

  /** From how many different sources, whose names begin so, members were staged. */
  sourcesOf(beginning: string): number {
    const found = new Set<string>()
    for (const { source } of this.containers) {
      if ('text' in source && source.text.startsWith(beginning)) found.add(source.text)
    }
    return found.size
  }

  /** Like members, with their head data. */
  made(tx: Tx, source: KnownSource, taken?: ReadonlySet<MembersId>): Made | undefined {
    return this.container(tx, taken, (staged) => isSameSource(staged, source))?.made
  }

  /** Like made, from an older state of the source. */
  older(
    tx: Tx,
    { origin, follows = [] }: KnownSource,
    taken?: ReadonlySet<MembersId>,
  ): OlderMembers | undefined {
    const { changes } = this
    const isOfOrigin = ({ source }: StagedMembers) => 'text' in source && source.origin === origin
    if (changes === undefined || origin === undefined) return undefined
    if (!this.containers.some(isOfOrigin)) return undefined
    const changed: Bytes[] = []
    for (const id of follows) {
      const keys = changes.changed(id)
      if (keys === undefined) return undefined
      changed.push(...keys)
    }
    const found = this.container(tx, taken, isOfOrigin)
    return found && { id: found.id, made: found.made, changed }
  }

  addMembers(id: MembersId, source: MembersSource, made?: Made): void {
    this.containers.push({ id, source, made })
  }

  private container(
    tx: Tx,
    taken: ReadonlySet<MembersId> | undefined,
    isWanted: (staged: StagedMembers) => boolean,
  ): StagedMembers | undefined {
    const found = this.containers.find(
      (staged) => taken?.has(staged.id) !== true && isWanted(staged),
    )
    if (found !== undefined) tx.remove(stagedMembersKey(found.id))
    return found
  }

  /** The reserved id number `index`, for members that a prepared program writes itself. */
  membersId(index: number): MembersId {
    const known = this.spareIds[index]
    if (known !== undefined) return known
    throw new StagingNeeded('ids were needed outside of a prepared program', reserveIds)
  }

  get spares(): number {
    return this.spareIds.length
  }

  /** Adds reserved ids; unused ones are never reused. */
  addSpareIds(ids: readonly MembersId[]): void {
    this.spareIds.push(...ids)
  }

  get isUsed(): boolean {
    return this.values.length > 0 || this.containers.length > 0
  }

  get large(): readonly StagedValue[] {
    return this.values
  }

  get membersIds(): readonly MembersId[] {
    return this.containers.map((staged) => staged.id)
  }
}

/** Doubles the number each time: a program that needs many ids reruns only a few times. */
function* reserveIds(staged: Staged): Sweep<void> {
  const count = Math.max(spareIdsMin, staged.spares)
  staged.addSpareIds(yield* writePhase((tx) => allocateMembersIds(tx, count)))
}

const spareIdsMin = 8

const nothingStaged = new Staged()

/** The value of a record to put. Call it before the first put of a document. */
export function recordOf(
  tx: Tx,
  namespace: NamespaceId,
  document: Document,
  staged: Staged | undefined,
): Bytes {
  if (!needsChunks(document)) return inlineRecord(document)
  return (staged ?? nothingStaged).record(tx, namespace, document)
}

/** Writes the chunks of one large document and puts it on the staging list. */
function* stage(
  staged: Staged,
  namespace: NamespaceId,
  document: Document,
  owner?: string,
): Sweep<void> {
  const value = yield* writePhase((tx) => beginStaging(tx, namespace))
  staged.add({ value, document, owner })
  const parts = partsOf(document.length)
  for (let first = 0; first < parts; first += chunksPerProgram) {
    const end = Math.min(first + chunksPerProgram, parts)
    yield* writePhase((tx) => putChunks(tx, value, document, first, end))
  }
}

function* beginStaging(tx: Tx, namespace: NamespaceId): Program<ValueId> {
  const value = { namespace, number: yield* allocateValueNumber(tx) }
  markStaged(tx, value)
  return value
}

function* putChunks(
  tx: Tx,
  value: ValueId,
  document: Document,
  first: number,
  end: number,
): Program<void> {
  for (let part = first; part < end; part++) tx.put(chunkKey(value, part), chunkOf(document, part))
}

/** Discards staged values that no record uses: those still on the staging list. */
export function* discardUnused(tx: Tx, { large, membersIds }: Staged): Program<void> {
  const keys = large.map(({ value }) => stagingKey(value))
  const marks = yield* tx.getMany([...keys, ...membersIds.map(stagedMembersKey)])
  large.forEach(({ value, document, owner }, index) => {
    if (marks[index] === undefined) return
    tx.remove(stagingKey(value))
    discardValue(tx, value, { owner, bytes: document.length })
  })
  membersIds.forEach((id, index) => {
    if (marks[large.length + index] === undefined) return
    tx.remove(stagedMembersKey(id))
    discardMembers(tx, id)
  })
}

/**
 * Throws WriteConflict if another gateway has taken this one for gone, and what it had staged for
 * garbage.
 */
export function* requireStaged(tx: Tx, staged: Staged): Program<void> {
  if (tx.gateway === undefined || !staged.isUsed) return
  const values = staged.large.map(({ value }) => stagingKey(value))
  const marks = yield* tx.getMany([...values, ...staged.membersIds.map(stagedMembersKey)])
  if (!marks.includes(undefined)) return
  throw fail('WriteConflict', 'this gateway was away for too long, try it again')
}

function isSameSource({ source: a }: StagedMembers, b: MembersSource): boolean {
  if ('text' in a || 'text' in b) return 'text' in a && 'text' in b && a.text === b.text
  return equalBytes(a, b)
}

function sameDocument(a: Document, b: Document): boolean {
  return a === b || equalBytes(a, b)
}
