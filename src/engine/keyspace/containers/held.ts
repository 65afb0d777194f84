// Open containers: large containers that the commands of one program use. A container that a
// pipeline changes sixteen times is decoded once, and its head is written once: when the key is
// looked up by name, when other containers are opened, or when the program ends. Members are
// written at once.

import type { Slice } from '../../../base/bytes/slice.js'
import { heldContainersMax } from '../../../base/limits.js'
import type { Key, KeyType } from '../keys/key.js'
import type { Head } from './head.js'

/** A large container, as its noun has it open. */
export interface Holdable {
  readonly key: Key
  readonly type: KeyType
  /** Of one that is large; what its record is to say. */
  readonly heldHead: Head | undefined
  /** Writes what of its members is put off as well. */
  settleMembers?(): void
}

interface Held {
  readonly noun: Holdable
  /** Its record says less than it has become. */
  isUnsaved: boolean
}

export class HeldContainers {
  private readonly held: Held[] = []

  /** `write` writes what of its members is put off, and what its record is to say, if anything. */
  constructor(private readonly write: (noun: Holdable, head: Head | undefined) => void) {}

  /** The one under a name. */
  find(name: Slice): Holdable | undefined {
    const { held } = this
    for (let i = 0; i < held.length; i++) {
      const { noun } = held[i] as Held
      if (noun.key.name.equals(name)) return noun
    }
    return undefined
  }

  /** It is open from now on; its record says what it is. One that is open stays as it is. */
  add(noun: Holdable): void {
    for (let i = 0; i < this.held.length; i++) if (this.held[i]?.noun === noun) return
    if (this.held.length >= heldContainersMax) this.saveFirst()
    this.held.push({ noun, isUnsaved: false })
  }

  /** It has changed; false where it is not open. */
  changed(noun: Holdable): boolean {
    const { held } = this
    for (let i = 0; i < held.length; i++) {
      const each = held[i] as Held
      if (each.noun !== noun) continue
      each.isUnsaved = true
      return true
    }
    return false
  }

  /** It is no large container any more. */
  forget(noun: Holdable): void {
    const { held } = this
    const at = held.findIndex((each) => each.noun === noun)
    if (at >= 0) held.splice(at, 1)
  }

  /** Writes the one under a name that is looked up. */
  settle(name: Slice): void {
    const { held } = this
    const at = held.findIndex(({ noun }) => noun.key.name.equals(name))
    if (at < 0) return
    const [found] = held.splice(at, 1)
    if (found !== undefined) this.save(found)
  }

  /** Writes all of them. */
  settleAll(): void {
    while (this.held.length > 0) this.saveFirst()
  }

  private saveFirst(): void {
    const first = this.held.shift()
    if (first !== undefined) this.save(first)
  }

  private save({ noun, isUnsaved }: Held): void {
    this.write(noun, isUnsaved ? noun.heldHead : undefined)
  }
}
