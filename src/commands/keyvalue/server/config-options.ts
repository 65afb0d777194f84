// The options of CONFIG: names and types of Redis settings that clients and Redis' tools read, each
// with its default. Most are only stored and returned; config.ts lists those with an effect.

import { respConnectionsMax } from '../../../base/limits/connections.js'
import { respBulkBytesMax } from '../../../base/limits/key-value.js'
import type { SettingTexts } from '../../../bus/keyvalue/settings.js'

type OptionKind =
  | { readonly kind: 'flag' }
  /** A whole number within bounds. */
  | { readonly kind: 'integer'; readonly min: bigint; readonly max: bigint }
  /** Bytes, such as `100mb`; the bounds are bytes too. */
  | { readonly kind: 'memory'; readonly min: bigint; readonly max: bigint }
  /** Bytes, or a percentage such as `5%`. */
  | { readonly kind: 'share'; readonly max: bigint }
  | { readonly kind: 'choice'; readonly choices: readonly string[] }
  | { readonly kind: 'save' | 'events' | 'buffers' }

export interface Option {
  readonly name: string
  readonly initial: string
  readonly kind: OptionKind
  /** Another name of the same setting. */
  readonly alias?: string
  readonly isFixed?: boolean
}

const int32 = 2n ** 31n - 1n
const int64 = 2n ** 63n - 1n

const flag: OptionKind = { kind: 'flag' }

function integer(min: bigint, max: bigint): OptionKind {
  return { kind: 'integer', min, max }
}

function memory(min: bigint, max: bigint): OptionKind {
  return { kind: 'memory', min, max }
}

function choice(...choices: readonly string[]): OptionKind {
  return { kind: 'choice', choices }
}

const policies = choice(
  ...['volatile-lru', 'volatile-lfu', 'volatile-random', 'volatile-ttl'],
  ...['allkeys-lru', 'allkeys-lfu', 'allkeys-random', 'noeviction'],
)
const buffers = 'normal 0 0 0 slave 268435456 67108864 60 pubsub 33554432 8388608 60'

/** Sizes up to which Redis packs containers of a type. */
const packed = (type: 'hash' | 'zset'): Option[] => [
  {
    name: `${type}-max-listpack-entries`,
    alias: `${type}-max-ziplist-entries`,
    initial: '128',
    kind: integer(0n, int64),
  },
  {
    name: `${type}-max-listpack-value`,
    alias: `${type}-max-ziplist-value`,
    initial: '64',
    kind: memory(0n, int64),
  },
]

const options: readonly Option[] = [
  { name: 'activedefrag', initial: 'no', kind: flag },
  { name: 'appendfsync', initial: 'everysec', kind: choice('everysec', 'always', 'no') },
  { name: 'appendonly', initial: 'yes', kind: flag },
  {
    name: 'busy-reply-threshold',
    alias: 'lua-time-limit',
    initial: '5000',
    kind: integer(0n, int64),
  },
  { name: 'bind', initial: '', kind: choice('') },
  { name: 'client-output-buffer-limit', initial: buffers, kind: { kind: 'buffers' } },
  { name: 'client-query-buffer-limit', initial: '1073741824', kind: memory(2n ** 20n, int64) },
  { name: 'daemonize', initial: 'no', kind: flag, isFixed: true },
  { name: 'databases', initial: '16', kind: integer(1n, int32), isFixed: true },
  ...packed('hash'),
  { name: 'hz', initial: '10', kind: integer(0n, int32) },
  { name: 'latency-monitor-threshold', initial: '0', kind: integer(0n, int64) },
  { name: 'latency-tracking', initial: 'no', kind: flag },
  { name: 'lazyfree-lazy-expire', initial: 'yes', kind: flag },
  { name: 'lazyfree-lazy-user-del', initial: 'yes', kind: flag },
  { name: 'lazyfree-lazy-user-flush', initial: 'yes', kind: flag },
  { name: 'lfu-decay-time', initial: '1', kind: integer(0n, int32) },
  { name: 'lfu-log-factor', initial: '10', kind: integer(0n, int32) },
  { name: 'list-compress-depth', initial: '0', kind: integer(0n, int32) },
  {
    name: 'list-max-listpack-size',
    alias: 'list-max-ziplist-size',
    initial: '-2',
    kind: integer(-int32 - 1n, int32),
  },
  { name: 'loglevel', initial: 'notice', kind: choice('debug', 'verbose', 'notice', 'warning') },
  { name: 'maxclients', initial: String(respConnectionsMax), kind: integer(1n, 2n ** 32n - 1n) },
  { name: 'maxmemory', initial: '0', kind: memory(0n, 2n ** 64n - 1n) },
  { name: 'maxmemory-clients', initial: '0', kind: { kind: 'share', max: int64 } },
  { name: 'maxmemory-policy', initial: 'noeviction', kind: policies },
  { name: 'maxmemory-samples', initial: '5', kind: integer(1n, int32) },
  {
    name: 'min-replicas-to-write',
    alias: 'min-slaves-to-write',
    initial: '0',
    kind: integer(0n, int32),
  },
  { name: 'notify-keyspace-events', initial: '', kind: { kind: 'events' } },
  { name: 'port', initial: '0', kind: integer(0n, 65_535n), isFixed: true },
  { name: 'proto-max-bulk-len', initial: String(respBulkBytesMax), kind: memory(2n ** 20n, int64) },
  { name: 'rdbcompression', initial: 'yes', kind: flag },
  { name: 'repl-backlog-size', initial: '1048576', kind: memory(1n, int64) },
  { name: 'replicaof', alias: 'slaveof', initial: '', kind: choice(''), isFixed: true },
  { name: 'sanitize-dump-payload', initial: 'no', kind: choice('no', 'yes', 'clients') },
  { name: 'save', initial: '', kind: { kind: 'save' } },
  { name: 'set-max-intset-entries', initial: '512', kind: integer(0n, int64) },
  { name: 'slowlog-log-slower-than', initial: '10000', kind: integer(-1n, int64) },
  { name: 'slowlog-max-len', initial: '128', kind: integer(0n, int64) },
  { name: 'stop-writes-on-bgsave-error', initial: 'yes', kind: flag },
  { name: 'stream-node-max-bytes', initial: '4096', kind: memory(0n, int64) },
  { name: 'stream-node-max-entries', initial: '100', kind: integer(0n, int64) },
  { name: 'tcp-keepalive', initial: '300', kind: integer(0n, int32) },
  { name: 'timeout', initial: '0', kind: integer(0n, int32) },
  { name: 'tracking-table-max-keys', initial: '1000000', kind: integer(0n, int64) },
  ...packed('zset'),
]

export const optionsByName: ReadonlyMap<string, Option> = new Map(
  options.flatMap((option) => {
    const names = option.alias === undefined ? [option.name] : [option.name, option.alias]
    return names.map((name) => [name, option] as const)
  }),
)

export const initialSettings: SettingTexts = Object.fromEntries(
  options.map(({ name, initial }) => [name, initial]),
)
