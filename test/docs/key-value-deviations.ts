// Where the key-value protocol differs from Redis on purpose, for docs/compatibility.md.
// Differences in the runs against a real server are listed in test/support/peer-exemptions.ts.

import type { Deviation } from './deviations.js'

export const keyValueDeviations: readonly Deviation[] = [
  {
    topic: 'a value',
    ours:
      'at most 16 MiB less 1 KiB; a command with a longer value gets an error, and the ' +
      'connection continues',
    peers: '512 MiB',
    shown: [
      'test/commands/keyvalue/strings/strings.test.ts',
      'test/commands/keyvalue/keys/long-keys.test.ts',
    ],
  },
  {
    topic: 'the name of a key',
    ours: 'at most 64 KiB',
    peers: '512 MiB',
    shown: ['test/commands/keyvalue/keys/long-keys.test.ts'],
  },
  {
    topic: 'HELP of a container command',
    ours: "Redis' lines, also for subcommands that Sigil lacks",
    peers: 'the supported subcommands',
    shown: ['test/commands/keyvalue/keys/long-keys.test.ts'],
  },
  {
    topic: 'logins of an address after 20 wrong keys in a minute',
    ours: 'refused unread (BUSY) for the rest of the minute, except keys of wallets',
    peers: 'checked',
    shown: ['test/end-to-end/wrong-keys.test.ts'],
  },
  {
    topic: 'one command or EXEC',
    ours:
      'changes at most 200,000 records or 64 MiB, otherwise an error without effect. ' +
      'Beyond 5,000 records, 8 MiB, or 10,000 read members (20,000 in EXEC), it runs as an ' +
      'optimistic write and reads at most 1,500,000 members. A command on one container ' +
      'may change more: the container is rewritten',
    peers: 'unbounded',
    shown: [
      'test/commands/keyvalue/large-at-once.test.ts',
      'test/commands/keyvalue/large-atomic.test.ts',
      'test/commands/keyvalue/transactions/transactions.test.ts',
    ],
  },
  {
    topic: 'order of HGETALL of a large hash',
    ours: 'by the bytes of its fields',
    peers: 'insertion order in small hashes',
    shown: ['test/commands/keyvalue/hashes/hash-sizes.test.ts'],
  },
  {
    topic: 'order of KEYS, SMEMBERS, SCAN and similar commands',
    ours: 'a different order, the same each time',
    peers: 'that of a hash table, different after each start',
    shown: ['test/commands/keyvalue/keys/scan.test.ts'],
  },
  {
    topic: 'SORT of a set or sorted set with equal texts, or without sorting',
    ours: 'a different order',
    peers: 'that of the hash table',
    shown: ['test/commands/keyvalue/differential.test.ts'],
  },
  {
    topic: 'patterns of KEYS, SCAN and PSUBSCRIBE',
    ours: 'match nothing after 10,000 comparisons and 64 for each byte of the name',
    peers: 'unbounded',
    shown: ['test/base/bytes/glob.test.ts'],
  },
  {
    topic: 'INCRBYFLOAT',
    ours: 'exact decimal sums to 17 places',
    peers: '80-bit floating point',
    shown: ['test/commands/keyvalue/strings/strings.test.ts'],
  },
  {
    topic: 'OBJECT ENCODING, OBJECT REFCOUNT',
    ours: 'follow from the present value',
    peers:
      'also depend on the history: a structure that was large once, or that SORT or APPEND ' +
      'converted, stays so',
    shown: ['test/commands/keyvalue/keys/keys.test.ts'],
  },
  {
    topic: 'OBJECT IDLETIME, MEMORY USAGE',
    ours: '0; bytes in the layout of Sigil',
    peers: 'the last use; bytes in the layout of Redis',
    shown: ['test/commands/keyvalue/keys/keys.test.ts'],
  },
  {
    topic: 'the error for an unknown command',
    ours: 'repeats whole characters',
    peers: 'may cut a character in two',
    shown: ['test/commands/keyvalue/differential.test.ts'],
  },
  {
    topic: 'DBSIZE',
    ours: 'without expired keys',
    peers: 'counts them until they are removed',
    shown: ['test/commands/keyvalue/keys/expiry.test.ts'],
  },
  {
    topic: 'between MULTI and EXEC',
    ours:
      'at most 128 MiB a connection and 256 MiB in total, otherwise an error that EXEC ' +
      'repeats',
    peers: "the query buffer's limit",
    shown: ['test/commands/keyvalue/transactions/transactions.test.ts'],
  },
  {
    topic: 'wrong logins on a connection',
    ours: 'the fifth one closes the connection',
    peers: 'unbounded',
    shown: ['test/commands/keyvalue/connection/client.test.ts'],
  },
  {
    topic: 'MONITOR',
    ours: "shows the first 16 KiB of a command's words, and the number of further bytes",
    peers: 'shows all',
    shown: ['test/commands/keyvalue/server/monitor.test.ts'],
  },
  {
    topic: 'client-output-buffer-limit',
    ours: 'classes `pubsub` (also MONITOR) and `normal` take effect; there are no replicas',
    peers: 'also replicas',
    shown: ['test/commands/keyvalue/connection/client.test.ts'],
  },
  {
    topic:
      'streams, Lua, functions, geo, HyperLogLog, cluster, `ACL SETUSER`, `CLIENT TRACKING ' +
      'ON`, SHUTDOWN, MIGRATE',
    ours: "Redis' error for an unknown or refused command",
    peers: 'supported',
    shown: ['test/commands/keyvalue/server/server.test.ts'],
  },
  {
    topic: 'most settings of CONFIG SET',
    ours: 'stored and echoed, without effect',
    peers: 'take effect',
    shown: ['test/commands/keyvalue/server/server.test.ts'],
  },
  {
    topic: 'SAVE, BGSAVE',
    ours: 'no snapshot file: earlier writes are as durable as `DURABILITY` says',
    peers: 'a snapshot file',
    shown: ['test/commands/keyvalue/server/server.test.ts'],
  },
  {
    topic: 'publishing to `__key*@` channels',
    ours: 'refused',
    peers: 'allowed',
    shown: ['test/commands/keyvalue/pubsub/pubsub.test.ts'],
  },
]
