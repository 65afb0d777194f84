// Pictures of the Studio's pages, to look at: written where SIGIL_PICTURES names a folder.

import { mkdirSync } from 'node:fs'
import type { Page } from './chromium.js'

const { SIGIL_PICTURES: folder } = process.env

export async function pictured(page: Page, name: string): Promise<void> {
  if (folder === undefined) return
  mkdirSync(folder, { recursive: true })
  await page.screenshot({ path: `${folder}/${name}.png` })
}
