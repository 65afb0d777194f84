// Who may do what to the registry: invariants I3 and I5. The functions are read off the interface, so
// that one added later fails here until its callers are decided.

import { type FunctionFragment, Interface, ZeroAddress } from 'ethers'
import t from 'tap'
import { keyRegistryArtifact } from '../../src/chain/artifacts/key-registry.js'
import type { Outcome } from '../support/evm.js'
import {
  alice,
  bob,
  keyValues,
  listed,
  otherWallet,
  owner,
  RegistryRoom,
  station,
} from '../support/registry-room.js'

/** Every function that can change anything, by who may succeed with it. */
const decided: Readonly<Record<string, 'own keys' | 'signed' | 'owner' | 'proposed' | 'none'>> = {
  registerKey: 'own keys',
  revokeKey: 'own keys',
  rotateKey: 'own keys',
  registerKeyMeta: 'signed',
  revokeKeyMeta: 'signed',
  rotateKeyMeta: 'signed',
  proposeGasStation: 'owner',
  acceptGasStation: 'proposed',
  transferOwnership: 'owner',
  acceptOwnership: 'proposed',
  renounceOwnership: 'none',
}

const face = new Interface(keyRegistryArtifact.abi)
const functions = face.fragments.filter((one): one is FunctionFragment => one.type === 'function')
/** renounceOwnership only ever reverts, which makes it a view to the compiler. */
const mutators = functions.filter((one) => !one.constant || one.name === 'renounceOwnership')

t.test('I3: every function that is no view is one that this test has decided on', async (t) => {
  const names = mutators.map((one) => one.name)
  t.same([...names].sort(), Object.keys(decided).sort())
  for (const { name, inputs } of functions.filter((one) => !mutators.includes(one))) {
    const view = ['view', 'pure'].includes(face.getFunction(name)?.stateMutability ?? '')
    t.ok(view, `${name}(${inputs.length}) reads`)
  }
})

t.test(
  'I3: neither owner nor gas station nor another wallet reaches the keys of a wallet',
  async (t) => {
    const room = await RegistryRoom.open()
    for (let index = 0; index < 3; index++) await room.register(alice, index)
    const before = await room.stateOf(alice.address)
    for (const caller of [owner, station, otherWallet, bob]) {
      for (const mutator of mutators) {
        for (const args of attempts(mutator, room)) {
          const outcome = await room.registry.send(caller, mutator.name, ...args)
          if (decided[mutator.name] === 'signed') {
            const error = caller === station ? 'BadSignature' : 'NotGasStation'
            t.equal(outcome.error, error, `${mutator.name} by ${caller.address}`)
          }
          t.same(
            outcome.events.filter(
              ({ args }) => args[0] === alice.address && mutator.inputs.length > 1,
            ),
            [],
            `${mutator.name}: no event of the wallet`,
          )
        }
        t.same(await room.stateOf(alice.address), before, `${mutator.name} by ${caller.address}`)
      }
    }
  },
)

t.test("I3: a wallet's own functions touch the caller's keys only", async (t) => {
  const room = await RegistryRoom.open()
  await room.register(alice, 0)
  const before = await room.stateOf(alice.address)
  t.equal((await room.registry.send(bob, 'revokeKey', 0)).error, 'NotActive')
  await room.register(bob, 0)
  t.equal((await room.registry.send(bob, 'revokeKey', 0)).error, undefined)
  await room.register(bob, 1)
  const values = listed(keyValues('rotated'))
  t.equal((await room.registry.send(bob, 'rotateKey', 1, 2, ...values)).error, undefined)
  t.same(await room.stateOf(alice.address), before)
})

t.test('I5: the owner proposes a gas station and the new one accepts', async (t) => {
  const { registry } = await RegistryRoom.open()
  const now = async () => [
    await registry.read('gasStation'),
    await registry.read('pendingGasStation'),
  ]
  for (const caller of [station, alice, otherWallet]) {
    const refused = await registry.send(caller, 'proposeGasStation', caller.address)
    t.equal(refused.error, 'OwnableUnauthorizedAccount')
  }
  const proposed = await registry.send(owner, 'proposeGasStation', alice.address)
  t.same(proposed.events.map(plain), [['GasStationProposed', alice.address]])
  t.same(await now(), [station.address, alice.address], 'proposing alone changes nothing')
  for (const caller of [owner, station, bob]) {
    const refused = await registry.send(caller, 'acceptGasStation')
    t.same([refused.error, refused.errorArgs], ['NotPendingGasStation', [caller.address]])
  }
  const accepted = await registry.send(alice, 'acceptGasStation')
  t.same(accepted.events.map(plain), [['GasStationChanged', station.address, alice.address]])
  t.same(await now(), [alice.address, ZeroAddress])
  t.equal((await registry.send(alice, 'acceptGasStation')).error, 'NotPendingGasStation', 'once')
})

t.test('I5: a proposal can be taken back, and another replaces it', async (t) => {
  const { registry } = await RegistryRoom.open()
  await registry.send(owner, 'proposeGasStation', alice.address)
  await registry.send(owner, 'proposeGasStation', ZeroAddress)
  t.equal((await registry.send(alice, 'acceptGasStation')).error, 'NotPendingGasStation')
  await registry.send(owner, 'proposeGasStation', alice.address)
  await registry.send(owner, 'proposeGasStation', bob.address)
  t.equal((await registry.send(alice, 'acceptGasStation')).error, 'NotPendingGasStation')
  t.equal((await registry.send(bob, 'acceptGasStation')).error, undefined)
  t.equal(await registry.read('gasStation'), bob.address)
})

t.test('I5: a station that was replaced brings nothing more; the new one does', async (t) => {
  const room = await RegistryRoom.open()
  await room.registry.send(owner, 'proposeGasStation', bob.address)
  await room.registry.send(bob, 'acceptGasStation')
  const request = await room.request(alice.address, { index: 0, ...keyValues('a') })
  const signature = await room.sign('RegisterKey', alice, request)
  t.equal((await room.relay('RegisterKey', request, signature)).error, 'NotGasStation')
  const brought = await room.relay('RegisterKey', request, signature, { from: bob })
  t.equal(brought.error, undefined)
})

t.test('I5: ownership moves in two steps and cannot be thrown away', async (t) => {
  const { registry } = await RegistryRoom.open()
  t.equal((await registry.send(owner, 'renounceOwnership')).error, 'RenounceForbidden')
  const refused = await registry.send(alice, 'renounceOwnership')
  t.equal(refused.error, 'OwnableUnauthorizedAccount')
  await registry.send(owner, 'transferOwnership', alice.address)
  t.equal(await registry.read('owner'), owner.address)
  t.equal((await registry.send(bob, 'acceptOwnership')).error, 'OwnableUnauthorizedAccount')
  t.equal((await registry.send(alice, 'acceptOwnership')).error, undefined)
  t.equal(await registry.read('owner'), alice.address)
  const former = await registry.send(owner, 'proposeGasStation', owner.address)
  t.equal(former.error, 'OwnableUnauthorizedAccount')
})

t.test(
  'a registry without a gas station takes no signed request, of the zero address or not',
  async (t) => {
    const room = await RegistryRoom.open()
    const none = await room.evm.deploy(keyRegistryArtifact, [owner.address, ZeroAddress], bob)
    const args = [alice.address, 0, 0, room.deadline, '0x']
    t.equal((await none.send(station, 'revokeKeyMeta', ...args)).error, 'NotGasStation')
    t.equal((await none.send(otherWallet, 'acceptGasStation')).error, 'NotPendingGasStation')
  },
)

/** Calls that would change Alice's keys if the caller could: in her name, at each index. */
function attempts({ name, inputs }: FunctionFragment, room: RegistryRoom): unknown[][] {
  if (name === 'proposeGasStation' || name === 'transferOwnership') return [[alice.address]]
  if (inputs.length === 0) return [[]]
  const signed = `0x${'11'.repeat(32)}${'22'.repeat(32)}1b`
  return [0, 1, 2].map((index) => {
    const values: Readonly<Record<string, unknown>> = {
      wallet: alice.address,
      index: name.startsWith('register') ? 3 : index,
      oldIndex: index,
      newIndex: 3,
      ...keyValues('forged'),
      nonce: 0,
      deadline: room.deadline,
      signature: signed,
    }
    return inputs.map((input) => values[input.name])
  })
}

function plain({ name, args }: Outcome['events'][number]): unknown[] {
  return [name, ...args]
}
