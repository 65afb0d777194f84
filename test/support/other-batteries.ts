// What a caller may send to learn of a wallet's things or to change them: whole families of
// commands, a battery a protocol. Each answers the replies by the command that was sent.

import { BSON, type Document, Long, type MongoClient } from 'mongodb'
import type pg from 'pg'
import type { KeyValueRow } from '../../src/bus/keyvalue/row.js'
import { keyValueRows } from '../../src/commands/keyvalue/rows.js'
import { collectionName, type Handles, keyNames, mark } from './other-world.js'
import { withoutTimes } from './wire-client.js'

/** What closes the server or its connections, or answers the same after seconds. */
const notSent = new Set(['shutdown', 'debug', 'monitor', 'save', 'psync', 'quit', 'reset', 'hello'])

const [text = '', list = '', set = '', zset = '', hash = ''] = keyNames

/** Words where the row's arity and the name of one key make no command that does its work. */
const words: Readonly<Record<string, readonly string[]>> = {
  bitfield: ['bitfield', text, 'GET', 'u8', '0'],
  bitfield_ro: ['bitfield_ro', text, 'GET', 'u8', '0'],
  bitop: ['bitop', 'NOT', 'copied', text],
  blmove: ['blmove', list, 'taken', 'left', 'right', '0.01'],
  blmpop: ['blmpop', '0.01', '1', list, 'left'],
  blpop: ['blpop', `${mark}:queue`, list, '0.01'],
  brpop: ['brpop', list, '0.01'],
  brpoplpush: ['brpoplpush', list, 'taken', '0.01'],
  bzmpop: ['bzmpop', '0.01', '1', zset, 'min'],
  bzpopmax: ['bzpopmax', zset, '0.01'],
  bzpopmin: ['bzpopmin', zset, '0.01'],
  copy: ['copy', text, 'copied'],
  expire: ['expire', text, '1'],
  pexpire: ['pexpire', text, '1'],
  expireat: ['expireat', text, '1'],
  pexpireat: ['pexpireat', text, '1'],
  flushall: ['flushall'],
  flushdb: ['flushdb'],
  getex: ['getex', text, 'PERSIST'],
  getrange: ['getrange', text, '0', '-1'],
  hrandfield: ['hrandfield', hash, '5', 'WITHVALUES'],
  hscan: ['hscan', hash, '0'],
  hmget: ['hmget', hash, `${mark} field`],
  hget: ['hget', hash, `${mark} field`],
  keys: ['keys', '*'],
  lindex: ['lindex', list, '0'],
  lmove: ['lmove', list, 'taken', 'left', 'right'],
  lmpop: ['lmpop', '1', list, 'left'],
  lrange: ['lrange', list, '0', '-1'],
  ltrim: ['ltrim', list, '5', '9'],
  lpos: ['lpos', list, `${mark} a`],
  linsert: ['linsert', list, 'before', `${mark} a`, 'x'],
  lrem: ['lrem', list, '0', `${mark} a`],
  lset: ['lset', list, '0', 'x'],
  move: ['move', text, '9'],
  publish: ['publish', `${mark}:channel`, 'from another'],
  'pubsub|channels': ['pubsub', 'channels', '*'],
  'pubsub|numsub': ['pubsub', 'numsub', `${mark}:channel`],
  'object|encoding': ['object', 'encoding', text],
  'object|freq': ['object', 'freq', text],
  'object|idletime': ['object', 'idletime', text],
  'object|refcount': ['object', 'refcount', text],
  'memory|usage': ['memory', 'usage', text],
  rename: ['rename', text, 'renamed'],
  renamenx: ['renamenx', text, 'renamed'],
  scan: ['scan', '0', 'COUNT', '1000'],
  sdiff: ['sdiff', set],
  sort: ['sort', list, 'ALPHA'],
  sort_ro: ['sort_ro', list, 'ALPHA', 'BY', 'nosort', 'GET', text],
  spop: ['spop', set, '1'],
  srandmember: ['srandmember', set, '5'],
  sscan: ['sscan', set, '0'],
  substr: ['substr', text, '0', '-1'],
  swapdb: ['swapdb', '0', '4'],
  zinter: ['zinter', '1', zset],
  zunion: ['zunion', '1', zset],
  zdiff: ['zdiff', '1', zset],
  zmpop: ['zmpop', '1', zset, 'min'],
  zrange: ['zrange', zset, '0', '-1'],
  zrangebyscore: ['zrangebyscore', zset, '-inf', '+inf'],
  zrangebylex: ['zrangebylex', zset, '-', '+'],
  zrangestore: ['zrangestore', 'copied', zset, '0', '-1'],
  zrandmember: ['zrandmember', zset, '5'],
  zremrangebyrank: ['zremrangebyrank', zset, '0', '-1'],
  zremrangebyscore: ['zremrangebyscore', zset, '-inf', '+inf'],
  zscan: ['zscan', zset, '0'],
}

/** Every command of the key-value protocol. */
export function keyValueLines({ connectionId }: Handles): (readonly [string, readonly string[]])[] {
  const own: Readonly<Record<string, readonly string[]>> = {
    'client|kill': ['client', 'kill', 'ID', connectionId],
    'client|unblock': ['client', 'unblock', connectionId, 'error'],
    'client|list': ['client', 'list', 'ID', connectionId],
  }
  const rows = keyValueRows.filter(({ grain, name }) => grain !== 'container' && !notSent.has(name))
  return rows.map((row) => [row.name, own[row.name] ?? words[row.name] ?? wordsOf(row)])
}

function wordsOf({ name, arity }: KeyValueRow): readonly string[] {
  const named = name.split('|')
  const missing = Math.abs(arity) - named.length
  return [...named, ...Array.from({ length: Math.max(0, missing) }, () => text)]
}

/** Commands that read, of the document protocol: on one collection. */
export function documentReads(name: string): readonly Document[] {
  const aggregate = (...pipeline: Document[]) => ({ aggregate: name, pipeline, cursor: {} })
  const into = (stage: Document) => ({ aggregate: 'own', pipeline: [stage], cursor: {} })
  const find = { find: name, filter: {} }
  return [
    find,
    { count: name },
    { distinct: name, key: 'text' },
    aggregate(),
    aggregate({ $collStats: { count: {}, storageStats: {} } }),
    aggregate({ $indexStats: {} }),
    aggregate({ $planCacheStats: {} }),
    aggregate({ $facet: { all: [{ $count: 'n' }] } }),
    into({ $lookup: { from: name, pipeline: [], as: 'found' } }),
    into({ $unionWith: name }),
    into({
      $graphLookup: {
        from: name,
        startWith: 1,
        connectFromField: 'n',
        connectToField: 'n',
        as: 'f',
      },
    }),
    { explain: find, verbosity: 'executionStats' },
    { explain: aggregate(), verbosity: 'queryPlanner' },
    { explain: { count: name } },
    { explain: { distinct: name, key: 'text' } },
    { collStats: name },
    { collectionStats: name },
    { validate: name },
    { listIndexes: name },
    { getRoles: name },
    { planCacheListFilters: name },
    { keyMembers: name, key: text },
    { listCollections: 1, filter: { name } },
  ]
}

/** Commands of a database, and of the server. */
export function databaseReads(db: string, handles: Handles): readonly Document[] {
  return [
    { dbStats: 1 },
    { listCollections: 1 },
    { listCollections: 1, nameOnly: true, authorizedCollections: true },
    { collectionSummaries: 1 },
    { dataSize: `${db}.${collectionName}` },
    { usersInfo: 1 },
    { usersInfo: { forAllDBs: true }, showCredentials: true },
    { rolesInfo: 1, showPrivileges: true },
    { profile: -1 },
    { getMore: new Long(handles.cursorId), collection: collectionName },
    { killCursors: collectionName, cursors: [new Long(handles.cursorId)] },
    { sqlSelect: `SELECT * FROM ${collectionName}` },
    { sqlShow: 'SHOW TABLES' },
    { sqlExplain: `EXPLAIN SELECT * FROM ${collectionName}` },
  ]
}

export function serverReads({ session }: Handles): readonly Document[] {
  const lsid = { id: new BSON.Binary(session, 4) }
  const local = (stage: Document) => ({ aggregate: 1, pipeline: [stage], cursor: {} })
  return [
    { listDatabases: 1 },
    { listDatabases: 1, nameOnly: true, authorizedDatabases: false },
    { listDatabases: 1, filter: { name: { $regex: '^w_' } } },
    { currentOp: 1, $all: true },
    local({
      $currentOp: { allUsers: true, idleConnections: true, idleCursors: true, idleSessions: true },
    }),
    local({ $listLocalSessions: { allUsers: true } }),
    { killSessions: [lsid] },
    { killAllSessions: [] },
    { killAllSessionsByPattern: [{ lsid }] },
    { endSessions: [lsid] },
    { refreshSessions: [lsid] },
    { top: 1 },
    { getLog: 'global' },
    { lockInfo: 1 },
    { connPoolStats: 1 },
    { connectionStatus: 1, showPrivileges: true },
    { getCmdLineOpts: 1 },
    { hostInfo: 1 },
  ]
}

/** Commands that change, on one collection and its database. */
export function documentWrites(db: string, name: string, home: string): readonly Document[] {
  const u = { $set: { text: 'changed' } }
  const into = (stage: Document) => ({ aggregate: 'own', pipeline: [stage], cursor: {} })
  return [
    { insert: name, documents: [{ a: 1 }] },
    { update: name, updates: [{ q: {}, u, multi: true }] },
    { update: name, updates: [{ q: { n: 1 }, u, upsert: true }] },
    { delete: name, deletes: [{ q: {}, limit: 0 }] },
    { findAndModify: name, query: {}, update: u },
    { findAndModify: name, query: {}, remove: true },
    { createIndexes: name, indexes: [{ key: { n: 1 }, name: 'n_1' }] },
    { dropIndexes: name, index: '*' },
    { collMod: name, validator: { impossible: 1 } },
    { convertToCapped: name, size: 4096 },
    { cloneCollectionAsCapped: name, toCollection: 'cloned', size: 4096 },
    { compact: name },
    { planCacheClear: name },
    { setPrivacy: name, mode: 'public' },
    { setPrivacy: name, release: true },
    { setRole: name, address: `0x${'9'.repeat(40)}`, action: 'grant', role: 2 },
    { create: `view of ${name}`, viewOn: name, pipeline: [] },
    { drop: name },
    into({ $out: { db, coll: name } }),
    into({ $merge: { into: { db, coll: name } } }),
    { sqlChange: `DELETE FROM "${name}"` },
    { sqlChange: `UPDATE "${name}" SET text = 'changed'` },
    { sqlChange: `TRUNCATE "${name}"` },
    { sqlDefine: `DROP TABLE "${name}"` },
    { sqlDefine: `CREATE INDEX ON "${name}" (n)` },
    { dropDatabase: 1 },
    { renameCollection: `${db}.${name}`, to: 'main.taken', $db: 'admin' },
    { renameCollection: 'main.own', to: `${home}.given`, dropTarget: true, $db: 'admin' },
    { renameCollection: 'main.own', to: `${db}.${name}`, dropTarget: true, $db: 'admin' },
  ]
}

/** A reply, or the error's code and text. */
export async function sent(wire: MongoClient, db: string, command: Document): Promise<string> {
  const { $db = db, ...rest } = command
  try {
    return BSON.EJSON.stringify(withoutTimes(await wire.db($db).command(rest)))
  } catch (error) {
    const { code, message } = error as { readonly code?: number; readonly message: string }
    return `${code}: ${message}`
  }
}

/** Statements over the catalogue, other sessions, and the wallet's relations. */
export function sqlReads({ home, backend }: Handles): readonly string[] {
  const relations = [collectionName, `main.${collectionName}`, `"${home}".${collectionName}`]
  return [
    ...[...relations, `"${home}".kv0`, 'kv0'].map((name) => `SELECT count(*) FROM ${name}`),
    `EXPLAIN SELECT * FROM "${home}".${collectionName}`,
    `DESCRIBE ${collectionName}`,
    `SHOW INDEXES FROM ${collectionName}`,
    'SHOW TABLES',
    ...['pg_class', 'pg_attribute', 'pg_index', 'pg_namespace', 'pg_database', 'pg_roles'].map(
      (name) => `SELECT * FROM pg_catalog.${name}`,
    ),
    ...['tables', 'columns', 'table_constraints', 'schemata'].map(
      (name) => `SELECT * FROM information_schema.${name}`,
    ),
    'SELECT * FROM pg_catalog.pg_stat_activity',
    'SELECT * FROM pg_catalog.pg_locks',
    'SELECT * FROM pg_catalog.pg_stat_user_tables',
    'SELECT * FROM pg_catalog.pg_tables',
    'SELECT * FROM pg_catalog.pg_prepared_statements',
    'SELECT * FROM pg_catalog.pg_cursors',
    `SELECT pg_cancel_backend(${backend})`,
    `SELECT pg_terminate_backend(${backend})`,
    `SELECT to_regclass('${collectionName}')`,
    `SELECT '${collectionName}'::regclass`,
    `SELECT pg_total_relation_size('${collectionName}')`,
    `SELECT has_table_privilege('${collectionName}', 'select')`,
    "SELECT pg_database_size('main')",
    `FETCH ALL FROM ${mark}`,
    `EXECUTE ${mark}`,
  ]
}

export async function queried(client: pg.Client, statement: string): Promise<string> {
  try {
    const { rows } = await client.query(statement)
    return JSON.stringify(rows)
  } catch (error) {
    const { code, message } = error as { readonly code?: string; readonly message: string }
    return `${code}: ${message}`
  }
}
