// The login state of a socket: sockets before login are counted and have an idle timeout. The same
// for every protocol with lasting connections.

import type { Socket } from 'node:net'
import { anonymousIdleMs, tcpKeepAliveMs } from '../base/limits/connections.js'

export class SignInState {
  /** From the last `note`: a new socket is not logged in. */
  isAnonymous = true
  private isClosed = false

  /** `onLogin` is called after a login (true) or a logout (false). */
  constructor(
    private readonly socket: Socket,
    private readonly onLogin: (isIn: boolean) => void,
  ) {
    socket.setNoDelay(true)
    socket.setKeepAlive(true, tcpKeepAliveMs)
    this.setIdleTimeout()
  }

  /** Call it whenever the state may have changed. */
  note(isAnonymous: boolean): void {
    // A login that completes after its socket closed would count forever.
    if (this.isClosed || isAnonymous === this.isAnonymous) return
    this.isAnonymous = isAnonymous
    this.onLogin(!isAnonymous)
    this.setIdleTimeout()
  }

  /** Only logged-in clients may stay idle. */
  setIdleTimeout(): void {
    this.socket.setTimeout(this.isAnonymous ? anonymousIdleMs : 0)
  }

  /** The socket is closed. */
  closed(): void {
    this.isClosed = true
    if (!this.isAnonymous) this.onLogin(false)
  }
}
