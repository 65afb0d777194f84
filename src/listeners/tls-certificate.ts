// The certificate of all listeners. It is reloaded while they are open: a new one applies from the
// next handshake on, and an invalid one changes nothing.

import { readFileSync } from 'node:fs'
import { createSecureContext, type SecureContextOptions } from 'node:tls'
import { fail } from '../base/errors.js'

/** The current certificate, PEM. */
export interface TlsCertificate {
  readonly cert: Buffer
  readonly key: Buffer
  /** Subscribes to new certificates; returns an unsubscribe function. */
  readonly onChange?: (tell: () => void) => () => void
}

/** A server that can replace its certificate while open. */
interface TlsServer {
  setSecureContext(options: SecureContextOptions): void
  once(event: 'close', closed: () => void): unknown
}

/** Passes each new certificate to the server until it closes. */
export function keepCertificate(server: TlsServer, certificate: TlsCertificate): void {
  const forget = certificate.onChange?.(() => {
    server.setSecureContext({ cert: certificate.cert, key: certificate.key })
  })
  if (forget !== undefined) server.once('close', forget)
}

/** A certificate and its key from files. */
export class CertificateFiles implements TlsCertificate {
  cert: Buffer
  key: Buffer
  private readonly told = new Set<() => void>()

  /** Throws InvalidOptions if the files cannot be read, or do not match. */
  constructor(private readonly paths: { readonly cert: string; readonly key: string }) {
    const read = this.read()
    this.cert = read.cert
    this.key = read.key
  }

  readonly onChange = (tell: () => void): (() => void) => {
    this.told.add(tell)
    return () => this.told.delete(tell)
  }

  /** Reads the files again. Throws as the constructor does; then the old one stays. */
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
