// Base class of hashes, lists, sets and sorted sets. A command opens a container once, changes it
// any number of times, and saves it once. A small container is the field `value` of its key's
// document. A large one stores its members in records, and its document holds a head.

import type { Slice } from '../../../base/bytes/slice.js'
import { Done } from '../../../store/steps.js'
import type { Program, Step } from '../../../store/store.js'
import type { DocumentWriter } from '../../../value/writer.js'
import type { Key, KeyType } from '../keys/key.js'
import type { Keyspace } from '../keyspace.js'
import type { Head } from './head.js'
import type { Openable } from './open-containers.js'

export abstract class Container implements Openable {
  abstract readonly type: KeyType
  /** Elements, members or fields. */
  abstract readonly size: number
  /** Whether its members are stored in records. */
  abstract readonly isLarge: boolean
  abstract readonly openHead: Head | undefined
  /** Whether it may be written after further commands of the program have changed it. */
  staysOpen = false
  protected isChanged = false

  constructor(
    protected readonly ks: Keyspace,
    readonly key: Key,
  ) {}

  /** Reads all content from its records; the save then enlarges it again. */
  abstract rewrite(): Program<void>

  /**
   * Writes the element `value` of a small one. False, with a part of it written, if one item alone
   * is longer than `bytesMax`: it is not copied.
   */
  protected abstract writeValue(writer: DocumentWriter, bytesMax: number): boolean

  /** Writes the members to records; returns the new head. */
  protected abstract enlarge(): Program<Head>

  settleMembers(): void {}

  closed(): void {}

  /** Writes the changes; removes the key of an empty container. */
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
    if (!this.keepOpen()) this.closed()
  }

  /** Keeps it open for further commands of the program, even without a change, if possible. */
  keepOpen(): boolean {
    return this.staysOpen && this.isLarge && this.ks.hold(this)
  }

  protected *saveSmall(): Program<void> {
    const { ks, key, type } = this
    const { bounds } = ks.work
    if (this.size <= bounds.members) {
      const writer = ks.begin(key, type)
      const start = writer.length
      const isWritten = this.writeValue(writer, bounds.bytes)
      if (isWritten && writer.length - start <= bounds.bytes) {
        yield* ks.putContainer(key, type, writer)
        return
      }
    }
    yield* ks.putHead(key, type, yield* this.enlarge())
  }
}

type ContainerClass<T> = new (ks: Keyspace, key: Key) => T

interface ContainerType<T> {
  /** Opens the container of a name; empty if there is no key. */
  open(ks: Keyspace, name: Slice): Step<T>
  /** The large container that an earlier command of the program left open. */
  findOpen(ks: Keyspace, name: Slice): T | undefined
  /** The container of a key that was read. */
  of(ks: Keyspace, key: Key): T
}

/** How the containers of a type are opened; all three throw WRONGTYPE. */
export function containerType<T extends Container>(
  type: KeyType,
  made: ContainerClass<T>,
): ContainerType<T> {
  const findOpen = (ks: Keyspace, name: Slice): T | undefined => {
    const open = ks.findOpen(name)
    return open?.key.requireType(type) === true ? (open as T) : undefined
  }
  const open = (ks: Keyspace, name: Slice): Step<T> => {
    const found = findOpen(ks, name)
    return found === undefined ? openContainer(ks, name, type, made) : new Done(found)
  }
  return { open, findOpen, of: (ks, key) => containerOf(ks, key, type, made) }
}

/** Opens the container of a name that is not open. */
function* openContainer<T extends Container>(
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

function containerOf<T extends Container>(
  ks: Keyspace,
  key: Key,
  type: KeyType,
  made: ContainerClass<T>,
): T {
  key.requireType(type)
  return new made(ks, key)
}
