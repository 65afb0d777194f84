// Commands that are prepared while another client writes to what they read, several times in each
// of their runs. After a loss they hold what they read, so they end. Programs are counted, not time.

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

/** Before some programs of a command, from its first one on, `line` is sent by another client. */
function writeBeside(room: KeyValueRoom, line: string): Beside {
  const { store } = room.engine
  const { read, write, writeLarge } = store
  const writes: Promise<unknown>[] = []
  let programs = 0
  let before = 0
  /** Called when the program of the other client is given to the store. */
  let isGiven: (() => void) | undefined
  const beside = async () => {
    if (programs++ % programsBetween > 0) return
    const given = new Promise<void>((resolve) => {
      isGiven = resolve
    })
    const client = room.client()
    const reply = client.line(line.replaceAll('%', `${writes.length}`))
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
      const beside = writeBeside(room, write)
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
