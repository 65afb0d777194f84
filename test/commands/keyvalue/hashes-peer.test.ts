// Random runs of hash commands on a real server and on Sigil: the same replies to the letter, at
// every bound between small and large hashes.

import t from 'tap'
import { hashReply, hashSequence } from '../../support/hash-sequences.js'
import { peerRuns, peerRunsAtBounds } from '../../support/peer-runs.js'

await peerRuns(t, { sequence: hashSequence, normal: hashReply })
await peerRunsAtBounds(t, { sequence: hashSequence, normal: hashReply })
