// Where listeners open: on loopback, with TLS, or with ALLOW_INSECURE; the refusal says what
// there is to do.

import t from 'tap'
import { openHttp } from '../../src/listeners/http/core/open-http.js'
import { isLoopback, type NetworkOptions, requireSafeNetwork } from '../../src/listeners/network.js'
import { openResp } from '../../src/listeners/resp.js'
import { openWire } from '../../src/listeners/wire.js'

const exposed: NetworkOptions = { host: '0.0.0.0', tls: undefined, allowInsecure: false }

t.test('an address is loopback where only this machine can reach it', async (t) => {
  for (const host of ['127.0.0.1', '127.8.8.8', '::1', 'localhost', '::ffff:127.0.0.1']) {
    t.equal(isLoopback(host), true, host)
  }
  for (const host of ['0.0.0.0', '::', '192.168.0.1', 'example.org', '127.example.org', '']) {
    t.equal(isLoopback(host), false, host)
  }
})

t.test('a network without TLS opens no listener, and each says what to do', async (t) => {
  const options = { ...exposed, port: 0, trustedProxies: [] } as never
  const open = { wire: openWire, resp: openResp, http: openHttp }
  const listeners = Object.entries<(options: never) => Promise<unknown>>(open)
  for (const [name, listener] of listeners) {
    const refused = { code: 72, message: /HOST=0\.0\.0\.0 .* recorded.*TLS_CERT and TLS_KEY/ }
    await t.rejects(listener(options), refused, name)
    await t.rejects(listener(options), { message: /ALLOW_INSECURE=1/ }, name)
  }
  await t.rejects(openHttp(options), { message: /TRUSTED_PROXIES/ })
})

t.test('TLS, loopback, a wish, and for HTTP a proxy that does TLS, open one', async (t) => {
  const safe = (more: Partial<NetworkOptions>) => () =>
    requireSafeNetwork('it', { ...exposed, ...more })
  t.doesNotThrow(safe({ host: '127.0.0.1' }))
  t.doesNotThrow(safe({ host: '::1' }))
  t.doesNotThrow(safe({ tls: {} }))
  t.doesNotThrow(safe({ allowInsecure: true }))
  t.doesNotThrow(safe({ trustedProxies: ['10.0.0.1'] }))
  t.throws(safe({ trustedProxies: [] }), { code: 72 })
  t.throws(safe({ host: '10.0.0.1' }), { code: 72 })
})
