// The operator's sessions of the page. A one-time code starts one, so that the operator's key need
// not be typed into a browser. A session is a bearer token of this process: it reads, and makes
// changes only for some minutes after it was unlocked. (docs/sign-in.md, "The operator")

import { timingSafeEqual } from 'node:crypto'
import type { Bytes } from '../../base/bytes/bytes.js'
import { textOf, utf8 } from '../../base/bytes/bytes.js'
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
import { keyClass } from '../../store/layout.js'
import type { Awaitable, Program, ReadTx, Store } from '../../store/store.js'
import type { Ended } from '../ended.js'
import type { Identity } from '../identity.js'

/** Redacted in logs as the operator's key is, and never equal to one. */
const tokenPrefix = 'svc_op_s'
const tokenForm = /^svc_op_s[0-9a-f]{64}$/
const codeBytes = 16
const tokenBytes = 32
const idBytes = 8

/** Where gateways that share a store keep the code and the sessions. */
export const operatorSessionsKind = 0x24
const row = Uint8Array.of(keyClass.identity, operatorSessionsKind)

/** What a list of sessions shows. */
export interface OperatorSession {
  readonly id: string
  /** Milliseconds since 1970. */
  readonly since: number
  readonly expires: number
  readonly unlockedUntil?: number | undefined
  /** Address of the client that exchanged the code. */
  readonly from: string
}

interface Code {
  readonly hash: string
  readonly expires: number
  readonly maker: string
  triesLeft: number
  used?: { readonly at: number; readonly from: string }
}

interface Open extends OperatorSession {
  /** Hash of the token. */
  readonly hash: string
  /** The process that started it: the session ends with it. */
  readonly maker: string
  unlockedUntil?: number | undefined
}

/** Plain data. */
interface State {
  /** The newest one; a new code ends the one before. */
  code?: Code | undefined
  /** Oldest first. */
  open: Open[]
}

interface OperatorSessionsOptions {
  readonly clock: Clock
  readonly random: Random
  /** Set if other gateways may share it. */
  readonly store?: Store | undefined
}

export class OperatorSessions {
  /** Without a shared store. */
  private readonly own: State = { open: [] }

  /** Ends what sessions have open; set by the composition root. */
  onEnded: ((ended: Ended) => void) | undefined

  constructor(private readonly options: OperatorSessionsOptions) {}

  /** A new code, to be shown to the operator alone. */
  makeCode(): Awaitable<{ readonly code: string; readonly expires: number }> {
    const { clock, random } = this.options
    const code = hexOf(random.bytes(codeBytes))
    const expires = clock.now() + operatorCodeMs
    const maker = this.name
    return this.change((state) => {
      state.code = { hash: nameOf(code), expires, maker, triesLeft: operatorCodeTriesMax }
      return () => ({ code, expires })
    })
  }

  /** Starts a session. Throws Unauthenticated for a wrong, used or expired code. */
  start(
    code: string,
    from: string,
  ): Awaitable<{ readonly token: string; readonly session: OperatorSession }> {
    const { clock, random } = this.options
    const now = clock.now()
    const token = tokenPrefix + hexOf(random.bytes(tokenBytes))
    const id = hexOf(random.bytes(idBytes))
    const session = { id, since: now, expires: now + operatorSessionMs, from }
    return this.change((state) => {
      const refusal = this.spend(state, code, from, now)
      if (refusal !== undefined) return throwing(refusal)
      const open = state.open.filter(({ expires }) => expires > now)
      const kept = open.slice(Math.max(0, open.length + 1 - operatorSessionsMax))
      state.open = [...kept, { ...session, hash: nameOf(token), maker: this.name }]
      return () => ({ token, session })
    })
  }

  /** The operator, if the token is of an open session. Synchronous without a shared store. */
  identityOf(token: string): Awaitable<Identity | undefined> {
    if (!tokenForm.test(token)) return undefined
    const now = this.options.clock.now()
    const hash = nameOf(token)
    return this.look((state): Identity | undefined => {
      const session = this.valid(state, now).find((one) => one.hash === hash)
      if (session === undefined) return undefined
      const { id, expires, unlockedUntil } = session
      const isLocked = unlockedUntil === undefined || unlockedUntil <= now
      const page = { id, expires, isLocked, unlockedUntil: isLocked ? undefined : unlockedUntil }
      return { kind: 'operator', page }
    })
  }

  /** Lets the session make changes for some minutes; returns when that ends. */
  unlock(id: string): Awaitable<number> {
    const now = this.options.clock.now()
    return this.change((state) => this.unlockIn(state, id, now))
  }

  /** As unlock, with a new code. Throws Unauthenticated as start does. */
  unlockWith(code: string, id: string, from: string): Awaitable<number> {
    const now = this.options.clock.now()
    return this.change((state) => {
      const refusal = this.spend(state, code, from, now)
      return refusal === undefined ? this.unlockIn(state, id, now) : throwing(refusal)
    })
  }

  lock(id: string): Awaitable<void> {
    return this.change((state) => {
      for (const session of state.open) if (session.id === id) session.unlockedUntil = undefined
      return () => undefined
    })
  }

  list(): Awaitable<readonly OperatorSession[]> {
    const now = this.options.clock.now()
    return this.look((state) => this.valid(state, now))
  }

  /** Whether there was such a session. */
  end(id: string): Awaitable<boolean> {
    return this.change((state) => {
      const before = state.open.length
      state.open = state.open.filter((session) => session.id !== id)
      const isEnded = state.open.length < before
      return () => {
        if (isEnded) this.onEnded?.({ kind: 'page', id })
        return isEnded
      }
    })
  }

  endAll(): Awaitable<void> {
    return this.change((state) => {
      state.open = []
      return () => this.onEnded?.({ kind: 'page', id: undefined })
    })
  }

  /** Of this process among those of the store. */
  private get name(): string {
    return this.options.store?.exchange?.name ?? ''
  }

  private isThere(maker: string): boolean {
    return this.options.store?.exchange?.isThere(maker) ?? true
  }

  private valid({ open }: State, now: number): Open[] {
    return open.filter(({ expires, maker }) => expires > now && this.isThere(maker))
  }

  private unlockIn(state: State, id: string, now: number): () => number {
    const session = this.valid(state, now).find((one) => one.id === id)
    if (session === undefined) return throwing(fail('Unauthorized', 'the session has ended'))
    const until = Math.min(now + operatorUnlockMs, session.expires)
    session.unlockedUntil = until
    return () => until
  }

  /** One use; a fifth wrong code ends the right one. Returns the error of a refusal. */
  private spend(state: State, given: string, from: string, now: number): Error | undefined {
    const { code } = state
    const isRight =
      code !== undefined && timingSafeEqual(Buffer.from(nameOf(given)), Buffer.from(code.hash))
    if (code === undefined || !isRight || !this.isThere(code.maker)) {
      if (code !== undefined && code.used === undefined && --code.triesLeft <= 0)
        state.code = undefined
      return refused('CODE_INVALID', 'the code is unknown or expired: ask for a new one')
    }
    if (code.used !== undefined) {
      const { at, from } = code.used
      const text = `the code was used at ${new Date(at).toISOString()} from ${from}`
      return refused('CODE_USED', `${text}: if that was not you, sign out everywhere`)
    }
    if (code.expires <= now) {
      return refused('CODE_INVALID', 'the code is unknown or expired: ask for a new one')
    }
    code.used = { at: now, from }
    return undefined
  }

  /** `act` changes the state, perhaps more than once; what it returns runs behind the commit. */
  private change<T>(act: (state: State) => () => T): Awaitable<T> {
    const { store } = this.options
    if (store === undefined) return act(this.own)()
    return store
      .write(function* (tx) {
        const state = yield* readState(tx)
        const outcome = act(state)
        tx.put(row, utf8(JSON.stringify(state)))
        return outcome
      })
      .then((outcome) => outcome())
  }

  private look<T>(act: (state: State) => T): Awaitable<T> {
    const { store } = this.options
    if (store === undefined) return act(this.own)
    const state = store.read(readState)
    return state instanceof Promise ? state.then(act) : act(state)
  }
}

function* readState(tx: ReadTx): Program<State> {
  const found = yield* tx.get(row)
  return found === undefined ? { open: [] } : (JSON.parse(textOf(found)) as State)
}

function throwing(error: Error): () => never {
  return () => {
    throw error
  }
}

function refused(reason: string, text: string): Error {
  return fail('Unauthenticated', text, { reason })
}

function nameOf(secret: string): string {
  return hexOf(sha256(utf8(secret)))
}

function hexOf(bytes: Bytes): string {
  return Buffer.from(bytes).toString('hex')
}
