// The commands about the server: settings, INFO, the slow log, and those that only say that there
// is nothing to do, as the reference server says it.

import t from 'tap'
import { anonymous } from '../../../../src/identity/identity.js'
import { eachKeyValueRoom, type KeyValueRoom } from '../../../support/key-value-room.js'
import { besideRedis } from '../../../support/redis-reference.js'

const memory = { kinds: ['memory'] } as const

async function figure(room: KeyValueRoom, section: string, name: string): Promise<string> {
  const text = String(await room.run('INFO', section))
  return new RegExp(`^${name}:(.*)\r$`, 'm').exec(text)?.[1] ?? ''
}

t.test('CONFIG is that of the reference server', (t) =>
  besideRedis(t, 'lines', async (_t, { same, sameWords, ours, theirs }) => {
    await sameWords('CONFIG', 'SET', 'save', '900 1 300 10')
    await sameWords('CONFIG', 'GET', 'save')
    await sameWords('CONFIG', 'SET', 'save', '900')
    await sameWords('CONFIG', 'SET', 'save', '')
    await sameWords('CONFIG', 'SET', 'slowlog-max-len', ' 1')
    await sameWords('CONFIG', 'SET', 'maxmemory', '10 kb')
    await sameWords('CONFIG', 'SET', 'maxmemory', '')
    for (const limits of [
      'pubsub 1mb 2mb 60',
      'foo 1 2 3',
      'normal x 0 0',
      'pubsub 1',
      'replica 1 2 3',
    ]) {
      await sameWords('CONFIG', 'SET', 'client-output-buffer-limit', limits)
      await sameWords('CONFIG', 'GET', 'client-output-buffer-limit')
    }
    for (const events of ['KEA', 'KEg', '$lshzxetd', 'AnmKE', 'Km', 'Kn', 'Kd$', 'x', 'foo', '']) {
      await sameWords('CONFIG', 'SET', 'notify-keyspace-events', events)
      await sameWords('CONFIG', 'GET', 'notify-keyspace-events')
    }
    await same([
      'CONFIG',
      'CONFIG GET',
      'CONFIG GET nosuch',
      'CONFIG GET nosuch*',
      'CONFIG GET SAVE',
      'CONFIG SET nosuch 1',
      'CONFIG SET save',
      'CONFIG SET save a b',
      'CONFIG SET maxmemory abc',
      'CONFIG SET maxmemory -1',
      'CONFIG SET maxmemory 100mb',
      'CONFIG GET maxmemory',
      'CONFIG SET maxmemory 1k',
      'CONFIG GET maxmemory',
      'CONFIG SET maxmemory 0',
      'CONFIG SET maxmemory 1 maxmemory 2',
      'CONFIG SET maxmemory 1 nosuch 2',
      'CONFIG GET maxmemory',
      'CONFIG SET databases 5',
      'CONFIG SET slowlog-log-slower-than abc',
      'CONFIG SET slowlog-log-slower-than -2',
      'CONFIG SET slowlog-max-len -1',
      'CONFIG SET appendonly maybe',
      'CONFIG SET appendfsync foo',
      'CONFIG SET maxmemory-policy foo',
      'CONFIG SET hash-max-listpack-entries abc',
      'CONFIG SET hash-max-ziplist-value 1k',
      'CONFIG GET hash-max-listpack-value',
      'CONFIG SET proto-max-bulk-len 1',
      'CONFIG SET timeout -1',
      'CONFIG SET timeout 10kb',
      'CONFIG SET list-max-listpack-size -6',
      'CONFIG GET list-max-ziplist-size',
      'CONFIG SET maxclients 0',
      'CONFIG RESETSTAT x',
      'CONFIG RESETSTAT',
      'CONFIG REWRITE',
      'CONFIG HELP',
    ])
    for (const client of [ours, theirs]) await client.call('HELLO', '3')
    await same(['CONFIG GET databases'])
  }),
)

t.test('CONFIG SET changes all of its settings or none', (t) =>
  eachKeyValueRoom(
    t,
    'room',
    async (t, room) => {
      const reply = await room.run('CONFIG', 'SET', 'hz', '20', 'notify-keyspace-events', 'q')
      t.match(reply, { error: /Invalid event class character/ })
      t.same(await room.run('CONFIG', 'GET', 'hz'), ['hz', '10'])
    },
    memory,
  ),
)

t.test('what does nothing here is said in the words of the reference server', (t) =>
  besideRedis(t, 'lines', async (_t, { same, ours, theirs }) => {
    // A process that the machine stops for a while is slow: what is slow is not compared here.
    await same(['CONFIG SET slowlog-log-slower-than -1'])
    await same([
      ...['TIME x', 'SAVE', 'SAVE x', 'BGSAVE foo', 'ROLE', 'LOLWUT', 'LOLWUT VERSION abc'],
      ...['WAIT', 'WAIT 0 0', 'WAIT abc 0', 'WAIT -1 0', 'WAIT 0 -1', 'WAIT 1 1', 'WAIT 1 abc'],
      ...['SHUTDOWN foo', 'SHUTDOWN abort', 'SHUTDOWN abort now', 'SHUTDOWN nosave save'],
      ...['DEBUG', 'DEBUG SLEEP 0', 'DEBUG foo', 'MODULE LIST', 'MODULE LOAD a', 'MODULE foo'],
      ...['SLOWLOG', 'SLOWLOG GET -2', 'SLOWLOG GET abc', 'SLOWLOG GET 1 2', 'SLOWLOG foo'],
      ...['SLOWLOG RESET', 'SLOWLOG LEN', 'SLOWLOG HELP', 'MODULE HELP', 'LATENCY HELP'],
      ...['LATENCY LATEST', 'LATENCY LATEST x', 'LATENCY HISTORY', 'LATENCY HISTORY command'],
      ...['LATENCY DOCTOR', 'LATENCY GRAPH command', 'LATENCY RESET', 'LATENCY RESET a b'],
      ...['LATENCY HISTOGRAM get', 'ACL WHOAMI', 'ACL LIST', 'ACL USERS', 'ACL GETUSER default'],
      ...['ACL GETUSER foo', 'ACL CAT', 'ACL CAT foo', 'ACL CAT a b', 'ACL GENPASS -5'],
      ...['ACL GENPASS abc', 'ACL GENPASS 5000', 'ACL GENPASS 1 2', 'ACL LOG', 'ACL LOG RESET'],
      ...['ACL LOG abc', 'ACL LOG 1 2', 'ACL SAVE', 'ACL LOAD', 'ACL DRYRUN default get a'],
      ...['ACL DRYRUN default get', 'ACL DRYRUN foo get a', 'ACL DRYRUN default nosuch'],
      ...['ACL nosuch', 'FUNCTION FLUSH', 'FUNCTION FLUSH foo', 'FUNCTION FLUSH async'],
      ...['FUNCTION FLUSH async x', 'FUNCTION LIST', 'FUNCTION LIST foo', 'FUNCTION KILL'],
      ...['FUNCTION LIST LIBRARYNAME', 'FUNCTION LIST WITHCODE LIBRARYNAME a', 'SCRIPT EXISTS a'],
      ...['SCRIPT FLUSH', 'SCRIPT FLUSH foo', 'SCRIPT FLUSH sync x', 'SCRIPT KILL', 'SCRIPT foo'],
      ...['INFO nosuch'],
    ])
    for (const client of [ours, theirs]) await client.call('HELLO', '3')
    await same(['ROLE', 'ACL GETUSER default', 'LATENCY HISTOGRAM x', 'LOLWUT', 'INFO nosuch'])
  }),
)

t.test('without Lua, scripts are an unknown command', (t) =>
  eachKeyValueRoom(
    t,
    'room',
    async (t, room) => {
      const error = "ERR unknown command 'EVAL', with args beginning with: 'return 1' '0' "
      t.same(await room.run('EVAL', 'return 1', '0'), { error })
    },
    memory,
  ),
)

t.test('INFO counts commands, errors, keys and those that have a time', (t) =>
  eachKeyValueRoom(t, 'room', async (t, room) => {
    await room.run('SET', 'a', '1')
    await room.run('SET', 'b', '1', 'PX', '5000')
    await room.run('SET', 'c', '1', 'PX', '10')
    await room.run('SELECT', '3')
    await room.run('SET', 'd', '1', 'PX', '100000')
    room.clock.ms += 1_000
    const keyspace = String(await room.run('INFO', 'keyspace'))
    t.match(keyspace, /^db0:keys=2,expires=1,avg_ttl=4000\r$/m)
    t.match(keyspace, /^db3:keys=1,expires=1,avg_ttl=99000\r$/m)
    await room.run('GET', 'nosuch')
    await room.run('GET', 'd')
    await room.run('INCR', 'd', 'x')
    await room.run('LPUSH', 'd', 'x')
    await room.run('NOSUCH')
    t.equal(await figure(room, 'stats', 'keyspace_hits'), '1')
    t.equal(await figure(room, 'stats', 'keyspace_misses'), '1')
    t.equal(await figure(room, 'stats', 'total_error_replies'), '3')
    t.equal(await figure(room, 'errorstats', 'errorstat_ERR'), 'count=2')
    t.equal(await figure(room, 'errorstats', 'errorstat_WRONGTYPE'), 'count=1')
    t.match(
      await figure(room, 'commandstats', 'cmdstat_get'),
      /^calls=2,.*rejected_calls=0,failed_calls=0$/,
    )
    t.match(
      await figure(room, 'commandstats', 'cmdstat_incr'),
      /^calls=0,.*rejected_calls=1,failed_calls=0$/,
    )
    t.match(await figure(room, 'commandstats', 'cmdstat_lpush'), /^calls=1,.*,failed_calls=1$/)
    await room.run('CONFIG', 'RESETSTAT')
    t.equal(await figure(room, 'stats', 'keyspace_hits'), '0')
    t.equal(await figure(room, 'stats', 'total_error_replies'), '0')
    t.equal(await figure(room, 'commandstats', 'cmdstat_get'), '')
    await room.run('GET', 'd')
    t.match(await figure(room, 'commandstats', 'cmdstat_get'), /^calls=1,/)
  }),
)

t.test('INFO names its sections as the reference server does', (t) =>
  eachKeyValueRoom(
    t,
    'room',
    async (t, room) => {
      const titles = async (...words: string[]) =>
        String(await room.run('INFO', ...words))
          .match(/^# \w+/gm)
          ?.map((title) => title.slice(2))
      const usual = [
        ...['Server', 'Clients', 'Memory', 'Persistence', 'Stats', 'Replication', 'CPU', 'Modules'],
        ...['Errorstats', 'Cluster', 'Keyspace'],
      ]
      t.same(await titles(), usual)
      t.same(await titles('default'), usual)
      t.same((await titles('everything'))?.length, usual.length + 2)
      t.same(await titles('keyspace', 'nosuch', 'CLUSTER'), ['Cluster', 'Keyspace'])
      t.match(await figure(room, 'server', 'run_id'), /^[0-9a-f]{40}$/)
      t.equal(await figure(room, 'server', 'tcp_port'), '6379')
      t.equal(await figure(room, 'server', 'redis_version'), '7.0.15')
    },
    memory,
  ),
)

t.test('SLOWLOG keeps what took long, cut short and without secrets', (t) =>
  eachKeyValueRoom(
    t,
    'room',
    async (t, room) => {
      await room.run('CONFIG', 'SET', 'slowlog-log-slower-than', '0')
      await room.run('CLIENT', 'SETNAME', 'me')
      await room.run('SLOWLOG', 'RESET')
      await room.run('SET', 'k', 'x'.repeat(200))
      await room.run('SADD', 's', ...Array.from({ length: 40 }, (_, i) => String(i)))
      await room.run('AUTH', 'operator', 'wrong')
      await room.run('CONFIG', 'SET', 'slowlog-log-slower-than', '-1')
      await room.run('GET', 'k')
      const entries = (await room.run('SLOWLOG', 'GET', '-1')) as [
        ...[id: number, at: number, micros: number],
        ...[words: string[], peer: string, name: string],
      ][]
      const words = entries.map((entry) => entry[3])
      t.same(words[0], ['AUTH', '(redacted)', '(redacted)'])
      t.equal(words[1]?.length, 32)
      t.equal(words[1]?.[31], '... (11 more arguments)')
      t.equal(words[2]?.[2], `${'x'.repeat(128)}... (72 more bytes)`)
      t.same(entries[0]?.slice(4), ['127.0.0.1:50001', 'me'])
      t.equal(entries[0]?.[0], (entries[1]?.[0] ?? 0) + 1)
      await room.run('CONFIG', 'SET', 'slowlog-max-len', '1')
      t.equal(await room.run('SLOWLOG', 'LEN'), 1)
    },
    memory,
  ),
)

t.test('what is the operator’s is refused to others', (t) =>
  eachKeyValueRoom(
    t,
    'room',
    async (t, room) => {
      const unauthenticated = room.client(anonymous)
      for (const line of ['CONFIG GET save', 'SLOWLOG GET', 'INFO', 'CLIENT LIST', 'COMMAND']) {
        t.same(await unauthenticated.line(line), { error: 'NOAUTH Authentication required.' }, line)
      }
    },
    memory,
  ),
)
