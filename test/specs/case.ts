// One test of a unified file, from its data to its outcome. The failure of a case has the driver's
// error as its cause, where there was one.

import { MongoBulkWriteError, type MongoClient, MongoError, MongoServerError } from 'mongodb'
import { Entities } from './entities.js'
import {
  type CollectionData,
  type EntitySpec,
  type ExpectedEvents,
  type Fields,
  type Operation,
  requireKnown,
  type SpecFile,
  type SpecTest,
} from './format.js'
import { Mismatch, requireMatch, text } from './matcher.js'
import { askServer, execute } from './operations.js'
import { isFailPoint } from './requirements.js'

export interface Server {
  readonly uri: string
  /** Of two routers over one store, this one among them; for tests that want several. */
  readonly uriOfAll?: string
  /** Prepares and inspects; no test sees its commands. */
  readonly client: MongoClient
  /** One for each router, by its address; for tests that want several. */
  readonly clients?: ReadonlyMap<string, MongoClient>
}

class CaseFailure extends Error {}

/** Runs it; the answer is what went wrong, or undefined. */
export async function failureOf(server: Server, file: SpecFile, test: SpecTest): Promise<unknown> {
  try {
    await runCase(server, file, test)
    return undefined
  } catch (error) {
    return error
  }
}

async function runCase(server: Server, file: SpecFile, test: SpecTest): Promise<void> {
  for (const data of file.initialData ?? []) await load(server.client, data)
  const entities = new Entities(server)
  try {
    for (const spec of file.createEntities ?? []) entities.create(spec)
    for (const operation of test.operations) await runOperation(server, operation, entities)
    for (const expected of test.expectEvents ?? []) checkEvents(expected, entities)
    if (test.outcome !== undefined) await entities.settle()
    for (const data of test.outcome ?? []) await checkOutcome(server.client, data)
  } finally {
    if (test.operations.some(isFailPoint)) {
      for (const name of failPoints) {
        for (const client of server.clients?.values() ?? [server.client]) {
          await setFailPoint(client, { configureFailPoint: name, mode: 'off' })
        }
      }
    }
    await entities.close()
  }
}

async function load(client: MongoClient, data: CollectionData): Promise<void> {
  const writeConcern = { w: 'majority' } as const
  const db = client.db(data.databaseName)
  await db.dropCollection(data.collectionName, { writeConcern })
  await db.createCollection(data.collectionName, { writeConcern })
  if (data.documents.length === 0) return
  await db.collection(data.collectionName).insertMany([...data.documents], { writeConcern })
}

async function runOperation(
  server: Server,
  operation: Operation,
  entities: Entities,
  isWithin = false,
): Promise<void> {
  const { name } = operation
  let result: unknown
  try {
    result = await perform(server, operation, entities)
  } catch (error) {
    if (operation.ignoreResultAndError === true && !isWithin) return
    if (!(error instanceof MongoError)) throw error
    if (operation.expectError === undefined) {
      if (isWithin) throw error
      throw new CaseFailure(`${name} failed: ${error.message}`, { cause: error })
    }
    checkError(operation.expectError, error, entities, name)
    // The driver is to see the errors of a callback.
    if (isWithin) throw error
    return
  }
  if (operation.ignoreResultAndError === true) return
  if (operation.expectError !== undefined) throw new CaseFailure(`${name} did not fail`)
  if ('expectResult' in operation) {
    requireMatch(operation.expectResult, result, entities, `result of ${name}`)
  }
  if (operation.saveResultAsEntity !== undefined) {
    entities.save(operation.saveResultAsEntity, result)
  }
}

async function perform(server: Server, operation: Operation, entities: Entities) {
  if (operation.object !== 'testRunner')
    return await execute(operation, entities, (step) => runOperation(server, step, entities, true))
  const given = operation.arguments ?? {}
  const check = runnerChecks[operation.name]
  if (check !== undefined) return check(given, entities)
  if (isFailPoint(operation)) {
    return await setFailPoint(pointedAt(server, given, entities), given.failPoint as Fields)
  }
  return await askServer(operation.name, given, (name) => server.client.db(name))
}

/** The client of the test, or one of the server that a session is pinned to. */
function pointedAt(server: Server, given: Fields, entities: Entities): MongoClient {
  if (given.client !== undefined) return entities.client(String(given.client))
  // Not declared, and the only way to ask.
  const { transaction } = entities.session(String(given.session)) as unknown as {
    readonly transaction: { readonly server?: { readonly description: { address: string } } }
  }
  const address = transaction.server?.description.address ?? ''
  return server.clients?.get(address) ?? server.client
}

/** What tests ask of the runner about what has been sent. */
const runnerChecks: Readonly<Record<string, (given: Fields, entities: Entities) => void>> = {
  createEntities: (given, entities) => {
    for (const spec of given.entities as readonly EntitySpec[]) entities.create(spec)
  },
  assertSameLsidOnLastTwoCommands: (given, entities) => {
    const [one, other] = lastTwoSessions(given, entities)
    if (one !== other) throw new Mismatch(`the last two commands: ${one} is not ${other}`)
  },
  assertDifferentLsidOnLastTwoCommands: (given, entities) => {
    const [one, other] = lastTwoSessions(given, entities)
    if (one === other) throw new Mismatch(`the last two commands: both have ${one}`)
  },
  assertSessionTransactionState: (given, entities) => {
    // Not declared, and the only way to ask.
    const { transaction } = entities.session(String(given.session)) as unknown as Fields
    const { state } = transaction as Fields
    const expected = transactionStates[String(given.state)]
    if (state !== expected) throw new Mismatch(`the transaction is ${state}, not ${expected}`)
  },
  assertSessionPinned: (given, entities) => {
    if (!entities.session(String(given.session)).isPinned) throw new Mismatch('it is not pinned')
  },
  assertSessionUnpinned: (given, entities) => {
    if (entities.session(String(given.session)).isPinned) throw new Mismatch('it is pinned')
  },
  assertSessionDirty: (given, entities) => {
    if (!entities.session(String(given.session)).serverSession.isDirty) {
      throw new Mismatch('the session is not dirty')
    }
  },
  assertSessionNotDirty: (given, entities) => {
    if (entities.session(String(given.session)).serverSession.isDirty) {
      throw new Mismatch('the session is dirty')
    }
  },
}

function lastTwoSessions(given: Fields, entities: Entities): string[] {
  const sent = entities.events(String(given.client)).slice(-2)
  return sent.map(({ event }) => ('command' in event ? text(event.command.lsid) : 'none'))
}

/** As the files name them, and as the driver does. */
const transactionStates: Readonly<Record<string, string>> = {
  none: 'NO_TRANSACTION',
  starting: 'STARTING_TRANSACTION',
  in_progress: 'TRANSACTION_IN_PROGRESS',
  committed: 'TRANSACTION_COMMITTED',
  aborted: 'TRANSACTION_ABORTED',
}

const failPoints = ['failCommand', 'failGetMoreAfterCursorCheckout']

function setFailPoint(client: MongoClient, command: Fields): Promise<unknown> {
  return client.db('admin').command(command)
}

type ErrorCheck = (expected: unknown, error: MongoError, entities: Entities) => boolean

const isServerError = (error: MongoError): error is MongoServerError =>
  error instanceof MongoServerError

/** Each tells whether the error is as expected; matches of documents throw Mismatch themselves. */
const errorChecks: Readonly<Record<string, ErrorCheck>> = {
  isError: (expected) => expected === true,
  isClientError: (expected, error) => !isServerError(error) === expected,
  errorContains: (expected, error) =>
    error.message.toLowerCase().includes(String(expected).toLowerCase()),
  errorCode: (expected, error) => error.code === expected,
  errorCodeName: (expected, error) => isServerError(error) && error.codeName === expected,
  errorLabelsContain: (expected, error) =>
    labels(expected).every((one) => error.hasErrorLabel(one)),
  errorLabelsOmit: (expected, error) => !labels(expected).some((one) => error.hasErrorLabel(one)),
  errorResponse: (expected, error, entities) => {
    if (!isServerError(error)) return false
    requireMatch(expected, error.errorResponse, entities, 'error response')
    return true
  },
  expectResult: (expected, error, entities) => {
    const result = error instanceof MongoBulkWriteError ? error.result : undefined
    requireMatch(expected, result, entities, 'result of the failure')
    return true
  },
}

function checkError(expected: Fields, error: MongoError, entities: Entities, name: string): void {
  requireKnown(expected, Object.keys(errorChecks), 'expectError')
  for (const [check, value] of Object.entries(expected)) {
    if (errorChecks[check]?.(value, error, entities) === true) continue
    const wanted = `${check} ${text(value)}`
    throw new CaseFailure(`${name}: ${wanted} does not hold: ${error.code} ${error.message}`, {
      cause: error,
    })
  }
}

const labels = (expected: unknown) => (Array.isArray(expected) ? expected.map(String) : [])

const eventFields = ['command', 'commandName', 'databaseName', 'reply']

function checkEvents(expected: ExpectedEvents, entities: Entities): void {
  requireKnown(expected, ['client', 'eventType', 'ignoreExtraEvents', 'events'], 'expectEvents')
  const isOfPool = expected.eventType === 'cmap'
  if (!isOfPool && (expected.eventType ?? 'command') !== 'command') {
    throw new Error(`no events of type ${expected.eventType}`)
  }
  const { client } = expected
  const noted = isOfPool ? entities.poolEvents(client) : entities.events(client)
  const isCountRight =
    expected.ignoreExtraEvents === true
      ? noted.length >= expected.events.length
      : noted.length === expected.events.length
  if (!isCountRight) {
    const names = noted.map(nameOfEvent).join(', ')
    throw new Mismatch(`${expected.events.length} events expected, not: ${names}`)
  }
  for (const [i, one] of expected.events.entries()) {
    const [kind, fields] = Object.entries(one)[0] ?? []
    const actual = noted[i]
    if (actual === undefined || kind !== actual.kind) {
      throw new Mismatch(`event ${i}: ${kind}, not ${actual?.kind}`)
    }
    requireKnown(fields ?? {}, eventFields, 'event')
    for (const [name, value] of Object.entries(fields ?? {})) {
      const told = (actual.event as unknown as Fields)[name]
      const asked = name === 'command' ? asOthersSend(value as Fields, told as Fields) : told
      requireMatch(value, asked, entities, `event ${i}: ${name}`)
    }
  }
}

/** What this driver sends in another way than the specification has it, with the same meaning. */
function asOthersSend(expected: Fields, command: Fields): Fields {
  return withoutEquals(expected, withoutOwnTimeout(expected, command))
}

/** Of a GridFS file, this driver asks by `{ _id: { $eq: id } }`. */
function withoutEquals(expected: Fields, command: Fields): Fields {
  const { _id: id } = (command.filter ?? {}) as Fields
  const { _id: wanted } = (expected.filter ?? {}) as Fields
  const asked = id as Fields | undefined
  if (asked?.$eq === undefined || (wanted as Fields | undefined)?.$eq !== undefined) return command
  return { ...command, filter: { ...(command.filter as Fields), _id: asked.$eq } }
}

/** This driver gives the end of a transaction a time limit, where the specification asks for none. */
function withoutOwnTimeout(expected: Fields, command: Fields): Fields {
  const isEnd = 'commitTransaction' in command || 'abortTransaction' in command
  const concern = (command.writeConcern ?? {}) as Fields
  const wanted = (expected.writeConcern ?? {}) as Fields
  if (!isEnd || concern.wtimeout !== driversTimeoutMs || 'wtimeout' in wanted) return command
  const { wtimeout: _, ...writeConcern } = concern
  return { ...command, writeConcern }
}

const driversTimeoutMs = 10_000

function nameOfEvent(one: ReturnType<Entities['events' | 'poolEvents']>[number]): string {
  return 'commandName' in one.event ? `${one.kind} ${one.event.commandName}` : one.kind
}

/** Exactly these documents, in every type and in the order of their names. */
async function checkOutcome(client: MongoClient, data: CollectionData): Promise<void> {
  const rows = client
    .db(data.databaseName)
    .collection(data.collectionName, { readPreference: 'primary', readConcern: 'local' })
  const found = await rows.find({}, { sort: { _id: 1 } }).toArray()
  const [actual, expected] = [text(found), text(data.documents)]
  if (actual !== expected) throw new Mismatch(`outcome: expected ${expected}, not ${actual}`)
}
