// A wallet in the page of a test: an EIP-1193 object that announces itself by EIP-6963, whose
// answers come from an ethers wallet in the test's process.

import {
  getBytes,
  JsonRpcProvider,
  type TypedDataDomain,
  type TypedDataField,
  type Wallet,
} from 'ethers'
import type { PageOptions } from './chromium.js'

interface Asked {
  readonly method: string
  readonly params?: readonly unknown[]
}

interface Told {
  readonly result?: unknown
  /** An error that is thrown here would reach the page without its code. */
  readonly error?: { readonly code: number; readonly message: string }
}

interface TypedRequest {
  readonly domain: TypedDataDomain
  readonly types: Record<string, TypedDataField[]>
  readonly message: Record<string, unknown>
}

interface Habits {
  /** As a user who declines each request for a signature. */
  readonly declines?: boolean
  /** Where it sends transactions. */
  readonly chain?: string
}

interface Sent {
  readonly from: string
  readonly to: string
  readonly data: string
}

/** The browser asks for the session before there is one, and says so in its console. */
const expected = /status of 401/

export function walletOptions(
  wallet: Wallet,
  { declines = false, chain }: Habits = {},
): PageOptions {
  const ask = async ({ method, params = [] }: Asked): Promise<Told> => {
    switch (method) {
      case 'eth_requestAccounts':
      case 'eth_accounts':
        return { result: [wallet.address] }
      case 'eth_chainId':
        return { result: '0x7a69' }
      case 'personal_sign':
        if (declines) return { error: { code: 4001, message: 'User rejected the request.' } }
        return { result: await wallet.signMessage(getBytes(String(params[0]))) }
      case 'eth_signTypedData_v4': {
        if (declines) return { error: { code: 4001, message: 'User rejected the request.' } }
        const { domain, types, message } = JSON.parse(String(params[1])) as TypedRequest
        const { EIP712Domain: _, ...own } = types
        return { result: await wallet.signTypedData(domain, own, message) }
      }
      case 'eth_sendTransaction':
      case 'eth_getTransactionReceipt':
        return answerOf(wallet, chain, { method, params })
      default:
        return { error: { code: 4200, message: `no method ${method}` } }
    }
  }
  return { script, expected, functions: { askTestWallet: ask } }
}

/** As a wallet that is connected to a chain. */
async function answerOf(
  wallet: Wallet,
  chain: string | undefined,
  { method, params = [] }: Asked,
): Promise<Told> {
  const provider = new JsonRpcProvider(chain, 31_337, { staticNetwork: true })
  try {
    if (method !== 'eth_sendTransaction')
      return { result: await provider.send(method, [...params]) }
    const { from, to, data } = params[0] as Sent
    const sent = await wallet.connect(provider).sendTransaction({ from, to, data })
    return { result: sent.hash }
  } catch (error) {
    return { error: { code: -32_000, message: String(error) } }
  } finally {
    provider.destroy()
  }
}

const script = `{
  const provider = {
    async request(asked) {
      const { result, error } = await window.askTestWallet(asked)
      if (error) throw Object.assign(new Error(error.message), { code: error.code })
      return result
    },
    on() {},
  }
  const icon = 'data:image/svg+xml,<svg xmlns="http://www.w3.org/2000/svg"/>'
  const info = { uuid: 'test', name: 'Test wallet', icon, rdns: 'test.wallet' }
  const announce = () => {
    const detail = Object.freeze({ info: Object.freeze(info), provider })
    window.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail }))
  }
  window.addEventListener('eip6963:requestProvider', announce)
  announce()
}`
