// Roots without blocking the event loop: trees are built in a thread, which is there
// while it is needed. Roots are kept by what they are the root of, so that a list that was
// tampered with never finds the root of the old one.

import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { IdleThread } from '../../../base/work/idle-thread.js'

/** How long the thread that builds trees stays without work, milliseconds. Roots remembered. */
const merkleIdleMs = 30_000
const merkleRootsKept = 10_000

/** What stands for "these hashes have no root". */
const none = ''

/** A batch, and the leaf whose proof is wanted; the root where there is none. */
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

  /** As merkleRoot, away from the event loop. */
  async rootOf(hashes: readonly string[]): Promise<string | undefined> {
    const digest = createHash('sha256').update(hashes.join()).digest('base64')
    const known = this.known.get(digest)
    if (known !== undefined) return known === none ? undefined : known
    const { root } = await this.thread.ask({ hashes })
    this.known.set(digest, root ?? none)
    return root
  }

  /** As merkleProof, away from the event loop. */
  async proofOf(hashes: readonly string[], of: string): Promise<readonly string[] | undefined> {
    return (await this.thread.ask({ hashes, of })).proof
  }
}
