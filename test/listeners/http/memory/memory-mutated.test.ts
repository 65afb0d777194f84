// Requests of every route of the graph memory, over a graph that holds something, as bytes that
// something has gone wrong with: none fails inside, none is left without an end, and the memory
// answers as before.

import t from 'tap'
import { ask } from '../../../support/http-client.js'
import { startGateway } from '../../../support/live-gateway.js'
import { exchange, mutated } from '../../../support/mutated-bytes.js'
import { runs } from '../../../support/runs.js'
import { seed } from '../../../support/seed.js'
import { seededRandom } from '../../../support/seeded-random.js'
import { testWallet } from '../../../support/wallet.js'
import { WalletClient } from '../../../support/wallet-client.js'

type Sample = readonly [method: string, target: string, body?: unknown]

const far = 'x'.repeat(200)

function samples(id: string, other: string): readonly Sample[] {
  const source = { kind: 'chat', ref: 'c1', url: 'https://a.test/1', at: 1_700_000_000_000 }
  const memory = { text: 'Ada keeps bees in 東京 since 2024-05-01.', entities: ['Ada'], source }
  const edge = { from: id, to: other, type: 'relates' }
  return [
    ['GET', '/api/graph'],
    ['GET', '/api/graph?graph=g&limit=3'],
    ['GET', '/api/recall?graph=g&q=bees+lisbon&hops=2&limit=5&explain=1&neighbours=0.3'],
    ['GET', '/api/recall?graph=g&entity=ada&include=superseded'],
    ['GET', `/api/verify?graph=g&id=${id}`],
    ['GET', '/api/verify/graph?graph=g'],
    ['GET', `/api/memories/${id}?graph=g`],
    ['GET', '/api/graphs'],
    ['GET', '/api/graphs/g'],
    ['POST', '/api/memories', { graph: 'g', ...memory, keywords: ['a', 'b'], supersedes: other }],
    ['POST', '/api/memories', { text: far, edges: [edge], entities: [{ name: 'B', kind: 'c' }] }],
    ['POST', '/api/memories/batch', { graph: 'g', memories: [memory, {}, { text: 1 }, 7] }],
    ['POST', '/api/memories/batch', { mode: 'all', memories: [memory, { text: far }] }],
    ['PATCH', `/api/memories/${id}?graph=g`, { validTo: 1_800_000_000_000, status: 'active' }],
    ['DELETE', `/api/memories/${other}?graph=g`],
    ['POST', '/api/edges', { graph: 'g', ...edge, weight: 0.5, source, validFrom: 1 }],
    ['DELETE', '/api/edges', { graph: 'g', ...edge }],
    ['DELETE', `/api/edges?graph=g&from=${id}&to=${other}&type=relates`],
    ['POST', '/api/entities/merge', { graph: 'g', from: 'Ada', into: 'Lisbon' }],
    ['POST', '/api/anchor', { graph: 'g', ids: [id] }],
    ['PUT', '/api/graphs/g', { mode: 'public', k1: 0.9, b: 0.4 }],
    ['DELETE', '/api/graphs/other'],
    ['POST', '/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/list' }],
    [
      ...(['POST', '/mcp'] as const),
      {
        ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
        params: { name: 'recall', arguments: { graph: 'g', q: 'bees' } },
      },
    ],
  ]
}

t.test('no mutated request of the memory fails inside, hangs or ends the process', async (t) => {
  t.comment(`seed ${seed}`)
  const { url, ports } = await startGateway(t, { RATE_LIMITS: 'off' })
  // Mutated keys are wrong keys: after them an address has no more tries at the operator's.
  const { apiKey: key } = await (await WalletClient.signIn(url, testWallet('mutating'))).issue()
  const headers = { 'x-api-key': key, 'content-type': 'application/json' }
  const remember = async (text: string, entities: readonly string[]) => {
    const body = JSON.stringify({ graph: 'g', text, entities })
    const made = await ask(url, { path: '/api/memories', headers, body })
    t.equal(made.status, 201, made.text)
    return String(made.json.id)
  }
  const id = await remember('Ada moved to Lisbon.', ['Ada', 'Lisbon'])
  const other = await remember('Bees live in Lisbon too.', ['Lisbon'])
  const asked = samples(id, other)
  const random = seededRandom(seed)
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T
  const request = (): Buffer => {
    const [method, target, given] = pick(asked)
    const body = given === undefined ? '' : JSON.stringify(given)
    const head = [`${method} ${target} HTTP/1.1`, `Host: localhost:${ports.http}`]
    head.push(`Content-Type: application/json`, `Content-Length: ${Buffer.byteLength(body)}`)
    head.push(`x-api-key: ${key}`, 'Accept: application/json, text/event-stream')
    head.push('Connection: close')
    return mutated(Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`), random, pick)
  }
  let left = runs(1_000)
  const failed: string[] = []
  let good = 0
  const worker = async () => {
    while (left-- > 0) {
      const sent = request()
      const answer = await exchange(ports.http, sent)
      if (/(?:^|\n)HTTP\/1\.1 2\d\d /.test(answer)) good++
      if (/(?:^|\n)HTTP\/1\.1 500 |internal error/i.test(answer)) {
        failed.push(`${sent.toString('latin1')}\n=> ${answer}`)
      }
    }
  }
  await Promise.all(Array.from({ length: 16 }, worker))
  t.same(failed.slice(0, 3), [], `seed ${seed}`)
  t.ok(good > 0, `${good} were answered all the same`)
  t.equal((await ask(url, { path: '/api/recall?graph=g&q=x', headers })).status, 200)
})
