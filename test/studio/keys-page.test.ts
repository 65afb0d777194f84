// Keys in the Studio, in a browser: the tree by prefix over keys of another client, their type, time
// to live and size, and what Save writes of each type, or does not where another client was faster.

import { createClient } from 'redis'
import t, { type Test } from 'tap'
import {
  barriersOf,
  chromiumMissing,
  type OpenedBrowser,
  openChromium,
  type Page,
} from '../support/chromium.js'
import { startGateway } from '../support/live-gateway.js'
import { walletOptions } from '../support/page-wallet.js'
import { pictured } from '../support/pictures.js'
import { testWallet } from '../support/wallet.js'
import { WalletClient } from '../support/wallet-client.js'

t.setTimeout(180_000)

const wallet = testWallet('studio')
const options = { ...walletOptions(wallet), expected: /status of 40[01]/ }

t.test('keys', { skip: await chromiumMissing() }, async (t) => {
  const { url, ports } = await startGateway(t, { RATE_LIMITS: 'off' })
  const { apiKey } = await (await WalletClient.signIn(url, wallet)).issue()
  const keys = createClient({ url: `redis://:${apiKey}@127.0.0.1:${ports.redis}` })
  await keys.connect()
  t.teardown(() => keys.destroy())
  await fill(keys)
  const browser = await openChromium()
  t.teardown(() => browser.close())
  await browser.open(t, options, async (page) => {
    const room = { t, page, keys }
    await page.goto(`${url}/#/keys`)
    await page.getByRole('button', { name: 'Test wallet' }).click()
    await walks(room)
    await editsString(room)
    await editsContainers(room)
    await isGuarded(room)
    await makesAndDeletes(room)
    await saysWhatIsPartial(room, url)
  })
  await looks(t, url, browser)
})

type Keys = ReturnType<typeof createClient>

interface Room {
  readonly t: Test
  readonly page: Page
  readonly keys: Keys
}

async function fill(keys: Keys): Promise<void> {
  await keys.set('greeting', 'hello', { EX: 5_000 })
  await keys.hSet('user:1:profile', { name: 'Ada', city: 'London' })
  await keys.hSet('lines', { note: 'one\ntwo' })
  await keys.rPush('user:1:queue', ['a', 'b', 'a', 'd'])
  await keys.sAdd('user:2:tags', ['x', 'y'])
  await keys.zAdd('user:2:board', [
    { value: 'ada', score: 7 },
    { value: 'bob', score: 1.5 },
  ])
  await keys.sendCommand(['SET', Buffer.from([0xff, 0x00]) as never, 'bytes'])
  await keys.set('<img src=x onerror=alert(1)>\u202e', 'hostile')
  const many = Array.from({ length: 500 }, (_, index) => `m${String(index).padStart(3, '0')}`)
  await keys.rPush('long', many)
}

async function cells(page: Page, name: string): Promise<readonly string[]> {
  return page.locator(`tbody tr:has-text("${name}") td`).allTextContents()
}

async function walks({ t, page }: Room): Promise<void> {
  await page.getByText('9 keys', { exact: true }).waitFor()
  await page.locator('td').getByText('string').first().waitFor()
  const [type, expiry] = await cells(page, 'greeting')
  t.equal(type, 'string')
  t.match(expiry, /^(?:5,000|4,9\d\d) s$/)
  t.same((await cells(page, 'long')).slice(0, 2), ['list', 'never'])
  t.match((await cells(page, 'long'))[2], /^500 members$/, 'a large one is counted')
  await page.getByRole('button', { name: '<img src=x onerror=alert(1)>\\u{202e}' }).waitFor()
  t.equal((await cells(page, 'base64 /wA='))[0], 'string', 'a name that is no text')
  t.same(await cells(page, 'user:'), ['prefix', '', '4 keys'])
  await page.getByRole('link', { name: 'user:' }).click()
  await page.getByText('4 keys with this prefix').waitFor()
  t.same(await page.locator('tbody th').allTextContents(), ['1:', '2:'])
  await page.getByRole('link', { name: '2:' }).click()
  await page.getByRole('button', { name: 'user:2:board' }).waitFor()
  t.same(await page.locator('tbody th').allTextContents(), ['board', 'tags'])
  await page.getByRole('link', { name: 'All keys' }).click()
  await page.getByText('9 keys', { exact: true }).waitFor()
}

async function open(page: Page, name: string): Promise<void> {
  await page.getByLabel('Begins with').fill(name)
  await page.getByRole('button', { name: 'Find' }).click()
  await page.getByRole('button', { name, exact: true }).click()
  await page.getByRole('heading', { name: `Key ${name}` }).waitFor()
  await page.getByRole('button', { name: 'Save' }).waitFor()
}

async function save(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Save' }).click()
  await page.locator('dialog').waitFor({ state: 'detached' })
}

async function editsString({ t, page, keys }: Room): Promise<void> {
  await open(page, 'greeting')
  t.same(await barriersOf(page), [], 'the editor of a string')
  await page.getByLabel('Value').fill('good morning')
  t.equal(await keys.get('greeting'), 'hello', 'nothing is written before Save')
  await save(page)
  t.equal(await keys.get('greeting'), 'good morning')
  t.ok((await keys.ttl('greeting')) > 1_000, 'the time to live is kept')
  await open(page, 'greeting')
  await page.getByLabel('Expires in seconds').fill('')
  await save(page)
  t.equal(await keys.ttl('greeting'), -1)
}

async function editsContainers({ t, page, keys }: Room): Promise<void> {
  await open(page, 'user:1:profile')
  t.same(await barriersOf(page), [], 'the editor of a hash')
  await page.getByLabel('value 1').fill('Ada Lovelace')
  await page.getByLabel('field 2').fill('town')
  await page.getByRole('button', { name: 'Add a field' }).click()
  await page.getByLabel('field 3').fill('born')
  await page.getByLabel('value 3').fill('1815')
  await save(page)
  const hash = { ...(await keys.hGetAll('user:1:profile')) }
  t.same(hash, { name: 'Ada Lovelace', town: 'London', born: '1815' })

  await open(page, 'user:1:profile')
  const fields = page.locator('input[aria-label^="field"]')
  const [first, second] = [await fields.nth(0).inputValue(), await fields.nth(1).inputValue()]
  await page.getByLabel('field 1').fill(second)
  await page.getByLabel('field 2').fill(first)
  await save(page)
  const { [first]: now } = await keys.hGetAll('user:1:profile')
  t.equal(now, hash[second as keyof typeof hash], 'fields change places')

  await open(page, 'lines')
  await page.locator('input[readonly][aria-label="value 1"]').waitFor()
  await page.keyboard.press('Escape')
  await page.locator('dialog').waitFor({ state: 'detached' })

  await open(page, 'user:1:queue')
  await page.getByRole('button', { name: 'Remove 1' }).click()
  await page.getByLabel('element 4').fill('D')
  await page.getByRole('button', { name: 'Add an element' }).click()
  await page.getByLabel('element 5').fill('e')
  await save(page)
  t.same(await keys.lRange('user:1:queue', 0, -1), ['b', 'a', 'D', 'e'])

  await open(page, 'user:2:tags')
  await page.getByLabel('member 1').fill('z')
  await save(page)
  t.same((await keys.sMembers('user:2:tags')).toSorted(), ['y', 'z'])

  await open(page, 'user:2:board')
  await page.getByLabel('score 1').fill('9')
  await page.getByRole('button', { name: 'Remove 2' }).click()
  await save(page)
  t.same(await keys.zRangeWithScores('user:2:board', 0, -1), [{ value: 'bob', score: 9 }])
}

async function isGuarded({ t, page, keys }: Room): Promise<void> {
  await open(page, 'user:1:profile')
  await page.getByLabel('value 1').fill('mine')
  const name = await page.getByLabel('field 1').inputValue()
  await keys.hSet('user:1:profile', name, 'theirs')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('changed or removed meanwhile').waitFor()
  t.equal(await keys.hGet('user:1:profile', name), 'theirs')
  await page.keyboard.press('Escape')
  await page.locator('dialog').waitFor({ state: 'detached' })
}

async function makesAndDeletes({ t, page, keys }: Room): Promise<void> {
  await page.getByRole('button', { name: 'Add a key' }).click()
  t.same(await barriersOf(page), [], 'a new key')
  await page.getByLabel('Name').fill('user:3:board')
  await page.getByLabel('Type').selectOption('zset')
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByLabel('member 1').fill('eve')
  await page.getByLabel('score 1').fill('3')
  await page.getByLabel('Expires in seconds').fill('900')
  await save(page)
  t.equal(await keys.zScore('user:3:board', 'eve'), 3)
  t.ok((await keys.ttl('user:3:board')) > 800)

  await open(page, 'user:3:board')
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByLabel('Type user:3:board to confirm').fill('user:3:board')
  await page.keyboard.press('Enter')
  await page.locator('dialog').waitFor({ state: 'detached' })
  t.equal(await keys.exists('user:3:board'), 0)
}

async function saysWhatIsPartial({ t, page, keys }: Room, url: string): Promise<void> {
  await open(page, 'long')
  await page.getByText('100 of 500 members are read, more follow').waitFor()
  await page.getByRole('button', { name: 'Read more members' }).click()
  await page.getByText('200 of 500 members are read, more follow').waitFor()
  await page.getByLabel('element 150').fill('changed')
  await save(page)
  t.equal(await keys.lIndex('long', 149), 'changed')

  const many = Array.from({ length: 3_000 }, (_, index): [string, string] => [`n:${index}`, 'x'])
  await keys.mSet(many)
  await page.goto(`${url}/#/keys`)
  await page.reload()
  await page.getByText('1,000 of 3,009 keys are read, more follow').waitFor()
  await page.getByText(/\d+ keys or more/).waitFor()
  await page.getByRole('button', { name: 'Read more keys' }).click()
  await page.getByText('3,009 keys', { exact: true }).waitFor()
  await page.getByRole('link', { name: 'n:' }).click()
  await page.getByText('Rows 1 to 100 of 1,000').waitFor()
  const nodes = await page.evaluate<number>('document.querySelectorAll("*").length')
  t.ok(nodes < 3_000, `${nodes} elements`)
  await page.getByRole('button', { name: 'Next' }).click()
  await page.getByText('Rows 101 to 200 of 1,000').waitFor()
  await page.getByLabel('Begins with').fill('nosuch')
  await page.keyboard.press('Enter')
  await page.getByText('No key begins with “nosuch”.').waitFor()
  await page.getByLabel('Database').selectOption('7')
  await page.getByText('No key begins with “nosuch”.').waitFor()
}

async function looks(t: Test, url: string, browser: OpenedBrowser): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const width of [1_280, 360]) {
      const viewport = { width, height: 800 }
      await browser.open(t, { ...options, colorScheme, viewport }, async (page) => {
        await page.goto(`${url}/#/keys?prefix=user:1:`)
        await page.getByRole('button', { name: 'Test wallet' }).click()
        await page.locator('td').getByText('hash').waitFor()
        const wide = await page.evaluate<number>('document.documentElement.scrollWidth')
        t.equal(wide, width, 'nothing is wider than the screen')
        t.same(await barriersOf(page), [], `${colorScheme}, ${width} pixels`)
        await pictured(page, `keys-${colorScheme}-${width}`)
        await page.getByRole('button', { name: 'user:1:profile' }).press('Enter')
        await page.getByRole('button', { name: 'Save' }).waitFor()
        t.same(await barriersOf(page), [], 'the editor')
        await pictured(page, `key-${colorScheme}-${width}`)
      })
    }
  }
}
