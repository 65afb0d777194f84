// The name of a graph on the chain: a hash of its name and of bytes that nobody else knows when it
// is made, so that it tells nothing, and cannot be taken beforehand. (docs/memory.md, "Verify")

import { keccak_256 } from '@noble/hashes/sha3.js'
import { concatBytes, utf8 } from '../../base/bytes.js'
import type { Graph } from './graph.js'

/** `0x` and 64 digits. */
export function graphKey({ name, settings }: Pick<Graph, 'name' | 'settings'>): string {
  const digest = keccak_256(concatBytes(settings.key, utf8(name)))
  return `0x${Buffer.from(digest).toString('hex')}`
}
