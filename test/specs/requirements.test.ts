// Which tests are run decides what passing them means: a requirement read wrongly would leave
// tests out in silence.

import t from 'tap'
import type { Requirement, SpecTest } from './format.js'
import { isMet, unmet, usesMissingFailPoint } from './requirements.js'

const facts = {
  version: [7, 0, 15],
  topology: 'single',
  parameters: { authenticationMechanisms: ['SCRAM-SHA-256'], enableTestCommands: false },
}

const met = (...requirements: Requirement[]) => isMet(requirements, facts)

t.test('a version is compared part by part, and 4.2 is 4.2.0', async (t) => {
  t.ok(met({ minServerVersion: '7.0.5' }))
  t.ok(met({ minServerVersion: '4.10' }))
  t.notOk(met({ minServerVersion: '7.0.16' }))
  t.ok(met({ maxServerVersion: '7.99' }))
  t.notOk(met({ maxServerVersion: '7.0' }))
})

t.test('one of several is enough, and each has to be met whole', async (t) => {
  t.ok(met({ topologies: ['replicaset'] }, { topologies: ['single', 'sharded'] }))
  t.notOk(met({ topologies: ['replicaset'] }, { topologies: ['single'], minServerVersion: '8.0' }))
  t.ok(isMet(undefined, facts))
})

t.test('the server is told apart by sign-in, mechanism, parameter and kind', async (t) => {
  t.ok(met({ auth: true, authMechanism: 'SCRAM-SHA-256', serverless: 'forbid' }))
  t.notOk(met({ auth: false }))
  t.notOk(met({ authMechanism: 'MONGODB-X509' }))
  t.notOk(met({ serverless: 'require' }))
  t.notOk(met({ csfle: true }))
  t.notOk(met({ serverParameters: { enableTestCommands: true } }))
})

t.test('what stands against a test is told', async (t) => {
  const reason = (...requirements: Requirement[]) => unmet(requirements, facts)
  t.equal(reason({ minServerVersion: '8.0', serverless: 'forbid' }), 'needs version 8.0')
  t.equal(reason({ maxServerVersion: '4.0' }), 'is for versions up to 4.0')
  const [sharded, replicas] = [{ topologies: ['sharded'] }, { topologies: ['replicaset'] }]
  t.equal(reason(replicas), 'needs a deployment that is replicaset')
  t.equal(reason({ minServerVersion: '8.0' }, sharded), 'needs a deployment that is sharded')
})

t.test('a test with fail points waits until the server has them', async (t) => {
  const test: SpecTest = {
    description: 'fails on purpose',
    operations: [{ object: 'testRunner', name: 'failPoint' }],
  }
  t.ok(usesMissingFailPoint(test, facts))
  const parameters = { ...facts.parameters, enableTestCommands: true }
  t.notOk(usesMissingFailPoint(test, { ...facts, parameters }))
})
