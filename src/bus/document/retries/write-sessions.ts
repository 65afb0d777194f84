// The logical sessions that have sent retryable writes: bounded for an owner and in all, because
// each leaves a record in the store. Attempts of one session run one after the other: a retry waits
// for the attempt before it, and then finds what that one has recorded. Only attempts on different
// servers meet in the store. (docs/design/transactions.md, rule 19)

import type { Bytes } from '../../../base/bytes/bytes.js'
import { fail } from '../../../base/errors.js'
import {
  retryRecordMs,
  writeSessionsMax,
  writeSessionsOfOwnerMax,
} from '../../../base/limits/documents.js'
import type { Awaitable } from '../../../store/store.js'
import { field } from '../../../value/elements.js'
import type { Document } from '../../../value/value.js'
import { nameOf, type SessionName } from '../transactions/session-name.js'
import { type Attempt, firstKeyOf, type RecordHead, SessionRecord } from './session-record.js'

interface NamedAttempt extends Attempt {
  /** Made once for each: a text that was looked up before is looked up faster. */
  readonly name: string
}

export function attemptOf(
  { owner, lsid = '', now }: SessionName & Pick<Attempt, 'now'>,
  number: number,
): NamedAttempt {
  return { owner, lsid, number, now, name: nameOf({ owner, lsid }) }
}

interface WriteSession {
  readonly owner: string
  usedMs: number
  /** The first row of its record, as its last attempt has left it. */
  head: RecordHead | undefined
  /** Of the first row of its record. */
  readonly firstKey: Bytes
  /** Of the attempt that runs. */
  record: SessionRecord | undefined
  /** Settles when its last attempt is over. */
  running: Promise<void> | undefined
}

export class WriteSessions {
  /** The one used longest ago first. */
  private readonly sessions = new Map<string, WriteSession>()
  private readonly counts = new Map<string, number>()

  /** `isAlone`: no other process writes to the store, so what an attempt has left is known. */
  constructor(private readonly isAlone: boolean) {}

  /** Runs an attempt. Throws TooManyLogicalSessions. `nowMs` never goes back. */
  run(
    attempt: NamedAttempt,
    nowMs: number,
    work: (record: SessionRecord) => Awaitable<Document>,
  ): Awaitable<Document> {
    const session = this.use(attempt, nowMs)
    const begin = () => {
      const known = this.isAlone ? session.head : undefined
      const record = new SessionRecord(attempt, known, session.firstKey)
      session.record = record
      return work(record)
    }
    const outcome =
      session.running === undefined ? atOnce(session, begin) : session.running.then(begin)
    if (!(outcome instanceof Promise)) {
      noteHead(session, outcome)
      return outcome
    }
    const end = (reply: Document | undefined) => {
      noteHead(session, reply)
      if (session.running === over) session.running = undefined
    }
    const over = outcome.then(end, () => end(undefined))
    session.running = over
    return outcome
  }

  get size(): number {
    return this.sessions.size
  }

  private use(attempt: NamedAttempt, nowMs: number): WriteSession {
    const { owner, name } = attempt
    const known = this.sessions.get(name)
    if (known !== undefined) {
      known.usedMs = nowMs
      this.sessions.delete(name)
      this.sessions.set(name, known)
      return known
    }
    this.expire(nowMs)
    const ofOwner = this.counts.get(owner) ?? 0
    if (ofOwner >= writeSessionsOfOwnerMax || this.sessions.size >= writeSessionsMax) {
      throw fail('TooManyLogicalSessions', 'too many sessions with retryable writes')
    }
    const session: WriteSession = {
      owner,
      usedMs: nowMs,
      head: undefined,
      firstKey: firstKeyOf(attempt),
      record: undefined,
      running: undefined,
    }
    this.sessions.set(name, session)
    this.counts.set(owner, ofOwner + 1)
    return session
  }

  private expire(nowMs: number): void {
    for (const [name, { owner, usedMs, running }] of this.sessions) {
      if (nowMs - usedMs < retryRecordMs) return
      if (running !== undefined) continue
      this.sessions.delete(name)
      const left = (this.counts.get(owner) ?? 1) - 1
      if (left === 0) this.counts.delete(owner)
      else this.counts.set(owner, left)
    }
  }
}

function atOnce(session: WriteSession, begin: () => Awaitable<Document>): Awaitable<Document> {
  try {
    return begin()
  } catch (thrown) {
    noteHead(session, undefined)
    throw thrown
  }
}

/** A program that has failed may have been rolled back: then the record has to be read again. */
function noteHead(session: WriteSession, reply: Document | undefined): void {
  const { record } = session
  const hasFailed = reply === undefined || field(reply, 'writeErrors') !== undefined
  session.record = undefined
  session.head = hasFailed ? undefined : record?.head
}
