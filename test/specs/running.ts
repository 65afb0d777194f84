// Runs test files of the public specifications against one server, and holds their table of what
// fails: a row whose tests pass has to go.

import { MongoServerError } from 'mongodb'
import type { Test } from 'tap'
import { specFiles } from '../support/specs.js'
import { failureOf, type Server } from './case.js'
import type { FailingRow } from './failing.js'
import { readSpecFile, type SpecFile, type SpecTest } from './format.js'
import { type ServerFacts, serverFacts, unmet, usesMissingFailPoint } from './requirements.js'

export interface NamedFile {
  /** Folder and file without its ending. */
  readonly name: string
  readonly file: SpecFile
}

export function filesIn(folders: readonly string[]): NamedFile[] {
  return folders.flatMap((folder) =>
    specFiles(folder).map(({ name, content }) => {
      return { name: `${folder}/${name.replace(/\.json$/, '')}`, file: readSpecFile(content) }
    }),
  )
}

/** Runs what this server is asked to pass; `testsRun` is how many that are. */
export async function runFiles(
  t: Test,
  server: Server,
  files: readonly NamedFile[],
  { failing, testsRun }: { readonly failing: readonly FailingRow[]; readonly testsRun: number },
): Promise<void> {
  const facts = await serverFacts(server.client)
  const rowsUsed = new Set<FailingRow>()
  /** By file and reason. */
  const left = new Map<string, number>()
  let ran = 0
  let stillFailing = 0
  for (const { name, file } of files) {
    const tests = file.tests.filter((test) => {
      const reason = reasonAgainst(file, test, facts)
      if (reason === undefined) return true
      const key = `${name}: it ${reason}`
      left.set(key, (left.get(key) ?? 0) + 1)
      return false
    })
    if (tests.length === 0) continue
    await t.test(`the tests of ${name} hold`, async (t) => {
      for (const test of tests) {
        ran++
        const failure = await failureOf(server, file, test)
        const row = rowOf(failing, name, test)
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
  for (const [what, count] of left) t.comment(`${count} tests left out of ${what}`)
  for (const row of rowsUsed) t.comment(`fails in ${row.file}: ${row.because}`)
  t.comment(`${ran} tests ran, of which ${stillFailing} stand in the table of what fails`)
  t.equal(ran, testsRun, 'the tests that this server is asked to pass were run')
  const unused = failing.filter((row) => !rowsUsed.has(row))
  t.same(unused, [], 'every row of the table names tests that were run')
}

/** Why a test is not for this server; undefined where it is run. */
function reasonAgainst(file: SpecFile, test: SpecTest, facts: ServerFacts): string | undefined {
  if (test.skipReason !== undefined) return `is skipped by its file: ${test.skipReason}`
  if (usesMissingFailPoint(test, facts)) return 'needs fail points'
  return unmet(file.runOnRequirements, facts) ?? unmet(test.runOnRequirements, facts)
}

function rowOf(failing: readonly FailingRow[], name: string, test: SpecTest) {
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

function messageOf(failure: unknown): string | undefined {
  if (failure === undefined) return undefined
  return failure instanceof Error ? failure.message : String(failure)
}
