// A map that grows by parts answers as one of the language does, whatever its keys are.

import t, { type Test } from 'tap'
import { GrowingMap } from '../../../src/base/heap/growing-map.js'
import { seed } from '../../support/seed.js'
import { seededRandom } from '../../support/seeded-random.js'

/** More than the first part holds, so that keys lie in all of them. */
const keys = 60_000
const changes = 100_000

const namings: Readonly<Record<string, (number: number) => string>> = {
  numbered: (number) => `member:${number}`,
  'alike at their end': (number) => `${number}${'x'.repeat(40)}`,
  binary: (number) => String.fromCharCode(number & 255, number >> 8, 0, 255),
}

function compare(t: Test, nameOf: (number: number) => string): void {
  const next = seededRandom(seed)
  const map = new GrowingMap<number>()
  const model = new Map<string, number>()
  let differences = 0
  const same = (ours: unknown, theirs: unknown) => {
    if (ours !== theirs) differences++
  }
  const put = (name: string, value: number) => {
    same(map.set(name, value), !model.has(name))
    model.set(name, value)
  }
  for (let number = 0; number < keys; number++) put(nameOf(number), number)
  for (let i = 0; i < changes; i++) {
    const name = nameOf(Math.floor(next() * keys * 1.2))
    const kind = next()
    if (kind < 0.3) put(name, i)
    else if (kind < 0.6) same(map.delete(name), model.delete(name))
    else same(map.get(name), model.get(name))
    same(map.has(name), model.has(name))
    same(map.size, model.size)
  }
  for (let number = 0; number < keys * 1.2; number++) {
    same(map.get(nameOf(number)), model.get(nameOf(number)))
  }
  t.equal(differences, 0, `seed ${seed}`)
}

for (const [name, nameOf] of Object.entries(namings)) {
  t.test(`keys that are ${name}`, async (t) => compare(t, nameOf))
}

t.test('entries that are given are there', async (t) => {
  const map = new GrowingMap([
    ['a', 1],
    ['b', 2],
  ])
  t.same([map.get('a'), map.get('b'), map.get('c'), map.size], [1, 2, undefined, 2])
})

t.test('a key of any part is found by a test', async (t) => {
  const map = new GrowingMap<true>()
  for (let i = 0; i < keys; i++) map.set(`member:${i}`, true)
  for (const name of ['member:0', `member:${keys - 1}`]) {
    t.ok(
      map.someKey((key) => key === name),
      name,
    )
  }
  t.notOk(map.someKey((key) => key === 'member'))
})
