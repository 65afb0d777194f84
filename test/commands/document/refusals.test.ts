// Codes and texts of refusals, as the reference server has them: what its clients and suites
// compare.

import { Long } from 'bson'
import t from 'tap'
import { type CommandRoom, eachRoom } from '../../support/command-room.js'

type Plain = Readonly<Record<string, unknown>>

const numbers = "expected types '[long, int, decimal, double']"
const booleans = "expected types '[bool, long, int, decimal, double']"

const find = (rest: Plain): Plain => ({ find: 'c', ...rest })
const projected = (projection: Plain): Plain => find({ filter: { v: 1 }, projection })
const aggregate = (...pipeline: readonly Plain[]): Plain => {
  return { aggregate: 'c', pipeline, cursor: {} }
}
const update = (u: unknown, rest: Plain = {}): Plain => {
  return { update: 'c', updates: [{ q: {}, u, ...rest }] }
}
const findAndRename = { findAndModify: 'c', query: { _id: 2 }, update: { $rename: { 'v.a': 'x' } } }
const modify = { findAndModify: 'c', query: { _id: 1 } }
const index = { key: { a: 1 }, name: 'a_1' }
const bits = (value: unknown): Plain => find({ filter: { v: { $bitsAllSet: value } } })
const middle = /^As of 4.4, it's illegal to specify positional operator in the middle of a path\./
const beyond = Long.fromString('9007199254740993')
const bucket = { groupBy: '$_id', boundaries: [0, 5] }
const aggregating = 'PlanExecutor error during aggregation :: caused by :: '
const finding = "Executor error during find command :: caused by :: positional operator '.$'"
const modifying = 'Plan executor error during findAndModify :: caused by :: '

/** Commands that are refused whole, with code and text. */
const refused: readonly [command: Plain, code: number, text: string | RegExp][] = [
  [
    { ...aggregate(), maxTimeMS: -1 },
    51024,
    "BSON field 'maxTimeMS' value must be >= 0, actual value '-1'",
  ],
  [
    { ...aggregate(), maxTimeMS: 'x' },
    14,
    `BSON field 'aggregate.maxTimeMS' is the wrong type 'string', ${numbers}`,
  ],
  [find({ limit: 'x' }), 14, `BSON field 'find.limit' is the wrong type 'string', ${numbers}`],
  [
    { ...modify, remove: 'x' },
    14,
    `BSON field 'findAndModify.remove' is the wrong type 'string', ${booleans}`,
  ],
  [find({ showRecordId: 0 }), 14, "Field 'showRecordId' should be a boolean value, but found: int"],
  [find({ singleBatch: 1 }), 14, "Field 'singleBatch' should be a boolean value, but found: int"],
  [
    update({ a: 1 }, { multi: 1 }),
    14,
    "BSON field 'update.updates.multi' is the wrong type 'int', expected type 'bool'",
  ],
  [
    { insert: 'c', documents: [{}], ordered: 1 },
    14,
    "BSON field 'insert.ordered' is the wrong type 'int', expected type 'bool'",
  ],
  [aggregate({ $project: { a: '$$' } }), 9, /empty variable names are not allowed$/],
  [
    aggregate({ $project: { a: { $foo: 1 } } }),
    31325,
    'Invalid $project :: caused by :: Unknown expression $foo',
  ],
  [projected({ a: { $foo: 1 } }), 31325, 'Unknown expression $foo'],
  [projected({ 'v.$.foo.$': 1 }), 31394, middle],
  [projected({ $: 1 }), 16410, /^FieldPath field names may not start with '\$'\./],
  [projected({ 'v.$': 0 }), 31395, 'positional projection cannot be used with exclusion'],
  [aggregate({ $project: { 'v.$.foo': 1 } }), 31394, /As of 4\.4/],
  [aggregate({ $project: { $: 1 } }), 16410, /may not start with '\$'/],
  [{ createIndexes: 1, indexes: [index] }, 2, 'collection name has invalid type int'],
  [{ dropIndexes: null, index: 'a' }, 2, 'collection name has invalid type null'],
  [{ createIndexes: 'c', indexes: null }, 10065, 'invalid parameter: expected an object (indexes)'],
  [{ createIndexes: 'c', indexes: [index, index] }, 68, 'Identical index already exists: a_1'],
  [{ dbStats: 1, scale: 0 }, 2, 'scale has to be > 0'],
  [
    aggregate({ $collStats: { storageStats: { scale: -1 } } }),
    51024,
    "BSON field 'scale' value must be >= 1, actual value '-1'",
  ],
  [aggregate({ $count: '_id' }), 15948, "a group's _id may only be specified once"],
  [update([{ $foo: 1 }]), 40324, "Unrecognized pipeline stage name: '$foo'"],
  [update([1]), 14, "Each element of the 'pipeline' array must be an object"],
  [
    bits('x'),
    2,
    '$bitsAllSet takes an Array, a number, or a BinData but received: $bitsAllSet: "x"',
  ],
  [bits(-1), 9, 'Expected a non-negative number in: $bitsAllSet: -1'],
  [bits(1.5), 9, 'Expected an integer: $bitsAllSet: 1.5'],
  [bits([-1]), 2, 'Failed to parse bit position. Expected a non-negative number in: 0: -1'],
  [bits(['x']), 2, 'Failed to parse bit position. Expected a number in: 0: "x"'],
  [
    aggregate({ $limit: Long.fromString('-9007199254740993') }),
    5107201,
    /non-negative number in: \$limit: -9007199254740993$/,
  ],
  [
    find({ skip: Long.fromString('-9007199254740993') }),
    51024,
    /actual value '-9007199254740993'$/,
  ],
  [
    find({ maxTimeMS: beyond }),
    2,
    '9007199254740993 value for maxTimeMS is out of range [0, 2147483647]',
  ],
  [{ getMore: beyond, collection: 'c' }, 43, 'cursor id 9007199254740993 not found'],
  [
    { create: 'd', capped: true, size: Long.fromString('-9007199254740993') },
    51024,
    "BSON field 'size' value must be >= 1, actual value '-9007199254740993'",
  ],
  [
    { collMod: 'c', cappedSize: Long.fromString('-9007199254740993') },
    51024,
    "BSON field 'cappedSize' value must be >= 1, actual value '-9007199254740993'",
  ],
  [
    aggregate({ $bucket: { ...bucket, output: { n: { $sum: 1 }, _id: { $sum: 1 } } } }),
    15948,
    "a group's _id may only be specified once",
  ],
  ...[{ $out: 'o' }, { $merge: 'o' }, { $merge: 'c' }].map((last): (typeof refused)[number] => [
    aggregate({ $addFields: { x: { $add: ['$s', 1] } } }, last),
    14,
    new RegExp(`^${aggregating}\\$add only supports numeric or date types`),
  ]),
  [
    aggregate({ $project: { a: { $add: ['$s', 1] } } }),
    14,
    new RegExp(`^${aggregating}\\$add only supports numeric or date types`),
  ],
  [
    find({ projection: { 'l.$': 1 } }),
    51246,
    `${finding} couldn't find a matching element in the array`,
  ],
  [find({ filter: { l: 2 }, projection: { 'l.foo.$': 1 } }), 51247, `${finding} element mismatch`],
  [
    { ...modify, update: { $inc: { s: 1 } } },
    14,
    new RegExp(`^${modifying}Cannot apply \\$inc to a value of non-numeric type`),
  ],
  [findAndRename, 28, new RegExp(`^${modifying}cannot use the part \\(a of v\\.a\\)`, 'i')],
]

async function fill(room: CommandRoom): Promise<void> {
  await room.insert(
    'c',
    { _id: 1, v: 1, s: 'text', l: [1, 2] },
    { _id: 2, v: [{ a: 1 }], s: 'text' },
  )
}

await eachRoom(t, 'commands are refused with code and text of the peer', async (t, room) => {
  await fill(room)
  for (const [command, code, text] of refused) {
    const [refusal, message] = await room.fails(command)
    t.equal(refusal, code, JSON.stringify(command))
    if (typeof text === 'string') t.equal(message, text)
    else t.match(message, text)
  }
})

await eachRoom(t, 'operations are refused with code and text of the peer', async (t, room) => {
  await fill(room)
  const rows: readonly [u: Plain, code: number, text: RegExp][] = [
    [{ $mul: { 'v.': 'x' } }, 56, /^The update path 'v\.' contains an empty field name/],
    [{ $rename: { v: 'v.' } }, 56, /^The update path 'v\.' contains an empty field name/],
    [{ $rename: { 'v.a': 'x' } }, 28, /to traverse the element \(\{v: \[ \{ a: 1 \} \]\}\)$/],
    [{ $rename: { 's.a': 'x' } }, 28, /\(a of s\.a\) to traverse the element \(\{s: "text"\}\)$/],
  ]
  for (const [u, code, text] of rows) {
    const { writeErrors } = await room.run({ update: 'c', updates: [{ q: { _id: 2 }, u }] })
    t.equal(writeErrors?.[0].code, code, JSON.stringify(u))
    t.match(writeErrors?.[0].errmsg, text)
  }
  const [{ code, errmsg }] = (
    await room.run({ update: 'c', updates: [{ q: {}, u: [{ $match: {} }] }] })
  ).writeErrors
  t.equal(code, 72, 'a stage that is known is the operation of its own')
  t.match(errmsg, /not allowed/)
})

await eachRoom(t, 'what the peer takes is taken', async (t, room) => {
  await fill(room)
  const limit = Long.fromString('9223372036854775807')
  t.equal((await room.drain(aggregate({ $limit: limit }))).length, 2)
  for (let times = 0; times < 2; times++) {
    t.same(await room.run({ create: 'made', capped: true, size: 4096 }), { ok: 1 })
    t.same(await room.run({ create: 'view', viewOn: 'c', pipeline: [] }), { ok: 1 })
  }
  const [code] = await room.fails({ create: 'made' })
  t.equal(code, 48, 'with other options')
  t.match(await room.run({ hostInfo: 1 }), { ok: 1 })
})

await eachRoom(t, 'server commands refuse as the peer', async (t, room) => {
  const asked = { getParameter: { allParameters: '1' } }
  const [code, text] = await room.fails(asked, 'admin')
  t.equal(code, 14)
  t.match(text, /^BSON field 'getParameter.allParameters' is the wrong type 'string'/)
  t.same(await room.fails({ getLog: null }, 'admin'), [
    40414,
    "BSON field 'getLog.getLog' is missing but a required field",
  ])
})
