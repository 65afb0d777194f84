// Anchors of a server whose settings name another account, contract or chain than before: what was
// anchored elsewhere is not believed, all of it is anchored again, and found again on the way back.
// The log says so each time: it may be a mistake, and costs.

import { pino } from 'pino'
import t, { type Test } from 'tap'
import { deployContracts } from '../../../../src/chain/deploy.js'
import { openMemoryStore } from '../../../../src/store/memory.js'
import { AnchorRoom } from '../../../support/anchor-room.js'
import { chainOwner, chainStation, openChainRoom } from '../../../support/chain-room.js'
import { testWallet } from '../../../support/wallet.js'

type Environment = Readonly<Record<string, string>>

const another = testWallet('another owner')
const { chain, environment: base, server } = await openChainRoom(t, { fund: [another.address] })
const environment = {
  ...{ ...base, CHAIN_PRIVATE_KEY: chainOwner.privateKey, CHAIN_CONFIRMATIONS: '1' },
}

t.test('another key, another contract, another chain, and home again', async (t: Test) => {
  const { anchor: otherContract } = await deployContracts({
    ...{ provider: chain, chainId: chain.chainId, pollMs: 20 },
    ownerKey: another.privateKey,
    stationKey: chainStation.privateKey,
  })
  const { environment: elsewhere } = await openChainRoom(t, { chainId: 1_337 })
  const places: readonly [there: Environment, moved: object][] = [
    [{ CHAIN_PRIVATE_KEY: another.privateKey }, { anchoredBy: another.address }],
    [{ ANCHOR_CONTRACT_ADDRESS: otherContract }, { contract: otherContract }],
    [elsewhere, { chainId: 1_337 }],
  ]
  const store = openMemoryStore()
  const told: string[] = []
  const log = pino({ level: 'warn' }, { write: (line) => told.push(line) })
  const start = (there: Environment) =>
    AnchorRoom.open(t, { store, log, environment: { ...environment, ...there } })
  const home = await start({})
  const ids: string[] = []
  for (const text of ['one', 'two']) {
    ids.push(...(await home.remember('g', [text])))
    await home.anchor('g')
  }
  await home.anchoring.job.close()
  const [old] = await home.anchors('g')

  t.same(told, [])
  const lost = { verified: false, problem: 'root not found on chain' }
  for (const [there, moved] of places) {
    const away = await start(there)
    for (const id of ids) t.match(await away.verify('g', id), lost)
    t.match(await away.verifyGraph('g'), { ...lost, chainSequence: 0 })
    ids.push(...(await away.remember('g', [`in place ${ids.length}`])))
    await away.anchor('g')
    const anchors = await away.anchors('g')
    for (const anchor of anchors) t.match(anchor, { ...moved, status: 'confirmed' })
    t.match(anchors.at(-1), { seq: 1, prev: null })
    for (const id of ids) t.match(await away.verify('g', id), { verified: true })
    t.match(await away.verifyGraph('g'), { verified: true, sequence: anchors.length })
    await away.anchoring.job.close()
    t.match(
      told.splice(0).map((line) => JSON.parse(line)),
      [{ graph: 'g', anchors: anchors.length - 1, msg: /are sent again, which costs/ }],
    )
  }

  const sent = server.count('eth_sendRawTransaction')
  const back = await start({})
  await back.settle()
  for (const id of ids) t.match(await back.verify('g', id), { verified: true })
  const found = (await back.anchors('g'))[places.length]
  t.match(found, { seq: 2, tx: old?.tx, block: old?.block, anchoredAt: old?.anchoredAt })
  t.match(await back.verifyGraph('g'), { verified: true, sequence: 5 })
  t.equal(server.count('eth_sendRawTransaction'), sent + 1, 'those from abroad alone')
})
