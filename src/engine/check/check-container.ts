// Checks large containers: each member is at the place that its type requires, in both parts if
// there are two, and the head's counts are right. A member is compared with its head and
// counterpart in one state. Counts are compared only if the head did not change during the count,
// since every change of a container writes its head.

import { type Bytes, equalBytes } from '../../base/bytes/bytes.js'
import { GatewayError } from '../../base/errors.js'
import { scanEntriesMax } from '../../base/limits/engine.js'
import type { Entry, Program, ReadTx } from '../../store/store.js'
import { readPhase, type Sweep } from '../../store/sweep.js'
import { chunkKey, membersRange, type ValueId } from '../background/garbage.js'
import { partsOf } from '../collection/records.js'
import { chunkedOfMember, partOf } from '../keyspace/containers/members.js'
import type { MembersId } from '../types.js'
import { type Holder, judge, readHolder } from './check-members.js'
import { hexOf, isTooOld, type Look, oneState, pagesOf, stepRange } from './check-steps.js'

export interface Container {
  /** Record key of the container's head. */
  readonly record: Bytes
  readonly id: MembersId
  /** Name of the container in messages. */
  readonly name: string
}

interface ContainerReport {
  readonly problems: readonly string[]
  /** Chunked values that members refer to. */
  readonly values: readonly ValueId[]
  readonly isReadable: boolean
}

/** Maximum walks of a container that clients keep changing. */
const walksMax = 4

export function* checkContainer(container: Container): Sweep<ContainerReport> {
  const problems = new Set<string>()
  let walk = new Walk(container, problems)
  for (let i = 0; i < walksMax; i++) {
    walk = new Walk(container, problems)
    // First in steps; if it changes meanwhile, in one state if possible.
    const isOne = i === 1
    const end = isOne ? yield* inOneState(walk) : yield* stepRange(walk.range, walk.look, ignore)
    if (end !== undefined) {
      problems.add(`${walk.title}: ${end}`)
      return { problems: [...problems], values: walk.values, isReadable: false }
    }
    if (walk.isWhole) break
  }
  walk.count()
  return { problems: [...problems], values: walk.values, isReadable: true }
}

function ignore(): void {}

/** If that takes too long, the walk stays incomplete. */
function* inOneState(walk: Walk): Sweep<undefined> {
  try {
    yield* readPhase(function* (tx) {
      yield* pagesOf(tx, walk.range, scanEntriesMax, function* (entries) {
        return (yield* walk.look(tx, entries)) !== undefined
      })
    }, oneState)
  } catch (error) {
    if (!isTooOld(error)) throw error
    walk.isMoved = true
  }
}

class Walk {
  readonly values: ValueId[] = []
  readonly range: { readonly start: Bytes; readonly end: Bytes }
  readonly look: Look<true>
  isMoved = false
  private isGone = false
  private holder: Holder | undefined
  /** Number of records of each part; for a list, of the positions in use. */
  private readonly counts: number[] = []

  constructor(
    private readonly container: Container,
    private readonly problems: Set<string>,
  ) {
    this.range = membersRange(container.id)
    this.look = (tx, entries) => this.see(tx, entries)
  }

  get title(): string {
    const { name, id } = this.container
    return `${this.holder?.type ?? 'container'} ${name} with members ${id}`
  }

  /** Whether another walk cannot find more. */
  get isWhole(): boolean {
    return this.isGone || !this.isMoved
  }

  /** Compares the counts of the head with what was seen. */
  count(): void {
    const { holder, counts } = this
    if (holder === undefined || this.isGone || this.isMoved) return
    const { type, head } = holder
    if (head.count < 1) this.say('counts none, and is there')
    const parts = (type === 'list' ? 1 : 2) + (head.levels ?? 0)
    for (let part = 0; part < parts; part++) {
      const found = counts[part] ?? 0
      if (found !== head.count) this.say(`part ${part} has ${found} members of ${head.count}`)
    }
  }

  private *see(tx: ReadTx, entries: readonly Entry[]): Program<true | undefined> {
    const holder = yield* readHolder(tx, this.container.record, this.container.id)
    if (holder === undefined) {
      this.isGone = true
      return undefined
    }
    this.isMoved ||= this.holder !== undefined && this.holder.version !== holder.version
    this.holder = holder
    this.checkHead(holder)
    for (const entry of entries) yield* this.seeMember(tx, holder, entry)
    return true
  }

  private checkHead({ head, leftovers, isDiscarded }: Holder): void {
    if (isDiscarded) this.say('is listed for deletion')
    if (leftovers.length > 0 && head.hasLeftovers !== true) this.say('does not say what it left')
    const last = head.first + head.count - 1
    if (leftovers.some(({ from, to }) => from <= last && to >= head.first)) {
      this.say('uses positions that are listed for deletion')
    }
  }

  private *seeMember(tx: ReadTx, holder: Holder, { key, value }: Entry): Program<void> {
    const { members } = holder
    const part = partOf(key)
    try {
      const chunked = chunkedOfMember(value)
      if (chunked !== undefined) this.values.push(chunked.value)
      const member = yield* members.memberOf({ key, value })
      const isAtHome = equalBytes(members.keyOf(part, member.member), key)
      if (!isAtHome) this.say(`member ${hexOf(key)} lies under the key of another`)
      else {
        const seen = yield* judge(tx, holder, part, member)
        if (typeof seen === 'string') this.say(`member ${hexOf(key)} ${seen}`)
        else this.counts[part] = (this.counts[part] ?? 0) + seen
      }
    } catch (error) {
      if (!(error instanceof GatewayError || error instanceof RangeError)) throw error
      if (isTooOld(error) && (yield* hasChunks(tx, value))) throw error
      this.say(`member ${hexOf(key)} cannot be read: ${error.message}`)
    }
  }

  private say(text: string): void {
    this.problems.add(`${this.title}: ${text}`)
  }
}

/** Whether all chunks of a member exist: then the state was too old for another reason. */
function* hasChunks(tx: ReadTx, value: Bytes): Program<boolean> {
  const chunked = chunkedOfMember(value)
  if (chunked === undefined) return true
  for (let part = 0; part < partsOf(chunked.length); part++) {
    if ((yield* tx.get(chunkKey(chunked.value, part))) === undefined) return false
  }
  return true
}
