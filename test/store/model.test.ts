// Random programs against a sorted array, over every store: what they read on the way, what they
// leave, and that a failed one leaves nothing.

import fc from 'fast-check'
import t from 'tap'
import type { Bytes } from '../../src/base/bytes/bytes.js'
import { compareBytes, mapKey } from '../../src/base/bytes/bytes.js'
import { keyClass } from '../../src/store/layout.js'
import type { Entry, KeyRange, Program, Tx } from '../../src/store/store.js'
import { runs } from '../support/runs.js'
import { eachStore } from '../support/stores.js'

type Action =
  | { readonly do: 'put'; readonly key: Bytes; readonly value: Bytes }
  | { readonly do: 'remove'; readonly key: Bytes }
  | { readonly do: 'get'; readonly key: Bytes }
  | { readonly do: 'scan'; readonly range: KeyRange; readonly limit: number }
  | { readonly do: 'scanOwn'; readonly range: KeyRange; readonly limit: number }

interface Script {
  readonly actions: readonly Action[]
  readonly fails: boolean
}

const classes = fc.constantFrom(keyClass.record, keyClass.entry, keyClass.member)
const key = fc
  .tuple(classes, fc.uint8Array({ minLength: 0, maxLength: 2, max: 5 }))
  .map(([first, tail]) => Uint8Array.of(first, ...tail))
const range = fc
  .tuple(key, key, fc.boolean())
  .map(([start, end, reverse]): KeyRange => ({ start, end, reverse }))
const limit = fc.integer({ min: 1, max: 12 })
const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant('put'), key, value: fc.uint8Array() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('remove', 'get'), key }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('scan', 'scanOwn'), range, limit }) },
)
const script: fc.Arbitrary<Script> = fc.record({
  actions: fc.array(action, { maxLength: 12 }),
  fails: fc.boolean(),
})

/** Readings as plain text, so that two of them compare with ===. */
const show = (bytes: Bytes | undefined): string => (bytes === undefined ? '-' : mapKey(bytes))
const showAll = (entries: readonly Entry[]): string =>
  entries.map(({ key, value }) => `${mapKey(key)}=${mapKey(value)}`).join()

function* play(tx: Tx, { actions, fails }: Script): Program<string[]> {
  const seen: string[] = []
  for (const act of actions) {
    if (act.do === 'put') tx.put(act.key, act.value)
    else if (act.do === 'remove') tx.remove(act.key)
    else if (act.do === 'get') seen.push(show(yield* tx.get(act.key)))
    else if (act.do === 'scan') seen.push(showAll(yield* tx.scan(act.range, act.limit)))
    else seen.push(showAll(yield* tx.scanOwn(act.range, act.limit)))
  }
  if (fails) throw new RangeError(seen.join('|'))
  return seen
}

class Model {
  private entries: Entry[] = []

  play({ actions, fails }: Script): string[] {
    const before = this.entries
    const seen: string[] = []
    for (const act of actions) {
      if (act.do === 'put') this.change(act.key, act.value)
      else if (act.do === 'remove') this.change(act.key, undefined)
      else if (act.do === 'get') {
        const found = this.entries.find((entry) => compareBytes(entry.key, act.key) === 0)
        seen.push(show(found?.value))
      } else {
        const entries = act.do === 'scan' ? before : this.entries
        seen.push(showAll(inRange(entries, act.range).slice(0, act.limit)))
      }
    }
    if (fails) this.entries = before
    return seen
  }

  all(): string {
    return showAll(this.entries)
  }

  private change(key: Bytes, value: Bytes | undefined): void {
    const others = this.entries.filter((entry) => compareBytes(entry.key, key) !== 0)
    const changed = value === undefined ? others : [...others, { key, value }]
    this.entries = changed.sort((a, b) => compareBytes(a.key, b.key))
  }
}

function inRange(entries: readonly Entry[], { start, end, reverse }: KeyRange): Entry[] {
  const found = entries.filter(
    ({ key }) => compareBytes(key, start) >= 0 && compareBytes(key, end) < 0,
  )
  return reverse === true ? found.reverse() : found
}

eachStore(t, 'random programs read and leave what the model does', async (_t, { store, kind }) => {
  const count = kind === 'late' ? 30 : 100
  const everything: KeyRange = { start: Uint8Array.of(1), end: Uint8Array.of(255) }
  await fc.assert(
    fc.asyncProperty(fc.array(script, { maxLength: 8 }), async (scripts) => {
      await store.write(function* (tx) {
        for (const { key } of yield* tx.scan(everything, 1_000)) tx.remove(key)
      })
      const model = new Model()
      for (const given of scripts) {
        const outcome = await store.write((tx) => play(tx, given)).catch(failedReading)
        if (outcome.join('|') !== model.play(given).join('|')) return false
      }
      const left = await store.read(function* (tx) {
        return showAll(yield* tx.scan(everything, 1_000))
      })
      return left === model.all()
    }),
    { numRuns: runs(count) },
  )
})

/** A failed script tells in its message what it read. */
function failedReading(error: unknown): string[] {
  if (error instanceof RangeError) return [error.message]
  throw error
}
