// The bytes of a long reply are added up in turns: those of a short one, and the places of values.

import t from 'tap'
import { Slice } from '../../../src/base/bytes/slice.js'
import {
  bytesInTurns,
  bytesOfReply,
  isLong,
  itemsOf,
  type Reply,
} from '../../../src/bus/keyvalue/reply.js'
import { nothing } from '../../../src/store/steps.js'
import type { ReadTx } from '../../../src/store/store.js'

const many = 20_000
const placeBytes = 8

function members(count: number): Reply[] {
  const bytes = Buffer.from('0123456789')
  return Array.from({ length: count }, (_, i) => new Slice(bytes, 0, i % 10))
}

/** What is counted, and how often counting it may pause. */
function counted(reply: Reply): { bytes: number; pauses: number } {
  let pauses = 0
  const pause = () => {
    pauses++
    return nothing
  }
  const steps = bytesInTurns({ pause } as unknown as ReadTx, reply)
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done === true) return { bytes: step.value, pauses }
  }
}

const bytesOfMany = (many / 10) * 45

const replies: Readonly<Record<string, [reply: Reply, bytes: number, places: number]>> = {
  'an array': [members(many), bytesOfMany, many],
  'a set': [{ kind: 'set', items: members(many) }, bytesOfMany, many],
  'a map': [{ kind: 'map', pairs: members(many) }, bytesOfMany, many],
  'arrays in a long array': [
    [...members(many), members(many), 'text', null, 1],
    2 * bytesOfMany + 4,
    2 * many + 4,
  ],
}

for (const [name, [reply, bytes, places]] of Object.entries(replies)) {
  t.test(name, async (t) => {
    t.ok(isLong(reply))
    t.equal(bytesOfReply(reply), bytes)
    const { bytes: inTurns, pauses } = counted(reply)
    t.equal(inTurns, bytes + places * placeBytes)
    t.ok(pauses >= many, 'it may pause at each value')
  })
}

t.test('short replies are counted at once', async (t) => {
  for (const reply of ['text', null, 1, new Uint8Array(3), members(3)] as Reply[]) {
    t.notOk(isLong(reply), `${itemsOf(reply)?.length ?? 'a value'}`)
  }
})
