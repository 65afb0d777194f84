// The disk reserve: near the end of the disk only removals are taken, so that there is room for the
// checkpoints and compactions that make space again. Asking costs a system call, so the answer is
// kept for a moment.

import type { Clock } from '../../base/clock.js'
import { diskReserveBytesMax, diskReserveShare } from '../../base/limits.js'
import { MiB } from '../../base/units.js'
import type { Files } from '../files.js'

/** The disk is asked at most once in so many milliseconds, unless so many bytes were written. */
export const diskAskMs = 100
export const diskAskBytes = 1 * MiB

interface DiskSpaceOptions {
  readonly folder: string
  readonly files: Pick<Files, 'room'>
  readonly clock: Clock
  /** Bytes written since the start: a burst is noticed before the time is up. */
  readonly written?: () => number
}

export class DiskSpace {
  private readonly options: DiskSpaceOptions
  private askedAtMs = Number.NEGATIVE_INFINITY
  private askedAtBytes = 0
  private found: string | undefined

  constructor(options: DiskSpaceOptions) {
    this.options = options
  }

  /** Why only removals may be written at the moment; undefined while there is room. */
  low(): string | undefined {
    const { clock, written } = this.options
    const now = clock.elapsed()
    const bytes = written?.() ?? 0
    if (now - this.askedAtMs >= diskAskMs || bytes - this.askedAtBytes >= diskAskBytes) {
      this.askedAtMs = now
      this.askedAtBytes = bytes
      this.found = this.ask()
    }
    return this.found
  }

  private ask(): string | undefined {
    const { folder, files } = this.options
    try {
      const { freeBytes, totalBytes } = files.room(folder)
      const reserve = Math.min(totalBytes * diskReserveShare, diskReserveBytesMax)
      if (freeBytes >= reserve) return undefined
      return (
        `the disk of ${folder} is nearly full: ${mebibytes(freeBytes)} MiB free, ` +
        `${mebibytes(reserve)} MiB are kept for removals`
      )
    } catch {
      // A file system that cannot tell: writes will say when it is full.
      return undefined
    }
  }
}

function mebibytes(bytes: number): number {
  return Math.floor(bytes / 2 ** 20)
}
