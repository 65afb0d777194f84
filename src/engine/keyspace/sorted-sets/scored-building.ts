// Builds a large sorted set when a small one exceeds its limits: its members' scores and places,
// and the blocks that count the places.

import { Slice } from '../../../base/bytes/slice.js'
import type { Program, ReadTx } from '../../../store/store.js'
import type { Building } from '../containers/building.js'
import { flatMapInTurns, mapInTurns } from '../containers/in-turns.js'
import type { Members } from '../containers/members.js'
import { blocksOf, type LevelBlock, putBlock } from './rank-blocks.js'
import { placeKeyOf, putScored, scoredBytes } from './scored-records.js'
import { type ScoredMember, scorePlace } from './sorted-set-place.js'

/** The source of a large sorted set, from members in order. */
export function* scoredBuilding(
  tx: ReadTx,
  members: Members,
  entries: readonly ScoredMember[],
): Program<{ readonly building: Building; readonly levels: number }> {
  const { length } = entries
  const places = yield* mapInTurns(tx, entries, ({ member, score }) =>
    placeKeyOf(members, score, member),
  )
  const blocks = blocksOf(places)
  const content = yield* flatMapInTurns(tx, entries, ({ member, score }) => [
    member,
    Slice.of(scorePlace(score)),
  ])
  const building: Building = {
    type: 'zset',
    content,
    steps: length + blocks.length,
    putsPerStep: 2,
    bytes: entries.reduce((sum, { member }) => sum + scoredBytes(member), 0),
    write(into, step) {
      const entry = entries[step]
      if (entry === undefined) putBlock(into, blocks[step - length] as LevelBlock)
      else putScored(into, entry.member, entry.score)
      return 2 * (entry?.member.length ?? 0)
    },
  }
  return { building, levels: blocks.at(-1)?.level ?? 0 }
}
