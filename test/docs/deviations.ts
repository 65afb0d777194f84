// Where Sigil differs from the reference servers on purpose: the tables of docs/compatibility.md,
// each row with the tests that show it.

import { keyValueDeviations } from './key-value-deviations.js'
import { sqlDeviations } from './sql-deviations.js'

export interface Deviation {
  readonly topic: string
  readonly ours: string
  readonly references: string
  /** Tests, from the root of the project. */
  readonly shown: readonly string[]
}

interface Deviations {
  readonly title: string
  readonly rows: readonly Deviation[]
}

const documents: readonly Deviation[] = [
  {
    topic: 'natural order',
    ours: 'the order of `_id`; in capped collections insertion order',
    references: 'insertion order',
    shown: [
      'test/commands/document/reading/find.test.ts',
      'test/commands/document/collections/capped.test.ts',
    ],
  },
  {
    topic: 'explain, hints and definitions of a view',
    ours:
      'for readers without a right to its sources: the stage `VIEW` and the number of ' +
      'documents, no hint and no definition',
    references: 'the plan over the collection below',
    shown: ['test/commands/document/reading/closed-views.test.ts'],
  },
  {
    topic: 'changes by a key that may not read',
    ours:
      'by `_id` or of all documents, without pipelines, `arrayFilters` and `hint`; errors ' +
      'quote no stored value, and `nModified` is the number of matched documents',
    references: 'any filter and update, the same errors for all',
    shown: ['test/commands/document/writing/blind-writes.test.ts'],
  },
  {
    topic: 'transactions',
    ours:
      'hold no locks. The first to commit wins, and a plain write is never kept waiting; a ' +
      'conflict with an open transaction shows at its commit. 60 s, 200,000 changes, 64 MiB',
    references: 'a change of a document conflicts with every open transaction that has changed it',
    shown: ['test/commands/document/sessions/transactions-task.test.ts'],
  },
  {
    topic: '`readConcern: snapshot` with `atClusterTime`',
    ours:
      'a time that an earlier snapshot read has answered, for 60 s, with 16 of an owner; ' +
      'otherwise 239 SnapshotTooOld',
    references: 'every time of the last five minutes',
    shown: ['test/commands/document/reading/snapshot-reads.test.ts'],
  },
  {
    topic: 'sharding',
    ours:
      'a router of one shard, which is this server: `listShards`, `config.shards` and ' +
      '`config.version` answer, commands that distribute collections get 115',
    references: 'a cluster',
    shown: ['test/commands/document/server/router-tools.test.ts'],
  },
  {
    topic: 'where change streams begin',
    ours:
      'the first stream of a place begins its recording; tokens and times before are 286. ' +
      '`CHANGES=all` records from the start',
    references: 'the oplog has all changes',
    shown: [
      'test/commands/document/reading/change-stream.test.ts',
      'test/engine/background/change-retention.test.ts',
    ],
  },
  {
    topic: 'who may open change streams',
    ours:
      'readers of the collection; streams of databases leave out what the caller may not ' +
      'read, as of each batch. A recording that others pay for is begun by the operator',
    references: 'users with changeStream and find on the whole place',
    shown: ['test/commands/document/reading/change-stream-rights.test.ts'],
  },
  {
    topic: 'paths in update events',
    ours:
      'from the two documents: the same for every protocol, with paths into nested ' +
      'documents whose fields stay and arrays with elements that stay',
    references: 'from the operators, so that `$set` of a whole document shows it whole',
    shown: ['test/engine/changes/difference.test.ts', 'test/specs/change-streams.test.ts'],
  },
  {
    topic: 'change events of commands of other protocols',
    ours:
      'FLUSHDB and TRUNCATE are drop and create, SWAPDB is three renames, a member of a ' +
      'large container is an update of its summary; a rename into another database is one ' +
      'rename event',
    references: 'a rename into another database inserts the documents there',
    shown: ['test/clients/change-replay.test.ts'],
  },
  {
    topic: '`lsid.uid` in change events',
    ours: 'a digest of session and user, which names no one',
    references: "the digest of the user's name",
    shown: ['test/clients/change-stream-clients.test.ts'],
  },
  {
    topic: 'time-series collections',
    ours:
      'each measurement is a document of its own, in insertion order, with an unlisted ' +
      'index on its time (`$time` in plans and sizes); single measurements expire. ' +
      '`system.buckets.<name>` packs buckets when it is read (find, aggregate, count, ' +
      'distinct) and unpacks inserted buckets; it is not listed and cannot be changed ' +
      'otherwise. Use mongoexport and mongoimport for compressed buckets ' +
      '(`control.version` 2, 115)',
    references: 'measurements are packed into buckets, which expire as a whole',
    shown: [
      'test/commands/document/collections/time-series.test.ts',
      'test/commands/document/collections/series-buckets.test.ts',
    ],
  },
  {
    topic: 'reserved names',
    ours:
      'the databases `admin`, `config` and `local`, `system.*`, `_audit`, the parts of graphs ' +
      '(`memory.<graph>.nodes`, `.edges`, `.terms`, `.anchors`) and databases `w_0x…` other than ' +
      'homes: 73 InvalidNamespace',
    references: '`system.*`; the three databases accept collections',
    shown: [
      'test/engine/collection/catalog/catalog.test.ts',
      'test/commands/document/writing/insert.test.ts',
    ],
  },
  {
    topic: 'texts that are not UTF-8',
    ours:
      'stored, compared and returned as bytes; in computations (operators on strings, ' +
      'patterns, collations, JSON, SQL) malformed bytes are U+FFFD. Field names must be ' +
      'UTF-8 (22)',
    references: 'bytes everywhere, also in field names',
    shown: ['test/end-to-end/malformed-texts.test.ts'],
  },
  {
    topic: 'sorts and groups beyond 100 MB',
    ours:
      'spill to files in `SPILL_DIR`, else `<data>/spill`, at most 4 GiB a command; without a folder ' +
      'they are refused (292) for any `allowDiskUse`, and so is one partition of ' +
      '`$setWindowFields` (5414201)',
    references: 'spill to files if `allowDiskUse` permits',
    shown: ['test/commands/document/reading/spill.test.ts'],
  },
  {
    topic: '`convertToCapped` beside writers',
    ours: 'copies during writes, starts again after one, and gives up after five copies (117)',
    references: 'blocks them',
    shown: ['test/engine/collection/kinds/capped.test.ts'],
  },
  {
    topic: 'authentication',
    ours:
      'users are `operator`, wallets with their keys ([keys](keys.md)), and service users ' +
      '([users](users.md)), with SCRAM-SHA-256 or PLAIN (TLS or loopback only); ' +
      '`usersInfo` shows callers other than the operator only their own account, and never ' +
      'credentials',
    references: 'users and roles in `admin`; SCRAM-SHA-1 too',
    shown: ['test/identity/sign-in/login.test.ts', 'test/clients/wallet-logins.test.ts'],
  },
  {
    topic: 'mode `shared` in `DATABASE`',
    ours:
      'only the operator sets it (403/13, with a text that names the home of the wallet); ' +
      'a wallet sets it in its home, and shared collections stay so ' +
      '([rights](rights.md#spaces))',
    references: 'the API document lets every owner set it',
    shown: ['test/authorization/authorization-spaces.test.ts'],
  },
  {
    topic: 'a changed password',
    ours: 'closes the connections of the user',
    references: 'they continue until they end',
    shown: ['test/clients/service-users.test.ts'],
  },
  {
    topic: 'users and their roles',
    ours:
      'a user has `read`, `readWrite` and `dbAdmin` only in its own database, for ' +
      'collections that no wallet owns; `admin` has no users; other roles are refused with ' +
      '31, `authenticationRestrictions` and SCRAM-SHA-1 alone with 2',
    references: 'roles of any database, and custom roles',
    shown: ['test/commands/admin/users.test.ts', 'test/authorization/authorization-users.test.ts'],
  },
  {
    topic: '`saslSupportedMechs`',
    ours: 'always both mechanisms, for known and unknown users',
    references: 'those of the user',
    shown: ['test/identity/sign-in/login.test.ts'],
  },
  {
    topic: 'an index entry of more than 1,300 bytes',
    ours:
      'cut to a prefix and a hash, checked against the document; such an index provides no ' +
      'order',
    references: 'stored whole',
    shown: ['test/engine/index/index-keys.test.ts'],
  },
  {
    topic: 'an `_id` of more than 512 encoded bytes',
    ours: 'cut to a prefix and a SHA-256, checked against the document',
    references: 'stored whole',
    shown: ['test/engine/collection/collections.test.ts'],
  },
  {
    topic: 'a covered query',
    ours:
      'text, ids, dates, booleans and binaries come from the index; for numbers and null ' +
      'the document is read, because the index does not have the type. Missing fields stay ' +
      'missing',
    references: 'all from the index; missing fields are null',
    shown: ['test/engine/plan/cover.test.ts'],
  },
  {
    topic: 'plan selection',
    ours:
      'rules over the bounds; if several plans remain, the first 64 documents of each ' +
      'decide, for 500 queries of the same shape',
    references: 'trial runs, kept until a plan performs badly',
    shown: ['test/engine/plan/plan-choice.test.ts'],
  },
  {
    topic: 'documents of a TTL index',
    ours: 'checked every 30 s; all expired documents are removed',
    references: 'every 60 s, in passes of bounded length',
    shown: ['test/engine/background/document-expiry.test.ts'],
  },
  {
    topic: 'a query that implies a partial filter',
    ours:
      'also by the values of `$in`, by each branch of an `$or`, and by conditions beside the ' +
      '`$or`',
    references: 'fewer forms, so the plan may differ',
    shown: ['test/engine/index/partial-indexes.test.ts'],
  },
  {
    topic: 'work of one document or value',
    ours:
      'a find, count, distinct or aggregate has at most 30 s, or `maxTimeMS`, and 512 MiB; ' +
      'SQL expressions have about 14 ms, a write 30 ms, the parsing of a request 12 ms. ' +
      'Beyond that: 50 MaxTimeMSExpired, for memory 146 ExceededMemoryLimit',
    references: 'unbounded without maxTimeMS',
    shown: ['test/query/work.test.ts', 'test/commands/document/reading/heavy-documents.test.ts'],
  },
  {
    topic: 'regular expressions',
    ours: 'linear time (RE2); back references and look-around (but for look-ahead behind a leading `^`) are refused with 51091',
    references: 'backtracking',
    shown: ['test/query/regex.test.ts'],
  },
  {
    topic: "one document's index entries",
    ours: 'at most 5,000 keys or 8 MiB in one write, otherwise 257 TransactionTooLarge',
    references: '16 MiB',
    shown: ['test/engine/index/index-upkeep.test.ts'],
  },
  {
    topic: "one document's entries in a wildcard index",
    ours: 'at most 4,900, otherwise 201 CannotBuildIndexKeys',
    references: 'at most 100,000',
    shown: ['test/commands/document/indexes/wildcard-indexes.test.ts'],
  },
  {
    topic: 'hashed indexes',
    ours: 'a different hash, visible in the bounds of explain',
    references: 'the hash of sharding',
    shown: ['test/commands/document/indexes/hashed-indexes.test.ts'],
  },
  {
    topic: '`min` and `max` of a find',
    ours: 'at most 1,268 bytes of key (480 for `_id`), and no hashed index (51174)',
    references: 'any length; hashes for a hashed index',
    shown: ['test/commands/document/reading/key-ranges.test.ts'],
  },
  {
    topic: '`returnKey` of strings under a collation',
    ours: 'refused with 115',
    references: 'the collation keys',
    shown: ['test/commands/document/reading/key-ranges.test.ts'],
  },
  {
    topic: '`$collStats` latencies, `top`',
    ours:
      'of the 1,000 collections used last, by name, since the start or the last drop; ' +
      'without commands of the key-value protocol',
    references: 'of every collection',
    shown: ['test/commands/document/server/namespace-use.test.ts'],
  },
  {
    topic: '`setParameter`',
    ours:
      '`cursorTimeoutMillis`, `transactionLifetimeLimitSeconds`, `ttlMonitorEnabled`, ' +
      '`ttlMonitorSleepSecs`; others are refused with 20, unknown ones with 72',
    references: 'several hundred',
    shown: ['test/commands/document/server/parameters.test.ts'],
  },
  {
    topic: 'filters and pipelines with very many clauses',
    ours:
      'moving conditions in a pipeline and planning branches of `$or` take a bounded ' +
      'number of steps; after that conditions stay, or the collection is scanned. Of the ' +
      'conditions of one path, 1,000 give bounds',
    references: 'different bounds on plans',
    shown: ['test/query/many-clauses.test.ts'],
  },
  {
    topic: '`$planCacheStats`',
    ours: "for a collection's owner only, because it shows values from queries of others",
    references: 'with the right planCacheRead',
    shown: [
      'test/commands/document/indexes/plan-cache.test.ts',
      'test/authorization/authorization.test.ts',
    ],
  },
  {
    topic: '`$percentile`, `$median`',
    ours: 'exact',
    references: 'approximate for large inputs',
    shown: ['test/query/accumulators.test.ts'],
  },
  {
    topic: '`$merge` into a collection that the pipeline reads',
    ours: 'the pipeline is read to its end first',
    references: 'may read its own results',
    shown: ['test/commands/document/writing/write-stages.test.ts'],
  },
  {
    topic: 'collation',
    ours: 'as in ECMAScript Intl: strength 1 to 3, `numericOrdering`, `caseFirst`',
    references: 'ICU with all its options',
    shown: ['test/commands/document/reading/collation.test.ts'],
  },
  {
    topic: 'logarithms, trigonometry and fractional powers of decimals',
    ours: 'computed as doubles: 15 correct digits',
    references: '34 digits',
    shown: ['test/query/expressions/arithmetic.test.ts'],
  },
]

export const deviations: readonly Deviations[] = [
  { title: 'Documents', rows: documents },
  { title: 'Key-value', rows: keyValueDeviations },
  { title: 'SQL', rows: sqlDeviations },
]
