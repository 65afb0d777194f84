// Links of data to other hosts: pages of the web, and nothing that runs, reads a file or hides its
// host behind a name.

import t from 'tap'
import { outsideLink } from '../../../../src/studio/lib/memory/link.js'

t.test('pages of the web', async (t) => {
  t.same(outsideLink('https://example.org/a?b#c'), {
    href: 'https://example.org/a?b#c',
    host: 'example.org',
  })
  t.match(outsideLink('http://127.0.0.1:8080/'), { host: '127.0.0.1:8080' })
  t.match(outsideLink('https://аррӏе.com/'), { host: /^xn--/ }, 'letters that look like others')
})

t.test('nothing else', async (t) => {
  const refused = [
    ...['javascript:alert(1)', ' JavaScript:alert(1)', 'data:text/html,x', 'file:///etc/passwd'],
    ...['vbscript:x', 'ftp://example.org/', '//example.org/', '/path', '', 'https://'],
    ...['https://bank.example@evil.example/', 'https://user:pass@example.org/', 'blob:https://x/y'],
  ]
  for (const address of refused) t.equal(outsideLink(address), undefined, address)
})
