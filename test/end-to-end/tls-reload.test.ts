// A renewed certificate: at SIGHUP every listener that is open takes it for handshakes from then
// on; connections that are there go on, and files that do not hold change nothing.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect, type TLSSocket } from 'node:tls'
import t from 'tap'
import { startup } from '../protocol/pgwire/frontend.js'
import { makeCertificate } from '../support/certificate.js'
import { startGateway } from '../support/live-gateway.js'
import { endSigil, settingsFor, startSigil } from '../support/sigil-process.js'
import { SqlClient, version3 } from '../support/sql-client.js'

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

t.test('the SQL port, where TLS begins inside the protocol, takes it too', async (t) => {
  const { cert, renew, settings } = filesFor(t)
  const gateway = await startGateway(t, { ...settings, AUTH_MODE: 'off' })
  const enter = async () => {
    const client = await SqlClient.open(gateway.ports.sql)
    t.teardown(() => client.close())
    t.equal(await client.askTls(), 'S')
    await client.secure(readFileSync(cert))
    client.send(startup(version3, { user: 'a' }))
    await client.until('ReadyForQuery')
    return client
  }
  const first = readFileSync(cert)
  const before = await enter()
  renew()
  await t.rejects(enter(), 'the new one is not in use yet')
  t.equal(gateway.reloadTls(), true)
  t.notSame(readFileSync(cert), first)
  await enter()
  const answer = await before.query('SELECT 1')
  t.equal(answer.at(-1)?.[0], 'ReadyForQuery', 'a session that was there goes on')
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
