// The runner must tell what goes wrong: each part of a case is given something false here, and
// the failure has to name it.

import { MongoClient } from 'mongodb'
import t from 'tap'
import { startGateway } from '../support/live-gateway.js'
import { failureOf } from './case.js'
import type { Operation, SpecFile, SpecTest } from './format.js'

const place = { databaseName: 'main', collectionName: 'rows' }

const file: SpecFile = {
  description: 'a file',
  schemaVersion: '1.0',
  createEntities: [
    { client: { id: 'client', observeEvents: ['commandStartedEvent'] } },
    { database: { id: 'database', client: 'client', databaseName: 'main' } },
    { collection: { id: 'rows', database: 'database', collectionName: 'rows' } },
    { session: { id: 'session', client: 'client' } },
  ],
  initialData: [{ ...place, documents: [{ _id: 1, a: 1 }] }],
  tests: [],
}

const insert: Operation = {
  object: 'rows',
  name: 'insertOne',
  arguments: { document: { _id: 2 }, session: 'session' },
  expectResult: { insertedId: 2 },
}
const duplicate: Operation = {
  object: 'rows',
  name: 'insertOne',
  arguments: { document: { _id: 1 } },
  expectError: { isClientError: false, errorCode: 11000, errorContains: 'dup key' },
}
const sent = { insert: 'rows', documents: [{ _id: 2 }], lsid: { $$sessionLsid: 'session' } }
const events = [{ commandStartedEvent: { command: sent, databaseName: 'main' } }]
const documents = [{ _id: 1, a: 1 }, { _id: 2 }]

const good: SpecTest = {
  description: 'a case',
  operations: [insert],
  expectEvents: [{ client: 'client', events }],
  outcome: [{ ...place, documents }],
}

const wrong: readonly [string, Partial<SpecTest>, RegExp][] = [
  [
    'a result',
    { operations: [{ ...insert, expectResult: { insertedId: 3 } }] },
    /result of insertOne\.insertedId: expected/,
  ],
  [
    'an error that was not expected',
    { operations: [{ object: 'rows', name: 'insertOne', arguments: { document: { _id: 1 } } }] },
    /insertOne failed: E11000/,
  ],
  [
    'a success that was not expected',
    { operations: [{ ...insert, expectError: { isError: true } }] },
    /insertOne did not fail/,
  ],
  [
    'a code',
    { operations: [{ ...duplicate, expectError: { errorCode: 2 } }] },
    /errorCode .* does not hold: 11000/,
  ],
  [
    'whose error it is',
    { operations: [{ ...duplicate, expectError: { isClientError: true } }] },
    /isClientError true does not hold/,
  ],
  ['a missing event', { operations: [] }, /1 events expected, not: $/],
  ['an event too many', { operations: [duplicate, insert] }, /1 events expected, not: .+, .+/],
  [
    'a command',
    {
      expectEvents: [
        { client: 'client', events: [{ commandStartedEvent: { command: { insert: 'other' } } }] },
      ],
    },
    /event 0: command\.insert/,
  ],
  [
    'a document of the outcome',
    { outcome: [{ ...place, documents: [{ _id: 1, a: 2 }, { _id: 2 }] }] },
    /outcome: expected/,
  ],
  [
    'the order of names in the outcome',
    { outcome: [{ ...place, documents: [{ a: 1, _id: 1 }, { _id: 2 }] }] },
    /outcome: expected/,
  ],
  [
    'an operation that the runner lacks',
    { operations: [{ object: 'rows', name: 'dance' }] },
    /no operation dance/,
  ],
]

t.test('a case that holds has no failure, and a false part of it is named', async (t) => {
  const { uri } = await startGateway(t)
  const client = await MongoClient.connect(uri)
  t.teardown(() => client.close())
  t.equal(await failureOf({ uri, client }, file, good), undefined)
  const failing = { description: 'an error', operations: [duplicate] }
  t.equal(await failureOf({ uri, client }, file, failing), undefined)
  for (const [name, change, expected] of wrong) {
    const failure = await failureOf({ uri, client }, file, { ...good, ...change })
    t.match(failure instanceof Error ? failure.message : failure, expected, name)
  }
})
