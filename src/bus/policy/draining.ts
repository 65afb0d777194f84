// The end of an executor: no further command begins, and those at work are answered. Both executors
// drain alike; each says in its own words that the server stops.

export class Draining {
  /** No further command may begin. */
  isOn = false
  private isIdle: (() => void) | undefined

  /** Resolves when the commands at work have been answered. */
  begin(atWork: number): Promise<void> {
    this.isOn = true
    if (atWork === 0) return Promise.resolve()
    return new Promise((resolve) => {
      this.isIdle = resolve
    })
  }

  /** A command has been answered; so many others are at work. */
  ended(atWork: number): void {
    if (atWork === 0) this.isIdle?.()
  }
}
