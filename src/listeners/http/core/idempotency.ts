// Idempotency-Key: a repeated request, whose response was lost, gets the first response and does
// not run again. Responses are kept for a day in the class that no command can name, a bounded
// number for each caller. (docs/operations.md, "Sending a request again")

import { createHash, hash } from 'node:crypto'
import { type Bytes, concatBytes, utf8 } from '../../../base/bytes/bytes.js'
import type { Clock } from '../../../base/clock.js'
import { fail } from '../../../base/errors.js'
import {
  idempotencyAnswersMax,
  idempotencyBytesMax,
  idempotencyKeyCharsMax,
  idempotencyMs,
} from '../../../base/limits/http.js'
import type { Log } from '../../../base/log.js'
import type { Declared } from '../../../bus/session.js'
import { findNamespace } from '../../../engine/collection/catalog/catalog.js'
import { sourcesUnder } from '../../../engine/collection/kinds/views.js'
import { identityKey } from '../../../identity/identity.js'
import { answerKind, callerKind } from '../../../identity/secret-rows.js'
import { putExpiring } from '../../../identity/sign-in/expiring-rows.js'
import { keyClass } from '../../../store/layout.js'
import type { Program, ReadTx, Store, Tx } from '../../../store/store.js'
import { field } from '../../../value/elements.js'
import { numberOf } from '../../../value/numbers.js'
import { type Document, numberValue, stringOf } from '../../../value/value.js'
import { writeDocument } from '../../../value/writer.js'
import type { HttpRequest } from './request.js'
import type { Answer } from './respond.js'

/** The body field that may have the key; the header wins. */
export const bodyKey = 'idempotencyKey'

/** Response headers that are not kept: they belong to the first request only. */
const ownHeaders: ReadonlySet<string> = new Set(['x-request-id', 'connection'])

interface IdempotencyParts {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  /** Responses kept for one caller in a day; idempotencyAnswersMax by default. */
  readonly answersMax?: number
}

interface Kept extends Answer {
  readonly fingerprint: string
  readonly expires: number
  /** Undefined: from a version that stored none. */
  readonly rights: readonly Right[] | undefined
}

/** A command of the request, and its collections when it had run. */
interface Right extends Declared {
  readonly places: readonly Place[]
}

interface Place {
  readonly db: string
  /** The name in the command: that of a view, for what it reads. */
  readonly name: string
  /** A new collection with the same name has another id. */
  readonly id: number
}

export class Idempotency {
  /** Names of running requests. */
  readonly running = new Set<string>()

  constructor(readonly parts: IdempotencyParts) {}

  /** For a request with a key; undefined: its body may contain one. */
  turn(key: string | undefined): Turn {
    return new Turn(this, key)
  }
}

/** One request with a key, from its body to its response. */
export class Turn {
  private readonly body = createHash('sha256')
  private caller = ''
  /** Of caller, route and key; empty before it starts. */
  private name = ''
  private fingerprint = ''
  /** By content, so that each is stored once. */
  private readonly declared = new Map<string, Declared>()

  constructor(
    private readonly all: Idempotency,
    private readonly key: string | undefined,
  ) {}

  /** Receives the body as it came. */
  read(bytes: Uint8Array): void {
    this.body.update(bytes)
  }

  /**
   * The stored response; undefined if the request must run. Rejects with BadValue for an invalid
   * key, IdempotencyKeyReused (422) for another body, and IdempotencyKeyInUse (409) while the first
   * is running. QuotaExceeded: the caller has stored as many as it may. If the caller has lost the
   * right to send the request, it rejects with the request's own error.
   */
  async begin(request: HttpRequest): Promise<Answer | undefined> {
    const { all } = this
    const { session, incoming, database, fields } = request
    const named = fields.get(bodyKey)
    const key = this.key ?? (named === undefined ? undefined : stringOf(named))
    if (key === undefined) return undefined
    if (!/^[\x20-\x7e]+$/.test(key) || key.length > idempotencyKeyCharsMax) {
      const most = `1 to ${idempotencyKeyCharsMax} printable characters`
      throw fail('BadValue', `header Idempotency-Key must be ${most}`)
    }
    // Anonymous callers would share replies.
    if (session.identity.kind === 'anonymous') return undefined
    this.caller = hash('sha256', identityKey(session.identity))
    const { method = '', url = '', headers } = incoming
    const asked = [this.caller, method, url, database, headers.accept ?? '', key]
    const name = hash('sha256', JSON.stringify(asked))
    this.fingerprint = this.body.digest('hex')
    if (all.running.has(name)) {
      const text = 'a request with this Idempotency-Key is at work'
      throw fail('IdempotencyKeyInUse', text, { retryAfter: 1 })
    }
    all.running.add(name)
    this.name = name
    session.witness = (declared) => void this.declared.set(JSON.stringify(declared), declared)
    try {
      return await this.before(request)
    } catch (error) {
      this.leave()
      throw error
    }
  }

  /** Stores the response, unless a retry may get a better one; never throws. */
  async end(answer: Answer | undefined): Promise<void> {
    if (this.name === '') return
    try {
      const isKept = answer !== undefined && answer.isPassing !== true && isFinal(answer.status)
      if (isKept) await this.keep(answer)
    } catch (error) {
      const text = 'the answer to a request with an Idempotency-Key was not kept'
      this.all.parts.log.warn({ error: String(error) }, text)
    } finally {
      this.leave()
    }
  }

  private leave(): void {
    this.all.running.delete(this.name)
    this.name = ''
  }

  private async before(request: HttpRequest): Promise<Answer | undefined> {
    const { store, clock, answersMax = idempotencyAnswersMax } = this.all.parts
    const now = clock.now()
    const [kept, used] = await store.read((tx) => this.look(tx))
    if (kept === undefined || kept.expires <= now) {
      if (used.until > now && used.answers >= answersMax) throw tooMany()
      if (used.until > now && used.bytes >= idempotencyBytesMax) throw tooMany()
      return undefined
    }
    this.leave()
    if (kept.fingerprint !== this.fingerprint) {
      const text = 'this Idempotency-Key was sent with another body'
      throw fail('IdempotencyKeyReused', text)
    }
    await this.checkRevocation(request, kept.rights)
    const { status, body, headers } = kept
    return { status, body, headers: { ...headers, 'idempotency-replayed': 'true' } }
  }

  /**
   * Checks the rights that the request needed, as they are now. Throws the refusal, and
   * NamespaceNotFound if a collection in the response was dropped.
   */
  private async checkRevocation(request: HttpRequest, rights: Kept['rights']): Promise<void> {
    if (rights === undefined) {
      const text = 'the answer under this Idempotency-Key is of an older version; send another key'
      throw fail('IdempotencyKeyInUse', text)
    }
    for (const right of rights) {
      await request.checkRevocation(right)
      const now = await this.all.parts.store.read((tx) => placesOf(tx, right))
      const known = new Set(now.map(({ id }) => id))
      const gone = right.places.find(({ id }) => !known.has(id))
      if (gone === undefined) continue
      const what = `${gone.db}.${gone.name}`
      const text = `what the answer under this Idempotency-Key tells of is gone: ${what}`
      throw fail('NamespaceNotFound', text)
    }
  }

  private *look(tx: ReadTx): Program<[Kept | undefined, Used]> {
    const kept = yield* tx.get(answerKey(this.name))
    const used = yield* tx.get(callerKey(this.caller))
    return [kept === undefined ? undefined : decode(kept), decodeUsed(used)]
  }

  private async keep({ status, body, headers }: Answer): Promise<void> {
    const { store, clock } = this.all.parts
    const now = clock.now()
    const own = Object.entries(headers).filter(([name]) => !ownHeaders.has(name))
    const rowOf = (rights: readonly Right[]) =>
      writeDocument((writer) => {
        writer.string('fingerprint', this.fingerprint).int32('status', status)
        writer.string('headers', JSON.stringify(Object.fromEntries(own)))
        writer.string('rights', JSON.stringify(rights, withNames(storedNames)))
        if (body !== null) writer.string('body', body.toString())
        writer.value('expires', numberValue(now + idempotencyMs))
      })
    await store.write((tx) => this.put(tx, rowOf, now))
  }

  private *put(tx: Tx, rowOf: (rights: readonly Right[]) => Document, now: number): Program<void> {
    const rights: Right[] = []
    for (const declared of this.declared.values()) {
      rights.push({ ...declared, places: yield* placesOf(tx, declared) })
    }
    const row = rowOf(rights)
    putExpiring(tx, answerKey(this.name), row, now + idempotencyMs)
    const key = callerKey(this.caller)
    const before = decodeUsed(yield* tx.get(key))
    const isOver = before.until <= now
    const until = isOver ? now + idempotencyMs : before.until
    const used = writeDocument((writer) => {
      writer.value('answers', numberValue(isOver ? 1 : before.answers + 1))
      writer.value('bytes', numberValue(isOver ? row.length : before.bytes + row.length))
      writer.value('until', numberValue(until))
    })
    if (isOver) putExpiring(tx, key, used, until)
    else tx.put(key, used)
  }
}

/** The collections of a command's resources, and those that its views read, at present. */
function* placesOf(tx: ReadTx, { resources }: Declared): Program<Place[]> {
  const places: Place[] = []
  for (const { db, collection } of resources) {
    const ns = collection === undefined ? undefined : yield* findNamespace(tx, db, collection, true)
    if (ns === undefined) continue
    places.push({ db, name: ns.name, id: ns.id })
    if (ns.view === undefined) continue
    const sources = yield* sourcesUnder(ns, (name) => findNamespace(tx, db, name, true))
    for (const source of sources) {
      if (source.ns !== undefined) places.push({ db, name: ns.name, id: source.ns.id })
    }
  }
  return places
}

/** What a caller has stored in its current day. */
interface Used {
  readonly answers: number
  readonly bytes: number
  /** Milliseconds since 1970. */
  readonly until: number
}

function decodeUsed(row: Document | undefined): Used {
  if (row === undefined) return { answers: 0, bytes: 0, until: 0 }
  const numberIn = (name: string): number => {
    const value = field(row, name)
    return value === undefined ? 0 : numberOf(value)
  }
  return { answers: numberIn('answers'), bytes: numberIn('bytes'), until: numberIn('until') }
}

function decode(row: Document): Kept {
  const textIn = (name: string): string | undefined => {
    const value = field(row, name)
    return value === undefined ? undefined : stringOf(value)
  }
  const [status, expires] = [field(row, 'status'), field(row, 'expires')]
  return {
    fingerprint: textIn('fingerprint') ?? '',
    status: status === undefined ? 0 : numberOf(status),
    headers: JSON.parse(textIn('headers') ?? '{}') as Record<string, string>,
    body: textIn('body') ?? null,
    rights: rightsIn(textIn('rights')),
    expires: expires === undefined ? 0 : numberOf(expires),
  }
}

function rightsIn(text: string | undefined): Kept['rights'] {
  return text === undefined
    ? undefined
    : (JSON.parse(text, withNames(namesOfStored)) as readonly Right[])
}

/** Stored names of rights that differ from the names in the program. */
const storedNames = new Map([
  ['resources', 'touches'],
  ['privileges', 'needs'],
])
const namesOfStored = new Map([...storedNames].map(([name, stored]) => [stored, name]))

/** For JSON: renames fields of objects. */
function withNames(names: ReadonlyMap<string, string>): (key: string, value: unknown) => unknown {
  const renamed = ([name, value]: [string, unknown]) => [names.get(name) ?? name, value]
  return (_key, value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
    return Object.fromEntries(Object.entries(value).map(renamed))
  }
}

/** A response that would not change: not a missing right, and not a rate limit. */
function isFinal(status: number): boolean {
  return status < 500 && status !== 401 && status !== 403 && status !== 429
}

function answerKey(name: string): Bytes {
  return concatBytes(Uint8Array.of(keyClass.identity, answerKind), utf8(name))
}

function callerKey(caller: string): Bytes {
  return concatBytes(Uint8Array.of(keyClass.identity, callerKind), utf8(caller))
}

function tooMany(): Error {
  const text = 'more answers are kept for this caller by Idempotency-Key than there may be'
  return fail('QuotaExceeded', text, { reason: 'IDEMPOTENCY' })
}
