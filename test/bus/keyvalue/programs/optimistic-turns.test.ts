// Commands that are prepared: few at a time in all, one an owner, owners in turns. One owner's
// queue of long commands does not delay another's.

import t from 'tap'
import { Account } from '../../../../src/base/work/accounts.js'
import {
  OptimisticTurns,
  optimisticAtOnceMax,
} from '../../../../src/bus/keyvalue/programs/optimistic-turns.js'
import { strictRules } from '../../../../src/identity/rights/allow.js'
import { admit, identities, revocation } from '../../../support/identities.js'
import { eachKeyValueRoom } from '../../../support/key-value-room.js'

/** Commands that end when they are told to. */
class Held {
  readonly begun: string[] = []
  private readonly ends = new Map<string, () => void>()
  private readonly turns = new OptimisticTurns()

  send(account: Account, name: string): Promise<void> {
    return this.turns.run(account, () => {
      this.begun.push(name)
      return new Promise((resolve) => this.ends.set(name, resolve))
    })
  }

  async end(name: string): Promise<void> {
    this.ends.get(name)?.()
    for (let i = 0; i < 10; i++) await Promise.resolve()
  }
}

t.test('an owner has one under way, and all have so many', async (t) => {
  const held = new Held()
  const accounts = Array.from({ length: optimisticAtOnceMax + 2 }, (_, i) => new Account(`o${i}`))
  const [first] = accounts
  for (const name of ['0a', '0b', '0c']) void held.send(first as Account, name)
  t.same(held.begun, ['0a'])
  for (const [i, account] of accounts.entries()) if (i > 0) void held.send(account, `${i}a`)
  t.same(held.begun, ['0a', '1a', '2a', '3a'])
  await held.end('0a')
  t.equal(held.begun.at(-1), '0b', 'of equals, who has waited longest')
  await held.end('0b')
  t.equal(held.begun.at(-1), '4a')
})

t.test('the owner who has had the least time is next', async (t) => {
  const held = new Held()
  const busy = Array.from({ length: optimisticAtOnceMax }, (_, i) => new Account(`busy${i}`))
  for (const account of busy) {
    for (const name of ['a', 'b']) void held.send(account, `${account.owner}${name}`)
    account.virtualMs = 100
  }
  void held.send(new Account('honest'), 'honest')
  await held.end('busy1a')
  t.equal(held.begun.at(-1), 'honest')
})

t.test('a command that fails gives its turn back', async (t) => {
  const turns = new OptimisticTurns()
  const account = new Account('one')
  await t.rejects(turns.run(account, () => Promise.reject(new Error('refused'))))
  t.equal(await turns.run(account, () => Promise.resolve(7)), 7)
})

const numbers = Array.from({ length: 6_000 }, (_, n) => n)

await eachKeyValueRoom(
  t,
  'twenty long commands of one wallet are not before one of another',
  async (t, room) => {
    await admit(room.store, room.clock.now())
    const answered: string[] = []
    const attack = Array.from({ length: 20 }, (_, i) =>
      room
        .client(identities.owner)
        .run('SADD', `set${i}`, ...numbers)
        .then(() => answered.push('owner')),
    )
    const honest = room.client(identities.otherWallet).run('SADD', 'set', ...numbers)
    t.equal(await honest, numbers.length)
    t.ok(answered.length <= 2, `${answered.length} were answered before it`)
    await Promise.all(attack)
    t.equal(answered.length, 20)
  },
  // The late store has no scheduler, so its owners are not told apart.
  {
    kinds: ['memory', 'lmdb'],
    settings: { SHARED_SPACES: 'own' },
    rights: { rules: strictRules, revocation },
  },
)
