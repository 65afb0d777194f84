// $sort: documents with their keys in sorted runs, merged through a heap; or, when only the first
// few are wanted, a heap of those alone. Stable: equal keys keep the order of input. $sample picks
// with the same heap, by keys drawn at random.

import { stepDocumentsMax } from '../../base/limits.js'
import { Elements } from '../../value/elements.js'
import { integerOf, numberOf } from '../../value/numbers.js'
import { bsonType, type Document, documentOf, type Value } from '../../value/value.js'
import { RandomNumber } from '../expressions/arithmetic.js'
import { location } from '../expressions/operator.js'
import { BoundedHeap } from '../heap.js'
import { requirePath } from '../projection-spec.js'
import { compileSort, type Sort } from '../sort.js'
import { type Emit, requireMemory, type SortPlan, type StageRow, StreamTransform } from './stage.js'

interface Keyed {
  /** The first six bytes of the key as a number: most comparisons need no more. */
  readonly head: number
  readonly key: Uint8Array
  readonly sequence: number
  /** In memory of its own: a view would keep all that it shares a slab with. */
  document: Document
}

/** What a held document costs beside its bytes and its key's. */
const keyedOverheadBytes = 120

function headOf(key: Uint8Array): number {
  let head = 0
  for (let i = 0; i < 6; i++) head = head * 256 + (key[i] ?? 0)
  return head
}

function compareKeyed(a: Keyed, b: Keyed): number {
  return a.head - b.head || compareKeys(a.key, b.key) || a.sequence - b.sequence
}

/** Keys with the same head; short ones are not worth a native call. */
function compareKeys(a: Uint8Array, b: Uint8Array): number {
  const shared = Math.min(a.length, b.length)
  if (shared > 64) return Buffer.compare(a, b)
  for (let i = 6; i < shared; i++) {
    const difference = (a[i] ?? 0) - (b[i] ?? 0)
    if (difference !== 0) return difference
  }
  return a.length - b.length
}

function bytesOf(item: Keyed): number {
  return item.document.length + item.key.length + keyedOverheadBytes
}

/** Documents of one sorted run: small enough that sorting it is a bounded step. */
const runDocuments = 1_000

/** Documents with their keys in sorted runs, so that no step sorts more than one run. */
export class SortedRuns {
  private readonly runs: Keyed[][] = []
  private run: Keyed[] = []
  private sequence = 0
  private held = 0

  /** `name` is the stage's, for the error where it holds too much. */
  constructor(private readonly name: string) {}

  get bytesHeld(): number {
    return this.held
  }

  get count(): number {
    return this.sequence
  }

  push(document: Document, key: Uint8Array): void {
    const own = document.slice()
    const item = { head: headOf(key), key, sequence: this.sequence++, document: own }
    this.run.push(item)
    this.held += bytesOf(item)
    requireMemory(this.name, this.held)
    if (this.run.length === runDocuments) this.closeRun()
  }

  /** The documents in order of their keys; each is let go when it is taken. */
  *drain(): Generator<Document, void, void> {
    if (this.run.length > 0) this.closeRun()
    const merge = new Merge(this.runs)
    for (let item = merge.next(); item !== undefined; item = merge.next()) {
      this.held -= bytesOf(item)
      yield item.document
    }
    this.runs.length = 0
  }

  private closeRun(): void {
    this.runs.push(this.run.sort(compareKeyed))
    this.run = []
  }
}

class RunSort extends StreamTransform {
  private readonly sorted = new SortedRuns('$sort')

  constructor(private readonly sort: Sort) {
    super()
  }

  override get bytesHeld(): number {
    return this.sorted.bytesHeld
  }

  push(document: Document): void {
    this.sorted.push(document, this.sort.key(document))
  }

  override *finish(emit: Emit): Generator<void, void, void> {
    let emitted = 0
    for (const document of this.sorted.drain()) {
      emit(document)
      if (++emitted % stepDocumentsMax === 0) yield
    }
  }
}

/** A heap of runs, ordered by the item that each is at. */
class Merge {
  private readonly heap: { readonly run: readonly Keyed[]; at: number; item: Keyed }[] = []

  constructor(runs: readonly (readonly Keyed[])[]) {
    for (const run of runs) {
      const [item] = run
      if (item !== undefined) this.heap.push({ run, at: 0, item })
    }
    for (let i = (this.heap.length >> 1) - 1; i >= 0; i--) this.down(i)
  }

  next(): Keyed | undefined {
    const { heap } = this
    const [top] = heap
    if (top === undefined) return undefined
    const { item } = top
    const following = top.run[++top.at]
    if (following !== undefined) top.item = following
    else {
      const last = heap.pop()
      if (last === undefined || heap.length === 0) return item
      heap[0] = last
    }
    this.down(0)
    return item
  }

  private down(index: number): void {
    const { heap } = this
    const moved = heap[index]
    if (moved === undefined) return
    let at = index
    for (;;) {
      let child = at * 2 + 1
      let lower = heap[child]
      if (lower === undefined) break
      const right = heap[child + 1]
      if (right !== undefined && compareKeyed(right.item, lower.item) < 0) {
        child++
        lower = right
      }
      if (compareKeyed(moved.item, lower.item) <= 0) break
      heap[at] = lower
      at = child
    }
    heap[at] = moved
  }
}

/** The first `limit` documents by a key: for $sort before $limit, and $sample. */
class TopSort extends StreamTransform {
  private readonly heap: BoundedHeap<Keyed>
  private sequence = 0
  private held = 0

  constructor(
    private readonly name: string,
    limit: number,
    private readonly keyOf: (document: Document) => Uint8Array,
  ) {
    super()
    this.heap = new BoundedHeap(limit, compareKeyed)
  }

  override get bytesHeld(): number {
    return this.held
  }

  push(document: Document): void {
    const key = this.keyOf(document)
    const item = { head: headOf(key), key, sequence: this.sequence++, document }
    const dropped = this.heap.push(item)
    if (dropped !== item) item.document = document.slice()
    this.held += bytesOf(item) - (dropped === undefined ? 0 : bytesOf(dropped))
    requireMemory(this.name, this.held)
  }

  /** The heap gives the last document first, so all are taken out before any is emitted. */
  override *finish(emit: Emit): Generator<void, void, void> {
    const items: Keyed[] = []
    for (let item = this.heap.pop(); item !== undefined; item = this.heap.pop()) {
      items.push(item)
      if (items.length % stepDocumentsMax === 0) yield
    }
    for (let item = items.pop(), emitted = 1; item !== undefined; item = items.pop(), emitted++) {
      this.held -= bytesOf(item)
      emit(item.document)
      if (emitted % stepDocumentsMax === 0) yield
    }
  }
}

/** The plan of a sort; with `limit` it keeps so many documents and no more. */
export function sortPlan(spec: Value, sort: Sort, limit?: number): SortPlan {
  const create = (): StreamTransform =>
    limit === undefined
      ? new RunSort(sort)
      : new TopSort('$sort', limit, (document) => sort.key(document))
  const plan = { kind: 'sort', name: '$sort', spec, sort, create } as const
  return limit === undefined ? plan : { ...plan, limit }
}

function sampleSize(spec: Value): number {
  if (spec.type !== bsonType.object) {
    throw location(28745, 'the $sample stage specification must be an object')
  }
  let size: number | undefined
  const elements = new Elements(spec.bytes, spec.start)
  while (elements.next()) {
    if (elements.name() !== 'size') {
      throw location(28748, `unrecognized option to $sample: ${elements.name()}`)
    }
    const value = elements.value()
    if (!value.isNumber) throw location(28746, 'size argument to $sample must be a number')
    size = integerOf(value) ?? Math.trunc(numberOf(value))
    if (!(size > 0)) {
      throw location(28747, 'size argument to $sample must be a positive integer')
    }
  }
  if (size === undefined) throw location(28749, '$sample stage must specify a size')
  return size
}

export const sortStages: readonly StageRow[] = [
  {
    name: '$sort',
    compile: (spec) => {
      if (spec.type !== bsonType.object) {
        throw location(15973, 'the $sort key specification must be an object')
      }
      const sort = compileSort(documentOf(spec))
      if (sort.natural !== undefined) requirePath('$natural')
      if (sort.parts.length === 0) {
        throw location(15976, '$sort stage must have at least one sort key')
      }
      return [sortPlan(spec, sort)]
    },
  },
  {
    name: '$sample',
    compile: (spec, { scope }) => {
      const size = sampleSize(spec)
      const seed = scope.seed()
      const create = (): StreamTransform => {
        const random = new RandomNumber(seed)
        return new TopSort('$sample', size, () => random.evaluate().payload())
      }
      return [{ kind: 'transform', name: '$sample', spec, create }]
    },
  },
]
