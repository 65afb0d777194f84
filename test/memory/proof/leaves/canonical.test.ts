// Canonical JSON against the RFC's own samples, and what it must refuse instead of guessing.

import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import t from 'tap'
import { canonicalJson, type Json } from '../../../../src/memory/proof/leaves/canonical.js'
import { runs } from '../../../support/runs.js'

interface Vectors {
  readonly samples: readonly { readonly json: string; readonly canonical: string }[]
  readonly numbers: readonly (readonly [bits: string, text: string])[]
  readonly refused: readonly string[]
}

const vectors = JSON.parse(
  readFileSync('protocol-fixtures/memory/canonical.json', 'utf8'),
) as Vectors

const numberOf = (bits: string): number => Buffer.from(bits, 'hex').readDoubleBE()

t.test("the RFC's samples come out byte for byte", async (t) => {
  for (const { json, canonical } of vectors.samples) {
    t.equal(canonicalJson(JSON.parse(json) as Json), canonical)
  }
})

t.test("the RFC's numbers come out as ECMAScript writes them", async (t) => {
  for (const [bits, text] of vectors.numbers) t.equal(canonicalJson(numberOf(bits)), text, bits)
  for (const bits of vectors.refused) {
    t.throws(() => canonicalJson([numberOf(bits)]), { name: 'GatewayError', code: 2 }, bits)
  }
})

t.test('half of a surrogate pair is refused, in names too', async (t) => {
  for (const text of ['\ud83d', 'a\ude00b', '\ude00\ud83d']) {
    t.throws(() => canonicalJson({ text }), { code: 2 })
    t.throws(() => canonicalJson({ [text]: 1 }), { code: 2 })
  }
  t.equal(canonicalJson('\ud83d\ude00'), '"😀"')
})

t.test('what JSON cannot say is refused, and a field without a value is not there', async (t) => {
  const strange: readonly unknown[] = [1n, Symbol('s'), () => 1, [undefined]]
  for (const value of strange) {
    t.throws(() => canonicalJson(value as Json), { name: 'GatewayError', code: 2 })
  }
  t.equal(canonicalJson({ b: undefined, a: null }), '{"a":null}')
})

t.test('the order of the fields changes nothing, and nothing is lost', async (t) => {
  const json = fc.jsonValue({ maxDepth: 3 })
  fc.assert(
    fc.property(json, (value) => {
      const text = canonicalJson(value as Json)
      t.equal(canonicalJson(reversed(JSON.parse(text) as Json)), text)
    }),
    { numRuns: runs(200) },
  )
})

function reversed(value: Json): Json {
  if (Array.isArray(value)) return value.map(reversed)
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value).map(([name, of]) => [name, reversed(of ?? null)])
  return Object.fromEntries(fields.reverse()) as Json
}
