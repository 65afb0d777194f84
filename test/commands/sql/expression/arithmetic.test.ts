// Numbers that never wrap and never turn into infinities, against bigints.

import fc from 'fast-check'
import t from 'tap'
import { calculate } from '../../../../src/commands/sql/expression/arithmetic.js'
import { wholeOf } from '../../../../src/value/numbers.js'
import { int64Value } from '../../../../src/value/value.js'
import { runs } from '../../../support/runs.js'
import { answer } from './evaluate.js'

const facts: readonly (readonly [expression: string, answer: string])[] = [
  ['7 / 2', 'integer 3'],
  ['-7 / 2', 'integer -3'],
  ['-7 % 3', 'integer -1'],
  ['7 % -3', 'integer 1'],
  ['7 / 2.0', 'double precision 3.5'],
  ['2147483647 + 1', 'bigint 2147483648'],
  ['9223372036854775807 + 1', 'error 22003'],
  ['-9223372036854775808 - 1', 'error 22003'],
  ['9223372036854775807 * 2', 'error 22003'],
  ['-9223372036854775808 / -1', 'error 22003'],
  ['- (-9223372036854775808)', 'error 22003'],
  ['1 / 0', 'error 22012'],
  ['1.5 / 0.0', 'error 22012'],
  ['1::numeric / 0', 'error 22012'],
  ['5 % 0', 'error 22012'],
  ['1e308 * 10', 'error 22003'],
  ['0.1::numeric + 0.2::numeric', 'numeric 0.3'],
  ['1.10::numeric * 3', 'numeric 3.3'],
  ['123456789.123456789123456789 + 1', 'numeric 123456790.123456789123456789'],
  ['2 ^ 10', 'double precision 1024'],
  ['0 ^ -1', 'error 2201F'],
  ['(-8) ^ 0.5', 'error 2201F'],
  ['1 + NULL', 'NULL'],
  ["1 + 'a'", 'error 42883'],
  ["- 'a'", 'error 42883'],
  ["timestamp '2026-01-31' + 1", 'timestamp with time zone 2026-02-01T00:00:00.000Z'],
  [
    "timestamp '2026-01-31' - interval '1 month'",
    'timestamp with time zone 2025-12-31T00:00:00.000Z',
  ],
  [
    "timestamp '2026-01-31' + interval '1 month'",
    'timestamp with time zone 2026-02-28T00:00:00.000Z',
  ],
  ["now() - interval '1 day 02:00:00'", 'timestamp with time zone 2026-11-20T20:15:30.250Z'],
  ["interval '2 hours ago' + now()", 'timestamp with time zone 2026-11-21T20:15:30.250Z'],
  ["now() + interval 'soon'", 'error 22007'],
  ["interval '1 day'", 'error 0A000'],
]

for (const [expression, expected] of facts) {
  t.test(`${expression} is ${expected}`, async (t) => {
    t.equal(answer(expression), expected)
  })
}

const wholes = fc.oneof(
  fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n),
  fc.bigInt(-5n, 5n),
  fc.constantFrom(-(2n ** 63n), 2n ** 63n - 1n, 2n ** 31n, 2n ** 53n + 1n),
)

t.test('whole numbers are as exact as bigints, or refused', async (t) => {
  const operations = {
    '+': (a: bigint, b: bigint) => a + b,
    '-': (a: bigint, b: bigint) => a - b,
    '*': (a: bigint, b: bigint) => a * b,
    '/': (a: bigint, b: bigint) => a / b,
    '%': (a: bigint, b: bigint) => a % b,
  }
  fc.assert(
    fc.property(wholes, wholes, fc.constantFrom('+', '-', '*', '/', '%'), (a, b, operator) => {
      if (b === 0n && (operator === '/' || operator === '%')) return true
      const exact = operations[operator](a, b)
      const isHeld = exact >= -(2n ** 63n) && exact < 2n ** 63n
      try {
        return wholeOf(calculate(operator, int64Value(a), int64Value(b))) === exact && isHeld
      } catch {
        return !isHeld
      }
    }),
    { numRuns: runs(2_000) },
  )
  t.pass('as bigints')
})
