// Commands that are prepared while another client writes to what they read, several times in each
// of their runs. After a loss they hold what they read, so they end. Programs are counted, not time.

import { isDeepStrictEqual } from 'node:util'
import t from 'tap'
import { checkStore } from '../../../src/engine/check/check.js'
import { eachKeyValueRoom, type KeyValueRoom, type Word } from '../../support/key-value-room.js'
import { drawn } from '../../support/runs.js'

/** More than one write program may make, so each of these commands is prepared or staged. */
const count = 6_000
const numbers = Array.from({ length: count }, (_, n) => n)
/** Programs of a command between two writes: a run has twice as many at least. */
const programsBetween = 8
/** Writes before a command holds what it reads, at most: those of three runs. */
const writesMax = 12

const fills: Readonly<Record<string, readonly Word[]>> = {
  set: ['SADD', 'set', ...numbers],
  zset: ['ZADD', 'zset', ...numbers.flatMap((n) => [n, `m${n}`])],
  list: ['RPUSH', 'list', ...numbers],
  hash: ['HSET', 'hash', ...numbers.flatMap((n) => [`f${n}`, n])],
}

/** Each command, a write to what it reads, and what counts the members of a key. */
const commands = [
  { line: 'SUNIONSTORE to set more', write: 'SADD set x%', card: 'SCARD' },
  { line: 'SDIFFSTORE to set more', write: 'SADD set x%', card: 'SCARD' },
  { line: 'SINTERSTORE to set set', write: 'SADD set x%', card: 'SCARD' },
  { line: 'ZUNIONSTORE to 2 zset zset', write: 'ZADD zset % x%', card: 'ZCARD' },
  { line: 'ZINTERSTORE to 2 zset zset', write: 'ZADD zset % x%', card: 'ZCARD' },
  { line: 'ZDIFFSTORE to 2 zset other', write: 'ZADD zset % x%', card: 'ZCARD' },
  { line: 'ZRANGESTORE to zset 0 -1', write: 'ZADD zset % x%', card: 'ZCARD' },
  { line: 'SORT list STORE to', write: 'RPUSH list %', card: 'LLEN' },
  { line: 'COPY hash to REPLACE', write: 'HSET hash x% y', card: 'HLEN' },
  { line: 'COPY list to REPLACE', write: 'RPUSH list %', card: 'LLEN' },
] as const

interface Beside {
  readonly programs: number
  /** Writes that were made before the command held what it read. */
  readonly before: number
  /** All writes; each waits for its reply. */
  readonly writes: readonly Promise<unknown>[]
  end(): void
}

/**
 * Before some programs of a command, from its first one on, `lines` are sent by another client, in
 * one pipeline.
 */
function writeBeside(room: KeyValueRoom, lines: readonly string[]): Beside {
  const { store } = room.engine
  const { read, write, writeLarge } = store
  const writes: Promise<unknown>[] = []
  let programs = 0
  let before = 0
  /** Called when the program of the other client is given to the store. */
  let isGiven: (() => void) | undefined
  const beside = async () => {
    if (programs++ % programsBetween > 0 || lines.length === 0) return
    const given = new Promise<void>((resolve) => {
      isGiven = resolve
    })
    const client = room.client()
    const n = `${writes.length}`
    const reply = Promise.all(lines.map((line) => client.line(line.replaceAll('%', n))))
    writes.push(reply)
    await given
    // What is held makes it wait until the command is over.
    if (store.heldReads?.isOn === true) return
    before++
    await reply
  }
  store.read = (program, options) =>
    beside().then(() => read.call(store, program, options) as never)
  store.writeLarge = (...given) => beside().then(() => writeLarge.apply(store, given) as never)
  store.write = (program, account) => {
    const given = isGiven
    isGiven = undefined
    given?.()
    if (given !== undefined) return write.call(store, program, account) as never
    return beside().then(() => write.call(store, program, account) as never)
  }
  return {
    get programs() {
      return programs
    },
    get before() {
      return before
    },
    writes,
    end: () => Object.assign(store, { read, write, writeLarge }),
  }
}

t.test('a command ends beside a client that writes to what it reads', (t) =>
  eachKeyValueRoom(t, 'in each of its runs', async (t, room) => {
    await room.run('SADD', 'more', 'a')
    await room.run('ZADD', 'other', '1', 'a')
    for (const { line, write, card } of drawn(commands)) {
      const name = write.split(' ')[1] as string
      await room.run(...(fills[name] ?? []))
      const beside = writeBeside(room, [write])
      const reply = await room.line(line)
      beside.end()
      const all = beside.writes.length
      t.type(reply, 'number', `${line}: ${JSON.stringify(reply)}`)
      t.ok(beside.before <= writesMax, `${beside.programs} programs, ${beside.before} writes`)
      await Promise.all(beside.writes)
      t.equal(await room.line(`${card} ${name}`), count + all, 'each write is made')
      const stored = (await room.line(`${card} to`)) as number
      const extra = line.startsWith('SUNIONSTORE') ? 1 : 0
      t.ok(stored >= count && stored <= count + beside.before + extra, `${stored} of one state`)
      await room.line('DEL set zset list hash to')
    }
    t.same(await checkStore(room.store), [])
  }),
)

/** Commands that carry on from what they have made, and writes of every kind to what they read. */
const carried = [
  { line: 'SUNIONSTORE to set more', writes: 'sets', reads: 'SMEMBERS to' },
  { line: 'SDIFFSTORE to set more', writes: 'sets', reads: 'SMEMBERS to' },
  { line: 'SINTERSTORE to set more set', writes: 'sets', reads: 'SMEMBERS to' },
  { line: 'SUNIONSTORE set set more', writes: 'sets', reads: 'SMEMBERS set' },
  {
    line: 'ZUNIONSTORE to 3 zset set zset WEIGHTS 1 2 3',
    writes: 'scores',
    reads: 'ZRANGE to 0 -1 WITHSCORES',
  },
  {
    line: 'ZINTERSTORE to 2 zset set AGGREGATE MIN',
    writes: 'scores',
    reads: 'ZRANGE to 0 -1 WITHSCORES',
  },
  { line: 'ZDIFFSTORE to 2 zset other', writes: 'scores', reads: 'ZRANGE to 0 -1 WITHSCORES' },
  { line: 'COPY set to REPLACE', writes: 'sets', reads: 'SMEMBERS to' },
  { line: 'COPY zset to REPLACE', writes: 'scores', reads: 'ZRANGE to 0 -1 WITHSCORES' },
  { line: 'COPY hash to REPLACE', writes: 'fields', reads: 'HGETALL to' },
  { line: 'COPY list to REPLACE', writes: 'elements', reads: 'LRANGE to 0 -1' },
] as const

const everyWrite: Readonly<Record<(typeof carried)[number]['writes'], readonly string[]>> = {
  sets: ['SADD set x% y% 7%', 'SREM set 1% 2% x%', 'SADD more 3% z%', 'SREM more 1%9'],
  scores: ['ZADD zset -1% x% 9% m1% 5 m2%', 'ZREM zset m3% m4%', 'SADD set m5%', 'ZREM other m%'],
  fields: ['HSET hash x% 1 f1% 2', 'HDEL hash f2% f3%', 'HSET hash f3% 4'],
  elements: ['RPUSH list x%', 'LPOP list 2', 'LPUSH list y% z%', 'LSET list 30 w%', 'RPOP list'],
}

/** Enough for each of them to be staged. */
const some = numbers.slice(0, 2_500)
const members: readonly Word[] = ['SADD', 'set', ...some, ...some.map((n) => `m${n}`)]

const beginnings: Readonly<Record<keyof typeof everyWrite, readonly (readonly Word[])[]>> = {
  sets: [
    members,
    ['SADD', 'more', ...some.map((n) => 2 * n), ...some.slice(0, 1_300).map((n) => `m${n}`)],
  ],
  scores: [
    members,
    ['ZADD', 'zset', ...some.flatMap((n) => [n, `m${n}`])],
    ['ZADD', 'other', ...some.flatMap((n) => [n, n % 30 === 0 ? `m${n}` : n])],
  ],
  fields: [['HSET', 'hash', ...some.flatMap((n) => [`f${n}`, n])]],
  elements: [['RPUSH', 'list', ...some]],
}

/** Programs of a run that makes again only what has changed, at most. */
const programsAgainMax = 12

t.test('what a command has made is brought up to date, with what others have changed', (t) =>
  eachKeyValueRoom(t, 'while it ran', async (t, room) => {
    const begin = async (writes: keyof typeof everyWrite) => {
      await room.line('DEL set zset list hash more other to')
      for (const fill of beginnings[writes]) await room.run(...fill)
    }
    const content = async (line: string) => {
      const found = (await room.line(line)) as unknown[]
      return line.startsWith('SMEMBERS') ? [...found].sort() : found
    }
    const write = async (lines: readonly string[], from: number, to: number) => {
      for (let n = from; n < to; n++) {
        for (const each of lines) await room.line(each.replaceAll('%', `${n}`))
      }
    }
    for (const { line, writes, reads } of drawn(carried)) {
      const lines = everyWrite[writes]
      await begin(writes)
      const beside = writeBeside(room, lines)
      const reply = await room.line(line)
      beside.end()
      await Promise.all(beside.writes)
      const found = await content(reads)
      const { before, programs } = beside
      // Another client's last write may have come behind the command.
      let isOne = false
      let programsAlone = 0
      for (let read = before; !isOne && read >= Math.max(0, before - 1); read--) {
        await begin(writes)
        await write(lines, 0, read)
        const alone = writeBeside(room, [])
        const aloneReply = await room.line(line)
        alone.end()
        programsAlone = alone.programs
        await write(lines, read, beside.writes.length)
        isOne = isDeepStrictEqual([aloneReply, await content(reads)], [reply, found])
      }
      t.ok(isOne, `${line}: ${before} of ${beside.writes.length} writes`)
      if (room.engine.store.ownsData) {
        t.ok(programs <= programsAlone + programsAgainMax, `${programs} of ${programsAlone}`)
      }
    }
    t.same(await checkStore(room.store), [])
  }),
)

/** Each of them carries on. */
const withoutHold = [
  { line: 'SUNIONSTORE to set more', writes: 'sets', card: 'SCARD set' },
  { line: 'ZUNIONSTORE to 2 zset other', writes: 'scores', card: 'ZCARD zset' },
  { line: 'COPY hash to REPLACE', writes: 'fields', card: 'HLEN hash' },
] as const

t.test('a caller for whom no writer has to wait ends too', (t) =>
  eachKeyValueRoom(
    t,
    'because its later runs are short',
    async (t, room) => {
      // As for keys of another wallet's space: what it reads is never held.
      room.engine.store.heldReads = undefined
      for (const { line, writes, card } of withoutHold) {
        for (const fill of beginnings[writes]) await room.run(...fill)
        const beside = writeBeside(room, everyWrite[writes])
        const reply = await room.line(line)
        beside.end()
        await Promise.all(beside.writes)
        t.type(reply, 'number', `${line}: ${JSON.stringify(reply)}`)
        t.ok(beside.writes.length > 1, `${beside.programs} programs`)
        t.ok(((await room.line(card)) as number) > some.length / 2, 'others went on')
        await room.line('DEL set zset hash more other to')
      }
      t.same(await checkStore(room.store), [])
    },
    { kinds: ['memory'], notShared: 'a round trip for each read leaves no run short enough' },
  ),
)
