// A map by text for very many entries. A JavaScript Map copies itself whenever it doubles, which
// takes 40 ms at half a million entries. Here later entries are in parts that double one by one.

const firstMax = 32_768
const partCount = 64
/** Characters hashed from the end of a key: numbered names differ there. */
const hashedCharsMax = 32
const noEntries: readonly never[] = []

export class GrowingMap<V extends {}> {
  private readonly first = new Map<string, V>()
  private parts: Map<string, V>[] | undefined
  private furtherSize = 0

  constructor(entries: readonly (readonly [string, V])[] = noEntries) {
    for (let i = 0; i < entries.length; i++) {
      const [key, value] = entries[i] as readonly [string, V]
      this.set(key, value)
    }
  }

  get size(): number {
    return this.first.size + this.furtherSize
  }

  get(key: string): V | undefined {
    return this.first.get(key) ?? this.parts?.[partOf(key)]?.get(key)
  }

  has(key: string): boolean {
    return this.get(key) !== undefined
  }

  /** Returns whether the key is new. */
  set(key: string, value: V): boolean {
    const { first } = this
    if ((this.parts === undefined && first.size < firstMax) || first.has(key)) {
      const { size } = first
      first.set(key, value)
      return first.size > size
    }
    this.parts ??= Array.from({ length: partCount }, () => new Map<string, V>())
    const part = this.parts[partOf(key)] as Map<string, V>
    const { size } = part
    part.set(key, value)
    this.furtherSize += part.size - size
    return part.size > size
  }

  someKey(test: (key: string) => boolean): boolean {
    for (const part of [this.first, ...(this.parts ?? [])]) {
      for (const key of part.keys()) if (test(key)) return true
    }
    return false
  }

  /** Returns whether the key existed. */
  delete(key: string): boolean {
    if (this.first.delete(key)) return true
    const wasThere = this.parts?.[partOf(key)]?.delete(key) === true
    if (wasThere) this.furtherSize--
    return wasThere
  }
}

function partOf(key: string): number {
  let hash = key.length
  for (let i = Math.max(0, key.length - hashedCharsMax); i < key.length; i++) {
    hash = (Math.imul(hash, 31) + key.charCodeAt(i)) | 0
  }
  return (hash ^ (hash >>> 13)) & (partCount - 1)
}
