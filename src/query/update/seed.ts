// The document that an upsert's filter describes: its equalities, set at their paths in the order
// of the paths. Other conditions are ignored.

import { utf8 } from '../../base/bytes/bytes.js'
import { fail } from '../../base/errors.js'
import { bsonType, type Document, type Value } from '../../value/value.js'
import { DocumentWriter } from '../../value/writer.js'
import type { FilterNode } from '../filter/node.js'
import { Branch } from './branch.js'

/** The equalities of the filter as a document. Throws NotSingleValueField if two collide. */
export function seedOf(tree: FilterNode): Document {
  const equalities = new Map<string, Value>()
  collect(tree, equalities)
  const root = Branch.empty()
  const paths = [...equalities.keys()].sort((a, b) => Buffer.compare(utf8(a), utf8(b)))
  for (const path of paths) {
    const value = equalities.get(path)
    if (value !== undefined) plant(root, path.split('.'), value)
  }
  return root.toDocument()
}

/** The `_id` in the filter's equalities, if there is one. */
export function seedIdOf(tree: FilterNode): Document {
  const equalities = new Map<string, Value>()
  collect(tree, equalities)
  const id = equalities.get('_id')
  const writer = new DocumentWriter()
  return (id === undefined ? writer : writer.value('_id', id)).finish()
}

function collect(node: FilterNode, equalities: Map<string, Value>): void {
  if (node.op === 'and') for (const child of node.children) collect(child, equalities)
  if (node.op !== 'eq' || node.value.type === bsonType.regex) return
  const path = node.path.text
  for (const other of equalities.keys()) requireApart(path, other)
  equalities.set(path, node.value)
}

function requireApart(path: string, other: string): void {
  if (path === other) {
    const text = `cannot infer query fields to set, path '${path}' is matched twice`
    throw fail('NotSingleValueField', text)
  }
  const isAbove = path.startsWith(`${other}.`)
  if (!isAbove && !other.startsWith(`${path}.`)) return
  const [longer, shorter] = isAbove ? [path, other] : [other, path]
  const text = `both paths '${longer}' and '${shorter}' are matched`
  throw fail('NotSingleValueField', `cannot infer query fields to set, ${text}`)
}

function plant(root: Branch, parts: readonly string[], value: Value): void {
  let holder = root
  const branches = [root]
  for (const part of parts.slice(0, -1)) {
    if (holder.find(utf8(part)) === undefined) holder.append(part, Branch.empty().toValue())
    const entry = holder.find(utf8(part))
    if (entry === undefined) return
    holder = entry.open()
    branches.push(holder)
  }
  holder.append(parts.at(-1) ?? '', value)
  for (const branch of branches) branch.isChanged = true
}
