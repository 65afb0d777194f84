// kill -9 while blocks are made: every transaction that was acknowledged is in its block, with its
// receipt, and the chain goes on from there.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Wallet } from 'ethers'
import t, { type Test } from 'tap'
import { systemClock } from '../../../src/base/clock.js'
import { silentLog } from '../../../src/base/log.js'
import { openLocalChain } from '../../../src/chain/local/open.js'
import { runs } from '../../support/runs.js'

type Json = Record<string, unknown>

t.test('no acknowledged transaction is lost by kill -9', async (t) => {
  const parent = mkdtempSync(join(tmpdir(), 'sigil-chain-'))
  t.teardown(() => rmSync(parent, { recursive: true }))
  const folder = join(parent, 'chain')
  const wallet = new Wallet(Wallet.createRandom().privateKey)
  const told: string[] = []
  const rounds = runs(3)
  for (let round = 0; round < rounds; round++) {
    const before = told.length
    await work(folder, wallet.privateKey, told, before + 3 + 2 * (round % 4))
    await verify(t, folder, wallet.address, told)
  }
  t.ok(told.length >= 3 * rounds)
  t.equal(statSync(folder).mode & 0o777, 0o700)
  t.equal(statSync(join(folder, 'data.mdb')).mode & 0o777, 0o600)
})

/** Runs a child until so many were acknowledged, and kills it wherever it is then. */
async function work(folder: string, key: string, told: string[], enough: number): Promise<void> {
  const script = 'build/test/support/chain-child.js'
  const child = spawn(process.execPath, [script, folder, key], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  let text = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
    const lines = text.split('\n')
    text = lines.pop() ?? ''
    told.push(...lines)
    if (told.length >= enough) child.kill('SIGKILL')
  })
  const [, signal] = await ended
  if (signal !== 'SIGKILL') throw new Error(`the child ended by itself: ${signal}`)
}

async function verify(
  t: Test,
  folder: string,
  address: string,
  told: readonly string[],
): Promise<void> {
  const chain = await openLocalChain({
    ...{ folder, chainId: 31_337, fund: [], clock: systemClock, log: silentLog },
  })
  const request = (method: string, ...params: readonly unknown[]) =>
    chain.request({ method, params })
  for (const hash of told) {
    const receipt = (await request('eth_getTransactionReceipt', hash)) as Json | null
    if (receipt?.status !== '0x1') t.fail(`${hash} is lost`)
    const block = (await request('eth_getBlockByHash', receipt?.blockHash, false)) as Json | null
    const hashes = (block?.transactions ?? []) as string[]
    if (!hashes.includes(hash)) t.fail(`${hash} has no block`)
  }
  // Every block from the newest to the first is there, and counts what the sender has sent.
  let block = (await request('eth_getBlockByNumber', 'latest', false)) as Json
  let sent = 0
  while (Number(block.number) > 0) {
    sent += (block.transactions as string[]).length
    block = (await request('eth_getBlockByHash', block.parentHash, false)) as Json
  }
  t.equal(Number(await request('eth_getTransactionCount', address, 'latest')), sent)
  t.ok(sent >= told.length, `${told.length} of ${sent} were acknowledged`)
  await chain.close()
}
