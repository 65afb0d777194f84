// What record-writes.c wrote down: the calls of a process on the files of one folder, in the order
// in which they took effect.

import { readFileSync } from 'node:fs'
import { normalize } from 'node:path'
import type { Bytes } from '../../../src/base/bytes/bytes.js'

interface Timed {
  /** Monotonic, milliseconds. */
  readonly at: number
}

/** `file` is an inode; paths are inside the recorded folder, '.' is the folder itself. */
export type Event = Timed &
  (
    | {
        readonly kind: 'open'
        readonly file: bigint
        readonly path: string
        readonly created: boolean
        readonly emptied: boolean
      }
    | {
        readonly kind: 'write'
        readonly file: bigint
        readonly offset: number
        readonly bytes: Bytes
        /** By O_DSYNC: on the disk when the call returned. */
        readonly durable: boolean
      }
    | { readonly kind: 'truncate'; readonly file: bigint; readonly size: number }
    | { readonly kind: 'syncBegin'; readonly file: bigint; readonly number: number }
    | {
        readonly kind: 'syncEnd'
        readonly file: bigint
        readonly number: number
        readonly failed: boolean
      }
    | { readonly kind: 'unlink' | 'mkdir' | 'rmdir'; readonly path: string }
    | { readonly kind: 'rename'; readonly from: string; readonly to: string }
    /** A call that was made to fail: its letter and its path. */
    | { readonly kind: 'fault'; readonly call: string; readonly path: string }
  )

const headBytes = 32
const names = ['', 'open', 'write', 'truncate', 'syncBegin', 'syncEnd', 'unlink', 'rename'] as const
const laterNames = ['mkdir', 'rmdir', 'fault'] as const
const kinds = [...names, ...laterNames]
const flag = { created: 1, emptied: 2, durable: 4, failed: 8 } as const

/** A record that the end of its process cut off is left out. */
export function readJournal(path: string): Event[] {
  const journal = readFileSync(path)
  const events: Event[] = []
  for (let at = 0; at + headBytes <= journal.length; ) {
    const end = at + headBytes + journal.readUInt32LE(at)
    if (end > journal.length) break
    events.push(
      eventOf(journal.subarray(at, at + headBytes), journal.subarray(at + headBytes, end)),
    )
    at = end
  }
  return events
}

/**
 * For each event the path of the file that it is about; undefined where it is not about one that
 * was opened. Inodes are given out again, so what one means changes.
 */
export function pathsOf(events: readonly Event[]): (string | undefined)[] {
  const paths = new Map<bigint, string>()
  return events.map((event) => {
    if (event.kind === 'open') paths.set(event.file, event.path)
    if ('file' in event) return paths.get(event.file)
    return 'path' in event ? event.path : undefined
  })
}

function eventOf(head: Buffer, bytes: Buffer): Event {
  const kind = kinds[head.readUInt8(4)]
  const flags = head.readUInt8(5)
  const file = head.readBigUInt64LE(8)
  const number = Number(head.readBigUInt64LE(16))
  const at = Number(head.readBigUInt64LE(24)) / 1e6
  const has = (name: keyof typeof flag) => (flags & flag[name]) !== 0
  switch (kind) {
    case 'open':
      return {
        at,
        kind,
        file,
        path: pathOf(bytes),
        created: has('created'),
        emptied: has('emptied'),
      }
    case 'write':
      return { at, kind, file, offset: number, bytes, durable: has('durable') }
    case 'truncate':
      return { at, kind, file, size: number }
    case 'syncBegin':
      return { at, kind, file, number }
    case 'syncEnd':
      return { at, kind, file, number, failed: has('failed') }
    case 'unlink':
    case 'mkdir':
    case 'rmdir':
      return { at, kind, path: pathOf(bytes) }
    case 'rename': {
      const gap = bytes.indexOf(0)
      return { at, kind, from: pathOf(bytes.subarray(0, gap)), to: pathOf(bytes.subarray(gap + 1)) }
    }
    case 'fault':
      return { at, kind, call: bytes.toString('latin1', 0, 1), path: pathOf(bytes.subarray(2)) }
    default:
      throw new Error(`the journal has a record of kind ${head.readUInt8(4)}`)
  }
}

function pathOf(bytes: Buffer): string {
  return normalize(bytes.toString())
}
