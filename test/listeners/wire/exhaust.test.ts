// Messages that allow several replies (exhaustAllowed): getMore sends batches unasked and hello
// repeats itself. A client that does not read stops its stream, not the server.

import { Long, ObjectId } from 'bson'
import t, { type Test } from 'tap'
import { startGateway } from '../../support/live-gateway.js'
import { command } from '../../support/messages.js'
import { type ReplyFields, replyOf, WireClient } from '../../support/wire-client.js'

const exhaustAllowed = 1 << 16
const moreToCome = 2

interface Streamed {
  readonly reply: ReplyFields
  readonly requestId: number
  readonly responseTo: number
  readonly hasMore: boolean
}

async function open(t: Test, settings: Record<string, string> = {}) {
  const gateway = await startGateway(t, { AUTH_MODE: 'off', ...settings })
  const client = await WireClient.open(gateway.ports.wire)
  t.teardown(() => client.close())
  return { client, gateway }
}

async function nextOf(client: WireClient): Promise<Streamed> {
  const frame = await client.next()
  if (frame === undefined) throw new Error('the connection was closed')
  const bytes = Buffer.from(frame)
  return {
    reply: replyOf(frame),
    requestId: bytes.readInt32LE(4),
    responseTo: bytes.readInt32LE(8),
    hasMore: (bytes.readInt32LE(16) & moreToCome) !== 0,
  }
}

async function fill(client: WireClient, count: number, bytes = 10): Promise<void> {
  const text = 'x'.repeat(bytes)
  const documents = Array.from({ length: count }, (_, index) => ({ _id: index, text }))
  t.match(await client.run({ insert: 'c', documents }), { ok: 1, n: count })
}

async function cursorOf(client: WireClient): Promise<Long> {
  const reply = await client.run({ find: 'c', batchSize: 0 })
  return Long.fromNumber((reply.cursor as { id: number }).id)
}

function getMore(id: unknown, requestId: number, fields: Record<string, unknown>): Uint8Array {
  const more = { getMore: id, collection: 'c', ...fields }
  return command(more, { requestId, flags: exhaustAllowed })
}

const sizeOf = ({ reply }: Streamed) =>
  ((reply.cursor as { nextBatch: unknown[] }).nextBatch as unknown[]).length

t.test('the batches of an exhaust cursor come unasked, each answers the one before', async (t) => {
  const { client } = await open(t)
  await fill(client, 7)
  client.send(getMore(await cursorOf(client), 50, { batchSize: 3 }))
  const all = [await nextOf(client), await nextOf(client), await nextOf(client)]
  t.same(all.map(sizeOf), [3, 3, 1])
  t.same(
    all.map(({ hasMore }) => hasMore),
    [true, true, false],
  )
  t.same(
    all.map(({ responseTo }) => responseTo),
    [50, all[0]?.requestId, all[1]?.requestId],
  )
  t.match(await client.run({ ping: 1 }), { ok: 1 }, 'the connection serves the next command')
})

t.test('without the flag one batch answers one getMore', async (t) => {
  const { client } = await open(t)
  await fill(client, 7)
  const id = await cursorOf(client)
  client.send(command({ getMore: id, collection: 'c', batchSize: 3 }, { requestId: 50 }))
  t.match(await nextOf(client), { hasMore: false, responseTo: 50 })
  t.match(await client.run({ ping: 1 }), { ok: 1 })
})

t.test('an error ends the stream', async (t) => {
  const { client } = await open(t)
  await fill(client, 7)
  client.send(getMore(Long.fromNumber(1), 50, { batchSize: 3 }))
  t.match(await nextOf(client), { hasMore: false, reply: { ok: 0, code: 43 } })
  t.match(await client.run({ ping: 1 }), { ok: 1 })
})

t.test('a message that was sent during a stream is answered after it', async (t) => {
  const { client } = await open(t)
  await fill(client, 7)
  const id = await cursorOf(client)
  client.send(
    Buffer.concat([getMore(id, 50, { batchSize: 1 }), command({ ping: 1 }, { requestId: 51 })]),
  )
  for (let batch = 0; batch < 7; batch++) t.equal(sizeOf(await nextOf(client)), 1)
  const last = await nextOf(client)
  if (last.responseTo !== 51) t.match(await nextOf(client), { responseTo: 51 })
})

t.test('a client that does not read stops its stream; closing it closes the cursor', async (t) => {
  const { client, gateway } = await open(t)
  for (let round = 0; round < 16; round++) {
    const documents = Array.from({ length: 1_000 }, () => ({
      _id: new ObjectId(),
      text: 'x'.repeat(2_000),
    }))
    await client.run({ insert: 'c', documents })
  }
  const other = await WireClient.open(gateway.ports.wire)
  t.teardown(() => other.close())
  const id = await cursorOf(client)
  client.socket.pause()
  client.send(getMore(id, 50, { batchSize: 100 }))
  const openCursors = async () => {
    const status = await other.run({ serverStatus: 1, $db: 'admin' })
    const { cursor } = status.metrics as { cursor: { open: { total: unknown } } }
    return Number(cursor.open.total)
  }
  // 32 MB exceed the kernel's buffers and the bound of unsent replies together.
  for (let look = 0; look < 50; look++) t.equal(await openCursors(), 1)
  await client.close()
  for (let look = 0; look < 1_000 && (await openCursors()) > 0; look++);
  t.equal(await openCursors(), 0)
})

t.test('an awaited hello is repeated until its client closes', async (t) => {
  const { client } = await open(t)
  const { topologyVersion } = await client.run({ hello: 1, $db: 'admin' })
  const fields = { hello: 1, topologyVersion, maxAwaitTimeMS: 10, $db: 'admin' }
  client.send(command(fields, { requestId: 50, flags: exhaustAllowed }))
  const first = await nextOf(client)
  t.match(first, { responseTo: 50, hasMore: true, reply: { isWritablePrimary: true } })
  t.match(await nextOf(client), { responseTo: first.requestId, hasMore: true })
})

t.test('hello answers a client of another process at once, and the others after it', async (t) => {
  const { client } = await open(t)
  const stale = { processId: new ObjectId(), counter: 0n }
  const awaited = { hello: 1, maxAwaitTimeMS: 600_000, $db: 'admin' }
  client.send(command({ ...awaited, topologyVersion: stale }, { requestId: 50 }))
  const { reply } = await nextOf(client)
  t.not(String((reply.topologyVersion as { processId: unknown }).processId), stale.processId)
  for (const [wrong, code] of [
    [{ maxAwaitTimeMS: 5 }, 31368],
    [{ topologyVersion: stale }, 31368],
    [{ topologyVersion: stale, maxAwaitTimeMS: -1 }, 31373],
    [{ topologyVersion: stale, maxAwaitTimeMS: 'x' }, 31373],
    [{ topologyVersion: 1, maxAwaitTimeMS: 1 }, 14],
    [{ topologyVersion: { ...stale, counter: -1n }, maxAwaitTimeMS: 1 }, 31372],
  ] as const) {
    t.match(await client.run({ hello: 1, ...wrong, $db: 'admin' }), { ok: 0, code })
  }
})

t.test('the stop of the server ends an awaited hello', async (t) => {
  const { client, gateway } = await open(t)
  const { topologyVersion } = await client.run({ hello: 1, $db: 'admin' })
  const awaited = { hello: 1, topologyVersion, maxAwaitTimeMS: 600_000, $db: 'admin' }
  client.send(command(awaited, { requestId: 50, flags: exhaustAllowed }))
  const other = await WireClient.open(gateway.ports.wire)
  const waits = async () => {
    const { inprog } = await other.run({ currentOp: 1, $db: 'admin' })
    return (inprog as { command: Record<string, unknown> }[]).some(({ command: c }) => 'hello' in c)
  }
  while (!(await waits()));
  await other.close()
  const closing = gateway.close()
  t.match(await nextOf(client), { hasMore: false, reply: { ok: 1 } })
  await closing
})
