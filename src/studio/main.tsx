// The Studio, the page at `/`: everything that it shows and does goes by the public routes, with
// the rights of who is signed in. (docs/studio.md)

import { useSignal } from '@preact/signals'
import { render } from 'preact'
import { useEffect } from 'preact/hooks'
import { sessionEnded } from './lib/api.js'
import { placeInAddress } from './lib/collections/collection-place.js'
import { followShortcuts } from './lib/frame/shortcuts.js'
import { followRoute, route } from './lib/route.js'
import { findMe, givenCode, me, takeCode } from './lib/session.js'
import { findWallets } from './lib/wallets.js'
import { CollectionsPage } from './pages/collections.js'
import { DocumentsPage } from './pages/documents.js'
import { SignInPage } from './pages/sign-in.js'
import { Later } from './widgets/later.js'
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

/** Pages whose code comes when they are opened. */
const later = new Map([
  ['start', async () => (await import('./pages/start.js')).StartPage],
  ['api-keys', async () => (await import('./pages/api-keys.js')).ApiKeysPage],
  ['channels', async () => (await import('./pages/channels.js')).ChannelsPage],
  ['operations', async () => (await import('./pages/operations.js')).OperationsPage],
  ['console', async () => (await import('./pages/statements.js')).ConsolePage],
  ['keys', async () => (await import('./pages/keys.js')).KeysPage],
  ['memory', async () => (await import('./pages/memory.js')).MemoryPage],
])

const loadView = async () => (await import('./pages/collection-view.js')).CollectionView

const loadAdministration = async () =>
  (await import('./pages/administration.js')).AdministrationPage

function CurrentPage() {
  const [place, name, view] = route.value.path
  if (place === 'collections' && name !== undefined) {
    const at = placeInAddress(name)
    if (view === undefined) return <DocumentsPage key={`${at.database} ${name}`} at={at} />
    return <Later key="view" name="view" load={loadView} />
  }
  if (place === 'operations' && name !== undefined) {
    return <Later key="administration" name="administration" load={loadAdministration} />
  }
  if (place === 'collections') return <CollectionsPage />
  const given = place !== undefined && later.has(place) ? place : 'start'
  const load = later.get(given)
  return load === undefined ? null : <Later key={given} name={given} load={load} />
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
