// eth_getLogs against a model: every log that the blocks told of, filtered by the words of the
// specification, one after the other.

import fc from 'fast-check'
import t, { type Test } from 'tap'
import { chainLogsMax } from '../../../src/base/limits/chain.js'
import { findLogs } from '../../../src/chain/local/logs.js'
import { type LogFilter, Params } from '../../../src/chain/local/params.js'
import type { Records } from '../../../src/chain/local/records.js'
import type { RpcLog } from '../../../src/chain/remote/provider.js'
import * as code from '../../support/bytecode.js'
import { FaultyStorage, type NodeRoom, openNodeRoom } from '../../support/local-node.js'
import { runs } from '../../support/runs.js'

const words = ['11', '22', '33'].map((byte) => byte.repeat(32))

interface Asked {
  readonly fromBlock?: string
  readonly toBlock?: string
  readonly blockHash?: string
  readonly address?: string | readonly string[]
  readonly topics?: readonly (string | null | readonly (string | null)[])[]
}

/** As the specification says it, without a thought for speed. */
function model(logs: readonly RpcLog[], asked: Asked, head: number): readonly RpcLog[] {
  const tag = (name: string | undefined) =>
    name === undefined || name === 'latest' ? head : name === 'earliest' ? 0 : Number(name)
  return logs.filter((log) => {
    const number = Number(log.blockNumber)
    const isThere =
      asked.blockHash === undefined
        ? number >= tag(asked.fromBlock) && number <= tag(asked.toBlock)
        : log.blockHash === asked.blockHash
    const addresses = asked.address === undefined ? [] : [asked.address].flat()
    const isOurs =
      addresses.length === 0 || addresses.some((one) => one.toLowerCase() === log.address)
    const topics = asked.topics ?? []
    const fits = topics.every((wanted, i) => {
      const topic = log.topics[i]
      if (topic === undefined) return false
      if (wanted === null) return true
      const choices = [wanted].flat()
      return choices.length === 0 || choices.includes(null) || choices.includes(topic)
    })
    return isThere && isOurs && fits
  })
}

/** Some blocks with some logs each, by contracts with 0 to 4 topics. */
async function fill(room: NodeRoom): Promise<{ contracts: string[]; logs: RpcLog[] }> {
  const deployments = [0, 1, 2, 3, 4].map((topics) =>
    room.sign(topics, {
      ...{ to: null, data: code.creationOf(code.logger(topics)), value: 0, gasLimit: 200_000 },
    }),
  )
  const hashes = await Promise.all(deployments.map(async (raw) => room.send(await raw)))
  const contracts: string[] = []
  for (const hash of hashes) {
    const receipt = await room.request('eth_getTransactionReceipt', hash)
    contracts.push((receipt as { contractAddress: string }).contractAddress)
  }
  let nonce = 5
  for (let block = 0; block < 8; block++) {
    const raws = Array.from({ length: block % 4 }, (_, i) => {
      const data = `0x${[0, 1, 2, 3].map((place) => words[(block + i * place) % 3]).join('')}`
      const to = contracts[(block + i) % 5]
      return room.sign(nonce++, { to, data, value: 0, gasLimit: 100_000 })
    })
    await Promise.all(raws.map(async (raw) => room.send(await raw)))
  }
  return { contracts, logs: room.blocks.flatMap(({ logs = [] }) => logs) }
}

function filters(contracts: readonly string[], head: number, hashes: readonly string[]) {
  const block = fc.oneof(
    fc.integer({ min: 0, max: head }).map((number) => `0x${number.toString(16)}`),
    fc.constantFrom('latest', 'earliest'),
  )
  const address = fc.constantFrom(...contracts, `0x${'99'.repeat(20)}`)
  const cased = address.chain((one) => fc.constantFrom(one, `0x${one.slice(2).toUpperCase()}`))
  const topic = fc.constantFrom(...words.map((word) => `0x${word}`), `0x${'99'.repeat(32)}`)
  const place = fc.oneof(
    fc.constant(null),
    topic,
    fc.array(fc.option(topic, { freq: 8 }), { maxLength: 3 }),
  )
  const what = {
    address: fc.oneof(cased, fc.array(cased, { maxLength: 3 })),
    topics: fc.array(place, { maxLength: 4 }),
  }
  return fc.oneof(
    fc.record({ fromBlock: block, toBlock: block, ...what }, { requiredKeys: [] }),
    fc.record({ blockHash: fc.constantFrom(...hashes), ...what }, { requiredKeys: ['blockHash'] }),
  )
}

t.test('eth_getLogs finds what a simple model finds, before and after a restart', async (t) => {
  const storage = new FaultyStorage()
  const room = openNodeRoom(t, storage)
  const { contracts, logs } = await fill(room)
  t.ok(logs.length > 8)
  await compare(t, room, contracts, logs)
  await room.node.close()
  await compare(t, openNodeRoom(t, storage, room.wallet), contracts, logs)
})

async function compare(
  t: Test,
  room: NodeRoom,
  contracts: readonly string[],
  logs: readonly RpcLog[],
): Promise<void> {
  const head = Number(await room.request('eth_blockNumber'))
  const hashes: string[] = []
  for (let number = 0; number <= head; number++) {
    const block = await room.request('eth_getBlockByNumber', `0x${number.toString(16)}`, false)
    hashes.push((block as { hash: string }).hash)
  }
  const property = fc.asyncProperty(filters(contracts, head, hashes), async (asked: Asked) => {
    const expected = model(logs, asked, head)
    const found = await room.request('eth_getLogs', asked).catch((error) => {
      if (/block range/.test(String(error))) return []
      throw error
    })
    return JSON.stringify(found) === JSON.stringify(expected)
  })
  await fc.assert(property, { numRuns: runs(300) })
  t.pass('compared')
}

t.test('too many results, and too many blocks, are refused', async (t) => {
  const log = { address: '0x', topics: [], data: '0x' } as unknown as RpcLog
  const full = { logs: () => Array(100).fill(log) } as unknown as Records
  const filter = readFilter({})
  await t.rejects(findLogs(full, filter, 0, 20), {
    code: -32005,
    message: `query returned more than ${chainLogsMax} results`,
  })
  t.equal((await findLogs(full, filter, 0, 19)).length, chainLogsMax)
  await t.rejects(findLogs(full, filter, 0, 10_000), {
    code: -32602,
    message: 'exceed maximum block range: 10000',
  })
  const empty = { logs: () => [] } as unknown as Records
  t.same(await findLogs(empty, filter, 0, 9_999), [])
})

function readFilter(value: unknown): LogFilter {
  return new Params([value], 1).filter(0)
}
