// Random updates against a naive model over plain objects: same outcome, or both refuse. And what
// is applied a second time changes nothing where the operator is of that kind.

import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import t from 'tap'
import { GatewayError } from '../../../src/base/errors.js'
import { documentFrom } from '../../../src/value/literal.js'
import { toObject } from '../../support/literal.js'
import { runs } from '../../support/runs.js'
import { apply, compile } from '../../support/updates.js'

interface Step {
  readonly operator: '$set' | '$unset' | '$inc' | '$push' | '$addToSet' | '$pull'
  readonly path: string
  readonly operand: unknown
}

type Node = Record<string, unknown>

const refused = Symbol('refused')

/** Follows one step over plain objects, the slow and obvious way. */
function model(root: Node, step: Step): void {
  const parts = step.path.split('.')
  let holder: Node = root
  for (const [i, part] of parts.entries()) {
    const name = memberName(holder, part, step)
    if (name === undefined) return
    if (i === parts.length - 1) {
      act(holder, name, step)
      return
    }
    const found = holder[name]
    if (found === undefined) {
      if (step.operator === '$unset' || step.operator === '$pull') return
      put(holder, name, {})
    } else if (found === null || typeof found !== 'object') {
      if (step.operator === '$unset') return
      throw refused
    }
    holder = holder[name] as Node
  }
}

function memberName(holder: Node, part: string, step: Step): string | undefined {
  if (!Array.isArray(holder) || /^\d+$/.test(part)) return part
  if (step.operator === '$unset') return undefined
  throw refused
}

function put(holder: Node, name: string, value: unknown): void {
  if (Array.isArray(holder)) while (holder.length < Number(name)) holder.push(null)
  holder[name] = value
}

function act(holder: Node, name: string, { operator, operand }: Step): void {
  const current = holder[name]
  const isArray = Array.isArray(current)
  if (operator === '$set') put(holder, name, operand)
  else if (operator === '$unset') {
    if (current === undefined) return
    if (Array.isArray(holder)) holder[Number(name)] = null
    else delete holder[name]
  } else if (operator === '$inc') {
    if (current !== undefined && typeof current !== 'number') throw refused
    put(holder, name, (current ?? 0) + (operand as number))
  } else if (current !== undefined && !isArray) throw refused
  else if (operator === '$push') put(holder, name, [...((current as unknown[]) ?? []), operand])
  else if (operator === '$addToSet') {
    const there = (current as unknown[]) ?? []
    const isKnown = there.some((value) => isDeepStrictEqual(value, operand))
    put(holder, name, isKnown ? there : [...there, operand])
  } else if (isArray) {
    holder[name] = current.filter((value) => !isDeepStrictEqual(value, operand))
  }
}

const scalar = fc.oneof(
  fc.integer({ min: -3, max: 3 }),
  fc.constantFrom('x', 'y'),
  fc.constant(null),
)
const list = fc.array(scalar, { maxLength: 3 })
const value = fc.oneof(scalar, list)
const nested = fc.record(
  { x: fc.oneof(value, fc.record({ z: value })), y: value },
  {
    requiredKeys: [],
  },
)
const someDocument = fc.record(
  { a: value, b: value, c: fc.oneof(nested, value), l: fc.oneof(list, fc.array(nested), value) },
  { requiredKeys: [] },
)
const someStep = fc.oneof(
  ...(['$set', '$push', '$addToSet', '$pull'] as const).map((operator) =>
    scalar.map((operand) => ({ operator, operand })),
  ),
  fc.constant({ operator: '$unset' as const, operand: '' }),
  fc.integer({ min: -3, max: 3 }).map((operand) => ({ operator: '$inc' as const, operand })),
)
const groups = [['a'], ['b'], ['c', 'c.x', 'c.y', 'c.x.z'], ['l', 'l.0', 'l.2', 'l.1.x', 'l.y']]
const path = fc.constantFrom(...groups.flat())
const someSteps = fc
  .uniqueArray(
    fc.tuple(path, someStep).map(([at, step]) => ({ ...step, path: at })),
    { minLength: 1, maxLength: 4, selector: (step) => step.path },
  )
  .filter((steps) => steps.every((a) => steps.every((b) => !b.path.startsWith(`${a.path}.`))))

function updateOf(steps: readonly Step[]): Record<string, Record<string, unknown>> {
  const update: Record<string, Record<string, unknown>> = {}
  for (const { operator, path: at, operand } of steps) {
    update[operator] = { ...update[operator], [at]: operand }
  }
  return update
}

function outcome(run: () => unknown): unknown {
  try {
    return run()
  } catch (error) {
    if (error === refused || error instanceof GatewayError) return refused
    throw error
  }
}

/** Numbers of arrays before names, as updates are applied. */
function inOrder(steps: readonly Step[]): Step[] {
  const key = (step: Step) =>
    step.path.replaceAll(/\d+/g, (digits) => `!${digits.padStart(4, '0')}`)
  return [...steps].sort((a, b) => (key(a) < key(b) ? -1 : 1))
}

t.test('random updates do what a naive model does', async (t) => {
  fc.assert(
    fc.property(someDocument, someSteps, (document, steps) => {
      const expected = outcome(() => {
        const root = structuredClone(document) as Node
        for (const step of inOrder(steps)) model(root, step)
        return root
      })
      const actual = outcome(() => toObject(apply(updateOf(steps), document)))
      return isDeepStrictEqual(actual, expected)
    }),
    { numRuns: runs(2_000) },
  )
  t.pass('held')
})

t.test('setting, removing and adding to a set twice is the same as once', async (t) => {
  const again = ['$set', '$unset', '$addToSet', '$pull']
  // Padding an array can block what was only missing before: such paths are not among these.
  const steps = someSteps.filter((given) =>
    given.every((step) => again.includes(step.operator) && !/^l\.[12]/.test(step.path)),
  )
  fc.assert(
    fc.property(someDocument, steps, (document, given) => {
      const update = compile(updateOf(given))
      const options = { matchedIndex: undefined, isInsert: false }
      const once = outcome(() => update.apply(documentFrom(document), options))
      if (!(once instanceof Uint8Array)) return true
      return update.apply(once, options) === once
    }),
    { numRuns: runs(500) },
  )
  t.pass('held')
})
