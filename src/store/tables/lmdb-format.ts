// The format of the tables, and the way from the one before it. The step is one commit, so a
// folder is of the one format or of the other, and an older version refuses what it cannot read.

import { type Bytes, bufferOf } from '../../base/bytes/bytes.js'
import { fail } from '../../base/errors.js'
import { commitSync, type Environment, metaKey, writeApplied } from './lmdb-environment.js'

/**
 * 1: LMDB alone, versions reserved in blocks. 2: below a log, whose last applied group is kept.
 * Records lie in both as they are.
 */
export const tablesFormat = 2
const formatBefore = 1
const formatKey = metaKey('format')
/** Of format 1: no version above it was given out. */
const versionsKey = metaKey('versions')

/**
 * Makes a new store one of this format and converts the one before. Throws OperationFailed where
 * the folder holds something else.
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

/** Throws OperationFailed where the tables are not of this format. */
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

/** Nothing of a log is applied yet; versions go on where format 1 left them. */
function begin(environment: Environment, folder: string): void {
  const versions = environment.get(versionsKey)
  const version = versions === undefined ? 0 : Number(bufferOf(versions).readBigUInt64LE())
  commitSync(environment, folder, () => {
    environment.putSync(formatKey, Uint8Array.of(tablesFormat))
    writeApplied(environment, { group: 0, version })
    environment.removeSync(versionsKey)
  })
}
