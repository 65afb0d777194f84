// The types of columns and parameters on the PostgreSQL protocol: OIDs that clients know, and names
// as errors print them. Source: pg_type.dat of PostgreSQL 17.

interface PgType {
  readonly oid: number
  /** The output of `format_type`. */
  readonly title: string
  /** pg_type.typlen: bytes, -1 for variable length. */
  readonly size: number
}

export const pgTypes = {
  bool: { oid: 16, title: 'boolean', size: 1 },
  bytea: { oid: 17, title: 'bytea', size: -1 },
  char: { oid: 18, title: '"char"', size: 1 },
  name: { oid: 19, title: 'name', size: 64 },
  int8: { oid: 20, title: 'bigint', size: 8 },
  int2: { oid: 21, title: 'smallint', size: 2 },
  int2vector: { oid: 22, title: 'int2vector', size: -1 },
  int4: { oid: 23, title: 'integer', size: 4 },
  text: { oid: 25, title: 'text', size: -1 },
  oid: { oid: 26, title: 'oid', size: 4 },
  json: { oid: 114, title: 'json', size: -1 },
  float4: { oid: 700, title: 'real', size: 4 },
  float8: { oid: 701, title: 'double precision', size: 8 },
  unknown: { oid: 705, title: 'unknown', size: -2 },
  jsonArray: { oid: 199, title: 'json[]', size: -1 },
  boolArray: { oid: 1000, title: 'boolean[]', size: -1 },
  byteaArray: { oid: 1001, title: 'bytea[]', size: -1 },
  charArray: { oid: 1002, title: '"char"[]', size: -1 },
  nameArray: { oid: 1003, title: 'name[]', size: -1 },
  int2Array: { oid: 1005, title: 'smallint[]', size: -1 },
  int4Array: { oid: 1007, title: 'integer[]', size: -1 },
  textArray: { oid: 1009, title: 'text[]', size: -1 },
  bpcharArray: { oid: 1014, title: 'character[]', size: -1 },
  varcharArray: { oid: 1015, title: 'character varying[]', size: -1 },
  int8Array: { oid: 1016, title: 'bigint[]', size: -1 },
  float4Array: { oid: 1021, title: 'real[]', size: -1 },
  float8Array: { oid: 1022, title: 'double precision[]', size: -1 },
  oidArray: { oid: 1028, title: 'oid[]', size: -1 },
  bpchar: { oid: 1042, title: 'character', size: -1 },
  varchar: { oid: 1043, title: 'character varying', size: -1 },
  date: { oid: 1082, title: 'date', size: 4 },
  dateArray: { oid: 1182, title: 'date[]', size: -1 },
  timestamptz: { oid: 1184, title: 'timestamp with time zone', size: 8 },
  timestamptzArray: { oid: 1185, title: 'timestamp with time zone[]', size: -1 },
  numericArray: { oid: 1231, title: 'numeric[]', size: -1 },
  numeric: { oid: 1700, title: 'numeric', size: -1 },
  record: { oid: 2249, title: 'record', size: -1 },
  void: { oid: 2278, title: 'void', size: 4 },
  uuid: { oid: 2950, title: 'uuid', size: 16 },
  uuidArray: { oid: 2951, title: 'uuid[]', size: -1 },
  jsonb: { oid: 3802, title: 'jsonb', size: -1 },
  jsonbArray: { oid: 3807, title: 'jsonb[]', size: -1 },
} as const satisfies Record<string, PgType>

export type PgTypeName = keyof typeof pgTypes

const names = new Map<number, PgTypeName>(
  Object.entries(pgTypes).map(([name, { oid }]) => [oid, name as PgTypeName] as const),
)

const elements = new Map<PgTypeName, PgTypeName>()
for (const name of Object.keys(pgTypes) as PgTypeName[]) {
  const array = `${name}Array`
  if (Object.hasOwn(pgTypes, array)) elements.set(array as PgTypeName, name)
}

/** The element type of an array; undefined for other types. */
export function elementTypeOf(array: PgTypeName): PgTypeName | undefined {
  return elements.get(array)
}

/** Undefined if the type has none. */
export function arrayTypeOf(element: PgTypeName): PgTypeName | undefined {
  const array = `${element}Array`
  return Object.hasOwn(pgTypes, array) ? (array as PgTypeName) : undefined
}

/** The type of an OID; `unknown` for 0, which leaves it to the server; undefined for other OIDs. */
export function typeOfOid(oid: number): PgTypeName | undefined {
  return oid === 0 ? 'unknown' : names.get(oid)
}
