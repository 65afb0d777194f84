// Connections that ask and read nothing: what they make a server hold can be measured.

import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

export async function openSilent(port: number, count: number): Promise<Socket[]> {
  const sockets: Socket[] = []
  for (let i = 0; i < count; i++) {
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => {})
    await once(socket, 'connect')
    socket.pause()
    sockets.push(socket)
  }
  return sockets
}
