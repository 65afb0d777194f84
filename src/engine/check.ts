// Verifies what the engine promises about stored data: records parse and lie under their own key,
// entries and records lead to each other, counts are exact, and nothing belongs to nobody. Bounded
// steps, each on one snapshot, so that it may run beside clients. For `sigil check` and `validate`.

import { type Bytes, concatBytes, equalBytes, mapKey } from '../base/bytes.js'
import { GatewayError } from '../base/errors.js'
import { keyClass } from '../store/layout.js'
import type { Count, Entry, KeyRange, Program, ReadTx, Store } from '../store/store.js'
import { readPhase, runSweep, type Sweep } from '../store/sweep.js'
import { field } from '../value/elements.js'
import { shellText } from '../value/shell.js'
import { validateDocument } from '../value/validate.js'
import type { Document } from '../value/value.js'
import { countKey, findNamespace, listNamespaces } from './catalog.js'
import { checkOwners } from './check-owners.js'
import { recordKey } from './collections.js'
import { entryBytes } from './entries.js'
import { idRange, type ValueId } from './garbage.js'
import { entriesOf } from './index-keys.js'
import { documentOfRecord, headOf } from './records.js'
import { StepSize } from './step-size.js'
import type { IndexDescriptor, IndexId, Namespace } from './types.js'

export interface Problem {
  /** `db.collection`; empty where no collection owns what was found. */
  readonly ns: string
  readonly kind: 'record' | 'missingEntry' | 'extraEntry' | 'count' | 'unowned'
  readonly text: string
}

export interface NamespaceReport {
  readonly namespace: Namespace
  readonly records: number
  /** Records that cannot be read, parsed or found under their `_id`. */
  readonly invalidRecords: number
  /** Entries by name of the index, `_id_` aside. */
  readonly keysPerIndex: ReadonlyMap<string, number>
  readonly problems: readonly Problem[]
  /** Chunked values that records refer to. */
  readonly values: readonly ValueId[]
}

/** Told after each collection. */
export type CheckProgress = (ns: string, records: number, problems: number) => void

/** Counts taken to see whether a difference to the counter stays, or only others are writing. */
const countsMax = 5

/** Everything in a store; resolves with what is wrong, nothing for a sound one. */
export function checkStore(store: Store, progress?: CheckProgress): Promise<Problem[]> {
  return runSweep(store, checkAll(progress))
}

function* checkAll(progress?: CheckProgress): Sweep<Problem[]> {
  const problems: Problem[] = []
  const values: ValueId[] = []
  for (const { db, name } of yield* readPhase(listNamespaces)) {
    const report = yield* verifyNamespace(db, name)
    if (report === undefined) continue
    problems.push(...report.problems)
    values.push(...report.values)
    progress?.(`${db}.${name}`, report.records, report.problems.length)
  }
  for (const text of yield* checkOwners(values)) problems.push({ ns: '', kind: 'unowned', text })
  return problems
}

/** One collection, for `validate`; undefined where there is none of that name. */
export function* verifyNamespace(db: string, name: string): Sweep<NamespaceReport | undefined> {
  const namespace = yield* readPhase((tx) => findNamespace(tx, db, name))
  if (namespace === undefined) return undefined
  const seen = new Findings(namespace)
  yield* stepThrough(seen, idRange(keyClass.record, namespace.id), checkRecords)
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
  readonly keys?: { readonly index: string; readonly count: number }
  readonly values?: readonly ValueId[]
  readonly problems: readonly { readonly kind: Problem['kind']; readonly text: string }[]
}

class Findings {
  readonly ns: string
  private readonly problems: Problem[] = []
  private readonly keysPerIndex = new Map<string, number>()
  private readonly values: ValueId[] = []
  private records = 0

  constructor(readonly namespace: Namespace) {
    this.ns = `${namespace.db}.${namespace.name}`
    for (const index of namespace.indexes) this.keysPerIndex.set(index.name, 0)
  }

  take({ records = 0, keys, values = [], problems }: Partial): void {
    this.records += records
    this.values.push(...values)
    for (const problem of problems) this.problems.push({ ns: this.ns, ...problem })
    if (keys === undefined) return
    this.keysPerIndex.set(keys.index, (this.keysPerIndex.get(keys.index) ?? 0) + keys.count)
  }

  report(): NamespaceReport {
    const { namespace, records, keysPerIndex, problems, values } = this
    const invalidRecords = problems.filter(({ kind }) => kind === 'record').length
    return { namespace, records, invalidRecords, keysPerIndex, problems, values }
  }
}

type Check = (tx: ReadTx, ns: Namespace, entries: readonly Entry[]) => Program<Partial>

/** Runs `check` over a range, some entries a phase; ends where the collection is gone. */
function* stepThrough(seen: Findings, range: KeyRange, check: Check): Sweep<void> {
  const { db, name, id } = seen.namespace
  const size = new StepSize()
  let { start } = range
  for (;;) {
    const from = start
    const { limit } = size
    const step = function* (tx: ReadTx) {
      const ns = yield* findNamespace(tx, db, name)
      const entries = yield* tx.scan({ start: from, end: range.end }, limit)
      if (ns?.id !== id) return undefined
      return { entries, found: yield* check(tx, ns, entries) }
    }
    let done: { entries: Entry[]; found: Partial } | undefined
    try {
      done = yield* readPhase(step, { snapshot: true })
    } catch (error) {
      if (!(error instanceof GatewayError) || error.kind !== 'ChecksumMismatch') throw error
      if (size.halve()) continue
      const text = `cannot be read at or after ${hexOf(from)}: ${error.message}`
      seen.take({ problems: [{ kind: 'record', text }] })
      return
    }
    if (done === undefined) return
    seen.take(done.found)
    const last = done.entries.at(-1)
    if (last === undefined || done.entries.length < limit) return
    start = concatBytes(last.key, Uint8Array.of(0))
    size.saw(done.entries.length, bytesOf(done.entries))
  }
}

function* checkRecords(tx: ReadTx, ns: Namespace, entries: readonly Entry[]): Program<Partial> {
  const problems: Partial['problems'][number][] = []
  const values: ValueId[] = []
  for (const { key, value } of entries) {
    const head = headOf(value)
    if (head !== undefined) values.push(head.value)
    let document: Document
    try {
      document = yield* documentOfRecord(tx, value)
      requireSound(ns, key, document)
    } catch (error) {
      problems.push({ kind: 'record', text: `record ${hexOf(key)}: ${messageOf(error)}` })
      continue
    }
    for (const index of ns.indexes) {
      for (const text of yield* missingEntries(tx, index, key, document)) {
        problems.push({ kind: 'missingEntry', text })
      }
    }
  }
  return { records: entries.length, values, problems }
}

/** Throws unless the document is well-formed and lies under the key of its `_id`. */
function requireSound(ns: Namespace, key: Bytes, document: Document): void {
  validateDocument(document)
  const id = field(document, '_id')
  if (id === undefined) throw new Error('it has no _id')
  if (!equalBytes(recordKey(ns, id), key)) throw new Error('it lies under the key of another _id')
}

function* missingEntries(
  tx: ReadTx,
  index: IndexDescriptor,
  key: Bytes,
  document: Document,
): Program<string[]> {
  const { keys, multikey, inexact } = entriesOf(index, document, key)
  const held = yield* tx.getMany(keys)
  const texts: string[] = []
  held.forEach((holder, i) => {
    // A build adds what is missing; what another document holds is its to find.
    if (index.state === 'building') return
    if (holder !== undefined && equalBytes(holder, key)) return
    const what = holder === undefined ? 'is missing' : 'leads to another record'
    const entry = hexOf(keys[i] ?? key)
    texts.push(`index ${index.name}: entry ${entry} of document ${nameOf(document)} ${what}`)
  })
  const isUnmarked = multikey.some((isArray, i) => isArray && index.multikey[i] !== true)
  if (isUnmarked || (inexact && !index.inexact)) {
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

/** Compares a counter with a count; others may be writing, so a difference has to stay the same. */
function* checkCount(
  seen: Findings,
  id: number,
  ofClass: number,
  sizeOf: SizeOf,
  what: string,
): Sweep<void> {
  let text = ''
  for (let attempt = 0; attempt < countsMax; attempt++) {
    const counter = yield* readPhase((tx) => counterOf(tx, id))
    const counted = yield* countRange(idRange(ofClass, id), sizeOf)
    if (counter.documents === counted.documents && counter.bytes === counted.bytes) return
    const before = text
    const stored = `${counted.documents} ${what} of ${counted.bytes} bytes are stored`
    text = `${stored}, counted as ${counter.documents} of ${counter.bytes}`
    if (text !== before) continue
    seen.take({ problems: [{ kind: 'count', text }] })
    return
  }
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

function bytesOf(entries: readonly Entry[]): number {
  return entries.reduce((sum, { key, value }) => sum + key.length + value.length, 0)
}

function nameOf(document: Document): string {
  const id = field(document, '_id')
  return id === undefined ? '{}' : `{ _id: ${shellText(id)} }`
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

function hexOf(key: Bytes): string {
  return Buffer.from(key).toString('hex')
}
