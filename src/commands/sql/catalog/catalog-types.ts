// Types as in PostgreSQL's catalog: the OIDs by which clients decode, and the long names. The
// sampled type of a column is one of these.

interface CatalogType {
  readonly name: string
  readonly oid: number
  /** OID of its array type. */
  readonly arrayOid: number
  /** The long name; undefined if it equals the name. */
  readonly words?: string
  /** Bytes; -1 for variable length. */
  readonly length: number
  readonly category: string
}

export const catalogTypes: readonly CatalogType[] = [
  { name: 'bool', oid: 16, arrayOid: 1000, words: 'boolean', length: 1, category: 'B' },
  { name: 'bytea', oid: 17, arrayOid: 1001, length: -1, category: 'U' },
  { name: 'char', oid: 18, arrayOid: 1002, words: '"char"', length: 1, category: 'Z' },
  { name: 'name', oid: 19, arrayOid: 1003, length: 64, category: 'S' },
  { name: 'int8', oid: 20, arrayOid: 1016, words: 'bigint', length: 8, category: 'N' },
  { name: 'int2', oid: 21, arrayOid: 1005, words: 'smallint', length: 2, category: 'N' },
  { name: 'int4', oid: 23, arrayOid: 1007, words: 'integer', length: 4, category: 'N' },
  { name: 'text', oid: 25, arrayOid: 1009, length: -1, category: 'S' },
  { name: 'oid', oid: 26, arrayOid: 1028, length: 4, category: 'N' },
  { name: 'json', oid: 114, arrayOid: 199, length: -1, category: 'U' },
  { name: 'float4', oid: 700, arrayOid: 1021, words: 'real', length: 4, category: 'N' },
  { name: 'float8', oid: 701, arrayOid: 1022, words: 'double precision', length: 8, category: 'N' },
  { name: 'bpchar', oid: 1042, arrayOid: 1014, words: 'character', length: -1, category: 'S' },
  {
    name: 'varchar',
    oid: 1043,
    arrayOid: 1015,
    words: 'character varying',
    length: -1,
    category: 'S',
  },
  { name: 'date', oid: 1082, arrayOid: 1182, length: 4, category: 'D' },
  {
    name: 'timestamp',
    oid: 1114,
    arrayOid: 1115,
    words: 'timestamp without time zone',
    length: 8,
    category: 'D',
  },
  {
    name: 'timestamptz',
    oid: 1184,
    arrayOid: 1185,
    words: 'timestamp with time zone',
    length: 8,
    category: 'D',
  },
  { name: 'numeric', oid: 1700, arrayOid: 1231, length: -1, category: 'N' },
  { name: 'uuid', oid: 2950, arrayOid: 2951, length: 16, category: 'U' },
  { name: 'jsonb', oid: 3802, arrayOid: 3807, length: -1, category: 'U' },
]

const byName = new Map(catalogTypes.map((type) => [type.name, type]))
const byOid = new Map(catalogTypes.map((type) => [type.oid, type]))
const byArrayOid = new Map(catalogTypes.map((type) => [type.arrayOid, type]))

/** A column's type: `varchar(10)`, `int4[]`. */
export interface ColumnType {
  readonly oid: number
  /** -1 means none. */
  readonly modifier: number
  /** PostgreSQL's name: `_int4` for an array. */
  readonly name: string
  readonly words: string
  /** The name in error texts: `integer[]`. */
  readonly title: string
}

export function columnTypeOf(text: string): ColumnType {
  const found = /^(\w+)(?:\((\d+)(?:,(\d+))?\))?(\[\])?$/.exec(text)
  const type = byName.get(found?.[1] ?? '') ?? byName.get('text')
  const isArray = found?.[4] !== undefined
  const modifier = modifierOf(type?.name ?? '', found?.[2], found?.[3])
  const oid = (isArray ? type?.arrayOid : type?.oid) ?? 25
  const name = `${isArray ? '_' : ''}${type?.name ?? 'text'}`
  const words = type?.words ?? type?.name ?? 'text'
  const title = isArray ? `${words}[]` : words
  return { oid, modifier, name, words: isArray ? 'ARRAY' : words, title }
}

/** PostgreSQL adds 4 to a length, and packs precision and scale into one number. */
function modifierOf(name: string, first: string | undefined, second: string | undefined): number {
  if (first === undefined) return -1
  if (name === 'numeric') return Number(first) * 65_536 + Number(second ?? 0) + 4
  return name === 'varchar' || name === 'bpchar' ? Number(first) + 4 : -1
}

/**
 * The OID of a long name, with or without a length, or of PostgreSQL's own: `integer`, `int4`,
 * `text[]`.
 */
export function typeOidOf(text: string): number | undefined {
  const found = /^\s*(?:pg_catalog\.)?"?([a-z_][\w ]*?)"?\s*(?:\([\d, ]*\))?\s*(\[\])?\s*$/i.exec(
    text,
  )
  const name = (found?.[1] ?? '').toLowerCase().replace(/\s+/g, ' ')
  const type = byName.get(aliases.get(name) ?? name)
  const element = name.startsWith('_') ? byName.get(name.slice(1)) : undefined
  if (type === undefined) return element?.arrayOid
  return found?.[2] === undefined ? type.oid : type.arrayOid
}

const aliases = new Map<string, string>([
  ...catalogTypes.flatMap(({ name, words }) =>
    words === undefined ? [] : [[words, name] as const],
  ),
  ...([
    ['int', 'int4'],
    ['decimal', 'numeric'],
    ['float', 'float8'],
    ['char', 'bpchar'],
    ['bool', 'bool'],
  ] as const),
])

/** As `format_type`; undefined for an unknown type. */
export function typeWords(oid: number, modifier: number): string | undefined {
  const element = byArrayOid.get(oid)
  if (element !== undefined) return `${element.words ?? element.name}[]`
  const type = byOid.get(oid)
  if (type === undefined) return undefined
  const words = type.words ?? type.name
  if (modifier < 4) return words
  if (type.name === 'numeric') {
    return `${words}(${Math.floor((modifier - 4) / 65_536)},${(modifier - 4) % 65_536})`
  }
  return type.category === 'S' ? `${words}(${modifier - 4})` : words
}
