// A workspace whose stages spill to files in memory.

import type { Bytes } from '../../src/base/bytes/bytes.js'
import type { SpillFile, Workspace } from '../../src/query/spill.js'

class MemoryFile implements SpillFile {
  private bytes = Buffer.alloc(0)
  isOpen = true

  get length(): number {
    return this.bytes.length
  }

  append(bytes: Bytes): void {
    this.bytes = Buffer.concat([this.bytes, bytes])
  }

  read(target: Bytes, position: number): void {
    if (position + target.length > this.bytes.length) throw new Error('read beyond the end')
    target.set(this.bytes.subarray(position, position + target.length))
  }

  close(): void {
    this.isOpen = false
  }
}

/** A workspace with so much memory, and the files that were opened in it. */
export function spilling(memoryBytesMax: number): { workspace: Workspace; files: MemoryFile[] } {
  const files: MemoryFile[] = []
  const open = (): SpillFile => {
    const file = new MemoryFile()
    files.push(file)
    return file
  }
  return { workspace: { memoryBytesMax, open }, files }
}
