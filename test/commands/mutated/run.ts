// Runs mutated commands through the bus over a memory store, and looks behind each: the answer, a
// ping, and in regular intervals every record, entry and count.

import { BSON } from 'bson'
import type { Clock } from '../../../src/base/clock.js'
import { GatewayError } from '../../../src/base/errors.js'
import { silentLog } from '../../../src/base/log.js'
import { Session } from '../../../src/bus/session.js'
import { failPointRow } from '../../../src/commands/document/server/fail-point.js'
import { documentRows } from '../../../src/commands/rows.js'
import { operator } from '../../../src/identity/identity.js'
import { openMemoryStore } from '../../../src/store/memory.js'
import { field } from '../../../src/value/elements.js'
import { documentToJson } from '../../../src/value/json/json.js'
import { documentFrom } from '../../../src/value/literal.js'
import { validateDocument } from '../../../src/value/validate.js'
import type { Document } from '../../../src/value/value.js'
import { CommandRoom, type Reply } from '../../support/command-room.js'
import { corpusOf, documents } from './corpus.js'
import { Mutator } from './mutator.js'

interface MutatedReport {
  readonly cases: number
  /** Number of the case, what went wrong, and the command. */
  readonly failures: readonly string[]
  /** Codes and how often each came; 0 for an answer. */
  readonly codes: ReadonlyMap<number, number>
}

/** Looks at the clock that one command may take: they stand for time, which is not measured. */
const looksMax = 200_000
/** Commands after which all is checked and made anew. */
const roundCases = 200
const failuresMax = 20
/** Batches that are asked for behind a first one. */
const moreMax = 3

/** A clock on which time passes by being looked at; a command that looks too often hangs. */
class CountingClock implements Clock {
  looks = 0
  private ms = 0

  now(): number {
    return 1_700_000_000_000 + Math.floor(this.ms)
  }

  elapsed(): number {
    this.looks++
    if (this.looks > looksMax) throw new Error('the command does not end')
    this.ms += 0.01
    return this.ms
  }
}

export async function fuzzCommands(seed: number, cases: number): Promise<MutatedReport> {
  const run = new MutatedRun(seed)
  try {
    return await run.run(cases)
  } finally {
    await run.close()
  }
}

class MutatedRun {
  private readonly clock = new CountingClock()
  private readonly causes: string[] = []
  private readonly room: CommandRoom
  private readonly mutator: Mutator
  private readonly failures: string[] = []
  private readonly codes = new Map<number, number>()

  constructor(seed: number) {
    const rows = [...documentRows, failPointRow]
    this.mutator = new Mutator(corpusOf(rows), seed)
    const { debug, info, warn } = silentLog
    const log = { debug, info, warn, error: (fields: object) => this.note(fields) }
    this.room = new CommandRoom(openMemoryStore(this.clock), this.clock, {
      rows,
      log,
      services: {
        credentials: {
          account: () => {
            throw new GatewayError('AuthenticationFailed', 'Authentication failed.')
          },
          identityOf: () => undefined,
          identify: () => undefined,
        },
      },
    })
  }

  async run(cases: number): Promise<MutatedReport> {
    for (let at = 0; at < cases && this.failures.length < failuresMax; at++) {
      if (at % roundCases === 0) await this.begin(at)
      const { body, db } = this.mutator.next()
      await this.try(at, body, db)
    }
    await this.begin(cases)
    return { cases, failures: this.failures, codes: this.codes }
  }

  close(): Promise<void> {
    return this.room.engine.close()
  }

  private async try(at: number, body: Document, db: string): Promise<void> {
    const own = await this.wrongWith(body, db)
    const wrong = own ?? (await this.wrongWith(documentFrom({ ping: 1 }), 'admin', true))
    if (wrong === undefined) return
    const text = documentToJson(body, 'canonical')
    this.failures.push(`case ${at}, ${wrong}: ${text.slice(0, 2_000)}`)
  }

  /** Undefined where all is well. */
  private async wrongWith(
    body: Document,
    db: string,
    mustWork = false,
  ): Promise<string | undefined> {
    this.clock.looks = 0
    this.causes.length = 0
    try {
      validateDocument(body)
      const reply = await this.send(body, db)
      validateDocument(reply)
      const answer = plain(reply)
      if (!mustWork) this.count(0)
      const wrong = wrongInside(answer)
      // A batch that is awaited comes when a time is over that does not pass here.
      if (wrong !== undefined || field(body, 'awaitData') !== undefined) return wrong
      return await this.readOn(answer, db)
    } catch (thrown) {
      if (!(thrown instanceof GatewayError)) return `it threw ${describe(thrown)}`
      if (mustWork) return `ping fails behind it: ${describe(thrown)}`
      this.count(thrown.code)
      const isNamed = thrown.code > 1 && thrown.code < 2 ** 31 && thrown.message !== ''
      return isNamed ? undefined : `code ${thrown.code}, ${this.causes.join() || describe(thrown)}`
    }
  }

  private async send(body: Document, db: string): Promise<Document> {
    const session = new Session({
      protocol: 'internal',
      id: 1,
      remoteAddress: 'test:1',
      identity: operator,
    })
    return this.room.bus.run({ db, body, sequences: new Map() }, session)
  }

  /** The batches behind the first; what refuses to go on is as good as an answer. */
  private async readOn(answer: Reply, db: string): Promise<string | undefined> {
    let cursor = answer.cursor
    for (let more = 0; more < moreMax && Number(cursor?.id ?? 0) !== 0; more++) {
      const collection = String(cursor.ns).slice(db.length + 1)
      const { id } = cursor
      const getMore = documentFrom({
        getMore: typeof id === 'number' ? BigInt(id) : id,
        collection,
      })
      const reply = plain(await this.send(getMore, db))
      cursor = reply.cursor
    }
    return undefined
  }

  /** Verifies what the last round left, and begins the next with what the commands are about. */
  private async begin(at: number): Promise<void> {
    const { room } = this
    this.clock.looks = 0
    const { databases } = await room.run({ listDatabases: 1, nameOnly: true }, 'admin')
    for (const { name: db } of databases) {
      const { cursor } = await room.run({ listCollections: 1, nameOnly: true, cursor: {} }, db)
      for (const { name, type } of cursor.firstBatch) {
        this.clock.looks = 0
        if (type === 'view' || name.startsWith('system.')) continue
        const report = await room.run({ validate: name }, db)
        if (report.valid === true) continue
        const text = JSON.stringify(report.errors)
        this.failures.push(`before case ${at}: ${db}.${name} is damaged: ${text}`)
      }
      await room.run({ dropDatabase: 1 }, db).catch(() => {})
    }
    await room.run({ killAllSessions: [] }, 'admin')
    await room.run({ create: 'k', capped: true, size: 4_096, max: 20 })
    await room.run({ create: 'v', viewOn: 'c', pipeline: [{ $set: { seen: '$n' } }] })
    const validator = { $jsonSchema: { properties: { n: { bsonType: ['number', 'null'] } } } }
    await room.run({ create: 'w', validator, collation: { locale: 'en', strength: 2 } })
    await room.run({ createIndexes: 'x', indexes: [{ key: { '$**': 1 }, name: 'all' }] })
    for (const name of ['c', 'd', 'k', 'w', 'x']) await room.insert(name, ...documents)
    const indexes = [
      { key: { n: 1 }, name: 'n_1' },
      { key: { arr: 1, 'o.a': -1 }, name: 'arr_1_o.a_-1' },
    ]
    await room.run({ createIndexes: 'c', indexes })
  }

  private count(code: number): void {
    this.codes.set(code, (this.codes.get(code) ?? 0) + 1)
  }

  private note(fields: object): void {
    this.causes.push('cause' in fields ? String(fields.cause) : JSON.stringify(fields))
  }
}

/** Not by toObject: JavaScript has no such patterns as a document may hold. */
function plain(document: Document): Reply {
  return BSON.deserialize(document, { bsonRegExp: true, promoteBuffers: false })
}

/** Writes fail one by one, inside a reply that is ok. */
function wrongInside(answer: Reply): string | undefined {
  for (const { code, errmsg } of answer.writeErrors ?? []) {
    if (!(code > 1)) return `write error ${code} ${errmsg}`
  }
  return answer.ok === 1 ? undefined : `ok is ${answer.ok}`
}

function describe(thrown: unknown): string {
  return thrown instanceof Error ? String(thrown.stack) : String(thrown)
}
