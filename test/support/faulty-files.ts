// A file layer that fails on demand: the n-th call of a kind with an error of the system, a write
// that takes only part of its bytes, a sync that waits until it is let go.

import type { Bytes } from '../../src/base/bytes/bytes.js'
import type { DiskRoom, Files } from '../../src/store/files.js'
import { systemError } from './memory-files.js'

type Call = keyof Files

interface Fault {
  readonly call: Call
  readonly code: string
  /** Calls that still pass. */
  passing: number
}

export class FaultyFiles implements Files {
  private readonly files: Files
  private faults: Fault[] = []
  private shortBytes: number[] = []
  private held: (() => void)[] | undefined

  constructor(files: Files) {
    this.files = files
  }

  /** The `nth` call of its kind from now on (1 for the next) fails, once. */
  failAt(call: Call, nth: number, code: string): void {
    this.faults.push({ call, code, passing: nth - 1 })
  }

  /** No fault that was asked for and not met yet comes any more. */
  heal(): void {
    this.faults = []
    this.shortBytes = []
  }

  /** The next writes take at most so many bytes, in turn. */
  shorten(...bytes: readonly number[]): void {
    this.shortBytes = [...bytes]
  }

  /** Lets syncs of files begin but not end. */
  holdSyncs(): void {
    this.held ??= []
  }

  get syncsHeld(): number {
    return this.held?.length ?? 0
  }

  /** Ends those that are held; later ones are held too until `isOver`. */
  letSyncs(isOver = false): void {
    const { held } = this
    this.held = isOver ? undefined : []
    for (const resolve of held ?? []) resolve()
  }

  makeFolder(path: string): void {
    this.meet('makeFolder')
    this.files.makeFolder(path)
  }

  list(folder: string): string[] {
    this.meet('list')
    return this.files.list(folder)
  }

  create(path: string): number {
    this.meet('create')
    return this.files.create(path)
  }

  open(path: string, access: 'read' | 'write'): number {
    this.meet('open')
    return this.files.open(path, access)
  }

  size(file: number): number {
    this.meet('size')
    return this.files.size(file)
  }

  read(file: number, target: Bytes, position: number): number {
    this.meet('read')
    return this.files.read(file, target, position)
  }

  write(file: number, bytes: Bytes, position: number): number {
    this.meet('write')
    return this.files.write(file, bytes.subarray(0, this.shortBytes.shift()), position)
  }

  writev(file: number, pieces: readonly Bytes[], position: number): number {
    this.meet('writev')
    const short = this.shortBytes.shift()
    if (short === undefined) return this.files.writev(file, pieces, position)
    return this.files.write(file, Buffer.concat(pieces).subarray(0, short), position)
  }

  truncate(file: number, length: number): void {
    this.meet('truncate')
    this.files.truncate(file, length)
  }

  async datasync(file: number): Promise<void> {
    const { held } = this
    if (held !== undefined) await new Promise<void>((resolve) => held.push(resolve))
    this.meet('datasync')
    await this.files.datasync(file)
  }

  datasyncSync(file: number): void {
    this.meet('datasyncSync')
    this.files.datasyncSync(file)
  }

  async syncFolder(path: string): Promise<void> {
    this.meet('syncFolder')
    await this.files.syncFolder(path)
  }

  syncFolderSync(path: string): void {
    this.meet('syncFolderSync')
    this.files.syncFolderSync(path)
  }

  close(file: number): void {
    this.meet('close')
    this.files.close(file)
  }

  async unlink(path: string): Promise<void> {
    this.meet('unlink')
    await this.files.unlink(path)
  }

  unlinkSync(path: string): void {
    this.meet('unlinkSync')
    this.files.unlinkSync(path)
  }

  room(folder: string): DiskRoom {
    this.meet('room')
    return this.files.room(folder)
  }

  private meet(call: Call): void {
    let due: Fault | undefined
    for (const fault of this.faults) {
      if (fault.call !== call) continue
      if (fault.passing === 0) due ??= fault
      else fault.passing--
    }
    if (due === undefined) return
    this.faults = this.faults.filter((fault) => fault !== due)
    throw systemError(due.code, call)
  }
}
