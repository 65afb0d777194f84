// Retryable writes against a model: random commands of every kind that leaves a record, each sent
// again in the same process, after a restart and through another gateway, over all stores. What a
// statement has changed stays as it is; one that has changed nothing runs again, as on MongoDB.

import { Binary, Long } from 'bson'
import t, { type Test } from 'tap'
import { systemClock } from '../../../../src/base/clock.js'
import type { Store } from '../../../../src/store/store.js'
import { CommandRoom, type Reply } from '../../../support/command-room.js'
import { LateStore } from '../../../support/late-store.js'
import { runs } from '../../../support/runs.js'
import { seed } from '../../../support/seed.js'
import { seededRandom } from '../../../support/seeded-random.js'
import { openStore } from '../../../support/stores.js'

const router = { services: { topology: 'router' } } as const
const lsid = { id: new Binary(new Uint8Array(16).fill(3), 4) }
/** Few enough that statements of one command meet. */
const idsMax = 12
/** With their index entries more than one program may put: a batch of such updates is halved. */
const manyTags = 120
const commandsEach = 30

type Command = Readonly<Record<string, unknown>>

interface Row {
  _id: number
  /** As `_id`, for statements that search. */
  k: number
  n: number
  same?: 1
  tags?: number[]
}

/** A statement's result: what its command counts. */
interface Result {
  readonly n: number
  readonly modified?: number
  readonly upserted?: number
  readonly code?: number
  /** The reply of findAndModify. */
  readonly value?: Row | null
}

type Statement = (rows: Map<number, Row>) => Result

/** A command, and what each of its statements does to the rows. */
interface Case {
  readonly command: Command
  readonly statements: readonly Statement[]
  readonly isOrdered: boolean
}

class Cases {
  private next = 1_000

  constructor(private readonly random: () => number) {}

  make(): Case {
    const kinds = [
      () => this.inserts(),
      () => this.updates(),
      () => this.updates(),
      () => this.deletes(),
      () => this.findAndModify(),
    ]
    return this.one(kinds)()
  }

  below(bound: number): number {
    return Math.floor(this.random() * bound)
  }

  private chance(of: number): boolean {
    return this.random() < of
  }

  one<T>(from: readonly T[]): T {
    return from[this.below(from.length)] as T
  }

  /** Mostly a few; sometimes more than a row of the record holds. */
  private size(): number {
    return this.chance(0.2) ? 90 + this.below(150) : 1 + this.below(8)
  }

  private inserts(): Case {
    const hasTags = this.chance(0.3)
    const documents = Array.from({ length: this.size() }, (): Row => {
      const _id = this.chance(0.1) ? this.below(idsMax) : this.next++
      const row = { _id, k: _id, n: 0 }
      return hasTags ? { ...row, tags: this.tags() } : row
    })
    const isOrdered = this.chance(0.5)
    return {
      command: { insert: 'c', documents, ordered: isOrdered },
      isOrdered,
      statements: documents.map((row) => (rows) => {
        if (rows.has(row._id)) return { n: 0, code: 11000 }
        rows.set(row._id, { ...row })
        return { n: 1 }
      }),
    }
  }

  private tags(): number[] {
    const from = this.below(1_000)
    return Array.from({ length: manyTags }, (_, i) => from + i)
  }

  private updates(): Case {
    const hasTags = this.chance(0.35)
    const upserts = this.chance(0.5)
    const isOrdered = this.chance(0.5)
    const made = Array.from({ length: this.size() }, () => this.update(upserts, hasTags))
    return {
      command: { update: 'c', updates: made.map(({ given }) => given), ordered: isOrdered },
      isOrdered,
      statements: made.map(({ statement }) => statement),
    }
  }

  private update(upserts: boolean, hasTags: boolean): { given: Command; statement: Statement } {
    const id = this.below(idsMax)
    const upsert = upserts && this.chance(0.6)
    const kind = this.one(upsert ? ['increment', 'same'] : ['increment', 'same', 'fails'])
    const tags = hasTags ? this.tags() : undefined
    const { q, onInsert } = this.named(id)
    const u = {
      increment: { $inc: { n: 1 }, ...(tags === undefined ? {} : { $set: { tags } }) },
      same: { $set: { same: 1 }, ...(upsert ? { $setOnInsert: { n: 0, ...onInsert } } : {}) },
      fails: { $push: { n: 1 } },
    }[kind] as Command
    const isIncrement = kind === 'increment'
    const given = isIncrement && upsert ? { ...u, $setOnInsert: onInsert } : u
    const statement = (rows: Map<number, Row>): Result => {
      const row = rows.get(id)
      if (row === undefined && !upsert) return { n: 0 }
      if (kind === 'fails') return { n: 0, code: 2 }
      const before = row ?? { _id: id, k: id, n: 0 }
      if (isIncrement) rows.set(id, incremented(before, tags))
      else rows.set(id, { ...before, same: 1 })
      if (row === undefined) return { n: 1, upserted: id }
      return { n: 1, modified: isIncrement || row.same === undefined ? 1 : 0 }
    }
    return { given: { q, u: given, upsert }, statement }
  }

  /** A filter by `_id` or one that searches, and the field that an upsert adds to it. */
  private named(id: number): { readonly q: Command; readonly onInsert: Command } {
    return this.chance(0.6)
      ? { q: { _id: id }, onInsert: { k: id } }
      : { q: { k: id }, onInsert: { _id: id } }
  }

  private deletes(): Case {
    const isOrdered = this.chance(0.5)
    const ids = Array.from({ length: this.size() }, () => this.below(idsMax))
    return {
      command: {
        delete: 'c',
        deletes: ids.map((id) => ({ q: this.chance(0.6) ? { _id: id } : { k: id }, limit: 1 })),
        ordered: isOrdered,
      },
      isOrdered,
      statements: ids.map((id) => (rows) => ({ n: rows.delete(id) ? 1 : 0 })),
    }
  }

  private findAndModify(): Case {
    const id = this.below(idsMax)
    const { q, onInsert } = this.named(id)
    const isAfter = this.chance(0.5)
    const isRemoval = this.chance(0.3)
    const upsert = !isRemoval && this.chance(0.5)
    const update = { $inc: { n: 1 }, ...(upsert ? { $setOnInsert: onInsert } : {}) }
    const change = isRemoval ? { remove: true } : { update, new: isAfter, upsert }
    const sort = this.chance(0.3) ? { sort: { n: 1 } } : {}
    const statement = (rows: Map<number, Row>): Result => {
      const row = rows.get(id)
      if (row === undefined && !upsert) return { n: 0, value: null }
      if (isRemoval) {
        rows.delete(id)
        return { n: 1, value: row ?? null }
      }
      const after = incremented(row ?? { _id: id, k: id, n: 0 }, undefined)
      rows.set(id, after)
      return { n: 1, value: (isAfter ? after : row) ?? null }
    }
    const command = { findAndModify: 'c', query: q, ...sort, ...change }
    return { command, isOrdered: true, statements: [statement] }
  }
}

function incremented(row: Row, tags: number[] | undefined): Row {
  return { ...row, n: row.n + 1, ...(tags === undefined ? {} : { tags }) }
}

/** What the rows are, and what the statements of the current command have changed. */
class Model {
  rows = new Map<number, Row>()
  private done: (Result | undefined)[] = []

  begin(): void {
    this.done = []
  }

  /** One attempt: its reply. */
  run({ command, statements, isOrdered }: Case): Reply {
    const results: Result[] = []
    for (const [at, statement] of statements.entries()) {
      const result = this.done[at] ?? statement(this.rows)
      if (result.n > 0) this.done[at] = result
      results.push(result)
      if (isOrdered && result.code !== undefined) break
    }
    if ('findAndModify' in command) return { value: results[0]?.value }
    const indexed = results.map((result, index) => ({ ...result, index }))
    return {
      n: results.reduce((sum, { n }) => sum + n, 0),
      nModified:
        'update' in command
          ? results.reduce((sum, one) => sum + (one.modified ?? 0), 0)
          : undefined,
      upserted: indexed
        .filter(({ upserted }) => upserted !== undefined)
        .map(({ index, upserted }) => [index, upserted]),
      errors: indexed
        .filter(({ code }) => code !== undefined)
        .map(({ index, code }) => [index, code]),
    }
  }

  /** Whether each statement would change something: then a broken attempt can go on. */
  changesAll({ statements }: Case): boolean {
    const rows = new Map(this.rows)
    return statements.every((statement) => statement(rows).n > 0)
  }
}

/** The parts of a reply that the model knows. */
function told(reply: Reply): Reply {
  if ('value' in reply) return { value: reply.value }
  const { n, nModified, upserted = [], writeErrors = [] } = reply
  return {
    n,
    nModified,
    upserted: upserted.map((one: Reply) => [one.index, one._id]),
    errors: writeErrors.map((one: Reply) => [one.index, one.code]),
  }
}

type Broken = 'before' | 'rolled back' | 'after'
const brokenWays: readonly Broken[] = ['before', 'rolled back', 'after']

/** A store one of whose next write programs fails: before it, in it, or after its commit. */
class Breaking {
  private left = Number.POSITIVE_INFINITY
  private way: Broken = 'before'

  constructor(readonly store: Store) {
    const write = store.write.bind(store)
    store.write = (program, account) => {
      if (this.left-- !== 0) return write(program, account)
      const error = new Error(`broken ${this.way}`)
      if (this.way === 'before') throw error
      if (this.way === 'after') {
        return Promise.resolve(write(program, account)).then(() => {
          throw error
        })
      }
      return write(function* (tx) {
        yield* program(tx)
        throw error
      }, account)
    }
  }

  breakAt(program: number, way: Broken): void {
    this.left = program
    this.way = way
  }

  mend(): void {
    this.left = Number.POSITIVE_INFINITY
  }
}

/** Sends random commands through rooms over the stores of one state. */
async function hunt(t: Test, stores: readonly Store[], random: () => number): Promise<void> {
  const breaking = stores.map((store) => new Breaking(store))
  const opened = (store: Store) => new CommandRoom(store, systemClock, router)
  const rooms = stores.map(opened)
  t.teardown(async () => {
    for (const room of rooms) await room.engine.close()
  })
  const cases = new Cases(random)
  const model = new Model()
  const indexes = [{ key: { tags: 1 }, name: 'tags' }]
  await rooms[0]?.run({ createIndexes: 'c', indexes })
  for (let number = 1; number <= commandsEach; number++) {
    const made = cases.make()
    const sent = { ...made.command, lsid, txnNumber: Long.fromNumber(number) }
    model.begin()
    const mayBreak = model.changesAll(made)
    for (let sends = 1 + cases.below(4); sends > 0; sends--) {
      const at = cases.below(rooms.length)
      if (random() < 0.3) {
        await rooms[at]?.engine.close()
        rooms[at] = opened(stores[at] as Store)
      }
      const room = rooms[at] as CommandRoom
      if (mayBreak && random() < 0.4) {
        breaking[at]?.breakAt(cases.below(3), cases.one(brokenWays))
        const outcome = await room.run(sent).catch(() => undefined)
        breaking[at]?.mend()
        if (outcome === undefined) {
          // It is sent again until it is answered.
          sends++
          continue
        }
        t.same(told(outcome), model.run(made))
        continue
      }
      const reply = told(await room.run(sent))
      if (!t.same(reply, model.run(made), JSON.stringify(sent).slice(0, 300))) return
    }
    const rows = await (rooms[0] as CommandRoom).all('c')
    const expected = [...model.rows.values()].sort((a, b) => a._id - b._id)
    if (!t.same(rows, expected, `SIGIL_SEED=${seed}: rows after command ${number}`)) return
  }
}

for (let round = 0; round < runs(1); round++) {
  const random = seededRandom(seed + round)
  for (const kind of ['memory', 'lmdb'] as const) {
    t.test(`each statement takes effect once, whatever is sent again (${kind})`, async (t) => {
      await hunt(t, [await openStore(t, kind)], random)
    })
  }
  t.test('each statement takes effect once, whatever is sent again (two gateways)', async (t) => {
    const first = new LateStore({ seed: seed + round, conflictChance: 0.2 })
    const second = new LateStore({ seed: seed + round + 1, conflictChance: 0.2, beside: first })
    t.teardown(() => Promise.all([first.close(), second.close()]))
    await hunt(t, [first, second], random)
  })
}
