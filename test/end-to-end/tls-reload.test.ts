// A renewed certificate: at SIGHUP every listener that is open takes it for handshakes from then
// on; connections that are there go on, and files that do not hold change nothing.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect, type TLSSocket } from 'node:tls'
import t from 'tap'
import { makeCertificate } from '../support/certificate.js'
import { startGateway } from '../support/live-gateway.js'
import { endSigil, settingsFor, startSigil } from '../support/sigil-process.js'

function filesFor(t: { teardown(end: () => void): unknown }) {
  const folder = mkdtempSync(join(tmpdir(), 'sigil-tls-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
  const renew = () => {
    const made = makeCertificate()
    writeFileSync(cert, made.cert)
    writeFileSync(key, made.key)
  }
  renew()
  return { folder, cert, key, renew, settings: { TLS_CERT: cert, TLS_KEY: key } }
}

/** The fingerprint of the certificate that a listener shows. */
async function shown(port: number): Promise<string> {
  const socket = await secured(port)
  const { fingerprint256 } = socket.getPeerCertificate()
  socket.destroy()
  return fingerprint256
}

function secured(port: number): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false }, () =>
      resolve(socket),
    )
    socket.once('error', reject)
  })
}

t.test('every listener takes a renewed certificate, and keeps its connections', async (t) => {
  const { cert, renew, settings } = filesFor(t)
  const gateway = await startGateway(t, settings)
  const { http, wire, redis } = gateway.ports
  const all = () => Promise.all([http, wire, redis].map(shown))
  const [first, ...others] = await all()
  t.ok(first)
  t.same(others, [first, first])
  const open = await secured(redis)
  renew()
  t.equal(gateway.reloadTls(), true)
  const [second, ...again] = await all()
  t.not(second, first)
  t.same(again, [second, second])
  const reply = new Promise((resolve) => open.once('data', resolve))
  open.write('PING\r\n')
  t.match(String(await reply), /^-NOAUTH/, 'a connection that was there goes on')
  open.destroy()
  writeFileSync(cert, 'no certificate')
  t.throws(() => gateway.reloadTls(), { message: /TLS/ })
  t.equal(await shown(http), second, 'the old one goes on')
})

t.test('SIGHUP renews it, and ends nothing', async (t) => {
  const { folder, renew, settings } = filesFor(t)
  const data = settingsFor(join(folder, 'data'))
  const sigil = await startSigil({ ...data, ...settings, LOG_LEVEL: 'info' })
  const first = await shown(sigil.httpPort)
  renew()
  const told = new Promise<void>((resolve) => {
    sigil.child.stderr?.on('data', (text: string) => {
      if (text.includes('the certificate was read again')) resolve()
    })
  })
  sigil.child.kill('SIGHUP')
  await told
  t.not(await shown(sigil.httpPort), first)
  t.equal((await endSigil(sigil, 'SIGTERM')).code, 0)
})

t.test('without TLS there is nothing to read again', async (t) => {
  const gateway = await startGateway(t)
  t.equal(gateway.reloadTls(), false)
})
