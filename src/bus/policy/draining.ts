// The end of an executor: no further command begins, and the running ones are answered. Both
// executors share this logic; each has its own text for the refusal.

export class Draining {
  /** Whether further commands are refused. */
  isOn = false
  private isIdle: (() => void) | undefined

  /** Resolves when the running commands are answered. */
  begin(atWork: number): Promise<void> {
    this.isOn = true
    if (atWork === 0) return Promise.resolve()
    return new Promise((resolve) => {
      this.isIdle = resolve
    })
  }

  /** Notes that a command was answered and how many are still running. */
  ended(atWork: number): void {
    if (atWork === 0) this.isIdle?.()
  }
}
