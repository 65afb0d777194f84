// Writes values into a document at the columns and paths of a statement. INSERT builds new
// documents with it, UPDATE changes stored ones. Everything else is copied.

import type { Bytes } from '../../../base/bytes/bytes.js'
import { fail, type GatewayError } from '../../../base/errors.js'
import { arrayBackfillMax, documentDepthMax } from '../../../base/limits/documents.js'
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

interface Branch {
  readonly children: Map<string, Node>
  /** Whether its children are places of an array. */
  readonly isArray: boolean
}

export class PathTree {
  private readonly root: Branch = { children: new Map(), isArray: false }

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
        branch.children.set(name, { at })
        return
      }
      branch = deeper(branch, name, typeof path[level + 1] === 'number', () => clash(target))
    }
  }
}

function deeper(branch: Branch, name: string, isArray: boolean, clash: () => Error): Branch {
  const known = branch.children.get(name)
  if (known !== undefined) {
    if ('at' in known || known.isArray !== isArray) throw clash()
    return known
  }
  const made: Branch = { children: new Map(), isArray }
  branch.children.set(name, made)
  return made
}

function requireName(part: PathPart): void {
  if (typeof part === 'number' || !part.startsWith('$')) return
  throw fail('BadValue', `a field must not be called "${part}"`, { sqlState: '42602' })
}

function writeObject(
  out: DocumentWriter,
  bytes: Bytes,
  start: number,
  { children }: Branch,
  given: Given,
): void {
  const written = new Set<string>()
  const elements = new Elements(bytes, start)
  while (elements.next()) {
    const name = elements.name()
    const node = written.has(name) ? undefined : children.get(name)
    if (node === undefined) out.element(bytes, elements.start, elements.valueEnd)
    else {
      written.add(name)
      writeNode(out, name, node, elements.value(), given)
    }
  }
  for (const [name, node] of children) {
    if (!written.has(name)) writeNode(out, name, node, undefined, given)
  }
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
