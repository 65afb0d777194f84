// The key space: ranges that hold one id and nothing else, at both ends of the number range, and
// which classes carry versions.

import t from 'tap'
import { compareBytes } from '../../src/base/bytes/bytes.js'
import { idKey, idKeyEnd, isVersioned, keyClass } from '../../src/store/layout.js'

const ids = [0, 1, 255, 256, 65_535, 2 ** 24, 2 ** 31, 2 ** 32 - 2, 2 ** 32 - 1]

t.test('keys of an id lie between its start and its end, and no others do', async (t) => {
  for (const id of ids) {
    const start = idKey(keyClass.record, id)
    const end = idKeyEnd(keyClass.record, id)
    for (const other of ids) {
      for (const tail of [new Uint8Array(0), Uint8Array.of(0), new Uint8Array(9).fill(255)]) {
        const key = idKey(keyClass.record, other, tail)
        const inside = compareBytes(key, start) >= 0 && compareBytes(key, end) < 0
        if (inside !== (other === id)) t.fail(`${other} in the range of ${id}`)
      }
    }
    t.ok(compareBytes(end, Uint8Array.of(keyClass.record + 1)) <= 0)
  }
})

t.test('catalog, records, changes, members and identities carry versions', async (t) => {
  const versioned = Object.values(keyClass).filter((first) => isVersioned(Uint8Array.of(first)))
  const { catalog, record, change, member, identity } = keyClass
  t.same(versioned, [catalog, record, change, member, identity])
})
