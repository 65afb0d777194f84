// The bytes of a long reply are added up in turns, and are the same as those of a short one.

import t from 'tap'
import { Slice } from '../../../src/base/slice.js'
import { bytesOfReply, countLong, longList, type Reply } from '../../../src/bus/keyvalue/reply.js'
import { nothing } from '../../../src/store/steps.js'
import type { ReadTx } from '../../../src/store/store.js'

const many = 20_000

function members(count: number): Reply[] {
  const bytes = Buffer.from('0123456789')
  return Array.from({ length: count }, (_, i) => new Slice(bytes, 0, i % 10))
}

/** How often counting it would pause. */
function pausesOf(reply: Reply): number {
  let pauses = 0
  const pause = () => {
    pauses++
    return nothing
  }
  const steps = countLong({ pause } as unknown as ReadTx, reply)
  while (steps.next().done !== true);
  return pauses
}

const bytesOfMany = (many / 10) * 45

const replies: Readonly<Record<string, [reply: Reply, bytes: number]>> = {
  'an array': [members(many), bytesOfMany],
  'a set': [{ kind: 'set', items: members(many) }, bytesOfMany],
  'a map': [{ kind: 'map', pairs: members(many) }, bytesOfMany],
  'arrays in a long array': [
    [...members(many), members(many), 'text', null, 1],
    2 * bytesOfMany + 4,
  ],
}

for (const [name, [reply, bytes]] of Object.entries(replies)) {
  t.test(name, async (t) => {
    t.ok(longList(reply) !== undefined)
    t.ok(pausesOf(reply) >= many / 5_000, 'it pauses')
    t.equal(bytesOfReply(reply), bytes)
  })
}

t.test('short replies are counted at once', async (t) => {
  for (const reply of ['text', null, 1, new Uint8Array(3), members(3)] as Reply[]) {
    t.equal(longList(reply), undefined)
    t.equal(pausesOf(reply), 0)
  }
})
