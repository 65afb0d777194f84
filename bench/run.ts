// `npm run bench -- NAME [--json]`: runs one question of bench/, or all of them. Each prints what
// it measured as a ratio against a peer in the same run, and beside it the calibration of this run.

import { parseArgs } from 'node:util'
import { calibrate } from './calibrate.js'
import { findById } from './find-by-id.js'
import { http } from './http.js'
import { load } from './load.js'
import { million } from './million.js'
import type { Figure } from './support/figure.js'

const questions: Readonly<Record<string, () => Promise<Figure[]>>> = {
  calibrate,
  'find-by-id': findById,
  http,
  load,
  million,
}

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { json: { type: 'boolean', default: false } },
  })
  const names = positionals.length > 0 ? positionals : Object.keys(questions)
  const unknown = names.find((name) => !(name in questions))
  if (unknown !== undefined) {
    process.stderr.write(`no bench ${unknown}; there are ${Object.keys(questions).join(', ')}\n`)
    return 2
  }
  if (!names.includes('calibrate')) names.unshift('calibrate')
  for (const name of names) {
    for (const figure of (await questions[name]?.()) ?? []) {
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
