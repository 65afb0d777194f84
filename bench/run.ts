// `npm run bench -- NAME [--json]`: runs one question of bench/, or all of them. Each prints what
// it measured as a ratio against a peer in the same run, and beside it the calibration of this run.
// `--data PATH` is for `memory-quality`, whose data is not ours to keep: without it, it says nothing.
// `--seconds N` is for `fairness` (by default 60) and `store-backup` (20, for each window).

import { parseArgs } from 'node:util'
import { calibrate } from './calibrate.js'
import { chain } from './chain.js'
import { documentsChanges } from './documents/changes.js'
import { documentsFilter } from './documents/filter.js'
import { documentsGrowth } from './documents/growth.js'
import { documentsIndexes } from './documents/indexes.js'
import { documentsSessions } from './documents/sessions.js'
import { fairness } from './fairness.js'
import { findById } from './find-by-id.js'
import { homes } from './homes.js'
import { http } from './http.js'
import { identity } from './identity.js'
import { keyValueBehind } from './keyvalue/behind.js'
import { keyValueIdle } from './keyvalue/idle.js'
import { keyValueLarge } from './keyvalue/large.js'
import { keyValueMemory } from './keyvalue/memory.js'
import { keyValueSpeed } from './keyvalue/speed.js'
import { load } from './load.js'
import { memoryEntities } from './memory/entities.js'
import { memoryQuality } from './memory/quality.js'
import { memoryRecall } from './memory/recall.js'
import { memoryWrite } from './memory/write.js'
import { million } from './million.js'
import { rateLimit } from './rate-limit.js'
import { sqlParse } from './sql-parse.js'
import { sqlPoint } from './sql-point.js'
import { storeBackup } from './store/backup.js'
import { storeChecksums } from './store/checksums.js'
import { storeCommit } from './store/commit.js'
import { storeGateways } from './store/gateways.js'
import { storeLatency } from './store/latency.js'
import { storeMemory } from './store/memory.js'
import { storeRead } from './store/read.js'
import { storeRecordChecksums } from './store/record-checksums.js'
import { storeSet } from './store/set.js'
import { storeStart } from './store/start.js'
import { studioScroll } from './studio/scroll.js'
import type { Figure } from './support/figure.js'

const questions: Readonly<Record<string, Question>> = {
  calibrate,
  chain,
  'documents-changes': documentsChanges,
  'documents-filter': documentsFilter,
  'documents-growth': documentsGrowth,
  'documents-indexes': documentsIndexes,
  'documents-sessions': documentsSessions,
  fairness,
  'find-by-id': findById,
  homes,
  http,
  identity,
  'keyvalue-speed': keyValueSpeed,
  'keyvalue-memory': keyValueMemory,
  'keyvalue-idle': keyValueIdle,
  'keyvalue-behind': keyValueBehind,
  'keyvalue-large': keyValueLarge,
  load,
  'memory-entities': memoryEntities,
  'memory-quality': async (data) => (data === undefined ? [] : await memoryQuality(data)),
  'memory-recall': memoryRecall,
  'memory-write': memoryWrite,
  million,
  'rate-limit': rateLimit,
  'sql-parse': sqlParse,
  'sql-point': sqlPoint,
  'store-backup': storeBackup,
  'store-checksums': storeChecksums,
  'store-commit': storeCommit,
  'store-gateways': storeGateways,
  'store-latency': storeLatency,
  'store-memory': storeMemory,
  'store-read': storeRead,
  'store-record-checksums': storeRecordChecksums,
  'store-set': storeSet,
  'store-start': storeStart,
  'studio-scroll': studioScroll,
}

type Question = (data?: string, seconds?: number) => Promise<Figure[]>

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      json: { type: 'boolean', default: false },
      data: { type: 'string' },
      seconds: { type: 'string' },
      minutes: { type: 'string' },
    },
  })
  const all = Object.keys(questions)
  const chosen = positionals.length > 0 ? positionals : all
  // `store` stands for all of its questions.
  const names = chosen.flatMap((name) => {
    const parts = name in questions ? [] : all.filter((one) => one.startsWith(`${name}-`))
    return parts.length > 0 ? parts : [name]
  })
  const unknown = names.find((name) => !(name in questions))
  if (unknown !== undefined) {
    process.stderr.write(`no bench ${unknown}; there are ${all.join(', ')}\n`)
    return 2
  }
  const { minutes, seconds: given } = values
  const asked = minutes === undefined ? given : Number(minutes) * 60
  const seconds = asked === undefined ? undefined : Number(asked)
  if (seconds !== undefined && !(seconds > 0)) {
    process.stderr.write('--seconds or --minutes is a number above 0\n')
    return 2
  }
  if (!names.includes('calibrate')) names.unshift('calibrate')
  for (const name of names) {
    for (const figure of (await questions[name]?.(values.data, seconds)) ?? []) {
      process.stdout.write(`${values.json ? JSON.stringify(figure) : line(figure)}\n`)
    }
  }
  return 0
}

function line({ name, ours, peer, ratio, unit }: Figure): string {
  const shown = ratio === null ? '' : `${ratio.toFixed(2)}x of ${round(peer ?? 0)}`
  return `${name.padEnd(48)} ${round(ours).padStart(12)} ${unit.padEnd(12)} ${shown}`
}

function round(n: number): string {
  return Math.abs(n) >= 100 ? String(Math.round(n)) : n.toFixed(2)
}

process.exitCode = await main()
