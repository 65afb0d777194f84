// Runs a process that keeps a ledger, to its end or until it is killed.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Durability } from '../../../src/store/log/log-sync.js'
import { toldLines } from '../told-lines.js'
import type { Done } from './ledger.js'
import { doneOf } from './promise.js'

const childPath = fileURLToPath(new URL('./ledger-child.js', import.meta.url))
const endless = 1_000_000_000

interface Run {
  readonly room: string
  readonly durability: Durability
  /** So many operations are done, or told when it is killed. */
  readonly operations: number
  readonly isKilled: boolean
  /** What a second of its timers takes: how often it makes checkpoints. */
  readonly secondMs: number
}

/** Resolves with what it was told. The store is in the folder `store` of the room. */
export async function keepLedger(run: Run): Promise<Done[]> {
  const { room, durability, operations, isKilled, secondMs } = run
  const given = [room, durability, String(isKilled ? endless : operations), String(secondMs)]
  const child = spawn(process.execPath, ['--enable-source-maps', childPath, ...given], {
    env: { PATH: process.env.PATH ?? '' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const told: Done[] = []
  for await (const line of toldLines(child)) {
    const done = doneOf(line)
    if (done === undefined) continue
    told.push(done)
    if (isKilled && told.length === operations) child.kill('SIGKILL')
  }
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  return told
}
