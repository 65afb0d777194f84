// Bytes that are kept for owners: counted by owner and in all, whatever opens, takes, gives back
// and closes.

import fc from 'fast-check'
import t from 'tap'
import { type ByteShare, ByteShares } from '../../../src/base/heap/byte-shares.js'
import { runs } from '../../support/runs.js'

t.test('an owner has no more than is his, all no more than there is', async (t) => {
  const shares = new ByteShares({ ofOwner: 60, ofAll: 100 })
  const [a, again, b] = [shares.open('a'), shares.open('a'), shares.open('b')]
  t.equal(a.take(50), true)
  t.equal(again.take(11), false)
  t.equal(again.bytesLeft, 10)
  t.equal(again.take(10), true)
  t.equal(b.take(41), false)
  t.equal(b.bytesLeft, 40)
  t.equal(b.take(40), true)
  a.close()
  t.equal(shares.bytesHeld, 50)
  t.equal(a.take(1), false, 'a closed share takes nothing')
  a.release(10)
  a.close()
  t.equal(shares.bytesHeld, 50, 'and has nothing to give back')
  b.force(40)
  t.equal(b.bytesLeft, 0)
  t.equal(shares.bytesHeld, 90)
  for (const share of [again, b]) share.close()
  t.equal(shares.bytesHeld, 0)
  t.equal(shares.ownersKnown, 0)
})

t.test('whatever happens in whatever order, what is counted is what is held', async (t) => {
  const step = fc.record({
    share: fc.nat(5),
    act: fc.constantFrom('take', 'release', 'force', 'close'),
    bytes: fc.nat(40),
  })
  const seed = fc.sample(fc.integer(), 1)[0]
  t.comment(`seed ${seed}`)
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const bounds = { ofOwner: 60, ofAll: 100 }
      const shares = new ByteShares(bounds)
      const opened: ByteShare[] = []
      const held: number[] = []
      for (let i = 0; i < 6; i++) {
        opened.push(shares.open(`owner ${i % 3}`))
        held.push(0)
      }
      const isClosed = new Set<number>()
      const of = (owner: number) => (held[owner] ?? 0) + (held[owner + 3] ?? 0)
      for (const { share: i, act, bytes } of steps) {
        const share = opened[i]
        if (share === undefined) continue
        const before = held[i] ?? 0
        if (act === 'close') {
          share.close()
          isClosed.add(i)
          held[i] = 0
        } else if (act === 'release') {
          const given = Math.min(bytes, before)
          share.release(given)
          held[i] = before - given
        } else if (act === 'force') {
          share.force(bytes)
          if (!isClosed.has(i)) held[i] = before + bytes
        } else {
          const all = held.reduce((sum, each) => sum + each, 0)
          const fits = of(i % 3) + bytes <= bounds.ofOwner && all + bytes <= bounds.ofAll
          const isTaken = share.take(bytes)
          // Nothing at all is taken also where there is too much already.
          if (bytes > 0 && isTaken !== (fits && !isClosed.has(i))) return false
          if (isTaken) held[i] = before + bytes
        }
        if (shares.bytesHeld !== held.reduce((sum, each) => sum + each, 0)) return false
      }
      for (const share of opened) share.close()
      return shares.bytesHeld === 0 && shares.ownersKnown === 0
    }),
    { numRuns: runs(1_000), ...(seed === undefined ? {} : { seed }) },
  )
})
