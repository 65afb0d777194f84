// Updates of documents: a replacement, operators, or a pipeline of stages. They are compiled once
// per command and applied to documents as bytes. An update without changes returns the same array,
// so that nothing is written. Source: MongoDB manual, Update Operators.

import { fail } from '../base/errors.js'
import { documentBytesMax, documentDepthMax } from '../base/limits/documents.js'
import { work } from '../base/work/work-budget.js'
import { updatePathUnits } from '../base/work/work-figures.js'
import { equalValues, sameBytes } from '../value/compare.js'
import { Elements, field, fieldsOf, idName } from '../value/elements.js'
import type { FieldPath } from '../value/path.js'
import { shellText } from '../value/shell.js'
import {
  bsonType,
  type Document,
  documentOf,
  documentValue,
  objectIdValue,
  stringOf,
  timestampValue,
  type Value,
} from '../value/value.js'
import { DocumentWriter, writeDocument } from '../value/writer.js'
import type { QueryContext } from './context.js'
import { typeName } from './expressions/operator.js'
import type { Filter } from './filter.js'
import { compilePipeline, isPure } from './pipeline.js'
import type { Modifier } from './update/action.js'
import { type ApplyOptions, applyTree, depthOf, tooDeep, tooLarge } from './update/apply.js'
import { compileArrayFilters } from './update/array-filters.js'
import { arrayModifiers } from './update/array-modifiers.js'
import { Branch } from './update/branch.js'
import { fieldModifiers } from './update/field-modifiers.js'
import {
  type ArrayFilters,
  PathNode,
  parseUpdatePath,
  requireUpdatable,
} from './update/path-tree.js'
import { seedIdOf, seedOf } from './update/seed.js'

export interface Update {
  readonly kind: 'replacement' | 'operators' | 'pipeline'
  /** Whether it may change the value at, above or below a path. */
  changes(path: FieldPath): boolean
  /**
   * The document after the update; `before` itself if nothing changed. Throws the errors of the
   * operators, 66 if _id would change, 17419 above 16 MiB.
   */
  apply(before: Document, options: ApplyOptions): Document
}

interface UpdateOptions {
  readonly arrayFilters?: readonly Document[]
  readonly context: QueryContext
  /** Accepted but unused; an invalid upsert fails when it inserts. */
  readonly isUpsert?: boolean
}

const modifiers = new Map<string, Modifier>(
  [...fieldModifiers, ...arrayModifiers].map((row) => [row.name, row]),
)

/** Every operator, for the reference. */
export const updateOperatorNames: readonly string[] = [...modifiers.keys()]

/**
 * An array is a pipeline, an object whose first name starts with `$` has operators, others replace.
 */
export function compileUpdate(update: Value, options: UpdateOptions): Update {
  const { context, arrayFilters = [] } = options
  if (update.type === bsonType.array) {
    if (arrayFilters.length > 0) {
      const text = 'arrayFilters may not be specified for pipeline-syle updates'
      throw fail('FailedToParse', text)
    }
    return pipelineUpdate(update, context)
  }
  if (update.type !== bsonType.object) {
    throw fail('FailedToParse', 'Update argument must be either an object or an array')
  }
  const first = new Elements(update.bytes, update.start)
  if (first.next() && update.bytes[first.nameStart] === 0x24) {
    return operatorUpdate(update, compileArrayFilters(arrayFilters, context), context)
  }
  return replacementUpdate(stamped(documentOf(update), context))
}

function operatorUpdate(update: Value, filters: ArrayFilters, context: QueryContext): Update {
  const tree = PathNode.root()
  const paths: string[] = []
  const used = new Set<string>()
  for (const [name, operand] of fieldsOf(update)) {
    const modifier = modifiers.get(name)
    if (modifier === undefined) {
      throw fail(
        'FailedToParse',
        `Unknown modifier: ${name}. Expected a valid update modifier or pipeline-style update ` +
          'specified as an array',
      )
    }
    requireFields(name, operand)
    for (const [at, value] of fieldsOf(operand)) {
      const isText = value.type === bsonType.string
      if (modifier.target === undefined || isText) {
        requireUpdatable(modifier.target === undefined ? at : stringOf(value))
      }
      work.spend(updatePathUnits)
      const { path, source } = modifier.target?.(value, at) ?? { path: at, source: undefined }
      const action = modifier.compile(value, at, context)
      tree.add(parseUpdatePath(path, filters, used), action)
      paths.push(path)
      if (source === undefined) continue
      // The source path of $rename: it is only reserved, so that no other operator changes it.
      work.spend(updatePathUnits)
      tree.add(parseUpdatePath(source, filters, used), { ...action, ...idle })
      paths.push(source)
    }
  }
  for (const name of filters.keys()) {
    if (used.has(name)) continue
    const text = `The array filter for identifier '${name}' was not used in the update`
    throw fail('FailedToParse', `${text} ${shellText(update)}`)
  }
  const dollars = paths.filter((path) => path.startsWith('$'))
  const idPath = paths.find((path) => path === '_id' || path.startsWith('_id.'))
  let touched: readonly (readonly string[])[] | undefined
  return {
    kind: 'operators',
    changes(path) {
      touched ??= paths.map(plainParts)
      const asked = plainParts(path.text)
      return touched.some((parts) => isRelated(parts, asked))
    },
    apply(before, options) {
      const root = Branch.of(documentValue(before))
      applyTree(tree, root, options)
      if (!root.isChanged) return before
      const after = root.toDocument()
      if (idPath !== undefined) requireSameId(before, after, idPath)
      if (options.isInsert !== true) {
        for (const path of dollars) requireSameDollar(before, after, path)
      }
      return requireSize(after)
    },
  }
}

/** Leaves a place unchanged. */
const idle = {
  creates: false,
  ignoresBlocked: true,
  apply: (current: Value | undefined) => current,
}

function requireFields(name: string, operand: Value): void {
  if (operand.type === bsonType.object) return
  throw fail(
    'FailedToParse',
    `Modifiers operate on fields but we found type ${typeName(operand)} instead. For example: ` +
      `{$mod: {<field>: ...}} not {${name}: ${shellText(operand)}}`,
  )
}

/** Names of a path without array positions, as in index paths. */
function plainParts(path: string): readonly string[] {
  return path.split('.').filter((part) => !/^(?:\d+|\$|\$\[.*\])$/.test(part))
}

/** Whether one path is the other, or above it. */
function isRelated(a: readonly string[], b: readonly string[]): boolean {
  const shared = Math.min(a.length, b.length)
  for (let i = 0; i < shared; i++) if (a[i] !== b[i]) return false
  return true
}

function requireSameId(before: Document, after: Document, path: string): void {
  const old = field(before, '_id')
  if (old === undefined) return
  const now = field(after, '_id')
  if (now !== undefined && equalValues(old, now)) return
  const text = `Performing an update on the path '${path}' would modify the immutable field '_id'`
  throw fail('ImmutableField', text)
}

/**
 * A document that exists gets no field of its own with a dollar in front, and none of them changes;
 * what lies below may, and an upsert may insert one.
 */
function requireSameDollar(before: Document, after: Document, path: string): void {
  const [name = ''] = path.split('.')
  const now = field(after, name)
  if (now === undefined) return
  const old = field(before, name)
  const isBelow = name !== path
  if (old !== undefined && (isBelow || sameBytes(old, now))) return
  throw dollarPrefixed(name)
}

function dollarPrefixed(name: string) {
  return fail(
    'DollarPrefixedFieldName',
    `The dollar ($) prefixed field '${name}' in '${name}' is not allowed in the context of an ` +
      "update's replacement document. Consider using an aggregation pipeline with $replaceWith.",
  )
}

function requireSize(document: Document): Document {
  if (document.length > documentBytesMax) throw tooLarge()
  return document
}

function replacementUpdate(replacement: Document): Update {
  const elements = new Elements(replacement)
  while (elements.next()) {
    if (replacement[elements.nameStart] !== 0x24) continue
    throw dollarPrefixed(elements.name())
  }
  if (depthOf(documentValue(replacement)) > documentDepthMax) throw tooDeep()
  return {
    kind: 'replacement',
    changes: () => true,
    apply: (before) => replaced(before, replacement),
  }
}

/** Replaces each top-level Timestamp(0, 0) except `_id` by the command's time. */
function stamped(document: Document, context: QueryContext): Document {
  if (context.keepsEmptyTimestamps === true) return document
  const isEmpty = (at: Elements): boolean =>
    at.type === bsonType.timestamp && isZero(at.value()) && at.name() !== '_id'
  const elements = new Elements(document)
  let found = false
  while (!found && elements.next()) found = isEmpty(elements)
  if (!found) return document
  let increment = 0
  return writeDocument((writer) => {
    const all = new Elements(document)
    while (all.next()) {
      if (!isEmpty(all)) writer.element(document, all.start, all.valueEnd)
      else
        writer.value(all.copiedName(), timestampValue(Math.floor(context.now / 1000), ++increment))
    }
  })
}

function isZero({ bytes, start, end }: Value): boolean {
  return bytes.subarray(start, end).every((byte) => byte === 0)
}

/** The new document with the old _id first; `before` if they are equal. */
function replaced(before: Document, replacement: Document): Document {
  const old = field(before, '_id')
  const given = field(replacement, '_id')
  if (old !== undefined && given !== undefined && !equalValues(old, given)) {
    throw fail(
      'ImmutableField',
      "After applying the update, the (immutable) field '_id' was found to have been altered to " +
        `_id: ${shellText(given)}`,
    )
  }
  const after = withIdFirst(replacement, old ?? given)
  return Buffer.compare(after, before) === 0 ? before : requireSize(after)
}

function withIdFirst(document: Document, id: Value | undefined): Document {
  const writer = new DocumentWriter()
  if (id !== undefined) writer.value('_id', id)
  return writer.elementsBut(document, idName).finish()
}

function pipelineUpdate(update: Value, context: QueryContext): Update {
  const plans = compilePipeline(update, context, {
    only: {
      kind: 'update',
      refuse: (name) =>
        fail('InvalidOptions', `${name} is not allowed to be used within an update`),
    },
  })
  // These stages keep no state, so one transform serves all documents.
  const transforms = plans.filter(isPure).map((plan) => plan.create())
  return {
    kind: 'pipeline',
    changes: () => true,
    apply(before) {
      let document = before
      for (const transform of transforms) {
        transform.push(document, (made) => {
          document = made
        })
      }
      if (document === before) return before
      if (depthOf(documentValue(document)) > documentDepthMax) throw tooDeep()
      return replaced(before, document)
    },
  }
}

/**
 * The document of an upsert: the filter's equalities, changed by the update, _id first (the
 * filter's, else the update's, else `context.objectId(0)`). Throws 54 if the filter's equalities
 * collide, 66 if the update changes the filter's _id.
 */
export function upsertDocument(filter: Filter, update: Update, context: QueryContext): Document {
  const seed = update.kind === 'replacement' ? seedIdOf(filter.tree) : seedOf(filter.tree)
  const made = update.apply(seed, { matchedIndex: undefined, isInsert: true })
  return requireSize(withIdFirst(made, field(made, '_id') ?? objectIdValue(context.objectId(0))))
}
