// The members of a container that becomes large. As many as one program may hold it writes itself;
// more are written by programs of their own under a hidden id, before the one that
// makes them visible: that one recognizes them by what it was about to write, byte by byte, so that
// a container which has changed meanwhile is built anew. (docs/design/transactions.md, rule 2)

import { type Bytes, writeUint32 } from '../../../base/bytes/bytes.js'
import type { Slice } from '../../../base/bytes/slice.js'
import { assert } from '../../../base/errors.js'
import {
  inlineValueBytesMax,
  membersCopiedAtOnce,
  membersCopiedBytes,
  programBytesMax,
  programPutsMax,
} from '../../../base/limits.js'
import { bytesPerUnit, wordUnits } from '../../../base/work/work-figures.js'
import type { Program, ReadTx, Tx } from '../../../store/store.js'
import { type Sweep, writePhase } from '../../../store/sweep.js'
import { markMembersStaged, membersChunks } from '../../background/garbage.js'
import { allocateMembersId } from '../../collection/catalog/catalog-ids.js'
import { type Staged, StagingNeeded } from '../../collection/staging.js'
import type { MembersId } from '../../types.js'
import type { Key, KeyType } from '../keys/key.js'
import type { Keyspace } from '../keyspace.js'
import { usualBounds, Work } from '../work.js'
import type { Head } from './head.js'
import { Members } from './members.js'

/** What is to be written, the same at every run. */
export interface Building {
  readonly type: KeyType
  /** All that the members are made of, in order. */
  readonly content: readonly Slice[]
  /** Steps of writing, and how many records each of them puts. */
  readonly steps: number
  readonly putsPerStep: number
  /** Of all members, as quotas count them. */
  readonly bytes: number
  /** What its members are made of, where less than they tell it; and its head without the id. */
  readonly source?: string | undefined
  readonly head?: Head | undefined
  /** Answers how many bytes it was about. */
  write(members: Members, step: number): number
}

/** Of one program that makes a container large, beside whatever else it does. */
export const putsPerExplosion = 4_500
assert(putsPerExplosion < programPutsMax, 'its head and its neighbours fit too')

/** Whether one program can write it; what is put twice, and larger values in chunks, fit too. */
function fitsProgram({ content, steps, putsPerStep }: Building): boolean {
  if (steps * putsPerStep > putsPerExplosion) return false
  let bytes = 0
  for (const part of content) bytes += Math.min(part.length, inlineValueBytesMax)
  return bytes <= programBytesMax / 4
}

/** Copying more than this is quicker in native code. */
const loopBytesMax = 64

/** An id under which the members lie; who asks puts a head that points at it, in this program. */
export function* buildMembers(ks: Keyspace, building: Building): Program<MembersId> {
  if (fitsProgram(building)) {
    // What is prepared cannot foresee an id: others take them meanwhile.
    const id = ks.work.prepares ? ks.work.nextId() : yield* ks.allocate()
    const members = ks.members(id)
    for (let step = 0; step < building.steps; step++) building.write(members, step)
    return counted(ks, id, building)
  }
  const source = building.source ?? (yield* packed(ks.tx, building))
  const staged = ks.work.takeStaged(ks.tx as Tx, source)
  if (staged !== undefined) return counted(ks, staged, building)
  throw new StagingNeeded('a large container was made outside of stagedWrite', (all) =>
    stageMembers(all, building, source),
  )
}

/** What was written in which program is all one: the head that follows says the whole. */
function counted(ks: Keyspace, id: MembersId, { bytes }: Building): MembersId {
  ks.work.tally(id).bytes = bytes
  return id
}

/**
 * Puts what has been written of that source in the place of a key; answers its members, undefined
 * where there is nothing.
 */
export function* putMade(
  ks: Keyspace,
  key: Key,
  type: KeyType,
  source: string | undefined,
): Program<number | undefined> {
  const made = source === undefined ? undefined : ks.work.takeMade(ks.tx as Tx, source)
  if (made === undefined) return undefined
  const { head, bytes } = made
  yield* ks.remove(key)
  ks.work.tally(head.id).bytes = bytes
  yield* ks.putHead(key, type, head)
  return head.count
}

function* stageMembers(staged: Staged, building: Building, source: string | Bytes): Sweep<void> {
  const id = yield* writePhase(beginMembers)
  const { head, bytes } = building
  staged.addMembers(id, source, head === undefined ? undefined : { head: { ...head, id }, bytes })
  for (let step = 0; step < building.steps; ) {
    const from = step
    try {
      step = yield* writePhase((tx) => writeSome(tx, staged, id, building, from))
    } catch (error) {
      // A value that lies in chunks gets those first.
      if (!(error instanceof StagingNeeded)) throw error
      yield* error.stage(staged)
    }
  }
}

/** An id for members that no head points at yet. */
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
): Program<number> {
  const members = new Members(tx, membersChunks, id, new Work(usualBounds, false, staged))
  let bytes = 0
  let step = from
  while (step < building.steps && step - from < membersCopiedAtOnce && bytes < membersCopiedBytes) {
    bytes += building.write(members, step++)
  }
  return step
}

/** The content as one piece: type, then each part behind its length. */
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
