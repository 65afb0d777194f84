// Reserves disk space for a commit before the library needs it: a page write that fails sometimes
// corrupts the library's heap. The file is extended with bytes that are really written. So a full
// disk causes an ordinary error here and leaves nothing behind.

import { closeSync, fstatSync, ftruncateSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { fail } from '../../base/errors.js'
import { isNoSpace } from '../files.js'
import { pageBytes } from '../pages/page-format.js'
import type { Environment } from './lmdb-environment.js'

/** Pages for the free list, the root, and the levels between the root and the leaves. */
const pagesMore = 64
const zeros = new Uint8Array(256 * 1_024)

/**
 * Upper bound of new pages for a commit: a copied leaf for each change, splits of leaves, and the
 * pages of large values.
 */
export function pagesOf(changes: number, bytes: number): number {
  return Math.ceil(1.125 * (changes + (2 * bytes) / pageBytes)) + pagesMore
}

/** Throws OutOfDiskSpace and leaves the file unchanged if there is no space. */
export function makeRoom(environment: Environment, folder: string, pages: number): void {
  environment.resetReadTxn()
  const { lastPageNumber } = environment.getStats() as { readonly lastPageNumber: number }
  environment.resetReadTxn()
  const end = (lastPageNumber + 1 + pages) * pageBytes
  const file = openSync(join(folder, 'data.mdb'), 'r+')
  try {
    lengthen(file, end, folder)
  } finally {
    closeSync(file)
  }
}

function lengthen(file: number, end: number, folder: string): void {
  const { size } = fstatSync(file)
  try {
    for (let at = size; at < end; ) {
      at += writeSync(file, zeros, 0, Math.min(zeros.length, end - at), at)
    }
  } catch (error) {
    ftruncateSync(file, size)
    if (isNoSpace(error)) throw fail('OutOfDiskSpace', `no space left on the disk of ${folder}`)
    throw error
  }
}
