// Follows the paths of an update in a document and applies each action. Missing parents become
// objects, array positions are filled with null, and impossible paths are refused.

import { fail, type GatewayError } from '../../base/errors.js'
import {
  arrayBackfillMax,
  documentBytesMax,
  documentDepthMax,
} from '../../base/limits/documents.js'
import { work } from '../../base/work/work-budget.js'
import { elementUnits, madeUnits, valueUnits } from '../../base/work/work-figures.js'
import { equalValues, sameBytes } from '../../value/compare.js'
import { Elements, idName } from '../../value/elements.js'
import { shellText } from '../../value/shell.js'
import { bsonType, nullValue, type Value } from '../../value/value.js'
import type { Action, Place } from './action.js'
import { Branch, type Entry } from './branch.js'
import { type PathChild, PathNode, positionStep, type Step } from './path-tree.js'

export interface ApplyOptions {
  readonly matchedIndex: number | undefined
  readonly isInsert: boolean
}

/** Applies every action of the tree to the document of `root`. */
export function applyTree(tree: PathNode, root: Branch, options: ApplyOptions): void {
  new Application(root, options).object(tree, root, '', undefined)
}

class Application {
  /** Bytes of the values set so far, all of which are in the result. */
  private putBytes = 0
  private measured: { readonly value: Value; readonly levels: number } | undefined

  constructor(
    private readonly root: Branch,
    private readonly options: ApplyOptions,
  ) {}

  /** `holder` is the object at `path`; `entry` is its element, undefined for the document. */
  object(node: PathNode, holder: Branch, path: string, entry: Entry | undefined): void {
    const children = holder.isArray ? this.settled(node.children) : node.children
    const [first] = children
    if (first?.step.kind === 'each') {
      if (!holder.isArray) throw notArray(entry)
      this.each(children, holder, path)
      return
    }
    for (const { step, node: child } of children) {
      this.child(child, this.named(step), holder, path, entry)
    }
  }

  /** Replaces `$` by its position, merged with other paths to that position. */
  private settled(children: readonly PathChild[]): readonly PathChild[] {
    const matched = children.find((child) => child.step.kind === 'matched')
    if (matched === undefined || children.length === 1) return children
    const step = this.named(matched.step)
    const twin = children.find((child) => child !== matched && child.step.text === step.text)
    if (twin === undefined) return children
    const node = PathNode.merge([twin.node, matched.node])
    return [...children.filter((child) => child !== matched && child !== twin), { step, node }]
  }

  private named(step: Step): Step & { kind: 'name' } {
    if (step.kind === 'name') return step
    const { matchedIndex } = this.options
    if (matchedIndex === undefined) {
      const text = 'The positional operator did not find the match needed from the query.'
      throw fail('BadValue', text)
    }
    return positionStep(matchedIndex) as Step & { kind: 'name' }
  }

  private each(children: readonly PathChild[], holder: Branch, path: string): void {
    const [only] = children
    if (children.length === 1 && only?.step.kind === 'each' && only.step.test === undefined) {
      for (const [i, entry] of holder.entries.entries()) {
        work.spend(valueUnits)
        this.found(only.node, entry, holder, below(path, String(i)))
      }
      return
    }
    // All tests run before any action, so that a change of one element cannot affect another's
    // test.
    const merged = new Map<string, PathNode>()
    const chosen = holder.entries.map((entry) => {
      work.spend(children.length * valueUnits)
      const nodes = children.filter(
        ({ step }) => step.kind === 'each' && (step.test?.(entry.value) ?? true),
      )
      return nodes.length > 1 ? mergedOnce(nodes, merged) : nodes[0]?.node
    })
    for (const [i, node] of chosen.entries()) {
      if (node === undefined) continue
      this.found(node, holder.entries[i] as Entry, holder, below(path, String(i)))
    }
  }

  private child(
    node: PathNode,
    step: Step & { kind: 'name' },
    holder: Branch,
    path: string,
    entry: Entry | undefined,
  ): void {
    if (holder.isArray && step.index < 0) {
      this.blocked(node, step, path, entry)
      return
    }
    const found = holder.isArray ? holder.entries[step.index] : holder.find(step.bytes)
    const here = below(path, step.text)
    if (found !== undefined) {
      this.found(node, found, holder, here)
      return
    }
    const value = this.missing(node, here)
    if (value === undefined) return
    if (holder.isArray) pad(holder, step.index)
    this.put(value)
    holder.append(step.text, value, step.bytes)
  }

  private found(node: PathNode, found: Entry, holder: Branch, path: string): void {
    const { action } = node
    if (action !== undefined) {
      if (this.isIdle(action)) return
      const current = found.value
      const value = action.apply(current, this.place(path))
      if (value === undefined) {
        const isGone = holder.isArray && current.type === bsonType.null
        if (!isGone) holder.remove(found)
      } else if (value !== current && !isSame(current, value, path)) {
        this.requireDepth(value, path)
        this.put(value)
        holder.replace(found, value)
      }
      return
    }
    const { type } = found
    if (type === bsonType.object || type === bsonType.array) {
      const branch = found.open()
      this.object(node, branch, path, found)
      if (branch.isChanged) holder.isChanged = true
      return
    }
    for (const { step, node: child } of node.children) {
      if (step.kind === 'each') throw notArray(found)
      this.blocked(child, this.named(step), path, found)
    }
  }

  /** Throws Overflow if a value at `path` makes the document too deep to be stored. */
  private requireDepth(value: Value, path: string): void {
    const isNested = value.type === bsonType.object || value.type === bsonType.array
    let depth = isNested ? this.levelsOf(value) + 1 : 1
    for (let at = path.indexOf('.'); at >= 0; at = path.indexOf('.', at + 1)) depth++
    if (depth > documentDepthMax) throw tooDeep()
  }

  /** Under `$[]` one operand is put into each element: it is measured once. */
  private levelsOf(value: Value): number {
    if (this.measured?.value !== value) this.measured = { value, levels: depthOf(value) }
    return this.measured.levels
  }

  /** A value under `$[]` appears once per element, so its size is checked before it is written. */
  private put(value: Value): void {
    this.putBytes += value.end - value.start
    if (this.putBytes > documentBytesMax) throw tooLarge()
  }

  /** The value that the actions below create at a missing path; undefined if none. */
  private missing(node: PathNode, path: string): Value | undefined {
    const { action } = node
    if (action !== undefined) {
      if (this.isIdle(action)) return undefined
      const value = action.apply(undefined, this.place(path))
      if (value !== undefined) this.requireDepth(value, path)
      return value
    }
    work.spend(madeUnits)
    const made = Branch.empty()
    for (const { step, node: child } of node.children) {
      if (step.kind === 'each') {
        const text = 'must exist in the document in order to apply array updates.'
        throw fail('BadValue', `The path '${path}' ${text}`)
      }
      const { text, bytes } = this.named(step)
      const value = this.missing(child, below(path, text))
      if (value !== undefined) made.append(text, value, bytes)
    }
    return made.isChanged ? made.toValue() : undefined
  }

  /** The path is impossible: it goes through a scalar, or by name into an array. */
  private blocked(
    node: PathNode,
    step: Step & { kind: 'name' },
    path: string,
    entry: Entry | undefined,
  ): void {
    const action = this.firstAction(node)
    if (action === undefined || action.ignoresBlocked === true) return
    const element = entry === undefined ? '{}' : `{${elementText(entry)}}`
    if (action.creates) {
      const text = `Cannot create field '${step.text}' in element ${element}`
      throw fail('PathNotViable', text)
    }
    const part = `Cannot use the part (${step.text}) of (${below(path, step.text)})`
    throw fail('PathNotViable', `${part} to traverse the element (${element})`)
  }

  private firstAction(node: PathNode): Action | undefined {
    if (node.action !== undefined) return this.isIdle(node.action) ? undefined : node.action
    for (const child of node.children) {
      const action = this.firstAction(child.node)
      if (action !== undefined && action.ignoresBlocked !== true) return action
    }
    return undefined
  }

  private isIdle(action: Action): boolean {
    return action.onInsertOnly === true && !this.options.isInsert
  }

  private place(path: string): Place {
    return { root: this.root, path, idText: () => idText(this.root) }
  }
}

/** Elements that pass the same tests share one merged subtree. */
function mergedOnce(children: readonly PathChild[], merged: Map<string, PathNode>): PathNode {
  work.spend(children.length * valueUnits)
  const name = children.map(({ step }) => step.text).join()
  const known = merged.get(name)
  if (known !== undefined) return known
  const node = PathNode.merge(children.map((child) => child.node))
  merged.set(name, node)
  return node
}

export function tooLarge(): GatewayError {
  const text = `Resulting document after update is larger than ${documentBytesMax}`
  return fail('Location17419', text)
}

function idText(root: Branch): string {
  const id = root.find(idName)
  return id === undefined ? 'no id' : elementText(id)
}

function elementText(entry: Entry): string {
  return `${entry.name}: ${shellText(entry.value)}`
}

function notArray(entry: Entry | undefined): GatewayError {
  const what = 'Cannot apply array updates to non-array element'
  return fail('BadValue', `${what} ${entry === undefined ? '' : elementText(entry)}`)
}

function below(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`
}

/** Equal bytes; for _id, an equal number of another type is no change either. */
function isSame(current: Value, value: Value, path: string): boolean {
  return path === '_id' ? equalValues(current, value) : sameBytes(current, value)
}

function pad(array: Branch, position: number): void {
  const missing = position - array.entries.length
  if (missing > arrayBackfillMax) {
    throw fail('CannotBackfillArray', `can't backfill more than ${arrayBackfillMax} elements`)
  }
  for (let i = 0; i < missing; i++) array.append(String(array.entries.length), nullValue)
}

export function tooDeep(): GatewayError {
  return fail('Overflow', `the document nests deeper than ${documentDepthMax} levels`)
}

/** Levels of objects and arrays, including the value's own. */
export function depthOf(value: Value): number {
  let deepest = 0
  const elements = new Elements(value.bytes, value.start)
  while (elements.next()) {
    work.spend(elementUnits)
    if (elements.type !== bsonType.object && elements.type !== bsonType.array) continue
    const depth = depthOf(elements.value())
    if (depth > deepest) deepest = depth
  }
  return deepest + 1
}
