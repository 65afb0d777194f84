// The constraint name of the document key. `_id_` is the primary key of its table, and errors and
// the catalogue use the same name.

const idIndex = '_id_'

export function constraintName(table: string, index: string): string {
  return index === idIndex ? `${table}_pkey` : index
}
