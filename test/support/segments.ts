// Segments of the log as files, for tests that need no log: each group an array of changes.

import { writeFile } from 'node:fs/promises'
import { concatBytes } from '../../src/base/bytes/bytes.js'
import { changeBytes, writeChange } from '../../src/store/log/change.js'
import {
  fillRecordHeader,
  recordHeaderBytes,
  segmentHeader,
} from '../../src/store/log/log-record.js'

export interface Change {
  readonly key: Uint8Array
  /** None: a removal. */
  readonly value?: Uint8Array
  readonly version?: number
}

export interface Segment {
  readonly path: string
  readonly firstGroup: number
  readonly lastGroup: number
}

const salt = 0x5a17

export async function writeSegment(
  path: string,
  firstGroup: number,
  groups: readonly (readonly Change[])[],
): Promise<Segment> {
  const header = segmentHeader({ salt, firstGroup, groupBefore: 0 })
  const records = groups.map((changes, place) => recordOf(firstGroup + place, changes))
  await writeFile(path, concatBytes(header, ...records))
  return { path, firstGroup, lastGroup: firstGroup + groups.length - 1 }
}

function recordOf(group: number, changes: readonly Change[]): Uint8Array {
  let length = 0
  for (const { key, value } of changes) length += changeBytes(key.length, value?.length ?? 0)
  const record = new Uint8Array(recordHeaderBytes + length)
  let at = recordHeaderBytes
  for (const { key, value, version = 0 } of changes) {
    at = writeChange(record, at, key, value, value === undefined ? 0 : version)
  }
  fillRecordHeader([record], length, changes.length, group, 0, salt)
  return record
}
