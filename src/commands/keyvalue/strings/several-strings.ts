// Several strings in one command: MGET, MSET and MSETNX. Writes are atomic. A reader treats a key
// of another type as missing; a writer replaces it.

import { mapKey } from '../../../base/bytes/bytes.js'
import type { Slice } from '../../../base/bytes/slice.js'
import { keysAtOnceMax } from '../../../base/limits/key-value.js'
import { wrongArity } from '../../../base/reply-error.js'
import type { KeyValueCall } from '../../../bus/keyvalue/call.js'
import { ok, type Reply } from '../../../bus/keyvalue/reply.js'
import type { KeyValueRow } from '../../../bus/keyvalue/row.js'
import { type Key, never } from '../../../engine/keyspace/keys/key.js'
import type { Keyspace } from '../../../engine/keyspace/keyspace.js'
import { overwriteString } from '../../../engine/keyspace/strings/plain-strings.js'
import { Done, nothing } from '../../../store/steps.js'
import type { Program, Step } from '../../../store/store.js'

const shared = { categories: ['string'], group: 'string' } as const

const mget: KeyValueRow = {
  ...shared,
  name: 'mget',
  grows: 'nothing',
  arity: -2,
  flags: ['readonly', 'fast'],
  keys: [1, -1, 1],
  tips: ['request_policy:multi_shard'],
  summary: 'Returns the strings of keys, nil for other keys.',
  since: '1.0.0',
  complexity: 'O(N) with N keys',
  syntax: 'key [key ...]',
  grain: 'read',
  *run(ks, call) {
    const keys = yield* ks.keys(call.argsFrom(1))
    return keys.map((key) => (key.type === 'string' ? key.text() : null))
  },
}

function readNames(call: KeyValueCall): Slice[] {
  if (call.count % 2 === 0) throw wrongArity(call.name)
  return call.argsFrom(1, 2)
}

/**
 * Writes the pairs from an index on to `keys`. If a key is named twice, both writes use one Key
 * object, which knows the value of the first.
 */
function* putAll(
  ks: Keyspace,
  call: KeyValueCall,
  from: number,
  keys: readonly Key[],
): Program<void> {
  const written = keys.length > comparedMax ? new Map<string, Key>() : undefined
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i] as Key
    const known = written === undefined ? firstOf(keys, i) : byName(written, key)
    const put = ks.putString(known, call.arg(from + 1 + 2 * i), never)
    if (put !== nothing) yield* put
    ks.notify('$', 'set', key.name)
  }
}

/** Up to this many names are compared pairwise; more use a map. */
const comparedMax = 16

/** The first key with the same name as the one at `index`. */
function firstOf(keys: readonly Key[], index: number): Key {
  const key = keys[index] as Key
  for (let i = 0; i < index; i++) {
    const other = keys[i] as Key
    if (other.name.equals(key.name)) return other
  }
  return key
}

function byName(written: Map<string, Key>, key: Key): Key {
  const name = mapKey(key.name.view())
  const known = written.get(name)
  if (known === undefined) written.set(name, key)
  return known ?? key
}

const mset: KeyValueRow = {
  ...shared,
  name: 'mset',
  uses: 'OW update',
  grows: 'keys',
  isBrief: true,
  arity: -3,
  flags: ['write', 'denyoom'],
  keys: [1, -1, 2],
  tips: ['request_policy:multi_shard', 'response_policy:all_succeeded'],
  summary: 'Sets keys to strings, all at once.',
  since: '1.0.1',
  complexity: 'O(N) with N keys',
  syntax: 'key value [key value ...]',
  grain: 'write',
  run(ks, call) {
    if (call.count % 2 === 0) throw wrongArity(call.name)
    const from = overwriteAll(ks, call)
    return from === call.count ? doneOk : msetLater(ks, call, from)
  },
}

const doneOk: Step<Reply> = new Done(ok)

/**
 * Overwrites strings without reading them, as far as possible; returns the index of the first pair
 * that needs a read.
 */
function overwriteAll(ks: Keyspace, call: KeyValueCall): number {
  for (let i = 1; i < call.count; i += 2) {
    const name = call.arg(i)
    if (!overwriteString(ks, name, call.arg(i + 1))) return i
    ks.notify('$', 'set', name)
  }
  return call.count
}

/** Reads a few keys at a time, so that a refusal for size comes before all are read. */
function* msetLater(ks: Keyspace, call: KeyValueCall, from: number): Program<Reply> {
  for (let at = from; at < call.count; at += 2 * keysAtOnceMax) {
    const names: Slice[] = []
    const end = Math.min(at + 2 * keysAtOnceMax, call.count)
    for (let i = at; i < end; i += 2) names.push(call.arg(i))
    yield* putAll(ks, call, at, yield* ks.keys(names, 'around'))
  }
  return ok
}

const msetnx: KeyValueRow = {
  ...shared,
  name: 'msetnx',
  uses: 'OW insert',
  grows: 'keys',
  arity: -3,
  flags: ['write', 'denyoom'],
  keys: [1, -1, 2],
  tips: ['request_policy:multi_shard', 'response_policy:agg_min'],
  summary: 'Sets keys to strings if none of them exists.',
  since: '1.0.1',
  complexity: 'O(N) with N keys',
  syntax: 'key value [key value ...]',
  grain: 'write',
  *run(ks, call) {
    const keys = yield* ks.keys(readNames(call), 'around')
    if (keys.some((key) => key.exists)) return 0
    yield* putAll(ks, call, 1, keys)
    return 1
  },
}

export const severalStringsRows: readonly KeyValueRow[] = [mget, mset, msetnx]
