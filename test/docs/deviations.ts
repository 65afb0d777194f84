// Where Sigil differs from the servers that it stands for, on purpose: the tables of
// docs/compatibility.md, each row with the tests that show it.

import { keyValueDeviations } from './key-value-deviations.js'
import { sqlDeviations } from './sql-deviations.js'

export interface Deviation {
  readonly topic: string
  readonly ours: string
  readonly peers: string
  /** Tests, from the root of the project. */
  readonly shown: readonly string[]
}

export interface Deviations {
  readonly title: string
  readonly rows: readonly Deviation[]
}

const documents: readonly Deviation[] = [
  {
    topic: 'natural order',
    ours: 'the order of `_id`; of capped collections that of insertion',
    peers: 'insertion order',
    shown: ['test/commands/find.test.ts', 'test/commands/capped.test.ts'],
  },
  {
    topic: 'explain, hints and definitions of a view',
    ours:
      'for who may not read its sources: the stage `VIEW` and the number of documents, no hint ' +
      'and no definition',
    peers: 'the plan over the collection below',
    shown: ['test/commands/closed-views.test.ts'],
  },
  {
    topic: 'changes by a key that may not read',
    ours:
      'by `_id` or of all documents, without pipelines, `arrayFilters` and `hint`; errors quote ' +
      'no stored value, and `nModified` is the number of documents matched',
    peers: 'any filter and update, errors as for everybody',
    shown: ['test/commands/blind-writes.test.ts'],
  },
  {
    topic: 'time-series collections',
    ours:
      'each measurement is stored by itself, in the order of insertion, with an index on its time ' +
      'that is not listed (`$time` in plans and sizes); expiry takes single measurements. ' +
      '`system.buckets.<name>` packs buckets when it is read (find, aggregate, count, distinct) ' +
      'and takes inserted ones apart; it is not listed or changed otherwise, and compressed ' +
      'buckets (`control.version` 2, 115) have to come by mongoexport and mongoimport',
    peers: 'measurements are packed into buckets, which expire as a whole',
    shown: ['test/commands/time-series.test.ts', 'test/commands/series-buckets.test.ts'],
  },
  {
    topic: 'names that are reserved',
    ours:
      'the databases `admin`, `config` and `local`, `system.*`, `_audit`, the parts of graphs ' +
      '(`memory.<graph>.nodes`, `.edges`, `.terms`, `.anchors`) and databases `w_0x…` other than ' +
      'homes: 73 InvalidNamespace',
    peers: '`system.*`; the three databases take collections',
    shown: ['test/engine/collection/catalog.test.ts', 'test/commands/insert.test.ts'],
  },
  {
    topic: 'texts that are no UTF-8',
    ours:
      'kept, compared and returned as their bytes; where a text is computed of one (operators on ' +
      'strings, patterns, collations, JSON, SQL), malformed bytes are U+FFFD. Names of fields are ' +
      'UTF-8 (22)',
    peers: 'bytes everywhere, in names of fields too',
    shown: ['test/end-to-end/malformed-texts.test.ts'],
  },
  {
    topic: 'sorts and groups beyond 100 MB',
    ours:
      'go to files in `<data>/spill`, at most 4 GiB a command; with `STORE=memory:` they are ' +
      'refused (292) whatever `allowDiskUse` says, and so is one partition of `$setWindowFields` ' +
      '(5414201)',
    peers: 'go to files wherever `allowDiskUse` lets them',
    shown: ['test/commands/spill.test.ts'],
  },
  {
    topic: '`convertToCapped` beside writers',
    ours:
      'copies while others write, begins again where they have, and gives up after five copies ' +
      '(117)',
    peers: 'holds them up',
    shown: ['test/engine/collection/capped.test.ts'],
  },
  {
    topic: 'authentication',
    ours:
      'users are `operator`, wallets with their keys ([keys](keys.md)), and service users that the ' +
      'operator makes ([users](users.md)), by SCRAM-SHA-256 or PLAIN (TLS or loopback only); ' +
      '`usersInfo` tells all but the operator of themselves alone, and never shows credentials',
    peers: 'users and roles in `admin`; SCRAM-SHA-1 too',
    shown: ['test/identity/login.test.ts', 'test/clients/wallet-logins.test.ts'],
  },
  {
    topic: 'mode `shared` in `DATABASE`',
    ours:
      'only the operator sets it (403/13, with a text that names the home of the wallet); a wallet ' +
      'sets it in its home, and what is shared already stays so ([rights](rights.md#spaces))',
    peers: 'the API document lets every owner set it',
    shown: ['test/authorization-spaces.test.ts'],
  },
  {
    topic: 'a changed password',
    ours: 'closes the connections of the user',
    peers: 'they go on until they end',
    shown: ['test/clients/service-users.test.ts'],
  },
  {
    topic: 'users and their roles',
    ours:
      'a user has `read`, `readWrite` and `dbAdmin` of its own database alone, for collections ' +
      'without a wallet as owner; there are none in `admin`; any other role is refused with 31, ' +
      '`authenticationRestrictions` and SCRAM-SHA-1 alone with 2',
    peers: "roles of any database, and roles of one's own making",
    shown: ['test/commands/users.test.ts', 'test/authorization-users.test.ts'],
  },
  {
    topic: '`saslSupportedMechs`',
    ours: 'always both mechanisms, for known and unknown users',
    peers: 'those of the user',
    shown: ['test/identity/login.test.ts'],
  },
  {
    topic: 'an index entry of more than 1,300 bytes',
    ours:
      'cut to a prefix and a hash, re-checked against the document; such an index gives no ' +
      'order',
    peers: 'kept whole',
    shown: ['test/engine/index/index-keys.test.ts'],
  },
  {
    topic: 'an `_id` of more than 512 encoded bytes',
    ours: 'cut to a prefix and a SHA-256, checked against the document',
    peers: 'kept whole',
    shown: ['test/engine/collection/collections.test.ts'],
  },
  {
    topic: 'a covered query',
    ours:
      'text, ids, dates, truths and binaries come from the index, for numbers and null the ' +
      'document is read: its type is not in the index. Missing fields stay missing',
    peers: 'all from the index; missing fields are null',
    shown: ['test/engine/plan/cover.test.ts'],
  },
  {
    topic: 'which plan',
    ours:
      'rules over the bounds; where they leave several, the first 64 documents of each ' +
      'decide, for 500 queries of the same shape',
    peers: 'trial runs, kept until they disappoint',
    shown: ['test/engine/plan/plan-choice.test.ts'],
  },
  {
    topic: 'documents of a TTL index',
    ours: 'looked for every 30 s, those past their time go until none is left',
    peers: 'every 60 s, in passes of bounded length',
    shown: ['test/engine/background/document-expiry.test.ts'],
  },
  {
    topic: 'a query that implies a partial filter',
    ours: 'also by the values of `$in`, by each branch of an `$or`, and by conditions beside it',
    peers: 'fewer forms, so that the plan may be another one',
    shown: ['test/engine/index/partial-indexes.test.ts'],
  },
  {
    topic: 'work of one document or value',
    ours:
      'a find, count, distinct or aggregate computes it for at most 30 s, or `maxTimeMS`, and in ' +
      '512 MiB; SQL expressions have about 14 ms, a write 30 ms, the reading of a request 15 ms: ' +
      'beyond it 50 MaxTimeMSExpired, for memory 146 ExceededMemoryLimit',
    peers: 'unbounded without maxTimeMS',
    shown: ['test/query/work.test.ts', 'test/commands/document/heavy-documents.test.ts'],
  },
  {
    topic: 'regular expressions',
    ours: 'linear time (RE2); look-around and back references are refused with 51091',
    peers: 'backtracking',
    shown: ['test/query/regex.test.ts'],
  },
  {
    topic: "one document's index entries",
    ours: 'at most 5,000 keys or 8 MiB in one write, else 257 TransactionTooLarge',
    peers: '16 MiB',
    shown: ['test/engine/index/index-upkeep.test.ts'],
  },
  {
    topic: "one document's entries in a wildcard index",
    ours: 'at most 4,900, else 201 CannotBuildIndexKeys',
    peers: 'at most 100,000',
    shown: ['test/commands/wildcard-indexes.test.ts'],
  },
  {
    topic: 'hashed indexes',
    ours: 'a hash of our own, which the bounds in explain show',
    peers: 'the hash that sharding uses',
    shown: ['test/commands/hashed-indexes.test.ts'],
  },
  {
    topic: '`min` and `max` of a find',
    ours: 'at most 1,268 bytes of key (480 for `_id`), and no hashed index (51174)',
    peers: 'any length; of a hashed index they are hashes',
    shown: ['test/commands/key-ranges.test.ts'],
  },
  {
    topic: '`returnKey` of strings under a collation',
    ours: 'refused with 115',
    peers: 'the bytes by which they compare',
    shown: ['test/commands/key-ranges.test.ts'],
  },
  {
    topic: '`$collStats` latencies, `top`',
    ours:
      'of the 1,000 collections used last, by name, since the start or the last drop; commands ' +
      'of the key-value protocol are not among them',
    peers: 'of every collection',
    shown: ['test/commands/namespace-use.test.ts'],
  },
  {
    topic: '`setParameter`',
    ours: '`cursorTimeoutMillis`, `ttlMonitorEnabled`; for others 20, unknown ones 72',
    peers: 'some hundreds',
    shown: ['test/commands/parameters.test.ts'],
  },
  {
    topic: 'filters and pipelines of very many clauses',
    ours:
      'conditions move in a pipeline, and branches of `$or` are planned, for a bounded number of ' +
      'steps: then they stay, or the collection is scanned',
    peers: 'bounds of its own on plans',
    shown: ['test/query/many-clauses.test.ts'],
  },
  {
    topic: '`$planCacheStats`',
    ours: "for a collection's owner: it tells the values of others' queries",
    peers: 'for who has the right planCacheRead',
    shown: ['test/commands/plan-cache.test.ts', 'test/authorization.test.ts'],
  },
  {
    topic: '`$percentile`, `$median`',
    ours: 'exact',
    peers: 'approximate for large inputs',
    shown: ['test/query/accumulators.test.ts'],
  },
  {
    topic: '`$merge` into a collection that the pipeline reads',
    ours: 'the pipeline is read to its end first',
    peers: 'may meet its own results',
    shown: ['test/commands/write-stages.test.ts'],
  },
  {
    topic: 'collation',
    ours: 'as ECMAScript Intl compares: strength 1 to 3, `numericOrdering`, `caseFirst`',
    peers: 'ICU with all its options',
    shown: ['test/commands/collation.test.ts'],
  },
  {
    topic: 'logarithms, trigonometry and fractional powers of decimals',
    ours: 'computed as doubles: 15 digits are right',
    peers: '34 digits',
    shown: ['test/query/expression-arithmetic.test.ts'],
  },
]

export const deviations: readonly Deviations[] = [
  { title: 'Documents', rows: documents },
  { title: 'Key-value', rows: keyValueDeviations },
  { title: 'SQL', rows: sqlDeviations },
]
