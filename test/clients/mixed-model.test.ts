// Random transactions over documents, rows and keys, with plain writes of other clients between
// their statements, against a model of snapshots in which the first commit wins.

import { Redis } from 'ioredis'
import { Binary, Long, MongoClient } from 'mongodb'
import pg from 'pg'
import t, { type Test } from 'tap'
import { testKey } from '../support/gateway.js'
import { ask, type HttpAnswer } from '../support/http-client.js'
import { startGateway } from '../support/live-gateway.js'
import { runs } from '../support/runs.js'
import { seed } from '../support/seed.js'
import { seededRandom } from '../support/seeded-random.js'
import { WireClient } from '../support/wire-client.js'

const kinds = ['document', 'row', 'key'] as const
type Kind = (typeof kinds)[number]
const changes = ['put', 'increment', 'remove'] as const
type Change = (typeof changes)[number]

/** Cells of each kind, and transactions that are open at the same time. */
const cells = 3
const openMax = 3
const steps = 120

interface Cell {
  readonly kind: Kind
  readonly id: number
}

const nameOf = ({ kind, id }: Cell): string => `${kind} ${id}`
const allOf = (kind: Kind): Cell[] => Array.from({ length: cells }, (_, id) => ({ kind, id }))

/** A value; undefined for a missing cell. Each state has a version of its own. */
interface State {
  readonly value: number | undefined
  readonly version: number
}

const nothing: State = { value: undefined, version: 0 }

class Model {
  private version = 0
  readonly committed = new Map<string, State>()

  put(name: string, value: number | undefined): void {
    this.committed.set(name, { value, version: ++this.version })
  }

  state(name: string): State {
    return this.committed.get(name) ?? nothing
  }
}

class ModelTransaction {
  private readonly snapshot: ReadonlyMap<string, State>
  readonly written = new Map<string, number | undefined>()
  readonly read = new Set<string>()

  constructor(
    private readonly model: Model,
    readonly isSerializable: boolean,
  ) {
    this.snapshot = new Map(model.committed)
  }

  value(name: string): number | undefined {
    if (this.written.has(name)) return this.written.get(name)
    return this.snapshot.get(name)?.value
  }

  /** Whether the cell has another state than at the beginning. All missing cells are alike. */
  isStale(name: string): boolean {
    const now = this.model.state(name)
    const then = this.snapshot.get(name) ?? nothing
    return now.version !== then.version && (now.value ?? then.value) !== undefined
  }

  /** Whether its commit must fail. */
  get mustFail(): boolean {
    const rests = this.isSerializable ? [...this.written.keys(), ...this.read] : this.written.keys()
    return [...rests].some((name) => this.isStale(name))
  }

  /** Whether it may fail: a serializable one rests on the ranges that its plans read, too. */
  get mayFail(): boolean {
    if (!this.isSerializable) return this.mustFail
    const touched = new Set(
      [...this.written.keys(), ...this.read].map((name) => name.split(' ')[0]),
    )
    return kinds.some(
      (kind) => touched.has(kind) && allOf(kind).some((cell) => this.isStale(nameOf(cell))),
    )
  }

  commit(): void {
    for (const [name, value] of this.written) this.model.put(name, value)
  }
}

/** The value after a change; `same`: it changes nothing. */
function changed(kind: Kind, change: Change, before: number | undefined, fresh: number) {
  if (change === 'put') return fresh
  if (change === 'remove') return before === undefined ? 'same' : undefined
  if (before !== undefined) return before + 1
  return kind === 'key' ? 1 : 'same'
}

class Room {
  private constructor(
    readonly url: string,
    readonly mongo: MongoClient,
    readonly redis: Redis,
    readonly sql: pg.Client,
    readonly wire: WireClient,
  ) {}

  static async open(t: Test): Promise<Room> {
    const { url, uri, ports } = await startGateway(t, { TOPOLOGY: 'router', RATE_LIMITS: 'off' })
    const mongo = await MongoClient.connect(uri)
    const redis = new Redis({ port: ports.redis, username: 'operator', password: testKey })
    const login = { user: 'operator', password: testKey, database: 'main' }
    const sql = new pg.Client({ host: '127.0.0.1', port: ports.sql, ...login })
    await sql.connect()
    const wire = await WireClient.open(ports.wire)
    await wire.login('operator', testKey)
    t.teardown(async () => {
      await mongo.close()
      redis.disconnect()
      await sql.end()
      await wire.close()
    })
    await sql.query('CREATE TABLE rows (id integer PRIMARY KEY, n integer)')
    await mongo.db('main').createCollection('documents')
    return new Room(url, mongo, redis, sql, wire)
  }

  send(path: string, body: unknown, id?: string): Promise<HttpAnswer> {
    const named = id === undefined ? {} : { 'x-sigil-transaction': id }
    return ask(this.url, {
      method: 'POST',
      path: `/api/v1/${path}`,
      headers: { 'x-api-key': testKey, 'content-type': 'application/json', ...named },
      body: JSON.stringify(body),
    })
  }

  async plain({ kind, id }: Cell, change: Change, n: number): Promise<void> {
    if (kind === 'row') await this.sql.query(...rowChange(id, change, n))
    else if (kind === 'key') {
      const [word, ...rest] = keyChange(id, change, n) as [string, ...string[]]
      await this.redis.call(word, ...rest)
    } else {
      const documents = this.mongo.db('main').collection<{ _id: number; n: number }>('documents')
      const filter = { _id: id }
      if (change === 'remove') await documents.deleteOne(filter)
      else await documents.updateOne(filter, updateOf(change, n), { upsert: change === 'put' })
    }
  }

  /** Over HTTP, or a document over the wire with the lsid; the error's code, or 0. */
  async inside(begun: Begun, { kind, id }: Cell, change: Change, n: number, byWire: boolean) {
    if (kind === 'row') {
      const [query, params] = rowChange(id, change, n)
      return codeOf(await this.send('sql', { query, params }, begun.id))
    }
    if (kind === 'key') {
      return codeOf(await this.send('redis', { command: keyChange(id, change, n) }, begun.id))
    }
    const filter = { _id: id }
    if (byWire) return this.byWire(begun, filter, change, n)
    if (change === 'remove') {
      return codeOf(await this.send('collections/documents/deleteOne', { filter }, begun.id))
    }
    const body = { filter, update: updateOf(change, n), upsert: change === 'put' }
    return codeOf(await this.send('collections/documents/updateOne', body, begun.id))
  }

  private async byWire(begun: Begun, q: object, change: Change, n: number): Promise<number> {
    const command =
      change === 'remove'
        ? { delete: 'documents', deletes: [{ q, limit: 1 }] }
        : {
            update: 'documents',
            updates: [{ q, u: updateOf(change, n), upsert: change === 'put' }],
          }
    const reply = await this.wire.run({ ...command, ...begun.wire, $db: 'main' })
    return reply.ok === 1 ? 0 : Number(reply.code)
  }

  async values(kind: Kind, id?: string): Promise<(number | undefined)[] | number> {
    const answer = await this.read(kind, id)
    if (answer.status !== 200) return codeOf(answer)
    if (kind === 'key') {
      const { result } = answer.json as { result: (string | null)[] }
      return result.map((text) => (text === null ? undefined : Number(text)))
    }
    const { cursor } = (kind === 'row' ? answer.json.result : answer.json) as {
      cursor: { firstBatch: { _id?: number; id?: number; n: number }[] }
    }
    const found = new Map(cursor.firstBatch.map((one) => [one._id ?? one.id, one.n]))
    return allOf(kind).map(({ id: cell }) => found.get(cell))
  }

  private read(kind: Kind, id: string | undefined): Promise<HttpAnswer> {
    if (kind === 'row') return this.send('sql', { query: 'SELECT id, n FROM rows' }, id)
    if (kind === 'document') return this.send('collections/documents/find', {}, id)
    const names = allOf('key').map((cell) => `cell:${cell.id}`)
    return this.send('redis', { command: ['MGET', ...names] }, id)
  }
}

function rowChange(id: number, change: Change, n: number): [string, number[]] {
  if (change === 'remove') return ['DELETE FROM rows WHERE id = $1', [id]]
  if (change === 'increment') return ['UPDATE rows SET n = n + 1 WHERE id = $1', [id]]
  const put = 'INSERT INTO rows VALUES ($1, $2) ON CONFLICT (id) DO UPDATE SET n = excluded.n'
  return [put, [id, n]]
}

function keyChange(id: number, change: Change, n: number): string[] {
  if (change === 'remove') return ['DEL', `cell:${id}`]
  return change === 'increment' ? ['INCR', `cell:${id}`] : ['SET', `cell:${id}`, String(n)]
}

function updateOf(change: Change, n: number): { $inc: { n: 1 } } | { $set: { n: number } } {
  return change === 'increment' ? { $inc: { n: 1 } } : { $set: { n } }
}

function codeOf({ status, json }: HttpAnswer): number {
  return status < 300 ? 0 : Number(json.code)
}

interface Begun {
  readonly id: string
  readonly model: ModelTransaction
  /** The fields that name it on the document wire. */
  readonly wire: object
}

async function begin(room: Room, model: Model, isSerializable: boolean): Promise<Begun> {
  const isolation = isSerializable ? 'serializable' : 'snapshot'
  const { json } = await room.send('transactions', { isolation })
  const { id, lsid } = json as { id: string; lsid: { id: string } }
  const uuid = new Binary(Buffer.from(lsid.id, 'base64'), 4)
  const wire = { lsid: { id: uuid }, txnNumber: Long.fromNumber(1), autocommit: false }
  return { id, model: new ModelTransaction(model, isSerializable), wire }
}

class Run {
  private readonly model = new Model()
  private readonly open: Begun[] = []
  private fresh = 1_000
  committed = 0
  conflicts = 0

  constructor(
    private readonly t: Test,
    private readonly room: Room,
    private readonly random: () => number,
  ) {}

  private pick<T>(from: readonly T[]): T {
    return from[Math.floor(this.random() * from.length)] as T
  }

  async step(at: number): Promise<void> {
    const draw = this.random()
    const one = this.open.length === 0 ? undefined : this.pick(this.open)
    if (one === undefined || (draw < 0.1 && this.open.length < openMax)) {
      this.open.push(await begin(this.room, this.model, this.random() < 0.4))
    } else if (draw < 0.25) await this.plainChange()
    else if (draw < 0.4) await this.lookUp(one, at)
    else if (draw < 0.85) await this.change(one, at)
    else await this.end(one, at)
  }

  /** The end of all, and what is there then. */
  async finish(): Promise<void> {
    for (const one of [...this.open]) await this.end(one, steps)
    for (const kind of kinds) {
      const wanted = allOf(kind).map((cell) => this.model.state(nameOf(cell)).value)
      this.t.same(await this.room.values(kind), wanted, `${kind}s at the end`)
    }
  }

  private draw(): { cell: Cell; change: Change; n: number } {
    const cell = { kind: this.pick(kinds), id: Math.floor(this.random() * cells) }
    return { cell, change: this.pick(changes), n: ++this.fresh * 10 }
  }

  private async plainChange(): Promise<void> {
    const { cell, change, n } = this.draw()
    const name = nameOf(cell)
    const value = changed(cell.kind, change, this.model.state(name).value, n)
    await this.room.plain(cell, change, n)
    if (value !== 'same') this.model.put(name, value)
  }

  private async lookUp(one: Begun, at: number): Promise<void> {
    const kind = this.pick(kinds)
    const names = allOf(kind).map(nameOf)
    const found = await this.room.values(kind, one.id)
    const wanted = names.map((name) => one.model.value(name))
    this.t.same(found, wanted, `step ${at}: ${kind}s in ${one.id}`)
    for (const name of names) one.model.read.add(name)
  }

  private async change(one: Begun, at: number): Promise<void> {
    const { cell, change, n } = this.draw()
    const name = nameOf(cell)
    const value = changed(cell.kind, change, one.model.value(name), n)
    // A row of its own differs from another client's in all but the unique key, so a second change
    // of it does not touch what the two have in common: the commit tells.
    const isOwnRow = cell.kind === 'row' && one.model.written.has(name)
    one.model.read.add(name)
    if (value !== 'same') one.model.written.set(name, value)
    const byWire = this.random() < 0.5
    const code = await this.room.inside(one, cell, change, n, byWire)
    if (code === 0) {
      const isLost = value !== 'same' && !isOwnRow && one.model.isStale(name)
      this.t.notOk(isLost, `step ${at}: ${change} of ${name} meets a conflict`)
      return
    }
    this.t.equal(code, 112, `step ${at}: ${change} of ${name} is refused`)
    this.t.ok(one.model.mayFail, `step ${at}: with a reason`)
    this.forget(one)
  }

  private async end(one: Begun, at: number): Promise<void> {
    const how = this.random() < 0.8 ? 'commit' : 'abort'
    const byWire = this.random() < 0.3
    const code = byWire ? await this.endByWire(one, how) : await this.endByHttp(one, how)
    this.open.splice(this.open.indexOf(one), 1)
    if (how === 'abort') {
      this.t.equal(code, 0, `step ${at}: aborted`)
      return
    }
    if (code === 0) {
      this.t.notOk(one.model.mustFail, `step ${at}: commits`)
      one.model.commit()
      this.committed++
      return
    }
    this.t.equal(code, 112, `step ${at}: does not commit`)
    this.t.ok(one.model.mayFail, `step ${at}: with a reason`)
    this.conflicts++
  }

  private async endByHttp(one: Begun, how: string): Promise<number> {
    return codeOf(await this.room.send(`transactions/${one.id}/${how}`, {}))
  }

  private async endByWire({ wire }: Begun, how: string): Promise<number> {
    const reply = await this.room.wire.run({ [`${how}Transaction`]: 1, ...wire, $db: 'admin' })
    return reply.ok === 1 ? 0 : Number(reply.code)
  }

  private forget(one: Begun): void {
    this.open.splice(this.open.indexOf(one), 1)
    this.conflicts++
  }
}

t.test('transactions through four protocols agree with the model', async (t) => {
  let committed = 0
  let conflicts = 0
  for (let round = 0; round < runs(3); round++) {
    await t.test(`round ${round}, seed ${seed}`, async (t) => {
      const run = new Run(t, await Room.open(t), seededRandom(seed + round))
      for (let at = 0; at < steps; at++) await run.step(at)
      await run.finish()
      committed += run.committed
      conflicts += run.conflicts
    })
  }
  t.ok(committed > 0, `${committed} committed`)
  t.ok(conflicts > 0, `${conflicts} conflicts`)
})
