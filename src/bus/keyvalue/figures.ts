// The figures that INFO reports since the last CONFIG RESETSTAT. The counters themselves only grow,
// so this file keeps their values at the reset and subtracts them. Errors are counted by their
// first word.

import type { Clock, Random } from '../../base/clock.js'
import type { CommandCounts } from '../document/bus-view.js'

/** A command with its counts. */
interface Counted {
  readonly counts: CommandCounts
  readonly rejected: number
}

/** The sources of the figures. */
interface Sources {
  readonly table: { all(): Iterable<Counted> }
  readonly clients: { readonly accepted: number; readonly rejected: number }
  readonly programs: { readonly hits: number; readonly misses: number }
  readonly expiry: { readonly expired: number }
}

/** Calls of one command. */
interface Calls {
  readonly total: number
  readonly failed: number
  readonly rejected: number
  readonly ms: number
}

interface Totals {
  readonly commands: number
  readonly accepted: number
  readonly rejected: number
  readonly hits: number
  readonly misses: number
  readonly expired: number
}

const noCalls: Calls = { total: 0, failed: 0, rejected: 0, ms: 0 }
const nothing: Totals = { commands: 0, accepted: 0, rejected: 0, hits: 0, misses: 0, expired: 0 }
/** A rate is measured over at least this period. */
const sampleMsMin = 100

export class Figures {
  readonly startedMs: number
  /** Time of the last SAVE in seconds since 1970; initially the start. */
  savedAt: number
  /** The highest memory use that INFO has reported. */
  peakBytes = 0
  /** Counts by the first word of an error line. */
  readonly errors = new Map<string, number>()
  private before: Totals = nothing
  private callsBefore = new Map<Counted, Calls>()
  private identifier: string | undefined
  private sample = { atMs: 0, commands: 0, rate: 0 }

  constructor(
    private readonly clock: Clock,
    private readonly random: Random,
  ) {
    this.startedMs = clock.elapsed()
    this.savedAt = Math.floor(clock.now() / 1_000)
    this.sample.atMs = this.startedMs
  }

  /** 40 hexadecimal digits, the same until the process ends. */
  get runId(): string {
    this.identifier ??= Buffer.from(this.random.bytes(20)).toString('hex')
    return this.identifier
  }

  get errorCount(): number {
    let count = 0
    for (const each of this.errors.values()) count += each
    return count
  }

  /** Counts an error reply. */
  failed(line: string): void {
    const end = line.indexOf(' ')
    const word = end < 0 ? line : line.slice(0, end)
    this.errors.set(word, (this.errors.get(word) ?? 0) + 1)
  }

  totals(sources: Sources): Totals {
    const { before } = this
    const now = totalsOf(sources)
    return {
      commands: now.commands - before.commands,
      accepted: now.accepted - before.accepted,
      rejected: now.rejected - before.rejected,
      hits: now.hits - before.hits,
      misses: now.misses - before.misses,
      expired: now.expired - before.expired,
    }
  }

  calls(command: Counted): Calls {
    const before = this.callsBefore.get(command) ?? noCalls
    const { counts, rejected } = command
    return {
      total: counts.total - before.total,
      failed: counts.failed - before.failed,
      rejected: rejected - before.rejected,
      ms: counts.ms - before.ms,
    }
  }

  /** Commands a second since the previous call. */
  rate(sources: Sources): number {
    const atMs = this.clock.elapsed()
    const { commands } = totalsOf(sources)
    const { sample } = this
    const ms = atMs - sample.atMs
    if (ms < sampleMsMin) return sample.rate
    const rate = Math.round(((commands - sample.commands) * 1_000) / ms)
    this.sample = { atMs, commands, rate }
    return rate
  }

  reset(sources: Sources): void {
    this.before = totalsOf(sources)
    this.errors.clear()
    this.callsBefore = new Map()
    for (const command of sources.table.all()) {
      const { counts, rejected } = command
      this.callsBefore.set(command, { ...counts, rejected })
    }
  }
}

function totalsOf(sources: Sources): Totals {
  let commands = 0
  for (const { counts } of sources.table.all()) commands += counts.total
  const { hits, misses } = sources.programs
  const { accepted, rejected } = sources.clients
  const { expired } = sources.expiry
  return { commands, accepted, rejected, hits, misses, expired }
}
