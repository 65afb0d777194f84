// What is recorded: the deployment, databases and collection names that a client watches, as
// records of the catalog, and the flag in the descriptors of their collections.
// (docs/design/changes.md, "Recording")

import { type Bytes, concatBytes, textOf, utf8 } from '../../base/bytes/bytes.js'
import { scanEntriesMax } from '../../base/limits/engine.js'
import {
  type ClusterTime,
  changeKey,
  changeRange,
  changeTimeOf,
  isEarlier,
  keyClass,
} from '../../store/layout.js'
import type { Program, ReadTx, Tx } from '../../store/store.js'
import { appendChange, encodeChange } from './change-record.js'

/** Second byte of the catalog keys. */
const recordedKind = 0x05

/** Without a database the deployment, without a name the database. */
export interface Scope {
  readonly db?: string | undefined
  readonly name?: string | undefined
}

function scopeKey({ db, name }: Scope): Bytes {
  const head = Uint8Array.of(keyClass.catalog, recordedKind)
  if (db === undefined) return head
  return concatBytes(head, utf8(name === undefined ? db : `${db}\0${name}`))
}

/** Whether a new collection of that name, or the database itself, is recorded. */
export function* isCovered(tx: ReadTx, db: string, name?: string): Program<boolean> {
  const keys = [scopeKey({}), scopeKey({ db })]
  if (name !== undefined) keys.push(scopeKey({ db, name }))
  const scopes = yield* tx.getMany(keys)
  return scopes.some((scope) => scope !== undefined)
}

/** When the recording of a scope began; undefined if it is not recorded yet. */
function* recordedSince(tx: ReadTx, scope: Scope): Program<ClusterTime | undefined> {
  const stored = yield* tx.get(scopeKey(scope))
  return stored === undefined || stored.length < timeBytes ? undefined : changeTimeOf(stored)
}

/** Collections that are made from now on are recorded; the flags of the others follow. */
export function* beginScope(tx: Tx, scope: Scope): Program<void> {
  const key = scopeKey(scope)
  if ((yield* tx.get(key)) !== undefined) return
  tx.put(key, Uint8Array.of(keyClass.change))
  const record = encodeChange('begin', (out) => {
    out.string('d', scope.db ?? '').string('c', scope.name ?? '')
  })
  appendChange(tx, record)
}

/** The flags are set: every change after the record `newest` is in the log. */
export function* finishScope(tx: Tx, scope: Scope, newest: Bytes): Program<void> {
  if ((yield* recordedSince(tx, scope)) === undefined) tx.put(scopeKey(scope), newest)
}

export function* newestTime(tx: ReadTx): Program<ClusterTime | undefined> {
  const key = yield* newestKey(tx)
  return key === undefined ? undefined : changeTimeOf(key)
}

/** The key of the newest record; undefined if there was never one. */
export function* newestKey(tx: ReadTx): Program<Bytes | undefined> {
  const [newest] = yield* tx.scan({ ...changeRange, reverse: true }, 1)
  return newest?.key
}

/** The earliest time from which all changes of a scope are recorded, by it or a wider one. */
export function* coveredSince(tx: ReadTx, { db, name }: Scope): Program<ClusterTime | undefined> {
  const wider: Scope[] = db === undefined ? [{}] : [{}, { db }, { db, name }]
  let first: ClusterTime | undefined
  for (const scope of wider) {
    const since = yield* recordedSince(tx, scope)
    if (first === undefined || (since !== undefined && isEarlier(since, first))) first = since
  }
  return first
}

/** Records before this time are gone. */
export function* trimmedBefore(tx: ReadTx): Program<ClusterTime> {
  const stored = yield* tx.get(trimmedKey)
  return stored === undefined ? { seconds: 0, increment: 0 } : changeTimeOf(stored)
}

/** `key` is that of the newest removed record. */
export function putTrimmed(tx: Tx, key: Bytes): void {
  const { seconds, increment } = changeTimeOf(key)
  tx.put(trimmedKey, changeKey({ seconds, increment: increment + 1 }))
}

const trimmedKey: Bytes = Uint8Array.of(keyClass.catalog, 0x06)

/** Scopes are no longer recorded when they were last watched long ago. */
export interface Recorded {
  readonly scope: Scope
  /** Milliseconds since 1970; undefined before the first note. */
  readonly watchedMs: number | undefined
}

/** All recorded scopes. */
export function* recordedScopes(tx: ReadTx): Program<Recorded[]> {
  const start = scopeKey({})
  const end = Uint8Array.of(keyClass.catalog, recordedKind + 1)
  const entries = yield* tx.scan({ start, end }, scanEntriesMax)
  return entries.map(({ key, value }) => {
    const [db, name] = key.length === start.length ? [] : textOf(key, start.length).split('\0')
    return { scope: { db, name }, watchedMs: noteIn(value) }
  })
}

/** Notes that a scope is watched. */
export function* noteWatched(tx: Tx, scope: Scope, nowMs: number): Program<void> {
  const stored = yield* tx.get(scopeKey(scope))
  if (stored === undefined || stored.length < timeBytes) return
  const noted = new Uint8Array(timeBytes + noteBytes)
  noted.set(stored.subarray(0, timeBytes))
  new DataView(noted.buffer).setFloat64(timeBytes, nowMs)
  tx.put(scopeKey(scope), noted)
}

/** Removes a scope that was last watched then; false if that has changed. */
export function* removeUnwatched(
  tx: Tx,
  scope: Scope,
  watchedMs: number | undefined,
): Program<boolean> {
  const stored = yield* tx.get(scopeKey(scope))
  if (stored === undefined || noteIn(stored) !== watchedMs) return false
  tx.remove(scopeKey(scope))
  return true
}

function noteIn(stored: Bytes): number | undefined {
  if (stored.length !== timeBytes + noteBytes) return undefined
  return new DataView(stored.buffer, stored.byteOffset).getFloat64(timeBytes)
}

/** A time as long as a key of the log. */
const timeBytes = 9
/** When it was last watched. */
const noteBytes = 8
