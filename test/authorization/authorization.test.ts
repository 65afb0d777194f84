// The authorization matrix: every command of the document table against every identity and every
// mode of a collection, on the real bus, over a decision for each command that is written here and
// not read off its row. A row without a decision fails.

import { Long } from 'bson'
import t from 'tap'
import { GatewayError } from '../../src/base/errors.js'
import { refusedRows } from '../../src/commands/document/server/refused.js'
import { memoryRows } from '../../src/commands/memory/rows.js'
import { documentRows } from '../../src/commands/rows.js'
import { valueFrom } from '../../src/value/literal.js'
import { documentValue } from '../../src/value/value.js'
import { writeArray, writeDocument } from '../../src/value/writer.js'
import type { CommandRoom, Reply } from '../support/command-room.js'
import {
  accesses,
  everybody,
  hasRights,
  identities,
  type Mode,
  mayEnter,
  modes,
  type Opens,
  rights,
  setAccess,
  type Who,
  wallets,
} from '../support/identities.js'
import { openPlace } from '../support/rights-room.js'

type Plain = Readonly<Record<string, unknown>>

interface Decision {
  readonly opens: Opens
  /** Letters of what it needs of `c`. */
  readonly privileges?: string
  /** Of `open`, which has no owner and is shared by all who have signed in. */
  readonly requiresOpen?: string
  readonly command: Plain
  readonly db?: string
  /** It answers with another error to those who are let in: what it would need is not there. */
  readonly fails?: true
  /** Admitted by the row, and refused by its handler by a rule of its own. */
  readonly except?: readonly Who[]
}

const plainIndex = { key: { a: 1 }, name: 'a_1' }
const uniqueIndex = { key: { a: 1, u: 1 }, name: 'a_1_u_1', unique: true }
const lasting = { key: { at: 1 }, name: 'at_1', expireAfterSeconds: 60 }
const newcomer = '0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc'

/** Keys that make nothing. */
const readingKeys: readonly Who[] = ['owner, reading key', 'role 2, reading key']

/** What touches `c`: by name of the row, or `row, variant`. */
const overCollection: Readonly<Record<string, Decision>> = {
  find: { opens: 'reader', privileges: 'r', command: { find: 'c' } },
  count: { opens: 'reader', privileges: 'r', command: { count: 'c' } },
  distinct: { opens: 'reader', privileges: 'r', command: { distinct: 'c', key: 'a' } },
  aggregate: {
    ...{ opens: 'reader', privileges: 'r' },
    command: { aggregate: 'c', pipeline: [], cursor: {} },
  },
  'aggregate, $lookup': {
    ...{ opens: 'reader', privileges: 'r', requiresOpen: 'r' },
    command: {
      aggregate: 'open',
      pipeline: [{ $lookup: { from: 'c', localField: 'a', foreignField: 'a', as: 'found' } }],
      cursor: {},
    },
  },
  'aggregate, $unionWith': {
    ...{ opens: 'reader', privileges: 'r', requiresOpen: 'r', fails: true },
    command: { aggregate: 'open', pipeline: [{ $unionWith: 'c' }], cursor: {} },
  },
  'aggregate, $facet': {
    ...{ opens: 'reader', privileges: 'r', requiresOpen: 'r', fails: true },
    command: {
      aggregate: 'open',
      pipeline: [{ $facet: { x: [{ $lookup: { from: 'c', pipeline: [], as: 'found' } }] } }],
      cursor: {},
    },
  },
  'aggregate, $out': {
    ...{ opens: 'reader', privileges: 'w', requiresOpen: 'r', fails: true },
    command: { aggregate: 'open', pipeline: [{ $out: 'c' }], cursor: {} },
  },
  'aggregate, $merge': {
    ...{ opens: 'reader', privileges: 'w', requiresOpen: 'r', fails: true },
    command: { aggregate: 'open', pipeline: [{ $merge: { into: 'c' } }], cursor: {} },
  },
  'aggregate, $merge with a pipeline': {
    ...{ opens: 'reader', privileges: 'rw', requiresOpen: 'r', fails: true },
    command: {
      aggregate: 'open',
      pipeline: [{ $merge: { into: 'c', whenMatched: [{ $set: { b: '$a' } }] } }],
      cursor: {},
    },
  },
  'aggregate, $merge by a field': {
    ...{ opens: 'reader', privileges: 'rw', requiresOpen: 'r', fails: true },
    command: { aggregate: 'open', pipeline: [{ $merge: { into: 'c', on: 'u' } }], cursor: {} },
  },
  'aggregate, $collStats': {
    ...{ opens: 'reader', privileges: 'r' },
    command: { aggregate: 'c', pipeline: [{ $collStats: { count: {} } }], cursor: {} },
  },
  'aggregate, $planCacheStats': {
    ...{ opens: 'reader', privileges: 'ro' },
    command: { aggregate: 'c', pipeline: [{ $planCacheStats: {} }], cursor: {} },
  },
  planCacheClear: { opens: 'identity', privileges: 'o', command: { planCacheClear: 'c' } },
  planCacheClearFilters: {
    ...{ opens: 'identity', privileges: 'o' },
    command: { planCacheClearFilters: 'c' },
  },
  keyMembers: {
    ...{ opens: 'reader', privileges: 'r', fails: true },
    command: { keyMembers: 'c', key: 'k' },
  },
  explain: { opens: 'reader', privileges: 'r', command: { explain: { find: 'c' } } },
  sqlSelect: { opens: 'reader', privileges: 'r', command: { sqlSelect: 'SELECT * FROM c' } },
  'sqlChange, INSERT': {
    ...{ opens: 'identity', privileges: 'w' },
    command: { sqlChange: 'INSERT INTO c (a) VALUES (3)' },
  },
  'sqlChange, RETURNING': {
    ...{ opens: 'identity', privileges: 'rw' },
    command: { sqlChange: 'INSERT INTO c (a) VALUES (3) RETURNING a' },
  },
  'sqlChange, ON CONFLICT': {
    ...{ opens: 'identity', privileges: 'rw' },
    command: { sqlChange: 'INSERT INTO c (_id) VALUES (1) ON CONFLICT (_id) DO NOTHING' },
  },
  'sqlChange, UPDATE of all': {
    ...{ opens: 'identity', privileges: 'w' },
    command: { sqlChange: 'UPDATE c SET a = 5' },
  },
  'sqlChange, UPDATE by the old row': {
    ...{ opens: 'identity', privileges: 'rw' },
    command: { sqlChange: 'UPDATE c SET a = a + 1' },
  },
  'sqlChange, UPDATE WHERE': {
    ...{ opens: 'identity', privileges: 'rw' },
    command: { sqlChange: 'UPDATE c SET a = 5 WHERE a = 1' },
  },
  'sqlChange, DELETE of all': {
    ...{ opens: 'identity', privileges: 'w' },
    command: { sqlChange: 'DELETE FROM c' },
  },
  'sqlChange, DELETE WHERE': {
    ...{ opens: 'identity', privileges: 'rw' },
    command: { sqlChange: 'DELETE FROM c WHERE a = 1' },
  },
  'sqlChange, DELETE RETURNING': {
    ...{ opens: 'identity', privileges: 'rw' },
    command: { sqlChange: 'DELETE FROM c RETURNING *' },
  },
  'sqlChange, TRUNCATE': {
    ...{ opens: 'identity', privileges: 'a' },
    command: { sqlChange: 'TRUNCATE c' },
  },
  'sqlDefine, CREATE INDEX': {
    ...{ opens: 'identity', privileges: 'i' },
    command: { sqlDefine: 'CREATE INDEX ON c (a)' },
  },
  'sqlDefine, CREATE UNIQUE INDEX': {
    ...{ opens: 'identity', privileges: 'o' },
    command: { sqlDefine: 'CREATE UNIQUE INDEX ON c (a)' },
  },
  'sqlDefine, DROP INDEX ON': {
    ...{ opens: 'identity', privileges: 'i' },
    command: { sqlDefine: 'DROP INDEX z_1 ON c' },
  },
  'sqlDefine, DROP INDEX of a unique one': {
    ...{ opens: 'identity', privileges: 'io' },
    command: { sqlDefine: 'DROP INDEX c.u_1' },
  },
  'sqlDefine, DROP TABLE': {
    ...{ opens: 'identity', privileges: 'a' },
    command: { sqlDefine: 'DROP TABLE c' },
  },
  'sqlDefine, CREATE TABLE': {
    ...{ opens: 'identity', privileges: 'o', fails: true },
    command: { sqlDefine: 'CREATE TABLE c (a int)' },
  },
  'sqlDefine, CREATE TABLE without columns': {
    ...{ opens: 'identity', privileges: 'w', fails: true },
    command: { sqlDefine: 'CREATE TABLE c ()' },
  },
  'sqlShow, SHOW INDEXES': {
    ...{ opens: 'reader', privileges: 'r' },
    command: { sqlShow: 'SHOW INDEXES FROM c' },
  },
  'sqlShow, DESCRIBE': { opens: 'reader', privileges: 'r', command: { sqlShow: 'DESCRIBE c' } },
  'sqlExplain, SELECT': {
    ...{ opens: 'reader', privileges: 'r' },
    command: { sqlExplain: 'EXPLAIN SELECT * FROM c' },
  },
  'sqlExplain, JOIN': {
    ...{ opens: 'reader', privileges: 'r', requiresOpen: 'r' },
    command: { sqlExplain: 'EXPLAIN SELECT * FROM open JOIN c ON open.a = c.a' },
  },
  'sqlExplain, UPDATE': {
    ...{ opens: 'reader', privileges: 'rw' },
    command: { sqlExplain: 'EXPLAIN UPDATE c SET a = 1 WHERE a = 2' },
  },
  'sqlExplain, INSERT': {
    ...{ opens: 'reader', privileges: 'w' },
    command: { sqlExplain: 'EXPLAIN INSERT INTO c (a) VALUES (1)' },
  },
  'sqlSelect, JOIN': {
    ...{ opens: 'reader', privileges: 'r', requiresOpen: 'r' },
    command: { sqlSelect: 'SELECT * FROM open LEFT JOIN c ON open.a = c.a' },
  },
  'explain, delete': {
    ...{ opens: 'reader', privileges: 'rw' },
    command: { explain: { delete: 'c', deletes: [{ q: {}, limit: 0 }] } },
  },
  'sqlExplain, UPDATE of all': {
    ...{ opens: 'reader', privileges: 'rw' },
    command: { sqlExplain: 'EXPLAIN UPDATE c SET a = 1' },
  },
  'sqlExplain, DELETE of all': {
    ...{ opens: 'reader', privileges: 'rw' },
    command: { sqlExplain: 'EXPLAIN ANALYZE DELETE FROM c' },
  },
  'update, by a field': {
    ...{ opens: 'identity', privileges: 'rw' },
    command: { update: 'c', updates: [{ q: { a: 1 }, u: { $set: { a: 4 } } }] },
  },
  'update, by a range of _id': {
    ...{ opens: 'identity', privileges: 'rw' },
    command: { update: 'c', updates: [{ q: { _id: { $gt: 0 } }, u: { $set: { a: 4 } } }] },
  },
  'update, the second by a field': {
    ...{ opens: 'identity', privileges: 'rw' },
    command: {
      update: 'c',
      updates: [
        { q: { _id: 1 }, u: { $set: { a: 4 } } },
        { q: { _id: 1, a: 4 }, u: { $set: { a: 5 } } },
      ],
    },
  },
  'update, with a pipeline': {
    ...{ opens: 'identity', privileges: 'rw' },
    command: { update: 'c', updates: [{ q: { _id: 1 }, u: [{ $set: { b: '$a' } }] }] },
  },
  'update, with arrayFilters': {
    ...{ opens: 'identity', privileges: 'rw' },
    command: {
      update: 'c',
      updates: [{ q: { _id: 9 }, u: { $set: { 'v.$[x]': 1 } }, arrayFilters: [{ x: 1 }] }],
    },
  },
  'update, with a hint': {
    ...{ opens: 'identity', privileges: 'rw' },
    command: { update: 'c', updates: [{ q: { _id: 1 }, u: { $set: { a: 4 } }, hint: '_id_' }] },
  },
  'update, replacing by _id': {
    ...{ opens: 'identity', privileges: 'w' },
    command: { update: 'c', updates: [{ q: { _id: { $eq: 1 } }, u: { a: 4, u: 1 } }] },
  },
  'delete, by _ids': {
    ...{ opens: 'identity', privileges: 'w' },
    command: { delete: 'c', deletes: [{ q: { _id: { $in: [1, 2] } }, limit: 0 }] },
  },
  'delete, by a field': {
    ...{ opens: 'identity', privileges: 'rw' },
    command: { delete: 'c', deletes: [{ q: { a: 1 }, limit: 0 }] },
  },
  'delete, by an expression': {
    ...{ opens: 'identity', privileges: 'rw' },
    command: { delete: 'c', deletes: [{ q: { $expr: { $eq: ['$a', 1] } }, limit: 1 }] },
  },
  'explain, update': {
    ...{ opens: 'reader', privileges: 'rw' },
    command: { explain: { update: 'c', updates: [{ q: {}, u: { $set: { a: 1 } } }] } },
  },
  'explain, findAndModify': {
    ...{ opens: 'reader', privileges: 'rw' },
    command: { explain: { findAndModify: 'c', update: { $set: { a: 1 } } } },
  },
  listIndexes: { opens: 'reader', privileges: 'r', command: { listIndexes: 'c' } },
  collStats: { opens: 'reader', privileges: 'r', command: { collStats: 'c' } },
  collectionStats: { opens: 'reader', privileges: 'r', command: { collectionStats: 'c' } },
  validate: { opens: 'reader', privileges: 'r', command: { validate: 'c' } },
  dataSize: { opens: 'reader', privileges: 'r', command: { dataSize: 'test.c' } },
  compact: { opens: 'identity', privileges: 'a', command: { compact: 'c' } },
  planCacheListFilters: {
    opens: 'reader',
    privileges: 'r',
    command: { planCacheListFilters: 'c' },
  },
  insert: { opens: 'identity', privileges: 'w', command: { insert: 'c', documents: [{ a: 3 }] } },
  update: {
    ...{ opens: 'identity', privileges: 'w' },
    command: { update: 'c', updates: [{ q: {}, u: { $set: { a: 4 } } }] },
  },
  'update, upsert': {
    ...{ opens: 'identity', privileges: 'w' },
    command: { update: 'c', updates: [{ q: { _id: 9 }, u: { $set: { a: 4 } }, upsert: true }] },
  },
  delete: {
    opens: 'identity',
    privileges: 'w',
    command: { delete: 'c', deletes: [{ q: {}, limit: 0 }] },
  },
  findAndModify: {
    ...{ opens: 'identity', privileges: 'rw' },
    command: { findAndModify: 'c', update: { $set: { a: 2 } } },
  },
  'findAndModify, remove': {
    ...{ opens: 'identity', privileges: 'rw' },
    command: { findAndModify: 'c', remove: true },
  },
  findAndModifyIf: {
    ...{ opens: 'identity', privileges: 'rw' },
    command: { findAndModifyIf: 'c', update: { $set: { a: 2 } } },
  },
  'findAndModifyIf, remove': {
    ...{ opens: 'identity', privileges: 'rw' },
    command: { findAndModifyIf: 'c', remove: true },
  },
  create: { opens: 'identity', privileges: 'w', fails: true, command: { create: 'c' } },
  createIndexes: {
    ...{ opens: 'identity', privileges: 'i' },
    command: { createIndexes: 'c', indexes: [plainIndex] },
  },
  'createIndexes, unique': {
    ...{ opens: 'identity', privileges: 'o' },
    command: { createIndexes: 'c', indexes: [plainIndex, uniqueIndex] },
  },
  'createIndexes, TTL': {
    ...{ opens: 'identity', privileges: 'o' },
    command: { createIndexes: 'c', indexes: [lasting] },
  },
  collMod: {
    ...{ opens: 'identity', privileges: 'o' },
    command: { collMod: 'c', index: { name: 'z_1', expireAfterSeconds: 60 } },
  },
  dropIndexes: {
    ...{ opens: 'identity', privileges: 'i' },
    command: { dropIndexes: 'c', index: 'z_1' },
  },
  'dropIndexes, unique': {
    ...{ opens: 'identity', privileges: 'io' },
    command: { dropIndexes: 'c', index: 'u_1' },
  },
  'dropIndexes, all': {
    ...{ opens: 'identity', privileges: 'io' },
    command: { dropIndexes: 'c', index: '*' },
  },
  'collMod, cappedSize': {
    ...{ opens: 'identity', privileges: 'o', fails: true },
    command: { collMod: 'c', cappedSize: 5_000 },
  },
  convertToCapped: {
    ...{ opens: 'identity', privileges: 'a' },
    command: { convertToCapped: 'c', size: 100_000 },
  },
  cloneCollectionAsCapped: {
    ...{ opens: 'identity', privileges: 'r', requiresOpen: 'w', fails: true },
    command: { cloneCollectionAsCapped: 'c', toCollection: 'open', size: 100_000 },
  },
  'collMod, validator': {
    ...{ opens: 'identity', privileges: 'o' },
    command: { collMod: 'c', validator: { a: { $gt: 0 } } },
  },
  'collMod, prepareUnique': {
    ...{ opens: 'identity', privileges: 'o' },
    command: { collMod: 'c', index: { name: 'z_1', prepareUnique: true } },
  },
  'collMod, unique': {
    ...{ opens: 'identity', privileges: 'o', fails: true },
    command: { collMod: 'c', index: { name: 'z_1', unique: true } },
  },
  'create, validator': {
    ...{ opens: 'identity', privileges: 'o', fails: true },
    command: { create: 'c', validator: { a: 1 } },
  },
  'create, time series': {
    ...{ opens: 'identity', privileges: 'o', fails: true },
    command: { create: 'c', timeseries: { timeField: 't' }, expireAfterSeconds: 60 },
  },
  'collMod, time series': {
    ...{ opens: 'identity', privileges: 'o', fails: true },
    command: { collMod: 'c', timeseries: { granularity: 'hours' } },
  },
  'aggregate, $out of a time series': {
    ...{ opens: 'reader', privileges: 'r', requiresOpen: 'wo', fails: true },
    command: {
      aggregate: 'c',
      pipeline: [{ $out: { db: 'test', coll: 'open', timeseries: { timeField: 't' } } }],
      cursor: {},
    },
  },
  'create, view': {
    ...{ opens: 'identity', privileges: 'r', except: readingKeys },
    command: { create: 'w', viewOn: 'c', pipeline: [] },
  },
  'create, view that joins': {
    ...{ opens: 'identity', privileges: 'r', requiresOpen: 'r', except: readingKeys },
    command: {
      ...{ create: 'w', viewOn: 'open' },
      pipeline: [{ $lookup: { from: 'c', localField: 'a', foreignField: 'a', as: 'found' } }],
    },
  },
  'create, view that joins within a join': {
    ...{ opens: 'identity', privileges: 'r', requiresOpen: 'r', except: readingKeys },
    command: {
      ...{ create: 'w', viewOn: 'open' },
      pipeline: [{ $lookup: { from: 'open', pipeline: [{ $unionWith: 'c' }], as: 'found' } }],
    },
  },
  'insert, past the validator': {
    ...{ opens: 'identity', privileges: 'wo' },
    command: { insert: 'c', documents: [{ a: 3 }], bypassDocumentValidation: true },
  },
  'update, past the validator': {
    ...{ opens: 'identity', privileges: 'wo' },
    command: {
      ...{ update: 'c', updates: [{ q: {}, u: { $set: { a: 4 } } }] },
      bypassDocumentValidation: true,
    },
  },
  'findAndModify, past the validator': {
    ...{ opens: 'identity', privileges: 'rwo' },
    command: { findAndModify: 'c', update: { $set: { a: 2 } }, bypassDocumentValidation: true },
  },
  'aggregate, $merge past the validator': {
    ...{ opens: 'reader', privileges: 'wo', requiresOpen: 'r', fails: true },
    command: {
      ...{ aggregate: 'open', pipeline: [{ $merge: { into: 'c' } }], cursor: {} },
      bypassDocumentValidation: true,
    },
  },
  drop: { opens: 'identity', privileges: 'a', command: { drop: 'c' } },
  renameCollection: {
    ...{ opens: 'identity', privileges: 'a', db: 'admin' },
    command: { renameCollection: 'test.c', to: 'test.d' },
  },
  'renameCollection, over another': {
    ...{
      opens: 'identity',
      privileges: 'a',
      db: 'admin',
      except: everybody.filter((who) => who !== 'operator'),
    },
    command: { renameCollection: 'test.c', to: 'test.open', dropTarget: true },
  },
  getPrivacy: { opens: 'anonymous', command: { getPrivacy: 'c' } },
  setPrivacy: { opens: 'identity', privileges: 'c', command: { setPrivacy: 'c', mode: 'public' } },
  'setPrivacy, owner': {
    ...{
      opens: 'identity',
      privileges: 'c',
      except: everybody.filter((who) => who !== 'operator'),
    },
    command: { setPrivacy: 'c', ownerAddress: newcomer },
  },
  'setPrivacy, release': {
    ...{ opens: 'identity', privileges: 'c', fails: true },
    command: { setPrivacy: 'c', release: true },
  },
  getRoles: { opens: 'identity', privileges: 'a', command: { getRoles: 'c' } },
  setRole: {
    ...{ opens: 'identity', privileges: 'a' },
    command: { setRole: 'c', address: newcomer, action: 'grant', role: 2 },
  },
}

const one = { fails: true, opens: 'identity' } as const

/** What touches no collection, or looks at each for itself. */
const besides: Readonly<Record<string, Decision>> = {
  hello: { opens: 'anonymous', command: { hello: 1 } },
  isMaster: { opens: 'anonymous', command: { isMaster: 1 } },
  saslStart: { ...one, opens: 'anonymous', command: { saslStart: 1 } },
  saslContinue: { ...one, opens: 'anonymous', command: { saslContinue: 1 } },
  authenticate: { ...one, opens: 'anonymous', command: { authenticate: 1 } },
  logout: { opens: 'anonymous', command: { logout: 1 } },
  getnonce: { ...one, opens: 'anonymous', command: { getnonce: 1 } },
  ping: { opens: 'anonymous', command: { ping: 1 } },
  buildInfo: { opens: 'anonymous', command: { buildInfo: 1 } },
  whatsmyuri: { opens: 'anonymous', command: { whatsmyuri: 1 } },
  connectionStatus: { opens: 'anonymous', command: { connectionStatus: 1 } },
  startSession: { opens: 'anonymous', command: { startSession: 1 } },
  refreshSessions: { opens: 'anonymous', command: { refreshSessions: [] } },
  endSessions: { opens: 'anonymous', command: { endSessions: [] } },
  getWhitelist: { opens: 'anonymous', command: { getWhitelist: 1 } },
  accountUsage: { opens: 'identity', command: { accountUsage: 1 } },
  listProtocols: { opens: 'anonymous', command: { listProtocols: 1 } },
  killCursors: { opens: 'reader', command: { killCursors: 'c', cursors: [Long.fromNumber(5)] } },
  getMore: {
    ...{ opens: 'reader', fails: true },
    command: { getMore: Long.fromNumber(5), collection: 'c' },
  },
  listDatabases: { opens: 'reader', db: 'admin', command: { listDatabases: 1 } },
  listCollections: { opens: 'reader', command: { listCollections: 1 } },
  collectionSummaries: { opens: 'reader', command: { collectionSummaries: 1 } },
  dbStats: { opens: 'reader', command: { dbStats: 1 } },
  listCommands: { opens: 'identity', command: { listCommands: 1 } },
  setParameter: {
    opens: 'operator',
    db: 'admin',
    command: { setParameter: 1, ttlMonitorEnabled: 1 },
  },
  getParameter: { opens: 'identity', db: 'admin', command: { getParameter: '*' } },
  serverStatus: { opens: 'identity', command: { serverStatus: 1 } },
  commitTransaction: {
    opens: 'identity',
    db: 'admin',
    fails: true,
    command: { commitTransaction: 1 },
  },
  abortTransaction: {
    opens: 'identity',
    db: 'admin',
    fails: true,
    command: { abortTransaction: 1 },
  },
  beginTransaction: { opens: 'identity', command: { beginTransaction: 1 } },
  listTransactions: { opens: 'identity', command: { listTransactions: 1 } },
  currentOp: { opens: 'identity', db: 'admin', command: { currentOp: 1 } },
  killOp: { opens: 'identity', db: 'admin', command: { killOp: 1, op: 0 } },
  killSessions: { opens: 'identity', command: { killSessions: [] } },
  killAllSessions: { opens: 'identity', command: { killAllSessions: [] } },
  killAllSessionsByPattern: { opens: 'identity', command: { killAllSessionsByPattern: [] } },
  ...Object.fromEntries(
    refusedRows.map(({ name, adminOnly }): [string, Decision] => [
      name,
      { ...one, ...(adminOnly === true ? { db: 'admin' } : {}), command: { [name]: 1 } },
    ]),
  ),
  features: { opens: 'anonymous', command: { features: 1 } },
  shardingState: { opens: 'identity', db: 'admin', command: { shardingState: 1 } },
  // The room's server is a standalone.
  listShards: { opens: 'identity', db: 'admin', fails: true, command: { listShards: 1 } },
  isdbgrid: { opens: 'anonymous', fails: true, command: { isdbgrid: 1 } },
  balancerStatus: { opens: 'identity', db: 'admin', fails: true, command: { balancerStatus: 1 } },
  getDefaultRWConcern: {
    ...{ opens: 'identity', db: 'admin', fails: true },
    command: { getDefaultRWConcern: 1 },
  },
  setDefaultRWConcern: {
    ...{ opens: 'operator', db: 'admin', fails: true },
    command: { setDefaultRWConcern: 1 },
  },
  'sqlShow, SHOW TABLES': { opens: 'reader', command: { sqlShow: 'SHOW TABLES' } },
  'sqlDefine, DROP INDEX of any collection': {
    ...{ opens: 'identity' },
    command: { sqlDefine: 'DROP INDEX IF EXISTS z_1' },
  },
  lockInfo: { opens: 'operator', db: 'admin', command: { lockInfo: 1 } },
  connPoolStats: { opens: 'operator', command: { connPoolStats: 1 } },
  setFeatureCompatibilityVersion: {
    ...{ opens: 'operator', db: 'admin' },
    command: { setFeatureCompatibilityVersion: '7.0', confirm: true },
  },
  shutdown: { opens: 'operator', db: 'admin', fails: true, command: { shutdown: 1 } },
  hostInfo: { opens: 'operator', db: 'admin', command: { hostInfo: 1 } },
  getCmdLineOpts: { opens: 'operator', db: 'admin', command: { getCmdLineOpts: 1 } },
  getLog: { opens: 'operator', db: 'admin', command: { getLog: 'global' } },
  top: { opens: 'operator', db: 'admin', command: { top: 1 } },
  profile: { opens: 'operator', command: { profile: 0 } },
  usersInfo: { opens: 'identity', command: { usersInfo: 1 } },
  // The room has no service for passwords: USERS=off.
  createUser: {
    ...{ opens: 'operator', fails: true },
    command: { createUser: 'app', pwd: 'geheim', roles: [] },
  },
  updateUser: { opens: 'operator', fails: true, command: { updateUser: 'app', roles: [] } },
  grantRolesToUser: {
    ...{ opens: 'operator', fails: true },
    command: { grantRolesToUser: 'app', roles: [] },
  },
  revokeRolesFromUser: {
    ...{ opens: 'operator', fails: true },
    command: { revokeRolesFromUser: 'app', roles: [] },
  },
  dropUser: { opens: 'operator', fails: true, command: { dropUser: 'app' } },
  dropAllUsersFromDatabase: { opens: 'operator', command: { dropAllUsersFromDatabase: 1 } },
  rolesInfo: { opens: 'operator', command: { rolesInfo: 1 } },
  // The room has no listeners.
  setProtocol: { opens: 'admin', fails: true, command: { setProtocol: 'sql', enabled: true } },
  setWhitelist: {
    opens: 'admin',
    command: { setWhitelist: 1, address: newcomer, action: 'add' },
  },
}

/**
 * Decided here, tried where their services are: sign-in in test/identity, keys in test/commands.
 */
const elsewhere: Readonly<Record<string, Opens>> = {
  authNonce: 'anonymous',
  authVerify: 'anonymous',
  authLogout: 'anonymous',
  authMe: 'session',
  generateKey: 'session',
  listKeys: 'session',
  rotateKey: 'session',
  revokeKey: 'session',
  setKeyPermissions: 'session',
  keyRegistry: 'anonymous',
  keyAnalytics: 'session',
  analyticsOverview: 'session',
}

/** Rows with a test of their own below, and those of graphs: authorization-graphs.test.ts. */
const apart = new Set(['dropDatabase', ...memoryRows.map(({ name }) => name)])

t.test('every command has a decision', async (t) => {
  const decided = new Set([...Object.keys(overCollection), ...Object.keys(besides)].map(rowOf))
  for (const { name, access } of documentRows) {
    const other = elsewhere[name]
    if (other !== undefined) t.equal(access, other, name)
    else t.ok(decided.has(name) || apart.has(name), `${name} has no decision`)
  }
})

function rowOf(key: string): string {
  return key.split(',')[0] ?? key
}

/** The reply, or the error that stands for it. */
async function outcomeOf(
  room: CommandRoom,
  { command, db }: Decision,
  who: Who,
): Promise<Reply | GatewayError> {
  try {
    return await room.run(command, db, room.sessionOf(identities[who]))
  } catch (error) {
    if (error instanceof GatewayError) return error
    throw error
  }
}

const isRefusal = (outcome: Reply | GatewayError): boolean =>
  outcome instanceof GatewayError && outcome.code === 13

/** What everybody who has signed in may do to `open`. */
function hasOpenRights(who: Who, privileges: string): boolean {
  const shared = rights[who].shared
  const mine = who === 'operator' ? 'rwioac' : [...shared].filter((each) => 'rw'.includes(each))
  return [...privileges].every((privilege) => mine.includes(privilege))
}

function isAllowed(decision: Decision, who: Who, mode: Mode): boolean {
  const { opens, privileges = '', requiresOpen = '', except = [] } = decision
  return (
    mayEnter(who, opens) &&
    !except.includes(who) &&
    hasRights(who, mode, privileges) &&
    hasOpenRights(who, requiresOpen)
  )
}

for (const mode of modes) {
  t.test(`a collection that is ${mode}: each does what it may, and no more`, async (t) => {
    const { room, reset } = await openPlace()
    await reset(mode)
    const before = JSON.stringify(await room.all('c'))
    for (const [name, decision] of Object.entries(overCollection)) {
      for (const who of everybody) {
        const outcome = await outcomeOf(room, decision, who)
        const what = `${name} by ${who}`
        if (!isAllowed(decision, who, mode)) {
          t.ok(isRefusal(outcome), `${what} is refused`)
          continue
        }
        t.notOk(isRefusal(outcome), `${what} is let in`)
        if (decision.fails !== true) t.notOk(outcome instanceof GatewayError, `${what} works`)
        await reset(mode)
      }
      t.equal(JSON.stringify(await room.all('c')), before, `${name}: nothing was changed`)
    }
    await room.engine.close()
  })
}

t.test('commands beside the collections are open to whom the decision says', async (t) => {
  const { room, reset } = await openPlace()
  await reset('private')
  for (const [name, decision] of Object.entries(besides)) {
    for (const who of everybody) {
      const outcome = await outcomeOf(room, decision, who)
      const what = `${name} by ${who}`
      t.equal(isRefusal(outcome), !mayEnter(who, decision.opens), what)
    }
  }
  await room.engine.close()
})

t.test(
  'under ANONYMOUS=read an anonymous client reads what is public, and only reads',
  async (t) => {
    const { room, reset } = await openPlace(true)
    for (const mode of modes) {
      await reset(mode)
      for (const [name, decision] of Object.entries(overCollection)) {
        const { privileges = '', requiresOpen = '', opens } = decision
        const may =
          opens === 'anonymous' ||
          (opens === 'reader' && mode === 'public' && privileges === 'r' && requiresOpen === '')
        const outcome = await outcomeOf(room, decision, 'anonymous')
        t.equal(isRefusal(outcome), !may, `${name}, ${mode}`)
      }
    }
    for (const [name, decision] of Object.entries(besides)) {
      const outcome = await outcomeOf(room, decision, 'anonymous')
      t.equal(isRefusal(outcome), !mayEnter('anonymous', decision.opens, true), name)
    }
    await room.engine.close()
  },
)

t.test('lists and sums show what the caller may read', async (t) => {
  const { room, reset } = await openPlace()
  for (const mode of modes) {
    await reset(mode)
    for (const who of everybody) {
      if (who === 'anonymous') continue
      const session = room.sessionOf(identities[who])
      const sees = hasRights(who, mode, 'r')
      const names = (await room.run({ listCollections: 1 }, 'test', session)).cursor.firstBatch
      const found = names.some(({ name }: Reply) => name === 'c')
      t.equal(found, sees, `listCollections by ${who}, ${mode}`)
      const summaries = (await room.run({ collectionSummaries: 1 }, 'test', session)).collections
      const listed = summaries.some(({ name }: Reply) => name === 'c')
      t.equal(listed, sees, `collectionSummaries by ${who}, ${mode}`)
      const tables = await room.run({ sqlShow: 'SHOW TABLES' }, 'test', session)
      const shown = tables.cursor.firstBatch.some(({ name }: Reply) => name === 'c')
      t.equal(shown, sees, `SHOW TABLES by ${who}, ${mode}`)
      const { objects } = await room.run({ dbStats: 1 }, 'test', session)
      const open = hasOpenRights(who, 'r') ? 1 : 0
      t.equal(objects, open + (sees ? 2 : 0), `dbStats by ${who}, ${mode}`)
    }
  }
  await room.engine.close()
})

t.test(
  'dropDatabase needs the right to drop each collection, and drops none without',
  async (t) => {
    const { room, reset } = await openPlace()
    for (const who of everybody) {
      await reset('private')
      const session = room.sessionOf(identities[who])
      const decision = { opens: 'identity', command: { dropDatabase: 1 } } as const
      t.equal(isRefusal(await outcomeOf(room, decision, who)), who !== 'operator', who)
      t.equal((await room.all('c')).length, who === 'operator' ? 0 : 2)
      t.ok(session)
    }
    await reset('private')
    await room.run({ drop: 'open' })
    const owner = room.sessionOf(identities.owner)
    t.equal((await room.run({ dropDatabase: 1 }, 'test', owner)).dropped, 'test')
    await room.engine.close()
  },
)

t.test(
  'an index is dropped by its name alone by who may drop it, and unknown to others',
  async (t) => {
    const { room, reset } = await openPlace()
    for (const mode of modes) {
      for (const [index, privileges] of [
        ['z_1', 'i'],
        ['u_1', 'io'],
      ] as const) {
        for (const who of everybody) {
          if (who === 'anonymous') continue
          await reset(mode)
          const decision = {
            opens: 'identity',
            command: { sqlDefine: `DROP INDEX ${index}` },
          } as const
          const outcome = await outcomeOf(room, decision, who)
          const left = (await room.run({ listIndexes: 'c' })).cursor.firstBatch
          const isDropped = !left.some(({ name }: Reply) => name === index)
          t.equal(isDropped, hasRights(who, mode, privileges), `${index} by ${who}, ${mode}`)
          const isUnknown = outcome instanceof GatewayError && outcome.codeName === 'IndexNotFound'
          t.equal(isUnknown, !hasRights(who, mode, 'i'), `${index} is unknown to ${who}, ${mode}`)
        }
      }
    }
    await room.engine.close()
  },
)

/** Every way of reading the view `v`; `open` is everybody's. */
const viewReads: Readonly<Record<string, Plain>> = {
  find: { find: 'v' },
  count: { count: 'v' },
  distinct: { distinct: 'v', key: 'a' },
  aggregate: { aggregate: 'v', pipeline: [], cursor: {} },
  explain: { explain: { find: 'v' } },
  sqlSelect: { sqlSelect: 'SELECT * FROM v' },
  'sqlShow, DESCRIBE': { sqlShow: 'DESCRIBE v' },
  sqlExplain: { sqlExplain: 'EXPLAIN SELECT * FROM v' },
  'sqlSelect, JOIN': { sqlSelect: 'SELECT * FROM open JOIN v ON true' },
  'over another view': { find: 'over' },
  $lookup: {
    aggregate: 'open',
    pipeline: [{ $lookup: { from: 'v', localField: 'a', foreignField: 'a', as: 'found' } }],
    cursor: {},
  },
  $unionWith: { aggregate: 'open', pipeline: [{ $unionWith: 'v' }], cursor: {} },
}

t.test(
  'a view is read by who may read it, as long as its owner may read what it shows',
  async (t) => {
    const { room, reset } = await openPlace()
    const { store } = room
    await reset('private')
    await room.run({ create: 'v', viewOn: 'c', pipeline: [{ $match: { a: 1 } }] })
    await room.run({ create: 'over', viewOn: 'v', pipeline: [] })
    const tryAll = async (mode: Mode, isOpen: boolean, what: string) => {
      for (const [name, command] of Object.entries(viewReads)) {
        for (const who of everybody) {
          const outcome = await outcomeOf(room, { opens: 'reader', command }, who)
          const may =
            isOpen &&
            mayEnter(who, 'reader') &&
            hasRights(who, mode, 'r') &&
            (!name.startsWith('$') || hasOpenRights(who, 'r'))
          t.equal(isRefusal(outcome), !may, `${name}, ${mode}, by ${who}: ${what}`)
        }
      }
    }
    for (const mode of modes) {
      await setAccess(store, 'test', 'v', accesses[mode])
      await setAccess(store, 'test', 'over', { ...accesses[mode] })
      await setAccess(store, 'test', 'c', accesses.private)
      await tryAll(mode, true, 'the owner may read')
      const others = { owner: wallets.administrator, mode: 'private', roles: {} } as const
      await setAccess(store, 'test', 'c', others)
      // Unowned collections belong to the operator, who may read everything.
      await tryAll(mode, accesses[mode].owner === null, 'the owner may not')
      await setAccess(store, 'test', 'c', { ...others, roles: { [wallets.owner]: 1 } })
      await tryAll(mode, true, 'the owner has a role')
    }
    await room.engine.close()
  },
)

t.test('a cursor over a view ends with the right of the owner', async (t) => {
  const { room, reset } = await openPlace()
  const { store } = room
  await reset('private')
  await room.run({ create: 'v', viewOn: 'c', pipeline: [] })
  await setAccess(store, 'test', 'v', accesses.public)
  const session = room.sessionOf(identities.otherWallet)
  const open = async () => {
    const { id } = (await room.run({ find: 'v', batchSize: 1 }, 'test', session)).cursor
    return { getMore: Long.fromNumber(Number(id)), collection: 'v' }
  }
  t.equal((await room.run(await open(), 'test', session)).cursor.nextBatch.length, 1)
  const more = await open()
  await setAccess(store, 'test', 'c', {
    ...accesses.private,
    owner: wallets.administrator,
    roles: {},
  })
  t.equal((await room.refusal(more, 'test', session)).code, 13)
  await room.engine.close()
})

t.test('who may not read a view is not told of it', async (t) => {
  const { room, reset } = await openPlace()
  await reset('private')
  await room.run({ create: 'v', viewOn: 'open', pipeline: [] })
  await setAccess(room.store, 'test', 'v', accesses.private)
  for (const who of everybody) {
    if (who === 'anonymous') continue
    const session = room.sessionOf(identities[who])
    const sees = hasRights(who, 'private', 'r')
    const listed = (await room.run({ listCollections: 1 }, 'test', session)).cursor.firstBatch
    t.equal(
      listed.some(({ name }: Reply) => name === 'v'),
      sees,
      `listCollections by ${who}`,
    )
    const defined = (await room.run({ find: 'system.views' }, 'test', session)).cursor.firstBatch
    t.equal(defined.length, sees ? 1 : 0, `system.views by ${who}`)
    const writing = { opens: 'identity', command: { insert: 'v', documents: [{ a: 1 }] } } as const
    const outcome = await outcomeOf(room, writing, who)
    t.equal(isRefusal(outcome), !hasRights(who, 'private', 'w'), `insert by ${who}`)
  }
  await room.engine.close()
})

t.test('a view opens what it shows, and not the collection behind it', async (t) => {
  const { room, reset } = await openPlace()
  await reset('private')
  await room.run({ create: 'v', viewOn: 'c', pipeline: [{ $project: { _id: 1 } }] })
  await setAccess(room.store, 'test', 'v', accesses.public)
  const session = room.sessionOf(identities.otherWallet)
  const union = [{ $unionWith: 'c' }]
  const facets = writeDocument((out) => {
    for (const pipeline of [union, []]) out.value('same', valueFrom(pipeline))
  })
  const stage = documentValue(writeDocument((out) => out.document('$facet', facets)))
  const body = writeDocument((out) => {
    out.string('aggregate', 'v').value('pipeline', writeArray([stage]))
    out.openDocument('cursor').close()
  })
  const hidden = async () => room.bus.run({ db: 'test', body, sequences: new Map() }, session)
  await t.rejects(hidden(), { code: 13 }, 'in the first of two facets of one name')
  const nested = [{ $unionWith: { coll: 'v', pipeline: union } }]
  for (const pipeline of [union, nested, [{ $facet: { a: nested } }]]) {
    const command = { aggregate: 'v', pipeline, cursor: {} }
    t.equal((await room.refusal(command, 'test', session)).code, 13, JSON.stringify(pipeline))
  }
  await room.engine.close()
})
