// A wallet with things of every kind under names that occur nowhere else, and other callers beside
// it. What these are answered before the wallet has made anything and afterwards has to be the
// same, but for what is told of a caller itself; and what the wallet has must stay as it is.

import { Wallet } from 'ethers'
import { MongoClient } from 'mongodb'
import pg from 'pg'
import type { Test } from 'tap'
import { ask } from './http-client.js'
import { type LiveGateway, startGateway } from './live-gateway.js'
import { RespClient } from './resp-client.js'
import { WalletClient } from './wallet-client.js'
import { withoutTimes } from './wire-client.js'

/** In every name and every value of the wallet. */
export const mark = 'zqsecret'
export const collectionName = `${mark}_notes`
export const graphName = `${mark}-graph`
export const keyNames = ['string', 'list', 'set', 'zset', 'hash'].map((type) => `${mark}:${type}`)

interface Caller {
  readonly address: string
  readonly key: string
  readonly home: string
  readonly client: WalletClient
}

/** What a caller might learn of the wallet elsewhere, and try to use. */
export interface Handles {
  readonly home: string
  readonly address: string
  readonly keyHash: string
  readonly connectionId: string
  readonly cursorId: bigint
  readonly session: Uint8Array
  readonly backend: number
  readonly memoryId: string
  readonly edgeId: string
}

interface World {
  readonly gateway: LiveGateway
  readonly owner: Caller
  /** Before the wallet has made anything, and afterwards; two of each kind, alike in all else. */
  readonly before: readonly Caller[]
  readonly behind: readonly Caller[]
}

export async function openWorld(t: Test): Promise<World> {
  const of = (digit: string) => new Wallet(`0x${digit.repeat(64)}`)
  const administrators = [of('5'), of('6')]
  const gateway = await startGateway(t, {
    RATE_LIMITS: 'off',
    HOMES_PER_HOUR: '1000',
    ADMIN_ADDRESSES: administrators.map(({ address }) => address).join(','),
  })
  const enter = async (wallet: Wallet): Promise<Caller> => {
    const client = await WalletClient.signIn(gateway.url, wallet)
    const { apiKey: key } = await client.issue()
    const { address } = wallet
    return { address, key, home: `w_${address.toLowerCase()}`, client }
  }
  const owner = await enter(of('1'))
  const [second, third] = [await enter(of('2')), await enter(of('3'))]
  const [one, two] = administrators as [Wallet, Wallet]
  return {
    ...{ gateway, owner },
    before: [second, await enter(one)],
    behind: [third, await enter(two)],
  }
}

export async function respOf(
  t: Test,
  { ports }: LiveGateway,
  { address, key }: Caller,
  space?: string,
): Promise<RespClient> {
  const client = await RespClient.open(ports.redis)
  t.teardown(() => client.close())
  const user = space === undefined ? address : `${address}~${space}`
  if ((await client.call('AUTH', user, key)) !== '+OK') throw new Error(`${user} does not sign in`)
  return client
}

export function wireOf(
  t: Test,
  { ports }: LiveGateway,
  { address, key }: Pick<Caller, 'address' | 'key'>,
): MongoClient {
  const options = 'authMechanism=SCRAM-SHA-256&maxPoolSize=2'
  const uri = `mongodb://${address}:${key}@127.0.0.1:${ports.wire}/?${options}`
  const client = new MongoClient(uri)
  t.teardown(() => client.close())
  return client
}

export async function sqlOf(
  t: Test,
  { ports }: LiveGateway,
  { address, key }: Caller,
  name = 'app',
): Promise<pg.Client> {
  const client = new pg.Client({
    ...{ host: '127.0.0.1', port: ports.sql, user: address, password: key, database: 'main' },
  })
  client.on('error', () => undefined)
  await client.connect()
  await client.query(`SET application_name = '${name}'`)
  t.teardown(() => client.end())
  return client
}

/** Before there is anything, what there will be is only guessed. */
function guessedOf({ owner }: World): Handles {
  return {
    ...{ home: owner.home, address: owner.address, keyHash: `0x${'0'.repeat(64)}` },
    ...{ connectionId: '999999', cursorId: 123_456_789n, session: new Uint8Array(16) },
    ...{ backend: 999_999, memoryId: 'mem_x', edgeId: 'edg_x' },
  }
}

/** Makes the wallet's things, and leaves connections, cursors and commands of it open. */
export async function fillWorld(t: Test, { gateway, owner }: World): Promise<Handles> {
  const resp = await respOf(t, gateway, owner)
  await resp.call('CLIENT', 'SETNAME', `${mark}-client`)
  const connectionId = String(await resp.call('CLIENT', 'ID')).slice(1)
  const [string = '', list = '', set = '', zset = '', hash = ''] = keyNames
  await resp.call('SET', string, `${mark} value`, 'EX', '100000')
  await resp.call('RPUSH', list, `${mark} a`, `${mark} b`)
  await resp.call('SADD', set, `${mark} member`)
  await resp.call('ZADD', zset, '1', `${mark} member`)
  await resp.call('HSET', hash, `${mark} field`, `${mark} value`)
  await resp.call('SELECT', '4')
  await resp.call('SET', `${mark}:four`, mark)
  const waiting = await respOf(t, gateway, owner)
  waiting.send(
    Buffer.from(`*3\r\n$5\r\nBLPOP\r\n$${mark.length + 6}\r\n${mark}:queue\r\n$1\r\n0\r\n`),
  )
  const hearing = await respOf(t, gateway, owner)
  await hearing.call('SUBSCRIBE', `${mark}:channel`)
  await hearing.call('PSUBSCRIBE', `${mark}:pattern*`)
  const wire = wireOf(t, gateway, owner)
  const documents = Array.from({ length: 50 }, (_, i) => ({ text: `${mark} ${i}`, n: i }))
  for (const db of ['main', owner.home])
    await wire
      .db(db)
      .collection(collectionName)
      .insertMany(documents.map((each) => ({ ...each })))
  const session = wire.startSession()
  const cursor = await wire
    .db(owner.home)
    .command({ find: collectionName, batchSize: 2, comment: mark }, { session })
  const sql = await sqlOf(t, gateway, owner, `${mark}-application`)
  const { rows } = await sql.query('SELECT pg_backend_pid() AS pid')
  const remembered = async (text: string) => {
    const body = { graph: graphName, text, entities: [`${mark} entity`] }
    return String((await owner.client.send('POST', '/api/memories', body)).json.id)
  }
  const memoryId = await remembered(`${mark} one`)
  const edge = {
    graph: graphName,
    from: memoryId,
    to: await remembered(`${mark} two`),
    type: `${mark}_edge`,
  }
  const related = (await owner.client.send('POST', '/api/edges', edge)).json
  const edgeId = String((related.edge as { readonly id: string }).id)
  const keys = (await owner.client.send('GET', '/api/v1/keys')).json.keys as { hash: string }[]
  return {
    ...{ home: owner.home, address: owner.address, keyHash: keys[0]?.hash ?? '', connectionId },
    cursorId: BigInt(String(cursor.cursor.id)),
    session: session.id?.id.buffer ?? new Uint8Array(16),
    backend: Number(rows.at(0)?.pid),
    ...{ memoryId, edgeId },
  }
}

/** Everything of the wallet, as it reads it itself. */
export async function ownedOf(t: Test, { gateway, owner }: World): Promise<unknown> {
  const resp = await respOf(t, gateway, owner)
  const held: unknown[] = []
  for (const db of ['0', '4']) {
    await resp.call('SELECT', db)
    held.push(await resp.call('DBSIZE'))
  }
  await resp.call('SELECT', '0')
  for (const name of keyNames) {
    held.push([name, await resp.call('DUMP', name), await resp.call('PEXPIRETIME', name)])
  }
  held.push(await resp.call('PUBSUB', 'CHANNELS'), await resp.call('PUBSUB', 'NUMPAT'))
  const names = (await resp.call('CLIENT', 'LIST')) as string
  held.push(names.includes(`${mark}-client`), names.includes('cmd=blpop'))
  const wire = wireOf(t, gateway, owner)
  for (const db of ['main', owner.home]) {
    const found = wire.db(db).collection(collectionName)
    held.push(await found.find().sort({ n: 1 }).toArray(), await found.indexes())
    held.push(withoutTimes(await wire.db(db).command({ getPrivacy: collectionName })))
  }
  const listed = await wire.db(owner.home).listCollections({}, { nameOnly: true }).toArray()
  held.push(listed.map(({ name }) => name).sort())
  for (const path of [`/api/graph?graph=${graphName}`, `/api/graphs/${graphName}`]) {
    held.push((await owner.client.send('GET', path)).json)
  }
  const applications = await sqlOf(t, gateway, owner)
  const { rows } = await applications.query('SELECT 1 AS one')
  held.push(rows, (await ask(gateway.url, { path: '/ready' })).status)
  await wire.close()
  return JSON.parse(JSON.stringify(held))
}

/** Without what differs between two callers that are alike, and what they ask with. */
function plain(text: string, { address, key }: Caller, handles: Handles): string {
  const { cursorId, memoryId, edgeId, session } = handles
  const asked = [String(cursorId), memoryId, edgeId]
  asked.push(Buffer.from(session).toString('base64'), Buffer.from(session).toString('hex'))
  return (
    asked
      .reduce((left, one) => left.replaceAll(one, 'asked'), text)
      .replaceAll(new RegExp(address.slice(2), 'gi'), 'caller')
      .replaceAll(key, 'key')
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z?/g, 'time')
      .replaceAll(/\b1[6-9]\d{8}(?:\d{3})?(?:\.\d+)?\b/g, 'time')
      .replaceAll(/(?:mem|anc|edg)_\w+|\b(?:0x)?[0-9a-f]{24,64}\b/g, 'id')
      // Texts of errors are cut where they are long.
      .replaceAll(/\b(?:asked|id)…?/g, 'id')
  )
}

/** Replies by what was sent. */
export type Replies = Map<string, string>

/** Whatever a caller may send. */
export type Battery = (caller: Caller, handles: Handles) => Promise<Replies>

/** Has callers send the battery before the wallet has made anything, and others like them behind. */
export async function compare(
  t: Test,
  world: World,
  battery: Battery,
  mayDiffer: (label: string) => boolean = () => false,
): Promise<void> {
  const guessed = guessedOf(world)
  const answered: Replies[] = []
  for (const caller of world.before) answered.push(await battery(caller, guessed))
  const handles = await fillWorld(t, world)
  const owned = await ownedOf(t, world)
  for (const [i, caller] of world.behind.entries()) {
    const earlier = world.before[i] as Caller
    const who = i === 0 ? 'another wallet' : 'an administrator'
    for (const [label, reply] of await battery(caller, handles)) {
      const first = plain(answered[i]?.get(label) ?? '', earlier, guessed)
      // Values of the wallet have a space behind the word, names do not.
      if (mayDiffer(label)) t.notMatch(reply, new RegExp(`${mark} `), `${who}: ${label}`)
      else t.equal(plain(reply, caller, handles), first, `${who}: ${label}`)
    }
  }
  t.same(await ownedOf(t, world), owned, 'the wallet has what it had')
}
