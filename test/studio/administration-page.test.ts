// The administration of the server in a browser: protocols switched off and on, the whitelist, the
// audit, a backup that is whole, and the settings; as the operator, and as a wallet that may not.

import { readFileSync } from 'node:fs'
import t, { type Test } from 'tap'
import {
  barriersOf,
  chromiumMissing,
  type OpenedBrowser,
  openChromium,
  type Page,
} from '../support/chromium.js'
import { type LiveGateway, startGateway } from '../support/live-gateway.js'
import { walletOptions } from '../support/page-wallet.js'
import { pictured } from '../support/pictures.js'
import { temporaryFolder } from '../support/stores.js'
import { testWallet } from '../support/wallet.js'

t.setTimeout(180_000)

/** A file that the page gives to the browser. */
interface Download {
  path(): Promise<string>
}

const skip = await chromiumMissing()
const views = ['whitelist', 'audit', 'backup', 'settings'] as const

t.test('the operator', { skip }, async (t) => {
  const gateway = await startGateway(t, {
    AUTH_MODE: 'off',
    STORE: `lmdb:${await temporaryFolder(t)}`,
  })
  const browser = await openChromium()
  t.teardown(() => browser.close())
  // The browser's console names the refusal of a wrong address.
  await browser.open(t, { expected: /status of 400/ }, async (page) => {
    await page.goto(`${gateway.url}/#/operations`)
    await switches(t, page)
    await lists(t, page)
    await savesBackup(t, page)
    await readsAudit(t, page)
    await readsSettings(t, page)
  })
  await looks(t, gateway, browser)
})

async function switches(t: Test, page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Switch off sql' }).click()
  t.same(await barriersOf(page), [], 'the confirmation')
  await page.getByLabel('Type sql to confirm').fill('sql')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Switch on sql' }).click()
  await page.getByRole('button', { name: 'Switch off sql' }).waitFor()
}

async function lists(t: Test, page: Page): Promise<void> {
  const { address } = testWallet('listed')
  await page.getByRole('link', { name: 'Whitelist' }).click()
  await page.getByText('No address is on the whitelist.').waitFor()
  await page.getByLabel('Address').fill('0x12')
  await page.getByRole('button', { name: 'Add' }).click()
  await page
    .getByRole('alert')
    .getByText(/address/)
    .waitFor()
  await page.getByLabel('Address').fill(address)
  await page.getByRole('button', { name: 'Add' }).click()
  await page.getByRole('button', { name: `Remove ${address}` }).click()
  await page.getByLabel(`Type ${address} to confirm`).fill(address)
  await page.keyboard.press('Enter')
  await page.getByText('No address is on the whitelist.').waitFor()
  t.pass('added and removed')
}

async function savesBackup(t: Test, page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Backup' }).click()
  await page.getByRole('button', { name: 'Make a backup' }).click()
  await page.getByRole('link', { name: 'Save the backup' }).waitFor()
  const saved = new Promise<string>((resolve) => {
    page.on('download', (download: Download) => resolve(download.path()))
  })
  await page.getByRole('link', { name: 'Save the backup' }).click()
  const file = readFileSync(await saved, 'latin1')
  t.match(file, /^SIGILBAK.*TAIL.{28}$/s, 'a whole file of the format')
  const told = await page.locator('main section [role=status]').textContent()
  t.match(told, /^(\d[\d,]*) of \1 records/, 'all records')
}

async function readsAudit(t: Test, page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Audit' }).click()
  await page.getByRole('rowheader', { name: 'backup' }).first().waitFor()
  await page.getByLabel('Act').fill('setWhitelist')
  await page.keyboard.press('Enter')
  await page.getByText(/action: remove/).waitFor()
  // The words of the filter are there before the rows that it leaves.
  await page.getByRole('rowheader', { name: 'backup' }).first().waitFor({ state: 'detached' })
  t.equal(await page.locator('tbody td:nth-child(3)').first().textContent(), 'operator')
  await page.getByText('Page 1, the last one').waitFor()
}

async function readsSettings(t: Test, page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Settings' }).click()
  await page.getByRole('rowheader', { name: 'DURABILITY' }).waitFor()
  await page.getByLabel('Only those that are set').click()
  await page.getByRole('rowheader', { name: 'AUTH_MODE' }).waitFor()
  t.equal(await page.getByRole('rowheader', { name: 'CHANGE_BYTES' }).count(), 0)
}

async function looks(t: Test, { url }: LiveGateway, browser: OpenedBrowser): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const width of [1_280, 360]) {
      const viewport = { width, height: width === 360 ? 740 : 800 }
      await browser.open(t, { colorScheme, viewport }, async (page) => {
        for (const view of views) {
          await page.goto(`${url}/#/operations/${view}`)
          await page.locator(`main section`).first().waitFor()
          // All of them would make a picture of more than 150 kB.
          if (view === 'settings') await page.getByLabel('Name contains').fill('WALLET')
          const wide = await page.evaluate<number>('document.documentElement.scrollWidth')
          t.equal(wide, width, 'nothing is wider than the screen')
          t.same(await barriersOf(page), [], `${view}, ${colorScheme}, ${width} pixels`)
          await pictured(page, `${view}-${colorScheme}-${width}`)
        }
      })
    }
  }
}

t.test('a wallet is told who may', { skip }, async (t) => {
  const { url } = await startGateway(t, { RATE_LIMITS: 'off' })
  const browser = await openChromium()
  t.teardown(() => browser.close())
  const options = walletOptions(testWallet('studio'))
  await browser.open(t, options, async (page) => {
    await page.goto(`${url}/#/operations/settings`)
    await page.getByRole('button', { name: 'Test wallet' }).click()
    await page.getByText('Only the operator sees the settings.').waitFor()
    await page.getByRole('link', { name: 'Audit' }).click()
    await page.getByText('administrators (ADMIN_ADDRESSES) read the audit').waitFor()
    await page.getByRole('link', { name: 'Backup' }).click()
    await page.getByText('Only the operator makes backups').waitFor()
    await page.getByRole('link', { name: 'Whitelist' }).click()
    await page.getByText('change this list').waitFor()
    t.same(await barriersOf(page), [], 'a wallet')
  })
})
