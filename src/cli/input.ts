// The file that a program of the command line loads, or standard input in its place: how it is
// read, and how much of it there is for a progress bar.

import { createReadStream, statSync } from 'node:fs'
import { fail } from '../base/errors.js'

/** `-` is standard input. */
export function openInput(file: string): AsyncIterable<Uint8Array> {
  return file === '-' ? process.stdin : createReadStream(file, { highWaterMark: 1 << 18 })
}

/** Bytes; 0 of standard input, where nobody knows. Throws BadValue where there is no such file. */
export function inputBytes(file: string): number {
  if (file === '-') return 0
  try {
    return statSync(file).size
  } catch (error) {
    throw fail('BadValue', error instanceof Error ? error.message : String(error))
  }
}
