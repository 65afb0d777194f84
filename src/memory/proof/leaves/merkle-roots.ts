// Computes roots without blocking the event loop: a thread builds trees while needed. Roots are
// cached by the hashes they are made of, so a changed list never gets the root of the old one.

import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { IdleThread } from '../../../base/work/idle-thread.js'

/** How long the idle thread lives, milliseconds. Cached roots. */
const merkleIdleMs = 30_000
const merkleRootsKept = 10_000

/** Stands for "these hashes have no root". */
const none = ''

/** A batch, and the leaf whose proof is wanted; without a leaf, the root. */
export interface MerkleQuestion {
  readonly hashes: readonly string[]
  readonly of?: string
}

export interface MerkleAnswer {
  readonly root?: string | undefined
  readonly proof?: readonly string[] | undefined
}

export class MerkleRoots {
  private readonly known = new LRUCache<string, string>({ max: merkleRootsKept })
  private readonly thread = new IdleThread<MerkleQuestion, MerkleAnswer>({
    file: new URL('./merkle-worker.js', import.meta.url),
    name: 'merkle',
    idleMs: merkleIdleMs,
    gone: 'the tree of a batch was not built',
  })

  /** As merkleRoot, off the event loop. */
  async rootOf(hashes: readonly string[]): Promise<string | undefined> {
    const digest = createHash('sha256').update(hashes.join()).digest('base64')
    const known = this.known.get(digest)
    if (known !== undefined) return known === none ? undefined : known
    const { root } = await this.thread.ask({ hashes })
    this.known.set(digest, root ?? none)
    return root
  }

  /** As merkleProof, off the event loop. */
  async proofOf(hashes: readonly string[], of: string): Promise<readonly string[] | undefined> {
    return (await this.thread.ask({ hashes, of })).proof
  }
}
