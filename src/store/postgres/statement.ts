// What the store asks PostgreSQL, and what it is told. Connections and their queries share these
// types, so neither imports the other for them.

export type Value = Buffer | string | number | null
export type Row = readonly unknown[]

/** A prepared statement: its name is unique among all. */
export interface Statement {
  readonly name: string
  readonly text: string
}
