// Test files that take longest, by what they prove. A run of `npm test` takes one of the three parts
// of every second set, as its seed says; `npm run test:long`, and so CI, takes all of them. What is
// cheap, the matrices of rights, and a client of each protocol are in no set: they run each time.

import { isLong, seed } from './seed.js'

export interface HeavySet {
  readonly proves: string
  /** Each takes about a third of the set's time. Names of files below test/. */
  readonly parts: readonly [readonly string[], readonly string[], readonly string[]]
}

export const heavySets: readonly HeavySet[] = [
  {
    proves: 'power cuts, kills and damaged files',
    parts: [
      ['store/power-cut', 'end-to-end/shared-jobs', 'end-to-end/shared-rights'],
      ['store/faults', 'store/page-flips', 'store/power-cut-simulator'],
      [
        ...['store/bit-flips', 'engine/check/check-keyspace', 'end-to-end/kill-keys'],
        ...['end-to-end/kill-memories', 'chain/sending/relay-kill'],
      ],
    ],
  },
  {
    proves: 'backups, long models and the command line',
    parts: [
      ['end-to-end/backup', 'store/backup/backup-format'],
      ['cli/command-line', 'cli/spaces-move', 'cli/spaces', 'store/backup/restore'],
      ['store/model-long', 'store/backup/backup', 'cli/check-read-only', 'cli/deploy'],
    ],
  },
  {
    proves: 'the chain and its contracts',
    parts: [
      ['chain/registry/registry-remote', 'contracts/registry'],
      [
        ...['chain/sending/gas-station', 'chain/local/methods', 'contracts/registry-model'],
        'contracts/validator',
      ],
      [
        ...['chain/local/giving-way', 'chain/local/open', 'chain/local/node'],
        ...['contracts/anchor', 'contracts/registry-authority'],
      ],
    ],
  },
  {
    proves: 'anchors and proofs of memories',
    parts: [
      [
        ...['memory/proof/anchors/anchor-costs', 'memory/proof/anchors/anchor-request'],
        ...['memory/proof/anchors/anchoring', 'memory/proof/anchors/anchoring-remote'],
      ],
      [
        ...['memory/proof/anchors/anchor-kill', 'memory/proof/anchors/anchor-moves'],
        ...['memory/proof/anchors/anchor-reorganisation', 'memory/proof/leaves/upgrade'],
      ],
      [
        ...['memory/proof/verdicts/tampering', 'memory/proof/verdicts/verdict', 'cli/verify'],
        'memory/proof/verdicts/graph-evidence',
      ],
    ],
  },
  {
    proves: 'first steps: the package, the pages and the tour',
    parts: [
      ['end-to-end/package', 'docs/programs', 'end-to-end/tour-wallet'],
      ['docs/examples', 'end-to-end/tour'],
      ['end-to-end/start', 'cli/demo', 'cli/remember', 'docs/where-things-go'],
    ],
  },
  {
    proves: 'logins and keys from end to end',
    parts: [
      ['end-to-end/login-shapes'],
      ['listeners/http/keys/auth-routes', 'end-to-end/key-routes'],
      ['listeners/other-protocol', 'end-to-end/key-secrecy'],
    ],
  },
  {
    proves: 'large key-value commands and containers',
    parts: [
      ['commands/keyvalue/large-at-once'],
      [
        ...['commands/keyvalue/hashes/hashes', 'commands/keyvalue/keys/key-moves'],
        ...['commands/keyvalue/lists/list-middle', 'commands/keyvalue/lists/list-sizes'],
        'bus/keyvalue/programs/optimistic-turns',
      ],
      [
        ...['commands/keyvalue/large-atomic', 'commands/keyvalue/open-containers'],
        ...[
          'commands/keyvalue/sorted-sets/sorted-set-sizes',
          'bus/keyvalue/programs/shared-writes',
        ],
      ],
    ],
  },
  {
    proves: 'the length of turns',
    parts: [
      ['stall/queries'],
      ['stall/http', 'stall/frames', 'stall/changes', 'stall/pages'],
      ['stall/expressions', 'stall/key-value', 'stall/sql'],
    ],
  },
  {
    proves: 'further clients',
    parts: [
      ['clients/database-tools'],
      ['clients/wallet-logins', 'clients/service-users'],
      ['clients/mongosh', 'clients/tailing'],
    ],
  },
  {
    proves: 'kills, outages and revocations of a running server',
    parts: [
      ['store/kill'],
      ['end-to-end/kill', 'end-to-end/revocation'],
      ['end-to-end/keys-recover', 'end-to-end/drop-loop', 'end-to-end/key-outage'],
    ],
  },
  {
    proves: 'the public tests of drivers with sessions',
    parts: [
      ['specs/sessions'],
      ['specs/transactions', 'clients/change-stream-clients'],
      ['specs/retryable-writes', 'specs/change-streams', 'clients/change-streams'],
    ],
  },
  {
    proves: 'histories and kills of transactions',
    parts: [
      ['end-to-end/histories/list-histories'],
      ['end-to-end/histories/exactly-once', 'clients/change-replay'],
      ['end-to-end/kill-transactions', 'end-to-end/histories/shared-histories'],
    ],
  },
  {
    proves: 'pages of the Studio',
    parts: [
      [
        ...['studio/access-page', 'studio/channels-page', 'studio/console-page'],
        ...['studio/editors', 'studio/keys-page', 'studio/transfer-page'],
      ],
      [
        ...['studio/browse-and-edit', 'studio/memory-page', 'studio/one-document'],
        ...['studio/operations-page', 'studio/shell'],
      ],
      [
        ...['studio/administration-page', 'studio/api-keys-page', 'studio/collection-views'],
        ...['studio/bounds', 'studio/start-page'],
      ],
    ],
  },
  {
    proves: 'gateways that share PostgreSQL',
    parts: [
      [
        ...['store/postgres/suites', 'store/postgres/dump', 'clients/lost-router'],
        'end-to-end/shared-limits',
      ],
      [
        ...['end-to-end/shared-waking', 'store/postgres/lost-connections'],
        ...['store/postgres/round-trips', 'store/postgres/tables-backup'],
      ],
      ['end-to-end/shared-messages', 'end-to-end/shared-http', 'store/copy/copy'],
    ],
  },
  {
    proves: 'fuzzers',
    parts: [['fuzz/wire-fuzz'], ['listeners/sql/fuzz'], ['commands/mutated']],
  },
  {
    proves: 'kinds of indexes and collections',
    parts: [
      ['engine/sources/pipeline-source'],
      ['engine/index/partial-indexes', 'commands/document/indexes/unique-changes'],
      ['commands/document/indexes/hashed-indexes', 'commands/document/collections/capped'],
    ],
  },
  {
    proves: 'heavy documents and sorts on disk',
    parts: [
      ['end-to-end/heavy-documents'],
      ['commands/document/reading/heavy-documents'],
      ['commands/document/reading/spill', 'query/detached'],
    ],
  },
  {
    proves: 'models of the memtable and of memories',
    parts: [
      ['store/memtable/memtable-model', 'memory/write/optimistic-batch'],
      ['memory/write/changes', 'store/checkpoint/checkpointer'],
      ['end-to-end/memory', 'bus/keyvalue/shared-databases'],
    ],
  },
  {
    proves: 'pages of other origins, replays and portals',
    parts: [
      ['listeners/http/core/other-origins'],
      ['listeners/http/core/replayed-rights'],
      ['listeners/sql/portals', 'end-to-end/quotas'],
    ],
  },
]

/** What a run leaves out of each set. */
export function leftOut(runSeed = seed, takesAll = isLong): readonly (readonly string[])[] {
  return heavySets.map(({ parts }, set) => {
    if (takesAll) return []
    const isTaken = (set + Math.floor(runSeed / parts.length)) % 2 === 0
    return parts.flatMap((part, at) => (isTaken && at === runSeed % parts.length ? [] : part))
  })
}

/** Says what a run leaves out, and how to run it. */
export function leftOutLines(runSeed = seed, takesAll = isLong): string[] {
  const lines = leftOut(runSeed, takesAll).flatMap((names, at) =>
    names.length === 0 ? [] : [`# LEFT OUT ${heavySets[at]?.proves}: ${names.join(', ')}`],
  )
  if (lines.length === 0) return []
  return [
    ...lines,
    `# SIGIL_SEED=${runSeed} leaves out the same. \`npm run test:long\` leaves out nothing;`,
    '# `npm test -- build/test/NAME.test.js` runs one file.',
  ]
}
