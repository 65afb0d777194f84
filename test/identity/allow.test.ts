// The one decision about rights.

import t from 'tap'
import type { Access, Need } from '../../src/engine/types.js'
import { allow } from '../../src/identity/allow.js'
import { anonymous, identityKey, operator } from '../../src/identity/identity.js'

const needs: readonly Need[] = ['read', 'write', 'admin']
const accesses: readonly (Access | undefined)[] = [
  undefined,
  { owner: null, mode: 'private', roles: {} },
  { owner: '0xA', mode: 'private', roles: { '0xB': 1 } },
  { owner: '0xA', mode: 'public', roles: {} },
  { owner: null, mode: 'shared', roles: { '0xB': 2 } },
]

t.test('the operator may do everything', async (t) => {
  for (const access of accesses) for (const need of needs) t.ok(allow(operator, need, access))
})

t.test('an unknown caller may do nothing, whatever the mode', async (t) => {
  for (const access of accesses) for (const need of needs) t.notOk(allow(anonymous, need, access))
})

t.test('identities that differ have different keys', async (t) => {
  t.not(identityKey(operator), identityKey(anonymous))
})
