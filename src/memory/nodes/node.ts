// The two kinds of nodes, memories and entities, as documents: what is stored, what is read, and
// what clients see. (docs/memory.md, "What is kept")

import type { Bytes } from '../../base/bytes/bytes.js'
import { elementsOf, field, fieldIn, fieldsOf } from '../../value/elements.js'
import { numberOf } from '../../value/numbers.js'
import { bsonType, type Document, documentValue, stringOf, type Value } from '../../value/value.js'
import { type DocumentWriter, writeDocument } from '../../value/writer.js'

export type MemoryStatus = 'active' | 'superseded'

/** The source of a memory, from its writer. A type, not an interface: it is JSON. */
export type Source = {
  readonly kind?: string | undefined
  readonly ref?: string | undefined
  readonly url?: string | undefined
  /** A time in any form, or milliseconds since 1970. */
  readonly at?: string | number | undefined
}

/** Times are milliseconds since 1970. */
interface Stamped {
  readonly createdAt: number
  readonly updatedAt: number
  /** EIP-55; undefined if an operator wrote it. */
  readonly createdBy?: string | undefined
}

export interface Memory extends Stamped {
  /** `mem_` and a ULID whose time is `createdAt`. */
  readonly id: string
  readonly text: string
  readonly source?: Source | undefined
  /** Ids of the entities that it was linked to when it was written. */
  readonly entities: readonly string[]
  /** Its terms with their counts, which are in its postings. */
  readonly keywords: ReadonlyMap<string, number>
  /** Number of counted tokens. */
  readonly len: number
  readonly hash: string
  readonly anchorId: string | null
  readonly status: MemoryStatus
  readonly supersedes?: string | undefined
  readonly validFrom?: number | undefined
  readonly validTo?: number | undefined
  /** Equal for memories with the same content, of which only one is active. */
  readonly contentKey?: Bytes | undefined
}

export interface Entity extends Stamped {
  /** `ent_` and 24 hexadecimal digits. */
  readonly id: string
  /** As first written. */
  readonly name: string
  readonly normName: string
  readonly kind: string
  /** Aliases, normalised. */
  readonly aliases: readonly string[]
  /** Ids of entities that were merged into this one. */
  readonly formerIds: readonly string[]
}

/** Value of `hashV`: the version of the hashed field list. */
const hashVersion = 1
const contentSubtype = 0

export function memoryDocument(memory: Memory): Document {
  return writeDocument((writer) => {
    writer.string('_id', memory.id).string('type', 'memory').string('text', memory.text)
    writeSource(writer, memory.source)
    writeTexts(writer, 'entities', memory.entities)
    writer.openArray('keywords')
    for (const [term, count] of memory.keywords) {
      writer.pushOpenDocument().string('t', term).int32('n', count).close()
    }
    writer.close().int32('len', memory.len)
    writer.string('hash', memory.hash).int32('hashV', hashVersion)
    if (memory.anchorId === null) writer.null('anchorId')
    else writer.string('anchorId', memory.anchorId)
    writer.string('status', memory.status)
    if (memory.supersedes !== undefined) writer.string('supersedes', memory.supersedes)
    writeTime(writer, 'validFrom', memory.validFrom)
    writeTime(writer, 'validTo', memory.validTo)
    writeStamps(writer, memory)
    const { contentKey, status } = memory
    if (contentKey === undefined) return
    const name = status === 'active' ? 'contentKey' : 'formerContentKey'
    writer.binary(name, contentSubtype, contentKey)
  })
}

export function entityDocument(entity: Entity): Document {
  const { id, name, normName, kind, aliases, formerIds } = entity
  return writeDocument((writer) => {
    writer.string('_id', id).string('type', 'entity').string('name', name)
    writer.string('normName', normName).string('kind', kind)
    writeTexts(writer, 'aliases', aliases)
    writeTexts(writer, 'formerIds', formerIds)
    // Everything that finds it, in one index.
    writeTexts(writer, 'names', [normName, ...aliases, ...formerIds])
    writeStamps(writer, entity)
  })
}

/** Whether a node's document is a memory. */
export function isMemory(document: Document): boolean {
  return textOf(field(document, 'type')) === 'memory'
}

/** Stored data of any writer: a missing field is empty. */
export function readMemory(document: Document): Memory {
  const source = field(document, 'source')
  const content = field(document, 'contentKey') ?? field(document, 'formerContentKey')
  return {
    id: textOf(field(document, '_id')) ?? '',
    text: textOf(field(document, 'text')) ?? '',
    source: source?.type === bsonType.object ? readSource(source) : undefined,
    entities: textsOf(field(document, 'entities')),
    keywords: countsOf(field(document, 'keywords')),
    len: numberIn(document, 'len') ?? 0,
    hash: textOf(field(document, 'hash')) ?? '',
    anchorId: textOf(field(document, 'anchorId')) ?? null,
    status: textOf(field(document, 'status')) === 'superseded' ? 'superseded' : 'active',
    supersedes: textOf(field(document, 'supersedes')),
    validFrom: numberIn(document, 'validFrom'),
    validTo: numberIn(document, 'validTo'),
    contentKey: content?.bytes.slice(content.start + 5, content.end),
    ...stampsOf(document),
  }
}

export function readEntity(document: Document): Entity {
  return {
    id: textOf(field(document, '_id')) ?? '',
    name: textOf(field(document, 'name')) ?? '',
    normName: textOf(field(document, 'normName')) ?? '',
    kind: textOf(field(document, 'kind')) ?? '',
    aliases: textsOf(field(document, 'aliases')),
    formerIds: textsOf(field(document, 'formerIds')),
    ...stampsOf(document),
  }
}

/** Fields that no reply of the memory commands shows. */
const internal: ReadonlySet<string> = new Set([
  ...['keywords', 'contentKey', 'formerContentKey', 'names', 'formerIds'],
])

/** A node for clients of the memory commands: `id` for `_id`, no internal fields. */
export function shownNode(document: Document): Document {
  return writeDocument((writer) => {
    for (const [name, value] of fieldsOf(documentValue(document))) {
      if (!internal.has(name)) writer.value(name === '_id' ? 'id' : name, value)
    }
  })
}

function writeSource(writer: DocumentWriter, source: Source | undefined): void {
  if (source === undefined) return
  const { kind, ref, url, at } = source
  writer.openDocument('source')
  if (kind !== undefined) writer.string('kind', kind)
  if (ref !== undefined) writer.string('ref', ref)
  if (url !== undefined) writer.string('url', url)
  if (typeof at === 'string') writer.string('at', at)
  else if (at !== undefined) writer.double('at', at)
  writer.close()
}

export function readSource(source: Value): Source {
  const at = fieldIn(source, 'at')
  const kind = textOf(fieldIn(source, 'kind'))
  const ref = textOf(fieldIn(source, 'ref'))
  const url = textOf(fieldIn(source, 'url'))
  const time = at?.isNumber === true ? numberOf(at) : textOf(at)
  return {
    ...(kind === undefined ? {} : { kind }),
    ...(ref === undefined ? {} : { ref }),
    ...(url === undefined ? {} : { url }),
    ...(time === undefined ? {} : { at: time }),
  }
}

function writeTexts(writer: DocumentWriter, name: string, texts: readonly string[]): void {
  writer.openArray(name)
  texts.forEach((text, i) => {
    writer.string(String(i), text)
  })
  writer.close()
}

function writeTime(writer: DocumentWriter, name: string, ms: number | undefined): void {
  if (ms !== undefined) writer.int64(name, ms)
}

function writeStamps(writer: DocumentWriter, { createdAt, updatedAt, createdBy }: Stamped): void {
  writer.int64('createdAt', createdAt).int64('updatedAt', updatedAt)
  if (createdBy === undefined) writer.null('createdBy')
  else writer.string('createdBy', createdBy)
}

function stampsOf(document: Document): Stamped {
  return {
    createdAt: numberIn(document, 'createdAt') ?? 0,
    updatedAt: numberIn(document, 'updatedAt') ?? 0,
    createdBy: textOf(field(document, 'createdBy')),
  }
}

function countsOf(keywords: Value | undefined): Map<string, number> {
  const counts = new Map<string, number>()
  if (keywords?.type !== bsonType.array) return counts
  for (const keyword of elementsOf(keywords)) {
    if (keyword.type !== bsonType.object) continue
    const term = textOf(fieldIn(keyword, 't'))
    const count = fieldIn(keyword, 'n')
    if (term !== undefined && count?.isNumber === true) counts.set(term, numberOf(count))
  }
  return counts
}

function textsOf(value: Value | undefined): string[] {
  if (value?.type !== bsonType.array) return []
  return elementsOf(value).map((item) => textOf(item) ?? '')
}

function textOf(value: Value | undefined): string | undefined {
  return value?.type === bsonType.string ? stringOf(value) : undefined
}

function numberIn(document: Document, name: string): number | undefined {
  const value = field(document, name)
  return value?.isNumber === true ? numberOf(value) : undefined
}
