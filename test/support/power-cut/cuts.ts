// Cuts the power of a recorded process at chosen points: the folder is rebuilt as it may be found,
// and examined. What the process had been told before each cut comes with the finding.

import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { seededRandom } from '../seeded-random.js'
import { Disk, writeImage } from './disk.js'
import type { Examiner, Finding, Request } from './examiner.js'
import { type Event, pathsOf } from './journal.js'
import { type Recorder, type Recording, toldFile } from './recorder.js'

export interface Told {
  /** Number of the event after which it had been told. */
  readonly position: number
  /** Monotonic, milliseconds. */
  readonly at: number
  readonly line: string
}

export interface Cut {
  readonly seed: number
  /** So many events had taken effect. */
  readonly position: number
  /** Monotonic, milliseconds. */
  readonly at: number
  readonly finding: Finding
}

interface CutOptions {
  readonly what: Request['what']
  readonly count: number
  readonly seed: number
  /** Cuts before this event are not made. */
  readonly from?: number
  /** What the disk held before, all of it durable. */
  readonly before?: Disk
  /** The folders are left to `seen` as the cut left them, with an empty finding. */
  readonly isUnexamined?: boolean
  /** Only the process ends: what it wrote is there, but no safer than it was. */
  readonly isKill?: boolean
}

const notExamined: Finding = { head: undefined, problems: [] }

/** Cuts one recording `count` times; `seen` is told of each before its folder goes. */
export async function cutPower(
  { recorder, examiner }: { readonly recorder: Recorder; readonly examiner: Examiner },
  { events }: Recording,
  options: CutOptions,
  seen: (cut: Cut, room: string) => void | Promise<void>,
): Promise<void> {
  const { what, count, seed, from = 0, before, isUnexamined = false } = options
  const disk = before ?? new Disk(toldFile)
  const positions = choosePositions(events, from, count, seededRandom(seed))
  let applied = 0
  for (const [index, position] of positions.entries()) {
    for (; applied < position; applied++) disk.apply(events[applied] as Event)
    const ownSeed = seed + index
    const room = recorder.room()
    const left = options.isKill === true ? disk.current() : disk.afterCut(seededRandom(ownSeed))
    writeImage(left, room)
    const path = join(room, 'store')
    const finding = isUnexamined ? notExamined : await examiner.examine({ what, path })
    const at = events[position - 1]?.at ?? 0
    await seen({ seed: ownSeed, position, at, finding }, room)
    rmSync(room, { recursive: true })
  }
}

/** What the process was told, in order. */
export function toldIn({ events }: Recording): Told[] {
  const file = events.find((event) => event.kind === 'open' && event.path === toldFile)
  const inode = file?.kind === 'open' ? file.file : undefined
  const told: Told[] = []
  for (const [index, event] of events.entries()) {
    if (event.kind !== 'write' || event.file !== inode) continue
    const line = Buffer.from(event.bytes).toString().trimEnd()
    told.push({ position: index + 1, at: event.at, line })
  }
  return told
}

/**
 * In order; a third of them anywhere, a third beside something rarer than a write, and a third in a
 * commit of LMDB.
 */
function choosePositions(
  events: readonly Event[],
  from: number,
  count: number,
  random: () => number,
): number[] {
  const paths = pathsOf(events)
  const rare: number[] = []
  const committing: number[] = []
  for (let i = from; i < events.length; i++) {
    const event = events[i]
    if (event?.kind !== 'write' || event.durable) rare.push(i)
    else if (paths[i]?.endsWith('data.mdb') === true) committing.push(i + 1)
  }
  const oneOf = (positions: readonly number[]) => positions[Math.floor(random() * positions.length)]
  const chosen = Array.from({ length: count }, (_, index) => {
    const near = oneOf(rare)
    if (index % 3 === 0 && near !== undefined) return near + (random() < 0.5 ? 0 : 1)
    const inside = index % 3 === 1 ? oneOf(committing) : undefined
    return inside ?? from + 1 + Math.floor(random() * (events.length - from))
  })
  return chosen.sort((a, b) => a - b)
}
