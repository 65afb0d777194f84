// HTTP requests of every route, as bytes that something has gone wrong with: none ends the process,
// none is left without an end, and none is answered by an internal error.

import t from 'tap'
import { ask } from '../../../support/http-client.js'
import { startGateway } from '../../../support/live-gateway.js'
import { exchange, mutated } from '../../../support/mutated-bytes.js'
import { runs } from '../../../support/runs.js'
import { seed } from '../../../support/seed.js'
import { seededRandom } from '../../../support/seeded-random.js'

interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { requestBody?: unknown }>>>>
}

const bodies = [
  '{"filter":{"a":{"$gt":1}},"update":{"$set":{"b":[1,2]}},"upsert":true}',
  '{"document":{"_id":{"$oid":"0123456789abcdef01234567"},"a":[1,{"b":null}]}}',
  '{"documents":[{"a":1},{"a":{"$date":"2024-01-01T00:00:00Z"}}],"ordered":false}',
  '{"pipeline":[{"$match":{"a":1}},{"$group":{"_id":"$a","n":{"$sum":1}}}]}',
  '{"query":"SELECT a, count(*) FROM c WHERE a > $1 GROUP BY a ORDER BY 2","params":[1]}',
  '{"field":"a","filter":{},"limit":10,"skip":0,"sort":{"a":-1},"projection":{"a":1}}',
  '{"command":["SET","k","v"],"mode":"public","address":"0x52908400098527886E0F7030069857D2E4169EE7"}',
  '[["SET","k","v"],["GET","k"]]',
  '{"a":1}\n{"a":2}\n',
]

t.test('no mutated request crashes, hangs or fails inside', async (t) => {
  t.comment(`seed ${seed}`)
  const gateway = await startGateway(t, { AUTH_MODE: 'off', API_KEY: '' })
  const { url, ports } = gateway
  const { paths } = (await ask(url, { path: '/api/v1/openapi.json' })).json as unknown as OpenApi
  const random = seededRandom(seed)
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => [method.toUpperCase(), path] as const),
  )
  const target = (path: string) => path.replace(/\{\w+\}/g, () => pick(['c', 'd', '1', 'find']))
  const request = (): Buffer => {
    const [method, path] = pick(operations)
    const body = method === 'GET' ? '' : pick(bodies)
    const type = pick(['application/json', 'application/json', 'application/x-ndjson'])
    const head = [`${method} ${target(path)} HTTP/1.1`, `Host: localhost:${ports.http}`]
    head.push(`Content-Type: ${type}`, `Content-Length: ${Buffer.byteLength(body)}`)
    head.push('Idempotency-Key: k', 'Accept: application/json', 'Connection: close')
    return mutated(Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`), random, pick)
  }
  let left = runs(2_000)
  const failed: string[] = []
  const worker = async () => {
    while (left-- > 0) {
      const sent = request()
      const answer = await exchange(ports.http, sent)
      if (/(?:^|\n)HTTP\/1\.1 500 /.test(answer)) {
        failed.push(`${sent.toString('latin1')}\n=> ${answer}`)
      }
    }
  }
  await Promise.all(Array.from({ length: 16 }, worker))
  t.same(failed.slice(0, 3), [], `seed ${seed}`)
  t.equal((await ask(url, { path: '/health' })).status, 200)
})
