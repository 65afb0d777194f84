// Anchoring on a chain behind JSON-RPC: its confirmations, its budget, anchors of others, a node
// that lies alone, one that falls silent, and a start on an empty store.
// (docs/chain.md, "What anchoring costs")

import { Interface, ZeroHash } from 'ethers'
import t from 'tap'
import { anchorRegistryAbi } from '../../../../src/chain/artifacts/anchor-registry.js'
import { graphKey } from '../../../../src/memory/graph/graph-key.js'
import { memoryLeaf } from '../../../../src/memory/proof/leaves/leaf.js'
import { memoryHash } from '../../../../src/memory/proof/leaves/memory-hash.js'
import { merkleRoot } from '../../../../src/memory/proof/leaves/merkle.js'
import { AnchorRoom } from '../../../support/anchor-room.js'
import {
  chainOwner,
  openChainRoom,
  openClients,
  refusal,
  sendDirectly,
} from '../../../support/chain-room.js'
import { testWallet } from '../../../support/wallet.js'

const contract = new Interface(anchorRegistryAbi)
const otherWallet = testWallet('another anchorer')
const chainRoom = await openChainRoom(t, { fund: [otherWallet.address] })
const { chain, deployed, server } = chainRoom
const environment = {
  ...chainRoom.environment,
  CHAIN_PRIVATE_KEY: chainOwner.privateKey,
  CHAIN_CONFIRMATIONS: '1',
}
const room = await AnchorRoom.open(t, { environment })

t.test('an anchor on a chain behind JSON-RPC is found again by its time alone', async (t) => {
  const [id = ''] = await room.remember('remote', ['one'])
  await room.anchor('remote')
  const [anchor] = await room.anchors('remote')
  t.match(anchor, { status: 'confirmed', anchoredBy: chainOwner.address, chainId: 31_337 })
  t.equal(anchor?.contract, deployed.anchor)
  await sendDirectly(chain, { by: otherWallet, to: otherWallet.address, data: '0x' })
  for (const block of [null, 0, (anchor?.block ?? 0) + 1, 1e9]) {
    await room.tamper('remote', 'anchors', anchor?.id ?? '', (fields) => ({ ...fields, block }))
    t.match(await room.verify('remote', id), { verified: true, txHash: anchor?.tx })
  }
})

t.test("what another account has anchored is not ours, even under our graph's key", async (t) => {
  const [id = ''] = await room.remember('foreign', ['true'])
  await room.anchor('foreign')
  const [anchor] = await room.anchors('foreign')
  const key = await room.inGraph('foreign', function* (_, graph) {
    return graphKey(graph)
  })
  let hash = ''
  await room.tamper('foreign', 'nodes', id, (fields) => {
    const createdAt = Number(fields.createdAt)
    hash = memoryHash({ graph: 'foreign', id, text: 'forged', entities: [], createdAt })
    return { ...fields, text: 'forged', hash }
  })
  const leaf = memoryLeaf(key, id, hash)
  const root = merkleRoot([leaf]) ?? ''
  const data = contract.encodeFunctionData('anchor', [[[key, root, ZeroHash, 1]]])
  const receipt = await sendDirectly(chain, { by: otherWallet, to: deployed.anchor, data })
  t.equal(Number(receipt.status), 1)
  await room.tamperBatch('foreign', anchor?.id ?? '', (fields) => ({ ...fields, hashes: [leaf] }))
  const tx = receipt.transactionHash
  const anchoredBy = otherWallet.address
  const forged = { root, tx, anchoredBy, block: Number(receipt.blockNumber) }
  await room.tamper('foreign', 'anchors', anchor?.id ?? '', (fields) => ({ ...fields, ...forged }))
  t.match(await room.verify('foreign', id), {
    ...{ verified: false, hashValid: true, anchored: true, proofValid: true, onChain: false },
    ...{ problem: 'root not found on chain', txHash: null, anchoredBy: null },
  })
})

t.test('an anchor counts once it is as deep as CHAIN_CONFIRMATIONS asks', async (t) => {
  const deep = { ...environment, CHAIN_CONFIRMATIONS: '2' }
  const patient = await AnchorRoom.open(t, { environment: deep })
  const [id = ''] = await patient.remember('deep', ['one'])
  await patient.anchor('deep')
  const [sent] = await patient.anchors('deep')
  t.match(sent, { status: 'submitted', tx: /^0x[0-9a-f]{64}$/ })
  t.match(await patient.verify('deep', id), { verified: false, problem: 'not anchored yet' })
  await patient.settle()
  t.match(await patient.anchors('deep'), [{ status: 'submitted', tx: sent?.tx }], 'sent once')
  await sendDirectly(chain, { by: otherWallet, to: otherWallet.address, data: '0x' })
  while ((await patient.anchors('deep'))[0]?.status !== 'confirmed') await patient.settle()
  t.match(await patient.verify('deep', id), { verified: true, txHash: sent?.tx })
})

t.test('beyond the budget of the day nothing is sent, and the anchor says so', async (t) => {
  const poor = await AnchorRoom.open(t, {
    environment: { ...environment, ANCHOR_DAILY_BUDGET: '0' },
  })
  await poor.remember('poor', ['one'])
  const before = server.count('eth_sendRawTransaction')
  await poor.anchor('poor')
  const error = 'the anchoring budget of the day is used up'
  t.match(await poor.anchors('poor'), [{ status: 'pending', attempts: 1, error }])
  t.equal(server.count('eth_sendRawTransaction'), before)
})

t.test('a node that falls silent is unreachable, after a while and for a while', async (t) => {
  const [id = ''] = await room.remember('silent', ['one'])
  await room.anchor('silent')
  const proofs = room.proofs(room.chain, { waitMs: 200 })
  server.silent.add('eth_call')
  const asked = await Promise.all([
    room.verify('silent', id, proofs),
    room.verify('silent', id, proofs),
  ])
  for (const verdict of asked) {
    t.match(verdict, { hashValid: true, anchored: true, proofValid: true, onChain: false })
    t.match(verdict, { problem: 'chain unreachable', anchoredAt: Number })
  }
  const before = server.count('eth_call')
  t.match(await room.verify('silent', id, proofs), { problem: 'chain unreachable' })
  t.equal(server.count('eth_call'), before, 'it is not asked again at once')
  server.silent.clear()
  t.ok((await room.verify('silent', id)).verified)
})

t.test('of two nodes that must agree, one that invents a root is not believed', async (t) => {
  const [id = ''] = await room.remember('lied', ['one'])
  await room.anchor('lied')
  const both = `${server.url()},${server.url('localhost')}`
  const quorum = { ...environment, CHAIN_RPC_URL: both, CHAIN_QUORUM: '2' }
  const wary = await AnchorRoom.open(t, { environment: quorum, store: room.store })
  t.ok((await wary.verify('lied', id)).verified)
  let turn = 0
  server.lie = async ({ method }, honest) => {
    const answer = await honest()
    const isLie = method === 'eth_call' && ++turn % 2 === 0
    return isLie ? `0x${'00'.repeat(31)}01`.padEnd(2 + 4 * 64, '0') : answer
  }
  t.match(await wary.verify('lied', id), { onChain: false, problem: 'chain unreachable' })
  server.lie = undefined
})

t.test('without a contract or a key there is no chain to anchor on', async (t) => {
  for (const name of ['CHAIN_PRIVATE_KEY', 'ANCHOR_CONTRACT_ADDRESS'] as const) {
    const { anchors } = await openClients(t, { ...environment, [name]: '' })
    t.equal(anchors.isConfigured, false, name)
    await t.rejects(anchors.client(), refusal('CHAIN_UNAVAILABLE'))
  }
})
