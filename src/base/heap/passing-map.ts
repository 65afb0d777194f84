// A map of values that come and go while others are there, such as the commands that run. When a
// Map of V8 moves its entries to another table, the old table keeps what it held, and leads to the
// new one. Once one of them is in the old space, all that any of them held stays until the next
// major collection: a quarter of what commands made, where they wait for a store. So each value
// hangs on an entry, which is emptied when the value goes.

interface PassingEntry<V> {
  value: V | undefined
}

export class PassingMap<K, V extends object> {
  private readonly entries = new Map<K, PassingEntry<V>>()

  get size(): number {
    return this.entries.size
  }

  set(key: K, value: V): void {
    const entry = this.entries.get(key)
    if (entry === undefined) this.entries.set(key, { value })
    else entry.value = value
  }

  delete(key: K): void {
    const entry = this.entries.get(key)
    if (entry === undefined) return
    entry.value = undefined
    this.entries.delete(key)
  }

  *values(): IterableIterator<V> {
    for (const { value } of this.entries.values()) if (value !== undefined) yield value
  }
}
