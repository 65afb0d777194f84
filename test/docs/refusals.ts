// What the peer has and Sigil has not: each with a command that shows how it is refused. A test sends
// them (compatibility.test.ts), so that a row whose feature arrives has to go.

export interface Refusal {
  readonly what: string
  readonly command: Readonly<Record<string, unknown>>
  readonly code: number
  readonly why: string
}

const find = (filter: unknown) => ({ find: 'rows', filter })
const pipeline = (...stages: unknown[]) => ({ aggregate: 'rows', pipeline: stages, cursor: {} })
const index = (key: unknown, options = {}) => ({
  createIndexes: 'rows',
  indexes: [{ key, name: 'one', ...options }],
})

const scripts = 'no script of a client runs on the server'
const replicaSet = 'as on every standalone'
const shapes = 'places on a sphere are not indexed or compared'

export const refusals: readonly Refusal[] = [
  { what: '`$where`', command: find({ $where: 'true' }), code: 2, why: scripts },
  {
    what: '`$function`',
    command: pipeline({ $project: { a: { $function: { body: 'x', args: [], lang: 'js' } } } }),
    code: 31264,
    why: scripts,
  },
  {
    what: '`$accumulator`',
    command: pipeline({ $group: { _id: 1, a: { $accumulator: {} } } }),
    code: 31264,
    why: scripts,
  },
  {
    what: '`showRecordId`',
    command: { find: 'rows', showRecordId: true },
    code: 115,
    why: 'records lie under their `_id` and have no number',
  },
  { what: '`mapReduce`', command: { mapReduce: 'rows', map: 'x' }, code: 115, why: scripts },
  {
    what: '`$near`, `$nearSphere`',
    command: find({ a: { $near: [0, 0] } }),
    code: 291,
    why: shapes,
  },
  {
    what: '`$geoWithin`, `$geoIntersects`',
    command: find({ a: { $geoWithin: {} } }),
    code: 238,
    why: shapes,
  },
  { what: '`$geoNear`', command: pipeline({ $geoNear: {} }), code: 5860400, why: shapes },
  { what: '`2d`, `2dsphere` indexes', command: index({ a: '2dsphere' }), code: 67, why: shapes },
  { what: 'text indexes', command: index({ a: 'text' }), code: 67, why: 'not yet' },
  {
    what: '`$text`',
    command: find({ $text: { $search: 'a' } }),
    code: 27,
    why: 'there is no text index',
  },
  {
    what: 'change streams',
    command: pipeline({ $changeStream: {} }),
    code: 40573,
    why: replicaSet,
  },
  {
    what: 'transactions and retryable writes',
    command: {
      insert: 'rows',
      documents: [{}],
      lsid: { id: '00112233445566778899aabbccddeeff' },
      txnNumber: 1n,
    },
    code: 20,
    why: replicaSet,
  },
  {
    what: '`$search`, `$vectorSearch`',
    command: pipeline({ $search: {} }),
    code: 31082,
    why: 'a product of its own',
  },
  {
    what: 'look-around and back references in regular expressions',
    command: find({ a: { $regex: '(?=a)b' } }),
    code: 51091,
    why: 'they take linear time on every pattern',
  },
  {
    what: "roles of one's own making",
    command: { createRole: 'a', privileges: [], roles: [] },
    code: 20,
    why: 'service users have the roles `read`, `readWrite` and `dbAdmin`',
  },
]
