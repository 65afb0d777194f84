// A JSON merge patch (RFC 7396) as an update with one stage. Operators cannot express it: $set on
// `a.b` fails if `a` is a number, reads `a.0` as an array position, and rejects names with dots.
// The stage consists of expressions, so the patch applies where the document is written.

import { fail } from '../../../base/errors.js'
import { fieldsOf } from '../../../value/elements.js'
import { bsonType, type Value } from '../../../value/value.js'

/** A plain object of a pipeline; `Value`s in it are kept. */
type Stage = Readonly<Record<string, unknown>>

/**
 * The pipeline that patches the document: null removes a field, objects are merged, everything else
 * is replaced. Throws BadValue unless it is an object, and for operators. Patches deeper than about
 * 20 levels are refused as too deeply nested expressions.
 */
export function mergePatch(patch: Value): readonly Stage[] {
  if (patch.type !== bsonType.object) throw fail('BadValue', 'a merge patch must be an object')
  for (const [name] of fieldsOf(patch)) {
    if (name.startsWith('$')) {
      throw fail('BadValue', `a merge patch holds no operators such as '${name}'`)
    }
  }
  return [{ $replaceWith: merged('$$ROOT', patch) }]
}

function merged(target: unknown, patch: Value): Stage {
  const removed: string[] = []
  const set: Stage[] = []
  for (const [name, value] of fieldsOf(patch)) {
    const k = { $literal: name }
    if (value.type === bsonType.null) removed.push(name)
    else if (value.type !== bsonType.object) set.push({ k, v: { $literal: value } })
    else set.push({ k, v: merged({ $getField: { field: k, input: '$$t' } }, value) })
  }
  const isObject = { $eq: [{ $type: target }, 'object'] }
  return {
    $let: {
      vars: { t: { $cond: [isObject, target, { $literal: {} }] } },
      in: { $mergeObjects: [without(removed), { $arrayToObject: [set] }] },
    },
  }
}

/** `$$t` without these fields. */
function without(names: readonly string[]): unknown {
  if (names.length === 0) return '$$t'
  const isKept = { $not: [{ $in: ['$$field.k', { $literal: names }] }] }
  const fields = { input: { $objectToArray: '$$t' }, as: 'field', cond: isKept }
  return { $arrayToObject: { $filter: fields } }
}
