// Verdicts in words: every problem that the server names has a meaning, and none of them looks
// like a good one.

import { readFileSync } from 'node:fs'
import t from 'tap'
import {
  checksOf,
  meaningOf,
  standingOf,
  type Verdict,
} from '../../../../src/studio/lib/memory/verdict.js'

const good: Verdict = {
  ...{ id: 'mem_1', verified: true, hashValid: true, anchored: true, proofValid: true },
  ...{ onChain: true, stateValid: true, graphKey: '0x1', root: '0x2', txHash: '0x3' },
  ...{ anchoredAt: 1, anchoredBy: '0x4', explorerUrl: null, computedHash: '0x5' },
  ...{ problem: null, warnings: [] },
}

/** Of the tables of docs/memory.md. */
function documented(): readonly string[] {
  const page = readFileSync('docs/memory.md', 'utf8')
  const from = page.indexOf('## Verify')
  const text = page.slice(from, page.indexOf('## Evidence', from))
  const rows = [...text.matchAll(/^\|.*$/gm)].map(([row]) => row).join('\n')
  return [...rows.matchAll(/`([a-z][a-z ,]+)`/g)]
    .map(([, name = '']) => name)
    .filter((name) => !/^(?:problem|anchored|gone|upgrade)$/.test(name))
}

t.test('every problem of the documentation has a meaning of its own', async (t) => {
  const problems = documented()
  t.ok(problems.length > 20, `${problems.length} problems`)
  for (const problem of problems) t.not(meaningOf(problem), problem)
  t.equal(meaningOf('a new one'), 'a new one')
})

t.test('only what is verified is told as verified', async (t) => {
  t.equal(standingOf(good), 'verified')
  const bad = (problem: string) => standingOf({ ...good, verified: false, problem })
  t.equal(bad('not anchored yet'), 'waiting')
  t.equal(bad('chain unreachable'), 'unknown')
  t.equal(bad('not found'), 'gone')
  for (const problem of documented()) t.not(bad(problem), 'verified')
  t.equal(bad('content hash mismatch'), 'changed')
  t.equal(bad('a new one'), 'changed', 'what is unknown is no good news')
})

t.test('what is not yet anchored is not told as wrong, but a wrong hash is', async (t) => {
  const waiting = { ...good, verified: false, anchored: false, problem: 'not anchored yet' }
  t.match(checksOf(waiting)[1], { holds: false, isOpen: true })
  const changed = { ...waiting, hashValid: false, problem: 'content hash mismatch' }
  t.match(checksOf(changed)[0], { holds: false, isOpen: false })
  t.match(checksOf(changed)[1], { holds: false, isOpen: false })
})
