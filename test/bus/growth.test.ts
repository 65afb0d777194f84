// Every command against a quota that is full: what its row says that it makes larger is refused,
// and what it says it does not make larger is done, and makes nothing larger. A row that writes and
// has no sample here fails.

import { Binary, Long } from 'bson'
import t from 'tap'
import { GatewayError } from '../../src/base/errors.js'
import { type QuotaLimits, Quotas } from '../../src/bus/quota.js'
import type { Services } from '../../src/bus/services.js'
import { Session } from '../../src/bus/session.js'
import { keyValueRows } from '../../src/commands/keyvalue/rows.js'
import { documentRows } from '../../src/commands/rows.js'
import { checkStore } from '../../src/engine/check/check.js'
import { findNamespace, saveNamespace } from '../../src/engine/collection/catalog/catalog.js'
import { moveSpace, usageOf } from '../../src/engine/collection/counters.js'
import type { Identity } from '../../src/identity/identity.js'
import { strictRules } from '../../src/identity/rights/allow.js'
import { openMemoryStore } from '../../src/store/memory.js'
import type { Store } from '../../src/store/store.js'
import { CommandRoom } from '../support/command-room.js'
import { ManualClock } from '../support/engine-room.js'
import { eachKeyValueRoom, type Word } from '../support/key-value-room.js'

const alice = '0x52908400098527886E0F7030069857D2E4169EE7'
const bob = '0x8617E340B3D01FA5F11F306F4090FD50E238070D'

const rules = { ...strictRules, claimsUnowned: true }

const revocation = {
  *check<T>(_tx: unknown, identity: T) {
    return identity
  },
} as never

function walletOf(address: string): Identity {
  const key = { kind: 'key', source: 'issued', index: 0, rateLimit: 0 } as const
  const permissions = ['read', 'write', 'admin'] as const
  return { ...key, address, hash: 'a'.repeat(64), permissions }
}

/** A quota whose space is decided as the test goes. */
class Limits implements QuotaLimits {
  storageBytes = 0
  readonly collections = 0
  readonly graphs = 0
  readonly connections = 0
  readonly subscriptions = 0
  readonly commandMs = 0
}

type Command = Readonly<Record<string, unknown>>

interface Sample {
  readonly command: Command
  readonly db?: string
  /** No wallet may. */
  readonly isOperators?: true
}

const text = 'x'.repeat(50)

/** Of each row that writes. */
const samples: Readonly<Record<string, Sample | ((memory: string) => Sample)>> = {
  insert: { command: { insert: 'c', documents: [{ _id: 9 }] } },
  update: {
    command: { update: 'c', updates: [{ q: { _id: 1 }, u: { $set: { more: text } } }] },
  },
  delete: { command: { delete: 'c', deletes: [{ q: { _id: 1 }, limit: 1 }] } },
  findAndModify: {
    command: { findAndModify: 'c', query: { _id: 9 }, update: { a: 1 }, upsert: true },
  },
  findAndModifyIf: {
    command: { findAndModifyIf: 'c', query: { _id: 9 }, update: { a: 1 }, upsert: true },
  },
  aggregate: { command: { aggregate: 'c', pipeline: [{ $out: 'd' }], cursor: {} } },
  create: { command: { create: 'made' } },
  drop: { command: { drop: 'c' } },
  dropDatabase: { command: { dropDatabase: 1 }, isOperators: true },
  renameCollection: {
    command: { renameCollection: 'main.c', to: 'main.kept' },
    db: 'admin',
  },
  collMod: {
    command: { collMod: 'c', index: { name: 'a_1', hidden: true } },
  },
  createIndexes: { command: { createIndexes: 'c', indexes: [{ key: { b: 1 }, name: 'b_1' }] } },
  dropIndexes: { command: { dropIndexes: 'c', index: 'a_1' } },
  convertToCapped: { command: { convertToCapped: 'c', size: 100_000 } },
  cloneCollectionAsCapped: {
    command: { cloneCollectionAsCapped: 'c', toCollection: 'copy', size: 100_000 },
  },
  setPrivacy: { command: { setPrivacy: 'free', mode: 'private' } },
  setRole: { command: { setRole: 'c', address: bob, action: 'grant', role: 1 } },
  compact: { command: { compact: 'c' } },
  validate: { command: { validate: 'c' } },
  sqlChange: { command: { sqlChange: "INSERT INTO c (_id, a) VALUES (9, 'more')" } },
  sqlDefine: { command: { sqlDefine: 'CREATE INDEX further ON c (b)' } },
  rememberMemories: { command: { rememberMemories: 'g', memories: [{ text }], mode: 'all' } },
  previewMemory: { command: { previewMemory: 'g', memory: { text } } },
  updateMemory: (memory) => ({ command: { updateMemory: 'g', id: memory, validTo: 5_000_000 } }),
  forgetMemory: (memory) => ({ command: { forgetMemory: 'g', id: memory } }),
  relateNodes: (memory) => ({
    command: { relateNodes: 'g', from: memory, to: 'Ruth Amsel', source: text },
  }),
  unrelateNodes: (memory) => ({
    command: { unrelateNodes: 'g', from: memory, to: 'Ruth Amsel', type: 'mentions' },
  }),
  mergeEntities: {
    command: {
      mergeEntities: 'g',
      from: 'Ruth Amsel',
      into: 'Wilhelmina Constance Featherstonehaugh',
    },
  },
  setGraph: { command: { setGraph: 'g', k1: 1.5 } },
  dropGraph: { command: { dropGraph: 'g' } },
}

/**
 * They write what is no collection's: sessions, keys, users, the whitelist, the server's state. A
 * commit has a test of its own below.
 */
const apart: ReadonlySet<string> = new Set([
  'commitTransaction',
  ...['setWhitelist', 'explain', 'createUser', 'updateUser', 'grantRolesToUser'],
  ...['revokeRolesFromUser', 'dropUser', 'dropAllUsersFromDatabase'],
])

async function openRoom(services: Partial<Services> = {}) {
  const clock = new ManualClock()
  const store = openMemoryStore(clock)
  const limits = new Limits()
  const quotas = new Quotas(limits)
  const room = new CommandRoom(store, clock, {
    services: { quotas, revocation, rules, ...services },
  })
  const identity = walletOf(alice)
  const mine = new Session({ protocol: 'internal', id: 2, remoteAddress: 'test:2', identity })
  const run = (command: Command, as = mine) => room.run(command, 'main', as)
  const documents = Array.from({ length: 5 }, (_, i) => ({ _id: i, a: text, b: text }))
  await run({ insert: 'c', documents })
  await run({ createIndexes: 'c', indexes: [{ key: { a: 1 }, name: 'a_1' }] })
  await run({ insert: 'free', documents: [{ _id: 1, text }] }, room.session)
  const { results } = await run({
    rememberMemories: 'g',
    memories: ['one', 'two', 'three', 'four'].map((day) => ({
      text: `On day ${day} we met Ruth Amsel and Wilhelmina Constance Featherstonehaugh in Cairo.`,
    })),
  })
  return { room, store, limits, mine, memory: String(results[0].id) }
}

for (const row of documentRows) {
  const { name, grain, grows } = row
  const sample = samples[name]
  const writes = grain === 'point' || grain === 'sweep' || grows !== 'nothing'
  if (sample === undefined) {
    t.notOk(writes && !apart.has(name), `${name} writes, and has no sample`)
    continue
  }
  t.test(`${name} at a full quota: it makes ${grows} larger`, async (t) => {
    const { room, store, limits, mine, memory } = await openRoom()
    const {
      command,
      isOperators = false,
      db = 'main',
    } = typeof sample === 'function' ? sample(memory) : sample
    const usage = async () => store.read((tx) => usageOf(tx, alice))
    const held = await usage()
    limits.storageBytes = held
    const as = isOperators ? room.session : mine
    let code = 0
    try {
      const { writeErrors } = await room.run(command, db, as)
      code = writeErrors?.[0].code ?? 0
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error
      code = error.code
    }
    t.equal(code, grows === 'nothing' ? 0 : 8000)
    t.ok((await usage()) <= held, 'nothing is larger')
    await room.engine.close()
  })
}

t.test('a transaction that outgrew its quota meanwhile is refused by its commit', async (t) => {
  const { room, store, limits, mine } = await openRoom({ topology: 'router' })
  const usage = async () => store.read((tx) => usageOf(tx, alice))
  const lsid = { id: new Binary(new Uint8Array(16), 4) }
  const inside = { lsid, txnNumber: Long.fromNumber(1), autocommit: false }
  const insert = (_id: number) => ({ insert: 'c', documents: [{ _id, more: 'x'.repeat(500) }] })
  limits.storageBytes = (await usage()) + 1_000
  const first = { ...insert(20), ...inside, startTransaction: true }
  t.match(await room.run(first, 'main', mine), { n: 1 })
  t.match(await room.run(insert(21), 'main', mine), { n: 1 })
  const held = await usage()
  const lost = await room.refusal({ commitTransaction: 1, ...inside }, 'admin', mine)
  t.equal(lost.code, 8000)
  t.equal(await usage(), held)
  await room.engine.close()
})

/**
 * By name: words that make something larger where their row says so; keys are those of `filled`.
 */
const keyWords: Readonly<Record<string, string>> = {
  append: 'append text xxxx',
  bitfield: 'bitfield text set u8 4000 1',
  bitop: 'bitop or more text text',
  blmove: 'blmove list list2 left right 1',
  blmpop: 'blmpop 1 1 list left',
  blpop: 'blpop list 1',
  brpop: 'brpop list 1',
  brpoplpush: 'brpoplpush list list2 1',
  bzmpop: 'bzmpop 1 1 zset min',
  bzpopmax: 'bzpopmax zset 1',
  bzpopmin: 'bzpopmin zset 1',
  copy: 'copy text more',
  decr: 'decr fresh',
  decrby: 'decrby fresh 5',
  del: 'del text',
  expire: 'expire text 100',
  expireat: 'expireat text 1900000000',
  flushall: 'flushall',
  'function|flush': 'function flush',
  flushdb: 'flushdb',
  getdel: 'getdel text',
  getex: 'getex text ex 100',
  getset: 'getset number xxxxxxxxxxxxxxxxxxxxxx',
  hdel: 'hdel hash f',
  hincrby: 'hincrby hash n 1',
  hincrbyfloat: 'hincrbyfloat hash n 1.5',
  hmset: 'hmset hash f2 v2',
  hset: 'hset hash f2 v2',
  hsetnx: 'hsetnx hash f2 v2',
  incr: 'incr fresh',
  incrby: 'incrby fresh 5',
  incrbyfloat: 'incrbyfloat fresh 1.5',
  linsert: 'linsert list before a b',
  lmove: 'lmove list list2 left right',
  lmpop: 'lmpop 1 list left',
  lpop: 'lpop list',
  lpush: 'lpush list x',
  lpushx: 'lpushx list x',
  lrem: 'lrem list 0 a',
  lset: 'lset list 0 xxxxxxxxxxxx',
  ltrim: 'ltrim list 1 -1',
  move: 'move moved 0',
  mset: 'mset more 1 text 22222222',
  msetnx: 'msetnx more 1 further 2',
  persist: 'persist timed',
  pexpire: 'pexpire text 100000',
  pexpireat: 'pexpireat text 1900000000000',
  psetex: 'psetex more 100000 v',
  rename: 'rename text longer-name-than-before',
  renamenx: 'renamenx text longer-name-than-before',
  restore: 'restore',
  rpop: 'rpop list',
  rpoplpush: 'rpoplpush list list2',
  rpush: 'rpush list x',
  rpushx: 'rpushx list x',
  sadd: 'sadd set x',
  sdiffstore: 'sdiffstore more set',
  set: 'set more v',
  setbit: 'setbit text 4000 1',
  setex: 'setex more 100 v',
  setnx: 'setnx more v',
  setrange: 'setrange text 100 x',
  sinterstore: 'sinterstore more set',
  smove: 'smove set set2 a',
  sort: 'sort list alpha store more',
  spop: 'spop set',
  srem: 'srem set a',
  sunionstore: 'sunionstore more set set',
  swapdb: 'swapdb 0 1',
  unlink: 'unlink text',
  zadd: 'zadd zset 5 x',
  zdiffstore: 'zdiffstore more 1 zset',
  zincrby: 'zincrby zset 5 x',
  zinterstore: 'zinterstore more 1 zset',
  zmpop: 'zmpop 1 zset min',
  zpopmax: 'zpopmax zset',
  zpopmin: 'zpopmin zset',
  zrangestore: 'zrangestore more zset 0 -1',
  zrem: 'zrem zset a',
  zremrangebylex: 'zremrangebylex zset - +',
  zremrangebyrank: 'zremrangebyrank zset 0 0',
  zremrangebyscore: 'zremrangebyscore zset 0 1',
  zunionstore: 'zunionstore more 1 zset',
}

const filled = [
  'set text yyyyyyyyyyyyyyyy',
  'set number 1',
  'set timed v ex 1000',
  'rpush list a b c',
  'sadd set a b c',
  'zadd zset 1 a 2 b 3 c',
  'hset hash f v',
]

const keyRows = keyValueRows.filter(({ flags }) => flags.includes('write'))
const limits = new Limits()

for (const bounds of [undefined, { members: 1, bytes: 4_096 }]) {
  const size = bounds === undefined ? 'usual containers' : 'large containers'
  await eachKeyValueRoom(
    t,
    `key-value commands at a full quota, ${size}`,
    async (t, room) => {
      const mine = room.client(walletOf(alice))
      for (const name of ['kv0', 'kv1']) await give(room.store, name, alice)
      await give(room.store, 'kv2', null)
      const usage = async () => room.store.read((tx) => usageOf(tx, alice))
      for (const { name, grows } of keyRows) {
        limits.storageBytes = 0
        for (const index of [1, 0]) {
          await mine.line(`select ${index}`)
          t.equal(await mine.line('flushdb'), 'OK')
        }
        t.equal(await usage(), 0, `${name}: what is flushed is given back`)
        for (const line of filled) await mine.line(line)
        const dumped = (await mine.line('dump set')) as Word
        if (name === 'move') {
          await mine.line('select 2')
          await mine.line('set moved text')
        }
        const held = await usage()
        limits.storageBytes = held
        const words = keyWords[name]
        if (words === undefined) {
          t.fail(`${name} writes, and has no words`)
          continue
        }
        const reply =
          name === 'restore' ? await mine.run('restore', 'more', 0, dumped) : await mine.line(words)
        const refused = { error: /^OOM the wallet is over its space quota/ }
        if (grows === 'nothing') t.notMatch(reply, refused, name)
        else t.match(reply, refused, name)
        t.ok((await usage()) <= held, `${name}: nothing is larger`)
        await mine.line('select 0')
        const removed = await mine.line('del number')
        t.type(removed, 'number', `${name}: what makes room is done`)
      }
      t.same(await checkStore(room.store), [])
      mine.close()
    },
    {
      kinds: ['memory'],
      ...(bounds === undefined ? {} : { bounds }),
      rights: () => ({ revocation, quotas: new Quotas(limits) }),
    },
  )
}

/** Makes it hers, or the operator's; all may write. */
async function give(store: Store, name: string, owner: string | null): Promise<void> {
  await store.write(function* (tx) {
    const ns = yield* findNamespace(tx, 'main', name)
    if (ns === undefined) throw new Error(`no ${name}`)
    const access = { ...ns.access, owner, mode: 'shared' as const }
    yield* moveSpace(tx, ns, access)
    saveNamespace(tx, { ...ns, access })
  })
}
