// One client connection (or one HTTP caller) as the commands see it: who it is, where it comes
// from, and whether it is still there. Listeners make it and close it; the handshake commands
// change its identity.

import type { Account } from '../base/work/accounts.js'
import type { Scheduler } from '../base/work/scheduler.js'
import type { Resource } from '../engine/types.js'
import { accountOf, anonymous, type Identity } from '../identity/identity.js'
import type { Login } from '../identity/sign-in/login.js'
import type { Document } from '../value/value.js'

export type SessionProtocol = 'wire' | 'resp' | 'sql' | 'http' | 'internal'

export interface SessionOptions {
  readonly protocol: SessionProtocol
  /** connectionId of hello, unique while the process lives; absent for an HTTP request. */
  readonly id?: number
  /** Address of the client, with its port where there is a connection. */
  readonly remoteAddress: string
  /** Anonymous unless given. */
  readonly identity?: Identity
}

/** A command, by its name in the table, and what it was let in for. */
export interface Declared {
  readonly command: string
  readonly db: string
  readonly resources: readonly Resource[]
}

export class Session {
  readonly protocol: SessionProtocol
  readonly id: number
  readonly remoteAddress: string
  identity: Identity
  private isClosed = false
  private account: Account | undefined
  private accountIdentity: Identity | undefined
  private waiting: Set<() => void> | undefined
  /** Closes the connection without a reply; absent where there is none. */
  hangUp: (() => void) | undefined = undefined
  /** The sign-in that this connection has under way. */
  conversation: Login | undefined = undefined
  authFailures = 0
  /** Of the HTTP request that it stands for: what the log names it by. */
  requestId: string | undefined = undefined
  /** Told of what each command touches, before it runs. */
  witness: ((declared: Declared) => void) | undefined = undefined
  /** The `client` document of the first hello. */
  clientMetadata: Document | undefined = undefined
  /** Compressors that hello agreed on. */
  compression: readonly string[] = []

  constructor(options: SessionOptions) {
    this.protocol = options.protocol
    this.id = options.id ?? 0
    this.remoteAddress = options.remoteAddress
    this.identity = options.identity ?? anonymous
  }

  /** Of the client, without a port: what limits count by. */
  get address(): string {
    const { remoteAddress, protocol } = this
    return protocol === 'http'
      ? remoteAddress
      : remoteAddress.replace(/:\d*$/, '').replace(/^\[(.*)\]$/, '$1')
  }

  /** Whose time its commands take: as it stands when they come. */
  accountOf(scheduler: Scheduler): Account {
    const { account, identity } = this
    if (account !== undefined && this.accountIdentity === identity) return account
    const made = scheduler.of(workOwner(identity, this.remoteAddress))
    this.accountIdentity = identity
    this.account = made
    return made
  }

  /** Set by the listener when the client is gone: commands in flight end at their next pause. */
  get closed(): boolean {
    return this.isClosed
  }

  set closed(closed: boolean) {
    this.isClosed = closed
    if (closed) for (const tell of this.waiting ?? []) tell()
  }

  /** Until the function that it answers is called. */
  whenClosed(tell: () => void): () => void {
    const waiting = this.waiting ?? new Set()
    this.waiting = waiting.add(tell)
    return () => {
      waiting.delete(tell)
    }
  }
}

/**
 * All keys and sessions of a wallet are one owner, as is a service user; the unknown are told apart
 * by address.
 */
function workOwner(identity: Identity, remoteAddress: string): string {
  const account = accountOf(identity)
  if (account !== undefined) return account
  if (identity.kind !== 'anonymous') return identity.kind
  const end = /^[^:]*:\d+$|\]:\d+$/.test(remoteAddress)
    ? remoteAddress.lastIndexOf(':')
    : remoteAddress.length
  return `${identity.kind} ${remoteAddress.slice(0, end)}`
}

/** One command as a client has sent it. */
export interface Message {
  readonly db: string
  /** The first field is the command. Passed `validateDocument`. */
  readonly body: Document
  /** Document sequences of the message, by identifier. */
  readonly sequences: ReadonlyMap<string, readonly Document[]>
  /** The reply is the one document that is found, as it is; `nothingFound` for none. */
  readonly takesDocument?: boolean
}
