// The memory of one reply that is being made. A large value counts for its owner before it is read,
// so the requests of many clients that begin at once do not all hold theirs. With memory short, a
// reply waits for room before its first large value. Later ones only count: a reply that waited
// while it holds memory would wait for itself.

import { fail } from '../errors.js'
import { smallMessageBytesMax } from '../limits/connections.js'
import type { ByteShare } from './byte-shares.js'
import type { MemoryAccount } from './memory-account.js'
import { Unwinding } from './unwinding.js'

/** Thrown by a write program: its sweep has to wait for so many bytes, and then to run it again. */
export class NoReplyRoom extends Unwinding {
  constructor(readonly bytes: number) {
    super('a reply waits for memory')
  }
}

/** A wait for room; a program that may not wait never gets one. */
interface Wait {
  readonly refusal: NoReplyRoom
  /** Joins the queue; `done` resolves once the bytes are counted, and `end` leaves the queue. */
  begin(): { readonly done: Promise<void>; end(): void }
}

const tooManyWait =
  'Exceeded memory limit: the replies of this owner that wait for their clients to read hold too ' +
  'much memory for another one to wait'

export class ReplyRoom {
  private counted = 0
  private share: ByteShare | undefined
  private isClosed = false

  /** `copies`: how often the reply holds a value, in its forms. */
  constructor(
    private readonly memory: MemoryAccount,
    private readonly owner: string,
    private readonly copies: number,
  ) {}

  /**
   * Counts that the reply holds up to so many bytes, or returns what to wait for before. Small
   * replies do not count.
   */
  expects(bytes: number, mayWait: boolean): Wait | undefined {
    const { memory, owner, counted } = this
    if (bytes <= smallMessageBytesMax || bytes * this.copies <= counted) return undefined
    if (counted > 0 || !mayWait || memory.isQuiet || memory.hasRoom(owner)) {
      this.count(bytes)
      return undefined
    }
    return { refusal: new NoReplyRoom(bytes), begin: () => this.wait(bytes) }
  }

  /**
   * Counts bytes that a program holds while it waits, until the returned function is called. Throws
   * ExceededMemoryLimit: else waiting programs would hold the memory that they wait for.
   */
  waits(bytes: number): () => void {
    const end = this.memory.waits(this.owner, bytes)
    if (end === undefined) throw fail('ExceededMemoryLimit', tooManyWait)
    return end
  }

  /** The reply holds only so many bytes of what it expected. */
  holds(bytes: number): void {
    if (this.counted > bytes * this.copies) this.count(bytes)
  }

  /** Bytes that count for the copies beside the first. */
  get copyBytes(): number {
    return this.counted - this.counted / this.copies
  }

  /** The reply counts elsewhere, or is not sent. */
  close(): void {
    this.isClosed = true
    this.share?.close()
  }

  private count(bytes: number): void {
    if (this.isClosed) return
    this.counted = bytes * this.copies
    this.share ??= this.memory.shares.open(this.owner)
    this.share.sends(this.counted)
  }

  private wait(bytes: number): { readonly done: Promise<void>; end(): void } {
    let end = () => {}
    const done = new Promise<void>((resolve) => {
      end = this.memory.whenRoom(this.owner, () => {
        // Before the next one in the queue is asked.
        this.count(bytes)
        resolve()
      })
    })
    return { done, end }
  }
}
