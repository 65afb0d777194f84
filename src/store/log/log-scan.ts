// Scans the records of one segment. After a damaged place, it searches for the next record.
// `log-reader.ts` decides what the findings mean.

import {
  recordGroup,
  recordHeaderBytes,
  recordMagicBytes,
  recordSalt,
  recordSynced,
  type SegmentHeader,
  segmentHeaderBytes,
  soundRecordEnd,
} from './log-record.js'

interface ScanVisitor {
  /** A valid record; groups come in ascending order. */
  record(at: number, end: number, group: number): void
  /** Groups `from` to `to` are missing at `at`. */
  lost(at: number, from: number, to: number): void
}

interface Scanned {
  /** End of the last valid record. */
  readonly end: number
  /** The last valid group; 0 for none. */
  readonly lastGroup: number
}

/** More records than a segment can have. Groups further away do not belong to this segment. */
const segmentGroupsMax = 2 ** 24

/** `bytes` is a segment, complete or truncated; `header` was read from its start. */
export function scanRecords(bytes: Buffer, header: SegmentHeader, visitor: ScanVisitor): Scanned {
  const { salt } = header
  let at = segmentHeaderBytes
  let nextGroup = header.firstGroup
  let lastGroup = 0
  while (at < bytes.length) {
    const found = findRecord(bytes, at, salt, nextGroup)
    if (found === undefined) break
    const group = recordGroup(bytes, found.at)
    if (found.at !== at || group !== nextGroup) {
      visitor.lost(at, nextGroup, Math.max(group - 1, nextGroup))
    }
    visitor.record(found.at, found.end, group)
    at = found.end
    nextGroup = group + 1
    lastGroup = group
  }
  return { end: at, lastGroup }
}

/** The next valid record from `at` on, with a group of at least `lowest`. */
function findRecord(
  bytes: Buffer,
  at: number,
  salt: number,
  lowest: number,
): { at: number; end: number } | undefined {
  for (let found = at; found >= 0; found = bytes.indexOf(recordMagicBytes, found + 1)) {
    const end = soundRecordEnd(bytes, found, bytes.length, salt)
    if (end > 0 && recordGroup(bytes, found) >= lowest) return { at: found, end }
  }
  return undefined
}

/**
 * What a segment reveals after its header, and so its salt, is lost: its last group, and the last
 * one known to be synced; 0 for none. Its records are never used: a client's value might look like
 * one.
 */
export function scanUnsalted(
  bytes: Buffer,
  firstGroup: number,
): { lastGroup: number; syncedGroup: number } {
  let lastGroup = 0
  let syncedGroup = 0
  for (let at = bytes.indexOf(recordMagicBytes); at >= 0; ) {
    const end =
      at + recordHeaderBytes > bytes.length
        ? -1
        : soundRecordEnd(bytes, at, bytes.length, recordSalt(bytes, at))
    const group = end < 0 ? 0 : recordGroup(bytes, at)
    if (group >= firstGroup && group < firstGroup + segmentGroupsMax) {
      lastGroup = Math.max(lastGroup, group)
      syncedGroup = Math.max(syncedGroup, recordSynced(bytes, at))
    }
    at = bytes.indexOf(recordMagicBytes, end < 0 ? at + 1 : end)
  }
  return { lastGroup, syncedGroup }
}
