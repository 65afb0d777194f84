// What hashes, lists, sets and sorted sets share: one is opened once a command, changed as often as
// the command likes, and saved once. A small one is the element `value` of its key's document. A
// large one has its content in records, and its key's document holds a head.

import type { Slice } from '../../../base/bytes/slice.js'
import type { Program } from '../../../store/store.js'
import type { DocumentWriter } from '../../../value/writer.js'
import type { Key, KeyType } from '../keys/key.js'
import type { Keyspace } from '../keyspace.js'
import type { Head } from './head.js'
import type { Openable } from './open-containers.js'

export abstract class Container implements Openable {
  abstract readonly type: KeyType
  /** Elements, members or fields. */
  abstract readonly size: number
  /** Its content is in records. */
  abstract readonly isLarge: boolean
  abstract readonly openHead: Head | undefined
  /** What it has become may be written when the program's further commands have been at it. */
  staysOpen = false
  protected isChanged = false

  constructor(
    protected readonly ks: Keyspace,
    readonly key: Key,
  ) {}

  /** Takes all content out of its records: it is saved as what becomes large. */
  abstract rewrite(): Program<void>

  /** Writes the element `value` of a small one. */
  protected abstract writeValue(writer: DocumentWriter): void

  /** Writes what is too much for a document into records; answers the head that it has then. */
  protected abstract enlarge(): Program<Head>

  settleMembers(): void {}

  /** Writes what has changed; an empty container is no key. */
  *save(): Program<void> {
    if (!this.isChanged) return
    this.isChanged = false
    const { ks, key, type } = this
    if (this.isLarge && this.size > 0 && ks.noteOpenChanged(this)) return
    const { openHead } = this
    ks.letGo(this)
    this.settleMembers()
    if (this.size === 0) {
      yield* ks.remove(key)
      return
    }
    if (openHead === undefined) yield* this.saveSmall()
    else yield* ks.putHead(key, type, openHead)
    this.keepOpen()
  }

  /** The program's further commands are to find it open, though nothing may have changed. */
  keepOpen(): void {
    if (this.staysOpen && this.isLarge) this.ks.hold(this)
  }

  protected *saveSmall(): Program<void> {
    const { ks, key, type } = this
    const { bounds } = ks.work
    if (this.size <= bounds.members) {
      const writer = ks.begin(key, type)
      const start = writer.length
      this.writeValue(writer)
      if (writer.length - start <= bounds.bytes) {
        yield* ks.putContainer(key, type, writer)
        return
      }
    }
    yield* ks.putHead(key, type, yield* this.enlarge())
  }
}

type ContainerClass<T> = new (ks: Keyspace, key: Key) => T

/** The container under a name that is not open; an empty one where there is no key. */
export function* openContainer<T extends Container>(
  ks: Keyspace,
  name: Slice,
  type: KeyType,
  made: ContainerClass<T>,
): Program<T> {
  const container = containerOf(ks, yield* ks.key(name), type, made)
  if (ks.work.rewrites) yield* container.rewrite()
  container.staysOpen = true
  return container
}

/** The container of a key that has been read. Throws WRONGTYPE. */
export function containerOf<T extends Container>(
  ks: Keyspace,
  key: Key,
  type: KeyType,
  made: ContainerClass<T>,
): T {
  key.requireType(type)
  return new made(ks, key)
}
