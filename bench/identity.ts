// Question: what does it cost to know a wallet's key again, and to sign in with one, beside the
// operator's key, which no chain is asked about? The bars: 20 microseconds, 5 milliseconds.

import { createHash, createHmac, pbkdf2Sync } from 'node:crypto'
import { utf8 } from '../src/base/bytes/bytes.js'
import { systemClock, systemRandom } from '../src/base/clock.js'
import { silentLog } from '../src/base/log.js'
import { readSettings } from '../src/base/settings.js'
import { openChain } from '../src/chain/open.js'
import type { Registry } from '../src/chain/registry/registry.js'
import { openWallets, type Wallets } from '../src/gateway/wallets.js'
import { anonymous } from '../src/identity/identity.js'
import { OperatorKey } from '../src/identity/keys/operator.js'
import { Login } from '../src/identity/sign-in/login.js'
import { openMemoryStore } from '../src/store/memory.js'
import { testKey } from '../test/support/gateway.js'
import { derivedKey, signRegister, testWallet } from '../test/support/wallet.js'
import { compare, type Figure, percentile, plain } from './support/figure.js'

const checks = 200_000
const logins = 400
const wallet = testWallet('bench')

export async function identity(): Promise<Figure[]> {
  const store = openMemoryStore()
  const settings = readSettings({ STORE: 'memory:' })
  const parts = { settings, store, clock: systemClock, log: silentLog }
  const chain = openChain({ ...parts, folder: undefined })
  try {
    await chain.registry.ready()
    const apiKey = await register(chain.registry)
    const { key: operator } = await OperatorKey.open(store, {
      random: systemRandom,
      apiKey: testKey,
    })
    const { registry } = chain
    const wallets = openWallets({ ...parts, random: systemRandom, operator, registry })
    return [...(await bearer(wallets, operator, apiKey)), ...(await scram(wallets, apiKey))]
  } finally {
    await chain.close()
    await store.close()
  }
}

async function register(registry: Registry): Promise<string> {
  const { apiKey, material } = await derivedKey(wallet, 0)
  const deadline = registry.chainTime() + 900
  const request = { data: registry.typedData(), index: 0, material, nonce: 0, deadline }
  const signature = await signRegister(wallet, request)
  await registry.registerMeta(
    { address: wallet.address, index: 0, ...material },
    signature,
    deadline,
  )
  return apiKey
}

async function bearer(
  { identify }: Wallets,
  operator: OperatorKey,
  apiKey: string,
): Promise<Figure[]> {
  const started = performance.now()
  if ((await identify(apiKey)) === undefined) throw new Error('the key is not known')
  const first = performance.now() - started
  const perCheck = (check: () => unknown): Promise<number> => {
    const begun = performance.now()
    for (let i = 0; i < checks; i++) {
      const found = check()
      if (found === undefined || found instanceof Promise) throw new Error('the check is not warm')
    }
    return Promise.resolve(((performance.now() - begun) / checks) * 1000)
  }
  return [
    plain('Bearer, a key that was never seen', first, 'ms'),
    await compare(
      'Bearer, warm, beside the operator key',
      'us',
      () => perCheck(() => identify(apiKey)),
      () => perCheck(() => operator.identify(testKey)),
    ),
  ]
}

async function scram(wallets: Wallets, apiKey: string): Promise<Figure[]> {
  const times: number[] = []
  const median = async (user: string, password: string): Promise<number> => {
    times.length = 0
    for (let i = 0; i < logins; i++) times.push(await login(wallets, user, password))
    return percentile(times, 0.5)
  }
  const figure = await compare(
    'SCRAM login, server time, beside the operator',
    'ms',
    () => median(wallet.address, apiKey),
    () => median('operator', testKey),
  )
  await median(wallet.address, apiKey)
  return [figure, plain('SCRAM login, server time, p99', percentile(times, 0.99), 'ms')]
}

/** Milliseconds that the server's two steps take; the client's are not counted. */
async function login({ credentials }: Wallets, user: string, password: string): Promise<number> {
  const server = new Login({
    credentials,
    clock: systemClock,
    random: systemRandom,
    allowsPlain: true,
    initial: anonymous,
    address: '192.0.2.1',
  })
  const bare = `n=${user},r=abcdefgh`
  const begun = performance.now()
  const start = { mechanism: 'SCRAM-SHA-256', payload: utf8(`n,,${bare}`), skipEmptyExchange: true }
  const step = await server.start(start)
  const middle = performance.now()
  const final = proof(bare, Buffer.from(step.payload).toString(), password)
  const again = performance.now()
  const done = await server.continue(1, utf8(final))
  if (done.identity === undefined) throw new Error('the login failed')
  return middle - begun + (performance.now() - again)
}

const salted = new Map<string, Buffer>()

function proof(bare: string, serverFirst: string, password: string): string {
  const [, nonce = '', salt = '', count = ''] = /^r=(.*),s=(.*),i=(.*)$/.exec(serverFirst) ?? []
  const known = salted.get(salt)
  const key =
    known ?? pbkdf2Sync(password, Buffer.from(salt, 'base64'), Number(count), 32, 'sha256')
  salted.set(salt, key)
  const clientKey = createHmac('sha256', key).update('Client Key').digest()
  const storedKey = createHash('sha256').update(clientKey).digest()
  const withoutProof = `c=biws,r=${nonce}`
  const auth = `${bare},${serverFirst},${withoutProof}`
  const signature = createHmac('sha256', storedKey).update(auth).digest()
  const bytes = Buffer.from(clientKey.map((byte, at) => byte ^ (signature[at] ?? 0)))
  return `${withoutProof},p=${bytes.toString('base64')}`
}
