// A collection to write to in engine tests: the programs that commands run, without the commands.

import type { Clock, Random } from '../../src/base/clock.js'
import { silentLog } from '../../src/base/log.js'
import type { JobParts } from '../../src/engine/background/garbage-job.js'
import type { Nap, Pace } from '../../src/engine/background/pace-job.js'
import {
  type CreateOptions,
  createNamespace,
  ensureNamespace,
  findNamespace,
} from '../../src/engine/collection/catalog/catalog.js'
import { emptyDocument } from '../../src/engine/collection/catalog/descriptors.js'
import {
  findById,
  insertDocument,
  recordKey,
  removeDocument,
  replaceDocument,
  stagedWrite,
} from '../../src/engine/collection/collections.js'
import type { Namespace } from '../../src/engine/types.js'
import type { Store } from '../../src/store/store.js'
import { runSweep } from '../../src/store/sweep.js'
import { documentFrom, valueFrom } from '../../src/value/literal.js'
import type { Value } from '../../src/value/value.js'
import { toObject } from './literal.js'

export const createOptions: CreateOptions = {
  owner: null,
  mode: 'private',
  now: 1_700_000_000_000,
  uuid: new Uint8Array(16).fill(7),
  options: emptyDocument,
}

/** Time that stands still until a test moves it. */
export class ManualClock implements Clock {
  ms = 1_700_000_000_000

  now(): number {
    return this.ms
  }

  elapsed(): number {
    return this.ms
  }
}

/** Random bytes that are the same in every run. */
export const countingRandom: Random = { bytes: (count) => new Uint8Array(count).map((_, i) => i) }

/** Background work that gives way for a tick and sleeps until it is woken. */
export const tickPace: Pace = {
  rest: () =>
    new Promise((resolve) => {
      setImmediate(resolve)
    }),
  sleep: (): Nap => {
    let wake = (): void => {}
    const over = new Promise<void>((resolve) => {
      wake = resolve
    })
    return { over, wake: () => wake() }
  },
}

export function jobParts(store: Store, clock: Clock): JobParts {
  return { store, clock, log: silentLog, pace: tickPace }
}

type Plain = Readonly<Record<string, unknown>>

/** One collection of one store, written and read with plain objects. */
export class Room {
  constructor(
    readonly store: Store,
    readonly db = 'main',
    readonly name = 'things',
  ) {}

  create(): Promise<Namespace> {
    return this.store.write((tx) => createNamespace(tx, this.db, this.name, createOptions))
  }

  async find(): Promise<Namespace | undefined> {
    return this.store.read((tx) => findNamespace(tx, this.db, this.name))
  }

  async get(): Promise<Namespace> {
    const ns = await this.find()
    if (ns === undefined) throw new Error('the collection is missing')
    return ns
  }

  /** In one program for all. */
  async insert(...documents: readonly Plain[]): Promise<void> {
    const { db, name } = this
    await runSweep(
      this.store,
      stagedWrite(function* (tx, staged) {
        for (const document of documents) {
          const ns = yield* ensureNamespace(tx, db, name, createOptions)
          yield* insertDocument(tx, ns, documentFrom(document), staged)
        }
      }),
    )
  }

  /** False where the document is missing. */
  async replace(document: Plain): Promise<boolean> {
    const { db, name } = this
    const after = documentFrom(document)
    return runSweep(
      this.store,
      stagedWrite(function* (tx, staged) {
        const ns = yield* ensureNamespace(tx, db, name, createOptions)
        const id = valueFrom(document._id)
        const before = yield* findById(tx, ns, id)
        if (before === undefined) return false
        yield* replaceDocument(tx, ns, recordKey(ns, id), before, after, staged)
        return true
      }),
    )
  }

  async remove(id: unknown): Promise<boolean> {
    const { db, name } = this
    return this.store.write(function* (tx) {
      const ns = yield* ensureNamespace(tx, db, name, createOptions)
      const before = yield* findById(tx, ns, valueFrom(id))
      if (before === undefined) return false
      yield* removeDocument(tx, ns, recordKey(ns, valueFrom(id)), before)
      return true
    })
  }

  async read(id: unknown): Promise<Record<string, unknown> | undefined> {
    const { db, name } = this
    const found = await this.store.read(function* (tx) {
      const ns = yield* findNamespace(tx, db, name)
      return ns === undefined ? undefined : yield* findById(tx, ns, valueFrom(id))
    })
    return found === undefined ? undefined : toObject(found)
  }
}

/** The `indexes` of a createIndexes command: keys with options. */
export function indexSpecs(...specs: readonly (readonly [key: Plain, options?: Plain])[]): Value[] {
  return specs.map(([key, options = {}]) => {
    const name = Object.entries(key)
      .map(([path, direction]) => `${path}_${direction}`)
      .join('_')
    return valueFrom({ key, name, ...options })
  })
}

/** Everything that a store holds in the given classes, as hex keys. */
export async function keysOfClasses(
  store: Store,
  ...classes: readonly number[]
): Promise<string[]> {
  const keys: string[] = []
  for (const ofClass of classes) {
    const range = { start: Uint8Array.of(ofClass), end: Uint8Array.of(ofClass + 1) }
    const entries = await store.read(function* (tx) {
      return yield* tx.scan(range, 1_000)
    })
    keys.push(...entries.map(({ key }) => Buffer.from(key).toString('hex')))
  }
  return keys
}
