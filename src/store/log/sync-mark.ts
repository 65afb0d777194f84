// The last group that is known to be on the disk, in a small file beside the tables. Records of the
// log tell it too, but a log whose last file is lost takes that word along. The mark is written
// behind each sync and not synced itself: after a power cut it may be old, and is never too new.

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

/** Where the mark of the store in `folder` lies. */
export function markPath(folder: string): string {
  return `${folder}/${fileName}`
}

/** The group of the mark; 0 where there is none, or none that is whole. */
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

  /** Makes the file where it is missing. */
  static open(files: Files, folder: string): SyncMark {
    const path = markPath(folder)
    try {
      return new SyncMark(files, files.open(path, 'write'))
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw error
      return new SyncMark(files, files.create(path))
    }
  }

  /** A mark that could not be written is an old one: the log itself is what was promised. */
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
