// Everybody of the authorization matrix over HTTP: wallets that have signed in, keys that were
// generated, the operator and an anonymous client, each with the function that sends as them.

import { Wallet } from 'ethers'
import type { Test } from 'tap'
import { Browser } from './browser.js'
import { ask, type HttpAnswer } from './http-client.js'
import type { Who } from './identities.js'
import { type LiveGateway, startGateway } from './live-gateway.js'

export const wallets = Object.fromEntries(
  ['owner', 'role 1', 'role 2', 'otherWallet', 'administrator'].map((who, i) => [
    who,
    new Wallet(`0x${String(i + 11).repeat(32)}`),
  ]),
) as Record<'owner' | 'role 1' | 'role 2' | 'otherWallet' | 'administrator', Wallet>

export type Send = (method: string, path: string, body?: unknown) => Promise<HttpAnswer>

/** A running Sigil, and who speaks to it. */
export interface Crowd {
  readonly gateway: LiveGateway
  readonly as: Readonly<Partial<Record<Who, Send>>>
  readonly keys: Readonly<Record<string, string>>
}

export async function openCrowd(
  t: Test,
  settings: Readonly<Record<string, string>> = {},
): Promise<Crowd> {
  const gateway = await startGateway(t, {
    // One space for all: what these suites look at is what the modes of it open.
    ...{ RATE_LIMITS: 'off', CLAIM_UNOWNED: 'operators', SHARED_SPACES: 'shared' },
    ADMIN_ADDRESSES: wallets.administrator.address,
    ...settings,
  })
  const { url, key } = gateway
  const as: Partial<Record<Who, Send>> = { operator: byKey(url, key), anonymous: byKey(url) }
  const browsers = new Map<string, Browser>()
  for (const [who, wallet] of Object.entries(wallets)) {
    const browser = new Browser(url)
    t.equal((await browser.signIn(wallet)).status, 200, `${who} signs in`)
    browsers.set(who, browser)
    as[who as Who] = bySession(browser)
  }
  const keys: Record<string, string> = {}
  const generate = async (who: string, name: Who, permissions: readonly string[]) => {
    const body = { label: name, permissions, rateLimit: 0 }
    const made = await browsers.get(who)?.post('/api/v1/keys/generate', body)
    const { apiKey } = made?.json ?? {}
    t.match(apiKey, /^svc_live_/, `${name} is made`)
    keys[name] = String(apiKey)
    as[name] = byKey(url, String(apiKey))
  }
  await generate('owner', 'owner, key for all', ['all'])
  await generate('owner', 'owner, reading key', ['read'])
  await generate('owner', 'owner, writing key', ['write'])
  await generate('owner', 'owner, administering key', ['admin'])
  await generate('role 2', 'role 2, reading key', ['read'])
  await generate('otherWallet', 'otherWallet, key for all', ['all'])
  return { gateway, as, keys }
}

export function byKey(url: string, key?: string): Send {
  return (method, path, body) => {
    const credentials = key === undefined ? {} : { authorization: `Bearer ${key}` }
    const json = body === undefined ? {} : { 'content-type': 'application/json' }
    const given = body === undefined ? {} : { body: JSON.stringify(body) }
    return ask(url, { method, path, headers: { ...credentials, ...json }, ...given })
  }
}

function bySession(browser: Browser): Send {
  return (method, path, body) => {
    const token = browser.cookies.get('svc_csrf') ?? ''
    const csrf = method === 'GET' ? {} : { 'x-csrf-token': token }
    const json = body === undefined ? {} : { 'content-type': 'application/json' }
    const text = body === undefined ? undefined : JSON.stringify(body)
    return browser.send(method, path, { ...csrf, ...json }, text)
  }
}
