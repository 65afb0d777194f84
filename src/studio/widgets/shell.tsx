// The frame around every page: its places, who is signed in, and the theme, which is the only thing
// that the Studio keeps beyond the tab.

import { signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { shortAddress } from '../lib/format.js'
import { linkTo, route } from '../lib/route.js'
import { me, signOut } from '../lib/session.js'

const places = [{ name: 'collections', title: 'Collections' }] as const

type Theme = 'auto' | 'light' | 'dark'

const themes: readonly Theme[] = ['auto', 'light', 'dark']
const themeName = 'sigil-studio-theme'
const theme = signal<Theme>(keptTheme())

export function Shell({ children }: { children: ComponentChildren }) {
  const current = route.value.path[0] ?? 'collections'
  return (
    <div class="shell">
      <button type="button" class="skip" onClick={skip}>
        Skip to the page
      </button>
      <header class="side">
        <a class="brand" href={linkTo(['collections'])}>
          Sigil Studio
        </a>
        <nav aria-label="Pages">
          {places.map(({ name, title }) => (
            <a
              key={name}
              href={linkTo([name])}
              {...(name === current ? { 'aria-current': 'page' as const } : {})}
            >
              {title}
            </a>
          ))}
        </nav>
        <Account />
      </header>
      <main id="main" tabIndex={-1}>
        {children}
      </main>
    </div>
  )
}

function Account() {
  const { value } = me
  if (value === null || value === undefined) return null
  const { address } = value
  return (
    <div class="account">
      <p class="data" title={address ?? ''}>
        {address === null ? 'Operator' : shortAddress(address)}
      </p>
      <ThemeButton />
      <button type="button" class="quiet" onClick={() => void signOut()}>
        Sign out
      </button>
    </div>
  )
}

export function ThemeButton() {
  return (
    <button type="button" class="quiet" onClick={nextTheme} title="Change the theme">
      Theme: {theme.value}
    </button>
  )
}

function skip(): void {
  document.getElementById('main')?.focus()
}

function keptTheme(): Theme {
  const kept = localStorage.getItem(themeName)
  return themes.find((one) => one === kept) ?? 'auto'
}

function nextTheme(): void {
  const next = themes[(themes.indexOf(theme.value) + 1) % themes.length] ?? 'auto'
  localStorage.setItem(themeName, next)
  theme.value = next
  applyTheme()
}

export function applyTheme(): void {
  document.documentElement.dataset.theme = theme.value
}
