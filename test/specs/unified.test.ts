// The public unified tests of the document protocol, as a driver's own suite would run them: the
// official driver against a whole Sigil. Data: ../shared/specs, see test/support/specs.ts.

import { MongoClient, MongoServerError } from 'mongodb'
import t from 'tap'
import { startGateway } from '../support/live-gateway.js'
import { specFiles } from '../support/specs.js'
import { runCase, type Server } from './case.js'
import { readSpecFile, type SpecFile, type SpecTest } from './format.js'
import { refused } from './refused.js'
import { isMet, type ServerFacts, serverFacts, usesMissingFailPoint } from './requirements.js'

const folders = ['crud', 'collection-management', 'index-management']

/** Tests whose requirements a 7.0 standalone without fail points meets, and that pass. */
const passedExpected = 0

interface Chosen {
  readonly name: string
  readonly file: SpecFile
  readonly tests: readonly SpecTest[]
}

const files = folders.flatMap((folder) =>
  specFiles(folder).map(({ name, content }) => {
    return { name: `${folder}/${name.replace(/\.json$/, '')}`, file: readSpecFile(content) }
  }),
)

function choose(facts: ServerFacts): Chosen[] {
  return files
    .filter(({ file }) => isMet(file.runOnRequirements, facts))
    .map(({ name, file }) => {
      const tests = file.tests.filter(
        (test) =>
          test.skipReason === undefined &&
          isMet(test.runOnRequirements, facts) &&
          !usesMissingFailPoint(test, facts),
      )
      return { name, file, tests }
    })
    .filter(({ tests }) => tests.length > 0)
}

function refusalOf(name: string, test: SpecTest): string | undefined {
  const row = refused.find(
    (row) => row.file === name && (row.tests?.includes(test.description) ?? true),
  )
  return row?.because
}

async function failureOf(server: Server, file: SpecFile, test: SpecTest): Promise<unknown> {
  try {
    await runCase(server, file, test)
    return undefined
  } catch (error) {
    return error
  }
}

t.test('the unified tests hold', { skip: files.length === 0 }, async (t) => {
  const { uri } = await startGateway(t)
  const client = await MongoClient.connect(uri)
  t.teardown(() => client.close())
  const facts = await serverFacts(client)
  t.same(facts.topology, 'single')
  let passed = 0
  let refusedCount = 0
  for (const { name, file, tests } of choose(facts)) {
    await t.test(`the tests of ${name} hold`, async (t) => {
      for (const test of tests) {
        const failure = await failureOf({ uri, client }, file, test)
        const refusal = refusalOf(name, test)
        if (refusal === undefined) {
          t.equal(messageOf(failure), undefined, test.description)
          if (failure === undefined) passed++
          continue
        }
        const cause = failure instanceof Error ? failure.cause : undefined
        const isRefused = cause instanceof MongoServerError
        t.ok(isRefused, `${test.description}: still refused: ${refusal}`, { failure })
        refusedCount++
      }
    })
  }
  t.comment(`${passed} passed, ${refusedCount} stand in the table of what is refused`)
  t.equal(passed, passedExpected, 'as many tests ran and passed as are known')
})

t.test('every row of the table of what is refused names tests', async (t) => {
  for (const row of refused) {
    const found = files.find(({ name }) => name === row.file)
    if (files.length > 0) t.ok(found, row.file)
    for (const description of row.tests ?? []) {
      const isThere = found?.file.tests.some((test) => test.description === description)
      if (files.length > 0) t.ok(isThere, `${row.file}: ${description}`)
    }
  }
})

function messageOf(failure: unknown): string | undefined {
  if (failure === undefined) return undefined
  return failure instanceof Error ? failure.message : String(failure)
}
