// The entries of a document in a wildcard index: a pair of path and value for each leaf. Arrays on
// a path are entered once, a nested array is a value, and empty values have an entry. Of two fields
// with one name only the first counts; names with a dot are ignored.

import { fail } from '../../base/errors.js'
import { wildcardEntriesMax } from '../../base/limits/documents.js'
import { Elements } from '../../value/elements.js'
import { bsonType, type Document, undefinedValue, Value } from '../../value/value.js'
import { writeDocument } from '../../value/writer.js'
import type { Wildcard } from '../types.js'
import { holdsScalars, isAbove, shareOf } from './wildcard-paths.js'

interface Leaf {
  readonly path: string
  readonly value: Value
}

interface Leaves {
  readonly leaves: readonly Leaf[]
  /** Paths with an array. */
  readonly arrayPaths: readonly string[]
}

const empty = writeDocument(() => {})
const emptyObject = new Value(bsonType.object, empty, 0, empty.length)

/** The leaves of a document; only those of a scan's path if `wildcard` has one. */
export function leavesOf(wildcard: Wildcard, document: Document): Leaves {
  const walk = new LeafWalk(wildcard)
  walk.object(document, 0, '', 'some')
  return { leaves: walk.leaves, arrayPaths: [...walk.arrayPaths] }
}

/** Throws CannotBuildIndexKeys if a document has too many entries, as on MongoDB. */
export function requireEntries(count: number): void {
  if (count <= wildcardEntriesMax) return
  throw fail(
    'CannotBuildIndexKeys',
    `Index key generation exceeded limit of ${wildcardEntriesMax} keys per document`,
  )
}

type Share = 'all' | 'some'

class LeafWalk {
  readonly leaves: Leaf[] = []
  readonly arrayPaths = new Set<string>()

  constructor(private readonly wildcard: Wildcard) {}

  /** `share` applies to the object's own path. */
  object(bytes: Uint8Array, start: number, path: string, share: Share): void {
    const seen = new Set<string>()
    const elements = new Elements(bytes, start)
    while (elements.next()) {
      const name = elements.name()
      if (name.includes('.') || seen.has(name)) continue
      seen.add(name)
      this.field(path === '' ? name : `${path}.${name}`, elements.value(), share)
    }
  }

  private field(path: string, value: Value, above: Share): void {
    const share = above === 'all' ? 'all' : shareOf(this.wildcard.holds, path)
    if (share === 'none' || !this.isAsked(path)) return
    if (value.type === bsonType.array) this.array(path, value, share)
    else this.single(path, value, share)
  }

  private array(path: string, array: Value, share: Share): void {
    this.arrayPaths.add(path)
    const elements = new Elements(array.bytes, array.start)
    let isEmpty = true
    while (elements.next()) {
      isEmpty = false
      this.single(path, elements.value(), share)
    }
    if (isEmpty) this.add(path, undefinedValue, share)
  }

  /** Adds a value that is not entered as an array. */
  private single(path: string, value: Value, share: Share): void {
    if (value.type !== bsonType.object) {
      this.add(path, value, share)
      return
    }
    const before = this.leaves.length
    this.object(value.bytes, value.start, path, share)
    // An object without leaves still exists, so it has an entry.
    if (this.leaves.length === before && share === 'all') this.add(path, emptyObject, share)
  }

  private add(path: string, value: Value, share: Share): void {
    if (share === 'some' && !holdsScalars(this.wildcard.holds, path)) return
    this.leaves.push({ path, value })
    requireEntries(this.leaves.length)
  }

  /** Whether a path equals, contains or is below the path of a scan. */
  private isAsked(path: string): boolean {
    const asked = this.wildcard.scan?.path
    return asked === undefined || isAbove(path, asked) || isAbove(asked, path)
  }
}
