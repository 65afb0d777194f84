// connect-redis over node-redis, unmodified: the store of sessions of web servers. It needs no
// scripts.

import { RedisStore } from 'connect-redis'
import { createClient } from 'redis'
import t from 'tap'
import { startGateway } from '../support/live-gateway.js'

const cookie = { originalMaxAge: null }

for (const RESP of [2, 3] as const) {
  t.test(`sessions are kept, listed and ended, RESP${RESP}`, async (t) => {
    const { ports, key } = await startGateway(t)
    const url = `redis://operator:${key}@127.0.0.1:${ports.redis}`
    const client = createClient({ url, RESP })
    await client.connect()
    t.teardown(() => client.destroy())
    const store = new RedisStore({ client, prefix: 'sess:', ttl: 1_000 })
    await store.set('one', { cookie, user: 'a' })
    await store.set('two', { cookie, user: 'b' })
    t.same(await store.get('one'), { cookie, user: 'a' })
    t.equal(await store.get('none'), null)
    t.ok((await client.ttl('sess:one')) > 10)
    await client.expire('sess:one', 10)
    await store.touch('one', { cookie })
    t.ok((await client.ttl('sess:one')) > 10)
    t.equal(await store.length(), 2)
    t.same([...((await store.ids()) as string[])].sort(), ['one', 'two'])
    const all = (await store.all()) as { id: string; user: string }[]
    t.same(all.map(({ id, user }) => `${id} ${user}`).sort(), ['one a', 'two b'])
    await store.destroy('one')
    t.equal(await store.get('one'), null)
    await store.clear()
    t.equal(await client.dbSize(), 0)
  })
}
