// Memory of one SELECT at work: what its joins, groups and orders hold counts as its owner's and
// as everybody's. Where little is left, what can go by the disk goes there earlier; what cannot is
// refused (53200).

import type { ByteShare } from '../../../base/byte-shares.js'
import { fail, type GatewayError } from '../../../base/errors.js'
import { blockingBytesMax } from '../../../base/limits.js'
import type { Engine } from '../../../engine/engine.js'
import { holderOf } from '../../../engine/sources/cursors.js'
import { SpillScope } from '../../../engine/sources/spill.js'
import type { SpillFile, Workspace } from '../../../query/spill.js'
import type { Emit, Transform } from '../../../query/stages/stage.js'
import type { Document } from '../../../value/value.js'
import { evaluationState } from '../expression/evaluation-error.js'

/** Bytes are counted by such pieces, and a stage that holds no more than one is not. */
const pieceBytes = 64 * 1_024
/** A stage that may hold less than that would spill without end. */
const spillingBytesMin = 1_024 * 1_024
/** Of one spilled run while all are merged. */
const mergedRunBytes = 256 * 1_024

export class StatementMemory implements Workspace {
  readonly open?: () => SpillFile
  private readonly usual: number
  private share: ByteShare | undefined
  /** Whose it is: a wallet by any of its keys. */
  private readonly holder: string

  constructor(
    private readonly engine: Engine,
    owner: string,
  ) {
    this.holder = holderOf(owner)
    const { spills } = engine
    this.usual = spills?.memoryBytesMax ?? blockingBytesMax
    if (spills === undefined) return
    let scope: SpillScope | undefined
    this.open = () => {
      scope ??= new SpillScope(spills, true, owner)
      return spills.open(scope)
    }
  }

  /** Half of what the statement has and could have: there is always some left for the next one. */
  get memoryBytesMax(): number {
    const { share, usual, holder } = this
    if (this.open === undefined) return usual
    const left = share?.bytesLeft ?? this.engine.queryMemory.leftOf(holder)
    const fair = ((share?.bytesHeld ?? 0) + left) / 2
    return Math.min(usual, Math.max(fair, spillingBytesMin))
  }

  /** Throws ExceededMemoryLimit (53200) where there is no room; `isSure`: it is taken anyhow. */
  take(bytes: number, isSure = false): void {
    this.share ??= this.engine.queryMemory.open(this.holder)
    if (this.share.take(bytes)) return
    if (isSure) this.share.force(bytes)
    else {
      this.ended()
      throw exhausted()
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
  const text = 'the statements at work hold too much memory for another one to be added'
  const hint = 'Narrow the statement, or repeat it when others have ended.'
  return fail('ExceededMemoryLimit', text, { sqlState: evaluationState.tooMuchMemory, hint })
}

/** What one part of a statement holds, counted piece by piece. */
export class Holding {
  private counted = 0

  constructor(private readonly memory: StatementMemory) {}

  /** Throws as `StatementMemory.take`. */
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

/** A transform whose memory is counted. */
export class CountedTransform implements Transform {
  private readonly holding: Holding
  private merged = 0
  private before = 0

  constructor(
    private readonly inner: Transform,
    memory: StatementMemory,
  ) {
    this.holding = new Holding(memory)
  }

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

  *finish(emit: Emit): Generator<void, void, void> {
    for (const _ of this.inner.finish(emit)) {
      this.count()
      yield
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
