// Random sequences of everything that can be done to a registry, beside a small model of it: after
// each step outcome, records, accounts and events agree.

import fc from 'fast-check'
import t, { type Test } from 'tap'
import { Evm, type Outcome } from '../support/evm.js'
import {
  alice,
  bob,
  keyValues,
  listed,
  RegistryRoom,
  type RequestName,
} from '../support/registry-room.js'
import { runs } from '../support/runs.js'

interface Step {
  readonly wallet: 0 | 1
  readonly act: 'register' | 'revoke' | 'rotate'
  /** Where the step's index lies from the one that would be right. */
  readonly off: number
  readonly old: number
  readonly zero: boolean
  readonly way: 'direct' | 'signed' | 'replayed' | 'late' | 'by another'
  readonly wait: number
}

interface Model {
  readonly keys: { values: string[]; createdAt: number; revokedAt: number }[]
  nonce: number
}

const step: fc.Arbitrary<Step> = fc.record({
  wallet: fc.constantFrom(0, 1),
  act: fc.constantFrom('register', 'register', 'register', 'revoke', 'rotate'),
  off: fc.constantFrom(0, 0, 0, 0, 0, 1, -1),
  old: fc.nat({ max: 12 }),
  zero: fc.integer({ min: 0, max: 19 }).map((die) => die === 0),
  way: fc.constantFrom('direct', 'direct', 'signed', 'signed', 'replayed', 'late', 'by another'),
  wait: fc.nat({ max: 3 }),
})

const wallets = [alice, bob] as const

function activeCount({ keys }: Model): number {
  return keys.filter(({ revokedAt }) => revokedAt === 0).length
}

/** What the contract should answer: an error's name, or nothing and the model has changed. */
function expected(model: Model, one: Step, plan: Plan, now: number): string | undefined {
  const { act, way } = one
  if (way === 'by another') return 'NotGasStation'
  if (way === 'late') return 'Expired'
  if (way === 'replayed') return 'InvalidAccountNonce'
  const failure = failureOf(model, one, plan)
  if (failure !== undefined) return failure
  const old = model.keys[plan.old]
  if (act !== 'register' && old !== undefined) old.revokedAt = now
  if (act !== 'revoke') model.keys.push({ values: plan.values, createdAt: now, revokedAt: 0 })
  if (way === 'signed') model.nonce++
  return undefined
}

function failureOf(model: Model, { act }: Step, plan: Plan): string | undefined {
  if (act !== 'register' && model.keys[plan.old]?.revokedAt !== 0) return 'NotActive'
  if (act === 'revoke') return undefined
  if (plan.values.some((value) => BigInt(value) === 0n)) return 'EmptyValue'
  if (plan.index !== model.keys.length) return 'BadIndex'
  const freed = act === 'rotate' ? 1 : 0
  return activeCount(model) - freed >= 10 ? 'TooManyKeys' : undefined
}

interface Plan {
  readonly index: number
  readonly old: number
  readonly values: string[]
}

/** Fills a step in against the model, so that most steps are good ones. */
function planOf(model: Model, one: Step, name: string): Plan {
  const values = listed(keyValues(name))
  if (one.zero) values[one.old % 3] = `0x${'00'.repeat(32)}`
  return { index: Math.max(0, model.keys.length + one.off), old: one.old, values }
}

async function run(room: RegistryRoom, one: Step, plan: Plan): Promise<Outcome> {
  const wallet = wallets[one.wallet]
  const { index, old, values } = plan
  const [commitment, storedKey, serverKey] = values
  const record = { commitment, storedKey, serverKey }
  if (one.way === 'direct') {
    if (one.act === 'register') return room.registry.send(wallet, 'registerKey', index, ...values)
    if (one.act === 'revoke') return room.registry.send(wallet, 'revokeKey', old)
    return room.registry.send(wallet, 'rotateKey', old, index, ...values)
  }
  const [name, changes] = {
    register: ['RegisterKey', { index, ...record }],
    revoke: ['RevokeKey', { index: old }],
    rotate: ['RotateKey', { oldIndex: old, newIndex: index, ...record }],
  }[one.act] as [RequestName, Record<string, unknown>]
  const request: Record<string, unknown> = { ...(await room.request(wallet.address, changes)) }
  if (one.way === 'late') request.deadline = room.evm.now - 1
  if (one.way === 'replayed') request.nonce = BigInt(Number(request.nonce)) + 1n
  const signature = await room.sign(name, wallet, request)
  return room.relay(name, request, signature, one.way === 'by another' ? { from: wallet } : {})
}

async function agree(t: Test, room: RegistryRoom, model: Model, address: string): Promise<void> {
  const { registry } = room
  const account = await registry.view('account', address)
  t.same(account, {
    nextIndex: BigInt(model.keys.length),
    activeCount: BigInt(activeCount(model)),
  })
  t.equal(await registry.read('nonces', address), BigInt(model.nonce))
  const first = model.keys.findIndex(({ revokedAt }) => revokedAt === 0)
  const found = await registry.view('firstActiveIndex', address, 0)
  const index = BigInt(first < 0 ? model.keys.length : first)
  t.same(found, { found: first >= 0, index })
  for (const [index, { values, createdAt, revokedAt }] of model.keys.entries()) {
    const key = await registry.view('getKey', address, index)
    t.same([key.commitment, key.storedKey, key.serverKey], values)
    t.same([key.createdAt, key.revokedAt], [BigInt(createdAt), BigInt(revokedAt)])
    t.equal(key.active, revokedAt === 0)
  }
}

t.test('any sequence of acts leaves the registry as the model says', async (t) => {
  const evm = await Evm.open()
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 40 }), async (steps) => {
      const room = await RegistryRoom.open(evm)
      const models: [Model, Model] = [
        { keys: [], nonce: 0 },
        { keys: [], nonce: 0 },
      ]
      for (const [at, one] of steps.entries()) {
        evm.now += one.wait
        const model = models[one.wallet]
        const plan = planOf(model, one, `key ${at}`)
        const outcome = await run(room, one, plan)
        t.equal(outcome.error, expected(model, one, plan, evm.now), JSON.stringify(one))
        const count = { register: 1, revoke: 1, rotate: 3 }[one.act]
        t.equal(outcome.events.length, outcome.error === undefined ? count : 0)
      }
      for (const [at, wallet] of wallets.entries()) {
        await agree(t, room, models[at] ?? { keys: [], nonce: 0 }, wallet.address)
      }
      return t.passing()
    }),
    { numRuns: runs(15) },
  )
})
