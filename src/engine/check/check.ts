// Verifies what the engine promises about stored data: records parse and lie under their own key,
// entries and records lead to each other, counts are exact, and nothing belongs to nobody. Bounded
// steps, each on one snapshot, so that it may run beside clients. For `sigil check` and `validate`.

import { type Bytes, concatBytes, equalBytes, mapKey } from '../../base/bytes.js'
import { GatewayError } from '../../base/errors.js'
import { backgroundRecordsMax } from '../../base/limits.js'
import { keyClass } from '../../store/layout.js'
import type { Count, Entry, KeyRange, Program, ReadTx, Store } from '../../store/store.js'
import { readPhase, runSweep, type Sweep } from '../../store/sweep.js'
import { field } from '../../value/elements.js'
import { shellText } from '../../value/shell.js'
import { validateDocument } from '../../value/validate.js'
import type { Document } from '../../value/value.js'
import { idRange, type ValueId } from '../background/garbage.js'
import { StepSize } from '../background/step-size.js'
import { type CappedHead, findHead, isSequenced } from '../collection/capped-order.js'
import { findNamespace } from '../collection/catalog.js'
import { sweepNamespaces } from '../collection/catalog-walk.js'
import { recordKey } from '../collection/collections.js'
import { countKey } from '../collection/counters.js'
import { documentOfRecord, headOf } from '../collection/records.js'
import { entryBytes, isUnmarked } from '../index/entries.js'
import { entriesOf } from '../index/index-keys.js'
import { isHead, readHead } from '../keyspace/head.js'
import { readKeyDocument } from '../keyspace/key.js'
import type { Guarded, IndexDescriptor, IndexId, Namespace } from '../types.js'
import { checkHeads, checkOrder, requireInOrder } from './check-capped.js'
import { type Container, checkContainer } from './check-container.js'
import { checkExpiry, missingTime } from './check-expiry.js'
import { checkOwners } from './check-owners.js'
import { checkReserved } from './check-reserved.js'
import {
  bytesOf,
  hexOf,
  isTooOld,
  isUnreadable,
  messageOf,
  oneState,
  pagesOf,
  stepRange,
} from './check-steps.js'
import type { Commits } from './check-strays.js'
import { checkUsage } from './check-usage.js'

export interface Problem {
  /** `db.collection`; empty where no collection owns what was found. */
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
  /** Entries by name of the index, `_id_` aside. */
  readonly keysPerIndex: ReadonlyMap<string, number>
  readonly problems: readonly Problem[]
  /** Chunked values that records refer to: those before the end of what can be read. */
  readonly values: readonly ValueId[]
  /** Containers of a key-value database whose members are records of their own. */
  readonly containers: readonly Container[]
  readonly isReadable: boolean
}

/** Told after each collection. */
export type CheckProgress = (ns: string, records: number, problems: number) => void

/** Counts taken to see whether a difference to the counter stays, or only others are writing. */
const countsMax = 5

/** Everything in a store; resolves with what is wrong, nothing for a sound one. */
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
  // Which chunks nobody refers to is known only where every record could be read.
  const referred = isReadable ? { values, containers } : undefined
  for (const text of yield* checkOwners(referred, commits)) {
    problems.push({ ns: '', kind: 'unowned', text })
  }
  for (const text of yield* checkExpiry()) problems.push({ ns: '', kind: 'time', text })
  for (const text of yield* checkHeads()) problems.push({ ns: '', kind: 'order', text })
  for (const text of yield* checkUsage()) problems.push({ ns: '', kind: 'count', text })
  for (const text of yield* checkReserved()) problems.push({ ns: '', kind: 'name', text })
  return problems
}

/** One collection, for `validate`; undefined where there is none of that name. */
export function* verifyNamespace(db: string, name: string): Sweep<NamespaceReport | undefined> {
  const namespace = yield* readPhase((tx) => findNamespace(tx, db, name))
  if (namespace === undefined) return undefined
  const seen = new Findings(namespace)
  const disorder = yield* checkOrder(namespace)
  if (disorder !== undefined) seen.take({ problems: [{ kind: 'order', text: disorder }] })
  yield* stepThrough(seen, idRange(keyClass.record, namespace.id), checkRecords)
  yield* checkContainers(seen)
  for (const index of namespace.indexes) {
    const yields = new Yields()
    const check: Check = (tx, ns, entries) => checkEntries(tx, ns, index.id, entries, yields)
    yield* stepThrough(seen, idRange(keyClass.entry, index.id), check)
  }
  yield* checkCount(seen, namespace.id, keyClass.record, recordSize, 'documents')
  for (const index of namespace.indexes) {
    const what = `entries of index ${index.name}`
    yield* checkCount(seen, index.id, keyClass.entry, entrySize, what)
  }
  return seen.report()
}

/** What one step has found. */
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

  /** What follows could not be read. */
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

/** Runs `check` over a range, some entries a phase; ends where the collection is gone. */
function* stepThrough(seen: Findings, range: KeyRange, check: Check): Sweep<void> {
  const { db, name, id } = seen.namespace
  const look = function* (tx: ReadTx, entries: readonly Entry[]) {
    const ns = yield* findNamespace(tx, db, name)
    return ns?.id === id ? yield* check(tx, ns, entries) : undefined
  }
  const end = yield* stepRange(range, look, (found) => seen.take(found))
  if (end !== undefined) seen.endAt(end)
}

/** The members of large containers. */
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
): Program<Partial> {
  const problems: Partial['problems'][number][] = []
  const values: ValueId[] = []
  const containers: Container[] = []
  let refused = 0
  const order = isSequenced(ns) ? yield* findHead(tx, ns.id) : undefined
  for (const { key, value } of entries) {
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
      for (const text of yield* missingEntries(tx, index, key, document)) {
        problems.push({ kind: 'missingEntry', text })
      }
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

/** Throws unless the document is well-formed and lies under the key of its `_id` or its number. */
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

function* missingEntries(
  tx: ReadTx,
  index: IndexDescriptor,
  key: Bytes,
  document: Document,
): Program<string[]> {
  const entries = entriesOf(index, document, key)
  const { keys } = entries
  const texts: string[] = []
  // A build adds what is missing, marks included; what another document holds is its to find.
  if (index.state === 'building') return texts
  const held = yield* tx.getMany(keys)
  held.forEach((holder, i) => {
    if (holder !== undefined && equalBytes(holder, key)) return
    const what = holder === undefined ? 'is missing' : 'leads to another record'
    const entry = hexOf(keys[i] ?? key)
    texts.push(`index ${index.name}: entry ${entry} of document ${nameOf(document)} ${what}`)
  })
  if (isUnmarked(entries)) {
    texts.push(`index ${index.name}: not marked for what document ${nameOf(document)} has`)
  }
  return texts
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

/** Keys that are remembered for one index: those of records with many entries come again. */
const yieldsMax = 100_000

/** What records have in one index, worked out once for all their entries. */
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

  /** `record` is the value under `key`; undefined where it cannot be read, which is reported. */
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
      const keys = new Set(entriesOf(index, document, key).keys.map(mapKey))
      if (keys.size > 1) this.remember(name, record, keys)
      return keys
    } catch (error) {
      if (error instanceof GatewayError) return undefined
      throw error
    }
  }
}

type SizeOf = (entry: Entry) => number

const recordSize: SizeOf = ({ value }) => headOf(value)?.length ?? value.length - 1
const entrySize: SizeOf = ({ key, value }) => entryBytes(key, value)

/**
 * Compares a counter with a count. Others may be writing: a difference has to be there in one
 * state, or, where counting takes longer than a state is kept, to stay the same.
 */
function* checkCount(
  seen: Findings,
  id: number,
  ofClass: number,
  sizeOf: SizeOf,
  what: string,
): Sweep<void> {
  const range = idRange(ofClass, id)
  let before = yield* difference(id, range, sizeOf, what)
  if (before === undefined) return
  let text: string | undefined
  try {
    text = yield* readPhase((tx) => differenceNow(tx, id, range, sizeOf, what), oneState)
  } catch (error) {
    if (!isTooOld(error)) throw error
    for (let attempt = 1; attempt < countsMax && before !== undefined; attempt++) {
      const again: string | undefined = yield* difference(id, range, sizeOf, what)
      if (again === before) text = again
      before = again === before ? undefined : again
    }
  }
  if (text === undefined) return
  // What is dropped loses its records before its counter: ids are never given twice, so what is
  // still there now was there all the time.
  const isLive = yield* readPhase((tx) => hasCounter(tx, seen.namespace, id))
  if (isLive) seen.take({ problems: [{ kind: 'count', text }] })
}

function* hasCounter(tx: ReadTx, { db, name, id }: Namespace, counter: number): Program<boolean> {
  const ns = yield* findNamespace(tx, db, name)
  if (ns?.id !== id) return false
  return counter === id || ns.indexes.some((index) => index.id === counter)
}

function* difference(
  id: number,
  range: KeyRange,
  sizeOf: SizeOf,
  what: string,
): Sweep<string | undefined> {
  const counter = yield* readPhase((tx) => counterOf(tx, id))
  return differenceOf(counter, yield* countRange(range, sizeOf), what)
}

function* differenceNow(
  tx: ReadTx,
  id: number,
  range: KeyRange,
  sizeOf: SizeOf,
  what: string,
): Program<string | undefined> {
  let documents = 0
  let bytes = 0
  yield* pagesOf(tx, range, backgroundRecordsMax, function* (entries) {
    documents += entries.length
    for (const entry of entries) bytes += sizeOf(entry)
    return true
  })
  return differenceOf(yield* counterOf(tx, id), { documents, bytes }, what)
}

function differenceOf(counter: Count, counted: Count, what: string): string | undefined {
  if (counter.documents === counted.documents && counter.bytes === counted.bytes) return undefined
  const stored = `${counted.documents} ${what} of ${counted.bytes} bytes are stored`
  return `${stored}, counted as ${counter.documents} of ${counter.bytes}`
}

function* counterOf(tx: ReadTx, id: number): Program<Count> {
  return yield* tx.count(countKey(id))
}

function* countRange(range: KeyRange, sizeOf: SizeOf): Sweep<Count> {
  const size = new StepSize()
  let { start } = range
  let documents = 0
  let bytes = 0
  for (;;) {
    const part: KeyRange = { start, end: range.end }
    const { limit } = size
    const entries = yield* readPhase(function* (tx) {
      return yield* tx.scan(part, limit)
    })
    documents += entries.length
    for (const entry of entries) bytes += sizeOf(entry)
    const last = entries.at(-1)
    if (last === undefined || entries.length < limit) return { documents, bytes }
    start = concatBytes(last.key, Uint8Array.of(0))
    size.saw(entries.length, bytesOf(entries))
  }
}

function nameOf(document: Document): string {
  const id = field(document, '_id')
  return id === undefined ? '{}' : `{ _id: ${shellText(id)} }`
}
