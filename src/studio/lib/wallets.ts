// Wallets of the browser: those that announce themselves (EIP-6963), or else window.ethereum. What
// they ask of the user is EIP-1193.

import { signal } from '@preact/signals'

export interface Wallet {
  readonly id: string
  readonly name: string
  /** A data URI of a picture, or empty. */
  readonly icon: string
  readonly provider: Provider
}

interface Provider {
  request(request: { method: string; params?: readonly unknown[] }): Promise<unknown>
  on?(event: string, listener: (value: unknown) => void): void
}

interface Announced {
  readonly info: { readonly uuid: string; readonly name: string; readonly icon: string }
  readonly provider: Provider
}

export const wallets = signal<readonly Wallet[]>([])

/** Listens for wallets, and asks those that are there already. */
export function findWallets(): void {
  addEventListener('eip6963:announceProvider', (event) => {
    const { info, provider } = (event as CustomEvent<Announced>).detail
    if (wallets.value.some(({ id }) => id === info.uuid)) return
    const { uuid: id, name, icon } = info
    wallets.value = [...wallets.value, { id, name, icon: safeIcon(icon), provider }]
  })
  dispatchEvent(new Event('eip6963:requestProvider'))
}

/** For a wallet that does not announce itself. */
export function injectedWallet(): Wallet | undefined {
  const { ethereum: provider } = window as { ethereum?: Provider }
  return provider && { id: 'injected', name: 'Browser wallet', icon: '', provider }
}

/** The first account, and its signature of the text that `textFor` gives. */
export async function signWith(
  { provider }: Wallet,
  textFor: (address: string) => Promise<string>,
): Promise<{ readonly message: string; readonly signature: string; readonly address: string }> {
  const accounts = await provider.request({ method: 'eth_requestAccounts' })
  const [address] = Array.isArray(accounts) ? accounts : []
  if (typeof address !== 'string') throw new Error('The wallet shows no account.')
  const message = await textFor(address)
  const params = [hexOf(message), address]
  const signature = String(await provider.request({ method: 'personal_sign', params }))
  return { message, signature, address }
}

/** The signature of a text by this account (EIP-191). */
export async function signText(wallet: Wallet, address: string, text: string): Promise<string> {
  await requireAccount(wallet, address)
  return sign(wallet, 'personal_sign', [hexOf(text), address])
}

interface TypedData {
  readonly domain: { readonly chainId: number }
  readonly types: Readonly<Record<string, unknown>>
}

const domainType = [
  { name: 'name', type: 'string' },
  { name: 'version', type: 'string' },
  { name: 'chainId', type: 'uint256' },
  { name: 'verifyingContract', type: 'address' },
]

/** The signature of typed data by this account, on the chain that they name. (EIP-712) */
export async function signTyped(wallet: Wallet, address: string, data: TypedData): Promise<string> {
  await requireAccount(wallet, address)
  await requireChain(wallet, data.domain.chainId)
  const types = { EIP712Domain: domainType, ...data.types }
  return sign(wallet, 'eth_signTypedData_v4', [address, JSON.stringify({ ...data, types })])
}

/** Sends a call of a contract, for which this account pays; returns the hash of its transaction. */
export async function sendTransaction(
  wallet: Wallet,
  call: { readonly from: string; readonly to: string; readonly data: string },
  chainId: number,
): Promise<string> {
  await requireAccount(wallet, call.from)
  await requireChain(wallet, chainId)
  return sign(wallet, 'eth_sendTransaction', [call])
}

/** Whether the chain has taken it up, and refused it. False also while nothing is known. */
export async function failedTransaction({ provider }: Wallet, hash: string): Promise<boolean> {
  const asked = { method: 'eth_getTransactionReceipt', params: [hash] }
  const receipt = await provider.request(asked).catch(() => null)
  return (receipt as { status?: unknown } | null)?.status === '0x0'
}

async function sign({ provider }: Wallet, method: string, params: readonly unknown[]) {
  try {
    return String(await provider.request({ method, params }))
  } catch (error) {
    const { message } = (error ?? {}) as { message?: unknown }
    throw new Error(walletRefusal(error) ?? `The wallet answered: ${String(message ?? error)}`)
  }
}

async function requireAccount({ provider }: Wallet, address: string): Promise<void> {
  const accounts = await provider.request({ method: 'eth_requestAccounts' })
  const given: readonly unknown[] = Array.isArray(accounts) ? accounts : []
  if (given.some((one) => String(one).toLowerCase() === address.toLowerCase())) return
  throw new Error(`The wallet is at another account. Choose ${address} in it.`)
}

/** Wallets sign typed data for the chain that they are at. */
async function requireChain({ provider }: Wallet, chainId: number): Promise<void> {
  if (Number(await provider.request({ method: 'eth_chainId' })) === chainId) return
  const params = [{ chainId: `0x${chainId.toString(16)}` }]
  try {
    await provider.request({ method: 'wallet_switchEthereumChain', params })
  } catch {
    throw new Error(`The wallet is not at chain ${chainId}. Add it there, or make a server key.`)
  }
}

/** Calls back when the wallet's account is no longer this one. */
export function whenAccountChanges({ provider }: Wallet, address: string, left: () => void): void {
  provider.on?.('accountsChanged', (accounts) => {
    const [current] = Array.isArray(accounts) ? accounts : []
    if (String(current).toLowerCase() !== address.toLowerCase()) left()
  })
}

/** What a refusal of the wallet means for its user. */
export function walletRefusal(error: unknown): string | undefined {
  const { code } = (error ?? {}) as { code?: unknown }
  if (code === 4001) return 'You declined in the wallet. Nothing was signed.'
  if (code === -32_002) return 'The wallet is already asking: open it, and answer there.'
  if (code === 4100) return 'The wallet does not allow this page to see the account.'
  return undefined
}

/** Only pictures in the address itself: nothing is loaded from elsewhere. */
function safeIcon(icon: string): string {
  return /^data:image\/(?:png|webp|svg\+xml|jpeg|gif)[;,]/.test(icon) ? icon : ''
}

function hexOf(text: string): string {
  const bytes = new TextEncoder().encode(text)
  return `0x${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`
}
