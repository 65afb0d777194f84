// Validators of collections, over every store: what they refuse on every way in, what collMod makes
// of them, and who may write past them.

import t from 'tap'
import type { Log } from '../../../../src/base/log.js'
import { silentLog } from '../../../../src/base/log.js'
import { CommandRoom, eachRoom, type Reply } from '../../../support/command-room.js'
import { eachKeyValueRoom } from '../../../support/key-value-room.js'

const adults = { $jsonSchema: { required: ['age'], properties: { age: { minimum: 18 } } } }
const refused = [
  121,
  'Plan executor error during findAndModify :: caused by :: Document failed validation',
]

const tooYoung = (age: number) => ({
  operatorName: '$jsonSchema',
  schemaRulesNotSatisfied: [
    {
      operatorName: 'properties',
      propertiesNotSatisfied: [
        {
          propertyName: 'age',
          details: [
            {
              operatorName: 'minimum',
              specifiedAs: { minimum: 18 },
              reason: 'comparison failed',
              consideredValue: age,
            },
          ],
        },
      ],
    },
  ],
})

async function codesOf(room: CommandRoom, command: Reply): Promise<unknown> {
  const reply = await room.run(command)
  return reply.writeErrors?.map(({ index, code }: Reply) => [index, code])
}

await eachRoom(t, 'an insert is told what is wrong with each document', async (t, room) => {
  await room.run({ create: 'c', validator: adults })
  const documents = [{ _id: 1, age: 20 }, { _id: 2, age: 5 }, { _id: 3 }, { _id: 4, age: 18 }]
  const reply = await room.run({ insert: 'c', documents, ordered: false })
  t.equal(reply.n, 2)
  t.strictSame(reply.writeErrors[0], {
    index: 1,
    code: 121,
    errInfo: { failingDocumentId: 2, details: tooYoung(5) },
    errmsg: 'Document failed validation',
  })
  t.match(reply.writeErrors[1], {
    index: 2,
    errInfo: {
      failingDocumentId: 3,
      details: {
        schemaRulesNotSatisfied: [
          {
            operatorName: 'required',
            specifiedAs: { required: ['age'] },
            missingProperties: ['age'],
          },
        ],
      },
    },
  })
  t.same(await codesOf(room, { insert: 'c', documents: [{ age: 1 }, { age: 40 }] }), [[0, 121]])
  t.equal((await room.all('c')).length, 2)
})

await eachRoom(t, 'updates of every kind are held to the validator', async (t, room) => {
  await room.run({ create: 'c', validator: { age: { $gte: 18 } } })
  await room.insert('c', { _id: 1, age: 20 }, { _id: 2, age: 30 })
  const update = (q: object, u: unknown, more: object = {}) =>
    codesOf(room, { update: 'c', updates: [{ q, u, ...more }] })
  const young = [[0, 121]]
  t.same(await update({ _id: 1 }, { $set: { age: 1 } }), young)
  t.same(await update({ age: 20 }, { $set: { age: 1 } }), young)
  t.same(await update({}, { $inc: { age: -15 } }, { multi: true }), young)
  t.same(await update({ _id: 1 }, { name: 'x' }), young)
  t.same(await update({ _id: 1 }, [{ $set: { age: 1 } }]), young)
  t.same(await update({ _id: 9 }, { $set: { age: 1 } }, { upsert: true }), young)
  t.same(await update({ _id: 1 }, { $set: { name: 'x' } }), undefined)
  const error = await room.refusal({
    ...{ findAndModify: 'c', query: { _id: 2 } },
    update: { $set: { age: 2 } },
  })
  t.same([error.code, error.message], refused)
  t.equal(error.codeName, 'DocumentValidationFailure')
  t.ok(error.extra.errInfo instanceof Uint8Array, 'errInfo is at the top')
  const both = [
    { q: { _id: 1 }, u: { $set: { age: 0 } } },
    { q: { _id: 2 }, u: { $set: { age: 50 } } },
  ]
  t.same(await codesOf(room, { update: 'c', updates: both, ordered: false }), young)
  t.same(await room.all('c'), [
    { _id: 1, age: 20, name: 'x' },
    { _id: 2, age: 50 },
  ])
})

await eachRoom(
  t,
  'a moderate validator leaves documents alone that failed before',
  async (t, room) => {
    await room.insert('c', { _id: 1, age: 5 }, { _id: 2, age: 20 })
    const rules = { validator: { age: { $gte: 18 } }, validationLevel: 'moderate' }
    t.same(await room.run({ collMod: 'c', ...rules }), { ok: 1 })
    const set = (_id: number, age: number) =>
      codesOf(room, { update: 'c', updates: [{ q: { _id }, u: { $set: { age } } }] })
    t.equal(await set(1, 6), undefined)
    t.same(await set(2, 6), [[0, 121]])
    t.same(await codesOf(room, { insert: 'c', documents: [{ age: 6 }] }), [[0, 121]])
    await room.run({ collMod: 'c', validationLevel: 'strict' })
    t.same(await set(1, 7), [[0, 121]])
    await room.run({ collMod: 'c', validationLevel: 'off' })
    t.equal(await set(2, 7), undefined)
    const [listed] = await room.drain({ listCollections: 1, filter: { name: 'c' } })
    t.same(listed?.options, {
      validator: { age: { $gte: 18 } },
      ...{ validationLevel: 'off', validationAction: 'error' },
    })
    await room.run({ collMod: 'c', validator: {}, validationLevel: 'strict' })
    t.equal(await codesOf(room, { insert: 'c', documents: [{ age: 6 }] }), undefined)
  },
)

await eachRoom(t, 'listCollections echoes a validator as it was given', async (t, room) => {
  await room.run({ create: 'c', validator: adults, validationLevel: 'moderate' })
  await room.run({ create: 'd', validator: {} })
  const [c, d] = await room.drain({ listCollections: 1 })
  t.same(c?.options, { validator: adults, validationLevel: 'moderate' })
  t.same(d?.options, {})
})

await eachRoom(t, 'bypassDocumentValidation writes what the validator refuses', async (t, room) => {
  await room.run({ create: 'c', validator: adults })
  const bypassDocumentValidation = true
  const bypass = { bypassDocumentValidation }
  t.equal((await room.run({ insert: 'c', documents: [{ _id: 1 }], ...bypass })).n, 1)
  const updates = [{ q: { _id: 1 }, u: { $set: { age: 1 } } }]
  t.equal((await room.run({ update: 'c', updates, ...bypass })).nModified, 1)
  const change = { findAndModify: 'c', query: { _id: 1 }, update: { $set: { age: 2 } } }
  t.equal((await room.run({ ...change, ...bypass })).lastErrorObject.n, 1)
  t.same(await room.fails({ ...change, update: { $set: { age: 3 } } }), refused)
  await room.insert('from', { _id: 7, age: 7 })
  const merge = { aggregate: 'from', pipeline: [{ $merge: 'c' }], cursor: {} }
  t.same((await room.fails(merge))[0], 121)
  await room.run({ ...merge, ...bypass })
  const out = { aggregate: 'from', pipeline: [{ $out: 'c' }], cursor: {} }
  t.same((await room.fails(out))[0], 121)
  t.equal((await room.all('c')).length, 2, 'what was there is there')
  await room.run({ ...out, ...bypass })
  t.same(await room.all('c'), [{ _id: 7, age: 7 }])
  t.same(await codesOf(room, { insert: 'c', documents: [{ age: 6 }] }), [[0, 121]])
})

await eachRoom(t, 'an expression that cannot be computed refuses the document', async (t, room) => {
  const validator = { $expr: { $gt: [{ $divide: [10, '$a'] }, 1] } }
  await room.run({ create: 'c', validator })
  t.equal(await codesOf(room, { insert: 'c', documents: [{ a: 5 }] }), undefined)
  const { writeErrors } = await room.run({ insert: 'c', documents: [{ a: 0 }] })
  t.equal(writeErrors[0].code, 121)
  t.equal(writeErrors[0].errInfo.details.reason, 'failed to evaluate aggregation expression')
})

await eachRoom(
  t,
  'a validator that looks at the time sees the time of the write',
  async (t, room) => {
    await room.run({ create: 'c', validator: { $expr: { $gte: ['$until', '$$NOW'] } } })
    const now = (await room.run({ hello: 1 })).localTime.getTime()
    const documents = [{ until: new Date(now + 3_600_000) }]
    t.equal(await codesOf(room, { insert: 'c', documents }), undefined)
    const late = [{ until: new Date(now - 3_600_000) }]
    t.same(await codesOf(room, { insert: 'c', documents: late }), [[0, 121]])
  },
)

await eachRoom(
  t,
  'what no validator may have is refused',
  async (t, room) => {
    const create = (validator: object) => room.fails({ create: 'c', validator })
    t.same(await create({ $where: '1' }), [2, '$where is not allowed in this context'])
    t.same(await create({ $text: { $search: 'a' } }), [2, '$text is not allowed in this context'])
    const near = '$geoNear, $near, and $nearSphere are not allowed in this context'
    t.same(await create({ $and: [{ a: { $near: [0, 0] } }] }), [2, near])
    t.equal((await create({ $jsonSchema: { bsonType: 'foo' } }))[0], 2)
    t.equal((await create({ $jsonSchema: { unknown: 1 } }))[0], 9)
    t.same(await room.fails({ create: 'c', validationLevel: 'x' }), [
      2,
      "Enumeration value 'x' for field 'create.validationLevel' is not a valid value.",
    ])
    await room.run({ create: 'c' })
    const text = 'Parsing of collection validator failed :: caused by :: unknown operator: $foo'
    t.same(await room.fails({ collMod: 'c', validator: { a: { $foo: 1 } } }), [2, text])
    t.equal((await room.fails({ collMod: 'none', validator: {} }))[0], 26)
    const large = { a: { $ne: 'x'.repeat(1_100_000) } }
    t.equal((await room.fails({ collMod: 'c', validator: large }))[0], 10334)
    t.equal((await room.fails({ create: 'd', validator: large }))[0], 10334)
  },
  { kinds: ['memory'] },
)

t.test('with the action warn the write goes through, and the log is told', async (t) => {
  const warned: object[] = []
  const log: Log = {
    ...silentLog,
    warn: (what: unknown) => {
      if (typeof what === 'object' && what !== null) warned.push(what)
    },
  }
  await eachRoom(
    t,
    'warn',
    async (t, room) => {
      await room.run({ create: 'c', validator: adults, validationAction: 'warn' })
      t.equal(await codesOf(room, { insert: 'c', documents: [{ _id: 1, secret: 5 }] }), undefined)
      t.match(warned, [{ command: 'insert', ns: 'test.c' }])
      t.notMatch(JSON.stringify(warned), 'secret')
      await room.insert('c', { _id: 2, age: 20 })
      t.equal(warned.length, 1)
    },
    { kinds: ['memory'], log },
  )
})

t.test('an unordered insert of very many refused documents has a reply', async (t) => {
  await eachRoom(
    t,
    'many',
    async (t, room) => {
      await room.run({ create: 'c', validator: { text: { $type: 'int' } } })
      const text = 'x'.repeat(20_000)
      const documents = Array.from({ length: 1_000 }, (_, _id) => ({ _id, text }))
      const { writeErrors } = await room.run({ insert: 'c', documents, ordered: false })
      t.equal(writeErrors.length, 1_000)
      t.match(writeErrors[0].errInfo, { failingDocumentId: 0, details: { consideredValue: text } })
      t.same(writeErrors[999].errInfo, { note: 'detailed error was too large' })
    },
    { kinds: ['memory'] },
  )
})

await eachRoom(t, "a validator compares by the collection's collation", async (t, room) => {
  const validator = { kind: { $in: ['cat', 'dog'] } }
  await room.run({ create: 'c', validator, collation: { locale: 'en', strength: 2 } })
  await room.run({ create: 'd', validator })
  const documents = [{ kind: 'CAT' }]
  t.equal(await codesOf(room, { insert: 'c', documents }), undefined)
  t.same(await codesOf(room, { insert: 'd', documents }), [[0, 121]])
  t.same(await codesOf(room, { insert: 'c', documents: [{ kind: 'cow' }] }), [[0, 121]])
})

await eachRoom(
  t,
  'validate counts the documents that the validator would refuse',
  async (t, room) => {
    await room.insert('c', { _id: 1, age: 5 }, { _id: 2, age: 20 })
    t.equal((await room.run({ validate: 'c' })).nNonCompliantDocuments, 0)
    await room.run({ collMod: 'c', validator: adults })
    const { nNonCompliantDocuments, valid, warnings } = await room.run({ validate: 'c' })
    t.same([nNonCompliantDocuments, valid], [1, true])
    t.equal(warnings.length, 1)
  },
)

await eachKeyValueRoom(
  t,
  'a key-value database may have a validator of its own',
  async (t, room) => {
    const documents = new CommandRoom(room.store, room.clock)
    await documents.run({ collMod: 'kv0', validator: { type: { $ne: 'list' } } }, 'main')
    t.equal(await room.run('SET', 'k', 'v'), 'OK')
    t.same(await room.run('RPUSH', 'l', 'a'), { error: 'ERR Document failed validation' })
    t.equal(await room.run('EXISTS', 'l'), 0)
    t.equal(await room.run('HSET', 'h', 'f', 'v'), 1)
    t.equal(await room.run('TYPE', 'k'), 'string')
    const now = { $expr: { $gte: ['$expiresAt', { $add: ['$$NOW', 10_000] }] } }
    await documents.run({ collMod: 'kv0', validator: now }, 'main')
    t.same(await room.run('SET', 'k', 'v'), { error: 'ERR Document failed validation' })
    t.equal(await room.run('SET', 'k', 'v', 'EX', '60'), 'OK')
    await documents.run({ drop: 'kv0' }, 'main')
    t.equal(await room.run('SET', 'k', 'v'), 'OK', 'dropped, it has no rules')
    await documents.engine.close()
  },
)
