// Goes through the records of one segment, also behind a place that is damaged: there the next
// record is found by a search. What the findings mean is for `log-reader.ts` to say.

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
  /** A sound record; the groups of a segment come in rising order. */
  record(at: number, end: number, group: number): void
  /** At `at` groups `from` to `to` should be. */
  lost(at: number, from: number, to: number): void
}

interface Scanned {
  /** Behind the last sound record. */
  readonly end: number
  /** The last sound group, 0 for none. */
  readonly lastGroup: number
}

/** More records than a segment can have: groups beyond are not this segment's. */
const segmentGroupsMax = 2 ** 24

/** `bytes` is a segment, whole or cut, with the header that was read from its start. */
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

/** The next sound record from `at` on, of at least group `lowest`. */
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
 * What can be told of a segment whose header is lost, and with it the salt: the last group in it,
 * and the last one known as synced; 0 for none. Never a source of records: a client's value might
 * look like one.
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
