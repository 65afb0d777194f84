// What a memtable promises, one fact at a time; the model test beside it mixes them.

import t from 'tap'
import { type Bytes, concatBytes, utf8 } from '../../../src/base/bytes/bytes.js'
import { memtableSlabBytes, memtableTailKeysMax } from '../../../src/base/limits/store.js'
import { changeEnd, isRemoval, keyBytesOf, valueBytesOf } from '../../../src/store/log/change.js'
import { Memtable } from '../../../src/store/memtable/memtable.js'
import type { MemtableCursor } from '../../../src/store/memtable/memtable-cursor.js'
import type { KeyRange } from '../../../src/store/store.js'
import { seededRandom } from '../../support/seeded-random.js'

const everything: KeyRange = { start: Uint8Array.of(), end: new Uint8Array(2_000).fill(255) }
const backwards: KeyRange = { ...everything, reverse: true }

function keyOf(number: number): Bytes {
  return utf8(`key:${String(number).padStart(8, '0')}`)
}

function group(memtable: Memtable, body: () => void): void {
  memtable.begin(0)
  body()
  memtable.keep()
}

function put(memtable: Memtable, key: Bytes, value: string, version = 1): void {
  group(memtable, () => memtable.put(key, utf8(value), version))
}

/** `key=value`, or `key` alone for a tombstone. */
function texts(cursor: MemtableCursor): string[] {
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

function textAt(memtable: Memtable, key: Bytes, before?: number): string | undefined {
  const address = memtable.find(key, before)
  if (address === -1) return undefined
  return memtable.isRemoved(address) ? 'removed' : Buffer.from(memtable.valueAt(address)).toString()
}

t.test('a key is found with its newest value and version', async (t) => {
  const memtable = new Memtable({ hasFloor: true })
  put(memtable, utf8('a'), 'one', 5)
  put(memtable, utf8('a'), 'two', 2 ** 40)
  t.equal(textAt(memtable, utf8('a')), 'two')
  t.equal(memtable.versionAt(memtable.find(utf8('a'))), 2 ** 40)
  t.same(memtable.keyAt(memtable.find(utf8('a'))), utf8('a'))
  t.equal(memtable.find(utf8('b')), -1)
  t.equal(memtable.find(utf8('a\0')), -1)
  t.equal(memtable.size, 1)
})

t.test('what is answered is a copy, and so is what is kept', async (t) => {
  const memtable = new Memtable({ hasFloor: true })
  const key = utf8('a')
  const value = utf8('one')
  group(memtable, () => memtable.put(key, value, 1))
  key.fill(0)
  value.fill(0)
  memtable.valueAt(memtable.find(utf8('a'))).fill(0)
  memtable.cursor(everything).key?.fill(0)
  t.same(texts(memtable.cursor(everything)), ['a=one'])
})

t.test('over a floor a removal leaves a tombstone, known before or not', async (t) => {
  const memtable = new Memtable({ hasFloor: true })
  put(memtable, utf8('a'), 'one')
  group(memtable, () => {
    memtable.remove(utf8('a'))
    memtable.remove(utf8('b'))
  })
  t.equal(textAt(memtable, utf8('a')), 'removed')
  t.equal(textAt(memtable, utf8('b')), 'removed')
  t.same(texts(memtable.cursor(backwards)), ['b', 'a'])
  t.equal(memtable.size, 2)
})

t.test('without a floor a removed key is gone', async (t) => {
  const memtable = new Memtable({ hasFloor: false })
  put(memtable, utf8('a'), 'one')
  group(memtable, () => {
    memtable.remove(utf8('a'))
    memtable.remove(utf8('b'))
    t.equal(memtable.groupChanges, 1, 'what was not there is no change')
  })
  t.equal(memtable.find(utf8('a')), -1)
  t.same(texts(memtable.cursor(everything)), [])
  t.equal(memtable.size, 0)
})

t.test('the pieces of a group are its header and its changes as the log has them', async (t) => {
  const memtable = new Memtable({ hasFloor: true })
  const large = new Uint8Array(memtableSlabBytes / 2 - 100).fill(7)
  for (let round = 0; round < 5; round++) {
    memtable.begin(32)
    memtable.put(utf8('a'), large, 1)
    memtable.put(utf8('b'), large, 2)
    memtable.remove(utf8('a'))
    memtable.put(utf8('c'), large, 3)
    t.equal(memtable.groupChanges, 4)
    const pieces = memtable.pieces()
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
    if (round % 2 === 0) memtable.keep()
    else memtable.rollback()
  }
})

t.test('a header filled in place stands before the changes', async (t) => {
  const memtable = new Memtable({ hasFloor: true })
  memtable.begin(32)
  memtable.put(utf8('a'), utf8('one'), 1)
  memtable.pieces()[0]?.fill(255, 0, 32)
  memtable.keep()
  t.equal(textAt(memtable, utf8('a')), 'one')
})

t.test('a value larger than a slab is kept, and followed by others', async (t) => {
  for (const hasFloor of [true, false]) {
    const memtable = new Memtable({ hasFloor })
    const large = new Uint8Array(16 * 2 ** 20 + 5).map((_, index) => index)
    group(memtable, () => {
      memtable.put(utf8('a'), utf8('one'), 1)
      memtable.put(utf8('large'), large, 2)
      memtable.put(utf8('z'), utf8('two'), 3)
    })
    t.ok(Buffer.compare(memtable.valueAt(memtable.find(utf8('large'))), large) === 0)
    t.equal(textAt(memtable, utf8('z')), 'two')
    memtable.begin(0)
    memtable.put(utf8('larger'), large, 4)
    memtable.put(utf8('y'), utf8('three'), 5)
    memtable.rollback()
    put(memtable, utf8('x'), 'four')
    t.ok(Buffer.compare(memtable.valueAt(memtable.find(utf8('large'))), large) === 0)
    t.equal(memtable.find(utf8('larger')), -1)
    t.equal(textAt(memtable, utf8('x')), 'four')
  }
})

t.test('a group that is rolled back has never been', async (t) => {
  for (const hasFloor of [true, false]) {
    const memtable = new Memtable({ hasFloor })
    put(memtable, utf8('a'), 'one')
    const { position } = memtable
    memtable.begin(0)
    memtable.put(utf8('a'), utf8('two'), 2)
    memtable.put(utf8('b'), utf8('two'), 2)
    t.same(texts(memtable.cursor(everything)), ['a=two', 'b=two'], 'seen inside the group')
    memtable.remove(utf8('a'))
    memtable.put(utf8('c'), new Uint8Array(3 * memtableSlabBytes), 2)
    memtable.rollback()
    t.equal(memtable.position, position)
    t.same(texts(memtable.cursor(everything)), ['a=one'])
    t.equal(memtable.size, 1)
    t.equal(memtable.groupChanges, 0)
  }
})

t.test('a pinned position sees what was there, however much comes later', async (t) => {
  for (const hasFloor of [true, false]) {
    const memtable = new Memtable({ hasFloor })
    put(memtable, utf8('a'), 'one')
    put(memtable, utf8('b'), 'one')
    const first = memtable.pin()
    group(memtable, () => memtable.remove(utf8('a')))
    put(memtable, utf8('c'), 'two')
    const second = memtable.pin()
    put(memtable, utf8('a'), 'three')
    put(memtable, utf8('b'), 'three')
    put(memtable, utf8('b'), 'four')
    t.equal(textAt(memtable, utf8('a'), first), 'one')
    t.equal(textAt(memtable, utf8('a'), second), 'removed')
    t.equal(textAt(memtable, utf8('c'), first), undefined)
    t.same(texts(memtable.cursor(everything, first)), ['a=one', 'b=one'])
    t.same(texts(memtable.cursor(backwards, second)), ['c=two', 'b=one', 'a'])
    t.same(texts(memtable.cursor(everything)), ['a=three', 'b=four', 'c=two'])
    memtable.unpin(first)
    t.same(texts(memtable.cursor(everything, second)), ['a', 'b=one', 'c=two'])
    memtable.unpin(second)
    t.same(texts(memtable.cursor(everything)), ['a=three', 'b=four', 'c=two'])
  }
})

t.test('a cursor holds to its range from both sides', async (t) => {
  const memtable = new Memtable({ hasFloor: true })
  for (const name of ['b', 'd', 'a', 'c', 'e']) put(memtable, utf8(name), '1')
  const range = { start: utf8('b'), end: utf8('d') }
  t.same(texts(memtable.cursor(range)), ['b=1', 'c=1'])
  t.same(texts(memtable.cursor({ ...range, reverse: true })), ['c=1', 'b=1'])
  t.same(texts(memtable.cursor({ start: utf8('d'), end: utf8('b') })), [])
  t.same(texts(memtable.cursor({ start: utf8('b'), end: utf8('b') })), [])
  t.same(texts(memtable.cursor({ start: utf8('x'), end: utf8('z'), reverse: true })), [])
  t.equal(new Memtable({ hasFloor: true }).cursor(everything).key, undefined)
})

t.test('keys that are prefixes of others, and of zeros, keep their order', async (t) => {
  const memtable = new Memtable({ hasFloor: true })
  const keys: Bytes[] = []
  for (let zeros = 0; zeros < 700; zeros++) keys.push(concatBytes(utf8('k'), new Uint8Array(zeros)))
  const mixed = keys.map((key, index) => ({ key, place: (index * 373) % keys.length }))
  mixed.sort((a, b) => a.place - b.place)
  group(memtable, () => {
    for (const { key } of mixed) memtable.put(key, utf8('1'), 1)
  })
  const cursor = memtable.cursor(everything)
  for (const key of keys) {
    if (cursor.key?.length !== key.length) t.fail(`${cursor.key?.length} for ${key.length}`)
    cursor.advance()
  }
  t.equal(cursor.address, -1)
})

t.test('order does not depend on how keys came: rising, falling, at random', async (t) => {
  const count = 3 * memtableTailKeysMax
  const random = seededRandom(5)
  const keyAt = (number: number) => keyOf(number * 977)
  const rising = Array.from({ length: count }, (_, index) => index)
  const shuffled = rising.map((number) => ({ number, by: random() })).sort((a, b) => a.by - b.by)
  const falling = rising.map((number) => count - 1 - number)
  for (const numbers of [rising, falling, shuffled.map(({ number }) => number)]) {
    const memtable = new Memtable({ hasFloor: true })
    group(memtable, () => {
      for (const [index, number] of numbers.entries()) {
        memtable.put(keyAt(number), utf8('1'), 1)
        // Some of them are asked for one by one, as by a scan behind each write.
        if (index % 5_000 < 40) memtable.cursor({ start: keyAt(number), end: keyAt(number + 1) })
      }
    })
    const cursor = memtable.cursor(everything)
    for (let number = 0; number < count; number++) {
      if (Buffer.compare(cursor.key ?? utf8(''), keyAt(number)) !== 0) t.fail(`at ${number}`)
      cursor.advance()
    }
    t.equal(cursor.address, -1)
    const back = memtable.cursor(backwards)
    for (let number = count - 1; number >= 0; number--) {
      if (Buffer.compare(back.key ?? utf8(''), keyAt(number)) !== 0) t.fail(`back at ${number}`)
      back.advance()
    }
    t.equal(back.address, -1)
  }
})

t.test('a key that shares less with the others than they do finds its place', async (t) => {
  const memtable = new Memtable({ hasFloor: true })
  for (let number = 0; number < 100; number++) put(memtable, keyOf(number), '1')
  const first = memtable.cursor(everything).key
  const far = 'z'.repeat(30)
  const low = `kez${'!'.repeat(30)}`
  for (const name of [low, `a${far}`, 'key:', 'key:000001', 'a', 'key:00000050x', 'z']) {
    const peeker = { start: utf8(name), end: everything.end }
    const expected = texts(memtable.cursor(everything)).filter((text) => nameOf(text) >= name)
    t.same(texts(memtable.cursor(peeker)), expected, `from ${name}, not there yet`)
    put(memtable, utf8(name), '2')
    t.same(texts(memtable.cursor(peeker)), [`${name}=2`, ...expected])
  }
  t.same(first, keyOf(0))
  const all = texts(memtable.cursor(everything)).map(nameOf)
  t.same(all, [...all].sort())
  t.equal(all.length, 107)
})

t.test('what comes behind a large value lies above it', async (t) => {
  const memtable = new Memtable({ hasFloor: true })
  group(memtable, () => memtable.put(utf8('large'), new Uint8Array(5 * memtableSlabBytes), 1))
  const pin = memtable.pin()
  put(memtable, utf8('later'), 'one')
  t.equal(textAt(memtable, utf8('later'), pin), undefined)
  t.equal(textAt(memtable, utf8('later')), 'one')
  memtable.begin(0)
  memtable.put(utf8('large'), new Uint8Array(5 * memtableSlabBytes), 1)
  memtable.rollback()
  const second = memtable.pin()
  put(memtable, utf8('last'), 'one')
  t.equal(textAt(memtable, utf8('last'), second), undefined)
  t.equal(textAt(memtable, utf8('later'), second), 'one')
})

t.test('keys that are written again with values of one length take no more memory', async (t) => {
  const memtable = new Memtable({ hasFloor: true })
  const keys = Array.from({ length: 1_000 }, (_, i) => keyOf(i))
  let most = 0
  for (let round = 0; round < 200; round++) {
    memtable.begin(32)
    for (const key of keys) memtable.put(key, utf8(`value ${String(round).padStart(100)}`), round)
    if (round % 7 === 0) memtable.rollback()
    else memtable.keep()
    if (round === 20) most = memtable.bytes
  }
  t.equal(memtable.bytes, most)
  t.equal(memtable.changes, 1_000 * (200 - 29), 'each of them counts')
  const texts = new Set(keys.map((key) => textAt(memtable, key)?.trimEnd()))
  t.strictSame([...texts], [`value ${'199'.padStart(100)}`])
  memtable.release()
})

t.test('what a snapshot may read is not written over', async (t) => {
  const memtable = new Memtable({ hasFloor: true })
  put(memtable, keyOf(1), 'before')
  const position = memtable.pin()
  put(memtable, keyOf(1), 'behind')
  t.equal(textAt(memtable, keyOf(1), position), 'before')
  memtable.unpin(position)
  put(memtable, keyOf(1), 'newest')
  t.equal(textAt(memtable, keyOf(1)), 'newest')
  memtable.release()
})

t.test('without a floor, memory follows what is alive, not what was written', async (t) => {
  const memtable = new Memtable({ hasFloor: false })
  const random = seededRandom(7)
  const value = new Uint8Array(1_000)
  for (let round = 0; round < 600; round++) {
    group(memtable, () => {
      for (let i = 0; i < 100; i++) memtable.put(keyOf(Math.floor(random() * 5_000)), value, round)
    })
  }
  t.equal(memtable.size, 5_000)
  t.ok(memtable.position < 150_000_000, `${memtable.position} bytes moved, of 60 MB written`)
  t.ok(memtable.bytes < 12_000_000, `${memtable.bytes} bytes for 5 MB, of 60 MB written`)
  for (let number = 0; number < 5_000; number += 50) {
    group(memtable, () => {
      for (let i = 0; i < 50; i++) memtable.remove(keyOf(number + i))
    })
  }
  t.equal(memtable.size, 0)
  t.ok(memtable.bytes < 3_000_000, `${memtable.bytes} bytes for nothing`)
})

t.test(
  'without a floor, a slab that a write began and a large value passed over goes',
  async (t) => {
    const memtable = new Memtable({ hasFloor: false })
    const half = new Uint8Array(memtableSlabBytes / 2)
    const large = new Uint8Array(memtableSlabBytes + 1)
    for (let round = 0; round < 50; round++) {
      group(memtable, () => {
        memtable.put(keyOf(round), half, round)
        memtable.beginWrite(10, half.length)
        memtable.put(keyOf(100), large, round)
      })
    }
    for (let round = 0; round < 50; round++) group(memtable, () => memtable.remove(keyOf(round)))
    group(memtable, () => memtable.remove(keyOf(100)))
    for (let round = 0; round < 50; round++) put(memtable, keyOf(1), 'x', round)
    t.equal(textAt(memtable, keyOf(1)), 'x')
    t.ok(memtable.bytes < 3 * memtableSlabBytes, `${memtable.bytes} bytes for one`)
    memtable.release()
  },
)

t.test('without a floor, keys that come and go leave nothing behind', async (t) => {
  const memtable = new Memtable({ hasFloor: false })
  const value = new Uint8Array(20)
  const count = 200_000
  for (let number = 0; number < count; number += 1_000) {
    group(memtable, () => {
      for (let i = 0; i < 1_000; i++) memtable.put(keyOf(number + i), value, 1)
    })
    if (number % 3_000 === 0) memtable.cursor(everything)
    group(memtable, () => {
      for (let i = 0; i < 1_000; i++) memtable.remove(keyOf(number + i))
    })
  }
  t.equal(memtable.size, 0)
  t.ok(memtable.bytes < 1_600_000, `${memtable.bytes} bytes for nothing`)
})

t.test('without a floor, an order that has become sparse is put together', async (t) => {
  const memtable = new Memtable({ hasFloor: false })
  const value = new Uint8Array(20)
  const count = 100_000
  const each = (body: (key: Bytes) => void, step: number) => {
    for (let number = 0; number < count; number += 1_000) {
      group(memtable, () => {
        for (let i = 0; i < 1_000; i += step) body(keyOf(number + i))
      })
    }
  }
  each((key) => memtable.put(key, value, 1), 1)
  memtable.cursor(everything)
  each((key) => memtable.remove(key), 1)
  each((key) => memtable.put(key, value, 1), 1)
  memtable.cursor(everything)
  const full = memtable.bytes
  for (let number = 0; number < count; number += 500) {
    group(memtable, () => {
      for (let i = 1; i < 500; i++) memtable.remove(keyOf(number + i))
    })
  }
  t.equal(texts(memtable.cursor(everything)).length, 200)
  t.ok(memtable.bytes < full * 0.4, `${memtable.bytes} of ${full} bytes`)
})

t.test('without a floor, groups that are rolled back count for nothing', async (t) => {
  const memtable = new Memtable({ hasFloor: false })
  const value = new Uint8Array(30_000)
  for (let round = 0; round < 1_000; round++) {
    memtable.begin(0)
    for (let i = 0; i < 20; i++) memtable.put(utf8('again'), value, 1)
    memtable.rollback()
    // One in ten stays, so that no slab goes by itself.
    group(memtable, () => memtable.put(round % 10 === 0 ? keyOf(round) : utf8('again'), value, 1))
  }
  t.equal(memtable.size, 101)
  t.ok(memtable.bytes < 8_000_000, `${memtable.bytes} bytes for 3 MB, of 30 MB written`)
})

t.test('without a floor, a slab whose last value goes is given back', async (t) => {
  const memtable = new Memtable({ hasFloor: false })
  for (let round = 0; round < 50; round++) {
    const value = new Uint8Array(700_000)
    group(memtable, () => memtable.put(utf8('a'), value, round))
    group(memtable, () => memtable.remove(utf8('a')))
    t.ok(memtable.bytes < 2_500_000, `${memtable.bytes} bytes for nothing`)
  }
})

t.test('without a floor, a value that stays long does not hold the rest', async (t) => {
  const memtable = new Memtable({ hasFloor: false })
  const value = new Uint8Array(200_000)
  group(memtable, () => memtable.put(utf8('old'), new Uint8Array(1_000_000).fill(7), 1))
  for (let round = 0; round < 8_000; round++) {
    group(memtable, () => memtable.put(utf8('new'), value, round))
  }
  t.equal(memtable.valueAt(memtable.find(utf8('old'))).lastIndexOf(7), 999_999)
  t.ok(memtable.find(utf8('old')) > 0, 'it was moved on, so that addresses stay close together')
  t.ok(memtable.bytes < 8_000_000, `${memtable.bytes} bytes`)
})

t.test('without a floor, what a snapshot has held is given back behind it', async (t) => {
  const memtable = new Memtable({ hasFloor: false })
  const value = new Uint8Array(1_000)
  // One in ten stays, so that no slab goes by itself.
  const fill = (round: number) =>
    group(memtable, () => {
      for (let i = 0; i < 1_000; i++) {
        memtable.put(keyOf(i % 10 === 0 ? 1_000 * round + i : i), value, 1)
      }
    })
  fill(0)
  const pin = memtable.pin()
  for (let round = 1; round < 21; round++) fill(round)
  t.ok(memtable.bytes > 20_000_000)
  memtable.unpin(pin)
  for (let round = 21; round < 61; round++) fill(round)
  t.equal(memtable.size, 7_000)
  t.ok(memtable.bytes < 15_000_000, `${memtable.bytes} bytes for 7 MB`)
})

t.test('without a floor, removed keys go when the last snapshot lets them', async (t) => {
  const memtable = new Memtable({ hasFloor: false })
  const value = new Uint8Array(300)
  const each = (body: (key: Bytes) => void) =>
    group(memtable, () => {
      for (let i = 0; i < 20_000; i++) body(keyOf(i))
    })
  each((key) => memtable.put(key, value, 1))
  const pin = memtable.pin()
  each((key) => memtable.put(key, value, 2))
  each((key) => memtable.remove(key))
  t.equal(memtable.size, 20_000)
  memtable.unpin(pin)
  for (let round = 0; round < 100; round++) put(memtable, utf8('other'), 'one')
  t.equal(memtable.size, 1)
  t.ok(memtable.bytes < 5_000_000, `${memtable.bytes} bytes`)
})

t.test('nothing is moved under a snapshot, whatever there is to clean', async (t) => {
  const memtable = new Memtable({ hasFloor: false })
  const value = new Uint8Array(1_000)
  const fill = (step: number) =>
    group(memtable, () => {
      for (let i = 0; i < 6_000; i += step) memtable.put(keyOf(i), value, step)
    })
  const first = memtable.pin()
  fill(1)
  for (let step = 2; step < 6; step++) fill(step)
  memtable.unpin(first)
  while (memtable.bytes > 14_000_000) group(memtable, () => undefined)
  const pin = memtable.pin()
  for (let round = 0; round < 200; round++) group(memtable, () => undefined)
  let seen = 0
  for (const cursor = memtable.cursor(everything, pin); cursor.address !== -1; cursor.advance()) {
    seen++
  }
  t.equal(seen, 6_000)
})

t.test(
  'a released memtable gives its slabs to the next one, which sees nothing of it',
  async (t) => {
    const first = new Memtable({ hasFloor: true })
    group(first, () => {
      for (let i = 0; i < 30_000; i++) first.put(keyOf(i), new Uint8Array(100), 1)
    })
    const slab = (memtable: Memtable) => {
      memtable.begin(8)
      const buffer = memtable.pieces()[0]?.buffer
      memtable.rollback()
      return buffer
    }
    const buffer = slab(first)
    first.release()
    const second = new Memtable({ hasFloor: true })
    t.equal(slab(second), buffer, 'the slab given back last is taken first')
    put(second, keyOf(1), 'one')
    t.same(texts(second.cursor(everything)), ['key:00000001=one'])
  },
)

t.test('mistakes of the caller are told', async (t) => {
  const memtable = new Memtable({ hasFloor: true })
  t.throws(() => memtable.put(utf8('a'), utf8('b'), 1), 'a change outside a group')
  t.throws(() => memtable.keep())
  t.throws(() => memtable.rollback())
  t.throws(() => memtable.unpin(0))
  memtable.begin(0)
  t.throws(() => memtable.begin(0))
  t.throws(() => new Memtable({ hasFloor: false }).begin(32))
})
