// Online index builds. The descriptor is put first, so that every writer maintains the index. Then
// small write programs add the entries of existing documents, and one commit makes the index ready.
// After a crash the descriptor is still `building`, and the next start restarts the sweep.
// (docs/design/transactions.md, rule 12)

import { type Bytes, concatBytes } from '../../base/bytes/bytes.js'
import type { Random } from '../../base/clock.js'
import { assert, fail, hasKind } from '../../base/errors.js'
import { backgroundBytesTarget } from '../../base/limits/engine.js'
import { work } from '../../base/work/work-budget.js'
import { keyClass } from '../../store/layout.js'
import type { Program, ProgramRunner, ReadTx, Tx } from '../../store/store.js'
import type { Value } from '../../value/value.js'
import { BackgroundLoop } from '../background/background-loop-job.js'
import { idRange } from '../background/garbage.js'
import type { JobParts } from '../background/garbage-job.js'
import { Lease } from '../background/lease-job.js'
import type { Nap } from '../background/pace-job.js'
import { StepSize } from '../background/step-size.js'
import { wasteBeside } from '../background/waste.js'
import { recordIndexes } from '../changes/record-changes.js'
import {
  type CreateOptions,
  findNamespace,
  findNamespaceById,
  saveNamespace,
} from '../collection/catalog/catalog.js'
import {
  type CatalogName,
  isUnfinished,
  removeUnfinished,
  unfinishedNames,
} from '../collection/catalog/catalog-index.js'
import { emptyDocument, payerOf } from '../collection/catalog/descriptors.js'
import { usageKey, usageOf } from '../collection/counters.js'
import { documentOfRecord } from '../collection/records.js'
import type { IndexDescriptor, IndexId, Namespace } from '../types.js'
import { hasOldKeys, hasOldRecords, renewIndexes } from './collation-renewal.js'
import { addMissingEntries, type Indexed, wantedEntries } from './entries.js'
import type { IndexEntries } from './index-keys.js'
import { parseIndexSpecs } from './index-spec.js'
import { buildLease, type Declared, declareIndexes, removeIndexes } from './indexes.js'

/** Entries that one step of an index build puts before it ends. */
const buildEntriesTarget = 1_000
/** Records that one step of an index build reads; the overhead of a step equals 20 records. */
const buildRecordsMax = 200
/** Time between two looks for builds of gateways that are gone, milliseconds. */
const takeOverEveryMs = 10_000
/** Time between two looks whether another gateway has finished a build, milliseconds. */
const turnLookMs = 500

interface EnsureResult {
  /** Indexes before and after, `_id_` included. */
  readonly before: number
  readonly after: number
  /** Whether the collection was missing and has been created. */
  readonly created: boolean
  readonly note?: string
}

/** The indexes of one collection that one sweep builds. */
interface Build {
  /** The collection as last found; a rename may move it. */
  readonly ns: Namespace
  readonly ids: ReadonlySet<IndexId>
  /** No earlier build has put entries in any of them. */
  readonly isFirst: boolean
  readonly requireSpace: RequireSpace | undefined
}

/** Indexes to build, and those of them just declared. */
type Unbuilt = Pick<Declared, 'ns' | 'building'> & Partial<Pick<Declared, 'declared'>>

/** Throws QuotaExceeded if an owner's grown data exceeds the quota. */
type RequireSpace = (bytes: number, waste: number) => void

interface BuildStep {
  readonly records: number
  readonly bytes: number
  /** The next record; undefined when every record was seen and the indexes are ready. */
  readonly position: Bytes | undefined
}

export class IndexBuilds {
  private readonly parts: JobParts
  private readonly random: Random
  /** The build that makes an index ready, for requests that join it. */
  private readonly running = new Map<IndexId, Promise<void>>()
  private closed = false
  /** The quota check of builds resumed at start, whose requester is unknown. */
  resumedBound: RequireSpace | undefined
  /** Looks for builds of gateways that are gone. */
  private readonly loop: BackgroundLoop
  private nap: Nap | undefined

  constructor(parts: JobParts, random: Random) {
    this.parts = parts
    this.random = random
    const { pace, log } = parts
    this.loop = new BackgroundLoop({
      pace,
      log,
      everyMs: takeOverEveryMs,
      sleepsFirst: true,
      failure: 'looking for unfinished index builds failed',
      round: () => this.look().then(() => false),
    })
  }

  /**
   * createIndexes: resolves when all are ready. `specs` are its `indexes`; `create` applies if the
   * collection is missing (default: unowned and private). Rejects with the errors of the
   * specifications, DuplicateKey, IndexBuildAborted if index or collection is dropped, or what
   * `requireSpace` throws; then the index is removed.
   */
  async ensure(
    db: string,
    name: string,
    specs: readonly Value[],
    create: CreateOptions = this.defaults(),
    requireSpace?: RequireSpace,
  ): Promise<EnsureResult> {
    const parsed = parseIndexSpecs(specs)
    const { store } = this.parts
    const declared = await store.write((tx) => declareIndexes(tx, db, name, parsed, create))
    const { before, after, created } = declared
    await this.finish(declared, requireSpace)
    const note = 'all indexes already exist'
    return after === before ? { before, after, created, note } : { before, after, created }
  }

  /** Like ensure, for indexes that a program has declared. */
  async finish(declared: Declared, requireSpace?: RequireSpace): Promise<void> {
    await Promise.all(this.joinOrBegin(declared, requireSpace))
  }

  /**
   * Starts the builds that the last process did not finish, without waiting for them. With other
   * gateways, looks again and again for those of gateways that are gone.
   */
  async resume(): Promise<void> {
    await this.look()
    if (this.parts.store.gateways !== undefined) this.loop.start()
  }

  private async look(): Promise<void> {
    const { store, log } = this.parts
    for (const named of await store.read(unfinishedNames)) {
      const ns = await store.write((tx) => renewed(tx, named))
      if (ns === undefined) continue
      if (hasOldRecords(ns)) {
        const text = 'documents are kept by a collation of another ICU: _ids may not be found'
        log.warn({ ns: `${ns.db}.${ns.name}` }, `${text}; dump and restore the collection`)
      }
      const building = await this.mine(ns.indexes.filter(isBuilding).map((index) => index.id))
      for (const build of this.joinOrBegin({ ns, building }, this.resumedBound)) {
        build.catch((error: unknown) => {
          this.parts.log.warn({ err: error, ns: `${ns.db}.${ns.name}` }, 'index build failed')
        })
      }
    }
  }

  /** Those whose lease no other gateway has. */
  private async mine(building: readonly IndexId[]): Promise<IndexId[]> {
    const mine: IndexId[] = []
    for (const id of building) {
      if (this.running.has(id)) continue
      if (await new Lease(this.parts.store, buildLease(id)).hold()) mine.push(id)
    }
    return mine
  }

  /** Stops running builds after their step; resolves when none runs. */
  async close(): Promise<void> {
    this.closed = true
    this.nap?.wake()
    await this.loop.close()
    await Promise.allSettled(this.running.values())
  }

  private defaults(): CreateOptions {
    const uuid = this.random.bytes(16)
    uuid[6] = ((uuid[6] ?? 0) & 0x0f) | 0x40
    uuid[8] = ((uuid[8] ?? 0) & 0x3f) | 0x80
    const now = this.parts.clock.now()
    return { owner: null, mode: 'private', now, uuid, options: emptyDocument }
  }

  /** The builds that make these indexes ready: running ones, and a new one for the rest. */
  private joinOrBegin(
    { ns, building, declared }: Unbuilt,
    requireSpace: RequireSpace | undefined,
  ): Promise<void>[] {
    const builds = new Set<Promise<void>>()
    const missing = new Set<IndexId>()
    for (const id of building) {
      const running = this.running.get(id)
      if (running === undefined) missing.add(id)
      else builds.add(running)
    }
    const isFirst = [...missing].every((id) => declared?.has(id) === true)
    if (missing.size > 0) builds.add(this.begin({ ns, ids: missing, isFirst, requireSpace }))
    return [...builds]
  }

  private begin(build: Build): Promise<void> {
    const running = this.run(build).finally(() => {
      for (const id of build.ids) this.running.delete(id)
    })
    for (const id of build.ids) this.running.set(id, running)
    return running
  }

  private async run(build: Build): Promise<void> {
    const lease = new Lease(this.parts.store, ...[...build.ids].map(buildLease))
    let isFirst = build.isFirst && (await lease.isOwn())
    try {
      while (await this.awaitTurn(lease, build)) {
        const turn = { ...build, isFirst }
        if (await lease.round(() => this.sweep(turn, lease.runner), false)) break
        // Another gateway has gone on with it.
        isFirst = false
      }
    } catch (error) {
      const undo = () => lease.runner.write((tx) => abandon(tx, build))
      // A shutdown does not undo the build: the next start resumes it.
      if (!isShutdown(error)) await lease.round(undo, undefined)
      throw error
    } finally {
      await lease.release().catch(() => undefined)
    }
  }

  /** Waits while another gateway builds these indexes; false if it has made them ready. */
  private async awaitTurn(lease: Lease, build: Build): Promise<boolean> {
    const { store, pace } = this.parts
    while (!(await lease.hold())) {
      if (this.closed) throw fail('InterruptedAtShutdown', 'the index build was interrupted')
      if (await store.read((tx) => areReady(tx, build))) return false
      this.nap = pace.sleep(turnLookMs)
      await this.nap.over
    }
    return true
  }

  /** Returns true: all are ready. */
  private async sweep(build: Build, runner: ProgramRunner): Promise<boolean> {
    const { pace } = this.parts
    const size = new StepSize(buildRecordsMax)
    let position = idRange(keyClass.record, build.ns.id).start
    for (;;) {
      if (this.closed) throw fail('InterruptedAtShutdown', 'the index build was interrupted')
      const from = position
      const { limit } = size
      try {
        const step = await runner.write((tx) => buildStep(tx, build, from, limit))
        if (step.position === undefined) return true
        position = step.position
        size.saw(step.records, step.bytes)
      } catch (error) {
        if (!isTransient(error) && !(hasKind(error, 'TransactionTooLarge') && size.halve()))
          throw error
      }
      await pace.rest()
    }
  }
}

/** Throws IndexBuildAborted if one was dropped. */
function* areReady(tx: ReadTx, build: Build): Program<boolean> {
  const ns = yield* locate(tx, build)
  return requireIndexes(ns, build).every(({ state }) => state === 'ready')
}

function requireIndexes(ns: Namespace | undefined, { ids }: Build): IndexDescriptor[] {
  const indexes = ns?.indexes.filter((index) => ids.has(index.id)) ?? []
  if (indexes.length === ids.size) return indexes
  throw fail('IndexBuildAborted', 'Index build aborted: the index or its collection was dropped')
}

/** Adds the entries of the next documents; stops early if they are large. */
function* buildStep(tx: Tx, build: Build, from: Bytes, limit: number): Program<BuildStep> {
  const ns = yield* locate(tx, build)
  const indexes = requireIndexes(ns, build)
  assert(ns !== undefined, 'its indexes were found')
  const { end } = idRange(keyClass.record, ns.id)
  const entries = yield* tx.scan({ start: from, end }, limit)
  const documents: Indexed[] = []
  const wanted: IndexEntries[][] = []
  let bytes = 0
  let count = 0
  for (const { key, value } of entries) {
    const document = yield* documentOfRecord(tx, value)
    const kept = wantedEntries(indexes, { document, key })
    documents.push({ document, key })
    wanted.push(kept)
    bytes += document.length
    for (const { keys } of kept) count += keys.length
    if (count >= buildEntriesTarget || bytes >= backgroundBytesTarget || work.isDue) break
  }
  yield* addMissingEntries(tx, ns, documents, wanted, build.isFirst)
  yield* requireRoom(tx, ns, build)
  const records = documents.length
  const seen = documents.at(-1)
  if (seen !== undefined && records < entries.length) {
    return { records, bytes, position: after(seen.key) }
  }
  const last = entries.at(-1)
  if (last !== undefined && entries.length === limit) {
    return { records, bytes, position: after(last.key) }
  }
  yield* makeReady(tx, ns, build.ids)
  return { records, bytes, position: undefined }
}

/** Entries count towards the collection owner's quota from the step that puts them. */
function* requireRoom(tx: Tx, { access }: Namespace, { requireSpace }: Build): Program<void> {
  const payer = payerOf(access)
  if (requireSpace === undefined || payer === null) return
  const key = usageKey(payer)
  if (tx.added(key).bytes <= 0) return
  requireSpace(yield* usageOf(tx, payer), yield* wasteBeside(tx, key))
}

/** Reads the descriptor again, since the documents of this step may have changed its bits. */
function* makeReady(tx: Tx, before: Namespace, ids: ReadonlySet<IndexId>): Program<void> {
  const ns = yield* findNamespace(tx, before.db, before.name)
  assert(ns !== undefined, 'a collection does not vanish under a program')
  const indexes = ns.indexes.map((index) => (ids.has(index.id) ? readied(index) : index))
  const ready = saveNamespace(tx, { ...ns, indexes })
  const built = ns.indexes.filter(({ id, state }) => ids.has(id) && state !== 'ready')
  recordIndexes(
    tx,
    'createIndexes',
    ns,
    built.map(({ spec }) => spec),
  )
  if (!isUnfinished(ready)) removeUnfinished(tx, ready)
}

function readied({ hasWrites: _, ...index }: IndexDescriptor): IndexDescriptor {
  return { ...index, state: 'ready' }
}

/** Resets indexes with keys of another ICU; returns the unfinished collection, or undefined. */
function* renewed(tx: Tx, { db, name }: CatalogName): Program<Namespace | undefined> {
  const found = yield* findNamespace(tx, db, name)
  if (found === undefined || !isUnfinished(found)) {
    removeUnfinished(tx, { db, name })
    return undefined
  }
  if (hasOldKeys(found)) yield* renewIndexes(tx, found)
  return yield* findNamespace(tx, db, name)
}

function* abandon(tx: Tx, build: Build): Program<void> {
  const ns = yield* locate(tx, build)
  if (ns === undefined) return
  const left = ns.indexes.filter((index) => build.ids.has(index.id)).map((index) => index.id)
  yield* removeIndexes(tx, ns, new Set(left))
}

function* locate(tx: ReadTx, build: Build): Program<Namespace | undefined> {
  const { db, name, id } = build.ns
  const ns = yield* findNamespace(tx, db, name)
  return ns?.id === id ? ns : yield* findNamespaceById(tx, id)
}

function after(key: Bytes): Bytes {
  return concatBytes(key, Uint8Array.of(0))
}

const isBuilding = ({ state }: IndexDescriptor): boolean => state === 'building'
const isShutdown = (error: unknown): boolean =>
  hasKind(error, 'ShutdownInProgress', 'InterruptedAtShutdown')
const isTransient = (error: unknown): boolean => hasKind(error, 'WriteConflict')
