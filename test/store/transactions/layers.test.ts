// A scan over own changes asks the store few times, also where most of the range was removed.

import t from 'tap'
import { scanEntriesMax } from '../../../src/base/limits/engine.js'
import { WriteBuffer } from '../../../src/store/programs/write-buffer.js'
import { endsRange } from '../../../src/store/steps.js'
import type { Entry, KeyRange, Program } from '../../../src/store/store.js'
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

for (const reverse of [false, true]) {
  t.test(`pages of few bytes ${reverse ? 'backwards' : 'forwards'} over own changes`, async (t) => {
    const sizes = [90, 5, 40, 40, 40, 200, 1, 1, 1, 60]
    const stored = all.slice(0, 300).map(({ key }, n) => {
      return { key, value: new Uint8Array(sizes[n % sizes.length] as number) }
    })
    const buffer = new WriteBuffer(() => 1)
    for (let n = 0; n < 120; n++) buffer.remove(keyOf(n))
    for (let n = 130; n < 320; n += 7) buffer.put(keyOf(n), new Uint8Array(n % 3))
    for (let n = 133; n < 300; n += 5) buffer.remove(keyOf(n))
    const bytesMax = 100
    let most = 0
    const inOrder = reverse ? [...stored].reverse() : stored
    const store: Scan = function* scan({ start, end, bytesMax: max = 0 }, limit): Program<Entry[]> {
      const found: Entry[] = []
      let bytes = 0
      for (const entry of inOrder) {
        if (Buffer.compare(entry.key, start) < 0 || Buffer.compare(entry.key, end) >= 0) continue
        found.push(entry)
        bytes += entry.value.length
        if (found.length === limit || bytes >= max) break
      }
      most = Math.max(most, bytes)
      return found
    }
    const whole = { start: Uint8Array.of(1), end: Uint8Array.of(2), reverse }
    const endless: Scan = (range, limit) =>
      store({ ...range, bytesMax: Number.POSITIVE_INFINITY }, limit)
    const expected = ended(scanOver(buffer, endless)(whole, 1_000) as Program<Entry[]>)
    const found: Entry[] = []
    most = 0
    let { start, end }: KeyRange = whole
    for (;;) {
      const page = { start, end, reverse, bytesMax }
      const some = ended(scanOver(buffer, store)(page, 20) as Program<Entry[]>)
      found.push(...some)
      const last = some.at(-1)?.key
      if (endsRange(some, page, 20) || last === undefined) break
      if (reverse) end = last
      else start = Uint8Array.of(...last, 0)
    }
    t.same(found, expected)
    t.ok(most <= bytesMax + 200, `${most} bytes read at once`)
  })
}
