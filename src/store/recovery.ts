// Loads what the log holds beyond the tables into memtables, for every start and for read-only
// folders. It changes nothing in the folder.

import { join } from 'node:path'
import type { Clock } from '../base/clock.js'
import { assert, fail } from '../base/errors.js'
import type { Files } from './files.js'
import { Generation } from './generation.js'
import { changeEnd, isRemoval, keyBytesOf, valueBytesOf, versionOf } from './log/change.js'
import { type LogState, readLog, type VisitGroup } from './log/log-reader.js'
import { readMark } from './log/sync-mark.js'

/** `frozen` is newest first. */
export interface LoadedLog {
  readonly state: LogState
  readonly frozen: Generation[]
}

/** Path of a store's log. */
export function logFolder(folder: string): string {
  return join(folder, 'log')
}

/**
 * Loads groups above `applied`. Throws OperationFailed if acknowledged data in the log is damaged.
 */
export function loadLog(files: Files, folder: string, applied: number, clock: Clock): LoadedLog {
  const loaded = new Map<string, Generation>()
  const visit: VisitGroup = (bytes, start, end, _group, path) => {
    const generation = loaded.get(path) ?? new Generation()
    loaded.set(path, generation)
    load(generation, bytes, start, end)
  }
  const state = readLog(files, logFolder(folder), applied, visit, readMark(files, folder))
  if (state.damage !== undefined) throw fail('OperationFailed', state.damage.text)
  const frozen: Generation[] = []
  for (const segment of state.segments) {
    const generation = loaded.get(segment.path)
    assert(generation !== undefined, 'every segment that counts was visited')
    generation.segment = segment
    generation.sinceMs = clock.elapsed()
    frozen.unshift(generation)
  }
  return { state, frozen }
}

function load({ memtable }: Generation, bytes: Uint8Array, start: number, end: number): void {
  memtable.begin(0)
  for (let at = start; at < end; at = changeEnd(bytes, at)) {
    const key = keyBytesOf(bytes, at)
    if (isRemoval(bytes, at)) memtable.remove(key)
    else memtable.put(key, valueBytesOf(bytes, at), versionOf(bytes, at))
  }
  memtable.keep()
}
