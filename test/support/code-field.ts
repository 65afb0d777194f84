// The text of an editor of the Studio, which is no field of a form: it stands in a shadow tree, and
// has an element for each line.

import type { Page } from './chromium.js'

/** When the editor's code has come; `place` is a selector of what is around the editor. */
export async function codeIn(page: Page, place: string): Promise<string> {
  const lines = page.locator(`${place} .cm-line`)
  await lines.first().waitFor()
  return (await lines.allTextContents()).join('\n')
}
