// A wallet signs in: it requests a nonce, signs a message with it, and gets a session. The order of
// the checks is fixed. The nonce is spent before the signature is checked, so no attempt can be
// repeated. (EIP-4361; docs/sign-in.md)

import type { Bytes } from '../../base/bytes/bytes.js'
import type { Clock, Random } from '../../base/clock.js'
import { fail } from '../../base/errors.js'
import { nonceMs, signatureBytesMax } from '../../base/limits/identity.js'
import type { Log } from '../../base/log.js'
import { productName } from '../../base/product.js'
import { buildSiwe, parseSiwe, type SiweMessage } from '../../protocol/siwe/message.js'
import type { Awaitable, Program, ReadTx, Store, Tx } from '../../store/store.js'
import { requireAddress } from '../address.js'
import type { Audit } from '../audit.js'
import type { Ended } from '../ended.js'
import type { SessionIdentity } from '../identity.js'
import { issueNonce, makeNonce, takeNonce } from './nonces.js'
import type { OpenedCookie, SessionSeal } from './session-cookie.js'
import {
  endSession,
  endSessionsOf,
  makeSid,
  readSession,
  type SessionRow,
  startSession,
} from './sessions.js'
import { refused, requireFresh, requirePlace, requireValidAt } from './sign-in-message.js'
import type { SignatureChecker } from './signature-check.js'

const statement = `Sign in to ${productName}.`

interface SignInOptions {
  readonly store: Store
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly seal: SessionSeal
  readonly signatures: SignatureChecker
  readonly chainId: number
  /** Whether the wallet may use the server: the whitelist, if it is enforced. */
  readonly mayEnter: (tx: ReadTx, address: string) => Program<boolean>
  readonly audit: Audit
  /** Sends test ether to a wallet on the local chain; sign-in does not wait for it. */
  readonly fund?: (address: string) => Promise<void>
}

/** The origin of a request, for the audit. */
interface Caller {
  readonly protocol: string
  readonly remoteAddress: string
}

interface IssuedNonce {
  readonly nonce: string
  /** The text to sign. */
  readonly message: string
  /** For cookie `svc_session`; undefined if the browser's cookie stays valid. */
  readonly session: string | undefined
}

interface SignedIn {
  readonly address: string
  /** For the cookies `svc_session` and `svc_csrf`. */
  readonly session: string
  readonly csrf: string
}

/** The valid session of a cookie. */
export interface OpenedSession {
  readonly identity: SessionIdentity
  /** Whether the token belongs to this session. */
  readonly csrfMatches: (token: string) => boolean
}

export class SignIn {
  /** Receives the ended identities, to close what they have open. */
  onEnded: ((ended: Ended) => void) | undefined
  private origins: readonly string[] = []

  constructor(private readonly options: SignInOptions) {}

  get chainId(): number {
    return this.options.chainId
  }

  /** Signs the cursors of HTTP lists; derived from the session keys. */
  get pageKey(): Bytes {
    return this.options.seal.pageKey
  }

  /** Sets the origins for browsers, which messages must name. Other clients use the first. */
  servedAt(origins: readonly string[]): void {
    this.origins = origins
  }

  /**
   * Makes a nonce for an address in any case; `origin` is that of the page, which the wallet shows.
   * Rejects with BadValue, or CommandNotSupported if this server has no origin.
   */
  async nonce(
    given: string,
    { cookie, origin }: { cookie?: string | undefined; origin?: string | undefined },
  ): Promise<IssuedNonce> {
    const { store, clock, random, seal } = this.options
    const address = requireAddress(given, 'address')
    const place = this.origins.find((own) => own === origin) ?? this.requireOrigin()
    const now = clock.now()
    const opened = this.opened(cookie)
    const sid = opened?.sid ?? makeSid(random)
    const nonce = makeNonce(random)
    await store.write((tx) => issueNonce(tx, { sid, nonce, address, now }))
    const message = this.message(address, nonce, { origin: place, now })
    const isSignedIn = opened?.addr !== undefined
    return { nonce, message, session: isSignedIn ? undefined : seal.seal({ sid }, now) }
  }

  /**
   * Starts a session under a new id. Rejects with BadValue for malformed input, Unauthenticated
   * with the reason for an invalid message, Unauthorized NOT_WHITELISTED, or HostUnreachable.
   */
  async verify(
    { message: text, signature }: { message: string; signature: string },
    cookie: string | undefined,
    caller: Caller,
  ): Promise<SignedIn> {
    const { store, clock, random, seal, signatures, chainId } = this.options
    const message = parseSiwe(text)
    if (buildSiwe(message) !== text) {
      throw fail('BadValue', 'the sign-in message is malformed', {
        reason: 'SIWE_MALFORMED:message',
      })
    }
    const signed = signatureOf(signature)
    requirePlace(message, { origins: this.origins, chainId })
    const before = this.opened(cookie)
    await this.takeNonce(message, before)
    const now = clock.now()
    requireValidAt(message, now)
    requireFresh(message, now)
    const { address } = message
    if (!(await signatures.holds(address, text, signed))) {
      throw refused('SIWE_SIGNATURE', 'the signature is not of this address over this message')
    }
    const session = { sid: makeSid(random), address, chainId, now }
    await store.write((tx) => this.begin(tx, session, { before: before?.sid, caller }))
    this.fund(address)
    return {
      address,
      session: seal.seal({ sid: session.sid, addr: address, chainId }, now),
      csrf: seal.csrfToken(session),
    }
  }

  /** The session of a cookie; synchronous on an embedded store. */
  openSession(cookie: string): Awaitable<OpenedSession | undefined> {
    const { store, clock, seal } = this.options
    const now = clock.now()
    const opened = seal.open(cookie, now)
    if (opened?.addr === undefined) return undefined
    const answer = (row: SessionRow | undefined): OpenedSession | undefined => {
      if (row === undefined || row.expires <= now || row.address !== opened.addr) return undefined
      const { address, chainId, expires } = row
      return {
        identity: { kind: 'session', address, sid: opened.sid, chainId, expires },
        csrfMatches: (token) => seal.csrfMatches(opened, token),
      }
    }
    const row = store.read((tx) => readSession(tx, opened.sid))
    return row instanceof Promise ? row.then(answer) : answer(row)
  }

  /** Ends the session, or all sessions of its wallet. */
  async signOut({ sid, address }: SessionIdentity, everywhere: boolean): Promise<void> {
    await this.options.store.write((tx) =>
      everywhere ? endSessionsOf(tx, address) : endSession(tx, sid),
    )
    this.onEnded?.(everywhere ? { kind: 'sessions', address } : { kind: 'session', sid })
  }

  private requireOrigin(): string {
    const [origin] = this.origins
    if (origin !== undefined) return origin
    throw fail('CommandNotSupported', 'wallets cannot sign in: setting PUBLIC_URL is not set')
  }

  private message(
    address: string,
    nonce: string,
    { origin, now }: { origin: string; now: number },
  ): string {
    return buildSiwe({
      domain: new URL(origin).host,
      address,
      statement,
      uri: origin,
      version: '1',
      chainId: String(this.options.chainId),
      nonce,
      issuedAt: new Date(now).toISOString(),
      expirationTime: new Date(now + nonceMs).toISOString(),
    })
  }

  private opened(cookie: string | undefined): OpenedCookie | undefined {
    const { seal, clock } = this.options
    return cookie === undefined ? undefined : seal.open(cookie, clock.now())
  }

  /** Spends the nonce in any case; every failure gets the same error. */
  private async takeNonce(
    { nonce, address }: SiweMessage,
    opened: OpenedCookie | undefined,
  ): Promise<void> {
    const { store, clock } = this.options
    const now = clock.now()
    const sid = opened?.sid
    const isGood =
      sid !== undefined && (await store.write((tx) => takeNonce(tx, { sid, nonce, address, now })))
    if (isGood) return
    const text =
      'the nonce is unknown, used, expired or of another browser; ' +
      'the cookie that came with it must be sent back'
    throw refused('SIWE_NONCE_INVALID', text)
  }

  private *begin(
    tx: Tx,
    session: { sid: string; address: string; chainId: number; now: number },
    { before, caller }: { before: string | undefined; caller: Caller },
  ): Program<void> {
    const { sid, address, chainId, now } = session
    const { mayEnter, audit } = this.options
    if (!(yield* mayEnter(tx, address))) {
      throw fail('Unauthorized', 'the address is not on the whitelist', {
        reason: 'NOT_WHITELISTED',
      })
    }
    if (before !== undefined) yield* endSession(tx, before)
    yield* startSession(tx, sid, session)
    const identity: SessionIdentity = { kind: 'session', address, sid, chainId }
    yield* audit.write(tx, { act: 'signIn', identity, ...caller }, now)
  }

  private fund(address: string): void {
    this.options.fund?.(address).catch((error) => {
      this.options.log.warn({ error: String(error) }, 'a wallet was not given its test ether')
    })
  }
}

/** The bytes of a signature. Throws BadValue for invalid input, before the nonce is spent. */
function signatureOf(text: string): Bytes {
  const isHex = /^0x(?:[0-9a-fA-F]{2})*$/.test(text)
  if (isHex && text.length <= 2 + 2 * signatureBytesMax) {
    return new Uint8Array(Buffer.from(text.slice(2), 'hex'))
  }
  throw fail('BadValue', "field 'signature' must be hexadecimal digits, two a byte, after 0x")
}
