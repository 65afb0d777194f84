// The version of Sigil's package, read once: what `sigil --version`, the metrics and the replies of
// servers show. The built files stand three folders below package.json, here and in the package.

import { readFileSync } from 'node:fs'

const file = new URL('../../../package.json', import.meta.url)

export const { version } = JSON.parse(readFileSync(file, 'utf8')) as { readonly version: string }
