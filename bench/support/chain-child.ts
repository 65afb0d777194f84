// A process with a local chain and nothing else, so that what is measured is the chain's. `fill`
// registers 1,000 keys and writes down signed transactions; `measure` uses them: it needs no library
// of the main thread's to do so.

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PerformanceObserver } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '../../src/base/clock.js'
import { openLog } from '../../src/base/log.js'
import { keyRegistryArtifact } from '../../src/chain/artifacts/key-registry.js'
import { type LocalChain, openLocalChain } from '../../src/chain/local/open.js'
import { creationOf, loop } from '../../test/support/bytecode.js'
import { memoryOf } from './processes.js'
import { processorTime } from './thread-time.js'

export interface ChainReport {
  readonly openMs: number
  readonly answerMs: number
  readonly openedMB: number
  readonly mostMB: number
  readonly callMs: number
  readonly logsMs: number
  readonly blockMs: number
  readonly turnMs: number
  readonly gcMs: number
}

interface Work {
  readonly registry: string
  readonly loop: string
  /** Calldata of getKey, one a key. */
  readonly lookUps: readonly string[]
  /** Revocations, for each round those of other keys. */
  readonly rounds: readonly (readonly string[])[]
}

const wallets = 100
const keysOfWallet = 10
const chainId = 31_337
const fees = { type: 2, chainId, maxFeePerGas: 1_000_000n, maxPriorityFeePerGas: 0n }

const [, , mode, folder = '', round = '0'] = process.argv
const workFile = join(folder, 'work.json')

function openChain(): Promise<LocalChain> {
  const path = join(folder, 'chain')
  return openLocalChain({
    folder: path,
    chainId,
    fund: [],
    clock: systemClock,
    log: openLog('error'),
  })
}

async function fill(): Promise<void> {
  const { Interface, Wallet, getCreateAddress, id } = await import('ethers')
  const chain = await openChain()
  const send = (raw: string) => chain.request({ method: 'eth_sendRawTransaction', params: [raw] })
  const owner = new Wallet((await chain.keys()).owner)
  const contract = new Interface(keyRegistryArtifact.abi)
  const creation = keyRegistryArtifact.creationBytecode
  const stations = contract.encodeDeploy([owner.address, owner.address]).slice(2)
  const deployments = [`${creation}${stations}`, creationOf(loop)]
  for (const [nonce, data] of deployments.entries()) {
    await send(await owner.signTransaction({ ...fees, nonce, data, gasLimit: 3_000_000 }))
  }
  const registry = getCreateAddress({ from: owner.address, nonce: 0 })
  const people = Array.from({ length: wallets }, () => Wallet.createRandom())
  await Promise.all(people.map(({ address }) => chain.fund(address, 10n ** 18n)))
  const call = { ...fees, to: registry, gasLimit: 160_000 }
  const lookUps: string[] = []
  const rounds: string[][] = [[], [], []]
  for (let index = 0; index < keysOfWallet; index++) {
    const raws = people.map((one) => {
      const words = ['commitment', 'stored', 'server'].map((word) => id(`${word}${index}`))
      const data = contract.encodeFunctionData('registerKey', [index, ...words])
      lookUps.push(contract.encodeFunctionData('getKey', [one.address, index]))
      return one.signTransaction({ ...call, nonce: index, data })
    })
    await Promise.all(raws.map(async (raw) => send(await raw)))
  }
  for (const [place, raws] of rounds.entries()) {
    const data = contract.encodeFunctionData('revokeKey', [place])
    const nonce = keysOfWallet + place
    for (const one of people) raws.push(await one.signTransaction({ ...call, nonce, data }))
  }
  const work: Work = {
    registry,
    lookUps,
    rounds,
    loop: getCreateAddress({ from: owner.address, nonce: 1 }),
  }
  writeFileSync(workFile, JSON.stringify(work))
  await chain.close()
}

async function measure(): Promise<ChainReport> {
  const work = JSON.parse(readFileSync(workFile, 'utf8')) as Work
  const anon = () => memoryOf(process.pid).anon
  const before = anon()
  const started = performance.now()
  const chain = await openChain()
  const openMs = performance.now() - started
  const request = (method: string, ...params: readonly unknown[]) =>
    chain.request({ method, params })
  const getKey = (data: string | undefined) => request('eth_call', { to: work.registry, data })
  await getKey(work.lookUps[0])
  const answerMs = performance.now() - started
  const openedMB = anon() - before
  let mostMB = openedMB
  const probe = setInterval(() => {
    mostMB = Math.max(mostMB, anon() - before)
  }, 50)
  await sleep(200)
  const loopOf = watchLoop()
  const callMs = await timed(200, async (i) => getKey(work.lookUps[(i * 7) % work.lookUps.length]))
  const filter = { address: work.registry, fromBlock: '0x0', toBlock: 'latest' }
  const logsMs = await timed(5, () => request('eth_getLogs', filter))
  const raws = work.rounds[Number(round)] ?? []
  const send = (raw: string | undefined) => request('eth_sendRawTransaction', raw)
  const blockMs = await timed(5, (i) => send(raws[i]))
  const looping = { to: work.loop }
  await Promise.all([
    atOnce(32, raws.slice(5), send),
    atOnce(32, work.lookUps.slice(0, 300), getKey),
    atOnce(1, [1, 2, 3], () => request('eth_call', looping).catch(() => undefined)),
    atOnce(1, [1, 2, 3, 4, 5], () => request('eth_getLogs', filter)),
  ])
  const { turnMs, gcMs } = await loopOf()
  clearInterval(probe)
  await chain.close()
  return { openMs, answerMs, openedMB, mostMB, callMs, logsMs, blockMs, turnMs, gcMs }
}

async function atOnce<T>(
  count: number,
  items: readonly T[],
  run: (item: T) => Promise<unknown>,
): Promise<void> {
  const left = items.values()
  const work = async () => {
    for (const item of left) await run(item)
  }
  await Promise.all(Array.from({ length: count }, work))
}

async function timed(count: number, run: (i: number) => Promise<unknown>): Promise<number> {
  const started = performance.now()
  for (let i = 0; i < count; i++) await run(i)
  return (performance.now() - started) / count
}

/**
 * Watches from now on; answers the longest work of the main thread between two looks that were to
 * be 2 ms apart, less its collections, and the longest of those. Time on the processor: others use
 * the machine too.
 */
function watchLoop(): () => Promise<{ turnMs: number; gcMs: number }> {
  const turns: { readonly start: number; readonly end: number; readonly ms: number }[] = []
  const collections: { readonly start: number; readonly ms: number }[] = []
  const observer = new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) {
      collections.push({ start: startTime, ms: duration })
    }
  })
  observer.observe({ entryTypes: ['gc'] })
  let last = { at: performance.now(), used: processorTime() }
  const look = setInterval(() => {
    const now = { at: performance.now(), used: processorTime() }
    turns.push({ start: last.at, end: now.at, ms: now.used - last.used })
    last = now
  }, 2)
  return async () => {
    clearInterval(look)
    await sleep(50)
    observer.disconnect()
    const work = turns.map(({ start, end, ms }) => {
      const within = collections.filter((one) => one.start >= start && one.start < end)
      return within.reduce((left, one) => left - one.ms, ms)
    })
    return { turnMs: Math.max(0, ...work), gcMs: Math.max(0, ...collections.map(({ ms }) => ms)) }
  }
}

if (mode === 'fill') await fill()
else process.send?.(await measure())
process.disconnect?.()
