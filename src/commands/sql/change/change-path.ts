// Writes values into a document at the columns and paths of a statement. INSERT builds new
// documents with it, UPDATE changes stored ones. Everything else is copied.

import { type Bytes, utf8 } from '../../../base/bytes/bytes.js'
import { fail, type GatewayError } from '../../../base/errors.js'
import { arrayBackfillMax, documentDepthMax } from '../../../base/limits/documents.js'
import { work } from '../../../base/work/work-budget.js'
import { elementUnits } from '../../../base/work/work-figures.js'
import type { PathPart, Target } from '../../../protocol/sql/ast.js'
import { tooDeep } from '../../../query/update/apply.js'
import { Elements } from '../../../value/elements.js'
import { bsonType, type Document, nullValue, type Value } from '../../../value/value.js'
import { DocumentWriter } from '../../../value/writer.js'

/** Values by target; undefined means DEFAULT, which writes no field. */
export type Given = readonly (Value | undefined)[]

type Node = Leaf | Branch

interface Leaf {
  /** Index of the target. */
  readonly at: number
}

interface Child {
  readonly name: string
  readonly bytes: Bytes
  readonly node: Node
}

interface Branch {
  readonly children: Map<string, Node>
  readonly list: Child[]
  /** Whether its children are places of an array. */
  readonly isArray: boolean
}

export class PathTree {
  private readonly root = newBranch(false)

  /**
   * `clash` creates the error for a target that is assigned twice. Throws BadValue (42602) for a
   * name that begins with a dollar, Overflow for a path that is too deep.
   */
  constructor(targets: readonly Target[], clash: (target: Target) => GatewayError) {
    for (const [at, target] of targets.entries()) this.add(target, at, clash)
  }

  /** The document with the values. Throws PathNotViable if a path leads through a scalar. */
  write(document: Document, given: Given): Document {
    const out = new DocumentWriter()
    writeObject(out, document, 0, this.root, given)
    return out.finish()
  }

  private add(target: Target, at: number, clash: (target: Target) => GatewayError): void {
    const { path } = target
    if (path.length > documentDepthMax) throw tooDeep()
    let branch = this.root
    for (const [level, part] of path.entries()) {
      requireName(part)
      const name = String(part)
      const known = branch.children.get(name)
      if (level === path.length - 1) {
        if (known !== undefined) throw clash(target)
        addTo(branch, name, { at })
        return
      }
      branch = deeper(branch, name, typeof path[level + 1] === 'number', () => clash(target))
    }
  }
}

function newBranch(isArray: boolean): Branch {
  return { children: new Map(), list: [], isArray }
}

function addTo(branch: Branch, name: string, node: Node): void {
  branch.children.set(name, node)
  branch.list.push({ name, bytes: utf8(name), node })
}

function deeper(branch: Branch, name: string, isArray: boolean, clash: () => Error): Branch {
  const known = branch.children.get(name)
  if (known !== undefined) {
    if ('at' in known || known.isArray !== isArray) throw clash()
    return known
  }
  const made = newBranch(isArray)
  addTo(branch, name, made)
  return made
}

function requireName(part: PathPart): void {
  if (typeof part === 'number' || !part.startsWith('$')) return
  throw fail('BadValue', `a field must not be called "${part}"`, { sqlState: '42602' })
}

/** So few names are compared with each field of a document, instead of looked up. */
const comparedMax = 8
/** Work units of a field whose name is looked up: 0.2 µs. */
const lookedUpUnits = 2

/** Fields that stay are copied together: a document may have hundreds of thousands. */
function writeObject(
  out: DocumentWriter,
  bytes: Bytes,
  start: number,
  branch: Branch,
  given: Given,
): void {
  const { list } = branch
  const written = new Set<Node>()
  const elements = new Elements(bytes, start)
  let from = elements.valueEnd
  let fields = 0
  let stay = 0
  for (; elements.next(); fields++) {
    const child = childAt(branch, elements)
    if (child === undefined || written.has(child.node)) {
      stay++
      continue
    }
    out.elements(bytes, from, elements.start, stay)
    from = elements.valueEnd
    stay = 0
    written.add(child.node)
    writeNode(out, child.name, child.node, elements.value(), given)
  }
  out.elements(bytes, from, elements.valueEnd, stay)
  work.spend(
    fields * (list.length > comparedMax ? lookedUpUnits : (1 + list.length) * elementUnits),
  )
  for (const { name, node } of list) {
    if (!written.has(node)) writeNode(out, name, node, undefined, given)
  }
}

function childAt({ children, list }: Branch, elements: Elements): Omit<Child, 'bytes'> | undefined {
  if (list.length <= comparedMax) {
    for (const child of list) if (elements.nameIs(child.bytes)) return child
    return undefined
  }
  const name = elements.name()
  const node = children.get(name)
  return node && { name, node }
}

function writeNode(
  out: DocumentWriter,
  name: string,
  node: Node,
  before: Value | undefined,
  given: Given,
): void {
  if ('at' in node) {
    const value = given[node.at]
    if (value !== undefined) out.value(name, value)
    return
  }
  if (!givesAny(node, given)) {
    if (before !== undefined) out.value(name, before)
    return
  }
  const isMissing = before === undefined || before.isNullish
  const type = node.isArray ? bsonType.array : bsonType.object
  if (!isMissing && before.type !== type) {
    const what = node.isArray ? 'array' : 'object'
    const text = `cannot write into "${name}": it holds a value that is no ${what}`
    throw fail('PathNotViable', text, { sqlState: '22023' })
  }
  const { bytes, start } = isMissing ? emptyPlace : before
  if (node.isArray) {
    out.openArray(name)
    writeArray(out, bytes, start, node, given)
  } else {
    out.openDocument(name)
    writeObject(out, bytes, start, node, given)
  }
  out.close()
}

const emptyPlace = { bytes: Uint8Array.of(5, 0, 0, 0, 0), start: 0 }

function writeArray(
  out: DocumentWriter,
  bytes: Bytes,
  start: number,
  { children }: Branch,
  given: Given,
): void {
  const places = [...children.keys()].map(Number)
  const last = places.reduce((most, place) => Math.max(most, place), 0)
  const elements = new Elements(bytes, start)
  let at = 0
  for (; elements.next(); at++) {
    writePlace(out, at, children.get(String(at)), elements.value(), given)
  }
  if (last - at > arrayBackfillMax) {
    const text = `can't backfill more than ${arrayBackfillMax} elements`
    throw fail('CannotBackfillArray', text, { sqlState: '54000' })
  }
  for (; at <= last; at++) {
    writePlace(out, at, children.get(String(at)), nullValue, given)
  }
}

/** DEFAULT in an array writes null, because a place cannot be omitted. */
function writePlace(
  out: DocumentWriter,
  at: number,
  node: Node | undefined,
  before: Value,
  given: Given,
): void {
  const name = String(at)
  if (node === undefined) out.value(name, before)
  else if ('at' in node) out.value(name, given[node.at] ?? nullValue)
  else writeNode(out, name, node, before, given)
}

/** Whether any value below the node is not DEFAULT. */
function givesAny(node: Node, given: Given): boolean {
  if ('at' in node) return given[node.at] !== undefined
  for (const child of node.children.values()) if (givesAny(child, given)) return true
  return false
}
