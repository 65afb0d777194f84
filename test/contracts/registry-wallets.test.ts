// Contract wallets (ERC-1271) as signers: a good one, two of one owner, and those that burn gas,
// answer garbage or call back.

import t from 'tap'
import type { Contract } from '../support/evm.js'
import { alice, bob, keyValues, listed, RegistryRoom } from '../support/registry-room.js'
import { burningWalletArtifact } from './mocks/burning-wallet.js'
import { oddWalletArtifact } from './mocks/odd-wallet.js'
import { ownedWalletArtifact } from './mocks/owned-wallet.js'
import { reenteringWalletArtifact } from './mocks/reentering-wallet.js'
import { yesWalletArtifact } from './mocks/yes-wallet.js'

/** What the gas station pays for at most. */
const gasCap = 400_000n

const answers = ['revert', 'nothing', 'four bytes', 'dirty word', 'megabyte', 'panic', 'one']

function ownedBy(room: RegistryRoom, holder: typeof alice): Promise<Contract> {
  return room.evm.deploy(ownedWalletArtifact, [holder.address], bob)
}

t.test("ERC-1271: a contract wallet registers with its owner's signature", async (t) => {
  const room = await RegistryRoom.open()
  const wallet = await ownedBy(room, alice)
  const changes = { index: 0, ...keyValues('contract') }
  const outcome = await room.sponsored('RegisterKey', alice, changes, wallet.address)
  t.equal(outcome.error, undefined)
  t.equal(await room.registry.read('isKeyActive', wallet.address, 0), true)
  t.equal(await room.registry.read('isKeyActive', alice.address, 0), false)
  const other = await room.sponsored('RevokeKey', bob, { index: 0 }, wallet.address)
  t.equal(other.error, 'BadSignature', 'and with no other key')
})

t.test('ERC-1271: a signature may have any length, if the wallet takes it', async (t) => {
  const room = await RegistryRoom.open()
  const wallet = await room.evm.deploy(yesWalletArtifact, [], bob)
  for (const [index, length] of [0, 1, 64, 65, 66, 500].entries()) {
    const request = await room.request(wallet.address, { index, ...keyValues(`${length}`) })
    const outcome = await room.relay('RegisterKey', request, `0x${'ab'.repeat(length)}`)
    t.equal(outcome.error, undefined, `${length} bytes`)
  }
})

t.test("ERC-1271: two wallets of one owner do not take each other's signatures", async (t) => {
  const room = await RegistryRoom.open()
  const [one, other] = [await ownedBy(room, alice), await ownedBy(room, alice)]
  const request = await room.request(one.address, { index: 0, ...keyValues('a') })
  const signature = await room.sign('RegisterKey', alice, request)
  const crossed = { ...request, wallet: other.address }
  t.equal((await room.relay('RegisterKey', crossed, signature)).error, 'BadSignature')
  const own = { ...request, wallet: alice.address }
  t.equal((await room.relay('RegisterKey', own, signature)).error, 'BadSignature')
  t.equal((await room.relay('RegisterKey', request, signature)).error, undefined)
})

t.test("ERC-1271: an owner's own request is not his contract wallet's", async (t) => {
  const room = await RegistryRoom.open()
  const wallet = await ownedBy(room, alice)
  const request = await room.request(alice.address, { index: 0, ...keyValues('a') })
  const signature = await room.sign('RegisterKey', alice, request)
  const crossed = { ...request, wallet: wallet.address }
  t.equal((await room.relay('RegisterKey', crossed, signature)).error, 'BadSignature')
})

t.test('hostile: a wallet that burns gas costs the station its cap and no more', async (t) => {
  const room = await RegistryRoom.open()
  const wallet = await room.evm.deploy(burningWalletArtifact, [], bob)
  const request = await room.request(wallet.address, { index: 0, ...keyValues('a') })
  const outcome = await room.relay('RegisterKey', request, '0x', { gas: gasCap })
  t.ok(outcome.error)
  t.ok(outcome.gas <= gasCap, `${outcome.gas} gas`)
  t.same(await room.registry.view('account', wallet.address), { nextIndex: 0n, activeCount: 0n })
  t.equal(await room.registry.read('nonces', wallet.address), 0n)
})

for (const [answer, name] of answers.entries()) {
  t.test(`hostile: a wallet that answers with ${name} has signed nothing`, async (t) => {
    const room = await RegistryRoom.open()
    const wallet = await room.evm.deploy(oddWalletArtifact, [answer], bob)
    const request = await room.request(wallet.address, { index: 0, ...keyValues('a') })
    const outcome = await room.relay('RegisterKey', request, '0x', { gas: gasCap })
    t.equal(outcome.error, 'BadSignature')
    t.equal(await room.registry.read('nonces', wallet.address), 0n)
    t.equal(await room.registry.read('isKeyActive', wallet.address, 0), false)
  })
}

t.test('hostile: a wallet cannot register while its signature is looked at', async (t) => {
  const room = await RegistryRoom.open()
  const { registry, evm } = room
  const call = registry.face.encodeFunctionData('registerKey', [0, ...listed(keyValues('inner'))])
  const wallet = await evm.deploy(reenteringWalletArtifact, [registry.address, call], bob)
  const request = await room.request(wallet.address, { index: 0, ...keyValues('outer') })
  t.equal((await room.relay('RegisterKey', request, '0x')).error, 'BadSignature')
  const state = await registry.view('account', wallet.address)
  t.same(state, { nextIndex: 0n, activeCount: 0n })
})
