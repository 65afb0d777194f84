// What a listener knows of a socket by who has signed in on it: who has not is counted, and must
// not be silent for long. The same for every protocol whose connections last.

import type { Socket } from 'node:net'
import { anonymousIdleMs, tcpKeepAliveMs } from '../base/limits.js'

export class SignInState {
  /** As `note` has heard it last: a new socket has no sign-in. */
  isAnonymous = true
  private isClosed = false

  /** `onLogin` is called after a sign-in (true) or a sign-out (false). */
  constructor(
    private readonly socket: Socket,
    private readonly onLogin: (isIn: boolean) => void,
  ) {
    socket.setNoDelay(true)
    socket.setKeepAlive(true, tcpKeepAliveMs)
    this.setIdleTimeout()
  }

  /** To be called whenever it may have changed. */
  note(isAnonymous: boolean): void {
    // A login that ends behind its socket would be counted for ever.
    if (this.isClosed || isAnonymous === this.isAnonymous) return
    this.isAnonymous = isAnonymous
    this.onLogin(!isAnonymous)
    this.setIdleTimeout()
  }

  /** Silence is allowed to who has signed in. */
  setIdleTimeout(): void {
    this.socket.setTimeout(this.isAnonymous ? anonymousIdleMs : 0)
  }

  /** The socket is gone. */
  closed(): void {
    this.isClosed = true
    if (!this.isAnonymous) this.onLogin(false)
  }
}
