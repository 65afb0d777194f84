// A run of random programs over a store, many at once, and the model's word on each: what write
// programs saw and left, in the order in which they committed, and what readers saw meanwhile. A
// round is programs at work at the same time; an era is some rounds that readers may outlast.

import { scanEntriesMax } from '../../src/base/limits/engine.js'
import { turnUnits } from '../../src/base/work/work-figures.js'
import type {
  Entry,
  Fetched,
  Program,
  ReadTx,
  Store,
  Tx,
  Versioned,
} from '../../src/store/store.js'
import { everything, ModelView, mixedMismatch, StoreModel, wrongWhole } from './store-model.js'
import {
  floodKeys,
  type ReadOperation,
  type ReadScript,
  type ScriptMaker,
  type WriteScript,
} from './store-scripts.js'

/** A store and what can be done to it from outside. */
export interface Room {
  store: Store
  /** Whether write programs commit in the order of their calls, and versions of puts are final. */
  readonly isOrdered: boolean
  /** Lets some time of its clock pass before a round. */
  allow(): void
  readonly disk?: Disk
}

export interface Disk {
  /** Closes the store, whatever is at work, and opens it again. */
  restart(): Promise<void>
  /** Goes on with what a sudden end would have left. */
  crash(): Promise<void>
  /** All that is read from what a sudden end would leave now. */
  image(): Promise<Entry[]>
}

/** What has happened, so that a test can tell that it has. */
export interface Tally {
  operations: number
  programs: number
  reads: number
  pauses: number
  snapshots: number
  mixedScans: number
  restarts: number
  images: number
  backups: number
}

class Planned extends Error {}

interface Written {
  readonly script: WriteScript
  readonly launchedAt: number
  ackedAt: number
  answers: unknown[]
  /** Where it stands; undefined if it failed. */
  position: number | undefined
}

interface Observation {
  readonly operation: ReadOperation
  readonly answer: unknown
  readonly askedAt: number
  readonly answeredAt: number
  /** Whether others may have worked while it was answered. */
  readonly paused: boolean
}

interface Reader {
  readonly script: ReadScript
  readonly startedAt: number
  readonly untilRound: number
  readonly observations: Observation[]
  pauses: number
}

const programsMax = 150
/** Of all programs at a time in stores that answer each question on its own tick. */
const slowProgramsMax = 40

/** All that a store holds. */
export async function dumpOf(store: Store): Promise<Entry[]> {
  return store.read(function* (tx) {
    const all: Entry[] = []
    let { start } = everything
    for (;;) {
      const entries = yield* tx.scan({ ...everything, start }, scanEntriesMax)
      all.push(...entries)
      const last = entries.at(-1)
      if (last === undefined) return all
      start = new Uint8Array(last.key.length + 1)
      start.set(last.key)
    }
  })
}

export class StoreRun {
  readonly tally: Tally = {
    ...{ operations: 0, programs: 0, reads: 0, pauses: 0, snapshots: 0 },
    ...{ mixedScans: 0, restarts: 0, images: 0, backups: 0 },
  }
  private readonly model = new StoreModel()
  /** Everything that happens has a number. */
  private events = 0
  private round = 0
  /** Readers go on to their end. */
  private ending = false
  private base = 0
  private written: Written[] = []
  private readers: Reader[] = []
  private reading: Promise<void>[] = []
  private images: { readonly at: number; readonly entries: Entry[] }[] = []
  private letGo: (() => Promise<void>)[] = []
  private flooded = false
  /** Rounds in which what was removed by thousands is looked for. */
  private gone = 0
  private floodOperations = 0

  constructor(
    private readonly room: Room,
    private readonly make: ScriptMaker,
  ) {}

  /** So many operations and some more. Rejects with what was wrong first. */
  async run(operations: number): Promise<void> {
    try {
      while (this.tally.operations < operations) await this.era()
    } finally {
      this.ending = true
    }
  }

  private async era(): Promise<void> {
    const { make, room, model } = this
    this.ending = false
    this.base = model.position
    for (let left = 2 + make.below(7); left > 0; left--) await this.playRound()
    if (room.disk !== undefined && make.chance(0.3)) await this.closingRound(room.disk)
    this.ending = true
    await Promise.all(this.reading)
    for (const reader of this.readers) this.judgeReader(reader)
    for (const image of this.images) this.judgeImage(image)
    for (const letGo of this.letGo) await letGo()
    ;[this.written, this.readers, this.reading, this.images, this.letGo] = [[], [], [], [], []]
    if (room.disk !== undefined && make.chance(0.15)) {
      await room.disk.crash()
      this.tally.restarts++
    }
    model.forgetOlder()
    requireRight(wrongWhole(model, await dumpOf(room.store), model.position))
  }

  /** Everything of it runs at once, at moments of its own. */
  private async playRound(): Promise<void> {
    const { make, room } = this
    room.allow()
    this.round++
    const writes = this.writeScripts()
    const above = this.model.highestVersion
    const first = this.written.length
    const short = Array.from({ length: make.below(10) }, () => make.read(false))
    for (let left = this.gone > 0 ? 8 : 0; left > 0; left--) short.push(make.floodRead())
    this.gone--
    const long = Array.from({ length: make.chance(0.5) ? make.below(4) : 0 }, () => make.read(true))
    const work = [
      ...long.map((script) => this.later(async () => void this.reading.push(this.read(script)))),
      ...writes.map((script) => this.later(() => this.write(script))),
      ...short.map((script) => this.later(() => this.read(script))),
    ]
    if (room.disk !== undefined) work.push(...this.diskWork(room.disk))
    await Promise.all(work)
    await this.judgeWrites(this.written.slice(first), above)
  }

  /** Programs at work when the store is closed: what was called before goes through. */
  private async closingRound(disk: Disk): Promise<void> {
    const { make, room } = this
    room.allow()
    this.round++
    const above = this.model.highestVersion
    const first = this.written.length
    const work = this.writeScripts().map((script) => this.write(script))
    this.reading.push(this.read(make.read(true)))
    if (make.chance(0.3)) work.push(this.backup())
    this.ending = true
    await Promise.all([...work, ...this.reading, disk.restart()])
    this.tally.restarts++
    await this.judgeWrites(this.written.slice(first), above)
  }

  private writeScripts(): WriteScript[] {
    const { make, room, tally } = this
    if (make.chance(0.1)) return []
    const most = room.isOrdered ? programsMax : slowProgramsMax
    const count = 1 + make.below(make.chance(0.4) ? most : 12)
    const scripts = Array.from({ length: count }, (_, slot) => make.write(slot))
    if (!room.isOrdered || this.floodOperations > tally.operations / 3) return scripts
    this.floodOperations += floodKeys
    this.flooded = !this.flooded
    if (!this.flooded) this.gone = 3
    // Among the others, so that some come back.
    scripts.splice(make.below(count), 0, make.flood(count, this.flooded ? 'put' : 'remove'))
    return scripts
  }

  private diskWork(disk: Disk): Promise<void>[] {
    const { make } = this
    const work: Promise<void>[] = []
    if (make.chance(0.06) && this.letGo.length === 0) work.push(this.later(() => this.backup()))
    if (make.chance(0.04)) work.push(this.later(() => this.image(disk)))
    return work
  }

  private later(work: () => Promise<void>): Promise<void> {
    return after(this.ticks(), work)
  }

  private ticks(): number {
    return this.make.chance(0.5) ? 0 : this.make.below(8)
  }

  private async write(script: WriteScript): Promise<void> {
    const launchedAt = ++this.events
    const written: Written = { script, launchedAt, ackedAt: 0, answers: [], position: undefined }
    this.written.push(written)
    this.tally.programs++
    this.tally.operations += script.operations.length
    let failed = false
    try {
      await this.room.store.write((tx) => perform(tx, written))
    } catch (error) {
      if (!(error instanceof Planned)) throw error
      failed = true
    }
    written.ackedAt = ++this.events
    if (failed !== script.fails) requireRight('a program that was to fail did not')
  }

  private async read(script: ReadScript): Promise<void> {
    const { tally } = this
    const startedAt = ++this.events
    const untilRound = this.round + script.rounds
    const reader: Reader = { script, startedAt, untilRound, observations: [], pauses: 0 }
    this.readers.push(reader)
    tally.reads++
    const onPause = () => {
      tally.pauses++
      reader.pauses++
      if (reader.pauses === script.interruptAt) throw new Planned()
    }
    const { snapshot } = script
    try {
      await this.room.store.read((tx) => this.observe(tx, reader), { snapshot, onPause })
    } catch (error) {
      if (!(error instanceof Planned)) throw error
    }
    tally.operations += reader.observations.length
    if (snapshot && reader.pauses > 0) tally.snapshots++
  }

  private *observe(tx: ReadTx, reader: Reader): Program<void> {
    const { script, untilRound, observations } = reader
    const middle = script.operations.length >> 1
    for (const [i, operation] of script.operations.entries()) {
      while (i === middle && this.round < untilRound && !this.ending) {
        yield* tx.pause(turnUnits)
      }
      const askedAt = ++this.events
      const { pauses } = reader
      const answer = yield* ask(tx, operation)
      const paused = reader.pauses > pauses
      observations.push({ operation, answer, askedAt, answeredAt: ++this.events, paused })
    }
  }

  /** Brings the tables up to date, and keeps a state of theirs pinned, for a while. */
  private async backup(): Promise<void> {
    const { store } = this.room
    try {
      const backup = await store.backup?.({ sigil: '0', bytesPerSecond: 2 ** 40 })
      this.tally.backups++
      if (this.make.chance(0.5)) await backup?.end()
      else this.letGo.push(async () => backup?.end())
    } catch (error) {
      if (!this.ending) throw error
    }
  }

  private async image(disk: Disk): Promise<void> {
    const at = ++this.events
    this.images.push({ at, entries: await disk.image() })
    this.tally.images++
  }

  private async judgeWrites(written: readonly Written[], above: number): Promise<void> {
    const { isOrdered, store } = this.room
    const committed = written.filter(({ script }) => !script.fails)
    const versions = new Map<Written, Versioned>()
    const markers = await store.read((tx) => versionsOf(tx, committed))
    for (const [i, one] of committed.entries()) {
      const marker = markers[i]
      if (marker === undefined) return requireRight('what was acknowledged is missing')
      if (marker.version <= above) requireRight(`version ${marker.version} came after ${above}`)
      versions.set(one, marker)
    }
    const inOrder = [...committed].sort((a, b) => versionIn(versions, a) - versionIn(versions, b))
    if (isOrdered && inOrder.some((one, i) => one !== committed[i])) {
      requireRight('programs did not commit in the order of their calls')
    }
    const before = this.model.position
    for (const one of isOrdered ? written : inOrder) this.replay(one)
    for (const one of isOrdered ? [] : written) if (one.script.fails) this.place(one, before)
    for (const [{ script, position = 0 }, marker] of versions) {
      const view = new ModelView(this.model, position)
      const operation = { kind: 'getVersioned', key: script.marker } as const
      requireRight(view.mismatch(operation, marker) ?? view.learn(operation, marker))
    }
  }

  private replay(one: Written): void {
    const { script, answers } = one
    const commits = !script.fails
    const options = { commits, versionsLast: this.room.isOrdered }
    requireRight(this.model.play(script.operations, answers, options))
    if (commits) one.position = this.model.position
  }

  /** A failed program saw the state between some two of those that committed. */
  private place({ script, answers }: Written, from: number): void {
    let wrong: string | undefined
    for (let before = from; before <= this.model.position; before++) {
      wrong = this.model.play(script.operations, answers, { commits: false, before })
      if (wrong === undefined) return
    }
    requireRight(wrong)
  }

  /** The newest state that must be seen, and the newest that can be. */
  private acknowledged(event: number): number {
    let highest = this.base
    for (const { ackedAt, position = 0 } of this.written) {
      if (ackedAt < event && position > highest) highest = position
    }
    return highest
  }

  private launched(event: number): number {
    let highest = this.base
    for (const { launchedAt, position = 0 } of this.written) {
      if (launchedAt < event && position > highest) highest = position
    }
    return highest
  }

  private judgeReader({ script, startedAt, observations }: Reader): void {
    if (script.snapshot) {
      const from = this.acknowledged(startedAt)
      this.settle(from, this.launched(startedAt), observations)
      return
    }
    let state = this.base
    for (const observation of observations) {
      const { operation, answer, askedAt, answeredAt, paused } = observation
      const from = Math.max(state, this.acknowledged(askedAt))
      const to = this.launched(answeredAt)
      if (paused && this.room.isOrdered && 'range' in operation) {
        if (this.isMixed(from, to, observation)) {
          const entries = answer as Fetched[]
          requireRight(mixedMismatch(this.model, operation, entries, from, to))
          continue
        }
      }
      state = this.settle(from, to, [observation])
    }
  }

  /** Whether a scan's answer is of no single state. */
  private isMixed(from: number, to: number, { operation, answer }: Observation): boolean {
    for (let state = from; state <= to; state++) {
      if (new ModelView(this.model, state).mismatch(operation, answer) === undefined) return false
    }
    this.tally.mixedScans++
    return true
  }

  /** The first state of these in which all that was observed was so. */
  private settle(from: number, to: number, observations: readonly Observation[]): number {
    let wrong: string | undefined
    for (let state = from; state <= to; state++) {
      const view = new ModelView(this.model, state)
      wrong = first(observations, ({ operation, answer }) => view.mismatch(operation, answer))
      if (wrong !== undefined) continue
      requireRight(first(observations, ({ operation, answer }) => view.learn(operation, answer)))
      return state
    }
    throw new Error(`of no state from ${from} to ${to}: ${wrong}`)
  }

  private judgeImage({ at, entries }: { readonly at: number; readonly entries: Entry[] }): void {
    const { model } = this
    const [from, to] = [this.acknowledged(at), this.launched(at)]
    let wrong: string | undefined
    for (let state = from; state <= to; state++) {
      wrong = wrongWhole(model, entries, state)
      if (wrong === undefined) return
    }
    requireRight(`after a sudden end: ${wrong}`)
  }
}

function* perform(tx: Tx, written: Written): Program<void> {
  const { operations, fails } = written.script
  const answers: unknown[] = []
  written.answers = answers
  for (const operation of operations) {
    if (operation.kind === 'put') tx.put(operation.key, operation.value)
    else if (operation.kind === 'remove') tx.remove(operation.key)
    else if (operation.kind === 'add') tx.add(operation.key, operation.documents, operation.bytes)
    else if (operation.kind !== 'scanOwn') answers.push(yield* ask(tx, operation))
    else answers.push(yield* tx.scanOwn(operation.range, operation.limit))
  }
  if (fails) throw new Planned()
}

function* ask(tx: ReadTx, operation: ReadOperation): Program<unknown> {
  switch (operation.kind) {
    case 'get':
      return yield* tx.get(operation.key)
    case 'getVersioned':
      return yield* tx.getVersioned(operation.key)
    case 'count':
      return yield* tx.count(operation.key)
    case 'getMany':
      return yield* tx.getMany(operation.keys, operation.bytesMax)
    case 'scanFetch':
      return yield* tx.scanFetch(operation.range, operation.limit)
    case 'scan':
    case 'scanOwn':
      return yield* tx.scan(operation.range, operation.limit)
  }
}

function* versionsOf(tx: ReadTx, written: readonly Written[]): Program<(Versioned | undefined)[]> {
  const found: (Versioned | undefined)[] = []
  for (const { script } of written) found.push(yield* tx.getVersioned(script.marker))
  return found
}

function versionIn(versions: ReadonlyMap<Written, Versioned>, one: Written): number {
  return versions.get(one)?.version ?? 0
}

async function after(ticks: number, work: () => Promise<void>): Promise<void> {
  for (let left = ticks; left > 0; left--) {
    await new Promise((resolve) => {
      setImmediate(resolve)
    })
  }
  return work()
}

function first<T>(items: readonly T[], look: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const found = look(item)
    if (found !== undefined) return found
  }
  return undefined
}

function requireRight(wrong: string | undefined): void {
  if (wrong !== undefined) throw new Error(wrong)
}
