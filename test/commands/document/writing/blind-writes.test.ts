// A key that may write and not read: what it may still do, and that no answer, error or figure of
// it holds anything of the documents that are there.

import t from 'tap'
import { GatewayError } from '../../../../src/base/errors.js'
import { identities } from '../../../support/identities.js'
import { openPlace } from '../../../support/rights-room.js'

type Plain = Readonly<Record<string, unknown>>

const secret = 'hidden-words'
const number = 271828

async function openBlind() {
  const { room } = await openPlace()
  const owner = room.sessionOf(identities.owner)
  const writer = room.sessionOf(identities['owner, writing key'])
  const own = (command: Plain) => room.run(command, 'test', owner)
  await own({ create: 's' })
  await own({
    insert: 's',
    documents: [
      { _id: 1, s: secret, n: number, v: [number, secret], u: 1, nested: { s: secret } },
      { _id: 2, s: secret, n: number, u: 2 },
      { _id: secret, n: number, u: 3 },
    ],
  })
  await own({
    createIndexes: 's',
    indexes: [{ key: { u: 1, n: 1 }, name: 'u_1_n_1', unique: true }],
  })
  /** The reply, or the error, as text. */
  const ask = async (command: Plain): Promise<string> => {
    try {
      return JSON.stringify(await room.run(command, 'test', writer))
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error
      return JSON.stringify({ code: error.code, errmsg: error.message, ...error.extra })
    }
  }
  const update = (q: Plain, u: unknown, more: Plain = {}) =>
    ask({ update: 's', updates: [{ q, u, ...more }] })
  return { room, own, ask, update }
}

const stored = new RegExp(`${secret}|${number}|non-numeric type|considered`)

t.test('what computes with stored values, or asks for them, is refused', async (t) => {
  const { ask, update } = await openBlind()
  const set = { $set: { a: 1 } }
  const answers = [
    await update({ _id: 1 }, [{ $set: { x: { $toInt: '$s' } } }]),
    await update({ _id: 1 }, [{ $set: { x: { $dateFromString: { dateString: '$s' } } } }]),
    await update({ _id: 1 }, [{ $set: { _id: '$s' } }]),
    await update({ s: secret }, set),
    await update({ _id: 1, s: secret }, set),
    await update({ _id: { $gt: 0 } }, set),
    await update({ _id: /^h/ }, set),
    await update({ _id: { $in: [/^h/] } }, set),
    await update({ $expr: { $eq: ['$n', number] } }, set),
    await update({ _id: 1 }, { $set: { 'v.$[x]': 1 } }, { arrayFilters: [{ x: number }] }),
    await update({ _id: 1 }, set, { hint: 'u_1_n_1' }),
    await ask({ delete: 's', deletes: [{ q: { n: number }, limit: 1 }] }),
    await ask({ delete: 's', deletes: [{ q: { _id: { $lt: 9 } }, limit: 0 }] }),
    await ask({ findAndModify: 's', query: { _id: 1 }, update: set }),
    await ask({ explain: { update: 's', updates: [{ q: {}, u: set }] } }),
    await ask({ explain: { delete: 's', deletes: [{ q: {}, limit: 0 }] } }),
    await ask({ sqlChange: `UPDATE s SET a = 1 WHERE n = ${number}` }),
    await ask({ sqlChange: 'UPDATE s SET a = n' }),
    await ask({ sqlChange: 'DELETE FROM s RETURNING *' }),
    await ask({ sqlExplain: 'EXPLAIN ANALYZE UPDATE s SET a = 1' }),
  ]
  for (const [i, answer] of answers.entries()) {
    t.match(answer, /"code":13/, `${i}: ${answer}`)
    t.match(answer, /PERMISSION/)
    t.notMatch(answer, stored)
  }
})

t.test('errors of what is allowed quote nothing', async (t) => {
  const { ask, update } = await openBlind()
  for (const u of [
    { $inc: { s: 1 } },
    { $mul: { s: 2 } },
    { $bit: { s: { and: 1 } } },
    { $push: { s: 1 } },
    { $addToSet: { s: 1 } },
    { $pop: { s: 1 } },
    { $pull: { s: 1 } },
    { $pullAll: { s: [1] } },
    { $set: { 's.x': 1 } },
    { $set: { 'nested.s.x': 1 } },
    { $set: { 'v.$[]': 1, 's.$[]': 1 } },
    { $rename: { v: 's.x' } },
    { $set: { _id: 7 } },
    { $set: { u: 1 } },
    { s: 'replaced', _id: 8 },
  ]) {
    for (const q of [{ _id: 2 }, {}]) {
      for (const multi of [false, true]) {
        if (multi && !Object.keys(u)[0]?.startsWith('$')) continue
        const answer = await update(q, u, { multi })
        t.notMatch(answer, /"code":13,/, 'it is allowed')
        t.notMatch(answer, stored, `${JSON.stringify(u)}: ${answer}`)
      }
    }
  }
  t.match(await update({ _id: 2 }, { $inc: { s: 1 } }), /"code":14,/, 'the number is there')
  const taken = await update({ _id: 2 }, { $set: { u: 1 } })
  t.match(taken, /"code":11000,/)
  t.notMatch(taken, /keyValue/)
  for (const statement of ['UPDATE s SET u = 1', 'UPDATE s SET s = 5']) {
    t.notMatch(await ask({ sqlChange: statement }), stored, statement)
  }
})

t.test('a validator that refuses a change explains nothing of the document', async (t) => {
  const { own, ask, update } = await openBlind()
  await own({ collMod: 's', validator: { s: { $type: 'int' } } })
  for (const answer of [
    await update({ _id: 1 }, { $set: { a: 1 } }),
    await update({}, { $set: { a: 1 } }, { multi: true }),
    await ask({ sqlChange: 'UPDATE s SET a = 1' }),
  ]) {
    t.match(answer, /"code":121,/)
    t.notMatch(answer, stored)
    t.notMatch(answer, /errInfo|details/)
  }
  const own121 = await ask({ insert: 's', documents: [{ _id: 9, s: 'mine' }] })
  t.match(own121, /"consideredValue":"mine"/, 'its own document it may see')
})

t.test('figures tell how many were named, and not what they held', async (t) => {
  const { update, own } = await openBlind()
  for (const u of [
    { $set: { n: number } },
    { $set: { n: 1 } },
    { $max: { n: 0 } },
    { $min: { n: 2 ** 40 } },
    { $addToSet: { v: number } },
    { $pull: { v: 'no such' } },
  ]) {
    await own({
      update: 's',
      updates: [{ q: { _id: 1 }, u: { $set: { n: number, v: [number] } } }],
    })
    t.match(await update({ _id: 1 }, u), /"n":1,"nModified":1,/, JSON.stringify(u))
  }
  t.match(await update({ _id: 99 }, { $set: { n: 1 } }), /"n":0,"nModified":0,/)
})

t.test('building indexes and changing rules quotes nothing either', async (t) => {
  const { ask } = await openBlind()
  const unique = { key: { n: 1 }, name: 'n_1', unique: true }
  for (const command of [
    { createIndexes: 's', indexes: [unique] },
    { createIndexes: 's', indexes: [{ key: { n: 1 }, name: 'n_1' }] },
    { collMod: 's', index: { name: 'n_1', prepareUnique: true } },
    { collMod: 's', index: { name: 'n_1', unique: true } },
    { collMod: 's', index: { name: 'n_1', unique: true }, dryRun: true },
    { sqlDefine: 'CREATE UNIQUE INDEX by_n ON s (n)' },
  ]) {
    const answer = await ask(command)
    t.notMatch(answer, stored, answer)
    t.notMatch(answer, /keyValue|violations/, answer)
  }
})

t.test('what is left: adding, replacing, changing and removing by _id, and all', async (t) => {
  const { ask, update, own } = await openBlind()
  t.match(await ask({ insert: 's', documents: [{ _id: 10, u: 10 }] }), /"n":1/)
  const again = await ask({ insert: 's', documents: [{ _id: 10, u: 11 }] })
  t.match(again, /"code":11000,.*"keyValue":\{"_id":10\}/, 'of its own document')
  t.match(await update({ _id: 10 }, { u: 12, a: 1 }), /"n":1,"nModified":1/)
  t.match(await update({ _id: { $in: [1, 10] } }, { $set: { a: 2 } }, { multi: true }), /"n":2/)
  t.match(await update({ _id: 11 }, { $set: { u: 13 } }, { upsert: true }), /"upserted"/)
  t.match(await ask({ delete: 's', deletes: [{ q: { _id: 10 }, limit: 1 }] }), /"n":1/)
  t.match(await ask({ sqlChange: 'UPDATE s SET a = 3' }), /4/)
  t.match(await ask({ delete: 's', deletes: [{ q: {}, limit: 0 }] }), /"n":4/)
  t.equal((await own({ count: 's' })).n, 0)
})

t.test('with the right to read, errors say what they said', async (t) => {
  const { room } = await openBlind()
  const { owner } = identities
  const run = async (u: Plain) => {
    const command = { update: 's', updates: [{ q: { _id: 2 }, u }] }
    return JSON.stringify(await room.run(command, 'test', room.sessionOf(owner)))
  }
  t.match(await run({ $inc: { s: 1 } }), /non-numeric type string/)
  t.match(await run({ $set: { u: 1 } }), /"keyValue":\{"u":1,"n":271828\}/)
  t.match(await run({ $set: { n: number } }), /"n":1,"nModified":0/)
})
