// A large container as others see it: on the wire and over HTTP it is a summary, never all of its
// members, and both have a way to page through them.

import { MongoClient } from 'mongodb'
import t from 'tap'
import { startGateway } from '../../support/live-gateway.js'
import { RespClient } from '../../support/resp-client.js'

const count = 1_000

t.test('a large set is a summary on the wire and over HTTP, and has pages there', async (t) => {
  const gateway = await startGateway(t, { AUTH_MODE: 'off' })
  const client = await RespClient.open(gateway.ports.redis)
  const names = Array.from({ length: count }, (_, n) => `member ${n}`)
  t.equal(await client.call('SADD', 'big', ...names), `:${count}`)
  client.close()

  const wire = await MongoClient.connect(`mongodb://127.0.0.1:${gateway.ports.wire}`)
  const db = wire.db('main')
  const seen = await db.collection<{ _id: string }>('kv0').findOne({ _id: 'big' })
  t.match(seen, { _id: 'big', type: 'set', value: { $truncated: true, count } })
  const members: string[] = []
  for (let after: unknown; ; ) {
    const place = after === undefined ? {} : { after }
    const page = await db.command({ keyMembers: 'kv0', key: 'big', limit: 300, ...place })
    members.push(...page.members)
    after = page.next
    if (after === undefined) break
  }
  t.same(members.sort(), [...names].sort())
  await wire.close()

  const post = async (path: string, body: unknown) => {
    const reply = await fetch(`${gateway.url}/api/v1/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return (await reply.json()) as Record<string, unknown>
  }
  t.match(await post('collections/kv0/find', { filter: {} }), {
    cursor: { firstBatch: [{ _id: 'big', type: 'set', value: { $truncated: true, count } }] },
  })
  const found = new Set<string>()
  for (let cursor = '0'; ; ) {
    const { result } = await post('redis', {
      command: ['SSCAN', 'big', cursor, 'COUNT', '300'],
    })
    const [next, page] = result as [string, string[]]
    for (const member of page) found.add(member)
    cursor = next
    if (cursor === '0') break
  }
  t.equal(found.size, count)
})
