// The version of Sigil's package, read once for `sigil --version`, the metrics and server replies.
// Built files are three folders below package.json, here and in the package.

import { readFileSync } from 'node:fs'

const file = new URL('../../../package.json', import.meta.url)

export const { version } = JSON.parse(readFileSync(file, 'utf8')) as { readonly version: string }
