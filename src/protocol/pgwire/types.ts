// The types that columns and parameters have on the PostgreSQL protocol: numbers that every client
// knows, names as errors print them. Source: pg_type.dat of PostgreSQL 17.

export interface PgType {
  readonly oid: number
  /** As `format_type` prints it. */
  readonly title: string
  /** pg_type.typlen: bytes, -1 where values differ. */
  readonly size: number
}

export const pgTypes = {
  bool: { oid: 16, title: 'boolean', size: 1 },
  bytea: { oid: 17, title: 'bytea', size: -1 },
  name: { oid: 19, title: 'name', size: 64 },
  int8: { oid: 20, title: 'bigint', size: 8 },
  int2: { oid: 21, title: 'smallint', size: 2 },
  int4: { oid: 23, title: 'integer', size: 4 },
  text: { oid: 25, title: 'text', size: -1 },
  oid: { oid: 26, title: 'oid', size: 4 },
  json: { oid: 114, title: 'json', size: -1 },
  float4: { oid: 700, title: 'real', size: 4 },
  float8: { oid: 701, title: 'double precision', size: 8 },
  unknown: { oid: 705, title: 'unknown', size: -2 },
  textArray: { oid: 1009, title: 'text[]', size: -1 },
  bpchar: { oid: 1042, title: 'character', size: -1 },
  varchar: { oid: 1043, title: 'character varying', size: -1 },
  date: { oid: 1082, title: 'date', size: 4 },
  timestamptz: { oid: 1184, title: 'timestamp with time zone', size: 8 },
  numeric: { oid: 1700, title: 'numeric', size: -1 },
  uuid: { oid: 2950, title: 'uuid', size: 16 },
  jsonb: { oid: 3802, title: 'jsonb', size: -1 },
} as const satisfies Record<string, PgType>

export type PgTypeName = keyof typeof pgTypes

const names = new Map<number, PgTypeName>(
  Object.entries(pgTypes).map(([name, { oid }]) => [oid, name as PgTypeName] as const),
)

/** The type of an OID; `unknown` for 0, which leaves it to the server; undefined where none is. */
export function typeOfOid(oid: number): PgTypeName | undefined {
  return oid === 0 ? 'unknown' : names.get(oid)
}
