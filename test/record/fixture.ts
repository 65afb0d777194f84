// A recorded conversation between a real client and a gateway whose clock and randomness are fixed:
// every message in the order in which it was passed on.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export interface RecordedFrame {
  readonly from: 'client' | 'server'
  /** From 1, in the order of first messages; the connectionId that hello answers. */
  readonly connection: number
  readonly hex: string
}

export interface Fixture {
  readonly name: string
  /** Program and version. */
  readonly client: string
  /** What the gateway was started with. */
  readonly seed: number
  readonly nowMs: number
  readonly frames: readonly RecordedFrame[]
}

/** Build output mirrors the repository, one folder deeper. */
const folder = fileURLToPath(new URL('../../../protocol-fixtures/wire/', import.meta.url))

export function fixturePath(name: string): string {
  return `${folder}${name}.json`
}

/** One frame a line, so that a change of one reply is a change of one line. */
export function saveFixture({ frames, ...head }: Fixture): void {
  const lines = frames.map((frame) => `    ${JSON.stringify(frame)}`).join(',\n')
  const fields = Object.entries(head).map(
    ([name, value]) => `  "${name}": ${JSON.stringify(value)},`,
  )
  writeFileSync(
    fixturePath(head.name),
    `{\n${fields.join('\n')}\n  "frames": [\n${lines}\n  ]\n}\n`,
  )
}

export function readFixtures(): Fixture[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .sort()
    .map((file) => JSON.parse(readFileSync(folder + file, 'utf8')) as Fixture)
}
