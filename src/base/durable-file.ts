// A small file that is there whole or not at all after a power cut: written beside its place,
// synced, renamed, and its folder synced. Errors are the system's own, with their `code`.

import { closeSync, fsyncSync, openSync, renameSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'

/** Writes `text` for the owner alone (mode 0600); what stood there is replaced. */
export function writeDurably(path: string, text: string): void {
  const beside = `${path}.new`
  const file = openSync(beside, 'w', 0o600)
  try {
    const bytes = Buffer.from(text)
    for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  renameSync(beside, path)
  const folder = openSync(dirname(path), 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}
