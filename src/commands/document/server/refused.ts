// Commands that clients know and Sigil does not support. They are refused with the reason, which is
// clearer than an unknown name or an ok without effect. If a standalone MongoDB server also refuses
// one, the text is MongoDB's.

import { type CodeName, fail } from '../../../base/errors.js'
import { anyValue } from '../../../bus/document/params.js'
import { type DocumentRow, documentRow } from '../../../bus/document/row.js'
import { plain } from '../../../bus/policy/facts.js'

interface Refusal {
  readonly names: readonly string[]
  readonly aliases?: readonly string[]
  readonly code: CodeName
  readonly reason: (name: string) => string
  readonly adminOnly?: boolean
  readonly stable?: boolean
}

const searchText =
  'Using Atlas Search Database Commands and the $listSearchIndexes aggregation stage requires ' +
  'additional configuration. Please connect to Atlas or an AtlasCLI local deployment to enable.'

const refusals: readonly Refusal[] = [
  {
    names: [
      ...['replSetGetStatus', 'replSetGetConfig', 'replSetReconfig', 'replSetStepDown'],
      ...['replSetStepUp', 'replSetFreeze', 'replSetMaintenance', 'replSetSyncFrom'],
      ...['replSetAbortPrimaryCatchUp', 'replSetResizeOplog'],
    ],
    code: 'NoReplicationEnabled',
    reason: () => 'not running with --replSet',
    adminOnly: true,
  },
  {
    names: ['replSetInitiate'],
    code: 'NoReplicationEnabled',
    reason: () => 'This node was not started with replication enabled.',
    adminOnly: true,
  },
  {
    names: [
      ...['enableSharding', 'shardCollection', 'addShard', 'removeShard', 'moveChunk', 'split'],
      ...['reshardCollection', 'balancerStart', 'balancerStop'],
    ],
    code: 'CommandNotSupported',
    reason: (name) => `${name} is not supported: one server holds all collections`,
    adminOnly: true,
  },
  {
    names: ['fsyncUnlock'],
    code: 'IllegalOperation',
    reason: () => 'fsyncUnlock called when not locked',
    adminOnly: true,
  },
  {
    names: ['createSearchIndexes', 'updateSearchIndex', 'dropSearchIndex', 'listSearchIndexes'],
    code: 'SearchNotEnabled',
    reason: () => searchText,
  },
  {
    names: [
      ...['createRole', 'updateRole', 'dropRole'],
      ...['dropAllRolesFromDatabase', 'grantRolesToRole', 'revokeRolesFromRole'],
      ...['grantPrivilegesToRole', 'revokePrivilegesFromRole'],
    ],
    code: 'IllegalOperation',
    reason: (name) =>
      `${name} is not supported: service users have the built-in roles read, readWrite and ` +
      'dbAdmin (docs/users.md)',
  },
  {
    names: ['mapReduce'],
    aliases: ['mapreduce'],
    code: 'CommandNotSupported',
    reason: () => 'mapReduce is not supported: no JavaScript runs in the server; use aggregate',
  },
  {
    names: ['logRotate'],
    code: 'CommandNotSupported',
    reason: () => 'logRotate is not supported: the log goes to standard error',
    adminOnly: true,
  },
  {
    names: ['fsync'],
    code: 'CommandNotSupported',
    reason: () =>
      'fsync is not supported: what is written is synced as the setting DURABILITY says, and ' +
      '`sigil backup` needs no lock',
    adminOnly: true,
  },
  {
    names: ['reIndex'],
    code: 'CommandNotSupported',
    reason: () =>
      'reIndex is not supported: validate finds what is wrong with an index, dropIndexes and ' +
      'createIndexes make it anew',
  },
  {
    names: ['dbHash'],
    aliases: ['dbhash'],
    code: 'CommandNotSupported',
    reason: () => 'dbHash is not supported: there are no members of a set to compare',
  },
  {
    names: ['applyOps'],
    code: 'CommandNotSupported',
    reason: () => 'applyOps is not supported: there is no oplog whose entries it would apply',
  },
  {
    names: ['planCacheSetFilter'],
    code: 'CommandNotSupported',
    reason: (name) => `${name} is not supported: hide an index, or name one by hint`,
  },
]

export const refusedRows: readonly DocumentRow[] = refusals.flatMap(
  ({ names, aliases = [], code, reason, adminOnly, stable }) =>
    names.map((name) =>
      documentRow({
        name,
        ...plain,
        aliases,
        grain: 'local',
        access: 'identity',
        ...(adminOnly === undefined ? {} : { adminOnly }),
        ...(stable === undefined ? {} : { stable }),
        target: anyValue,
        params: {},
        ignoresUnknown: true,
        help: 'Refused; the reply gives the reason.',
        run: () => {
          throw fail(code, reason(name))
        },
      }),
    ),
)
