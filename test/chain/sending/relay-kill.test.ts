// kill -9 of the process that relays, in the moment in which its transaction is written down and
// not yet at the node, and in the one in which it is there and not yet answered.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { systemClock } from '../../../src/base/clock.js'
import { silentLog } from '../../../src/base/log.js'
import { openLmdbStore } from '../../../src/store/lmdb.js'
import {
  type ChainRoom,
  chainStation,
  materialFor,
  openChainRoom,
  openClients,
  registerBySigning,
} from '../../support/chain-room.js'
import { temporaryFolder } from '../../support/stores.js'
import { testWallet } from '../../support/wallet.js'

const child = new URL('../../support/relay-child.js', import.meta.url)

/** Kills a relaying process once `method` was called, then opens on what it left behind. */
async function killAt(t: Test, room: ChainRoom, method: string) {
  const path = join(await temporaryFolder(t), 'store')
  const args = [child.pathname, path, JSON.stringify(room.environment)]
  const process = spawn(globalThis.process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(process, 'exit')
  let output = ''
  process.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  while (!output.includes('ready')) await once(process.stdout, 'data')
  await room.server.called(method)
  process.kill('SIGKILL')
  await ended
  t.notMatch(output, /done/)
  room.server.silent.clear()
  const store = await openLmdbStore({
    ...{ path, durability: 'interval', clock: systemClock, log: silentLog },
  })
  const opened = await openClients(t, room.environment, { store })
  t.teardown(() => store.close())
  await opened.registry.ready()
  return opened
}

for (const [name, method] of [
  ['before the node has it', 'eth_sendRawTransaction'],
  ['before its receipt is read', 'eth_getTransactionReceipt'],
] as const) {
  t.test(`a killed relay ends in exactly one registration: ${name}`, async (t) => {
    const room = await openChainRoom(t)
    room.server.silent.add(method)
    const { registry } = await killAt(t, room, method)
    const { address } = testWallet('killed')
    while ((await registry.account(address)).nextIndex === 0) {
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    t.match(await registry.getKey(address, 0), { ...materialFor('killed'), active: true })
    const next = await registerBySigning(registry, testWallet('killed'), materialFor('next'))
    t.equal(next.index, 1)
    const params = [chainStation.address, 'latest']
    const sent = await room.chain.request({ method: 'eth_getTransactionCount', params })
    t.equal(Number(sent), 2)
  })
}
