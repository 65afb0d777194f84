// Registers as documents of one collection, read, written and swapped by the document driver and by
// SQL at the same time: whatever protocol a client speaks, an operation takes effect at one moment.

import { setTimeout as sleep } from 'node:timers/promises'
import { type Collection, MongoClient, MongoNetworkError, MongoServerError } from 'mongodb'
import pg, { type Result } from 'pg'
import { DriverHangs } from './driver-hangs.js'
import type { RegisterAction, RegisterOperation } from './registers.js'

/** What is asked of a register. */
type Planned =
  | { readonly kind: 'read' }
  | { readonly kind: 'write'; readonly value: number }
  | { readonly kind: 'swap'; readonly from: number; readonly to: number }

interface RegisterClient {
  /** Undefined if the connection was lost before the answer. */
  run(register: string, planned: Planned): Promise<RegisterAction | undefined>
  close(): Promise<void>
}

interface Register {
  readonly _id: string
  readonly v: number
}

const registersMax = 200
const nameOf = (at: number) => `register${at}`

/** Documents for the registers, so that an UPDATE of SQL finds them. */
export async function prepareRegisters(uri: string): Promise<void> {
  const client = await MongoClient.connect(uri)
  const documents = Array.from({ length: registersMax }, (_, at) => ({ _id: nameOf(at), v: 0 }))
  await client.db('main').collection<Register>('registers').insertMany(documents)
  await client.close()
}

export class DocumentRegisters implements RegisterClient {
  private readonly client: MongoClient
  private readonly hangs: DriverHangs
  private readonly registers: Collection<Register>

  constructor(uri: string) {
    this.client = new MongoClient(uri, { serverSelectionTimeoutMS: 300_000 })
    this.hangs = new DriverHangs(this.client)
    this.registers = this.client.db('main').collection<Register>('registers')
  }

  async run(register: string, planned: Planned): Promise<RegisterAction | undefined> {
    try {
      return await this.hangs.ended(() => this.ask(register, planned))
    } catch (error) {
      const isLost = error instanceof MongoNetworkError
      const isEnding =
        error instanceof MongoServerError &&
        (error.code === 91 || error.hasErrorLabel('RetryableWriteError'))
      if (isLost || isEnding) return undefined
      throw error
    }
  }

  close(): Promise<void> {
    return this.client.close()
  }

  private async ask(_id: string, planned: Planned): Promise<RegisterAction> {
    const { registers } = this
    switch (planned.kind) {
      case 'read':
        return { kind: 'read', value: (await registers.findOne({ _id }))?.v }
      case 'write':
        await registers.updateOne({ _id }, { $set: { v: planned.value } })
        return planned
      case 'swap': {
        const { from, to } = planned
        const found = await registers.findOneAndUpdate({ _id, v: from }, { $set: { v: to } })
        return { ...planned, isDone: found !== null }
      }
    }
  }
}

export class SqlRegisters implements RegisterClient {
  private client: pg.Client | undefined

  constructor(
    private readonly port: number,
    /** The operator's key, where the server asks for one. */
    private readonly key?: string,
  ) {}

  async run(register: string, planned: Planned): Promise<RegisterAction | undefined> {
    const client = await this.reached()
    try {
      return await ask(client, register, planned)
    } catch (error) {
      // An error of the server has a severity, one of the connection has none.
      const state = error instanceof Error && 'severity' in error && 'code' in error && error.code
      if (state !== false && state !== '57P01') throw error
      this.client = undefined
      void client.end().catch(() => undefined)
      return undefined
    }
  }

  async close(): Promise<void> {
    await this.client?.end().catch(() => undefined)
  }

  /** While the server starts again it refuses connections. */
  private async reached(): Promise<pg.Client> {
    for (;;) {
      if (this.client !== undefined) return this.client
      const { port, key } = this
      const as = key === undefined ? { user: 'anyone' } : { user: 'operator', password: key }
      const client = new pg.Client({ host: '127.0.0.1', port, database: 'main', ...as })
      // The query that is under way tells it.
      client.on('error', () => undefined)
      try {
        await client.connect()
        this.client = client
      } catch {
        await sleep(20)
      }
    }
  }
}

async function ask(client: pg.Client, name: string, planned: Planned): Promise<RegisterAction> {
  const query = (text: string, values: readonly (string | number)[]): Promise<Result> =>
    client.query(text, [...values])
  switch (planned.kind) {
    case 'read': {
      const { rows } = await query('SELECT v FROM registers WHERE _id = $1', [name])
      return { kind: 'read', value: Number(rows[0]?.v) }
    }
    case 'write':
      await query('UPDATE registers SET v = $2::int WHERE _id = $1', [name, planned.value])
      return planned
    case 'swap': {
      const { from, to } = planned
      const text = 'UPDATE registers SET v = $2::int WHERE _id = $1 AND v = $3::int'
      const { rowCount } = await query(text, [name, to, from])
      return { ...planned, isDone: rowCount === 1 }
    }
  }
}

interface Workload {
  readonly random: () => number
  /** Operations in all. */
  readonly operations: number
  readonly clients: readonly RegisterClient[]
  readonly onProgress: (operations: number) => void
}

/** Registers at a time, and operations until others take their place. */
const registersAtOnce = 3
const operationsEach = 100

/** Runs the clients at the same time, each one operation after the other. */
export async function runRegisters(workload: Workload): Promise<readonly RegisterOperation[]> {
  const { random, operations, clients, onProgress } = workload
  const history: RegisterOperation[] = []
  const last = new Map<string, number>()
  const note = (
    register: string,
    action: RegisterAction,
    at: Omit<RegisterOperation, 'register' | 'action'>,
  ) => history.push({ register, action, ...at })
  let place = 0
  let made = 0
  const plan = (register: string): Planned => {
    const kind = random()
    if (kind < 0.4) return { kind: 'read' }
    if (kind < 0.6) return { kind: 'write', value: made }
    return { kind: 'swap', from: last.get(register) ?? 0, to: made }
  }
  const runOne = async (client: RegisterClient) => {
    made++
    const group = Math.floor(made / operationsEach) * registersAtOnce
    const register = nameOf((group + Math.floor(random() * registersAtOnce)) % registersMax)
    // As it was made.
    if (!last.has(register)) {
      note(register, { kind: 'write', value: 0 }, { outcome: 'done', began: 0, ended: 0 })
      last.set(register, 0)
    }
    const planned = plan(register)
    if (planned.kind !== 'read') last.set(register, made)
    const began = ++place
    const action = await client.run(register, planned)
    const ended = ++place
    if (action !== undefined) note(register, action, { outcome: 'done', began, ended })
    else if (planned.kind !== 'read') {
      const tried = planned.kind === 'swap' ? { ...planned, isDone: true } : planned
      note(register, tried, { outcome: 'unknown', began, ended })
    }
  }
  const worker = async (client: RegisterClient) => {
    while (made < operations) {
      await runOne(client)
      onProgress(made)
    }
  }
  await Promise.all(clients.map(worker))
  return history
}
