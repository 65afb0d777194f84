// Who uses the Studio. A wallet's session is in cookies that pages cannot read; the server says
// whose it is.

import { signal } from '@preact/signals'
import { ApiError, askJson, operatorToken, sessionEnded } from './api.js'
import { endHistory } from './console/kept-statements.js'
import { signWith, type Wallet, whenAccountChanges } from './wallets.js'

interface Me {
  /** Null for the operator. */
  readonly address: string | null
  /** The caller's own space. */
  readonly home?: string
  /** Where the routes of documents look without another name. */
  readonly database: string
  /** Who manages the protocols and the whitelist, and reads the audit. */
  readonly administrator?: boolean
  /** A session of the operator only reads until this time, or where it is null. */
  readonly unlockedUntil: string | null
  /** Null where no sign-in is needed (AUTH_MODE=off). */
  readonly expiresAt: string | null
}

/** Undefined: not asked yet; null: there is no session. */
export const me = signal<Me | null | undefined>(undefined)

/** A one-time code from the address, which the user has not used yet. */
export const givenCode = signal('')

/** Takes the code out of the address at once, so that neither history nor a picture keeps it. */
export function takeCode(): void {
  const [, code] = /^#code=([\w-]+)$/.exec(location.hash) ?? []
  if (code === undefined) return
  history.replaceState(null, '', '#/')
  givenCode.value = code
}

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
  askAgainWhenLocked()
}

/** Also where no sign-in is needed. */
export function isOperator(): boolean {
  return me.value?.address === null
}

let lockTimer: ReturnType<typeof setTimeout> | undefined

function askAgainWhenLocked(): void {
  clearTimeout(lockTimer)
  const until = me.value?.unlockedUntil ?? null
  if (until === null) return
  const now = performance.timeOrigin + performance.now()
  lockTimer = setTimeout(() => void findMe(), Math.max(0, Date.parse(until) - now) + 1_000)
}

/** Exchanges a one-time code for a session of the operator in this tab. */
export async function signInWithCode(code: string): Promise<void> {
  const path = '/api/v1/studio/session'
  const { token } = await askJson<{ token: string }>('POST', path, { code }, { isSigningIn: true })
  operatorToken.set(token)
  givenCode.value = ''
  await findMe()
}

/** With the operator's key, or a new code. */
export async function unlock(secret: string): Promise<void> {
  const isCode = !secret.startsWith('svc_op_') && /^[\da-f]{32}$/.test(secret)
  const body = isCode ? { code: secret } : { key: secret }
  await askJson('POST', '/api/v1/studio/unlock', body, { isSigningIn: true })
  await findMe()
}

export async function lock(): Promise<void> {
  await askJson('POST', '/api/v1/studio/lock', {})
  await findMe()
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

/** Everywhere: all sessions of the wallet, or of the operator's page. */
export async function signOut(everywhere = false): Promise<void> {
  const base = operatorToken.get() === null ? '/api/v1/auth' : '/api/v1/studio'
  const body = everywhere ? { everywhere } : {}
  await askJson('POST', `${base}/logout`, body, { isSigningIn: true })
  operatorToken.clear()
  endHistory(me.value?.address ?? null)
  me.value = null
}

/** A text for another page is never given to the wallet. (EIP-4361) */
function requireOwnText(message: string): void {
  const [first = ''] = message.split('\n')
  if (first.startsWith(`${location.host} wants you to sign in`)) return
  throw new Error(`The sign-in text is not for ${location.host}.`)
}
