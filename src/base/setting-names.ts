// Finds environment names that look like a setting but are none: a misspelt setting would be
// ignored silently.

import { nearestName } from './nearest-name.js'
import { settingRows } from './settings.js'

const settings: readonly string[] = Object.entries(settingRows).flatMap(([name, { secret }]) =>
  secret ? [name, `${name}_FILE`] : [name],
)
/** Names that the command-line programs read beside the settings. */
const further = ['SIGIL_URL', 'SIGIL_API_KEY', 'SIGIL_PINS']
/** Names that every machine has. */
const common = ['USER', 'HOSTS', 'STORES', 'HTTP_PROXY']

/** One sentence for each such name, without its value, which may be a secret. */
export function strangeNames(environment: Readonly<Record<string, string | undefined>>): string[] {
  const known = new Set([...settings, ...further, ...common])
  return Object.keys(environment).flatMap((name) => {
    if (known.has(name)) return []
    const bare = name.startsWith('SIGIL_') ? name.slice('SIGIL_'.length) : name
    const meant = settings.includes(bare) ? bare : nearestName(name, [...settings, ...further])
    return meant === undefined
      ? []
      : [`${name} is no setting and is ignored: did you mean ${meant}?`]
  })
}
