// Requests as bytes that something has gone wrong with on the way, and a socket that sends them and
// waits for the end of the answer.

import { connect } from 'node:net'

const parts = [
  ...['\r\n', '\0', '%00', '%ff', '%2F', '..', '//', '?', '&', '"', '{', '}', '[', ']', '$', 'ÿ'],
  ...['Content-Length: 5\r\n', 'Transfer-Encoding: chunked\r\n', 'Expect: 100-continue\r\n'],
  ...['application/ejson', 'application/x-ndjson', '1e999', '-1', '{"$numberLong":"x"}', ':name'],
]

/** The bytes after up to four accidents, most of them still there. */
export function mutated(
  bytes: Buffer,
  random: () => number,
  pick: <T>(from: readonly T[]) => T,
): Buffer {
  let changed = bytes
  const at = () => Math.floor(random() * (changed.length + 1))
  for (let times = Math.floor(random() * 4); times >= 0; times--) {
    const [from, to] = [at(), at()].sort((a, b) => a - b) as [number, number]
    switch (Math.floor(random() * 5)) {
      case 0:
        changed = Buffer.from(changed)
        if (from < changed.length) changed[from] = Math.floor(random() * 256)
        break
      case 1:
        changed = spliced(changed, from, from, Buffer.from(pick(parts), 'latin1'))
        break
      case 2:
        changed = spliced(changed, from, Math.min(to, from + 8), Buffer.alloc(0))
        break
      case 3:
        changed = spliced(changed, from, from, changed.subarray(from, Math.min(to, from + 64)))
        break
      default:
        // Most of a request, so that there is something to answer.
        if (random() < 0.2) changed = changed.subarray(0, from)
    }
  }
  return changed
}

function spliced(bytes: Buffer, from: number, to: number, more: Buffer): Buffer {
  return Buffer.concat([bytes.subarray(0, from), more, bytes.subarray(to)])
}

/** All that is answered, once the other side has closed; it is told that no more will come. */
export function exchange(port: number, bytes: Buffer): Promise<string> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: false })
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      // An endless answer, of events.
      if (/text\/event-stream/.test(chunk.toString('latin1'))) socket.destroy()
    })
    socket.on('error', () => {})
    socket.on('close', () => resolve(Buffer.concat(chunks).toString('latin1')))
    socket.on('connect', () => socket.end(bytes))
  })
}
