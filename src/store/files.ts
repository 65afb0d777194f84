// What the log asks of the file system, so that tests can put a failing or a recording one in its
// place. Errors are the system's own, with their `code`; writes and reads may be short, as there.

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

/** Positions and lengths in bytes; a file is named by its descriptor. */
export interface Files {
  /** With its parents, for the owner alone; nothing happens where it exists. */
  makeFolder(path: string): void
  /** Names in a folder, in no order. */
  list(folder: string): string[]
  /** A new file for the owner alone, to write and read; fails with EEXIST where there is one. */
  create(path: string): number
  open(path: string, access: 'read' | 'write'): number
  size(file: number): number
  /** Fills `target` from the file at `position`; answers how many bytes came, 0 at its end. */
  read(file: number, target: Bytes, position: number): number
  write(file: number, bytes: Bytes, position: number): number
  /** Several pieces by one call. */
  writev(file: number, pieces: readonly Bytes[], position: number): number
  truncate(file: number, length: number): void
  /** On the thread pool: the event loop goes on. */
  datasync(file: number): Promise<void>
  datasyncSync(file: number): void
  /** The names in a folder. */
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

/** The machine's. */
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

/** The system's name of a failure (`ENOSPC`), where `error` is one. */
export function errorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}

/** Whether a write failed for want of room: disk full, quota, largest file. */
export function isNoSpace(error: unknown): boolean {
  const code = errorCode(error)
  return code === 'ENOSPC' || code === 'EDQUOT' || code === 'EFBIG'
}
