// The authorization matrix of the key-value commands: each against every identity and every mode of
// the database and of the channels, on the real bus, over decisions that are written here. A row
// without a decision fails.

import t from 'tap'
import type { KeyValueRow } from '../../src/bus/keyvalue/row.js'
import { keyValueRows } from '../../src/commands/keyvalue/rows.js'
import { strictRules } from '../../src/identity/rights/allow.js'
import { CommandRoom } from '../support/command-room.js'
import {
  accesses,
  admit,
  everybody,
  hasRights,
  identities,
  type Mode,
  mayEnter,
  modes,
  type Opens,
  revocation,
  setAccess,
} from '../support/identities.js'
import { eachKeyValueRoom, type KeyValueRoom, type Word } from '../support/key-value-room.js'

interface Decision {
  readonly opens: Opens
  /** Letters of what it needs of the selected database. */
  readonly privileges: string
  /** Of the channels. */
  readonly channels: string
}

const reads =
  'bitcount bitpos dbsize dump exists expiretime get getbit getrange hexists hget hgetall hkeys ' +
  'hlen hmget hrandfield hscan hstrlen hvals keys lcs lindex llen lpos lrange memory|usage mget ' +
  'object|encoding object|freq object|idletime object|refcount pexpiretime pttl randomkey scan ' +
  'scard sdiff sinter sintercard sismember smembers smismember sort sort_ro srandmember sscan strlen ' +
  'substr sunion touch ttl type bitfield_ro zcard zcount zdiff zinter zintercard zlexcount ' +
  'zmscore zrandmember zrange zrangebylex zrangebyscore zrank zrevrange zrevrangebylex ' +
  'zrevrangebyscore zrevrank zscan zscore zunion'

const writes =
  'append del expire expireat hdel hmset hset hsetnx lpush lpushx lset ltrim ' +
  'mset msetnx persist pexpire pexpireat psetex rename renamenx restore rpush rpushx sadd set ' +
  'setex setnx setrange smove srem unlink zadd zrem zremrangebyrank'

const changesAndAnswers =
  'bitfield bitop blmove blmpop blpop brpop brpoplpush bzmpop bzpopmax bzpopmin copy decr decrby ' +
  'getdel getex getset hincrby hincrbyfloat incr incrby incrbyfloat lmove lmpop lpop rpop ' +
  'linsert lrem move rpoplpush sdiffstore setbit sinterstore spop sunionstore zdiffstore zincrby ' +
  'zinterstore zmpop zpopmax zpopmin zrangestore zremrangebylex zremrangebyscore zunionstore'

const administers = 'flushall flushdb swapdb'
const listens = 'psubscribe pubsub|channels pubsub|numpat pubsub|numsub subscribe'
const publishes = 'publish'

const open = 'auth hello quit reset'

/** Of the connection, of the table of commands, or answered the same for everybody. */
const harmless =
  'acl|cat acl|genpass acl|help acl|whoami client|caching client|getname client|getredir ' +
  'client|help client|id client|info client|kill client|list client|no-evict client|reply ' +
  'client|setname client|tracking client|trackinginfo client|unblock command command|count ' +
  'command|docs command|getkeys command|getkeysandflags command|help command|info command|list ' +
  'config|get config|help discard echo exec function|flush function|help function|kill ' +
  'function|list function|stats info lastsave latency|doctor latency|graph latency|help ' +
  'latency|histogram latency|history latency|latest latency|reset memory|doctor memory|help ' +
  'memory|malloc-stats memory|purge memory|stats module|help module|list multi object|help ping ' +
  'psync punsubscribe pubsub|help role script|exists script|flush script|help script|kill select ' +
  'slowlog|help time unsubscribe unwatch wait'

const operates =
  'acl|deluser acl|dryrun acl|getuser acl|list acl|load acl|log acl|save acl|setuser acl|users ' +
  'bgrewriteaof bgsave client|pause client|unpause config|resetstat config|rewrite config|set ' +
  'debug module|load module|loadex module|unload monitor save shutdown slowlog|get slowlog|len ' +
  'slowlog|reset'

function decisions(): Map<string, Decision> {
  const found = new Map<string, Decision>()
  const decide = (names: string, opens: Opens, privileges = '', channels = '') => {
    for (const name of names.split(' ')) found.set(name, { opens, privileges, channels })
  }
  decide(reads, 'reader', 'r')
  decide('lolwut', 'reader')
  decide('watch', 'identity', 'r')
  decide(writes, 'identity', 'w')
  decide(changesAndAnswers, 'identity', 'rw')
  decide(administers, 'identity', 'a')
  decide(listens, 'identity', '', 'r')
  decide(publishes, 'identity', '', 'w')
  decide(open, 'anonymous')
  decide(harmless, 'identity')
  decide(operates, 'operator')
  return found
}

const decided = decisions()
const rows = keyValueRows.filter(({ grain }) => grain !== 'container')

t.test('every command has a decision', async (t) => {
  for (const { name } of rows) t.ok(decided.has(name), `${name} has no decision`)
})

/**
 * Words where the row's arity and the word `k` do not make a command that gets as far as rights.
 */
const words: Readonly<Record<string, readonly Word[]>> = {
  blmove: ['blmove', 'k', 'k', 'left', 'right', 0],
  blmpop: ['blmpop', 0, 1, 'k', 'left'],
  blpop: ['blpop', 'k', 0],
  brpop: ['brpop', 'k', 0],
  brpoplpush: ['brpoplpush', 'k', 'k', 0],
  bzmpop: ['bzmpop', 0, 1, 'k', 'min'],
  bzpopmax: ['bzpopmax', 'k', 0],
  bzpopmin: ['bzpopmin', 'k', 0],
  copy: ['copy', 'k', 'l'],
  move: ['move', 'k', 0],
  swapdb: ['swapdb', 0, 0],
  flushall: ['flushdb'],
}

/** What ends or changes the connection that it comes by, or all of them, and is let in. */
const notRun = new Set(['shutdown', 'debug', 'quit'])

function wordsOf({ name, arity }: KeyValueRow): readonly Word[] {
  const given = words[name]
  if (given !== undefined) return given
  const named = name.split('|')
  const missing = Math.abs(arity) - named.length
  return [...named, ...Array.from({ length: Math.max(0, missing) }, () => 'k')]
}

function isRefusal(reply: unknown): boolean {
  const error = (reply as { error?: unknown } | null)?.error
  // A refused EXEC says that its transaction is gone, and why.
  const refused = /^(?:EXECABORT Transaction discarded because of: )?(?:NOPERM|NOAUTH)/
  return typeof error === 'string' && refused.test(error)
}

const rights = { revocation, rules: strictRules }

async function prepare(room: KeyValueRoom, mode: Mode): Promise<void> {
  await admit(room.store, room.clock.now())
  await setSpaces(room, mode)
  await room.line('set k v')
}

/** The access of the first database and of the channels; flags of their records stay. */
async function setSpaces({ store }: KeyValueRoom, mode: Mode): Promise<void> {
  await setAccess(store, 'main', 'kv0', accesses[mode])
  await setAccess(store, 'main', 'pubsub', accesses[mode])
}

for (const mode of modes) {
  await eachKeyValueRoom(
    t,
    `databases and channels that are ${mode}: each does what it may, and no more`,
    async (t, room) => {
      await prepare(room, mode)
      for (const row of rows) {
        const { opens, privileges, channels } = decided.get(row.name) as Decision
        for (const who of everybody) {
          const may =
            mayEnter(who, opens) &&
            hasRights(who, mode, privileges) &&
            hasRights(who, mode, channels)
          if (may && notRun.has(row.name)) continue
          const client = room.client(identities[who])
          const reply = await client.run(...wordsOf(row))
          client.close()
          // HELLO refuses unauthenticated clients, unless they sign in with it.
          const isUnknown = row.name === 'hello' && who === 'anonymous'
          t.equal(isRefusal(reply), !may || isUnknown, `${row.name} by ${who}`)
          if (may && row.flags.includes('write')) {
            await room.line('del k l')
            await room.line('set k v')
          }
        }
      }
      t.equal(await room.line('get k'), 'v')
    },
    { kinds: ['memory'], rights },
  )
}

await eachKeyValueRoom(
  t,
  'under ANONYMOUS=read an anonymous client reads public databases, and only reads',
  async (t, room) => {
    for (const mode of modes) {
      await prepare(room, mode)
      for (const row of rows) {
        const { opens, privileges } = decided.get(row.name) as Decision
        if (opens === 'anonymous') continue
        const may =
          opens === 'reader' && (privileges === '' || (mode === 'public' && privileges === 'r'))
        const client = room.client(identities.anonymous)
        const reply = await client.run(...wordsOf(row))
        client.close()
        t.equal(isRefusal(reply), !may, `${row.name}, ${mode}`)
      }
    }
  },
  { kinds: ['memory'], rights: { revocation, rules: { ...strictRules, anonymousReads: true } } },
)

await eachKeyValueRoom(
  t,
  'what moves between databases needs its right in both',
  async (t, room) => {
    await prepare(room, 'shared')
    await setAccess(room.store, 'main', 'kv1', accesses.private)
    const otherWallet = room.client(identities.otherWallet)
    for (const line of ['move k 1', 'copy k k DB 1', 'swapdb 0 1', 'flushall']) {
      t.ok(isRefusal(await otherWallet.line(line)), line)
    }
    const owner = room.client(identities.owner)
    t.equal(await owner.line('copy k k DB 1'), 1)
    t.equal(await owner.line('swapdb 0 1'), 'OK')
    t.ok(isRefusal(await owner.line('flushall')), 'the other databases have no owner')
  },
  { kinds: ['memory'], rights },
)

await eachKeyValueRoom(
  t,
  'words decide what SET, SORT and ZADD need',
  async (t, room) => {
    await prepare(room, 'private')
    const writing = room.client(identities['owner, writing key'])
    t.equal(await writing.line('set k w'), 'OK')
    t.ok(isRefusal(await writing.line('set k w get')))
    t.ok(isRefusal(await writing.line('sort k store l')))
    t.ok(isRefusal(await room.client(identities['role 1']).line('sort k store l')))
    t.equal(await writing.line('zadd z 1 a'), 1)
    t.equal(await writing.line('zadd z nx 1 incr'), 1, 'a member of that name')
    t.ok(isRefusal(await writing.line('zadd z incr 0 a')))
    t.ok(isRefusal(await writing.line('zadd z xx ch INCR 0 a')))
  },
  { kinds: ['memory'], rights },
)

await eachKeyValueRoom(
  t,
  'EXEC asks for each command, and a refusal is the reply of that one alone',
  async (t, room) => {
    await prepare(room, 'public')
    const otherWallet = room.client(identities.otherWallet)
    for (const line of ['multi', 'get k', 'set k stolen', 'publish c m'])
      await otherWallet.line(line)
    const replies = (await otherWallet.line('exec')) as unknown[]
    t.equal(replies[0], 'v')
    t.ok(isRefusal(replies[1]))
    t.ok(isRefusal(replies[2]))
    t.equal(await room.line('get k'), 'v')
  },
  { kinds: ['memory'], rights },
)

await eachKeyValueRoom(
  t,
  'INFO and CLIENT LIST tell a wallet of what is its own',
  async (t, room) => {
    await prepare(room, 'private')
    const otherWallet = room.client(identities.otherWallet)
    const info = String(await otherWallet.line('info everything'))
    t.match(info, /# Server/)
    t.notMatch(info, /db0:/)
    t.notMatch(info, /# Commandstats|# Clients|# Stats|# Errorstats/)
    t.match(String(await room.client(identities.owner).line('info')), /db0:keys=1/)
    t.equal(
      String(await otherWallet.line('client list'))
        .trim()
        .split('\n').length,
      1,
    )
    const mine = Number(await room.line('client id'))
    t.equal(await otherWallet.line(`client kill id ${mine}`), 0)
    t.equal(await otherWallet.line(`client unblock ${mine}`), 0)
  },
  { kinds: ['memory'], rights },
)

await eachKeyValueRoom(
  t,
  'an iteration of another identity begins again',
  async (t, room) => {
    await prepare(room, 'shared')
    for (let i = 0; i < 50; i++) await room.line(`set key${i} v`)
    const owner = room.client(identities.owner)
    const otherWallet = room.client(identities.otherWallet)
    const [cursor, first] = (await owner.line('scan 0 count 10')) as [string, string[]]
    const [, again] = (await otherWallet.line(`scan ${cursor} count 10`)) as [string, string[]]
    t.same(again, first)
  },
  { kinds: ['memory'], rights },
)

for (const [settings, mode] of [
  [{ SHARED_SPACES: 'own' }, 'private'],
  [{ SHARED_SPACES: 'shared' }, 'shared'],
  [{ SHARED_SPACES: 'auto', WHITELIST: 'off' }, 'private'],
  [{ SHARED_SPACES: 'auto', WHITELIST: 'enforce' }, 'shared'],
  [{ HOST: '0.0.0.0', WHITELIST: 'off', SHARED_SPACES: 'public' }, 'public'],
  [{ SHARED_SPACES: 'private' }, 'private'],
] as const) {
  await eachKeyValueRoom(
    t,
    `shared spaces are ${mode} under ${JSON.stringify(settings)}, and no wallet can claim them`,
    async (t, room) => {
      await admit(room.store, room.clock.now())
      const rules = { ...strictRules, claimsUnowned: true }
      const documents = new CommandRoom(room.store, room.clock, { services: { revocation, rules } })
      const otherWallet = documents.sessionOf(identities.otherWallet)
      for (const name of ['kv0', 'kv15', 'pubsub']) {
        const { privacy } = await documents.run({ getPrivacy: name }, 'main', otherWallet)
        t.same(privacy, { mode, ownerAddress: null }, name)
        const claim = { setPrivacy: name, mode: 'private' }
        t.equal((await documents.refusal(claim, 'main', otherWallet)).code, 13, name)
      }
      t.same(
        await documents.drain({ listCollections: 1 }, 'main'),
        [],
        'empty, they are not listed',
      )
      await documents.engine.close()
    },
    { kinds: ['memory'], settings, rights },
  )
}

await eachKeyValueRoom(
  t,
  'emptying a database or dropping the channels changes no owner',
  async (t, room) => {
    await prepare(room, 'private')
    const documents = new CommandRoom(room.store, room.clock, { services: rights })
    const owner = room.client(identities.owner)
    const wallet = documents.sessionOf(identities.owner)
    t.equal(await owner.line('flushdb'), 'OK')
    for (const name of ['kv0', 'pubsub']) {
      await documents.run({ drop: name }, 'main', wallet)
      const { privacy } = await documents.run({ getPrivacy: name }, 'main', wallet)
      t.match(privacy, { mode: 'private', ownerAddress: accesses.private.owner }, name)
      const rename = { renameCollection: `main.${name}`, to: 'main.mine' }
      t.equal((await documents.refusal(rename, 'admin', wallet)).code, 20, name)
    }
    t.ok(isRefusal(await room.client(identities.otherWallet).line('set k v')))
    await documents.engine.close()
  },
  { kinds: ['memory'], rights },
)
