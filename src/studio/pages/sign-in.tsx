// The sign-in. It stands in the place of the page that was asked for, whose address stays, so a
// user comes back to where the session ended.

import { useSignal } from '@preact/signals'
import { sessionEnded } from '../lib/api.js'
import { givenCode, signInWith, signInWithCode } from '../lib/session.js'
import { injectedWallet, type Wallet, walletRefusal, wallets } from '../lib/wallets.js'
import { Field, Form, Problem } from '../widgets/form.js'
import { ThemeButton } from '../widgets/shell.js'

export function SignInPage() {
  const problem = useSignal('')
  const isBusy = useSignal(false)
  const enter = (way: () => Promise<void>) => {
    problem.value = ''
    isBusy.value = true
    way()
      .catch((error: unknown) => {
        const text = error instanceof Error ? error.message : 'The sign-in failed.'
        problem.value = walletRefusal(error) ?? text
      })
      .finally(() => {
        isBusy.value = false
      })
  }
  return (
    <main class="sign-in">
      <h1>Sigil Studio</h1>
      {sessionEnded.value && <p>Your session has ended. Sign in again to go on where you were.</p>}
      <WalletChoice isBusy={isBusy.value} choose={(wallet) => enter(() => signInWith(wallet))} />
      <OperatorForm isBusy={isBusy.value} enter={(code) => enter(() => signInWithCode(code))} />
      <Problem text={problem.value} />
      <ThemeButton />
    </main>
  )
}

interface OperatorFormProps {
  readonly isBusy: boolean
  readonly enter: (code: string) => void
}

function OperatorForm({ isBusy, enter }: OperatorFormProps) {
  const code = useSignal(givenCode.value)
  return (
    <section>
      <h2>As the operator</h2>
      <Form send={() => enter(code.value.trim())}>
        <Field label="One-time code" id="code" typed={code} isRequired />
        <button type="submit" disabled={isBusy}>
          Sign in as the operator
        </button>
      </Form>
      <p class="faint">
        <code>sigil studio</code> prints a code, with the operator's key in SIGIL_API_KEY. This tab
        then sees everything; it changes nothing until you unlock it.
      </p>
    </section>
  )
}

interface Choice {
  readonly isBusy: boolean
  readonly choose: (wallet: Wallet) => void
}

function WalletChoice({ isBusy, choose }: Choice) {
  const injected = injectedWallet()
  const known = wallets.value.length > 0 || injected === undefined ? wallets.value : [injected]
  return (
    <section>
      <h2>With a wallet</h2>
      {known.length === 0 && (
        <p class="faint">
          No wallet was found in this browser. Install one that announces itself (EIP-6963), and
          load this page again.
        </p>
      )}
      {known.map((wallet) => (
        <button
          key={wallet.id}
          type="button"
          class="wallet"
          disabled={isBusy}
          onClick={() => choose(wallet)}
        >
          {wallet.icon !== '' && <img src={wallet.icon} alt="" width="24" height="24" />}
          {wallet.name}
        </button>
      ))}
      <p class="faint">The wallet signs a text that names this page. It costs nothing.</p>
    </section>
  )
}
