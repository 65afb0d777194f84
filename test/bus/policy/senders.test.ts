import t from 'tap'
import type { RowAccess } from '../../../src/bus/policy/facts.js'
import { type SenderRefusal, senderRefusal } from '../../../src/bus/policy/senders.js'
import { anonymous, type Identity, operator } from '../../../src/identity/identity.js'
import { strictRules } from '../../../src/identity/rights/allow.js'

const address = '0x1111111111111111111111111111111111111111'
const rules = { ...strictRules, isAdministrator: (each: string) => each === address }
const administrator: Identity = { kind: 'session', address, sid: '', chainId: 0 }
const wallet: Identity = {
  kind: 'session',
  address: `${address.slice(0, -1)}2`,
  sid: '',
  chainId: 0,
}

const levels: readonly RowAccess[] = [
  'anonymous',
  'reader',
  'identity',
  'session',
  'admin',
  'operator',
]

/** The refusals of an identity, by the levels in their order. */
function refusals(identity: Identity, given = rules): (SenderRefusal | undefined)[] {
  return levels.map((access) => senderRefusal(access, identity, given))
}

t.test('each level of access takes those that it names and refuses all others', async (t) => {
  const none = undefined
  const signIn = 'unauthenticated'
  const other = 'forbidden'
  t.same(refusals(operator), [none, none, none, none, none, none])
  t.same(refusals(anonymous), [none, signIn, signIn, signIn, signIn, signIn])
  t.same(refusals(wallet), [none, none, none, none, other, other])
  t.same(refusals(administrator), [none, none, none, none, none, other])
})

t.test('ANONYMOUS=read opens to all what readers may send, and nothing else', async (t) => {
  const open = refusals(anonymous, { ...rules, anonymousReads: true })
  t.same(open.slice(0, 3), [undefined, undefined, 'unauthenticated'])
})

t.test('without rules no wallet is an administrator', async (t) => {
  t.equal(senderRefusal('admin', administrator), 'forbidden')
})
