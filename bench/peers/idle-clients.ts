// Many connections that sign in and then say nothing. Arguments: port, how many, the key. Answers
// how many there are once all of them are in.

import { connect } from 'node:net'

const [port = '', count = '0', key = ''] = process.argv.slice(2)
/** Dialled at once: below what a listening socket queues. */
const atOnce = 200

function signIn(): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), '127.0.0.1')
    socket.once('error', reject)
    socket.once('data', (reply) => {
      if (reply.toString() === '+OK\r\n') resolve()
      else reject(new Error(`signing in was answered ${reply}`))
    })
    socket.write(`*2\r\n$4\r\nAUTH\r\n$${key.length}\r\n${key}\r\n`)
  })
}

for (let open = 0; open < Number(count); open += atOnce) {
  await Promise.all(Array.from({ length: Math.min(atOnce, Number(count) - open) }, signIn))
}
process.on('SIGTERM', () => process.exit(0))
process.send?.(Number(count))
