// Gateways on one PostgreSQL: a server for each test file, or the one of a whole run, and a schema
// for each test.

import { type Clock, systemClock } from '../../src/base/clock.js'
import { silentLog } from '../../src/base/log.js'
import { openStore } from '../../src/store/open.js'
import type { Store } from '../../src/store/store.js'
import {
  type Ending,
  openPostgresServer,
  openReference,
  type PostgresServer,
} from './postgres-reference.js'

/** Folder of the socket of a server that serves all files of a run (suite.ts). */
export const serverVariable = 'SIGIL_POSTGRES'

let server: Promise<PostgresServer> | undefined
let schemas = 0

/** The server of this test file; it ends with the file. */
export function postgresServer(t: Ending): Promise<PostgresServer> {
  if (server === undefined) {
    const root = rootOf(t)
    server = openPostgresServer(root)
    // Another file may follow in this process.
    root.teardown(() => {
      server = undefined
    })
  }
  return server
}

/** The setting STORE of new tables. */
export async function sharedAddress(t: Ending): Promise<string> {
  const folder = process.env[serverVariable] ?? (await postgresServer(t)).folder
  return addressOn(folder)
}

/** New tables on the server with its socket in `folder`. */
export function addressOn(folder: string): string {
  const host = encodeURIComponent(folder)
  return `postgres://test@localhost/postgres?host=${host}&schema=s${process.pid}_${++schemas}`
}

interface SharedOptions {
  readonly clock?: Clock
  /** With `none`, a crash of PostgreSQL loses the last commits. */
  readonly durability?: 'commit' | 'none'
}

/** A gateway; closed with the test. */
export async function openShared(
  t: Ending,
  address: string,
  { clock = systemClock, durability = 'none' }: SharedOptions = {},
): Promise<Store> {
  const store = await openStore(address, { durability, clock, log: silentLog })
  t.teardown(() => store.close())
  return store
}

function rootOf(t: Ending): Ending {
  let root: Ending & { readonly parent?: unknown } = t
  while (root.parent !== undefined) root = root.parent as typeof root
  return root
}

/** New tables, and what only their server can do to a gateway on them. */
export interface SharedTables {
  readonly address: string
  /** The gateway's heartbeat has stopped for too long, as after a long pause. */
  expire(gateway: Store): Promise<void>
  query(text: string): Promise<readonly (readonly (string | null)[])[]>
}

export async function openSharedTables(t: Ending): Promise<SharedTables> {
  const { folder } = await postgresServer(t)
  const { query } = openReference(t, folder)
  const address = addressOn(folder)
  const schema = new URL(address).searchParams.get('schema')
  const inSchema = async (text: string) => (await query(text.replaceAll('$', `${schema}.`))).rows
  return {
    address,
    query: inSchema,
    expire: async ({ gateways }) => {
      const past = "clock_timestamp() - interval '1 second'"
      await inSchema(`UPDATE $heartbeats SET until = ${past} WHERE life = '${gateways?.self}'`)
    },
  }
}
