// Test files that take longest, by what they prove. A run of `npm test` takes one of the three parts
// of every third set, as its seed says; `npm run test:long`, and so CI, takes all of them. What is
// cheap, the matrices of rights, and a client of each protocol are in no set: they run each time.
// The order of sets and parts is such that each of the nine runs takes about as long.

import { isLong, seed } from './seed.js'

export interface HeavySet {
  readonly proves: string
  /** Names of files below test/. */
  readonly parts: readonly [readonly string[], readonly string[], readonly string[]]
}

/** A run takes a part of each such set. */
const everySet = 3

export const heavySets: readonly HeavySet[] = [
  {
    proves: 'chance runs beside reference servers',
    parts: [
      ['engine/index/wildcard-differential', 'listeners/resp/blocking-pipelines'],
      ['commands/keyvalue/differential'],
      [
        'listeners/sql/sql-differential',
        'commands/sql/change/change-differential',
        'listeners/sql/types-differential',
      ],
    ],
  },
  {
    proves: 'kinds of indexes and collections',
    parts: [
      [
        'engine/index/partial-indexes',
        'commands/document/indexes/unique-changes',
        'engine/sources/known-firsts',
      ],
      ['engine/sources/pipeline-source'],
      ['commands/document/indexes/hashed-indexes', 'commands/document/collections/capped'],
    ],
  },
  {
    proves: 'logins and keys from end to end',
    parts: [
      [
        'listeners/other-protocol',
        'end-to-end/key-secrecy',
        'end-to-end/key-analytics',
        'end-to-end/second-sigil',
      ],
      ['listeners/http/keys/auth-routes', 'end-to-end/key-routes'],
      ['end-to-end/login-shapes', 'identity/sign-in/signature-check'],
    ],
  },
  {
    proves: 'power cuts and damaged files',
    parts: [
      ['store/bit-flips', 'engine/check/check-keyspace'],
      ['store/faults', 'store/page-flips', 'store/power-cut-simulator'],
      ['store/power-cut'],
    ],
  },
  {
    proves: 'further clients',
    parts: [
      [
        'clients/wallet-logins',
        'clients/service-users',
        'clients/busy-documents',
        'clients/mongosh',
      ],
      ['clients/tailing'],
      ['clients/database-tools'],
    ],
  },
  {
    proves: 'models of the memtable and of memories',
    parts: [
      ['memory/write/changes', 'store/checkpoint/checkpointer', 'memory/proof/leaves/graph-moves'],
      [
        'store/memtable/memtable-model',
        'memory/write/optimistic-batch',
        'memory/model',
        'memory/proof/leaves/merkle',
      ],
      ['end-to-end/memory', 'bus/keyvalue/shared-databases'],
    ],
  },
  {
    proves: 'the length of turns',
    parts: [
      ['stall/frames', 'stall/pages'],
      ['stall/queries', 'stall/http', 'stall/changes'],
      ['stall/expressions', 'stall/key-value', 'stall/sql'],
    ],
  },
  {
    proves: 'histories and kills of transactions',
    parts: [
      ['end-to-end/histories/list-histories'],
      [
        'end-to-end/kill-transactions',
        'end-to-end/histories/shared-histories',
        'end-to-end/histories/register-histories',
      ],
      ['end-to-end/histories/exactly-once', 'clients/change-replay'],
    ],
  },
  {
    proves: 'anchors and proofs of memories',
    parts: [
      [
        'memory/proof/verdicts/tampering',
        'memory/proof/verdicts/verdict',
        'cli/verify',
        'memory/proof/verdicts/graph-evidence',
      ],
      [
        'memory/proof/anchors/anchor-kill',
        'memory/proof/anchors/anchor-moves',
        'memory/proof/anchors/anchor-reorganisation',
      ],
      [
        'memory/proof/anchors/anchor-costs',
        'memory/proof/anchors/anchor-request',
        'memory/proof/anchors/anchoring',
        'memory/proof/anchors/anchoring-remote',
        'memory/proof/leaves/upgrade',
      ],
    ],
  },
  {
    proves: 'heavy documents and sorts on disk',
    parts: [
      ['commands/document/reading/heavy-documents'],
      ['end-to-end/heavy-documents'],
      ['commands/document/reading/spill', 'query/detached'],
    ],
  },
  {
    proves: 'gateways that share PostgreSQL',
    parts: [
      [
        'end-to-end/shared-messages',
        'end-to-end/shared-http',
        'store/copy/copy',
        'store/postgres/numbers',
        'store/postgres/notices',
        'store/postgres/caution',
        'commands/gateways',
      ],
      [
        'store/postgres/suites',
        'store/postgres/dump',
        'clients/lost-router',
        'end-to-end/shared-limits',
      ],
      [
        'end-to-end/shared-waking',
        'store/postgres/lost-connections',
        'store/postgres/round-trips',
        'store/postgres/tables-backup',
        'store/postgres/majors',
      ],
    ],
  },
  {
    proves: 'backups, long models and the command line',
    parts: [
      ['store/model-long', 'store/backup/backup', 'cli/check-read-only', 'cli/deploy'],
      ['end-to-end/backup', 'store/backup/backup-format'],
      ['cli/command-line', 'cli/spaces-move', 'cli/spaces', 'store/backup/restore'],
    ],
  },
  {
    proves: 'pages of the Studio that show data',
    parts: [
      ['studio/memory-page', 'studio/collection-views'],
      ['studio/keys-page', 'studio/editors', 'studio/lib/show-as/show'],
      ['studio/browse-and-edit', 'studio/one-document', 'studio/shell', 'studio/console-page'],
    ],
  },
  {
    proves: 'large key-value commands and containers',
    parts: [
      [
        'commands/keyvalue/hashes/hashes',
        'commands/keyvalue/keys/key-moves',
        'commands/keyvalue/lists/list-middle',
        'commands/keyvalue/lists/list-sizes',
        'bus/keyvalue/programs/optimistic-turns',
      ],
      ['commands/keyvalue/large-at-once'],
      [
        'commands/keyvalue/large-atomic',
        'commands/keyvalue/open-containers',
        'commands/keyvalue/sorted-sets/sorted-set-sizes',
        'bus/keyvalue/programs/shared-writes',
      ],
    ],
  },
  {
    proves: 'outages and revocations of a running server',
    parts: [
      ['end-to-end/drop-loop', 'end-to-end/key-outage'],
      ['end-to-end/revocation'],
      ['end-to-end/keys-recover'],
    ],
  },
  {
    proves: 'kills beside work',
    parts: [
      ['end-to-end/kill-keys'],
      [
        'end-to-end/shared-jobs',
        'end-to-end/shared-rights',
        'chain/sending/relay-kill',
        'store/kill',
        'end-to-end/kill',
      ],
      ['end-to-end/kill-memories'],
    ],
  },
  {
    proves: 'the chain and its contracts',
    parts: [
      [
        'chain/local/giving-way',
        'chain/local/open',
        'chain/local/node',
        'contracts/anchor',
        'contracts/registry-authority',
        'chain/registry/registry-local',
        'contracts/registry-signed',
      ],
      [
        'chain/sending/gas-station',
        'chain/local/methods',
        'contracts/registry-model',
        'contracts/validator',
        'chain/local/growth',
        'chain/local/kill',
      ],
      [
        'chain/registry/registry-remote',
        'contracts/registry',
        'contracts/artifacts',
        'chain/local/one-gateway',
      ],
    ],
  },
  {
    proves: 'fuzzers',
    parts: [['fuzz/wire-fuzz'], ['commands/mutated'], ['listeners/sql/fuzz']],
  },
  {
    proves: 'streams, other origins, replays and portals',
    parts: [
      ['listeners/sql/portals', 'end-to-end/quotas'],
      ['listeners/http/core/other-origins', 'listeners/http/documents/change-routes'],
      ['listeners/http/core/replayed-rights', 'listeners/sql/notifications'],
    ],
  },
  {
    proves: 'pages of the Studio that sign in and operate',
    parts: [
      ['studio/access-page', 'studio/channels-page', 'studio/transfer-page'],
      ['studio/administration-page', 'studio/api-keys-page', 'studio/operations-page'],
      ['studio/bounds', 'studio/start-page', 'studio/sign-in', 'studio/live-tabs'],
    ],
  },
  {
    proves: 'first steps: the package, the pages and the tour',
    parts: [
      ['end-to-end/start', 'cli/demo', 'cli/remember', 'docs/where-things-go'],
      ['end-to-end/package', 'docs/programs', 'end-to-end/tour-wallet', 'end-to-end/tour'],
      ['docs/examples'],
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
    proves: 'bounds of long work',
    parts: [
      ['commands/keyvalue/beside-writers', 'bus/keyvalue/gathered-memory'],
      ['end-to-end/hidden-classes'],
      ['engine/plan/long-lists', 'query/stages/long-results'],
    ],
  },
  {
    proves: 'programs over PostgreSQL, rows and joins',
    parts: [
      [
        'store/postgres/reads/read-groups',
        'store/postgres/transactions-of-commands',
        'store/postgres/between',
        'store/postgres/long-programs',
      ],
      ['listeners/replies-at-once', 'listeners/sql/rows'],
      ['engine/sources/joins', 'query/work', 'engine/modify/modify'],
    ],
  },
  {
    proves: 'tools of others, and mutated statements and requests',
    parts: [
      ['specs/unified'],
      ['clients/compass', 'clients/applications'],
      [
        'commands/sql/mutated',
        'listeners/http/core/mutated-requests',
        'commands/sql/select/list-states',
        'engine/awaiting',
      ],
    ],
  },
]

/** What a run leaves out of each set. */
export function leftOut(runSeed = seed, takesAll = isLong): readonly (readonly string[])[] {
  return heavySets.map(({ parts }, set) => {
    if (takesAll) return []
    const isTaken = (set + Math.floor(runSeed / parts.length)) % everySet === 0
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
