// The difference of two documents against a replay of it: whatever the documents, applying it to
// the first gives the second, byte for byte.

import { calculateObjectSize, type Document, deserialize, serialize } from 'bson'
import { t } from 'tap'
import { updateDescription } from '../../../src/engine/changes/difference.js'
import { seed } from '../../support/seed.js'
import { seededRandom } from '../../support/seeded-random.js'

const random = seededRandom(seed)
const upTo = (n: number) => Math.floor(random() * n)

function someValue(depth: number): unknown {
  const kind = upTo(depth > 0 ? 6 : 3)
  if (kind === 0) return upTo(3)
  if (kind === 1) return `s${upTo(3)}`
  if (kind === 2) return null
  if (kind === 3) return Array.from({ length: upTo(4) }, () => someValue(depth - 1))
  return someDocument(depth - 1)
}

function someDocument(depth: number): Document {
  const document: Document = {}
  for (let i = upTo(5); i > 0; i--) document['abcde'[upTo(5)] as string] = someValue(depth)
  return document
}

/** A document near another one, as an update leaves it. */
function changed(before: Document): Document {
  const after = structuredClone(before)
  for (let i = 1 + upTo(3); i > 0; i--) changeOne(after)
  return after
}

function changeOne(document: Document): void {
  const names = Object.keys(document)
  const name = names[upTo(names.length)]
  const inner = name === undefined ? undefined : document[name]
  if (name === undefined || random() < 0.2) document['abcde'[upTo(5)] as string] = someValue(2)
  else if (Array.isArray(inner) && random() < 0.7) {
    if (random() < 0.5) inner.length = upTo(inner.length + 1)
    else inner[upTo(inner.length + 1)] = someValue(1)
  } else if (isPlain(inner) && random() < 0.7) changeOne(inner)
  else if (random() < 0.4) delete document[name]
  else document[name] = someValue(2)
}

function isPlain(value: unknown): value is Document {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function replay(before: Document, { updatedFields, removedFields, truncatedArrays }: Document) {
  const after = structuredClone(before)
  for (const { field, newSize } of truncatedArrays)
    at(after, field).holder[at(after, field).last].length = newSize
  for (const path of removedFields) delete at(after, path).holder[at(after, path).last]
  for (const [path, value] of Object.entries(updatedFields)) {
    const { holder, last } = at(after, path)
    holder[last] = value
  }
  return after
}

function at(document: Document, path: string): { holder: Document; last: string } {
  const parts = path.split('.')
  const last = parts.pop() as string
  return { holder: parts.reduce((inner, name) => inner[name], document), last }
}

/** Sorted names: a replay may order fields that moved in another way. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (!isPlain(value)) return value
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((name) => [name, sorted(value[name])]),
  )
}

const describe = (before: Document, after: Document): Document =>
  deserialize(updateDescription(serialize(before), serialize(after)))

t.test('applied to the first document, it gives the second', (t) => {
  const wrong: unknown[] = []
  for (let i = 0; i < 3_000; i++) {
    const before = { _id: 1, ...someDocument(3) }
    const after = random() < 0.8 ? { ...changed(before), _id: 1 } : { _id: 1, ...someDocument(3) }
    const found = describe(before, after)
    const replayed = sorted(replay(before, found))
    if (JSON.stringify(replayed) === JSON.stringify(sorted(after))) continue
    wrong.push({ seed, before, after, found })
  }
  t.same(wrong, [])
  t.end()
})

t.test('a document that stays has no difference', (t) => {
  const document = { _id: 1, ...someDocument(3) }
  t.same(describe(document, document), {
    updatedFields: {},
    removedFields: [],
    truncatedArrays: [],
  })
  t.end()
})

t.test('only what changed is in it', (t) => {
  const before = { _id: 1, long: 'x'.repeat(1_000), in: { long: 'y'.repeat(1_000), n: 1 } }
  const after = { ...before, in: { ...before.in, n: 2 } }
  const found = describe(before, after)
  t.same(found.updatedFields, { 'in.n': 2 })
  t.ok(calculateObjectSize(found) < 200)
  t.end()
})

t.test('paths with two readings are told apart', (t) => {
  const before = { _id: 1, 'a.b': 1, in: { '0': 1, k: 0 }, list: [1, 2] }
  const after = { _id: 1, 'a.b': 2, in: { '0': 2, k: 0 }, list: [1, 3] }
  const { disambiguatedPaths } = describe(before, after)
  t.same(disambiguatedPaths, { 'a.b': ['a.b'], 'in.0': ['in', '0'] })
  t.end()
})
