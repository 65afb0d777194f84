// LCS: the longest common subsequence of two strings. Its table has the product of their sizes, so
// long strings are refused.

import { emptySlice } from '../../../base/bytes/slice.js'
import { respBulkBytesMax } from '../../../base/limits/key-value.js'
import { refuse, syntaxError } from '../../../base/reply-error.js'
import type { KeyValueCall } from '../../../bus/keyvalue/call.js'
import { map, type Reply } from '../../../bus/keyvalue/reply.js'
import type { KeyValueRow } from '../../../bus/keyvalue/row.js'
import { CommonSubsequence } from '../../../engine/keyspace/strings/common-subsequence.js'

interface Options {
  wantsParts: boolean
  wantsLength: boolean
  tellsLengths: boolean
  shortest: number
}

function readOptions(call: KeyValueCall): Options {
  const options = { wantsParts: false, wantsLength: false, tellsLengths: false, shortest: 0 }
  for (let i = 3; i < call.count; i++) {
    if (call.is(i, 'idx')) options.wantsParts = true
    else if (call.is(i, 'len')) options.wantsLength = true
    else if (call.is(i, 'withmatchlen')) options.tellsLengths = true
    else if (call.is(i, 'minmatchlen') && i + 1 < call.count) options.shortest = call.integer(++i)
    else throw syntaxError()
  }
  if (options.wantsParts && options.wantsLength) {
    throw refuse('ERR If you want both the length and indexes, please just use IDX.')
  }
  return options
}

const lcs: KeyValueRow = {
  name: 'lcs',
  uses: 'RO access',
  grows: 'nothing',
  arity: -3,
  flags: ['readonly'],
  categories: ['string'],
  keys: [1, 2, 1],
  summary: 'Returns the longest sequence of bytes that two strings have in common.',
  since: '7.0.0',
  group: 'string',
  complexity: 'O(N*M) with strings of N and M bytes',
  syntax: 'key1 key2 [LEN] [IDX] [MINMATCHLEN len] [WITHMATCHLEN]',
  grain: 'read',
  *run(ks, call) {
    const keys = yield* ks.keys([call.arg(1), call.arg(2)])
    // Redis checks the types before the options.
    if (keys.some((key) => key.exists && key.type !== 'string')) {
      throw refuse('ERR The specified keys must contain string values')
    }
    const options = readOptions(call)
    const [a = emptySlice, b = emptySlice] = keys.map((key) =>
      key.exists ? key.text() : emptySlice,
    )
    if (CommonSubsequence.bytesFor(a, b) > respBulkBytesMax) {
      throw refuse('ERR Insufficient memory, transient memory for LCS exceeds proto-max-bulk-len')
    }
    const common = yield* CommonSubsequence.of(ks.tx, a, b)
    if (options.wantsLength) return common.length
    return options.wantsParts ? partsReply(common, options) : common.text()
  },
}

function partsReply(common: CommonSubsequence, { tellsLengths, shortest }: Options): Reply {
  const matches = common
    .parts()
    .filter((part) => part.length >= shortest)
    .map(({ a, b, length }) => (tellsLengths ? [a, b, length] : [a, b]))
  return map(['matches', matches, 'len', common.length])
}

export const lcsRows: readonly KeyValueRow[] = [lcs]
