// Who uses the Studio. A wallet's session is in cookies that pages cannot read; the server says
// whose it is.

import { signal } from '@preact/signals'
import { ApiError, askJson, operatorToken, sessionEnded } from './api.js'
import { signWith, type Wallet, whenAccountChanges } from './wallets.js'

interface Me {
  /** Null for the operator. */
  readonly address: string | null
  /** The wallet's own database. */
  readonly home?: string
}

/** Undefined: not asked yet; null: nobody is signed in. */
export const me = signal<Me | null | undefined>(undefined)

/** Asks the server who is signed in. */
export async function findMe(): Promise<void> {
  try {
    me.value = await askJson<Me>('GET', '/api/v1/auth/me', undefined, { isSigningIn: true })
  } catch (error) {
    if (!(error instanceof ApiError) || error.status === 0) throw error
    operatorToken.clear()
    me.value = null
  }
  sessionEnded.value = false
}

/** Rejects with what the wallet or the server says. */
export async function signInWith(wallet: Wallet): Promise<void> {
  const signed = await signWith(wallet, async (address) => {
    const { message } = await askJson<{ message: string }>(
      'POST',
      '/api/v1/auth/nonce',
      { address },
      { isSigningIn: true },
    )
    requireOwnText(message)
    return message
  })
  const { message, signature, address } = signed
  const body = { message, signature }
  await askJson('POST', '/api/v1/auth/verify', body, { isSigningIn: true })
  whenAccountChanges(wallet, address, () => void signOut())
  await findMe()
}

export async function signOut(): Promise<void> {
  await askJson('POST', '/api/v1/auth/logout', {}, { isSigningIn: true })
  operatorToken.clear()
  me.value = null
}

/** A text for another page is never given to the wallet. (EIP-4361) */
function requireOwnText(message: string): void {
  const [first = ''] = message.split('\n')
  if (first.startsWith(`${location.host} wants you to sign in`)) return
  throw new Error(`The sign-in text is not for ${location.host}.`)
}
