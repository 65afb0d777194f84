// An ordered map of byte strings: a B+-tree with copy-on-write nodes. A node is copied before a
// change only if a snapshot shares it. So a snapshot is free to take, and old versions live exactly
// as long as their readers. Every operation is O(log n), a scan O(log n + results).

import type { Bytes } from '../../base/bytes/bytes.js'
import { assert } from '../../base/errors.js'
import type { KeyRange } from '../store.js'

/**
 * Entries of a leaf and children of a branch: small enough to splice, large enough for a flat tree.
 */
const fanout = 64
/** A node below this is joined with its neighbour if both fit one node. */
const sparse = fanout / 4

interface Leaf<V> {
  epoch: number
  readonly keys: Bytes[]
  readonly values: V[]
}

interface Branch<V> {
  epoch: number
  /** keys[i] is at most the first key below children[i]; keys[0] is never read. */
  readonly keys: Bytes[]
  readonly children: Node<V>[]
}

type Node<V> = Leaf<V> | Branch<V>

/** A snapshot of an OrderedMap, unaffected by later changes. */
export interface OrderedView<V> {
  get(key: Bytes): V | undefined
  /** Calls `visit` for each entry in order until it returns false. */
  scan(range: KeyRange, visit: (key: Bytes, value: V) => boolean): void
}

class View<V> implements OrderedView<V> {
  protected root: Node<V>

  constructor(root: Node<V>) {
    this.root = root
  }

  get(key: Bytes): V | undefined {
    let node = this.root
    while ('children' in node) node = childAt(node, childIndex(node, key))
    const index = lowerBound(node.keys, key)
    const found = node.keys[index]
    return found !== undefined && compareKeys(found, key) === 0 ? node.values[index] : undefined
  }

  scan(range: KeyRange, visit: (key: Bytes, value: V) => boolean): void {
    if (compareKeys(range.start, range.end) >= 0) return
    if (range.reverse === true) descend(this.root, range, visit)
    else ascend(this.root, range, visit)
  }
}

export class OrderedMap<V> extends View<V> {
  /** Nodes of an older epoch may be shared with a snapshot. */
  private epoch = 0
  size = 0

  constructor() {
    super({ epoch: 0, keys: [], values: [] })
  }

  snapshot(): OrderedView<V> {
    this.epoch++
    return new View(this.root)
  }

  /** Returns the previous value. The map keeps `key` itself, so the caller must not change it. */
  set(key: Bytes, value: V): V | undefined {
    const path = this.ownPath(key)
    const leaf = path.leaf
    const index = lowerBound(leaf.keys, key)
    const found = leaf.keys[index]
    if (found !== undefined && compareKeys(found, key) === 0) {
      const before = leaf.values[index]
      leaf.values[index] = value
      return before
    }
    leaf.keys.splice(index, 0, key)
    leaf.values.splice(index, 0, value)
    this.size++
    if (leaf.keys.length > fanout) this.split(path)
    return undefined
  }

  delete(key: Bytes): V | undefined {
    if (this.get(key) === undefined) return undefined
    const path = this.ownPath(key)
    const index = lowerBound(path.leaf.keys, key)
    const before = path.leaf.values[index]
    path.leaf.keys.splice(index, 1)
    path.leaf.values.splice(index, 1)
    this.size--
    if (path.leaf.keys.length < sparse) this.join(path)
    return before
  }

  /**
   * The path from the root to the leaf of `key`; every node on it is private to the current epoch.
   */
  private ownPath(key: Bytes): Path<V> {
    this.root = this.own(this.root)
    const branches: Branch<V>[] = []
    const indexes: number[] = []
    let node = this.root
    while ('children' in node) {
      const index = childIndex(node, key)
      const child = this.own(childAt(node, index))
      node.children[index] = child
      branches.push(node)
      indexes.push(index)
      node = child
    }
    return { leaf: node, branches, indexes }
  }

  private own(node: Node<V>): Node<V> {
    const { epoch } = this
    if (node.epoch === epoch) return node
    return 'children' in node
      ? { epoch, keys: node.keys.slice(), children: node.children.slice() }
      : { epoch, keys: node.keys.slice(), values: node.values.slice() }
  }

  private split(path: Path<V>): void {
    let node: Node<V> = path.leaf
    for (let depth = path.branches.length; ; depth--) {
      const right = this.upperHalf(node)
      const first = right.keys[0]
      assert(first !== undefined, 'a split leaves no node empty')
      const parent = path.branches[depth - 1]
      if (parent === undefined) {
        this.root = { epoch: this.epoch, keys: [first, first], children: [node, right] }
        return
      }
      const index = (path.indexes[depth - 1] ?? 0) + 1
      parent.keys.splice(index, 0, first)
      parent.children.splice(index, 0, right)
      if (parent.children.length <= fanout) return
      node = parent
    }
  }

  private upperHalf(node: Node<V>): Node<V> {
    const middle = node.keys.length >>> 1
    const keys = node.keys.splice(middle)
    return 'children' in node
      ? { epoch: this.epoch, keys, children: node.children.splice(middle) }
      : { epoch: this.epoch, keys, values: node.values.splice(middle) }
  }

  /** From the leaf up: a sparse node shares entries with its neighbour or merges with it. */
  private join(path: Path<V>): void {
    for (let depth = path.branches.length - 1; depth >= 0; depth--) {
      const parent = path.branches[depth] as Branch<V>
      const index = path.indexes[depth] ?? 0
      this.share(parent, index > 0 ? index - 1 : 0)
      if (parent.children.length >= sparse) return
    }
    if ('children' in this.root && this.root.children.length === 1) {
      this.root = childAt(this.root, 0)
    }
  }

  /** Children `left` and `left + 1` of a branch: one node if they fit, else two equal halves. */
  private share(parent: Branch<V>, left: number): void {
    const into = this.own(childAt(parent, left))
    const right = childAt(parent, left + 1)
    const separator = parent.keys[left + 1] as Bytes
    if ('children' in into && 'children' in right) {
      into.keys.push(separator, ...right.keys.slice(1))
      into.children.push(...right.children)
    } else if (!('children' in into || 'children' in right)) {
      into.keys.push(...right.keys)
      into.values.push(...right.values)
    }
    parent.children[left] = into
    if (into.keys.length <= fanout) {
      parent.keys.splice(left + 1, 1)
      parent.children.splice(left + 1, 1)
    } else {
      const half = this.upperHalf(into)
      parent.keys[left + 1] = half.keys[0] as Bytes
      parent.children[left + 1] = half
    }
  }
}

interface Path<V> {
  readonly leaf: Leaf<V>
  readonly branches: readonly Branch<V>[]
  /** indexes[i] is the child of branches[i] that the path takes. */
  readonly indexes: readonly number[]
}

/** Byte order; for short keys a loop is faster than a native call. */
export function compareKeys(a: Bytes, b: Bytes): number {
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) {
    const difference = (a[i] as number) - (b[i] as number)
    if (difference !== 0) return difference
  }
  return a.length - b.length
}

/** The index of the first key >= `key`. */
function lowerBound(keys: readonly Bytes[], key: Bytes): number {
  let low = 0
  let high = keys.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (compareKeys(keys[middle] as Bytes, key) < 0) low = middle + 1
    else high = middle
  }
  return low
}

function childAt<V>(branch: Branch<V>, index: number): Node<V> {
  return branch.children[index] as Node<V>
}

/** The child whose range holds `key`. */
function childIndex<V>(branch: Branch<V>, key: Bytes): number {
  let low = 1
  let high = branch.keys.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (compareKeys(branch.keys[middle] as Bytes, key) <= 0) low = middle + 1
    else high = middle
  }
  return low - 1
}

type Visit<V> = (key: Bytes, value: V) => boolean

/** Both return false when the visitor stops or the range ends. */
function ascend<V>(node: Node<V>, range: KeyRange, visit: Visit<V>): boolean {
  if ('children' in node) {
    for (let i = childIndex(node, range.start); i < node.children.length; i++) {
      if (!ascend(childAt(node, i), range, visit)) return false
    }
    return true
  }
  for (let i = lowerBound(node.keys, range.start); i < node.keys.length; i++) {
    const key = node.keys[i] as Bytes
    if (compareKeys(key, range.end) >= 0) return false
    if (!visit(key, node.values[i] as V)) return false
  }
  return true
}

function descend<V>(node: Node<V>, range: KeyRange, visit: Visit<V>): boolean {
  if ('children' in node) {
    for (let i = childIndex(node, range.end); i >= 0; i--) {
      if (!descend(childAt(node, i), range, visit)) return false
    }
    return true
  }
  for (let i = lowerBound(node.keys, range.end) - 1; i >= 0; i--) {
    const key = node.keys[i] as Bytes
    if (compareKeys(key, range.start) < 0) return false
    if (!visit(key, node.values[i] as V)) return false
  }
  return true
}
