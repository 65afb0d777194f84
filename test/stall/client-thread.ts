// The client of a hunt, in a thread of its own: what it costs is not the server's. It sends one case
// after the other by real clients and tells when the answer, good or bad, is whole. A case comes
// before the word to send it: to hand over a large one takes the main thread a turn of its own.

import { request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { parentPort, workerData } from 'node:worker_threads'
import { EJSON, type Long } from 'bson'
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
let mongo = newClient()
const packing = new MongoClient(address.uri, {
  ...{ raw: true, maxPoolSize: 1 },
  compressors: ['zlib'],
})
/** Replies of it are read: ids of cursors, and whether there are events. */
const watching = new MongoClient(address.uri, { maxPoolSize: 2 })
const staying: Socket[] = []
const end = 'the end of the hunt'
const wordsMsMax = 3_000
/** Reads of a change stream until there is an event, a second each. */
const watchedMax = 15
let fresh = 0
let sql: pg.Client | undefined

function newClient(): MongoClient {
  return new MongoClient(address.uri, { raw: true, maxPoolSize: 1 })
}

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
    case 'events':
      return events(one)
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

/** By commands of its own, so that it is open before the change. */
async function watch(pipeline: readonly object[], command: object): Promise<string> {
  const db = watching.db('stall')
  const stages = [{ $changeStream: {} }, ...pipeline.map((stage) => grown(stage) as object)]
  // Its id stays a long.
  const options = { promoteLongs: false }
  const opened = await db.command({ aggregate: 1, pipeline: stages, cursor: {} }, options)
  const { id } = (opened as { cursor: { id: Long } }).cursor
  try {
    await mongo.db('stall').command(grown(command) as object)
    const more = { getMore: id, collection: '$cmd.aggregate', maxTimeMS: 1_000 }
    for (let i = 0; i < watchedMax; i++) {
      const { cursor } = (await db.command(more)) as { cursor: { nextBatch: unknown[] } }
      if (cursor.nextBatch.length > 0) return 'an event'
    }
    return 'no event'
  } finally {
    await db.command({ killCursors: '$cmd.aggregate', cursors: [id] })
  }
}

function events({ path, command }: StallCase & { kind: 'events' }): Promise<string> {
  return new Promise((resolve) => {
    const headers = { authorization: `Bearer ${address.key}` }
    const sent = request({ host: '127.0.0.1', port: address.httpPort, path, headers }, (reply) => {
      if (reply.statusCode !== 200) resolve(String(reply.statusCode))
      let isOpen = false
      reply.setEncoding('latin1')
      reply.on('data', (text: string) => {
        if (!isOpen) {
          isOpen = true
          mongo
            .db('main')
            .command(grown(command) as object)
            .catch((error: unknown) => resolve(String(error)))
        }
        if (!/^data: /m.test(text)) return
        resolve('an event')
        sent.destroy()
      })
      reply.on('close', () => resolve('closed'))
    })
    sent.on('error', (error) => resolve(error.message))
    sent.end()
  })
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

/** With each `{$hostile: {kind, size}}` made large, and each `{$fresh: 1}` the next number. */
function grown(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(grown)
  if (typeof value !== 'object' || value === null) return value
  if ('$fresh' in value) return ++fresh
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

/** The next statements would wait behind the one that runs. */
function dropSql(): void {
  const before = sql as unknown as { readonly connection: { readonly stream: Socket } } | undefined
  sql = undefined
  before?.connection.stream.destroy()
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

function http({ method, path, json, lines }: StallCase & { kind: 'http' }): Promise<string> {
  const text = lines === undefined ? textOf(json) : linesOf(lines)
  const type = lines === undefined ? 'application/json' : 'application/x-ndjson'
  return new Promise((resolve) => {
    const sent = request(
      {
        ...{ host: '127.0.0.1', port: address.httpPort, method, path },
        headers: {
          authorization: `Bearer ${address.key}`,
          ...(path === '/mcp' ? { accept: 'application/json, text/event-stream' } : {}),
          ...(text === undefined
            ? {}
            : { 'content-type': type, 'content-length': Buffer.byteLength(text) }),
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

function textOf(json: unknown): string | undefined {
  return json === undefined ? undefined : JSON.stringify(grown(json))
}

function linesOf({ count, document }: { count: number; document: object }): string {
  const rest = JSON.stringify(grown(document)).slice(1)
  return Array.from({ length: count }, (_, i) => `{"_id":${i},${rest}\n`).join('')
}

let next: StallCase | undefined
let timer: NodeJS.Timeout | undefined

parentPort?.on('message', (told: StallCase | 'send' | 'close') => {
  // A driver that still waits for an answer, or for a connection, may not come to its own end.
  if (told === 'close') process.exit()
  if (told !== 'send') {
    next = told
    parentPort?.postMessage('ready')
    return
  }
  // What is not answered in time is named in the report. Its connection is closed, which ends it:
  // the next cases must not wait for it.
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(() => {
      mongo.close(true).catch(() => {})
      mongo = newClient()
      dropSql()
      resolve('no answer')
    }, address.answerMsMax)
  })
  Promise.race([run(next as StallCase), late])
    .catch((error: unknown) => (error instanceof Error ? error.message.slice(0, 100) : 'failed'))
    .then((answer) => {
      clearTimeout(timer)
      parentPort?.postMessage(answer)
    })
})
