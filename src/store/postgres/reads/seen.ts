// What a read program was told by guesses, or by a statement of its own: versions by key. Where it
// reads on in another state, these have to be the same there; else it runs again.

import { type Bytes, mapKey } from '../../../base/bytes/bytes.js'

export class Seen {
  /** By mapKey; undefined for keys that are missing. */
  private readonly versions = new Map<string, number | undefined>()
  readonly keys: Bytes[] = []

  note(key: Bytes, version: number | undefined): void {
    const name = mapKey(key)
    if (!this.versions.has(name)) this.keys.push(key)
    this.versions.set(name, version)
  }

  /** Keys that have another version in a state; `versionOf` takes a mapKey. */
  changed(versionOf: (name: string) => number | undefined): Bytes[] {
    return this.keys.filter((key) => {
      const name = mapKey(key)
      return this.versions.get(name) !== versionOf(name)
    })
  }
}
