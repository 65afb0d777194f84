// A process that writes an LMDB environment directly, to show that the simulated power cuts do what
// real ones do: damage it where its commits are not synchronous, and leave it whole where they are.
//
// Usage: lmdb-child <room> <unsynced | synchronous> <groups>

import { fsyncSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { isMainThread, Worker, workerData } from 'node:worker_threads'
import { open, type RootDatabase, type RootDatabaseOptionsWithPath } from 'lmdb'
import { seededRandom } from '../seeded-random.js'

type Environment = RootDatabase<Buffer, Buffer>

const keys = 1_500
const changesPerGroup = 12
const synchronous = 1 | 2
/** ABORTABLE and NO_SYNC_FLUSH. */
const unsynced = 1 | 0x10000
/** One group in so many is flushed in full. */
const flushedEvery = 25

/** Keys that a group changes; their value is the group's number, repeated. */
function changesOf(group: number): number[] {
  const random = seededRandom(group)
  return Array.from({ length: changesPerGroup }, () => Math.floor(random() * keys))
}

function contentOf(key: number, group: number): Buffer {
  const value = Buffer.alloc(120 + ((key * 31 + group) % 200))
  for (let at = 0; at + 4 <= value.length; at += 4) value.writeUInt32LE(group, at)
  return value
}

const groupKey = Buffer.from('group')
const keyOf = (key: number) => Buffer.from(`key ${key}`)

export function openEnvironment(path: string): Environment {
  const options: RootDatabaseOptionsWithPath & { permissionsMode: number } = {
    path,
    noSubdir: false,
    mapSize: 2 ** 30,
    maxDbs: 1,
    pageSize: 4_096,
    overlappingSync: false,
    permissionsMode: 0o600,
    keyEncoding: 'binary',
    encoding: 'binary',
  }
  return open(options)
}

/** The last group that is there, and what is not as it left it. */
export function readEnvironment(environment: Environment): { group: number; problems: string[] } {
  const group = environment.get(groupKey)?.readUInt32LE() ?? 0
  const latest = new Map<number, number>()
  for (let past = 1; past <= group; past++) {
    for (const key of changesOf(past)) latest.set(key, past)
  }
  const problems: string[] = []
  for (const [key, past] of latest) {
    const found = environment.get(keyOf(key))
    if (found === undefined) problems.push(`key ${key} is missing`)
    else if (!found.equals(contentOf(key, past))) problems.push(`key ${key} is wrong`)
  }
  let count = 0
  for (const _ of environment.getKeys()) count++
  const wanted = latest.size + (group > 0 ? 1 : 0)
  if (count !== wanted) problems.push(`${count} keys instead of ${wanted}`)
  return { group, problems }
}

async function write(room: string, way: string, groups: number): Promise<void> {
  const told = openSync(join(room, 'told'), 'a')
  const environment = openEnvironment(join(room, 'store'))
  // LMDB leaves the names of its files to others.
  for (const folder of [join(room, 'store'), room]) fsyncSync(openSync(folder, 'r'))
  for (let group = 1; group <= groups; group++) {
    const isFlushed = way === 'synchronous' || group % flushedEvery === 0
    environment.transactionSync(
      () => {
        for (const key of changesOf(group)) environment.putSync(keyOf(key), contentOf(key, group))
        const number = Buffer.alloc(4)
        number.writeUInt32LE(group)
        environment.putSync(groupKey, number)
      },
      isFlushed ? synchronous : unsynced,
    )
    writeSync(told, `done ${group}\n`)
  }
  await environment.close()
}

// The main thread only waits, so that what is recorded are another thread's writes.
const [room, way, groups] = isMainThread ? process.argv.slice(2) : (workerData as string[])
const isStarted = process.argv[1]?.endsWith('lmdb-child.js') === true
if (isStarted && room !== undefined && way !== undefined) {
  if (isMainThread) new Worker(new URL(import.meta.url), { workerData: [room, way, groups] })
  else await write(room, way, Number(groups))
}
