// Signing in as the bus does it: the golden message, every reason to refuse one, and what is spent
// by a try. The store, the chain and the signatures are real; time is the test's.

import { Wallet } from 'ethers'
import t, { type Test } from 'tap'
import { fail, type GatewayError } from '../../../src/base/errors.js'
import { silentLog } from '../../../src/base/log.js'
import type { Registry } from '../../../src/chain/registry/registry.js'
import { RpcError } from '../../../src/chain/remote/provider.js'
import { Audit } from '../../../src/identity/audit.js'
import { SessionSeal } from '../../../src/identity/sign-in/session-cookie.js'
import { SignIn } from '../../../src/identity/sign-in/sign-in.js'
import { requireValidAt } from '../../../src/identity/sign-in/sign-in-message.js'
import { recoverSigner, SignatureChecker } from '../../../src/identity/sign-in/signature-check.js'
import { buildSiwe, parseSiwe, type SiweMessage } from '../../../src/protocol/siwe/message.js'
import type { Store } from '../../../src/store/store.js'
import { fixedRandom } from '../../support/gateway.js'
import { specFiles } from '../../support/specs.js'
import { openStore } from '../../support/stores.js'

const wallet = new Wallet('0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80')
const otherWallet = new Wallet(`0x${'01'.repeat(32)}`)
const start = Date.UTC(2030, 0, 1)
const caller = { protocol: 'http', remoteAddress: '127.0.0.1' }

interface Room {
  readonly signIn: SignIn
  readonly seal: SessionSeal
  now: number
  /** Whether wallets are let in. */
  opens: boolean
  readonly funded: string[]
}

/** What the chain says is given by a test; none of these has a contract wallet. */
const noContracts = async () => '0x'

async function openRoom(t: Test, call: Registry['call'] = noContracts): Promise<Room> {
  return roomOver(await openStore(t, 'memory'), call)
}

function roomOver(store: Store, call: Registry['call'] = noContracts): Room {
  const room = { now: start, opens: true, funded: [] as string[] }
  const clock = { now: () => room.now, elapsed: () => room.now }
  const random = fixedRandom(3)
  const seal = new SessionSeal(`k1:${'11'.repeat(32)}`, random)
  const signIn = new SignIn({
    ...{ store, clock, random, seal, log: silentLog, chainId: 31337 },
    signatures: new SignatureChecker({ chain: { call }, gas: 1_500_000 }),
    audit: new Audit({ store, clock, database: 'main' }),
    mayEnter: function* () {
      return room.opens
    },
    fund: async (address) => {
      room.funded.push(address)
    },
  })
  signIn.servedAt(['http://localhost:8080', 'http://127.0.0.1:8080'])
  return Object.assign(room, { signIn, seal })
}

interface Try {
  readonly change?: (message: SiweMessage) => SiweMessage
  readonly signer?: Wallet
  readonly cookie?: string | undefined
}

/** Asks for a nonce and signs what comes; answers what verify would be given. */
async function prepare({ signIn }: Room, { change, signer = wallet, cookie }: Try = {}) {
  const issued = await signIn.nonce(wallet.address.toLowerCase(), { cookie })
  const message =
    change === undefined ? issued.message : buildSiwe(change(parseSiwe(issued.message)))
  const signature = await signer.signMessage(message)
  return { signed: { message, signature }, cookie: issued.session ?? cookie, issued }
}

async function reasonOf(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => undefined,
    (thrown: GatewayError) => thrown,
  )
  return error === undefined ? 'ok' : `${error.httpStatus} ${error.code} ${error.extra.reason}`
}

t.test('the golden message is what a wallet gets to sign', async (t) => {
  const room = await openRoom(t)
  const { message, nonce } = await room.signIn.nonce(wallet.address, {})
  t.equal(message.replace(nonce, 'abcdefghij0123456789AB'), golden)
  t.equal(await wallet.signMessage(golden), goldenSignature)
  t.equal(await recoverSigner(golden, Buffer.from(goldenSignature.slice(2), 'hex')), wallet.address)
})

const golden = [
  'localhost:8080 wants you to sign in with your Ethereum account:',
  '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
  '',
  'Sign in to Sigil.',
  '',
  'URI: http://localhost:8080',
  'Version: 1',
  'Chain ID: 31337',
  'Nonce: abcdefghij0123456789AB',
  'Issued At: 2030-01-01T00:00:00.000Z',
  'Expiration Time: 2030-01-01T00:05:00.000Z',
].join('\n')
const goldenSignature =
  '0x1b4c1bf3a7c38fd6d7d8ecb94ba508958935cd0b0da7e45c4fe2324e4decc2c06f2f6e2f035391bbbb06a3786cb69c022bc5ecd743765374f134393aa6cd4f741c'

t.test('who signs the message has a session, under a new id', async (t) => {
  const room = await openRoom(t)
  const { signed, cookie } = await prepare(room)
  const { address, session, csrf } = await room.signIn.verify(signed, cookie, caller)
  t.equal(address, wallet.address)
  const [before, after] = [cookie ?? '', session].map((each) => room.seal.open(each, start)?.sid)
  t.ok(before)
  t.not(before, after, 'the id from before the sign-in is free')
  t.equal(await room.signIn.openSession(cookie ?? ''), undefined)
  const opened = await room.signIn.openSession(session)
  t.match(opened?.identity, {
    kind: 'session',
    address: wallet.address,
    chainId: 31337,
    sid: after,
  })
  t.ok(opened?.csrfMatches(csrf))
  t.strictSame(room.funded, [wallet.address])
})

t.test('signing in again ends the session of before', async (t) => {
  const room = await openRoom(t)
  const first = await prepare(room)
  const { session } = await room.signIn.verify(first.signed, first.cookie, caller)
  const again = await prepare(room, { cookie: session })
  t.equal(again.issued.session, undefined, 'the cookie of a session goes on until then')
  const next = await room.signIn.verify(again.signed, session, caller)
  t.equal(await room.signIn.openSession(session), undefined)
  t.ok(await room.signIn.openSession(next.session))
})

t.test('a nonce is spent by its first try, whatever comes of it', async (t) => {
  const room = await openRoom(t)
  const { signed, cookie } = await prepare(room)
  const wrong = { ...signed, signature: await otherWallet.signMessage(signed.message) }
  t.equal(await reasonOf(room.signIn.verify(wrong, cookie, caller)), '401 13 SIWE_SIGNATURE')
  const spent = '401 13 SIWE_NONCE_INVALID'
  t.equal(await reasonOf(room.signIn.verify(signed, cookie, caller)), spent)
  const good = await prepare(room)
  await room.signIn.verify(good.signed, good.cookie, caller)
  t.equal(await reasonOf(room.signIn.verify(good.signed, good.cookie, caller)), spent, 'replayed')
})

t.test('a session is the same on a store that answers late', async (t) => {
  const room = roomOver(await openStore(t, 'late'))
  const { signed, cookie } = await prepare(room)
  const { session, address } = await room.signIn.verify(signed, cookie, caller)
  const opened = await room.signIn.openSession(session)
  t.equal(opened?.identity.address, address)
  if (opened !== undefined) await room.signIn.signOut(opened.identity, true)
  t.equal(await room.signIn.openSession(session), undefined)
})

t.test('of many tries at once, one has the session', async (t) => {
  const room = await openRoom(t)
  const { signed, cookie } = await prepare(room)
  const tries = Array.from({ length: 10 }, () =>
    reasonOf(room.signIn.verify(signed, cookie, caller)),
  )
  const outcomes = await Promise.all(tries)
  t.equal(outcomes.filter((each) => each === 'ok').length, 1)
  t.equal(outcomes.filter((each) => each === '401 13 SIWE_NONCE_INVALID').length, 9)
})

t.test('what is wrong with a nonce is not told', async (t) => {
  const room = await openRoom(t)
  const wanted = '401 13 SIWE_NONCE_INVALID'
  const one = await prepare(room)
  const other = await prepare(room)
  t.equal(await reasonOf(room.signIn.verify(one.signed, undefined, caller)), wanted, 'no cookie')
  t.equal(await reasonOf(room.signIn.verify(one.signed, other.cookie, caller)), wanted, 'another’s')
  t.equal(
    await reasonOf(room.signIn.verify(one.signed, 'v1.k1.x', caller)),
    wanted,
    'no cookie of us',
  )
  const unknown = await prepare(room, { change: (m) => ({ ...m, nonce: 'a'.repeat(22) }) })
  t.equal(await reasonOf(room.signIn.verify(unknown.signed, unknown.cookie, caller)), wanted)
  const change = (m: SiweMessage) => ({ ...m, address: otherWallet.address })
  const foreign = await prepare(room, { change, signer: otherWallet })
  t.equal(await reasonOf(room.signIn.verify(foreign.signed, foreign.cookie, caller)), wanted)
  const { expirationTime: _, ...endless } = parseSiwe(one.signed.message)
  room.now += 5 * 60_000
  const late = buildSiwe(endless)
  const signed = { message: late, signature: await wallet.signMessage(late) }
  t.equal(await reasonOf(room.signIn.verify(signed, one.cookie, caller)), wanted, 'over')
})

t.test('each other refusal has its reason', async (t) => {
  const room = await openRoom(t)
  const outcome = async (change: NonNullable<Try['change']>, laterMs = 0) => {
    room.now = start
    const { signed, cookie } = await prepare(room, { change })
    room.now = start + laterMs
    return reasonOf(room.signIn.verify(signed, cookie, caller))
  }
  const at = (ms: number) => new Date(start + ms).toISOString()
  t.equal(await outcome((m) => m), 'ok')
  t.equal(await outcome((m) => ({ ...m, domain: 'evil.test' })), '401 13 SIWE_DOMAIN_MISMATCH')
  t.equal(await outcome((m) => ({ ...m, domain: 'localhost' })), '401 13 SIWE_DOMAIN_MISMATCH')
  t.equal(await outcome((m) => ({ ...m, scheme: 'https' })), '401 13 SIWE_DOMAIN_MISMATCH')
  t.equal(await outcome((m) => ({ ...m, scheme: 'http' })), 'ok')
  t.equal(await outcome((m) => ({ ...m, uri: 'http://evil.test' })), '401 13 SIWE_URI_MISMATCH')
  t.equal(
    await outcome((m) => ({ ...m, uri: 'http://localhost:80801' })),
    '401 13 SIWE_URI_MISMATCH',
  )
  t.equal(
    await outcome((m) => ({ ...m, domain: '127.0.0.1:8080' })),
    '401 13 SIWE_URI_MISMATCH',
    'domain and address are of one origin',
  )
  t.equal(await outcome((m) => ({ ...m, uri: 'http://localhost:8080/login' })), 'ok')
  t.equal(await outcome((m) => ({ ...m, chainId: '1' })), '401 13 SIWE_CHAIN_MISMATCH')
  t.equal(await outcome((m) => ({ ...m, chainId: '031337' })), 'ok', 'compared as numbers')
  const expires = (ms: number) => (m: SiweMessage) => ({ ...m, expirationTime: at(ms) })
  t.equal(await outcome(expires(1_000), 1_000), '401 13 SIWE_EXPIRED')
  t.equal(await outcome(expires(1_000), 999), 'ok')
  const from = (ms: number) => (m: SiweMessage) => ({ ...m, notBefore: at(ms) })
  t.equal(await outcome(from(60_001)), '401 13 SIWE_NOT_YET_VALID')
  t.equal(await outcome(from(60_000)), 'ok', 'clocks may differ by a minute')
  const issued = (ms: number) => (m: SiweMessage) => ({ ...m, issuedAt: at(ms) })
  t.equal(await outcome(issued(60_001)), '401 13 SIWE_ISSUED_AT')
  t.equal(await outcome(issued(-600_001)), '401 13 SIWE_ISSUED_AT')
  t.equal(await outcome(issued(-600_000)), 'ok')
})

t.test('what is malformed is refused before anything is spent', async (t) => {
  const room = await openRoom(t)
  const { signed, cookie } = await prepare(room)
  const verify = (change: Partial<typeof signed>) =>
    reasonOf(room.signIn.verify({ ...signed, ...change }, cookie, caller))
  t.equal(await verify({ message: `${signed.message}\n` }), '400 2 SIWE_MALFORMED:message')
  t.equal(await verify({ message: '' }), '400 2 SIWE_MALFORMED:domain')
  for (const signature of ['', '0x0', 'abc', '0xzz', `0x${'00'.repeat(16_385)}`]) {
    t.equal(await verify({ signature }), '400 2 undefined', signature.slice(0, 10))
  }
  t.equal(await verify({}), 'ok', 'the nonce is as good as before')
  for (const address of ['', '0x', wallet.address.slice(2), wallet.address.replace('F', 'f')]) {
    t.equal(await reasonOf(room.signIn.nonce(address, {})), '400 2 undefined', address)
  }
})

t.test('a wallet that is not let in gets no session', async (t) => {
  const room = await openRoom(t)
  room.opens = false
  const { signed, cookie } = await prepare(room)
  const wanted = '403 13 NOT_WHITELISTED'
  t.equal(await reasonOf(room.signIn.verify(signed, cookie, caller)), wanted)
  t.strictSame(room.funded, [])
})

t.test('the forms of a signature that wallets make are all taken', async (t) => {
  const room = await openRoom(t)
  const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
  const forms: Readonly<Record<string, (r: bigint, s: bigint, odd: boolean) => string>> = {
    'v 27 and 28': (r, s, odd) => word(r) + word(s) + (odd ? '1c' : '1b'),
    'v 0 and 1': (r, s, odd) => word(r) + word(s) + (odd ? '01' : '00'),
    'ERC-2098': (r, s, odd) => word(r) + word(odd ? s | (1n << 255n) : s),
    'high s': (r, s, odd) => word(r) + word(order - s) + (odd ? '1b' : '1c'),
  }
  for (const [name, form] of Object.entries(forms)) {
    const { signed, cookie } = await prepare(room)
    const [r, s] = [signed.signature.slice(2, 66), signed.signature.slice(66, 130)]
    const odd = signed.signature.endsWith('1c')
    const signature = `0x${form(BigInt(`0x${r}`), BigInt(`0x${s}`), odd)}`
    t.equal(
      await reasonOf(room.signIn.verify({ ...signed, signature }, cookie, caller)),
      'ok',
      name,
    )
  }
})

function word(n: bigint): string {
  return n.toString(16).padStart(64, '0')
}

t.test('what a contract wallet must say, the chain is asked; away, it is no refusal', async (t) => {
  const away = fail('HostUnreachable', 'away', { reason: 'CHAIN_UNAVAILABLE' })
  const down = await openRoom(t, () => Promise.reject(away))
  const plain = await prepare(down)
  t.equal(await reasonOf(down.signIn.verify(plain.signed, plain.cookie, caller)), 'ok')
  for (const signature of ['0x', `0x${'11'.repeat(65)}`, `0x${'6492'.repeat(16)}`]) {
    const { signed, cookie } = await prepare(down)
    const outcome = reasonOf(down.signIn.verify({ ...signed, signature }, cookie, caller))
    t.equal(await outcome, '503 6 CHAIN_UNAVAILABLE', signature.slice(0, 20))
  }
  const reverts = await openRoom(t, () =>
    Promise.reject(new RpcError(3, 'execution reverted', '0x')),
  )
  const { signed, cookie } = await prepare(reverts)
  const refused = reasonOf(reverts.signIn.verify({ ...signed, signature: '0x' }, cookie, caller))
  t.equal(await refused, '401 13 SIWE_SIGNATURE')
})

t.test('a server without an address of its own refuses sign-ins', async (t) => {
  const { signIn } = await openRoom(t)
  signIn.servedAt([])
  t.equal(await reasonOf(signIn.nonce(wallet.address, {})), '400 115 undefined')
})

t.test('the message is for the page that asks, where that is one of ours', async (t) => {
  const { signIn } = await openRoom(t)
  const domain = async (origin: string) =>
    parseSiwe((await signIn.nonce(wallet.address, { origin })).message).domain
  t.equal(await domain('http://127.0.0.1:8080'), '127.0.0.1:8080')
  t.equal(await domain('http://evil.test'), 'localhost:8080')
})

t.test('a session ends by signing out, or with all others of its wallet', async (t) => {
  const room = await openRoom(t)
  const enter = async () => {
    const { signed, cookie } = await prepare(room)
    const { session } = await room.signIn.verify(signed, cookie, caller)
    const opened = await room.signIn.openSession(session)
    if (opened === undefined) throw new Error('no session')
    return { session, identity: opened.identity }
  }
  const [one, two, three] = [await enter(), await enter(), await enter()]
  await room.signIn.signOut(one.identity, false)
  t.equal(await room.signIn.openSession(one.session), undefined)
  t.ok(await room.signIn.openSession(two.session))
  await room.signIn.signOut(two.identity, true)
  t.equal(await room.signIn.openSession(three.session), undefined)
  t.ok(await room.signIn.openSession((await enter()).session))
})

t.test('a session is over after 24 hours, used or not', async (t) => {
  const room = await openRoom(t)
  const { signed, cookie } = await prepare(room)
  const { session } = await room.signIn.verify(signed, cookie, caller)
  room.now = start + 24 * 3_600_000 - 1
  t.ok(await room.signIn.openSession(session))
  room.now++
  t.equal(await room.signIn.openSession(session), undefined)
})

type Vector = Readonly<Record<string, unknown>>
const vectors = new Map(specFiles('siwe').map(({ name, content }) => [name, content as Vector]))

/** What those vectors ask: the signature, the times, and what they are bound to. */
async function isVerified(vector: Vector): Promise<boolean> {
  const { signature, domainBinding, matchNonce, time, chainId, ...fields } = vector
  try {
    const text = buildSiwe({ ...fields, chainId: String(chainId) } as never)
    const message = parseSiwe(text)
    requireValidAt(message, time === undefined ? Date.UTC(2026, 0, 1) : Date.parse(String(time)))
    if (domainBinding !== undefined && domainBinding !== message.domain) return false
    if (matchNonce !== undefined && matchNonce !== message.nonce) return false
    const bytes = Buffer.from(String(signature).replace(/^0x/, ''), 'hex')
    return (await recoverSigner(text, bytes)) === message.address
  } catch {
    return false
  }
}

t.test('published messages are verified as published', async (t) => {
  for (const [file, wanted, count] of [
    ['verification_positive.json', true, 4],
    ['verification_negative.json', false, 10],
  ] as const) {
    const all = Object.entries(vectors.get(file) ?? {})
    for (const [name, vector] of all) t.equal(await isVerified(vector as Vector), wanted, name)
    t.equal(all.length, vectors.size === 0 ? 0 : count)
  }
})
