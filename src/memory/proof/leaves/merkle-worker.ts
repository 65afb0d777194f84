// The thread that builds trees: it is sent the hashes of one batch after the other, and answers
// the root of each, or one leaf's proof, in the same order. The library is loaded here and nowhere
// else in a server.

import { parentPort } from 'node:worker_threads'
import { merkleProof, merkleRoot } from './merkle.js'
import type { MerkleAnswer, MerkleQuestion } from './merkle-roots.js'

parentPort?.on('message', ({ hashes, of }: MerkleQuestion) => {
  const proof = of === undefined ? undefined : merkleProof(hashes, of)
  const answer: MerkleAnswer = of === undefined ? { root: merkleRoot(hashes) } : { proof }
  parentPort?.postMessage(answer)
})
