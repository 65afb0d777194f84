// Question: what does the local chain cost a Sigil that has 1,000 keys on it? Time until the
// listeners may open (bar: 500 ms) and until the chain answers (2 s), memory of the process' own that
// it adds (100 MB), and the longest turn of the main thread's event loop while it works (20 ms).

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ChainReport } from './support/chain-child.js'
import { type Figure, median, plain } from './support/figure.js'

const rounds = 3

export async function chain(): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'sigil-bench-chain-'))
  try {
    await run('fill', folder)
    const reports: ChainReport[] = []
    for (let round = 0; round < rounds; round++) {
      reports.push((await run('measure', folder, String(round))) as ChainReport)
    }
    const middle = (pick: (report: ChainReport) => number) => median(reports.map(pick))
    const most = (pick: (report: ChainReport) => number) => Math.max(...reports.map(pick))
    return [
      plain(
        '1,000 keys: until openLocalChain resolves',
        middle(({ openMs }) => openMs),
        'ms',
      ),
      plain(
        '1,000 keys: until the chain answers',
        middle(({ answerMs }) => answerMs),
        'ms',
      ),
      plain(
        'RssAnon added, chain answering',
        most(({ openedMB }) => openedMB),
        'MB',
      ),
      plain(
        'RssAnon added, most under work',
        most(({ mostMB }) => mostMB),
        'MB',
      ),
      plain(
        'getKey by eth_call',
        middle(({ callMs }) => callMs),
        'ms',
      ),
      plain(
        '1,000 logs by eth_getLogs',
        middle(({ logsMs }) => logsMs),
        'ms',
      ),
      plain(
        'block of one transaction',
        middle(({ blockMs }) => blockMs),
        'ms',
      ),
      plain(
        'longest turn of the main thread',
        most(({ turnMs }) => turnMs),
        'ms',
      ),
      plain(
        'longest collection of the main thread',
        most(({ gcMs }) => gcMs),
        'ms',
      ),
    ]
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** What the child reports; rejects where it ends without. */
async function run(...args: readonly string[]): Promise<unknown> {
  const script = 'build/bench/support/chain-child.js'
  const child = spawn(process.execPath, ['--max-semi-space-size=32', script, ...args], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  let report: unknown
  child.on('message', (message) => {
    report = message
  })
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`the chain under measurement ended with ${code}`)
  return report
}
