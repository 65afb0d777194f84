// Features of MongoDB that Sigil lacks, each with a command that shows its refusal. A test sends them
// (compatibility.test.ts), so a row must go when its feature arrives.

interface Refusal {
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

const scripts = 'the server runs no scripts of clients'
const shapes = 'no geospatial support'

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
    why: 'records are stored by `_id` and have no number',
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
  { what: 'text indexes', command: index({ a: 'text' }), code: 67, why: 'not supported yet' },
  {
    what: '`$text`',
    command: find({ $text: { $search: 'a' } }),
    code: 27,
    why: 'there is no text index',
  },
  {
    what: '`$search`, `$vectorSearch`',
    command: pipeline({ $search: {} }),
    code: 31082,
    why: 'a separate product',
  },
  {
    what: 'back references and look-around in regular expressions, except look-ahead behind a leading `^`',
    command: find({ a: { $regex: '(?=a)b' } }),
    code: 51091,
    why: 'patterns run in linear time',
  },
  {
    what: 'regular expressions whose counts are above 1,000 or make a program of more than 35,000 instructions',
    command: find({ a: { $regex: '(a{1000})'.repeat(51) } }),
    code: 51091,
    why: 'compiling has a bound',
  },
  {
    what: 'custom roles',
    command: { createRole: 'a', privileges: [], roles: [] },
    code: 20,
    why: 'service users have the roles `read`, `readWrite` and `dbAdmin`',
  },
]
