// The frame of the Studio in a browser: its keyboard ways and their switch, the lock against
// changes, and how a session ends everywhere.

import t, { type Test } from 'tap'
import {
  barriersOf,
  chromiumMissing,
  type OpenedBrowser,
  openChromium,
} from '../support/chromium.js'
import { type LiveGateway, startGateway } from '../support/live-gateway.js'
import { walletOptions } from '../support/page-wallet.js'
import { pictured } from '../support/pictures.js'
import { testWallet } from '../support/wallet.js'

t.setTimeout(120_000)

t.test('the frame', { skip: await chromiumMissing() }, async (t) => {
  const gateway = await startGateway(t, { RATE_LIMITS: 'off' })
  const browser = await openChromium()
  t.teardown(() => browser.close())
  await t.test('the keyboard', (t) => goesByKeys(t, gateway, browser))
  await t.test('the lock', (t) => changesNothing(t, gateway, browser))
  await t.test('sessions', (t) => endsEverywhere(t, gateway, browser))
})

const options = { ...walletOptions(testWallet('studio frame')), expected: /status of 401/ }

async function goesByKeys(t: Test, { url }: LiveGateway, browser: OpenedBrowser): Promise<void> {
  await browser.open(t, options, async (page) => {
    await page.goto(url)
    await page.getByRole('button', { name: 'Test wallet' }).click()
    await page.getByRole('heading', { name: 'Start' }).waitFor()
    await page.keyboard.press('?')
    await page.getByRole('heading', { name: 'Keyboard' }).waitFor()
    t.same(await barriersOf(page), [], 'the keyboard ways')
    await pictured(page, 'keyboard')
    await page.keyboard.press('Escape')
    await page.locator('dialog').waitFor({ state: 'detached' })
    await page.keyboard.press('g')
    await page.keyboard.press('q')
    await page.getByRole('heading', { name: 'Console' }).waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('?gk')
    t.equal(await page.getByRole('heading', { name: 'Keyboard' }).count(), 0, 'typed, not pressed')
    await page.getByRole('button', { name: 'Keyboard' }).click()
    await page.getByLabel('Single keys are on').click()
    await page.keyboard.press('Escape')
    await page.locator('dialog').waitFor({ state: 'detached' })
    await page.keyboard.press('g')
    await page.keyboard.press('k')
    await page.keyboard.press('?')
    t.equal(await page.locator('dialog').count(), 0)
    t.equal(await page.getByRole('heading', { name: 'Console' }).count(), 1, 'still here')
  })
}

async function changesNothing(t: Test, { url }: LiveGateway, browser: OpenedBrowser) {
  await browser.open(t, options, async (page) => {
    await page.goto(`${url}/#/collections/notes`)
    await page.getByRole('button', { name: 'Test wallet' }).click()
    await page.getByRole('button', { name: 'Read-only: off' }).click()
    await page.getByText('Read-only: this page sends no changes.').waitFor()
    t.same(await barriersOf(page), [], 'read-only')
    await pictured(page, 'read-only')
    await page.getByRole('button', { name: 'Insert' }).click()
    await page.getByRole('button', { name: 'Insert' }).nth(1).click()
    await page.getByText('This page is read-only. Allow changes first.').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Allow changes' }).click()
    await page.getByRole('button', { name: 'Insert' }).click()
    await page.getByRole('button', { name: 'Insert' }).nth(1).click()
    await page.getByText('1 of 1 document').waitFor()
  })
}

async function endsEverywhere(t: Test, { url }: LiveGateway, browser: OpenedBrowser) {
  await browser.open(t, options, async (page) => {
    await page.goto(url)
    await page.getByRole('button', { name: 'Test wallet' }).click()
    await page.getByRole('heading', { name: 'Start' }).waitFor()
    await browser.open(t, options, async (other) => {
      await other.goto(url)
      await other.getByRole('button', { name: 'Test wallet' }).click()
      await other.getByRole('heading', { name: 'Start' }).waitFor()
      await other.getByRole('button', { name: 'Session' }).click()
      await other.getByRole('heading', { name: 'Session' }).waitFor()
      t.same(await barriersOf(other), [], 'the session')
      await pictured(other, 'session')
      await other.getByRole('button', { name: 'Sign out everywhere' }).click()
      await other.getByRole('button', { name: 'Test wallet' }).waitFor()
    })
    await page.reload()
    await page.getByRole('button', { name: 'Test wallet' }).waitFor()
  })
}
