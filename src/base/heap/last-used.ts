// LRU tables bounded by number. The library allocates all of such a table at once, 3 MB for 100,000
// entries. With a bound by size it allocates as entries come.

import { LRUCache } from 'lru-cache'

export function lastUsed<K extends {}, V extends {}>(max: number): LRUCache<K, V> {
  return new LRUCache({ maxSize: max, sizeCalculation: () => 1 })
}
