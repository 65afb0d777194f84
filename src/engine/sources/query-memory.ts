// Memory of one query at work, or of its cursor: what its sorts, groups, joins and facets hold
// counts for its owner and in all. Where little is left, what can go by the disk goes there
// earlier; then the owner's oldest idle cursor is closed; then the query is refused.

import { fail, type GatewayError } from '../../base/errors.js'
import type { ByteShare, ByteShares } from '../../base/heap/byte-shares.js'
import { blockingBytesMax } from '../../base/limits.js'
import type { MemoryHolding, SpillFile, Workspace } from '../../query/spill.js'
import {
  type Emit,
  type Finishing,
  MapTransform,
  type Transform,
} from '../../query/stages/stage.js'
import type { Document } from '../../value/value.js'
import { holderOf } from './cursors.js'
import { type SpillFolder, SpillScope } from './spill.js'

/** Bytes are counted by such pieces, and a stage that holds no more than one is not. */
const pieceBytes = 64 * 1_024
/** A stage that may hold less than that would spill without end. */
const spillingBytesMin = 1_024 * 1_024
/** Of one spilled run while all are merged. */
const mergedRunBytes = 256 * 1_024

interface QueryMemoryOptions {
  readonly shares: ByteShares
  readonly spills: SpillFolder | undefined
  /** Key of an identity. */
  readonly owner: string
  /** Whether stages may use the disk. */
  readonly allowsDisk: boolean
  /** What is thrown where there is no room; ExceededMemoryLimit unless given. */
  readonly refusal?: () => GatewayError
}

export class QueryMemory implements Workspace {
  readonly open?: () => SpillFile
  private readonly usual: number
  private share: ByteShare | undefined
  /** Whose it is: a wallet by any of its keys. */
  private readonly holder: string

  constructor(private readonly options: QueryMemoryOptions) {
    const { spills, allowsDisk, owner } = options
    this.holder = holderOf(owner)
    this.usual = spills?.memoryBytesMax ?? blockingBytesMax
    if (spills === undefined || !allowsDisk) return
    let scope: SpillScope | undefined
    this.open = () => {
      scope ??= new SpillScope(spills, true, owner)
      return spills.open(scope)
    }
  }

  /** Half of what the query has and could have: there is always some left for the next one. */
  get memoryBytesMax(): number {
    const { share, usual, holder } = this
    if (this.open === undefined) return usual
    const left = share?.bytesLeft ?? this.options.shares.leftOf(holder)
    const fair = ((share?.bytesHeld ?? 0) + left) / 2
    return Math.min(usual, Math.max(fair, spillingBytesMin))
  }

  holding(): Holding {
    return new Holding(this)
  }

  /** Throws ExceededMemoryLimit where there is no room; `isSure`: it is taken anyhow. */
  take(bytes: number, isSure = false): void {
    this.share ??= this.options.shares.open(this.holder)
    if (this.share.take(bytes)) return
    if (isSure) this.share.force(bytes)
    else {
      this.ended()
      throw this.options.refusal?.() ?? exhausted()
    }
  }

  release(bytes: number): void {
    this.share?.release(bytes)
    this.ended()
  }

  /** Nothing is held: there is nothing to be counted. */
  private ended(): void {
    if (this.share?.bytesHeld !== 0) return
    this.share.close()
    this.share = undefined
  }
}

function exhausted(): GatewayError {
  const text =
    'Exceeded memory limit: the queries at work and the cursors of this owner hold too much ' +
    'memory for another one to be added'
  return fail('ExceededMemoryLimit', text)
}

/** What one part of a query holds, counted piece by piece. */
export class Holding implements MemoryHolding {
  private counted = 0

  constructor(private readonly memory: QueryMemory) {}

  /** As it is counted. */
  get bytesHeld(): number {
    return this.counted
  }

  /** Throws as `QueryMemory.take`. */
  hold(bytes: number, isSure = false): void {
    const wanted = bytes <= pieceBytes ? 0 : Math.ceil(bytes / pieceBytes) * pieceBytes
    const more = wanted - this.counted
    if (more === 0) return
    if (more > 0) this.memory.take(more, isSure)
    else this.memory.release(-more)
    this.counted = wanted
  }

  close(): void {
    this.hold(0)
  }
}

/** The transform of a stage that holds documents, counted where the workspace counts. */
export function counted(transform: Transform, workspace: Workspace | undefined): Transform {
  if (workspace?.holding === undefined || transform instanceof MapTransform) return transform
  return new CountedTransform(transform, workspace.holding())
}

class CountedTransform implements Transform {
  private merged = 0
  private before = 0

  constructor(
    private readonly inner: Transform,
    private readonly holding: MemoryHolding,
  ) {}

  get satisfied(): boolean {
    return this.inner.satisfied
  }

  get pending(): boolean {
    return this.inner.pending
  }

  get bytesHeld(): number {
    return this.inner.bytesHeld
  }

  get figures(): Transform['figures'] {
    return this.inner.figures
  }

  push(document: Document, emit: Emit): void {
    this.inner.push(document, emit)
    this.count()
  }

  resume(emit: Emit): void {
    this.inner.resume(emit)
    this.count()
  }

  *finish(emit: Emit): Finishing {
    for (const refusal of this.inner.finish(emit)) {
      this.count()
      yield refusal
    }
    this.merged = 0
    this.count()
  }

  close(): void {
    this.inner.close?.()
    this.holding.close()
  }

  private count(): void {
    const { inner } = this
    const held = inner.bytesHeld
    const isPending = inner.pending
    // What is on its way to the disk is in memory until it is there.
    if (isPending && held < this.before) return
    if (held < this.before) {
      const { spills = 0 } = inner.figures ?? {}
      this.merged = Math.min(spills * mergedRunBytes, held + this.before)
    }
    this.before = held
    this.holding.hold(held + this.merged, isPending)
  }
}
