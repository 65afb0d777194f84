// Pages of transactions: of the chains that are known, of the operator's own template, and of none.

import t from 'tap'
import { explorerOf, requireTemplate } from '../../src/chain/explorer.js'

const tx = `0x${'ab'.repeat(32)}`
const template = 'https://explorer.example.org/t/{tx}?network=7'

t.test('known chains have their explorer, unknown ones and the local one have none', async (t) => {
  const page = (chainId: number) => explorerOf({ isLocal: false, chainId, template: undefined })(tx)
  t.equal(page(1), `https://etherscan.io/tx/${tx}`)
  t.equal(page(84_532), `https://sepolia.basescan.org/tx/${tx}`)
  t.equal(page(31_337), null)
  t.equal(explorerOf({ isLocal: true, chainId: 1, template })(tx), null)
})

t.test("the operator's template wins, and takes nothing but a hash", async (t) => {
  const page = explorerOf({ isLocal: false, chainId: 1, template })
  t.equal(page(tx), `https://explorer.example.org/t/${tx}?network=7`)
  for (const text of ['', '0x', '$&', '"><script>', `${tx}0`, tx.toUpperCase()]) {
    t.equal(page(text), null)
  }
})

t.test('a template that leads to no page of a transaction is refused', async (t) => {
  for (const wrong of ['', 'https://explorer.example.org', 'javascript:{tx}', 'https://{tx}:x/']) {
    t.throws(() => requireTemplate(wrong), { code: 72, message: /EXPLORER_TX_URL/ })
  }
  t.doesNotThrow(() => requireTemplate(template))
})
