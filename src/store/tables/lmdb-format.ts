// The format of the tables, and the conversion from the previous one. It is one commit, so a folder
// always has exactly one format, and an older version refuses what it cannot read.

import { type Bytes, bufferOf } from '../../base/bytes/bytes.js'
import { fail } from '../../base/errors.js'
import { commitSync, type Environment, metaKey, writeApplied } from './lmdb-environment.js'

/**
 * 1: LMDB alone, versions reserved in blocks. 2: tables below a log, with the last applied group.
 * The record format is the same in both.
 */
export const tablesFormat = 2
const formatBefore = 1
const formatKey = metaKey('format')
/** Format 1: no version above it was assigned. */
const versionsKey = metaKey('versions')

/**
 * Initializes a new store in this format, or converts from the previous one. Throws OperationFailed
 * if the folder holds something else.
 */
export function prepareFormat(environment: Environment, folder: string): void {
  const found = environment.get(formatKey)
  if (found === undefined) {
    requireEmpty(environment, folder)
    begin(environment, folder)
    return
  }
  if (formatOf(found) === formatBefore) begin(environment, folder)
  else requireFormat(environment, folder)
}

/** Throws OperationFailed if the tables have another format. */
export function requireFormat(environment: Environment, folder: string): void {
  const seen = formatOf(environment.get(formatKey))
  if (seen !== tablesFormat) {
    throw fail(
      'OperationFailed',
      `the store in ${folder} has format ${seen}; this version reads format ${tablesFormat}`,
    )
  }
}

function formatOf(found: Bytes | undefined): number | 'unknown' {
  const [format] = found?.length === 1 ? found : []
  return format ?? 'unknown'
}

function requireEmpty(environment: Environment, folder: string): void {
  for (const _ of environment.getKeys({ start: Uint8Array.of(0), limit: 1 })) {
    throw fail('OperationFailed', `the folder ${folder} holds another program's data`)
  }
}

/** No log group is applied yet; versions continue from those of format 1. */
function begin(environment: Environment, folder: string): void {
  const versions = environment.get(versionsKey)
  const version = versions === undefined ? 0 : Number(bufferOf(versions).readBigUInt64LE())
  commitSync(environment, folder, () => {
    environment.putSync(formatKey, Uint8Array.of(tablesFormat))
    writeApplied(environment, { group: 0, version })
    environment.removeSync(versionsKey)
  })
}
