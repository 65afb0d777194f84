// The page of operations in a browser: a server at work as its operator and as a wallet see
// it, and a command that is ended.

import { MongoClient } from 'mongodb'
import t, { type Test } from 'tap'
import { barriersOf, chromiumMissing, openChromium, type Page } from '../support/chromium.js'
import { startGateway } from '../support/live-gateway.js'
import { walletOptions } from '../support/page-wallet.js'
import { pictured } from '../support/pictures.js'
import { testWallet } from '../support/wallet.js'

t.setTimeout(180_000)

t.test('operations', { skip: await chromiumMissing() }, async (t) => {
  const gateway = await startGateway(t, { AUTH_MODE: 'off', SLOW_COMMAND_MS: '1' })
  const client = await MongoClient.connect(gateway.uri.replace(/operator:\w+@/, ''))
  t.teardown(() => client.close())
  const books = client.db('main').collection<{ _id: number }>('books')
  await books.insertMany(Array.from({ length: 3_000 }, (_, _id) => ({ _id })))
  const browser = await openChromium()
  t.teardown(() => browser.close())
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const width of [1_280, 360]) {
      const options = { colorScheme, viewport: { width, height: 800 } }
      await browser.open(t, options, async (page) => {
        await page.goto(`${gateway.url}/#/operations`)
        await page.getByText('0.0.0-test').waitFor()
        await page.getByRole('img', { name: /^Requests over the last hour/ }).waitFor()
        await page.getByText(`psql "postgresql://operator`).waitFor()
        await page.getByRole('button', { name: 'Copy the line of wire' }).waitFor()
        await chartsAreDrawn(t, page)
        await opened(page, 'Slow commands')
        await page.getByText('insert', { exact: true }).first().waitFor()
        const wide = await page.evaluate<number>('document.documentElement.scrollWidth')
        t.equal(wide, width, 'nothing is wider than the screen')
        t.same(await barriersOf(page), [], `${colorScheme}, ${width} pixels`)
        await pictured(page, `operations-${colorScheme}-${width}`)
      })
    }
  }
  await browser.open(t, {}, async (page) => {
    const match = { $match: { $expr: { $gt: ['$_id', '$$of'] } } }
    const later = { from: 'books', let: { of: '$_id' }, pipeline: [match], as: 'later' }
    // Of all pairs: hours, however slow the browser is.
    const pipeline = [{ $lookup: later }, { $count: 'pairs' }]
    const count = books.aggregate([{ $lookup: { from: 'books', pipeline, as: 'all' } }]).toArray()
    const ended = count.then(
      () => 'all of it',
      (error: Error) => error.message,
    )
    await page.goto(`${gateway.url}/#/operations`)
    await opened(page, 'Commands at work')
    await page
      .getByRole('button', { name: /^Kill / })
      .first()
      .click()
    t.match(await ended, /interrupted|killed/i)
    await opened(page, 'Quotas')
    await page.getByText('No wallet and no service user has stored anything yet.').waitFor()
  })
})

t.test('a wallet', { skip: await chromiumMissing() }, async (t) => {
  const gateway = await startGateway(t, { RATE_LIMITS: 'off' })
  const browser = await openChromium()
  t.teardown(() => browser.close())
  const options = { ...walletOptions(testWallet('studio')), expected: /status of 40[13]/ }
  await browser.open(t, options, async (page) => {
    await page.goto(`${gateway.url}/#/operations`)
    await page.getByRole('button', { name: 'Test wallet' }).click()
    await opened(page, 'Slow commands')
    await page.getByRole('region', { name: 'Slow commands' }).getByText(/slow/).first().waitFor()
    await opened(page, 'Commands at work')
    await page.getByText('No command is running.').waitFor()
    await page.getByRole('img', { name: /^Errors over the last hour/ }).waitFor()
    await opened(page, 'Quotas')
    const quotas = page.getByRole('region', { name: 'Quotas', exact: true })
    await quotas.getByText('0 bytes of 1 GiB').waitFor()
    await quotas.getByText('0 of 100').first().waitFor()
    t.same(await barriersOf(page), [], 'a wallet')
  })
})

/** By the canvas in the colours of the theme, by the pointer, and as a table. */
async function chartsAreDrawn(t: Test, page: Page): Promise<void> {
  await page.locator('.plot canvas').first().waitFor()
  const { drawn, accent } = await page.evaluate<{ drawn: string[]; accent: string }>(`(() => {
    const canvas = document.querySelector('.plot canvas')
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height)
    const drawn = new Set()
    for (let at = 0; at < data.length; at += 4) {
      if (data[at + 3] === 255) drawn.add('rgb(' + data.slice(at, at + 3).join(', ') + ')')
    }
    const accent = getComputedStyle(document.querySelector('.chart li path')).stroke
    return { drawn: [...drawn], accent }
  })()`)
  t.ok(drawn.includes(accent), `a line of ${accent}`)
  await page.locator('.plot').first().hover()
  const caption = page.locator('.chart figcaption').first()
  await caption.getByText(/^\d\d:\d\d:\d\d$/).waitFor()
  await page.getByRole('group').filter({ hasText: 'of Latency' }).getByText('Figures').click()
  const table = page.getByRole('region', { name: 'Latency, as a table' })
  await table
    .getByRole('rowheader', { name: /^\d\d:\d\d$/ })
    .first()
    .waitFor()
  t.same(await table.getByRole('columnheader').allTextContents(), [
    'Five minutes from',
    'p50, at most',
    'p95, at most',
    'p99, at most',
  ])
  t.same(await barriersOf(page), [], 'the figures as a table')
  await page.getByRole('group').filter({ hasText: 'of Latency' }).getByText('Figures').click()
}

/** A part asks when it is opened. */
async function opened(page: Page, title: string): Promise<void> {
  const part = page.getByRole('region', { name: title, exact: true })
  await part.getByRole('heading', { name: title }).click()
  await part.getByText('Loading…').waitFor({ state: 'detached' })
  await page.evaluate('scrollTo(0, 0)')
}
