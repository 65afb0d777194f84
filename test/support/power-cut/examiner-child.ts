// A process that opens what power cuts left and says what it finds: a damaged environment may end
// the process that opens it. A line of JSON in is a folder, a line out the finding.

import { createInterface } from 'node:readline'
import { systemClock } from '../../../src/base/clock.js'
import { silentLog } from '../../../src/base/log.js'
import { checkStore } from '../../../src/engine/check/check.js'
import { openLmdbStore } from '../../../src/store/lmdb.js'
import type { Store } from '../../../src/store/store.js'
import type { Finding, Request } from './examiner.js'
import { firstStart } from './first-start.js'
import { readLedger } from './ledger.js'
import { openEnvironment, readEnvironment } from './lmdb-child.js'

async function examine({ what, path }: Request): Promise<Finding> {
  if (what === 'gateway') return examineGateway(path)
  return what === 'lmdb' ? examineEnvironment(path) : examineStore(path)
}

/** Whether it starts, and its chain answers. */
async function examineGateway(path: string): Promise<Finding> {
  const gateway = await firstStart(path)
  const registry = `http://127.0.0.1:${gateway.ports.http}/api/v1/registry`
  const answer = await fetch(`${registry}?address=0x0000000000000000000000000000000000000001`)
  await gateway.close()
  const problems = answer.status === 200 ? [] : [`the registry answers ${answer.status}`]
  return { head: undefined, problems }
}

async function examineEnvironment(path: string): Promise<Finding> {
  const environment = openEnvironment(path)
  try {
    const { group, problems } = readEnvironment(environment)
    return { head: { count: group, lanes: [] }, problems }
  } finally {
    await environment.close()
  }
}

async function examineStore(path: string): Promise<Finding> {
  const given = { durability: 'commit', clock: systemClock, log: silentLog } as const
  const store = openLmdbStore({ path, ...given })
  try {
    const found = await read(store)
    const problems = (await checkStore(store)).map(({ ns, kind, text }) => `${ns} ${kind} ${text}`)
    return { head: found?.head, problems: [...(found?.problems ?? []), ...problems] }
  } finally {
    await store.close()
  }
}

/** What cannot be read does not keep the check from saying more. */
async function read(store: Store): ReturnType<typeof readLedger> {
  try {
    return await readLedger(store)
  } catch (error) {
    return { head: { count: 0, lanes: [] }, problems: [`unreadable: ${textOf(error)}`] }
  }
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

for await (const line of createInterface({ input: process.stdin })) {
  let finding: Finding
  try {
    finding = await examine(JSON.parse(line) as Request)
  } catch (error) {
    finding = { head: undefined, problems: [], refused: textOf(error) }
  }
  process.stdout.write(`${JSON.stringify(finding)}\n`)
}
