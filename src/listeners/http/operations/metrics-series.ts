// The series of the text metrics with their labels and sources. The text, the page docs/metrics.md
// and its test use this table. Scrapers depend on the names of the first three.

import { codeNames } from '../../../bus/metering.js'
import { abortReasons } from '../../../store/transactions/open-transactions.js'
import { type Figures, protocolNames } from './metrics.js'
import { Counter, Gauge, Registry, Summary } from './prom-client.js'

type Labels = Readonly<Record<string, string>>

interface Sample {
  readonly value: number
  readonly labels?: Labels
  /** Suffix after the name of the series. */
  readonly suffix?: '_sum' | '_count'
}

/** Values of a label; `commands` stands for the names in the command tables. */
type LabelValues = readonly string[] | 'commands'

interface Series {
  readonly name: string
  readonly type: 'counter' | 'gauge' | 'summary'
  readonly help: string
  /** Labels with all their possible values. */
  readonly labels: Readonly<Record<string, LabelValues>>
  /** Empty if the store or the chain has no figures. */
  readonly read: (figures: Figures) => readonly Sample[]
}

const unlabelled = {} as const

function counter(name: string, help: string, read: Reading): Series {
  return { name, type: 'counter', help, labels: unlabelled, read: (of) => sampleOf(read(of)) }
}

function gauge(name: string, help: string, read: Reading): Series {
  return { name, type: 'gauge', help, labels: unlabelled, read: (of) => sampleOf(read(of)) }
}

type Reading = (figures: Figures) => number | null | undefined

function sampleOf(value: number | null | undefined): readonly Sample[] {
  return value === undefined || value === null ? [] : [{ value }]
}

function samplesOf(label: string, counts: Iterable<readonly [string, number]>): readonly Sample[] {
  return [...counts].map(([name, value]) => ({ value, labels: { [label]: name } }))
}

/** In seconds, as Prometheus expects. */
const seconds = (ms: number | undefined): number | undefined =>
  ms === undefined ? undefined : ms / 1_000

const requests: readonly Series[] = [
  {
    name: 'svc_requests_total',
    type: 'counter',
    help: 'Commands by name, over every protocol, including refused ones.',
    labels: { command: 'commands' },
    read: ({ byCommand }) => samplesOf('command', byCommand),
  },
  {
    name: 'svc_request_duration_ms',
    type: 'summary',
    help:
      'Duration of commands in milliseconds: quantiles of the last minute, sum and count of ' +
      'all.',
    labels: { quantile: ['0.5', '0.95', '0.99'] },
    read: ({ latency: { p50, p95, p99 }, latencySumMs, latencyCount }) => [
      { value: p50, labels: { quantile: '0.5' } },
      { value: p95, labels: { quantile: '0.95' } },
      { value: p99, labels: { quantile: '0.99' } },
      { value: latencySumMs, suffix: '_sum' },
      { value: latencyCount, suffix: '_count' },
    ],
  },
  {
    name: 'svc_request_others_seconds',
    type: 'summary',
    help:
      'Seconds of the event loop that other owners used between the arrival of a command ' +
      'and its reply: quantiles of the last minute, sum and count of all.',
    labels: { quantile: ['0.5', '0.95', '0.99'] },
    read: ({ others: { p50, p95, p99 }, othersSumMs, othersCount }) => [
      { value: p50 / 1_000, labels: { quantile: '0.5' } },
      { value: p95 / 1_000, labels: { quantile: '0.95' } },
      { value: p99 / 1_000, labels: { quantile: '0.99' } },
      { value: othersSumMs / 1_000, suffix: '_sum' },
      { value: othersCount, suffix: '_count' },
    ],
  },
  {
    name: 'svc_errors_total',
    type: 'counter',
    help: 'Requests that were answered with an error, by code.',
    labels: { code: codeNames },
    read: ({ byCode }) => samplesOf('code', byCode),
  },
  {
    name: 'svc_protocol_requests_total',
    type: 'counter',
    help: 'Commands by protocol.',
    labels: { protocol: protocolNames },
    read: ({ byProtocol }) => samplesOf('protocol', byProtocol),
  },
  {
    name: 'svc_connections',
    type: 'gauge',
    help: 'Open sockets of each listener.',
    labels: { protocol: protocolNames.filter((name) => name !== 'other') },
    read: ({ connections }) => samplesOf('protocol', Object.entries(connections)),
  },
  gauge('svc_commands_in_flight', 'Document commands in progress.', ({ inFlight }) => inFlight),
  gauge('svc_cursors_open', 'Cursors that clients have open.', ({ cursors }) => cursors),
  gauge('svc_transactions_open', 'Open transactions.', ({ openTransactions }) => openTransactions),
  counter('svc_transactions_begun_total', 'Transactions that clients have begun.', (of) => {
    return of.transactions.begun
  }),
  counter('svc_transactions_committed_total', 'Transactions that were committed.', (of) => {
    return of.transactions.committed
  }),
  {
    name: 'svc_transactions_aborted_total',
    type: 'counter',
    help: 'Transactions that ended without a commit, by reason.',
    labels: { reason: abortReasons },
    read: ({ transactions }) => {
      const { aborted } = transactions
      return samplesOf(
        'reason',
        abortReasons.map((reason) => [reason, aborted.get(reason) ?? 0]),
      )
    },
  },
  gauge('svc_uptime_seconds', 'Seconds since the start.', ({ uptimeSeconds }) => uptimeSeconds),
  {
    name: 'svc_info',
    type: 'gauge',
    help: 'Always 1; the label is the version of Sigil.',
    labels: { version: ['the version'] },
    read: ({ version }) => [{ value: 1, labels: { version } }],
  },
]

const storeTypes = ['InMemory', 'LMDB', 'PostgreSQL'] as const

const storage: readonly Series[] = [
  gauge('svc_documents', 'Documents in all collections.', ({ contents }) => contents.documents),
  gauge(
    'svc_documents_bytes',
    'BSON bytes of the documents in all collections.',
    ({ contents }) => contents.bytes,
  ),
  {
    name: 'svc_store_info',
    type: 'gauge',
    help: 'Always 1; the label is the kind of store.',
    labels: { type: storeTypes },
    read: ({ store: { type } }) => [{ value: 1, labels: { type } }],
  },
  gauge('svc_store_bytes', 'Size of the data in bytes.', ({ store }) => store.sizeBytes),
  gauge('svc_store_refusing', '1 while writes are refused.', ({ store }) =>
    store.refusing === undefined ? 0 : 1,
  ),
  counter('svc_store_groups_total', 'Groups of writes.', ({ store }) => store.groups?.groups),
  counter(
    'svc_store_programs_total',
    'Write programs in those groups.',
    ({ store }) => store.groups?.programs,
  ),
  gauge(
    'svc_store_programs_queued',
    'Write programs that wait for a group.',
    ({ store }) => store.groups?.queued,
  ),
  gauge(
    'svc_store_overlay_bytes',
    'Memory of memtables: changes that are not yet in the tables.',
    ({ store }) => store.log?.memtableBytes,
  ),
  gauge(
    'svc_store_overlay_entries',
    'Changes that are not yet in the tables.',
    ({ store }) => store.log?.memtableEntries,
  ),
  gauge('svc_store_checkpoint_lag_seconds', 'Age of the oldest of those changes.', ({ store }) =>
    seconds(store.log?.checkpointLagMs),
  ),
  counter(
    'svc_store_checkpoints_total',
    'Checkpoints, which move changes into the tables.',
    ({ store }) => store.log?.checkpoints,
  ),
  gauge('svc_store_checkpoint_seconds', 'Duration of the last checkpoint.', ({ store }) =>
    seconds(store.log?.lastCheckpointMs),
  ),
  counter(
    'svc_store_fsyncs_total',
    'Syncs of the log to the disk.',
    ({ store }) => store.log?.syncs,
  ),
  gauge('svc_store_fsync_seconds', 'Duration of the last fsync of the log.', ({ store }) =>
    seconds(store.log?.lastSyncMs),
  ),
  gauge('svc_store_fsync_max_seconds', 'Duration of the longest fsync of the log.', ({ store }) =>
    seconds(store.log?.maxSyncMs),
  ),
  gauge('svc_store_log_bytes', "Bytes of the log's files.", ({ store }) => store.log?.logBytes),
]

const chain: readonly Series[] = [
  gauge(
    'svc_chain_up',
    '1 while the chain answers, is not needed yet, or (local chain) starts.',
    (of) => (of.chain.ok ? 1 : 0),
  ),
  gauge('svc_chain_head_block', 'Number of the newest block.', (of) => of.chain.head),
  gauge('svc_chain_lag_seconds', 'Seconds since the newest block was read.', ({ chain }) =>
    seconds(chain.ageMs ?? undefined),
  ),
  counter(
    'svc_anchored_memories_total',
    'Memories that were anchored on the chain.',
    (of) => of.anchoring?.memories,
  ),
  counter(
    'svc_anchor_transactions_total',
    'Transactions that anchored them.',
    (of) => of.anchoring?.transactions,
  ),
  counter(
    'svc_anchor_failures_total',
    'Failed attempts to anchor.',
    (of) => of.anchoring?.failures,
  ),
]

const machine: readonly Series[] = [
  counter('process_cpu_seconds_total', 'Processor time, user and system, in seconds.', () => {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1e6
  }),
  gauge('process_start_time_seconds', 'Start of the process, Unix time in seconds.', ({ nowMs }) =>
    Math.round(nowMs / 1_000 - process.uptime()),
  ),
  gauge('process_resident_memory_bytes', 'Resident memory in bytes.', () =>
    process.memoryUsage.rss(),
  ),
  gauge(
    'nodejs_heap_used_bytes',
    'JavaScript heap in use, in bytes.',
    () => process.memoryUsage().heapUsed,
  ),
  gauge(
    'nodejs_external_memory_bytes',
    'Memory of buffers outside the JavaScript heap, in bytes.',
    () => process.memoryUsage().external,
  ),
]

export const metricSeries: readonly Series[] = [...requests, ...storage, ...chain, ...machine]

export const textContentType = Registry.PROMETHEUS_CONTENT_TYPE

/** The text for scrapers. */
export function metricsText(figures: Figures): Promise<string> {
  const registry = new Registry()
  for (const series of metricSeries) {
    const samples = series.read(figures)
    if (samples.length > 0 || series.type === 'counter') register(registry, series, samples)
  }
  return registry.metrics()
}

function register(registry: Registry, series: Series, samples: readonly Sample[]): void {
  const { name, help } = series
  const options = { name, help, labelNames: Object.keys(series.labels), registers: [registry] }
  switch (series.type) {
    case 'counter': {
      const counted = new Counter(options)
      for (const { value, labels = {} } of samples) counted.inc(labels, value)
      return
    }
    case 'gauge': {
      const measured = new Gauge(options)
      for (const { value, labels = {} } of samples) measured.set(labels, value)
      return
    }
    case 'summary':
      registry.registerMetric(new KnownSummary({ ...options, labelNames: [] }, samples))
  }
}

/** A summary with known quantiles: the library's own computes them itself. */
class KnownSummary extends Summary {
  constructor(
    private readonly options: { name: string; help: string; labelNames: string[] },
    private readonly samples: readonly Sample[],
  ) {
    super({ ...options, registers: [] })
  }

  override async get() {
    const { name, help } = this.options
    const known = await super.get()
    return {
      ...known,
      name,
      help,
      values: this.samples.map(({ value, labels = {}, suffix = '' }) => ({
        metricName: `${name}${suffix}`,
        labels,
        value,
      })),
    }
  }
}
