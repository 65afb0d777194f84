// Finds logs by address and topics in a range of blocks. The work of one request is bounded, and
// other work runs in between.

import { setImmediate as breath } from 'node:timers/promises'
import { chainLogBlocksMax, chainLogsMax } from '../../base/limits/chain.js'
import { RpcError, type RpcLog, rpcCodes } from '../remote/provider.js'
import { invalidParams, type LogFilter } from './params.js'
import type { Records } from './records.js'

const blocksPerBreath = 200

/** In order of block and position. Throws RpcError if the range or the result is too large. */
export async function findLogs(
  records: Records,
  filter: LogFilter,
  from: number,
  to: number,
): Promise<readonly RpcLog[]> {
  if (to - from >= chainLogBlocksMax) {
    throw invalidParams(`exceed maximum block range: ${chainLogBlocksMax}`)
  }
  const found: RpcLog[] = []
  for (let number = from; number <= to; number++) {
    for (const log of records.logs(number)) if (matches(log, filter)) found.push(log)
    if (found.length > chainLogsMax) {
      const text = `query returned more than ${chainLogsMax} results`
      throw new RpcError(rpcCodes.limitExceeded, text)
    }
    if ((number - from) % blocksPerBreath === blocksPerBreath - 1) await breath()
  }
  return found
}

function matches({ address, topics }: RpcLog, filter: LogFilter): boolean {
  if (filter.addresses.size > 0 && !filter.addresses.has(address)) return false
  if (filter.topics.length > topics.length) return false
  return filter.topics.every((wanted, i) => wanted === undefined || wanted.has(topics[i] ?? ''))
}
