// A wallet's keys over every store: what is kept and what is not when the gas station refuses, is
// unsure, or is late; keys that were registered straight on the chain; and many acts at once.

import t, { type Test } from 'tap'
import { systemRandom } from '../../../src/base/clock.js'
import { fail } from '../../../src/base/errors.js'
import { Bearer } from '../../../src/identity/keys/bearer.js'
import { KeyService, type KeyWishes, type Owner } from '../../../src/identity/keys/key-service.js'
import { type KeyName, readKeyState } from '../../../src/identity/keys/wallet-keys.js'
import type { Store } from '../../../src/store/store.js'
import { RegistryModel } from '../../support/registry-model.js'
import { eachStore } from '../../support/stores.js'
import { derivedKey, materialOf, testWallet } from '../../support/wallet.js'

const wallet = testWallet('owner')
const { address } = wallet
const wishes: KeyWishes = { label: 'a key', permissions: ['read'], rateLimit: 9 }

class Room {
  readonly registry = new RegistryModel()
  readonly ended: KeyName[] = []
  readonly service: KeyService
  readonly owner: Owner
  private readonly bearer: Bearer

  constructor(private readonly store: Store) {
    const { registry } = this
    this.service = new KeyService({ registry, mode: 'live', random: systemRandom })
    this.service.onEnded = (name) => this.ended.push(name)
    this.owner = { programs: store, address, now: 1000 }
    this.bearer = new Bearer({ store, registry, mode: 'live' })
  }

  async whoIs(apiKey = '') {
    return this.bearer.identify(apiKey)
  }

  async stateOf(name: KeyName) {
    return this.store.read((tx) => readKeyState(tx, name))
  }

  /** The part of a request for the next on-chain key; the model looks at no meta signature. */
  async nextPart() {
    const { nextIndex: index } = await this.registry.account(address)
    const { signature, apiKey, hash } = await derivedKey(wallet, index)
    const part = { index, signature, metaSignature: '0x', deadline: 1 }
    return { part, apiKey, name: { hash, source: 'onchain', address } as const }
  }

  async labels(): Promise<string[]> {
    return (await this.service.list(this.owner)).map(({ label, index }) => `${label} ${index}`)
  }
}

function eachRoom(name: string, body: (t: Test, room: Room) => Promise<void>): Promise<void> {
  return eachStore(t, name, (t, { store }) => body(t, new Room(store)))
}

const pending = () => fail('HostUnreachable', 'late', { reason: 'TX_PENDING', txHash: '0x1' })
const refused = () => fail('BadValue', 'the signature does not hold')

await eachRoom('an issued key has an index of its own, never given again', async (t, room) => {
  const { service, owner } = room
  const first = await service.generate(owner, wishes)
  t.match(first.key, { source: 'issued', index: 0, label: 'a key', rateLimit: 9, createdAt: 1000 })
  t.match(await room.whoIs(first.apiKey), { index: 0, permissions: ['read'], rateLimit: 9 })
  t.equal(await service.revoke(owner, first.key.hash), false)
  t.equal(await room.whoIs(first.apiKey), undefined)
  t.match(room.ended, [{ hash: first.key.hash, source: 'issued', address }])
  const second = await service.generate(owner, wishes)
  t.equal(second.key.index, 1)
  await t.rejects(service.revoke(owner, first.key.hash), { code: 26 })
  t.same(await room.labels(), ['a key 1'])
})

await eachRoom('what the gas station refuses leaves nothing behind', async (t, room) => {
  const { service, owner, registry } = room
  const { part, name } = await room.nextPart()
  registry.refusal = refused()
  await t.rejects(service.generate(owner, wishes, part), { code: 2 })
  t.same(await room.labels(), [])
  t.match(await room.stateOf(name), { permissions: ['read', 'write'] }, 'as of a key never seen')
  registry.refusal = undefined
  const made = await service.generate(owner, wishes, part)
  t.match(await room.whoIs(made.apiKey), { permissions: ['read'] })
})

await eachRoom('of what may yet be registered the rights are kept', async (t, room) => {
  const { service, owner, registry } = room
  const { part, apiKey } = await room.nextPart()
  registry.refusal = pending()
  const expected = { code: 6, extra: { reason: 'TX_PENDING', txHash: '0x1' } }
  await t.rejects(service.generate(owner, wishes, part), expected)
  t.equal(await room.whoIs(apiKey), undefined, 'it is not there yet')
  registry.refusal = refused()
  await t.rejects(service.generate(owner, { ...wishes, permissions: ['admin'] }, part), { code: 2 })
  registry.refusal = undefined
  registry.register(address, (await derivedKey(wallet, 0)).material)
  t.match(await room.whoIs(apiKey), { permissions: ['read'], rateLimit: 9 }, 'it came after all')
})

await eachRoom('what was not sent can be tried again', async (t, room) => {
  const { service, owner, registry } = room
  const { part } = await room.nextPart()
  registry.refusal = fail('HostUnreachable', 'away', { reason: 'CHAIN_UNAVAILABLE' })
  await t.rejects(service.generate(owner, wishes, part), { code: 6 })
  registry.refusal = undefined
  const again = { ...wishes, permissions: ['write'] } as const
  const made = await service.generate(owner, again, part)
  t.match(await room.whoIs(made.apiKey), { permissions: ['write'] })
})

await eachRoom('a rotation that fails leaves the old key as it was', async (t, room) => {
  const { service, owner, registry } = room
  const old = await service.generate(owner, wishes, (await room.nextPart()).part)
  const { part } = await room.nextPart()
  registry.refusal = refused()
  await t.rejects(service.rotate(owner, old.key.hash, part), { code: 2 })
  t.match(await room.whoIs(old.apiKey), { index: 0 })
  t.same(room.ended, [])
  await t.rejects(service.rotate(owner, old.key.hash, { ...part, index: 0 }), {
    code: 2,
    extra: { reason: 'INDEX_TAKEN', expected: 1 },
  })
  registry.refusal = undefined
  const next = await service.rotate(owner, old.key.hash, part)
  t.match(await room.whoIs(next.apiKey), { index: 1, permissions: ['read'], rateLimit: 9 })
  t.equal(await room.whoIs(old.apiKey), undefined)
  const issued = await service.generate(owner, wishes)
  const third = await room.nextPart()
  await t.rejects(service.rotate(owner, issued.key.hash, third.part), { code: 2 })
})

await eachRoom('an end of which the chain is unsure holds here', async (t, room) => {
  const { service, owner, registry } = room
  const made = await service.generate(owner, wishes, (await room.nextPart()).part)
  const relay = { metaSignature: '0x', deadline: 1 }
  registry.refusal = refused()
  await t.rejects(service.revoke(owner, made.key.hash, relay), { code: 2 })
  t.match(await room.whoIs(made.apiKey), { index: 0 }, 'a wrong signature ends nothing')
  registry.refusal = pending()
  await t.rejects(service.revoke(owner, made.key.hash, relay), { code: 6 })
  t.equal(await room.whoIs(made.apiKey), undefined)
  t.equal(room.ended.length, 1)
})

await eachRoom('a key that was registered straight on the chain', async (t, room) => {
  const { service, owner, registry } = room
  const { apiKey, hash, material } = await derivedKey(wallet, 0)
  registry.register(address, material)
  t.match(await service.list(owner), [{ hash, label: '', prefix: '', index: 0 }])
  t.match(await room.whoIs(apiKey), { permissions: ['read', 'write'] })
  await service.setPermissions(owner, hash, { permissions: ['admin'] })
  t.match(await room.whoIs(apiKey), { permissions: ['admin'] })
  t.equal(await service.revoke(owner, hash), true, 'the chain has yet to hear of it')
  t.equal(await room.whoIs(apiKey), undefined)
  t.same(await service.list(owner), [])
  await t.rejects(service.setPermissions(owner, hash, { permissions: ['read'] }), { code: 26 })
})

await eachRoom('a foreign commitment is no key of who copied it', async (t, room) => {
  const { service, owner, registry } = room
  const thief = testWallet('thief').address
  const { apiKey, hash, material } = await derivedKey(wallet, 0)
  registry.register(thief, material)
  registry.register(address, material)
  const copied = { ...owner, address: thief }
  await service.setPermissions(copied, hash, { permissions: ['read', 'write', 'admin'] })
  await service.revoke(copied, hash)
  t.match(await room.whoIs(apiKey), { address, permissions: ['read', 'write'] })
})

await eachRoom('a key that ended here is not made again', async (t, room) => {
  const { service, owner, registry } = room
  const { apiKey, hash, material } = await derivedKey(wallet, 0)
  registry.register(address, material)
  const again = await materialOf(apiKey, address, 1)
  const hex = (bytes: Uint8Array) => `0x${Buffer.from(bytes).toString('hex')}`
  const part = {
    ...{ index: 1, metaSignature: '0x', deadline: 1, commitment: `0x${hash}` },
    storedKey: hex(again.material.storedKey),
    serverKey: hex(again.material.serverKey),
  }
  const known = { code: 2, extra: { reason: 'KEY_KNOWN' } }
  await t.rejects(service.generate(owner, wishes, part), known, 'nor twice')
  await service.revoke(owner, hash)
  await t.rejects(service.generate(owner, wishes, part), known)
})

await eachRoom('ten keys, however many are asked for at once', async (t, room) => {
  const { service, owner } = room
  const asked = Array.from({ length: 14 }, () => service.generate(owner, wishes))
  const answers = await Promise.allSettled(asked)
  const made = answers.filter(({ status }) => status === 'fulfilled')
  t.equal(made.length, 10)
  for (const answer of answers) {
    if (answer.status === 'rejected') t.match(answer.reason, { extra: { reason: 'TOO_MANY_KEYS' } })
  }
  t.equal(new Set(await room.labels()).size, 10)
})

await eachRoom('while the chain is away server keys can be ended and rotated', async (t, room) => {
  const { service, owner, registry } = room
  const issued = await service.generate(owner, wishes)
  const onChain = await service.generate(owner, wishes, (await room.nextPart()).part)
  registry.isAway = true
  const next = await service.rotate(owner, issued.key.hash)
  t.match(await room.whoIs(next.apiKey), { source: 'issued' })
  await service.revoke(owner, next.key.hash)
  t.equal(await service.revoke(owner, onChain.key.hash), true, 'and known on-chain keys denied')
  await t.rejects(service.generate(owner, wishes), { code: 6 })
  await t.rejects(service.list(owner), { code: 6 })
  registry.isAway = false
  t.equal(await room.whoIs(onChain.apiKey), undefined)
})
