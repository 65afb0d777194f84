// Reserves disk space for a commit before the library needs it: a page write that fails sometimes
// corrupts the library's heap. The file is extended with bytes that are really written. So a full
// disk causes an ordinary error here and leaves nothing behind.

import { closeSync, fstatSync, ftruncateSync, openSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { fail } from '../../base/errors.js'
import { isNoSpace, nodeFiles } from '../files.js'
import { pageBytes } from '../pages/page-format.js'
import { reserveOf } from './disk-space.js'
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

/**
 * Throws OutOfDiskSpace and leaves the file unchanged if there is no space, or less than `share` of
 * the disk reserve would be left for the log of removals.
 */
export function makeRoom(
  environment: Environment,
  folder: string,
  pages: number,
  share: number,
): void {
  environment.resetReadTxn()
  const { lastPageNumber } = environment.getStats() as { readonly lastPageNumber: number }
  environment.resetReadTxn()
  const end = (lastPageNumber + 1 + pages) * pageBytes
  const file = openSync(join(folder, 'data.mdb'), 'r+')
  try {
    lengthen(file, end, folder, share)
  } finally {
    closeSync(file)
  }
}

function noSpaceOf(folder: string): Error {
  return fail('OutOfDiskSpace', `no space left on the disk of ${folder}`)
}

/** Free bytes beside that share of the reserve; infinite if the file system cannot tell. */
function spaceBeside(folder: string, share: number): number {
  try {
    const { freeBytes, totalBytes } = nodeFiles.room(folder)
    return freeBytes - share * reserveOf(totalBytes)
  } catch {
    return Number.POSITIVE_INFINITY
  }
}

/** Bytes of the file that hold nothing: free pages, and what was reserved behind the last page. */
export function reusableBytes(environment: Environment, folder: string): number {
  const stats = environment.getStats() as TreeStats & { readonly free: TreeStats }
  const used = pagesIn(stats) + pagesIn(stats.free)
  return statSync(join(folder, 'data.mdb')).size - used * pageBytes
}

interface TreeStats {
  readonly treeBranchPageCount: number
  readonly treeLeafPageCount: number
  readonly overflowPages: number
}

function pagesIn({ treeBranchPageCount, treeLeafPageCount, overflowPages }: TreeStats): number {
  return treeBranchPageCount + treeLeafPageCount + overflowPages
}

function lengthen(file: number, end: number, folder: string, share: number): void {
  const { size } = fstatSync(file)
  if (end <= size) return
  // Asked first: an attempt that fails takes the space of the log for a moment.
  if (end - size > spaceBeside(folder, share)) throw noSpaceOf(folder)
  try {
    for (let at = size; at < end; ) {
      at += writeSync(file, zeros, 0, Math.min(zeros.length, end - at), at)
    }
  } catch (error) {
    ftruncateSync(file, size)
    if (isNoSpace(error)) throw noSpaceOf(folder)
    throw error
  }
}
