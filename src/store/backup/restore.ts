// Restores a store from a backup. A folder is built in a place of its own, in sorted commits, and
// moved into place in one step after the whole backup is verified. A failed restore leaves no store
// behind.

import { type Bytes, beginsWith, compareBytes } from '../../base/bytes/bytes.js'
import { fail, GatewayError } from '../../base/errors.js'
import { copyOf } from '../../base/heap/slab.js'
import { MiB } from '../../base/units.js'
import { NewFolder } from '../new-folder.js'
import type { Awaitable, Entry } from '../store.js'
import { type Applied, commitSync, writeApplied } from '../tables/lmdb-environment.js'
import { tablesFormat } from '../tables/lmdb-format.js'
import { damageOf, orderDamage } from '../tables/stored-pairs.js'
import { firstKey } from '../tables/tables-walk.js'
import type { BackupHead, BackupTail } from './backup-format.js'
import { BackupReader } from './backup-reader.js'

/** Bytes of one commit of a restore. */
const restoreCommitBytes = 32 * MiB

/** Where a store is built; there is none before `finish`. */
export interface RestoreTarget {
  /** Named in errors. */
  readonly name: string
  /** Bytes of one `put`. */
  readonly commitBytes: number
  /** Stores further pairs, as they lie in the backup. */
  put(pairs: readonly Entry[]): Awaitable<void>
  /** Makes it a store. */
  finish(applied: Applied): Awaitable<void>
  /** Removes what was put if it did not become a store. */
  end(): Promise<void>
}

interface RestoreOptions {
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
export async function restoreStore(
  options: RestoreOptions & { readonly folder: string },
): Promise<Restored> {
  return restoreInto(new FolderRestore(options.folder), options)
}

/** As restoreStore. */
export async function restoreInto(
  target: RestoreTarget,
  options: RestoreOptions,
): Promise<Restored> {
  try {
    return await build(target, options)
  } catch (error) {
    throw error instanceof GatewayError ? error : cannotRestore(target.name, error)
  } finally {
    await target.end()
  }
}

async function build(
  target: RestoreTarget,
  { pieces, progress, without }: RestoreOptions,
): Promise<Restored> {
  const loader = new Loader(target, without)
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
    if (loader.bytes >= target.commitBytes) await loader.commit()
    bytes += piece.length
    progress?.(bytes, pairs)
  }
  const tail = reader.finish()
  return { ...tail, head: await loader.finish() }
}

/** Target folder of the store: absent or empty. */
class FolderRestore implements RestoreTarget {
  readonly commitBytes = restoreCommitBytes
  private readonly made: NewFolder

  constructor(folder: string) {
    this.made = NewFolder.open(folder, 'restoring')
  }

  get name(): string {
    return this.made.folder
  }

  /** Appends in key order, so LMDB fills pages and writes each once. */
  put(pairs: readonly Entry[]): void {
    const { environment, place } = this.made
    commitSync(environment, place, () => {
      for (const { key, value } of pairs) environment.putSync(key, value, { append: true })
    })
  }

  async finish(applied: Applied): Promise<void> {
    const { environment, place } = this.made
    commitSync(environment, place, () => writeApplied(environment, applied))
    await this.made.settle()
  }

  end(): Promise<void> {
    return this.made.abandon()
  }
}

/** Verifies pairs, and loads them in key order into an empty target. */
class Loader {
  /** Of pairs that are not committed. */
  bytes = 0
  private head: BackupHead | undefined
  private pairs: Entry[] = []
  private before = firstKey

  constructor(
    private readonly target: RestoreTarget,
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
  }

  async finish(): Promise<BackupHead> {
    const { head } = this
    if (head === undefined) throw fail('ChecksumMismatch', 'the backup is not whole')
    await this.commit()
    await this.target.finish(head.applied)
    return head
  }

  async commit(): Promise<void> {
    const { pairs } = this
    this.pairs = []
    this.bytes = 0
    if (pairs.length > 0) await this.target.put(pairs)
  }
}

function cannotRestore(name: string, cause: unknown): GatewayError {
  const reason = cause instanceof Error ? cause.message : String(cause)
  const text = `cannot restore into ${name}: ${reason}`
  return new GatewayError('OperationFailed', text, {}, cause)
}
