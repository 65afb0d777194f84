// Commands that clients know and this server does not offer: refused with the reason, which is
// better than a name that looks unknown, and far better than an ok that does nothing.

import { type CodeName, fail } from '../../base/errors.js'
import { anyValue } from '../../bus/params.js'
import { type DocumentRow, documentRow } from '../../bus/row.js'

interface Refusal {
  readonly name: string
  readonly aliases?: readonly string[]
  readonly code: CodeName
  readonly reason: string
}

const noReplication = {
  code: 'NoReplicationEnabled',
  reason: 'not running with --replSet',
} as const

const refusals: readonly Refusal[] = [
  { name: 'replSetGetStatus', ...noReplication },
  { name: 'replSetGetConfig', ...noReplication },
  { name: 'replSetInitiate', ...noReplication },
  {
    name: 'setParameter',
    code: 'CommandNotSupported',
    reason: 'setParameter is not supported: settings are read at start (see `sigil config`)',
  },
  {
    name: 'mapReduce',
    aliases: ['mapreduce'],
    code: 'CommandNotSupported',
    reason: 'mapReduce is not supported: no JavaScript runs in the server; use aggregate',
  },
  {
    name: 'commitTransaction',
    code: 'IllegalOperation',
    reason: 'Transaction numbers are only allowed on a replica set member or mongos',
  },
  {
    name: 'abortTransaction',
    code: 'IllegalOperation',
    reason: 'Transaction numbers are only allowed on a replica set member or mongos',
  },
]

export const refusedRows: readonly DocumentRow[] = refusals.map(
  ({ name, aliases = [], code, reason }) =>
    documentRow({
      name,
      aliases,
      grain: 'local',
      access: 'identity',
      target: anyValue,
      params: {},
      ignoresUnknown: true,
      help: 'Refused: the reply tells why.',
      run: () => {
        throw fail(code, reason)
      },
    }),
)
