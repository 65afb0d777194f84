// A scan over own changes asks the store few times, also where most of the range was removed.

import t from 'tap'
import { scanEntriesMax } from '../../../src/base/limits/engine.js'
import { WriteBuffer } from '../../../src/store/programs/write-buffer.js'
import type { Entry, Program } from '../../../src/store/store.js'
import { type Scan, scanOver } from '../../../src/store/transactions/layers.js'

const keyOf = (n: number) => Uint8Array.of(1, n >> 8, n & 255)
const value = Uint8Array.of(7)
const all: Entry[] = Array.from({ length: 5_000 }, (_, n) => ({ key: keyOf(n), value }))

function ended<T>(program: Program<T>): T {
  const next = program.next()
  if (next.done !== true) throw new Error('the program waits')
  return next.value
}

for (const reverse of [false, true]) {
  t.test(`the first entry ${reverse ? 'before' : 'behind'} many removed ones`, async (t) => {
    const buffer = new WriteBuffer(() => 1)
    const inOrder = reverse ? [...all].reverse() : all
    for (const { key } of inOrder.slice(0, 4_500)) buffer.remove(key)
    let scans = 0
    let read = 0
    let longest = 0
    const store: Scan = function* scan({ start, end }, limit): Program<Entry[]> {
      scans++
      longest = Math.max(longest, limit)
      const isIn = ({ key }: Entry) =>
        Buffer.compare(key, start) >= 0 && Buffer.compare(key, end) < 0
      const found = inOrder.filter(isIn).slice(0, limit)
      read += found.length
      return found
    }
    const range = { start: Uint8Array.of(1), end: Uint8Array.of(2), reverse }
    const scan = scanOver(buffer, store)
    t.same(ended(scan(range, 1) as Program<Entry[]>), inOrder.slice(4_500, 4_501))
    t.ok(scans <= 17, `${scans} scans`)
    t.equal(read, 4_501, 'no entry more than needed')
    t.ok(longest <= scanEntriesMax, `${longest} entries at once`)
  })
}
