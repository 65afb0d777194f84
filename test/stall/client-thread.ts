// The client of a hunt, in a thread of its own: what it costs is not the server's. It sends one case
// after the other by real clients and tells when the answer, good or bad, is whole. A case comes
// before the word to send it: to hand over a large one takes the main thread a turn of its own.

import { request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { EJSON } from 'bson'
import { MongoClient } from 'mongodb'
import pg from 'pg'
import { encode } from '../support/resp-client.js'
import type { StallCase, Word } from './cases.js'
import { hostileText, hostileValue } from './hostile-values.js'

export interface ClientAddress {
  readonly uri: string
  readonly key: string
  readonly redisPort: number
  readonly sqlPort: number
  readonly httpPort: number
  /** After so long a case counts as not answered. */
  readonly answerMsMax: number
}

const address = workerData as ClientAddress
const mongo = new MongoClient(address.uri, { raw: true, maxPoolSize: 1 })
const packing = new MongoClient(address.uri, {
  ...{ raw: true, maxPoolSize: 1 },
  compressors: ['zlib'],
})
/** The driver reads the token of an event, so these are no raw bytes. */
const watching = new MongoClient(address.uri, { maxPoolSize: 2 })
const staying: Socket[] = []
const end = 'the end of the hunt'
const wordsMsMax = 3_000
let sql: pg.Client | undefined

async function run(one: StallCase): Promise<string> {
  switch (one.kind) {
    case 'document': {
      const command = EJSON.parse(EJSON.stringify(one.command)) as Record<string, unknown>
      const client = one.isPacked === true ? packing : mongo
      await client.db(one.db ?? 'stall').command(grown(command) as object)
      return 'ok'
    }
    case 'transaction':
      return transaction(one.commands)
    case 'watch':
      return watch(one.pipeline, one.command)
    case 'bulk':
      return bulk(one)
    case 'words':
      return words([one.words])
    case 'lines':
      return words(one.lines)
    case 'clients':
      for (let i = 0; i < one.count; i++) await stays(one.words)
      return 'ok'
    case 'sql':
      return (await sqlClient())
        .query({
          text: one.text,
          values: (one.values ?? []).map(hostileText),
          rowMode: 'array',
        })
        .then(() => 'ok')
    case 'http':
      return http(one)
  }
}

function transaction(commands: readonly object[]): Promise<string> {
  return mongo.withSession((session) =>
    session.withTransaction(async () => {
      for (const command of commands) {
        await mongo.db('stall').command(grown(command) as object, { session })
      }
      return 'ok'
    }),
  )
}

async function watch(pipeline: readonly object[], command: object): Promise<string> {
  const stream = watching.db('stall').watch(pipeline.map((stage) => grown(stage) as object))
  try {
    const first = stream.next().then(() => 'an event')
    // The driver opens it with the first read: a second one must not come before the change.
    await delay(200)
    await mongo.db('stall').command(grown(command) as object)
    return await first
  } finally {
    await stream.close()
  }
}

async function bulk({ count, operation }: StallCase & { kind: 'bulk' }): Promise<string> {
  const collection = mongo.db('stall').collection<{ _id: number; a?: number }>('bulk')
  const ids = Array.from({ length: count }, (_, i) => i)
  const options = { ordered: false } as const
  if (operation === 'insert') {
    await collection.insertMany(
      ids.map((_id) => ({ _id })),
      options,
    )
  } else if (operation === 'update') {
    await collection.bulkWrite(
      ids.map((_id) => ({ updateOne: { filter: { _id }, update: { $set: { a: 1 } } } })),
      options,
    )
  } else {
    await collection.bulkWrite(
      ids.map((_id) => ({ deleteOne: { filter: { _id } } })),
      options,
    )
  }
  return 'ok'
}

/** With each `{$hostile: {kind, size}}` made large. */
function grown(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(grown)
  if (typeof value !== 'object' || value === null) return value
  const { $hostile } = value as { $hostile?: { kind: 'text'; size: number } }
  if ($hostile !== undefined) return hostileValue($hostile)
  const proto = Object.getPrototypeOf(value)
  if (proto !== Object.prototype && proto !== null) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, grown(inner)]))
}

async function sqlClient(): Promise<pg.Client> {
  if (sql !== undefined) return sql
  sql = new pg.Client({
    ...{ host: '127.0.0.1', port: address.sqlPort, database: 'stall' },
    ...{ user: 'operator', password: address.key },
  })
  sql.on('error', () => {
    sql = undefined
  })
  await sql.connect()
  return sql
}

/** A client that signs in, sends this, and reads whatever comes until the end. */
function stays(given: readonly Word[]): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect({ port: address.redisPort, host: '127.0.0.1' })
    staying.push(socket)
    socket.on('data', () => resolve())
    socket.on('error', () => {})
    socket.on('close', () => resolve())
    socket.write(encode(['AUTH', address.key]))
    socket.write(encode(given.map(String)))
  })
}

/** Behind the commands comes an ECHO: when that is answered, all of the replies have come. */
function words(lines: readonly (readonly Word[])[]): Promise<string> {
  const commands = lines.map((given) =>
    encode(
      given.map((word) => (typeof word === 'object' ? hostileText(word.hostile) : String(word))),
    ),
  )
  return new Promise((resolve) => {
    const socket = connect({ port: address.redisPort, host: '127.0.0.1' })
    const isLast = Buffer.from(`${end}\r\n`)
    let tail = Buffer.alloc(0)
    let first = ''
    // A command whose client goes is given up: what takes long must not keep the next ones.
    const timer = setTimeout(
      () => {
        first = 'no answer'
        finish()
      },
      Math.min(wordsMsMax, address.answerMsMax),
    )
    const finish = (): void => {
      clearTimeout(timer)
      socket.destroy()
      resolve(first)
    }
    socket.on('data', (chunk: Buffer) => {
      if (first === '' && chunk.length > 5) first = chunk.toString('latin1', 5, 60)
      tail = Buffer.concat([tail, chunk]).subarray(-isLast.length)
      if (tail.equals(isLast)) finish()
    })
    socket.on('error', () => {})
    socket.on('close', finish)
    socket.write(encode(['AUTH', address.key]))
    socket.write(Buffer.concat(commands))
    socket.write(encode(['ECHO', end]))
  })
}

function http({ method, path, json }: StallCase & { kind: 'http' }): Promise<string> {
  const text = json === undefined ? undefined : JSON.stringify(grown(json))
  return new Promise((resolve) => {
    const sent = request(
      {
        ...{ host: '127.0.0.1', port: address.httpPort, method, path },
        headers: {
          authorization: `Bearer ${address.key}`,
          ...(text === undefined
            ? {}
            : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
        },
      },
      (reply) => {
        reply.resume()
        reply.on('end', () => resolve(String(reply.statusCode)))
      },
    )
    sent.on('error', (error) => resolve(error.message))
    sent.end(text)
  })
}

let next: StallCase | undefined

parentPort?.on('message', (told: StallCase | 'send' | 'close') => {
  if (told === 'close') {
    for (const socket of staying) socket.destroy()
    void Promise.all([mongo.close(), packing.close(), watching.close(), sql?.end()]).then(() =>
      process.exit(),
    )
    return
  }
  if (told !== 'send') {
    next = told
    parentPort?.postMessage('ready')
    return
  }
  // What is not answered in time is named in the report, and its connections are left behind.
  const late = new Promise<string>((resolve) => {
    setTimeout(() => resolve('no answer'), address.answerMsMax).unref()
  })
  Promise.race([run(next as StallCase), late])
    .catch((error: unknown) => (error instanceof Error ? error.message.slice(0, 100) : 'failed'))
    .then((answer) => parentPort?.postMessage(answer))
})
