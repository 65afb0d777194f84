// Places of members: bytes that are ordered as scores and members are, and that lead back to both.

import fc from 'fast-check'
import t from 'tap'
import { Slice } from '../../../../src/base/bytes/slice.js'
import {
  compareScored,
  placeOf,
  type ScoredMember,
  scoredOf,
  scorePlace,
} from '../../../../src/engine/keyspace/sorted-sets/sorted-set-place.js'
import { runs } from '../../../support/runs.js'

const scored = fc
  .tuple(
    fc.oneof(fc.double({ noNaN: true }), fc.integer({ min: -3, max: 3 })),
    fc.uint8Array({ maxLength: 4 }),
  )
  .map(([score, bytes]): ScoredMember => ({ score, member: Slice.of(bytes) }))

const place = ({ score, member }: ScoredMember) => placeOf(score, member)

t.test('places are ordered as scores are, and among equal ones as members', async () => {
  fc.assert(
    fc.property(
      scored,
      scored,
      (a, b) => Math.sign(place(a).compare(place(b))) === Math.sign(compareScored(a, b)),
    ),
    { numRuns: runs(2_000) },
  )
})

t.test('a place leads back to its member and its score', async (t) => {
  const long = new Slice(
    Uint8Array.from({ length: 1_000 }, (_, i) => i),
    1,
    900,
  )
  t.ok(scoredOf(placeOf(5, long)).member.equals(long), 'also to a long one')
  fc.assert(
    fc.property(scored, (given) => {
      const { score, member } = scoredOf(place(given))
      return score === given.score && member.equals(given.member)
    }),
    { numRuns: runs(2_000) },
  )
})

t.test('zero and its negative have one place', async (t) => {
  t.same(scorePlace(-0), scorePlace(0))
  t.ok(Object.is(scoredOf(Slice.of(scorePlace(-0))).score, 0))
})
