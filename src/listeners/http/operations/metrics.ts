// The metrics, read at one moment from their sources, and their JSON object. The text format for
// scrapers uses the same figures (metrics-series.ts).

import type { Clock } from '../../../base/clock.js'
import type { LatencyFigures } from '../../../base/work/latency.js'
import type { Metering } from '../../../bus/metering.js'
import type { SessionProtocol } from '../../../bus/session.js'
import type { ChainHealth } from '../../../chain/open.js'
import type { Totals } from '../../../engine/collection/catalog/totals.js'
import type { AnchorCounts } from '../../../memory/proof/anchors/anchor-job.js'
import type { Awaitable, Count, Store, StoreStats } from '../../../store/store.js'
import type { TransactionCounts } from '../../../store/transactions/open-transactions.js'

/** Public names of the protocols; `other` is Sigil itself. */
export const protocolNames = ['http', 'wire', 'redis', 'sql', 'other'] as const
type ProtocolName = (typeof protocolNames)[number]

export const nameOf: Readonly<Record<SessionProtocol, ProtocolName>> = {
  http: 'http',
  wire: 'wire',
  resp: 'redis',
  sql: 'sql',
  internal: 'other',
}

export interface MetricsSources {
  readonly store: Store
  readonly totals: Totals
  readonly chain: { health(): ChainHealth }
  readonly bus: { readonly counters: Metering; inFlight(): Iterable<unknown> }
  readonly cursors: { readonly size: number }
  readonly transactions: { readonly size: number; readonly counts: TransactionCounts }
  /** Counts of the job that anchors memories; none by default. */
  readonly anchoring?: AnchorCounts
  /** Open sockets of each listener. */
  readonly connections: () => Readonly<Record<Exclude<ProtocolName, 'other'>, number>>
  readonly clock: Clock
  /** Of Sigil's package. */
  readonly version: string
}

export interface Figures {
  readonly version: string
  readonly total: number
  readonly byCommand: ReadonlyMap<string, number>
  readonly byProtocol: ReadonlyMap<ProtocolName, number>
  readonly byCode: ReadonlyMap<string, number>
  /** Of the last minute; NaN if nothing ran. */
  readonly latency: LatencyFigures
  /** Since the start. */
  readonly latencyCount: number
  readonly latencySumMs: number
  /** Processor time of other owners while commands waited or ran; as latency. */
  readonly others: LatencyFigures
  readonly othersCount: number
  readonly othersSumMs: number
  readonly contents: Count
  readonly store: StoreStats
  readonly chain: ChainHealth
  readonly anchoring: AnchorCounts | undefined
  readonly connections: Readonly<Record<string, number>>
  readonly cursors: number
  readonly openTransactions: number
  readonly transactions: TransactionCounts
  readonly inFlight: number
  readonly uptimeSeconds: number
  /** Wall time, milliseconds since 1970. */
  readonly nowMs: number
}

export function readFigures(sources: MetricsSources): Awaitable<Figures> {
  const contents = sources.totals.read()
  return contents instanceof Promise
    ? contents.then((count) => figuresOf(sources, count))
    : figuresOf(sources, contents)
}

function figuresOf(sources: MetricsSources, contents: Count): Figures {
  const { store, chain, bus, cursors, connections, clock, version } = sources
  const { counters } = bus
  const byProtocol = new Map<ProtocolName, number>()
  let total = 0
  for (const [protocol, count] of Object.entries(counters.protocols)) {
    const name = nameOf[protocol as SessionProtocol]
    byProtocol.set(name, (byProtocol.get(name) ?? 0) + count)
    total += count
  }
  return {
    version,
    total,
    byProtocol,
    contents,
    byCommand: counters.byCommand(),
    byCode: counters.errors,
    latency: counters.latency.figures(clock.elapsed()),
    latencyCount: counters.latency.count,
    latencySumMs: counters.latency.sumMs,
    others: counters.others.figures(clock.elapsed()),
    othersCount: counters.others.count,
    othersSumMs: counters.others.sumMs,
    store: store.stats(),
    chain: chain.health(),
    anchoring: sources.anchoring,
    connections: connections(),
    cursors: cursors.size,
    openTransactions: sources.transactions.size,
    transactions: sources.transactions.counts,
    inFlight: [...bus.inFlight()].length,
    uptimeSeconds: (clock.elapsed() - counters.startedMs) / 1_000,
    nowMs: clock.now(),
  }
}

/** The JSON metrics object: every value is a number, 0 if there is no figure. */
export function metricsJson(figures: Figures): string {
  const { total, byCommand, byProtocol, byCode, latency, contents } = figures
  const { p50, p95, p99, avg } = latency
  let errors = 0
  for (const count of byCode.values()) errors += count
  return JSON.stringify({
    requests: {
      total,
      byCommand: Object.fromEntries(byCommand),
      byProtocol: Object.fromEntries(
        [...byProtocol].filter(([name, count]) => name !== 'other' || count > 0),
      ),
    },
    latency: { p50: rounded(p50), p95: rounded(p95), p99: rounded(p99), avg: rounded(avg) },
    errors: { total: errors, byCode: Object.fromEntries(byCode) },
    storage: { keyCount: contents.documents, estimatedSizeBytes: contents.bytes },
    uptime: Math.floor(figures.uptimeSeconds),
    timestamp: figures.nowMs,
    ok: 1,
  })
}

/** Rounds to nanoseconds. */
function rounded(ms: number): number {
  return Number.isNaN(ms) ? 0 : Math.round(ms * 1e6) / 1e6
}
