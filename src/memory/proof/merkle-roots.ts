// Roots for whoever must not hold up the event loop: trees are built in a thread, which is there
// while somebody needs it. Roots are kept by what they are the root of, so that a list that was
// tampered with never finds the root of the old one.

import { createHash } from 'node:crypto'
import { Worker } from 'node:worker_threads'
import { LRUCache } from 'lru-cache'
import { fail } from '../../base/errors.js'
import { merkleIdleMs, merkleRootsKept } from '../../base/limits.js'

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

interface Asked {
  readonly resolve: (answer: MerkleAnswer) => void
  readonly reject: (error: Error) => void
}

export class MerkleRoots {
  private readonly known = new LRUCache<string, string>({ max: merkleRootsKept })
  private worker: Worker | undefined
  /** Oldest first. */
  private readonly asked: Asked[] = []
  private idle: NodeJS.Timeout | undefined

  /** As merkleRoot, away from the event loop. */
  async rootOf(hashes: readonly string[]): Promise<string | undefined> {
    const digest = createHash('sha256').update(hashes.join()).digest('base64')
    const known = this.known.get(digest)
    if (known !== undefined) return known === none ? undefined : known
    const { root } = await this.ask({ hashes })
    this.known.set(digest, root ?? none)
    return root
  }

  /** As merkleProof, away from the event loop. */
  async proofOf(hashes: readonly string[], of: string): Promise<readonly string[] | undefined> {
    return (await this.ask({ hashes, of })).proof
  }

  private ask(question: MerkleQuestion): Promise<MerkleAnswer> {
    clearTimeout(this.idle)
    this.worker ??= this.start()
    this.worker.ref()
    this.worker.postMessage(question)
    return new Promise((resolve, reject) => {
      this.asked.push({ resolve, reject })
    })
  }

  private start(): Worker {
    const worker = new Worker(new URL('./merkle-worker.js', import.meta.url), { name: 'merkle' })
    worker.on('message', (answer: MerkleAnswer) => {
      this.asked.shift()?.resolve(answer)
      if (this.asked.length === 0) this.rest(worker)
    })
    worker.on('error', () => this.gone())
    worker.on('exit', () => this.gone())
    return worker
  }

  /** A thread without work keeps no process, and goes after a while. */
  private rest(worker: Worker): void {
    worker.unref()
    const end = (): void => {
      this.worker = undefined
      worker.removeAllListeners('exit')
      void worker.terminate()
    }
    this.idle = setTimeout(end, merkleIdleMs).unref()
  }

  private gone(): void {
    this.worker = undefined
    const error = fail('InternalError', 'the tree of a batch was not built')
    for (const { reject } of this.asked.splice(0)) reject(error)
  }
}
