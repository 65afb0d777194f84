// SASL login of one connection: its mechanisms, one conversation at a time, and a deadline. Misuse
// of the conversation is ProtocolError (17); an invalid credential is AuthenticationFailed (18),
// always with the same text.

import type { Bytes } from '../../base/bytes/bytes.js'
import type { Clock, Random } from '../../base/clock.js'
import { fail, GatewayError } from '../../base/errors.js'
import { conversationMsMax } from '../../base/limits/identity.js'
import { ServerConversation } from '../../protocol/scram/conversation.js'
import {
  authenticationFailed,
  parseClientFirst,
  parsePlain,
} from '../../protocol/scram/messages.js'
import type { ScramVerifier } from '../../protocol/scram/verifier.js'
import type { Awaitable } from '../../store/store.js'
import { type Identity, identityKey } from '../identity.js'
import { looksLikeWalletKey } from '../keys/key-format.js'
import type { KeyGuesses } from '../keys/key-guesses.js'
import type { LoginDelay } from './login-delay.js'

const scramNonceBytes = 24

/** Offered to known and unknown users alike: a difference would reveal who exists. */
export const saslMechanisms = ['SCRAM-SHA-256', 'PLAIN'] as const

export interface ScramAccount {
  /** A decoy if the user is unknown. */
  readonly verifier: ScramVerifier
  /** The user; undefined for a decoy. */
  readonly identity: Identity | undefined
  /** A person may have chosen the password: wrong ones are counted by address. */
  readonly isGuessable?: boolean
}

/** Who may sign in, and with which credential. */
export interface Credentials {
  /** `databases`: where to look for a service user of that name; the first match counts. */
  account(user: string, databases?: readonly string[]): Awaitable<ScramAccount>
  /**
   * The identity of the user if the key is its password. With `walletsOnly` the key is not compared
   * with credentials that could be guessed.
   */
  identityOf(
    user: string,
    password: string,
    walletsOnly?: boolean,
    databases?: readonly string[],
  ): Awaitable<Identity | undefined>
  /** The owner of the key, among all identities; undefined for a wrong key. */
  identify(key: string, walletsOnly?: boolean): Awaitable<Identity | undefined>
  /** Wrong keys by address; without it they are unlimited. */
  readonly guesses?: KeyGuesses
  /** Delays failed logins; without it they are not delayed. */
  readonly delay?: LoginDelay
}

interface LoginOptions {
  readonly credentials: Credentials
  readonly clock: Clock
  readonly random: Random
  /** TLS or loopback: elsewhere a password must not be sent as plain text. */
  readonly allowsPlain: boolean
  /** The identity of the connection before any login, and after logout. */
  readonly initial: Identity
  /** Remote address without its port, by which failed logins are counted. */
  readonly address: string
}

export interface LoginStart {
  readonly mechanism: string
  readonly payload: Bytes
  readonly skipEmptyExchange: boolean
  /** The user, if the protocol names it beforehand; the name in the messages is then ignored. */
  readonly user?: string
  /** Where to look for a service user: the database of the login. */
  readonly databases?: readonly string[] | undefined
}

export interface LoginStep {
  readonly payload: Bytes
  /** Set when the login is complete: the new identity of the connection. */
  readonly identity: Identity | undefined
}

/** The only conversation of a connection: the id in its replies. */
export const conversationId = 1

interface Pending {
  readonly user: string
  readonly scram: ServerConversation
  readonly identity: Identity | undefined
  readonly isGuessable: boolean
  readonly startedMs: number
}

export class Login {
  private readonly options: LoginOptions
  private pending: Pending | undefined

  constructor(options: LoginOptions) {
    this.options = options
  }

  get initial(): Identity {
    return this.options.initial
  }

  /** Whether a login has started and not ended; the next `start` abandons it. */
  get isUnderWay(): boolean {
    return this.pending !== undefined
  }

  /**
   * Starts a login and abandons an unfinished one. Throws MechanismUnavailable or
   * AuthenticationFailed.
   */
  start(asked: LoginStart): Awaitable<LoginStep> {
    const { mechanism } = asked
    this.pending = undefined
    if (mechanism === 'SCRAM-SHA-256') return this.startScram(asked)
    if (mechanism === 'PLAIN') return this.plain(asked)
    throw fail('MechanismUnavailable', `Unsupported mechanism '${mechanism}'`)
  }

  /** The next message of the login; ends it unless the step expects another message. */
  continue(id: number, payload: Bytes): Awaitable<LoginStep> {
    const { pending } = this
    const { credentials, address } = this.options
    if (pending === undefined) throw fail('ProtocolError', 'No SASL session state found')
    this.pending = undefined
    if (id !== conversationId) {
      throw fail('ProtocolError', 'sasl: Mismatched conversation id')
    }
    try {
      return this.step(pending, payload)
    } catch (thrown) {
      if (!(thrown instanceof GatewayError) || thrown.kind !== 'AuthenticationFailed') throw thrown
      if (pending.isGuessable) credentials.guesses?.failed(address)
      return this.failed(pending.user, thrown)
    }
  }

  /** Abandons an unfinished login. */
  reset(): void {
    this.pending = undefined
  }

  private step(pending: Pending, payload: Bytes): LoginStep {
    const age = this.options.clock.elapsed() - pending.startedMs
    if (age > conversationMsMax) throw authenticationFailed()
    if (pending.isGuessable) this.requireGuess()
    const reply = pending.scram.step(payload)
    if (!reply.done) {
      this.pending = pending
      return { payload: reply.payload, identity: undefined }
    }
    // No proof matches a decoy; a login without an identity must fail in any case.
    if (pending.identity === undefined) throw authenticationFailed()
    return this.complete(pending.user, pending.identity, reply.payload)
  }

  private startScram(asked: LoginStart): Awaitable<LoginStep> {
    const { clock, credentials, random } = this.options
    const { payload, skipEmptyExchange, user, databases } = asked
    const startedMs = clock.elapsed()
    const first = parseClientFirst(payload, user)
    const answer = ({ verifier, identity, isGuessable = false }: ScramAccount): LoginStep => {
      if (isGuessable) this.requireGuess()
      const nonce = Buffer.from(random.bytes(scramNonceBytes)).toString('base64')
      const scram = new ServerConversation({ first, verifier, nonce, skipEmptyExchange })
      this.pending = { user: first.user, scram, identity, isGuessable, startedMs }
      return { payload: scram.serverFirst, identity: undefined }
    }
    const account = credentials.account(first.user, databases)
    return account instanceof Promise ? account.then(answer) : answer(account)
  }

  private plain({ payload, databases }: LoginStart): Awaitable<LoginStep> {
    if (!this.options.allowsPlain) {
      throw fail('MechanismUnavailable', 'PLAIN needs TLS or a loopback address')
    }
    const { user, password } = parsePlain(payload)
    const { credentials, address } = this.options
    const answer = (identity: Identity | undefined): Awaitable<LoginStep> => {
      if (identity !== undefined) return this.complete(user, identity, new Uint8Array(0))
      credentials.guesses?.failed(address)
      return this.failed(user, authenticationFailed())
    }
    const isSpent = requireWalletKey(credentials.guesses, address, password)
    const found = credentials.identityOf(user, password, isSpent, databases)
    return found instanceof Promise ? found.then(answer) : answer(found)
  }

  private requireGuess(): void {
    const { credentials, address } = this.options
    const { guesses } = credentials
    if (guesses?.isSpent(address) === true) throw guesses.refusal(address)
  }

  private complete(user: string, identity: Identity, payload: Bytes): LoginStep {
    const { credentials, address } = this.options
    credentials.delay?.succeeded(address, accountOf(user))
    return { payload, identity }
  }

  /** Throws, at once or after the delay of the address. */
  private failed(user: string, error: GatewayError): Promise<never> {
    const { credentials, address } = this.options
    const wait = credentials.delay?.failed(address, accountOf(user))
    if (wait === undefined) throw error
    return wait.then(() => {
      throw error
    })
  }
}

/**
 * Whether the address has used up its wrong keys of this minute. Then a wallet's key is still
 * looked up. Throws IngressRequestRateLimitExceeded for any other key.
 */
export function requireWalletKey(
  guesses: KeyGuesses | undefined,
  address: string,
  key: string,
): boolean {
  if (guesses?.isSpent(address) !== true) return false
  if (!looksLikeWalletKey(key)) throw guesses.refusal(address)
  return true
}

/** What failed logins are counted by: the user name without its database. */
function accountOf(user: string): string {
  const mark = user.indexOf('~')
  return mark === -1 ? user : user.slice(0, mark)
}

/** A connection signs in once; a second login must be the same user. */
export function requireSameUser(known: Identity, initial: Identity, next: Identity): void {
  const isFree = identityKey(known) === identityKey(initial)
  if (isFree || identityKey(known) === identityKey(next)) return
  throw fail('Unauthorized', 'Each client connection may only be authenticated once')
}
