// The public unified tests of the document protocol, as a driver's own suite would run them: the
// official driver against a whole Sigil. Data: ../shared/specs, see test/support/specs.ts.

import { MongoClient, MongoServerError } from 'mongodb'
import t, { type Test } from 'tap'
import { startGateway } from '../support/live-gateway.js'
import { specFiles } from '../support/specs.js'
import { failureOf } from './case.js'
import { type FailingRow, failing } from './failing.js'
import { readSpecFile, type SpecFile, type SpecTest } from './format.js'
import { type ServerFacts, serverFacts, unmet, usesMissingFailPoint } from './requirements.js'

const folders = ['crud', 'collection-management', 'index-management']

/** Of 517; the others ask for another version or a replica set, and are told by reason. */
const testsRun = 337

const files = folders.flatMap((folder) =>
  specFiles(folder).map(({ name, content }) => {
    return { name: `${folder}/${name.replace(/\.json$/, '')}`, file: readSpecFile(content) }
  }),
)

/** Why a test is not for this server; undefined where it is run. */
function reasonAgainst(file: SpecFile, test: SpecTest, facts: ServerFacts): string | undefined {
  if (test.skipReason !== undefined) return `is skipped by its file: ${test.skipReason}`
  if (usesMissingFailPoint(test, facts)) return 'needs fail points'
  return unmet(file.runOnRequirements, facts) ?? unmet(test.runOnRequirements, facts)
}

function rowOf(name: string, test: SpecTest): FailingRow | undefined {
  return failing.find((row) => {
    return row.file === name && (row.tests?.includes(test.description) ?? true)
  })
}

function checkStillFails(t: Test, row: FailingRow, test: SpecTest, failure: unknown): void {
  const cause = failure instanceof Error ? failure.cause : undefined
  const code = cause instanceof MongoServerError ? cause.code : undefined
  t.ok(failure, `${test.description}: still fails: ${row.because}`)
  t.equal(code, row.code, `${test.description}: fails as the table says: ${row.because}`)
}

t.test('the unified tests hold', { skip: files.length === 0 }, async (t) => {
  const { uri } = await startGateway(t, { TEST_COMMANDS: '1' })
  const client = await MongoClient.connect(uri)
  t.teardown(() => client.close())
  const facts = await serverFacts(client)
  const rowsUsed = new Set<FailingRow>()
  const left = new Map<string, number>()
  let ran = 0
  let stillFailing = 0
  for (const { name, file } of files) {
    const tests = file.tests.filter((test) => {
      const reason = reasonAgainst(file, test, facts)
      if (reason !== undefined) left.set(reason, (left.get(reason) ?? 0) + 1)
      return reason === undefined
    })
    if (tests.length === 0) continue
    await t.test(`the tests of ${name} hold`, async (t) => {
      for (const test of tests) {
        ran++
        const failure = await failureOf({ uri, client }, file, test)
        const row = rowOf(name, test)
        if (row === undefined) {
          t.equal(messageOf(failure), undefined, test.description)
          continue
        }
        stillFailing++
        rowsUsed.add(row)
        checkStillFails(t, row, test, failure)
      }
    })
  }
  for (const [reason, count] of left) t.comment(`${count} tests left out: it ${reason}`)
  for (const row of rowsUsed) t.comment(`fails in ${row.file}: ${row.because}`)
  t.comment(`${ran} tests ran, of which ${stillFailing} stand in the table of what fails`)
  t.equal(ran, testsRun, 'the tests that this server is asked to pass were run')
  t.same(
    failing.filter((row) => !rowsUsed.has(row)),
    [],
    'every row of the table names tests that were run',
  )
})

t.test('what the driver does not send, a command does', async (t) => {
  const { uri } = await startGateway(t)
  const client = await MongoClient.connect(uri)
  t.teardown(() => client.close())
  const db = client.db('main')
  const option = { bypassDocumentValidation: false }
  const inserted = await db.command({ insert: 'rows', documents: [{ _id: null }], ...option })
  t.match(inserted, { n: 1, ok: 1 })
  const update = { update: { $set: { x: 1 } }, new: true }
  const query = { _id: { $type: 'null' } }
  t.match(await db.command({ findAndModify: 'rows', query, ...update, ...option }), {
    value: { _id: null, x: 1 },
  })
})

function messageOf(failure: unknown): string | undefined {
  if (failure === undefined) return undefined
  return failure instanceof Error ? failure.message : String(failure)
}
