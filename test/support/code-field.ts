// The text of an editor of the Studio, which is no field of a form: it stands in a shadow tree, and
// has an element for each line.

import type { Page } from './chromium.js'

/** When the editor's code has come; `place` is a selector of what is around the editor. */
export async function codeIn(page: Page, place: string): Promise<string> {
  const lines = page.locator(`${place} .cm-line`)
  await lines.first().waitFor()
  return (await lines.allTextContents()).join('\n')
}

/** Writes what was copied over all that the editor holds, and tells what stands there then. */
export async function pastedOver(page: Page, place: string, label: string): Promise<string> {
  const field = page.getByLabel(label)
  await field.focus()
  // The editor takes its selection from the page once it knows that it has the focus.
  await page.locator(`${place} .cm-focused`).waitFor()
  await field.press('Control+a')
  await field.press('Control+v')
  return codeIn(page, place)
}
