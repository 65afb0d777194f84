// Question: how fast is this machine just now? A fixed loop of BSON and SHA-256, so that absolute
// figures of two runs can be read beside each other.

import { createHash } from 'node:crypto'
import { deserialize, serialize } from 'bson'
import { type Figure, plain } from './support/figure.js'

const rounds = 20_000

export async function calibrate(): Promise<Figure[]> {
  const document = { _id: 'a'.repeat(24), name: 'Reykjavik', population: 118918, tags: ['a', 'b'] }
  const started = performance.now()
  for (let round = 0; round < rounds; round++) {
    const bytes = serialize(document)
    deserialize(bytes)
    createHash('sha256').update(bytes).digest()
  }
  return [plain('calibrate', (rounds / (performance.now() - started)) * 1000, 'loops/s')]
}
