// What stands between a gateway and PostgreSQL: off this machine TLS is verified unless the address
// says otherwise, and a pooler in transaction mode is refused at the start.

import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { makeCertificate } from '../../support/certificate.js'
import { openTlsFront, openTransactionPooler } from '../../support/pooled-postgres.js'
import { postgresMissing } from '../../support/postgres-reference.js'
import { openShared, postgresServer } from '../../support/shared-stores.js'
import { temporaryFolder } from '../../support/stores.js'

const skip = { skip: postgresMissing }
/** This machine, by an address that is not loopback. */
const away = '0.0.0.0'

t.test('off loopback, TLS is verified unless the address says otherwise', skip, async (t) => {
  const { folder } = await postgresServer(t)
  const certificate = makeCertificate()
  const port = await openTlsFront(t, folder, certificate)
  const plain = await openTlsFront(t, folder)
  const at = (host: string, rest = '', on = port) =>
    `postgres://test@${host}:${on}/postgres?schema=between${rest}`
  await t.rejects(openShared(t, at(away)), { message: /self-signed certificate/ })
  await t.rejects(openShared(t, at(away, '', plain)), { message: /does not support SSL/ })
  const file = join(await temporaryFolder(t), 'ca.pem')
  await writeFile(file, certificate.cert)
  const trusted = `&sslmode=verify-full&sslrootcert=${encodeURIComponent(file)}`
  await t.rejects(openShared(t, at(away, trusted)), { message: /altnames/ }, 'another name')
  for (const address of [at('localhost', trusted), at(away, '&sslmode=no-verify')]) {
    const store = await openShared(t, address)
    t.equal(store.stats().type, 'PostgreSQL')
    await store.close()
  }
})

t.test('a pooler in transaction mode is refused at the start', skip, async (t) => {
  const { folder } = await postgresServer(t)
  const port = await openTransactionPooler(t, folder)
  const address = `postgres://test@localhost:${port}/postgres?schema=pooled`
  await t.rejects(openShared(t, address), {
    codeName: 'InvalidOptions',
    message: /pooler in transaction mode.*Connect to PostgreSQL itself/,
  })
})
