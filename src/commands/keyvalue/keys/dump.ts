// DUMP and RESTORE: a value as one string in Redis' own format, so that it can be moved between
// Sigil and Redis.

import { respBulkBytesMax } from '../../../base/limits/key-value.js'
import { refuse, syntaxError, tooLong } from '../../../base/reply-error.js'
import { crcBytesPerUnit } from '../../../base/work/work-figures.js'
import type { KeyValueCall } from '../../../bus/keyvalue/call.js'
import { ok, type Reply } from '../../../bus/keyvalue/reply.js'
import type { KeyValueRow } from '../../../bus/keyvalue/row.js'
import { isIntact, readDump } from '../../../engine/keyspace/dump/read.js'
import { writeDump } from '../../../engine/keyspace/dump/write.js'
import { readContents, storeContents } from '../../../engine/keyspace/keys/contents.js'
import { never } from '../../../engine/keyspace/keys/key.js'
import type { Keyspace } from '../../../engine/keyspace/keyspace.js'
import type { Program } from '../../../store/store.js'

const dump: KeyValueRow = {
  name: 'dump',
  grows: 'nothing',
  arity: 2,
  flags: ['readonly'],
  categories: ['keyspace'],
  keys: [1, 1, 1],
  summary: 'Returns the value of a key as a string for RESTORE, in Sigil and in Redis.',
  since: '2.6.0',
  group: 'generic',
  complexity: 'O(N) with N members',
  syntax: 'key',
  tips: ['nondeterministic_output'],
  grain: 'read',
  *run(ks, call) {
    const key = yield* ks.key(call.arg(1))
    if (!key.exists) return null
    const payload = yield* writeDump(ks.tx, yield* readContents(ks, key))
    // A client could not send a larger payload back.
    if (payload.length > respBulkBytesMax) throw tooLong()
    return payload
  },
}

interface RestoreOptions {
  readonly mayReplace: boolean
  readonly isAbsolute: boolean
}

/**
 * IDLETIME and FREQ are checked but have no effect, because the last use of a key is not stored.
 */
function readOptions(call: KeyValueCall): RestoreOptions {
  let mayReplace = false
  let isAbsolute = false
  let given: 'idletime' | 'freq' | undefined
  for (let i = 4; i < call.count; i++) {
    const hasNext = i + 1 < call.count
    if (call.is(i, 'replace')) mayReplace = true
    else if (call.is(i, 'absttl')) isAbsolute = true
    else if (call.is(i, 'idletime') && hasNext && given !== 'freq') {
      given = 'idletime'
      if (call.int64(++i) < 0) throw refuse('ERR Invalid IDLETIME value, must be >= 0')
    } else if (call.is(i, 'freq') && hasNext && given !== 'idletime') {
      given = 'freq'
      const value = call.int64(++i)
      if (value < 0 || value > 255) {
        throw refuse('ERR Invalid FREQ value, must be >= 0 and <= 255')
      }
    } else throw syntaxError()
  }
  return { mayReplace, isAbsolute }
}

const restore: KeyValueRow = {
  name: 'restore',
  uses: 'OW update',
  grows: 'keys',
  arity: -4,
  flags: ['write', 'denyoom'],
  categories: ['keyspace', 'dangerous'],
  keys: [1, 1, 1],
  summary: 'Creates a key from a reply of DUMP, of Sigil or of Redis.',
  since: '2.6.0',
  group: 'generic',
  complexity: 'O(N*log(N)) with N members',
  syntax: 'key ttl serialized-value [REPLACE] [ABSTTL] [IDLETIME seconds] [FREQ frequency]',
  grain: 'write',
  run: restoreKey,
}

function* restoreKey(ks: Keyspace, call: KeyValueCall): Program<Reply> {
  const { mayReplace, isAbsolute } = readOptions(call)
  const name = call.arg(1)
  const key = yield* ks.key(name)
  if (key.exists && !mayReplace) {
    throw refuse('BUSYKEY Target key name already exists.')
  }
  const ttl = call.integer(2)
  if (ttl < 0) throw refuse('ERR Invalid TTL value, must be >= 0')
  const payload = call.arg(3).view()
  ks.work.requireTime(ks.tx, payload.length / crcBytesPerUnit)
  if (!(yield* isIntact(ks.tx, payload)))
    throw refuse('ERR DUMP payload version or checksum are wrong')
  const contents = yield* readDump(ks.tx, payload)
  const expiresAt = ttl === 0 ? never : isAbsolute ? ttl : ks.now + ttl
  if (expiresAt !== never && expiresAt <= ks.now) {
    if (yield* ks.remove(key)) ks.notify('g', 'del', name)
    return ok
  }
  yield* storeContents(ks, key, contents, Math.min(expiresAt, Number.MAX_SAFE_INTEGER))
  ks.notify('g', 'restore', name)
  return ok
}

export const dumpRows: readonly KeyValueRow[] = [dump, restore]
