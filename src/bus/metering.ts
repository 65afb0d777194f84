// Counts of what the two buses have run, over every protocol: for serverStatus and for the metrics.
// They are kept in memory and start at zero with the process. Names come from the tables of
// commands and codes alone: what clients make up counts as `other`.

import { codes, type GatewayError } from '../base/errors.js'
import { LatencyWindow } from '../base/work/latency.js'
import { elementsOf, field, fieldIn } from '../value/elements.js'
import { integerOf } from '../value/numbers.js'
import type { Document } from '../value/value.js'
import type { CommandCounts, Counters } from './document/bus-view.js'
import { type Meter, meters, type OperationKind } from './policy/meters.js'
import type { SessionProtocol } from './session.js'

/** For what is in no table. */
export const otherName = 'other'

const knownCodes: ReadonlySet<number> = new Set(Object.values(codes).map(({ code }) => code))

/** Codes that errors are counted by, as they are written. */
export const codeNames: readonly string[] = [
  ...[...knownCodes].sort((a, b) => a - b),
  otherName,
].map(String)

/** What a write command answers that has failed in nothing is shorter, bytes. */
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
  /** Commands that ran or were refused, by where they came from. */
  readonly protocols: Record<SessionProtocol, number> = {
    wire: 0,
    resp: 0,
    sql: 0,
    http: 0,
    internal: 0,
  }
  /** Requests that were answered with an error, by its code as codeNames has it. */
  readonly errors = new Map<string, number>()
  /** Of commands that ran, without what they waited for others. */
  readonly latency: LatencyWindow
  /** What other owners had of the processor while a command was there. */
  readonly others: LatencyWindow
  private readonly entries = new Map<string, Entry>()
  /** Commands that were refused before they ran, by name. */
  private readonly refusals = new Map<string, number>()
  /** Errors of HTTP that have been counted: the route that answers them may throw them again. */
  private readonly counted = new WeakSet<GatewayError>()

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
    this.latency.record(ms, nowMs)
    return counts
  }

  /**
   * Commands have run whose counts are their table's, each in `ms`; one that waits for others tells
   * no latency.
   */
  ran(protocol: SessionProtocol, ms: number, nowMs: number, hasWaited: boolean, times = 1): void {
    this.protocols[protocol] += times
    if (!hasWaited) this.latency.record(ms, nowMs, times)
  }

  /** A command has run in a transaction, whose time is told of it as a whole. */
  queuedRan(protocol: SessionProtocol): void {
    this.protocols[protocol]++
  }

  /** A command was refused before it ran. */
  refused(command: string, protocol: SessionProtocol, error: GatewayError): void {
    this.protocols[protocol]++
    this.refusals.set(command, (this.refusals.get(command) ?? 0) + 1)
    this.failed(protocol, error)
  }

  /** A request is answered with an error. */
  failed(protocol: SessionProtocol, error: GatewayError): void {
    if (protocol === 'http') this.counted.add(error)
    this.countError(error.code)
  }

  /** A write command answers what failed in it. HTTP's routes make an error of that themselves. */
  answered(protocol: SessionProtocol, reply: Document): void {
    if (protocol === 'http' || reply.length <= plainReplyBytes) return
    const failures = field(reply, 'writeErrors')
    const [first] = failures === undefined ? [] : elementsOf(failures)
    const code = first === undefined ? undefined : fieldIn(first, 'code')
    if (code !== undefined) this.failedInPart(integerOf(code) ?? 0)
  }

  /** An answer that is no error tells what failed in it: the first of that, by its code. */
  failedInPart(code: number): void {
    this.countError(code)
  }

  /** HTTP answers an error: here what no bus has seen is counted, requests among it. */
  httpFailed(error: GatewayError, hasRun: boolean): void {
    if (this.counted.has(error)) return
    if (hasRun) this.countError(error.code)
    else this.refused(otherName, 'http', error)
  }

  /** Requests by command, those that were refused among them. */
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
