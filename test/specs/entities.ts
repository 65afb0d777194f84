// The things a test file names: clients that note their commands, databases, collections and
// sessions. They live for one test.

import {
  ChangeStream,
  type ClientSession,
  type Collection,
  type CommandFailedEvent,
  type CommandStartedEvent,
  type CommandSucceededEvent,
  type ConnectionCheckOutStartedEvent,
  Db,
  GridFSBucket,
  MongoClient,
  ReadConcern,
  ReadPreference,
  type ReadPreferenceMode,
  type ServerApi,
} from 'mongodb'
import { type EntitySpec, type Fields, requireKnown } from './format.js'
import type { MatchContext } from './matcher.js'

type CommandEvent =
  | { readonly kind: 'commandStartedEvent'; readonly event: CommandStartedEvent }
  | { readonly kind: 'commandSucceededEvent'; readonly event: CommandSucceededEvent }
  | { readonly kind: 'commandFailedEvent'; readonly event: CommandFailedEvent }

interface PoolEvent {
  readonly kind: 'connectionCheckOutStartedEvent'
  readonly event: ConnectionCheckOutStartedEvent
}

interface WatchedClient {
  readonly client: MongoClient
  readonly events: CommandEvent[]
  /** Of its connection pool. */
  readonly poolEvents: PoolEvent[]
}

/** What no test wants to see: signing in, and what sets up fail points. */
const ignoredCommands = new Set([
  'authenticate',
  'configureFailPoint',
  'copydb',
  'copydbgetnonce',
  'createUser',
  'getnonce',
  'hello',
  'ismaster',
  'saslContinue',
  'saslStart',
  'updateUser',
])

interface Addresses {
  readonly uri: string
  /** Of several routers. */
  readonly uriOfAll?: string
}

function uriFor({ uri, uriOfAll = uri }: Addresses, { useMultipleMongoses }: Fields): string {
  return useMultipleMongoses === true ? uriOfAll : uri
}

/** By id. A missing one, or one of another kind, is an error of the file or the runner. */
export class Entities implements MatchContext {
  readonly #server: Addresses
  readonly #clients = new Map<string, WatchedClient>()
  readonly #sessions = new Map<string, ClientSession>()
  readonly #others = new Map<string, unknown>()

  constructor(server: Addresses) {
    this.#server = server
  }

  create(spec: EntitySpec): void {
    const [entry, ...rest] = Object.entries(spec)
    if (entry === undefined || rest.length > 0) throw new Error('an entity has one kind')
    const [kind, fields] = entry
    const id = String(fields.id)
    if (kind === 'client')
      this.#clients.set(id, watchedClient(uriFor(this.#server, fields), fields))
    else if (kind === 'session') this.#sessions.set(id, this.#newSession(fields))
    else if (kind === 'database') this.#others.set(id, this.#newDatabase(fields))
    else if (kind === 'collection') this.#others.set(id, this.#newCollection(fields))
    else if (kind === 'bucket') this.#others.set(id, this.#newBucket(fields))
    else throw new Error(`the runner knows no entity ${kind}`)
  }

  entity(id: string): unknown {
    const found = this.#clients.get(id)?.client ?? this.#sessions.get(id) ?? this.#others.get(id)
    if (found === undefined) throw new Error(`no entity ${id}`)
    return found
  }

  client(id: string): MongoClient {
    return this.#watched(id).client
  }

  save(id: string, value: unknown): void {
    this.#others.set(id, value)
  }

  session(id: string): ClientSession {
    const session = this.#sessions.get(id)
    if (session === undefined) throw new Error(`no session ${id}`)
    return session
  }

  sessionLsid(id: string): unknown {
    return this.session(id).id
  }

  /** The commands that one client noted so far. */
  events(id: string): readonly CommandEvent[] {
    return this.#watched(id).events
  }

  /** The events of one client's connection pool so far. */
  poolEvents(id: string): readonly PoolEvent[] {
    return this.#watched(id).poolEvents
  }

  /**
   * Waits until the server has done what was sent without asking for an answer: one connection
   * is served in order, and a client that works alone has one.
   */
  async settle(): Promise<void> {
    for (const { client } of this.#clients.values()) await client.db('admin').command({ ping: 1 })
  }

  async close(): Promise<void> {
    for (const other of this.#others.values()) {
      if (other instanceof ChangeStream) await other.close()
    }
    for (const session of this.#sessions.values()) await session.endSession()
    for (const { client } of this.#clients.values()) await client.close()
  }

  #watched(id: string): WatchedClient {
    const watched = this.#clients.get(id)
    if (watched === undefined) throw new Error(`no client ${id}`)
    return watched
  }

  #newSession(fields: Fields): ClientSession {
    requireKnown(fields, ['id', 'client', 'sessionOptions'], 'session')
    const given = (fields.sessionOptions ?? {}) as Fields
    const { snapshotTime, ...options } = given
    const session = this.#watched(String(fields.client)).client.startSession(options)
    // This driver has the field of the specification, but no option that sets it.
    if (snapshotTime === undefined) return session
    return Object.assign(session, { snapshotTime: this.entity(String(snapshotTime)) })
  }

  #newBucket(fields: Fields): GridFSBucket {
    requireKnown(fields, ['id', 'database', 'bucketOptions'], 'bucket')
    const database = this.entity(String(fields.database))
    if (!(database instanceof Db)) throw new Error(`${fields.database} is no database`)
    return new GridFSBucket(database, options(fields.bucketOptions))
  }

  #newDatabase(fields: Fields): Db {
    requireKnown(fields, ['id', 'client', 'databaseName', 'databaseOptions'], 'database')
    const { client } = this.#watched(String(fields.client))
    return client.db(String(fields.databaseName), options(fields.databaseOptions))
  }

  #newCollection(fields: Fields): Collection {
    requireKnown(fields, ['id', 'database', 'collectionName', 'collectionOptions'], 'collection')
    const database = this.entity(String(fields.database))
    if (!(database instanceof Db)) throw new Error(`${fields.database} is no database`)
    return database.collection(String(fields.collectionName), options(fields.collectionOptions))
  }
}

const clientFields = ['id', 'uriOptions', 'observeEvents', 'useMultipleMongoses', 'serverApi']

function watchedClient(uri: string, fields: Fields): WatchedClient {
  const known = [...clientFields, 'ignoreCommandMonitoringEvents']
  requireKnown(fields, known, 'client')
  const api = fields.serverApi === undefined ? {} : { serverApi: fields.serverApi as ServerApi }
  const given = { ...(fields.uriOptions ?? {}), ...api }
  const client = new MongoClient(uri, { ...given, monitorCommands: true })
  const events: CommandEvent[] = []
  const observed = new Set(namesOf(fields.observeEvents))
  const ignored = new Set(namesOf(fields.ignoreCommandMonitoringEvents))
  const note = (noted: CommandEvent) => {
    const { commandName } = noted.event
    if (!observed.has(noted.kind) || ignoredCommands.has(commandName)) return
    if (!ignored.has(commandName)) events.push(noted)
  }
  client.on('commandStarted', (event) => {
    // The driver changes some commands before it sends them again.
    const asSent = Object.assign(Object.create(event), { command: copyOf(event.command) })
    note({ kind: 'commandStartedEvent', event: asSent })
  })
  client.on('commandSucceeded', (event) => note({ kind: 'commandSucceededEvent', event }))
  client.on('commandFailed', (event) => note({ kind: 'commandFailedEvent', event }))
  const poolEvents: PoolEvent[] = []
  const kind = 'connectionCheckOutStartedEvent'
  if (observed.has(kind)) {
    client.on('connectionCheckOutStarted', (event) => poolEvents.push({ kind, event }))
  }
  return { client, events, poolEvents }
}

/** A copy of documents, arrays and concerns; other values never change. */
function copyOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copyOf)
  const isCopied = value instanceof ReadConcern || (value as Fields)?.constructor === Object
  if (typeof value !== 'object' || value === null || !isCopied) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, copyOf(inner)]))
}

function namesOf(list: unknown): string[] {
  return Array.isArray(list) ? list.map(String) : []
}

/** The driver takes a read preference as an object of its own. */
export function options(fields: unknown): Fields {
  const given = (fields ?? {}) as Fields
  if (given.readPreference === undefined) return given
  const { mode, maxStalenessSeconds } = given.readPreference as Fields
  const staleness =
    maxStalenessSeconds === undefined ? {} : { maxStalenessSeconds: Number(maxStalenessSeconds) }
  const readPreference = new ReadPreference(mode as ReadPreferenceMode, undefined, staleness)
  return { ...given, readPreference }
}
