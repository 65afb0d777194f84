// The start of a connection: start-up packets, encryption and SCRAM login, until the session
// starts. Every refusal closes the connection, with PostgreSQL's texts.
// Source: PostgreSQL 17, 53.2.1 and 53.3. (docs/sql.md, "Clients")

import { fail, GatewayError, toGatewayError } from '../../base/errors.js'
import type { Session } from '../../bus/session.js'
import { requireHomeForm } from '../../engine/collection/catalog/homes.js'
import { checkDatabaseName } from '../../engine/collection/catalog/names.js'
import type { Identity } from '../../identity/identity.js'
import { spaceInUser } from '../../identity/sign-in/credentials.js'
import { conversationId, type Login } from '../../identity/sign-in/login.js'
import { parseSaslInitial } from '../../protocol/pgwire/client-message.js'
import { type ErrorFields, errorFields } from '../../protocol/pgwire/error-fields.js'
import type { Frame } from '../../protocol/pgwire/message-splitter.js'
import type { MessageWriter } from '../../protocol/pgwire/message-writer.js'
import { fatalError, pgState } from '../../protocol/pgwire/pg-error.js'
import { parseStartup, type Startup } from '../../protocol/pgwire/startup.js'
import { SessionSettings } from './session-settings.js'

export interface EntryOptions {
  readonly session: Session
  readonly writer: MessageWriter
  readonly login: Login
  /** Setting AUTH_MODE=off: every client has the identity of the session. */
  readonly isOpen: boolean
  /** TLS is available. */
  readonly offersTls: boolean
  /** TLS is required: without it a login could be recorded. */
  readonly requiresTls: boolean
  /** Setting DATABASE: the default database of clients. */
  readonly database: string
  /** Of Sigil's package. */
  readonly version: string
  /** Cancels the statement of a CancelRequest; a wrong key is delayed. */
  readonly cancel: (processId: number, secret: Uint8Array) => Promise<unknown> | undefined
}

/** The next step: another packet, the TLS handshake, the login, the session, or the end. */
type EntryStep = 'start' | 'tls' | 'login' | 'session' | 'end'

const mechanism = 'SCRAM-SHA-256'

export class Entry {
  /** Settings of the new session. */
  settings: SessionSettings | undefined
  database = ''
  private startup: Startup | undefined
  private isSecure = false
  private isProving = false

  constructor(private readonly options: EntryOptions) {}

  /** TLS is established. */
  secured(): void {
    this.isSecure = true
  }

  /** Throws an error that closes the connection; `fields` gives the part for the client. */
  async take(frame: Frame): Promise<EntryStep> {
    return this.startup === undefined ? this.start(frame) : this.prove(frame)
  }

  /** The error fields for the client, before the session. */
  fields(thrown: unknown): ErrorFields {
    const error = toGatewayError(thrown)
    if (error.kind !== 'AuthenticationFailed') return errorFields(error, true)
    const user = this.startup?.user ?? ''
    const message = `password authentication failed for user "${user}"`
    return { severity: 'FATAL', sqlState: '28P01', message }
  }

  private async start(frame: Frame): Promise<EntryStep> {
    const { writer, offersTls, requiresTls, cancel, isOpen } = this.options
    const packet = parseStartup(frame.body)
    switch (packet.kind) {
      case 'ssl':
      case 'gss': {
        const isTls = packet.kind === 'ssl' && offersTls && !this.isSecure
        writer.encryption(isTls)
        return isTls ? 'tls' : 'start'
      }
      case 'cancel':
        await cancel(packet.processId, packet.secret)
        return 'end'
      case 'startup':
        if (requiresTls && !this.isSecure) {
          throw fatalError('this server takes connections by TLS alone', pgState.badAuthorization)
        }
        this.begin(packet)
        if (packet.isNewer) writer.negotiateVersion(packet.unknownOptions)
        if (!isOpen) {
          writer.authenticationSasl([mechanism])
          return 'login'
        }
        this.welcome()
        return 'session'
    }
  }

  private begin(startup: Startup): void {
    const { user, database, parameters } = startup
    const replication = parameters.get('replication') ?? 'false'
    if (!/^(?:false|off|no|0)$/i.test(replication)) {
      throw fatalError('replication is not supported', pgState.featureNotSupported)
    }
    // By default psql names a database like the user.
    const named = spaceInUser(user).database ?? this.options.database
    this.database = database === user ? named : database
    try {
      checkDatabaseName(this.database)
      requireHomeForm(this.database)
    } catch {
      throw fail('BadValue', `database "${database}" does not exist`, { sqlState: '3D000' })
    }
    const settings = new SessionSettings(user, this.options.version)
    for (const [name, value] of parameters) settings.begin(name, value)
    settings.begun()
    this.settings = settings
    this.startup = startup
  }

  private async prove({ body }: Frame): Promise<EntryStep> {
    const { login, writer } = this.options
    const user = this.startup?.user ?? ''
    if (!this.isProving) {
      const initial = parseSaslInitial(body)
      if (initial.mechanism !== mechanism) {
        throw fatalError('client selected an invalid SASL authentication mechanism')
      }
      this.isProving = true
      const payload = initial.response ?? new Uint8Array(0)
      const databases = this.userDatabases()
      const start = { mechanism, payload, skipEmptyExchange: true, user, databases }
      const first = await login.start(start)
      writer.saslContinue(first.payload)
      return 'login'
    }
    const { payload, identity } = await login.continue(conversationId, body)
    if (identity === undefined) throw fatalError('the login has not ended')
    writer.saslFinal(payload)
    this.enter(identity)
    this.welcome()
    return 'session'
  }

  private enter(identity: Identity): void {
    this.options.session.identity = identity
    if (identity.kind === 'user') this.database = identity.database
  }

  /** Where to look for a service user: also in a database with its name, psql's default. */
  private userDatabases(): readonly string[] {
    const named = this.startup?.database ?? this.database
    return named === this.database ? [named] : [this.database, named]
  }

  private welcome(): void {
    const { writer } = this.options
    writer.authenticationOk()
    for (const [name, value] of this.settings?.statuses() ?? []) {
      writer.parameterStatus(name, value)
    }
  }
}

/** Whether an error is a bug of Sigil, which goes to the log. */
export function isOurs(thrown: unknown): boolean {
  return !(thrown instanceof GatewayError) || thrown.kind === 'InternalError'
}
