// Copies a key. A small key becomes another document with the same value; a large container gets
// its own members and chunks. If there are too many members for one program, separate programs copy
// them first. The program that makes the copy visible then checks that the source has not changed.

import { type Bytes, concatBytes } from '../../../base/bytes/bytes.js'
import { fail } from '../../../base/errors.js'
import { scanEntriesMax } from '../../../base/limits/engine.js'
import { membersCopiedAtOnce, membersCopiedBytes } from '../../../base/limits/key-value.js'
import { endsRange } from '../../../store/steps.js'
import type { Entry, KeyRange, Program, Tx } from '../../../store/store.js'
import { type Sweep, writePhase } from '../../../store/sweep.js'
import { membersChunks, membersRange } from '../../background/garbage.js'
import {
  type KnownSource,
  type OlderMembers,
  type Staged,
  StagingNeeded,
} from '../../collection/staging.js'
import type { MembersId } from '../../types.js'
import { beginMembers } from '../containers/building.js'
import type { Head } from '../containers/head.js'
import { Members } from '../containers/members.js'
import type { Keyspace } from '../keyspace.js'
import { positionsPart } from '../lists/list-leftovers.js'
import { usualBounds, Work } from '../work.js'
import type { Key, KeyType } from './key.js'
import { copyValue } from './key-document.js'

/** Versions of a container that changes meanwhile, before its copy is refused. */
const versionsMax = 8

/** Replaces `to` by the contents and expiry of `from`. */
export function* copyKey(ks: Keyspace, from: Key, target: Keyspace, to: Key): Program<void> {
  const { expiresAt, head, stored } = from
  const type = from.type as KeyType
  if (head !== undefined) {
    const id = yield* copyMembers(ks, from, head, target)
    const { bytes, hasLeftovers, ...rest } = head
    yield* target.remove(to)
    to.expiresAt = expiresAt
    const copy = { ...rest, id }
    target.work.tally(id).bytes = bytes ?? 0
    yield* target.putHead(to, type, copy)
    return
  }
  const writer = target.begin(to, type)
  if (stored !== undefined) copyValue(writer, stored)
  yield* target.remove(to)
  to.expiresAt = expiresAt
  yield* target.putContainer(to, type, writer)
}

function* copyMembers(ks: Keyspace, from: Key, head: Head, target: Keyspace): Program<MembersId> {
  const range = { ...rangeOf(ks, from, head), bytesMax: membersCopiedBytes }
  const { work } = ks
  // Another program cannot copy this program's own writes.
  if (work.changes === 0) {
    const text = `${sourceOf(head)}${(yield* ks.tx.getVersioned(from.record))?.version}`
    // What a list has given up is in no copy, and goes without a change of its records.
    const isFollowed = head.hasLeftovers !== true && work.follows([head.id])
    const source = isFollowed ? { text, origin: sourceOf(head), follows: [head.id] } : { text }
    const staged = work.takeStaged(ks.tx as Tx, source)
    if (staged !== undefined) return staged
    const older = work.takeOlder(ks.tx as Tx, source)
    if (older !== undefined) return yield* copyChanged(target, older)
    const some = yield* ks.entries(range, membersCopiedAtOnce)
    if (!endsRange(some, range, membersCopiedAtOnce)) {
      work.requireUnspoilt()
      throw new StagingNeeded('a large container was copied outside of stagedWrite', (all) =>
        stageMembers(all, { range, source, head }),
      )
    }
  }
  // A prepared program cannot predict an id.
  const id = work.prepares ? work.nextId() : yield* target.allocate()
  const members = target.members(id)
  let { start } = range
  for (;;) {
    const page = { ...range, start }
    const entries = yield* ks.entries(page, scanEntriesMax)
    for (const entry of entries) yield* members.putCopy(entry)
    const last = entries.at(-1)
    if (last === undefined || endsRange(entries, page, scanEntriesMax)) return id
    start = behind(last)
  }
}

/** Brings a copy up to date, record by record. */
function* copyChanged(target: Keyspace, { id, changed }: OlderMembers): Program<MembersId> {
  const members = target.members(id)
  for (const key of changed) {
    const value = yield* target.tx.get(key)
    yield* members.removeCopy(key)
    if (value !== undefined) yield* members.putCopy({ key, value })
  }
  return id
}

/** What the names of all versions of a source begin with. */
function sourceOf({ id }: Head): string {
  return `${id} `
}

/** The range of the members, without what a list has dropped. */
function rangeOf(ks: Keyspace, { type }: Key, { id, first, count, levels }: Head): KeyRange {
  if (type !== 'list' || levels !== undefined) return membersRange(id)
  return ks.members(id).numbers(positionsPart, first, first + count - 1)
}

interface Copying {
  readonly range: KeyRange
  readonly source: KnownSource
  readonly head: Head
}

/** Copies members in separate programs, a bounded part in each. */
function* stageMembers(staged: Staged, copying: Copying): Sweep<void> {
  if (staged.sourcesOf(sourceOf(copying.head)) >= versionsMax) {
    throw fail('WriteConflict', 'a large container kept changing while it was being copied')
  }
  const id = yield* writePhase(beginMembers)
  staged.addMembers(id, copying.source)
  let start: Bytes | undefined = copying.range.start
  while (start !== undefined) {
    const from: Bytes = start
    try {
      const { next, work } = yield* writePhase((tx) => copySome(tx, staged, id, copying, from))
      staged.settle(work)
      start = next
    } catch (error) {
      // A chunked member value is staged first.
      if (!(error instanceof StagingNeeded)) throw error
      yield* error.stage(staged)
    }
  }
}

/** Returns where to continue: undefined at the end. */
function* copySome(
  tx: Tx,
  staged: Staged,
  id: MembersId,
  { range }: Copying,
  start: Bytes,
): Program<{ readonly next: Bytes | undefined; readonly work: Work }> {
  const work = new Work(usualBounds, false, staged)
  const members = new Members(tx, membersChunks, id, work)
  const page = { ...range, start }
  const entries = yield* tx.scan(page, membersCopiedAtOnce)
  let bytes = 0
  for (const entry of entries) {
    yield* members.putCopy(entry)
    bytes += entry.value.length
    if (bytes >= membersCopiedBytes) return { next: behind(entry), work }
  }
  const last = entries.at(-1)
  const isOver = last === undefined || endsRange(entries, page, membersCopiedAtOnce)
  return { next: isOver ? undefined : behind(last), work }
}

function behind({ key }: Entry): Bytes {
  return concatBytes(key, Uint8Array.of(0))
}
