// `sigil keys recover <wallet>`: makes a lost on-chain key again from its wallet's signature over
// the documented text. It prints the text to sign, or signs with a private key from a file. It
// shows a key only if its commitment is on the chain.

import { readFileSync } from 'node:fs'
import { fail } from '../base/errors.js'
import { requireAddress } from '../identity/address.js'
import {
  bytesOfHex,
  commitmentOf,
  derivationText,
  deriveKey,
} from '../identity/keys/key-derivation.js'
import { type Client, openClient } from './client.js'

interface RegisteredKey {
  readonly index: number
  /** 64 hex digits. */
  readonly commitment: string
}

type Sign = (text: string) => Promise<string>

/** Options of `sigil keys recover`. */
export interface RecoverOptions {
  readonly url: string
  readonly index?: string
  readonly signature?: string
  readonly privateKeyFile?: string
}

/** Returns the exit code: 1 if there is no key, or one could not be recovered. */
export async function runRecover(wallet: string, given: RecoverOptions): Promise<number> {
  const { url, index, signature, privateKeyFile: file } = given
  const address = requireAddress(wallet, 'wallet')
  const keys = (await registered(openClient(url), address)).filter(
    (key) => index === undefined || String(key.index) === index,
  )
  if (keys.length === 0) {
    process.stdout.write(`${address} has no such active key on the chain.\n`)
    return 1
  }
  if (file !== undefined) return recover(address, keys, await signerOf(file, address))
  if (signature !== undefined) return recover(address, keys, async () => signature)
  return explain(address, keys)
}

async function registered(client: Client, address: string): Promise<RegisteredKey[]> {
  const { status, body } = await client.get(`/api/v1/registry?address=${address}`)
  if (status !== 200) throw fail('OperationFailed', `HTTP ${status}: ${body.errmsg}`)
  const keys = body.keys as readonly { readonly index: number; readonly commitment: string }[]
  return keys.map(({ index, commitment }) => ({ index, commitment: commitment.slice(2) }))
}

function explain(address: string, keys: readonly RegisteredKey[]): number {
  const lines = ['Sign each text with the wallet (personal_sign), then run:', '']
  lines.push(`  sigil keys recover ${address} --index N --signature 0x…`, '')
  for (const { index } of keys) lines.push(`${index}  ${derivationText(address, index)}`)
  process.stdout.write(`${lines.join('\n')}\n`)
  return 0
}

async function recover(
  address: string,
  keys: readonly RegisteredKey[],
  sign: Sign,
): Promise<number> {
  let missing = 0
  for (const { index, commitment } of keys) {
    const text = derivationText(address, index)
    const signature = await sign(text)
    // A wallet with random signatures gives another key each time, and can never recover this one.
    const isSteady = (await sign(text)) === signature
    const key = keyOf(signature, commitment)
    if (key !== undefined) process.stdout.write(`${index}  ${key}\n`)
    else {
      missing++
      const why = isSteady
        ? 'the signature is not of this wallet over the text, or the key was not derived'
        : 'this wallet signs differently each time: its keys cannot be derived'
      process.stderr.write(`${index}  not recovered: ${why}\n`)
    }
  }
  return missing === 0 ? 0 : 1
}

/** The key of the signature, live or test, with this commitment. */
function keyOf(signature: string, commitment: string): string | undefined {
  const bytes = bytesOfHex(signature, 'signature')
  for (const mode of ['live', 'test'] as const) {
    const key = deriveKey(bytes, mode)
    if (commitmentOf(key) === commitment) return key
  }
  return undefined
}

async function signerOf(file: string, address: string): Promise<Sign> {
  const { Wallet } = await import('ethers')
  const wallet = new Wallet(readPrivateKey(file))
  if (wallet.address !== address) {
    throw fail('BadValue', `${file} holds the private key of ${wallet.address}`)
  }
  return (text) => wallet.signMessage(text)
}

/** 32 bytes in hexadecimal. No error contains the text. */
function readPrivateKey(file: string): string {
  let text: string
  try {
    text = readFileSync(file, 'utf8').trim()
  } catch (error) {
    throw fail('BadValue', error instanceof Error ? error.message : String(error))
  }
  const digits = text.startsWith('0x') ? text.slice(2) : text
  if (!/^[0-9a-fA-F]{64}$/.test(digits)) {
    throw fail('BadValue', `${file} holds no private key: 64 hexadecimal digits are expected`)
  }
  return `0x${digits}`
}
