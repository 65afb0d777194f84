// Valid commands for the mutations to start from: written ones that reach every stage, operator and
// option, one for every row of the table, and those that real clients were recorded with.

import { Binary, Int32, Long } from 'bson'
import type { DocumentRow } from '../../../src/bus/document/row.js'
import { opcode, readHeader } from '../../../src/protocol/wire/header.js'
import { parseOpMsg } from '../../../src/protocol/wire/op-msg.js'
import { readFixtures } from '../../record/fixture.js'
import { toObject } from '../../support/literal.js'
import {
  accumulators,
  expressions,
  filters,
  projections,
  updates,
  windowFunctions,
} from './expressions.js'

export type Command = Readonly<Record<string, unknown>>

const date = new Date(1_700_000_000_000)

/**
 * The documents that the commands are about. `c` has indexes, `d` none; `k` is capped, `v` a view,
 * `w` has rules and a collation, `x` an index of every path.
 */
export const documents: readonly Command[] = Array.from({ length: 12 }, (_, i) => ({
  _id: i,
  n: i % 3 === 0 ? new Int32(i) : i * 1.5,
  s: i % 2 === 0 ? 'text' : 'e\u{1f600}x',
  d: new Date(date.getTime() + i * 3_600_000),
  arr: [1, 2, i],
  o: { a: i, b: { c: [i] } },
  docs: [{ a: i % 4, b: 'x' }, { a: 1 }],
  ...(i === 5 ? { n: null, arr: [], odd: [[1, [2]], { $x: 1 }] } : {}),
  ...(i === 7 ? { s: new Binary(new Uint8Array(3)), d: Long.fromNumber(5) } : {}),
}))

const stages: readonly Command[] = [
  { $match: { n: { $gt: 1 } } },
  { $project: { n: 1, x: { $concat: ['a', 'b'] } } },
  { $addFields: { 'o.x': '$n', y: [1, '$s'] } },
  { $unset: ['n', 'o.a'] },
  { $sort: { n: -1, 'o.a': 1 } },
  { $limit: 3 },
  { $skip: 2 },
  { $unwind: { path: '$arr', includeArrayIndex: 'i', preserveNullAndEmptyArrays: true } },
  { $unwind: '$docs' },
  { $count: 'total' },
  { $sortByCount: '$s' },
  { $sample: { size: 2 } },
  { $replaceRoot: { newRoot: '$o' } },
  { $replaceWith: { $mergeObjects: ['$$ROOT', { x: 1 }] } },
  // biome-ignore lint/suspicious/noThenProperty: the reference server's name of the argument
  { $redact: { $cond: { if: { $gt: ['$n', 1] }, then: '$$DESCEND', else: '$$PRUNE' } } },
  {
    $bucket: { groupBy: '$_id', boundaries: [0, 5, 20], default: 'x', output: { n: { $sum: 1 } } },
  },
  { $bucketAuto: { groupBy: '$n', buckets: 3, granularity: 'R5', output: { n: { $push: '$s' } } } },
  { $lookup: { from: 'd', localField: 'n', foreignField: 'o.a', as: 'found' } },
  {
    $lookup: {
      ...{ from: 'c', let: { x: '$n' }, as: 'found' },
      pipeline: [{ $match: { $expr: { $eq: ['$_id', '$$x'] } } }, { $limit: 1 }],
    },
  },
  {
    $graphLookup: {
      ...{ from: 'c', startWith: '$n', connectFromField: 'o.a', connectToField: '_id' },
      ...{ as: 'graph', maxDepth: 2, depthField: 'depth', restrictSearchWithMatch: { n: 1 } },
    },
  },
  { $unionWith: { coll: 'd', pipeline: [{ $project: { n: 1 } }] } },
  { $facet: { one: [{ $limit: 1 }], two: [{ $group: { _id: '$s' } }] } },
  {
    $densify: { field: '_id', partitionByFields: ['s'], range: { step: 2, bounds: [0, 20] } },
  },
  { $densify: { field: 'd', range: { step: 1, unit: 'hour', bounds: 'full' } } },
  {
    $fill: { sortBy: { _id: 1 }, partitionBy: '$s', output: { n: { method: 'linear' } } },
  },
  { $fill: { sortBy: { _id: 1 }, output: { n: { value: 0 }, s: { method: 'locf' } } } },
  { $group: { _id: { s: '$s', a: '$o.a' }, n: { $sum: 1 } } },
  { $collStats: { storageStats: { scale: 1 }, count: {}, latencyStats: { histograms: true } } },
  { $indexStats: {} },
  { $out: 'out' },
  { $merge: { into: 'm', on: '_id', whenMatched: 'replace', whenNotMatched: 'insert' } },
  {
    $merge: {
      ...{ into: { db: 'test', coll: 'm' }, let: { x: '$n' } },
      whenMatched: [{ $set: { n: '$$new.n', x: '$$x' } }],
    },
  },
  { $geoNear: { near: [0, 0], distanceField: 'd' } },
  { $planCacheStats: {} },
]

function aggregate(...pipeline: Command[]): Command {
  return { aggregate: 'c', pipeline, cursor: {} }
}

const written: readonly Command[] = [
  ...expressions.map((x) => aggregate({ $project: { x } })),
  ...expressions.map((x) => ({ find: 'd', filter: { $expr: x }, projection: { x } })),
  ...accumulators.map((x) => aggregate({ $group: { _id: '$s', x } })),
  ...[...accumulators, ...windowFunctions].map((x) =>
    aggregate({ $setWindowFields: { partitionBy: '$s', sortBy: { d: 1 }, output: { x } } }),
  ),
  ...stages.map((stage) => aggregate(stage)),
  ...stages.map((stage, i) => aggregate({ $match: {} }, stages[(i + 7) % 26] ?? stage, stage)),
  { aggregate: 1, pipeline: [{ $documents: [{ a: 1 }, { a: { $add: [1, 2] } }] }], cursor: {} },
  { aggregate: 1, pipeline: [{ $listLocalSessions: { allUsers: true } }], cursor: {} },
  ...filters.map((filter) => ({ find: 'c', filter, sort: { n: 1, _id: -1 }, batchSize: 2 })),
  ...filters.map((query) => ({ count: 'd', query, skip: 1, limit: 5 })),
  ...filters.map((query) => ({ distinct: 'c', key: 'arr', query })),
  ...filters.map((q) => ({ delete: 'd', deletes: [{ q, limit: 1 }], ordered: false })),
  ...filters.map((filter) => ({ explain: { find: 'c', filter }, verbosity: 'executionStats' })),
  ...filters.flatMap((filter) =>
    ['k', 'v', 'w', 'x'].flatMap((find) => [
      { find, filter, sort: { s: -1 }, collation: { locale: 'en', strength: 1 } },
      { aggregate: find, pipeline: [{ $match: filter }, { $group: { _id: '$s' } }], cursor: {} },
      { explain: { find, filter, limit: 3 }, verbosity: 'allPlansExecution' },
    ]),
  ),
  ...updates.map((u) => ({ update: 'w', updates: [{ q: { arr: 1 }, u, multi: true }] })),
  ...updates.map((u) => ({ update: 'k', updates: [{ q: {}, u, ...filtersFor(u) }] })),
  ...['k', 'w', 'x'].flatMap((insert) => [
    { insert, documents: [{ n: 1, s: 'text', 'a.b': { $c: [1] } }, { _id: 1 }], ordered: false },
    { insert, documents: [{ n: -1, s: null, docs: [[]] }], bypassDocumentValidation: true },
    { delete: insert, deletes: [{ q: { n: { $gt: 3 } }, limit: 0, collation: { locale: 'fr' } }] },
    { count: insert, query: { s: 'TEXT' }, collation: { locale: 'en', strength: 2 } },
    { distinct: insert, key: 'docs.a', collation: { locale: 'sv' } },
    { collStats: insert },
  ]),
  { find: 'x', filter: { 'o.b.c': 3 }, hint: { '$**': 1 }, sort: { 'o.b.c': -1 } },
  { find: 'k', tailable: true, awaitData: false, sort: { $natural: 1 }, batchSize: 1 },
  { find: 'k', filter: {}, hint: { $natural: -1 }, limit: 2 },
  { find: 'x', filter: { $text: { $search: 'text -word "a b"', $caseSensitive: true } } },
  { collMod: 'k', cappedSize: 8192, cappedMax: 5 },
  { collMod: 'v', viewOn: 'd', pipeline: [{ $set: { seen: true } }] },
  { collMod: 'w', validator: { $jsonSchema: { required: ['n'] } }, validationLevel: 'strict' },
  { collMod: 'c', index: { name: 'n_1', prepareUnique: true } },
  { collMod: 'c', index: { name: 'n_1', unique: true }, dryRun: true },
  { convertToCapped: 'd', size: 4096 },
  { cloneCollectionAsCapped: 'd', toCollection: 'e', size: 4096 },
  { create: 'e', changeStreamPreAndPostImages: { enabled: true } },
  ...projections.map((projection) => ({ find: 'c', filter: { arr: 1 }, projection, limit: 3 })),
  ...updates.flatMap((u) => [
    { update: 'c', updates: [{ q: { arr: 1 }, u, ...filtersFor(u) }] },
    { update: 'd', updates: [{ q: { _id: 99 }, u, upsert: true, ...filtersFor(u) }] },
    { findAndModify: 'c', query: { arr: 2 }, sort: { n: 1 }, update: u, new: true },
  ]),
  { find: 'c', hint: 'n_1', min: { n: 1 }, max: { n: 9 }, returnKey: true, showRecordId: true },
  { find: 'c', filter: {}, let: { x: 1 }, singleBatch: true, skip: 1, maxTimeMS: 1000 },
  { find: 'c', collation: { locale: 'de', strength: 2, numericOrdering: true }, sort: { s: 1 } },
  { find: 'c', tailable: true, awaitData: true, noCursorTimeout: true, allowDiskUse: true },
  { insert: 'd', documents: [{ a: 1 }, { _id: 'x', b: [] }], ordered: true },
  { findAndModify: 'd', query: { n: 1 }, remove: true, fields: { n: 1 } },
  { findAndModify: 'c', query: {}, update: { $set: { x: 1 } }, upsert: true, collation: {} },
  { explain: { aggregate: 'c', pipeline: stages.slice(0, 3), cursor: {} } },
  { explain: { update: 'c', updates: [{ q: { n: 1 }, u: { $set: { n: 2 } } }] } },
  { explain: { delete: 'c', deletes: [{ q: { n: 1 }, limit: 0 }] }, verbosity: 'queryPlanner' },
  { explain: { distinct: 'c', key: 'n', query: {} } },
  { explain: { count: 'c', query: { n: 1 } } },
  { explain: { findAndModify: 'c', query: { n: 1 }, update: { $set: { n: 2 } } } },
  { create: 'e', capped: true, size: 4096, max: 10 },
  { create: 'e', validator: { n: { $gt: 0 } }, validationLevel: 'moderate' },
  { create: 'v', viewOn: 'c', pipeline: [{ $match: { n: 1 } }] },
  { create: 'e', collation: { locale: 'en', strength: 1 } },
  { create: 'e', timeseries: { timeField: 't', granularity: 'hours' }, expireAfterSeconds: 60 },
  { create: 'e', clusteredIndex: { key: { _id: 1 }, unique: true } },
  { createIndexes: 'd', indexes: [{ key: { n: 1, 'o.a': -1 }, name: 'x', unique: true }] },
  {
    createIndexes: 'e',
    indexes: [
      { key: { d: 1 }, name: 'ttl', expireAfterSeconds: 3600 },
      { key: { n: 1 }, name: 'partial', partialFilterExpression: { n: { $gt: 1 } }, sparse: false },
      { key: { '$**': 1 }, name: 'all', wildcardProjection: { a: 1 } },
      { key: { s: 'text' }, name: 'text', weights: { s: 2 }, default_language: 'none' },
      { key: { h: 'hashed' }, name: 'hash', hidden: true },
      { key: { l: '2dsphere' }, name: 'geo' },
    ],
  },
  { dropIndexes: 'd', index: ['x'] },
  { dropIndexes: 'd', index: { n: 1, 'o.a': -1 } },
  { listIndexes: 'c', cursor: { batchSize: 1 } },
  { listCollections: 1, filter: { name: 'c' }, nameOnly: true, authorizedCollections: true },
  { collMod: 'c', index: { keyPattern: { n: 1 }, hidden: true } },
  { collMod: 'd', validator: { n: { $exists: true } }, validationAction: 'warn' },
  { drop: 'out' },
  { dropDatabase: 1, $db: 'other' },
  { renameCollection: 'test.e', to: 'test.f', dropTarget: true, $db: 'admin' },
  { collStats: 'c', scale: 1024 },
  { planCacheClear: 'c', query: { n: 1, arr: 2 }, sort: { n: 1 }, projection: { n: 1 } },
  { planCacheClearFilters: 'c', query: { n: 1 } },
  { createIndexes: 'x', indexes: [{ key: { n: 1, 'o.$**': -1 }, name: 'nw' }] },
  { createIndexes: 'x', indexes: [{ key: { s: 'hashed', n: 1 }, name: 'sh', sparse: true }] },
  { aggregate: 'c', pipeline: [{ $planCacheStats: {} }, { $match: { works: 1 } }], cursor: {} },
  {
    aggregate: 'c',
    pipeline: [{ $geoNear: { near: [1, 2], distanceField: 'd', query: { n: 1 } } }],
    cursor: {},
  },
  { dbStats: 1, scale: 1, freeStorage: true },
  { validate: 'c', full: true },
  { getMore: Long.fromNumber(1), collection: 'c', batchSize: 1 },
  { killCursors: 'c', cursors: [Long.fromNumber(1)] },
  { listDatabases: 1, filter: { name: /t/ }, nameOnly: false, $db: 'admin' },
  { getParameter: 1, featureCompatibilityVersion: 1, $db: 'admin' },
  { startSession: 1 },
  { refreshSessions: [{ id: new Binary(new Uint8Array(16), 4) }] },
  { killAllSessionsByPattern: [{ lsid: { id: new Binary(new Uint8Array(16), 4) } }] },
  {
    ping: 1,
    readConcern: { level: 'local' },
    writeConcern: { w: 1, j: true, wtimeout: 5 },
    lsid: { id: new Binary(new Uint8Array(16), 4) },
    $readPreference: { mode: 'primary' },
    apiVersion: '1',
  },
  { keyMembers: 'kv0', key: 'k' },
  { setPrivacy: 'e', mode: 'public' },
]

function filtersFor(update: unknown): Command {
  const usesFilter = JSON.stringify(update).includes('$[x]')
  return usesFilter ? { arrayFilters: [{ 'x.a': { $gte: 1 } }] } : {}
}

/** Each row of the table by its name alone, and with something in every parameter. */
function bare({ name, adminOnly, paramNames }: DocumentRow): Command[] {
  const where = adminOnly === true ? { $db: 'admin' } : {}
  const params = Object.fromEntries(paramNames.map((param) => [param, 1]))
  return [
    { [name]: 'c', ...where },
    { [name]: 1, ...where },
    { [name]: 'c', ...params, ...where },
  ]
}

/** The OP_MSG commands in the recorded conversations, sequences as array fields. */
function recorded(): Command[] {
  const commands: Command[] = []
  for (const { frames } of readFixtures()) {
    for (const { from, hex } of frames) {
      const message = new Uint8Array(Buffer.from(hex, 'hex'))
      if (from !== 'client' || readHeader(message).opcode !== opcode.message) continue
      const { body, sequences } = parseOpMsg(message)
      const lists = [...sequences].map(([name, all]) => [name, all.map(toObject)] as const)
      commands.push({ ...toObject(body), ...Object.fromEntries(lists) })
    }
  }
  return commands
}

/** All of them; a command is about the database `test` unless its `$db` names another. */
export function corpusOf(rows: readonly DocumentRow[]): Command[] {
  return [...written, ...written, ...written, ...rows.flatMap(bare), ...recorded()]
}
