// The keys that change while a command is prepared or a transaction commits. A store that owns its
// data tells of every change, so a check reads again only what has changed.
// (docs/design/transactions.md, rules 2 and 18)

import { type Bytes, mapKey } from '../../base/bytes/bytes.js'
import { preparedChangesMax } from '../../base/limits/engine.js'
import type { Store } from '../store.js'
import { isLookedAt } from './reads.js'

/** Runs programs and tells of changed keys; the store of the engine, or a plain one. */
export interface TransactionStore extends Store {
  /**
   * Tells of every changed key, with its writer as soon as that program has run, until the returned
   * function is called.
   */
  observeAll?(told: (key: Bytes, writer: object) => void): () => void
}

export class ChangedKeys {
  /** In mapKey form. */
  readonly keys = new Set<string>()
  /** Changes of this writer do not count. */
  own: object | undefined

  private constructor(
    observe: (told: (key: Bytes, writer: object) => void) => () => void,
    isWanted: (name: string) => boolean,
  ) {
    this.end = observe((key, writer) => {
      if (writer === this.own || this.areTooMany || !isLookedAt(key)) return
      const name = mapKey(key)
      if (isWanted(name)) this.keys.add(name)
    })
  }

  /**
   * Undefined if the store cannot tell of all changes. `isWanted` asks for a key in mapKey form.
   */
  static of(
    store: TransactionStore,
    isWanted: (name: string) => boolean = () => true,
  ): ChangedKeys | undefined {
    const { ownsData, observeAll } = store
    if (ownsData !== true || observeAll === undefined) return undefined
    return new ChangedKeys((told) => observeAll.call(store, told), isWanted)
  }

  /** Ends the observation. */
  readonly end: () => void

  /** No more are kept: any key may have changed. */
  get areTooMany(): boolean {
    return this.keys.size >= preparedChangesMax
  }

  clear(): void {
    this.keys.clear()
    this.own = undefined
  }
}
