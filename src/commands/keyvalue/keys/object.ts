// OBJECT: what Redis reports about the storage of a key. Sigil stores no reference count and no
// last use, so it reports the values of a new key in Redis.

import { refuse } from '../../../base/reply-error.js'
import type { Reply } from '../../../bus/keyvalue/reply.js'
import type { KeyValueRow } from '../../../bus/keyvalue/row.js'
import { encodingOf } from '../../../engine/keyspace/keys/encoding.js'
import type { Key } from '../../../engine/keyspace/keys/key.js'
import type { Keyspace } from '../../../engine/keyspace/keyspace.js'
import { parseInt64 } from '../../../engine/keyspace/strings/numbers.js'
import { Done } from '../../../store/steps.js'
import type { Step } from '../../../store/store.js'
import { helpReply } from '../server/help.js'

const object: KeyValueRow = {
  name: 'object',
  grows: 'nothing',
  arity: -2,
  flags: [],
  categories: [],
  summary: 'Tells how a key is kept.',
  since: '2.2.3',
  group: 'generic',
  complexity: 'Depends on the subcommand',
  syntax: '',
  grain: 'container',
}

/** The row of a subcommand about one key; nil if the key is missing. */
function about(
  name: string,
  since: string,
  summary: string,
  answer: (ks: Keyspace, key: Key) => Step<Reply>,
): KeyValueRow {
  return {
    name: `object|${name}`,
    uses: 'RO',
    grows: 'nothing',
    since,
    summary,
    arity: 3,
    flags: ['readonly'],
    categories: ['keyspace'],
    keys: [2, 2, 1],
    group: 'generic',
    complexity: 'O(1)',
    syntax: 'key',
    tips: ['nondeterministic_output'],
    grain: 'read',
    *run(ks, call) {
      const key = yield* ks.key(call.arg(2))
      return key.exists ? yield* answer(ks, key) : null
    },
  }
}

/** Redis shares the objects of integers below the first; their reference count is the second. */
const sharedIntegers = 10_000
const sharedCount = 2 ** 31 - 1

const noFrequency =
  'ERR An LFU maxmemory policy is not selected, access frequency not tracked. Please note that ' +
  'when switching between policies at runtime LRU and LFU data will take some time to adjust.'

function referencesOf(_ks: Keyspace, key: Key): Step<Reply> {
  if (key.type !== 'string') return new Done(1)
  const { bytes, start, end } = key.text()
  const value = parseInt64(bytes, start, end)
  const isShared = typeof value === 'number' && value >= 0 && value < sharedIntegers
  return new Done(isShared ? sharedCount : 1)
}

const help: KeyValueRow = {
  name: 'object|help',
  grows: 'nothing',
  arity: 2,
  flags: ['loading', 'stale'],
  categories: ['keyspace'],
  summary: 'Lists the subcommands.',
  since: '6.2.0',
  group: 'generic',
  complexity: 'O(1)',
  syntax: '',
  grain: 'local',
  run: () => helpReply('object'),
}

export const objectRows: readonly KeyValueRow[] = [
  object,
  about('encoding', '2.2.3', 'Returns the encoding that Redis would use.', encodingOf),
  about('refcount', '2.2.3', 'Returns the reference count that Redis would report.', referencesOf),
  about('idletime', '2.2.3', 'Returns 0: the time of use is not stored.', () => new Done(0)),
  about('freq', '4.0.0', 'Refuses, like Redis without an LFU policy.', refuseFrequency),
  help,
]

function refuseFrequency(): never {
  throw refuse(noFrequency)
}
