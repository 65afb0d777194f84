// A collection in the Studio, in a browser: created with a validator, its mode and roles changed by
// its owner, seen by a wallet with a role and by another wallet, given away by the operator,
// renamed and dropped.

import t, { type Test } from 'tap'
import {
  barriersOf,
  chromiumMissing,
  type OpenedBrowser,
  openChromium,
  type Page,
} from '../support/chromium.js'
import { openApi } from '../support/http-client.js'
import { type LiveGateway, startGateway } from '../support/live-gateway.js'
import { walletOptions } from '../support/page-wallet.js'
import { pictured } from '../support/pictures.js'
import { testWallet } from '../support/wallet.js'

t.setTimeout(180_000)

const owner = testWallet('studio owner')
const reader = testWallet('studio reader')
const another = testWallet('studio another')
const expected = /status of 40\d/

interface Room {
  readonly t: Test
  readonly gateway: LiveGateway
  readonly browser: OpenedBrowser
  /** The server as the operator sees it. */
  readonly api: ReturnType<typeof openApi>
}

t.test('access', { skip: await chromiumMissing() }, async (t) => {
  const gateway = await startGateway(t, { RATE_LIMITS: 'off' })
  const browser = await openChromium()
  t.teardown(() => browser.close())
  const api = openApi(gateway.url, gateway.key)
  const at = (t: Test): Room => ({ t, gateway, browser, api })
  await t.test('the owner', (t) => asOwner(at(t)))
  await t.test('others', (t) => asOthers(at(t)))
  await t.test('the operator', (t) => asOperator(at(t)))
  await looks(at(t))
  await t.test('renamed and dropped', (t) => renamesAndDrops(at(t)))
})

async function asOwner(room: Room): Promise<void> {
  const { t, gateway, browser, api } = room
  await browser.open(t, { ...walletOptions(owner), expected }, async (page) => {
    await page.goto(`${gateway.url}/#/collections`)
    await page.getByRole('button', { name: 'Test wallet' }).click()
    await creates(room, page)
    await page.getByRole('link', { name: 'Access' }).click()
    await page.getByText('You own the collection.').waitFor()
    t.same(await barriersOf(page), [], 'access')
    await page.getByText('reads nothing, and does not find it in lists').waitFor()
    await page.getByLabel('What others may do').selectOption('shared')
    t.match((await api.get('people/privacy')).json.privacy, { mode: 'private' }, 'not saved yet')
    await page.getByRole('button', { name: 'Save the mode' }).click()
    // In the main database a wallet cannot share by name.
    await page.getByRole('alert').getByText(/w_0x/).waitFor()
    await page.getByLabel('What others may do').selectOption('public')
    await page.getByRole('button', { name: 'Save the mode' }).click()
    await page.getByText('sees mode and owner; reads documents').waitFor()
    t.match((await api.get('people/privacy')).json.privacy, { mode: 'public' })
    await page.getByLabel('What others may do').selectOption('private')
    await page.getByRole('button', { name: 'Save the mode' }).press('Enter')
    await page.getByText('reads nothing, and does not find it in lists').waitFor()
    await givesRoles(room, page)
    await validates(room, page)
  })
}

async function creates({ t, api }: Room, page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Create a collection' }).click()
  await page.locator('#collection-name').fill('people')
  await page.getByText('Validator', { exact: true }).click()
  await page.getByLabel('Validator as JSON').fill('{"age": {"$gte": 0}')
  t.same(await barriersOf(page), [], 'a new collection')
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  await page.locator('dialog .problem').getByText(/JSON/).waitFor()
  await page.getByLabel('Validator as JSON').fill('{"age": {"$gte": 0}}')
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  await page.getByText('The collection has no documents.').waitFor()
  t.match((await api.get('people/stats')).json, { validator: { age: { $gte: 0 } } })

  await page.getByRole('link', { name: 'Collections', exact: true }).click()
  await page.getByRole('button', { name: 'Create a collection' }).click()
  await page.locator('#collection-name').fill('log')
  await page.getByLabel('Capped').click()
  await page.getByLabel('Documents at most').fill('3')
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  await page.getByText('The collection has no documents.').waitFor()
  t.match((await api.get('log/stats')).json, { capped: true, maxDocuments: 3 })
  await page.getByRole('link', { name: 'Collections', exact: true }).click()
  await page.getByRole('button', { name: 'Create a collection' }).click()
  await page.locator('#collection-name').fill('log')
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  await page
    .locator('dialog .problem')
    .getByText(/already exists/)
    .waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('link', { name: 'people' }).click()
}

async function givesRoles({ t, api }: Room, page: Page): Promise<void> {
  const address = page.getByLabel("Another wallet's address")
  await address.fill('0x12')
  await page.getByRole('button', { name: 'Give the role' }).click()
  await page
    .getByRole('alert')
    .getByText(/address/)
    .waitFor()
  for (const { address: given } of [reader, another]) {
    await address.fill(given)
    await page.getByRole('button', { name: 'Give the role' }).click()
    await page.getByRole('button', { name: `Remove the role of ${given}` }).waitFor()
  }
  t.same((await api.get('people/roles')).json.accessRoles, {
    [reader.address]: 1,
    [another.address]: 1,
  })
  await page.getByRole('button', { name: `Remove the role of ${another.address}` }).click()
  await page
    .getByRole('button', { name: `Remove the role of ${another.address}` })
    .waitFor({ state: 'detached' })
  t.same((await api.get('people/roles')).json.accessRoles, { [reader.address]: 1 })
}

async function validates({ t, api }: Room, page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Schema' }).click()
  const text = page.getByLabel('Validator as JSON')
  t.match(JSON.parse(await text.inputValue()), { age: { $gte: 0 } })
  t.same(await barriersOf(page), [], 'the validator')
  await text.fill('{"age": {"$nosuch": 1}}')
  await page.getByRole('button', { name: 'Save the validator' }).click()
  await page
    .getByRole('alert')
    .getByText(/nosuch/)
    .waitFor()
  await text.fill('{"age": {"$gte": {"$numberLong": "1"}}}')
  await page.getByLabel('Action').selectOption('warn')
  await page.getByRole('button', { name: 'Save the validator' }).click()
  await page.locator('button:text("Save the validator"):disabled').waitFor()
  const { json } = await api.get('people/stats')
  t.match(json, { validator: { age: { $gte: 1 } }, validationAction: 'warn' })
}

async function asOthers({ t, gateway, browser }: Room): Promise<void> {
  await browser.open(t, { ...walletOptions(reader), expected }, async (page) => {
    await page.goto(`${gateway.url}/#/collections/people/access`)
    await page.getByRole('button', { name: 'Test wallet' }).click()
    await page.getByText('You may read. Only the owner').waitFor()
    t.equal(await page.getByRole('button', { name: 'Give the role' }).count(), 0)
    t.equal(await page.getByRole('button', { name: 'Drop the collection' }).count(), 0)
    await page.getByRole('link', { name: 'Schema' }).click()
    await page.getByText('Only the owner and the operator change it.').waitFor()
    t.equal(await page.getByRole('button', { name: 'Save the validator' }).count(), 0)
  })
  await browser.open(t, { ...walletOptions(another), expected }, async (page) => {
    await page.goto(`${gateway.url}/#/collections/people/access`)
    await page.getByRole('button', { name: 'Test wallet' }).click()
    await page.getByText('You may not read the collection.').waitFor()
    await page.getByText(owner.address, { exact: true }).waitFor()
  })
}

async function asOperator({ t, gateway, browser, api }: Room): Promise<void> {
  const { url, key } = gateway
  await api.post('unowned/insertOne', { document: { _id: 1 } })
  const made = await fetch(`${url}/api/v1/studio/code`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': key },
    body: '{}',
  })
  const { code } = (await made.json()) as { code: string }
  await browser.open(t, { expected }, async (page) => {
    await page.goto(`${url}/#code=${code}`)
    await page.getByRole('button', { name: 'Sign in as the operator' }).click()
    await page.getByRole('heading', { name: 'Start' }).waitFor()
    await page.goto(`${url}/#/collections/unowned/access`)
    await page.getByText('Unlock changes to change access.').waitFor()
    await page.getByRole('button', { name: 'Unlock changes' }).click()
    await page.getByLabel("The operator's key, or a new code").fill(key)
    await page.keyboard.press('Enter')
    await page.getByText('The operator may do everything.').waitFor()
    await page.getByLabel("A wallet's address").fill(reader.address)
    await page.getByRole('button', { name: 'Make it the owner' }).click()
    await page.getByText(reader.address, { exact: true }).waitFor()
    const { privacy } = (await api.get('unowned/privacy')).json
    t.match(privacy, { ownerAddress: reader.address })
  })
}

async function renamesAndDrops({ t, gateway, browser, api }: Room): Promise<void> {
  await browser.open(t, { ...walletOptions(owner), expected }, async (page) => {
    await page.goto(`${gateway.url}/#/collections/people/access`)
    await page.getByRole('button', { name: 'Test wallet' }).click()
    await page.getByRole('button', { name: 'Rename' }).click()
    await page.getByLabel('New name').fill('log')
    await page.getByRole('button', { name: 'Rename' }).nth(1).click()
    await page
      .locator('dialog .problem')
      .getByText(/exists/)
      .waitFor()
    await page.getByLabel('New name').fill('persons')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'persons' }).waitFor()
    await page.getByText('You own the collection.').waitFor()
    await page.getByRole('button', { name: 'Drop the collection' }).click()
    await page.getByLabel('Type persons to confirm').fill('people')
    t.equal(await page.locator('dialog button.bad:disabled').count(), 1, 'another name')
    await page.getByLabel('Give up the name too').click()
    await page.getByLabel('Type persons to confirm').fill('persons')
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: 'log' }).waitFor()
    t.equal((await api.get('persons/privacy')).status, 404, 'the name is free')
  })
}

async function looks({ t, gateway: { url }, browser }: Room): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const [width, height] of [
      [1_280, 800],
      [360, 740],
    ] as const) {
      const options = { ...walletOptions(owner), colorScheme, viewport: { width, height } }
      await browser.open(t, options, async (page) => {
        const name = (of: string) => `${of}-${colorScheme}-${width}`
        await page.goto(`${url}/#/collections/people/access`)
        await page.getByRole('button', { name: 'Test wallet' }).click()
        await page.getByText('You own the collection.').waitFor()
        await looksRight(t, page, name('access'))
        await page.getByRole('link', { name: 'Schema' }).click()
        await page.getByLabel('Validator as JSON').waitFor()
        await looksRight(t, page, name('validator'))
        await page.goto(`${url}/#/collections`)
        await page.getByRole('button', { name: 'Create a collection' }).click()
        await page.getByLabel('Capped').click()
        await page.getByText('Validator', { exact: true }).click()
        await looksRight(t, page, name('new-collection'))
      })
    }
  }
}

async function looksRight(t: Test, page: Page, name: string): Promise<void> {
  const [whole, screen] = await page.evaluate<readonly number[]>(
    '[document.documentElement.scrollWidth, innerWidth]',
  )
  t.equal(whole, screen, 'nothing is wider than the screen')
  t.same(await barriersOf(page), [], name)
  await pictured(page, name)
}
