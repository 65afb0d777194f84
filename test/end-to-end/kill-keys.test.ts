// kill -9 during key-value commands of every type, with DURABILITY=commit: what was acknowledged is
// there, large containers as small ones, and nothing of how keys are laid out is torn.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { testKey } from '../support/gateway.js'
import { RespClient, type RespReply } from '../support/resp-client.js'
import { runs } from '../support/runs.js'
import { endSigil, runSigil, settingsFor, startSigil } from '../support/sigil-process.js'

/** What one worker has been told, and the most that may have happened beyond it: one step. */
interface Told {
  readonly name: string
  /** Steps that were acknowledged. */
  done: number
}

const rounds = runs(2)
const workers = 2
/** Steps from which on a trim or a flush of the worker's scratch keys is among them. */
const scratchEvery = 25

t.test('no acknowledged key-value write is lost by kill -9', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'sigil-kill-keys-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const settings = { ...settingsFor(folder), DURABILITY: 'commit' }
  const all: Told[] = Array.from({ length: workers }, (_, i) => ({ name: `w${i}`, done: 0 }))
  for (let round = 0; round < rounds; round++) {
    await work(settings, all, 90 + 50 * (round % 9))
    const check = await runSigil(['check'], settings)
    t.equal(check.code, 0, `round ${round}: ${check.errors}`)
    await verify(t, settings, all, round)
  }
})

/** Killed by progress: after so many acknowledged steps, wherever each worker is then. */
async function work(
  settings: Record<string, string>,
  all: readonly Told[],
  enough: number,
): Promise<void> {
  const sigil = await startSigil(settings)
  const before = total(all)
  const busy = all.map(async (told) => {
    const client = await open(sigil.redisPort)
    // A lost connection ends the worker.
    await steps(client, told).catch(() => {})
    client.close()
  })
  while (total(all) - before < enough) await new Promise((resolve) => setImmediate(resolve))
  await endSigil(sigil, 'SIGKILL')
  await Promise.all(busy)
}

function total(all: readonly Told[]): number {
  return all.reduce((sum, { done }) => sum + done, 0)
}

async function open(port: number): Promise<RespClient> {
  const client = await RespClient.open(port)
  await client.call('AUTH', testKey)
  return client
}

/** Step n adds member n to one key of each type, in one transaction; each grows past the bounds. */
async function steps(client: RespClient, told: Told): Promise<void> {
  for (;;) {
    const n = told.done
    const { name } = told
    const member = `m${n}`
    const replies = await Promise.all(
      [
        ['MULTI'],
        ['SET', `${name}:string`, String(n), 'PX', String(10_000_000 + n)],
        ['RPUSH', `${name}:list`, member],
        ['SADD', `${name}:set`, member],
        ['HSET', `${name}:hash`, member, 'v'.repeat(n % 300)],
        ['ZADD', `${name}:zset`, String(n % 17), member],
        ['INCR', `${name}:count`],
        ['EXEC'],
      ].map((words) => client.call(...words)),
    )
    const reply = replies.at(-1)
    if (!Array.isArray(reply) || reply.length !== 7) throw new Error(`EXEC: ${reply}`)
    told.done++
    if (n % scratchEvery === scratchEvery - 1) await scratch(client, name, n)
  }
}

/** What leaves garbage behind it, so that a kill may come amid its deletion. */
async function scratch(client: RespClient, name: string, n: number): Promise<void> {
  const words = Array.from({ length: 200 }, (_, i) => `s${i}`)
  const key = `${name}:scratch`
  await client.call('RPUSH', key, ...words, 'x'.repeat(300_000))
  await client.call('LTRIM', key, '150', '-1')
  await client.call('RENAME', key, `${key}:${n % 3}`)
  await client.call('SADD', key, ...words)
  await client.call('PEXPIRE', key, '1')
  if (n % 2 === 0) await client.call('UNLINK', `${key}:${n % 3}`)
}

async function verify(
  t: Test,
  settings: Record<string, string>,
  all: readonly Told[],
  round: number,
): Promise<void> {
  const sigil = await startSigil(settings)
  const client = await open(sigil.redisPort)
  for (const told of all) {
    const { name, done } = told
    const count = numberOf(await client.call('GET', `${name}:count`))
    const title = `round ${round}: ${name}`
    t.ok(count === done || count === done + 1, `${title}: ${count} steps, ${done} acknowledged`)
    const sizes = ['LLEN', 'SCARD', 'HLEN', 'ZCARD'].map((command, i) =>
      client.call(command, `${name}:${['list', 'set', 'hash', 'zset'][i]}`),
    )
    t.same((await Promise.all(sizes)).map(numberOf), [count, count, count, count], title)
    const last = `m${count - 1}`
    const members = Array.from({ length: count }, (_, i) => `m${i}`)
    t.equal(numberOf(await client.call('GET', `${name}:string`)), count - 1)
    t.same(await client.call('LRANGE', `${name}:list`, '0', '-1'), listOf(members))
    const inSet = await client.call('SMISMEMBER', `${name}:set`, ...members)
    t.same(inSet, [`*${count}`, ...members.map(() => ':1')])
    const lengths = await client.call('HSTRLEN', `${name}:hash`, last)
    t.equal(lengths, `:${(count - 1) % 300}`)
    t.equal(numberOf(await client.call('ZSCORE', `${name}:zset`, last)), (count - 1) % 17)
    told.done = count
  }
  client.close()
  const { code } = await endSigil(sigil, 'SIGTERM')
  t.equal(code, 0)
}

function listOf(members: readonly string[]): RespReply {
  return [`*${members.length}`, ...members.map((member) => `$${member}`)]
}

/** Of `:1` and `$1`; a missing key is 0. */
function numberOf(reply: RespReply): number {
  const number = Number(String(reply).slice(1))
  return reply === '$-1' ? 0 : number
}
