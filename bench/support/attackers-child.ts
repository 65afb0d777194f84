// Ten wallets that send all they can, by every protocol, in a process of their own: its work must
// not count as the honest client's waiting. A target comes over IPC; what was answered goes back
// once `stop` comes.

import { Redis } from 'ioredis'
import { MongoClient } from 'mongodb'
import pg from 'pg'

/** A wallet that is signed in, and where it sends to. */
export interface Attacker {
  readonly user: string
  readonly key: string
  readonly uri: string
  readonly httpPort: number
  readonly redisPort: number
  readonly sqlPort: number
}

export interface Attack {
  readonly answered: number
  readonly refused: number
  /** Text of the first refusal. */
  readonly refusal: string
}

/** Sends one piece of work; resolves when that is answered. */
type Send = (round: number) => Promise<unknown>

/** Pieces that each wallet has under way at a time. */
const underWay = 16
const documents = 5_000
const pipelineCommands = 500

const filler = 'x'.repeat(200)
const found = { answered: 0, refused: 0, refusal: '' }
let isOver = false

/** Each way to be a burden; wallet n takes the n-th, from the first again after the last. */
const ways: readonly ((attacker: Attacker, name: string) => Promise<Send>)[] = [
  async (attacker, name) => {
    const collection = await filled(attacker, name)
    return () => collection.find({ a: { $lt: 0 }, text: /y$/ }).toArray()
  },
  async (attacker, name) => {
    const collection = await filled(attacker, name)
    const stages = [{ $group: { _id: '$a', n: { $sum: 1 } } }, { $sort: { n: 1 } }, { $limit: 5 }]
    return () => collection.aggregate(stages).toArray()
  },
  async (attacker, name) => {
    const collection = await filled(attacker, name)
    return () => collection.insertMany(Array.from({ length: 500 }, (_, a) => ({ a, b: filler })))
  },
  async (attacker, name) => {
    const collection = await filled(attacker, name)
    return (round) => collection.updateMany({ a: { $gte: 0 } }, { $set: { round } })
  },
  async (attacker, name) => {
    const collection = await filled(attacker, name)
    return (round) => collection.findOne({ _id: (round % documents) as never })
  },
  async (attacker, name) => pipelines(attacker, (n) => ['SET', `${name}:${n}`, filler]),
  async (attacker, name) => pipelines(attacker, (n) => ['ZADD', name, String(n), `member:${n}`]),
  async (attacker, name) => {
    await filled(attacker, name)
    const sql = await connectSql(attacker)
    const text = `SELECT x.a, count(*) FROM ${name} x JOIN ${name} y ON x.a = y.a GROUP BY x.a`
    return () => sql.query(text)
  },
  async (attacker, name) => {
    await filled(attacker, name)
    return () => post(attacker, `collections/${name}/find`, { filter: { a: 7 }, limit: 1_000 })
  },
  async (attacker, name) => {
    const documents = Array.from({ length: 100 }, (_, a) => ({ a, b: filler }))
    return () => post(attacker, `collections/${name}/insertMany`, { documents })
  },
]

async function filled(attacker: Attacker, name: string) {
  const client = await MongoClient.connect(attacker.uri, { maxPoolSize: underWay })
  const collection = client.db('main').collection(name)
  const all = Array.from({ length: documents }, (_, i) => ({ _id: i as never, a: i % 100, filler }))
  await collection.insertMany(all)
  return collection
}

async function pipelines(
  { user, key, redisPort }: Attacker,
  command: (n: number) => readonly [string, ...string[]],
): Promise<Send> {
  const client = new Redis({ port: redisPort, host: '127.0.0.1', username: user, password: key })
  return async (round) => {
    const pipeline = client.pipeline()
    for (let i = 0; i < pipelineCommands; i++) {
      const [name, ...args] = command((round * pipelineCommands + i) % 200_000)
      pipeline.call(name, ...args)
    }
    for (const [error] of (await pipeline.exec()) ?? []) if (error !== null) throw error
  }
}

async function connectSql({ user, key, sqlPort }: Attacker): Promise<pg.Pool> {
  const database = 'main'
  return new pg.Pool({ user, password: key, database, host: '127.0.0.1', port: sqlPort, max: 4 })
}

async function post({ httpPort, key }: Attacker, path: string, body: unknown): Promise<void> {
  const answer = await fetch(`http://127.0.0.1:${httpPort}/api/v1/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const text = await answer.text()
  if (!answer.ok) throw new Error(text)
}

async function repeat(send: Send): Promise<void> {
  for (let round = 0; !isOver; round++) {
    try {
      await send(round)
      found.answered++
    } catch (error) {
      if (found.refused === 0) found.refusal = String(error)
      found.refused++
    }
  }
}

async function begin(attackers: readonly Attacker[]): Promise<void> {
  const sends = await Promise.all(
    attackers.map((attacker, n) => ways[n % ways.length]?.(attacker, `attacker${n}`)),
  )
  process.send?.('begun')
  for (const send of sends) {
    if (send !== undefined) for (let i = 0; i < underWay; i++) void repeat(send)
  }
}

process.on('message', (message: readonly Attacker[] | 'stop') => {
  if (message !== 'stop') {
    void begin(message)
    return
  }
  isOver = true
  process.send?.(found)
})
