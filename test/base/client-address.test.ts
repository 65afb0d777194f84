// What counts as one client: an IPv4 address, and the /64 of an IPv6 one however it is written.

import t from 'tap'
import { clientOf } from '../../src/base/client-address.js'

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
