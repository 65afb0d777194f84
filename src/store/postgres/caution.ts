// Whether a write group waits for its turn before it has had a conflict. Where the gateways write
// the same keys all the time, a group that does not wait is mostly run in vain. Where conflicts are
// rare, waiting would only make groups follow each other.

/** Groups that wait behind a conflict, at most: after so many, one tries without waiting. */
const waitingMax = 64

export class Caution {
  /** Groups that wait behind the next conflict, less one: it grows while trials end in one. */
  private strength = 0
  private left = 0

  /** Whether the next group waits. */
  waits(): boolean {
    if (this.left === 0) return false
    this.left--
    return true
  }

  /** How the first attempt of a group ended that had not waited. */
  note(hasConflict: boolean): void {
    if (hasConflict) {
      this.left = this.strength + 1
      this.strength = Math.min(waitingMax - 1, 2 * this.strength + 1)
    } else this.strength >>= 1
  }
}
