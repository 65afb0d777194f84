// Rights that are given and taken on one gateway, and looked at on any: what was acknowledged holds
// at the next request. What had no answer is asked again until it has one.

import { ask, type HttpAnswer } from '../http-client.js'
import { testWallet } from '../wallet.js'
import { WalletClient } from '../wallet-client.js'

const collection = '/api/v1/collections/secrets'

export class RightsFlips {
  flips = 0
  readonly problems: string[] = []
  /** Revoked keys are wrong keys: after twenty in a minute their address is refused (462). */
  private keysLeft = 4

  private constructor(
    /** Of all gateways. */
    private readonly urls: readonly string[],
    private readonly random: () => number,
    /** Cookies of the owner's browser. */
    private readonly owner: Readonly<Record<string, string>>,
    private readonly ownerKey: string,
    private readonly otherKey: string,
    private readonly other: string,
  ) {}

  static async open(urls: readonly string[], random: () => number): Promise<RightsFlips> {
    const [url = ''] = urls
    const [alice, bob] = [testWallet('alice'), testWallet('bob')]
    const owner = await WalletClient.signIn(url, alice)
    const other = await WalletClient.signIn(url, bob)
    const { apiKey } = await owner.issue()
    const { apiKey: otherKey } = await other.issue()
    const flips = new RightsFlips(urls, random, owner.headers, apiKey, otherKey, bob.address)
    await flips.told([200], 'POST', `${collection}/insertOne`, apiKey, { document: { _id: 's' } })
    await flips.told([200], 'POST', `${collection}/privacy`, apiKey, { mode: 'private' })
    return flips
  }

  async flipOne(): Promise<void> {
    if (this.keysLeft === 0 || this.random() < 0.5) await this.flipRole()
    else {
      this.keysLeft--
      await this.flipKey()
    }
    this.flips++
  }

  private async flipRole(): Promise<void> {
    const { other, otherKey, ownerKey } = this
    const roles = `${collection}/roles`
    const grant = { address: other, action: 'grant', role: 1 }
    await this.told([200], 'POST', roles, ownerKey, grant)
    await this.seen(otherKey, 200, 'a role that was given')
    // Asked again it may be gone already.
    await this.told([200, 404], 'POST', roles, ownerKey, { address: other, action: 'revoke' })
    await this.seen(otherKey, 403, 'a role that was taken')
  }

  private async flipKey(): Promise<void> {
    const asked = { label: 'k', permissions: ['all'], rateLimit: 0 }
    // What was made without an answer counts too: a wallet has at most ten.
    const made = await this.told([200, 409], 'POST', '/api/v1/keys/generate', undefined, asked)
    if (made.status === 409) return this.flipRole()
    const { apiKey, hash } = made.json as { apiKey: string; hash: string }
    await this.seen(apiKey, 200, 'a key that was made')
    await this.told([200, 404], 'DELETE', `/api/v1/keys/${hash}`, undefined)
    await this.seen(apiKey, 401, 'a key that was revoked')
  }

  private async seen(key: string, status: number, what: string): Promise<void> {
    for (let i = 0; i < 2; i++) {
      const answer = await this.answer('POST', `${collection}/find`, key, { filter: {} })
      if (answer.status === status) continue
      this.problems.push(`${what} is answered by ${answer.status} ${answer.text}`)
    }
  }

  /** As answer, with a problem where the status is another one. */
  private async told(
    statuses: readonly number[],
    method: string,
    path: string,
    key: string | undefined,
    body?: unknown,
  ): Promise<HttpAnswer> {
    const answer = await this.answer(method, path, key, body)
    if (!statuses.includes(answer.status)) {
      throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`)
    }
    return answer
  }

  /** By any gateway, each time another one, until one answers. By the owner's cookies without a key. */
  private async answer(
    method: string,
    path: string,
    key: string | undefined,
    body?: unknown,
  ): Promise<HttpAnswer> {
    const { urls, random, owner } = this
    const as = key === undefined ? owner : { authorization: `Bearer ${key}` }
    const headers = { 'content-type': 'application/json', ...as }
    const text = body === undefined ? {} : { body: JSON.stringify(body) }
    for (;;) {
      const url = urls[Math.floor(random() * urls.length)] ?? ''
      const asked = ask(url, { method, path, headers, ...text })
      const answer = await within(asked).catch(() => undefined)
      if (answer !== undefined && answer.status !== 503) return answer
      await new Promise((resolve) => {
        setTimeout(resolve, 20)
      })
    }
  }
}

/** A gateway that is paused does not answer. */
function within<T>(asked: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('no answer')), answerMsMax)
    asked.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}

const answerMsMax = 5_000
