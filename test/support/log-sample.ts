// A small log of three files in two sessions, whose last groups were never synced, with the place
// of every byte; and what the rules say of it once given places are damaged, worked out from the
// list of groups alone.

import { recordHeaderBytes, segmentHeaderBytes } from '../../src/store/log/log-record.js'
import { FaultyFiles } from './faulty-files.js'
import { groupOf, openLog, turn } from './log-room.js'
import { MemoryFiles } from './memory-files.js'

export interface SampleGroup {
  readonly group: number
  readonly path: string
  /** Of the record in its file. */
  readonly at: number
  readonly end: number
  /** The last group on the disk when it was written. */
  readonly synced: number
  readonly changes: Buffer
}

export interface SampleLog {
  readonly files: MemoryFiles
  readonly groups: readonly SampleGroup[]
  /** In order. */
  readonly paths: readonly string[]
}

/** What reading should find. */
export interface Verdict {
  /** Groups above the applied one that are served. */
  readonly served: readonly SampleGroup[]
  readonly kind: 'whole' | 'torn' | 'damaged'
  /** The first group above the applied one that is lost, and where it lies. */
  readonly lost?: SampleGroup
}

export async function sampleLog(): Promise<SampleLog> {
  const files = new MemoryFiles()
  const faulty = new FaultyFiles(files)
  const groups: SampleGroup[] = []
  let after = 0
  for (const session of [0, 1]) {
    const log = openLog(faulty, { durability: 'commit', after: { group: after } })
    for (const segment of session === 0 ? [0, 1] : [2]) {
      let at = segmentHeaderBytes
      for (let i = 0; i < 4; i++) {
        const record = groupOf(
          { key: `s${segment}`, value: `value ${i}`, version: 9 },
          { key: 'x' },
        )
        if (segment === 2 && i === 2) faulty.holdSyncs()
        const synced = log.syncedGroup
        const group = log.append([record], 2)
        const path = files.paths().at(-1) ?? ''
        const changes = Buffer.from(record.subarray(recordHeaderBytes))
        groups.push({ group, path, at, end: at + record.length, synced, changes })
        at += record.length
        await turn()
      }
      log.seal()
    }
    after = log.lastGroup
    faulty.letSyncs(true)
    await log.close()
  }
  return { files: files.copy(), groups, paths: [...new Set(groups.map(({ path }) => path))] }
}

/**
 * `isLost` tells of each group whether its record is unreadable; of a file with a damaged header
 * all groups are. `isMark` tells whose records still say what was synced. `isForeign`: no power cut
 * does it.
 */
export function judge(
  { groups }: SampleLog,
  applied: number,
  isLost: (group: SampleGroup) => boolean,
  isMark: (group: SampleGroup) => boolean = (group) => !isLost(group),
  isForeign = false,
): Verdict {
  const above = groups.filter(({ group }) => group > applied)
  const lostAt = above.findIndex(isLost)
  const lost = above[lostAt]
  if (lost === undefined) return { served: above, kind: 'whole' }
  const synced = Math.max(0, ...groups.filter(isMark).map((one) => one.synced))
  const kind = isForeign || lost.group <= synced ? 'damaged' : 'torn'
  return { served: above.slice(0, lostAt), kind, lost }
}

/** The applied groups to try: none, within a file, at the ends of files, all. */
export function appliedChoices({ groups }: SampleLog): number[] {
  return [0, ...[1, 3, 4, 7, 9, 11].map((i) => groups[i]?.group ?? 0)]
}
