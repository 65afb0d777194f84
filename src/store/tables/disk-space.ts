// The disk reserve: when the disk is nearly full, only removals are accepted, so that checkpoints
// have space to work. Free pages of the tables count in part, since their file never shrinks. The
// check is a system call, so its result is cached briefly.

import type { Clock } from '../../base/clock.js'
import { diskReserveBytesMax, diskReserveShare } from '../../base/limits/store.js'
import { MiB } from '../../base/units.js'
import type { Files } from '../files.js'

/** The disk is checked at most once in this time, or earlier after this many written bytes. */
export const diskAskMs = 100
export const diskAskBytes = 1 * MiB

interface DiskSpaceOptions {
  readonly folder: string
  readonly files: Pick<Files, 'room'>
  readonly clock: Clock
  /** Bytes written since the start, so that a burst is noticed before the time is up. */
  readonly written?: () => number
  /** Bytes of files that serve later writes, so that the disk need not. */
  readonly reusable?: () => number
}

/** Free bytes below which only removals are accepted. */
export function reserveOf(totalBytes: number): number {
  return Math.min(totalBytes * diskReserveShare, diskReserveBytesMax)
}

export class DiskSpace {
  private readonly options: DiskSpaceOptions
  private askedAtMs = Number.NEGATIVE_INFINITY
  private askedAtBytes = 0
  private found: string | undefined
  private free = Number.POSITIVE_INFINITY

  constructor(options: DiskSpaceOptions) {
    this.options = options
  }

  /** As of the last check; infinite if the file system cannot tell. */
  get freeBytes(): number {
    return this.free
  }

  /** Why only removals are accepted now; undefined while there is space. */
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

  private reusableBytes(): number {
    try {
      return this.options.reusable?.() ?? 0
    } catch {
      return 0
    }
  }

  private ask(): string | undefined {
    const { folder, files } = this.options
    try {
      const { freeBytes, totalBytes } = files.room(folder)
      this.free = freeBytes
      const reserve = reserveOf(totalBytes)
      if (freeBytes >= reserve) return undefined
      // The log still needs space, but only until its changes are in the tables.
      if (freeBytes >= reserve / 2 && this.reusableBytes() >= reserve) return undefined
      return (
        `the disk of ${folder} is nearly full: ${mebibytes(freeBytes)} MiB free, ` +
        `${mebibytes(reserve)} MiB are kept for removals`
      )
    } catch {
      // The file system cannot tell; writes will fail when it is full.
      return undefined
    }
  }
}

function mebibytes(bytes: number): number {
  return Math.floor(bytes / 2 ** 20)
}
