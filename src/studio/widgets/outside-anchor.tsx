// A link to another host: a new tab that knows nothing of this page, and the host in view. What is
// no address of the web is shown as text.

import { visible } from '../lib/format.js'
import { outsideLink } from '../lib/memory/link.js'

export function OutsideAnchor({ address, text }: { address: string; text?: string }) {
  const link = outsideLink(address)
  if (link === undefined) return <span class="data">{visible(address)}</span>
  return (
    <a href={link.href} target="_blank" rel="noopener noreferrer">
      {text ?? visible(address)} ({visible(link.host)})
    </a>
  )
}
