import t from 'tap'
import { compareBytes } from '../../src/base/bytes/bytes.js'
import { ObjectIds } from '../../src/value/object-id.js'

const clockAt = (ms: number) => ({ now: () => ms, elapsed: () => 0 })
const randomOf = (byte: number) => ({ bytes: (count: number) => new Uint8Array(count).fill(byte) })
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')

t.test('an ObjectId is seconds, five random bytes and a counter', async (t) => {
  const ids = new ObjectIds(clockAt(0x65f0c0ff * 1000 + 999), randomOf(7))
  t.equal(hex(ids.next()), '65f0c0ff0707070707070708')
  t.equal(hex(ids.next()), '65f0c0ff0707070707070709')
})

t.test('the counter wraps, and an id is memory of its own', async (t) => {
  const ids = new ObjectIds(clockAt(0xffffffff * 1000), randomOf(0xff))
  const first = ids.next()
  t.equal(hex(first), 'ffffffffffffffffff000000')
  t.equal(hex(ids.next()), 'ffffffffffffffffff000001')
  t.equal(hex(first), 'ffffffffffffffffff000000')
})

t.test('ids rise with time', async (t) => {
  const early = new ObjectIds(clockAt(1_000), randomOf(200)).next()
  const late = new ObjectIds(clockAt(2_000), randomOf(1)).next()
  t.ok(compareBytes(early, late) < 0)
})
