// A JSON merge patch (RFC 7396) as an update with one stage. Operators could not say it: $set on
// `a.b` fails where `a` is a number, reads `a.0` as an array's position, and takes no name with a
// dot. The stage is built of expressions, so the patch is applied where the document is written.

import { fail } from '../../../base/errors.js'
import { fieldsOf } from '../../../value/elements.js'
import { bsonType, type Value } from '../../../value/value.js'

/** A plain object of a pipeline; `Value`s in it stay as they are. */
type Stage = Readonly<Record<string, unknown>>

/**
 * The pipeline that patches the document: null removes a field, objects are merged, all else
 * replaces. Throws BadValue of what is no object, and of operators. Patches deeper than some 20
 * levels are refused as expressions that nest too deep.
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

/** `$$t` without those fields. */
function without(names: readonly string[]): unknown {
  if (names.length === 0) return '$$t'
  const isKept = { $not: [{ $in: ['$$field.k', { $literal: names }] }] }
  const fields = { input: { $objectToArray: '$$t' }, as: 'field', cond: isKept }
  return { $arrayToObject: { $filter: fields } }
}
