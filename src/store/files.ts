// The file system calls of the log, so that tests can substitute a failing or recording version.
// Errors are those of the system, with their `code`. Reads and writes may be short.

import {
  closeSync,
  fdatasync,
  fdatasyncSync,
  fstatSync,
  fsync,
  fsyncSync,
  ftruncateSync,
  open,
  openSync,
  readdirSync,
  readSync,
  statfsSync,
  unlink,
  unlinkSync,
  writeSync,
  writevSync,
} from 'node:fs'
import { promisify } from 'node:util'
import type { Bytes } from '../base/bytes/bytes.js'
import { makeFolders } from '../base/folders.js'

export interface DiskRoom {
  /** Bytes that this user may still write, and bytes of the whole file system. */
  readonly freeBytes: number
  readonly totalBytes: number
}

/** Positions and lengths are in bytes; a file is identified by its descriptor. */
export interface Files {
  /** Makes a folder and its parents, accessible to the owner only. Does nothing if it exists. */
  makeFolder(path: string): void
  /** Names in a folder, in no order. */
  list(folder: string): string[]
  /**
   * Creates a file for reading and writing, accessible to the owner only. Fails with EEXIST if it
   * exists.
   */
  create(path: string): number
  open(path: string, access: 'read' | 'write'): number
  size(file: number): number
  /**
   * Fills `target` from the file at `position`; returns the bytes read, 0 at the end of the file.
   */
  read(file: number, target: Bytes, position: number): number
  write(file: number, bytes: Bytes, position: number): number
  /** Writes several pieces with one call. */
  writev(file: number, pieces: readonly Bytes[], position: number): number
  truncate(file: number, length: number): void
  /** Runs on the thread pool and does not block the event loop. */
  datasync(file: number): Promise<void>
  datasyncSync(file: number): void
  /** Syncs the names in a folder. */
  syncFolder(path: string): Promise<void>
  syncFolderSync(path: string): void
  close(file: number): void
  unlink(path: string): Promise<void>
  unlinkSync(path: string): void
  room(folder: string): DiskRoom
}

const openLater = promisify(open)
const syncLater = promisify(fsync)
const datasyncLater = promisify(fdatasync)
const unlinkLater = promisify(unlink)

/** The real file system. */
export const nodeFiles: Files = {
  makeFolder: (path) => void makeFolders(path),
  list: (folder) => readdirSync(folder),
  create: (path) => openSync(path, 'wx+', 0o600),
  open: (path, access) => openSync(path, access === 'read' ? 'r' : 'r+'),
  size: (file) => fstatSync(file).size,
  read: (file, target, position) => readSync(file, target, 0, target.length, position),
  write: (file, bytes, position) => writeSync(file, bytes, 0, bytes.length, position),
  writev: (file, pieces, position) => writevSync(file, pieces, position),
  truncate: (file, length) => ftruncateSync(file, length),
  datasync: (file) => datasyncLater(file),
  datasyncSync: (file) => fdatasyncSync(file),
  async syncFolder(path) {
    const folder = await openLater(path, 'r')
    try {
      await syncLater(folder)
    } finally {
      closeSync(folder)
    }
  },
  syncFolderSync(path) {
    const folder = openSync(path, 'r')
    try {
      fsyncSync(folder)
    } finally {
      closeSync(folder)
    }
  },
  close: (file) => closeSync(file),
  unlink: (path) => unlinkLater(path),
  unlinkSync: (path) => unlinkSync(path),
  room(folder) {
    const { bavail, blocks, bsize } = statfsSync(folder)
    return { freeBytes: bavail * bsize, totalBytes: blocks * bsize }
  },
}

/** The system's error code (`ENOSPC`), if `error` has one. */
export function errorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}

/** Whether a write failed for lack of space: full disk, quota or file size limit. */
export function isNoSpace(error: unknown): boolean {
  const code = errorCode(error)
  return code === 'ENOSPC' || code === 'EDQUOT' || code === 'EFBIG'
}
