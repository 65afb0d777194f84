// Room on the disk for a commit, taken before the library needs it: a page that it cannot write now
// and then spoils its heap. The file is lengthened by bytes that are really written, so a full disk
// is met here, where it is an ordinary error and leaves nothing behind.

import { closeSync, fstatSync, ftruncateSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { fail } from '../../base/errors.js'
import { isNoSpace } from '../files.js'
import { pageBytes } from '../pages/page-format.js'
import type { Environment } from './lmdb-environment.js'

/** Of the list of free pages, the root and what lies between it and the leaves. */
const pagesMore = 64
const zeros = new Uint8Array(256 * 1_024)

/**
 * At most so many new pages for a commit: a copy of the leaf of each change, what splitting the
 * leaves adds, and the pages of large values.
 */
export function pagesOf(changes: number, bytes: number): number {
  return Math.ceil(1.125 * (changes + (2 * bytes) / pageBytes)) + pagesMore
}

/** Throws OutOfDiskSpace, and leaves the file as it was, where there is no room. */
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
