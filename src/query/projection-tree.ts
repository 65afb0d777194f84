// The tree of a projection: names with leaves (include, exclude, compute) or more names. find,
// $project, $addFields and $unset accept different specifications but apply trees in the same way.
// Unchanged elements are copied as byte ranges.

import { type Bytes, shortUtf8 } from '../base/bytes/bytes.js'
import { fail } from '../base/errors.js'
import { work } from '../base/work/work-budget.js'
import { elementUnits, projectedFieldUnits } from '../base/work/work-figures.js'
import { Elements, longNames } from '../value/elements.js'
import { bsonType, type Document, type Value } from '../value/value.js'
import { DocumentWriter } from '../value/writer.js'
import { type Env, type Expression, requireRoom, spendOnCopy } from './expressions/operator.js'

export type ProjectionLeaf =
  | { readonly kind: 'include' }
  | { readonly kind: 'exclude' }
  /** A new value: it replaces a kept old value, else it goes after all others. */
  | { readonly kind: 'computed'; readonly expression: Expression }
  /** Transforms the existing value in its place. */
  | { readonly kind: 'transform'; readonly transform: (value: Value, env: Env) => Value }

/** An inclusion keeps only listed fields; an exclusion (and $addFields) keeps all others. */
export type ProjectionKind = 'inclusion' | 'exclusion'

interface Child {
  readonly name: string
  readonly nameBytes: Bytes
  readonly node: ProjectionNode | ProjectionLeaf
}

/** With more children than this, a map is used. */
const linearChildrenMax = 8
/** Work units of an array's element that is written anew: 0.4 µs. */
const rewrittenUnits = 4
/** The same of each further field that is made in one object: 0.2 µs. */
const furtherUnits = 2
/** The caller's cost includes this many elements. */
const fewElements = 16
const none: ReadonlySet<Child> = new Set()

export class ProjectionNode {
  readonly children: Child[] = []
  private readonly byName = new Map<string, Child>()
  /** Bytes of the longest name. */
  private longest = 0
  private computedBelow = false

  get hasComputed(): boolean {
    return this.computedBelow
  }

  child(name: string): ProjectionNode | ProjectionLeaf | undefined {
    return this.byName.get(name)?.node
  }

  /** Adds a leaf at a dotted path. Throws 31250 if the path is taken, 31249 below a leaf. */
  add(path: string, leaf: ProjectionLeaf): void {
    const parts = path.split('.')
    let node: ProjectionNode = this
    for (const [i, part] of parts.entries()) {
      if (leaf.kind === 'computed') node.computedBelow = true
      const found = node.child(part)
      if (i === parts.length - 1) {
        if (found !== undefined) throw fail('Location31250', `Path collision at ${path}`)
        node.put(part, leaf)
      } else if (found === undefined) {
        const made = new ProjectionNode()
        node.put(part, made)
        node = made
      } else if (found instanceof ProjectionNode) node = found
      else {
        const rest = parts.slice(1).join('.')
        throw fail('Location31249', `Path collision at ${path} remaining portion ${rest}`)
      }
    }
  }

  /** Removes a direct child. */
  remove(name: string): void {
    const child = this.byName.get(name)
    if (child === undefined) return
    this.byName.delete(name)
    this.children.splice(this.children.indexOf(child), 1)
  }

  /** The child for the current element of `elements`. */
  find(elements: Elements): Child | undefined {
    const { children } = this
    if (children.length > linearChildrenMax) {
      const isLonger = elements.nameEnd - elements.nameStart > this.longest
      return isLonger ? undefined : this.byName.get(elements.name())
    }
    for (let i = 0; i < children.length; i++) {
      const child = children[i] as Child
      if (elements.nameIs(child.nameBytes)) return child
    }
    return undefined
  }

  private put(name: string, node: ProjectionNode | ProjectionLeaf): void {
    work.spend(projectedFieldUnits + longNames(name.length))
    const child = { name, nameBytes: shortUtf8(name), node }
    this.longest = Math.max(this.longest, child.nameBytes.length)
    this.children.push(child)
    this.byName.set(name, child)
  }
}

/** A tree with its kind: `new ProjectionTree('exclusion', node).apply(document, env)`. */
export class ProjectionTree {
  /** Values that were computed for the document. */
  private computed = 0

  constructor(
    readonly kind: ProjectionKind,
    readonly root: ProjectionNode,
  ) {}

  /** Whether every document stays unchanged. */
  get keepsAll(): boolean {
    return this.kind === 'exclusion' && this.root.children.length === 0
  }

  /** Projects a document. Computed leaves see `env.root`, normally the same document. */
  apply(document: Document, env: Env): Document {
    const writer = new DocumentWriter()
    this.computed = 0
    this.fields(this.root, document, 0, writer, env)
    return writer.finish()
  }

  private fields(
    node: ProjectionNode,
    bytes: Bytes,
    start: number,
    writer: DocumentWriter,
    env: Env,
  ): void {
    const isInclusion = this.kind === 'inclusion'
    const placed = node.hasComputed ? new Set<Child>() : undefined
    const elements = new Elements(bytes, start)
    // Adjacent kept elements are copied together: [from, to) is the range not yet written.
    let from = 0
    let to = 0
    for (let passed = 1; elements.next(); passed++) {
      if (passed > fewElements) work.spend(elementUnits)
      const child = node.find(elements)
      const keeps =
        child === undefined
          ? !isInclusion
          : !(child.node instanceof ProjectionNode) && child.node.kind === 'include'
      if (keeps) {
        if (to !== elements.start) {
          if (to > from) writer.element(bytes, from, to)
          from = elements.start
        }
        to = elements.valueEnd
        continue
      }
      if (to > from) writer.element(bytes, from, to)
      from = to
      if (child !== undefined) this.field(child, elements, writer, env, placed)
    }
    if (to > from) writer.element(bytes, from, to)
    if (placed !== undefined) this.append(node, writer, env, placed)
  }

  /** An element whose child is not a plain inclusion. */
  private field(
    child: Child,
    elements: Elements,
    writer: DocumentWriter,
    env: Env,
    placed: Set<Child> | undefined,
  ): void {
    const { node, name } = child
    if (node instanceof ProjectionNode) {
      if (this.below(node, name, elements.value(), writer, env)) placed?.add(child)
    } else if (node.kind === 'transform') {
      writer.value(name, node.transform(elements.value(), env))
    } else if (node.kind === 'computed' && this.kind === 'exclusion') {
      // A repeated field name is computed once, at the first position.
      if (placed?.has(child) === true) return
      placed?.add(child)
      this.compute(name, node.expression, writer, env)
    }
  }

  /** Each element of an array may get the value anew: copies count from the second one on. */
  private compute(name: string, expression: Expression, writer: DocumentWriter, env: Env): void {
    const value = expression.evaluate(env)
    if (value === undefined) return
    if (this.computed++ > 0) {
      spendOnCopy(value)
      requireRoom(writer.length + value.end - value.start)
    }
    writer.value(name, value)
  }

  /** Writes what a subtree keeps of a value; false if an inclusion keeps nothing. */
  private below(
    node: ProjectionNode,
    name: string,
    value: Value,
    writer: DocumentWriter,
    env: Env,
  ): boolean {
    if (value.type === bsonType.object) {
      writer.openDocument(name)
      this.fields(node, value.bytes, value.start, writer, env)
      writer.close()
      return true
    }
    if (value.type === bsonType.array) {
      writer.openArray(name)
      const elements = new Elements(value.bytes, value.start)
      while (elements.next()) {
        work.spend(rewrittenUnits)
        this.below(node, String(writer.size), elements.value(), writer, env)
      }
      writer.close()
      return true
    }
    if (this.kind === 'inclusion') return false
    if (node.hasComputed) this.computedOnly(node, name, writer, env)
    else writer.value(name, value)
    return true
  }

  /** Writes computed children that were not written yet, in order of the specification. */
  private append(
    node: ProjectionNode,
    writer: DocumentWriter,
    env: Env,
    placed: ReadonlySet<Child>,
  ): void {
    let made = 0
    for (const child of node.children) {
      if (placed.has(child)) continue
      if (made++ > 0) work.spend(furtherUnits)
      if (child.node instanceof ProjectionNode) {
        if (child.node.hasComputed) this.computedOnly(child.node, child.name, writer, env)
      } else if (child.node.kind === 'computed') {
        this.compute(child.name, child.node.expression, writer, env)
      }
    }
  }

  /** The object of computed leaves below a missing field. */
  private computedOnly(node: ProjectionNode, name: string, writer: DocumentWriter, env: Env): void {
    writer.openDocument(name)
    this.append(node, writer, env, none)
    writer.close()
  }
}
