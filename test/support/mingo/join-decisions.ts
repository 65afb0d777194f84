// Joins in which Sigil and mingo differ, each kind decided: what they must find is written down
// here as plainly as it can be, and Sigil finds it. "source" is the reference server's public
// source
// (src/mongo/db/pipeline/document_source_lookup.cpp and its neighbours).

import { type Decision, type Disagreement, isError } from './decisions.js'
import { compare, isObject, matchesByRules } from './filter-model.js'
import type { Plain } from './values.js'

interface Lookup {
  readonly localField: string
  readonly foreignField: string
  readonly as: string
  readonly let?: { readonly v: string }
  readonly pipeline: readonly Plain[]
}

interface Search {
  readonly startWith: string
  readonly connectFromField: string
  readonly maxDepth: number
}

function specOf<T>(found: Disagreement): T {
  return found.operands[0] as T
}

function foreignOf(found: Disagreement): Plain[] {
  return found.operands[1] as Plain[]
}

/** Whether each result of Sigil holds in `field` the documents of these ids. */
function finds(found: Disagreement, field: string, idsOf: (local: Plain) => unknown[]): boolean {
  if (isError(found.sigil)) return false
  const results = found.sigil.value as Plain[]
  return (found.document as Plain[]).every((local, i) => {
    const joined = results[i]?.[field] as Plain[]
    return JSON.stringify(joined.map(({ _id }) => _id)) === JSON.stringify(idsOf(local))
  })
}

/**
 * Values at a path, of an array its elements, arrays among them; null where there are none (source:
 * document_path_support.cpp, visitAllValuesAtPath).
 */
function localValues(local: Plain, path: string): unknown[] {
  const values = valuesAt(local, path.split('.'))
  return values.length === 0 ? [null] : values
}

function valuesAt(value: unknown, parts: readonly string[]): unknown[] {
  const [name, ...rest] = parts
  if (name === undefined) return value === undefined ? [] : Array.isArray(value) ? value : [value]
  if (Array.isArray(value)) return value.filter(isObject).flatMap((each) => valuesAt(each, parts))
  return isObject(value) ? valuesAt(value[name], rest) : []
}

function equalIds(found: Disagreement, local: Plain): unknown[] {
  const { localField, foreignField } = specOf<Lookup>(found)
  const values = localValues(local, localField)
  const isEqual = (foreign: Plain) =>
    values.some((operand) => matchesByRules(foreign, { path: foreignField, name: '$eq', operand }))
  return foreignOf(found)
    .filter(isEqual)
    .map(({ _id }) => _id)
}

/** The total order with missing before null. */
function order(a: unknown, b: unknown): number {
  if (a === undefined || b === undefined) return Number(a !== undefined) - Number(b !== undefined)
  return compare(a, b)
}

function comparedIds(found: Disagreement, local: Plain): unknown[] {
  const { let: variables, pipeline } = specOf<Lookup>(found)
  const [match, sort] = pipeline as [{ $match: { $expr: Plain } }, { $sort: { _id: number } }]
  const [[name, operands] = ['', []]] = Object.entries(match.$match.$expr)
  const field = String((operands as string[])[0]).slice(1)
  const given = local[variables?.v.slice(1) ?? '']
  const ids = foreignOf(found)
    .filter((foreign) => {
      const n = order(foreign[field], given)
      return name === '$eq' ? n === 0 : name === '$gt' ? n > 0 : n <= 0
    })
    .map(({ _id }) => Number(_id))
  return ids.sort((a, b) => (a - b) * sort.$sort._id).slice(0, 3)
}

/** Ids that are reached by as many rounds as are asked for, in their order. */
function reachedIds(found: Disagreement, local: Plain): unknown[] {
  const { startWith, connectFromField, maxDepth } = specOf<Search>(found)
  const start = local[startWith.slice(1)]
  let values = Array.isArray(start) ? start : [start]
  const seen = new Set<number>()
  for (let depth = 0; depth <= maxDepth; depth++) {
    const round = foreignOf(found).filter(
      ({ _id }) => values.includes(_id) && !seen.has(Number(_id)),
    )
    for (const { _id } of round) seen.add(Number(_id))
    values = round.flatMap((each) => each[connectFromField])
  }
  return [...seen].sort((a, b) => a - b)
}

export const joinDecisions: readonly Decision[] = [
  {
    about: 'equality with arrays, null and what is missing',
    names: ['$lookup'],
    reason:
      'every value at the local path counts, without any it is null, which is missing too ' +
      '(source: makeMatchStageFromInput); mingo compares arrays whole and leaves out what is ' +
      'missing',
    applies: (found) => {
      const spec = specOf<Lookup>(found)
      return spec.localField !== undefined && finds(found, spec.as, (each) => equalIds(found, each))
    },
  },
  {
    about: 'variables that compare across types',
    names: ['$lookup'],
    reason: 'by the total order, missing first (manual, comparison order); mingo keeps to one type',
    applies: (found) => {
      const spec = specOf<Lookup>(found)
      return isObject(spec.let) && finds(found, spec.as, (each) => comparedIds(found, each))
    },
  },
  {
    about: 'a search that starts with an array',
    names: ['$graphLookup'],
    reason: 'with each of its elements (manual, $graphLookup startWith); mingo with the array',
    applies: (found) => finds(found, 'reached', (each) => reachedIds(found, each)),
  },
]
