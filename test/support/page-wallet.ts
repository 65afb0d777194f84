// A wallet in the page of a test: an EIP-1193 object that announces itself by EIP-6963, whose
// answers come from an ethers wallet in the test's process.

import { getBytes, type TypedDataDomain, type TypedDataField, type Wallet } from 'ethers'
import type { PageOptions } from './chromium.js'

interface Asked {
  readonly method: string
  readonly params?: readonly string[]
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
}

/** The browser asks for the session before there is one, and says so in its console. */
const expected = /status of 401/

export function walletOptions(wallet: Wallet, { declines = false }: Habits = {}): PageOptions {
  const ask = async ({ method, params = [] }: Asked): Promise<Told> => {
    switch (method) {
      case 'eth_requestAccounts':
      case 'eth_accounts':
        return { result: [wallet.address] }
      case 'eth_chainId':
        return { result: '0x7a69' }
      case 'personal_sign':
        if (declines) return { error: { code: 4001, message: 'User rejected the request.' } }
        return { result: await wallet.signMessage(getBytes(params[0] ?? '0x')) }
      case 'eth_signTypedData_v4': {
        if (declines) return { error: { code: 4001, message: 'User rejected the request.' } }
        const { domain, types, message } = JSON.parse(params[1] ?? '') as TypedRequest
        const { EIP712Domain: _, ...own } = types
        return { result: await wallet.signTypedData(domain, own, message) }
      }
      default:
        return { error: { code: 4200, message: `no method ${method}` } }
    }
  }
  return { script, expected, functions: { askTestWallet: ask } }
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
