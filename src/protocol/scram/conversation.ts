// The server side of one SCRAM-SHA-256 login, as a state machine over messages. It uses no socket
// or store, and its nonce is a parameter, so recorded logins replay.

import { timingSafeEqual } from 'node:crypto'
import { type Bytes, utf8 } from '../../base/bytes/bytes.js'
import { fail } from '../../base/errors.js'
import { authenticationFailed, type ClientFirst, parseClientFinal } from './messages.js'
import { hmacSha256, type ScramVerifier, sha256 } from './verifier.js'

interface ServerReply {
  readonly payload: Bytes
  /** The login is complete. */
  readonly done: boolean
}

interface ConversationOptions {
  readonly first: ClientFirst
  readonly verifier: ScramVerifier
  /** Appended to the client's nonce: printable ASCII without commas, 18 or more random bytes. */
  readonly nonce: string
  /** Without it the client ends with one more empty round. */
  readonly skipEmptyExchange: boolean
}

const keyBytes = 32

export class ServerConversation {
  readonly user: string
  /** `r=…,s=…,i=…`: the answer to client-first. */
  readonly serverFirst: Bytes
  private readonly first: ClientFirst
  private readonly verifier: ScramVerifier
  private readonly nonce: string
  private readonly serverFirstText: string
  private readonly skipEmptyExchange: boolean
  private state: 'proof' | 'empty' | 'over' = 'proof'

  constructor({ first, verifier, nonce, skipEmptyExchange }: ConversationOptions) {
    this.user = first.user
    this.first = first
    this.verifier = verifier
    this.skipEmptyExchange = skipEmptyExchange
    this.nonce = first.nonce + nonce
    const salt = Buffer.from(verifier.salt).toString('base64')
    this.serverFirstText = `r=${this.nonce},s=${salt},i=${verifier.iterations}`
    this.serverFirst = utf8(this.serverFirstText)
  }

  /**
   * Processes client-final (or the empty message after it). Throws AuthenticationFailed for a wrong
   * proof, ProtocolError for an unexpected message; both end the conversation.
   */
  step(payload: Bytes): ServerReply {
    const { state } = this
    this.state = 'over'
    if (state === 'over') throw fail('ProtocolError', 'SASL conversation is over')
    if (state === 'empty') {
      if (payload.length > 0) throw authenticationFailed()
      return { payload: new Uint8Array(0), done: true }
    }
    const serverFinal = this.verify(payload)
    if (!this.skipEmptyExchange) this.state = 'empty'
    return { payload: serverFinal, done: this.skipEmptyExchange }
  }

  /** Checks client-final and returns server-final. */
  private verify(payload: Bytes): Bytes {
    const final = parseClientFinal(payload)
    const auth = utf8(`${this.first.bare},${this.serverFirstText},${final.withoutProof}`)
    const signature = hmacSha256(this.verifier.storedKey, auth)
    // A proof of the wrong length takes the same path and fails at its end.
    const clientKey = signature.map((byte, i) => byte ^ (final.proof[i] ?? 0))
    const isProved = timingSafeEqual(sha256(clientKey), this.verifier.storedKey)
    const expected = Buffer.from(this.first.gs2Header).toString('base64')
    const isOurs = final.nonce === this.nonce && final.channelBinding === expected
    if (!isProved || !isOurs || final.proof.length !== keyBytes) throw authenticationFailed()
    const proof = Buffer.from(hmacSha256(this.verifier.serverKey, auth)).toString('base64')
    return utf8(`v=${proof}`)
  }
}
