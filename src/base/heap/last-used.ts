// Tables of what was used last, bounded by number. The library takes all of the memory of such a
// table when it is made, 3 MB for 100,000 entries; bounded by size, it takes it as they come.

import { LRUCache } from 'lru-cache'

export function lastUsed<K extends {}, V extends {}>(max: number): LRUCache<K, V> {
  return new LRUCache({ maxSize: max, sizeCalculation: () => 1 })
}
