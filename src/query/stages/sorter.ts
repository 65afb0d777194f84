// Sorts documents by key in bounded steps and memory. Runs of a thousand are sorted in memory. When
// they exceed it, they are merged to one run of a file; at the end all runs are merged. The sort is
// stable: equal keys keep the order of input.

import type { Bytes } from '../../base/bytes/bytes.js'
import { Arena } from '../../base/heap/arena.js'
import { work } from '../../base/work/work-budget.js'
import { bytesPerUnit } from '../../base/work/work-figures.js'
import type { Document } from '../../value/value.js'
import {
  memoryExceeded,
  noSpills,
  RunReader,
  RunWriter,
  type SpillFile,
  type StoredRun,
  type Workspace,
} from '../spill.js'

export interface Keyed {
  /** The first six bytes of the key as a number, which decide most comparisons. */
  readonly head: number
  readonly key: Bytes
  readonly sequence: number
  /** In memory that only items of the same sorter share. */
  document: Document
}

/** Memory of an item beside document and key, bytes. */
const keyedOverheadBytes = 120
/** Documents of one sorted run in memory, so that sorting it is a bounded step. */
const runDocuments = 1_000
/** Bytes of the keys of one run. More are merged, which pauses after each document. */
const runKeyBytesMax = 256 * 1_024
/** Longer keys do not share the memory of their documents. */
const longKeyBytes = 512
/** Work units to compare two keys that differ early: 0.05 µs. */
const comparisonUnits = 0.5
/** Documents and bytes that one step of a spill moves. */
const stepDocuments = 8
const stepBytes = 16 * 1_024

export function headOf(key: Bytes): number {
  let head = 0
  for (let i = 0; i < 6; i++) head = head * 256 + (key[i] ?? 0)
  return head
}

export function compareKeyed(a: Keyed, b: Keyed): number {
  return a.head - b.head || compareKeys(a.key, b.key) || a.sequence - b.sequence
}

/** Compares keys with equal heads; for short ones a native call is not worth it. */
export function compareKeys(a: Bytes, b: Bytes): number {
  const shared = Math.min(a.length, b.length)
  if (shared > 64) {
    work.note(shared / bytesPerUnit)
    return Buffer.compare(a, b)
  }
  for (let i = 6; i < shared; i++) {
    const difference = (a[i] ?? 0) - (b[i] ?? 0)
    if (difference !== 0) return difference
  }
  return a.length - b.length
}

export function bytesOfKeyed(item: Keyed): number {
  return item.document.length + item.key.length + keyedOverheadBytes
}

export interface SorterOptions {
  /** The stage's name, for the error when it exceeds its memory. */
  readonly name: string
  readonly workspace: Workspace
  /** Maximum number of documents in the output. */
  readonly limit?: number
}

export class Sorter {
  readonly figures = noSpills()
  private readonly options: SorterOptions
  private readonly limit: number
  private runs: (Keyed | undefined)[][] = []
  private run: Keyed[] = []
  private runKeyBytes = 0
  /** Items sorted in memory are allocated and released together. */
  private readonly arena = new Arena()
  /** Apart: documents outlive their keys, and would keep them in memory. */
  private readonly longKeys = new Arena()
  private sequence = 0
  private held = 0
  private reading = 0
  private file: SpillFile | undefined
  private readonly spilled: StoredRun[] = []
  private spilling: Spilling | undefined

  constructor(options: SorterOptions) {
    this.options = options
    this.limit = options.limit ?? Number.POSITIVE_INFINITY
  }

  get bytesHeld(): number {
    return this.held
  }

  /** Of the pieces of runs on disk that are being merged. */
  get bytesReading(): number {
    return this.reading
  }

  /** Number of pushed documents. */
  get count(): number {
    return this.sequence
  }

  get hasSpilled(): boolean {
    return this.file !== undefined
  }

  /** Whether a spill is in progress; call `work` until it is false before the next push. */
  get pending(): boolean {
    return this.spilling !== undefined
  }

  /** Copies the document and the key. */
  push(document: Document, key: Bytes): void {
    const { arena } = this
    this.figures.inputBytes += document.length
    const ownKey = key.length > longKeyBytes ? this.longKeys.copy(key) : arena.copy(key)
    const own = arena.copy(document)
    this.add({ head: headOf(key), key: ownKey, sequence: this.sequence++, document: own })
  }

  /** Adds an item that the caller no longer uses; sequences must increase. */
  add(item: Keyed): void {
    this.sequence = Math.max(this.sequence, item.sequence + 1)
    this.run.push(item)
    this.runKeyBytes += item.key.length
    this.held += bytesOfKeyed(item)
    work.note(1 + (item.key.length + item.document.length) / bytesPerUnit)
    const isFull = this.run.length === runDocuments || this.runKeyBytes > runKeyBytesMax
    if (isFull) this.closeRun()
    if (this.held > this.options.workspace.memoryBytesMax) this.spill()
  }

  /** Does a bounded piece of the current spill. */
  work(): void {
    const { spilling } = this
    if (spilling === undefined) return
    if (spilling.step()) return
    const run = spilling.finish()
    this.figures.spills++
    this.figures.spilledBytes += run.end - run.start
    this.figures.spilledRecords += run.records
    this.spilled.push(run)
    this.spilling = undefined
    this.letGo()
  }

  /** What was in memory is on disk, or was taken. */
  private letGo(): void {
    this.runs = []
    this.held = 0
    this.reading = 0
    this.arena.release()
    this.longKeys.release()
  }

  /**
   * After the last push: spills the rest too, if something was spilled before or the caller needs
   * the memory. Yields after each bounded step.
   */
  *settle(wantsMemory = false): Generator<void, void, void> {
    const canSpill = this.options.workspace.open !== undefined
    if (this.held > 0 && (this.hasSpilled || (wantsMemory && canSpill))) this.spill()
    while (this.pending) {
      this.work()
      yield
    }
  }

  /** The documents in key order; each is released when it is taken. */
  *drain(): Generator<Document, void, void> {
    for (const item of this.drainItems()) yield item.document
  }

  *drainItems(): Generator<Keyed, void, void> {
    if (this.run.length > 0) this.closeRun()
    const merge = new Merge([...this.readers(), ...this.runs.map(memoryRun)])
    let left = this.limit
    for (let item = merge.next(); item !== undefined && left > 0; item = merge.next()) {
      left--
      if (this.file === undefined) this.held -= bytesOfKeyed(item)
      yield item
    }
    this.letGo()
    this.file?.close()
  }

  /** Deletes the file; allowed at any time. */
  close(): void {
    this.letGo()
    this.file?.close()
  }

  private readers(): (() => Keyed | undefined)[] {
    const { file, spilled } = this
    if (file === undefined) return []
    const bytesMax = this.options.workspace.memoryBytesMax / spilled.length
    return spilled.map((run) => {
      const reader = new RunReader(file, run, bytesMax)
      return () => {
        const before = reader.bytesHeld
        const record = reader.next()
        this.reading += reader.bytesHeld - before
        return record === undefined ? undefined : { head: headOf(record.key), ...record }
      }
    })
  }

  private spill(): void {
    const { name, workspace } = this.options
    this.file ??= workspace.open?.()
    if (this.file === undefined) throw memoryExceeded(name, workspace)
    if (this.run.length > 0) this.closeRun()
    const merge = new Merge(this.runs.map(memoryRun))
    this.spilling = new Spilling(merge, this.file, this.limit)
  }

  private closeRun(): void {
    const { length } = this.run
    work.note(length * Math.log2(length + 1) * comparisonUnits)
    this.runs.push(this.run.sort(compareKeyed))
    this.run = []
    this.runKeyBytes = 0
  }
}

/** Moves the items in memory to a run of the file. */
class Spilling {
  private readonly writer: RunWriter
  private left: number

  constructor(
    private readonly merge: Merge,
    file: SpillFile,
    limit: number,
  ) {
    this.writer = new RunWriter(file)
    this.left = limit
  }

  /** False when nothing remains. */
  step(): boolean {
    const before = this.writer.bytes
    for (let moved = 0; moved < stepDocuments; moved++) {
      const item = this.left > 0 ? this.merge.next() : undefined
      if (item === undefined) return false
      this.left--
      this.writer.add(item)
      if (this.writer.bytes - before > stepBytes) break
    }
    return true
  }

  finish(): StoredRun {
    return this.writer.finish()
  }
}

/** The items of a run in memory; each is released when it is taken. */
function memoryRun(run: (Keyed | undefined)[]): () => Keyed | undefined {
  let at = 0
  return () => {
    const item = run[at]
    run[at++] = undefined
    return item
  }
}

interface Head {
  readonly next: () => Keyed | undefined
  item: Keyed
}

/** A heap of runs, ordered by their current items. */
class Merge {
  private readonly heap: Head[] = []

  constructor(runs: readonly (() => Keyed | undefined)[]) {
    for (const next of runs) {
      const item = next()
      if (item !== undefined) this.heap.push({ next, item })
    }
    for (let i = (this.heap.length >> 1) - 1; i >= 0; i--) this.down(i)
  }

  next(): Keyed | undefined {
    const { heap } = this
    const [top] = heap
    if (top === undefined) return undefined
    work.note(1 + Math.log2(heap.length + 1) * comparisonUnits)
    const { item } = top
    const following = top.next()
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
