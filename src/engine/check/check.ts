// Verifies the invariants of stored data: records parse and have the right key, entries and records
// match, counts are exact, and everything has an owner. It works in bounded steps, each on one
// snapshot, so it can run beside clients. For `sigil check` and `validate`.

import { type Bytes, equalBytes, mapKey } from '../../base/bytes/bytes.js'
import { GatewayError } from '../../base/errors.js'
import { work } from '../../base/work/work-budget.js'
import { keyClass } from '../../store/layout.js'
import type { Count, Entry, KeyRange, Program, ReadTx, Store } from '../../store/store.js'
import { readPhase, runSweep, type Sweep } from '../../store/sweep.js'
import { field } from '../../value/elements.js'
import { shellText } from '../../value/shell.js'
import { validateDocument } from '../../value/validate.js'
import type { Document } from '../../value/value.js'
import { idRange, type ValueId } from '../background/garbage.js'
import { findNamespace } from '../collection/catalog/catalog.js'
import { sweepNamespaces } from '../collection/catalog/catalog-walk.js'
import { recordKey } from '../collection/collections.js'
import { type CappedHead, findHead, isSequenced } from '../collection/kinds/capped-order.js'
import { documentOfRecord, headOf } from '../collection/records.js'
import { isUnmarked } from '../index/entries.js'
import { entriesOf, type IndexEntries } from '../index/index-keys.js'
import { isHead, readHead } from '../keyspace/containers/head.js'
import { readKeyDocument } from '../keyspace/keys/key.js'
import type { Guarded, IndexDescriptor, IndexId, Namespace } from '../types.js'
import { checkHeads, checkOrder, requireInOrder } from './check-capped.js'
import { type Container, checkContainer } from './check-container.js'
import { countProblem, entrySize, isCounted, recordSize } from './check-counts.js'
import { checkExpiry, missingTime } from './check-expiry.js'
import { checkOwners } from './check-owners.js'
import { checkReserved } from './check-reserved.js'
import { hexOf, isUnreadable, messageOf, stepRange } from './check-steps.js'
import type { Commits } from './check-strays.js'
import { NamespaceSums } from './check-sums.js'
import { checkUsage } from './check-usage.js'

export interface Problem {
  /** `db.collection`; empty if no collection owns the data. */
  readonly ns: string
  readonly kind:
    | 'record'
    | 'missingEntry'
    | 'extraEntry'
    | 'count'
    | 'member'
    | 'time'
    | 'unowned'
    | 'name'
    | 'order'
  readonly text: string
}

export interface NamespaceReport {
  readonly namespace: Namespace
  readonly records: number
  /** Records that cannot be read, parsed or found under their `_id`. */
  readonly invalidRecords: number
  /** Documents that the collection's validator would refuse. */
  readonly refusedDocuments: number
  /** Number of entries by index name, without `_id_`. */
  readonly keysPerIndex: ReadonlyMap<string, number>
  readonly problems: readonly Problem[]
  /** Chunked values that the readable records refer to. */
  readonly values: readonly ValueId[]
  /** Large containers of a key-value database. */
  readonly containers: readonly Container[]
  readonly isReadable: boolean
}

/** Called after each collection. */
type CheckProgress = (ns: string, records: number, problems: number) => void

/** Checks a whole store; resolves with the problems, empty if it is valid. */
export function checkStore(store: Store, progress?: CheckProgress): Promise<Problem[]> {
  return runSweep(
    store,
    checkAll(() => store.stats().groups?.groups, progress),
  )
}

function* checkAll(commits: Commits, progress?: CheckProgress): Sweep<Problem[]> {
  const problems: Problem[] = []
  const values: ValueId[] = []
  const containers: Container[] = []
  let isReadable = true
  yield* sweepNamespaces(function* ({ db, name }) {
    const ns = `${db}.${name}`
    let report: NamespaceReport | undefined
    try {
      report = yield* verifyNamespace(db, name)
    } catch (error) {
      if (!isUnreadable(error)) throw error
      problems.push({ ns, kind: 'record', text: `cannot be read to its end: ${error.message}` })
      isReadable = false
    }
    if (report === undefined) return
    isReadable &&= report.isReadable
    problems.push(...report.problems)
    for (const value of report.values) values.push(value)
    for (const container of report.containers) containers.push(container)
    progress?.(ns, report.records, report.problems.length)
  })
  // Unreferenced chunks are known only if every record could be read.
  const referred = isReadable ? { values, containers } : undefined
  const parts = [
    ['unowned', checkOwners(referred, commits)],
    ['time', checkExpiry()],
    ['order', checkHeads()],
    ['count', checkUsage()],
    ['name', checkReserved()],
  ] as const
  for (const [kind, part] of parts) {
    for (const text of yield* readable(part)) problems.push({ ns: '', kind, text })
  }
  return problems
}

/**
 * Runs one part of the check. If it cannot continue, that is its result, and the other parts still
 * run.
 */
function* readable(part: Sweep<Iterable<string>>): Sweep<Iterable<string>> {
  try {
    return yield* part
  } catch (error) {
    if (!isUnreadable(error)) throw error
    return [`cannot be read to its end: ${error.message}`]
  }
}

/** Checks one collection, for `validate`; undefined if there is none of that name. */
export function* verifyNamespace(db: string, name: string): Sweep<NamespaceReport | undefined> {
  const namespace = yield* readPhase((tx) => findNamespace(tx, db, name))
  if (namespace === undefined) return undefined
  const seen = new Findings(namespace)
  const disorder = yield* checkOrder(namespace)
  if (disorder !== undefined) seen.take({ problems: [{ kind: 'order', text: disorder }] })
  const sums = new NamespaceSums()
  const records = idRange(keyClass.record, namespace.id)
  yield* stepThrough(seen, records, (tx, ns, entries) => checkRecords(tx, ns, entries, sums))
  yield* checkContainers(seen)
  for (const index of namespace.indexes) yield* checkIndex(seen, index, sums)
  yield* checkCount(seen, namespace.id, keyClass.record, sums.counted, 'documents')
  for (const { id, name: index } of namespace.indexes) {
    const { counted } = sums.heldIn(id)
    yield* checkCount(seen, id, keyClass.entry, counted, `entries of index ${index}`)
  }
  return seen.report()
}

/** Scans the entries once; if the sums differ, checks each document and entry. */
function* checkIndex(seen: Findings, index: IndexDescriptor, sums: NamespaceSums): Sweep<void> {
  const { id, name, state } = index
  const range = idRange(keyClass.entry, id)
  const held = sums.heldIn(id)
  const sum: Check = function* (_tx, _ns, entries) {
    for (const entry of entries) held.add(entry.key, entry.value, entrySize(entry))
    return { problems: [] }
  }
  const isWhole = yield* stepThrough(seen, range, sum)
  if (!isWhole || (state === 'ready' && sums.agree(id))) {
    seen.take({ keys: { index: name, count: held.count }, problems: [] })
    return
  }
  const records = idRange(keyClass.record, seen.namespace.id)
  const missing: Check = (tx, ns, entries) => checkMissing(tx, ns, id, entries)
  yield* stepThrough(seen, records, missing, true)
  const yields = new Yields()
  const check: Check = (tx, ns, entries) => checkEntries(tx, ns, id, entries, yields)
  yield* stepThrough(seen, range, check)
}

function* checkCount(
  seen: Findings,
  id: number,
  ofClass: number,
  counted: Count,
  what: string,
): Sweep<void> {
  if (yield* isCounted(id, counted)) return
  const text = yield* countProblem(seen.namespace, id, ofClass, what)
  if (text !== undefined) seen.take({ problems: [{ kind: 'count', text }] })
}

/** The findings of one step. */
interface Partial {
  readonly records?: number
  readonly refused?: number
  readonly keys?: { readonly index: string; readonly count: number }
  readonly values?: readonly ValueId[]
  readonly containers?: readonly Container[]
  readonly problems: readonly { readonly kind: Problem['kind']; readonly text: string }[]
}

class Findings {
  readonly ns: string
  private readonly problems: Problem[] = []
  private readonly keysPerIndex = new Map<string, number>()
  private readonly values: ValueId[] = []
  readonly containers: Container[] = []
  isReadable = true
  private records = 0
  private refused = 0

  constructor(readonly namespace: Namespace) {
    this.ns = `${namespace.db}.${namespace.name}`
    for (const index of namespace.indexes) this.keysPerIndex.set(index.name, 0)
  }

  take({ records = 0, refused = 0, keys, values = [], containers = [], problems }: Partial): void {
    this.records += records
    this.refused += refused
    for (const container of containers) this.containers.push(container)
    for (const value of values) this.values.push(value)
    for (const problem of problems) this.problems.push({ ns: this.ns, ...problem })
    if (keys === undefined) return
    this.keysPerIndex.set(keys.index, (this.keysPerIndex.get(keys.index) ?? 0) + keys.count)
  }

  /** Records that the rest of the range cannot be read. */
  endAt(text: string): void {
    this.isReadable = false
    this.take({ problems: [{ kind: 'record', text }] })
  }

  report(): NamespaceReport {
    const { namespace, records, keysPerIndex, problems, values, containers, isReadable } = this
    const invalidRecords = problems.filter(({ kind }) => kind === 'record').length
    const found = {
      records,
      invalidRecords,
      refusedDocuments: this.refused,
      keysPerIndex,
      problems,
    }
    return { namespace, ...found, values, containers, isReadable }
  }
}

type Check = (tx: ReadTx, ns: Namespace, entries: readonly Entry[]) => Program<Partial>

/**
 * Runs `check` over a range in steps; ends if the collection is gone. Returns whether everything
 * was read. Unreadable parts are reported unless `isAgain`.
 */
function* stepThrough(
  seen: Findings,
  range: KeyRange,
  check: Check,
  isAgain = false,
): Sweep<boolean> {
  const { db, name, id } = seen.namespace
  const look = function* (tx: ReadTx, entries: readonly Entry[]) {
    const ns = yield* findNamespace(tx, db, name)
    return ns?.id === id ? yield* check(tx, ns, entries) : undefined
  }
  const end = yield* stepRange(range, look, (found) => seen.take(found))
  if (end !== undefined && !isAgain) seen.endAt(end)
  return end === undefined
}

/** Checks the members of large containers. */
function* checkContainers(seen: Findings): Sweep<void> {
  for (const container of seen.containers) {
    const { problems, values, isReadable } = yield* checkContainer(container)
    const found = problems.map((text) => ({ kind: 'member', text }) as const)
    seen.take({ values, problems: found })
    if (!isReadable) seen.isReadable = false
  }
}

function* checkRecords(
  tx: ReadTx & Guarded,
  ns: Namespace,
  entries: readonly Entry[],
  sums: NamespaceSums,
): Program<Partial> {
  const problems: Partial['problems'][number][] = []
  const values: ValueId[] = []
  const containers: Container[] = []
  let refused = 0
  const order = isSequenced(ns) ? yield* findHead(tx, ns.id) : undefined
  for (const entry of entries) {
    const { key, value } = entry
    sums.documents++
    sums.bytes += recordSize(entry)
    const head = headOf(value)
    if (head !== undefined) values.push(head.value)
    let document: Document
    try {
      document = yield* documentOfRecord(tx, value)
      requireSound(ns, key, document, order)
    } catch (error) {
      problems.push({ kind: 'record', text: `record ${hexOf(key)}: ${messageOf(error)}` })
      continue
    }
    if (ns.validation?.validator.takes(document, tx.now ?? 0) === false) refused++
    for (const index of ns.indexes) {
      // A running build adds missing entries and marks, and finds duplicates itself.
      if (index.state === 'building') continue
      const expected = sums.expectedIn(index.id)
      yield* tx.pause()
      const has = allEntriesOf(index, document, key)
      for (const entryKey of has.keys) expected.add(entryKey, key, 0)
      if (!isUnmarked(has)) continue
      const text = `not marked for what document ${nameOf(document)} has`
      problems.push({ kind: 'missingEntry', text: `index ${index.name}: ${text}` })
    }
    if (ns.keyspace !== true) continue
    const time = yield* missingTime(tx, key, document)
    if (time !== undefined) problems.push({ kind: 'time', text: `${time}: ${nameOf(document)}` })
    const { value: held } = readKeyDocument(document)
    if (!isHead(held)) continue
    containers.push({ record: key, id: readHead(held).id, name: nameOf(document) })
  }
  return { records: entries.length, refused, values, containers, problems }
}

/** Computes all entries without a work limit, since a write may do more at once than a read. */
function allEntriesOf(index: IndexDescriptor, document: Document, key: Bytes): IndexEntries {
  return work.unrefused(() => entriesOf(index, document, key))
}

/** Throws unless the document is well-formed and stored under the key of its `_id` or number. */
function requireSound(
  ns: Namespace,
  key: Bytes,
  document: Document,
  order: CappedHead | undefined,
): void {
  validateDocument(document)
  const id = field(document, '_id')
  if (id === undefined) throw new Error('it has no _id')
  if (isSequenced(ns)) {
    if (order !== undefined) requireInOrder(key, order)
  } else if (!equalBytes(recordKey(ns, id), key))
    throw new Error('it lies under the key of another _id')
}

/** Finds entries that documents lack in an index, after the sums have shown a difference. */
function* checkMissing(
  tx: ReadTx,
  ns: Namespace,
  id: IndexId,
  entries: readonly Entry[],
): Program<Partial> {
  const index = ns.indexes.find((candidate) => candidate.id === id)
  const problems: Partial['problems'][number][] = []
  if (index === undefined || index.state === 'building') return { problems }
  for (const { key, value } of entries) {
    let document: Document
    try {
      document = yield* documentOfRecord(tx, value)
      validateDocument(document)
    } catch {
      // The previous pass has reported it.
      continue
    }
    for (const text of yield* missingEntries(tx, index, key, document)) {
      problems.push({ kind: 'missingEntry', text })
    }
  }
  return { problems }
}

function* missingEntries(
  tx: ReadTx,
  index: IndexDescriptor,
  key: Bytes,
  document: Document,
): Program<string[]> {
  yield* tx.pause()
  const { keys } = allEntriesOf(index, document, key)
  const held = yield* tx.getMany(keys)
  return held.flatMap((holder, i) => {
    if (holder !== undefined && equalBytes(holder, key)) return []
    const what = holder === undefined ? 'is missing' : 'leads to another record'
    const entry = hexOf(keys[i] ?? key)
    return [`index ${index.name}: entry ${entry} of document ${nameOf(document)} ${what}`]
  })
}

function* checkEntries(
  tx: ReadTx,
  ns: Namespace,
  id: IndexId,
  entries: readonly Entry[],
  yields: Yields,
): Program<Partial> {
  const index = ns.indexes.find((candidate) => candidate.id === id)
  if (index === undefined) return { problems: [] }
  const problems: Partial['problems'][number][] = []
  for (const { key, value } of entries) {
    const record = yield* tx.get(value)
    const keys = record === undefined ? noKeys : yield* yields.keysOf(tx, index, value, record)
    if (keys === undefined || keys.has(mapKey(key))) continue
    const what = record === undefined ? 'leads to no record' : 'is not one that its record has'
    problems.push({ kind: 'extraEntry', text: `index ${index.name}: entry ${hexOf(key)} ${what}` })
  }
  return { keys: { index: index.name, count: entries.length }, problems }
}

const noKeys: ReadonlySet<string> = new Set()

/** Keys cached for one index, since records with many entries occur repeatedly. */
const yieldsMax = 100_000

/** The index keys of records in one index, computed once for all entries of a record. */
class Yields {
  private readonly known = new Map<string, { record: Bytes; keys: ReadonlySet<string> }>()
  private size = 0

  private remember(name: string, record: Bytes, keys: ReadonlySet<string>): void {
    this.size += keys.size
    if (this.size > yieldsMax) {
      this.known.clear()
      this.size = keys.size
    }
    this.known.set(name, { record, keys })
  }

  /**
   * `record` is the value under `key`. Returns undefined if it cannot be read, which is reported.
   */
  *keysOf(
    tx: ReadTx,
    index: IndexDescriptor,
    key: Bytes,
    record: Bytes,
  ): Program<ReadonlySet<string> | undefined> {
    const name = mapKey(key)
    const known = this.known.get(name)
    if (known !== undefined && equalBytes(known.record, record)) return known.keys
    try {
      const document = yield* documentOfRecord(tx, record)
      const keys = new Set(allEntriesOf(index, document, key).keys.map((key) => mapKey(key)))
      if (keys.size > 1) this.remember(name, record, keys)
      return keys
    } catch (error) {
      if (error instanceof GatewayError) return undefined
      throw error
    }
  }
}

function nameOf(document: Document): string {
  const id = field(document, '_id')
  return id === undefined ? '{}' : `{ _id: ${shellText(id)} }`
}
