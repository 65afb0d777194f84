// Several transforms in a row, driven in bounded steps. The output of one is pushed into the next.
// A transform with waiting output is drained before it gets more input, so that a document which
// unwinds to a million is never held as a million.

import type { Document } from '../../value/value.js'
import { type DetachedJob, jobOf } from '../detached.js'
import type { Emit, Finishing, Transform } from './stage.js'

interface Link {
  readonly transform: Transform
  /** Input that arrived while the transform had waiting output. */
  readonly queue: Document[]
  readonly emit: Emit
  finishing: Finishing | undefined
  isDone: boolean
}

/** An operation that failed with a job; it is retried when the job is done. */
interface Refusal {
  readonly error: unknown
  readonly job: DetachedJob
}

export class Chain {
  private readonly links: Link[] = []
  private readonly direct: Emit | undefined
  private hasEnded = false
  /** Oldest first. */
  private refusals: Refusal[] = []
  /** Jobs whose answers are kept until all work is done. */
  private answered: DetachedJob[] = []

  /**
   * `output` receives the documents of the last transform. With `waits`, the caller checks
   * `refusal` and runs its job; without it, the error is thrown.
   */
  constructor(
    transforms: readonly Transform[],
    output: Emit,
    private readonly waits = false,
  ) {
    for (const [i, transform] of transforms.entries()) {
      const emit: Emit = i === transforms.length - 1 ? output : (d) => this.feed(i + 1, d)
      this.links.push({ transform, queue: [], emit, finishing: undefined, isDone: false })
    }
    if (transforms.length === 0) this.direct = output
  }

  /** Whether a transform needs no more input, so that further input is useless. */
  get satisfied(): boolean {
    return this.links.some((link) => link.isDone || link.transform.satisfied)
  }

  get bytesHeld(): number {
    let bytes = 0
    for (const link of this.links) bytes += link.transform.bytesHeld
    return bytes
  }

  /** The error with a job that blocks progress until `retry`. */
  get refusal(): unknown {
    return this.refusals[0]?.error
  }

  /** Continues after the job of the refusal. */
  retry(): void {
    const done = this.refusals.shift()
    if (done !== undefined) this.answered.push(done.job)
  }

  /** Takes one document. Call `step` until it is false before the next one. */
  push(document: Document): void {
    if (this.direct !== undefined) this.direct(document)
    else this.feed(0, document)
  }

  /** Ends the input; `step` then emits the rest. */
  end(): void {
    this.hasEnded = true
  }

  /** Drops all remaining work. */
  abandon(): void {
    for (const { transform } of this.links) transform.close?.()
  }

  /** Does one bounded piece of waiting work; false if there is none or it is blocked. */
  step(): boolean {
    if (this.refusals.length > 0) return false
    this.close()
    for (let i = this.links.length - 1; i >= 0; i--) {
      if (this.advance(this.links[i] as Link, this.hasInputEnded(i))) return true
    }
    if (this.answered.length > 0) this.forget()
    return false
  }

  private forget(): void {
    for (const job of this.answered) job.forget()
    this.answered = []
  }

  private advance(link: Link, hasInputEnded: boolean): boolean {
    if (link.isDone) return false
    const { transform, queue } = link
    if (transform.pending) {
      transform.resume(link.emit)
      return true
    }
    const next = queue.shift()
    if (next !== undefined) {
      this.give(link, next)
      return true
    }
    if (!hasInputEnded) return false
    link.finishing ??= transform.finish(link.emit)
    const { done, value } = link.finishing.next()
    if (done === true) link.isDone = true
    else if (value !== undefined) this.refuse(value)
    return true
  }

  private hasInputEnded(i: number): boolean {
    return i === 0 ? this.hasEnded : this.links[i - 1]?.isDone === true
  }

  private feed(i: number, document: Document): void {
    const link = this.links[i] as Link
    const { transform, queue } = link
    if (link.isDone || transform.satisfied) return
    if (transform.pending || queue.length > 0) queue.push(document)
    else this.give(link, document)
  }

  private give(link: Link, document: Document): void {
    try {
      link.transform.push(document, link.emit)
    } catch (error) {
      this.refuse(error)
      link.queue.unshift(document)
    }
  }

  private refuse(error: unknown): void {
    const job = this.waits ? jobOf(error) : undefined
    if (job === undefined) throw error
    this.refusals.push({ error, job })
  }

  /** Ends the transforms before a satisfied one, because their output is not needed. */
  private close(): void {
    let last = -1
    for (const [i, link] of this.links.entries()) {
      if (link.transform.satisfied && !link.transform.pending) last = i
    }
    for (let i = 0; i < last; i++) {
      const link = this.links[i] as Link
      if (!link.isDone) link.transform.close?.()
      link.isDone = true
      link.queue.length = 0
    }
  }
}
