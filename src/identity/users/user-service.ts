// Passwords of service users: makes their verifiers and checks passwords that came as plain text.
// Deriving takes milliseconds of a thread that file writes need too, so logins derive one at a
// time. An unknown user costs the same and gets the same answer. (docs/users.md)

import { timingSafeEqual } from 'node:crypto'
import type { Bytes } from '../../base/bytes/bytes.js'
import { fail, hasKind } from '../../base/errors.js'
import { userPasswordCharsMin, userScramIterations } from '../../base/limits/identity.js'
import { decoyVerifier, deriveVerifier, type ScramVerifier } from '../../protocol/scram/verifier.js'
import type { Awaitable, Store } from '../../store/store.js'
import type { Identity } from '../identity.js'
import type { ScramAccount } from '../sign-in/login.js'
import { readUser, type UserName, type UserRecord } from './users.js'

interface UserServiceOptions {
  readonly store: Store
  /** The secret from which verifiers of unknown users are derived. */
  readonly decoySecret: Bytes
  /** Setting USERS. */
  readonly isOn: boolean
  /** HOST is a loopback address: the least password length does not apply. */
  readonly isLoopback: boolean
}

export class UserService {
  /** The last derivation in the queue. */
  private deriving: Promise<unknown> = Promise.resolve()

  /** Called with a user whose password has changed. */
  onChanged: (user: UserName) => void = () => {}

  constructor(private readonly options: UserServiceOptions) {}

  /** Throws IllegalOperation under USERS=off. */
  requireOn(command: string): void {
    if (this.options.isOn) return
    throw fail('IllegalOperation', `${command} is not possible: the setting USERS is off`)
  }

  /** The verifier of a password. Rejects with BadValue if it is empty, too short or unusable. */
  async verifierOf(user: UserName, password: string): Promise<ScramVerifier> {
    if (password === '') throw fail('BadValue', 'Password cannot be empty')
    if (!this.options.isLoopback && [...password].length < userPasswordCharsMin) {
      const text = `a password has at least ${userPasswordCharsMin} characters on a network`
      throw fail('BadValue', text)
    }
    return this.derive(password, this.decoy(user))
  }

  /** The account of the user in the first of the databases that has one; else a decoy. */
  account(name: string, databases: readonly string[]): Awaitable<ScramAccount> {
    const found = this.find(name, databases)
    // A password can be guessed, so wrong ones count for their address, also with unknown names.
    const account = (user: UserRecord | undefined): ScramAccount => ({
      verifier: user?.verifier ?? this.decoy({ database: databases[0] ?? '', name }),
      identity: user?.identity,
      isGuessable: true,
    })
    return found instanceof Promise ? found.then(account) : account(found)
  }

  /** The user, if the password is correct. */
  async identityOf(
    name: string,
    password: string,
    databases: readonly string[],
  ): Promise<Identity | undefined> {
    const { verifier, identity } = await this.account(name, databases)
    try {
      const { storedKey } = await this.derive(password, verifier)
      return timingSafeEqual(storedKey, verifier.storedKey) ? identity : undefined
    } catch (error) {
      // A text that SASLprep refuses cannot be a password.
      if (hasKind(error, 'BadValue')) return undefined
      throw error
    }
  }

  private find(name: string, databases: readonly string[]): Awaitable<UserRecord | undefined> {
    const { isOn, store } = this.options
    if (!isOn) return undefined
    return store.read(function* (tx) {
      for (const database of databases) {
        const user = yield* readUser(tx, { database, name })
        if (user !== undefined) return user
      }
      return undefined
    })
  }

  /**
   * The verifier that an unknown name gets. A new user gets the same salt, so the salt does not
   * show when the user was created or dropped.
   */
  private decoy({ database, name }: UserName): ScramVerifier {
    const { decoySecret } = this.options
    return decoyVerifier(decoySecret, `${name}\0${database}`, userScramIterations)
  }

  private derive(
    password: string,
    { salt, iterations }: Pick<ScramVerifier, 'salt' | 'iterations'>,
  ): Promise<ScramVerifier> {
    const derived = this.deriving.then(() => deriveVerifier(password, salt, iterations))
    this.deriving = derived.catch(() => undefined)
    return derived
  }
}
