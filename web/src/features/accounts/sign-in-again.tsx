import { useEffect, useRef } from 'react'
import { boot } from '../../data/boot.ts'
import { forgetBrowser } from '../../data/session.ts'
import { useSignal } from '../../lib/signal.ts'
import { sessionEnded } from '../../lib/signed-out.ts'
import { m } from '../../messages/accounts.ts'
import { FormLine } from '../../ui/field.tsx'
import { comeBack } from './after.ts'
import { SlipHead } from './alone.tsx'
import { SignInForm } from './sign-in-form.tsx'

/**
 * The form over a page whose session has ended: the page stays, and so does what was written on it. Only
 * the same person can go on with it; somebody else begins with a page of their own.
 */
export function SignInAgain() {
  const ended = useSignal(sessionEnded)
  const user = useSignal(boot)?.session.user
  return ended && user?.email ? <Over email={user.email} /> : null
}

function Over({ email }: { email: string }) {
  const dialog = useRef<HTMLDialogElement>(null)
  const workspaceId = boot.get()?.session.workspace.id
  useEffect(() => {
    const before = document.activeElement
    dialog.current?.showModal()
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus()
    }
  }, [])
  return (
    <dialog
      ref={dialog}
      className="again"
      data-overlay
      aria-label={m.ended}
      // There is nothing to go back to without a session.
      onCancel={(event) => event.preventDefault()}
    >
      <SignInForm
        head={<SlipHead title={m.ended}>{m.endedWhy}</SlipHead>}
        email={email}
        over
        {...(workspaceId && { workspaceId })}
        onSignedIn={comeBack}
      >
        <FormLine>
          <p>
            {email}.{' '}
            <a href="/sign-in" onClick={forgetBrowser}>
              {m.somebodyElse}
            </a>
          </p>
        </FormLine>
      </SignInForm>
    </dialog>
  )
}
