// What a durability promises, judged by the order in which a recorded process wrote, synced and
// was told: `commit` keeps all that was told, `interval` what was told before the first write to
// the log that no sync covers (and all but about the last 100 ms), `none` that groups are whole.

import type { Durability } from '../../../src/store/log/log-sync.js'
import type { Cut, Told } from './cuts.js'
import { toldIn } from './cuts.js'
import { pathsOf } from './journal.js'
import { type Done, type Head, holds } from './ledger.js'
import type { Recording } from './recorder.js'

/** How long `interval` waits between syncs, and how late the machine may be with that. */
const intervalMs = 100
const latenessMs = 1_500
const logFolder = 'store/log'

interface Operation extends Told {
  readonly done: Done
}

/** A write to the log, and the event from which on it is on the disk: never is Infinity. */
interface LogWrite {
  readonly position: number
  readonly safeFrom: number
}

export class Promised {
  /** The longest time that a cut lost, milliseconds, and how many cuts fell into a checkpoint. */
  lostMsMax = 0
  inCheckpoint = 0
  cuts = 0
  private readonly durability: Durability
  private readonly operations: readonly Operation[]
  private readonly heads: readonly Told[]
  private readonly writes: readonly LogWrite[]
  private readonly syncs: readonly Sync[]
  /** For each position whether a commit of the tables was under way. */
  private readonly committing: readonly boolean[]
  private readonly slackMs: number

  constructor(durability: Durability, recording: Recording) {
    this.durability = durability
    const told = toldIn(recording)
    this.operations = told.flatMap((one) => {
      const done = doneOf(one.line)
      return done === undefined ? [] : [{ ...one, done }]
    })
    this.heads = told.filter(({ line }) => line.startsWith('head '))
    const paths = pathsOf(recording.events)
    this.syncs = syncsOf(recording, paths)
    this.writes = logWritesIn(recording, paths, this.syncs)
    this.committing = committingIn(recording, paths)
    const gaps = recording.events.map(({ at }, i) => at - (recording.events[i - 1]?.at ?? at))
    const longestSync = this.syncs.reduce((most, { lastMs }) => Math.max(most, lastMs), 0)
    this.slackMs =
      intervalMs + latenessMs + longestSync + gaps.reduce((most, gap) => Math.max(most, gap), 0)
  }

  /** Everything that a finding breaks. */
  judge({ position, at, finding }: Cut): string[] {
    const { head, problems, refused } = finding
    this.cuts++
    if (this.committing[position] === true) this.inCheckpoint++
    if (refused !== undefined) return [`refused: ${refused}`]
    const before = this.operations.filter((one) => one.position <= position)
    const lost = before.filter(({ done }) => !isHeld(head, done))
    const texts = [...problems]
    const first = lost[0]
    if (first === undefined) return texts
    const limit = this.promisedAt(position)
    const broken = lost.filter((one) => one.position <= limit)
    const what = `${lost.length} of ${before.length} told operations are lost`
    if (broken.length > 0) texts.push(`${what}, ${broken.length} of them promised`)
    if (this.durability !== 'interval') return texts
    const lostMs = at - first.at
    this.lostMsMax = Math.max(this.lostMsMax, lostMs)
    if (lostMs > this.slackMs) texts.push(`${what}, over ${lostMs.toFixed()} ms`)
    return texts
  }

  /** The head that a process found when it opened the store, where it was told by then. */
  headToldAt(position: number): number | undefined {
    const found = this.heads.find((one) => one.position <= position)
    return found === undefined ? undefined : Number(found.line.split(' ')[1])
  }

  summary(): string {
    const lost =
      this.durability === 'interval' ? `, at most ${this.lostMsMax.toFixed()} ms lost` : ''
    const { cuts, inCheckpoint, operations, syncs, writes } = this
    const log = `${writes.length} writes to the log, ${syncs.length} syncs`
    const run = `${operations.length} operations, ${log}`
    return `${this.durability}: ${cuts} cuts, ${inCheckpoint} in a commit${lost}; ${run}`
  }

  /** What was told up to this event has to be there after a cut at `position`. */
  promisedAt(position: number): number {
    if (this.durability === 'commit') return position
    if (this.durability === 'none') return 0
    const open = this.writes.find((write) => write.safeFrom > position)
    return Math.min(position, open?.position ?? position)
  }
}

function isHeld(head: Head | undefined, done: Done): boolean {
  return head !== undefined && holds(head, done)
}

/** Of a line `done <count> <lane> <number>`. */
export function doneOf(line: string): Done | undefined {
  const [word, ...numbers] = line.split(' ')
  const [count, lane, number] = numbers.map(Number)
  if (word !== 'done' || count === undefined || lane === undefined || number === undefined) return
  return { count, lane, number }
}

type Paths = readonly (string | undefined)[]

interface Sync {
  readonly path: string
  readonly begun: number
  readonly ended: number
  readonly lastMs: number
}

function syncsOf({ events }: Recording, paths: Paths): Sync[] {
  const begun = new Map<number, { readonly position: number; readonly at: number }>()
  const syncs: Sync[] = []
  for (const [index, { at, ...event }] of events.entries()) {
    if (event.kind === 'syncBegin') begun.set(event.number, { position: index, at })
    if (event.kind !== 'syncEnd' || event.failed) continue
    const start = begun.get(event.number)
    if (start === undefined) continue
    const path = paths[start.position] ?? ''
    syncs.push({ path, begun: start.position, ended: index + 1, lastMs: at - start.at })
  }
  return syncs
}

/**
 * A write is safe once a sync of its file that began after it has ended, and one of the folder that
 * began after the file was made; or once the file is gone, whose content the tables have by then.
 */
function logWritesIn({ events }: Recording, paths: Paths, syncs: readonly Sync[]): LogWrite[] {
  const endOf = (path: string, position: number) =>
    syncs
      .filter((sync) => sync.begun >= position && sync.path === path)
      .reduce((first, { ended }) => Math.min(first, ended), Number.POSITIVE_INFINITY)
  const named = new Map<string, number>()
  const gone = new Map<string, number>()
  const writes: LogWrite[] = []
  for (const [position, event] of events.entries()) {
    const path = paths[position] ?? ''
    if (!path.startsWith(`${logFolder}/`)) continue
    if (event.kind === 'unlink') gone.set(path, position + 1)
    if (event.kind === 'open' && event.created) named.set(path, endOf(logFolder, position))
  }
  for (const [position, event] of events.entries()) {
    const path = paths[position] ?? ''
    if (event.kind !== 'write' || !path.startsWith(`${logFolder}/`)) continue
    const safe = Math.max(endOf(path, position), named.get(path) ?? 0)
    writes.push({ position, safeFrom: Math.min(safe, gone.get(path) ?? Number.POSITIVE_INFINITY) })
  }
  return writes
}

/** A commit of the tables is under way from its first write to the durable one of its meta page. */
function committingIn({ events }: Recording, paths: Paths): boolean[] {
  let isCommitting = false
  const states = [false]
  for (const [index, event] of events.entries()) {
    if (event.kind === 'write' && paths[index] === 'store/data.mdb') {
      isCommitting = !event.durable
    }
    states.push(isCommitting)
  }
  return states
}
