// Document queries as SQL over a plain collection. A filter of documents also looks into arrays, so
// each comparison has a second half, `= ANY`. What SQL would read in another way is not shown.

import { type Ejson, isObject } from '../ejson.js'
import { type DocumentQuery, type Find, fieldsOf, filterOf, orderOf } from './query.js'
import { exactJson, isPlain, isWrapped, NotShown, nameSql, quoteSql } from './quote.js'

export function sqlOf(query: DocumentQuery): string {
  const { kind, collection } = query
  const table = tableSql(collection)
  switch (kind) {
    case 'find':
      return selectSql(query, table)
    case 'insert': {
      const entries = fieldsIn(exactJson(query.document, 'document'))
      const names = entries.map(([name]) => nameSql(name)).join(', ')
      const values = entries.map(([, value]) => storedSql(value)).join(', ')
      return `INSERT INTO ${table} (${names})\nVALUES (${values})`
    }
    case 'update': {
      const sets = fieldsIn(exactJson(query.set, 'change')).map(
        ([name, value]) => `${nameSql(name)} = ${storedSql(value)}`,
      )
      return `UPDATE ${table}\nSET ${sets.join(', ')}\nWHERE ${comparison('_id', '=', query.id)}`
    }
    case 'delete':
      return `DELETE FROM ${table}\nWHERE ${comparison('_id', '=', query.id)}`
    case 'replace':
      throw new NotShown('SQL changes columns: it cannot replace a whole document.')
  }
}

/** What SQL does in another way with few values, in one line. */
export function noteOf(query: DocumentQuery): string | undefined {
  if (query.kind !== 'find') return undefined
  const isOrdered = orderOf(query).some(([name]) => name !== '_id')
  const notes = [
    ...(isOrdered ? ['Rows with arrays in a sorted column may stand elsewhere.'] : []),
    ...(hasNumberBound(filterOf(query)) ? ['SQL counts NaN as less than every number.'] : []),
  ]
  return notes.length === 0 ? undefined : notes.join(' ')
}

function hasNumberBound(value: Ejson): boolean {
  if (Array.isArray(value)) return value.some(hasNumberBound)
  if (!isObject(value)) return false
  return Object.entries(value).some(([name, inner]) => {
    if (name !== '$lt' && name !== '$lte') return hasNumberBound(inner)
    return typeof inner === 'number' || /^\{"\$number/.test(JSON.stringify(inner))
  })
}

function selectSql(find: Find, table: string): string {
  const fields = fieldsOf(find)
  const names = fields.includes('_id') ? fields : ['_id', ...fields]
  const columns = fields.length === 0 ? '*' : names.map(nameSql).join(', ')
  const filter = filterOf(find)
  const where = isObject(filter) && Object.keys(filter).length === 0 ? '' : conditionSql(filter)
  const order = orderOf(find).map(([name, way]) => `${nameSql(name)}${way < 0 ? ' DESC' : ''}`)
  return [
    `SELECT ${columns}`,
    `FROM ${table}`,
    ...(where === '' ? [] : [`WHERE ${where}`]),
    ...(order.length === 0 ? [] : [`ORDER BY ${order.join(', ')}`]),
    `LIMIT ${find.limit}`,
  ].join('\n')
}

/** Names of collections may have dots. */
function tableSql(name: string): string {
  nameSql(name.replaceAll('.', '_'))
  return `"${name.replaceAll('"', '""')}"`
}

function fieldsIn(document: Ejson): readonly [string, Ejson][] {
  const entries = isObject(document) ? Object.entries(document) : []
  if (entries.length === 0) throw new NotShown('SQL needs at least one field.')
  return entries
}

function conditionSql(filter: Ejson): string {
  if (!isObject(filter)) throw new NotShown('The filter is no object.')
  const parts = Object.entries(filter).map(([name, value]) => {
    if (name === '$and' || name === '$or') {
      const inner = Array.isArray(value) ? value.map(conditionSql) : []
      if (inner.length === 0) throw new NotShown(`${name} needs a list of filters.`)
      return `(${inner.join(name === '$and' ? ' AND ' : ' OR ')})`
    }
    if (name.startsWith('$')) throw new NotShown(`SQL has no form of ${name}.`)
    if (name.includes('.')) {
      throw new NotShown(
        'A path of a filter also looks into arrays of objects, one of SQL does not.',
      )
    }
    return fieldSql(name, value)
  })
  return parts.length === 0 ? 'TRUE' : parts.join(' AND ')
}

const signs: Readonly<Record<string, string>> = {
  $eq: '=',
  $gt: '>',
  $gte: '>=',
  $lt: '<',
  $lte: '<=',
}

function fieldSql(name: string, value: Ejson): string {
  const isOperators =
    isObject(value) && !isWrapped(value) && Object.keys(value)[0]?.startsWith('$') === true
  if (!isOperators) return comparison(name, '=', value)
  const parts = Object.entries(value).map(([operator, operand]) => {
    const sign = signs[operator]
    if (sign !== undefined) return comparison(name, sign, operand)
    if (operator === '$ne') return `${comparison(name, '=', operand)} IS NOT TRUE`
    if (operator !== '$in' && operator !== '$nin') {
      throw new NotShown(`SQL has no form of ${operator}.`)
    }
    const list = Array.isArray(operand) ? operand : []
    if (list.length === 0) throw new NotShown(`${operator} needs a list of values.`)
    const any = `(${list.map((one: Ejson) => comparison(name, '=', one)).join(' OR ')})`
    return operator === '$in' ? any : `${any} IS NOT TRUE`
  })
  return parts.join(' AND ')
}

/** The sign as it is after a change of sides. */
const turned: Readonly<Record<string, string>> = {
  '=': '=',
  '>': '<',
  '>=': '<=',
  '<': '>',
  '<=': '>=',
}

function comparison(field: string, sign: string, value: Ejson): string {
  const name = nameSql(field)
  if (typeof value === 'string' && field === '_id' && /^[\da-f]{24}$/i.test(value)) {
    throw new NotShown('SQL compares a text of 24 hexadecimal digits with ObjectIds too.')
  }
  const text = comparedSql(value)
  if (field === '_id') return `(${name} ${sign} ${text})`
  return `(${name} ${sign} ${text} OR ${text} ${turned[sign]} ANY(${name}))`
}

/** SQL reads a text without a type as a time where it is compared with one. */
function comparedSql(value: Ejson): string {
  if (value === null) throw new NotShown('SQL does not tell null from a missing field.')
  if (typeof value === 'string') return `${quoteSql(value)}::text`
  if (typeof value === 'boolean') return value ? 'TRUE' : 'FALSE'
  if (typeof value === 'number' && isPlain(value)) return String(value)
  if (isWrapped(value)) return wrappedSql(value)
  throw new NotShown('SQL compares no objects and arrays of documents.')
}

/** With the type that the document route would store. */
function storedSql(value: Ejson): string {
  if (value === null) return 'NULL'
  if (typeof value === 'string') return `${quoteSql(value)}::text`
  if (typeof value === 'boolean') return value ? 'TRUE' : 'FALSE'
  if (typeof value === 'number') {
    if (isPlain(value)) return String(value)
    throw new NotShown(
      'Write large numbers with their type, such as {"$numberLong": "3000000000"}.',
    )
  }
  if (isWrapped(value)) return wrappedSql(value)
  requireJson(value)
  return `${quoteSql(JSON.stringify(value))}::jsonb`
}

function requireJson(value: Ejson): void {
  if (typeof value === 'number' && !isPlain(value)) throw notJson()
  if (typeof value !== 'object' || value === null) return
  if (isWrapped(value)) throw notJson()
  for (const inner of Object.values(value)) requireJson(inner)
}

function notJson(): NotShown {
  return new NotShown("SQL's jsonb has no dates, ObjectIds and other types of documents.")
}

function wrappedSql(value: Ejson): string {
  const [[type, inner] = ['', null]] = isObject(value) ? Object.entries(value) : []
  const text = String(inner)
  if (type === '$numberInt' && /^-?\d+$/.test(text)) return text
  if (type === '$numberLong' && /^-?\d+$/.test(text)) return `${quoteSql(text)}::int8`
  if (type === '$numberDouble' && Number.isFinite(Number(text)) && !Object.is(Number(text), -0)) {
    return `${quoteSql(text)}::float8`
  }
  if (type === '$date') {
    const ms = isObject(inner) ? Number(inner.$numberLong) : Date.parse(text)
    const isInRange = ms >= Date.UTC(1, 0, 1) && ms < Date.UTC(10_000, 0, 1)
    if (isInRange) return `${quoteSql(new Date(ms).toISOString())}::timestamptz`
  }
  if (type === '$oid') throw new NotShown('SQL compares an ObjectId as a text.')
  throw new NotShown(`SQL has no form of this ${type} that keeps its type.`)
}
