// Collection descriptors as BSON records of the catalog, with a decoding cache. The cache compares
// bytes, not versions: two programs of one write group may put two descriptors under one group
// number.

import { LRUCache } from 'lru-cache'
import { type Bytes, equalBytes } from '../../../base/bytes/bytes.js'
import { assert } from '../../../base/errors.js'
import { graphNameCharsMax } from '../../../base/limits/memory.js'
import { MiB } from '../../../base/units.js'
import { type Collation, keysVersion } from '../../../value/collation/collation.js'
import { elementsOf, field, fieldsOf } from '../../../value/elements.js'
import { numberOf } from '../../../value/numbers.js'
import {
  binaryValue,
  boolOf,
  bsonType,
  type Document,
  documentOf,
  documentValue,
  stringOf,
  type Value,
} from '../../../value/value.js'
import { DocumentWriter, writeDocument } from '../../../value/writer.js'
import { isHashed } from '../../index/hashed-fields.js'
import { collationOf, optionsOf } from '../../index/index-options.js'
import type {
  Access,
  IndexDescriptor,
  IndexField,
  IndexId,
  Namespace,
  NamespaceId,
  PrivacyMode,
} from '../../types.js'
import { cappedOf } from '../kinds/capped-options.js'
import { imagesOf } from '../kinds/image-options.js'
import { timeSeriesOf } from '../kinds/time-series-options.js'
import { definitionIn } from '../kinds/view-options.js'
import { validationOf } from '../validation.js'

/** Limits of the cache of decoded descriptors: count and bytes. */
const descriptorCacheMax = 10_000
const descriptorCacheBytesMax = 16 * MiB

const uuidSubtype = 4

/** The server's audit log; no client can create this collection. */
export const auditName = '_audit'

/** Prefix of the collections of a graph. */
export const graphPrefix = 'memory.'

const graphPart = /^memory\.([A-Za-z0-9][A-Za-z0-9_-]*)\.(?:nodes|edges|terms|anchors)$/

/** Whether a name is that of a part of a graph; other names with the prefix `memory.` are free. */
export function isGraphPart(name: string): boolean {
  const [, graph] = graphPart.exec(name) ?? []
  return graph !== undefined && graph.length <= graphNameCharsMax
}

/** Access facts that follow from the name of a collection. */
function keptFor(name: string): Pick<Access, 'audience' | 'isGraph'> {
  if (name === auditName) return { audience: 'administrators' }
  return isGraphPart(name) ? { isGraph: true } : {}
}

/**
 * The identity whose quota a collection counts towards: its owner, or the service user that created
 * it.
 */
export function payerOf({ owner, madeBy }: Access): string | null {
  return owner ?? madeBy ?? null
}

/** `{}`. */
export const emptyDocument: Document = writeDocument(() => {})

/** Encodes a descriptor; database and name are in the key. */
export function encodeNamespace(ns: Namespace): Bytes {
  const writer = new DocumentWriter()
  writer.int64('id', ns.id).int64('version', ns.version).int64('createdAt', ns.createdAt)
  writer.value('uuid', binaryValue(uuidSubtype, ns.uuid))
  writeAccess(writer, ns.access)
  writer.document('options', ns.options)
  writeKeysVersion(writer, ns)
  if (ns.keyspace === true) writer.bool('keyspace', true)
  if (ns.isPermanent === true) writer.bool('permanent', true)
  if (ns.recorded === true) writer.bool('recorded', true)
  writer.openArray('indexes')
  for (const index of ns.indexes) writer.pushDocument(encodeIndex(index))
  return writer.close().finish()
}

function writeAccess(writer: DocumentWriter, access: Access): void {
  if (access.owner === null) writer.null('owner')
  else writer.string('owner', access.owner)
  writer.string('mode', access.mode).openDocument('roles')
  for (const [address, role] of Object.entries(access.roles)) writer.int32(address, role)
  writer.close()
  if (access.isSettled === true) writer.bool('settled', true)
  if (access.madeBy !== undefined) writer.string('madeBy', access.madeBy)
}

/** Encodes the access of a reserved name. */
export function encodeAccess(access: Access): Bytes {
  return writeDocument((writer) => writeAccess(writer, access))
}

export function decodeAccess(bytes: Bytes): Access {
  const owner = required(bytes, 'owner')
  const madeBy = field(bytes, 'madeBy')
  return {
    owner: owner.type === bsonType.null ? null : stringOf(owner),
    mode: stringOf(required(bytes, 'mode')) as PrivacyMode,
    roles: Object.fromEntries(
      [...fieldsOf(required(bytes, 'roles'))].map(([address, role]) => [
        address,
        numberOf(role) === 2 ? 2 : 1,
      ]),
    ),
    ...(field(bytes, 'settled') === undefined ? {} : { isSettled: true }),
    ...(madeBy === undefined ? {} : { madeBy: stringOf(madeBy) }),
  }
}

function encodeIndex(index: IndexDescriptor): Document {
  return writeDocument((writer) => {
    writer.int64('id', index.id).string('name', index.name).bool('unique', index.unique)
    writer.string('state', index.state).openArray('multikey')
    index.multikey.forEach((isArray, position) => {
      writer.bool(String(position), isArray)
    })
    writer.close().bool('inexact', index.inexact).document('spec', index.spec)
    writeKeysVersion(writer, index)
    if (index.suffixed === true) writer.bool('suffixed', true)
    if (index.hasWrites === true) writer.bool('hasWrites', true)
    const { arrayPaths = [] } = index
    if (arrayPaths.length === 0) return
    writer.openArray('arrayPaths')
    arrayPaths.forEach((path, position) => {
      writer.string(String(position), path)
    })
    writer.close()
  })
}

interface Keyed {
  readonly collation?: Collation
  readonly keyedBy?: string
}

function writeKeysVersion(writer: DocumentWriter, { collation, keyedBy }: Keyed): void {
  if (collation !== undefined) writer.string('keyedBy', keyedBy ?? keysVersion)
}

/** Empty if the ICU version is that of this process. */
function keysVersionOf(document: Document): { readonly keyedBy?: string } {
  const stored = field(document, 'keyedBy')
  const keyedBy = stored === undefined ? '' : stringOf(stored)
  return keyedBy === keysVersion ? {} : { keyedBy }
}

interface Decoded {
  readonly bytes: Bytes
  readonly namespace: Namespace
}

const decoded = new LRUCache<string, Decoded>({
  max: descriptorCacheMax,
  maxSize: descriptorCacheBytesMax,
  // A decoded descriptor takes about four times its bytes, plus the table entry.
  sizeCalculation: (entry) => entry.bytes.length * 4 + 1_000,
})

/** Decodes a descriptor, at most once while its bytes stay the same. */
export function decodeNamespace(db: string, name: string, bytes: Bytes): Namespace {
  const key = `${db}\0${name}`
  const known = decoded.get(key)
  if (known !== undefined && equalBytes(known.bytes, bytes)) return known.namespace
  const kept = bytes.slice()
  const namespace = parseNamespace(db, name, kept)
  decoded.set(key, { bytes: kept, namespace })
  return namespace
}

function parseNamespace(db: string, name: string, bytes: Bytes): Namespace {
  const stored = decodeAccess(bytes)
  const access = { ...stored, ...keptFor(name) }
  const uuid = required(bytes, 'uuid')
  const capped = cappedOf(documentOf(required(bytes, 'options')))
  const timeSeries = timeSeriesOf(documentOf(required(bytes, 'options')))
  const collation = collationOf(documentOf(required(bytes, 'options')))
  return {
    id: numberOf(required(bytes, 'id')) as NamespaceId,
    db,
    name,
    version: numberOf(required(bytes, 'version')),
    createdAt: numberOf(required(bytes, 'createdAt')),
    uuid: uuid.bytes.slice(uuid.start + 5, uuid.end),
    access,
    indexes: elementsOf(required(bytes, 'indexes')).map((index) => parseIndex(documentOf(index))),
    options: documentOf(required(bytes, 'options')).slice(),
    ...(collation === undefined ? {} : { collation, ...keysVersionOf(bytes) }),
    ...(capped === undefined ? {} : { capped }),
    ...(timeSeries === undefined ? {} : { timeSeries }),
    ...validationOf(documentOf(required(bytes, 'options'))),
    ...definitionIn(documentOf(required(bytes, 'options'))),
    ...(field(bytes, 'keyspace') === undefined ? {} : { keyspace: true }),
    ...(field(bytes, 'permanent') === undefined ? {} : { isPermanent: true }),
    ...(field(bytes, 'recorded') === undefined ? {} : { recorded: true }),
    ...imagesOf(documentOf(required(bytes, 'options'))),
  }
}

function parseIndex(document: Document): IndexDescriptor {
  const spec = documentOf(required(document, 'spec')).slice()
  const arrays = field(document, 'arrayPaths')
  const fields = fieldsOfKey(documentOf(required(spec, 'key')))
  // Hashes reveal neither values nor their order, whatever their entries are.
  const inexact = boolOf(required(document, 'inexact')) || fields.some(isHashedField)
  return {
    id: numberOf(required(document, 'id')) as IndexId,
    name: stringOf(required(document, 'name')),
    fields,
    unique: boolOf(required(document, 'unique')),
    state: stringOf(required(document, 'state')) === 'ready' ? 'ready' : 'building',
    multikey: elementsOf(required(document, 'multikey')).map(boolOf),
    inexact,
    spec,
    ...optionsOf(spec),
    ...(field(spec, 'collation') === undefined ? {} : keysVersionOf(document)),
    ...(field(document, 'suffixed') === undefined ? {} : { suffixed: true }),
    ...(field(document, 'hasWrites') === undefined ? {} : { hasWrites: true }),
    ...(arrays === undefined ? {} : { arrayPaths: elementsOf(arrays).map(stringOf) }),
  }
}

const isHashedField = ({ hashed }: IndexField): boolean => hashed === true

/** Paths and directions of a valid key pattern such as `{a: 1, b: -1}`. */
export function fieldsOfKey(key: Document): IndexField[] {
  const fields: IndexField[] = []
  for (const [path, direction] of fieldsOf(documentValue(key))) {
    if (isHashed(direction)) fields.push({ path, direction: 1, hashed: true })
    else fields.push({ path, direction: numberOf(direction) < 0 ? -1 : 1 })
  }
  return fields
}

function required(document: Document, name: string): Value {
  const value = field(document, name)
  assert(value !== undefined, `a catalog descriptor has ${name}`)
  return value
}
