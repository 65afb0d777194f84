// Pictures of the Studio's pages, to look at: written where SIGIL_PICTURES names a folder. Of
// docs/studio only the pictures that the pages of documentation show are written anew.

import { existsSync, mkdirSync } from 'node:fs'
import type { Page } from './chromium.js'

const { SIGIL_PICTURES: folder } = process.env

export async function pictured(page: Page, name: string): Promise<void> {
  if (folder === undefined) return
  const path = `${folder}/${name}.png`
  if (folder === 'docs/studio' && !existsSync(path)) return
  mkdirSync(folder, { recursive: true })
  await page.screenshot({ path })
}
