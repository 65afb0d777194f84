// Restores a store from a backup. It is built in its own folder, in sorted commits, and moved into
// place in one step after the whole backup is verified. A failed restore leaves no store behind.

import { type Bytes, beginsWith, compareBytes } from '../../base/bytes/bytes.js'
import { fail, GatewayError } from '../../base/errors.js'
import { copyOf } from '../../base/heap/slab.js'
import { MiB } from '../../base/units.js'
import { NewFolder } from '../new-folder.js'
import { commitSync, type Environment, writeApplied } from '../tables/lmdb-environment.js'
import { tablesFormat } from '../tables/lmdb-format.js'
import { damageOf, orderDamage } from '../tables/stored-pairs.js'
import { firstKey } from '../tables/tables-walk.js'
import type { BackupHead, BackupTail } from './backup-format.js'
import { BackupReader } from './backup-reader.js'

/** Bytes of one commit of a restore. */
const restoreCommitBytes = 32 * MiB

interface RestoreOptions {
  /** Target folder of the store: absent or empty. */
  readonly folder: string
  /** The backup, in pieces of any size. */
  readonly pieces: AsyncIterable<Bytes>
  /** Key prefixes of the backup that are not restored. */
  readonly without?: readonly Bytes[]
  /** Called after each piece with the bytes and pairs so far. */
  readonly progress?: (bytes: number, pairs: number) => void
}

export interface Restored extends BackupTail {
  readonly head: BackupHead
}

/**
 * Throws OperationFailed if the folder is not empty, is in use or cannot be made; ChecksumMismatch,
 * with the position, if the backup is damaged; and OutOfDiskSpace.
 */
export async function restoreStore(options: RestoreOptions): Promise<Restored> {
  const made = NewFolder.open(options.folder, 'restoring')
  try {
    const restored = await build(made, options)
    await made.settle()
    return restored
  } catch (error) {
    throw error instanceof GatewayError ? error : cannotRestore(made.folder, error)
  } finally {
    await made.abandon()
  }
}

async function build(
  { environment, place }: NewFolder,
  { pieces, progress, without }: RestoreOptions,
): Promise<Restored> {
  const loader = new Loader(environment, place, without)
  let bytes = 0
  let pairs = 0
  const reader = new BackupReader({
    head: (head) => loader.begin(head),
    pair: (key, value) => loader.add(key, value),
    progress: (count) => {
      pairs = count
    },
  })
  for await (const piece of pieces) {
    reader.push(piece)
    bytes += piece.length
    progress?.(bytes, pairs)
  }
  const tail = reader.finish()
  return { ...tail, head: loader.finish() }
}

/** Loads pairs in key order into an empty environment. */
class Loader {
  private head: BackupHead | undefined
  private pairs: { readonly key: Bytes; readonly value: Bytes }[] = []
  private bytes = 0
  private before = firstKey

  constructor(
    private readonly environment: Environment,
    private readonly place: string,
    private readonly without: readonly Bytes[] = [],
  ) {}

  begin(head: BackupHead): void {
    if (head.tablesFormat !== tablesFormat) {
      const theirs = `tables of format ${head.tablesFormat}, made by Sigil ${head.sigil}`
      const ours = `this version reads format ${tablesFormat}`
      throw fail('OperationFailed', `the backup has ${theirs}; ${ours}`)
    }
    this.head = head
  }

  add(key: Bytes, value: Bytes): void {
    const isAbove = compareBytes(key, this.before) > 0
    const damage = isAbove
      ? damageOf(key, value, this.head?.applied.version ?? 0)
      : orderDamage(key)
    if (damage !== undefined) throw fail('ChecksumMismatch', `in the backup, ${damage.text}`)
    this.before = copyOf(key, 0, key.length)
    if (beginsWith(key, this.without)) return
    this.pairs.push({ key: this.before, value: copyOf(value, 0, value.length) })
    this.bytes += key.length + value.length
    if (this.bytes >= restoreCommitBytes) this.commit()
  }

  finish(): BackupHead {
    const { head } = this
    if (head === undefined) throw fail('ChecksumMismatch', 'the backup is not whole')
    this.commit()
    commitSync(this.environment, this.place, () => writeApplied(this.environment, head.applied))
    return head
  }

  /** Appends in key order, so LMDB fills pages and writes each once. */
  private commit(): void {
    const { environment, place, pairs } = this
    commitSync(environment, place, () => {
      for (const { key, value } of pairs) environment.putSync(key, value, { append: true })
    })
    this.pairs = []
    this.bytes = 0
  }
}

function cannotRestore(folder: string, cause: unknown): GatewayError {
  const reason = cause instanceof Error ? cause.message : String(cause)
  const text = `cannot restore into ${folder}: ${reason}`
  return new GatewayError('OperationFailed', text, {}, cause)
}
