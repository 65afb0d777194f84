// The certificate of all listeners, which is read again while they are open: a new one counts from
// the next handshake on, and one that does not hold changes nothing.

import { readFileSync } from 'node:fs'
import { createSecureContext, type SecureContextOptions } from 'node:tls'
import { fail } from '../base/errors.js'

/** PEM, as it is now. */
export interface TlsCertificate {
  readonly cert: Buffer
  readonly key: Buffer
  /** Tells of another one, until the function that it answers is called. */
  readonly onChange?: (tell: () => void) => () => void
}

/** What takes another certificate while it is open. */
interface TlsServer {
  setSecureContext(options: SecureContextOptions): void
  once(event: 'close', closed: () => void): unknown
}

/** Gives the server each new certificate until it is closed. */
export function keepCertificate(server: TlsServer, certificate: TlsCertificate): void {
  const forget = certificate.onChange?.(() => {
    server.setSecureContext({ cert: certificate.cert, key: certificate.key })
  })
  if (forget !== undefined) server.once('close', forget)
}

/** A certificate and its key, of files. */
export class CertificateFiles implements TlsCertificate {
  cert: Buffer
  key: Buffer
  private readonly told = new Set<() => void>()

  /** Throws InvalidOptions where the files cannot be read, or do not go together. */
  constructor(private readonly paths: { readonly cert: string; readonly key: string }) {
    const read = this.read()
    this.cert = read.cert
    this.key = read.key
  }

  readonly onChange = (tell: () => void): (() => void) => {
    this.told.add(tell)
    return () => this.told.delete(tell)
  }

  /** Reads the files again. Throws as the constructor does: then the old one goes on. */
  reload(): void {
    const { cert, key } = this.read()
    this.cert = cert
    this.key = key
    for (const tell of this.told) tell()
  }

  private read(): { cert: Buffer; key: Buffer } {
    const { paths } = this
    try {
      const read = { cert: readFileSync(paths.cert), key: readFileSync(paths.key) }
      createSecureContext(read)
      return read
    } catch (error) {
      throw fail('InvalidOptions', `TLS: ${error instanceof Error ? error.message : error}`)
    }
  }
}
