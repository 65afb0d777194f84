// What an overlay promises, one fact at a time; the model test beside it mixes them.

import t from 'tap'
import { type Bytes, concatBytes, utf8 } from '../../../src/base/bytes/bytes.js'
import { overlaySlabBytes, overlayTailKeysMax } from '../../../src/base/limits.js'
import { changeEnd, isRemoval, keyBytesOf, valueBytesOf } from '../../../src/store/log/change.js'
import { Overlay } from '../../../src/store/overlay/overlay.js'
import type { OverlayCursor } from '../../../src/store/overlay/overlay-cursor.js'
import type { KeyRange } from '../../../src/store/store.js'
import { seededRandom } from '../../support/seeded-random.js'

const everything: KeyRange = { start: Uint8Array.of(), end: new Uint8Array(2_000).fill(255) }
const backwards: KeyRange = { ...everything, reverse: true }

function keyOf(number: number): Bytes {
  return utf8(`key:${String(number).padStart(8, '0')}`)
}

function group(overlay: Overlay, body: () => void): void {
  overlay.begin(0)
  body()
  overlay.keep()
}

function put(overlay: Overlay, key: Bytes, value: string, version = 1): void {
  group(overlay, () => overlay.put(key, utf8(value), version))
}

/** `key=value`, or `key` alone for a tombstone. */
function texts(cursor: OverlayCursor): string[] {
  const found: string[] = []
  for (; cursor.address !== -1; cursor.advance()) {
    const value = cursor.value()
    const key = Buffer.from(cursor.key ?? []).toString()
    found.push(value === undefined ? key : `${key}=${Buffer.from(value)}`)
  }
  return found
}

function nameOf(text: string): string {
  return text.slice(0, text.indexOf('='))
}

function textAt(overlay: Overlay, key: Bytes, before?: number): string | undefined {
  const address = overlay.find(key, before)
  if (address === -1) return undefined
  return overlay.isRemoved(address) ? 'removed' : Buffer.from(overlay.valueAt(address)).toString()
}

t.test('a key is found with its newest value and version', async (t) => {
  const overlay = new Overlay({ hasFloor: true })
  put(overlay, utf8('a'), 'one', 5)
  put(overlay, utf8('a'), 'two', 2 ** 40)
  t.equal(textAt(overlay, utf8('a')), 'two')
  t.equal(overlay.versionAt(overlay.find(utf8('a'))), 2 ** 40)
  t.same(overlay.keyAt(overlay.find(utf8('a'))), utf8('a'))
  t.equal(overlay.find(utf8('b')), -1)
  t.equal(overlay.find(utf8('a\0')), -1)
  t.equal(overlay.size, 1)
})

t.test('what is answered is a copy, and so is what is kept', async (t) => {
  const overlay = new Overlay({ hasFloor: true })
  const key = utf8('a')
  const value = utf8('one')
  group(overlay, () => overlay.put(key, value, 1))
  key.fill(0)
  value.fill(0)
  overlay.valueAt(overlay.find(utf8('a'))).fill(0)
  overlay.cursor(everything).key?.fill(0)
  t.same(texts(overlay.cursor(everything)), ['a=one'])
})

t.test('over a floor a removal leaves a tombstone, known before or not', async (t) => {
  const overlay = new Overlay({ hasFloor: true })
  put(overlay, utf8('a'), 'one')
  group(overlay, () => {
    overlay.remove(utf8('a'))
    overlay.remove(utf8('b'))
  })
  t.equal(textAt(overlay, utf8('a')), 'removed')
  t.equal(textAt(overlay, utf8('b')), 'removed')
  t.same(texts(overlay.cursor(backwards)), ['b', 'a'])
  t.equal(overlay.size, 2)
})

t.test('without a floor a removed key is gone', async (t) => {
  const overlay = new Overlay({ hasFloor: false })
  put(overlay, utf8('a'), 'one')
  group(overlay, () => {
    overlay.remove(utf8('a'))
    overlay.remove(utf8('b'))
    t.equal(overlay.groupChanges, 1, 'what was not there is no change')
  })
  t.equal(overlay.find(utf8('a')), -1)
  t.same(texts(overlay.cursor(everything)), [])
  t.equal(overlay.size, 0)
})

t.test('the pieces of a group are its header and its changes as the log has them', async (t) => {
  const overlay = new Overlay({ hasFloor: true })
  const large = new Uint8Array(overlaySlabBytes / 2 - 100).fill(7)
  for (let round = 0; round < 5; round++) {
    overlay.begin(32)
    overlay.put(utf8('a'), large, 1)
    overlay.put(utf8('b'), large, 2)
    overlay.remove(utf8('a'))
    overlay.put(utf8('c'), large, 3)
    t.equal(overlay.groupChanges, 4)
    const pieces = overlay.pieces()
    t.ok(pieces.length > 1 && (pieces[0]?.length ?? 0) >= 32)
    const whole = concatBytes(...pieces)
    const found: string[] = []
    let at = 32
    for (; at < whole.length; at = changeEnd(whole, at)) {
      const { length } = valueBytesOf(whole, at)
      found.push(`${Buffer.from(keyBytesOf(whole, at))} ${isRemoval(whole, at) ? '-' : length}`)
    }
    t.equal(at, whole.length)
    t.same(found, [`a ${large.length}`, `b ${large.length}`, 'a -', `c ${large.length}`])
    if (round % 2 === 0) overlay.keep()
    else overlay.rollback()
  }
})

t.test('a header filled in place stands before the changes', async (t) => {
  const overlay = new Overlay({ hasFloor: true })
  overlay.begin(32)
  overlay.put(utf8('a'), utf8('one'), 1)
  overlay.pieces()[0]?.fill(255, 0, 32)
  overlay.keep()
  t.equal(textAt(overlay, utf8('a')), 'one')
})

t.test('a value larger than a slab is kept, and followed by others', async (t) => {
  for (const hasFloor of [true, false]) {
    const overlay = new Overlay({ hasFloor })
    const large = new Uint8Array(16 * 2 ** 20 + 5).map((_, index) => index)
    group(overlay, () => {
      overlay.put(utf8('a'), utf8('one'), 1)
      overlay.put(utf8('large'), large, 2)
      overlay.put(utf8('z'), utf8('two'), 3)
    })
    t.ok(Buffer.compare(overlay.valueAt(overlay.find(utf8('large'))), large) === 0)
    t.equal(textAt(overlay, utf8('z')), 'two')
    overlay.begin(0)
    overlay.put(utf8('larger'), large, 4)
    overlay.put(utf8('y'), utf8('three'), 5)
    overlay.rollback()
    put(overlay, utf8('x'), 'four')
    t.ok(Buffer.compare(overlay.valueAt(overlay.find(utf8('large'))), large) === 0)
    t.equal(overlay.find(utf8('larger')), -1)
    t.equal(textAt(overlay, utf8('x')), 'four')
  }
})

t.test('a group that is rolled back has never been', async (t) => {
  for (const hasFloor of [true, false]) {
    const overlay = new Overlay({ hasFloor })
    put(overlay, utf8('a'), 'one')
    const { position } = overlay
    overlay.begin(0)
    overlay.put(utf8('a'), utf8('two'), 2)
    overlay.put(utf8('b'), utf8('two'), 2)
    t.same(texts(overlay.cursor(everything)), ['a=two', 'b=two'], 'seen inside the group')
    overlay.remove(utf8('a'))
    overlay.put(utf8('c'), new Uint8Array(3 * overlaySlabBytes), 2)
    overlay.rollback()
    t.equal(overlay.position, position)
    t.same(texts(overlay.cursor(everything)), ['a=one'])
    t.equal(overlay.size, 1)
    t.equal(overlay.groupChanges, 0)
  }
})

t.test('a pinned position sees what was there, however much comes later', async (t) => {
  for (const hasFloor of [true, false]) {
    const overlay = new Overlay({ hasFloor })
    put(overlay, utf8('a'), 'one')
    put(overlay, utf8('b'), 'one')
    const first = overlay.pin()
    group(overlay, () => overlay.remove(utf8('a')))
    put(overlay, utf8('c'), 'two')
    const second = overlay.pin()
    put(overlay, utf8('a'), 'three')
    put(overlay, utf8('b'), 'three')
    put(overlay, utf8('b'), 'four')
    t.equal(textAt(overlay, utf8('a'), first), 'one')
    t.equal(textAt(overlay, utf8('a'), second), 'removed')
    t.equal(textAt(overlay, utf8('c'), first), undefined)
    t.same(texts(overlay.cursor(everything, first)), ['a=one', 'b=one'])
    t.same(texts(overlay.cursor(backwards, second)), ['c=two', 'b=one', 'a'])
    t.same(texts(overlay.cursor(everything)), ['a=three', 'b=four', 'c=two'])
    overlay.unpin(first)
    t.same(texts(overlay.cursor(everything, second)), ['a', 'b=one', 'c=two'])
    overlay.unpin(second)
    t.same(texts(overlay.cursor(everything)), ['a=three', 'b=four', 'c=two'])
  }
})

t.test('a cursor holds to its range from both sides', async (t) => {
  const overlay = new Overlay({ hasFloor: true })
  for (const name of ['b', 'd', 'a', 'c', 'e']) put(overlay, utf8(name), '1')
  const range = { start: utf8('b'), end: utf8('d') }
  t.same(texts(overlay.cursor(range)), ['b=1', 'c=1'])
  t.same(texts(overlay.cursor({ ...range, reverse: true })), ['c=1', 'b=1'])
  t.same(texts(overlay.cursor({ start: utf8('d'), end: utf8('b') })), [])
  t.same(texts(overlay.cursor({ start: utf8('b'), end: utf8('b') })), [])
  t.same(texts(overlay.cursor({ start: utf8('x'), end: utf8('z'), reverse: true })), [])
  t.equal(new Overlay({ hasFloor: true }).cursor(everything).key, undefined)
})

t.test('keys that are prefixes of others, and of zeros, keep their order', async (t) => {
  const overlay = new Overlay({ hasFloor: true })
  const keys: Bytes[] = []
  for (let zeros = 0; zeros < 700; zeros++) keys.push(concatBytes(utf8('k'), new Uint8Array(zeros)))
  const mixed = keys.map((key, index) => ({ key, place: (index * 373) % keys.length }))
  mixed.sort((a, b) => a.place - b.place)
  group(overlay, () => {
    for (const { key } of mixed) overlay.put(key, utf8('1'), 1)
  })
  const cursor = overlay.cursor(everything)
  for (const key of keys) {
    if (cursor.key?.length !== key.length) t.fail(`${cursor.key?.length} for ${key.length}`)
    cursor.advance()
  }
  t.equal(cursor.address, -1)
})

t.test('order does not depend on how keys came: rising, falling, at random', async (t) => {
  const count = 3 * overlayTailKeysMax
  const random = seededRandom(5)
  const keyAt = (number: number) => keyOf(number * 977)
  const rising = Array.from({ length: count }, (_, index) => index)
  const shuffled = rising.map((number) => ({ number, by: random() })).sort((a, b) => a.by - b.by)
  const falling = rising.map((number) => count - 1 - number)
  for (const numbers of [rising, falling, shuffled.map(({ number }) => number)]) {
    const overlay = new Overlay({ hasFloor: true })
    group(overlay, () => {
      for (const [index, number] of numbers.entries()) {
        overlay.put(keyAt(number), utf8('1'), 1)
        // Some of them are asked for one by one, as by a scan behind each write.
        if (index % 5_000 < 40) overlay.cursor({ start: keyAt(number), end: keyAt(number + 1) })
      }
    })
    const cursor = overlay.cursor(everything)
    for (let number = 0; number < count; number++) {
      if (Buffer.compare(cursor.key ?? utf8(''), keyAt(number)) !== 0) t.fail(`at ${number}`)
      cursor.advance()
    }
    t.equal(cursor.address, -1)
    const back = overlay.cursor(backwards)
    for (let number = count - 1; number >= 0; number--) {
      if (Buffer.compare(back.key ?? utf8(''), keyAt(number)) !== 0) t.fail(`back at ${number}`)
      back.advance()
    }
    t.equal(back.address, -1)
  }
})

t.test('a key that shares less with the others than they do finds its place', async (t) => {
  const overlay = new Overlay({ hasFloor: true })
  for (let number = 0; number < 100; number++) put(overlay, keyOf(number), '1')
  const first = overlay.cursor(everything).key
  const far = 'z'.repeat(30)
  const low = `kez${'!'.repeat(30)}`
  for (const name of [low, `a${far}`, 'key:', 'key:000001', 'a', 'key:00000050x', 'z']) {
    const near = { start: utf8(name), end: everything.end }
    const expected = texts(overlay.cursor(everything)).filter((text) => nameOf(text) >= name)
    t.same(texts(overlay.cursor(near)), expected, `from ${name}, not there yet`)
    put(overlay, utf8(name), '2')
    t.same(texts(overlay.cursor(near)), [`${name}=2`, ...expected])
  }
  t.same(first, keyOf(0))
  const all = texts(overlay.cursor(everything)).map(nameOf)
  t.same(all, [...all].sort())
  t.equal(all.length, 107)
})

t.test('what comes behind a large value lies above it', async (t) => {
  const overlay = new Overlay({ hasFloor: true })
  group(overlay, () => overlay.put(utf8('large'), new Uint8Array(5 * overlaySlabBytes), 1))
  const pin = overlay.pin()
  put(overlay, utf8('later'), 'one')
  t.equal(textAt(overlay, utf8('later'), pin), undefined)
  t.equal(textAt(overlay, utf8('later')), 'one')
  overlay.begin(0)
  overlay.put(utf8('large'), new Uint8Array(5 * overlaySlabBytes), 1)
  overlay.rollback()
  const second = overlay.pin()
  put(overlay, utf8('last'), 'one')
  t.equal(textAt(overlay, utf8('last'), second), undefined)
  t.equal(textAt(overlay, utf8('later'), second), 'one')
})

t.test('keys that are written again with values of one length take no more memory', async (t) => {
  const overlay = new Overlay({ hasFloor: true })
  const keys = Array.from({ length: 1_000 }, (_, i) => keyOf(i))
  let most = 0
  for (let round = 0; round < 200; round++) {
    overlay.begin(32)
    for (const key of keys) overlay.put(key, utf8(`value ${String(round).padStart(100)}`), round)
    if (round % 7 === 0) overlay.rollback()
    else overlay.keep()
    if (round === 20) most = overlay.bytes
  }
  t.equal(overlay.bytes, most)
  t.equal(overlay.changes, 1_000 * (200 - 29), 'each of them counts')
  const texts = new Set(keys.map((key) => textAt(overlay, key)?.trimEnd()))
  t.strictSame([...texts], [`value ${'199'.padStart(100)}`])
  overlay.release()
})

t.test('what a snapshot may read is not written over', async (t) => {
  const overlay = new Overlay({ hasFloor: true })
  put(overlay, keyOf(1), 'before')
  const position = overlay.pin()
  put(overlay, keyOf(1), 'behind')
  t.equal(textAt(overlay, keyOf(1), position), 'before')
  overlay.unpin(position)
  put(overlay, keyOf(1), 'newest')
  t.equal(textAt(overlay, keyOf(1)), 'newest')
  overlay.release()
})

t.test('without a floor, memory follows what is alive, not what was written', async (t) => {
  const overlay = new Overlay({ hasFloor: false })
  const random = seededRandom(7)
  const value = new Uint8Array(1_000)
  for (let round = 0; round < 600; round++) {
    group(overlay, () => {
      for (let i = 0; i < 100; i++) overlay.put(keyOf(Math.floor(random() * 5_000)), value, round)
    })
  }
  t.equal(overlay.size, 5_000)
  t.ok(overlay.position < 150_000_000, `${overlay.position} bytes moved, of 60 MB written`)
  t.ok(overlay.bytes < 12_000_000, `${overlay.bytes} bytes for 5 MB, of 60 MB written`)
  for (let number = 0; number < 5_000; number += 50) {
    group(overlay, () => {
      for (let i = 0; i < 50; i++) overlay.remove(keyOf(number + i))
    })
  }
  t.equal(overlay.size, 0)
  t.ok(overlay.bytes < 3_000_000, `${overlay.bytes} bytes for nothing`)
})

t.test(
  'without a floor, a slab that a draft began and a large value passed over goes',
  async (t) => {
    const overlay = new Overlay({ hasFloor: false })
    const half = new Uint8Array(overlaySlabBytes / 2)
    const large = new Uint8Array(overlaySlabBytes + 1)
    for (let round = 0; round < 50; round++) {
      group(overlay, () => {
        overlay.put(keyOf(round), half, round)
        overlay.draft(10, half.length)
        overlay.put(keyOf(100), large, round)
      })
    }
    for (let round = 0; round < 50; round++) group(overlay, () => overlay.remove(keyOf(round)))
    group(overlay, () => overlay.remove(keyOf(100)))
    for (let round = 0; round < 50; round++) put(overlay, keyOf(1), 'x', round)
    t.equal(textAt(overlay, keyOf(1)), 'x')
    t.ok(overlay.bytes < 3 * overlaySlabBytes, `${overlay.bytes} bytes for one`)
    overlay.release()
  },
)

t.test('without a floor, keys that come and go leave nothing behind', async (t) => {
  const overlay = new Overlay({ hasFloor: false })
  const value = new Uint8Array(20)
  const count = 200_000
  for (let number = 0; number < count; number += 1_000) {
    group(overlay, () => {
      for (let i = 0; i < 1_000; i++) overlay.put(keyOf(number + i), value, 1)
    })
    if (number % 3_000 === 0) overlay.cursor(everything)
    group(overlay, () => {
      for (let i = 0; i < 1_000; i++) overlay.remove(keyOf(number + i))
    })
  }
  t.equal(overlay.size, 0)
  t.ok(overlay.bytes < 1_600_000, `${overlay.bytes} bytes for nothing`)
})

t.test('without a floor, an order that has become sparse is put together', async (t) => {
  const overlay = new Overlay({ hasFloor: false })
  const value = new Uint8Array(20)
  const count = 100_000
  const each = (body: (key: Bytes) => void, step: number) => {
    for (let number = 0; number < count; number += 1_000) {
      group(overlay, () => {
        for (let i = 0; i < 1_000; i += step) body(keyOf(number + i))
      })
    }
  }
  each((key) => overlay.put(key, value, 1), 1)
  overlay.cursor(everything)
  each((key) => overlay.remove(key), 1)
  each((key) => overlay.put(key, value, 1), 1)
  overlay.cursor(everything)
  const full = overlay.bytes
  for (let number = 0; number < count; number += 500) {
    group(overlay, () => {
      for (let i = 1; i < 500; i++) overlay.remove(keyOf(number + i))
    })
  }
  t.equal(texts(overlay.cursor(everything)).length, 200)
  t.ok(overlay.bytes < full * 0.4, `${overlay.bytes} of ${full} bytes`)
})

t.test('without a floor, groups that are rolled back count for nothing', async (t) => {
  const overlay = new Overlay({ hasFloor: false })
  const value = new Uint8Array(30_000)
  for (let round = 0; round < 1_000; round++) {
    overlay.begin(0)
    for (let i = 0; i < 20; i++) overlay.put(utf8('again'), value, 1)
    overlay.rollback()
    // One in ten stays, so that no slab goes by itself.
    group(overlay, () => overlay.put(round % 10 === 0 ? keyOf(round) : utf8('again'), value, 1))
  }
  t.equal(overlay.size, 101)
  t.ok(overlay.bytes < 8_000_000, `${overlay.bytes} bytes for 3 MB, of 30 MB written`)
})

t.test('without a floor, a slab whose last value goes is given back', async (t) => {
  const overlay = new Overlay({ hasFloor: false })
  for (let round = 0; round < 50; round++) {
    const value = new Uint8Array(700_000)
    group(overlay, () => overlay.put(utf8('a'), value, round))
    group(overlay, () => overlay.remove(utf8('a')))
    t.ok(overlay.bytes < 2_500_000, `${overlay.bytes} bytes for nothing`)
  }
})

t.test('without a floor, a value that stays long does not hold the rest', async (t) => {
  const overlay = new Overlay({ hasFloor: false })
  const value = new Uint8Array(200_000)
  group(overlay, () => overlay.put(utf8('old'), new Uint8Array(1_000_000).fill(7), 1))
  for (let round = 0; round < 8_000; round++) {
    group(overlay, () => overlay.put(utf8('new'), value, round))
  }
  t.equal(overlay.valueAt(overlay.find(utf8('old'))).lastIndexOf(7), 999_999)
  t.ok(overlay.find(utf8('old')) > 0, 'it was moved on, so that addresses stay close together')
  t.ok(overlay.bytes < 8_000_000, `${overlay.bytes} bytes`)
})

t.test('without a floor, what a snapshot has held is given back behind it', async (t) => {
  const overlay = new Overlay({ hasFloor: false })
  const value = new Uint8Array(1_000)
  // One in ten stays, so that no slab goes by itself.
  const fill = (round: number) =>
    group(overlay, () => {
      for (let i = 0; i < 1_000; i++) {
        overlay.put(keyOf(i % 10 === 0 ? 1_000 * round + i : i), value, 1)
      }
    })
  fill(0)
  const pin = overlay.pin()
  for (let round = 1; round < 21; round++) fill(round)
  t.ok(overlay.bytes > 20_000_000)
  overlay.unpin(pin)
  for (let round = 21; round < 61; round++) fill(round)
  t.equal(overlay.size, 7_000)
  t.ok(overlay.bytes < 15_000_000, `${overlay.bytes} bytes for 7 MB`)
})

t.test('without a floor, removed keys go when the last snapshot lets them', async (t) => {
  const overlay = new Overlay({ hasFloor: false })
  const value = new Uint8Array(300)
  const each = (body: (key: Bytes) => void) =>
    group(overlay, () => {
      for (let i = 0; i < 20_000; i++) body(keyOf(i))
    })
  each((key) => overlay.put(key, value, 1))
  const pin = overlay.pin()
  each((key) => overlay.put(key, value, 2))
  each((key) => overlay.remove(key))
  t.equal(overlay.size, 20_000)
  overlay.unpin(pin)
  for (let round = 0; round < 100; round++) put(overlay, utf8('other'), 'one')
  t.equal(overlay.size, 1)
  t.ok(overlay.bytes < 5_000_000, `${overlay.bytes} bytes`)
})

t.test('nothing is moved under a snapshot, whatever there is to clean', async (t) => {
  const overlay = new Overlay({ hasFloor: false })
  const value = new Uint8Array(1_000)
  const fill = (step: number) =>
    group(overlay, () => {
      for (let i = 0; i < 6_000; i += step) overlay.put(keyOf(i), value, step)
    })
  const first = overlay.pin()
  fill(1)
  for (let step = 2; step < 6; step++) fill(step)
  overlay.unpin(first)
  while (overlay.bytes > 14_000_000) group(overlay, () => undefined)
  const pin = overlay.pin()
  for (let round = 0; round < 200; round++) group(overlay, () => undefined)
  let seen = 0
  for (const cursor = overlay.cursor(everything, pin); cursor.address !== -1; cursor.advance()) {
    seen++
  }
  t.equal(seen, 6_000)
})

t.test(
  'a released overlay gives its slabs to the next one, which sees nothing of it',
  async (t) => {
    const first = new Overlay({ hasFloor: true })
    group(first, () => {
      for (let i = 0; i < 30_000; i++) first.put(keyOf(i), new Uint8Array(100), 1)
    })
    const slab = (overlay: Overlay) => {
      overlay.begin(8)
      const buffer = overlay.pieces()[0]?.buffer
      overlay.rollback()
      return buffer
    }
    const buffer = slab(first)
    first.release()
    const second = new Overlay({ hasFloor: true })
    t.equal(slab(second), buffer, 'the slab given back last is taken first')
    put(second, keyOf(1), 'one')
    t.same(texts(second.cursor(everything)), ['key:00000001=one'])
  },
)

t.test('mistakes of the caller are told', async (t) => {
  const overlay = new Overlay({ hasFloor: true })
  t.throws(() => overlay.put(utf8('a'), utf8('b'), 1), 'a change outside a group')
  t.throws(() => overlay.keep())
  t.throws(() => overlay.rollback())
  t.throws(() => overlay.unpin(0))
  overlay.begin(0)
  t.throws(() => overlay.begin(0))
  t.throws(() => new Overlay({ hasFloor: false }).begin(32))
})
