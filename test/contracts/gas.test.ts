// What each act costs, beside a committed snapshot: more than 5 % above it is a regression, more than
// 5 % below means that the snapshot no longer says the truth. docs/contracts.md shows the same figures.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { id, ZeroHash } from 'ethers'
import t from 'tap'
import { anchorRegistryArtifact } from '../../src/chain/artifacts/anchor-registry.js'
import { type Outcome, walletOf } from '../support/evm.js'
import { alice, bob, keyValues, listed, owner, RegistryRoom } from '../support/registry-room.js'
import { ownedWalletArtifact } from './mocks/owned-wallet.js'

const snapshot = JSON.parse(
  readFileSync(join(process.cwd(), 'protocol-fixtures/contracts/gas.json'), 'utf8'),
) as Readonly<Record<string, number>>

const measured = new Map<string, number>()

function note(name: string, outcome: Outcome): void {
  if (outcome.error !== undefined) throw new Error(`${name}: ${outcome.error}`)
  measured.set(name, Number(outcome.gas))
}

async function measureKeys(): Promise<void> {
  const room = await RegistryRoom.open()
  const { registry } = room
  note('deploy KeyRegistry', registry.deployment)
  note('registerKey, first', await room.register(alice, 0))
  note('registerKey, later', await room.register(alice, 1))
  note('rotateKey', await registry.send(alice, 'rotateKey', 0, 2, ...listed(keyValues('c'))))
  note('revokeKey', await registry.send(alice, 'revokeKey', 2))
  note('proposeGasStation', await registry.send(owner, 'proposeGasStation', bob.address))
  note('acceptGasStation', await registry.send(bob, 'acceptGasStation'))
}

async function measureSigned(): Promise<void> {
  const room = await RegistryRoom.open()
  const first = { index: 0, ...keyValues('a') }
  note('registerKeyMeta, first', await room.sponsored('RegisterKey', alice, first))
  const later = { index: 1, ...keyValues('b') }
  note('registerKeyMeta, later', await room.sponsored('RegisterKey', alice, later))
  const rotation = { oldIndex: 0, newIndex: 2, ...keyValues('c') }
  note('rotateKeyMeta', await room.sponsored('RotateKey', alice, rotation))
  note('revokeKeyMeta', await room.sponsored('RevokeKey', alice, { index: 2 }))
  const wallet = await room.evm.deploy(ownedWalletArtifact, [alice.address], bob)
  const contract = await room.sponsored('RegisterKey', alice, first, wallet.address)
  note('registerKeyMeta, contract wallet, first', contract)
}

async function measureAnchors(): Promise<void> {
  const { evm } = await RegistryRoom.open()
  const sender = walletOf('anchors')
  const anchors = await evm.deploy(anchorRegistryArtifact, [], sender)
  note('deploy AnchorRegistry', anchors.deployment)
  const root = (n: number) => id(`root ${n}`)
  const graph = (n: number) => id(`graph ${n}`)
  const anchor = (links: readonly unknown[]) => anchors.send(sender, 'anchor', links)
  note('anchor, first of a graph', await anchor([[graph(0), root(0), ZeroHash, 256]]))
  note('anchor, later', await anchor([[graph(0), root(1), root(0), 256]]))
  const graphs = Array.from({ length: 10 }, (_, at) => at + 1)
  const ten = await anchor(graphs.map((at) => [graph(at), root(0), ZeroHash, 256]))
  note('anchor, ten graphs, first', ten)
  const later = await anchor(graphs.map((at) => [graph(at), root(1), root(0), 256]))
  note('anchor, ten graphs, later', later)
}

t.before(async () => {
  await measureKeys()
  await measureSigned()
  await measureAnchors()
})

t.test('the snapshot lists what is measured', async (t) => {
  t.same(Object.keys(snapshot).sort(), [...measured.keys()].sort())
})

t.test('every act costs what the snapshot says, within 5 %', async (t) => {
  for (const [name, gas] of measured) {
    const known = snapshot[name] ?? 0
    t.ok(gas <= known * 1.05, `${name}: ${gas} gas, ${known} in the snapshot`)
    t.ok(gas >= known * 0.95, `${name}: only ${gas} gas: lower the snapshot's ${known}`)
  }
})

t.test('a request fits what the gas station pays for at most', async (t) => {
  for (const [name, gas] of measured) {
    if (name.includes('Meta')) t.ok(gas < 400_000 / 2, `${name}: ${gas}`)
  }
})
