// Open containers: large containers that the commands of one program use. A container that a
// pipeline changes sixteen times is decoded once, and its head is written once: when the key is
// looked up by name, when other containers are opened, or when the program ends. Members are
// written at once.

import type { Slice } from '../../../base/bytes/slice.js'
import type { Key, KeyType } from '../keys/key.js'
import type { Head } from './head.js'

/** Large containers that one key-value program keeps open between its commands. */
export const openContainersMax = 8

/** A large container, as its noun has it open. */
export interface Openable {
  readonly key: Key
  readonly type: KeyType
  /** Of one that is large; what its record is to say. */
  readonly openHead: Head | undefined
  /** Writes what of its members is put off as well. */
  settleMembers?(): void
}

interface OpenContainer {
  readonly noun: Openable
  /** Its record says less than it has become. */
  isUnsaved: boolean
}

export class OpenContainers {
  private readonly open: OpenContainer[] = []

  /** `write` writes what of its members is put off, and what its record is to say, if anything. */
  constructor(private readonly write: (noun: Openable, head: Head | undefined) => void) {}

  /** The one under a name. */
  find(name: Slice): Openable | undefined {
    const { open } = this
    for (let i = 0; i < open.length; i++) {
      const { noun } = open[i] as OpenContainer
      if (noun.key.name.equals(name)) return noun
    }
    return undefined
  }

  /** It is open from now on; its record says what it is. One that is open stays as it is. */
  add(noun: Openable): void {
    for (let i = 0; i < this.open.length; i++) if (this.open[i]?.noun === noun) return
    if (this.open.length >= openContainersMax) this.saveFirst()
    this.open.push({ noun, isUnsaved: false })
  }

  /** It has changed; false where it is not open. */
  changed(noun: Openable): boolean {
    const { open } = this
    for (let i = 0; i < open.length; i++) {
      const each = open[i] as OpenContainer
      if (each.noun !== noun) continue
      each.isUnsaved = true
      return true
    }
    return false
  }

  /** It is no large container any more. */
  forget(noun: Openable): void {
    const { open } = this
    const at = open.findIndex((each) => each.noun === noun)
    if (at >= 0) open.splice(at, 1)
  }

  /** Writes the one under a name that is looked up. */
  settle(name: Slice): void {
    const { open } = this
    const at = open.findIndex(({ noun }) => noun.key.name.equals(name))
    if (at < 0) return
    const [found] = open.splice(at, 1)
    if (found !== undefined) this.save(found)
  }

  /** Writes all of them. */
  settleAll(): void {
    while (this.open.length > 0) this.saveFirst()
  }

  private saveFirst(): void {
    const first = this.open.shift()
    if (first !== undefined) this.save(first)
  }

  private save({ noun, isUnsaved }: OpenContainer): void {
    this.write(noun, isUnsaved ? noun.openHead : undefined)
  }
}
