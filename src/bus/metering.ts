// Counts of the commands of both buses, over every protocol, for serverStatus and the metrics. They
// are kept in memory and start at zero. Names come only from the tables of commands and codes;
// other names from clients count as `other`.

import { codes, type GatewayError } from '../base/errors.js'
import { LatencyWindow } from '../base/work/latency.js'
import { elementsOf, field, fieldIn } from '../value/elements.js'
import { integerOf } from '../value/numbers.js'
import type { Document } from '../value/value.js'
import type { CommandCounts, Counters } from './document/bus-view.js'
import { type Meter, meters, type OperationKind } from './policy/meters.js'
import type { SessionProtocol } from './session.js'
import { SlowCommands } from './slow-commands.js'

/** Counts names that are in no table. */
export const otherName = 'other'

const knownCodes: ReadonlySet<number> = new Set(Object.values(codes).map(({ code }) => code))

/** The codes under which errors are counted, as text. */
export const codeNames: readonly string[] = [
  ...[...knownCodes].sort((a, b) => a - b),
  otherName,
].map(String)

/** Replies of a write command without failures are at most this long, bytes. */
const plainReplyBytes = 64

interface Metered {
  readonly name: string
  readonly metered: Meter
}

interface Entry {
  readonly counts: CommandCounts
  readonly kind: OperationKind
}

export class Metering implements Counters {
  readonly operations: Record<OperationKind, number> = {
    insert: 0,
    query: 0,
    update: 0,
    delete: 0,
    getmore: 0,
    command: 0,
  }
  readonly commands = new Map<string, CommandCounts>()
  /** Commands that ran or were refused, by protocol. */
  readonly protocols: Record<SessionProtocol, number> = {
    wire: 0,
    resp: 0,
    sql: 0,
    http: 0,
    internal: 0,
  }
  /** Requests with an error reply, by protocol. */
  readonly failures: Record<SessionProtocol, number> = { ...this.protocols }
  /** Commands with a latency, and the sum of these in milliseconds, by protocol. */
  readonly timed: Record<SessionProtocol, number> = { ...this.protocols }
  readonly timedMs: Record<SessionProtocol, number> = { ...this.protocols }
  /** Requests with an error reply, by the code of codeNames. */
  readonly errors = new Map<string, number>()
  /** Latency of commands that ran, without the time spent waiting for other clients. */
  readonly latency: LatencyWindow
  /** Processor time of other owners during a command. */
  readonly others: LatencyWindow
  readonly slow = new SlowCommands()
  private readonly entries = new Map<string, Entry>()
  /** Commands refused before they ran, by name. */
  private readonly refusals = new Map<string, number>()

  constructor(readonly startedMs: number) {
    this.latency = new LatencyWindow(startedMs)
    this.others = new LatencyWindow(startedMs)
  }

  /** Counts one command that took `ms` until `nowMs`, both monotonic. */
  record(row: Metered, protocol: SessionProtocol, ms: number, nowMs: number): CommandCounts {
    const { counts, kind } = this.entries.get(row.name) ?? this.enter(row)
    this.operations[kind]++
    counts.total++
    counts.ms += ms
    this.protocols[protocol]++
    this.time(protocol, ms, nowMs, 1)
    return counts
  }

  /**
   * Meters commands that their table has counted, each in `ms`. Commands that wait for other
   * clients record no latency.
   */
  ran(protocol: SessionProtocol, ms: number, nowMs: number, hasWaited: boolean, times = 1): void {
    this.protocols[protocol] += times
    if (!hasWaited) this.time(protocol, ms, nowMs, times)
  }

  private time(protocol: SessionProtocol, ms: number, nowMs: number, times: number): void {
    this.latency.record(ms, nowMs, times)
    this.timed[protocol] += times
    this.timedMs[protocol] += times * ms
  }

  /**
   * Counts a command inside a transaction; the latency of the transaction is recorded as a whole.
   */
  queuedRan(protocol: SessionProtocol): void {
    this.protocols[protocol]++
  }

  /** Counts a command that was refused before it ran. */
  refused(command: string, protocol: SessionProtocol, error: GatewayError): void {
    this.protocols[protocol]++
    this.refusals.set(command, (this.refusals.get(command) ?? 0) + 1)
    this.failed(protocol, error)
  }

  /** Counts a request with an error reply. */
  failed(protocol: SessionProtocol, error: GatewayError): void {
    if (protocol === 'http') error.isCounted = true
    this.failures[protocol]++
    this.countError(error.code)
  }

  /**
   * Counts the first failure in a reply of a write command. HTTP routes turn it into an error,
   * which is counted there.
   */
  answered(protocol: SessionProtocol, reply: Document): void {
    if (protocol === 'http' || reply.length <= plainReplyBytes) return
    const failures = field(reply, 'writeErrors')
    const [first] = failures === undefined ? [] : elementsOf(failures)
    const code = first === undefined ? undefined : fieldIn(first, 'code')
    if (code !== undefined) this.failedInPart(integerOf(code) ?? 0, protocol)
  }

  /** Counts the first failure inside a successful reply, by its code. */
  failedInPart(code: number, protocol: SessionProtocol = 'http'): void {
    this.failures[protocol]++
    this.countError(code)
  }

  /** Counts an error reply of HTTP, if no bus has counted it. */
  httpFailed(error: GatewayError, hasRun: boolean): void {
    if (error.isCounted) return
    if (hasRun) this.failedInPart(error.code)
    else this.refused(otherName, 'http', error)
  }

  /** Requests by command, refused ones included. */
  byCommand(): Map<string, number> {
    const totals = new Map(this.refusals)
    for (const [name, { total }] of this.commands) {
      if (total > 0) totals.set(name, (totals.get(name) ?? 0) + total)
    }
    return totals
  }

  private enter({ name, metered }: Metered): Entry {
    const kind = meters[metered].operation
    const entry = { counts: { total: 0, failed: 0, ms: 0 }, kind }
    this.entries.set(name, entry)
    this.commands.set(name, entry.counts)
    return entry
  }

  private countError(code: number): void {
    const name = knownCodes.has(code) ? String(code) : otherName
    this.errors.set(name, (this.errors.get(name) ?? 0) + 1)
  }
}
