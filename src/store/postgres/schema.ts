// The tables of a shared store. They have a version, and a newer one is refused. PostgreSQL needs
// no extension.

import { fail } from '../../base/errors.js'
import type { Link } from './link.js'

const schemaVersion = 3
/** Versions of one value of the sequence: a write group usually needs one value. */
export const versionsAtOnce = 1_024

/**
 * Rows of gateways are written by each commit. A nearly empty page lets a long snapshot keep dead
 * rows there without making the commits walk them in an index.
 */
const often = 'WITH (fillfactor = 10)'

/** Large messages between gateways, kept for a minute; they need not survive a crash. */
const messagesTable = `CREATE UNLOGGED TABLE IF NOT EXISTS messages (
  id bigserial PRIMARY KEY, body bytea NOT NULL,
  at timestamptz NOT NULL DEFAULT clock_timestamp())`

const tables = [
  `CREATE TABLE pairs (
    key bytea PRIMARY KEY, version bigint NOT NULL, value bytea NOT NULL)`,
  // Values are not compressed: that costs more processor time than it saves.
  'ALTER TABLE pairs ALTER COLUMN value SET STORAGE EXTERNAL',
  `CREATE TABLE counts (
    key bytea, gateway bigint, documents bigint NOT NULL, bytes bigint NOT NULL,
    PRIMARY KEY (key, gateway)) WITH (fillfactor = 50)`,
  `CREATE TABLE gateways (
    no bigint PRIMARY KEY, epoch bigint NOT NULL, grp bigint NOT NULL) ${often}`,
  `CREATE TABLE heartbeats (
    no bigint PRIMARY KEY, until timestamptz NOT NULL, life text NOT NULL DEFAULT '',
    address text NOT NULL DEFAULT '') ${often}`,
  `CREATE TABLE ended (
    no bigint, epoch bigint, grp bigint NOT NULL, at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (no, epoch))`,
  'CREATE TABLE recording (only_locked boolean)',
  'CREATE TABLE turns (only_locked boolean)',
  messagesTable,
  'CREATE TABLE format (version integer NOT NULL)',
  `CREATE SEQUENCE versions INCREMENT BY ${versionsAtOnce} START WITH ${versionsAtOnce}`,
  `INSERT INTO format VALUES (${schemaVersion})`,
]

/** What leads from a version to the next one; the first is 1. */
const upgrades: readonly (readonly string[])[] = [
  ["ALTER TABLE heartbeats ADD COLUMN life text NOT NULL DEFAULT ''", messagesTable],
  ["ALTER TABLE heartbeats ADD COLUMN address text NOT NULL DEFAULT ''"],
]

/**
 * Creates the tables if there are none, or takes those of an older version up. Throws
 * OperationFailed for a version that is newer, and for an unfinished copy.
 */
export function prepareSchema(link: Link, schema: string): Promise<void> {
  return withTables(link, schema, async () => {
    const source = await unfinishedCopy(link, schema)
    if (source === undefined) return
    throw fail(
      'OperationFailed',
      `a copy of ${source} into schema ${schema} is unfinished: run it again, or drop the schema`,
    )
  })
}

/** As prepareSchema, for an empty store; the copy is begun when this resolves. */
export function prepareCopy(link: Link, schema: string, source: string): Promise<void> {
  return withTables(link, schema, async () => {
    const begun = await unfinishedCopy(link, schema)
    if (begun === source) return
    if (begun !== undefined) {
      throw fail(
        'OperationFailed',
        `schema ${schema} holds an unfinished copy of ${begun}: finish that, or drop the schema`,
      )
    }
    const [row] = await link.command(
      'SELECT EXISTS (SELECT FROM pairs) OR EXISTS (SELECT FROM heartbeats)',
    )
    if (row?.[0] === 't') {
      throw fail(
        'OperationFailed',
        `schema ${schema} is not empty: name another (?schema=), or drop it`,
      )
    }
    await link.command('CREATE TABLE copying (source text NOT NULL)')
    await link.command(`INSERT INTO copying VALUES (convert_from('\\x${hexOf(source)}', 'UTF8'))`)
  })
}

/** Makes the copy a store. No version up to `highest` is drawn again. */
export async function finishCopy(link: Link, highest: number): Promise<void> {
  const last = Math.ceil((highest + 1) / versionsAtOnce) * versionsAtOnce
  await link.command('BEGIN')
  await link.command(`SELECT setval('versions', ${last})`)
  await link.command('DROP TABLE copying')
  await link.command('COMMIT')
}

/** The source of an unfinished copy. */
async function unfinishedCopy(link: Link, schema: string): Promise<string | undefined> {
  const [row] = await link.command(`SELECT to_regclass('"${schema}".copying')`)
  if (row?.[0] == null) return undefined
  const [copying] = await link.command('SELECT source FROM copying')
  return String(copying?.[0])
}

async function withTables(link: Link, schema: string, act: () => Promise<void>): Promise<void> {
  await link.command('BEGIN')
  try {
    // Two gateways may start at the same time.
    await link.command(`SELECT pg_advisory_xact_lock(hashtext('sigil ${schema}'))`)
    await createTables(link, schema)
    const [format] = await link.command('SELECT version FROM format')
    const version = Number(format?.[0])
    if (version < schemaVersion) {
      for (const text of upgrades.slice(version - 1).flat()) await link.command(text)
      await link.command(`UPDATE format SET version = ${schemaVersion}`)
    }
    if (version > schemaVersion) {
      throw fail(
        'OperationFailed',
        `the tables in schema ${schema} have format ${version}; this version of Sigil reads ` +
          `format ${schemaVersion}`,
      )
    }
    await act()
    await link.command('COMMIT')
  } catch (error) {
    await link.command('ROLLBACK').catch(() => undefined)
    throw error
  }
}

async function createTables(link: Link, schema: string): Promise<void> {
  const [row] = await link.command(
    `SELECT to_regclass('"${schema}".format'), to_regnamespace('"${schema}"')`,
  )
  if (row?.[0] != null) return
  // The schema may be made by an administrator: then the user needs no right on the database.
  if (row?.[1] == null) await link.command(`CREATE SCHEMA "${schema}"`)
  for (const text of tables) await link.command(text)
}

function hexOf(text: string): string {
  return Buffer.from(text).toString('hex')
}
