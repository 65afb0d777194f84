// Where the key-value protocol differs from Redis on purpose, for docs/compatibility.md.
// Differences in the runs against a real server are listed in test/support/reference-exemptions.ts.

import type { Deviation } from './deviations.js'

export const keyValueDeviations: readonly Deviation[] = [
  {
    topic: 'a value',
    ours:
      'at most 16 MiB less 1 KiB; a command with a longer value gets an error, and the ' +
      'connection continues',
    references: '512 MiB',
    shown: [
      'test/commands/keyvalue/strings/strings.test.ts',
      'test/commands/keyvalue/keys/long-keys.test.ts',
    ],
  },
  {
    topic: 'the name of a key',
    ours: 'at most 64 KiB',
    references: '512 MiB',
    shown: ['test/commands/keyvalue/keys/long-keys.test.ts'],
  },
  {
    topic: 'HELP of a container command',
    ours: "Redis' lines, also for subcommands that Sigil lacks",
    references: 'the supported subcommands',
    shown: ['test/commands/keyvalue/keys/long-keys.test.ts'],
  },
  {
    topic: 'logins of an address after 20 wrong keys in a minute',
    ours: 'refused unread (BUSY) for the rest of the minute, except keys of wallets',
    references: 'checked',
    shown: ['test/end-to-end/wrong-keys.test.ts'],
  },
  {
    topic: 'one command or EXEC',
    ours:
      'changes at most 200,000 records or 64 MiB, otherwise an error without effect. ' +
      'Beyond 5,000 records, 8 MiB, or 10,000 read members (20,000 in EXEC), it runs as an ' +
      'optimistic write and reads at most 1,500,000 members. A command on one container ' +
      'may change more: the container is rewritten',
    references: 'unbounded',
    shown: [
      'test/commands/keyvalue/large-at-once.test.ts',
      'test/commands/keyvalue/large-atomic.test.ts',
      'test/commands/keyvalue/transactions/transactions.test.ts',
    ],
  },
  {
    topic: 'order of HGETALL of a large hash',
    ours: 'by the bytes of its fields',
    references: 'insertion order in small hashes',
    shown: ['test/commands/keyvalue/hashes/hash-sizes.test.ts'],
  },
  {
    topic: 'order of KEYS, SMEMBERS, SCAN and similar commands',
    ours: 'a different order, the same each time',
    references: 'that of a hash table, different after each start',
    shown: ['test/commands/keyvalue/keys/scan.test.ts'],
  },
  {
    topic: 'SORT of a set or sorted set with equal texts, or without sorting',
    ours: 'a different order',
    references: 'that of the hash table',
    shown: ['test/commands/keyvalue/differential.test.ts'],
  },
  {
    topic: 'patterns of KEYS, SCAN and PSUBSCRIBE',
    ours: 'match nothing after 10,000 comparisons and 64 for each byte of the name',
    references: 'unbounded',
    shown: ['test/base/bytes/glob.test.ts'],
  },
  {
    topic: 'keys of WATCH; names of one SUBSCRIBE or UNSUBSCRIBE, or of patterns',
    ours: 'at most 5,000 a connection; at most 10,000',
    references: 'unbounded',
    shown: ['test/listeners/floods.test.ts'],
  },
  {
    topic: 'INCRBYFLOAT',
    ours: 'exact decimal sums to 17 places',
    references: '80-bit floating point',
    shown: ['test/commands/keyvalue/strings/strings.test.ts'],
  },
  {
    topic: 'OBJECT ENCODING, OBJECT REFCOUNT',
    ours: 'follow from the present value',
    references:
      'also depend on the history: a structure that was large once, or that SORT or APPEND ' +
      'converted, stays so',
    shown: ['test/commands/keyvalue/keys/keys.test.ts'],
  },
  {
    topic: 'OBJECT IDLETIME, MEMORY USAGE',
    ours: '0; bytes in the layout of Sigil',
    references: 'the last use; bytes in the layout of Redis',
    shown: ['test/commands/keyvalue/keys/keys.test.ts'],
  },
  {
    topic: 'the error for an unknown command',
    ours: 'repeats whole characters',
    references: 'may cut a character in two',
    shown: ['test/commands/keyvalue/differential.test.ts'],
  },
  {
    topic: 'DBSIZE',
    ours: 'without expired keys',
    references: 'counts them until they are removed',
    shown: ['test/commands/keyvalue/keys/expiry.test.ts'],
  },
  {
    topic: 'between MULTI and EXEC',
    ours:
      'at most 128 MiB a connection and 256 MiB in total, otherwise an error that EXEC ' +
      'repeats',
    references: "the query buffer's limit",
    shown: ['test/commands/keyvalue/transactions/transactions.test.ts'],
  },
  {
    topic: 'wrong logins on a connection',
    ours: 'the fifth one closes the connection',
    references: 'unbounded',
    shown: ['test/commands/keyvalue/connection/client.test.ts'],
  },
  {
    topic: 'MONITOR',
    ours: "shows the first 16 KiB of a command's words, and the number of further bytes",
    references: 'shows all',
    shown: ['test/commands/keyvalue/server/monitor.test.ts'],
  },
  {
    topic: 'client-output-buffer-limit',
    ours: 'classes `pubsub` (also MONITOR) and `normal` take effect; there are no replicas',
    references: 'also replicas',
    shown: ['test/commands/keyvalue/connection/client.test.ts'],
  },
  {
    topic:
      'streams, Lua, functions, geo, HyperLogLog, cluster, `ACL SETUSER`, `CLIENT TRACKING ' +
      'ON`, SHUTDOWN, MIGRATE',
    ours: "Redis' error for an unknown or refused command",
    references: 'supported',
    shown: ['test/commands/keyvalue/server/server.test.ts'],
  },
  {
    topic: 'most settings of CONFIG SET',
    ours: 'stored and echoed, without effect',
    references: 'take effect',
    shown: ['test/commands/keyvalue/server/server.test.ts'],
  },
  {
    topic: 'SAVE, BGSAVE',
    ours: 'no snapshot file: earlier writes are as durable as `DURABILITY` says',
    references: 'a snapshot file',
    shown: ['test/commands/keyvalue/server/server.test.ts'],
  },
  {
    topic: 'keyspace events',
    ours: 'also of keys that are written as documents or by SQL, with the event of their type',
    references: 'of key-value commands, the only writers',
    shown: ['test/clients/key-events.test.ts'],
  },
  {
    topic: 'publishing to `__key*@` channels',
    ours: 'refused',
    references: 'allowed',
    shown: ['test/commands/keyvalue/pubsub/pubsub.test.ts'],
  },
]
