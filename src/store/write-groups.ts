// Runs write programs: those of a tick form a group, each runs to its end on what the earlier ones
// left, and the group is committed as one. Nobody hears of a result, good or bad, before the
// commit, because it may rest on a neighbour's writes. (facts: storage 9, rule 4)

import { type Bytes, mapKey } from '../base/bytes.js'
import type { Clock } from '../base/clock.js'
import { assert } from '../base/errors.js'
import { groupBytesMax, groupMsMax, groupProgramsMax } from '../base/limits.js'
import { addCounts, decodeCount, encodeCount } from './counters.js'
import { isVersioned, keyClass } from './layout.js'
import { Done, nothing, requireBounded } from './steps.js'
import type { Count, Entry, Fetched, KeyRange, Program, Step, Tx, Versioned } from './store.js'
import type { GroupView, Tables } from './tables.js'
import { type Addition, addTo, WriteBuffer } from './write-buffer.js'

type WriteProgram = (tx: Tx) => Program<unknown>

interface Pending {
  readonly program: WriteProgram
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
}

/** What a program came to; told when its group is committed. */
type Outcome = { readonly value: unknown } | { readonly error: unknown }

export class WriteGroups {
  /** Why the last group could not be committed; undefined while writes go through. */
  refusing: string | undefined
  private readonly tables: Tables
  private readonly clock: Clock
  private queue: Pending[] = []
  private scheduled = false
  /** So many of the next programs run alone: their group failed, and one may be the reason. */
  private alone = 0
  private lastVersion: number
  private drained: (() => void) | undefined

  constructor(tables: Tables, clock: Clock) {
    this.tables = tables
    this.clock = clock
    this.lastVersion = tables.lastVersion
  }

  run<T>(program: (tx: Tx) => Program<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.queue.push({ program, resolve: resolve as (value: unknown) => void, reject })
      this.schedule()
    })
  }

  /** Resolves when every program has its answer. */
  idle(): Promise<void> {
    if (this.queue.length === 0) return Promise.resolve()
    return new Promise((resolve) => {
      this.drained = resolve
    })
  }

  private schedule(): void {
    if (this.scheduled) return
    this.scheduled = true
    setImmediate(() => {
      this.scheduled = false
      this.runGroup()
      if (this.queue.length > 0) this.schedule()
      else this.drained?.()
    })
  }

  private runGroup(): void {
    const most = this.alone > 0 ? 1 : groupProgramsMax
    const outcomes: Outcome[] = []
    try {
      this.tables.commit((view) => this.runPrograms(view, most, outcomes))
    } catch (error) {
      this.failed(outcomes.length, error)
      return
    }
    this.refusing = undefined
    const group = this.queue.splice(0, outcomes.length)
    this.alone = Math.max(0, this.alone - group.length)
    for (const [index, outcome] of outcomes.entries()) {
      const pending = group[index]
      if ('error' in outcome) pending?.reject(outcome.error)
      else pending?.resolve(outcome.value)
    }
  }

  private runPrograms(view: GroupView, most: number, outcomes: Outcome[]): void {
    const group = new Group(view, () => ++this.lastVersion)
    const startedAt = this.clock.elapsed()
    do {
      const pending = this.queue[outcomes.length]
      if (pending === undefined) break
      outcomes.push(group.run(pending.program))
    } while (
      outcomes.length < most &&
      group.bytes < groupBytesMax &&
      this.clock.elapsed() - startedAt < groupMsMax
    )
    group.writeCounters()
  }

  /** Nothing of the group is there. A lone program gets the error, the others another run each. */
  private failed(programs: number, error: unknown): void {
    this.refusing = error instanceof Error ? error.message : String(error)
    if (programs > 1) {
      this.alone = programs
      return
    }
    this.alone = Math.max(0, this.alone - 1)
    this.queue.shift()?.reject(error)
  }
}

class Group {
  /** Bytes changed so far. */
  bytes = 0
  private readonly view: GroupView
  private readonly nextVersion: () => number
  private readonly additions = new Map<string, Addition>()

  constructor(view: GroupView, nextVersion: () => number) {
    this.view = view
    this.nextVersion = nextVersion
  }

  run(program: WriteProgram): Outcome {
    const buffer = new WriteBuffer(this.nextVersion)
    let value: unknown
    try {
      const end = program(new Writing(this.view, this, buffer)).next()
      assert(end.done === true, 'a write program on an embedded store runs to its end at once')
      value = end.value
    } catch (error) {
      return { error }
    }
    this.apply(buffer)
    return { value }
  }

  /** Of a counter, with the additions of this group's earlier programs. */
  count(key: Bytes): Count {
    return addCounts(decodeCount(this.view.get(key)), this.additions.get(mapKey(key)))
  }

  writeCounters(): void {
    for (const { key } of this.additions.values()) {
      this.view.put(key, encodeCount(this.count(key)), 0)
    }
  }

  private apply(buffer: WriteBuffer): void {
    for (const [name, { key, value, version }] of buffer.changes) {
      if (value !== undefined) this.view.put(key, value, version)
      else this.view.remove(key)
      if (key[0] === keyClass.count) this.additions.delete(name)
    }
    for (const addition of buffer.additions.values()) addTo(this.additions, addition)
    this.bytes += buffer.bytes
  }
}

/** The transaction of one write program; every step is done at once. */
class Writing implements Tx {
  private readonly view: GroupView
  private readonly group: Group
  private readonly buffer: WriteBuffer

  constructor(view: GroupView, group: Group, buffer: WriteBuffer) {
    this.view = view
    this.group = group
    this.buffer = buffer
  }

  get(key: Bytes): Step<Bytes | undefined> {
    return new Done(this.getNow(key))
  }

  getVersioned(key: Bytes): Step<Versioned | undefined> {
    assert(isVersioned(key), 'only some classes carry versions')
    const own = this.buffer.find(key)
    if (own === undefined) return new Done(this.view.getVersioned(key))
    const { value, version } = own
    return new Done(value === undefined ? undefined : { value: value.slice(), version })
  }

  getMany(keys: readonly Bytes[]): Step<(Bytes | undefined)[]> {
    return new Done(keys.map((key) => this.getNow(key)))
  }

  scan(range: KeyRange, limit: number): Step<Entry[]> {
    return new Done(this.scanNow(range, limit))
  }

  scanFetch(range: KeyRange, limit: number): Step<Fetched[]> {
    const entries = this.scanNow(range, limit)
    return new Done(entries.map(({ key, value }) => ({ key, value, record: this.getNow(value) })))
  }

  scanOwn(range: KeyRange, limit: number): Step<Entry[]> {
    requireBounded(limit)
    const overlay = this.buffer.overlay(range, limit)
    return new Done(overlay.merge(this.view.scan(range, overlay.wanted)))
  }

  count(key: Bytes): Step<Count> {
    return new Done(this.buffer.count(key, () => this.group.count(key)))
  }

  breathe(): Step<void> {
    return nothing
  }

  put(key: Bytes, value: Bytes): void {
    this.buffer.put(key, value)
  }

  remove(key: Bytes): void {
    this.buffer.remove(key)
  }

  add(key: Bytes, documents: number, bytes: number): void {
    this.buffer.add(key, documents, bytes)
  }

  private getNow(key: Bytes): Bytes | undefined {
    const own = this.buffer.find(key)
    return own === undefined ? this.view.get(key) : own.value?.slice()
  }

  private scanNow(range: KeyRange, limit: number): Entry[] {
    requireBounded(limit)
    return this.view.scan(range, limit)
  }
}
