// What the key of documents is called as a constraint: `_id_` is the primary key of its table, and
// errors and the catalogue call it alike.

const idIndex = '_id_'

export function constraintName(table: string, index: string): string {
  return index === idIndex ? `${table}_pkey` : index
}
