// Temporary files of sorts and groups that exceed memory, in a folder beside the tables. They are
// not in the log and useless to other processes. A file is unlinked as soon as it is open, so a
// crash can leave only a file between those two calls.

import { join } from 'node:path'
import type { Bytes } from '../../base/bytes/bytes.js'
import type { Clock, Random } from '../../base/clock.js'
import { assert, fail } from '../../base/errors.js'
import {
  blockingBytesMax,
  spillBytesMax,
  spillBytesOfAllMax,
  spillBytesOfOwnerMax,
} from '../../base/limits/documents.js'
import type { SpillFile, Workspace } from '../../query/spill.js'
import { errorCode, type Files, isNoSpace, nodeFiles } from '../../store/files.js'
import { DiskSpace } from '../../store/tables/disk-space.js'
import { holderOf } from './cursors.js'

interface SpillOptions {
  /** Created with the first file. */
  readonly folder: string
  /**
   * Begins the names of files in a folder that other processes use too; without it, the contents at
   * start are leftovers.
   */
  readonly prefix?: string
  readonly files: Files
  readonly clock: Clock
  /** Bytes that a stage may hold in memory; default blockingBytesMax. */
  readonly memoryBytesMax?: number
  /** Bytes on disk of one command; default spillBytesMax. */
  readonly bytesMax?: number
  /**
   * Bytes on disk of all commands of one wallet, or of the operator; default spillBytesOfOwnerMax.
   */
  readonly bytesOfOwnerMax?: number
}

export class SpillFolder {
  private readonly options: SpillOptions
  private readonly disk: DiskSpace
  private readonly bytesMax: number
  private readonly bytesOfOwnerMax: number
  /** Bytes on disk, by wallet. */
  private readonly owned = new Map<string, number>()
  private made = 0
  private written = 0
  private bytes = 0
  private files = 0

  constructor(options: SpillOptions) {
    this.options = options
    this.bytesMax = options.bytesMax ?? spillBytesMax
    this.bytesOfOwnerMax = options.bytesOfOwnerMax ?? spillBytesOfOwnerMax
    this.disk = new DiskSpace({ ...options, written: () => this.written })
  }

  /** Files that are open. */
  get filesOpen(): number {
    return this.files
  }

  /** Bytes of all files that are open. */
  get bytesHeld(): number {
    return this.bytes
  }

  get memoryBytesMax(): number {
    return this.options.memoryBytesMax ?? blockingBytesMax
  }

  /** Removes files that a crash left; only for the process that owns the folder. */
  clear(): void {
    const { files, folder, prefix } = this.options
    if (prefix !== undefined) return
    for (const name of namesIn(files, folder)) files.unlinkSync(join(folder, name))
  }

  /** Opens an unlinked file. Throws OutOfDiskSpace. */
  open(scope: SpillScope): OpenSpill {
    const { files, folder, prefix = '' } = this.options
    if (this.made === 0) files.makeFolder(folder)
    const path = join(folder, `${prefix}${++this.made}`)
    try {
      const file = files.create(path)
      files.unlinkSync(path)
      this.files++
      return new OpenSpill(this, scope, file)
    } catch (error) {
      throw failed(error)
    }
  }

  /** Throws OutOfDiskSpace; partly written bytes are discarded with the command. */
  append(file: number, bytes: Bytes, position: number, scope: SpillScope): void {
    const low = this.disk.low()
    if (low !== undefined) throw fail('OutOfDiskSpace', low)
    const owned = (this.owned.get(scope.holder) ?? 0) + bytes.length
    if (owned > this.bytesOfOwnerMax) {
      const held = `${owned} bytes of temporary files`
      throw fail('OutOfDiskSpace', `a wallet may not use more of the disk: ${held}`)
    }
    if (scope.bytes + bytes.length > this.bytesMax || this.isFull(bytes.length)) {
      const held = `${scope.bytes + bytes.length} bytes of temporary files`
      throw fail('OutOfDiskSpace', `a command may not use more of the disk: ${held}`)
    }
    const { files } = this.options
    try {
      for (let at = 0; at < bytes.length; ) {
        at += files.write(file, bytes.subarray(at), position + at)
      }
    } catch (error) {
      throw failed(error)
    }
    scope.bytes += bytes.length
    this.owned.set(scope.holder, (this.owned.get(scope.holder) ?? 0) + bytes.length)
    this.bytes += bytes.length
    this.written += bytes.length
  }

  read(file: number, target: Bytes, position: number): void {
    const { files } = this.options
    for (let at = 0; at < target.length; ) {
      const count = files.read(file, target.subarray(at), position + at)
      assert(count > 0, 'what was spilled is there')
      at += count
    }
  }

  /** Closes a file and subtracts its bytes. */
  close(file: number, length: number, { holder }: SpillScope): void {
    const left = (this.owned.get(holder) ?? 0) - length
    if (left > 0) this.owned.set(holder, left)
    else this.owned.delete(holder)
    this.options.files.close(file)
    this.bytes -= length
    this.files--
  }

  private isFull(more: number): boolean {
    return this.bytes + more > spillBytesOfAllMax
  }
}

interface SpillSettings {
  readonly STORE: string
  readonly SPILL_DIR: string | undefined
}

/** The temporary files, in SPILL_DIR or beside the tables; undefined if there is no folder. */
export function openSpills(
  { STORE, SPILL_DIR }: SpillSettings,
  clock: Clock,
  random: Random,
): SpillFolder | undefined {
  if (SPILL_DIR !== undefined) {
    const prefix = `sigil-${Buffer.from(random.bytes(8)).toString('hex')}-`
    return new SpillFolder({ folder: SPILL_DIR, prefix, files: nodeFiles, clock })
  }
  const path = /^lmdb:(.+)$/.exec(STORE)?.[1]
  if (path === undefined) return undefined
  return new SpillFolder({ folder: join(path, 'spill'), files: nodeFiles, clock })
}

/** Empty if there is no folder yet. */
function namesIn(files: Files, folder: string): string[] {
  try {
    return files.list(folder)
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return []
    throw error
  }
}

function failed(error: unknown): Error {
  if (!isNoSpace(error)) return error instanceof Error ? error : new Error(String(error))
  return fail('OutOfDiskSpace', 'no room on the disk for temporary files of a sort or group')
}

/** An open unlinked file: the system deletes it when it is closed. */
class OpenSpill implements SpillFile {
  private readonly folder: SpillFolder
  private readonly scope: SpillScope
  private readonly file: number
  private isOpen = true
  length = 0

  constructor(folder: SpillFolder, scope: SpillScope, file: number) {
    this.folder = folder
    this.scope = scope
    this.file = file
  }

  append(bytes: Bytes): void {
    assert(this.isOpen, 'a closed spill is not written')
    this.folder.append(this.file, bytes, this.length, this.scope)
    this.length += bytes.length
  }

  read(target: Bytes, position: number): void {
    assert(this.isOpen, 'a closed spill is not read')
    this.folder.read(this.file, target, position)
  }

  close(): void {
    if (!this.isOpen) return
    this.isOpen = false
    this.scope.bytes -= this.length
    this.folder.close(this.file, this.length, this.scope)
  }
}

/**
 * Spill files of one command or cursor: its sources close the files; the bytes are counted here.
 */
export class SpillScope implements Workspace {
  readonly memoryBytesMax: number
  readonly open?: () => SpillFile
  /** Bytes on disk now. */
  bytes = 0
  /** The holder: a wallet, whichever of its keys is used. */
  readonly holder: string

  /** Without a folder, stages use only memory. `owner` is the key of an identity. */
  constructor(folder: SpillFolder | undefined, allowsDisk: boolean, owner: string) {
    this.holder = holderOf(owner)
    this.memoryBytesMax = folder?.memoryBytesMax ?? blockingBytesMax
    if (folder === undefined || !allowsDisk) return
    this.open = () => folder.open(this)
  }
}
