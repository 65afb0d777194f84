// Large lists that change far from their ends: against a plain array, and by the records that a
// command writes. What a list of an earlier version holds has no gaps, and gets them here.

import t, { type Test } from 'tap'
import { checkStore } from '../../../../src/engine/check/check.js'
import { keyClass } from '../../../../src/store/layout.js'
import { keysOfClasses } from '../../../support/engine-room.js'
import { eachBound, type KeyValueRoom } from '../../../support/key-value-room.js'
import { runs } from '../../../support/runs.js'
import { seed } from '../../../support/seed.js'
import { seededRandom } from '../../../support/seeded-random.js'

const length = 3_000

async function fill(room: KeyValueRoom, name: string, count = length): Promise<string[]> {
  const items = Array.from({ length: count }, (_, i) => `e${i}`)
  for (let i = 0; i < count; i += 1_000) await room.run('RPUSH', name, ...items.slice(i, i + 1_000))
  return items
}

/** Member records that a command changes. */
async function changesOf(room: KeyValueRoom, run: () => Promise<unknown>): Promise<number> {
  let changes = 0
  const end = room.engine.store.observeAll((key) => {
    if (key[0] === keyClass.member) changes++
  })
  await run()
  end()
  return changes
}

t.test('a change in the middle writes what it touches', (t) =>
  eachBound(
    t,
    'touched',
    async (t, room) => {
      await fill(room, 'l')
      const first = await changesOf(room, () => room.run('LINSERT', 'l', 'BEFORE', 'e1500', 'new'))
      t.ok(first <= 20, `${first} records where it gets gaps`)
      const cases: [string, string[]][] = [
        ['LINSERT', ['AFTER', 'e1500', 'further']],
        ['LREM', ['1', 'e1400']],
        ['LREM', ['0', 'new']],
        ['LSET', ['1700', 'set']],
        ['LPUSH', ['first']],
        ['RPOP', []],
      ]
      for (const [name, words] of cases) {
        const changes = await changesOf(room, () => room.run(name, 'l', ...words))
        t.ok(changes <= 3, `${name} ${words.join(' ')}: ${changes} records`)
      }
      t.equal(await room.run('LLEN', 'l'), length)
      t.same(await checkStore(room.store), [])
    },
    { kinds: ['memory', 'lmdb'] },
  ),
)

/** Places of a list, and what is done to them. */
class Model {
  constructor(
    private readonly t: Test,
    private readonly room: KeyValueRoom,
    private readonly next: () => number,
    public items: string[],
  ) {}

  async step(): Promise<void> {
    const { next, room, t } = this
    const steps = [
      this.insert,
      this.insert,
      this.insert,
      this.remove,
      this.ends,
      this.set,
      this.cut,
    ]
    await (steps[Math.floor(next() * steps.length)] as () => Promise<void>).call(this)
    const { items } = this
    const from = this.below(items.length)
    const to = Math.min(items.length - 1, from + this.below(300))
    t.same(await room.run('LRANGE', 'l', from, to), items.slice(from, to + 1))
    t.equal(await room.run('LINDEX', 'l', from), items[from] ?? null)
  }

  private below(bound: number): number {
    return Math.floor(this.next() * bound)
  }

  private async insert(): Promise<void> {
    const { items } = this
    const pivot = items[this.below(items.length)] as string
    const isAfter = this.next() < 0.5
    // Several in one place: gaps within gaps.
    for (let i = this.below(4); i >= 0; i--) {
      const at = items.indexOf(pivot)
      const value = `n${this.below(1_000)}`
      await this.room.run('LINSERT', 'l', isAfter ? 'AFTER' : 'BEFORE', pivot, value)
      items.splice(isAfter ? at + 1 : at, 0, value)
    }
  }

  private async remove(): Promise<void> {
    const { items } = this
    const value = items[this.below(items.length)] as string
    const removed = items.filter((item) => item === value).length
    this.t.equal(await this.room.run('LREM', 'l', 0, value), removed)
    this.items = items.filter((item) => item !== value)
  }

  private async ends(): Promise<void> {
    const values = Array.from({ length: 1 + this.below(40) }, () => `p${this.below(1_000)}`)
    const isFront = this.next() < 0.5
    const { items, room, t } = this
    await room.run(isFront ? 'LPUSH' : 'RPUSH', 'l', ...values)
    this.items = isFront ? [...values.reverse(), ...items] : [...items, ...values]
    const count = 1 + this.below(50)
    const popped = this.next() < 0.5 ? this.items.splice(0, count) : this.items.splice(-count)
    const last = this.items.length
    const isLeft = (await room.run('LINDEX', 'l', 0)) === popped[0] && last > 0
    const reply = await room.run(isLeft ? 'LPOP' : 'RPOP', 'l', count)
    t.same(isLeft ? reply : (reply as string[]).reverse(), popped)
  }

  private async set(): Promise<void> {
    const index = this.below(this.items.length)
    this.items[index] = `s${index}`
    await this.room.run('LSET', 'l', index, `s${index}`)
  }

  private async cut(): Promise<void> {
    const from = this.below(60)
    const to = this.items.length - 1 - this.below(400)
    await this.room.run('LTRIM', 'l', from, to)
    this.items = this.items.slice(from, to + 1)
  }
}

t.test('a list with gaps is what an array would be', (t) =>
  eachBound(
    t,
    'gaps',
    async (t, room) => {
      t.comment(`seed ${seed}`)
      const items = await fill(room, 'l', 2 * length)
      const model = new Model(t, room, seededRandom(seed), items)
      await room.run('LINSERT', 'l', 'BEFORE', 'e3000', 'x')
      model.items.splice(3_000, 0, 'x')
      for (let step = 0; step < runs(60) && model.items.length > 800; step++) await model.step()
      t.same(await room.run('LRANGE', 'l', '0', '-1'), model.items)
      t.same(await checkStore(room.store), [], 'everything is where it belongs')

      await room.run('COPY', 'l', 'copied')
      await room.run('RPUSH', 'copied', 'one more')
      t.same(await room.run('LRANGE', 'copied', '0', '-1'), [...model.items, 'one more'])
      t.same(await checkStore(room.store), [], 'nor does a copy lack anything')
      const half = Math.floor(model.items.length / 2)
      await room.run('LTRIM', 'l', half, half + 20)
      t.same(await room.run('LRANGE', 'l', '0', '-1'), model.items.slice(half, half + 21))
      await room.run('DEL', 'l', 'copied')
      while (await room.engine.garbage.round()) t.pass('deleted behind')
      t.same(await keysOfClasses(room.store, keyClass.member, keyClass.garbage), [])
    },
    { kinds: ['memory', 'lmdb'] },
  ),
)

t.test('a list whose gaps are used up is written anew', (t) =>
  eachBound(
    t,
    'full gaps',
    async (t, room) => {
      const items = await fill(room, 'l', 1_200)
      let pivot = 'e600'
      for (let i = 0; i < 500; i++) {
        const isAfter = i % 2 === 0
        const at = items.indexOf(pivot)
        await room.run('LINSERT', 'l', isAfter ? 'AFTER' : 'BEFORE', pivot, `n${i}`)
        items.splice(isAfter ? at + 1 : at, 0, `n${i}`)
        pivot = `n${i}`
      }
      t.same(await room.run('LRANGE', 'l', '0', '-1'), items)
      t.same(await checkStore(room.store), [])
    },
    { kinds: ['memory'] },
  ),
)
