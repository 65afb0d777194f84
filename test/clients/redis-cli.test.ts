// redis-cli as people use it: single commands, its modes, what it asks for help texts with, and what
// it prints of pushes.

import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { promisify, stripVTControlCharacters } from 'node:util'
import t, { type Test } from 'tap'
import { startGateway } from '../support/live-gateway.js'
import { RespClient } from '../support/resp-client.js'

const run = promisify(execFile)
const missing = await run('redis-cli', ['--version']).then(
  () => undefined,
  () => 'redis-cli is not installed: apt-get install redis-tools',
)
const skip = missing !== undefined && process.env.CI !== 'true' ? missing : false

interface Cli {
  /** Runs it to its end and answers what it printed. */
  readonly say: (args: readonly string[], input?: string) => Promise<string>
  readonly start: (...args: readonly string[]) => ChildProcess
  readonly client: RespClient
}

async function open(t: Test): Promise<Cli> {
  const { ports, key } = await startGateway(t)
  const login = ['-p', String(ports.redis), '-a', key, '--no-auth-warning']
  const client = await RespClient.open(ports.redis)
  await client.call('AUTH', key)
  const start = (...args: readonly string[]) => {
    const child = spawn('redis-cli', [...login, ...args], { stdio: ['pipe', 'pipe', 'inherit'] })
    t.teardown(() => child.kill())
    return child
  }
  t.teardown(() => client.close())
  const say = (args: readonly string[], input = '') => {
    const child = start(...args)
    let text = ''
    child.stdout?.on('data', (chunk: Buffer) => {
      text += chunk
    })
    child.stdin?.end(input)
    return new Promise<string>((resolve) => {
      child.once('close', () => resolve(stripVTControlCharacters(text).replaceAll('\r', '').trim()))
    })
  }
  return { start, client, say }
}

/** Resolves when it has printed something that matches. */
function printed(child: ChildProcess, pattern: RegExp): Promise<string> {
  let text = ''
  return new Promise((resolve, reject) => {
    child.stdout?.on('data', (chunk: Buffer) => {
      text += chunk
      if (pattern.test(text)) resolve(text)
    })
    child.once('close', () => reject(new Error(`it ended: ${text}`)))
  })
}

t.test('single commands, databases, binary input and RESP3', { skip }, async (t) => {
  const { say } = await open(t)
  t.equal(await say(['SET', 'a', '1']), 'OK')
  t.equal(await say(['INCR', 'a']), '2')
  t.equal(await say(['GET', 'none']), '')
  t.equal(await say(['--no-raw', 'GET', 'none']), '(nil)')
  t.match(await say(['LPUSH', 'a', 'x']), /^WRONGTYPE/)
  t.equal(await say(['-n', '3', 'SET', 'b', 'x']), 'OK')
  t.equal(await say(['-n', '3', 'DBSIZE']), '1')
  t.equal(await say(['-x', 'SET', 'c'], 'from the input'), 'OK')
  t.equal(await say(['GET', 'c']), 'from the input')
  t.equal(await say(['HSET', 'h', 'f', 'v']), '1')
  t.equal(await say(['-3', '--no-raw', 'HGETALL', 'h']), '1# "f" => "v"')
  t.match(await say(['--csv', 'MGET', 'a', 'c']), /^"2","from the input"$/)
  t.match(await say(['--json', '-3', 'HGETALL', 'h']), /^\{"f":"v"\}$/)
  t.equal(await say(['-r', '3', 'INCR', 'n']), '1\n2\n3')
})

t.test('a session, with the help that it asks the server for', { skip }, async (t) => {
  const { say } = await open(t)
  const lines = ['SET a 1', 'MULTI', 'INCR a', 'EXEC', 'SELECT 2', 'DBSIZE', 'FOO', 'HELP GET']
  const text = await say([], `${lines.join('\n')}\n`)
  t.match(text, /^OK\nOK\nQUEUED\n2\n+OK\n0\nERR unknown command 'FOO'/)
  t.match(text, /GET key\s+summary: /)
  t.match(text, /since: 1\.0\.0\s+group: string/)
})

t.test('--scan, --bigkeys and --memkeys see every key', { skip }, async (t) => {
  const { client, say } = await open(t)
  const keys = Array.from({ length: 500 }, (_, i) => `user:${i}`)
  await client.call('MSET', ...keys.flatMap((key) => [key, 'v']))
  await client.call('RPUSH', 'list', ...Array.from({ length: 300 }, String))
  await client.call('HSET', 'hash', 'f', 'v')
  await client.call('SADD', 'set', 'a', 'b')
  await client.call('ZADD', 'zset', '1', 'a')
  const found = await say(['--scan', '--pattern', 'user:*'])
  t.same(found.split('\n').sort(), [...keys].sort())
  const big = await say(['--bigkeys'])
  t.match(big, /Sampled 504 keys in the keyspace/)
  t.match(big, /Biggest +list found '"list"' has 300 items/)
  t.match(big, /1 hashs with 1 fields/)
  t.match(await say(['--memkeys']), /Biggest +list found '"list"' has \d+ bytes/)
})

t.test('--pipe sends in bulk and counts the replies', { skip }, async (t) => {
  const { client, say } = await open(t)
  const lines = Array.from({ length: 2_000 }, (_, i) => `SET key:${i} value\r\n`)
  t.match(await say(['--pipe'], `${lines.join('')}LPUSH key:1 x\r\n`), /errors: 1, replies: 2001/)
  t.equal(await client.call('DBSIZE'), ':2000')
})

t.test('--latency and --stat print figures', { skip }, async (t) => {
  const { client, start } = await open(t)
  await client.call('SET', 'a', '1')
  // Not on a terminal it prints one line of least, most and mean, and ends.
  t.match(await printed(start('--latency', '-i', '0.05'), /\n/), /^\d+ \d+ \d+\.\d+ \d+/)
  const stat = start('--stat', '-i', '0.01')
  t.match(
    await printed(stat, /(?:\n1 .*){2}/),
    /keys +mem +clients +blocked +requests +connections/,
  )
  stat.kill()
})

t.test('subscriptions and MONITOR print what arrives', { skip }, async (t) => {
  const { client, start } = await open(t)
  const subscriber = start('SUBSCRIBE', 'news')
  await printed(subscriber, /subscribe\nnews\n1\n/)
  const message = printed(subscriber, /message\nnews\nhello\n/)
  t.equal(await client.call('PUBLISH', 'news', 'hello'), ':1')
  t.ok(await message)
  const pattern = start('PSUBSCRIBE', 'n*')
  await printed(pattern, /psubscribe\nn\*\n1\n/)
  const matched = printed(pattern, /pmessage\nn\*\nnews\nagain\n/)
  t.equal(await client.call('PUBLISH', 'news', 'again'), ':2')
  t.ok(await matched)
  const monitor = start('MONITOR')
  await printed(monitor, /OK\n/)
  const seen = printed(monitor, /"SET" "a" "b c"\n/)
  await client.call('SET', 'a', 'b c')
  t.match(await seen, /\d+\.\d{6} \[0 127\.0\.0\.1:\d+\] "SET" "a" "b c"/)
})
