// What the settings say about rights, and which of them are refused at start.

import t from 'tap'
import { readSettings } from '../../../src/base/settings.js'
import { rulesOf } from '../../../src/identity/rights/rules.js'

const wallet = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'

function rules(environment: Readonly<Record<string, string>>, isLoopback = true) {
  return rulesOf(readSettings(environment), { isLoopback })
}

t.test('wallets may claim on loopback without proxies, or if the setting says so', async (t) => {
  t.equal(rules({}).claimsUnowned, true)
  t.equal(rules({}, false).claimsUnowned, false)
  t.equal(rules({ TRUSTED_PROXIES: '127.0.0.1' }).claimsUnowned, false)
  t.equal(rules({ CLAIM_UNOWNED: 'first' }, false).claimsUnowned, true)
  t.equal(rules({ CLAIM_UNOWNED: 'operators' }).claimsUnowned, false)
})

t.test('administrators are given in any case, and a mistyped one stops the start', async (t) => {
  const { isAdministrator } = rules({ ADMIN_ADDRESSES: ` ${wallet.toLowerCase()} , ${wallet}` })
  t.ok(isAdministrator(wallet))
  t.notOk(isAdministrator(wallet.toLowerCase()), 'identities are in EIP-55 form')
  for (const wrong of ['0x12', wallet.replace('f39F', 'F39f'), 'admin']) {
    t.throws(() => rules({ ADMIN_ADDRESSES: wrong }), { code: 72, message: /ADMIN_ADDRESSES/ })
  }
})

t.test('an anonymous client reads nothing unless ANONYMOUS says so', async (t) => {
  t.equal(rules({}).anonymousReads, false)
  t.equal(rules({ ANONYMOUS: 'read' }).anonymousReads, true)
  t.throws(() => readSettings({ ANONYMOUS: 'write' }), { code: 72 })
})
