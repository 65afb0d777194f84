// Dumps without a server: the checksum, each form that a value may be written in, and that nothing
// a client sends as a payload does more than to be refused.

import t from 'tap'
import { Slice } from '../../../../src/base/bytes/slice.js'
import { GatewayError } from '../../../../src/base/errors.js'
import { crc64 } from '../../../../src/engine/keyspace/dump/crc64.js'
import { isIntact, readDump } from '../../../../src/engine/keyspace/dump/read.js'
import { writeDump } from '../../../../src/engine/keyspace/dump/write.js'
import type { Contents } from '../../../../src/engine/keyspace/keys/contents.js'
import { nothing } from '../../../../src/store/steps.js'
import type { Program, ReadTx } from '../../../../src/store/store.js'
import { dumpString, intset, sealed, ziplist, zipmap } from '../../../support/old-dumps.js'
import { runs } from '../../../support/runs.js'
import { seededRandom } from '../../../support/seeded-random.js'

/** As plain data. */
function plain(contents: Contents): unknown {
  const text = (slice: Slice) => Buffer.from(slice.view()).toString('latin1')
  switch (contents.type) {
    case 'string':
      return text(contents.text)
    case 'list':
      return contents.elements.map(text)
    case 'set':
      return contents.members.map(text)
    case 'zset':
      return contents.entries.map(({ member, score }) => [text(member), score])
    case 'hash':
      return contents.fields.map(({ field, value }) => [text(field), text(value)])
  }
}

/** Of programs that only pause. */
const tx = new Proxy({} as ReadTx, { get: () => () => nothing })
function now<A, T>(program: (tx: ReadTx, given: A) => Program<T>, given: A): T {
  const end = program(tx, given).next()
  if (end.done !== true) throw new Error('it reads nothing')
  return end.value
}

const read = (payload: Uint8Array) => plain(now(readDump, payload))
const slices = (...texts: readonly string[]) => texts.map((text) => Slice.ofText(text))

t.test('the checksum is the one of the reference server', async (t) => {
  const { high, low } = crc64(Buffer.from('123456789'))
  t.equal(high.toString(16) + low.toString(16), 'e9c6d914c4b8d9ca')
})

t.test('what is written is read again', async (t) => {
  const members = slices('', 'a', '12', '-129', '40000', '99999999999', 'x'.repeat(70), '012')
  const texts = members.map((member) => member.text())
  const same = (contents: Contents, wanted: unknown) => {
    const payload = now(writeDump, contents)
    t.ok(now(isIntact, payload))
    t.same(read(payload), wanted)
  }
  for (const member of members) same({ type: 'string', text: member }, member.text())
  same({ type: 'list', elements: members }, texts)
  same({ type: 'set', members }, texts)
  const scores = [0, -1.5, 1e300, Number.POSITIVE_INFINITY, 0.1, 1, 2, 3]
  same(
    { type: 'zset', entries: members.map((member, i) => ({ member, score: scores[i] as number })) },
    texts.map((text, i) => [text, scores[i]]),
  )
  same(
    { type: 'hash', fields: members.map((field) => ({ field, value: field })) },
    texts.map((text) => [text, text]),
  )
  const many = Array.from({ length: 20_000 }, (_, i) => Slice.ofText(`e${i}`))
  same(
    { type: 'list', elements: many },
    many.map((each) => each.text()),
  )
})

const numbers = [0n, 12n, 13n, -1n, 127n, -128n, 300n, -30_000n, 70_000n, -8_000_000n, 2n ** 31n]

t.test('ziplists of older versions are read', async (t) => {
  const elements = [...numbers, -(2n ** 63n), 'short', 'x'.repeat(300), 'y'.repeat(20_000), '']
  const texts = elements.map(String)
  t.same(read(sealed(10, dumpString(ziplist(elements)))), texts, 'a list')
  const nodes = Buffer.concat([
    ...[Buffer.from([2]), dumpString(ziplist(['a', 1n])), dumpString(ziplist(['b']))],
  ])
  t.same(read(sealed(14, nodes)), ['a', '1', 'b'], 'a quicklist')
  t.same(read(sealed(12, dumpString(ziplist(['m', 1n, 'n', '2.5'])))), [
    ['m', 1],
    ['n', 2.5],
  ])
  t.same(read(sealed(13, dumpString(ziplist(['f', 'v', 'g', 7n])))), [
    ['f', 'v'],
    ['g', '7'],
  ])
})

t.test('zipmaps, intsets and scores as text are read', async (t) => {
  const long = 'v'.repeat(300)
  t.same(
    read(
      sealed(
        9,
        dumpString(
          zipmap([
            ['f', 'v'],
            ['g', long],
          ]),
        ),
      ),
    ),
    [
      ['f', 'v'],
      ['g', long],
    ],
  )
  for (const [width, members] of [
    [2, [-5n, 7n]],
    [4, [-100_000n, 7n]],
    [8, [-(2n ** 62n), 2n ** 62n]],
  ] as const) {
    t.same(read(sealed(11, dumpString(intset(width, members)))), members.map(String))
  }
  const scored = Buffer.concat([
    ...[Buffer.from([3]), dumpString('a'), dumpString('1.5')],
    ...[dumpString('b'), Buffer.from([254]), dumpString('c'), Buffer.from([255])],
  ])
  t.same(read(sealed(3, scored)), [
    ['a', 1.5],
    ['b', Number.POSITIVE_INFINITY],
    ['c', Number.NEGATIVE_INFINITY],
  ])
})

t.test('what is no value is refused', async (t) => {
  const bad = (payload: Uint8Array, why: string) =>
    t.throws(() => now(readDump, payload), { message: 'ERR Bad data format' }, why)
  bad(sealed(15, Buffer.from([0])), 'a stream')
  bad(sealed(7, Buffer.from([0])), 'a module')
  bad(sealed(1, Buffer.from([0])), 'a list of nothing')
  bad(sealed(2, Buffer.concat([Buffer.from([2]), dumpString('a'), dumpString('a')])), 'twice')
  bad(sealed(5, Buffer.concat([Buffer.from([1]), dumpString('a'), nan()])), 'no score')
  bad(sealed(4, Buffer.from([0x80, 0xff, 0xff, 0xff, 0xff])), 'fields that are not there')
  bad(sealed(0, Buffer.from([0xc3, 2, 0x41, 0xff, 0, 0x61])), 'a long promise')
  bad(sealed(0, Buffer.from([])), 'nothing')
  const endless = Buffer.from([0xc3, 2, 0x80, 0x7f, 0xff, 0xff, 0xff, 0, 0x61])
  t.throws(() => now(readDump, sealed(0, endless)), { message: /exceeds maximum/ })
  t.notOk(now(isIntact, sealed(0, dumpString('a'), 11)), 'a later version')
  t.notOk(now(isIntact, Buffer.alloc(3)))
})

function nan(): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeDoubleLE(Number.NaN)
  return bytes
}

t.test('a payload of chance is read or refused', async (t) => {
  const random = seededRandom(7)
  const byte = () => Math.floor(random() * 256)
  const good = [
    sealed(10, dumpString(ziplist([...numbers, 'short', 'x'.repeat(300)]))),
    sealed(9, dumpString(zipmap([['f', 'v']]))),
    sealed(11, dumpString(intset(4, [1n, 2n]))),
    now(writeDump, {
      type: 'hash',
      fields: [{ field: Slice.ofText('f'), value: Slice.ofText('v') }],
    }),
  ]
  let refused = 0
  for (let i = 0; i < runs(20_000); i++) {
    const from = good[i % good.length] as Buffer
    const body = Buffer.from(from.subarray(1, from.length - 10))
    for (let n = 0; n <= i % 3; n++) body[Math.floor(random() * body.length)] = byte()
    const type = i % 5 === 0 ? byte() % 20 : (from[0] as number)
    try {
      now(readDump, sealed(type, i % 7 === 0 ? body.subarray(0, byte()) : body))
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error
      refused++
    }
  }
  t.ok(refused > 1_000, `${refused} refused`)
})
