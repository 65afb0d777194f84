// Channels in the Studio, in a browser: messages of another client as they are published, by name
// and by pattern; messages of the page; and what it says of those that it does not show.

import { createClient } from 'redis'
import t, { type Test } from 'tap'
import { barriersOf, chromiumMissing, openChromium, type Page } from '../support/chromium.js'
import { startGateway } from '../support/live-gateway.js'
import { pictured } from '../support/pictures.js'

t.setTimeout(120_000)

t.test('channels', { skip: await chromiumMissing() }, async (t) => {
  const { url, ports } = await startGateway(t, { AUTH_MODE: 'off' })
  const client = await createClient({ url: `redis://127.0.0.1:${ports.redis}` }).connect()
  t.teardown(() => client.destroy())
  const browser = await openChromium()
  t.teardown(() => browser.close())
  await browser.open(t, {}, async (page) => {
    await page.goto(`${url}/#/channels`)
    await page.getByText('Name channels to watch').waitFor()
    t.same(await barriersOf(page), [], 'before anything is watched')
    await page.keyboard.press('/')
    await page.keyboard.type('news, orders.*')
    await page.keyboard.press('Enter')
    await page.getByText('live', { exact: true }).waitFor()
    await page.getByText('No message has come yet.').waitFor()
    t.equal(await client.publish('news', '<b>first</b>\nand more'), 1)
    t.equal(await client.publish('orders.eu', 'second'), 1)
    await page.getByRole('cell', { name: 'second' }).waitFor()
    t.same(await rowsOf(page), [
      ['orders.eu', 'orders.*', 'second'],
      ['news', '', '<b>first</b>\\u{a}and more'],
    ])
    await publishes(t, page)
    await overflows(t, page, (text) => client.publish('news', text))
    await page.getByRole('button', { name: 'Pause' }).click()
    await page.getByText(/^paused/).waitFor()
    await page.getByRole('button', { name: 'Clear' }).click()
    await page.getByText('No message has come yet.').waitFor()
  })
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const width of [1_280, 360]) {
      const viewport = { width, height: width === 360 ? 740 : 800 }
      await browser.open(t, { colorScheme, viewport }, async (page) => {
        await page.goto(`${url}/#/channels?names=${encodeURIComponent('news,orders.*')}`)
        await page.getByText('live', { exact: true }).waitFor()
        await client.publish('news', 'A reader pays for a book. '.repeat(6))
        await client.publish('orders.eu', '{"order": 17, "state": "paid"}')
        await page.getByText('"state": "paid"').waitFor()
        const wide = await page.evaluate<number>('document.documentElement.scrollWidth')
        t.equal(wide, width, 'nothing is wider than the screen')
        t.same(await barriersOf(page), [], `${colorScheme}, ${width} pixels`)
        await pictured(page, `channels-${colorScheme}-${width}`)
      })
    }
  }
})

/** Without their times. */
async function rowsOf(page: Page): Promise<string[][]> {
  return page.evaluate<string[][]>(
    `Array.from(document.querySelectorAll('.messages tbody tr'), (row) =>
      Array.from(row.querySelectorAll('td'), (cell) => cell.textContent).slice(1))`,
  )
}

async function publishes(t: Test, page: Page): Promise<void> {
  await page.getByLabel('Channel', { exact: true }).fill('orders.us')
  await page.getByLabel('Message', { exact: true }).fill('third')
  await page.getByRole('button', { name: 'Publish' }).click()
  await page.getByText('Received by 1 subscriber.').waitFor()
  await page.getByRole('cell', { name: 'third' }).waitFor()
  t.same((await rowsOf(page))[0], ['orders.us', 'orders.*', 'third'])
}

async function overflows(
  t: Test,
  page: Page,
  publish: (text: string) => Promise<number>,
): Promise<void> {
  await Promise.all(Array.from({ length: 1_000 }, (_, n) => publish(`flood ${n}`)))
  await page.getByText(/1,003 messages\. Not shown: \d+ left out/).waitFor()
  const rows = (await rowsOf(page)).length
  t.ok(rows > 3 && rows <= 200, `${rows} rows`)
}
