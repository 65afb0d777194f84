// Open containers: large containers kept open between the commands of one program. A container that
// a pipeline changes sixteen times is decoded once. Its head is written once: when its key is
// looked up by name, when other containers are opened, or when the program ends. Members are
// written immediately.

import type { Slice } from '../../../base/bytes/slice.js'
import type { Key, KeyType } from '../keys/key.js'
import type { Head } from './head.js'

/** Large containers that one key-value program keeps open between its commands. */
export const openContainersMax = 8

/** A large container that its type has opened. */
export interface Openable {
  readonly key: Key
  readonly type: KeyType
  /** The head to write; only for a large container. */
  readonly openHead: Head | undefined
  /** Writes its deferred member changes. */
  settleMembers?(): void
  /** Called when it is no longer open and its record is up to date. */
  closed?(): void
}

interface OpenContainer {
  readonly noun: Openable
  /** Whether it has changes that its record lacks. */
  isUnsaved: boolean
}

export class OpenContainers {
  private readonly open: OpenContainer[] = []

  /** `write` writes deferred member changes and the head, if it changed. */
  constructor(private readonly write: (noun: Openable, head: Head | undefined) => void) {}

  /** The open container of a name. */
  find(name: Slice): Openable | undefined {
    const { open } = this
    for (let i = 0; i < open.length; i++) {
      const { noun } = open[i] as OpenContainer
      if (noun.key.name.equals(name)) return noun
    }
    return undefined
  }

  /** Adds an open container whose record is up to date. An already open one stays unchanged. */
  add(noun: Openable): true {
    for (let i = 0; i < this.open.length; i++) if (this.open[i]?.noun === noun) return true
    if (this.open.length >= openContainersMax) this.saveFirst()
    this.open.push({ noun, isUnsaved: false })
    return true
  }

  /** Marks it as changed; false if it is not open. */
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

  /** Removes a container that is no longer large. */
  forget(noun: Openable): void {
    const { open } = this
    const at = open.findIndex((each) => each.noun === noun)
    if (at >= 0) open.splice(at, 1)
  }

  /** Writes the container of a name that is looked up. */
  settle(name: Slice): void {
    const { open } = this
    const at = open.findIndex(({ noun }) => noun.key.name.equals(name))
    if (at < 0) return
    const [found] = open.splice(at, 1)
    if (found !== undefined) this.save(found)
  }

  /** Writes all open containers. */
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
