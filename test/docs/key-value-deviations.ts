// Where the key-value protocol differs from Redis on purpose, for docs/compatibility.md. What may differ
// in the runs that are compared with a real server is listed in test/support/peer-exemptions.ts.

import type { Deviation } from './deviations.js'

export const keyValueDeviations: readonly Deviation[] = [
  {
    topic: 'a value',
    ours:
      'at most 16 MiB less 1 KiB; a command with a longer one is answered with an error, and the ' +
      'connection goes on',
    peers: '512 MiB',
    shown: ['test/commands/keyvalue/strings.test.ts', 'test/commands/keyvalue/long-keys.test.ts'],
  },
  {
    topic: 'the name of a key',
    ours: 'at most 64 KiB',
    peers: '512 MiB',
    shown: ['test/commands/keyvalue/long-keys.test.ts'],
  },
  {
    topic: 'HELP of a container command',
    ours: "the peer's lines, also of subcommands that are missing here",
    peers: 'what is there',
    shown: ['test/commands/keyvalue/long-keys.test.ts'],
  },
  {
    topic: 'logins of an address that has sent 20 wrong keys in a minute',
    ours: 'refused unseen (BUSY) for the rest of the minute, but for keys of wallets',
    peers: 'looked at',
    shown: ['test/end-to-end/wrong-keys.test.ts'],
  },
  {
    topic: 'one command or EXEC',
    ours:
      'changes at most 200,000 records or 64 MiB; beyond 5,000 records, 8 MiB, or 10,000 members ' +
      'that it reads (20,000 in EXEC), it is prepared beside the others and reads at most ' +
      '1,500,000 members; else a clean error. A command on one container may change more: the ' +
      'container is written anew',
    peers: 'unbounded',
    shown: [
      'test/commands/keyvalue/large-at-once.test.ts',
      'test/commands/keyvalue/large-atomic.test.ts',
      'test/commands/keyvalue/transactions.test.ts',
    ],
  },
  {
    topic: 'order of HGETALL of a large hash',
    ours: 'by the bytes of its fields',
    peers: 'insertion order while it is small',
    shown: ['test/commands/keyvalue/hash-sizes.test.ts'],
  },
  {
    topic: 'order of KEYS, SMEMBERS, SCAN and the like',
    ours: 'of our own, and the same each time',
    peers: 'that of a hash table, another at each start',
    shown: ['test/commands/keyvalue/scan.test.ts'],
  },
  {
    topic: 'SORT by texts that are equal, or not sorted, of a set or sorted set',
    ours: 'of our own',
    peers: 'that of the hash table',
    shown: ['test/commands/keyvalue/differential.test.ts'],
  },
  {
    topic: 'patterns of KEYS, SCAN and PSUBSCRIBE',
    ours: 'match nothing after 10,000 comparisons and 64 for each byte of the name',
    peers: 'unbounded',
    shown: ['test/base/glob.test.ts'],
  },
  {
    topic: 'INCRBYFLOAT',
    ours: 'exact decimal sums to 17 places',
    peers: '80-bit floating point',
    shown: ['test/commands/keyvalue/strings.test.ts'],
  },
  {
    topic: 'OBJECT ENCODING, OBJECT REFCOUNT',
    ours: 'follow from the value: what the peer would make of it now',
    peers:
      'also from the past: a structure that was large once, or that SORT or APPEND has ' +
      'turned, stays as it is',
    shown: ['test/commands/keyvalue/keys.test.ts'],
  },
  {
    topic: 'OBJECT IDLETIME, MEMORY USAGE',
    ours: '0; bytes of our own layout',
    peers: 'the last use; bytes of its own',
    shown: ['test/commands/keyvalue/keys.test.ts'],
  },
  {
    topic: 'the error for an unknown command',
    ours: 'echoes whole letters',
    peers: 'may cut one in two',
    shown: ['test/commands/keyvalue/differential.test.ts'],
  },
  {
    topic: 'DBSIZE',
    ours: 'without keys that are due',
    peers: 'counts them until they are swept',
    shown: ['test/commands/keyvalue/expiry.test.ts'],
  },
  {
    topic: 'between MULTI and EXEC',
    ours: 'at most 128 MiB a connection and 256 MiB in all, else an error that EXEC repeats',
    peers: "the query buffer's limit",
    shown: ['test/commands/keyvalue/transactions.test.ts'],
  },
  {
    topic: 'wrong logins on a connection',
    ours: 'the fifth ends it',
    peers: 'unbounded',
    shown: ['test/commands/keyvalue/client.test.ts'],
  },
  {
    topic: 'MONITOR',
    ours: "shows the first 16 KiB of a command's words, and how many more there are",
    peers: 'shows all',
    shown: ['test/commands/keyvalue/monitor.test.ts'],
  },
  {
    topic: 'client-output-buffer-limit',
    ours: 'classes `pubsub` (MONITOR too) and `normal` take effect; there are no replicas',
    peers: 'also replicas',
    shown: ['test/commands/keyvalue/client.test.ts'],
  },
  {
    topic:
      'streams, Lua, functions, geo, HyperLogLog, cluster, `ACL SETUSER`, `CLIENT TRACKING ' +
      'ON`, SHUTDOWN, MIGRATE',
    ours: "the peer's error for a command that is missing or refused",
    peers: 'there',
    shown: ['test/commands/keyvalue/server.test.ts'],
  },
  {
    topic: 'most settings of CONFIG SET',
    ours: 'stored and echoed, without effect',
    peers: 'take effect',
    shown: ['test/commands/keyvalue/server.test.ts'],
  },
  {
    topic: 'SAVE, BGSAVE',
    ours: 'as durable as `DURABILITY` says, at once',
    peers: 'a snapshot file',
    shown: ['test/commands/keyvalue/server.test.ts'],
  },
  {
    topic: 'publishing to `__key*@` channels',
    ours: 'refused',
    peers: 'allowed',
    shown: ['test/commands/keyvalue/pubsub.test.ts'],
  },
]
