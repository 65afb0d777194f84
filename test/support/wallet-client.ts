// A wallet's part in the tests: signs in over HTTP as a browser would, keeps its cookies, and
// manages its keys, paying for nothing.

import type { Wallet } from 'ethers'
import type { RegistryTypedData } from '../../src/chain/registry/registry.js'
import { registryTypes } from '../../src/chain/registry/typed-data.js'
import { ask, type HttpAnswer } from './http-client.js'
import { type DerivedKey, derivedKey, signRegister, signRevoke, signRotate } from './wallet.js'

interface RegistryAnswer {
  readonly chainId: number
  readonly contract: string
  readonly domain: RegistryTypedData['domain']
  readonly nextIndex: number
  readonly nonce: number
  readonly chainTime: number
  readonly keys: readonly { readonly index: number; readonly commitment: string }[]
}

const signedFor = 900

export class WalletClient {
  private constructor(
    readonly base: string,
    readonly wallet: Wallet,
    /** What its browser sends with every request. */
    readonly headers: Readonly<Record<string, string>>,
  ) {}

  static async signIn(base: string, wallet: Wallet): Promise<WalletClient> {
    const type = { 'content-type': 'application/json' }
    const nonce = await ask(base, {
      path: '/api/v1/auth/nonce',
      headers: type,
      body: JSON.stringify({ address: wallet.address }),
    })
    const message = String(nonce.json.message)
    const verified = await ask(base, {
      path: '/api/v1/auth/verify',
      headers: { ...type, cookie: cookiesOf(nonce) },
      body: JSON.stringify({ message, signature: await wallet.signMessage(message) }),
    })
    if (verified.status !== 200) throw new Error(`sign-in: ${verified.text}`)
    const cookie = cookiesOf(verified)
    const csrf = /svc_csrf=([^;]*)/.exec(cookie)?.[1] ?? ''
    return new WalletClient(base, wallet, { ...type, cookie, 'x-csrf-token': csrf })
  }

  send(method: string, path: string, body?: unknown): Promise<HttpAnswer> {
    const { base, headers } = this
    if (body === undefined) return ask(base, { method, path, headers })
    const text = JSON.stringify(body)
    // A DELETE with a body has its length told only where one says so.
    const length = String(Buffer.byteLength(text))
    return ask(base, {
      method,
      path,
      headers: { ...headers, 'content-length': length },
      body: text,
    })
  }

  /** Makes a key of the server's; fails where it is refused. */
  async issue(label = 'a key', permissions = ['all'], rateLimit = 0): Promise<Made> {
    return madeOf(await this.generate({ label, permissions, rateLimit }))
  }

  generate(body: Readonly<Record<string, unknown>>): Promise<HttpAnswer> {
    return this.send('POST', '/api/v1/keys/generate', body)
  }

  async registry(): Promise<RegistryAnswer> {
    const path = `/api/v1/registry?address=${this.wallet.address}`
    const { json, text, status } = await ask(this.base, { path })
    if (status !== 200) throw new Error(text)
    return json as unknown as RegistryAnswer
  }

  /** The `onChain` part for the wallet's next key. */
  async nextPart(): Promise<OnChainRequest> {
    const registry = await this.registry()
    const { nextIndex: index, nonce } = registry
    const key = await derivedKey(this.wallet, index)
    const deadline = registry.chainTime + signedFor
    const request = { data: dataOf(registry), index, material: key.material, nonce, deadline }
    const metaSignature = await signRegister(this.wallet, request)
    return { key, part: { index, signature: key.signature, metaSignature, deadline } }
  }

  /** The `onChain` part for a key in place of key `oldIndex`. */
  async rotatePart(oldIndex: number): Promise<OnChainRequest> {
    const registry = await this.registry()
    const { nextIndex: index, nonce } = registry
    const key = await derivedKey(this.wallet, index)
    const deadline = registry.chainTime + signedFor
    const request = { data: dataOf(registry), oldIndex, index, material: key.material }
    const metaSignature = await signRotate(this.wallet, { ...request, nonce, deadline })
    return { key, part: { index, signature: key.signature, metaSignature, deadline } }
  }

  /** The `onChain` part that ends key `index`. */
  async revokePart(index: number) {
    const registry = await this.registry()
    const { nonce } = registry
    const deadline = registry.chainTime + signedFor
    const request = { data: dataOf(registry), index, nonce, deadline }
    return { metaSignature: await signRevoke(this.wallet, request), deadline }
  }

  /** Puts the wallet's next key on the chain. */
  async register(label = 'on chain', permissions = ['all']): Promise<Made> {
    const { part } = await this.nextPart()
    return madeOf(await this.generate({ label, permissions, rateLimit: 0, onChain: part }))
  }
}

interface OnChainRequest {
  readonly key: DerivedKey
  readonly part: {
    readonly index: number
    readonly signature: string
    readonly metaSignature: string
    readonly deadline: number
  }
}

export interface Made {
  readonly apiKey: string
  readonly hash: string
  readonly connection: {
    readonly user: string
    readonly wire: string
    readonly redis: string
    readonly sql: string
    readonly http: string
  }
}

export function madeOf({ status, json, text }: HttpAnswer): Made {
  if (status !== 200) throw new Error(`${status} ${text}`)
  return json as unknown as Made
}

function dataOf({ domain }: RegistryAnswer): RegistryTypedData {
  return { domain, types: registryTypes }
}

function cookiesOf({ headers }: HttpAnswer): string {
  const given = headers['set-cookie'] ?? []
  const lines = Array.isArray(given) ? given : [given]
  return lines.map((line) => line.split(';', 1)[0]).join('; ')
}
