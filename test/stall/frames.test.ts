// What is around commands: messages that are packed, very many clients, clients that look on, and
// what signs in.

import t from 'tap'
import { isLong } from '../support/seed.js'
import { hostileKinds, large, type StallCase } from './cases.js'
import { hunt } from './hunt.js'

const size = isLong ? 15_000_000 : 2_000_000
/** Of a list: its elements have names too. */
const listSize = isLong ? 10_000_000 : 1_000_000

function command(name: string, fields: object, isPacked = true): StallCase {
  return { kind: 'document', name, command: fields, isPacked }
}

t.test('no packed message holds the loop', async (t) => {
  const cases = hostileKinds.flatMap((kind) => {
    // Together they are below what a message takes, names of elements included.
    const each = Math.floor(listSize / 4)
    const documents = [1, 2, 3].map((_id) => ({ _id: `${kind}${_id}`, v: large(kind, each) }))
    return [
      command(`packed insert of ${kind}`, { insert: 'values', documents }),
      command(`packed find of ${kind}`, {
        find: 'values',
        filter: { _id: { $in: documents.map(({ _id }) => _id) } },
      }),
      command(`packed body of ${kind}`, {
        find: 'values',
        filter: { a: 1 },
        let: large(kind, size),
      }),
      command(`plain body of ${kind}`, { ping: 1, comment: large(kind, listSize) }, false),
    ]
  })
  await hunt(t, cases)
})

t.test('no number of clients holds the loop', async (t) => {
  const clients: StallCase = {
    ...{ kind: 'clients', name: 'clients', count: isLong ? 4_000 : 500 },
    words: ['CLIENT', 'SETNAME', 'n'.repeat(1_000)],
  }
  const ids = Array.from({ length: isLong ? 200_000 : 10_000 }, (_, i) => i)
  const cases = [
    ['CLIENT', 'LIST'],
    ['CLIENT', 'LIST', 'TYPE', 'normal'],
    ['CLIENT', 'LIST', 'ID', ...ids],
    ['COMMAND', 'INFO', ...ids],
    ['COMMAND', 'DOCS', ...ids],
    ['CONFIG', 'GET', ...ids],
    ['CLIENT', 'INFO'],
    ['INFO'],
    ['PUBLISH', 'c', 'm'],
    ['CLIENT', 'KILL', 'ID', '1000000'],
  ].map((words): StallCase => ({ kind: 'words', name: words.slice(0, 3).join(' '), words }))
  await hunt(t, cases, { prepare: [clients] })
})

t.test('no command that others look at holds the loop', async (t) => {
  const watching: StallCase = { kind: 'clients', name: 'look on', count: 3, words: ['MONITOR'] }
  const cases = hostileKinds.flatMap((kind): StallCase[] => [
    {
      ...{ kind: 'words', name: `watched ECHO of ${kind}` },
      words: ['ECHO', { hostile: { kind, size } }],
    },
    {
      ...{ kind: 'words', name: `watched SET of ${kind}` },
      words: ['SET', 'a', { hostile: { kind, size } }],
    },
  ])
  const many = Array.from({ length: isLong ? 200_000 : 10_000 }, (_, i) => i)
  cases.push({ kind: 'words', name: 'watched DEL of many', words: ['DEL', ...many] })
  await hunt(t, cases, { prepare: [watching] })
})

const head =
  'localhost:8080 wants you to sign in with your Ethereum account:\n' +
  '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266\n\n'

t.test('nothing that signs in holds the loop', async (t) => {
  const message = (tail: string): StallCase[] =>
    ['/api/v1/auth/verify', '/api/v1/auth/nonce'].map((path) => ({
      ...{ kind: 'http', name: `${path} with ${tail.slice(0, 20)}`, method: 'POST', path },
      json: { message: `${head}${tail}`, signature: `0x${'ab'.repeat(65)}`, nonce: tail },
    }))
  const tails = [
    'a'.repeat(size),
    '\n'.repeat(size),
    `URI: https://${'a.'.repeat(size >> 1)}`,
    `URI: https://a\nVersion: 1\nChain ID: ${'1'.repeat(size)}`,
    `Resources:\n${'- https://a\n'.repeat(size >> 4)}`,
  ]
  const cases = tails.flatMap(message)
  for (const kind of hostileKinds) {
    const payload = large(kind, size)
    cases.push(
      command(`saslStart of ${kind}`, { saslStart: 1, mechanism: 'SCRAM-SHA-256', payload }, false),
      command(`saslContinue of ${kind}`, { saslContinue: 1, conversationId: 1, payload }, false),
      ...[['AUTH'], ['AUTH', 'operator'], ['HELLO', '3', 'AUTH', 'operator']].map(
        (words): StallCase => ({
          ...{ kind: 'words', name: `${words.join(' ')} of ${kind}` },
          words: [...words, { hostile: { kind, size } }],
        }),
      ),
    )
  }
  await hunt(t, cases)
})
