// A transaction as its events in the change log name it: `lsid` and `txnNumber`. Deviation:
// MongoDB's `uid` is the digest of the user's name, which readers of the events could guess. Here
// the session is in it, so that it tells sessions apart and names no one.

import { createHash } from 'node:crypto'
import type { SessionTransaction } from '../../../engine/types.js'
import { writeDocument } from '../../../value/writer.js'

const uuidSubtype = 4

/** `lsid`: the client's session as hexadecimal digits. */
export function shownSession(owner: string, lsid: string, txnNumber: number): SessionTransaction {
  const id = Buffer.from(lsid, 'hex')
  const uid = createHash('sha256').update(id).update(owner).digest()
  return {
    lsid: writeDocument((out) => out.binary('id', uuidSubtype, id).binary('uid', 0, uid)),
    txnNumber,
  }
}
