// Identifies the sender of a request: a session cookie, then a Bearer key, then x-api-key. Checks
// without I/O are synchronous: the operator's key, and sessions on an embedded store, need no
// promise. (docs/sign-in.md, "The routes")

import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { clientOf } from '../../../base/client-address.js'
import type { Clock } from '../../../base/clock.js'
import { fail } from '../../../base/errors.js'
import { addressesTrackedMax } from '../../../base/limits/http.js'
import type { RowAccess } from '../../../bus/policy/facts.js'
import { senderRefusal } from '../../../bus/policy/senders.js'
import {
  anonymous,
  everyone,
  type Identity,
  isLocked,
  operator,
} from '../../../identity/identity.js'
import { looksLikeWalletKey } from '../../../identity/keys/key-format.js'
import type { KeyGuesses } from '../../../identity/keys/key-guesses.js'
import type { SettledCounts } from '../../../identity/keys/settled-counts.js'
import type { Rules } from '../../../identity/rights/allow.js'
import type { OpenedSession } from '../../../identity/sign-in/sign-in.js'
import type { Awaitable } from '../../../store/store.js'
import { isLoopback } from '../../network.js'
import { cookieOf, sessionCookie } from './cookies.js'
import { type Guard, isUnsafe } from './guard.js'
import { isShared, type OtherOrigins } from './other-origins.js'
import {
  allowanceHeaders,
  type LimitedRoute,
  type Rates,
  type RequestLimit,
  RequestWindows,
  requireAllowance,
} from './request-limit.js'
import type { RouteHead } from './route.js'

/** Addresses with counted requests, for each of the sign-in routes. */
const signInAddressesTrackedMax = 20_000

export interface AuthenticatorOptions {
  readonly clock: Clock
  /** AUTH_MODE=off: every client is the operator. */
  readonly authOff: boolean
  /** With ANONYMOUS=read, callers without credentials reach the bus. */
  readonly rules: Rules
  /** Undefined if requests are not counted. */
  readonly rates: Rates | undefined
  /** Of the other gateways of the store. */
  readonly settled?: SettledCounts | undefined
  /** Constant time. */
  readonly isOperatorKey: (key: string) => boolean
  /** Setting METRICS_TOKEN, which opens only the routes of that access. */
  readonly isMetricsToken: (key: string) => boolean
  /** The listener is bound to loopback. */
  readonly isLoopback: boolean
  /** The owner of any other key; undefined for a wrong key. */
  readonly identify: (key: string) => Awaitable<Identity | undefined>
  /** Wrong keys by address. */
  readonly guesses: KeyGuesses
  /** The operator by a token of its page; undefined for any other text. */
  readonly operatorOfToken: (token: string) => Awaitable<Identity | undefined>
  /** The session of a cookie's value; undefined if it is malformed, expired or unknown. */
  readonly openSession: (cookie: string) => Awaitable<OpenedSession | undefined>
}

export class Authenticator {
  private readonly limits: Limits | undefined

  /** `origins`: pages of other origins, which may only use a key; none by default. */
  constructor(
    private readonly options: AuthenticatorOptions,
    private readonly origins?: OtherOrigins,
  ) {
    const { clock, rates, settled } = options
    this.limits = rates === undefined ? undefined : limitsOf(clock, rates, settled)
  }

  /**
   * The sender of the request, if the route is open to it. Throws or rejects with Unauthorized,
   * IngressRequestRateLimitExceeded, and errors of the check itself.
   */
  authenticate(
    guard: Guard,
    route: RouteHead,
    { incoming, outgoing }: Exchange,
    remoteAddress: string,
  ): Awaitable<Identity> {
    if (this.options.authOff) {
      guard.checkOrigin(incoming)
      return this.admitted(route, everyone, remoteAddress)
    }
    const asked = { guard, route, incoming, outgoing, remoteAddress }
    const cookie = route.credentials === undefined ? cookieOf(incoming, sessionCookie) : undefined
    if (cookie === undefined || this.ignoresCookie(asked)) return this.byKey(asked)
    const opened = this.options.openSession(cookie)
    return opened instanceof Promise
      ? opened.then((session) => this.bySession(asked, session))
      : this.bySession(asked, opened)
  }

  /** A page of another origin may not use a cookie that its browser sends. */
  private ignoresCookie({ incoming, route }: Asked): boolean {
    return this.origins?.allows(incoming) === true && isShared(route)
  }

  private bySession(asked: Asked, session: OpenedSession | undefined): Awaitable<Identity> {
    if (session === undefined) return this.byKey(asked)
    const { guard, route, incoming, remoteAddress } = asked
    this.take(asked)
    guard.checkTransport(incoming)
    guard.checkPage(incoming)
    if (isUnsafe(incoming)) {
      const token = incoming.headers['x-csrf-token']
      if (typeof token !== 'string' || !session.csrfMatches(token)) {
        const text = 'header x-csrf-token must repeat the cookie svc_csrf'
        throw fail('Unauthorized', text, { reason: 'CSRF' })
      }
    }
    return this.admitted(route, session.identity, remoteAddress)
  }

  /** Checks the operator's key before the limit, so that no flood of others can lock it out. */
  private byKey(asked: Asked): Awaitable<Identity> {
    const { guard, route, incoming } = asked
    if (route.credentials === 'none') {
      // A sign-in is a credential too, and only Sigil's own pages may sign a user in.
      guard.checkTransport(incoming)
      guard.checkPage(incoming)
    }
    const key = keyOf(incoming, route)
    const page = key === undefined ? undefined : this.options.operatorOfToken(key)
    return page instanceof Promise
      ? page.then((found) => this.byKeyOrPage(asked, key, found))
      : this.byKeyOrPage(asked, key, page)
  }

  /** `page`: the operator, if the key is the token of its page. */
  private byKeyOrPage(
    asked: Asked,
    key: string | undefined,
    page: Identity | undefined,
  ): Awaitable<Identity> {
    const { guard, route, incoming, remoteAddress } = asked
    const { guesses, identify } = this.options
    if (page !== undefined && route.credentials !== 'keys') {
      guard.checkTransport(incoming)
      guard.checkPage(incoming)
      return this.admitted(route, page, remoteAddress, isUnsafe(incoming))
    }
    const isSpent = key !== undefined && guesses.isSpent(remoteAddress)
    if (key !== undefined) {
      guard.checkTransport(incoming)
      const known = isSpent ? undefined : this.staticKey(key, remoteAddress)
      if (known === 'operator') {
        // A page of another origin may not use the operator's key.
        guard.checkOrigin(incoming)
        return this.admitted(route, operator, remoteAddress)
      }
      if (known === 'metrics' && route.access === 'metrics') return anonymous
    }
    if (key === undefined || route.credentials === 'none') {
      this.take(asked)
      return this.admitted(route, anonymous, remoteAddress)
    }
    const isWallets = looksLikeWalletKey(key)
    const admitKey = isWallets ? this.takeKey(asked, key) : this.take(asked)
    if (isSpent && !isWallets) throw guesses.refusal(remoteAddress)
    const answer = (identity: Identity | undefined): Identity => {
      if (identity !== undefined) {
        admitKey?.()
        return this.admitted(route, identity, remoteAddress)
      }
      if (isSpent) throw guesses.refusal(remoteAddress)
      if (isWallets) guesses.failed(remoteAddress)
      throw fail('Unauthorized', 'the key is not valid')
    }
    const found = identify(key)
    return found instanceof Promise ? found.then(answer) : answer(found)
  }

  /**
   * Checks the two configured keys, which could be guessed. A key that matches neither, and cannot
   * be a wallet's, is counted here, even if the request fails for another reason.
   */
  private staticKey(key: string, remoteAddress: string): 'operator' | 'metrics' | undefined {
    const { guesses, isOperatorKey, isMetricsToken } = this.options
    if (isOperatorKey(key)) return 'operator'
    if (isMetricsToken(key)) return 'metrics'
    // An empty key is another kind of header.
    if (key !== '' && !looksLikeWalletKey(key)) guesses.failed(remoteAddress)
    return undefined
  }

  private admitted(
    { access, operatorToo }: RouteHead,
    identity: Identity,
    remoteAddress: string,
    isChange = false,
  ): Identity {
    const { kind } = identity
    const isReserved = access === 'operator' || access === 'admin'
    if (isChange && isReserved && isLocked(identity)) throw lockedSession()
    // Behind a proxy the listener is on loopback, but the client is not.
    if (access === 'metrics' && this.options.isLoopback && isLoopback(remoteAddress))
      return identity
    const isOfSession = access === 'session' && kind !== 'session'
    if (isOfSession && !(kind === 'operator' && operatorToo === true)) {
      throw fail('Unauthorized', 'a session is needed: sign in first')
    }
    switch (senderRefusal(sendersOf[access], identity, this.options.rules)) {
      case undefined:
        return identity
      case 'unauthenticated':
        throw fail('Unauthorized', 'no session or API key was sent')
      case 'forbidden':
        throw access === 'operator'
          ? fail('Unauthorized', 'only the operator may do this', { reason: 'operator' })
          : fail('Unauthorized', 'only an administrator may do this', { reason: 'NOT_OPERATOR' })
    }
  }

  /** Counts a request to /health, which needs no authentication. Throws as authenticate does. */
  countHealth({ incoming, outgoing }: Exchange, remoteAddress: string): void {
    const { limits } = this
    if (limits === undefined || this.options.authOff) return
    const key = keyOf(incoming, {})
    const { guesses } = this.options
    const isLookedAt = key !== undefined && !guesses.isSpent(remoteAddress)
    if (isLookedAt && this.staticKey(key, remoteAddress) === 'operator') return
    count(limits.health, clientOf(remoteAddress), outgoing)
  }

  /** Counts the request, unless another gateway has; throws IngressRequestRateLimitExceeded. */
  private take({ guard, route, incoming, remoteAddress, outgoing }: Asked): undefined {
    const { limits } = this
    if (limits === undefined || guard.isForwarded(incoming)) return
    count(
      route.limit === undefined ? limits.address : limits[route.limit],
      clientOf(remoteAddress),
      outgoing,
    )
  }

  /**
   * As take, by the key once it is known. A key's first request counts for its address, so wrong
   * keys do. The returned function is called if the key was right.
   */
  private takeKey(asked: Asked, key: string): (() => void) | undefined {
    const { limits } = this
    const { guard, route, incoming } = asked
    const isElsewhere = route.limit !== undefined || guard.isForwarded(incoming)
    if (limits === undefined || isElsewhere) return this.take(asked)
    const name = createHash('sha256').update(key).digest('base64')
    if (limits.key.has(name)) {
      count(limits.key, name, asked.outgoing)
      return undefined
    }
    this.take(asked)
    return () => void limits.key.take(name)
  }
}

/** For a change by the operator's page before it is unlocked. */
function lockedSession(): Error {
  return fail('Unauthorized', 'this session only reads: unlock it first', { reason: 'LOCKED' })
}

/** Who may use a route, from its access, in the terms of the command tables. */
const sendersOf: Readonly<Record<RouteHead['access'], RowAccess>> = {
  none: 'anonymous',
  session: 'identity',
  key: 'reader',
  operator: 'operator',
  admin: 'admin',
  metrics: 'admin',
}

interface Limits extends Readonly<Record<keyof Rates, RequestWindows>> {
  /** Separate, so that a flood of other requests does not make the server look dead. */
  readonly health: RequestWindows
}

function limitsOf(clock: Clock, rates: Rates, settled: SettledCounts | undefined): Limits {
  const windows = (name: keyof Limits, limit: RequestLimit, trackedMax: number) => {
    const settling = settled === undefined ? undefined : { settled, kind: `http ${name}` }
    return new RequestWindows(clock, limit, trackedMax, settling)
  }
  const ofRoute = (name: LimitedRoute) => windows(name, rates[name], signInAddressesTrackedMax)
  return {
    address: windows('address', rates.address, addressesTrackedMax),
    health: windows('health', rates.address, addressesTrackedMax),
    key: windows('key', rates.key, addressesTrackedMax),
    nonce: ofRoute('nonce'),
    verify: ofRoute('verify'),
    me: ofRoute('me'),
    logout: ofRoute('logout'),
    chain: ofRoute('chain'),
  }
}

/** A request and its response. */
interface Exchange {
  readonly incoming: IncomingMessage
  readonly outgoing: Pick<ServerResponse, 'setHeader'>
}

/** Counted requests are slow anyway, so headers may be set one by one. */
function count(windows: RequestWindows, name: string, outgoing: Exchange['outgoing']): void {
  const allowance = windows.take(name)
  requireAllowance(allowance)
  for (const [name, text] of Object.entries(allowanceHeaders(allowance))) {
    outgoing.setHeader(name, text)
  }
}

interface Asked extends Exchange {
  readonly guard: Guard
  readonly route: RouteHead
  readonly remoteAddress: string
}

/** The key in a request's headers, never one in the URL; empty if malformed. */
function keyOf(
  incoming: IncomingMessage,
  { keyHeaders }: Pick<RouteHead, 'keyHeaders'>,
): string | undefined {
  const { authorization } = incoming.headers
  if (authorization !== undefined) return /^Bearer +(\S+)$/i.exec(authorization)?.[1] ?? ''
  const key = incoming.headers['x-api-key']
  if (typeof key === 'string') return key
  const other = keyHeaders?.map((name) => incoming.headers[name]).find((each) => each !== undefined)
  return typeof other === 'string' ? other : undefined
}
