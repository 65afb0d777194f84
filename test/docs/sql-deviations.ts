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
    topic: 'LISTEN and NOTIFY',
    ours:
      'channels of the key-value protocol in the database of the connection, with its rights; the ' +
      'process id of a client of another protocol is 0; 10,000 different notifications a transaction',
    references:
      'channels of the database, open to all its users; one queue of 8 GB for all sessions',
    shown: ['test/listeners/sql/notifications.test.ts', 'test/clients/listen-notify.test.ts'],
  },
  {
    topic: 'a session that does not read its notifications',
    ours: 'is disconnected above the bounds of key-value subscribers',
    references: 'keeps the queue from being emptied',
    shown: ['test/listeners/sql/notifications.test.ts'],
  },
  {
    topic: '`SET timezone`',
    ours: 'accepts a zone; times print in UTC with their offset, and `TimeZone` stays UTC',
    references: 'times print in the zone',
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
  {
    topic: 'a row that another transaction has changed and not yet committed',
    ours:
      'no statement waits; the second commit runs its statements again at READ COMMITTED, if they ' +
      'tell the same, else 40001',
    references: 'the second statement waits',
    shown: ['test/listeners/sql/transactions.test.ts'],
  },
  {
    topic: 'FOR UPDATE, FOR SHARE, NOWAIT, SKIP LOCKED',
    ours:
      'all forms, FOR KEY SHARE too: 40001 if a row of the result has changed; nothing waits or is ' +
      'skipped',
    references: 'row locks',
    shown: ['test/listeners/sql/transactions.test.ts'],
  },
  {
    topic:
      'SERIALIZABLE, and a key that was added or removed since the state of a REPEATABLE READ ' +
      'transaction',
    ours:
      '40001 if anything that a changing transaction has read or added has changed; 23505 for a ' +
      'key that its state has',
    references: '40001 for cycles of dependencies; 23505 for an added key; a removed one is free',
    shown: ['test/listeners/sql/transactions-differential.test.ts'],
  },
  {
    topic: 'CREATE INDEX on a table with rows, in a transaction',
    ours: '0A000; in an implicit one it commits what came before',
    references: 'part of the transaction',
    shown: ['test/listeners/sql/transactions.test.ts'],
  },
  {
    topic: 'a transaction that ended by its time or by a bound, or after a conflict',
    ours: '25P03 or 40001 as an error, until ROLLBACK; the connection stays open; no savepoint is left',
    references: '25P03 closes the connection; ROLLBACK TO works after a conflict',
    shown: ['test/listeners/sql/transactions.test.ts'],
  },
]
