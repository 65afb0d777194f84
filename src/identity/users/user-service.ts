// Passwords of service users: what is kept of one, and whether one that was sent in the clear is
// right. Deriving takes milliseconds of a thread that file writes need too, so it is done for one
// login at a time. A user that is not there costs and answers the same. (docs/users.md)

import { timingSafeEqual } from 'node:crypto'
import type { Bytes } from '../../base/bytes/bytes.js'
import { fail, hasKind } from '../../base/errors.js'
import { userPasswordCharsMin, userScramIterations } from '../../base/limits.js'
import { decoyVerifier, deriveVerifier, type ScramVerifier } from '../../protocol/scram/verifier.js'
import type { Awaitable, Store } from '../../store/store.js'
import type { Identity } from '../identity.js'
import type { ScramAccount } from '../sign-in/login.js'
import { readUser, type UserName, type UserRecord } from './users.js'

interface UserServiceOptions {
  readonly store: Store
  /** What the verifiers of users who are not there are made from. */
  readonly decoySecret: Bytes
  /** Setting USERS. */
  readonly isOn: boolean
  /** HOST is a loopback address: any password will do. */
  readonly isLoopback: boolean
}

export class UserService {
  /** The last derivation of those that wait for each other. */
  private deriving: Promise<unknown> = Promise.resolve()

  /** Called with the user whose password is another now. */
  onChanged: (user: UserName) => void = () => {}

  constructor(private readonly options: UserServiceOptions) {}

  /** Throws IllegalOperation under USERS=off. */
  requireOn(command: string): void {
    if (this.options.isOn) return
    throw fail('IllegalOperation', `${command} is not possible: the setting USERS is off`)
  }

  /** What is kept of a password. Rejects with BadValue where it is none, too short or unusable. */
  async verifierOf(user: UserName, password: string): Promise<ScramVerifier> {
    if (password === '') throw fail('BadValue', 'Password cannot be empty')
    if (!this.options.isLoopback && [...password].length < userPasswordCharsMin) {
      const text = `a password has at least ${userPasswordCharsMin} characters on a network`
      throw fail('BadValue', text)
    }
    return this.derive(password, this.decoy(user))
  }

  /** The account of a user of the first of those databases that has one; else a decoy. */
  account(name: string, databases: readonly string[]): Awaitable<ScramAccount> {
    const found = this.find(name, databases)
    // A password can be guessed: wrong ones count for their address, of names without a user too.
    const account = (user: UserRecord | undefined): ScramAccount => ({
      verifier: user?.verifier ?? this.decoy({ database: databases[0] ?? '', name }),
      identity: user?.identity,
      isGuessable: true,
    })
    return found instanceof Promise ? found.then(account) : account(found)
  }

  /** The user of that name, if the password is its own. */
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
      // What SASLprep refuses can be no password.
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
   * The verifier that a name has while there is no such user. A user that is made gets the same
   * salt, so that the salt does not tell when it was made or dropped.
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
