// A bus over one store for command tests: commands go in and replies come out as plain objects, on
// the same path that the listeners use.

import { Long } from 'bson'
import type { Test } from 'tap'
import type { Clock } from '../../src/base/clock.js'
import { systemRandom } from '../../src/base/clock.js'
import { GatewayError } from '../../src/base/errors.js'
import { type Log, silentLog } from '../../src/base/log.js'
import { Bus } from '../../src/bus/document/bus.js'
import type { DocumentRow } from '../../src/bus/document/row.js'
import type { Services } from '../../src/bus/services.js'
import { Session } from '../../src/bus/session.js'
import { documentRows } from '../../src/commands/rows.js'
import { Engine } from '../../src/engine/engine.js'
import type { SpillFolder } from '../../src/engine/sources/spill.js'
import { anonymous, type Identity, operator } from '../../src/identity/identity.js'
import type { Store } from '../../src/store/store.js'
import { documentFrom } from '../../src/value/literal.js'
import { ObjectIds } from '../../src/value/object-id.js'
import { Ulids } from '../../src/value/ulids.js'
import type { Document } from '../../src/value/value.js'
import { tickPace } from './engine-room.js'
import { toObject } from './literal.js'
import { eachStore, type StoreCase, type StoreCaseOptions } from './stores.js'

type Plain = Readonly<Record<string, unknown>>
// biome-ignore lint/suspicious/noExplicitAny: tests look into replies, each of its own shape
export type Reply = Record<string, any>

export interface RoomOptions {
  readonly rows?: readonly DocumentRow[]
  readonly services?: Partial<Services>
  readonly log?: Log
  readonly spills?: SpillFolder
}

export class CommandRoom {
  readonly engine: Engine
  readonly bus: Bus
  readonly session = new Session({
    protocol: 'internal',
    id: 1,
    remoteAddress: 'test:1',
    identity: operator,
  })

  constructor(
    readonly store: Store,
    clock: Clock,
    { rows = documentRows, services = {}, log = silentLog, spills }: RoomOptions = {},
  ) {
    const random = systemRandom
    this.engine = new Engine({ store, clock, random, log, spills, pace: tickPace })
    this.bus = new Bus(rows, this.engine, {
      clock,
      random,
      log,
      objectIds: new ObjectIds(clock, random),
      ulids: new Ulids(random),
      defaultPrivacy: 'private',
      slowCommandMs: 3_600_000,
      version: '0.0.0',
      credentials: {
        account: () => {
          throw new Error('no logins in this room')
        },
        identityOf: () => undefined,
        identify: () => undefined,
      },
      connections: () => ({ current: 1, available: 9, totalCreated: 1 }),
      ...services,
    })
  }

  /** The reply as a plain object. */
  async run(command: Plain, db = 'test', session = this.session): Promise<Reply> {
    return toObject(await this.raw(command, db, session))
  }

  async raw(command: Plain, db = 'test', session = this.session): Promise<Document> {
    const body = documentFrom(command)
    return this.bus.run({ db, body, sequences: new Map() }, session)
  }

  /** With document sequences instead of array fields. */
  async runWith(
    command: Plain,
    sequences: Readonly<Record<string, readonly Plain[]>>,
  ): Promise<Reply> {
    const documents = Object.entries(sequences).map(
      ([name, objects]) => [name, objects.map(documentFrom)] as const,
    )
    const request = { db: 'test', body: documentFrom(command), sequences: new Map(documents) }
    return toObject(await this.bus.run(request, this.session))
  }

  /** The error that a command ends with. */
  async refusal(command: Plain, db = 'test', session = this.session): Promise<GatewayError> {
    try {
      await this.raw(command, db, session)
    } catch (error) {
      if (error instanceof GatewayError) return error
      throw error
    }
    throw new Error(`the command was not refused: ${JSON.stringify(command)}`)
  }

  /** Code and text of the error that a command ends with. */
  async fails(command: Plain, db = 'test'): Promise<[number, string]> {
    const { code, message } = await this.refusal(command, db)
    return [code, message]
  }

  async insert(collection: string, ...documents: readonly Plain[]): Promise<void> {
    const reply = await this.run({ insert: collection, documents })
    if (reply.writeErrors !== undefined) throw new Error(JSON.stringify(reply.writeErrors))
  }

  /** Every document of a collection, by `_id`. */
  async all(collection: string, filter: Plain = {}): Promise<Reply[]> {
    return this.drain({ find: collection, filter, sort: { _id: 1 } })
  }

  /** All batches of a cursor command. */
  async drain(command: Plain, db = 'test'): Promise<Reply[]> {
    const first = await this.run(command, db)
    const documents: Reply[] = [...first.cursor.firstBatch]
    const { ns } = first.cursor
    for (let id = first.cursor.id; Number(id) !== 0; ) {
      const collection = String(ns).slice(db.length + 1)
      const more = await this.run({ getMore: Long.fromNumber(Number(id)), collection }, db)
      documents.push(...more.cursor.nextBatch)
      id = more.cursor.id
    }
    return documents
  }

  sessionOf(identity: Identity): Session {
    return new Session({ protocol: 'internal', id: 2, remoteAddress: 'test:2', identity })
  }

  anonymous(): Session {
    return this.sessionOf(anonymous)
  }
}

/** One body of assertions over a bus on each store. */
export function eachRoom(
  t: Test,
  name: string,
  body: (t: Test, room: CommandRoom, given: StoreCase) => Promise<void>,
  options: RoomOptions & StoreCaseOptions = {},
): Promise<void> {
  return eachStore(
    t,
    name,
    async (t, given) => {
      const room = new CommandRoom(given.store, given.clock, options)
      await body(t, room, given)
      await room.engine.close()
    },
    options,
  )
}
