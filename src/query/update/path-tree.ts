// The paths of an update as a tree. It detects equal and nested paths, which are refused, and gives
// the order of application: by name, numbers by value.

import { type Bytes, compareBytes, utf8 } from '../../base/bytes/bytes.js'
import { fail } from '../../base/errors.js'
import { work } from '../../base/work/work-budget.js'
import { compareUnits, mergedPathUnits } from '../../base/work/work-figures.js'
import type { ValueTest } from '../filter/node.js'
import type { Action } from './action.js'

/** A step of an update path. */
export type Step =
  | { readonly kind: 'name'; readonly text: string; readonly bytes: Bytes; readonly index: number }
  /** `$`: the element that the filter matched. */
  | { readonly kind: 'matched'; readonly text: '$' }
  /** `$[]` and `$[id]`: every element that passes the test. */
  | { readonly kind: 'each'; readonly text: string; readonly test: ValueTest | undefined }

/** Tests of arrayFilters by identifier. */
export type ArrayFilters = ReadonlyMap<string, ValueTest>

/** The parts of a path, before its operator is known. Throws EmptyFieldName. */
export function requireUpdatable(path: string): readonly string[] {
  if (path === '') throw fail('EmptyFieldName', 'An empty update path is not valid.')
  if (!path.includes('.')) return [path]
  const parts = path.split('.')
  if (!parts.includes('')) return parts
  const text = `The update path '${path}' contains an empty field name, which is not allowed.`
  throw fail('EmptyFieldName', text)
}

/** Splits and checks a path. Throws 56 (empty names), 2 (positional mistakes). */
export function parseUpdatePath(
  path: string,
  filters: ArrayFilters,
  used: Set<string>,
): readonly Step[] {
  const parts = requireUpdatable(path)
  if (path.includes('$') && parts.filter((part) => part === '$').length > 1) {
    const text = `Too many positional (i.e. '$') elements found in path '${path}'`
    throw fail('BadValue', text)
  }
  return parts.map((part, i) => stepOf(part, i, path, filters, used))
}

function stepOf(
  part: string,
  at: number,
  path: string,
  filters: ArrayFilters,
  used: Set<string>,
): Step {
  if (!part.startsWith('$')) return nameStep(part)
  if (part === '$') {
    if (at === 0) {
      const what = "Cannot have positional (i.e. '$') element in the first position in path"
      throw fail('BadValue', `${what} '${path}'`)
    }
    return { kind: 'matched', text: '$' }
  }
  const identifier = /^\$\[(.*)\]$/.exec(part)?.[1]
  // Other names with a dollar are names of fields, as documents may have them.
  if (identifier === undefined) return nameStep(part)
  if (at === 0) {
    const what =
      "Cannot have array filter identifier (i.e. '$[<id>]') element in the first position in path"
    throw fail('BadValue', `${what} '${path}'`)
  }
  if (identifier === '') return { kind: 'each', text: part, test: undefined }
  const test = filters.get(identifier)
  if (test === undefined) {
    const text = `No array filter found for identifier '${identifier}' in path '${path}'`
    throw fail('BadValue', text)
  }
  used.add(identifier)
  return { kind: 'each', text: part, test }
}

function nameStep(text: string): Step {
  const first = text.charCodeAt(0)
  const isDigit = first >= 0x30 && first <= 0x39
  const index = isDigit && /^(?:0|[1-9]\d{0,14})$/.test(text) ? Number(text) : -1
  return { kind: 'name', text, bytes: utf8(text), index }
}

/** A name step for a position of an array. */
export function positionStep(position: number): Step {
  return nameStep(String(position))
}

export interface PathChild {
  readonly step: Step
  readonly node: PathNode
}

export class PathNode {
  private readonly byText = new Map<string, PathChild>()
  private sorted: readonly PathChild[] | undefined
  /** The kind of the first child. */
  private kind: Step['kind'] | undefined

  private constructor(
    /** The path to this node, as written in the update. */
    readonly path: string,
    readonly action: Action | undefined,
  ) {}

  static root(): PathNode {
    return new PathNode('', undefined)
  }

  /** In the order of application. */
  get children(): readonly PathChild[] {
    this.sorted ??= this.sort()
    return this.sorted
  }

  private sort(): readonly PathChild[] {
    const { size } = this.byText
    if (size > 1) work.spend(size * Math.log2(size) * compareUnits)
    return [...this.byText.values()].sort((a, b) => compareSteps(a.step, b.step))
  }

  /** Throws ConflictingUpdateOperators if the path equals another, or is above or below it. */
  add(steps: readonly Step[], action: Action): void {
    const [first] = steps
    const isOne = steps.length === 1 && first !== undefined
    const path = isOne ? first.text : steps.map((step) => step.text).join('.')
    let node: PathNode = this
    for (let i = 0; i < steps.length; i++) {
      const step = steps[i] as Step
      node.requireSameKind(step, path)
      const isLast = i === steps.length - 1
      const found = node.byText.get(step.text)?.node
      if (found !== undefined && (isLast || found.action !== undefined)) {
        throw conflict(path, found.path)
      }
      if (found === undefined) {
        const below = node.path === '' ? step.text : `${node.path}.${step.text}`
        const made = new PathNode(below, isLast ? action : undefined)
        node.byText.set(step.text, { step, node: made })
        node.sorted = undefined
        node = made
      } else node = found
    }
  }

  /** Merges several subtrees for one element of an array. */
  static merge(nodes: readonly PathNode[]): PathNode {
    const [first] = nodes
    if (nodes.length === 1 && first !== undefined) return first
    const merged = new PathNode(first?.path ?? '', undefined)
    for (const node of nodes) {
      if (node.action !== undefined) throw conflict(node.path, merged.path)
      for (const { step, node: child } of node.byText.values()) {
        work.spend(mergedPathUnits)
        const other = merged.byText.get(step.text)
        if (other === undefined) merged.byText.set(step.text, { step, node: child })
        else if (other.node.action !== undefined || child.action !== undefined) {
          throw conflict(child.path, other.node.path)
        } else {
          merged.byText.set(step.text, { step, node: PathNode.merge([other.node, child]) })
        }
      }
    }
    return merged
  }

  /** `$[…]` cannot be combined with other names below one array. */
  private requireSameKind(step: Step, path: string): void {
    this.kind ??= step.kind
    if ((this.kind === 'each') !== (step.kind === 'each')) throw conflict(path, this.path)
  }
}

function conflict(path: string, at: string) {
  const text = `Updating the path '${path}' would create a conflict at '${at}'`
  return fail('ConflictingUpdateOperators', text)
}

/** Numbers first, by value, then names by their bytes. */
function compareSteps(a: Step, b: Step): number {
  const left = a.kind === 'name' ? a.index : -1
  const right = b.kind === 'name' ? b.index : -1
  if (left >= 0 && right >= 0) return left - right
  if (left >= 0 || right >= 0) return left >= 0 ? -1 : 1
  return compareBytes(bytesOf(a), bytesOf(b))
}

function bytesOf(step: Step): Bytes {
  return step.kind === 'name' ? step.bytes : utf8(step.text)
}
