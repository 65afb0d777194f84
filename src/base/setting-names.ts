// Finds environment names that look like a setting but are none: a misspelt setting would be
// ignored silently.

import { nearestName } from './nearest-name.js'
import { settingRows } from './settings.js'

const settings: readonly string[] = Object.entries(settingRows).flatMap(([name, { secret }]) =>
  secret ? [name, `${name}_FILE`] : [name],
)
/** Names that the command-line programs read beside the settings. */
const further = ['SIGIL_URL', 'SIGIL_API_KEY', 'SIGIL_PINS']
/** Names that only the examples of the documentation and of Studio use. */
const examples = ['SIGIL_URI', 'SIGIL_SQL_URL', 'SIGIL_REDIS_URL']
/** Names that every machine has. */
const common = ['USER', 'HOSTS', 'STORES', 'HTTP_PROXY']

/** What Kubernetes and Docker set in a container for a service of this name. */
const injected = /_SERVICE_(?:HOST|PORT)(?:_|$)|_PORT_\d+_(?:TCP|UDP|SCTP)(?:_|$)/
const injectedAddress = /^(?:tcp|udp|sctp):\/\//

/** One sentence for each such name, without its value, which may be a secret. */
export function strangeNames(environment: Readonly<Record<string, string | undefined>>): string[] {
  const known = new Set([...settings, ...further, ...examples, ...common])
  return Object.entries(environment).flatMap(([name, value = '']) => {
    if (known.has(name)) return []
    const isOurs = name.startsWith('SIGIL_')
    if (isOurs && (injected.test(name) || injectedAddress.test(value))) return []
    const bare = isOurs ? name.slice('SIGIL_'.length) : name
    const meant = settings.includes(bare)
      ? bare
      : (nearestName(name, [...settings, ...further]) ??
        (isOurs ? nearestName(bare, settings) : undefined))
    if (meant !== undefined) return [`${name} is no setting and is ignored: did you mean ${meant}?`]
    return isOurs ? [`${name} is no setting and is ignored: \`sigil config\` lists them`] : []
  })
}
