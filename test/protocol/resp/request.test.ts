// A command's arguments: seen, copied, compared, and never a neighbour's.

import t from 'tap'
import type { RespRequest } from '../../../src/protocol/resp/request.js'
import { RequestParser } from '../../../src/protocol/resp/request-parser.js'
import { request } from './requests.js'

function parsed(...words: (string | Uint8Array)[]): RespRequest {
  const parser = new RequestParser()
  parser.push(Buffer.concat([request('PING'), request(...words), request('PING')]))
  parser.next()
  const found = parser.next()
  if (found === undefined) throw new Error('no command')
  return found
}

t.test('an argument is a view, a copy or text', async (t) => {
  const command = parsed('SET', 'ключ', Uint8Array.of(0, 255, 13, 10))
  t.equal(command.count, 3)
  t.equal(command.size(2), 4)
  t.same([...command.view(2)], [0, 255, 13, 10])
  t.same([...command.copy(2)], [0, 255, 13, 10])
  t.not(command.copy(2).buffer, command.view(2).buffer)
  // A Buffer's slice would not copy.
  t.equal(command.view(2).constructor, Uint8Array)
})

t.test('text is UTF-8, with what is malformed replaced', async (t) => {
  const command = parsed('GET', Buffer.from('ключ'), Uint8Array.of(0x61, 0xff))
  t.equal(command.text(1), 'ключ')
  t.equal(command.text(2), 'a\ufffd')
})

t.test('words are compared in any case, letters only', async (t) => {
  const command = parsed('SeT', 'k', 'nX', '[', 'é')
  t.ok(command.is(0, 'set'))
  t.notOk(command.is(0, 'se'))
  t.notOk(command.is(0, 'setx'))
  t.ok(command.is(2, 'nx'))
  t.notOk(command.is(3, '{'))
})

t.test('an index beyond the command is our mistake, not a neighbour', async (t) => {
  const command = parsed('GET', 'k')
  for (const index of [2, 3, -1]) {
    t.throws(() => command.view(index), /assertion failed/)
    t.throws(() => command.copy(index), /assertion failed/)
    t.throws(() => command.text(index), /assertion failed/)
    t.throws(() => command.size(index), /assertion failed/)
    t.throws(() => command.is(index, 'ping'), /assertion failed/)
  }
})

t.test('a detached command shares memory with nothing', async (t) => {
  const command = parsed('SET', 'key', '', 'value')
  const own = command.detach()
  t.same([own.text(0), own.text(1), own.text(2), own.text(3)], ['SET', 'key', '', 'value'])
  t.equal(own.count, 4)
  t.equal(own.view(0).buffer.byteLength, command.argumentBytes)
  t.equal(command.argumentBytes, 11)
})
