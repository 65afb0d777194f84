// MONITOR: what the operator sees of all commands, and what is never shown.

import t from 'tap'
import { monitorLineBytes } from '../../../../src/base/limits/key-value.js'
import { eachKeyValueRoom, roomKey } from '../../../support/key-value-room.js'

const kinds = ['memory'] as const
/** Without the time and the address. */
const words = (line: unknown) => String(line).replace(/^\d+\.\d{6} \[(\d+) [\d.:]+\] /, '$1 ')

await eachKeyValueRoom(
  t,
  'every command that has run is shown, its words as printable text',
  async (t, room) => {
    const watcher = room.client()
    t.same(await watcher.run('MONITOR'), 'OK')
    await room.run('sEt', 'a"\\', Uint8Array.of(0x0a, 0x0d, 0x09, 0x07, 0x08, 0x00, 0xff, 0x41))
    await room.run('SELECT', 3)
    await room.run('GET', 'a')
    await room.run('GET')
    await room.run('NOSUCH')
    t.same(watcher.pushed.map(words), [
      '0 "sEt" "a\\"\\\\" "\\n\\r\\t\\a\\b\\x00\\xffA"',
      '3 "SELECT" "3"',
      '3 "GET" "a"',
    ])
  },
  { kinds },
)

await eachKeyValueRoom(
  t,
  'a line shows the first words of a long command, and how much more there is',
  async (t, room) => {
    const watcher = room.client()
    await watcher.run('MONITOR')
    await room.run('SET', 'a', new Uint8Array(monitorLineBytes), 'KEEPTTL')
    const line = String(watcher.pushed[0])
    t.ok(line.length < 5 * monitorLineBytes, `${line.length} characters`)
    t.match(
      line,
      /^\S+ \S+ \S+ "SET" "a" "(\\x00)+"\.\.\. \(6 more bytes\) \.\.\. \(1 more arguments\)$/,
    )
  },
  { kinds },
)

await eachKeyValueRoom(
  t,
  'what EXEC runs is shown before it, and keys to sign in with never',
  async (t, room) => {
    const watcher = room.client()
    await watcher.run('MONITOR')
    for (const line of ['MULTI', 'SET a 1', 'SELECT 1', 'SET b 2', 'EXEC']) await room.line(line)
    await room.run('AUTH', 'operator', roomKey)
    await room.run('HELLO', 2, 'AUTH', 'operator', roomKey)
    t.same(watcher.pushed.map(words).slice(0, 5), [
      '0 "MULTI"',
      '0 "SET" "a" "1"',
      '1 "SELECT" "1"',
      '1 "SET" "b" "2"',
      '1 "EXEC"',
    ])
    t.notMatch(watcher.pushed.join(), roomKey)
    t.match(watcher.pushed[5], /"AUTH" "\(redacted\)" "\(redacted\)"$/)
  },
  { kinds },
)

await eachKeyValueRoom(
  t,
  'an EXEC that is refused has run: it is shown and counted as failed',
  async (t, room) => {
    const watcher = room.client()
    await watcher.run('MONITOR')
    for (const line of ['MULTI', 'NOSUCH', 'EXEC', 'EXEC']) await room.line(line)
    t.same(watcher.pushed.map(words), ['0 "MULTI"', '0 "EXEC"', '0 "EXEC"'])
    const exec = room.bus.table.find('exec')
    t.match(exec, { counts: { total: 2, failed: 2 }, rejected: 0 })
  },
  { kinds },
)

await eachKeyValueRoom(
  t,
  'one who watches uses no keys, and sees nothing once he is no operator or gone',
  async (t, room) => {
    const followers = room.bus.followers.size
    const watcher = room.client()
    await watcher.run('MONITOR')
    t.same(await watcher.run('GET', 'a'), {
      error: "ERR Replica can't interact with the keyspace",
    })
    t.same(await watcher.run('MULTI'), 'OK')
    watcher.pushed.length = 0
    watcher.session.identity = { kind: 'anonymous' }
    await room.run('SET', 'a', '1')
    t.same(watcher.pushed, [])
    watcher.close()
    t.equal(room.bus.followers.size, followers, 'nothing is made any more')
  },
  { kinds },
)

await eachKeyValueRoom(
  t,
  'MONITOR is no part of a transaction',
  async (t, room) => {
    await room.run('MULTI')
    await room.run('MONITOR')
    t.same(await room.run('EXEC'), [
      { error: "ERR MONITOR isn't allowed for DENY BLOCKING client" },
    ])
  },
  { kinds },
)
