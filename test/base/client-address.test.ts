// What counts as one client: an IPv4 address, and the /64 of an IPv6 one however it is written.

import fc from 'fast-check'
import t from 'tap'
import { clientOf } from '../../src/base/client-address.js'
import { runs } from '../support/runs.js'

t.test('an IPv4 address is a client of its own', async (t) => {
  t.equal(clientOf('192.0.2.1'), '192.0.2.1')
  t.not(clientOf('192.0.2.1'), clientOf('192.0.2.2'))
})

t.test('an IPv4 address that an IPv6 socket tells is the same client', async (t) => {
  t.equal(clientOf('::ffff:192.0.2.1'), '192.0.2.1')
  t.equal(clientOf('::FFFF:192.0.2.1'), '192.0.2.1')
  t.not(clientOf('::ffff:192.0.2.1'), clientOf('::ffff:192.0.2.2'))
})

t.test('all of a /64 is one client', async (t) => {
  const one = clientOf('2001:db8:1:2::1')
  for (const same of [
    '2001:db8:1:2::ffff',
    '2001:0DB8:0001:0002:a:b:c:d',
    '2001:db8:1:2:0:0:0:1',
    '2001:db8:1:2::192.0.2.1',
    '2001:db8:1:2::1%eth0',
  ]) {
    t.equal(clientOf(same), one, same)
  }
  t.not(clientOf('2001:db8:1:3::1'), one)
  t.equal(clientOf('2001:db8::1'), clientOf('2001:db8::2'), 'zeros that are left out are there')
  t.not(clientOf('2001:db8::1'), clientOf('2001:db9::1'))
  t.equal(clientOf('::1'), clientOf('::2'))
  t.equal(clientOf('1::'), clientOf('1:0:0:0::7'))
})

t.test('what is no address is a client by its text', async (t) => {
  for (const text of ['', 'unknown', 'a:b:c:d:e', ':::', '1.2.3']) t.equal(clientOf(text), text)
})

t.test('however an address is written, its first four groups are the client', async (t) => {
  const group = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 0xffff }))
  const groupsOf8 = fc.array(group, { minLength: 8, maxLength: 8 })
  fc.assert(
    fc.property(groupsOf8, fc.nat(7), fc.nat(8), (groups, from, length) => {
      const wanted = groups.slice(0, 4).map(hex).join(':')
      const whole = groups.map(hex).join(':')
      const padded = groups.map((each) => hex(each).padStart(4, '0').toUpperCase()).join(':')
      const to = Math.min(8, from + length)
      const zeroed = groups.map((each, i) => (i >= from && i < to ? 0 : each))
      const short = `${zeroed.slice(0, from).map(hex).join(':')}::${zeroed.slice(to).map(hex).join(':')}`
      t.equal(clientOf(whole), wanted, whole)
      t.equal(clientOf(padded), clientOf(whole), padded)
      if (to > from) t.equal(clientOf(short), zeroed.slice(0, 4).map(hex).join(':'), short)
    }),
    { numRuns: runs(3_000) },
  )
})

function hex(group: number): string {
  return group.toString(16)
}
