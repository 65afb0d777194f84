// The frame around every page: its places, who is signed in, and the theme, which the Studio keeps
// beyond the tab.

import { signal, useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { shortAddress } from '../lib/format.js'
import { places } from '../lib/frame/places.js'
import { isReadOnly } from '../lib/frame/read-only.js'
import { isHelpOpen } from '../lib/frame/shortcuts.js'
import { linkTo, route } from '../lib/route.js'
import { me, signOut } from '../lib/session.js'
import { LaterDialog } from './later.js'
import { LockButton } from './unlock.js'
import './shell.css'

type Theme = 'auto' | 'light' | 'dark'

const themes: readonly Theme[] = ['auto', 'light', 'dark']
const themeName = 'sigil-studio-theme'
const theme = signal<Theme>(keptTheme())

export function Shell({ children }: { children: ComponentChildren }) {
  const current = route.value.path[0] ?? 'start'
  return (
    <div class="shell">
      <button type="button" class="skip" onClick={skip}>
        Skip to the page
      </button>
      <header class="side">
        <a class="brand" href={linkTo(['start'])}>
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
        {isReadOnly.value && <ReadOnly />}
        {children}
      </main>
      {isHelpOpen.value && (
        <LaterDialog
          name="help"
          load={loadHelp}
          close={() => {
            isHelpOpen.value = false
          }}
        />
      )}
    </div>
  )
}

const loadHelp = async () => (await import('./help-dialog.js')).HelpDialog
const loadSession = async () => (await import('./session-dialog.js')).SessionDialog

function ReadOnly() {
  return (
    <div class="read-only">
      <p role="status">Read-only: this page sends no changes.</p>
      <button type="button" class="quiet" onClick={turnReadOnly}>
        Allow changes
      </button>
    </div>
  )
}

function turnReadOnly(): void {
  isReadOnly.value = !isReadOnly.value
}

function Account() {
  const isSessionOpen = useSignal(false)
  const { value } = me
  if (value === null || value === undefined) return null
  const { address, expiresAt } = value
  return (
    <div class="account">
      <p class="data" title={address ?? ''}>
        {address === null ? 'Operator' : shortAddress(address)}
      </p>
      {address === null && expiresAt !== null && <LockButton until={value.unlockedUntil} />}
      <button
        type="button"
        class="quiet"
        aria-pressed={isReadOnly.value}
        title="While it is on, this page sends no changes"
        onClick={turnReadOnly}
      >
        Read-only: {isReadOnly.value ? 'on' : 'off'}
      </button>
      <button
        type="button"
        class="quiet"
        onClick={() => {
          isHelpOpen.value = true
        }}
      >
        Keyboard
      </button>
      <ThemeButton />
      {expiresAt !== null && (
        <>
          <button
            type="button"
            class="quiet"
            onClick={() => {
              isSessionOpen.value = true
            }}
          >
            Session
          </button>
          <button type="button" class="quiet" onClick={() => void signOut()}>
            Sign out
          </button>
        </>
      )}
      {isSessionOpen.value && (
        <LaterDialog
          name="session"
          load={loadSession}
          close={() => {
            isSessionOpen.value = false
          }}
        />
      )}
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
