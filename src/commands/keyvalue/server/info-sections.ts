// The sections of INFO as texts. Figures without a counterpart are omitted, except those that
// clients and Redis' own tools read; they are 0.

import { release, type as systemType, totalmem } from 'node:os'
import { keyspacesMax } from '../../../base/limits/key-value.js'
import type { KeyValueCall } from '../../../bus/keyvalue/call.js'
import { announcedVersion } from '../connection/connection.js'

/** The key counts of one database, for the section keyspace. */
export interface DatabaseFigures {
  readonly index: number
  readonly keys: number
  readonly expires: number
  readonly averageMs: number
}

type Lines = readonly string[]

/** In Redis' order. */
export const sectionNames = [
  ...['server', 'clients', 'memory', 'persistence', 'stats', 'replication', 'cpu', 'modules'],
  ...['commandstats', 'errorstats', 'latencystats', 'cluster', 'keyspace'],
] as const

/** Sections that a plain INFO does not show. */
export const furtherSections: ReadonlySet<string> = new Set(['commandstats', 'latencystats'])

export const sections: Readonly<
  Record<string, (call: KeyValueCall, databases: readonly DatabaseFigures[]) => Lines>
> = {
  server: ({ services, session, now }) => {
    const { figures, clock } = services
    const upSeconds = Math.floor((clock.elapsed() - figures.startedMs) / 1_000)
    return [
      '# Server',
      `redis_version:${announcedVersion}`,
      'redis_git_sha1:00000000',
      'redis_git_dirty:0',
      'redis_mode:standalone',
      `os:${systemType()} ${release()} ${process.arch}`,
      'arch_bits:64',
      'multiplexing_api:epoll',
      `process_id:${process.pid}`,
      'process_supervised:no',
      `run_id:${figures.runId}`,
      `tcp_port:${session.local.slice(session.local.lastIndexOf(':') + 1)}`,
      `server_time_usec:${Math.floor(now * 1_000)}`,
      `uptime_in_seconds:${upSeconds}`,
      `uptime_in_days:${Math.floor(upSeconds / 86_400)}`,
      'hz:10',
      'configured_hz:10',
      'executable:',
      'config_file:',
      `sigil_version:${services.version}`,
    ]
  },
  clients: ({ services }) => {
    const { clients, settings } = services
    return [
      '# Clients',
      `connected_clients:${clients.sessions.size}`,
      'cluster_connections:0',
      `maxclients:${settings.get('maxclients')}`,
      'client_recent_max_input_buffer:0',
      'client_recent_max_output_buffer:0',
      `blocked_clients:${clients.blocked}`,
      'tracking_clients:0',
      'clients_in_timeout_table:0',
    ]
  },
  memory: ({ services }) => {
    const { settings, figures } = services
    const { heapUsed, external, rss } = process.memoryUsage()
    const used = heapUsed + external
    figures.peakBytes = Math.max(figures.peakBytes, used)
    const maxmemory = Number(settings.get('maxmemory') ?? 0)
    return [
      '# Memory',
      ...bytes('used_memory', used),
      ...bytes('used_memory_rss', rss),
      ...bytes('used_memory_peak', figures.peakBytes),
      ...bytes('total_system_memory', totalmem()),
      'used_memory_lua:0',
      ...bytes('maxmemory', maxmemory),
      `maxmemory_policy:${settings.get('maxmemory-policy')}`,
      `mem_fragmentation_ratio:${(rss / used).toFixed(2)}`,
      'mem_allocator:libc',
      'lazyfree_pending_objects:0',
    ]
  },
  persistence: ({ services, session }) => [
    '# Persistence',
    'loading:0',
    'async_loading:0',
    // Only the operator may see how much other clients write.
    `rdb_changes_since_last_save:${seesAll(session) ? services.programs.changed : 0}`,
    'rdb_bgsave_in_progress:0',
    `rdb_last_save_time:${services.figures.savedAt}`,
    'rdb_last_bgsave_status:ok',
    'aof_enabled:1',
    'aof_rewrite_in_progress:0',
    'aof_rewrite_scheduled:0',
    'aof_last_bgrewrite_status:ok',
    `aof_last_write_status:${services.store.stats().refusing === undefined ? 'ok' : 'err'}`,
  ],
  stats: ({ services, place }) => {
    const { figures, channels } = services
    const { space } = place
    const totals = figures.totals(services)
    return [
      '# Stats',
      `total_connections_received:${totals.accepted}`,
      `total_commands_processed:${totals.commands}`,
      `instantaneous_ops_per_sec:${figures.rate(services)}`,
      `rejected_connections:${totals.rejected}`,
      `expired_keys:${totals.expired}`,
      'evicted_keys:0',
      'evicted_clients:0',
      `keyspace_hits:${totals.hits}`,
      `keyspace_misses:${totals.misses}`,
      `pubsub_channels:${channels.channelCount(space)}`,
      `pubsub_patterns:${channels.patternCount(space)}`,
      'pubsubshard_channels:0',
      'latest_fork_usec:0',
      'total_forks:0',
      'tracking_total_keys:0',
      'tracking_total_items:0',
      'tracking_total_prefixes:0',
      'unexpected_error_replies:0',
      `total_error_replies:${figures.errorCount}`,
    ]
  },
  replication: ({ services }) => [
    '# Replication',
    'role:master',
    'connected_slaves:0',
    'master_failover_state:no-failover',
    `master_replid:${services.figures.runId}`,
    `master_replid2:${'0'.repeat(40)}`,
    'master_repl_offset:0',
    'second_repl_offset:-1',
    'repl_backlog_active:0',
  ],
  cpu: () => {
    const { system, user } = process.cpuUsage()
    return [
      '# CPU',
      `used_cpu_sys:${(system / 1e6).toFixed(6)}`,
      `used_cpu_user:${(user / 1e6).toFixed(6)}`,
      'used_cpu_sys_children:0.000000',
      'used_cpu_user_children:0.000000',
    ]
  },
  modules: () => ['# Modules'],
  commandstats: ({ services }) => [
    '# Commandstats',
    ...[...services.table.all()].flatMap((command) => {
      const { total, failed, rejected, ms } = services.figures.calls(command)
      if (total + rejected === 0) return []
      const micros = Math.floor(ms * 1_000)
      const each = total === 0 ? 0 : (ms * 1_000) / total
      const times = `usec=${micros},usec_per_call=${each.toFixed(2)}`
      const calls = `calls=${total},${times},rejected_calls=${rejected},failed_calls=${failed}`
      return [`cmdstat_${command.row.name}:${calls}`]
    }),
  ],
  errorstats: ({ services }) => [
    '# Errorstats',
    ...[...services.figures.errors].map(([word, count]) => `errorstat_${word}:count=${count}`),
  ],
  latencystats: () => ['# Latencystats'],
  cluster: () => ['# Cluster', 'cluster_enabled:0'],
  keyspace: (_call, databases) => [
    '# Keyspace',
    ...databases
      .filter(({ keys }) => keys > 0)
      .map(
        ({ index, keys, expires, averageMs }) =>
          `db${index}:keys=${keys},expires=${expires},avg_ttl=${averageMs}`,
      ),
  ],
}

/** Every database there is. */
export const databaseIndexes = Array.from({ length: keyspacesMax }, (_, index) => index)

function seesAll({ identity }: KeyValueCall['session']): boolean {
  return identity.kind === 'operator'
}

function bytes(name: string, value: number): string[] {
  return [`${name}:${value}`, `${name}_human:${human(value)}`]
}

/** `1.50M`, as Redis' tools print it. */
function human(value: number): string {
  if (value < 1_024) return `${value}B`
  let size = value / 1_024
  for (const unit of ['K', 'M', 'G']) {
    if (size < 1_024) return `${size.toFixed(2)}${unit}`
    size /= 1_024
  }
  return `${size.toFixed(2)}T`
}
