// Where SQL differs from PostgreSQL on purpose over tables of CREATE TABLE, for
// docs/compatibility.md. docs/sql.md has the rules of plain collections.

import type { Deviation } from './deviations.js'

const differential = 'test/listeners/sql/sql-differential.test.ts'

export const sqlDeviations: readonly Deviation[] = [
  {
    topic: 'names of results',
    ours: 'the second of a name is `id_2`, because a row is a document',
    references: 'both are `id`',
    shown: ['test/commands/sql/select/select-joins.test.ts'],
  },
  {
    topic: 'columns of type `name`, and the row of a table',
    ours: 'described as `text` and `record`',
    references: '`name`, and a type of the table',
    shown: [differential],
  },
  {
    topic: '`_id` of a declared table',
    ours: 'can be named, read and inserted; `*` and the catalog omit it',
    references: 'no such column',
    shown: ['test/commands/sql/declared-tables.test.ts'],
  },
  {
    topic: 'a declared and a plain table in one statement',
    ours: 'names of the declared table fold, fields of the other keep their case',
    references: 'all names fold',
    shown: ['test/commands/sql/declared-tables.test.ts'],
  },
  {
    topic: 'a missing table',
    ours: '42P01 over the SQL port for SELECT, UPDATE and DELETE; INSERT creates a collection',
    references: '42P01',
    shown: [differential],
  },
  {
    topic: 'functions in FROM',
    ours: 'at most 10,000 rows; arguments are constants and parameters',
    references: 'unbounded, and LATERAL',
    shown: [differential],
  },
  {
    topic: 'elements of a parameter `json[]` or `jsonb[]` in text form',
    ours: 'at most 128 KiB each (54000)',
    references: 'at most 1 GB',
    shown: ['test/protocol/pgwire/parameter.test.ts'],
  },
  {
    topic: 'digits of a number in `json` and `jsonb`',
    ours: 'at most 8,192 before its point, behind it, and in its exponent (22P02)',
    references: '131,072 before the point, 16,383 behind it',
    shown: ['test/value/json/json.test.ts'],
  },
]
