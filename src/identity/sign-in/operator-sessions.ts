// The operator's sessions of the page. A one-time code starts one, so that the operator's key need
// not be typed into a browser. A session is a bearer token of this process: it reads, and makes
// changes only for some minutes after it was unlocked. (docs/sign-in.md, "The operator")

import { timingSafeEqual } from 'node:crypto'
import type { Bytes } from '../../base/bytes/bytes.js'
import { utf8 } from '../../base/bytes/bytes.js'
import type { Clock, Random } from '../../base/clock.js'
import { fail } from '../../base/errors.js'
import {
  operatorCodeMs,
  operatorCodeTriesMax,
  operatorSessionMs,
  operatorSessionsMax,
  operatorUnlockMs,
} from '../../base/limits/identity.js'
import { sha256 } from '../../protocol/scram/verifier.js'
import type { Ended } from '../ended.js'
import type { Identity } from '../identity.js'

/** Redacted in logs as the operator's key is, and never equal to one. */
const tokenPrefix = 'svc_op_s'
const tokenForm = /^svc_op_s[0-9a-f]{64}$/
const codeBytes = 16
const tokenBytes = 32
const idBytes = 8

/** What a list of sessions shows. */
export interface OperatorSession {
  readonly id: string
  /** Milliseconds since 1970. */
  readonly since: number
  readonly expires: number
  readonly unlockedUntil: number | undefined
  /** Address of the client that exchanged the code. */
  readonly from: string
}

interface Code {
  readonly hash: Bytes
  readonly expires: number
  triesLeft: number
  used: { readonly at: number; readonly from: string } | undefined
}

interface Open extends OperatorSession {
  unlockedUntil: number | undefined
}

interface OperatorSessionsOptions {
  readonly clock: Clock
  readonly random: Random
}

export class OperatorSessions {
  /** The newest one; a new code ends the one before. */
  private code: Code | undefined
  /** By the hash of the token. */
  private readonly open = new Map<string, Open>()

  /** Ends what sessions have open; set by the composition root. */
  onEnded: ((ended: Ended) => void) | undefined

  constructor(private readonly options: OperatorSessionsOptions) {}

  /** A new code, to be shown to the operator alone. */
  makeCode(): { readonly code: string; readonly expires: number } {
    const { clock, random } = this.options
    const code = hexOf(random.bytes(codeBytes))
    const expires = clock.now() + operatorCodeMs
    const triesLeft = operatorCodeTriesMax
    this.code = { hash: sha256(utf8(code)), expires, triesLeft, used: undefined }
    return { code, expires }
  }

  /** Starts a session. Throws Unauthenticated for a wrong, used or expired code. */
  start(code: string, from: string): { readonly token: string; readonly session: OperatorSession } {
    this.spend(code, from)
    const { clock, random } = this.options
    const now = clock.now()
    this.forgetExpired(now)
    const [oldest] = this.open.keys()
    if (oldest !== undefined && this.open.size >= operatorSessionsMax) this.open.delete(oldest)
    const token = tokenPrefix + hexOf(random.bytes(tokenBytes))
    const session: Open = {
      id: hexOf(random.bytes(idBytes)),
      since: now,
      expires: now + operatorSessionMs,
      unlockedUntil: undefined,
      from,
    }
    this.open.set(nameOf(token), session)
    return { token, session }
  }

  /** The operator, if the token is of an open session. */
  identityOf(token: string): Identity | undefined {
    if (!tokenForm.test(token)) return undefined
    const session = this.open.get(nameOf(token))
    const now = this.options.clock.now()
    if (session === undefined || session.expires <= now) return undefined
    const { id, expires, unlockedUntil } = session
    const isLocked = unlockedUntil === undefined || unlockedUntil <= now
    const page = { id, expires, isLocked, unlockedUntil: isLocked ? undefined : unlockedUntil }
    return { kind: 'operator', page }
  }

  /** Lets the session make changes for some minutes; returns when that ends. */
  unlock(id: string): number {
    const session = [...this.open.values()].find((one) => one.id === id)
    if (session === undefined) throw fail('Unauthorized', 'the session has ended')
    const until = Math.min(this.options.clock.now() + operatorUnlockMs, session.expires)
    session.unlockedUntil = until
    return until
  }

  /** As unlock, with a new code. Throws Unauthenticated as start does. */
  unlockWith(code: string, id: string, from: string): number {
    this.spend(code, from)
    return this.unlock(id)
  }

  lock(id: string): void {
    for (const session of this.open.values())
      if (session.id === id) session.unlockedUntil = undefined
  }

  list(): readonly OperatorSession[] {
    this.forgetExpired(this.options.clock.now())
    return [...this.open.values()]
  }

  /** Whether there was such a session. */
  end(id: string): boolean {
    for (const [name, session] of this.open) {
      if (session.id !== id) continue
      this.open.delete(name)
      this.onEnded?.({ kind: 'page', id })
      return true
    }
    return false
  }

  endAll(): void {
    this.open.clear()
    this.onEnded?.({ kind: 'page', id: undefined })
  }

  /** One use; a fifth wrong code ends the right one. */
  private spend(given: string, from: string): void {
    const { code } = this
    const now = this.options.clock.now()
    const isRight = code !== undefined && timingSafeEqual(sha256(utf8(given)), code.hash)
    if (code === undefined || !isRight) {
      if (code !== undefined && code.used === undefined && --code.triesLeft <= 0)
        this.code = undefined
      throw refused('CODE_INVALID', 'the code is unknown or expired: ask for a new one')
    }
    if (code.used !== undefined) {
      const { at, from } = code.used
      const text = `the code was used at ${new Date(at).toISOString()} from ${from}`
      throw refused('CODE_USED', `${text}: if that was not you, sign out everywhere`)
    }
    if (code.expires <= now) {
      throw refused('CODE_INVALID', 'the code is unknown or expired: ask for a new one')
    }
    code.used = { at: now, from }
  }

  private forgetExpired(now: number): void {
    for (const [name, { expires }] of this.open) if (expires <= now) this.open.delete(name)
  }
}

function refused(reason: string, text: string): Error {
  return fail('Unauthenticated', text, { reason })
}

function nameOf(token: string): string {
  return hexOf(sha256(utf8(token)))
}

function hexOf(bytes: Bytes): string {
  return Buffer.from(bytes).toString('hex')
}
