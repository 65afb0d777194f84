// What a backup says of itself while it comes: how many of its records are there, whether it is
// whole, and the server's error, which comes in the file since the status was sent before.
// Source: src/store/backup/backup-format.ts.

const preludeBytes = 12
const headerBytes = 12
/** Of a section's body; the rest of it is not looked at. */
const bodyKept = 1_024

export class BackupFile {
  bytes = 0
  /** Of all records; 0 until the head has come. */
  pairs = 0
  pairsTaken = 0
  isWhole = false
  failure = ''
  private kept = new Uint8Array()
  private skip = preludeBytes

  /** The next bytes of the file, in pieces of any size. */
  take(chunk: Uint8Array): void {
    this.bytes += chunk.length
    let rest = chunk
    for (;;) {
      const skipped = Math.min(this.skip, rest.length)
      this.skip -= skipped
      rest = rest.subarray(skipped)
      const wanted = this.wanted - this.kept.length
      if (wanted > 0) {
        const next = rest.subarray(0, wanted)
        this.kept = joined(this.kept, next)
        rest = rest.subarray(next.length)
      }
      if (this.kept.length >= this.wanted) this.close()
      else if (rest.length === 0) return
    }
  }

  private get bodyLength(): number {
    return new DataView(this.kept.buffer).getUint32(8, true)
  }

  /** Bytes of the section that are kept: its header, then the start of its body too. */
  private get wanted(): number {
    if (this.kept.length < headerBytes) return headerBytes
    return headerBytes + Math.min(bodyKept, this.bodyLength)
  }

  private close(): void {
    const view = new DataView(this.kept.buffer)
    const text = new TextDecoder()
    const kind = text.decode(this.kept.subarray(4, 8))
    if (kind === 'HEAD') this.pairs = Number(view.getBigUint64(headerBytes + 28, true))
    if (kind === 'DATA') this.pairsTaken += view.getUint32(headerBytes + 4, true)
    if (kind === 'TAIL') this.isWhole = true
    if (kind === 'FAIL') this.failure = text.decode(this.kept.subarray(headerBytes + 4))
    this.skip = this.bodyLength - (this.kept.length - headerBytes)
    this.kept = new Uint8Array()
  }
}

function joined(one: Uint8Array, other: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(one.length + other.length)
  both.set(one)
  both.set(other, one.length)
  return both
}
