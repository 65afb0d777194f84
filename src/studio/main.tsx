// The Studio, the page at `/`: everything that it shows and does goes by the public routes, with
// the rights of who is signed in. (docs/studio.md)

import { useSignal } from '@preact/signals'
import { render } from 'preact'
import { useEffect } from 'preact/hooks'
import { sessionEnded } from './lib/api.js'
import { followRoute, route } from './lib/route.js'
import { findMe, givenCode, me, takeCode } from './lib/session.js'
import { findWallets } from './lib/wallets.js'
import { ApiKeysPage } from './pages/api-keys.js'
import { CollectionsPage } from './pages/collections.js'
import { DocumentsPage } from './pages/documents.js'
import { ExplainPage } from './pages/explain.js'
import { IndexesPage } from './pages/indexes.js'
import { KeysPage } from './pages/keys.js'
import { SchemaPage } from './pages/schema.js'
import { SignInPage } from './pages/sign-in.js'
import { ConsolePage } from './pages/statements.js'
import { applyTheme, Shell } from './widgets/shell.js'
import { Failure, Loading } from './widgets/states.js'
import './style.css'

function App() {
  const problem = useSignal<Error | undefined>(undefined)
  const begin = () => {
    problem.value = undefined
    findMe().catch((error: Error) => {
      problem.value = error
    })
  }
  useEffect(begin, [])
  if (problem.value !== undefined) {
    return (
      <main class="sign-in">
        <h1>Sigil Studio</h1>
        <Failure error={problem.value} retry={begin} />
      </main>
    )
  }
  if (me.value === undefined) return <Loading />
  if (me.value === null || sessionEnded.value || givenCode.value !== '') return <SignInPage />
  return (
    <Shell>
      <CurrentPage />
    </Shell>
  )
}

function CurrentPage() {
  const [place, name, view] = route.value.path
  if (place === 'collections' && name !== undefined)
    return <CollectionPage name={name} view={view} />
  if (place === 'console') return <ConsolePage />
  if (place === 'keys') return <KeysPage />
  if (place === 'api-keys') return <ApiKeysPage />
  return <CollectionsPage />
}

interface CollectionProps {
  readonly name: string
  readonly view: string | undefined
}

function CollectionPage({ name, view }: CollectionProps) {
  if (view === 'indexes') return <IndexesPage key={name} name={name} />
  if (view === 'schema') return <SchemaPage key={name} name={name} />
  if (view === 'explain') return <ExplainPage key={name} name={name} />
  return <DocumentsPage key={name} name={name} />
}

/** `/` moves to the page's filter, except while something is typed. */
function followShortcuts(): void {
  addEventListener('keydown', (event) => {
    const { target, key } = event
    const isTyping = target instanceof Element && target.matches('input, textarea, select')
    if (key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    document.querySelector<HTMLElement>('[data-shortcut="/"]')?.focus()
  })
}

const place = document.getElementById('app')
if (place !== null) {
  applyTheme()
  findWallets()
  takeCode()
  followRoute()
  addEventListener('hashchange', takeCode)
  followShortcuts()
  render(<App />, place)
}
