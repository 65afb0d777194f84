// Fields that any command may carry, checked as a standalone server checks them.

import { Binary, Long } from 'bson'
import t from 'tap'
import { GatewayError } from '../../../src/base/errors.js'
import type { Topology } from '../../../src/base/setting-kinds.js'
import { checkGeneric, genericFields } from '../../../src/bus/document/generic.js'
import { Schema } from '../../../src/bus/document/schema.js'
import { documentFrom } from '../../../src/value/literal.js'

const schema = new Schema('', genericFields)

function check(body: Record<string, unknown>, topology: Topology = 'standalone') {
  const row = { name: 'insert', ends: 'nothing' } as const
  return checkGeneric(schema.parse(documentFrom(body)), row, topology)
}

function codeOf(body: Record<string, unknown>, topology?: Topology): number | undefined {
  try {
    check(body, topology)
    return undefined
  } catch (error) {
    if (error instanceof GatewayError) return error.code
    throw error
  }
}

const uuid = new Binary(new Uint8Array(16).fill(7), 4)

t.test('what drivers add to every command is accepted', async (t) => {
  const generic = check({
    $db: 'test',
    lsid: { id: uuid },
    $clusterTime: {},
    $readPreference: { mode: 'primary' },
    readConcern: { level: 'majority' },
    writeConcern: { w: 'majority', j: true, wtimeout: 100 },
    maxTimeMS: 500,
    comment: { any: ['thing'] },
    apiVersion: '1',
    apiStrict: false,
    $audit: {},
    $client: {},
  })
  t.equal(generic.maxTimeMs, 500)
  t.same(generic.sessionId, new Uint8Array(16).fill(7))
})

t.test('read concerns of a replica set are refused', async (t) => {
  for (const level of ['local', 'available', 'majority']) {
    t.equal(codeOf({ readConcern: { level } }), undefined, level)
  }
  t.equal(codeOf({ readConcern: {} }), undefined)
  t.equal(codeOf({ readConcern: { level: 'snapshot' } }), 123)
  t.equal(codeOf({ readConcern: { level: 'linearizable' } }), 123)
  t.equal(codeOf({ readConcern: { level: 'eventual' } }), 2)
  t.equal(codeOf({ readConcern: { level: 1 } }), 14)
  t.equal(codeOf({ readConcern: { afterClusterTime: 1 } }), 20)
  t.equal(codeOf({ readConcern: { foo: 1 } }), 40415)
})

t.test('write concerns ask for one server at most', async (t) => {
  for (const w of [0, 1, Long.fromNumber(1), 'majority']) {
    t.equal(codeOf({ writeConcern: { w } }), undefined)
  }
  t.equal(codeOf({ writeConcern: { w: 2 } }), 2)
  t.equal(codeOf({ writeConcern: { w: 'tagged' } }), 2)
  t.equal(codeOf({ writeConcern: { w: -1 } }), 9)
  t.equal(codeOf({ writeConcern: { w: 51 } }), 9)
  t.equal(codeOf({ writeConcern: { w: {} } }), 9)
  t.equal(codeOf({ writeConcern: { j: true, fsync: true } }), 9)
  t.equal(codeOf({ writeConcern: { foo: 1 } }), 9)
  t.equal(codeOf({ writeConcern: 1 }), 14)
})

t.test('a router reports a write concern that it cannot meet', async (t) => {
  const unmet = (w: unknown) => check({ writeConcern: { w } }, 'router').unmetConcern
  t.equal(unmet(1), undefined)
  t.equal(unmet('majority'), undefined)
  t.equal(unmet(2), 'UnsatisfiableWriteConcern')
  t.equal(unmet('tagged'), 'UnknownReplWriteConcern')
  t.equal(codeOf({ writeConcern: { w: 51 } }, 'router'), 9)
})

t.test('a time limit is a whole number within int32', async (t) => {
  t.equal(codeOf({ maxTimeMS: 0 }), undefined)
  t.equal(codeOf({ maxTimeMS: 2 ** 31 - 1 }), undefined)
  for (const bad of [-1, 2 ** 31, 1.5, 'x']) t.equal(codeOf({ maxTimeMS: bad }), 2, String(bad))
})

t.test('transactions belong to replica sets', async (t) => {
  t.equal(codeOf({ txnNumber: Long.fromNumber(1) }), 20)
  t.equal(codeOf({ autocommit: false }), 72)
})

t.test('the API version is 1 or absent', async (t) => {
  t.equal(codeOf({ apiVersion: '2' }), 322)
  t.equal(codeOf({ apiStrict: true }), 4886600)
})

t.test('a session id is a UUID', async (t) => {
  t.equal(codeOf({ lsid: {} }), 40414)
  t.equal(codeOf({ lsid: { id: 'x' } }), 14)
  t.equal(codeOf({ lsid: { id: new Binary(new Uint8Array(16), 0) } }), 14)
  t.equal(codeOf({ lsid: { id: new Binary(new Uint8Array(15), 4) } }), 14)
})
