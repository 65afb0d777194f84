// Parses a memory from a client's document: checks bounds of texts and lists, and refuses values
// that cannot be hashed or used in a key. (docs/memory.md, "Routes")

import { fail } from '../../base/errors.js'
import {
  entityKindCharsMax,
  entityNameCharsMax,
  givenAliasesMax,
  givenEdgesMax,
  givenEntitiesMax,
  givenKeywordsMax,
  memoryCharsMax,
  memoryUnitsMax,
  nameBytesMax,
  sourceCharsMax,
} from '../../base/limits/memory.js'
import { elementsOf, field, fieldIn } from '../../value/elements.js'
import { numberOf } from '../../value/numbers.js'
import { bsonType, type Document, stringOf, type Value } from '../../value/value.js'
import { edgeTypes, unitSeparator } from '../nodes/edge.js'
import { isName, normName } from '../nodes/names.js'
import { readSource, type Source } from '../nodes/node.js'

export interface GivenEntity {
  /** A name, or the id of an entity. */
  readonly name: string
  /** Undefined: the kind that the graph has for it. */
  readonly kind?: string | undefined
  readonly aliases: readonly string[]
}

interface GivenEdge {
  /** Id of a node, or an entity's name. */
  readonly to: string
  readonly type: string
  readonly weight: number
}

export interface GivenMemory {
  readonly text: string
  readonly entities: readonly GivenEntity[]
  readonly keywords: readonly string[]
  readonly source?: Source | undefined
  readonly edges: readonly GivenEdge[]
  readonly supersedes?: string | undefined
  readonly validFrom?: number | undefined
  readonly validTo?: number | undefined
}

const timeMsMax = 8.64e15
/** UTF-16 units that one may become in NFKC: U+FDFA is a sentence. */
const growthMax = 18
const loneSurrogate = /\p{Surrogate}/u

/** Throws BadValue, MemoryTooLarge. Ignores unknown fields. */
export function parseMemory(document: Document): GivenMemory {
  return {
    text: requireText(document),
    entities: listOf(field(document, 'entities'), 'entities', givenEntitiesMax).map(parseEntity),
    keywords: listOf(field(document, 'keywords'), 'keywords', givenKeywordsMax).map((keyword) =>
      requireName(keyword, 'keywords', entityNameCharsMax),
    ),
    source: parseSource(field(document, 'source')),
    edges: listOf(field(document, 'edges'), 'edges', givenEdgesMax).map(parseEdge),
    supersedes: optionalName(field(document, 'supersedes'), 'supersedes'),
    validFrom: requireTime(field(document, 'validFrom'), 'validFrom'),
    validTo: requireTime(field(document, 'validTo'), 'validTo'),
  }
}

function requireText(document: Document): string {
  const value = field(document, 'text')
  if (value?.type !== bsonType.string) throw fail('BadValue', "'text' must be a text")
  const text = stringOf(value)
  if (loneSurrogate.test(text)) throw fail('BadValue', "'text' is not well-formed Unicode")
  if (text.trim() === '') throw fail('BadValue', "'text' must not be empty")
  if (text.length > memoryCharsMax && charactersOf(text) > memoryCharsMax) {
    throw fail('MemoryTooLarge', `'text' has more than ${memoryCharsMax} characters`)
  }
  if (text.length * growthMax > memoryUnitsMax && text.normalize('NFKC').length > memoryUnitsMax) {
    throw fail('MemoryTooLarge', "'text' is too long once its characters are taken apart (NFKC)")
  }
  return text
}

function parseEntity(value: Value): GivenEntity {
  if (value.type !== bsonType.object) return { name: requireEntityName(value), aliases: [] }
  const aliases = listOf(fieldIn(value, 'aliases'), 'aliases', givenAliasesMax)
  const kind = fieldIn(value, 'kind')
  return {
    name: requireEntityName(fieldIn(value, 'name')),
    kind: isAbsent(kind) ? undefined : requireKind(kind),
    aliases: aliases.map(requireEntityName),
  }
}

function parseEdge(value: Value): GivenEdge {
  if (value.type !== bsonType.object) throw fail('BadValue', "'edges' must hold objects")
  return {
    to: requireName(fieldIn(value, 'to'), 'edges.to', entityNameCharsMax),
    type: requireEdgeType(fieldIn(value, 'type')),
    weight: requireWeight(fieldIn(value, 'weight')),
  }
}

/** A name of an entity, which must not be empty after normalisation. */
function requireEntityName(value: Value | undefined): string {
  const name = requireName(value, 'entities', entityNameCharsMax)
  if (isName(normName(name))) return name
  throw fail('BadValue', `a name is something, and at most ${nameBytesMax} bytes of UTF-8`)
}

function requireKind(value: Value | undefined): string {
  const kind = normName(requireName(value, 'kind', entityKindCharsMax))
  if (kind === '') throw fail('BadValue', "'kind' must not be empty")
  return kind
}

/** `relates` by default. A separate field says that one memory supersedes another. */
export function requireEdgeType(value: Value | undefined): string {
  if (isAbsent(value)) return edgeTypes.relates
  const type = requireName(value, 'type', entityKindCharsMax)
  if (type !== edgeTypes.supersedes) return type
  throw fail('BadValue', "an edge 'supersedes' comes with the memory that has 'supersedes'")
}

export function requireWeight(value: Value | undefined): number {
  if (isAbsent(value)) return 1
  const weight = value?.isNumber === true ? numberOf(value) : Number.NaN
  if (weight >= 0 && weight <= 1) return weight
  throw fail('BadValue', "'weight' must be a number from 0 to 1")
}

/** Milliseconds since 1970; undefined if missing. */
export function requireTime(value: Value | undefined, name: string): number | undefined {
  if (isAbsent(value)) return undefined
  const ms = value?.isNumber === true ? numberOf(value) : Number.NaN
  if (Number.isInteger(ms) && Math.abs(ms) <= timeMsMax) return ms
  throw fail('BadValue', `'${name}' must be a whole number of milliseconds since 1970`)
}

/** A text that can be part of an id. */
export function requireName(value: Value | undefined, name: string, charsMax: number): string {
  if (value?.type !== bsonType.string) throw fail('BadValue', `'${name}' must be a text`)
  const text = stringOf(value)
  if (text === '' || (text.length > charsMax && charactersOf(text) > charsMax)) {
    throw fail('BadValue', `'${name}' must have 1 to ${charsMax} characters`)
  }
  if (text.includes(unitSeparator) || text.includes('\0') || loneSurrogate.test(text)) {
    throw fail('BadValue', `'${name}' has characters that no name has`)
  }
  return text
}

function optionalName(value: Value | undefined, name: string): string | undefined {
  return isAbsent(value) ? undefined : requireName(value, name, entityNameCharsMax)
}

function parseSource(value: Value | undefined): Source | undefined {
  if (isAbsent(value)) return undefined
  if (value?.type !== bsonType.object) throw fail('BadValue', "'source' must be an object")
  for (const name of ['kind', 'ref', 'url']) {
    const part = fieldIn(value, name)
    if (!isAbsent(part)) requireName(part, `source.${name}`, sourceCharsMax)
  }
  const at = fieldIn(value, 'at')
  if (at?.type === bsonType.string) requireName(at, 'source.at', sourceCharsMax)
  else requireTime(at, 'source.at')
  const source = readSource(value)
  if (Buffer.byteLength(source.ref ?? '') > nameBytesMax) {
    throw fail('BadValue', `'source.ref' has more than ${nameBytesMax} bytes of UTF-8`)
  }
  return Object.keys(source).length === 0 ? undefined : source
}

function listOf(value: Value | undefined, name: string, most: number): Value[] {
  if (isAbsent(value)) return []
  if (value?.type !== bsonType.array) throw fail('BadValue', `'${name}' must be a list`)
  const items = elementsOf(value)
  if (items.length <= most) return items
  throw fail('BadValue', `'${name}' has more than ${most} elements`)
}

function isAbsent(value: Value | undefined): boolean {
  return value === undefined || value.type === bsonType.null
}

/** Code points, which users count as characters. */
function charactersOf(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}
