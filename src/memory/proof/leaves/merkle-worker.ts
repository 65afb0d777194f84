// The thread that builds trees: it receives the hashes of batches one after the other and returns
// roots, or a leaf's proof, in order. Only this thread of a server loads the library.

import { parentPort } from 'node:worker_threads'
import { merkleProof, merkleRoot } from './merkle.js'
import type { MerkleAnswer, MerkleQuestion } from './merkle-roots.js'

parentPort?.on('message', ({ hashes, of }: MerkleQuestion) => {
  const proof = of === undefined ? undefined : merkleProof(hashes, of)
  const answer: MerkleAnswer = of === undefined ? { root: merkleRoot(hashes) } : { proof }
  parentPort?.postMessage(answer)
})
