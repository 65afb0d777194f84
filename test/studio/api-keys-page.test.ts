// API keys in the Studio, in a browser: a wallet of the test makes one on the chain, which then
// works by the document driver, redis, psql and HTTP; it is replaced, limited and ended.

import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { MongoClient, type ObjectId } from 'mongodb'
import pg from 'pg'
import { createClient } from 'redis'
import t, { type Test } from 'tap'
import { barriersOf, chromiumMissing, openChromium, type Page } from '../support/chromium.js'
import { startGateway } from '../support/live-gateway.js'
import { walletOptions } from '../support/page-wallet.js'
import { pictured } from '../support/pictures.js'
import { testWallet } from '../support/wallet.js'

t.setTimeout(180_000)

const wallet = testWallet('studio keys')

t.test('API keys', { skip: await chromiumMissing() }, async (t) => {
  const { url } = await startGateway(t, { RATE_LIMITS: 'off' })
  const browser = await openChromium()
  t.teardown(() => browser.close())
  const options = { ...walletOptions(wallet, { chain: `${url}/chain` }), expected: /status of 401/ }
  await browser.open(t, options, async (page) => {
    await page.goto(`${url}/#/api-keys`)
    await page.getByRole('button', { name: 'Test wallet' }).click()
    await page.getByText('No keys yet.').waitFor()
    t.same(await barriersOf(page), [], 'no keys')
    const first = await makesOnChain(t, page)
    await worksEverywhere(t, first)
    await recovers(t, page, first)
    await showsUse(t, page)
    const second = await rotates(t, page)
    t.equal(await statusOf(first.http), 401, 'the old key fails')
    t.equal(await statusOf(second.http), 200)
    await permits(t, page, second)
    await revokes(t, page, second)
    await keepsAtOwnCost(t, page)
    await makesOnServer(t, page)
  })
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const width of [1_280, 360]) {
      const viewport = { width, height: 800 }
      await browser.open(t, { ...options, colorScheme, viewport }, async (page) => {
        await page.goto(`${url}/#/api-keys`)
        await page.getByRole('button', { name: 'Test wallet' }).click()
        await page.getByRole('button', { name: 'Revoke plain' }).waitFor()
        await page.getByRole('button', { name: 'Make a key' }).hover()
        await looksRight(t, page, `api-keys-${colorScheme}-${width}`)
        await page.getByRole('button', { name: 'Make a key' }).press('Enter')
        await page.getByText('Sigil API Key #').waitFor()
        await looksRight(t, page, `make-key-${colorScheme}-${width}`)
        await page.keyboard.press('Escape')
        await page.locator('dialog').waitFor({ state: 'detached' })
      })
    }
  }
})

async function looksRight(t: Test, page: Page, name: string): Promise<void> {
  const wide = await page.evaluate<readonly number[]>(
    '[document.documentElement.scrollWidth, innerWidth]',
  )
  t.equal(wide[0], wide[1], 'nothing is wider than the screen')
  t.same(await barriersOf(page), [], name)
  await pictured(page, name)
}

/** The lines that the dialog shows. */
interface Lines {
  readonly key: string
  readonly wire: string
  readonly redis: string
  readonly sql: string
  readonly http: string
}

async function linesOf(page: Page): Promise<Lines> {
  await page.getByRole('button', { name: 'Show keys' }).click()
  const [key = '', wire = '', redis = '', sql = '', http = ''] = await page
    .locator('dialog pre')
    .allTextContents()
  return { key, wire, redis, sql, http }
}

async function makesOnChain(t: Test, page: Page): Promise<Lines> {
  await page.getByRole('button', { name: 'Make a key' }).click()
  await page.getByText(`Sigil API Key #0 for ${wallet.address}`, { exact: true }).waitFor()
  await page.getByLabel('Name').fill('laptop')
  await page.getByRole('button', { name: 'Sign and make' }).click()
  await page.getByRole('heading', { name: 'Your new key' }).waitFor()
  t.same(await barriersOf(page), [], 'the new key')
  const hidden = await page.locator('dialog').textContent()
  t.notMatch(hidden, /svc_live_[\da-f]{64}/, 'hidden until asked for')
  await pictured(page, 'made-key')
  const lines = await linesOf(page)
  t.match(lines.key, /^svc_live_[\da-f]{64}$/)
  await page.keyboard.press('Escape')
  await page.getByRole('heading', { name: 'Your new key' }).waitFor()
  await page.getByRole('button', { name: 'I have kept the key' }).click()
  const row = await page.locator('tbody tr').first().textContent()
  t.match(row, /^laptop.*on-chain 0all.*no limit/)
  const kept = await page.evaluate<string>(
    'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.body.innerText])',
  )
  t.notMatch(kept, lines.key, 'the page keeps no key')
  return lines
}

/** By the drivers, with the addresses of the lines; by psql and curl, the lines as they are. */
async function worksEverywhere(t: Test, { wire, redis, sql, http }: Lines): Promise<void> {
  const [, uri = ''] = /^mongosh "(.*)"$/.exec(wire) ?? []
  const client = await MongoClient.connect(uri)
  await client.db().collection<{ _id: string | ObjectId }>('notes').insertOne({ _id: 'by wire' })
  await client.close()
  const keys = await createClient({ url: redis.replace('redis-cli -u ', '') }).connect()
  t.equal(await keys.set('greeting', 'hello'), 'OK')
  keys.destroy()
  const [, database = ''] = /^psql "(.*)"$/.exec(sql) ?? []
  const rows = new pg.Client({ connectionString: database })
  await rows.connect()
  t.match(await rows.query('SELECT _id FROM notes'), { rows: [{ _id: 'by wire' }] })
  await rows.end()
  const run = promisify(execFile)
  const { stdout } = await run('sh', ['-c', `${sql} -Atc 'SELECT _id FROM notes'`])
  t.equal(stdout, 'by wire\n', 'psql itself')
  const asked = await run('sh', ['-c', `${http} -s`])
  t.match(asked.stdout, '"notes"', 'curl itself')
}

/** Of the request that the line for curl sends, or of one below its address. */
async function statusOf(line: string, below = ''): Promise<number> {
  const headers = [...line.matchAll(/-H "([^:]*): ([^"]*)"/g)].map(
    ([, name = '', value = '']): [string, string] => [name, value],
  )
  const address = line.slice(line.lastIndexOf(' ') + 1)
  return (await fetch(address + below, { headers })).status
}

async function recovers(t: Test, page: Page, { key }: Lines): Promise<void> {
  await page.getByRole('button', { name: 'Recover laptop' }).click()
  await page.getByText(`Sigil API Key #0 for ${wallet.address}`, { exact: true }).waitFor()
  t.same(await barriersOf(page), [], 'the recovery')
  await page.getByRole('button', { name: 'Sign and recover' }).click()
  await page.getByRole('heading', { name: 'Your key, recovered' }).waitFor()
  const lines = await linesOf(page)
  t.equal(lines.key, key, 'the same key')
  t.equal(await statusOf(lines.http), 200)
  const [, uri = ''] = /^mongosh "(.*)"$/.exec(lines.wire) ?? []
  const client = await MongoClient.connect(uri)
  t.match(await client.db().command({ ping: 1 }), { ok: 1 }, 'its line for mongosh')
  await client.close()
  await page.getByRole('button', { name: 'I have kept the key' }).click()
}

async function showsUse(t: Test, page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Use laptop' }).click()
  await page.getByRole('img', { name: /^Requests a day from/ }).waitFor()
  await page.getByRole('rowheader', { name: 'wire:insert' }).waitFor()
  await page.getByText('The key has no limit of its own.').waitFor()
  t.same(await barriersOf(page), [], 'the use of a key')
  await pictured(page, 'key-use')
  await page.getByRole('button', { name: 'Close' }).click()
  await page.locator('tbody td.number:text-matches("^[1-9][0-9]*$")').waitFor()
}

async function rotates(t: Test, page: Page): Promise<Lines> {
  await page.getByRole('button', { name: 'Rotate laptop' }).click()
  t.same(await barriersOf(page), [], 'the rotation')
  await page.getByRole('button', { name: 'Rotate', exact: true }).click()
  await page.getByRole('heading', { name: 'Your new key' }).waitFor()
  const lines = await linesOf(page)
  await page.getByRole('button', { name: 'I have kept the key' }).click()
  await page.getByText('on-chain 1').waitFor()
  return lines
}

async function permits(t: Test, page: Page, { http }: Lines): Promise<void> {
  t.equal(await statusOf(http, '/notes/docs'), 200)
  await page.getByRole('button', { name: 'Permissions laptop' }).click()
  await page.getByLabel('write').click()
  t.equal(await page.locator('input[type=checkbox]:checked').count(), 1, 'no longer all')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.locator('td').getByText('write').waitFor()
  t.equal(await statusOf(http, '/notes/docs'), 403, 'it no longer reads')
}

async function revokes(t: Test, page: Page, { http }: Lines): Promise<void> {
  await page.getByRole('button', { name: 'Revoke laptop' }).click()
  await page.getByLabel('Type laptop to confirm').fill('laptop')
  t.same(await barriersOf(page), [], 'the confirmation')
  await page.keyboard.press('Enter')
  await page.getByText('No keys yet.').waitFor()
  t.equal(await statusOf(http), 401)
}

/** The wallet itself sends each change to the chain. */
async function keepsAtOwnCost(t: Test, page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Make a key' }).click()
  await page.getByLabel('Name').fill('own')
  await page.getByLabel('Requests a minute (0: no limit)').fill('5000')
  await page.getByLabel('On the chain, your wallet pays').click()
  await page.getByText(`Sigil API Key #2 for ${wallet.address}`, { exact: true }).waitFor()
  t.same(await barriersOf(page), [], 'a key at own cost')
  await pictured(page, 'make-key-own')
  await page.getByRole('button', { name: 'Sign, send and make' }).click()
  await page.getByRole('heading', { name: 'Your new key' }).waitFor()
  const first = await linesOf(page)
  await page.getByRole('button', { name: 'I have kept the key' }).click()
  await page.getByText('on-chain 2').waitFor()
  t.match(await page.locator('tbody tr').first().textContent(), /^own.*on-chain 2all5,000/)
  const [, uri = ''] = /^mongosh "(.*)"$/.exec(first.wire) ?? []
  const client = await MongoClient.connect(uri)
  const notes = client.db().collection<{ _id: string | ObjectId }>('notes')
  t.match(await notes.insertOne({ _id: 'at own cost' }), { insertedId: 'at own cost' })
  await client.close()
  await page.getByRole('button', { name: 'Rotate own' }).click()
  await page.getByLabel('My wallet pays').click()
  t.same(await barriersOf(page), [], 'the rotation at own cost')
  await page.getByRole('button', { name: 'Rotate', exact: true }).click()
  await page.getByRole('heading', { name: 'Your new key' }).waitFor()
  const second = await linesOf(page)
  await page.getByRole('button', { name: 'I have kept the key' }).click()
  await page.getByText('on-chain 3').waitFor()
  t.match(await page.locator('tbody tr').first().textContent(), /^own.*on-chain 3all5,000/)
  t.equal(await statusOf(first.http), 401, 'the old key fails')
  t.equal(await statusOf(second.http), 200)
  await page.getByRole('button', { name: 'Revoke own' }).click()
  await page.getByLabel('My wallet pays').click()
  await page.getByLabel('Type own to confirm').fill('own')
  await page.keyboard.press('Enter')
  await page.getByText('No keys yet.').waitFor()
  t.equal(await statusOf(second.http), 401)
}

async function makesOnServer(t: Test, page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Make a key' }).click()
  await page.getByLabel('Name').fill('plain')
  await page.getByLabel('On this server').click()
  await page.getByRole('button', { name: 'Make', exact: true }).click()
  const { key } = await linesOf(page)
  t.match(key, /^svc_live_/)
  await page.getByRole('button', { name: 'I have kept the key' }).click()
  await page.getByText('server s0').waitFor()
}
