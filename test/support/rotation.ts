// Test files that take longest, by what they prove. A run of `npm test` takes one of the three parts
// of each set, as its seed says; `npm run test:long`, and so CI, takes all of them. What is cheap, the
// matrices of rights, and a client of each protocol are in no set: they run each time.

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
      ['store/power-cut'],
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
      ['end-to-end/backup'],
      ['cli/command-line', 'cli/spaces-move'],
      ['store/model-long', 'store/backup/backup', 'cli/check-read-only'],
    ],
  },
  {
    proves: 'the chain and its contracts',
    parts: [
      ['chain/registry/registry-remote', 'contracts/registry'],
      ['chain/sending/gas-station', 'chain/local/methods'],
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
      ['memory/proof/verdicts/tampering', 'memory/proof/verdicts/verdict', 'cli/verify'],
    ],
  },
  {
    proves: 'first steps: the package, the pages and the tour',
    parts: [
      ['end-to-end/package', 'docs/programs', 'end-to-end/tour-wallet'],
      ['docs/examples', 'end-to-end/tour'],
      ['end-to-end/start', 'cli/demo', 'cli/remember'],
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
        'commands/keyvalue/lists/list-middle',
      ],
      [
        ...['commands/keyvalue/large-atomic', 'commands/keyvalue/open-containers'],
        'commands/keyvalue/sorted-sets/sorted-set-sizes',
      ],
    ],
  },
  {
    proves: 'the length of turns',
    parts: [
      ['stall/queries'],
      ['stall/http', 'stall/frames'],
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
]

/** What a run leaves out of each set. */
export function leftOut(runSeed = seed, takesAll = isLong): readonly (readonly string[])[] {
  return heavySets.map(({ parts }) =>
    takesAll ? [] : parts.flatMap((part, at) => (at === runSeed % parts.length ? [] : part)),
  )
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
