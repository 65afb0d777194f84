// Replies as commands know them to the bytes of both versions, above all those that the two write
// differently: scores, maps, sets and what has several replies.

import t from 'tap'
import { utf8 } from '../../../src/base/bytes/bytes.js'
import { Slice } from '../../../src/base/bytes/slice.js'
import {
  double,
  map,
  none,
  nullArray,
  ok,
  push,
  type Reply,
  set,
  verbatim,
} from '../../../src/bus/keyvalue/reply.js'
import { writeReply } from '../../../src/listeners/resp/write-reply.js'
import { ReplyWriter, type RespVersion } from '../../../src/protocol/resp/reply-writer.js'

function written(version: RespVersion, reply: Reply): string {
  const writer = new ReplyWriter()
  writer.protocol = version
  writeReply(writer, reply)
  return Buffer.concat(writer.take()).toString()
}

const scored: Reply = { kind: 'scored', pairs: ['a', double(1), 'b', double(2.5)] }

const cases: readonly [name: string, reply: Reply, resp2: string, resp3?: string][] = [
  ['a part of bytes', new Slice(utf8('xaby'), 1, 3), '$2\r\nab\r\n'],
  ['bytes', Uint8Array.of(0, 255), '$2\r\n\0\ufffd\r\n'],
  ['text', 'é', '$2\r\né\r\n'],
  ['a status', ok, '+OK\r\n'],
  ['an error', { kind: 'error', text: 'ERR x' }, '-ERR x\r\n'],
  ['an integer', -7, ':-7\r\n'],
  ['an integer of 64 bits', 2n ** 62n, ':4611686018427387904\r\n'],
  ['nil', null, '$-1\r\n', '_\r\n'],
  ['nil for an array', nullArray, '*-1\r\n', '_\r\n'],
  ['a score', double(0.5), '$3\r\n0.5\r\n', ',0.5\r\n'],
  ['text for people', verbatim('hi'), '$2\r\nhi\r\n', '=6\r\ntxt:hi\r\n'],
  ['nothing', none, ''],
  ['an array', [1, [], null], '*3\r\n:1\r\n*0\r\n$-1\r\n', '*3\r\n:1\r\n*0\r\n_\r\n'],
  ['a set', set([1]), '*1\r\n:1\r\n', '~1\r\n:1\r\n'],
  ['a push', push([1]), '*1\r\n:1\r\n', '>1\r\n:1\r\n'],
  ['a map', map([1, 2, 3, 4]), '*4\r\n:1\r\n:2\r\n:3\r\n:4\r\n', '%2\r\n:1\r\n:2\r\n:3\r\n:4\r\n'],
  [
    'members with scores',
    scored,
    '*4\r\n$1\r\na\r\n$1\r\n1\r\n$1\r\nb\r\n$3\r\n2.5\r\n',
    '*2\r\n*2\r\n$1\r\na\r\n,1\r\n*2\r\n$1\r\nb\r\n,2.5\r\n',
  ],
  [
    'several',
    { kind: 'several', items: [1, push([2])] },
    ':1\r\n*1\r\n:2\r\n',
    ':1\r\n>1\r\n:2\r\n',
  ],
]

t.test('each kind of reply has its bytes in RESP2 and in RESP3', async (t) => {
  for (const [name, reply, resp2, resp3 = resp2] of cases) {
    t.equal(written(2, reply), resp2, `${name}, RESP2`)
    t.equal(written(3, reply), resp3, `${name}, RESP3`)
  }
})
