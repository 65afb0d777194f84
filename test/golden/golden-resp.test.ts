// What a real server of the key-value protocol answered, replayed where none is installed: runs of
// the differential suite, and the conversations of its clients from their first byte on. Replies
// are the same to the byte, but for the exemptions that are listed. `npm run record -- resp`
// records anew.

import { once } from 'node:events'
import { setImmediate as turn } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { systemClock } from '../../src/base/clock.js'
import type { RespRequest } from '../../src/protocol/resp/request.js'
import { RequestParser } from '../../src/protocol/resp/request-parser.js'
import {
  type Conversation,
  cutMark,
  readConversations,
  readTranscripts,
} from '../record/resp-fixture.js'
import { startGateway } from '../support/live-gateway.js'
import { answersOf, firstDifference } from '../support/reference-runs.js'
import { RespClient } from '../support/resp-client.js'

let exchanges = 0
for (const { name, protocol, nowMs, runs } of readTranscripts()) {
  t.test(`${name}, RESP${protocol}, is answered as by the peer`, async (t) => {
    const began = systemClock.elapsed()
    const clock = { ...systemClock, now: () => nowMs + Math.floor(systemClock.elapsed() - began) }
    const { ports } = await startGateway(t, { AUTH_MODE: 'off' }, { clock })
    const client = await RespClient.open(ports.redis)
    t.teardown(() => client.close())
    await client.call('HELLO', protocol)
    for (const [index, run] of runs.entries()) {
      await client.call('FLUSHALL')
      const lines = run.map(([words]) => [...words])
      const mine = await answersOf(client, lines)
      const wanted = run.map(([, reply], i) => likeCut(reply, mine[i] ?? ''))
      t.same(firstDifference(lines, mine, wanted), undefined, `run ${index}`)
      exchanges += run.length
    }
  })
}

for (const conversation of readConversations()) {
  t.test(`${conversation.name} (${conversation.client}) is answered as by the peer`, (t) =>
    replay(t, conversation),
  )
}

t.test('each recorded request is heard wherever it is cut', async (t) => {
  let cuts = 0
  for (const { name, frames } of readConversations()) {
    const requests = frames.filter(({ from, text }) => from === 'client' && text.trim() !== '')
    for (const text of new Set(requests.map((frame) => frame.text))) {
      const whole = JSON.stringify(wordsOf(text))
      for (let at = 1; at < text.length; at++, cuts++) {
        const heard = JSON.stringify(wordsOf(text.slice(0, at), text.slice(at)))
        if (heard !== whole) t.equal(heard, whole, `${name}: ${JSON.stringify(text)} at ${at}`)
      }
    }
  }
  t.ok(cuts > 5_000, `${cuts} cuts`)
})

t.test('the recordings are there', async (t) => {
  t.ok(exchanges > 5_000, `${exchanges} exchanges`)
})

/** Of a reply that was too long to keep only the beginning of its first line is compared. */
function likeCut(recorded: string, mine: string): string {
  return recorded.endsWith(cutMark) && recorded[0] === mine[0] ? mine : recorded
}

interface Reference {
  readonly client: RespClient
  /** The last request. */
  words: string[]
}

async function replay(t: Test, { frames }: Conversation): Promise<void> {
  const { ports } = await startGateway(t)
  const references = new Map<number, Reference>()
  t.teardown(() => {
    for (const { client } of references.values()) client.close()
  })
  for (const [index, { from, connection, text }] of frames.entries()) {
    let reference = references.get(connection)
    if (reference === undefined) {
      reference = { client: await RespClient.open(ports.redis), words: [] }
      references.set(connection, reference)
    }
    if (from === 'client' && text === '') {
      await closed(reference.client)
      continue
    }
    if (from === 'client') {
      reference.client.send(text)
      reference.words = wordsOf(text)
      continue
    }
    const mine = await reference.client.nextRaw()
    const wanted = likeCut(text, mine)
    const difference = firstDifference([reference.words], [neutral(mine)], [neutral(wanted)])
    t.same(difference, undefined, `frame ${index}: ${reference.words.slice(0, 3).join(' ')}`)
  }
  t.ok(frames.length > 0)
}

/** Resolves when the gateway has noticed it too. */
async function closed({ socket, isClosed }: RespClient): Promise<void> {
  if (isClosed) return
  const gone = once(socket, 'close')
  socket.end()
  await gone
  await turn()
  await turn()
}

/** Lines of MONITOR begin with a time, and tell the address of a client. */
function neutral(reply: string): string {
  return reply.replace(/^\+\d+\.\d{6} \[(\d+) 127\.0\.0\.1:\d+\]/, '+time [$1 address]')
}

/** The words of a request that comes in pieces; empty where it is not heard once, and alone. */
function wordsOf(...pieces: readonly string[]): string[] {
  const parser = new RequestParser()
  parser.authenticated = true
  const found: string[][] = []
  for (const piece of pieces) {
    parser.push(Buffer.from(piece, 'latin1'))
    for (let request = parser.next(); request !== undefined; request = parser.next()) {
      const { count } = request
      found.push(Array.from({ length: count }, (_, i) => textOf(request, i)))
    }
  }
  return found.length === 1 ? (found[0] ?? []) : []
}

function textOf(request: RespRequest, index: number): string {
  return Buffer.from(request.view(index)).toString('latin1')
}
