// Lists of some thousand elements against a plain array: cuts that are emptied behind, elements
// that move when one is put or taken in the middle, and the background at work in between.

import t, { type Test } from 'tap'
import { keyClass } from '../../../../src/store/layout.js'
import { keysOfClasses } from '../../../support/engine-room.js'
import { eachBound, type KeyValueRoom } from '../../../support/key-value-room.js'
import { runs } from '../../../support/runs.js'
import { seededRandom } from '../../../support/seeded-random.js'

/** Few different elements, so that removals find many. */
const alphabet = 40
/**
 * Elements that a list is cut to: between cuts it grows, but not beyond what a command may move.
 */
const longest = 2_500

class Model {
  items: string[] = []

  constructor(
    private readonly t: Test,
    private readonly room: KeyValueRoom,
    private readonly next: () => number,
  ) {}

  async step(): Promise<void> {
    const { next, t } = this
    const steps = [this.push, this.push, this.pop, this.trim, this.remove, this.insert, this.look]
    await (steps[Math.floor(next() * steps.length)] ?? this.look).call(this)
    t.equal(await this.room.run('LLEN', 'l'), this.items.length)
  }

  private below(bound: number): number {
    return Math.floor(this.next() * bound)
  }

  private async push(): Promise<void> {
    const values = Array.from({ length: 1 + this.below(600) }, () => String(this.below(alphabet)))
    const isFront = this.next() < 0.5
    await this.room.run(isFront ? 'LPUSH' : 'RPUSH', 'l', ...values)
    this.items = isFront ? [...values.reverse(), ...this.items] : [...this.items, ...values]
  }

  private async pop(): Promise<void> {
    const count = this.below(400) + 1
    const isFront = this.next() < 0.5
    const popped = await this.room.run(isFront ? 'LPOP' : 'RPOP', 'l', count)
    const { items } = this
    const wanted = isFront
      ? items.splice(0, count)
      : items.splice(Math.max(0, items.length - count)).reverse()
    this.t.same(popped, wanted.length === 0 ? null : wanted)
  }

  private async trim(): Promise<void> {
    const from = this.below(500)
    // What is taken out of the middle may move at most as many as one command may write.
    const last = Math.min(this.items.length - 1, from + longest)
    const to = Math.max(0, last - this.below(500))
    await this.room.run('LTRIM', 'l', from, to)
    this.items = this.items.slice(from, to + 1)
  }

  private async remove(): Promise<void> {
    const element = String(this.below(alphabet))
    const count = this.below(7) - 3
    const { items } = this
    const found = items.flatMap((item, i) => (item === element ? [i] : []))
    if (count < 0) found.reverse()
    const gone = new Set(count === 0 ? found : found.slice(0, Math.abs(count)))
    this.t.equal(await this.room.run('LREM', 'l', count, element), gone.size)
    this.items = items.filter((_, i) => !gone.has(i))
  }

  private async insert(): Promise<void> {
    const pivot = String(this.below(alphabet))
    const at = this.items.indexOf(pivot)
    const isAfter = this.next() < 0.5
    await this.room.run('LINSERT', 'l', isAfter ? 'AFTER' : 'BEFORE', pivot, 'new')
    if (at >= 0) this.items.splice(isAfter ? at + 1 : at, 0, 'new')
  }

  private async look(): Promise<void> {
    const { items, room, t } = this
    const index = this.below(items.length + 1)
    t.equal(await room.run('LINDEX', 'l', index), items[index] ?? null)
    const element = String(this.below(alphabet))
    const last = items.lastIndexOf(element)
    t.equal(await room.run('LPOS', 'l', element, 'RANK', '-1'), last < 0 ? null : last)
    t.same(await room.run('LRANGE', 'l', '0', '-1'), items)
  }
}

t.test('random changes leave what an array would hold', (t) =>
  eachBound(
    t,
    'model',
    async (t, room) => {
      const seed = 20_261_121
      t.comment(`seed ${seed}`)
      const model = new Model(t, room, seededRandom(seed))
      for (let step = 0; step < runs(150); step++) {
        await model.step()
        if (step % 10 === 0) await room.engine.garbage.round()
      }
      t.same(await room.run('LRANGE', 'l', '0', '-1'), model.items)
      await room.run('DEL', 'l')
      while (await room.engine.garbage.round()) t.pass('deleted behind')
      t.same(await keysOfClasses(room.store, keyClass.member, keyClass.garbage), [])
    },
    { kinds: ['memory', 'lmdb'] },
  ),
)
