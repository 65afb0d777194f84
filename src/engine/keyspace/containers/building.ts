// Writes the members of a container that becomes large. If one program can hold them, it writes
// them itself. Otherwise separate programs write them under a hidden id before the program that
// makes them visible. That one compares the source byte by byte, so a container that changed
// meanwhile is built again. (docs/design/transactions.md, rule 2)

import { type Bytes, writeUint32 } from '../../../base/bytes/bytes.js'
import { Slice } from '../../../base/bytes/slice.js'
import { assert } from '../../../base/errors.js'
import { programBytesMax, programPutsMax } from '../../../base/limits/engine.js'
import {
  memberKeyBytesMax,
  membersCopiedAtOnce,
  membersCopiedBytes,
} from '../../../base/limits/key-value.js'
import { inlineValueBytesMax } from '../../../base/limits/store.js'
import { bytesPerUnit, wordUnits } from '../../../base/work/work-figures.js'
import type { Program, ReadTx, Tx } from '../../../store/store.js'
import { type Sweep, writePhase } from '../../../store/sweep.js'
import { markMembersStaged, membersChunks } from '../../background/garbage.js'
import { allocateMembersId } from '../../collection/catalog/catalog-ids.js'
import {
  type KnownSource,
  type MembersSource,
  type Staged,
  StagingNeeded,
} from '../../collection/staging.js'
import type { MembersId } from '../../types.js'
import type { Key, KeyType } from '../keys/key.js'
import type { Keyspace } from '../keyspace.js'
import { usualBounds, Work } from '../work.js'
import type { Head, Made } from './head.js'
import { Members, namesPart, partOf, suffixOf } from './members.js'

/** The content to write; identical at every run. */
export interface Building {
  readonly type: KeyType
  /** The source of the members, in order. */
  readonly content: readonly Slice[]
  /** Number of write steps, and records put by each. */
  readonly steps: number
  readonly putsPerStep: number
  /** Bytes of all members, as quotas count them. */
  readonly bytes: number
  /** A shorter identification of the source, if there is one, and the head without its id. */
  readonly source?: KnownSource | undefined
  readonly head?: Head | undefined
  /** Writes one step; returns the bytes it processed. */
  write(members: Members, step: number): number
}

/** Puts that one program may use to enlarge a container, besides its other work. */
export const putsPerExplosion = 4_500
assert(putsPerExplosion < programPutsMax, 'its head and its neighbours fit too')

/** Whether one program can write it, including repeated puts and chunked values. */
function fitsProgram({ content, steps, putsPerStep }: Building): boolean {
  if (steps * putsPerStep > putsPerExplosion) return false
  let bytes = 0
  for (const part of content) bytes += Math.min(part.length, inlineValueBytesMax)
  return bytes <= programBytesMax / 4
}

/** Above this size, copying is faster in native code. */
const loopBytesMax = 64

/** Returns the id of the written members; the caller must put a head with it in this program. */
export function* buildMembers(ks: Keyspace, building: Building): Program<MembersId> {
  if (fitsProgram(building)) {
    // A prepared program cannot predict an id, since other programs allocate meanwhile.
    const id = ks.work.prepares ? ks.work.nextId() : yield* ks.allocate()
    const members = ks.members(id)
    for (let step = 0; step < building.steps; step++) building.write(members, step)
    return counted(ks, id, building)
  }
  const source = building.source ?? (yield* packed(ks.tx, building))
  const staged = ks.work.takeStaged(ks.tx as Tx, source)
  if (staged !== undefined) return counted(ks, staged, building)
  ks.work.requireUnspoilt()
  throw new StagingNeeded('a large container was made outside of stagedWrite', (all) =>
    stageMembers(all, building, source),
  )
}

/** The head counts all members, in whichever program they were written. */
function counted(ks: Keyspace, id: MembersId, { bytes }: Building): MembersId {
  ks.work.tally(id).bytes = bytes
  return id
}

/** What `putMade` has put under a key. */
interface PutMade {
  readonly count: number
  /** Members that have changed in the source since it was made: they are to be made again. */
  readonly changed: readonly Slice[]
}

/**
 * Replaces a key by the members staged for that source, perhaps for an older state of it; undefined
 * if there are none.
 */
export function* putMade(
  ks: Keyspace,
  key: Key,
  type: KeyType,
  source: KnownSource | undefined,
): Program<PutMade | undefined> {
  if (source === undefined) return undefined
  const made = ks.work.takeMade(ks.tx as Tx, source)
  if (made !== undefined) return { count: yield* putHeadOf(ks, key, type, made), changed: [] }
  const older = ks.work.takeOlder(ks.tx as Tx, source)
  const changed = older && namesOf(older.changed)
  if (older?.made === undefined || changed === undefined) return undefined
  return { count: yield* putHeadOf(ks, key, type, older.made), changed }
}

function* putHeadOf(ks: Keyspace, key: Key, type: KeyType, { head, bytes }: Made): Program<number> {
  yield* ks.remove(key)
  ks.work.tally(head.id).bytes = bytes
  yield* ks.putHead(key, type, head)
  return head.count
}

/** Of hashes, sets and sorted sets; undefined if a name is longer than its key. */
function namesOf(keys: readonly Bytes[]): Slice[] | undefined {
  const names: Slice[] = []
  for (const key of keys) {
    if (partOf(key) !== namesPart) continue
    const name = Slice.of(suffixOf(key))
    if (name.length >= memberKeyBytesMax) return undefined
    names.push(name)
  }
  return names
}

function* stageMembers(staged: Staged, building: Building, source: MembersSource): Sweep<void> {
  const id = yield* writePhase(beginMembers)
  const { head, bytes } = building
  staged.addMembers(id, source, head === undefined ? undefined : { head: { ...head, id }, bytes })
  for (let step = 0; step < building.steps; ) {
    const from = step
    try {
      const { next, work } = yield* writePhase((tx) => writeSome(tx, staged, id, building, from))
      staged.settle(work)
      step = next
    } catch (error) {
      // A chunked value is staged first.
      if (!(error instanceof StagingNeeded)) throw error
      yield* error.stage(staged)
    }
  }
}

/** Allocates an id for members without a head yet. */
export function* beginMembers(tx: Tx): Program<MembersId> {
  const id = yield* allocateMembersId(tx)
  markMembersStaged(tx, id)
  return id
}

function* writeSome(
  tx: Tx,
  staged: Staged,
  id: MembersId,
  building: Building,
  from: number,
): Program<{ readonly next: number; readonly work: Work }> {
  const work = new Work(usualBounds, false, staged)
  const members = new Members(tx, membersChunks, id, work)
  let bytes = 0
  let step = from
  while (step < building.steps && step - from < membersCopiedAtOnce && bytes < membersCopiedBytes) {
    bytes += building.write(members, step++)
  }
  return { next: step, work }
}

/** The content as one byte string: the type, then each part after its length. */
function* packed(tx: ReadTx, { type, content }: Building): Program<Bytes> {
  let length = type.length
  for (const part of content) length += 4 + part.length
  yield* tx.pause(content.length + length / bytesPerUnit)
  const bytes = new Uint8Array(length)
  for (let i = 0; i < type.length; i++) bytes[i] = type.charCodeAt(i)
  let at = type.length
  for (let i = 0; i < content.length; i++) {
    const part = content[i] as Slice
    yield* tx.pause(wordUnits + part.length / bytesPerUnit)
    writeUint32(bytes, at, part.length)
    at += 4
    copyInto(bytes, at, part)
    at += part.length
  }
  return bytes
}

function copyInto(target: Bytes, to: number, part: Slice): void {
  const { bytes, start, end } = part
  if (end - start > loopBytesMax) target.set(part.view(), to)
  else for (let at = start, i = to; at < end; at++, i++) target[i] = bytes[at] as number
}
