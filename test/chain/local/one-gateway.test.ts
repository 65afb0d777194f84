// The local chain on a store that gateways share: one of them has it, and the others say so. When
// that one is gone, another one begins a chain.

import t from 'tap'
import { readSettings } from '../../../src/base/settings.js'
import { Lease } from '../../../src/engine/background/lease-job.js'
import { checkSettings } from '../../../src/gateway/settings-check.js'
import type { Store } from '../../../src/store/store.js'
import { openClients } from '../../support/chain-room.js'
import { postgresMissing } from '../../support/postgres-reference.js'
import { openShared, openSharedTables } from '../../support/shared-stores.js'

const rest = (): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, 20)
  })

t.test('a gateway without it goes on', async (t) => {
  // It is refused before the code for chains is loaded, which must not end the process.
  const { registry } = await openClients(t, {}, { mayHost: async () => false })
  while (registry.state() === 'starting') await rest()
  t.equal(registry.state(), 'unavailable')
  await t.rejects(registry.ready(), { message: /another gateway has the local chain/ })
})

t.test('its first request is refused without waiting for the next attempt', async (t) => {
  const { registry } = await openClients(t, {}, { mayHost: async () => false })
  await t.rejects(registry.ready(), { message: /another gateway has the local chain/ })
  await t.rejects(registry.account(`0x${'0'.repeat(40)}`), { message: /another gateway/ })
})

t.test('one gateway has the local chain', { skip: postgresMissing }, async (t) => {
  const { address } = await openSharedTables(t)
  const open = async () => {
    const store: Store = await openShared(t, address)
    const lease = new Lease(store, 'local chain')
    return { store, chain: await openClients(t, {}, { store, mayHost: () => lease.hold() }) }
  }
  const [first, second] = [await open(), await open()]
  await first.chain.registry.ready()
  // It tries again and again, and meanwhile says why.
  second.chain.registry.state()
  while (second.chain.health().ok || second.chain.registry.state() === 'starting') await rest()
  await t.rejects(second.chain.registry.ready(), { message: /another gateway has the local chain/ })
  t.equal(second.chain.registry.state(), 'unavailable')
  await first.chain.close()
  await first.store.close()
  while (second.chain.registry.state() !== 'ready') await rest()
  t.match(second.chain.health(), { mode: 'local', ok: true })
})

t.test('a start on a shared store advises a real chain', async (t) => {
  const notes = (environment: Record<string, string>) =>
    checkSettings(readSettings(environment)).filter((note) => note.includes('CHAIN_RPC_URL'))
  t.same(notes({ STORE: 'memory:' }), [])
  t.match(notes({ STORE: 'postgres://user@host/db' }), [/one gateway/])
  t.same(notes({ STORE: 'postgres://user@host/db', CHAIN_RPC_URL: 'http://localhost:1' }), [])
})
