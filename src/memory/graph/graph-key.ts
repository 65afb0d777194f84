// The name of a graph on the chain: a hash over random bytes from its creation, so it reveals
// nothing and cannot be claimed in advance. Version 2 also covers the database, so that two graphs
// of one name cannot be swapped. (docs/memory.md, "Proofs")

import { keccak_256 } from '@noble/hashes/sha3.js'
import { LRUCache } from 'lru-cache'
import { type Bytes, concatBytes, utf8 } from '../../base/bytes/bytes.js'
import type { Namespace } from '../../engine/types.js'
import type { GraphSettings, Place } from './graph-settings.js'

/** Version of the leaves of a root; each version has a separate graph key. */
export type ProofVersion = 1 | 2

/** The parts of a graph in its keys. */
export interface KeyedGraph {
  readonly name: string
  readonly settings: GraphSettings
  readonly anchors: Namespace
}

/** Separates the database from the name; neither can contain it. */
const separator = '\u001f'
const keysKept = 1_000
const kept = new LRUCache<string, string>({ max: keysKept })

/** The place of the graph when version 2 first wrote its settings. */
export function placeOf({ name, settings, anchors }: KeyedGraph): Place {
  return settings.place ?? { database: anchors.db, name }
}

/** `0x` and 64 digits: the key for roots of version 2. */
export function graphKey(graph: KeyedGraph): string {
  const { database, name } = placeOf(graph)
  return keyOf(graph.settings.key, `${database}${separator}${name}`)
}

/** The key for roots from before version 2. */
export function firstGraphKey(graph: KeyedGraph): string {
  return keyOf(graph.settings.key, placeOf(graph).name)
}

/** Both keys of a graph; the first if roots of version 1 may have been anchored. */
export interface GraphKeys {
  readonly first: string
  readonly second: string
  /** The newest anchor of version 1, after the upgrade. */
  readonly lastOfFirst: string | undefined
}

export function graphKeys(graph: KeyedGraph): GraphKeys {
  const lastOfFirst = graph.settings.upgraded?.anchorId
  return { first: firstGraphKey(graph), second: graphKey(graph), lastOfFirst }
}

export function graphKeyed({ first, second }: GraphKeys, version: ProofVersion): string {
  return version === 1 ? first : second
}

function keyOf(key: Bytes, text: string): string {
  const name = `${Buffer.from(key).toString('latin1')}\u0000${text}`
  const known = kept.get(name)
  if (known !== undefined) return known
  const digest = keccak_256(concatBytes(key, utf8(text)))
  const made = `0x${Buffer.from(digest).toString('hex')}`
  kept.set(name, made)
  return made
}
