// Keeps the last group known to be on disk in a small file beside the tables. Log records state it
// too, but that information is lost with the log's last file. The mark is written after each sync
// and is not synced itself. After a power cut it may be old, but never too new.

import {
  type Bytes,
  readUint32,
  readUint64,
  writeUint32,
  writeUint64,
} from '../../base/bytes/bytes.js'
import { crc32c } from '../../base/bytes/crc32c.js'
import { errorCode, type Files } from '../files.js'

const fileName = 'synced'
const groupBytes = 8
const markBytes = 12

/** Path of the mark file of the store in `folder`. */
export function markPath(folder: string): string {
  return `${folder}/${fileName}`
}

/** The group of the mark; 0 if the file is missing or damaged. */
export function readMark(files: Files, folder: string): number {
  let file: number
  try {
    file = files.open(markPath(folder), 'read')
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return 0
    throw error
  }
  try {
    const bytes: Bytes = new Uint8Array(markBytes)
    const isWhole = files.read(file, bytes, 0) === markBytes
    if (!isWhole || readUint32(bytes, groupBytes) !== crc32c(bytes, 0, groupBytes)) return 0
    return readUint64(bytes, 0)
  } finally {
    files.close(file)
  }
}

export class SyncMark {
  private readonly bytes: Bytes = new Uint8Array(markBytes)

  private constructor(
    private readonly files: Files,
    private readonly file: number,
  ) {}

  /** Creates the file if it is missing. */
  static open(files: Files, folder: string): SyncMark {
    const path = markPath(folder)
    try {
      return new SyncMark(files, files.open(path, 'write'))
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw error
      return new SyncMark(files, files.create(path))
    }
  }

  /**
   * A failed write is ignored: it leaves an old mark, and the log itself holds the acknowledged
   * data.
   */
  write(group: number): void {
    writeUint64(this.bytes, 0, group)
    writeUint32(this.bytes, groupBytes, crc32c(this.bytes, 0, groupBytes))
    try {
      this.files.write(this.file, this.bytes, 0)
    } catch (error) {
      if (errorCode(error) === undefined) throw error
    }
  }

  close(): void {
    this.files.close(this.file)
  }
}
