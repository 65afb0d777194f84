// The operators that look into documents, by what PostgreSQL answers for jsonb.

import t from 'tap'
import { answer, truthOf } from './evaluate.js'

const document = { d: { a: { b: [10, { c: 'x' }] }, n: 5, z: null }, tags: ['red', 'blue', 3] }

const facts: readonly (readonly [expression: string, answer: string])[] = [
  ["d->'n'", 'integer 5'],
  ["d->>'n'", 'text 5'],
  ["d->'a'->'b'->0", 'integer 10'],
  ["d->'a'->'b'->-1->>'c'", 'text x'],
  ["d->'a'->>'b'", 'text [10,{"c":"x"}]'],
  ["d#>'{a,b,1,c}'", 'text x'],
  ["d#>>'{a,b,0}'", 'text 10'],
  ["d#>ARRAY['a','b']", 'jsonb [10,{"c":"x"}]'],
  ["d#>'{a,b,x}'", 'NULL'],
  ["d#>'oops'", 'error 22P02'],
  ["d->'z'", 'NULL'],
  ['d->0', 'NULL'],
  ["tags->'0'", 'NULL'],
  ["d->'n'->'x'", 'NULL'],
  ["d->'missing'->'x'", 'NULL'],
]

for (const [expression, expected] of facts) {
  t.test(`${expression} is ${expected}`, async (t) => {
    t.equal(answer(expression, document), expected)
  })
}

t.test('what is contained is somewhere in the whole', async (t) => {
  t.equal(truthOf(`tags @> '["blue"]'`, document), true)
  t.equal(truthOf(`tags @> '["blue", "red", "blue"]'`, document), true)
  t.equal(truthOf(`tags @> '"red"'`, document), true, 'an array may be asked for a scalar')
  t.equal(truthOf(`tags @> '["green"]'`, document), false)
  t.equal(truthOf(`d @> '{"a": {"b": [{"c": "x"}]}}'`, document), true)
  t.equal(truthOf(`d @> '{"a": {"b": 10}}'`, document), false, 'but not within a document')
  t.equal(truthOf(`'["red"]' <@ tags`, document), true)
  t.equal(truthOf(`missing @> '[]'`, document), undefined)
  const many = JSON.stringify(Array.from({ length: 20 }, () => 'red'))
  t.equal(truthOf(`tags @> '${many}'`, document), true)
  t.equal(truthOf(`tags @> '${many.replace('red', 'green')}'`, document), false)
})

t.test('regular expressions run on the linear engine', async (t) => {
  t.equal(truthOf("d.a.b[1].c ~ '^x$'", document), true)
  t.equal(truthOf("d.a.b[1].c ~* '^X'", document), true)
  t.equal(truthOf("d.a.b[1].c !~ 'y'", document), true)
  t.equal(truthOf("d.n ~ '5'", document), undefined)
  t.equal(answer("'x' ~ '('"), 'error 2201B')
})
