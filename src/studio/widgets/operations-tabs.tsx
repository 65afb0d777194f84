// The views of the server: at work, and its administration. All callers see all of them, and each
// says who may use it.

import { linkTo, route } from '../lib/route.js'

const views = [
  { name: 'now', title: 'At work' },
  { name: 'whitelist', title: 'Whitelist' },
  { name: 'audit', title: 'Audit' },
  { name: 'backup', title: 'Backup' },
  { name: 'settings', title: 'Settings' },
] as const

export function OperationsTabs() {
  const current = route.value.path[1] ?? 'now'
  return (
    <nav class="tabs" aria-label="Views of the server">
      {views.map(({ name, title }) => (
        <a
          key={name}
          href={linkTo(name === 'now' ? ['operations'] : ['operations', name])}
          {...(name === current ? { 'aria-current': 'page' as const } : {})}
        >
          {title}
        </a>
      ))}
    </nav>
  )
}
