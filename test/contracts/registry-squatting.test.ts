// An attacker who sees a pending registration may copy it and come first. The contract lets both
// stand: these tests show that the victim loses nothing and that a reader can tell the two apart by
// the record alone.

import { createHash, createHmac, pbkdf2Sync } from 'node:crypto'
import { id } from 'ethers'
import t from 'tap'
import type { Event } from '../support/evm.js'
import {
  alice,
  type KeyValues,
  listed,
  otherWallet,
  RegistryRoom,
} from '../support/registry-room.js'

const apiKey = `svc_live_${'0123456789abcdef'.repeat(4)}`

/** The verifiers of the key for a salt, as identity derives them (RFC 5802 with SHA-256). */
function valuesFor(salt: string): KeyValues {
  const salted = pbkdf2Sync(apiKey, Buffer.from(salt.slice(2), 'hex'), 4096, 32, 'sha256')
  const mac = (text: string) => createHmac('sha256', salted).update(text).digest()
  const storedKey = createHash('sha256').update(mac('Client Key')).digest('hex')
  const serverKey = mac('Server Key').toString('hex')
  return { commitment: id(apiKey), storedKey: `0x${storedKey}`, serverKey: `0x${serverKey}` }
}

/** The wallet of the first registration whose StoredKey the key itself proves. */
async function provenWallet(room: RegistryRoom, events: readonly Event[]): Promise<unknown> {
  for (const { name, args } of events) {
    const [wallet, index, commitment, storedKey] = args
    if (name !== 'KeyRegistered' || commitment !== id(apiKey)) continue
    const salt = await room.registry.read('keySalt', wallet, index)
    if (valuesFor(String(salt)).storedKey === storedKey) return wallet
  }
  return undefined
}

t.test(
  'squatting: a copied registration that came first takes nothing from the victim',
  async (t) => {
    const room = await RegistryRoom.open()
    const { registry } = room
    const values = valuesFor(String(await registry.read('keySalt', alice.address, 0)))
    const copied = await room.register(otherWallet, 0, values)
    t.equal(copied.error, undefined, 'commitments are not unique')
    const registered = await room.register(alice, 0, values)
    t.equal(registered.error, undefined, 'so the copy does not make the original fail')
    const events = [...copied.events, ...registered.events]
    t.equal(await provenWallet(room, events), alice.address)
  },
)

t.test('squatting: a copied StoredKey was made with another salt, at any index', async (t) => {
  const room = await RegistryRoom.open()
  const { registry } = room
  const values = valuesFor(String(await registry.read('keySalt', alice.address, 0)))
  const events: Event[] = []
  for (let index = 0; index < 3; index++) {
    events.push(...(await room.register(otherWallet, index, values)).events)
  }
  t.equal(events.length, 3)
  t.equal(await provenWallet(room, events), undefined)
})

t.test(
  'squatting: a thief who knows a revoked key proves it only after its owner did',
  async (t) => {
    const room = await RegistryRoom.open()
    const { registry } = room
    const mine = valuesFor(String(await registry.read('keySalt', alice.address, 0)))
    const his = valuesFor(String(await registry.read('keySalt', otherWallet.address, 0)))
    const events = [...(await room.register(alice, 0, mine)).events]
    await registry.send(alice, 'revokeKey', 0)
    events.push(...(await room.register(otherWallet, 0, his)).events)
    t.equal(await provenWallet(room, events), alice.address)
    t.equal(await registry.read('isKeyActive', alice.address, 0), false, 'and that one is dead')
  },
)

t.test('front-running: the same call sent first by another registers a key of his', async (t) => {
  const room = await RegistryRoom.open()
  const values = valuesFor(String(await room.registry.read('keySalt', alice.address, 0)))
  const before = await room.stateOf(alice.address)
  await room.registry.send(otherWallet, 'registerKey', 0, ...listed(values))
  t.same(await room.stateOf(alice.address), before)
})
