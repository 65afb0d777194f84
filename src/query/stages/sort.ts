// $sort: all documents go through a sorter, which spills what exceeds memory. If only the first few
// are needed, a heap keeps only those. $sample uses the same heap with random keys.

import { stepDocumentsMax } from '../../base/limits/engine.js'
import { work } from '../../base/work/work-budget.js'
import { bytesPerUnit } from '../../base/work/work-figures.js'
import { Elements } from '../../value/elements.js'
import { integerOf, numberOf } from '../../value/numbers.js'
import { bsonType, type Document, documentOf, type Value } from '../../value/value.js'
import { RandomNumber } from '../expressions/arithmetic.js'
import { location } from '../expressions/operator.js'
import { BoundedHeap } from '../heap.js'
import { requirePath } from '../projection-spec.js'
import { compileSort, type Sort } from '../sort.js'
import { memoryOnly, requireMemory, type SpillFigures, type Workspace } from '../spill.js'
import { bytesOfKeyed, compareKeyed, compareKeys, headOf, type Keyed, Sorter } from './sorter.js'
import { SortingTransform } from './sorting.js'
import { type Emit, type SortPlan, type StageRow, StreamTransform } from './stage.js'
import { plainStage } from './stage-facts.js'

class RunSort extends SortingTransform {
  constructor(
    private readonly sort: Sort,
    workspace: Workspace,
  ) {
    super({ name: '$sort', workspace })
  }

  push(document: Document): void {
    this.sorted.push(document, this.sort.peekKey(document))
  }

  override finish(emit: Emit): Generator<void, void, void> {
    return emitSorted(this.sorted, emit)
  }
}

/** Bytes of documents that one step emits: the next stage, or the reply, may have to wait. */
const emittedBytesMax = 32_768

function* emitSorted(sorter: Sorter, emit: Emit): Generator<void, void, void> {
  yield* sorter.settle()
  let emitted = 0
  let bytes = 0
  for (const document of sorter.drain()) {
    emit(document)
    bytes += document.length
    // What is emitted no longer counts here.
    if (++emitted % stepDocumentsMax !== 0 && bytes < emittedBytesMax && !work.isDue) continue
    bytes = 0
    yield
  }
}

/** Whether a key sorts before an earlier item. */
function isBefore(head: number, key: Uint8Array, item: Keyed): boolean {
  return head < item.head || (head === item.head && compareKeys(key, item.key) < 0)
}

/** Work units to push a document to a heap or pop it: 0.5 µs. */
const poppedUnits = 5
/** Documents that one step moves from the heap to the sorter. */
const movedAtOnce = 8

/**
 * The first `limit` documents by key, for $sort before $limit and for $sample. If these alone
 * exceed memory, all documents are sorted, and the result is cut.
 */
class TopSort extends StreamTransform {
  private readonly heap: BoundedHeap<Keyed>
  private readonly sorter: Sorter
  private isMoving = false
  private isTooLarge = false
  private sequence = 0
  private held = 0
  private inputBytes = 0

  constructor(
    private readonly name: string,
    limit: number,
    private readonly keyOf: (document: Document) => Uint8Array,
    private readonly workspace: Workspace,
  ) {
    super()
    this.heap = new BoundedHeap(limit, compareKeyed)
    this.sorter = new Sorter({ name, workspace, limit })
  }

  override get bytesHeld(): number {
    return this.held + this.sorter.bytesHeld + this.sorter.bytesReading
  }

  override get figures(): SpillFigures {
    return { ...this.sorter.figures, inputBytes: this.inputBytes }
  }

  close(): void {
    this.sorter.close()
  }

  override get pending(): boolean {
    return this.isMoving || this.sorter.pending
  }

  push(document: Document): void {
    this.inputBytes += document.length
    const view = this.keyOf(document)
    if (this.isTooLarge) {
      this.sorter.push(document, view)
      return
    }
    const sequence = this.sequence++
    const head = headOf(view)
    const { largest } = this.heap
    // Most documents of a long stream are dropped here without an allocation.
    if (largest !== undefined && !isBefore(head, view, largest)) return
    // Copied, because other items of the heap may live long.
    const item = { head, key: view.slice(), sequence, document: document.slice() }
    const dropped = this.heap.push(item)
    work.note(poppedUnits + (view.length + document.length) / bytesPerUnit)
    this.held += bytesOfKeyed(item) - (dropped === undefined ? 0 : bytesOfKeyed(dropped))
    if (this.held <= this.workspace.memoryBytesMax) return
    if (this.workspace.open === undefined) requireMemory(this.name, this.held, this.workspace)
    this.isMoving = true
    this.isTooLarge = true
  }

  override resume(): void {
    if (this.sorter.pending) {
      this.sorter.work()
      return
    }
    for (let moved = 0; moved < movedAtOnce && !this.sorter.pending; moved++) {
      const item = this.heap.pop()
      if (item === undefined) {
        this.isMoving = false
        return
      }
      this.held -= bytesOfKeyed(item)
      this.sorter.add(item)
    }
  }

  /** The heap pops the last document first, so all are popped before any is emitted. */
  override *finish(emit: Emit): Generator<void, void, void> {
    if (this.isTooLarge) return yield* emitSorted(this.sorter, emit)
    const items: Keyed[] = []
    for (let item = this.heap.pop(); item !== undefined; item = this.heap.pop()) {
      items.push(item)
      work.note(poppedUnits)
      if (items.length % stepDocumentsMax === 0 || work.isDue) yield
    }
    for (let item = items.pop(), emitted = 1; item !== undefined; item = items.pop(), emitted++) {
      this.held -= bytesOfKeyed(item)
      emit(item.document)
      if (emitted % stepDocumentsMax === 0 || work.isDue) yield
    }
  }
}

/** The plan of a sort; with `limit` it keeps only that many documents. */
export function sortPlan(spec: Value, sort: Sort, limit?: number): SortPlan {
  const create = (workspace = memoryOnly): StreamTransform =>
    limit === undefined
      ? new RunSort(sort, workspace)
      : new TopSort('$sort', limit, (document) => sort.peekKey(document), workspace)
  const plan = { kind: 'sort', name: '$sort', spec, sort, create } as const
  return limit === undefined ? plan : { limit, ...plan }
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
    ...plainStage,
    name: '$sort',
    compile: (spec, { context }) => {
      if (spec.type !== bsonType.object) {
        throw location(15973, 'the $sort key specification must be an object')
      }
      const sort = compileSort(documentOf(spec), context.collation)
      if (sort.natural !== undefined) requirePath('$natural')
      if (sort.parts.length === 0) {
        throw location(15976, '$sort stage must have at least one sort key')
      }
      return [sortPlan(spec, sort)]
    },
  },
  {
    ...plainStage,
    name: '$sample',
    compile: (spec, { scope }) => {
      const size = sampleSize(spec)
      const seed = scope.seed()
      const create = (workspace = memoryOnly): StreamTransform => {
        const random = new RandomNumber(seed)
        return new TopSort('$sample', size, () => random.evaluate().payload(), workspace)
      }
      return [{ kind: 'transform', name: '$sample', spec, create }]
    },
  },
]
