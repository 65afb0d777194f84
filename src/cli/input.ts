// Input of a program that loads a file or standard input: its size for a progress bar, and its
// documents up to the end, an error, or Ctrl-C. Documents before that are loaded and counted.

import { createReadStream, statSync } from 'node:fs'
import { fail, GatewayError } from '../base/errors.js'
import { type DocumentText, splitDocuments } from './json-documents.js'

/**
 * Size in bytes; 0 for standard input, whose size is unknown. Throws BadValue if the file does not
 * exist.
 */
export function inputBytes(file: string): number {
  if (file === '-') return 0
  try {
    return statSync(file).size
  } catch (error) {
    throw fail('BadValue', error instanceof Error ? error.message : String(error))
  }
}

export class Input {
  private readonly interruption = new AbortController()
  private failure: GatewayError | undefined
  private readonly interrupt = () => this.interruption.abort()

  /** `-` is standard input. */
  constructor(private readonly file: string) {}

  /** Aborted by Ctrl-C; a second one ends the process. */
  get signal(): AbortSignal {
    return this.interruption.signal
  }

  /** Why reading stopped early; undefined if everything was read. */
  get stopped(): string | undefined {
    return this.signal.aborted ? 'interrupted' : this.failure?.message
  }

  async *documents(bytesMax?: number): AsyncGenerator<DocumentText> {
    const { file, signal, interrupt } = this
    const stream = file === '-' ? process.stdin : createReadStream(file, { highWaterMark: 1 << 18 })
    const leave = () => stream.destroy()
    process.once('SIGINT', interrupt).once('SIGTERM', interrupt)
    signal.addEventListener('abort', leave)
    try {
      for await (const document of splitDocuments(stream, bytesMax)) {
        if (signal.aborted) return
        yield document
      }
    } catch (error) {
      if (signal.aborted) return
      if (!(error instanceof GatewayError)) throw error
      this.failure = error
    } finally {
      signal.removeEventListener('abort', leave)
    }
  }

  /** Restores the default effect of Ctrl-C. */
  close(): void {
    process.off('SIGINT', this.interrupt).off('SIGTERM', this.interrupt)
  }
}
