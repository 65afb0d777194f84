// Two gateways over one PostgreSQL in the test's process, each with its own connections, and the
// clients that tests drive them with.

import { Redis } from 'ioredis'
import { MongoClient } from 'mongodb'
import pg from 'pg'
import type { Test } from 'tap'
import { testKey } from './gateway.js'
import { type LiveGateway, startGateway } from './live-gateway.js'
import { sharedAddress } from './shared-stores.js'

export interface SharedPair {
  readonly address: string
  readonly gateways: readonly [LiveGateway, LiveGateway]
  /** Starts one more. */
  third(): Promise<LiveGateway>
  /** Runs a statement in PostgreSQL itself. */
  query(text: string): Promise<unknown>
}

/** Closed with the test. */
export async function openPair(
  t: Test,
  environment: Readonly<Record<string, string>> = {},
): Promise<SharedPair> {
  const address = await sharedAddress(t)
  const settings = { STORE: address, DURABILITY: 'none', ...environment }
  const one = await startGateway(t, settings)
  const two = await startGateway(t, settings)
  const client = new pg.Client({ connectionString: address.replace(/&schema=.*/, '') })
  await client.connect()
  t.teardown(() => client.end())
  return {
    address,
    gateways: [one, two],
    third: () => startGateway(t, settings),
    query: (text) => client.query(text),
  }
}

/** A client of the key-value port, by default the operator's. */
export function redisOn(t: Test, { ports }: LiveGateway, password = testKey): Redis {
  const client = new Redis({ port: ports.redis, password })
  t.teardown(() => client.disconnect())
  return client
}

export async function mongoOn(t: Test, { uri }: LiveGateway): Promise<MongoClient> {
  const client = await MongoClient.connect(uri, { authSource: 'admin', directConnection: true })
  t.teardown(() => client.close())
  return client
}

/** Asks until it is so. */
export async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) {
    await new Promise((resolve) => {
      setTimeout(resolve, 2)
    })
  }
}

/** Resolves when so many clients of the gateway are blocked. */
export function blocked(client: Redis, count: number): Promise<void> {
  return until(async () => (await client.info('clients')).includes(`blocked_clients:${count}\r`))
}
