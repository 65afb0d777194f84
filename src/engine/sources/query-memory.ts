// Memory of one running query, or of its cursor. What its sorts, groups, joins and facets hold
// counts for its owner and in total. When memory is short, stages spill earlier; then the owner's
// oldest idle cursor is closed; then the query is refused.

import { fail, type GatewayError } from '../../base/errors.js'
import type { ByteShare, ByteShares } from '../../base/heap/byte-shares.js'
import { blockingBytesMax } from '../../base/limits/documents.js'
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

/** Memory is counted in pieces of this size; a stage that holds at most one is not counted. */
const pieceBytes = 64 * 1_024
/** With less memory than this, a stage would spill endlessly. */
const spillingBytesMin = 1_024 * 1_024

interface QueryMemoryOptions {
  readonly shares: ByteShares
  readonly spills: SpillFolder | undefined
  /** Key of the owner's identity. */
  readonly owner: string
  /** Whether stages may use the disk. */
  readonly allowsDisk: boolean
  /** The error if there is no memory; default ExceededMemoryLimit. */
  readonly refusal?: () => GatewayError
}

export class QueryMemory implements Workspace {
  readonly open?: () => SpillFile
  private readonly usual: number
  private share: ByteShare | undefined
  /** The holder: a wallet, whichever of its keys is used. */
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

  /** Half of what the query has and could get, so that some is left for the next query. */
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

  /** Throws ExceededMemoryLimit if there is no memory; with `isSure` it is counted anyway. */
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

  /** Closes the share when nothing is held. */
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

/** Memory of one part of a query, counted in pieces. */
export class Holding implements MemoryHolding {
  private counted = 0

  constructor(private readonly memory: QueryMemory) {}

  /** The counted bytes. */
  get bytesHeld(): number {
    return this.counted
  }

  /** Throws like `QueryMemory.take`. */
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

/** Wraps a transform that holds documents, to count its memory if the workspace counts. */
export function counted(transform: Transform, workspace: Workspace | undefined): Transform {
  if (workspace?.holding === undefined || transform instanceof MapTransform) return transform
  return new CountedTransform(transform, workspace.holding())
}

class CountedTransform implements Transform {
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
    // Data being spilled stays in memory until it is on disk.
    if (isPending && held < this.before) return
    this.before = held
    this.holding.hold(held, isPending)
  }
}
