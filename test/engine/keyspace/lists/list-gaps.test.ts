// Places between places: whatever is put between its neighbours stays between them, and those that
// come one behind the other need no long ones.

import t from 'tap'
import { type Bytes, compareBytes } from '../../../../src/base/bytes/bytes.js'
import { numberSlice } from '../../../../src/engine/keyspace/containers/members.js'
import {
  placeBetween,
  positionBeside,
  type Side,
} from '../../../../src/engine/keyspace/lists/list-gaps.js'
import { runs } from '../../../support/runs.js'
import { seed } from '../../../support/seed.js'
import { seededRandom } from '../../../support/seeded-random.js'

const at = (position: number): Bytes => numberSlice(position).bytes

t.test('a place lies between its neighbours, wherever it is put', async (t) => {
  t.comment(`seed ${seed}`)
  const random = seededRandom(seed)
  const places = [at(-1), at(0), at(1), at(7)]
  let longest = 0
  let given = 0
  for (let i = 0; i < runs(3_000); i++) {
    // Near the end of what is there: gaps within gaps.
    const index = Math.floor(random() ** 3 * (places.length - 1))
    const [left, right] = [places[index] as Bytes, places[index + 1] as Bytes]
    const place = placeBetween(left, right, random() < 0.5 ? 'left' : 'right')
    if (place === undefined) {
      given++
      continue
    }
    if (compareBytes(left, place) >= 0 || compareBytes(place, right) >= 0) {
      t.fail(`${Buffer.from(place).toString('hex')} is not between its neighbours`)
    }
    if (place.length > 8 && place.at(-1) === 0) t.fail('a fraction ends in a zero')
    longest = Math.max(longest, place.length)
    places.splice(index + 1, 0, place)
  }
  t.ok(longest <= 240, `${longest} bytes`)
  t.ok(given < 3_000, 'places were found')
})

t.test('what comes to one place on one side stays short', async (t) => {
  const cases: Record<Side, (left: Bytes, right: Bytes, new_: Bytes) => [Bytes, Bytes]> = {
    left: (_left, right, made) => [made, right],
    right: (left, _right, made) => [left, made],
  }
  for (const near of ['left', 'right'] as const) {
    let [left, right] = [at(5), at(6)]
    let longest = 0
    for (let i = 0; i < 20_000; i++) {
      const place = placeBetween(left, right, near) as Bytes
      longest = Math.max(longest, place.length)
      ;[left, right] = cases[near](left, right, place)
    }
    t.ok(longest <= 8 + 6 * 6, `${near}: ${longest} bytes`)
  }
})

t.test('there is no place where it would be too long', async (t) => {
  let [left, right] = [at(5), at(6)]
  let steps = 0
  for (; steps < 10_000; steps++) {
    const place = placeBetween(left, right, steps % 2 === 0 ? 'left' : 'right')
    if (place === undefined) break
    if (steps % 2 === 0) right = place
    else left = place
  }
  t.ok(steps > 100 && steps < 10_000, `${steps} steps into one gap`)
})

t.test('a freed position is taken before a fraction is made', async (t) => {
  t.same(placeBetween(at(3), at(5), 'left'), at(4))
  t.same(placeBetween(at(3), at(9), 'right'), at(4))
  t.same(positionBeside(placeBetween(at(3), at(4), 'left') as Bytes, 1), at(4))
})
