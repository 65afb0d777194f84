// What recall finds in a small graph of five languages, through the commands that clients send: the
// share of expected memories among the first five, and the exact ranks of ten questions.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import t from 'tap'
import { CommandRoom } from '../../support/command-room.js'
import { ManualClock } from '../../support/engine-room.js'
import { openStore } from '../../support/stores.js'

interface Fixture {
  readonly memories: readonly {
    readonly key: string
    readonly text: string
    readonly entities?: readonly string[]
    /** Key of another. */
    readonly supersedes?: string
  }[]
  readonly questions: readonly {
    readonly q: string
    readonly include?: 'superseded'
    /** Keys, in any order. */
    readonly expects: readonly string[]
  }[]
  /** Arguments of recallMemories, and the keys that it answers. */
  readonly golden: readonly {
    readonly recall: Readonly<Record<string, unknown>>
    readonly ranks: readonly string[]
  }[]
}

const shareMin = 0.9
const path = 'protocol-fixtures/memory/recall.json'
const fixture = JSON.parse(readFileSync(path, 'utf8')) as Fixture

const clock = new ManualClock()
const room = new CommandRoom(await openStore(t, 'memory'), clock)
const ids = new Map<string, string>()
const keys = new Map<string, string>()

for (const { key, supersedes, ...memory } of fixture.memories) {
  clock.ms++
  const old = supersedes === undefined ? {} : { supersedes: ids.get(supersedes) }
  const memories = [{ ...memory, ...old }]
  const { results } = await room.run({ rememberMemories: 'tour', memories })
  ids.set(key, results[0].id)
  keys.set(results[0].id, key)
}

async function recall(args: Readonly<Record<string, unknown>>): Promise<string[]> {
  const { memories } = await room.run({ recallMemories: 'tour', ...args })
  return memories.map(({ id }: { id: string }) => keys.get(id))
}

t.test('nine tenths of what is expected are among the first five', async (t) => {
  assert.ok(fixture.memories.length >= 60 && fixture.questions.length >= 40)
  let expected = 0
  let found = 0
  for (const { expects, ...args } of fixture.questions) {
    const first = (await recall(args)).slice(0, 5)
    expected += expects.length
    found += expects.filter((key) => first.includes(key)).length
  }
  t.comment(`R@5 ${(found / expected).toFixed(3)} of ${expected}`)
  assert.ok(found / expected >= shareMin, `${found} of ${expected}`)
})

t.test('golden questions are answered in their exact order', async () => {
  assert.equal(fixture.golden.length, 10)
  for (const { recall: args, ranks } of fixture.golden) {
    assert.deepEqual(await recall(args), ranks, JSON.stringify(args))
  }
})

t.test('a superseded memory is found only where it is asked for', async () => {
  const replaced = fixture.memories.flatMap(({ supersedes = [] }) => supersedes)
  assert.ok(replaced.length > 0)
  for (const key of replaced) {
    const { text = '' } = fixture.memories.find((memory) => memory.key === key) ?? {}
    assert.ok(!(await recall({ q: text })).includes(key))
    assert.equal((await recall({ q: text, include: 'superseded' }))[0], key)
  }
})
