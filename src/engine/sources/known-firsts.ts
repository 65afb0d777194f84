// Caches at which entry a walk reports a document with very many entries. Computing it needs all
// its entries, and a range may reach the document by each of them.

import { type Bytes, mapKey } from '../../base/bytes/bytes.js'
import { work } from '../../base/work/work-budget.js'
import { bytesPerUnit } from '../../base/work/work-figures.js'
import type { Document } from '../../value/value.js'

/** Smaller documents have few entries. */
export const knownBytesMin = 2_048
const documentsMax = 16
/** Maximum bytes of all cached documents except the last. */
const bytesMax = 1_048_576

interface Known {
  readonly document: Document
  readonly first: Bytes | undefined
}

export class KnownFirsts {
  /** By record key, oldest first. */
  private readonly documents = new Map<string, Known>()
  private bytes = 0

  /** The cached result for exactly this document. */
  find(recordKey: Bytes, document: Document): Known | undefined {
    if (this.documents.size === 0) return undefined
    const known = this.documents.get(mapKey(recordKey))
    if (known === undefined || known.document.length !== document.length) return undefined
    work.spend(document.length / bytesPerUnit)
    return Buffer.compare(known.document, document) === 0 ? known : undefined
  }

  /** `first` is undefined if the document is not to be reported here. */
  keep(recordKey: Bytes, document: Document, first: Bytes | undefined): void {
    const name = mapKey(recordKey)
    this.drop(name)
    this.documents.set(name, { document, first })
    this.bytes += document.length
    for (const oldest of this.documents.keys()) {
      if (this.documents.size === 1) break
      if (this.documents.size <= documentsMax && this.bytes <= bytesMax) break
      this.drop(oldest)
    }
  }

  private drop(name: string): void {
    this.bytes -= this.documents.get(name)?.document.length ?? 0
    this.documents.delete(name)
  }
}
