// What the slow log keeps of a command: the beginnings of its words, in memory of their own.

import t from 'tap'
import { slowLogBytesMax } from '../../../src/base/limits/key-value.js'
import type { Followed } from '../../../src/bus/keyvalue/clients/followers.js'
import { SlowLog } from '../../../src/bus/keyvalue/slow-log.js'
import { keyValueRows } from '../../../src/commands/keyvalue/rows.js'
import { requestOf } from '../../../src/listeners/http/keyvalue/key-value-words.js'

t.test('a long word is cut without a copy of the whole', async (t) => {
  const row = keyValueRows.find(({ name }) => name === 'set')
  const words = ['SET', 'a', 'x'.repeat(1_000_000)].map((word) => Buffer.from(word))
  const args = requestOf(words)
  args.copy = () => {
    throw new Error('a word is copied whole')
  }
  const log = new SlowLog()
  const call = { command: { row }, args, session: { remoteAddress: '', name: '' }, now: 0 }
  log.follow(call as unknown as Followed, 1_000)
  const entry = log.entries[0]
  const kept = (entry?.words ?? []) as readonly Uint8Array[]
  const [set, key, value] = kept
  t.equal(Buffer.from(set as Uint8Array).toString(), 'SET')
  t.equal(Buffer.from(key as Uint8Array).toString(), 'a')
  const tail = `... (${1_000_000 - slowLogBytesMax} more bytes)`
  t.equal(Buffer.from(value as Uint8Array).toString(), `${'x'.repeat(slowLogBytesMax)}${tail}`)
  const held = kept.map((word) => word.buffer.byteLength)
  t.ok(Math.max(...held) < 20_000, `${held} bytes are held`)
})
