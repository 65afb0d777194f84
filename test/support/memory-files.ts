// A file system in memory with a journal of what was asked of it: for tests that damage a log at
// every byte, and look at what reached the disk in which order.

import type { Bytes } from '../../src/base/bytes/bytes.js'
import type { DiskRoom, Files } from '../../src/store/files.js'

class SystemError extends Error {
  readonly code: string

  constructor(code: string, call: string) {
    super(`${code}: ${call}`)
    this.code = code
  }
}

/** A failure as the system reports it. */
export function systemError(code: string, call: string): Error {
  return new SystemError(code, call)
}

interface Content {
  bytes: Buffer
  length: number
}

export class MemoryFiles implements Files {
  /** What was asked, with the path: `datasync /log/1`. */
  readonly journal: string[] = []
  space: DiskRoom = { freeBytes: 2 ** 40, totalBytes: 2 ** 40 }
  private readonly contents = new Map<string, Content>()
  private readonly opened = new Map<number, { path: string; content: Content }>()
  private nextFile = 100

  get openFiles(): number {
    return this.opened.size
  }

  /** The bytes of a file; the caller's own. */
  contentOf(path: string): Buffer {
    const { bytes, length } = this.contentAt(path)
    return Buffer.from(bytes.subarray(0, length))
  }

  setContent(path: string, bytes: Bytes): void {
    this.contents.set(path, { bytes: Buffer.from(bytes), length: bytes.length })
  }

  remove(path: string): void {
    this.contents.delete(path)
  }

  paths(): string[] {
    return [...this.contents.keys()].sort()
  }

  /** The same files in another system. */
  copy(): MemoryFiles {
    const copy = new MemoryFiles()
    for (const path of this.paths()) copy.setContent(path, this.contentOf(path))
    return copy
  }

  makeFolder(path: string): void {
    this.journal.push(`makeFolder ${path}`)
  }

  list(folder: string): string[] {
    const start = `${folder}/`
    return this.paths()
      .filter((path) => path.startsWith(start))
      .map((path) => path.slice(start.length))
      .reverse()
  }

  create(path: string): number {
    if (this.contents.has(path)) throw systemError('EEXIST', 'open')
    this.contents.set(path, { bytes: Buffer.alloc(256), length: 0 })
    this.journal.push(`create ${path}`)
    return this.open(path)
  }

  open(path: string): number {
    const file = this.nextFile++
    this.opened.set(file, { path, content: this.contentAt(path) })
    return file
  }

  size(file: number): number {
    return this.at(file).content.length
  }

  read(file: number, target: Bytes, position: number): number {
    const { bytes, length } = this.at(file).content
    return bytes.copy(target, 0, position, Math.min(length, position + target.length))
  }

  write(file: number, bytes: Bytes, position: number): number {
    this.journal.push(`write ${this.at(file).path}`)
    return this.put(file, bytes, position)
  }

  writev(file: number, pieces: readonly Bytes[], position: number): number {
    this.journal.push(`writev ${this.at(file).path}`)
    let at = position
    for (const piece of pieces) at += this.put(file, piece, at)
    return at - position
  }

  truncate(file: number, length: number): void {
    const { path, content } = this.at(file)
    this.journal.push(`truncate ${path}`)
    content.bytes.fill(0, length)
    content.length = length
  }

  async datasync(file: number): Promise<void> {
    this.datasyncSync(file)
  }

  datasyncSync(file: number): void {
    this.journal.push(`datasync ${this.at(file).path}`)
  }

  async syncFolder(path: string): Promise<void> {
    this.syncFolderSync(path)
  }

  syncFolderSync(path: string): void {
    this.journal.push(`syncFolder ${path}`)
  }

  close(file: number): void {
    if (!this.opened.delete(file)) throw systemError('EBADF', 'close')
  }

  async unlink(path: string): Promise<void> {
    this.unlinkSync(path)
  }

  unlinkSync(path: string): void {
    this.journal.push(`unlink ${path}`)
    if (!this.contents.delete(path)) throw systemError('ENOENT', 'unlink')
  }

  room(): DiskRoom {
    return this.space
  }

  private put(file: number, bytes: Bytes, position: number): number {
    const { content } = this.at(file)
    const end = position + bytes.length
    if (end > content.bytes.length) {
      content.bytes = Buffer.concat([content.bytes, Buffer.alloc(2 * end)])
    }
    content.bytes.set(bytes, position)
    content.length = Math.max(content.length, end)
    return bytes.length
  }

  private at(file: number): { path: string; content: Content } {
    const found = this.opened.get(file)
    if (found === undefined) throw systemError('EBADF', 'file')
    return found
  }

  private contentAt(path: string): Content {
    const found = this.contents.get(path)
    if (found === undefined) throw systemError('ENOENT', 'open')
    return found
  }
}
