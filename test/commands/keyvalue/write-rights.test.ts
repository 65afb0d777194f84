// Every command that may write without reading: what it answers is a count, a length or OK, over
// keys of each type. A new row that answers content has to need both rights, or fails here.

import t from 'tap'
import { Programs } from '../../../src/bus/keyvalue/programs/programs.js'
import { privilegesOf } from '../../../src/bus/keyvalue/row-facts.js'
import { RunningCall } from '../../../src/bus/keyvalue/running-call.js'
import { keyValueRows } from '../../../src/commands/keyvalue/rows.js'
import { usualBounds } from '../../../src/engine/keyspace/work.js'
import { noWallets } from '../../../src/identity/rights/revocation-check.js'
import { eachKeyValueRoom, plain, requestOf, type Word } from '../../support/key-value-room.js'

const secret = 'hidden-words'
const number = '271828'

/** Behind the name and a key; several shapes where options change what is answered. */
const shapes: Readonly<Record<string, readonly string[]>> = {
  append: ['x'],
  del: [''],
  expire: ['100', '100 GT', '100 NX'],
  expireat: ['9999999999', '9999999999 LT'],
  hdel: [`${secret} f`],
  hmset: ['f v'],
  hset: ['f v'],
  hsetnx: ['f v'],
  lpush: ['x'],
  lpushx: ['x'],
  lset: ['0 x'],
  ltrim: ['0 1'],
  mset: ['v'],
  msetnx: ['v'],
  persist: [''],
  pexpire: ['100000', '100000 XX'],
  pexpireat: ['9999999999999'],
  psetex: ['100000 v'],
  rename: ['other'],
  renamenx: ['other'],
  restore: ['0 x'],
  rpush: ['x'],
  rpushx: ['x'],
  sadd: ['x', secret],
  set: ['v', 'v NX', 'v GET', 'v XX GET'],
  setex: ['100 v'],
  setnx: ['v'],
  setrange: ['0 x'],
  smove: [`other ${secret}`],
  srem: [secret],
  unlink: [''],
  zadd: ['1 x', `1 ${secret}`, `GT CH 1 ${secret}`, `INCR 1 ${secret}`, `XX CH 5 ${secret}`],
  zrem: [secret],
  zremrangebyrank: ['0 0'],
}

const fills: readonly (readonly Word[])[] = [
  ['SET', 'k', secret],
  ['SET', 'k', number],
  ['HSET', 'k', 'f', secret, secret, number],
  ['RPUSH', 'k', secret, number],
  ['SADD', 'k', secret, number],
  ['ZADD', 'k', number, secret],
]

/** What must not be told: values, and scores by way of comparisons. */
const content = new RegExp(`${secret}|${number}`)
const asksBoth = /\b(GET|CH|INCR|GT|LT|NX|XX)\b/

t.test('every one of them is here', async (t) => {
  const blind = keyValueRows.filter(
    (row) =>
      row.flags.includes('write') &&
      !privilegesOf(row).includes('read') &&
      !privilegesOf(row).includes('admin') &&
      row.grain !== 'local',
  )
  t.same(blind.map(({ name }) => name).sort(), Object.keys(shapes).sort())
})

t.test('none of them answers what a key holds', (t) =>
  eachKeyValueRoom(t, 'writes', async (t, room) => {
    const { bus, session } = room
    const programsOf = (mayRead: boolean) =>
      new Programs({
        ...{ store: bus.engine.store, bounds: usualBounds },
        ...{ notifies: () => false, notifiesRare: () => false, announce: () => {} },
        warnOf: () => {},
        replyBytesMax: () => Number.POSITIVE_INFINITY,
        revocation: noWallets,
        allow: (_identity, privilege) => mayRead || privilege === 'write',
      })
    const [both, blind] = [programsOf(true), programsOf(false)]
    const run = async (programs: Programs, words: readonly Word[]): Promise<unknown> => {
      const command = bus.table.find(String(words[0]))
      if (command === undefined) throw new Error(`no ${words[0]}`)
      const call = new RunningCall(command, requestOf(words), session, bus.services)
      await programs.write([call], 1)
      return plain(call.reply)
    }
    for (const fill of fills) {
      for (const [name, forms] of Object.entries(shapes)) {
        for (const form of forms) {
          await run(both, ['DEL', 'k', 'other'])
          await run(both, fill)
          const words = [name, 'k', ...form.split(' ').filter((word) => word !== '')]
          const reply = JSON.stringify(await run(blind, words))
          t.notMatch(reply, content, `${words.join(' ')} over ${fill[0]}`)
          const isRefused = reply.includes('NOPERM')
          if (isRefused) t.match(form, asksBoth, `${words.join(' ')} is refused`)
          if (/\b(GET|CH|INCR|GT|LT)\b/.test(form)) t.ok(isRefused, `${words.join(' ')} needs both`)
        }
      }
    }
  }),
)
